/* record.h - what the core and the store say to each other: plain copies, no pointers into either.
 *
 * The store is one more cursor into the scene's sequence of changes: a batch holds every node that
 * changed since the last one, as it is now, with the edits that were completed and the samples of
 * the drags that run. When the batch is committed everything up to its seq is saved. Ownership:
 * everything a batch, result or state points at lives in its own arena; whoever holds the struct
 * frees it whole. Threads: handed from one to the other, never shared. Times: Unix seconds. Frames:
 * local to the parent. */
#ifndef GZ_SCENE_RECORD_H
#define GZ_SCENE_RECORD_H

#include <stdint.h>

#include "proto/base/buffer.h"
#include "proto/base/linear.h"
#include "proto/base/wire_vocabulary.h"
#include "proto/limits.h"

/* What a node is, apart from its id. */
struct gz_content {
    uint64_t parent;  /* 0 is the root */
    const char *name; /* terminated UTF-8 */
    gz_trs trs;
    bool has_bounds;
    gz_box bounds;
    int64_t asset; /* index in the glTF's "nodes", -1 for none */
};

/* What one edit did to one node. Where `existed` is false the edit made it, where `exists` is false
 * it deleted it. */
struct gz_change {
    uint64_t node;
    bool existed, exists;
    struct gz_content before, after;
};

/* What the node was called right after the edit, or before it if the edit deleted the node. */
static inline const char *gz_change_name(const struct gz_change *change)
{
    return change->exists ? change->after.name : change->before.name;
}

/* An edit: completed (seq and ended are set), or a running drag that the store is told of for the
 * first time. */
struct gz_edit_record {
    uint64_t id;
    enum gz_edit_kind kind;
    enum gz_handle handle; /* GZ_HANDLE_NONE where it was no drag */
    uint64_t session;
    uint64_t epoch; /* the epoch of that session; filled by the store when it reads */
    const char *user;
    const char *key; /* NULL for none */
    uint64_t target; /* the edit that an undo or redo is about, the seq that a restore went back to;
                        else 0 */
    bool reverts;    /* an undo of somebody else's edit */
    double began, ended;
    uint64_t began_seq, seq; /* the seq before its first change; the seq of its last */
    double residual;
    double value[2]; /* what was typed for a drag: metres, radians or a factor; two for planes and
                        the view plane */
    uint32_t value_count;            /* 0 where nothing was typed */
    const struct gz_change *changes; /* for a running drag: `after` is not meaningful yet */
    size_t change_count;
    const uint64_t *nodes; /* in an answer without changes: the nodes that those are of,
                              change_count of them; else NULL */
    const char *name; /* with `nodes`, if there is one: what it was called, as gz_change_name says;
                         else NULL */
    bool undone;      /* in an answer of the history: it is taken back as it stands */
    double path_m; /* of a running drag: how far its recorded path may pass beside where it was, in
                      its nodes' parents' frames */
};

/* A node as it is at `seq`, the seq of its last change. */
struct gz_node_record {
    uint64_t id, seq;
    bool gone;
    struct gz_content content; /* of a gone node: as it was last */
};

/* Where a running drag had a node. */
struct gz_sample_record {
    uint64_t edit, node, seq;
    double time;
    gz_trs trs;
};

/* Where a node was at a time: left there by an edit, or recorded inside of a drag. */
struct gz_point_record {
    uint64_t seq, edit;
    double time;
    uint64_t parent; /* then; 0 is the root */
    gz_trs trs;
};

/* A note, whole, as its last change left it. */
struct gz_note_record {
    uint64_t id;
    bool gone; /* deleted; the rest is as it was last */
    bool done;
    const char *user; /* who wrote it */
    const char *text;
    uint64_t node; /* that it is pinned to, 0 for none; perhaps one that is deleted */
    bool has_point;
    gz_vec3 point;  /* in the node's own space, in the world's without a node */
    uint64_t reply; /* the note that it answers, perhaps one that is gone; 0 for none */
    double made, changed;
    const char *by;  /* who changed it last */
    const char *key; /* of the request that did, which was by's; NULL for none. Not read back with
                        the note */
};

/* A name for the scene as it was after `seq`; or, where it is gone, its end. */
struct gz_checkpoint_record {
    const char *name, *user; /* user: who gave it */
    uint64_t seq;
    bool gone;
    double made;
};

struct gz_session_record {
    uint64_t session;
    const char *user;
    enum gz_role role;
    double time; /* of joining or leaving */
};

