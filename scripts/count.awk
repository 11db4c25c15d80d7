# SPDX-License-Identifier: MIT
# Counts tests and prints "passed failed skipped". Reads ctest's JUnit files, where a later outcome of a test replaces an
# earlier one, or, with -v status=N, the output of one program that ended with N. A cmocka program counts its tests, a script its "ok", "not ok" and "skip" lines, a program
# of another kind may say "N passed, N failed, N skipped", anything else is one test. A program that fails without a
# failed test to show for it (a crash) is one failed test more. Why tests were skipped goes to standard error, once for
# each reason: from "skipped: WHY", "skip NAME: WHY" and "skipped NAME: WHY".
function begin() {
    run = ok = skips = oks = nots = 0
}
function finish(outcome, p, f, s) {
    if (outcome == "skip") {
        p = f = 0
        s = 1
    } else if (run) {
        p = ok
        s = skips
        f = run - ok - skips
    } else if (oks + nots + skips) {
        p = oks
        f = nots
        s = skips
    } else {
        p = outcome == "pass"
        f = s = 0
    }
    if (outcome == "fail" && !f)
        f = 1
    passed += p - passed_of[test]
    failed += f - failed_of[test]
    skipped += s - skipped_of[test]
    passed_of[test] = p
    failed_of[test] = f
    skipped_of[test] = s
}
function add_reason(why) {
    gsub(/&lt;/, "<", why)
    gsub(/&gt;/, ">", why)
    gsub(/&quot;/, "\"", why)
    gsub(/&amp;/, "\\&", why)
    why = (test == "" ? "" : test ": ") why
    if (!(why in times))
        reason[++reasons] = why
    times[why]++
}
BEGIN { begin() }
/<testcase / {
    begin()
    outcome = /status="run"/ ? "pass" : "fail"
    test = $0
    sub(/.*<testcase name="/, "", test)
    sub(/".*/, "", test)
}
/<skipped message="SKIP_RETURN_CODE/ { outcome = "skip" }
{ sub(/^[ \t]*<system-out>/, "") }
/^skip(ped)?( [^:]*)?: / { add_reason(substr($0, index($0, ": ") + 2)) }
/^\[ RUN      \]/ { run++ }
/^\[       OK \]/ { ok++ }
# "1 test(s), listed below:"; cmocka 1.1.6 and newer put the name of the group first.
/^\[  SKIPPED \] (.*: )?[0-9]+ test\(s\)/ {
    match($0, /[0-9]+ test\(s\)/)
    skips += substr($0, RSTART) + 0
}
/^ok / { oks++ }
/^not ok / { nots++ }
/^skip / { skips++ }
/^[0-9]+ passed, [0-9]+ failed(, [0-9]+ skipped)?$/ {
    oks += $1
    nots += $3
    skips += $5
}
/<\/testcase>/ { finish(outcome) }
END {
    if (status != "")
        finish(status == 0 ? "pass" : status == 77 ? "skip" : "fail")
    print passed + 0, failed + 0, skipped + 0
    for (i = 1; i <= reasons; i++) {
        again = (times[reason[i]] > 1) ? " (" times[reason[i]] " times)" : ""
        print "    skipped: " reason[i] again >"/dev/stderr"
    }
}
