# SPDX-License-Identifier: MIT
# scripts/count.awk on what test programs print.
. "$(dirname "$0")/common.sh"

# cmocka GROUP: one test that passes and one that is skipped; newer versions name the group.
cmocka() {
    printf '%s\n' "[==========] $1Running 2 test(s)." '[ RUN      ] test_a' '[       OK ] test_a' '[ RUN      ] test_b' \
        'skipped: no reason' '[  SKIPPED ] test_b' "[==========] $1 2 test(s) run." '[  PASSED  ] 1 test(s).' \
        "[  SKIPPED ] ${1}1 test(s), listed below:" '[  SKIPPED ] test_b' '' ' 1 SKIPPED TEST(S)' >"$work/cmocka"
}

# counts FILE STATUS EXPECTED
counts() {
    [ "$(awk -v status="$2" -f "$root/scripts/count.awk" "$1" 2>"$work/err")" = "$3" ]
}

cmocka ''
check "a skipped test of cmocka" counts "$work/cmocka" 0 "1 0 1"
check "its reason" grep -q 'no reason' "$work/err"
cmocka 'tests: '
check "a skipped test of a cmocka that names the group" counts "$work/cmocka" 0 "1 0 1"
check "a crash is a failure more" counts "$work/cmocka" 139 "1 1 1"
printf 'ok a\nnot ok b\nskip c: why\n' >"$work/script"
check "the lines of a script" counts "$work/script" 1 "1 1 1"
printf 'anything\n' >"$work/other"
check "any other program is one test" counts "$work/other" 0 "1 0 0"
check "and may be skipped" counts "$work/other" 77 "0 0 1"

# outcome STATUS LINE FILE: a file of ctest with one test.
outcome() {
    printf '%s\n' "	<testcase name=\"cli/test_a\" classname=\"cli/test_a\" time=\"1\" status=\"$1\">" \
        "		<system-out>ok a" "$2" "</system-out>" "	</testcase>" >"$3"
}

# of_both EXPECTED
of_both() {
    [ "$(awk -f "$root/scripts/count.awk" "$work/first" "$work/second")" = "$1" ]
}

outcome fail "not ok b" "$work/first"
outcome run "ok b" "$work/second"
check "a second try replaces the first" of_both "2 0 0"
outcome fail "not ok b" "$work/second"
check "and may fail too" of_both "1 1 0"
finish
