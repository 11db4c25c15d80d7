// SPDX-License-Identifier: MIT
// Looks at the page in a frame of the width that is asked for (a window cannot be as narrow as a telephone) and gives its verdict in the title.
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
    if (svgs.length < 12) said.push("only " + svgs.length + " pictures");
    for (const svg of svgs) {
        const sheet = svg.parentElement.className === "sheet", boxes = [];
        if (!sheet && svg.getAttribute("aria-label") !== "colours" && !svg.querySelector("title")) said.push("no tooltip in " + svg.getAttribute("aria-label"));
        const frame = svg.closest("figure"), scale = svg.getBoundingClientRect().width / svg.viewBox.baseVal.width;
        if (frame.getBoundingClientRect().right > root.clientWidth + 1) said.push("a picture is wider than the page");
        if (frame.scrollWidth > frame.clientWidth) said.push("a picture scrolls");
        for (const text of svg.querySelectorAll("text"))
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
            const right = ((at.x + at.width) * m.a + at.y * m.c + m.e - s.e) / s.a, left = right - at.width * m.a / s.a;
            if (!text.getAttribute("transform") && (right > box.width + 1 || left < -1))
                said.push("picture cuts off: " + text.textContent + " from " + Math.round(left) + " to " + Math.round(right));
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
