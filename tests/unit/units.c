/* SPDX-License-Identifier: MIT */
/* The unit tests in one program: runs the main of the test that its argument names, unit_engine_test_steps for example. */
#include <stdio.h>
#include <string.h>

#define UNIT(name) int name(void);
#include "units.def"
#undef UNIT

static const struct {
    const char *name;
    int (*run)(void);
} units[] = {
#define UNIT(name) {#name, name},
#include "units.def"
#undef UNIT
};

int main(int count, char **argument)
{
    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        if (count == 2 && strcmp(argument[1], units[i].name) == 0)
            return units[i].run();
    fprintf(stderr, "usage: units TEST\n");
    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        fprintf(stderr, "    %s\n", units[i].name);
    return 2;
}
