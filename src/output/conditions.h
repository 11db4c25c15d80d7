/* SPDX-License-Identifier: MIT */
/* Under what a result was measured, in a line. */
#pragma once

#include "uarchprobe/record.h"

/* "Conditions: KVM guest; SMT sibling busy 23 %; 2.7 to 3.0 GHz"; "" where nothing is
 * known. Freed by the caller. */
char *conditions_text(const struct record *record);
