/* relief.h - what open scenes can spare when the memory of the process is short.
 *
 * In this order: the oldest edits that can be undone, of all scenes; then the deleted nodes that
 * are remembered for viewers who resume, who start anew then; then scenes that nobody uses, which
 * are closed. Scenes whose core is lent are passed over. Threads: the loop's. Errors: none. */
#ifndef GZ_HOST_RELIEF_H
#define GZ_HOST_RELIEF_H

#include "host/scenes.h"

/* The bytes of undo, and of deleted nodes, in all scenes. */
uint64_t gz_scenes_spare(const struct gz_scenes *scenes);
/* Forgets at least so many bytes if there are as many; returns how many. */
uint64_t gz_scenes_relieve(struct gz_scenes *scenes, uint64_t bytes);

#endif
