/* compact.h - turns messages of the compact form into the messages that they stand for: `moves`
 * into a `delta`, `person` and `people` into `presence`. `motion` stands for none: it says which
 * nodes later `moves` are about, and stays what it is. What came before, from which they go on, is
 * kept here, and begins anew with each welcome.
 *
 * A `presence` that a `person` became has a whole record, and keeps the bits of the `person`
 * (GZ_HAS_PERSON_*), which say what of the record was told anew.
 *
 * Ownership: who creates destroys; a message that was turned points into the arena and into this,
 * until the next message. Threads: one at a time. */
#ifndef GZ_CLIENT_COMPACT_H
#define GZ_CLIENT_COMPACT_H

#include "gizmo_client.h"

struct gz_compact;

/* Where the scene as it is known so far has the node, in its parent; NULL if it has none. */
typedef const gz_trs *gz_compact_place(const void *scene, uint64_t id);

/* NULL without memory. `scene` outlives it. */
struct gz_compact *gz_compact_create(gz_compact_place *place, const void *scene);
void gz_compact_destroy(struct gz_compact *compact);

/* The most that a frame of so many bytes may take from the arena, decoded and turned. */
size_t gz_compact_bytes_max(size_t frame_size);

/* Each message that comes passes through here, in order, the scene being as the one before left it;
 * all but those above stay as they are. A delta has its nodes in the arena, or here if some are in
 * motions. GZ_CONFLICT: the message does not follow what came before. GZ_BAD_VALUE: what it says
 * cannot be. */
GZ_MUST_USE enum gz_status gz_compact_turn(struct gz_compact *compact, struct gz_arena *arena,
                                           struct gz_message *message, struct gz_error *error);

#endif
