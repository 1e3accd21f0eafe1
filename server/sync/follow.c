#include "sync/sync.h"
#include "sync/sync_internal.h"

/* ---- what is asked for ---- */

/* The portion of one who followed the whole scene. Who is in the middle of catching up knows some
 * nodes of one state and some of another: they start from 0. */
static struct gz_portion *begin_portion(const struct gz_sync *sync, const struct gz_cursor *cursor,
                                        bool *knows)
{
    struct gz_portion *portion = gz_portion_create();
    *knows = cursor->greeted && !gz_sync_is_lost(sync, cursor);
    if (portion == NULL || !*knows || gz_portion_knows_all(portion, sync->scene, cursor->state))
        return portion;
    gz_portion_destroy(portion);
    return NULL;
}

static bool begin_to_follow(const struct gz_sync *sync, struct gz_cursor *cursor,
                            const struct gz_region *region)
{
    bool knows;
    struct gz_portion *portion = begin_portion(sync, cursor, &knows);
    if (portion == NULL || !gz_portion_follow(portion, region)) {
        gz_portion_destroy(portion);
        return false;
    }
    if (!knows) cursor->state = 0;
    cursor->portion = portion;
    return true;
}

bool gz_sync_follow(const struct gz_sync *sync, struct gz_cursor *cursor,
                    const struct gz_region *region)
{
    bool follows = true;
    if (cursor->portion != NULL)
        follows = gz_portion_follow(cursor->portion, region);
    else if (region->kind != GZ_REGION_WHOLE)
        follows = begin_to_follow(sync, cursor, region);
    if (follows) cursor->greeted = false;
    return follows;
}

/* ---- the delta ---- */

/* First who came in and who went, then what changed of those that the viewer knows. The first may
 * take several deltas, which lead nowhere: these nodes are told as they are, and with the others
 * the viewer stays where it is. From 0 there are no others. */

static bool collect_news(struct gz_sync *sync, struct gz_portion *portion, struct gz_delta *delta,
                         size_t *bytes)
{
    uint64_t seq = gz_scene_seq(sync->scene), id;
    bool gone;
    while (*bytes < sync->delta_bytes && (id = gz_portion_next_news(portion, seq, &gone)) != 0) {
        bool added = gone
                         ? gz_sync_add_gone(sync, delta, id, bytes)
                         : gz_sync_add_state(sync, delta, gz_scene_find(sync->scene, id), 0, bytes);
        if (!added) return false;
    }
    return true;
}

/* From the oldest change on, until the frame is full: then the delta leads to the last change that
 * was looked at. */
static bool collect_changed(struct gz_sync *sync, struct gz_portion *portion,
                            struct gz_delta *delta, size_t *bytes)
{
    uint64_t seq = gz_scene_seq(sync->scene);
    const struct gz_node *node = gz_scene_after(sync->scene, delta->seq);
    for (; node != NULL && *bytes < sync->delta_bytes; node = node->newer) {
        uint64_t told = gz_portion_tell(portion, node->id, seq);
        delta->seq = node->seq;
        if (told == 0 || told >= node->seq) continue;
        if (!gz_sync_add_state(sync, delta, node, told, bytes)) return false;
    }
    delta->more = node != NULL;
    if (!delta->more) delta->seq = seq;
    return true;
}

bool gz_sync_collect_portion(struct gz_sync *sync, struct gz_cursor *cursor, struct gz_delta *delta)
{
    struct gz_portion *portion = cursor->portion;
    size_t bytes = 0;
    if (!gz_portion_update(portion, sync->scene)) return false;
    delta->from = cursor->state;
    delta->seq = cursor->state > 0 ? cursor->state : gz_scene_seq(sync->scene);
    if (!collect_news(sync, portion, delta, &bytes)) return false;
    delta->more = gz_portion_has_news(portion);
    if (!delta->more && !collect_changed(sync, portion, delta, &bytes)) return false;
    if (!delta->more) gz_portion_shrink(portion);
    return true;
}
