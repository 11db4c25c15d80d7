# SPDX-License-Identifier: MIT
# Each command of the documents runs as printed, those that measure with a time budget of a fraction of a second (with $QUICK they only
# plan), others on recorded results; each script has the options that they name.
. "$(dirname "$0")/../common.sh"
command -v jq >/dev/null || skip "jq is not here"
if emulated; then skip "measuring takes too long"; fi
root=$(cd "$(dirname "$0")/../.." && pwd -P)
cd "$work" || exit 99

# "PAGE:COMMAND" a line: commands of indented blocks, less prompt and comment, and of sentences, where one may go on in the next
# line.
for page in "$root"/README.md "$root"/docs/*.md "$root"/results/README.md "$root"/packaging/README.md; do
    {
        sed -n 's/^    *\(\$ \)\{0,1\}\([a-z]\)/\2/p' "$page" | sed 's/  *# .*//'
        sed '/^    /d' "$page" | tr '\n' ' ' | grep -o '`[^`]*`' | tr -d '`'
    } | sed -n "/^uarchprobe [a-z-]/!{
            /^scripts\//!{
                /^tests\/[a-z]*\/[a-z]/!d
            }
        }
        s,[|&;>].*,,
        s, /[a-z/_-]*/, ,g; s,results/FILE,FILE,; s, WORD\$, trust,; s, PRESET\$, release,; s,\.\.\.,,g
        s,^,${page#"$root"/}:,p"
done | sort -u >all
# The command alone, whose paths are here, and names of arguments that stand for something; without patterns,
# which are no commands, and without what another page has, too.
grep -v -e '\[' -e '\*' -e COMMAND -e NAME -e FOLDER all | awk '{ command = $0; sub(/^[^:]*:/, "", command) } !seen[command]++' >commands
check "the documents have commands" [ "$(grep -c :uarchprobe commands)" -ge 30 ]

# Files of the examples: recorded results, and limits. Each command has them anew, as
# another may have written there.
mkdir fresh
for file in good.json full.json before.json after.json FILE FILE.json BEFORE AFTER A B C; do
    cp "$root/tests/data/results/report.json" "fresh/$file"
done
files() {
    cp fresh/* .
}
files
printf '#!/bin/sh\n' >benchmark && chmod +x benchmark
echo 'store_buffer.entries >= 1 entries' >uarchprobe.limits

# written FILE: where -o names one, it is there.
written() {
    [ "$budget" != --dry-run ] || return 0
    given="$*"
    case " $given " in *' -o '*) file=${given##*-o } && [ -e "${file%% *}" ] ;; esac
}

# taken ARGUMENT...: no usage error, every file is found, and what is measured is a result.
taken() {
    files
    budget=
    case "$*" in
    check*" -- "*) ;;
    check*) set -- "$@" good.json ;;
    'info --from FILE') set -- info --from "$root/tests/data/cpuid/zen_4.txt" ;;
    compare | info) set -- "$@" --help ;;
    *--time-budget*) budget=${QUICK-} ;;
    *--dry-run* | *--help*) ;;
    *) ! "$program" "$1" --help 2>/dev/null | grep -q -e --dry-run || budget=${QUICK:---time-budget 0.3} ;;
    esac
    run "$@" $budget
    # 1: nothing was measured in that time; 3 and 4: for want of CPUs, memory or features.
    case $code in
    0) written "$@" ;;
    1 | 3 | 4) [ "$budget" ] ;;
    5) true ;;
    *) false ;;
    esac
}

# option WORD SCRIPT: the script, or the build that it makes, has it.
option() {
    case $1 in
    -DBUILD_TESTING=*) ;;
    -D*) asked=${1#-D} && grep -q "^ *option(${asked%%=*} " "$root/CMakeLists.txt" ;;
    -*) grep -q -e "$1" "$2" ;;
    esac
}

# there SCRIPT ARGUMENT...
there() {
    script=$root/$1
    [ -e "$script" ] || return 1
    [ "$1" != scripts/build ] || [ $# -lt 2 ] || grep -q "\"name\": \"$2\"" "$root/CMakePresets.json" || return 1
    for word in "$@"; do option "$word" "$script" || return 1; done
}

while IFS=: read -r page line; do
    case $line in
    uarchprobe*) eval "set -- ${line#* }" && check "$page: uarchprobe $*" taken "$@" ;;
    *) eval "set -- $line" && check "$page: $*" there "$@" ;;
    esac
done <commands

# Tests that the documents name.
grep -oh 'test_[a-z_0-9]*' "$root"/docs/*.md | sort -u >tests
find "$root/tests" -name 'test_*' | sed 's,.*/,,' >all
while read -r name; do check "$name is a test" grep -q "^$name" all; done <tests

# Labels of the rows that README.md shows of a command.
sed -n '/^    \$ uarchprobe/,/^$/d; /^    [A-Za-z]/s/^    \([^ ]*\( [^ ]\{1,\}\)*\)  .*/\1/p' "$root/README.md" | grep -v '^all answers\|^and [0-9]\|^scripts' | sort -u >labels
check "README.md has rows of answers" [ "$(wc -l <labels)" -ge 10 ]
while read -r label; do check "README.md: explain $label" "$program" explain "$label" >/dev/null; done <labels
# Pictures are what the program draws of the results that are kept for them.
mkdir drawn && "$root/scripts/pictures" "$program" drawn
for picture in "$root"/docs/pictures/*.svg; do
    check "${picture##*/} is what scripts/pictures draws" cmp -s "$picture" "drawn/${picture##*/}"
    check "... and in a document" grep -q "pictures/${picture##*/}" "$root"/README.md "$root"/docs/*.md
done
check "each picture is there" [ "$(ls drawn | wc -l)" -eq "$(ls "$root"/docs/pictures | wc -l)" ]
finish
