# SPDX-License-Identifier: MIT
# Machines other than this one, as hwloc makes them up: large, hybrid in numbering, tiny.
. "$(dirname "$0")/../common.sh"

machine() {
    HWLOC_SYNTHETIC=$1
    export HWLOC_SYNTHETIC
    expect 0 "info on '$1'" "$program" info --format json
    in_out "\"cpus\": *$2"
    in_out "\"allowed\": *\"$3\""
}

machine "pack:2 numa:4 core:150 pu:2" 2400 "0-2399"
machine "core:4 pu:1(indexes=9,3,5,4)" 4 "3-5,9"
machine "pu:1" 1 "0"
finish
