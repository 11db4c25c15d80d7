# SPDX-License-Identifier: MIT
# shellcheck shell=sh disable=SC2086,SC2046 # CC, CFLAGS and package lists are words
# Sourced by the scripts next to it; $root is the checkout. Finds what a build needs and installs only what is missing:
# each need is checked by its command or its pkg-config file, so it does not matter how it came onto the machine.
: "${root:?}"

say() {
    printf '%s\n' "$*" >&2
}

have() {
    command -v "$1" >/dev/null 2>&1
}

# Everything that is built goes here; the scripts that one script starts use the same.
build=${UARCHPROBE_BUILD:-$root/build}
case $build in
/*) ;;
*) build=$PWD/$build ;;
esac
export UARCHPROBE_BUILD="$build"

writable_build() {
    if ! mkdir -p "$build" 2>/dev/null || [ ! -w "$build" ]; then
        say "cannot write to $build: set UARCHPROBE_BUILD=DIR to a folder that can be written to"
        return 1
    fi
    build=$(cd "$build" && pwd -P)
}

# A need is "level check package-for-apt dnf pacman apk zypper"; "-" is no package, "+" joins several; ">=" names the least
# version that will do. run: build and run. test: the suite cannot start without it.
# source: a check of the sources is skipped without it. packages: cpack leaves a kind of package out. more: a
# section is skipped without it.
needs() {
    cat <<'TABLE'
run    compile:cc                  gcc+libc6-dev         gcc+glibc-devel    gcc+glibc         build-base        gcc+glibc-devel
run    cmd:cmake>=3.22             cmake                 cmake              cmake             cmake             cmake
run    cmd:ninja                   ninja-build           ninja-build        ninja             ninja-build       ninja
run    cmd:pkg-config              pkg-config            pkgconf-pkg-config pkgconf           pkgconf           pkg-config
run    pc:hwloc>=2.4               libhwloc-dev          hwloc-devel        hwloc             hwloc-dev         hwloc-devel
run    pc:jansson>=2.13            libjansson-dev        jansson-devel      jansson           jansson-dev       libjansson-devel
run    x86:libcpuid>=0.6.2         libcpuid-dev          libcpuid-devel     libcpuid          libcpuid-dev      libcpuid-devel
test   compile:gcc                 gcc+libc6-dev         gcc+glibc-devel    gcc+glibc         build-base        gcc+glibc-devel
test   pc:cmocka>=1.1.5            libcmocka-dev         libcmocka-devel    cmocka            cmocka-dev        libcmocka-devel
test   cmd:jq                      jq                    jq                 jq                jq                jq
test   py:jsonschema               python3-jsonschema    python3-jsonschema python-jsonschema py3-jsonschema    python3-jsonschema
more   py:yaml                     python3-yaml          python3-pyyaml     python-yaml       py3-yaml          python3-PyYAML
more   cmd:git                     git                   git                git               git               git
more   cmd:clang                   clang                 clang              clang             clang             clang
more   fuzzer:clang                libclang-rt-dev       compiler-rt        compiler-rt       compiler-rt       -
source cmd:clang-format            clang-format          clang-tools-extra  clang             clang-extra-tools clang-tools
more   cmd:strace                  strace                strace             strace            strace            strace
source cmd:shellcheck              shellcheck            ShellCheck         shellcheck        shellcheck        ShellCheck
source cmd:ctags                   universal-ctags       ctags              ctags             ctags             ctags
more   cmd:rsvg-convert            librsvg2-bin          librsvg2-tools     librsvg           rsvg-convert      rsvg-convert
more   cmd:xmllint                 libxml2-utils         libxml2            libxml2           libxml2-utils     libxml2-tools
packages cmd:rpmbuild                rpm                   rpm-build          rpm-tools         rpm               rpm-build
packages cmd:dpkg-shlibdeps          dpkg-dev+file         dpkg-dev           -                 -                 -
more   x86cmd:qemu-x86_64-static   qemu-user-static      qemu-user-static   qemu-user-static  -                 -
more   cross:qemu-aarch64-static   qemu-user-static      -                  -                 -                 -
more   cross:aarch64-linux-gnu-gcc gcc-aarch64-linux-gnu -                  -                 -                 -
TABLE
}

is_x86() {
    [ "$(uname -m)" = x86_64 ]
}

# The cross build takes its arm64 libraries from Debian's archive.
is_debian() {
    [ -r /etc/os-release ] && grep -q '^ID=debian' /etc/os-release
}

# compiles COMPILER...: it makes a program of C. A build's own: compiles ${CC:-cc} ${CFLAGS-}
compiles() {
    have "$1" && printf '#include <stdio.h>\nint main(void) { return 0; }\n' |
        "$@" -x c - -o /dev/null >/dev/null 2>&1
}

# gcc's version, or clang's, which says that it is gcc 4.2 too.
compiler_version() {
    printf '__clang_major__ __GNUC__\n' | "$@" -E -P -x c - 2>/dev/null |
        awk '/[0-9]/ { print $1 ~ /^[0-9]/ ? "clang " $1 : "gcc " $2 }'
}

# Older gccs have not been tried; the assembler of clang 11 lacks {disp32}.
is_new_compiler() {
    set -- $(compiler_version "$@")
    case ${1-} in
    clang) [ "$2" -ge 14 ] ;;
    gcc) [ "$2" -ge 10 ] ;;
    esac
}

# at_least VERSION LEAST
at_least() {
    [ "$(printf '%s\n%s\n' "$1" "$2" | sort -V | head -n 1)" = "$2" ]
}

# The parts of a need: "pc:hwloc>=2.4" is of the kind "pc", named "hwloc", from 2.4 on.
name_of() {
    name=${1#*:}
    echo "${name%%>=*}"
}

least_of() {
    case $1 in *'>='*) echo "${1##*>=}" ;; esac
}

# The version that is here; nothing where there is none.
version_here() {
    case $1 in
    compile:cc) compiler_version ${CC:-cc} ;;
    compile:*) compiler_version "${1#*:}" ;;
    cmd:*) "$(name_of "$1")" --version 2>/dev/null | sed -n '1s/^[^0-9]*//p' ;;
    pc:* | x86:*) pkg-config --modversion "$(name_of "$1")" 2>/dev/null || : ;;
    esac
}

