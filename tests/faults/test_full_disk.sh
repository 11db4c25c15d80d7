# SPDX-License-Identifier: MIT
# What could not be written is not a success.
# shellcheck source=../common.sh
. "$(dirname "$0")/../common.sh"
[ -c /dev/full ] || skip "no /dev/full"

for format in human json jsonl; do
    "$program" info --format "$format" >/dev/full 2>"$work/err"
    code=$?
    check "info --format $format on a full disk exits with 1" [ "$code" -eq 1 ]
    check "and says so" [ -s "$work/err" ]
done
finish
