/* undo.h - the completed edits of all users, newest last, and which of them are undone.
 *
 * The log holds edits and nothing else. An undo is itself an edit, whose `target` is the edit that
 * it took back; the target of a redo is the edit that it made again. A user's undo is about the
 * latest of this user's edits that is not undone; any other edit of the user clears what could be
 * redone. An undo of another user's edit is a revert: its user can undo and redo it like any other
 * edit. An edit that is taken back counts as not done, for its own user too, no matter who took it
 * back. An import cannot be undone, because a new glTF file came with it, and ends what its user
 * can undo. After a restart the log is built again by adding the edits of the file in their order.
 *
 * Ownership: the log keeps deep copies; of an import it keeps only which nodes
 * it changed. Bounded by
 * GZ_UNDO_EDITS_MAX and GZ_UNDO_BYTES_MAX: the oldest are forgotten. Threads: one. */
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

/* The memory of all edits in the log. */
size_t gz_undo_bytes(const struct gz_undo_log *log);
/* When the oldest edit in the log ended, Unix seconds; INFINITY if there is none. */
double gz_undo_oldest_s(const struct gz_undo_log *log);
/* Forgets the oldest edit, of which there has to be one, and returns how many bytes it took. */
size_t gz_undo_forget(struct gz_undo_log *log);

/* The edit that this user's next undo (or redo) is about, or NULL. Valid until the log changes. For
 * a redo it is the edit that was undone: its changes are to be applied once more. */
const struct gz_edit_record *gz_undo_next(const struct gz_undo_log *log, const char *user);
const struct gz_edit_record *gz_redo_next(const struct gz_undo_log *log, const char *user);

/* Writes the nodes that an edit in the log changed to `ids`, ascending, each once; there is room
 * for its change_count. Returns how many they are. */
size_t gz_undo_nodes(const struct gz_undo_log *log, uint64_t edit, uint64_t *ids);
/* NULL if the log does not have the edit. */
const struct gz_edit_record *gz_undo_find(const struct gz_undo_log *log, uint64_t edit);
/* Whether an edit is taken back, as far as the log knows. */
bool gz_undo_is_undone(const struct gz_undo_log *log, uint64_t edit);

/* What was done last about an edit, as far as the log knows: the edit itself, or its latest undo or
 * redo, or the latest of that one. To undo or redo the edit is to reverse this one, so that what a
 * forced undo overwrote comes back with the redo. */
const struct gz_edit_record *gz_undo_last(const struct gz_undo_log *log,
                                          const struct gz_edit_record *edit);

/* Which edits of others are in the way. */
enum gz_undo_others {
    GZ_UNDO_STANDING, /* edits that stand: not those after `edit` that are undone, nor the undos and
                         redos of these */
    GZ_UNDO_ALL
};

/* The latest edit of any user but this one (NULL: of any user) that was completed after `edit` and
 * touched one of its nodes; NULL if there is none. *node (`node` may be NULL) becomes the lowest id
 * of these nodes. */
const struct gz_edit_record *gz_undo_conflict(const struct gz_undo_log *log,
                                              const struct gz_edit_record *edit, const char *user,
                                              enum gz_undo_others others, uint64_t *node);
/* The same for this node, which `edit` need not have touched. */
const struct gz_edit_record *gz_undo_toucher(const struct gz_undo_log *log,
                                             const struct gz_edit_record *edit, const char *user,
                                             uint64_t node);
#endif
