/* core_options.h - the options of a core. */
#ifndef GZ_SESSION_CORE_OPTIONS_H
#define GZ_SESSION_CORE_OPTIONS_H

#include "proto/base/log.h"
#include "session/host.h"

struct gz_core_options {
    const char *scene; /* its name; copied */
    struct gz_core_host host;
    const struct gz_log *log; /* may be NULL */
    /* GZ_STATUS_COUNT counters of the errors sent to sessions, by status; may be NULL. Atomic,
     * because cores on several threads count at once (host/loan.h). */
    _Atomic uint64_t *errors;
    const char *server;    /* what `welcome` calls the server, e.g. "gizmod 0.1.0"; copied */
    double messages_per_s; /* 0: GZ_MESSAGES_PER_S_MAX */
    size_t batches;        /* that the host takes at the same time; 0: one */
    bool lends;            /* work on more than GZ_NODES_AT_ONCE nodes waits for gz_core_do_bulk */
};

#endif
