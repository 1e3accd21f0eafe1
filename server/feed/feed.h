/* feed.h - the channels of a scene, and the frames that bring each subscriber up to date.
 *
 * A viewer is sent whatever changed after what it was sent before: one delta, then the edits that
 * were completed, then the notes, the checkpoints, and who is present. A snapshot is the delta from
 * 0; a viewer that fell behind gets a larger delta.
 *
 * There is a channel for each form of the frames. Whoever is sent frames subscribes to one: a
 * viewer, or the viewers of an edge together. Subscribers in step hold one mark, which says what
 * they were sent, and the frame that leads on from there is made once. One that falls behind keeps
 * its mark, until its next frame takes it to where the others are.
 *
 * A viewer may have an interest: then its deltas hold that part of the scene only, and its mark is
 * its own.
 *
 * A viewer reads one of two forms: plain, or packed. In the packed form a running drag of many
 * nodes is sent as the list of its nodes, once, and as a rigid motion for each of their parents.
 * Until the drag ends the viewer's copies of the nodes are a preview; the end changes each node,
 * and so sends it exactly.
 *
 * Of people a viewer is sent those who act, in either form, and the number of all who are here: so
 * the cost of a join does not grow with the number of people who only watch.
 *
 * Ownership: the scene, the notes, the checkpoints and the presence entries belong to the caller.
 * They outlive the feed; an entry may also be withdrawn (gz_feed_absent). Subscribers leave before
 * the feed is destroyed. Threads: one. No clock: the time is handed in. */
#ifndef GZ_FEED_FEED_H
#define GZ_FEED_FEED_H

#include "feed/bytes.h"
#include "feed/interest_set.h"
#include "proto/message.h"
#include "scene/scene.h"
#include "scene/versions.h"

struct gz_feed;

/* The form of a viewer's frames (proto/README.md). */
enum gz_form {
    GZ_FORM_PLAIN,
    GZ_FORM_JSON,        /* the plain form, as JSON */
    GZ_FORM_PACKED,      /* without acknowledgements */
    GZ_FORM_PACKED_ACTS, /* with them: the viewer sent a pointer or a pose */
    GZ_FORM_COUNT
};
static inline bool gz_form_is_packed(enum gz_form form)
{
    return form == GZ_FORM_PACKED || form == GZ_FORM_PACKED_ACTS;
}

/* Whoever is sent frames: a viewer, or several who are sent the same. Begins as zeros; it is
 * subscribed from gz_feed_subscribe to gz_feed_unsubscribe. */
struct gz_subscriber {
    struct gz_mark *at; /* what it was sent so far: one mark for all subscribers in step */
};

/* The parts of a presence record that change separately. */
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

/* A session as others see it. Lives in the session. */
struct gz_presence_entry {
    struct gz_versions_item
        item; /* first, so that an item of the board is its entry. Once it acts */
    uint64_t part_versions[GZ_PRESENCE_PART_COUNT]; /* of the board at the part's last change */
    uint64_t acts_from;                             /* version of the board when it began to act */
    struct gz_presence_ack *acks; /* feed's own: the latest of each of its gestures */
    bool is_present;
    struct gz_presence_user user; /* its pointers stay valid while the entry is present */
    double viewport[4];           /* of `at`; without a camera width and height are 0 */
    uint32_t changed_parts;       /* 1 << part: changes that are not on the board yet */
    double put_s;                 /* monotonic: when it was last put on the board */
    double due_s;                 /* monotonic: when its changes since then are put there */
    struct gz_presence_entry *next_changed, **changed_link; /* link NULL: it did not change */
};

/* NULL without memory. */
struct gz_feed *gz_feed_create(struct gz_scene *scene, const struct gz_notebook *notes,
                               const struct gz_checkpoint_list *checkpoints, uint64_t saved);
void gz_feed_destroy(struct gz_feed *feed);
/* Call it when no subscriber is left: frees the memory of frames. The next frame allocates it
 * again. */
