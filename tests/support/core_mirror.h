/* core_mirror.h - a scene as a client knows it, from deltas alone, its notes, from `notes` alone,
 * and its checkpoints, from `checkpoints` alone. It fails the test where a delta does not fit: a
 * gap, a node that is new and not told whole, an id that is both there and gone. Ownership: it
 * keeps copies. Threads: one. */
#ifndef GZ_TEST_CORE_MIRROR_H
#define GZ_TEST_CORE_MIRROR_H

#include "proto/message.h"
#include "scene/record.h"

struct mirror_node {
    uint64_t id;
    struct gz_content content; /* the name is the mirror's own */
    uint64_t by;    /* the session that changed it last, as far as the client was told; 0: none */
    bool in_motion; /* a motion told of it after the last delta that did: its t and r are a
                       preview */
};

struct mirror {
    struct mirror_node *nodes; /* ascending by id */
    size_t count, capacity;
    uint64_t seq;      /* of the last delta */
    uint64_t complete; /* seq of the last complete state, from which the client may resume */
    uint64_t partly;   /* the latest seq after that which it has a part of; 0: none */
    bool more;
    size_t deltas, snapshots;
    uint64_t *listed; /* the nodes of motions that were told since the last whole state */
    size_t listed_count, listed_capacity;
};

void mirror_finish(struct mirror *mirror);
void mirror_clear(struct mirror *mirror);
void mirror_apply(struct mirror *mirror, const struct gz_delta *delta);
/* Marks the node as a preview, because a motion has told of it or will. */
void mirror_mark_motion(struct mirror *mirror, uint64_t id);
/* The same when the motion itself comes. Until the next complete state, deltas tell the node's
 * place at their own seq, which may be earlier or later than that of the motion. */
void mirror_list_motion(struct mirror *mirror, uint64_t id);
const struct mirror_node *mirror_find(const struct mirror *mirror,
                                      uint64_t id); /* NULL if it is not in the mirror */
/* Fails the test unless the mirror holds exactly these nodes, bit for bit, but for the t and r of
 * those that are in a motion. */
void mirror_assert_equal(const struct mirror *mirror, const struct gz_node_record *nodes,
                         size_t count);
/* The same for a part of the nodes: the mirror holds all that it `must`, none that it may not, and
 * the parent of each. */
void mirror_assert_part(const struct mirror *mirror, const struct gz_node_record *nodes,
                        size_t count, const bool *must, const bool *may);
bool mirror_is_part(const struct mirror *mirror, const struct gz_node_record *nodes, size_t count,
                    const bool *must, const bool *may);

struct mirror_note {
    struct gz_note_state state; /* its texts are the mirror's own */
};

struct mirror_notes {
    struct mirror_note *notes; /* in no order */
    size_t count, capacity;
    bool more;
    size_t messages, anew; /* all messages, and those with `all` */
};

void mirror_notes_finish(struct mirror_notes *notes);
void mirror_notes_clear(struct mirror_notes *notes);
void mirror_notes_apply(struct mirror_notes *notes, const struct gz_notes *message);
const struct gz_note_state *mirror_notes_find(const struct mirror_notes *notes,
                                              uint64_t id); /* or NULL */
/* Fails the test unless the mirror holds exactly those of the records that are not gone. */
void mirror_notes_assert_equal(const struct mirror_notes *notes,
                               const struct gz_note_record *records, size_t count);

struct mirror_checkpoints {
    struct gz_checkpoint_state *checkpoints; /* in no order; their texts are the mirror's own */
    size_t count, capacity;
    size_t messages, anew; /* all messages, and those with `all` */
};

void mirror_checkpoints_finish(struct mirror_checkpoints *checkpoints);
void mirror_checkpoints_clear(struct mirror_checkpoints *checkpoints);
void mirror_checkpoints_apply(struct mirror_checkpoints *checkpoints,
                              const struct gz_checkpoints *message);
/* Fails the test unless the mirror holds exactly these. */
void mirror_checkpoints_assert_equal(const struct mirror_checkpoints *checkpoints,
                                     const struct gz_checkpoint_record *records, size_t count);

#endif
