#!/bin/sh
# SPDX-License-Identifier: MIT
# Fuzzes the parsers of the command line with libFuzzer, the same inputs each time:
#   tests/fuzz/run.sh [RUNS]        100000 runs each if not given; needs clang and its libFuzzer
set -eu
runs=${1:-100000}
root=$(cd "$(dirname "$0")/../.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

for name in values options; do
    mkdir "$work/$name"
    case $name in
    values)
        for text in 64mi 64mi,1gi,4KiB 0-3,8 0-31:2 all 1-140 0.75 sse2,avx2 99999999999999999999g; do
            printf '%s' "$text" >"$work/$name/$text"
        done
        ;;
    options)
        printf -- '--count=3\n-s\n4ki,1m\n--tasks\ncopy,read\noperand' >"$work/$name/1"
        printf -- '-Fc5\n--cpus=0-7:2\n--range\n1-9\n--\n--flag' >"$work/$name/2"
        printf -- '--mod=fast\n--real=.5\n--names=a,b\n--text=x\n-b1gi\n--help' >"$work/$name/3"
        ;;
    esac
    ${CC:-clang} -std=c11 -D_GNU_SOURCE -g -O1 -fsanitize=fuzzer,address,undefined -fno-sanitize-recover=undefined \
        -I"$root/include" -I"$root/src" "$root/tests/fuzz/fuzz_$name.c" "$root/src/cli/status.c" \
        "$root/src/cli/words.c" "$root/src/cli/values.c" "$root/src/cli/options.c" -o "$work/fuzz_$name"
    echo "fuzz_$name:"
    (cd "$work" && "./fuzz_$name" -runs="$runs" -seed=1 -max_len=512 -print_final_stats=0 -verbosity=0 \
        -artifact_prefix="$work/" "$work/$name") || {
        cp "$work"/crash-* . 2>/dev/null || true
        exit 1
    }
    echo "fuzz_$name: $runs runs, no failure"
done
