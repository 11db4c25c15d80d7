/* SPDX-License-Identifier: MIT */
/* Names of the features, for both ISAs. */
#include "uarchprobe/feature.h"

const char *feature_name(enum feature feature)
{
    static const char *const names[] = {
#define X(id, name) [FEATURE_##id] = (name),
        FEATURE_LIST(X)
#undef X
    };
    return names[feature];
}
