/* histogram.c - counts durations in classes. */
#include "proto/base/histogram.h"

#include <stddef.h>

const double gz_histogram_bounds_s[GZ_HISTOGRAM_CLASSES] = {
    0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10};

void gz_histogram_add(struct gz_histogram *histogram, double seconds)
{
    if (histogram == NULL) return;
    if (!(seconds > 0)) seconds = 0;
    size_t i = 0;
    while (i < GZ_HISTOGRAM_CLASSES && seconds > gz_histogram_bounds_s[i]) i++;
    atomic_fetch_add_explicit(&histogram->counts[i], 1, memory_order_relaxed);
    atomic_fetch_add_explicit(&histogram->sum_us, (uint64_t)(seconds * 1e6), memory_order_relaxed);
}
