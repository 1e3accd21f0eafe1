/* record.h - changes as data, and why one failed. */
#ifndef GZ_SCENE_RECORD_H
#define GZ_SCENE_RECORD_H

#include <stddef.h>
#include <stdint.h>

#include "proto/base/buffer.h"
#include "proto/base/linear.h"
#include "proto/base/status.h"
#include "proto/base/wire_vocabulary.h"
#include "proto/limits.h"

/* ---- why a change failed ---- */

/* Why a request about nodes was refused: the sentence, and the nodes that it is about.
 *
 * A function that takes one needs it (never NULL) and fills it only when it fails. Start with a
 * zeroed one. */

struct gz_failure {
    struct gz_error error;
    uint64_t node;         /* 0 if it is about none, or about several */
    uint64_t holder;       /* with GZ_LOCKED: the session that holds the node */
    const uint64_t *nodes; /* if it is about several nodes: all of them, in memory of the function
                              that reports the failure */
    size_t node_count;
};

/* ---- record ---- */

/* What the core and the store hand to each other, as plain data.
 *
 * The store is one more cursor into the scene's sequence of changes: a batch holds every node that
 * changed since the last batch, as it is now, with the completed edits and the samples of running
 * drags. Once the batch is committed everything up to its seq is saved, but for the nodes of drags
 * that are too large to be followed: those stay as the drags found them.
 *
 * Ownership: everything that an answer or state points at lives in its own arena; the owner of the
 * struct frees it whole. What a batch points at lives in its arena, or is the core's and stays as
 * it is until the batch is back. Threads: a record is handed from thread to thread; only the thread
 * that made it writes to it. Times: Unix seconds. Frames: local to the parent. */

/* What a node is, apart from its id. */
struct gz_content {
    uint64_t parent;  /* 0 is the root */
    const char *name; /* terminated UTF-8 */
    gz_trs trs;
    bool has_bounds;
    gz_box bounds;
    int64_t asset; /* the number of the glTF node that it came from (struct gz_asset_record), -1 for
                      none. A node keeps it for its life. */
};

/* What one edit did to one node. If `existed` is false the edit created the node; if `exists` is
 * false the edit deleted it. */
struct gz_change {
    uint64_t node;
    bool existed, exists;
    struct gz_content before, after;
};

/* The name of the node right after the edit, or before it if the edit deleted the node. */
static inline const char *gz_change_name(const struct gz_change *change)
{
    return change->exists ? change->after.name : change->before.name;
}

/* An edit: a completed one (seq and ended are set), or a running drag that the store has not seen
 * yet. */
struct gz_edit_record {
    uint64_t id;
    enum gz_edit_kind kind;
    enum gz_handle handle; /* GZ_HANDLE_NONE if it was no drag */
    uint64_t session;
    uint64_t epoch; /* of that session; the store fills it in when it reads */
    const char *user;
    const char *key; /* NULL for none */
    uint64_t target; /* the edit that an undo or redo is about; the seq that a restore went back to;
                        else 0 */
    bool reverts;    /* an undo of another user's edit */
    double began, ended;
    uint64_t began_seq, seq; /* the seq before its first change; the seq of its last */
    double residual;
    double value[2]; /* the numbers typed for a drag: metres, radians or a factor; two for planes
                      * and the view plane */
    uint32_t value_count;            /* 0 if nothing was typed */
    const struct gz_change *changes; /* for a running drag: `after` is not meaningful yet */
    size_t change_count;
    const uint64_t *nodes; /* in an answer without changes: the change_count nodes that the edit
                              changed; else NULL */
    const char *name; /* with a single one of these `nodes`: its name, as gz_change_name says; else
                         NULL */
    bool undone;      /* in an answer of the history: the edit is undone now */
    size_t total;  /* in the history of one node alone: how many nodes the edit changed; else 0 */
    double path_m; /* of a running drag: how far its recorded path may be from where the node was,
                      in the frame of the node's parent */
};

/* Whether the edit was a gesture: it went on for a while, and its nodes have paths. */
static inline bool gz_edit_is_gesture(const struct gz_edit_record *edit)
{
    return edit->handle != GZ_HANDLE_NONE || edit->kind == GZ_EDIT_WHEEL ||
           edit->kind == GZ_EDIT_POSE;
}

/* Which node an edit changed, by the place among its change_count changes. */
static inline uint64_t gz_edit_node(const struct gz_edit_record *edit, size_t place)
{
    return edit->nodes != NULL ? edit->nodes[place] : edit->changes[place].node;
}

