# SPDX-License-Identifier: MIT
# `ram`: the shape of its output, and whether values agree with each other.
. "$(dirname "$0")/../common.sh"

# A size too small for one kernel leaves the others.
run ram --size 8,4ki -r 1 --no-progress -f tsv
check "a size below some elements runs" [ "$code" -eq 0 ]
check "without the kernels that it is too small for" awk -F'\t' '
    $8 == "AVG" { n[$1]++; if ($1 < $6) bad = 1 }
    END { exit !(n[8] > 0 && n[4096] > n[8] && !bad) }' "$work/out"
check "and says so" grep -q -- '--size 8 ' "$work/err"
run ram --size 64,256 --dry-run -q
check "and is planned" [ "$code" -eq 0 ]

# Whatever a budget leaves out, all CPUs come after one thread, on each level.
for seconds in 0.3 1 2; do
    run ram --quick --time-budget $seconds -q -f json
    jq -e '(.tables[0].rows // {level: [], threads: []}) | [.level, .threads] | transpose | map(select(.[1] > 1)[0]) - map(select(.[1] == 1)[0]) == []' "$work/out" >"$work/left"
    verdict $? "in $seconds s one thread comes first"
    check "what was measured in $seconds s has answers" jq -e '(.tables[0].rows.threads // [] | length == 0) or ([.answers[] | select(.value != null and .samples > 0)] | length > 0)' "$work/out"
done

# Beyond L2 a slice is a part of a pass: the proof fails unless the marks in the last bytes are read, too.
run ram --size 40000001 --task agg-or --quick -r 1 -q -f tsv
check "a pass in parts reaches the end" [ "$code" -eq 0 ]

# Whatever the memory, its sizes lie within the range, and what they cannot show is no value.
run ram --curve --size 2ki-64ki -r 2 --no-progress -q -f json
check "a short curve is a result" [ "$code" -eq 0 ]
check "of the sizes in its range" jq -e '[.tables[] | select(.name | startswith("curve")) | .rows | .size, .footprint | values[]] | length > 0 and min >= 2048 and max <= 65536' "$work/out"
check "without larger levels" jq -e '[.answers[] | select(.key | test("L3.latency|DRAM")) | select(.value != null)] == []' "$work/out"

# Small and short: shapes only.
small="--size 4ki -r 1 --no-progress -q"

run ram --size 6000,4ki,6000 -r 2 --no-progress -q -f tsv
check "a small run ends well" [ "$code" -eq 0 ]
heading='buffer size [Byte]	task	method	load mode	store mode	el size [Byte]	el size [Bit]	ind/AVG	duration [s]	speed [mis]	speed [MiByte/s]	speed [GiByte/s]'
check "the first columns are RAMOMETER's" sh -c 'head -n 1 "$1" | grep -qF "$2"' - "$work/out" "$heading"
# The rows of the bandwidth table: up to the first empty line.
sed '/^$/,$d' "$work/out" >"$work/rows"
check "grep ind finds -r rows a point, grep AVG one" awk -F'\t' '
    NR > 1 { n[$8]++ }
    END { exit !(n["AVG"] > 0 && n["ind"] == 2 * n["AVG"] && n["MED"] == n["AVG"] && n["MIN"] == n["AVG"] && n["MAX"] == n["AVG"]) }
' "$work/rows"
cp "$work/out" "$work/lines"
run ram --size 4ki --task latency -r 3 -s 4 -q -f json
cp "$work/out" "$work/sized.json"
gives 0 "4 KiB" report -q --from "$work/sized.json"
run ram --size 4ki --task latency -r 3 -s 4 -q -f tsv
# A sample that was stopped is left out.
check "-s asks for as many more" [ "$(grep -c "	ind	" "$work/out")" -gt 3 ]
cp "$work/lines" "$work/out"
check "sizes stand in ascending order, each once" awk -F'\t' 'NR > 1 && $8 == "AVG" { if ($1 < last) exit 1; last = $1 - $1 % 128 }' "$work/rows"
check "every row has every column" awk -F'\t' 'NR == 1 { n = NF } NF != n { exit 1 }' "$work/rows"
check "speeds follow from size and duration" awk -F'\t' '
    function near(a, b) { return a > 0.999999 * b && a < 1.000001 * b }
    NR > 1 && !(near($12 * 1073741824 * $9, $1) && near($11, $12 * 1024) && near($10 * 4e6 * $9, $1)) { exit 1 }
' "$work/rows"
check "sizes are rounded down to whole elements" awk -F'\t' '
    NR > 1 && $6 > 0 && $1 % $6 { exit 1 }
    NR > 1 && $1 != 4096 && ($1 > 6000 || $1 <= 6000 - 128) { exit 1 }
' "$work/rows"
check "library calls have element size 0" awk -F'\t' 'NR > 1 && ($3 == "libc") != ($7 == 0) { exit 1 }' "$work/rows"
check "MIN, MED and MAX are in order" awk -F'\t' '
    NR > 1 { v[$1 "," $23, $8] = $12; key[$1 "," $23] = 1 }
    END { for (k in key) if (v[k, "MIN"] > v[k, "MED"] || v[k, "MED"] > v[k, "MAX"]) exit 1 }
