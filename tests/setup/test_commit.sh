# SPDX-License-Identifier: MIT
# The commit that a program reports is its own or none.
. "$(dirname "$0")/common.sh"
command -v git >/dev/null || { echo "skip the commit: git is not here" && exit 77; }
export GIT_AUTHOR_NAME=a GIT_AUTHOR_EMAIL=a@b GIT_COMMITTER_NAME=a GIT_COMMITTER_EMAIL=a@b GIT_CONFIG_GLOBAL=/dev/null

# repository FOLDER: with one commit of all that is in it.
repository() {
    git -C "$1" init -q && git -C "$1" add -A . && git -C "$1" commit -qm first
}

mkdir "$work/outer"
echo text >"$work/outer/file"
repository "$work/outer"
stand_in "$work/outer/archive"
UARCHPROBE_BUILD=$work/build attempt "$work/outer/archive/scripts/run"
check "an archive inside another repository has no commit" prints "of <>"

echo build >"$work/outer/archive/.gitignore"
repository "$work/outer/archive"
UARCHPROBE_BUILD=$work/build2 attempt "$work/outer/archive/scripts/run"
check "a repository inside another one has its own" prints "of <$(git -C "$work/outer/archive" rev-parse --short=12 HEAD)>"
git -C "$work/outer/archive" commit -q --allow-empty -m second
UARCHPROBE_BUILD=$work/build2 attempt "$work/outer/archive/scripts/run"
check "... asked again after the next commit" prints "of <$(git -C "$work/outer/archive" rev-parse --short=12 HEAD)>"

# files_of FOLDER: the project's files, as the other scripts see them.
files_of() {
    sh -c 'root=$1; . "$1/scripts/setup.sh"; tracked "*.c"' sh "$1"
}
attempt files_of "$work/outer/archive"
check "the files of a repository" prints main.c
rm -rf "$work/outer/archive/.git"
attempt files_of "$work/outer/archive"
check "the files of an archive inside another repository" prints main.c
finish
