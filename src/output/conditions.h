/* SPDX-License-Identifier: MIT */
/* Under what a result was measured, in a line. */
#pragma once

#include "uarchprobe/record.h"

/* "KVM guest, sibling busy 23 %, 2.70 to 3.00 GHz"; "" where nothing is
 * known. Freed by the caller. */
char *conditions_text(const struct record *record);
