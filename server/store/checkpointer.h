/* checkpointer.h - copies the write-ahead log into the database while its writer goes on. The
 * thread and the connection that do so exist only meanwhile. What the writer commits during the
 * last pass is not copied: the writer then does a checkpoint of its own, which is short. Threads:
 * the writer's. */
#ifndef GZ_STORE_CHECKPOINTER_H
#define GZ_STORE_CHECKPOINTER_H

#include <stdatomic.h>
#include <uv.h>

#include "store/gate.h"

struct gz_checkpointer {
    /* The database and its log: they are left alone if another file has one of their names. */
    struct gz_named_file file, log;
    uv_thread_t thread;
    bool has_thread, has_much;
    atomic_bool is_over; /* the thread has nothing left to do */
};

/* Starts a copy, if none is running. The database is synchronized before the last pass if the log
 * has much: the writer's checkpoint would take long to do so, but a page that changes again is then
 * written once more. False if there is no thread for it. */
GZ_MUST_USE bool gz_checkpointer_start(struct gz_checkpointer *checkpointer, bool has_much);
/* Waits for the end of a copy that is running. */
void gz_checkpointer_finish(struct gz_checkpointer *checkpointer);

#endif
