# SPDX-License-Identifier: MIT
# Too little memory is said before anything is touched: exit 3, never a signal.
. "$(dirname "$0")/../common.sh"

expect 3 "more memory than any machine has" "$program" ram --size 900000gi
in_err "largest"
if "$program" info >/dev/null 2>&1 && (ulimit -v 262144) 2>/dev/null; then
    expect 0 "info with little address space" sh -c 'ulimit -v 262144; exec "$1" info' - "$program"
    expect 3 "ram with little address space" sh -c 'ulimit -v 262144; exec "$1" ram --size 1gi' - "$program"
    in_err "largest"
fi
finish
