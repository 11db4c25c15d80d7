/* SPDX-License-Identifier: MIT */
#include "cluster.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const struct gap_rule gap_rule_cycles = {
    .absolute = 0.35, .relative = 0.03, .fine_below = 1.5, .fine = 0.2, .least = 2};

struct ranked {
    double value;
    size_t index;
};

static int by_value(const void *a, const void *b)
{
    const struct ranked *x = a, *y = b;
    if (x->value != y->value)
        return x->value < y->value ? -1 : 1;
    return x->index < y->index ? -1 : x->index > y->index;
}

static size_t rank_values(const double *value, size_t count, struct ranked *ranked, int *label)
{
    size_t known = 0;
    for (size_t i = 0; i < count; i++) {
        label[i] = -1;
        if (!isnan(value[i]))
            ranked[known++] = (struct ranked){value[i], i};
    }
    qsort(ranked, known, sizeof *ranked, by_value);
    return known;
}

static double coarse_gap(const struct gap_rule *rule, double value)
{
    return fmax(rule->absolute, rule->relative * value);
}

static double gap_that_cuts(const struct gap_rule *rule, double value)
{
    return value < rule->fine_below ? rule->fine : coarse_gap(rule, value);
}

static void close_cluster(struct clusters *clusters, const struct ranked *ranked, size_t begin, size_t end,
                          int family, const struct gap_rule *rule, int *label)
{
    const size_t count = end - begin;
    const double upper = ranked[begin + count / 2].value, lower = ranked[begin + (count - 1) / 2].value;
    clusters->cluster[clusters->count] = (struct cluster){
        .low = ranked[begin].value,
        .value = (lower + upper) / 2,
        .high = ranked[end - 1].value,
        .count = count,
        .family = family,
        .outlier = count < rule->least,
    };
    for (size_t i = begin; i < end; i++)
        label[ranked[i].index] = clusters->count;
    clusters->count++;
}

static void cut(struct clusters *clusters, const struct ranked *ranked, size_t count,
                const struct gap_rule *rule, int *label)
{
    size_t begin = 0;
    int family = 0;
    for (size_t i = 1; i <= count; i++) {
        const double below = ranked[i - 1].value, gap = i < count ? ranked[i].value - below : INFINITY;
        if (gap <= gap_that_cuts(rule, below) || (clusters->count == CLUSTER_MAX - 1 && i < count))
            continue;
        close_cluster(clusters, ranked, begin, i, family, rule, label);
        family += gap > coarse_gap(rule, below);
        begin = i;
    }
}

bool cluster_by_gaps(const double *value, size_t count, const struct gap_rule *rule,
                     struct clusters *clusters, int *label)
{
    memset(clusters, 0, sizeof *clusters);
    struct ranked *ranked = calloc(count ? count : 1, sizeof *ranked);
    if (!ranked)
        return false;
    const size_t known = rank_values(value, count, ranked, label);
    if (known > 0)
        cut(clusters, ranked, known, rule, label);
    free(ranked);
    return true;
}

size_t cluster_family_size(const struct clusters *clusters, int family)
{
    size_t count = 0;
    for (int i = 0; i < clusters->count; i++)
        count += clusters->cluster[i].family == family ? clusters->cluster[i].count : 0;
    return count;
}

double cluster_agreement(const struct clusters *a, const int *label_a, const struct clusters *b,
                         const int *label_b, size_t count, const struct gap_rule *rule)
{
    size_t equal = 0;
    for (size_t i = 0; i < count; i++) {
        if (label_a[i] < 0 || label_b[i] < 0) {
            equal += label_a[i] == label_b[i];
            continue;
        }
        const double x = a->cluster[label_a[i]].value, y = b->cluster[label_b[i]].value;
        equal += fabs(x - y) <= gap_that_cuts(rule, fmin(x, y));
    }
    return count ? (double)equal / (double)count : 0;
}
