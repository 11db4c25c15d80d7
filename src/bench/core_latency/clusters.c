/* SPDX-License-Identifier: MIT */
#include "clusters.h"

#include <stdlib.h>

static int root_of(int *parent, int i)
{
    while (parent[i] != i) {
        parent[i] = parent[parent[i]];
        i = parent[i];
    }
    return i;
}

/* Near pairs among all that lie within one group; there may be none. */
static bool near_within(const struct near_pair *pair, size_t pairs, double limit, int *parent)
{
    size_t within = 0, near = 0;

    for (size_t i = 0; i < pairs; i++) {
        if (root_of(parent, pair[i].a) != root_of(parent, pair[i].b))
            continue;
        within++;
        near += pair[i].value <= limit;
    }
    return 10 * near >= 9 * within;
}

static int number_groups(int *parent, int count, int *label)
{
    int groups = 0;

    for (int i = 0; i < count; i++)
        label[i] = -1;
    for (int i = 0; i < count; i++) {
        int root = root_of(parent, i);
        if (label[root] < 0)
            label[root] = groups++;
        label[i] = label[root];
    }
    return groups;
}

int clusters_find(const struct near_pair *pair, size_t pairs, int count, double limit, int *label)
{
    int *parent = malloc((size_t)count * sizeof *parent), groups = 0;

    if (!parent)
        return 0;
    for (int i = 0; i < count; i++)
        parent[i] = i;
    for (size_t i = 0; i < pairs; i++) {
        int a = root_of(parent, pair[i].a), b = root_of(parent, pair[i].b);
        if (pair[i].value <= limit && a != b)
            parent[a > b ? a : b] = a > b ? b : a; /* the root is the first member */
    }
    if (near_within(pair, pairs, limit, parent))
        groups = number_groups(parent, count, label);
    free(parent);
    return groups;
}

/* Members of one group carry the label of its first member everywhere. */
static bool refines(const int *a, const int *b, int count)
{
    for (int i = 0; i < count; i++) {
        for (int j = i + 1; j < count; j++) {
            if (a[i] == a[j] && b[i] != b[j])
                return false;
        }
    }
    return true;
}

bool clusters_same(const int *a, const int *b, int count)
{
    return refines(a, b, count) && refines(b, a, count);
}
