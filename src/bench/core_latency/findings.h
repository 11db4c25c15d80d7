/* SPDX-License-Identifier: MIT */
#ifndef UARCHPROBE_BENCH_CORE_LATENCY_FINDINGS_H
#define UARCHPROBE_BENCH_CORE_LATENCY_FINDINGS_H

#include "matrix.h"

/* The verdict with what only the whole run knows: values that the topology rules out. */
struct cell_verdict latency_final_verdict(const struct latency_matrix *matrix, enum handover_series series,
                                          size_t pair);
/* Medians by class, extremes, asymmetric pairs, clusters. */
void latency_findings(struct latency_matrix *matrix, enum handover_series series);
/* What the operations cost one CPU by itself. */
void latency_own_findings(const struct latency_matrix *matrix);
void latency_warnings(const struct latency_matrix *matrix);

#endif
