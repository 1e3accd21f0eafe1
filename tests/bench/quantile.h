/* quantile.h - the order of measured numbers. */
#ifndef TESTS_BENCH_QUANTILE_H
#define TESTS_BENCH_QUANTILE_H

#include <math.h>
#include <stdlib.h>

static inline int compare_numbers(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Sorts the values. `part`: 0.5 for the median, 1 for the largest. NAN without values. */
static inline double quantile(double *values, size_t count, double part)
{
    if (count == 0) return NAN;
    qsort(values, count, sizeof *values, compare_numbers);
    return values[(size_t)((double)(count - 1) * part)];
}

#endif
