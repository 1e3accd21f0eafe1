/* log.h - lines for the operator of the daemon: time, level, session, event. One line each, to one
 * stream, as text, as an object of JSON, or for systemd's journal, which knows the time and takes
 * the level from "<4>". Never holds raw bytes from a client: control characters are escaped on the
 * way out.
 *
 * Repeated lines are written a few times and then counted ("and 512 more of these"), for each
 * session and kind of line, and for each kind of line in all, so that no client can fill the disk
 * or keep the daemon busy with them. Lines of the level debug are not counted. Threads: any; a line
 * is written whole. */
#ifndef GZ_BASE_LOG_H
#define GZ_BASE_LOG_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>

#include "proto/base/status.h"
#include "proto/base/vocabulary.h"

enum gz_level { GZ_ERROR, GZ_WARN, GZ_INFO, GZ_DEBUG };
extern const struct gz_vocabulary gz_level_words; /* error, warn, info, debug */

enum gz_log_form { GZ_LOG_TEXT, GZ_LOG_JSON, GZ_LOG_JOURNAL };
extern const struct gz_vocabulary gz_log_form_words; /* text, json, journal */

/* Lines of one kind in GZ_LOG_SECONDS: of one session, and in all. */
#define GZ_LOG_SECONDS 10
#define GZ_LOG_LINES_PER_SESSION 5
#define GZ_LOG_LINES_IN_ALL 300
/* Kinds of lines that are counted, more than there are; and pairs of session and kind, of which the
 * latest are remembered. */
#define GZ_LOG_KINDS 128
#define GZ_LOG_SESSION_KINDS 512

/* How often a kind of line came lately. */
struct gz_log_kind {
    const char *format; /* NULL: free */
    uint64_t session;
    double since_s; /* monotonic */
    unsigned lines; /* written since then */
    uint64_t left_out;
};

/* All zero at first except the mutex. */
struct gz_log_counts {
    pthread_mutex_t mutex;
    struct gz_log_kind kinds[GZ_LOG_KINDS];
    struct gz_log_kind of_sessions[GZ_LOG_SESSION_KINDS];
};

struct gz_log {
    FILE *stream;                /* not owned; NULL discards everything */
    _Atomic enum gz_level level; /* both may be changed at any time */
    _Atomic enum gz_log_form form;
    struct gz_log_counts *counts; /* NULL: every line is written */
};

/* `session` 0 is the daemon itself. */
void gz_log(const struct gz_log *log, enum gz_level level, uint64_t session, const char *format,
            ...) GZ_PRINTF(4, 5);
/* Logs how many lines were left out, of kinds whose time is over. Call it now and then. */
void gz_log_tell_counts(const struct gz_log *log);

#endif