# The version that apt would install.
version_offered() {
    [ "$(manager)" = apt-get ] || return 0
    LC_ALL=C apt-cache policy "$1" 2>/dev/null | sed -n 's/^  Candidate: \([0-9]\)/\1/p' | sed 's/^[0-9]*://; s/-[^-]*$//'
}

is_met_version() {
    found=$(version_here "$1")
    [ -n "$found" ] && at_least "$found" "$(least_of "$1")"
}

fuzzes() {
    have clang &&
        printf 'int LLVMFuzzerTestOneInput(const char *d, long n) { return !d && n; }\n' |
        clang -fsanitize=fuzzer,address -x c - -o /dev/null >/dev/null 2>&1
}

met() {
    case $1 in
    compile:cc) compiles ${CC:-cc} ${CFLAGS-} && is_new_compiler ${CC:-cc} ;;
    compile:*) compiles "${1#*:}" ${CFLAGS-} && is_new_compiler "${1#*:}" ;;
    cmd:*'>='* | pc:*) is_met_version "$1" ;;
    cmd:*) have "${1#*:}" ;;
    py:*) python3 -c "import ${1#*:}" >/dev/null 2>&1 ;;
    x86:*) ! is_x86 || is_met_version "$1" ;;
    x86cmd:*) ! is_x86 || have "${1#*:}" ;;
    cross:*) ! is_x86 || ! is_debian || have "${1#*:}" ;;
    fuzzer:*) fuzzes ;;
    esac
}

# The needs of the levels given that are not met: "check package" lines for this machine's package manager.
unmet() {
    needs | while read -r level check apt dnf pacman apk zypper; do
        case " $* " in *" $level "*) ;; *) continue ;; esac
        met "$check" && continue
        case $(manager) in
        apt-get) echo "$check $apt" ;;
        dnf) echo "$check $dnf" ;;
        pacman) echo "$check $pacman" ;;
        apk) echo "$check $apk" ;;
        zypper) echo "$check $zypper" ;;
        *) echo "$check -" ;;
        esac
    done
}

