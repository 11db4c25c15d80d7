# SPDX-License-Identifier: MIT
# The project's own CMakeLists.txt by plain cmake: a missing need is one sentence, an optional one is left out.
. "$(dirname "$0")/common.sh"

# The .pc files of this machine without cmocka's; those named have another version.
libraries() {
    rm -rf "$work/pc"
    unset PKG_CONFIG_LIBDIR
    mkdir "$work/pc"
    for name in hwloc jansson libcpuid; do
        pkg-config --exists $name || continue
        printf 'Name: x\nDescription: x\nVersion: %s\nLibs: %s\nCflags: %s\n' "$(pkg-config --modversion $name)" \
            "$(pkg-config --libs $name)" "$(pkg-config --cflags $name)" >"$work/pc/$name.pc"
    done
    export PKG_CONFIG_LIBDIR="$work/pc"
}

version() {
    printf 'Name: x\nDescription: x\nVersion: %s\n' "$2" >"$work/pc/$1.pc"
}

# The output of cmake in one line, whatever its width.
configure() {
    attempt cmake -G Ninja -B "$work/build" "$@"
    cat "$work/err" >>"$work/out"
    tr -s '\n ' '  ' <"$work/out" >"$work/line" && mv "$work/line" "$work/out"
}

libraries
configure -S "$root"
check "without cmocka it configures" [ "$code" -eq 0 ]
check "... and says that the tests are left out" prints "built without the tests, which need cmocka"
if [ "$(uname -m)" = x86_64 ]; then
    version libcpuid 0.5.0
    rm -rf "$work/build"
    configure -S "$root"
    check "an old libcpuid is named with both versions" prints "libcpuid: 0.5.0 found, 0.6.2 or newer is needed"
    libraries
else
    echo "skip an old libcpuid is named with both versions: only x86_64 needs it"
fi
version hwloc 2.0.1
rm -rf "$work/build"
configure -S "$root"
check "an old hwloc is named with both versions" prints "hwloc: 2.0.1 found, 2.4 or newer is needed"
rm "$work/pc/hwloc.pc"
rm -rf "$work/build"
configure -S "$root"
check "a missing one is, too" prints "hwloc: not found, 2.4 or newer is needed"

libraries
mkdir "$work/outer"
printf '%s\n' 'cmake_minimum_required(VERSION 3.22)' 'project(outer C)' "add_subdirectory(\"$root\" inner)" \
    >"$work/outer/CMakeLists.txt"
rm -rf "$work/build"
configure -S "$work/outer"
check "as a part of another project it configures" [ "$code" -eq 0 ]
check "... and the executable is a target" grep -q '^build inner/uarchprobe:' "$work/build/build.ninja"

if [ "$(uname -m)" = x86_64 ]; then
    rm -rf "$work/build"
    # The sizes are found without the 32-bit C library, which few machines have.
    configure -S "$root" -DCMAKE_C_FLAGS=-m32 -DCMAKE_TRY_COMPILE_TARGET_TYPE=STATIC_LIBRARY
    check "-m32 is refused in a sentence" prints "uarchprobe is 64-bit only"
else
    echo "skip -m32 is refused in a sentence: this is no x86_64"
fi
finish
