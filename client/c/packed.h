/* packed.h - converts messages of the packed form: `moves` and the packed `delta` into `delta`,
 * `person` and `people` into `presence`. `motion`, which names the nodes of later `moves`, stays as
 * it is. The state that these messages build on is kept here, and begins anew with each welcome.
 *
 * A `presence` made of a `person` keeps the bits of the `person` (GZ_HAS_PERSON_*): its record is
 * whole, but only these members are new.
 *
 * Ownership: the caller destroys what it creates; a converted message points into the arena and
 * into this, and is valid until the next message. Threads: one at a time. */
#ifndef GZ_CLIENT_PACKED_H
#define GZ_CLIENT_PACKED_H

#include "gizmo_client.h"

struct gz_packed;

/* The node's local transform in the scene so far; NULL without such a node. */
typedef const gz_trs *gz_packed_place(const void *scene, uint64_t id);

/* NULL without memory. `scene` outlives it. */
struct gz_packed *gz_packed_create(gz_packed_place *place, const void *scene);
void gz_packed_destroy(struct gz_packed *packed);

/* The most that a frame of this size may take from the arena, decoded and converted. */
size_t gz_packed_bytes_max(size_t frame_size);

/* Takes each received message, in order, with the scene as the message before left it; other
 * messages stay as they are. A delta has its nodes in the arena, or here if some are in motions.
 * GZ_CONFLICT: the message does not continue the earlier ones. GZ_BAD_VALUE: a value is invalid. */
GZ_MUST_USE enum gz_status gz_packed_turn(struct gz_packed *packed, struct gz_arena *arena,
                                          struct gz_message *message, struct gz_error *error);

#endif
