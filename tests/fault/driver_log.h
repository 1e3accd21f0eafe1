/* driver_log.h - what the driver of the kill rounds writes down, outside of the server's reach: a
 * file of its own that only grows, one entry after the other in the order in which things happened
 * to it. */
#ifndef TESTS_FAULT_DRIVER_LOG_H
#define TESTS_FAULT_DRIVER_LOG_H

#include <stdint.h>

#define DRIVER_SCENE "driven"
#define DRIVER_SET_NODES 4  /* that one `set` moves, all to the same x */
#define DRIVER_MADE_NODES 2 /* that one `create` makes */

enum driver_entry_kind {
    DRIVER_ASKED = 1, /* user, number, op, x: a request with a key is on its way */
    DRIVER_OK, /* and its seq, edit (0: it changed nothing), ids; of a note the id is in `edit` */
    DRIVER_GRABBED, /* user, ids[0], x: the sign of the way that it goes along x */
    DRIVER_JOINED,  /* the watcher: seq; a new epoch begins for it */
    DRIVER_SEEN,    /* the watcher: ids[0] is at x as of seq */
    DRIVER_SAVED,   /* the watcher: seq is saved */
    DRIVER_LOST,    /* user: the connection is gone */
    DRIVER_REFUSED  /* as asked: it was refused at once, and is not repeated */
};

/* What a request is; also a letter of its key, which is USER-NUMBER. */
enum driver_op {
    DRIVER_CREATE = 1,
    DRIVER_SET,    /* DRIVER_SET_NODES of them */
    DRIVER_LIFT,   /* a set of one node made */
    DRIVER_UNDO,   /* of the lift; `target` */
    DRIVER_DELETE, /* of what was made */
    DRIVER_UP,     /* of a drag */
    DRIVER_NOTE
};

struct driver_entry {
    uint32_t kind, op;
    uint64_t user, number;
    uint64_t seq, edit, target;
    uint64_t ids[DRIVER_SET_NODES];
    double x;
    double clock_s; /* the driver's, monotonic */
};

#endif
