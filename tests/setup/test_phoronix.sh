# SPDX-License-Identifier: MIT
# The profile for the Phoronix Test Suite, run without a network by the client that is here (on the PATH, or in
# $PHORONIX_TEST_SUITE, an unpacked archive of it).
. "$(dirname "$0")/common.sh"
# The message that the client gets of a program that fails.
mkdir -p "$work/profile" "$work/fake"
printf '#!/bin/sh\nprintf "key\\tvalue\\tunit\\ttrust\\tstate\\nqueue\\t50\\tns\\thigh\\t\\n"\nexit 3\n' >"$work/fake/uarchprobe"
chmod +x "$work/fake/uarchprobe"
(cd "$work/profile" && export HOME="$work/profile" PATH="$work/fake:$PATH" LOG_FILE="$work/profile/log" &&
    sh "$root/packaging/phoronix/uarchprobe/install.sh" && ./uarchprobe core-latency) || :
check "a value is a line" grep -qx 'queue: 50 ns' "$work/profile/log"
check "a program that fails is no success" grep -qx 3 "$work/profile/test-exit-status"

client=${PHORONIX_TEST_SUITE:+$PHORONIX_TEST_SUITE/phoronix-test-suite}
client=${client:-$(command -v phoronix-test-suite || :)}
if [ -z "$client" ] || ! php -m 2>/dev/null | grep -qix simplexml; then
    echo "skip phoronix: the client (PHORONIX_TEST_SUITE=DIR), php-cli or php-xml is not here"
    finish
fi
build=${UARCHPROBE_BUILD:-$root/build}
for program in "$build/gcc/uarchprobe" "$build/release/uarchprobe"; do [ ! -x "$program" ] || break; done
[ -x "$program" ] || { echo "skip phoronix: nothing is built" && finish; }
for file in test-definition results-definition; do
    check "$file.xml is well formed" php -r 'exit(simplexml_load_file($argv[1]) ? 0 : 1);' "$root/packaging/phoronix/uarchprobe/$file.xml"
done

mkdir -p "$work/pts/test-profiles/local" "$work/bin"
cp -r "$root/packaging/phoronix/uarchprobe" "$work/pts/test-profiles/local/"
ln -s "$program" "$work/bin/uarchprobe"
export PTS_USER_PATH_OVERRIDE="$work/pts/" HOME="$work" PATH="$work/bin:$PATH" TEST_RESULTS_NAME=one TEST_RESULTS_IDENTIFIER=one \
    TEST_RESULTS_DESCRIPTION=one NO_INTERNET_COMMUNICATION=1 TERM=dumb
[ -z "${PHORONIX_TEST_SUITE:-}" ] || cd "$PHORONIX_TEST_SUITE" || exit 99
printf 'y\nn\nn\n' | "$client" enterprise-setup >"$work/log" 2>&1
attempt timeout 120 "$client" batch-setup
printf 'y\nn\nn\nn\nn\nn\ny\n' | timeout 120 "$client" batch-setup >>"$work/log" 2>&1
timeout 200 "$client" batch-benchmark local/uarchprobe >"$work/out" 2>&1 </dev/null
result=$(find "$work" -name composite.xml 2>/dev/null | head -n 1)
check "the client runs it" [ -n "$result" ]
[ -z "$result" ] || check "... and has a value with a unit" grep -q '<Scale>\(entries\|cycles\|ns\|GB/s\)</Scale>' "$result"
[ -z "$result" ] || grep -h '<Description>\|<Value>\|<Scale>' "$result" | sed 's/^ */    /' | head -n 24
finish
