/* SPDX-License-Identifier: MIT */
/* Random numbers: splitmix64 (Steele, Lea, Flood 2014). Any number is a seed, and is the state. */
#pragma once

#include <stddef.h>
#include <stdint.h>

static inline uint64_t random_next(uint64_t *state)
{
    uint64_t mixed = *state += UINT64_C(0x9e3779b97f4a7c15);
    mixed = (mixed ^ mixed >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    mixed = (mixed ^ mixed >> 27) * UINT64_C(0x94d049bb133111eb);
    return mixed ^ mixed >> 31;
}

/* 0 to bound - 1, bound from 1 to 2^32; no value is likelier than another by more than bound / 2^32 of it. */
uint64_t random_below(uint64_t *state, uint64_t bound);
/* Writes 0 to count - 1 in random order. */
void random_order(uint64_t *state, int *order, size_t count);
