/* SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <string.h>

#include "cli/host.h"
#include "machine/cgroup.h"
#include "machine/os.h"

/* One name when all allowed CPUs agree, "mixed" when they do not; false when one of them has none. */
static bool common_governor(const struct topology *topology, char *name, size_t size)
{
    char other[64];

    for (int i = 0; i < topology->place_count; i++) {
        if (!os_governor(topology->place[i].id, i ? other : name, i ? sizeof(other) : size))
            return false;
        if (i && strcmp(name, other) != 0) {
            snprintf(name, size, "mixed");
            return true;
        }
    }
    return topology->place_count > 0;
}

static void add(struct record *record, const char *path, const char *title, const char *unit,
                struct cell value)
{
    record_fact(record, (struct fact){.path = path, .title = title, .unit = unit, .value = value});
}

void host_settings_record(const struct topology *topology, struct record *record)
{
    char name[64], cpus[256], word[32];
    bool turbo;
    const double quota = cgroup_cpu_quota();
    const bool governed = common_governor(topology, name, sizeof(name));

    add(record, "host.governor", "Frequency governor", NULL, governed ? TEXT_CELL(name) : NO_CELL);
    add(record, "host.turbo", "Turbo", NULL, os_turbo(&turbo) ? BOOL_CELL(turbo) : NO_CELL);
    add(record, "host.thp", "Transparent huge pages", NULL,
        os_huge_pages(word, sizeof(word)) ? TEXT_CELL(word) : NO_CELL);
    /* Rare enough to be worth a line for people only where there are some. */
    add(record, "host.cpu_quota", quota > 0 ? "CPU quota" : NULL, "CPUs",
        quota > 0 ? REAL_CELL(quota) : NO_CELL);
    const bool isolated = os_isolated_cpus(cpus, sizeof(cpus));
    add(record, "host.isolated_cpus", isolated ? "Isolated CPUs" : NULL, NULL,
        isolated ? TEXT_CELL(cpus) : NO_CELL);
}
