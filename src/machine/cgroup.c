/* SPDX-License-Identifier: MIT */
#include "machine/cgroup.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "machine/os.h"

enum { PATH = 2048 };

/* A group of a controller of v1, or of v2, which has one hierarchy for all. */
struct group {
    bool v1;
    size_t mount_length; /* of the mount point at the start of directory */
    char directory[2 * PATH];
};

static bool in_list(const char *list, const char *word)
{
    char between[258], sought[34];
    snprintf(between, sizeof between, ",%s,", list);
    snprintf(sought, sizeof sought, ",%s,", word);
    return strstr(between, sought) != NULL;
}

/* The process's path in the hierarchy: "5:cpu,cpuacct:/path" of v1, "0::/path" of v2. */
static bool own_path(const char *controller, bool v1, char path[PATH])
{
    char line[PATH + 256], list[256];
    FILE *file = sys_open("/proc/self/cgroup");
    bool found = false;

    while (file && !found && fgets(line, sizeof line, file))
        found = v1 ? sscanf(line, "%*d:%255[^:]:%2047[^\n]", list, path) == 2 && in_list(list, controller)
                   : sscanf(line, "0::%2047[^\n]", path) == 1;
    if (file)
        fclose(file);
    return found;
}

/* "id parent device root point options [tags] - type source superoptions"; in a container the root of the
 * mount is the container's group, which the process's path then begins with. */
static bool find_in(struct group *group, const char *controller, bool v1)
{
    char line[3 * PATH], path[PATH], root[PATH], point[PATH], type[32], options[256];
    FILE *file = own_path(controller, v1, path) ? sys_open("/proc/self/mountinfo") : NULL;
    bool found = false;

    while (file && !found && fgets(line, sizeof line, file)) {
        const char *tail = strstr(line, " - ");
        found =
            tail && sscanf(line, "%*s %*s %*s %2047s %2047s", root, point) == 2 &&
            sscanf(tail, " - %31s %*s %255s", type, options) == 2 &&
            (v1 ? strcmp(type, "cgroup") == 0 && in_list(options, controller) : strcmp(type, "cgroup2") == 0);
    }
    if (file)
        fclose(file);
    if (!found)
        return false;
    const size_t shared = strcmp(root, "/") == 0 ? 0 : strlen(root);
    const char *rest = strncmp(path, root, shared) == 0 ? path + shared : "";
    group->v1 = v1;
    group->mount_length = strlen(point);
    snprintf(group->directory, sizeof group->directory, "%s%s", point, strcmp(rest, "/") == 0 ? "" : rest);
    return true;
}

static bool group_find(struct group *group, const char *controller)
{
    return find_in(group, controller, true) || find_in(group, controller, false);
}

/* False when the group was the highest that can be seen. */
static bool group_up(struct group *group)
{
    char *slash = strrchr(group->directory, '/');

    if (!slash || (size_t)(slash - group->directory) < group->mount_length)
        return false;
    *slash = '\0';
    return true;
}

/* key: of a line; "": the file is one number. */
static uint64_t number_of(const struct group *group, const char *file, const char *key, uint64_t otherwise)
{
    uint64_t value;
    return sys_field_number(&value, key, "%s/%s", group->directory, file) ? value : otherwise;
}

static uint64_t least(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

static uint64_t room_here(const struct group *group)
{
    const bool v1 = group->v1;
    uint64_t limit = number_of(group, v1 ? "memory.limit_in_bytes" : "memory.max", "", UINT64_MAX);
    uint64_t used = number_of(group, v1 ? "memory.usage_in_bytes" : "memory.current", "", 0);

    /* Beyond memory.high nothing is killed, but everything crawls. */
    if (!v1)
        limit = least(limit, number_of(group, "memory.high", "", UINT64_MAX));
    /* v1 writes "no limit" as LONG_MAX rounded down to pages. */
    if (limit >= (uint64_t)INT64_MAX / 2)
        return UINT64_MAX;
    used -= least(used, number_of(group, "memory.stat", v1 ? "total_inactive_file" : "inactive_file", 0));
    return limit - least(limit, used);
}

uint64_t cgroup_memory_room(void)
{
    struct group group;
    uint64_t room = UINT64_MAX;

    if (!group_find(&group, "memory"))
        return room;
    do
        room = least(room, room_here(&group));
    while (group_up(&group));
    return room;
}

double cgroup_cpu_quota(void)
{
    struct group group;
    double least_quota = 0;

    if (!group_find(&group, "cpu"))
        return 0;
    do {
        unsigned long long quota = 0, period = 0;
        char line[64];
        if (group.v1) {
            quota = number_of(&group, "cpu.cfs_quota_us", "", 0);
            period = number_of(&group, "cpu.cfs_period_us", "", 0);
        } else if (!sys_line(line, sizeof line, "%s/cpu.max", group.directory) ||
                   sscanf(line, "%llu %llu", &quota, &period) != 2)
            period = 0; /* "max" */
        const double here = period > 0 ? (double)quota / (double)period : 0;
        if (here > 0 && (least_quota == 0 || here < least_quota))
            least_quota = here;
    } while (group_up(&group));
    return least_quota;
}

uint64_t cgroup_throttled(void)
{
    struct group group;
    uint64_t periods = 0;

    if (!group_find(&group, "cpu"))
        return 0;
    do
        periods += number_of(&group, "cpu.stat", "nr_throttled", 0);
    while (group_up(&group));
    return periods;
}
