# SPDX-License-Identifier: MIT
# Results are for others to read: no folder of a named file, and the name of the machine only on request.
. "$(dirname "$0")/../common.sh"
recorded=$(dirname "$0")/../data/results/report.json
home=$work/jane.doe
mkdir "$home"
cp "$recorded" "$home/a.json"
sed 's/"kernel": "[^"]*"/"kernel": "other"/; s/"arch": "[^"]*"/"arch": "other"/' "$recorded" >"$home/b.json"
ln -s "$(command -v "$program")" "$home/probe"

# private NAME: the output of the last run.
private() {
    check "$1 names no folder" sh -c '[ -s "$1" ] && ! grep -q jane "$1"' - "$2"
}

for name in info.json info.html; do
    "$home/probe" info --quick -q -o "$home/$name"
    private $name "$home/$name"
done
"$home/probe" info --quick -q --output="$home/../jane.doe/long.json"
private "--output=FILE" "$home/long.json"
"$home/probe" info --quick -q -o"$home/short.json"
private "-oFILE" "$home/short.json"
check "the first word is the program" grep -q '"argv": *\["uarchprobe", *"info", *"--quick", *"-q", *"-o' "$home/info.json"
check "a file's name stays" grep -q 'info.json' "$home/info.json"
for format in json html; do
    run compare "$home/a.json" "$home/b.json" -f $format
    private "compare as $format" "$work/out"
    run check "$home/b.json" --against "$home/a.json" -f $format
    private "check as $format" "$work/out"
done

SLURMD_NODENAME=n17 "$program" info --quick -q -f json >"$work/out"
check "a node that nobody asks for is not named" sh -c '! grep -q n17 "$1"' - "$work/out"
UARCHPROBE_NODE=n17 "$program" info --quick -q -f json >"$work/out"
check "a node is named where UARCHPROBE_NODE asks" grep -q '"node": *"n17"' "$work/out"
finish
