/* Collects the nodes of a delta, and finds what is new about each node to a viewer. */
#include <string.h>

#include "sync/internal.h"

/* The approximate encoded sizes of a node and of an id. A delta is cut by the sum. */
enum { BYTES_NODE = 32, BYTES_ID = 16 };
static const struct {
    uint64_t has;
    size_t bytes;
} field_bytes[] = {{GZ_HAS_STATE_T, 32},    {GZ_HAS_STATE_R, 40},      {GZ_HAS_STATE_S, 32},
                   {GZ_HAS_STATE_NAME, 16}, {GZ_HAS_STATE_PARENT, 16}, {GZ_HAS_STATE_BOUNDS, 64},
                   {GZ_HAS_STATE_ASSET, 16}};

static size_t bytes_of(const struct gz_node_state *state)
{
    size_t bytes = BYTES_NODE + state->name.size;
    for (size_t i = 0; i < sizeof field_bytes / sizeof *field_bytes; i++) {
        if (state->has & field_bytes[i].has) bytes += field_bytes[i].bytes;
    }
    return bytes;
}

static bool changed(const struct gz_node *node, enum gz_part part, uint64_t base)
{
    return node->born > base || node->part_seq[part] > base;
}

/* Fills in what is new about the node to a viewer that has it as of `base` (0: never had it). */
static void fill_state(struct gz_node_state *state, const struct gz_node *node, uint64_t base,
                       enum gz_form form)
{
    *state = (struct gz_node_state){.id = node->id, .trs = node->trs, .by = node->by};
    if (node->by != 0 && (form == GZ_FORM_PLAIN || changed(node, GZ_PART_BY, base)))
        state->has |= GZ_HAS_STATE_BY;
    if (changed(node, GZ_PART_T, base)) state->has |= GZ_HAS_STATE_T;
    if (form == GZ_FORM_PACKED) state->has |= gz_sync_changed_axes(node, base);
    if (changed(node, GZ_PART_R, base)) state->has |= GZ_HAS_STATE_R;
    if (changed(node, GZ_PART_S, base)) state->has |= GZ_HAS_STATE_S;
    if (changed(node, GZ_PART_NAME, base)) {
        state->has |= GZ_HAS_STATE_NAME;
        state->name = (struct gz_text){node->name, strlen(node->name)};
    }
    if (changed(node, GZ_PART_PARENT, base)) {
        state->has |= GZ_HAS_STATE_PARENT;
        state->parent = node->parent != NULL ? node->parent->id : 0;
    }
    if (node->has_bounds && changed(node, GZ_PART_BOUNDS, base)) {
        state->has |= GZ_HAS_STATE_BOUNDS;
        state->bounds = node->bounds;
    }
    if (node->asset >= 0 && changed(node, GZ_PART_ASSET, base)) {
        state->has |= GZ_HAS_STATE_ASSET;
        state->asset = (uint64_t)node->asset;
    }
}

bool gz_sync_add_state(struct gz_sync *sync, struct gz_delta *delta, const struct gz_node *node,
                       uint64_t base, size_t *bytes)
{
    if (!gz_grow(&sync->states, &sync->state_capacity, delta->count + 1, sizeof *sync->states))
        return false;
    struct gz_node_state *state = &sync->states[delta->count++];
    fill_state(state, node, base, sync->form);
    *bytes += bytes_of(state);
    delta->nodes = sync->states;
    return true;
}

bool gz_sync_add_gone(struct gz_sync *sync, struct gz_delta *delta, uint64_t id, size_t *bytes)
{
    if (!gz_grow(&sync->gone, &sync->gone_capacity, delta->gone.count + 1, sizeof *sync->gone))
        return false;
    sync->gone[delta->gone.count++] = id;
    delta->gone.ids = sync->gone;
    *bytes += BYTES_ID;
    return true;
}

/* Whether a node has changed in more than its place and the session that moved it. */
static bool has_other_news(const struct gz_node *node, uint64_t base)
{
    return changed(node, GZ_PART_S, base) || changed(node, GZ_PART_NAME, base) ||
           changed(node, GZ_PART_PARENT, base) || changed(node, GZ_PART_BOUNDS, base) ||
           changed(node, GZ_PART_ASSET, base);
}

/* Adds a node of a motion, without its place. */
static bool add_in_motion(struct gz_sync *sync, struct gz_delta *delta, const struct gz_node *node,
                          uint64_t base, size_t *bytes)
{
    if (!has_other_news(node, base)) return true;
    if (!gz_sync_add_state(sync, delta, node, base, bytes)) return false;
    sync->states[delta->count - 1].has &=
        ~(uint64_t)(GZ_HAS_STATE_T | GZ_HAS_STATE_R | GZ_HAS_STATE_BY | GZ_SYNC_AXES);
    return true;
}

/* Whether the viewer may have a node that was deleted at `seq`: not if that was before its snapshot
 * began. */
static bool knew_of(const struct gz_cursor *cursor, uint64_t seq)
{
    return cursor->base > 0 || seq > cursor->since;
}

static bool add_new(struct gz_sync *sync, const struct gz_cursor *cursor, struct gz_delta *delta,
                    const struct gz_new *is, size_t *bytes)
{
    if (is->node == NULL)
        return !knew_of(cursor, is->seq) || gz_sync_add_gone(sync, delta, is->id, bytes);
    if (gz_sync_is_in_motion(sync, cursor, is->node))
        return add_in_motion(sync, delta, is->node, cursor->base, bytes);
    return gz_sync_add_state(sync, delta, is->node, cursor->base, bytes);
}

/* Collects the nodes that changed after delta->from, oldest change first. A full frame sets `more`
 * and ends at the last change that is in it. */
static bool collect_nodes(struct gz_sync *sync, const struct gz_cursor *cursor,
                          struct gz_delta *delta)
{
    struct gz_news news = gz_scene_news(sync->scene, delta->from);
    struct gz_new is;
    size_t bytes = 0;
    for (uint64_t last = 0; gz_news_next(&news, &is); last = is.seq) {
        if (bytes >= sync->delta_bytes) {
            delta->more = true;
            delta->seq = last;
            return true;
        }
        if (!add_new(sync, cursor, delta, &is, &bytes)) return false;
    }
    delta->seq = gz_scene_seq(sync->scene);
    return true;
}

/* A viewer in the middle of its snapshot stands at an old seq, but has no node that was deleted
 * before the snapshot began. */
bool gz_sync_is_lost(const struct gz_sync *sync, const struct gz_cursor *cursor)
{
    uint64_t knows_from = cursor->state > cursor->since ? cursor->state : cursor->since;
    return knows_from < gz_scene_forgotten(sync->scene) ||
           cursor->state > gz_scene_seq(sync->scene);
}

bool gz_sync_collect_whole(struct gz_sync *sync, struct gz_cursor *cursor, struct gz_delta *delta)
{
    delta->from = gz_sync_is_lost(sync, cursor) ? 0 : cursor->state;
    if (delta->from == 0) {
        cursor->base = 0;
        cursor->since = gz_scene_seq(sync->scene);
    }
    return collect_nodes(sync, cursor, delta);
}
