/* SPDX-License-Identifier: MIT */
#ifndef UARCHPROBE_ENGINE_STATES_H
#define UARCHPROBE_ENGINE_STATES_H

#include "uarchprobe/engine.h"

/* Of a sample between two moments. */
enum state state_between(const struct moment *before, const struct moment *after);
/* Of the samples filed under the state, the share during which it was left and entered again unseen, as far as the
 * changes that were seen tell. */
double state_hidden_share(const struct engine_data *data, enum state state);

#endif