void gz_feed_rest(struct gz_feed *feed);

/* Subscribes a viewer that has everything up to `seq` of this scene, or nothing (0). `heard` is the
 * seq of the last edit that it was sent; it is sent the later ones. If that is not known (NULL), it
 * is sent every edit that it may have missed, perhaps one twice. A viewer with `seq` 0 is sent no
 * past edits. False without memory. */
GZ_MUST_USE bool gz_feed_subscribe(struct gz_feed *feed, struct gz_subscriber *subscriber,
                                   enum gz_form form, uint64_t seq, const uint64_t *heard);
/* Fine for one that is not subscribed. */
void gz_feed_unsubscribe(struct gz_feed *feed, struct gz_subscriber *subscriber);
/* The subscriber counts as having been sent what the other one was sent, which follows the whole
 * scene. Subscribes it if it was not. */
void gz_feed_join(struct gz_feed *feed, struct gz_subscriber *subscriber,
                  const struct gz_subscriber *other);
/* Whether both were sent the same, and so are sent the same from now on. */
static inline bool gz_feed_are_in_step(const struct gz_subscriber *a, const struct gz_subscriber *b)
{
    return a->at == b->at;
}
/* The viewer sends pointers: it is sent acknowledgements. Without memory it is not yet. */
void gz_feed_hear_acks(struct gz_feed *feed, struct gz_subscriber *subscriber);
enum gz_form gz_feed_form(const struct gz_subscriber *subscriber);
/* Whether it follows the whole scene; and whether it ever had a complete state. */
bool gz_feed_is_whole(const struct gz_subscriber *subscriber);
bool gz_feed_has_state(const struct gz_subscriber *subscriber);

/* From now on the viewer is sent only this part of the scene. A delta follows; a viewer that has no
 * complete state yet starts from 0. False without memory: then nothing changed. */
GZ_MUST_USE bool gz_feed_set_interest(struct gz_feed *feed, struct gz_subscriber *subscriber,
                                      const struct gz_region *region);

/* Whether the viewer can be sent frames. With a new interest it cannot until every node was looked
 * at. gz_feed_advance does that in slices: each node takes one from *budget. Without memory the
 * viewer starts from 0, and the budget is spent. */
bool gz_feed_is_ready(const struct gz_feed *feed, const struct gz_subscriber *subscriber);
void gz_feed_advance(struct gz_feed *feed, struct gz_subscriber *subscriber, size_t *budget);

/* Whether a frame is due for the viewer. */
bool gz_feed_has_frame(const struct gz_feed *feed, const struct gz_subscriber *subscriber);
/* The next frame for this cursor, which moves past it. NULL if there is none, if it is not ready,
 * or without memory: then the cursor stays, but a viewer with an interest starts from 0. Also NULL,
 * behind the news, if the viewer's form tells nothing of them. The caller has a reference. */
struct gz_bytes *gz_feed_frame(struct gz_feed *feed, struct gz_subscriber *subscriber,
                               double unix_s);
/* Whether the viewer's next frame may have the largest size: it has no complete state yet, lacks
 * more than one frame holds, or is to be sent the starts of a motion. */
bool gz_feed_is_behind(const struct gz_feed *feed, const struct gz_subscriber *subscriber);
/* How many nodes were looked at for this viewer's frames since the last call, besides those that it
 * was sent: nodes that moved may have entered its interest. */
size_t gz_feed_take_looks(struct gz_subscriber *subscriber);

/* The state up to `seq` is on stable storage. Viewers are sent that with other news, and alone only
 * after GZ_SAVED_MS_QUIET without any. */
void gz_feed_saved(struct gz_feed *feed, uint64_t seq, double mono_s);
uint64_t gz_feed_saved_seq(const struct gz_feed *feed);
/* Sends a completed edit to every viewer; edits come in the order of their seq. `sent_at` is the
 * seq of the scene at this moment: a viewer that comes back from a later one has the edit already.
 * GZ_NO_MEMORY: no viewer is sent the edit; the history has it. */
