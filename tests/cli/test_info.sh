# SPDX-License-Identifier: MIT
# `info --from`: the CPU of a dump, on any machine, and nothing of this one.
. "$(dirname "$0")/../common.sh"
command -v jq >/dev/null || skip "jq is not installed"
dumps=$(dirname "$0")/../data/cpuid

# of DUMP FILTER: prints the CPU of the dump through the filter.
of() {
    "$program" info --from "$1" -f json 2>"$work/err" | jq -r "$2"
}

for dump in "$dumps"/*.txt; do
    run info --from "$dump"
    check "$(basename "$dump") is replayed" [ "$code" -eq 0 ]
done
check "a CPU is identified" [ "$(of "$dumps/zen_5.txt" '[.host.cpu | .family, .model, .core] | join(" ")')" = "26 68 Zen 5" ]
check "published values of its core are there, with their sources" \
    [ "$(of "$dumps/zen_5.txt" '.host.published.store_buffer | startswith("104 entries; ")')" = true ]
check "... and none of a core that is unknown" [ "$(of "$dumps/qemu.txt" .host.published)" = null ]
check "nothing of this machine is there" [ "$(of "$dumps/zen_5.txt" '[.host.topology, .host.kernel, .clock.source] | map(. // "") | add')" = "" ]
check "what was called is there" [ "$(of "$dumps/zen_5.txt" '.run.argv[2]')" = --from ]

# caches DUMP: prints level, type, KiB and CPUs of each.
caches() {
    of "$1" '[.host.caches[] | "\(.level)\(.type[0:1]) \(.bytes / 1024) \(.cpus)"] | join(", ")'
}

check "kinds of cores are named with their CPUs" \
    [ "$(of "$dumps/arrow_lake.txt" '[.host.kinds[] | "\(.cores) x \(.name) \(.cpus)"] | join(", ")')" = "1 x Lion Cove 0, 1 x Skymont 1" ]
check "... and have a line each" [ "$("$program" info --from "$dumps/arrow_lake.txt" | grep -cE '[0-9] x (Lion Cove|Skymont)')" = 2 ]
check "caches are those of each CPU" \
    [ "$(caches "$dumps/meteor_lake.txt")" = "1d 48 0, 1d 32 1-2, 1i 64 0, 1i 64 1-2, 2u 2048 0-2, 3u 24576 0-1" ]
check "rows without a number are subleaves in turn" \
    [ "$(caches "$dumps/zen_3_without_subleaves.txt")" = "1d 32 0, 1i 32 0, 2u 512 0, 3u 98304 0" ]
check "leaf 4 is read of any vendor" [ "$(caches "$dumps/lujiazui_leaf_4.txt")" = "1d 32 0, 1i 32 0, 2u 4096 0" ]
check "large cores alone are named" [ "$(of "$dumps/alder_lake_large_cores.txt" .host.cpu.core)" = "Golden Cove" ]

# The second of two kinds lies beyond the first 256 KiB; a part for registers that are none of CPUID has a
# CPU's number, too.
awk '/Logical CPU #1/ { for (i = 0; i < 3000; i++) printf "MSR %08X: 0000-0000-0000-0000 of a register that is no answer of CPUID, %d of many\n", i, i }
    { print } END { print "------[ MSR Registers / Logical CPU #0 ]------"; print "CPUID 00000001: 00000000-00000000-00000000-00000000" }' \
    "$dumps/arrow_lake.txt" >"$work/large"
check "a large dump is read whole" \
    [ "$(of "$work/large" '[.host.cpu.model, .host.kinds[].name] | join(" ")')" = "198 Lion Cove Skymont" ]
check "... which it is" [ "$(wc -c <"$work/large")" -gt 262144 ]

if [ "$(uname -m)" = x86_64 ] && ! emulated; then
    for format in '' json; do
        "$program" info --quick --raw ${format:+-f "$format"} -o "$work/dump" 2>/dev/null
        check "an own dump ${format:+as $format }is replayed as this CPU" \
            [ "$(of "$work/dump" .host.cpu.brand)" = "$("$program" info --quick -f json 2>/dev/null | jq -r .host.cpu.brand)" ]
    done
fi

head -c 100000 /dev/zero | tr '\0' A >"$work/long"
printf 'version=' | cat - "$work/long" >"$work/version"
for file in "$work/version" "$work/long" "$0" "$work" /dev/zero "$work/missing"; do
    run info --from "$file"
    check "$(basename "$file") is refused in one line" [ "$code-$(wc -l <"$work/err")" = 2-1 ]
done
run info --from "$dumps/zen_5.txt" --raw
check "--raw is of this machine" [ "$code" -eq 2 ]
finish
