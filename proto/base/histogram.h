/* histogram.h - how long something took, counted in fixed classes, as Prometheus takes it. Threads:
 * any; each count is exact, and a reader may see them at slightly different moments. Needs no
 * memory. */
#ifndef GZ_BASE_HISTOGRAM_H
#define GZ_BASE_HISTOGRAM_H

#include <stdatomic.h>
#include <stdint.h>

/* From half a millisecond to 10 s. */
#define GZ_HISTOGRAM_CLASSES 14
extern const double gz_histogram_bounds_s[GZ_HISTOGRAM_CLASSES];

/* Zeroed at first. */
struct gz_histogram {
    _Atomic uint64_t counts[GZ_HISTOGRAM_CLASSES + 1]; /* the last: longer than all */
    _Atomic uint64_t sum_us;
};

/* NULL is fine. A negative time counts as 0. */
void gz_histogram_add(struct gz_histogram *histogram, double seconds);

#endif
