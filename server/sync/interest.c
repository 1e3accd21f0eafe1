/* A viewer's interest: how it is changed, and the delta of the nodes that are in it. */
#include "sync/internal.h"

/* ---- changing it ---- */

/* A set for a viewer that was sent the whole scene so far. `complete` is false, and the viewer
 * starts from 0, if its nodes are not of one exact state: it is still catching up, or was sent
 * motions. */
static struct gz_interest_set *create_set(const struct gz_sync *sync,
                                          const struct gz_cursor *cursor, bool *complete)
{
    struct gz_interest_set *set = gz_interest_set_create();
    *complete = cursor->greeted && !gz_sync_is_lost(sync, cursor);
    if (gz_sync_knows_motion(sync, cursor)) *complete = false;
    if (set != NULL && *complete) gz_interest_set_assume_all(set, cursor->state);
    return set;
}

static bool set_first(const struct gz_sync *sync, struct gz_cursor *cursor,
                      const struct gz_region *region)
{
    bool complete;
    struct gz_interest_set *set = create_set(sync, cursor, &complete);
    if (set == NULL || !gz_interest_set_choose(set, region)) {
        gz_interest_set_destroy(set);
        return false;
    }
    if (!complete) cursor->state = 0;
    gz_sync_forget_motions(cursor);
    cursor->interest_set = set;
    return true;
}

bool gz_sync_set_interest(const struct gz_sync *sync, struct gz_cursor *cursor,
                          const struct gz_region *region)
{
    bool done = true;
    if (cursor->interest_set != NULL)
        done = gz_interest_set_choose(cursor->interest_set, region);
    else if (region->kind != GZ_REGION_WHOLE)
        done = set_first(sync, cursor, region);
    if (!done) return false;
    cursor->greeted = false;
    cursor->place = 0;
    return true;
}

/* ---- looking at every node ---- */

void gz_sync_forget_interest(struct gz_cursor *cursor)
{
    gz_interest_set_reset(cursor->interest_set);
    cursor->state = 0;
    cursor->greeted = false;
}

bool gz_sync_is_ready(const struct gz_sync *sync, const struct gz_cursor *cursor)
{
    return cursor->interest_set == NULL ||
           gz_interest_set_is_ready(cursor->interest_set, sync->scene);
}

void gz_sync_advance(struct gz_sync *sync, struct gz_cursor *cursor, size_t *budget)
{
    struct gz_interest_set *set = cursor->interest_set;
    if (set == NULL) return;
    if (gz_interest_set_is_assuming(set) && gz_sync_is_lost(sync, cursor))
        gz_sync_forget_interest(cursor);
    if (gz_interest_set_advance(set, sync->scene, budget)) return;
    gz_sync_forget_interest(cursor);
    *budget = 0; /* ends this turn; the next one may have memory */
}

size_t gz_sync_take_looks(struct gz_cursor *cursor)
{
    return cursor->interest_set != NULL ? gz_interest_set_take_looks(cursor->interest_set) : 0;
}

/* ---- the delta ---- */

/* First the nodes that entered the set or left it, then the changes of the nodes that the viewer
 * has. The former may take several deltas, which do not move the viewer's seq: these nodes are sent
 * as they are now, and changes of others are still to come, except from 0. */

static bool collect_news(struct gz_sync *sync, struct gz_interest_set *set, struct gz_delta *delta,
                         size_t *bytes)
{
    uint64_t seq = gz_scene_seq(sync->scene), id;
    bool gone;
    while (*bytes < sync->delta_bytes && (id = gz_interest_set_next_news(set, seq, &gone)) != 0) {
        bool added = gone
                         ? gz_sync_add_gone(sync, delta, id, bytes)
                         : gz_sync_add_state(sync, delta, gz_scene_find(sync->scene, id), 0, bytes);
        if (!added) return false;
    }
    return true;
}

/* Collects changes, oldest first, until the frame is full; the delta then ends at the last change
 * that was looked at. */
static bool collect_changed(struct gz_sync *sync, struct gz_interest_set *set,
                            struct gz_delta *delta, size_t *bytes)
{
    uint64_t seq = gz_scene_seq(sync->scene);
    const struct gz_node *node = gz_scene_after(sync->scene, delta->seq);
    for (; node != NULL && *bytes < sync->delta_bytes; node = node->newer) {
        uint64_t sent = gz_interest_set_send(set, node->id, seq);
        delta->seq = node->seq;
        if (sent == 0 || sent >= node->seq) continue;
        if (!gz_sync_add_state(sync, delta, node, sent, bytes)) return false;
    }
    delta->more = node != NULL;
    if (!delta->more) delta->seq = seq;
    return true;
}

bool gz_sync_collect_interest(struct gz_sync *sync, struct gz_cursor *cursor,
                              struct gz_delta *delta)
{
    struct gz_interest_set *set = cursor->interest_set;
    size_t bytes = 0;
    if (!gz_interest_set_update(set, sync->scene)) return false;
    delta->from = cursor->state;
    delta->seq = cursor->state > 0 ? cursor->state : gz_scene_seq(sync->scene);
    if (!collect_news(sync, set, delta, &bytes)) return false;
    delta->more = gz_interest_set_has_news(set);
    if (!delta->more && !collect_changed(sync, set, delta, &bytes)) return false;
    if (!delta->more) gz_interest_set_shrink(set);
    return true;
}
