/* sync.h - where each viewer stands, and the bytes that take it to where the scene is.
 *
 * A viewer is a cursor. What it is sent is whatever changed after its cursor: one delta, then the
 * edits that were completed, then the notes, the checkpoints, then who is here. A snapshot is the
 * delta from 0, a viewer that fell behind gets a larger delta, and viewers that stand at the same
 * place share the same bytes: they are encoded once.
 *
 * A viewer may follow a part of the scene: then its deltas hold that part alone, and are its own.
 *
 * Ownership: the scene, the notes, checkpoints and presences belong to the caller and outlive the
 * sync, or are taken out of it. Threads: one. No clock: the time is handed in. Steady state: no
 * allocation. */
#ifndef GZ_SYNC_H
#define GZ_SYNC_H

#include "proto/message.h"
#include "scene/checkpoints.h"
#include "scene/notes.h"
#include "scene/scene.h"
#include "sync/interest_set.h"

struct gz_sync;

/* How far a viewer has come. Plain data, but for the part, which is the cursor's own. */
struct gz_cursor {
    uint64_t state; /* seq of the scene: nodes whose last change is later are still to come */
    /* Between deltas that were cut these two lie apart from `state`; otherwise they are the
     * same. */
    uint64_t base;  /* its last complete state, 0 for none: what changed after it is told of each
                       node that comes */
    uint64_t since; /* in a snapshot, the seq at which it began: what was deleted by then is nothing
                       to it */
    uint64_t saved; /* the last that it was told */
    uint64_t edits; /* count of edits it was told of, or passed over */
    uint64_t notes; /* version of the notes; 0: told of none yet */
    uint64_t notes_since; /* while it is being told of all of them, that version at the beginning:
                             who was deleted by then is nothing to it */
    uint64_t checkpoints; /* version of the checkpoints; 0: told of none yet */
    uint64_t presence;    /* version of who is here; 0: it was told of nobody yet */
    uint64_t met; /* while it is being told of everybody, that version at the beginning: who left by
                     then is nothing to it */
    bool greeted; /* it had its first delta, or the first one since its interest; that is due even
                     where it is empty */
    struct gz_interest_set *interest_set; /* what it follows; NULL for the whole scene. With `state`
                                   0 the viewer knows nothing */
};

/* One session as others see it; lives in the session. */
struct gz_presence_entry {
    struct gz_presence_user user; /* what it points to stays valid while it is listed */
    uint64_t version;             /* 0: not listed */
    struct gz_presence_entry *older, *newer;
    double told_s; /* monotonic: when it was last given a version */
    bool changed;  /* since then: it is given another one at due_s */
    double due_s;
};

/* NULL without memory. `headroom` bytes are free before each frame. */
struct gz_sync *gz_sync_create(struct gz_scene *scene, const struct gz_notebook *notes,
                               const struct gz_checkpoint_list *checkpoints, uint64_t saved,
                               size_t headroom);
void gz_sync_destroy(struct gz_sync *sync);

/* A viewer that has seen everything up to `seq` of this scene, or nothing (0): from there on it is
 * told what is new. `heard` is the seq of the last edit that it was told of; later ones are news to
 * it. Where it does not say (NULL) it is told of every edit that it may have missed, and so perhaps
 * of one twice; a newcomer is told of no past ones. */
struct gz_cursor gz_sync_cursor(const struct gz_sync *sync, uint64_t seq, const uint64_t *heard);
void gz_sync_cursor_finish(struct gz_cursor *cursor);

/* From now on the viewer is told of this part of the scene alone. A delta follows; who was not told
 * of any state wholly yet is told from 0. False without memory: then nothing changed. */
GZ_MUST_USE bool gz_sync_follow(const struct gz_sync *sync, struct gz_cursor *cursor,
                                const struct gz_region *region);

bool gz_sync_has_frame(const struct gz_sync *sync, const struct gz_cursor *cursor);
/* The next frame for this cursor, which moves past it; NULL when there is none, or no memory (the
 * cursor then stays; who follows a part is told from 0 again). Valid until the next call. */
const struct gz_buffer *gz_sync_frame(struct gz_sync *sync, struct gz_cursor *cursor,
                                      double unix_s);

/* The state up to `seq` is on stable storage. */
void gz_sync_saved(struct gz_sync *sync, uint64_t seq);
uint64_t gz_sync_saved_seq(const struct gz_sync *sync);
/* A completed edit, for everybody, in the order of their seq. `told` is where the scene stands as
 * they are told of it: whoever comes back from later than that has heard of it. GZ_NO_MEMORY loses
 * it for viewers; the history has it. */
GZ_MUST_USE enum gz_status gz_sync_edit(struct gz_sync *sync, const struct gz_message *edit,
                                        uint64_t told);
/* The scene at its present seq shows the effect of this session's pointer `n`. */
void gz_sync_acknowledge(struct gz_sync *sync, uint64_t session, uint64_t n);

/* Lists the entry, or says that it changed. */
void gz_sync_present(struct gz_sync *sync, struct gz_presence_entry *entry, double mono_s);
/* Takes it off the list; everybody is told that the session left, and its acknowledgements are
 * forgotten. */
void gz_sync_absent(struct gz_sync *sync, struct gz_presence_entry *entry);
/* Presence that waits is shown at most every GZ_PRESENCE_MS_MIN, and who is many bytes less often,
 * so that nobody's record takes more than GZ_PRESENCE_BYTES_PER_S: when something is next due
 * (INFINITY for nothing), and showing it. */
double gz_sync_presence_due(const struct gz_sync *sync);
void gz_sync_show_presence(struct gz_sync *sync, double mono_s);

#endif
