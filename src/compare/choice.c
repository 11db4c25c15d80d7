/* SPDX-License-Identifier: MIT */
#include "choice.h"

#include <fnmatch.h>
#include <math.h>
#include <string.h>

bool choice_takes(const struct choice *choice, const char *key)
{
    bool takes = choice->only.count == 0;
    for (int i = 0; i < choice->only.count && !takes; i++)
        takes = fnmatch(choice->only.name[i], key, 0) == 0;
    return takes;
}

double choice_threshold(const struct choice *choice)
{
    return choice->threshold > 0 ? choice->threshold / 100 : NAN;
}
