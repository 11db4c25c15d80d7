# SPDX-License-Identifier: MIT
# Each missing or old package is one line; none is installed or asked for in vain. The package manager, sudo and the tools are
# stand-ins that keep a list of their calls.
. "$(dirname "$0")/common.sh"
real=$PATH
export calls="$work/calls" UARCHPROBE_BUILD="$work/build"

# The machine that each check starts from: a user with all needs met; apt offers what Debian 12 has.
machine() {
    rm -rf "${work:?}/bin" "$calls"
    : >"$calls"
    PATH=$work/bin:$real
    echo 'echo "cmake version 3.25.1"' | command_named cmake
    echo 'echo 1.11.1' | command_named ninja
    echo 'case $1-$2 in --modversion-libcpuid) echo 0.6.2 ;; --modversion-*) echo 9.9 ;; esac' | command_named pkg-config
    echo 'case $1 in -u) echo 1000 ;; *) exec /usr/bin/id "$@" ;; esac' | command_named id
    echo 'echo "apt-get $*" >>"$calls"' | command_named apt-get
    echo 'echo "  Candidate: 9:9.9-1"' | command_named apt-cache
    echo 'echo "sudo $*" >>"$calls"; case $1 in -*) ;; *) "$@" ;; esac' | command_named sudo
}

ensure() {
    attempt sh -euc 'root=$1; shift; . "$root/scripts/setup.sh"; ensure "$@"' sh "$root" "$@"
}

called() {
    grep -c -- "$1" "$calls"
}

machine
ensure run
check "a machine with all needs is left alone" [ "$code-$(wc -l <"$calls")" = 0-0 ]

machine
echo 'case $1-$2 in --modversion-libcpuid) echo 0.5.0 ;; --modversion-*) echo 9.9 ;; esac' | command_named pkg-config
echo 'echo "  Candidate: 0.5.0-1"' | command_named apt-cache
ensure run
if [ "$(uname -m)" = x86_64 ]; then
    check "an old libcpuid is one line with both versions" one_line libcpuid 0.5.0 0.6.2
else
    check "libcpuid is no need of this ISA" [ "$code-$(wc -l <"$calls")" = 0-0 ]
fi

machine
echo 'case $1 in -E) echo 11 4 ;; *) exec cc "$@" ;; esac' | command_named old
CC=old ensure run
check "a compiler that is too old is one line with its version" one_line CC=old "clang 11 is too old" "clang 14"
check "... and nothing is installed in its place" [ "$code-$(wc -l <"$calls")" = 1-0 ]

machine
echo 'echo "cmake version 3.18.4"' | command_named cmake
echo 'echo "  Candidate: 3.18.4-2+deb11u1"' | command_named apt-cache
ensure run
check "an old system gets one line with both versions and a way out" one_line cmake 3.18.4 3.22 "Debian 12"
check "... and nothing is installed" [ "$code-$(wc -l <"$calls")" = 1-0 ]

machine
echo 'exit 1' | command_named cc
echo 'exit 1' | command_named pkg-config
echo '[ ! -e "$calls.lists" ] || [ "$2" != cmake ] || echo "  Candidate: 3.18.4-2+deb11u1"' | command_named apt-cache
echo 'echo "apt-get $*" >>"$calls"; : >"$calls.lists"' | command_named apt-get
echo 'exit 127' | command_named cmake
ensure run
check "a fresh one, too, as soon as its package lists are there" grep -q "offers 3.18.4, 3.22 or newer" "$work/err"
check "... and nothing is installed" [ "$code-$(called '^apt-get install')" = 1-0 ]

machine
echo 'echo "cmake version 3.18.4"' | command_named cmake
ensure run
check "a newer one on offer is installed" [ "$(called '^apt-get install .* cmake')" -ge 1 ]
check "... and where it does not help, the versions are named" grep -q 'cmake: 3.18.4 found, 3.22 or newer' "$work/err"

machine
echo 'case $1-$2 in --modversion-hwloc) exit 1 ;; --modversion-*) echo 9.9 ;; esac' | command_named pkg-config
echo 'echo "sudo $*" >>"$calls"; exit 1' | command_named sudo
ensure run
check "a sudo that refuses is asked for a password once" [ "$(called 'sudo -v')" -eq 1 ]
check "... and for nothing else" [ "$(called 'apt-get')" -eq 0 ]
check "... and the package is named" grep -q 'as root, install: libhwloc-dev' "$work/err"
check "... and it fails" [ "$code" -eq 1 ]

machine
echo 'case $1-$2 in --modversion-hwloc) cat "$calls.hwloc" ;; --modversion-libcpuid) echo 0.6.2 ;; *) echo 9.9 ;; esac' |
    command_named pkg-config
echo 'echo "apt-get $*" >>"$calls"
case "$*" in
*install*libhwloc-dev*) echo 2.9.0 >"$calls.hwloc" ;;
esac' | command_named apt-get
ensure run
check "a need is installed" [ "$code" -eq 0 ]
check "... and asked for once" [ "$(called '^apt-get install')" -eq 1 ]
check "... without what the package manager prints" one_line libhwloc-dev

# What apt prints before it asks, in a line or two.
lacking_hwloc() {
    machine
    echo 'case $1-$2 in --modversion-hwloc) exit 1 ;; --modversion-libcpuid) echo 0.6.2 ;; *) echo 9.9 ;; esac' |
        command_named pkg-config
    printf '%s\n' 'echo "a line of apt"' 'echo "apt-get $*" >>"$calls"' 'case "$*" in *--assume-no*)' \
        'echo "1 upgraded, 84 newly installed, 0 to remove and 2 not upgraded."' "echo 'Need to get $1 of archives.'" 'exit 1' 'esac' "$2" |
        command_named apt-get
}

lacking_hwloc "89.3 MB" ''
ensure run
check "how much is installed is said" grep -q '85 packages, 89.3 MB, as root' "$work/err"
check "... before it is" [ "$(grep -n -m 1 -- --assume-no "$calls" | cut -d: -f1)" -lt "$(grep -n -m 1 '^apt-get install' "$calls" | cut -d: -f1)" ]
check "what apt printed is in the log" grep -q 'a line of apt' "$work/build/install.log"
check "... and nowhere else" [ "$(cat "$work/out" "$work/err" | grep -c 'a line of apt')" -eq 0 ]
lacking_hwloc "12.0 MB/89.3 MB" 'case "$*" in *install*) echo "E: a mirror that is down"; exit 100 ;; esac'
ensure run
check "what is kept already counts" grep -q '85 packages, 89.3 MB' "$work/err"
check "where apt fails, its reason is shown" grep -q 'a mirror that is down' "$work/err"
check "... and it fails" [ "$code" -eq 1 ]

# Other managers, as far as they say.
amount() {
    printf '%s\n' "cat <<'END'" "$1" END | command_named "$2"
    attempt sh -euc 'root=$1 manager=$2; . "$root/scripts/setup.sh"; manager() { echo "$manager"; }; as_root() { "$@"; }; amount_of x' sh "$root" "$2"
    check "$2 says how much${3:+: $3}" [ "$(cat "$work/out")" = "$3" ]
}
amount 'Install  85 Packages
Total download size: 90 M' dnf '85 packages, 90 MB'
amount 'size 60000000
size 30000000' pacman '2 packages, 90 MB'
amount '85 new packages to install.
Overall download size: 90.1 MiB. Already cached: 0 B.' zypper '85 packages, 90.1 MiB'
amount 'nothing that is known' dnf ''
finish
