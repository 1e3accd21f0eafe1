/* sync.h - where each viewer stands, and the bytes that take it to where the scene is.
 *
 * A viewer is a cursor, and is sent whatever changed after the cursor: one delta, then the edits
 * that were completed, then the notes, the checkpoints, and who is present. A snapshot is the delta
 * from 0; a viewer that fell behind gets a larger delta. Viewers that stand at the same place share
 * the same bytes, which are encoded once.
 *
 * A viewer may have an interest: then its deltas hold that part of the scene only, and no other
 * viewer shares them.
 *
 * Others may have asked for motions: a running drag of many nodes is then told by the list of its
 * nodes, once, and by a rigid motion for each parent that they have. What such a viewer has of the
 * nodes meanwhile is a preview; the end of the drag changes each of them, and so tells it.
 *
 * Ownership: the scene, the notes, the checkpoints and the presence entries belong to the caller.
 * They outlive the sync; an entry may also be withdrawn (gz_sync_absent). Threads: one. No clock:
 * the time is handed in. Memory: none is asked for in the steady state. */
#ifndef GZ_SYNC_H
#define GZ_SYNC_H

#include "proto/message.h"
#include "scene/checkpoints.h"
#include "scene/notes.h"
#include "scene/scene.h"
#include "sync/interest_set.h"

struct gz_sync;

/* How a viewer is told what changes. */
struct gz_form {
    bool compact; /* it reads the compact form */
    bool acks;    /* compact: it sent pointers, so it is told what is acknowledged */
    bool crowd;   /* it is told of those alone who act, and how many are here */
    bool motion;  /* compact: it is told motions, while it follows the whole scene */
};

/* How far a viewer has come. Plain data but for the interest set, which the cursor owns. */
struct gz_cursor {
    uint64_t state; /* seq of the scene: the viewer has every change up to here, no later one */
    /* These two differ from `state` only while a delta that was cut goes on in the next frame. */
    uint64_t base;  /* the last state that the viewer had completely; 0: none */
    uint64_t since; /* during a snapshot: the seq at which it began. A node that was deleted before
                       is unknown to the viewer */
    uint64_t saved; /* the last saved seq that the viewer was sent */
    uint64_t edits; /* how many edits it was sent, or did not need to be */
    struct gz_shelf_cursor notes, checkpoints, presence;
    uint64_t
        presence_base; /* compact: the version of presence that it last had completely; 0: none */
    uint64_t count; /* crowd: which number of people it was last sent: gz_crowd.version; 0: none */
    uint64_t begun; /* crowd: how many of those who began to act it was sent */
    uint64_t ms;    /* compact: the time of its last delta, Unix milliseconds; 0: none */
    struct gz_form form;
    uint64_t motions; /* the number of the latest drag whose nodes it was told to be in motions */
    uint64_t motion_version; /* of what it was told of where motions have come to */
    bool greeted; /* it has its first delta, or the first one since its interest changed: that one
                     is sent even if it is empty */
    struct gz_interest_set *interest_set; /* NULL: the whole scene. With `state` 0 the viewer has no
                                             node yet */
};

/* What of a session can change by itself, as others see it. */
enum gz_presence_part {
    GZ_PRESENCE_POINTER, /* at, ray */
    GZ_PRESENCE_EYE,     /* view */
    GZ_PRESENCE_LENS,    /* lens, parallel, viewport */
    GZ_PRESENCE_TOOL,
    GZ_PRESENCE_SELECTION,
    GZ_PRESENCE_LOCKS,
    GZ_PRESENCE_WHO, /* user, name, colour, role */
    GZ_PRESENCE_PART_COUNT
};

/* The boards on which viewers read who is here. */
enum gz_board_kind {
    GZ_BOARD_ALL,   /* everybody */
    GZ_BOARD_CROWD, /* those who act, for viewers whose form is `crowd` */
    GZ_BOARD_COUNT
};

/* Where a session stands on a board. */
struct gz_presence_place {
    struct gz_shelf_item item; /* first, so that an item of the shelf is its place */
    struct gz_presence_entry *entry;
    uint64_t part_versions[GZ_PRESENCE_PART_COUNT]; /* of the shelf, when it last changed */
};

