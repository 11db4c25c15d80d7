# SPDX-License-Identifier: MIT
# The packages: what is in them, that they need the C library alone, and that the Debian one can be installed, run and removed on
# fresh Debian 12 and 13 (debootstrap; needs root and a mirror, $DEBIAN_MIRROR or deb.debian.org). One version, from CMakeLists.txt.
. "$(dirname "$0")/common.sh"
version=$(sed -n 's/^project(uarchprobe VERSION \([0-9.]*\) .*/\1/p' "$root/CMakeLists.txt")
check "the changes are of this version, and of what comes next" \
    [ "$(sed -n 's/^## \([^ ]*\).*/\1/p' "$root/CHANGELOG.md" | grep -vx Next | head -n 1)" = "$version" ]
check "each version has its date" sh -c '! grep "^## " "$1" | grep -vx "## Next" | grep -Evq "^## [0-9.]+ \(20[0-9]{2}-[0-9]{2}-[0-9]{2}\)$"' - "$root/CHANGELOG.md"

attempt env UARCHPROBE_BUILD="$work/build" "$root/scripts/build" portable
if [ "$code" -ne 0 ]; then
    echo "skip packages: hwloc, jansson or libcpuid are not here as archives: $(grep -m 1 'cannot find\|rror' "$work/out" "$work/err" | cut -c1-120)"
    finish
fi
built=$work/build/portable
check "it says its version" [ "$("$built/uarchprobe" --version | sed -n '1s/ (.*//p')" = "uarchprobe $version" ]
check "it needs the C library alone" [ -z "$(ldd "$built/uarchprobe" | grep -vE 'linux-vdso|ld-linux|lib(c|m)\.so')" ]
generators=TGZ
! command -v dpkg-shlibdeps >/dev/null || generators="$generators;DEB"
! command -v rpmbuild >/dev/null || generators="$generators;RPM"
attempt cpack --config "$built/CPackConfig.cmake" -B "$work/packages" -G "$generators"
check "cpack makes $generators" [ "$code" -eq 0 ]

# has_all LIST: everything that a package installs, by path.
has_all() {
    bad=
    for path in bin/uarchprobe share/man/man1/uarchprobe.1 share/man/man1/uarchprobe-ram.1 share/man/man1/uarchprobe-report.1 \
        share/bash-completion/completions/uarchprobe share/zsh/site-functions/_uarchprobe \
        share/fish/vendor_completions.d/uarchprobe.fish share/uarchprobe/schema.json share/doc/uarchprobe/LICENSE \
        share/doc/uarchprobe/CHANGELOG.md share/doc/uarchprobe/docs/method-ram.md; do
        grep -q "/$path$" "$1" || bad="$bad $path"
    done
    [ -z "$bad" ] || echo "lacking:$bad"
    [ -z "$bad" ]
}
tar tzf "$work"/packages/*.tar.gz >"$work/list"
check "the tarball has all" has_all "$work/list"
tar xzf "$work"/packages/*.tar.gz -C "$work"
attempt "$work"/uarchprobe-"$version"-linux-*/bin/uarchprobe --version
check "the program of the tarball runs where it is" prints "uarchprobe $version"

# The tarball for aarch64, by the cross build.
libraries=$root/build/sysroot-aarch64
if ! command -v aarch64-linux-gnu-gcc >/dev/null || ! "$root/scripts/sysroot" >"$work/log" 2>&1; then
    echo "skip the tarball for aarch64: needs gcc-aarch64-linux-gnu and Debian's arm64 libraries"
else
    ln -s "$libraries" "$work/build/sysroot-aarch64"
    attempt env UARCHPROBE_BUILD="$work/build" "$root/scripts/build" aarch64-cross -DPORTABLE=ON -DBUILD_TESTING=OFF
    check "aarch64 is built" [ "$code" -eq 0 ]
    attempt cpack --config "$work/build/aarch64-cross/CPackConfig.cmake" -B "$work/arm" -G TGZ
    check "... into a tarball" tar xzf "$work/arm/uarchprobe-$version-linux-aarch64.tar.gz" -C "$work"
    arm=$work/uarchprobe-$version-linux-aarch64/bin/uarchprobe
    check "... that needs the C library alone" \
        [ -z "$(aarch64-linux-gnu-readelf -d "$arm" | grep NEEDED | grep -vE '\[(ld-linux-aarch64|lib(c|m)\.so)')" ]
    attempt qemu-aarch64-static -L "$libraries" "$arm" --version
    check "... and runs" prints "uarchprobe $version"
fi
case $generators in *RPM*)
    rpm -qpl "$work"/packages/*.rpm >"$work/list"
    check "the RPM has all" has_all "$work/list"
    ;;
*) echo "skip the RPM: no rpmbuild here" ;;
esac
case $generators in *DEB*) ;; *) echo "skip the Debian package: no dpkg-shlibdeps here" && finish ;; esac
deb=$(echo "$work"/packages/*.deb)
dpkg-deb -c "$deb" >"$work/list"
check "the Debian package has all" has_all "$work/list"

# inside COMMAND: a shell's command in the root; what it mounts ends with it.
inside() {
    unshare -m --propagation private sh -c 'mount -t proc proc "$1/proc" && mount -t sysfs -o ro sysfs "$1/sys" &&
        exec chroot "$1" env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root sh -c "$2"' sh "$work/debian" "$1" \
        >"$work/out" 2>"$work/err" </dev/null
}

for release in bookworm trixie; do
    if [ "$(id -u)" != 0 ] || ! command -v debootstrap >/dev/null || ! unshare -m true 2>/dev/null; then
        echo "skip $release: needs root, debootstrap and namespaces"
        continue
    fi
    if ! debootstrap --variant=minbase "$release" "$work/debian" "${DEBIAN_MIRROR:-http://deb.debian.org/debian}" >"$work/log" 2>&1; then
        echo "skip $release: debootstrap: $(tail -n 1 "$work/log")"
        rm -rf "$work/debian"
        continue
    fi
    cp "$deb" "$work/debian/package.deb"
    check "$release installs it" inside 'dpkg -i /package.deb'
    check "$release runs it" inside 'uarchprobe --version && uarchprobe info && uarchprobe sb-capacity -r 3 -f json'
    check "$release has its results" prints '"schema": "uarchprobe/2"'
    check "$release removes it" inside 'dpkg -r uarchprobe'
    check "$release keeps nothing of it" [ -z "$(find "$work/debian/usr" -name '*uarchprobe*')" ]
    rm -rf --one-file-system "$work/debian"
done
finish
