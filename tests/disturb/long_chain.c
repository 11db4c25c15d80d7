/* SPDX-License-Identifier: MIT */
/* The true core clock, for tests/disturb/core-clock: slices of about a millisecond of dependent additions, whose length
 * drowns the cost of two clock readings. Prints the median, the highest slice and the 5 % quantile in GHz. */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { OPERATIONS = 3000000, BLOCK = 50, MOST = 10000 };

static double now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC_RAW, &now);
    return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

static void chain(void)
{
    unsigned long sum = 0;
    for (int i = 0; i < OPERATIONS / BLOCK; i++) {
#if defined(__x86_64__)
        __asm__ volatile(".rept 50\n\tadd %1, %0\n\t.endr" : "+r"(sum) : "r"(1UL));
#else
        __asm__ volatile(".rept 50\n\tadd %0, %0, %1\n\t.endr" : "+r"(sum) : "r"(1UL));
#endif
    }
}

static int ascending(const void *left, const void *right)
{
    const double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

int main(int argc, char **argv)
{
    static double ghz[MOST];
    const int slices = argc > 1 ? atoi(argv[1]) : 100;
    if (slices < 1 || slices > MOST)
        return 2;
    for (int i = 0; i < slices; i++) {
        const double begin = now_ns();
        chain();
        ghz[i] = OPERATIONS / (now_ns() - begin);
    }
    qsort(ghz, (size_t)slices, sizeof *ghz, ascending);
    printf("%.4f %.4f %.4f\n", ghz[slices / 2], ghz[slices - 1], ghz[slices / 20]);
    return 0;
}
