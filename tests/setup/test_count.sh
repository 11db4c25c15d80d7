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
finish