/* A session as others see it. Lives in the session. */
struct gz_presence_entry {
    struct gz_presence_place places[GZ_BOARD_COUNT];
    struct gz_presence_user user; /* what it points to stays valid while the entry is present */
    double viewport[4];           /* in which `at` is; no camera: width and height 0 */
    uint32_t changed_parts;       /* 1 << part: not on the boards yet */
    double put_s;                 /* monotonic: when it was last put on them */
    double due_s;                 /* it changed since then, and is put there again at this time */
    struct gz_presence_entry *next_changed, **changed_link; /* link NULL: it did not */
};

/* NULL without memory. `headroom` bytes are free before each frame. */
struct gz_sync *gz_sync_create(struct gz_scene *scene, const struct gz_notebook *notes,
                               const struct gz_checkpoint_list *checkpoints, uint64_t saved,
                               size_t headroom);
void gz_sync_destroy(struct gz_sync *sync);
/* Nobody is there to be sent frames: gives back the memory in which they are made. The next frame
 * takes it anew. */
void gz_sync_rest(struct gz_sync *sync);

/* A viewer that has everything up to `seq` of this scene, or nothing (0). `heard` is the seq of the
 * last edit that it was sent; it is sent the later ones. If the viewer does not say (NULL) it is
 * sent every edit that it may have missed, and so may get one twice. A newcomer is sent no past
 * edits. */
struct gz_cursor gz_sync_cursor(const struct gz_sync *sync, uint64_t seq, const uint64_t *heard);
/* How the viewer is told, from its first frame on. */
void gz_sync_set_form(struct gz_sync *sync, struct gz_cursor *cursor, struct gz_form form);
void gz_sync_cursor_finish(struct gz_cursor *cursor);

/* From now on the viewer is sent only what is of this interest. A delta follows; a viewer that has
 * no complete state yet starts from 0. False without memory: then nothing changed. */
GZ_MUST_USE bool gz_sync_set_interest(const struct gz_sync *sync, struct gz_cursor *cursor,
                                      const struct gz_region *region);

/* Whether the viewer can be sent frames. One whose interest is new cannot until every node was
 * looked at, which gz_sync_advance does in slices: each node that is looked at takes one from
 * *budget. Without memory the viewer starts from 0, and the budget is spent. */
bool gz_sync_is_ready(const struct gz_sync *sync, const struct gz_cursor *cursor);
void gz_sync_advance(struct gz_sync *sync, struct gz_cursor *cursor, size_t *budget);

/* The next frame for this cursor, which moves past it. NULL if there is none, if it is not ready,
 * or without memory: then the cursor stays, but a viewer with an interest starts from 0. Valid
 * until the next call. */
const struct gz_buffer *gz_sync_frame(struct gz_sync *sync, struct gz_cursor *cursor,
                                      double unix_s);
bool gz_sync_has_frame(const struct gz_sync *sync, const struct gz_cursor *cursor);
/* Whether the viewer is on its way to its first state, lacks more than one frame takes, or is to be
 * told where the nodes of a drag began: its next frame may be as large as frames become. */
bool gz_sync_is_behind(const struct gz_sync *sync, const struct gz_cursor *cursor);
/* Whether two viewers that follow the whole scene are sent the same from now on; and whether they
 * are told in the same form. */
bool gz_sync_stand_together(const struct gz_sync *sync, const struct gz_cursor *a,
                            const struct gz_cursor *b);
bool gz_sync_same_form(const struct gz_cursor *a, const struct gz_cursor *b);
/* How many nodes were looked at for this viewer's frames, beside those that it was sent, since this
 * was last asked: those that moved may have come into its interest. */
size_t gz_sync_take_looks(struct gz_cursor *cursor);

/* The state up to `seq` is on stable storage. Viewers are sent that with what they are sent anyway,
 * and alone only after GZ_SAVED_MS_QUIET in which nothing was. */
