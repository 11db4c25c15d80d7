# SPDX-License-Identifier: MIT
# shellcheck shell=sh
# Sourced by scripts/test after setup.sh: runs programs, scripts and tests of a build, counts what they print and adds it up. Logs go
# to $logs.
: "${root:?}" "${build:?}"
logs=$build/logs
passed=0
failed=0
skipped=0
jobs=$(($(nproc) + 1)) # some tests wait for a clock
ahead=                 # process group of start_ahead
limit=900              # seconds of one program, script or test; some ten times what the longest takes on an idle machine
steady=

begin() {
    mkdir -p "$logs"
    started=$(date +%s)
    : >"$logs/all-skipped"
}

heading() {
    printf '\n== %s (%s s)\n' "$1" "$(($(date +%s) - started))"
}

# add PASSED FAILED SKIPPED NAME: adds to the totals and prints one line.
add() {
    passed=$((passed + $1))
    failed=$((failed + $2))
    skipped=$((skipped + $3))
    printf '%-60s %s passed, %s failed, %s skipped\n' "$4" "$1" "$2" "$3"
}

skip() {
    add 0 0 1 "$1"
    printf '    skipped: %s\n' "$2"
    printf '%s: %s\n' "$1" "$2" >>"$logs/all-skipped"
}

# add_counted NAME AWK-ARGUMENT...: adds what scripts/count.awk counts, and shows why tests were skipped.
add_counted() {
    title=$1
    shift
    # shellcheck disable=SC2046 # three numbers
    add $(awk "$@" 2>"$logs/skipped") "$title"
    cat "$logs/skipped"
    sed "s|^ *skipped|$title|" "$logs/skipped" >>"$logs/all-skipped"
}

log_of() {
    printf '%s/%s.log' "$logs" "$(printf '%s' "$1" | tr -c 'A-Za-z0-9.\n-' '_')"
}

# attempted NAME COMMAND...: runs a program or script; its output and exit code are kept for `count`.
attempted() {
    log=$(log_of "$1")
    shift
    timeout -k 5 "$limit" "$@" </dev/null >"$log" 2>&1
    echo $? >"$log.status"
}

# count NAME: the tests that the output of the program or script tells of.
count() {
    log=$(log_of "$1")
    status=$(cat "$log.status")
    add_counted "$1" -v status="$status" -f "$root/scripts/count.awk" "$log"
    [ "$status" != 0 ] && [ "$status" != 77 ] || return "$status"
    tail -n 40 "$log"
    # timeout's own exit codes, the second where the first signal did not end it.
    case $status in 124 | 137) printf 'timeout: %s was ended after %s s\n' "$1" "$limit" ;; esac
    return 1
}

counted() {
    attempted "$@"
    count "$1"
}

# built PRESET[:TARGET]: configures and builds in build/PRESET.
built() {
    counted "build $1" "$root/scripts/build" "$1" -DWERROR=ON
}

# start_ahead LINES: shell lines that run beside what follows, on what it leaves of the CPUs, until end_ahead. Nothing may rest on them:
# they begin builds that the sections to come go on with.
start_ahead() {
    have setsid || return 0
    # The shell outlives the signal until what it runs has ended.
    setsid nice -n 19 sh -uc "trap 'exit 1' TERM; $1" >"$logs/ahead.log" 2>&1 </dev/null &
    ahead=$!
}

# Returns when nothing of it is left that could write to a build, in five seconds at most: a container may keep what is dead.
end_ahead() {
    [ -n "$ahead" ] || return 0
    kill -TERM "-$ahead" 2>/dev/null
    wait "$ahead" 2>/dev/null
    for _ in $(seq 50); do
        kill -0 "-$ahead" 2>/dev/null || break
        sleep 0.1
    done
    ahead=
}

# reasons LOG: what failed in a log of ctest, which ends with the names only.
reasons() {
    grep -A 12 -e '^not ok ' -e '^FAILED: ' -e '^\[  ERROR   \]' -e '^==[0-9]*==ERROR' -e 'runtime error:' -e '[*]Exception' -e '[*]Timeout' "$1" | head -n 60
    sed -n '/tests passed, .* failed/,$p' "$1"
    printf 'all of it: %s\n' "$1"
}

# crashed LOG: the tests in a log of ctest that a signal ended, or in whose output the shell, an emulator, a sanitizer or
# tests/common.sh tells of a crash of the program.
crashed() {
    awk '
        /^ *[0-9]+\/[0-9]+ Test +#[0-9]+: / { sub(/^.*#[0-9]+: /, ""); sub(/ .*/, ""); test = $0; next }
        /^The following tests FAILED:/ { listed = 1; next }
        listed && /^[ \t]*[0-9]+ - / && !/\((Failed|Timeout|Not Run)\)/ { print $3 }
        /^(Segmentation fault|Aborted|Bus error|Illegal instruction|Floating point exception)/ ||
        /uncaught target signal|==[0-9]+==ERROR: |WARNING: ThreadSanitizer|runtime error: |^not ok .*: a crash/ { print test }
    ' "$1" | sort -u
}

# tests_of FOLDER FILE CTEST-OPTION...: runs tests of a build; their outcomes go to FOLDER/FILE.
tests_of() {
    folder=$1 outcomes=$1/$2
    shift 2
    $steady ctest --test-dir "$folder" --timeout "$limit" --no-tests=error --output-on-failure \
        --test-output-size-passed 1000000 --output-junit "$outcomes" "$@" </dev/null
}

# suite NAME PRESET CTEST-OPTION...: runs tests of build/PRESET. Next to the others a test of the whole program may lose its
# CPU in every sample of something, so these have a second try, alone, and the log of the first is shown all the same. What
# fails alone too has failed; a unit test has one try, and so has whatever crashed.
suite() {
    name=$1
    folder=$build/$2
    shift 2
    log=$(log_of "$name")
    rm -f "$folder/junit.xml" "$folder/again.xml"
    if ! tests_of "$folder" junit.xml -j "$jobs" "$@" >"$log" 2>&1; then
        reasons "$log"
        crashed "$log" >"$logs/crashed"
        sed 's/^/    crashed, not tried again: /' "$logs/crashed"
        end_ahead
        # By name: with -L, --rerun-failed of CMake 3.25 counts among other tests and runs the wrong ones.
        names=$(sed -n 's/^[0-9]*://p' "$folder/Testing/Temporary/LastTestsFailed.log" | grep -vxF -f "$logs/crashed" | paste -sd '|' -)
        [ -z "$names" ] || tests_of "$folder" again.xml -R "^($names)\$" -L '^(cli|faults)$' >"$log.again" 2>&1 ||
            [ ! -s "$folder/again.xml" ] || reasons "$log.again"
        sed -n 's/.*<testcase name="\([^"]*\)".*/    tried again, alone: \1/p' "$folder/again.xml" 2>/dev/null
    fi
    if [ ! -s "$folder/junit.xml" ]; then
        add 0 1 0 "$name"
    else
        : >>"$folder/again.xml"
        add_counted "$name" -f "$root/scripts/count.awk" "$folder/junit.xml" "$folder/again.xml"
    fi
}

# What was skipped, and the total as the last line, whatever ended the run.
finish() {
    trap - EXIT
    end_ahead
    [ $((passed + failed)) -gt 0 ] || failed=1
    if [ -s "$logs/all-skipped" ]; then
        printf '\n== skipped\n'
        sort -u "$logs/all-skipped"
    fi
    printf '\n%s passed, %s failed, %s skipped\n' $passed $failed $skipped
    exit $((failed > 0))
}
