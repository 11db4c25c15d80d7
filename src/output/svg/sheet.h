/* SPDX-License-Identifier: MIT */
/* The core sheet: a block diagram of this CPU, each block with what was measured of it. */
#pragma once

#include "base/text.h"
#include "uarchprobe/record.h"

enum { SHEET_WIDTH = 1200, SHEET_HEIGHT = 630 }; /* what previews of links take */

/* Elements of SVG on SHEET_WIDTH x SHEET_HEIGHT, from (0, 0). */
void svg_sheet(const struct record *record, struct text *out);
