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
    uint64_t by;               /* who changed it last, as far as it was told; 0: nobody was named */
    bool in_motion; /* it was told of by a motion since it was last told of by itself: its t and r
                       are a preview */
};

struct mirror {
    struct mirror_node *nodes; /* ascending by id */
    size_t count, capacity;
    uint64_t seq;      /* where it stands */
    uint64_t complete; /* where it last stood without more to come: a resume may be from here */
    bool more;
    size_t deltas, snapshots;
    uint64_t *listed; /* the nodes of motions that were told since the last whole state */
    size_t listed_count, listed_capacity;
};

void mirror_finish(struct mirror *mirror);
void mirror_clear(struct mirror *mirror);
void mirror_apply(struct mirror *mirror, const struct gz_delta *delta);
/* The node is in a motion, by which it will be told of, or was just now. */
void mirror_mark_motion(struct mirror *mirror, uint64_t id);
/* The same where the motion is told: what is told of the node by itself until the next whole state
 * is where it was then, and later deltas may lead past what the motion does to it. */
void mirror_list_motion(struct mirror *mirror, uint64_t id);
const struct mirror_node *mirror_find(const struct mirror *mirror,
                                      uint64_t id); /* NULL where it is not there */
/* Fails the test unless the mirror holds exactly these nodes, bit for bit, but for the t and r of
 * those that are in a motion. */
void mirror_assert_equal(const struct mirror *mirror, const struct gz_node_record *nodes,
                         size_t count);
/* The same of a part of them: all that `must` be there, none that may not, and each one's
 * parent. */
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
    size_t messages, anew; /* how many there were, and with `all` */
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
    size_t messages, anew; /* how many there were, and with `all` */
};

void mirror_checkpoints_finish(struct mirror_checkpoints *checkpoints);
void mirror_checkpoints_clear(struct mirror_checkpoints *checkpoints);
void mirror_checkpoints_apply(struct mirror_checkpoints *checkpoints,
                              const struct gz_checkpoints *message);
/* Fails the test unless the mirror holds exactly these. */
void mirror_checkpoints_assert_equal(const struct mirror_checkpoints *checkpoints,
                                     const struct gz_checkpoint_record *records, size_t count);

#endif