/* One transaction. Rows are to be written in the order of the members. */
struct gz_batch {
    struct gz_arena arena;
    uint64_t seq; /* saved up to here once it is committed */
    double time;
    uint64_t next_node, next_edit; /* ids not given out yet */
    const struct gz_session_record *joined;
    size_t joined_count;
    const struct gz_node_record *nodes; /* parents before children that name them; each id once */
    size_t node_count;
    const struct gz_edit_record *begun; /* drags that moved for the first time */
    size_t begun_count;
    const struct gz_sample_record *samples;
    size_t sample_count;
    const struct gz_edit_record *ended; /* completed edits; a drag's may have been begun in this
                                           batch or an earlier one, or never */
    size_t ended_count;
    const uint64_t *dropped; /* begun drags that were cancelled or changed nothing in the end: as if
                                they had never been */
    size_t dropped_count;
    const struct gz_note_record
        *notes; /* in the order of their changes; one that changed twice is here twice */
    size_t note_count;
    const struct gz_checkpoint_record
        *checkpoints; /* in the order in which they were made and taken away */
    size_t checkpoint_count;
    const struct gz_session_record *left;
    size_t left_count;
    const uint8_t *asset; /* the glTF that an import brought; NULL for none */
    size_t asset_size;
    uint64_t asset_seq; /* of that import */
    /* Written by the store where there are checkpoints: those made for a seq before it were left
     * out, as the past is kept from it on. */
    uint64_t kept_since;
    /* The store writes down what became of the batch, which so needs no memory. */
    enum gz_status status;
    struct gz_error error;
};

/* A resumable past: everything up to `seq_last` of this epoch was saved before the next one
 * began. */
struct gz_epoch_record {
    uint64_t epoch, seq_last;
};

/* A scene as it was read from its file. */
struct gz_scene_state {
    struct gz_arena arena;
    uint64_t epoch; /* the one that begins with this opening */
    uint64_t seq;
    double time; /* the newest time in the file: what comes now is later */
    uint64_t next_node, next_edit;
    const struct gz_epoch_record *epochs; /* earlier ones, ascending, at most GZ_EPOCHS_MAX */
    size_t epoch_count;
    const struct gz_node_record *nodes; /* alive: parents first. Gone: the latest GZ_TOMBSTONES_MAX,
                                           after them, ascending by seq */
    size_t node_count;
    uint64_t tombstones_from; /* gone nodes of a seq at or below this one are not listed; 0 when all
                                 are */
    const struct gz_edit_record *edits; /* completed, the latest GZ_UNDO_EDITS_MAX within
                                           GZ_UNDO_CHANGES_MAX, ascending by seq */
    size_t edit_count;
    uint64_t asset_seq;                 /* the seq of the import that brought it; 0 for none */
    const struct gz_note_record *notes; /* those that are there, ascending by id */
    size_t note_count;
    uint64_t next_note; /* an id that no note had */
    const struct gz_checkpoint_record *checkpoints;
    size_t checkpoint_count;
};

/* A question to the past. */
struct gz_query {
    enum { GZ_QUERY_HISTORY, GZ_QUERY_AT, GZ_QUERY_EDIT, GZ_QUERY_PATH } kind;
    /* history: completed edits, newest first; path: of a node, its points by seq, which are
     * compared by their time. 0 or NULL or NaN where the filter is absent */
    uint64_t node;
    char user[GZ_USER_BYTES_MAX + 1];
    double since, before; /* compared with `ended`, both exclusive */
    uint32_t limit;
    bool brief; /* history: which nodes were changed, and not how */
    /* at: by seq, or by time where by_time */
    bool by_time;
    uint64_t seq;
    double time;
    uint64_t edit; /* edit: a completed one */
};

struct gz_answer {
    struct gz_arena arena;
    enum gz_status status;
    struct gz_error error;
    const struct gz_edit_record *edits;
    size_t edit_count;
    /* edit: `edits` are the one asked for, what was done last about it (an undo or redo, or itself
     * again), and, where there is one, the latest after that which touched a node of it */
    bool undone;                        /* edit: it is taken back as it stands */
    uint64_t seq;                       /* at: the seq of the state that was found */
    const struct gz_node_record *nodes; /* at: alive then, parents first */
    size_t node_count;
    const struct gz_point_record *points; /* path: ascending by seq */
    size_t point_count;
};

/* On the heap, because they are handed from thread to thread; NULL without memory, and destroying
 * NULL is fine. */
struct gz_batch *gz_batch_create(void);
void gz_batch_destroy(struct gz_batch *batch);
void gz_scene_state_finish(struct gz_scene_state *state);
void gz_answer_finish(struct gz_answer *answer);

#endif
