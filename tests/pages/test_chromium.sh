# SPDX-License-Identifier: MIT
# The page of the recorded report in headless Chromium, at 390, 800 and 1400 pixels, light and dark: nothing overflows, no
# script fails, texts can be read (4.5:1), pictures fit, cells have tooltips, texts of the core sheet do not overlap.
# Skipped without Chromium.
. "$(dirname "$0")/../common.sh"
here=$(cd "$(dirname "$0")" && pwd)
base=$here/../data/results/report.json
browser=
for name in chromium chromium-browser google-chrome; do
    command -v $name >/dev/null 2>&1 && browser=$name && break
done
[ "$browser" ] || skip "Chromium is not here"

# browse ARGUMENT...: each time from an empty profile and without the network.
browse() {
    rm -rf "$work/profile"
    mkdir "$work/profile"
    timeout 60 "$browser" --headless --no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking \
        --disable-component-update --disable-sync --hide-scrollbars --user-data-dir="$work/profile" "$@" 2>"$work/log"
}

"$program" report -q --from "$base" -o "$work/page.html" || exit 1

# seen PAGE WIDTH THEME: the probe's verdict; Chromium prints it with the document.
seen() {
    printf '<!DOCTYPE html><html><head><script>%s</script></head><body><iframe src="'"$1"'" width="%s" height="900"></iframe></body></html>' \
        "$(cat "$here/probe.js")" "$2" >"$work/frame.html"
    scheme=1
    [ "$3" = dark ] && scheme=0
    browse --allow-file-access-from-files --blink-settings=preferredColorScheme=$scheme --window-size=1600,1000 \
        --virtual-time-budget=5000 --dump-dom "file://$work/frame.html" >"$work/dom"
    grep -o '<title>VERDICT [^<]*' "$work/dom" | sed 's/<title>VERDICT //'
}

# The probe sees a planted fault.
sed 's,<header>,<header><p style="color:#999">pale</p><script>nothing()</script>,' "$work/page.html" >"$work/pale.html"
sed 's,<header>,<header><p style="width:2000px">wide</p>,' "$work/page.html" >"$work/wide.html"
seen pale.html 1400 light >"$work/out"
check "pale text is seen" grep -q "contrast of pale" "$work/out"
seen wide.html 360 light >"$work/out"
check "overflow is seen" grep -q overflow "$work/out"

for width in 390 800 1400; do
    for theme in light dark; do
        seen page.html $width $theme >"$work/out"
        [ -s "$work/out" ] || tail -n 3 "$work/log" >"$work/out"
        check "$width pixels, $theme" grep -qx good "$work/out"
    done
done

# Dark is dark: the same probe would find no fault in a page that knows light alone.
for scheme in 0 1; do
    browse --blink-settings=preferredColorScheme=$scheme --window-size=800,600 --screenshot="$work/$scheme.png" "file://$work/page.html" >/dev/null
    check "screenshot $scheme" [ -s "$work/$scheme.png" ]
done
check "dark and light differ" sh -c '! cmp -s "$1/0.png" "$1/1.png"' - "$work"
browse --no-pdf-header-footer --print-to-pdf="$work/page.pdf" "file://$work/page.html" >/dev/null
sheets=$(grep -ac '/Type /Page$' "$work/page.pdf")
check "on paper it is a few pages" [ "${sheets:-0}" -ge 1 -a "${sheets:-0}" -le 5 ]
"$program" report -q --from "$base" -o "$work/page.svg"
browse --window-size=1000,2000 --screenshot="$work/svg.png" "file://$work/page.svg" >/dev/null
check "a drawing alone is shown" [ -s "$work/svg.png" ]
finish
