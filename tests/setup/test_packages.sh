# SPDX-License-Identifier: MIT
# The packages: what is in them, and that they need the C library alone, or nothing. One version, from CMakeLists.txt. With $NIGHTLY also the
# tarballs for aarch64, and that the Debian package can be installed, run and removed on fresh Debian 12 and 13 (debootstrap; needs root
# and a mirror, $DEBIAN_MIRROR or that of this machine's apt). What is compiled stays in the build folder of scripts/test.
. "$(dirname "$0")/common.sh"
version=$(sed -n 's/^project(uarchprobe VERSION \([0-9.]*\) .*/\1/p' "$root/CMakeLists.txt")
sed -n '/^## /,$p' "$root/CHANGELOG.md" | awk '/^## / { n++ } n == 1' >"$work/changes"
check "the changes begin with what is unreleased, or with this version and its date" \
    sh -c 'head -n 1 "$1" | grep -Eqx "## (Unreleased|$2 \(20[0-9]{2}-[0-9]{2}-[0-9]{2}\))"' - "$work/changes" "$version"
check "... in at most 40 lines" [ "$(grep -c . "$work/changes")" -le 40 ]

kept=$shared/packages
# package_build PRESET OPTION...
package_build() {
    UARCHPROBE_BUILD=$kept "$root/scripts/build" "$@"
}
# What scripts/test has compiled just now is linked once more; the night compiles what a release compiles.
compiled=$shared/gcc/libcore.a
[ -z "${NIGHTLY-}" ] && [ -e "$compiled" ] && [ -z "$(cd "$root" && find CMakeLists.txt cmake src include data -newer "$compiled")" ] ||
    compiled=
# What a run that was ended early left of the changes below.
attempt package_build portable "-DCOMPILED_CORE=$compiled" -DSTATIC=OFF -URPMBUILD -UDPKG_SHLIBDEPS -DPROJECT_URL=https://example.org/some/where
if [ "$code" -ne 0 ]; then
    echo "skip packages: hwloc, jansson or libcpuid are not here as archives: $(grep -m 1 'cannot find\|rror' "$work/out" "$work/err" | cut -c1-120)"
    finish
fi
built=$kept/portable
check "it says its version" [ "$("$built/uarchprobe" --version | sed -n '1s/ (.*//p')" = "uarchprobe $version" ]
check "it needs the C library alone" [ -z "$(ldd "$built/uarchprobe" | grep -vE 'linux-vdso|ld-linux|lib(c|m)\.so')" ]
# RHEL 9 and Amazon Linux 2023 have glibc 2.34; newer headers than Debian 12's ask for more of their own.
libc=$(getconf GNU_LIBC_VERSION 2>/dev/null | tr -dc 0-9.)
if [ -n "$libc" ] && [ "$(printf '%s\n' "$libc" 2.36 | sort -V | tail -n 1)" = 2.36 ]; then
    objdump -T "$built/uarchprobe" | sed -n 's/.*GLIBC_\([0-9.]*\).*/\1/p' | sort -uV >"$work/out"
    check "its C library may be glibc 2.34" [ "$({ tail -n 1 "$work/out" && echo 2.34; } | sort -V | tail -n 1)" = 2.34 ]
else
    echo "skip glibc 2.34: it is promised of what is built with 2.36 or older, here is ${libc:-another}"
fi
expect 0 "cpack makes what can be made here" cpack --config "$built/CPackConfig.cmake" -B "$work/packages"
mv "$built/share" "$work/share"
attempt cpack --config "$built/CPackConfig.cmake" -B "$work/none"
check "cpack fails where a build did not end with its manual pages" [ "$code" -ne 0 ]
check "... and makes nothing" [ -z "$(find "$work/none" -maxdepth 1 -type f)" ]
mv "$work/share" "$built/share"
made() { [ -n "$(find "$work/$1" -maxdepth 1 -name "*.$2")" ]; }
attempt cmake -DRPMBUILD= -DDPKG_SHLIBDEPS= "$built"
attempt cpack --config "$built/CPackConfig.cmake" -B "$work/few"
check "without rpmbuild and dpkg-shlibdeps cpack makes the tarball" made few tar.gz
check "... and that alone" [ "$(find "$work/few" -maxdepth 1 -type f | wc -l)" -eq 1 ]
cmake -URPMBUILD -UDPKG_SHLIBDEPS "$built" >"$work/log" 2>&1

