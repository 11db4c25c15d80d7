/* SPDX-License-Identifier: MIT */
#ifndef UARCHPROBE_ENGINE_STATES_H
#define UARCHPROBE_ENGINE_STATES_H

#include "uarchprobe/engine.h"

/* Counts the last moment. */
void state_count(struct engine_data *data);
/* Of the samples filed under the state, the share during which it was left and entered again unseen, as far as the
 * changes that were seen tell. */
double state_hidden_share(const struct engine_data *data, enum state state);

#endif
