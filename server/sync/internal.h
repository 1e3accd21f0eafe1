/* internal.h - what the files of this room share. */
#ifndef GZ_SYNC_INTERNAL_H
#define GZ_SYNC_INTERNAL_H

#include "server/maxima.h"
#include "sync/sync.h"

/* Cursors that differ are few: those who keep up, and some who do not. */
#define FRAMES 4

/* An encoded frame and the cursors between which it leads. */
struct cached_frame {
    struct gz_cursor before, after;
    uint64_t version; /* of all that a frame can hold, when it was made; 0: empty */
    uint64_t used;    /* for choosing the one to replace */
    struct gz_buffer bytes;
};

struct edit_bytes {
    uint8_t *bytes;
    size_t size;
    uint64_t seq, told; /* as gz_sync_edit was given them */
};

struct acknowledgement {
    uint64_t session, n, seq;
};

struct departure {
    uint64_t session, version;
};

struct gz_sync {
    struct gz_scene *scene;
    const struct gz_notebook *notes;
    const struct gz_checkpoint_list *checkpoints;
    uint64_t saved;
    uint64_t version; /* of what is beside the scene: edits, presence, saved, acknowledgements */

    struct cached_frame frames[FRAMES];
    uint64_t uses;
    struct gz_buffer own; /* a frame for one who follows a part */
    size_t delta_bytes;   /* at which a delta is cut */

    struct edit_bytes edits[GZ_EDIT_RING]; /* edit number i (from 1) is at i % GZ_EDIT_RING */
    uint64_t edit_count;

    struct acknowledgement *acks;
    size_t ack_count, ack_capacity;

    struct gz_presence_entry *oldest, *newest;
    struct departure left[GZ_LEFT_RING];
    uint64_t left_count;
    uint64_t left_lost;      /* the version of the last departure that is not remembered any more */
    size_t changed_count;    /* entries that wait for another version */
    uint64_t presence;       /* the latest version given */
    uint64_t presence_shown; /* the latest that viewers are to see */
    double presence_shown_s; /* when that was, monotonic */

    /* scratch of one frame, kept for the next */
    struct gz_node_state *states;
    size_t state_capacity;
    uint64_t *gone;
    size_t gone_capacity;
    struct gz_ack *delta_acks;
    size_t delta_ack_capacity;
    struct gz_presence_user *users;
    size_t user_capacity;
    struct gz_note_state *note_states;
    size_t note_state_capacity;
    struct gz_checkpoint_state *checkpoint_states;
    size_t checkpoint_state_capacity;
};

/* Whether what was deleted after this cursor is forgotten: it has to start from 0. */
bool gz_sync_is_lost(const struct gz_sync *sync, const struct gz_cursor *cursor);

/* What of the node is new to one who was told of it as of `base` (0: never). Returns about what it
 * takes encoded. */
size_t gz_sync_fill_state(struct gz_node_state *state, const struct gz_node *node, uint64_t base);
/* One more node for the delta in the making, and one more that went; `bytes` grows by what that
 * takes. False without memory. */
GZ_MUST_USE bool gz_sync_add_state(struct gz_sync *sync, struct gz_delta *delta,
                                   const struct gz_node *node, uint64_t base, size_t *bytes);
GZ_MUST_USE bool gz_sync_add_gone(struct gz_sync *sync, struct gz_delta *delta, uint64_t id,
                                  size_t *bytes);
/* The nodes of a delta for one who follows a part; fills `from` and `seq`, and `more` where it had
 * to be cut. */
GZ_MUST_USE bool gz_sync_collect_interest(struct gz_sync *sync, struct gz_cursor *cursor,
                                          struct gz_delta *delta);

/* Whether there is anything of the notes that this cursor was not told, and appending it, as much
 * as fits; the cursor moves. */
bool gz_sync_has_notes(const struct gz_sync *sync, const struct gz_cursor *cursor);
GZ_MUST_USE enum gz_status gz_sync_append_notes(struct gz_sync *sync, struct gz_cursor *cursor,
                                                struct gz_buffer *out);

/* The same of the checkpoints: all that is news at once. */
bool gz_sync_has_checkpoints(const struct gz_sync *sync, const struct gz_cursor *cursor);
GZ_MUST_USE enum gz_status
gz_sync_append_checkpoints(struct gz_sync *sync, struct gz_cursor *cursor, struct gz_buffer *out);

/* Appends what this cursor is to be told of presence, and moves it. */
GZ_MUST_USE enum gz_status gz_sync_append_presence(struct gz_sync *sync, struct gz_cursor *cursor,
                                                   struct gz_buffer *out);

#endif
