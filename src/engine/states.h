/* SPDX-License-Identifier: MIT */
#pragma once

#include "engine/engine_internal.h"

/* Files the last moment, and all others anew where the witness knows better by now. */
void state_count(struct engine_data *data);
/* Of the samples filed under the state, the share during which it was left and entered again unseen, as far as the
 * changes that were seen tell. */
double state_hidden_share(const struct engine_data *data, enum state state);
