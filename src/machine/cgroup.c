/* SPDX-License-Identifier: MIT */
#include "machine/cgroup.h"

#include <limits.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "machine/sysfile.h"

struct group {
    int version;         /* 1 or 2 */
    size_t mount_length; /* of the mount point at the start of directory */
    char directory[PATH_MAX];
};

static bool in_list(const char *list, const char *word)
{
    const size_t length = strlen(word);

    for (const char *item = list; item; item = strchr(item, ',')) {
        item += *item == ',';
        if (strncmp(item, word, length) == 0 && (item[length] == ',' || item[length] == '\0'))
            return true;
    }
    return false;
}

/* The process's path in the hierarchy of a controller; "": the unified one. */
static bool own_path(const char *controller, char *path, size_t size)
{
    char line[PATH_MAX + 256];
    FILE *file = sys_open("/proc/self/cgroup");
    bool found = false;

    while (file && !found && fgets(line, sizeof(line), file)) {
        char *list = strchr(line, ':');
        char *name = list ? strchr(list + 1, ':') : NULL;
        if (!name)
            continue;
        *name++ = '\0';
        name[strcspn(name, "\n")] = '\0';
        found = *controller ? in_list(list + 1, controller) : list[1] == '\0';
        if (found)
            snprintf(path, size, "%s", name);
    }
    if (file)
        fclose(file);
    return found;
}

struct mount {
    char *root, *point, *type, *options;
};

/* "id parent dev root point options [tags] - type source superoptions" */
static bool parse_mount(char *line, struct mount *mount)
{
    char *field[5], *state = NULL;
    char *tail = strstr(line, " - ");

    if (!tail)
        return false;
    *tail = '\0';
    for (int i = 0; i < 5; i++)
        if (!(field[i] = strtok_r(i ? NULL : line, " ", &state)))
            return false;
    mount->root = field[3];
    mount->point = field[4];
    mount->type = strtok_r(tail + 3, " ", &state);
    char *source = strtok_r(NULL, " ", &state);
    mount->options = strtok_r(NULL, " \n", &state);
    return mount->type && source && mount->options;
}

static bool mount_has(const struct mount *mount, const char *controller)
{
    if (!*controller)
        return strcmp(mount->type, "cgroup2") == 0;
    return strcmp(mount->type, "cgroup") == 0 && in_list(mount->options, controller);
}

/* In a container the mount's root is the container's group, which the process's path then begins with. */
static void join_path(struct group *group, const struct mount *mount, const char *path)
{
    const size_t root = strcmp(mount->root, "/") == 0 ? 0 : strlen(mount->root);
    const char *rest = strncmp(path, mount->root, root) == 0 ? path + root : "";

    group->mount_length = strlen(mount->point);
    snprintf(group->directory, sizeof(group->directory), "%s%s", mount->point,
             strcmp(rest, "/") == 0 ? "" : rest);
}

static bool find_in(struct group *group, const char *controller)
{
    char line[2 * PATH_MAX], path[PATH_MAX];
    struct mount mount;
    bool found = false;

    if (!own_path(controller, path, sizeof(path)))
        return false;
    FILE *file = sys_open("/proc/self/mountinfo");
    while (file && !found && fgets(line, sizeof(line), file)) {
        found = parse_mount(line, &mount) && mount_has(&mount, controller);
        if (found)
            join_path(group, &mount, path);
    }
    if (file)
        fclose(file);
    return found;
}

static bool group_find(struct group *group, const char *controller)
{
    group->version = 1;
    if (find_in(group, controller))
        return true;
    group->version = 2;
    return find_in(group, "");
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

static uint64_t number_or(uint64_t otherwise, const struct group *group, const char *file)
{
    uint64_t value;
    return sys_number(&value, "%s/%s", group->directory, file) ? value : otherwise;
}

static uint64_t stat_or(uint64_t otherwise, const struct group *group, const char *file, const char *key)
{
    char text[32];
    uint64_t value;
    return sys_field(text, sizeof(text), key, "%s/%s", group->directory, file) && text_number(text, &value)
               ? value
               : otherwise;
}

static uint64_t least(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

static uint64_t room_here(const struct group *group)
{
    const bool v1 = group->version == 1;
    uint64_t limit = number_or(UINT64_MAX, group, v1 ? "memory.limit_in_bytes" : "memory.max");
    uint64_t used = number_or(0, group, v1 ? "memory.usage_in_bytes" : "memory.current");
    uint64_t droppable = stat_or(0, group, "memory.stat", v1 ? "total_inactive_file" : "inactive_file");

    /* Beyond memory.high nothing is killed, but everything crawls. */
    if (!v1)
        limit = least(limit, number_or(UINT64_MAX, group, "memory.high"));
    /* v1 writes "no limit" as LONG_MAX rounded down to pages. */
    if (limit >= (uint64_t)INT64_MAX / 2)
        return UINT64_MAX;
    used -= least(used, droppable);
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

static double quota_here(const struct group *group)
{
    uint64_t quota = 0, period = 0;

    if (group->version == 1) {
        quota = number_or(0, group, "cpu.cfs_quota_us");
        period = number_or(0, group, "cpu.cfs_period_us");
    } else {
        char line[64];
        if (sys_line(line, sizeof(line), "%s/cpu.max", group->directory) && text_number(line, &quota)) {
            const char *second = strchr(line, ' ');
            if (!second || !text_number(second + 1, &period))
                period = 0;
        }
    }
    return period > 0 ? (double)quota / (double)period : 0;
}

double cgroup_cpu_quota(void)
{
    struct group group;
    double quota = 0;

    if (!group_find(&group, "cpu"))
        return 0;
    do {
        const double here = quota_here(&group);
        if (here > 0 && (quota == 0 || here < quota))
            quota = here;
    } while (group_up(&group));
    return quota;
}

uint64_t cgroup_throttled(void)
{
    struct group group;
    uint64_t periods = 0;

    if (!group_find(&group, "cpu"))
        return 0;
    do
        periods += stat_or(0, &group, "cpu.stat", "nr_throttled");
    while (group_up(&group));
    return periods;
}
