#!/bin/sh
# SPDX-License-Identifier: MIT
# The profile uses the program on the PATH. The launcher turns answers into lines that results-definition.xml reads.
command -v uarchprobe >/dev/null || { echo "uarchprobe is not on the PATH"; echo 1 >~/install-exit-status; exit 1; }
cat >uarchprobe <<'LAUNCHER'
#!/bin/sh
program=$(PATH=$(echo "$PATH" | sed "s,$(pwd):,,") command -v uarchprobe)
"$program" "$1" --quick -q -f answers >found
code=$?
awk -F'\t' 'NR > 1 && $4 != "low" && $2 + 0 == $2 {
    value = $2; unit = $3
    if (unit == "Byte/s") { value /= 1e9; unit = "GB/s" }
    if (unit == "ns" || unit == "cycles" || unit == "GB/s" || unit == "entries")
        printf "%s: %.6g %s\n", $1, value, unit
}' found >"$LOG_FILE"
echo $code >~/test-exit-status
LAUNCHER
chmod +x uarchprobe
