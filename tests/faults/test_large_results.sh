# SPDX-License-Identifier: MIT
# Results of others may be large, deep or endless: each is read in linear time or refused with its place. The limit of CPU time is
# far above linear reading (some tenths of a second) and far below a square.
. "$(dirname "$0")/../common.sh"
emulated && skip "an emulator makes each instruction some ten"
(ulimit -t 15) 2>/dev/null || skip "no limit of CPU time can be set"

# document NAME RUN ANSWERS WARNINGS: each what an item is, & for its number; nothing: there are none.
list() {
    [ -z "$1" ] || seq 50000 | sed "s/.*/$1,/; \$s/,\$//"
}
document() {
    {
        echo '{"schema":"uarchprobe/4","run":{'
        list "$2"
        echo '},"tables":[],"answers":['
        list "$3"
        echo '],"warnings":['
        list "$4"
        echo ']}'
    } >"$work/$1.json"
}

document facts '"k&":&' '' ''
document answers '' '{"key":"a.&","value":1&,"unit":"Byte\/s","trust":"high"}' ''
document warnings '' '' '{"code":"c&","text":"t&"}'
for kind in facts answers warnings; do
    for format in human json; do
        expect 0 "50,000 $kind as $format" \
            sh -c 'ulimit -t 15; exec "$1" report -q --from "$2" -f "$3"' - "$program" "$work/$kind.json" $format
    done
done
document same '' '{"key":"a","value":1&,"unit":"Byte\/s","trust":"high"}' ''
for kind in answers same; do
    expect 0 "50,000 answers compared, $kind" \
        sh -c 'ulimit -t 15; exec "$1" compare -q "$2" "$2"' - "$program" "$work/$kind.json"
done

awk 'BEGIN { for (i = 0; i < 3000; i++) printf "{\"a\":" }' >"$work/deep.json"
refused 2 report --from "$work/deep.json"
says "depth"
# Items of a few bytes that would take hundreds of memory are counted while they are read.
{
    printf '{"schema":"uarchprobe/4","commands":['
    yes '{},' | head -n 2000000
    printf '{}]}'
} >"$work/many.json"
for command in check "report --from"; do
    expect 2 "$command on 2,000,000 objects in 1 GiB of memory" \
        sh -c 'ulimit -v 1048576; exec "$@"' - "$program" $command "$work/many.json"
    says "memory"
done
if [ -c /dev/zero ] && (ulimit -v 4194304) 2>/dev/null; then
    run_limited() { sh -c 'ulimit -t 15; exec "$1" report --from /dev/zero' - "$program" >"$work/out" 2>"$work/err"; }
    run_limited
    check "a file without an end is refused" [ $? -eq 2 ]
fi
finish