void gz_sync_saved(struct gz_sync *sync, uint64_t seq, double mono_s);
uint64_t gz_sync_saved_seq(const struct gz_sync *sync);
/* Sends a completed edit to every viewer; edits come in the order of their seq. `sent_at` is the
 * seq of the scene at this moment: a viewer that comes back from a later one has the edit already.
 * GZ_NO_MEMORY: no viewer is sent the edit; the history has it. */
GZ_MUST_USE enum gz_status gz_sync_edit(struct gz_sync *sync, const struct gz_message *edit,
                                        uint64_t sent_at);
/* The scene at its present seq shows the effect of this session's pointer `n`. */
void gz_sync_acknowledge(struct gz_sync *sync, uint64_t session, uint64_t n);

/* ---- motions ---- */

/* The nodes of a drag, by parts of one parent each. */
struct gz_motion_nodes {
    struct gz_move *starts; /* id, t and r of each at the drag's beginning, part after part */
    size_t count;
    size_t ends[GZ_MOTIONS_MAX]; /* of the parts, in `starts` */
    size_t part_count;
    uint64_t since_seq; /* the nodes were as at the beginning from this seq of the scene on */
    uint64_t until_seq; /* and to this one; 0: they have moved since */
};

/* Whether there is a viewer to be told of another drag so, and room for it. */
bool gz_sync_wants_motion(const struct gz_sync *sync);
/* The drag of the session is told as motions from now on, and has not moved yet. The session holds
 * these nodes and no others while it is; what `starts` points to is the sync's from now on. False
 * without memory, or if there are too many parts: then it is freed. */
GZ_MUST_USE bool gz_sync_begin_motion(struct gz_sync *sync, uint64_t session,
                                      const struct gz_motion_nodes *nodes);
/* Each node of a part is where its rigid motion has it, as the scene is now. */
void gz_sync_move(struct gz_sync *sync, uint64_t session, const gz_rigid *parts);
/* All that changed since `seq`, if it was the scene's present one, is where the drag has posed some
 * of its nodes: that is nothing to tell of before the others are there. */
void gz_sync_hide(struct gz_sync *sync, uint64_t seq);
/* The nodes are told one by one again. Each that moved takes a seq now, or did by the end of the
 * drag, so that every viewer is told where it is. Does nothing if the drag is not told as motions.
 */
void gz_sync_end_motion(struct gz_sync *sync, uint64_t session);

/* Makes the entry present, or says that it changed: `parts`, 1 << enum gz_presence_part each. */
void gz_sync_present(struct gz_sync *sync, struct gz_presence_entry *entry, uint32_t parts,
                     double mono_s);
/* The entry, which is present, does something that others see: from now on all viewers are told of
 * it. Before, those whose form is `crowd` are told of the first GZ_PRESENCE_FEW alone, and count
 * the others. They read who it is in the frame that shows what it does. */
void gz_sync_act(struct gz_sync *sync, struct gz_presence_entry *entry);
/* Whether these viewers are told of it. */
bool gz_sync_acts(const struct gz_presence_entry *entry);
/* The record of this entry alone, for a viewer of this form: one that only watches is told of
 * itself. Valid as long as the entry is as it is. */
struct gz_message gz_sync_self(const struct gz_presence_entry *entry, const struct gz_form *form);
/* Withdraws the entry: viewers are sent that its session left, and its acknowledgements are
 * forgotten. */
void gz_sync_absent(struct gz_sync *sync, struct gz_presence_entry *entry);
/* Viewers are shown presence at most every GZ_PRESENCE_MS_MIN, and a record of many bytes less
 * often, so that no user's record takes more than GZ_PRESENCE_BYTES_PER_S; in the compact form
 * less often the more users there is something new of. While they are sent other things again and
 * again, presence waits up to GZ_RIDE_MS to go with one of these.
 *
 * The end of a turn: decides what viewers are shown. Whether there is something new for all of
 * them. */
bool gz_sync_show(struct gz_sync *sync, double mono_s);
/* When gz_sync_show next has something to show although nothing comes; INFINITY for never. */
double gz_sync_due(const struct gz_sync *sync);

#endif
