# SPDX-License-Identifier: MIT
# /proc and /sys can be missing (chroot, sandbox): less is known then, and nothing is made up.
. "$(dirname "$0")/../common.sh"
UARCHPROBE_SYSROOT=$work/nothing
export UARCHPROBE_SYSROOT

expect 0 "info without /proc and /sys" "$program" info --format json
in_out '"governor": *null'
expect 0 "info where hwloc finds nothing" env HWLOC_FSROOT="$work/nothing" "$program" info --quick --format json
check "and hwloc has nothing to say of it" sh -c '! grep -i hwloc "$1"' - "$work/err"
expect 0 "info without them again" "$program" info --format json
in_out '"thp": *null'
in_out '"microcode": *null'
in_out '"memory_bytes": *null'
finish
