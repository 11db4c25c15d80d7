/* SPDX-License-Identifier: MIT */
/* Keys of answers. */
#pragma once

#include "base/text.h"

/* Words as a part of a key: "beyond one L3" as "beyond_one_l3", "8/4" as "8_4". */
void text_add_key(struct text *text, const char *words);