manager() {
    for name in apt-get dnf pacman apk zypper; do
        have $name && echo $name && return
    done
    echo none
}

as_root() {
    if [ "$(id -u)" = 0 ]; then
        "$@"
    else
        sudo "$@"
    fi
}

refresh() {
    case $(manager) in
    apt-get) as_root apt-get update -q ;;
    pacman) as_root pacman -Sy --noconfirm ;;
    esac
}

# "85 packages, 90 MB": what the package manager would install and download for the packages named, with all that they need. Nothing
# where it does not say.
amount_of() {
    case $(manager) in
    apt-get) LC_ALL=C apt-get -q --assume-no -o Debug::NoLocking=true install --no-install-recommends "$@" ;;
    dnf) LC_ALL=C as_root dnf install --assumeno "$@" ;;
    pacman) LC_ALL=C pacman -S --needed --print --print-format 'size %s' "$@" ;;
    zypper) LC_ALL=C as_root zypper --non-interactive install --dry-run "$@" ;;
    esac 2>/dev/null </dev/null | awk '
        / newly installed,/ { packages = $1 + $3 }
        /^Need to get / { sub(/^Need to get (.*\/)?/, ""); sub(/ of archives.*/, ""); size = $0 }
        /^Install +[0-9]+ Package/ { packages = $2 }
        /^Total download size: / { size = $4 " " $5 "B" }
        /^size [0-9]+$/ { packages++; bytes += $2; size = sprintf("%.0f MB", bytes / 1e6) }
        / new packages? to install/ { packages = $1 }
        /^Overall download size: / { sub(/^Overall download size: /, ""); sub(/[.] .*/, ""); size = $0 }
        END { if (packages && size != "") print packages " packages, " size }'
}

# Installs the packages named; all or nothing.
install_packages() {
    case $(manager) in
    apt-get) as_root env DEBIAN_FRONTEND=noninteractive apt-get install -q -y --no-install-recommends "$@" ;;
    dnf) as_root dnf install -y "$@" ;;
    pacman) as_root pacman -S --needed --noconfirm "$@" ;;
    apk) as_root apk add --no-progress "$@" ;;
    zypper) as_root zypper --non-interactive install "$@" ;;
    *) return 1 ;;
    esac </dev/null
}

packages_of() {
    printf '%s\n' "$1" | sed -n 's/^[^ ]* //p' | tr '+' '\n' | grep -vx -e - | sort -u | tr '\n' ' '
}

# One line for a need that is not met: what is here, what is needed, the way out.
lack() {
    least=$(least_of "$1")
    here=$(version_here "$1")
    case $1 in
    compile:*)
        what=${1#*:} way='gcc 10, clang 14 or newer is needed'
        [ "$what" != cc ] || what=${CC:-cc}
        [ "$1" != compile:cc ] || [ -z "${CC-}" ] || way="set CC to gcc 10, clang 14 or newer, or unset it"
        if ! have "${what%% *}"; then
            say "${CC:+CC=}$what: there is no such compiler here; $way"
        elif ! compiles $what; then
            say "${CC:+CC=}$what: makes no program of C; is the development package of the C library installed?"
        elif ! compiles $what ${CFLAGS-}; then
            say "CFLAGS=$CFLAGS: with them $what makes no program of C"
        else
            say "${CC:+CC=}$what: $here is too old; $way"
        fi
        ;;
    *)
        say "$(name_of "$1"): ${here:-not} found${least:+, $least or newer is needed}; install ${2:-it} (from Debian 12, Ubuntu 24.04," \
            "Fedora 40 or newer; names elsewhere: scripts/setup.sh)"
        ;;
    esac
}

# lacks LINES: says each and fails; LINES as unmet prints them.
lacks() {
    [ -n "$1" ] || return 0
    printf '%s\n' "$1" | while read -r check packages; do
        [ "$packages" != - ] || packages=
        lack "$check" "$(printf '%s\n' "$packages" | tr + ' ')"
    done
    return 1
}