GZ_MUST_USE enum gz_status gz_feed_edit(struct gz_feed *feed, const struct gz_message *message,
                                        uint64_t sent_at);
/* The scene at its present seq shows the effect of pointer or pose `n` of one of the gestures of
 * the entry's session. Without memory viewers miss that, but not the state itself. */
void gz_feed_acknowledge(struct gz_feed *feed, struct gz_presence_entry *entry, uint32_t gesture,
                         uint64_t n);

/* ---- motions ---- */

/* The nodes of a drag in parts; the nodes of a part have the same parent. */
struct gz_motion_nodes {
    struct gz_move *starts; /* id, t and r of each at the drag's beginning, part after part */
    size_t count;
    size_t ends[GZ_MOTIONS_MAX]; /* of each part, in `starts` */
    size_t part_count;
    uint64_t since_seq; /* the nodes are as in `starts` from this seq of the scene on */
    uint64_t until_seq; /* up to this one; 0: they have moved since */
};

/* Whether a viewer reads the packed form, and there is room for another motion. */
bool gz_feed_wants_motion(const struct gz_feed *feed);
/* Sends the gesture as motions from now on; it has not moved yet. It holds these nodes and no
 * others meanwhile. The feed owns nodes->starts from now on, and frees it if it
 * returns false: without memory, or if there are too many parts. */
GZ_MUST_USE bool gz_feed_begin_motion(struct gz_feed *feed, struct gz_grip grip,
                                      const struct gz_motion_nodes *nodes);
/* The drag has moved each part by its rigid motion; the scene already shows it. */
void gz_feed_move(struct gz_feed *feed, struct gz_grip grip, const gz_rigid *parts);
/* All changes since `seq` are poses of a drag whose pass is not over: hides them from viewers of
 * motions until the other nodes are posed too. */
void gz_feed_hide(struct gz_feed *feed, uint64_t seq);
/* Ends the motion: the nodes are sent one by one again. The caller gives each node that moved a new
 * seq, so that every viewer is sent it. Does nothing if the drag is not sent as motions. */
void gz_feed_end_motion(struct gz_feed *feed, struct gz_grip grip);

/* Makes the entry present, or says that it changed: `parts`, 1 << enum gz_presence_part each. */
void gz_feed_present(struct gz_feed *feed, struct gz_presence_entry *entry, uint32_t parts,
                     double mono_s);
/* The present entry acts: from now on viewers are sent it, with the user in the frame that shows
 * the action. Before that it counts for them. The first GZ_PRESENCE_FEW entries act in any case. */
void gz_feed_act(struct gz_feed *feed, struct gz_presence_entry *entry);
bool gz_feed_acts(const struct gz_presence_entry *entry);
/* The record of this entry alone, to send it to its own session. Valid until the entry changes. */
struct gz_message gz_feed_self(const struct gz_presence_entry *entry, enum gz_form form);
/* Withdraws the entry: viewers are sent its removal, and its acknowledgements are forgotten. */
void gz_feed_absent(struct gz_feed *feed, struct gz_presence_entry *entry);
/* Viewers are shown presence at most every GZ_PRESENCE_MS_MIN. A large record is shown less often,
 * so that it takes at most GZ_PRESENCE_BYTES_PER_S; the packed form is sent less often the more
 * users have news. While viewers are sent other frames in quick succession, presence waits up to
 * GZ_RIDE_MS to go with one of them.
 *
 * The end of a turn: decides what viewers are shown. Whether there is something new for all
 * viewers. */
bool gz_feed_show(struct gz_feed *feed, double mono_s);
/* When gz_feed_show next has something to show without new input; INFINITY for never. */
double gz_feed_due(const struct gz_feed *feed);

/* Records as parts of a message. Pure; texts point into the record. */
struct gz_note_state gz_describe_note(const struct gz_note_record *note);
struct gz_checkpoint_state gz_describe_checkpoint(const struct gz_checkpoint_record *checkpoint);

#endif