# has_all LIST: everything that a package installs, by path.
has_all() {
    bad=
    for path in bin/uarchprobe share/man/man1/uarchprobe.1 share/man/man1/uarchprobe-ram.1 share/man/man1/uarchprobe-report.1 \
        share/bash-completion/completions/uarchprobe share/zsh/site-functions/_uarchprobe \
        share/fish/vendor_completions.d/uarchprobe.fish share/uarchprobe/schema.json share/doc/uarchprobe/copyright \
        share/doc/uarchprobe/CHANGELOG.md share/doc/uarchprobe/docs/method-ram.md; do
        grep -q "/$path\(\.gz\)\{0,1\}$" "$1" || bad="$bad $path"
    done
    [ -z "$bad" ] || echo "lacking:$bad"
    [ -z "$bad" ]
}
tar tzf "$work"/packages/*.tar.gz >"$work/list"
check "the tarball has all" has_all "$work/list"
tar xzf "$work"/packages/*.tar.gz -C "$work"
attempt "$work"/uarchprobe-"$version"-linux-*/bin/uarchprobe --version
check "the program of the tarball runs where it is" prints "uarchprobe $version"
# dead_links FOLDER: those of its documents that lead nowhere.
dead_links() {
    find "$1" -name '*.md' | while read -r page; do
        grep -o '](\([^)#]*\)' "$page" | sed 's/^](//' | grep -v -e '^http' -e '^$' | while read -r link; do
            [ -e "$(dirname "$page")/$link" ] || echo "$page: $link"
        done
    done
}
dead_links "$work"/uarchprobe-"$version"-linux-*/share/doc >"$work/out"
check "the installed documents have no dead link" [ ! -s "$work/out" ]

# bare PROGRAM ARGUMENT...: it runs in a root that holds nothing else.
bare() {
    mkdir -p "$work/empty" && cp "$1" "$work/empty/program" && shift
    attempt unshare -r chroot "$work/empty" /program "$@"
}
# The same objects, linked otherwise.
expect 0 "the static program is built" package_build portable -DSTATIC=ON
check "... of what was compiled already" [ "$(grep -c '\] Building C object CMakeFiles/core' "$work/out")" -eq 0 ]
check "... and has no interpreter" [ -z "$(readelf -lW "$built/uarchprobe" | grep INTERP)" ]
if unshare -r true 2>/dev/null; then
    bare "$built/uarchprobe" info -f json
    check "... and runs where nothing else is" prints '"schema": "uarchprobe/4"'
else
    echo "skip an empty root: no namespaces here"
fi
attempt cpack --config "$built/CPackConfig.cmake" -B "$work/static"
check "... and becomes a tarball alone" [ "$(cd "$work/static" && echo *static.* *.deb *.rpm)" = "uarchprobe-$version-linux-$(uname -m)-static.tar.gz *.deb *.rpm" ]

# The tarball for aarch64, by the cross build.
libraries=$kept/sysroot-aarch64
if ! [ "${NIGHTLY-}" ]; then
    echo "skip the tarball for aarch64: scripts/test --nightly makes that for aarch64"
elif ! command -v aarch64-linux-gnu-gcc >/dev/null || ! command -v qemu-aarch64-static >/dev/null ||
    ! UARCHPROBE_BUILD=$shared "$root/scripts/sysroot" >"$work/log" 2>&1; then
    echo "skip the tarball for aarch64: needs gcc-aarch64-linux-gnu, qemu-user-static and Debian's arm64 libraries"
