# SPDX-License-Identifier: MIT
# Sourced by the tests of the scripts: $root is the checkout; the rest is that of tests/common.sh.
alone=yes
. "$(dirname "$0")/../common.sh"
root=$(cd "$(dirname "$0")/../.." && pwd -P)
trap 'chmod -R u+w "$work"; rm -rf "$work"' EXIT
# The build folder of scripts/test, for what is too large to be built once more.
shared=${UARCHPROBE_BUILD:-$root/build}
unset CC CFLAGS LDFLAGS UARCHPROBE_BUILD

# attempt COMMAND...: its output goes to $work/out and $work/err, its exit code to $code.
attempt() {
    "$@" >"$work/out" 2>"$work/err" </dev/null
    code=$?
}

prints() {
    grep -qF -- "$1" "$work/out"
}

# One line on standard error, which holds each of the words.
one_line() {
    [ "$(wc -l <"$work/err")" -eq 1 ] || return 1
    for word in "$@"; do
        grep -qF -- "$word" "$work/err" || return 1
    done
}

# command NAME: a command of that name, made of the lines on standard input, comes before the machine's own.
command_named() {
    mkdir -p "$work/bin"
    { echo '#!/bin/sh' && cat; } >"$work/bin/$1"
    chmod +x "$work/bin/$1"
}

# stand_in FOLDER: a checkout of the project's scripts with a program of one line, which prints its compiler and commit.
stand_in() {
    mkdir -p "$1"
    cp -R "$root/scripts" "$root/cmake" "$root/CMakePresets.json" "$1"
    cat >"$1/CMakeLists.txt" <<'LINES'
cmake_minimum_required(VERSION 3.22)
project(stand_in LANGUAGES C)
include(cmake/commit.cmake)
add_executable(uarchprobe main.c)
target_compile_definitions(uarchprobe PRIVATE COMPILER="${CMAKE_C_COMPILER}" COMMIT="${GIT_COMMIT}" HERE="${CMAKE_BINARY_DIR}")
LINES
    printf '%s\n' '#include <stdio.h>' 'int main(void) { return puts("by " COMPILER), puts("at " HERE), puts("of <" COMMIT ">") < 0; }' \
        >"$1/main.c"
}

# The mirror of Debian that this machine's apt uses; nothing where it knows none.
debian_mirror() {
    apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' 'Label: Debian' 2>/dev/null | head -n 1
}