' "$work/rows"

# One to three samples are an answer of low trust without a range, unless other processes disturbed all of them; a table without rows is drawn nowhere.
for rounds in 1 2 3; do
    run ram --size 4ki,64ki --task read,copy,latency -r $rounds -q -f json
    check "-r $rounds has an answer of each task and size" jq -e '
        [.answers[] | select((.key | endswith("_cycles") | not) and .trust == "low"
            and (if .value == null then .remark == "every sample was disturbed" else .value > 0 and .interval == null and .remark != null end))]
        | length >= 6' "$work/out"
done
run ram --size 4ki --task copy -r 3 -q -f answers
check "answers have it, too" grep -q '^ram.4_KiB.copy' "$work/out"
run ram --size 4ki --task latency -r 1 -q -f markdown
check "a table without bandwidth has no bandwidth" sh -c '! grep -q "^## Bandwidth" "$1"' - "$work/out"
run ram --size 4ki -r 1 --strict -q
check "--strict of low trust is 5" [ "$code" -eq 5 ]

# The same for people, where they asked for a number of repetitions.
run ram --size 4ki --task copy,latency -r 3 --no-progress -q -v
check "-v with -r has RAMOMETER's lines in columns" awk '
    { for (i = 1; i <= NF; i++) n[$i]++ }
    END { exit !(n["AVG"] > 0 && n["ind"] == 3 * n["AVG"]) }' "$work/out"
run ram --size 4ki --task copy -r 3 --no-progress -q
check "without -v they are left out" [ "$(grep -c " AVG " "$work/out")" -eq 0 ]

for words in "--load-mode all --store-mode all --bits all" "--task copy --kernel copy_scalar*" \
    "--isa $("$program" --help=words ram --isa '' | sed -n 's/\t.*//;1p')"; do
    set -f
    run ram $small $words -f tsv
    set +f
    check "$words runs" [ "$code" -eq 0 ]
done
for pages in auto 4k thp; do
    run ram $small --task read --pages $pages -f tsv
    check "--pages $pages ends well or says why" [ "$code" -eq 0 -o "$code" -eq 3 ]
done

run ram $small -o "$work/out.json"
check "-o writes JSON by its extension" grep -q '"schema": *"uarchprobe/4"' "$work/out.json"
check "nothing else is left" [ "$(find "$work" -name '*out.json*' | wc -l)" -eq 1 ]
ended ram -r 100000 --no-progress -o "$work/cut.json"
check "a terminated run exits with 143" [ "$code" -eq 143 ]
check "and has written what it had, marked incomplete" grep -q '"complete": *false' "$work/cut.json"

# Two nodes of which the kernel has one: what cannot be placed there, or not proved, is a row with its reason.
if ! emulated && [ "$(nproc)" -gt 1 ] && [ ! -e /sys/devices/system/node/node1 ]; then
    HWLOC_SYNTHETIC='node:2 core:1 pu:1' "$program" ram --nodes -r 1 -q -f json >"$work/nodes.json" 2>"$work/err"
    code=$?
    check "a node without its memory ends well, or nothing can be placed" [ "$code" -eq 0 -o "$code" -eq 3 ]
    if [ "$code" -eq 0 ]; then
        check "its row has the reason" grep -q '"ram.nodes.1.memory"' "$work/nodes.json"
        check "its CPUs reach the other node" grep -q '"ram.nodes.1.0.latency"' "$work/nodes.json"
        check "nobody reaches it" sh -c '! grep -q "ram.nodes.0.1" "$1"' - "$work/nodes.json"
    fi
fi

# Of a last cache that would hold what there is room for, no answer is one of memory.
with_large_cache() (ulimit -v 1000000 && HWLOC_SYNTHETIC='node:1 l3:1(size=1073741824) core:2 pu:1' "$program" "$@" 2>"$work/err")
if ! emulated && [ "$(nproc)" -gt 1 ] && (ulimit -v 1000000 && "$program" info -q) >/dev/null 2>&1; then
    with_large_cache ram --nodes -r 1 -q -f json >"$work/nodes.json"
    check "--nodes refuses what the last cache holds" grep -q 'too little is free' "$work/nodes.json"
    with_large_cache ram --crossover -r 1 -q -f answers >"$work/crossover"
    zeros() { grep "^ram.zero.$1" "$work/crossover" | cut -f 2 | tr -d '\n'; }
    check "--crossover has zeros of L2 there" [ -n "$(zeros L2)" ]
    check "and none of memory" [ -z "$(zeros memory)" ]
fi

# Wherever in the filling of memory the budget ends, each kernel stays within what was filled.
with_small_cache() (HWLOC_SYNTHETIC='node:1 l3:1(size=33554432) core:2 pu:1' "$program" "$@" >"$work/out" 2>"$work/err" </dev/null)
if ! emulated && [ "$(nproc)" -gt 1 ]; then
    for budget in 0.2 0.3 0.4 0.5 0.6 0.7 0.8 0.9 1 1.2; do
        with_small_cache ram --task update --bits 128 -t 1 --time-budget $budget
        code=$?
        check "a budget of $budget s ends no run but in order" [ "$code" -le 1 ]
    done
fi
finish
