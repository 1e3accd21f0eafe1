/* bulk.h - puts off work on very many nodes, so that no other scene waits for it: an edit of more
 * than GZ_NODES_AT_ONCE nodes, its batch, the work after the disk has answered, a gesture that
 * begins to hold so many nodes, a selection of ten times as many, and any message so long that it
 * may name them.
 *
 * Such work cannot be cut into slices, but another thread can do it: the host lends the core to a
 * worker, which calls gz_core_do_bulk. The core decides by the number of nodes, not by time, so
 * that the same inputs give the same outputs.
 *
 * - A message stays in the inbox of its session, and later messages of the session wait behind it.
 *   If the session ends before, the message is dropped as if the network had lost it: it was never
 *   acknowledged. If another session sends it again with the same key, it is done once.
 * - An answer from the file that becomes an edit stays in its ticket.
 * - A gesture that ends without a message goes on; a session that leaves in the middle of such a
 *   gesture stays until the gesture has ended.
 * - A batch is not made yet; a batch that the disk took or refused is kept.
 *
 * A core whose host does not lend it (gz_core_options.lends) puts nothing off. Threads: the one
 * that has the core at the moment, the loop's or a worker. */
#ifndef GZ_CORE_BULK_H
#define GZ_CORE_BULK_H

#include "core/state.h"

/* Whether work on so many nodes is to be put off. If so, the core has bulk from now on. */
static inline bool gz_core_puts_off(struct gz_core *core, size_t nodes)
{
    if (nodes > core->nodes_at_once) core->bulk = GZ_BULK_WORK;
    return nodes > core->nodes_at_once;
}

/* The same for a batch of so many nodes. */
static inline bool gz_core_puts_off_batch(struct gz_core *core, size_t nodes)
{
    if (nodes > core->nodes_at_once && core->bulk == GZ_BULK_NONE) core->bulk = GZ_BULK_BATCH;
    return nodes > core->nodes_at_once;
}

/* Nothing is put off until the core's `nodes_at_once` is set to the returned value. */
static inline size_t gz_core_put_nothing_off(struct gz_core *core)
{
    const size_t usual = core->nodes_at_once;
    core->nodes_at_once = SIZE_MAX;
    return usual;
}

#endif
