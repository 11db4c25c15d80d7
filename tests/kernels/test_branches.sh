# SPDX-License-Identifier: MIT
# No loop of a kernel of `ram` ends in a jump that crosses or ends on 32 bytes, with the comparison that is executed as
# one with it: cores from Skylake to Cascade Lake (the JCC erratum) fetch such a jump anew each time, and kernels that have
# it would be compared with kernels that have not.
set -u
"${READELF:-readelf}" -h "$1" | grep -q 'X86-64' || { echo "skipped: x86_64 only"; exit 77; }
"${OBJDUMP:-objdump}" -d -M intel "$1" | awk '
    function number(hex,    value, i) {
        value = 0
        for (i = 1; i <= length(hex); i++) value = value * 16 + index("0123456789abcdef", substr(hex, i, 1)) - 1
        return value
    }
    /^[0-9a-f]+ <.*>:$/ {
        name = substr($2, 2, length($2) - 3)
        ours = name ~ /^(copy|write|compare|agg_or|read)_(scalar|sse2|avx2|avx512)/ || name ~ /^(latency_chase|draw_load|chain_add|chain_mul)$/
        kernels += ours
        begin = -1
        next
    }
    !ours { next }
    $1 ~ /^[0-9a-f]+:$/ {
        at = number(substr($1, 1, length($1) - 1))
        bytes = 0
        for (i = 2; $i ~ /^[0-9a-f][0-9a-f]$/; i++) bytes++
        if ($i == "") next # more bytes of the line before
        word = $i
        if (word ~ /^j[^m]/ && number($(i + 1)) < at) {
            loops++
            first = begin >= 0 ? begin : at
            if (int(first / 32) != int((at + bytes) / 32)) {
                printf "not ok %s: the jump at %s crosses or ends on 32 bytes\n", name, $1
                bad++
            }
        }
        begin = word ~ /^(cmp|test|add|sub|inc|dec|and)$/ ? at : -1
    }
    END {
        if (kernels < 80 || loops < 2 * kernels) { printf "not ok %d kernels and %d loops found\n", kernels, loops; bad++ }
        if (!bad) printf "ok %d loops of %d kernels\n", loops, kernels
        exit bad > 0
    }'
