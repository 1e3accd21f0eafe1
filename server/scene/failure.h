/* failure.h - why a request about nodes was refused: the sentence, and the nodes that it is about.
 *
 * A function that takes one needs it (never NULL) and fills it only when it fails. Start with a
 * zeroed one. */
#ifndef GZ_SCENE_FAILURE_H
#define GZ_SCENE_FAILURE_H

#include <stddef.h>
#include <stdint.h>

#include "proto/base/status.h"

struct gz_failure {
    struct gz_error error;
    uint64_t node;         /* 0 if it is about none, or about several */
    uint64_t holder;       /* with GZ_LOCKED: the session that holds the node */
    const uint64_t *nodes; /* if it is about several nodes: all of them, in memory of the function
                              that reports the failure */
    size_t node_count;
};

#endif
