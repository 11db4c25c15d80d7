# SPDX-License-Identifier: MIT
# scripts/suite.sh, by which scripts/test runs things: second tries, limits of time, and what was skipped.
. "$(dirname "$0")/common.sh"
export UARCHPROBE_BUILD="$work/build"

# suite_do LINES: shell lines that use the functions of suite.sh.
suite_do() {
    attempt sh -uc 'root=$1; . "$root/scripts/setup.sh"; . "$root/scripts/suite.sh"; begin; cd "$3"; eval "$2"' sh "$root" "$1" "$work"
}

# A build whose tests fail in their first run in different ways, and pass in their second.
mkdir -p "$work/source" "$work/build/some"
cat >"$work/source/CMakeLists.txt" <<'LINES'
cmake_minimum_required(VERSION 3.22)
project(tests NONE)
enable_testing()
foreach(name cli/test_late cli/test_crash cli/test_shell cli/test_sanitizer cli/test_tolerant faults/test_late unit/test_late)
  add_test(NAME ${name} COMMAND sh ${CMAKE_SOURCE_DIR}/test.sh ${name} ${CMAKE_BINARY_DIR})
  string(REGEX MATCH "^[^/]+" label ${name})
  set_tests_properties(${name} PROPERTIES LABELS ${label})
endforeach()
LINES
cat >"$work/source/test.sh" <<LINES
seen=\$2/\$(echo "\$1" | tr / _)
if [ -e "\$seen" ]; then echo "ok \$1" && exit; fi
: >"\$seen"
case \$1 in
*_crash) kill -SEGV \$\$ ;;
*_shell) sh -c 'kill -ABRT \$\$' | cat ;;
*_sanitizer) echo '==12==ERROR: AddressSanitizer: heap-buffer-overflow' ;;
*_tolerant)
    set -- /bin/sh
    . "$root/tests/common.sh"
    run -c 'kill -BUS \$\$' 2>/dev/null
    ;;
esac
echo "not ok \$1"
exit 1
LINES
cmake -S "$work/source" -B "$work/build/some" >/dev/null
suite_do 'suite "some tests" some; finish'
check "a failure has a second try where the whole program is tested" prints "tried again, alone: cli/test_late"
check "... in the tests of faults, too" prints "tried again, alone: faults/test_late"
check "a unit test has none" [ "$(grep -c 'tried again, alone: unit' "$work/out")" -eq 0 ]
for name in crash shell sanitizer tolerant; do
    check "nor has a crash: $name" prints "crashed, not tried again: cli/test_$name"
done
check "... and it fails" [ "$code" -eq 1 ]
check "... in the sum" grep -Eq '^some tests +2 passed, [5-7] failed' "$work/out"

suite_do 'limit=1; counted "a sleep" sleep 60; finish'
check "what takes too long is named with its limit" prints "timeout: a sleep was ended after 1 s"
check "... and has failed" [ "$code-$(tail -n 1 "$work/out")" = "1-0 passed, 1 failed, 0 skipped" ]
suite_do 'counted "a failure" false; finish'
check "another failure is no timeout" [ "$(grep -c timeout "$work/out")" -eq 0 ]

suite_do 'skip "the moon" "it is day"; counted "a script" printf "%s\n" "ok a" "skip b: no reason" "skip c: no reason"; finish'
check "what was skipped is listed once more at the end" [ "$(sed -n '/^== skipped/,$p' "$work/out" | grep -c -e '^the moon: it is day$' -e '^a script: no reason')" -eq 2 ]
check "... before the last line" [ "$code-$(tail -n 1 "$work/out")" = "0-1 passed, 0 failed, 3 skipped" ]
suite_do 'counted "a script" echo "ok a"; finish'
check "a run that skips nothing lists nothing" [ "$(grep -c '== skipped' "$work/out")" -eq 0 ]

attempt sed -n '/^trap /p' "$root/scripts/test"
suite_do "$(cat "$work/out")"'; counted "a script" echo "ok a"; n=one; : $((n + "two words")); finish'
check "a script that ends before its last line has failed" [ "$code-$(tail -n 1 "$work/out")" = "1-1 passed, 1 failed, 0 skipped" ]

# A build that is begun beside tests must not write any more once a section goes on with it.
cat >"$work/slow" <<'LINES'
trap 'sleep 1; echo ended >"$1"; exit' TERM
echo begun >"$1"
while :; do sleep 0.1; done
LINES
suite_do 'start_ahead "sh slow $3/seen; echo next >$3/seen"; until [ -s seen ]; do sleep 0.1; done; end_ahead; cat seen; finish'
check "what runs ahead has ended when end_ahead returns" prints ended
suite_do 'start_ahead "sh slow $3/other"; until [ -s other ]; do sleep 0.1; done; counted "a script" echo "ok a"; finish'
check "... and does not outlive the run" [ "$(cat "$work/other")" = ended ]
finish
