/* log.h - lines for the operator of the daemon: time, level, session, event. One line each, to one
 * stream. Never holds raw bytes from a client: control characters are escaped on the way out.
 * Threads: any; a line is written whole. */
#ifndef GZ_BASE_LOG_H
#define GZ_BASE_LOG_H

#include <stdint.h>
#include <stdio.h>

#include "proto/base/status.h"
#include "proto/base/vocabulary.h"

enum gz_level { GZ_ERROR, GZ_WARN, GZ_INFO, GZ_DEBUG };
extern const struct gz_vocabulary gz_level_words; /* error, warn, info, debug */

struct gz_log {
    FILE *stream; /* not owned; NULL discards everything */
    enum gz_level level;
};

/* `session` 0 is the daemon itself. */
void gz_log(const struct gz_log *log, enum gz_level level, uint64_t session, const char *format,
            ...) GZ_PRINTF(4, 5);

#endif
