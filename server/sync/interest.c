#include "sync/internal.h"
#include "sync/sync.h"

/* ---- what is asked for ---- */

/* The interest_set of one who followed the whole scene. Who is in the middle of catching up knows
 * some nodes of one state and some of another: they start from 0. */
static struct gz_interest_set *begin_portion(const struct gz_sync *sync,
                                             const struct gz_cursor *cursor, bool *knows)
{
    struct gz_interest_set *interest_set = gz_interest_set_create();
    *knows = cursor->greeted && !gz_sync_is_lost(sync, cursor);
    if (interest_set == NULL || !*knows ||
        gz_interest_set_knows_all(interest_set, sync->scene, cursor->state))
        return interest_set;
    gz_interest_set_destroy(interest_set);
    return NULL;
}

static bool begin_to_follow(const struct gz_sync *sync, struct gz_cursor *cursor,
                            const struct gz_region *region)
{
    bool knows;
    struct gz_interest_set *interest_set = begin_portion(sync, cursor, &knows);
    if (interest_set == NULL || !gz_interest_set_follow(interest_set, region)) {
        gz_interest_set_destroy(interest_set);
        return false;
    }
    if (!knows) cursor->state = 0;
    cursor->interest_set = interest_set;
    return true;
}

bool gz_sync_set_interest(const struct gz_sync *sync, struct gz_cursor *cursor,
                          const struct gz_region *region)
{
    bool follows = true;
    if (cursor->interest_set != NULL)
        follows = gz_interest_set_follow(cursor->interest_set, region);
    else if (region->kind != GZ_REGION_WHOLE)
        follows = begin_to_follow(sync, cursor, region);
    if (follows) cursor->greeted = false;
    return follows;
}

/* ---- the delta ---- */

/* First who came in and who went, then what changed of those that the viewer knows. The first may
 * take several deltas, which lead nowhere: these nodes are told as they are, and with the others
 * the viewer stays where it is. From 0 there are no others. */

static bool collect_news(struct gz_sync *sync, struct gz_interest_set *interest_set,
                         struct gz_delta *delta, size_t *bytes)
{
    uint64_t seq = gz_scene_seq(sync->scene), id;
    bool gone;
    while (*bytes < sync->delta_bytes &&
           (id = gz_interest_set_next_news(interest_set, seq, &gone)) != 0) {
        bool added = gone
                         ? gz_sync_add_gone(sync, delta, id, bytes)
                         : gz_sync_add_state(sync, delta, gz_scene_find(sync->scene, id), 0, bytes);
        if (!added) return false;
    }
    return true;
}

/* From the oldest change on, until the frame is full: then the delta leads to the last change that
 * was looked at. */
static bool collect_changed(struct gz_sync *sync, struct gz_interest_set *interest_set,
                            struct gz_delta *delta, size_t *bytes)
{
    uint64_t seq = gz_scene_seq(sync->scene);
    const struct gz_node *node = gz_scene_after(sync->scene, delta->seq);
    for (; node != NULL && *bytes < sync->delta_bytes; node = node->newer) {
        uint64_t told = gz_interest_set_tell(interest_set, node->id, seq);
        delta->seq = node->seq;
        if (told == 0 || told >= node->seq) continue;
        if (!gz_sync_add_state(sync, delta, node, told, bytes)) return false;
    }
    delta->more = node != NULL;
    if (!delta->more) delta->seq = seq;
    return true;
}

bool gz_sync_collect_interest(struct gz_sync *sync, struct gz_cursor *cursor,
                              struct gz_delta *delta)
{
    struct gz_interest_set *interest_set = cursor->interest_set;
    size_t bytes = 0;
    if (!gz_interest_set_update(interest_set, sync->scene)) return false;
    delta->from = cursor->state;
    delta->seq = cursor->state > 0 ? cursor->state : gz_scene_seq(sync->scene);
    if (!collect_news(sync, interest_set, delta, &bytes)) return false;
    delta->more = gz_interest_set_has_news(interest_set);
    if (!delta->more && !collect_changed(sync, interest_set, delta, &bytes)) return false;
    if (!delta->more) gz_interest_set_shrink(interest_set);
    return true;
}
