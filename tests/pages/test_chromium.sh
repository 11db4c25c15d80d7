#!/bin/sh
# SPDX-License-Identifier: MIT
# The page of the recorded report in headless Chromium, at 390, 800 and 1400 pixels, light and dark: nothing overflows, no
# script fails, texts can be read (4.5:1), pictures fit, cells have tooltips, texts of the core sheet do not overlap.
# Skipped without Chromium.
program=$1
[ -x "$program" ] || { echo "usage: $0 UARCHPROBE" >&2; exit 99; }
base=$(cd "$(dirname "$0")" && pwd)/../data/results/report.json
browser=
for name in chromium chromium-browser google-chrome; do
    command -v $name >/dev/null 2>&1 && browser=$name && break
done
[ "$browser" ] || { echo "skipped: Chromium is not here"; exit 77; }
work=$(mktemp -d) || exit 99
trap 'rm -rf "$work"' EXIT
failures=0

fail() {
    echo "FAILED: $*" >&2
    failures=$((failures + 1))
}

# browse ARGUMENT...: each time from an empty profile and without the network.
browse() {
    rm -rf "$work/profile"
    mkdir "$work/profile"
    timeout 60 "$browser" --headless --no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking \
        --disable-component-update --disable-sync --hide-scrollbars --user-data-dir="$work/profile" "$@" 2>"$work/log"
}

"$program" report -q --from "$base" -o "$work/page.html" || exit 1

# The page in a frame of the width that is asked for (a window cannot be as narrow as a telephone), and a script that
# looks at it: Chromium prints the document, and with it the verdict.
cat >"$work/probe.js" <<'PROBE'
function luminance(color) {
    const part = color.match(/[\d.]+/g).map(Number).slice(0, 3).map(v => v / 255)
        .map(v => v <= 0.04045 ? v / 12.92 : Math.pow((v + 0.055) / 1.055, 2.4));
    return 0.2126 * part[0] + 0.7152 * part[1] + 0.0722 * part[2];
}
function contrast(a, b) {
    const x = luminance(a) + 0.05, y = luminance(b) + 0.05;
    return Math.max(x, y) / Math.min(x, y);
}
function look(frame) {
    const page = frame.contentDocument, view = frame.contentWindow, said = [];
    const root = page.documentElement;
    if (root.scrollWidth > root.clientWidth) said.push("overflow: " + root.scrollWidth + " in " + root.clientWidth);
    const ground = view.getComputedStyle(page.body).backgroundColor;
    let texts = 0;
    for (const element of page.querySelectorAll("h1,h2,h3,p,li,a,td,th,summary,text")) {
        // A value in a cell stands on the cell's colour, not on the page's; it is black or white, whichever is better there.
        if (!element.textContent.trim() || /\bv[bw]\b/.test(element.getAttribute("class"))) continue;
        const style = view.getComputedStyle(element);
        const color = element.tagName === "text" ? style.fill : style.color;
        texts++;
        if (contrast(color, ground) < 4.5) said.push("contrast of " + element.textContent.slice(0, 30) + ": " + color);
    }
    if (texts < 50) said.push("only " + texts + " texts");
    const svgs = page.querySelectorAll("figure svg");
    if (svgs.length < 3) said.push("only " + svgs.length + " pictures");
    for (const svg of svgs) {
        const sheet = svg.parentElement.className === "sheet", boxes = [];
        if (!sheet && svg.getAttribute("aria-label") !== "colours" && !svg.querySelector("title")) said.push("no tooltip in " + svg.getAttribute("aria-label"));
        const frame = svg.closest("figure"), scale = svg.getBoundingClientRect().width / svg.viewBox.baseVal.width;
        if (frame.getBoundingClientRect().right > root.clientWidth + 1) said.push("a picture is wider than the page");
        if (frame.className.startsWith("map") && frame.scrollWidth > frame.clientWidth) said.push("a map scrolls");
        for (const text of sheet ? [] : svg.querySelectorAll("text:not(.i)"))
            if (parseFloat(view.getComputedStyle(text).fontSize) * scale < 8)
                said.push("too small to be read: " + text.textContent);
        for (const text of sheet ? svg.querySelectorAll("text") : []) {
            const at = text.getBBox();
            for (const other of boxes)
                if (at.width && at.x < other.x + other.width && other.x < at.x + at.width &&
                    at.y + 6 < other.y + other.height && other.y + 6 < at.y + at.height)
                    said.push("texts overlap: " + text.textContent + " and " + other.said);
            boxes.push({x: at.x, y: at.y, width: at.width, height: at.height, said: text.textContent});
        }
        const box = svg.viewBox.baseVal;
        for (const text of svg.querySelectorAll("text")) {
            const at = text.getBBox(), m = text.getCTM(), s = svg.getCTM();
            const right = ((at.x + at.width) * m.a + at.y * m.c + m.e - s.e) / s.a;
            if (!text.getAttribute("transform") && right > box.width + 1)
                said.push("picture cuts off: " + text.textContent + " at " + Math.round(right));
        }
    }
    for (const table of page.querySelectorAll(".scroll"))
        if (table.scrollWidth > table.clientWidth) said.push("a table scrolls: " + table.textContent.trim().slice(0, 40));
    for (const id of ["summary", "machine", "data"]) if (!page.getElementById(id)) said.push("no section " + id);
    try { JSON.parse(page.getElementById("result").textContent); } catch (error) { said.push("data: " + error); }
    return said;
}
window.onerror = message => { document.title = "VERDICT script: " + message; };
window.onload = () => {
    const frame = document.querySelector("iframe");
    frame.contentWindow.onerror = message => { document.title = "VERDICT page: " + message; };
    const said = look(frame);
    document.title = "VERDICT " + (said.length ? said.slice(0, 8).join("; ") : "good");
};
PROBE

