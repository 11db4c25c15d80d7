# SPDX-License-Identifier: MIT
# Where a topology comes from is a fact, and a warning where that is not this system.
. "$(dirname "$0")/../common.sh"
command -v jq >/dev/null || skip "jq is not installed"
xml=$(dirname "$0")/../data/topology/two-l3-sizes.xml
unset HWLOC_XMLFILE HWLOC_SYNTHETIC HWLOC_FSROOT HWLOC_THISSYSTEM

# source VARIABLE=VALUE...: prints the source and the codes of warnings.
source_with() {
    env "$@" "$program" info --quick -f json 2>"$work/err" |
        jq -r '[.host.topology.source, (.warnings[].code | select(startswith("topology")))] | join(" ")'
}

check "this system is the source" [ "$(source_with A=1)" = "this system" ]
check "a file is" [ "$(source_with HWLOC_XMLFILE="$xml")" = "file topology_foreign" ]
check "... also one that is declared to be of this system" \
    [ "$(source_with HWLOC_XMLFILE="$xml" HWLOC_THISSYSTEM=1 | cut -d' ' -f1,2)" = "file topology_foreign" ]
check "a made-up one is" [ "$(source_with HWLOC_SYNTHETIC="core:2 pu:1")" = "synthetic topology_foreign" ]
check "the screen says it" sh -c 'HWLOC_XMLFILE="$1" "$2" info --quick 2>&1 | grep -q "Topology of *file"' - "$xml" "$program"

# A file of a newer hwloc (2.12 reads those of 3): what this program has is said, and what the file is.
for version in 4.0 9.1; do
    sed "s/topology version=\"[0-9.]*\"/topology version=\"$version\"/" "$xml" >"$work/newer.xml"
    HWLOC_XMLFILE="$work/newer.xml" refuses 3 "hwloc ${version%.*}" info --quick
done
sed 's/topology version="[0-9.]*"/topology version="2.0"/; s/<object/<nonsense/' "$xml" >"$work/odd.xml"
HWLOC_XMLFILE="$work/odd.xml" refuses 3 HWLOC_XMLFILE info --quick
check "... and no version is blamed" sh -c '! grep -q "file of hwloc" "$1"' - "$work/err"

# Fewer CPUs are shown than this process may use: both are printed, and the CPU can be measured.
[ "$(nproc)" -gt 1 ] && ! emulated || finish
export HWLOC_THISSYSTEM=1 HWLOC_SYNTHETIC="core:1 pu:1"
case " $(source_with A=1) " in *" topology_partial "*) ok=true ;; *) ok=false ;; esac
check "a CPU that is not shown is missed" "$ok"
"$program" info --quick -f json 2>/dev/null >"$work/partial"
check "... and both counts are there" \
    [ "$(jq -r '.host.topology | "\(.cpus) \(.places.cpu | length)"' "$work/partial")" = "1 $(nproc)" ]
expect 0 "a CPU that is not shown is measured" "$program" sb-capacity --quick -c "$(last_cpu)" -q -f json
finish