# What apt offers is too old: said before anything is installed for nothing.
offers_enough() {
    old=$(printf '%s\n' "$1" | while read -r check packages; do
        least=$(least_of "$check")
        offered=$(version_offered "$packages")
        if [ -n "$least" ] && [ -n "$offered" ] && ! at_least "$offered" "$least"; then
            echo "$(name_of "$check"): this system offers $offered, $least or newer is needed;" \
                "use Debian 12, Ubuntu 24.04 or newer, or install a newer $(name_of "$check") by hand"
        fi
    done)
    [ -z "$old" ] || say "$old"
    [ -z "$old" ]
}

# What was asked for by name is not replaced by something else: only where there is no compiler at all is one installed.
is_usable_cc() {
    [ -n "${CC-}${CFLAGS-}" ] || return 0
    met compile:cc && return 0
    case ${CC:-cc} in cc | gcc) compiles ${CC:-cc} || return 0 ;; esac
    lack compile:cc
    return 1
}

# A password is asked for once, and a refusal is an answer.
may_install() {
    [ "$(id -u)" != 0 ] || return 0
    if ! have sudo; then
        say "not root and no sudo; as root, install: $1"
    elif ! installs_unasked && ! sudo -v; then
        say "sudo refused; as root, install: $1"
    else
        return 0
    fi
    return 1
}

installs_unasked() {
    [ "$(id -u)" = 0 ] || ! have sudo || sudo -n true 2>/dev/null </dev/null
}

# logged COMMAND...: its output is added to the log of what was installed.
logged() {
    "$@" >>"$install_log" 2>&1 </dev/null
}

# install_lacking LINES: LINES as unmet prints them; all at once, or, where that fails, what can be had. What the package manager
# prints goes to a log, which is shown where it fails.
install_lacking() {
    packages=$(packages_of "$1")
    [ -n "$packages" ] && may_install "$packages" || return 0
    install_log=$build/install.log
    { mkdir -p "$build" && : >"$install_log"; } 2>/dev/null || install_log=$(mktemp) || return 1
    logged refresh || say "the package lists could not be refreshed; going on with those at hand"
    offers_enough "$1" || return 1
    amount=$(amount_of $packages)
    say "installing${amount:+ $amount}, as root, for: $packages"
    logged install_packages $packages && return 0
    say "that failed (all of it: $install_log):"
    tail -n 40 "$install_log" >&2
    for package in $packages; do
        logged install_packages "$package" || say "could not install $package"
    done
}

# ensure LEVEL...: installs what the levels lack. Fails, naming it, when a need of "run" or "test" stays unmet.
ensure() {
    is_usable_cc || return 1
    lacking=$(unmet "$@")
    [ -n "$lacking" ] || return 0
    offers_enough "$lacking" || return 1
    install_lacking "$lacking" || return 1
    for level in "$@"; do
        lacking=$(unmet "$level")
        case $level in
        run | test) lacks "$lacking" || return 1 ;;
        *)
            [ -z "$lacking" ] ||
                say "not found, so some sections will be skipped: $(printf '%s\n' "$lacking" | cut -d' ' -f1 | tr '\n' ' ')"
            ;;
        esac
    done
}

# The project's files, in a clone and in an unpacked archive alike.
tracked() {
    # An archive may have been unpacked inside another repository, which knows none of its files.
    if [ "$(git -C "$root" rev-parse --show-toplevel 2>/dev/null)" = "$root" ]; then
        git -C "$root" ls-files -- "$@"
    else
        (cd "$root" && find . -type f ! -path './build*' ! -path './.git/*' | sed 's,^\./,,') | while read -r file; do
            for pattern in "$@"; do
                # shellcheck disable=SC2254 # the pattern is meant as one
                case $file in $pattern) echo "$file" && break ;; esac
            done
        done
    fi
}

# quietly LOG COMMAND...: the output goes to LOG; when the command fails, its errors are shown on stderr, or all of it where
# none is marked as one.
quietly() {
    log=$1
    shift
    mkdir -p "$(dirname "$log")"
    "$@" </dev/null >"$log" 2>&1 || {
        status=$?
        say "failed: $*"
        sed -n '/^CMake Error/,$p' "$log" | grep . >&2 || cat "$log" >&2
        return $status
    }
}
