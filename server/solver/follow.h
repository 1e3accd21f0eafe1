/* follow.h - the pointer that a drag follows: the real one, or, while `fine` is held, one that goes
 * a tenth as fast. A ray's origin moves and its direction turns, each a tenth as far. Pure. Inside
 * of the room. Pointers here are usable ones, and those of one drag are of one kind. */
#ifndef GZ_SOLVER_FOLLOW_H
#define GZ_SOLVER_FOLLOW_H

#include "solver/solver.h"

/* Whether its numbers are finite, and a ray has a direction. */
bool gz_pointer_usable(const struct gz_pointer *pointer);

/* Copies only the fields of a pointer that count, so that two pointers can be compared and mixed;
 * the rest of `taken`, which is one of the same kind or empty, stays as it is. */
void gz_pointer_take(struct gz_pointer *taken, const struct gz_pointer *pointer);

void gz_follow_init(struct gz_follow *follow, const struct gz_pointer *press, uint32_t mods);

/* The pointer itself until `fine` was used; then it goes on from where it was, slower or not, so
 * that switching moves nothing. Between two switches it is a function of the pointer alone. The
 * returned pointer is in `follow`. */
const struct gz_pointer *gz_follow_pointer(struct gz_follow *follow,
                                           const struct gz_pointer *pointer, uint32_t mods);

#endif
