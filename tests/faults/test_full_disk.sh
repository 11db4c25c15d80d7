# SPDX-License-Identifier: MIT
# What could not be written is not a success.
. "$(dirname "$0")/common.sh"
[ -c /dev/full ] || skip "no /dev/full"

for format in human json jsonl; do
    "$program" info --format "$format" >/dev/full 2>"$scratch/err"
    code=$?
    [ "$code" -eq 1 ] || fail "info --format $format on a full disk: exit $code instead of 1"
    [ -s "$scratch/err" ] || fail "info --format $format on a full disk: nothing is said"
done
