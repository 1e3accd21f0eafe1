/* kept.h - how much of the past a store keeps. */
#ifndef GZ_STORE_KEPT_H
#define GZ_STORE_KEPT_H

#include <stdint.h>

/* Which points of a drag's path are kept besides its two ends. */
enum gz_recorded {
    GZ_RECORD_THIN, /* the points that its path needs, see path.h */
    GZ_RECORD_ALL,  /* every sample */
    GZ_RECORD_ENDS  /* nothing */
};

/* How much of the past is kept: edits younger than `seconds`, and at most `edits`. 0: no limit. See
 * retention.h. */
struct gz_retention_rule {
    double seconds;
    uint64_t edits;
};

#endif
