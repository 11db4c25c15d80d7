# SPDX-License-Identifier: MIT
# The results of other machines that the repository holds: each is whole, fits the schema, can be shown, and is on the page.
. "$(dirname "$0")/../common.sh"
root=$(cd "$(dirname "$0")/../.." && pwd)

for file in "$root"/results/*.json; do
    shown report --from "$file" --quiet
    check "$(basename "$file") names its CPU" grep -q '"brand":"[^"]' "$file"
    check "$(basename "$file") has findings" grep -q '"trust":"' "$file"
    check "$(basename "$file") is small" [ "$(wc -c <"$file")" -le 100000 ]
done
if python3 -c 'import jsonschema' 2>/dev/null; then
    check "they fit the schema" python3 "$root/tests/cli/validate.py" "$root/docs/schema.json" "$root"/results/*.json
else
    echo "skip the schema: python3-jsonschema is not here"
fi
if command -v jq >/dev/null; then
    "$root/scripts/results" >"$work/out" 2>"$work/err"
    check "docs/results.md is what scripts/results makes of them" cmp -s "$work/out" "$root/docs/results.md"
    cp "$(ls "$root"/results/*.json | head -n 1)" "$work/mine.json"
    check "a file is one of where it is asked for" sh -c 'cd "$1" && "$2" mine.json >page' - "$work" "$root/scripts/results"
else
    echo "skip the page: jq is not here"
fi
finish
