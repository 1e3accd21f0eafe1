/* edits.h - `set` of one of 64 nodes, with so many in flight, to a daemon: how many are stored, and
 * after what time they are answered. */
#ifndef TESTS_BENCH_EDITS_H
#define TESTS_BENCH_EDITS_H

#include <stddef.h>

#define EDITS_NODES 64
#define EDITS_FLIGHT_MAX 256

struct edits {
    double per_s;
    double p50_ms, p99_ms; /* from the send of a `set` to its `ok` */
    double count;
};

/* Sends for so many seconds to the daemon at this port, which takes 1,000,000 messages a second
 * (--messages-per-s); the scene is made if there is none, and gets its nodes. */
struct edits edits_go(int port, const char *scene, size_t flight, double seconds);

#endif
