/* SPDX-License-Identifier: MIT */
/* What disturbed a whole run; what a single number is worth is in engine.h. */
#ifndef UARCHPROBE_TRUST_H
#define UARCHPROBE_TRUST_H

#include "uarchprobe/pin.h"
#include "uarchprobe/record.h"

/* Adds the warnings that a whole run deserves: steal, throttling, preemption. seconds: the run's length. */
void trust_warn(struct record *record, const struct disturbance *during, double seconds);

#endif
