# SPDX-License-Identifier: MIT
# Every command of every workflow, and of the action with its defaults. What takes long or is not here
# (installing, building, measuring at length, GitHub's client) has a stand-in; how the steps hand files to
# each other, and what the scripts say of a wrong release, is real.
. "$(dirname "$0")/common.sh"
python3 -c 'import yaml' 2>/dev/null || { echo "skip workflows: python3-yaml is not here" && exit 77; }
. "$root/scripts/setup.sh"
unset UARCHPROBE_BUILD
version=$(sed -n 's/^project(uarchprobe VERSION \([0-9.]*\) .*/\1/p' "$root/CMakeLists.txt")
export TAG="v$version"

# The checkout that a runner has: all files of the project, its heavy scripts replaced.
mkdir "$work/checkout"
(cd "$root" && tracked '*' | tar cf - -T -) | tar xf - -C "$work/checkout"
(cd "$work/checkout" && git init -q && git add -A && git -c user.name=a -c user.email=a@example.org commit -qm all)
replace() {
    { echo '#!/bin/sh' && cat; } >"$work/checkout/$1"
    chmod +x "$work/checkout/$1"
}
echo 'echo "1 passed, 0 failed, 0 skipped"' | replace scripts/test
# A package of each kind that cpack makes in this folder, named as it names them.
cat >"$work/checkout/pack" <<'END'
case $RUNNER in *-arm) arch=aarch64 debian=arm64 ;; *) arch=x86_64 debian=amd64 ;; esac
case $PWD in
*/static) echo 1 >"uarchprobe-$VERSION-linux-$arch-static.tar.gz" ;;
*/portable) for name in "uarchprobe-$VERSION-linux-$arch.tar.gz" "uarchprobe-$VERSION-1.$arch.rpm" "uarchprobe_${VERSION}_$debian.deb"; do echo 1 >"$name"; done ;;
esac
END
export VERSION="$version"
echo 'here=$(dirname "$0")/../build/$1; mkdir -p "$here" && printf "#!/bin/sh\n" >"$here/uarchprobe" && chmod +x "$here/uarchprobe"' |
    replace scripts/build
# Recorded results in place of measured ones.
cat <<'END' | replace scripts/run
while [ $# -gt 0 ]; do case $1 in --output | -o) shift && cp "$RECORDED" "$1" ;; esac; shift; done
END
export RECORDED="$root/tests/data/results/report.json"
echo 'sh "$GITHUB_WORKSPACE/pack"' | command_named cpack
echo 'exit 0' | command_named apt-get
echo '"$@"' | command_named sudo
echo 'exit 0' | command_named chown
echo 'echo "Debian clang-format version 14.0.6"' | command_named clang-format
echo 'printf "%s\n" "$@" >"$GH_CALLS"' | command_named gh
echo 'cat >/dev/null' | command_named tee
real_git=$(command -v git)
echo "case \$1-\${2-} in push* | config---global) exit ;; *) exec $real_git \"\$@\" ;; esac" | command_named git
# The workflows install what is missing; here nothing is to be installed.
cat >>"$work/checkout/scripts/setup.sh" <<'END'
ensure() { :; }
END
export GH_CALLS="$work/calls"
PATH=$work/bin:$PATH

# follows NAME: runs the workflow in a folder of its own.
follows() {
    rm -rf "${work:?}/$1"
    python3 "$root/tests/setup/workflows.py" "$work/checkout/$1" "$work/checkout" "$work/$1" >"$work/out" 2>"$work/err"
}

for workflow in ci nightly results; do
    check "each command of $workflow.yml" follows ".github/workflows/$workflow.yml"
    grep '^not ok' "$work/out"
done
check "each command of action.yml" follows action.yml

# A release: its changes have their date, which the checkout's have only when one is made.
dated() {
    sed -i "0,/^## .*/s//## $1/" "$work/checkout/CHANGELOG.md"
}
release=.github/workflows/release.yml
dated "$version (2026-01-02)"
check "a release goes through" follows $release
check "... it is published under its tag" [ "$(sed -n 3p "$GH_CALLS")" = "$TAG" ]
check "... with four packages for each architecture and their sums" [ "$(grep -c "/uarchprobe[^/]*$version" "$GH_CALLS")-$(grep -c SHA256SUMS "$GH_CALLS")" = 8-1 ]
sums=$(find "$work/$release/jobs" -name SHA256SUMS)
check "... which are right" sh -c 'cd "$(dirname "$1")" && sha256sum -c --quiet SHA256SUMS' - "$sums"

# refuses NAME WORD: a release that goes through as far as a line of scripts/release with that word.
refuses() {
    rm -f "$GH_CALLS"
    check "$1 is refused" [ "$(follows $release && echo published)" = "" ]
    check "... and not published" [ ! -e "$GH_CALLS" ]
    check "... for that reason" grep -q "^scripts/release: .*$2" "$work/out"
}
dated Unreleased
refuses "a release without the date of its changes" YEAR-MONTH-DAY
dated "0.0.1 (2026-01-02)"
refuses "a release with the changes of another version" "begins with .0.0.1"
dated "$version (2026-01-02)"
TAG=v99.0.0 refuses "a tag of another version" "the tag is v99.0.0"
sed -i '/\.rpm/s/"uarchprobe-$VERSION-1[^ ]*rpm"//' "$work/checkout/pack"
refuses "a release without one of its packages" 'has no .*x86_64.rpm .*aarch64.rpm'
finish