/* A node as it is at `seq`, the seq of its last change. */
struct gz_node_record {
    uint64_t id, seq;
    bool gone;
    bool is_new;               /* created since the last batch; the file may have it all the same */
    struct gz_content content; /* of a deleted node: as it was last */
};

/* Of the text of a SHA-256, with its end: 64 lower-case hexadecimal digits. */
#define GZ_SHA256_BYTES 65

/* A glTF file that nodes of the scene came from. The nodes of all files of a scene are numbered
 * through: those of this one are `first`, `first` + 1 and so on, in the order of the file's list
 * "nodes". A number is never given again, also not once the file's bytes are gone. */
struct gz_asset_record {
    uint64_t first, count;        /* `count` is at least 1 */
    uint64_t seq;                 /* of the edit that brought it first */
    char sha256[GZ_SHA256_BYTES]; /* of the bytes: one content is kept once */
    const uint8_t *bytes;         /* NULL in a state: see gz_store_asset */
    size_t size;                  /* 0 if the bytes are gone */
};

/* Where a running drag had a node. */
struct gz_sample_record {
    uint64_t edit, node, seq;
    double time;
    gz_trs trs;
};

/* Where a node was at a time: at the end of an edit, or in the middle of a drag. */
struct gz_point_record {
    uint64_t seq, edit;
    double time;
    uint64_t parent; /* at that time; 0 is the root */
    gz_trs trs;
};

/* A whole note, as its last change left it. */
struct gz_note_record {
    uint64_t id;
    bool gone; /* deleted; the other fields are as they were last */
    bool done;
    const char *user; /* the user that wrote it */
    const char *text;
    uint64_t node; /* the node that it is pinned to, which may be deleted; 0 for none */
    bool has_point;
    gz_vec3 point;  /* in the node's own space, in the world's without a node */
    uint64_t reply; /* the note that it answers, which may be deleted; 0 for none */
    double made, changed;
    const char *by;  /* the user that changed it last */
    const char *key; /* of the request of `by` that changed it; NULL for none. Not read back from
                        the file */
};

/* A name for the scene as it was after `seq`; or, if `gone`, the removal of that name. */
struct gz_checkpoint_record {
    const char *name, *user; /* user: the one that gave or removed the name */
    uint64_t seq;
    bool gone;
    double made;
};

/* A role in the scene that was given to the users whose names a pattern matches; or, if `gone`, the
 * end of it. */
struct gz_access_record {
    const char *glob; /* as proto/base/text.h says */
    const char *user; /* the user that gave or removed it */
    enum gz_role role;
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
    struct gz_batch *next; /* in a list of the present owner */
    uint64_t seq;          /* everything up to here is saved once the batch is committed */
    double time;
    uint64_t next_node, next_edit; /* the next ids to be given out */
    const struct gz_session_record *joined;
    size_t joined_count;
    const struct gz_node_record *nodes; /* ascending by id, each once; a parent may come after its
                                           children */
    size_t node_count;
    const struct gz_edit_record *begun; /* drags that moved for the first time; without changes if
                                           they are too large to be followed */
    size_t begun_count;
    const struct gz_sample_record *samples;
    size_t sample_count;
    const struct gz_edit_record *ended; /* completed edits; the begin of a drag may be in this
                                           batch, in an earlier one, or in none */
    size_t ended_count;
    const uint64_t
        *dropped; /* begun drags that were cancelled or changed nothing: the store deletes them */
    size_t dropped_count;
    const struct gz_note_record
        *notes; /* in the order of their changes; a note that changed twice is here twice */
    size_t note_count;
    const struct gz_checkpoint_record
        *checkpoints; /* in the order in which they were given and removed */
    size_t checkpoint_count;
    const struct gz_access_record *access; /* in the order of the changes */
    size_t access_count;
    const struct gz_session_record *left;
    size_t left_count;
    const struct gz_asset_record *assets; /* that imports brought; the file may have them already */
    size_t asset_count;
    /* Written by the store if there are checkpoints: the past is kept from this seq on, and
     * checkpoints for an earlier one were left out. */
    uint64_t kept_since;
    /* The result, which the store writes here, because that needs no memory. */
    enum gz_status status;
    struct gz_error error;
};

/* An epoch that viewers can resume from: everything up to its `seq_last` was saved before the next
 * epoch began. */
struct gz_epoch_record {
    uint64_t epoch, seq_last;
};

