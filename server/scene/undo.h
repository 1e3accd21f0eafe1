/* undo.h - each user's completed edits, newest last, and what of them is undone.
 *
 * A log of edits and nothing else: an undo is itself an edit whose `target` is the edit it took back, a redo one whose target
 * is the edit it made again. A user's undo takes the latest of their edits that is not undone; any other edit of theirs clears
 * what could be redone. Built again after a restart by adding the edits of the file in their order.
 * Imports cannot be undone (a new glTF file came with them) and end what their user can undo.
 * Ownership: the log keeps deep copies. Bounded by GZ_UNDO_EDITS_MAX and GZ_UNDO_CHANGES_MAX: the oldest are forgotten.
 * Threads: one. */
#ifndef GZ_SCENE_UNDO_H
#define GZ_SCENE_UNDO_H

#include "scene/scene.h"

struct gz_undo_log;

struct gz_undo_log *gz_undo_create(void);
void gz_undo_destroy(struct gz_undo_log *log);

/* Remembers a completed edit. Without memory the log forgets everything older rather than fail: undo is then shorter. */
void gz_undo_add(struct gz_undo_log *log, const struct gz_edit_record *edit);
/* Takes the edit back out (the disk refused it); edits are taken out newest first. */
void gz_undo_remove(struct gz_undo_log *log, uint64_t edit);

/* The edit that this user's undo (or redo) is about: NULL where there is none. Valid until the log changes. For a redo it is
 * the edit that was undone, whose changes are to be applied once more. */
const struct gz_edit_record *gz_undo_next(const struct gz_undo_log *log, const char *user);
const struct gz_edit_record *gz_redo_next(const struct gz_undo_log *log, const char *user);

/* The latest edit of another user, completed after `edit`, that touched one of its nodes; NULL where there is none. `node` is
 * told which. */
const struct gz_edit_record *gz_undo_conflict(const struct gz_undo_log *log, const struct gz_edit_record *edit,
                                              const char *user, uint64_t *node);

#endif