else
    ln -sfn "$shared/sysroot-aarch64" "$libraries"
    expect 0 "aarch64 is built" package_build aarch64-cross -DPORTABLE=ON -DSTATIC=OFF -DBUILD_TESTING=OFF
    attempt cpack --config "$kept/aarch64-cross/CPackConfig.cmake" -B "$work/arm" -G TGZ
    check "... into a tarball" tar xzf "$work/arm/uarchprobe-$version-linux-aarch64.tar.gz" -C "$work"
    arm=$work/uarchprobe-$version-linux-aarch64/bin/uarchprobe
    check "... that needs the C library alone" \
        [ -z "$(aarch64-linux-gnu-readelf -d "$arm" | grep NEEDED | grep -vE '\[(ld-linux-aarch64|lib(c|m)\.so)')" ]
    attempt qemu-aarch64-static -L "$libraries" "$arm" --version
    check "... and runs" prints "uarchprobe $version"
    attempt package_build aarch64-cross -DSTATIC=ON -DBUILD_TESTING=OFF
    attempt qemu-aarch64-static "$kept/aarch64-cross/uarchprobe" --version
    check "... static, too, without the libraries" prints "uarchprobe $version"
fi
if made packages rpm; then
    rpm -qpl "$work"/packages/*.rpm >"$work/list"
    check "the RPM has all" has_all "$work/list"
    rpm -qp --qf '%{URL}\n%{DESCRIPTION}\n' "$work"/packages/*.rpm >"$work/list"
    check "... says where it is from" [ "$(head -n 1 "$work/list")" = https://example.org/some/where ]
    check "... and what it is, in its own words" sh -c '! grep -qi cpack "$1"' - "$work/list"
else
    echo "skip the RPM: no rpmbuild here"
fi
made packages deb || { echo "skip the Debian package: no dpkg-shlibdeps or file here" && finish; }
deb=$(echo "$work"/packages/*.deb)
dpkg-deb -c "$deb" >"$work/list"
check "the Debian package has all" has_all "$work/list"
check "... says where it is from" [ "$(dpkg-deb -f "$deb" Homepage)" = https://example.org/some/where ]
if command -v lintian >/dev/null; then
    expect 0 "lintian finds no error in it" lintian --fail-on error "$deb"
else
    echo "skip lintian: lintian is not here"
fi

# inside COMMAND: a shell's command in the root; what it mounts ends with it.
inside() {
    unshare -m --propagation private sh -c 'mount -t proc proc "$1/proc" && mount -t sysfs -o ro sysfs "$1/sys" &&
        exec chroot "$1" env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root sh -c "$2"' sh "$work/debian" "$1" \
        >"$work/out" 2>"$work/err" </dev/null
}

mirror=${DEBIAN_MIRROR:-$(debian_mirror)}
for release in bookworm trixie; do
    if ! [ "${NIGHTLY-}" ]; then
        echo "skip $release: scripts/test --nightly tries the Debian package on fresh roots"
        continue
    fi
    if [ "$(id -u)" != 0 ] || ! command -v debootstrap >/dev/null || ! unshare -m true 2>/dev/null || [ ! "$mirror" ]; then
        echo "skip $release: needs root, debootstrap, namespaces and a mirror of Debian"
        continue
    fi
    if ! debootstrap --variant=minbase "$release" "$work/debian" "$mirror" >"$work/log" 2>&1; then
        echo "skip $release: debootstrap: $(tail -n 1 "$work/log")"
        rm -rf "$work/debian"
        continue
    fi
    cp "$deb" "$work/debian/package.deb"
    check "$release installs it" inside 'dpkg -i /package.deb'
    check "$release runs it" inside 'uarchprobe --version && uarchprobe info && uarchprobe sb-capacity -r 3 -f json'
    check "$release has its results" prints '"schema": "uarchprobe/4"'
    check "$release removes it" inside 'dpkg -r uarchprobe'
    check "$release keeps nothing of it" [ -z "$(find "$work/debian/usr" -name '*uarchprobe*')" ]
    rm -rf --one-file-system "$work/debian"
done
finish
