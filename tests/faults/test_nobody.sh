# SPDX-License-Identifier: MIT
# A user without any right measures as well, also in a full sandbox of capabilities.
. "$(dirname "$0")/../common.sh"
emulated && skip "the wrapper of an emulator is not readable for others"
[ "$(id -u)" -eq 0 ] && command -v setpriv >/dev/null || skip "needs root, to become nobody, and setpriv"
chmod 755 "$work"
cp "$program" "$work/uarchprobe" || skip "no room for a copy"
nobody() {
    setpriv --reuid 65534 --regid 65534 --clear-groups --no-new-privs --bounding-set -all "$work/uarchprobe" "$@"
}
nobody --version >/dev/null 2>&1 || skip "nobody cannot run a program in $work"

expect 0 "info as nobody" nobody info --quick --format json
expect 0 "ram as nobody" nobody ram --quick --size 16ki --task read --time-budget 1
expect 0 "sb-capacity with counters as nobody" nobody sb-capacity --quick --counters

# A folder without write permission is refused before measuring, with the reason.
refused() {
    nobody "$@" >"$work/out" 2>"$work/err" && return 1
    grep -q "Permission denied" "$work/err"
}
mkdir -m 555 "$work/closed"
check "nothing can be written to a closed folder" refused ram -o "$work/closed/x.json"
finish
