/* undo.h - each user's completed edits, newest last, and what of them is undone.
 *
 * A log of edits and nothing else: an undo is itself an edit whose `target` is the edit it took
 * back, a redo one whose target is the edit it made again. A user's undo takes the latest of their
 * edits that is not undone; any other edit of theirs clears what could be redone. Built again after
 * a restart by adding the edits of the file in their order. An undo of somebody else's edit, a
 * revert, is undone and redone by its user as any other edit is, and whatever is undone is so for
 * its own user too: an edit that is taken back counts as not done, whoever took it back.
 * Imports cannot be undone (a new glTF file came with them) and end what their user can undo.
 * Ownership: the log keeps deep copies. Bounded by GZ_UNDO_EDITS_MAX and GZ_UNDO_CHANGES_MAX: the
 * oldest are forgotten. Threads: one. */
#ifndef GZ_SCENE_UNDO_H
#define GZ_SCENE_UNDO_H

#include "scene/scene.h"

struct gz_undo_log;

struct gz_undo_log *gz_undo_create(void);
void gz_undo_destroy(struct gz_undo_log *log);

/* Remembers a completed edit. Without memory the log forgets everything older rather than fail:
 * undo is then shorter. */
void gz_undo_add(struct gz_undo_log *log, const struct gz_edit_record *edit);
/* Takes the edit back out (the disk refused it); edits are taken out newest first. */
void gz_undo_remove(struct gz_undo_log *log, uint64_t edit);

/* The edit that this user's undo (or redo) is about: NULL where there is none. Valid until the log
 * changes. For a redo it is the edit that was undone, whose changes are to be applied once more. */
const struct gz_edit_record *gz_undo_next(const struct gz_undo_log *log, const char *user);
const struct gz_edit_record *gz_redo_next(const struct gz_undo_log *log, const char *user);

/* The edit of this id; NULL where the log has none. */
const struct gz_edit_record *gz_undo_find(const struct gz_undo_log *log, uint64_t edit);
/* Whether an edit that is in the log, or about which something in the log was done, is taken
 * back. */
bool gz_undo_is_undone(const struct gz_undo_log *log, uint64_t edit);

/* What was done last about an edit, as far as the log knows: itself, or the latest undo or redo of
 * it, or of that. To undo or redo it is to do that backwards: so what a forced one wrote over comes
 * back with the next. */
const struct gz_edit_record *gz_undo_last(const struct gz_undo_log *log,
                                          const struct gz_edit_record *edit);

/* Which edits of others are in the way. */
enum gz_undo_others {
    GZ_UNDO_STANDING, /* those that stand: not what was done after `edit` and is undone, nor what
                         was done about that */
    GZ_UNDO_ALL
};

/* The latest edit of another user than this (NULL: of anybody), completed after `edit`, that
 * touched one of its nodes; NULL where there is none. `node` (may be NULL) is told the lowest of
 * them. */
const struct gz_edit_record *gz_undo_conflict(const struct gz_undo_log *log,
                                              const struct gz_edit_record *edit, const char *user,
                                              enum gz_undo_others others, uint64_t *node);
/* The same about this node, which `edit` need not have touched. */
const struct gz_edit_record *gz_undo_toucher(const struct gz_undo_log *log,
                                             const struct gz_edit_record *edit, const char *user,
                                             uint64_t node);
#endif
