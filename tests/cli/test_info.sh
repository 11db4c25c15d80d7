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