# verdict PAGE WIDTH THEME: what the probe says of it.
verdict() {
    printf '<!DOCTYPE html><html><head><script>%s</script></head><body><iframe src="'"$1"'" width="%s" height="900"></iframe></body></html>' \
        "$(cat "$work/probe.js")" "$2" >"$work/frame.html"
    scheme=1
    [ "$3" = dark ] && scheme=0
    browse --allow-file-access-from-files --blink-settings=preferredColorScheme=$scheme --window-size=1600,1000 \
        --virtual-time-budget=5000 --dump-dom "file://$work/frame.html" >"$work/dom"
    grep -o '<title>VERDICT [^<]*' "$work/dom" | sed 's/<title>VERDICT //'
}

# The probe sees what it looks for.
sed 's,<header>,<header><p style="color:#999">pale</p><script>nothing()</script>,' "$work/page.html" >"$work/pale.html"
sed 's,<header>,<header><p style="width:2000px">wide</p>,' "$work/page.html" >"$work/wide.html"
case $(verdict pale.html 1400 light) in *"contrast of pale"*) ;; *) fail "pale text is not seen" ;; esac
case $(verdict wide.html 360 light) in *"overflow"*) ;; *) fail "overflow is not seen" ;; esac

for width in 390 800 1400; do
    for theme in light dark; do
        said=$(verdict page.html $width $theme)
        [ "$said" = good ] || fail "$width pixels, $theme: ${said:-the page was not looked at: $(tail -n 3 "$work/log")}"
    done
done

# Dark is dark: the same probe would find no fault in a page that knows light alone.
browse --blink-settings=preferredColorScheme=0 --window-size=800,600 --screenshot="$work/dark.png" "file://$work/page.html" >/dev/null
browse --blink-settings=preferredColorScheme=1 --window-size=800,600 --screenshot="$work/light.png" "file://$work/page.html" >/dev/null
if [ ! -s "$work/dark.png" ] || [ ! -s "$work/light.png" ]; then
    fail "no screenshot"
elif cmp -s "$work/dark.png" "$work/light.png"; then
    fail "dark and light look the same"
fi
# On paper it is a few pages.
browse --no-pdf-header-footer --print-to-pdf="$work/page.pdf" "file://$work/page.html" >/dev/null
sheets=$(grep -ac '/Type /Page$' "$work/page.pdf")
{ [ "$sheets" -ge 1 ] && [ "$sheets" -le 5 ]; } || fail "$sheets printed pages"
# A drawing alone.
"$program" report -q --from "$base" -o "$work/page.svg"
browse --window-size=1000,2000 --screenshot="$work/svg.png" "file://$work/page.svg" >/dev/null
[ -s "$work/svg.png" ] || fail "the drawing is not shown"

[ "$failures" -eq 0 ] || echo "$failures failures" >&2
[ "$failures" -eq 0 ]
