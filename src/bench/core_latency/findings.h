/* SPDX-License-Identifier: MIT */
#ifndef UARCHPROBE_BENCH_CORE_LATENCY_FINDINGS_H
#define UARCHPROBE_BENCH_CORE_LATENCY_FINDINGS_H

#include "matrix.h"

/* Its key and text follow the name of the series. What a cut run says is medium at most. */
void latency_add_finding(const struct latency_matrix *matrix, enum handover_series series, const char *key,
                         struct finding finding);
/* Values by distance, extremes, asymmetric pairs. */
void latency_findings(const struct latency_matrix *matrix, enum handover_series series);
/* What the operations cost one CPU by itself. */
void latency_own_findings(const struct latency_matrix *matrix);
/* Where the host has the CPUs: what it moves, what it hides, groups. */
void latency_placement_findings(const struct latency_matrix *matrix);
void latency_warnings(const struct latency_matrix *matrix);

#endif