/* A scene as it was read from its file. */
struct gz_scene_state {
    struct gz_arena arena;
    char read_only[GZ_ERROR_BYTES_MAX]; /* why nothing can be saved, in words; empty: it can */
    uint64_t epoch;                     /* the one that begins with this opening */
    uint64_t seq;
    double time; /* the newest time in the file; later times follow */
    uint64_t next_node, next_edit;
    const struct gz_epoch_record *epochs; /* earlier ones, ascending, at most GZ_EPOCHS_MAX */
    size_t epoch_count;
    const struct gz_node_record *nodes; /* alive: parents first. Gone: the latest GZ_TOMBSTONES_MAX,
                                           after them, ascending by seq */
    size_t node_count;
    uint64_t tombstones_from; /* deleted nodes of a seq up to this one are not listed; 0: all are */
    const struct gz_edit_record *edits; /* completed, the latest GZ_UNDO_EDITS_MAX within
                                           GZ_UNDO_CHANGES_MAX, ascending by seq */
    size_t edit_count;
    const struct gz_asset_record *assets; /* all that ever were, ascending by `first` */
    size_t asset_count;
    const struct gz_note_record *notes; /* not the deleted ones; ascending by id */
    size_t note_count;
    uint64_t next_note; /* an id that no note ever had */
    const struct gz_checkpoint_record *checkpoints;
    size_t checkpoint_count;
    const struct gz_access_record *access; /* what is in force: each pattern once */
    size_t access_count;
};

/* How far a hook was told of what happened in a scene: of the edits up to this seq, and of the news
 * besides edits up to this one. */
struct gz_told {
    uint64_t seq, news;
};

/* What happened: one of the three. */
struct gz_news_record {
    uint64_t epoch, seq, id; /* seq: the scene's then; id: 0 for an edit */
    const struct gz_edit_record *edit;
    const struct gz_note_record *note; /* as it is now */
    const struct gz_checkpoint_record *checkpoint;
};

/* A question about the past. */
struct gz_query {
    enum { GZ_QUERY_HISTORY, GZ_QUERY_AT, GZ_QUERY_EDIT, GZ_QUERY_PATH, GZ_QUERY_NEWS } kind;
    /* history: completed edits, newest first. path: the points of a node, by seq; `since` and
     * `before` mean their times. 0, NULL or NaN: no such filter */
    uint64_t node;
    char user[GZ_USER_BYTES_MAX + 1];
    double since, before; /* compared with `ended`, both exclusive */
    uint32_t limit;
    bool brief; /* history: the changed nodes alone, without their changes */
    bool alone; /* history: of each edit only the change of `node`, which is not 0 */
    /* at: by seq, or by time if by_time; of the nodes by their ids, if by_id, the first `limit`
     * after `after` */
    bool by_time, by_id;
    uint64_t after;
    uint64_t seq;
    double time;
    uint64_t edit; /* edit: a completed one */
    /* news: the first `limit` behind `told` or, without has_told, behind where the file says; none
     * behind `until`, unless that is zero */
    bool has_told;
    struct gz_told told, until;
};

struct gz_answer {
    struct gz_arena arena;
    enum gz_status status;
    struct gz_error error;
    const struct gz_edit_record *edits;
    size_t edit_count;
    /* edit: `edits` are the edit asked for, the last thing that was done to it (its latest undo or
     * redo, or else the edit itself) and, if there is one, the latest edit after that which touched
     * one of its nodes */
    bool undone;                        /* edit: it is undone now */
    uint64_t seq;                       /* at: the seq of the state that was found */
    const struct gz_node_record *nodes; /* at: the nodes at that seq, parents first */
    size_t node_count;
    const struct gz_point_record *points; /* path: ascending by seq */
    size_t point_count;
    const struct gz_news_record *news; /* news: in their order; edits without their changes */
    size_t news_count;
    struct gz_told told; /* the place before them */
    uint64_t missing;    /* edits up to this seq are no longer kept; 0: all are there */
};

/* A batch is on the heap, because it is handed from thread to thread. NULL without memory;
 * destroying NULL is fine. */
struct gz_batch *gz_batch_create(void);
void gz_batch_destroy(struct gz_batch *batch);
void gz_batches_destroy(struct gz_batch *first); /* a list */
void gz_scene_state_finish(struct gz_scene_state *state);
void gz_answer_finish(struct gz_answer *answer);

/* ---- texts of a record that is copied as one piece of memory ---- */

/* How many bytes a copy of the text takes, its end included; 0 for NULL. */
size_t gz_text_bytes(const char *text);
/* Copies the text to *at and moves *at past the copy; NULL for NULL. */
const char *gz_text_move(char **at, const char *text);

#endif
