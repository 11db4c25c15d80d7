# SPDX-License-Identifier: MIT
# shellcheck shell=sh
# Sourced by the scripts beside it; $root is the checkout. Finds what a build needs and installs only what is missing:
# each need is checked by its command or its pkg-config file, so it does not matter how it came onto the machine.
: "${root:?}"

say() {
    printf '%s\n' "$*" >&2
}

have() {
    command -v "$1" >/dev/null 2>&1
}

# A need is "level check package-for-apt dnf pacman apk zypper"; "-" is no package, "+" joins several.
# run: build and run. test: the suite cannot start without it. more: a section is skipped without it.
needs() {
    cat <<'TABLE'
run  compile:cc             gcc+libc6-dev            gcc+glibc-devel        gcc+glibc           build-base      gcc+glibc-devel
run  cmd:cmake              cmake                    cmake                  cmake               cmake           cmake
run  cmd:ninja              ninja-build              ninja-build            ninja               ninja-build     ninja
run  cmd:pkg-config         pkg-config               pkgconf-pkg-config     pkgconf             pkgconf         pkg-config
run  pc:hwloc               libhwloc-dev             hwloc-devel            hwloc               hwloc-dev       hwloc-devel
run  pc:jansson             libjansson-dev           jansson-devel          jansson             jansson-dev     libjansson-devel
run  x86:libcpuid           libcpuid-dev             libcpuid-devel         libcpuid            libcpuid-dev    libcpuid-devel
test compile:gcc            gcc+libc6-dev            gcc+glibc-devel        gcc+glibc           build-base      gcc+glibc-devel
test pc:cmocka              libcmocka-dev            libcmocka-devel        cmocka              cmocka-dev      libcmocka-devel
more cmd:git                git                      git                    git                 git             git
more cmd:jq                 jq                       jq                     jq                  jq              jq
more cmd:clang              clang                    clang                  clang               clang           clang
more fuzzer:clang           libclang-rt-dev          compiler-rt            compiler-rt         compiler-rt     -
more cmd:clang-format       clang-format             clang-tools-extra      clang               clang-extra-tools clang-tools
more cmd:shellcheck         shellcheck               ShellCheck             shellcheck          shellcheck      ShellCheck
more cmd:ctags              universal-ctags          ctags                  ctags               ctags           ctags
more cmd:rsvg-convert       librsvg2-bin             librsvg2-tools         librsvg             rsvg-convert    rsvg-convert
more py:jsonschema         python3-jsonschema       python3-jsonschema     python-jsonschema   py3-jsonschema  python3-jsonschema
more cmd:xmllint            libxml2-utils            libxml2                libxml2             libxml2-utils   libxml2-tools
more x86cmd:qemu-x86_64-static qemu-user-static      qemu-user-static       qemu-user-static    -               -
more cross:qemu-aarch64-static qemu-user-static      -                      -                   -               -
more cross:aarch64-linux-gnu-gcc gcc-aarch64-linux-gnu -                    -                   -               -
TABLE
}

is_x86() {
    [ "$(uname -m)" = x86_64 ]
}

# The cross build takes its arm64 libraries from Debian's archive.
is_debian() {
    [ -r /etc/os-release ] && grep -q '^ID=debian' /etc/os-release
}

compiles() {
    have "$1" && printf '#include <stdio.h>\nint main(void) { return 0; }\n' | "$@" -x c - -o /dev/null >/dev/null 2>&1
}

fuzzes() {
    have clang &&
        printf 'int LLVMFuzzerTestOneInput(const char *d, long n) { return !d && n; }\n' |
        clang -fsanitize=fuzzer,address -x c - -o /dev/null >/dev/null 2>&1
}

met() {
    case $1 in
    compile:cc) compiles "${CC:-cc}" ;;
    compile:*) compiles "${1#*:}" ;;
    cmd:*) have "${1#*:}" ;;
    py:*) python3 -c "import ${1#*:}" >/dev/null 2>&1 ;;
    pc:*) pkg-config --exists "${1#*:}" 2>/dev/null ;;
    x86:*) ! is_x86 || pkg-config --exists "${1#*:}" 2>/dev/null ;;
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

# Installs the packages named; all or nothing.
install_packages() {
    case $(manager) in
    apt-get) as_root env DEBIAN_FRONTEND=noninteractive apt-get install -q -y --no-install-recommends "$@" ;;
    dnf) as_root dnf install -y "$@" ;;
    pacman) as_root pacman -S --needed --noconfirm "$@" ;;
    apk) as_root apk add --no-progress "$@" ;;
    zypper) as_root zypper --non-interactive install "$@" ;;
    *) return 1 ;;
    esac </dev/null >&2
}

packages_of() {
    printf '%s\n' "$1" | sed -n 's/^[^ ]* //p' | tr '+' '\n' | grep -vx -e - | sort -u | tr '\n' ' '
}

# ensure LEVEL...: installs what the levels lack. Fails, naming it, when a need of "run" or "test" stays unmet.
ensure() {
    lacking=$(unmet "$@")
    [ -n "$lacking" ] || return 0
    packages=$(packages_of "$lacking")
    if [ -n "$packages" ] && [ "$(id -u)" != 0 ] && ! have sudo; then
        say "not root and no sudo; as root, install: $packages"
    elif [ -n "$packages" ]; then
        say "installing: $packages"
        refresh </dev/null >&2 || say "the package lists could not be refreshed; going on with those at hand"
        # shellcheck disable=SC2086 # a list of words
        install_packages $packages || for package in $packages; do
            install_packages "$package" || say "could not install $package"
        done
    fi
    for level in "$@"; do
        lacking=$(unmet "$level")
        [ -n "$lacking" ] || continue
        if [ "$level" = more ]; then
            say "not found, so some sections will be skipped: $(printf '%s\n' "$lacking" | cut -d' ' -f1 | tr '\n' ' ')"
        else
            say "needed and not found: $(printf '%s\n' "$lacking" | cut -d' ' -f1 | tr '\n' ' ')"
            say "install it by hand (the names for other systems are in scripts/setup.sh), then try again"
            return 1
        fi
    done
}

# The project's files, in a clone and in an unpacked archive alike.
tracked() {
    if git -C "$root" rev-parse --is-inside-work-tree >/dev/null 2>&1; then
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

# quietly LOG COMMAND...: the output goes to LOG and is shown, on stderr, only when the command fails.
quietly() {
    log=$1
    shift
    mkdir -p "$(dirname "$log")"
    "$@" </dev/null >"$log" 2>&1 || {
        status=$?
        say "failed: $*"
        cat "$log" >&2
        return $status
    }
}
