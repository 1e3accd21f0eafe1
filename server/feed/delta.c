/* delta.c - what of a scene a viewer was not sent: of the whole, or of the part that it asked for.
 */
#include <stdlib.h>
#include <string.h>

#include "feed/state.h"

/* ---- delta ---- */

/* Collects the nodes of a delta, and finds what is new about each node to a viewer. */

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
    if (node->by != 0 && (!gz_form_is_packed(form) || changed(node, GZ_PART_BY, base)))
        state->has |= GZ_HAS_STATE_BY;
    if (changed(node, GZ_PART_T, base)) state->has |= GZ_HAS_STATE_T;
    if (gz_form_is_packed(form)) state->has |= gz_feed_changed_axes(node, base);
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

/* Add to a delta: what is new about the node to a viewer that has it as of `base` (0: never had
 * it), or the id of a deleted node. `bytes` grows by the approximate encoded size. False without
 * memory. */
static bool add_state(struct gz_feed *feed, struct gz_delta *delta, const struct gz_node *node,
                      uint64_t base, size_t *bytes)
{
    if (!gz_grow(&feed->states, &feed->state_capacity, delta->count + 1, sizeof *feed->states))
        return false;
    struct gz_node_state *state = &feed->states[delta->count++];
    fill_state(state, node, base, feed->form);
    *bytes += bytes_of(state);
    delta->nodes = feed->states;
    return true;
}

static bool add_gone(struct gz_feed *feed, struct gz_delta *delta, uint64_t id, size_t *bytes)
{
    if (!gz_grow(&feed->gone, &feed->gone_capacity, delta->gone.count + 1, sizeof *feed->gone))
        return false;
    feed->gone[delta->gone.count++] = id;
    delta->gone.ids = feed->gone;
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
static bool add_in_motion(struct gz_feed *feed, struct gz_delta *delta, const struct gz_node *node,
                          uint64_t base, size_t *bytes)
{
    if (!has_other_news(node, base)) return true;
    if (!add_state(feed, delta, node, base, bytes)) return false;
    feed->states[delta->count - 1].has &=
        ~(uint64_t)(GZ_HAS_STATE_T | GZ_HAS_STATE_R | GZ_HAS_STATE_BY | GZ_SYNC_AXES);
    return true;
}

/* Whether the viewer may have a node that was deleted at `seq`: not if that was before its snapshot
 * began. */
static bool knew_of(const struct gz_cursor *cursor, uint64_t seq)
{
    return cursor->base > 0 || seq > cursor->since;
}

static bool add_new(struct gz_feed *feed, const struct gz_cursor *cursor, struct gz_delta *delta,
                    const struct gz_new *is, size_t *bytes)
{
    if (is->node == NULL) return !knew_of(cursor, is->seq) || add_gone(feed, delta, is->id, bytes);
    if (gz_feed_is_in_motion(feed, cursor, is->node))
        return add_in_motion(feed, delta, is->node, cursor->base, bytes);
    return add_state(feed, delta, is->node, cursor->base, bytes);
}

/* Collects the nodes that changed after delta->from, oldest change first. A full frame sets `more`
 * and ends at the last change that is in it. */
static bool collect_nodes(struct gz_feed *feed, const struct gz_cursor *cursor,
                          struct gz_delta *delta)
{
    struct gz_news news = gz_scene_news(feed->scene, delta->from);
    struct gz_new is;
    size_t bytes = 0;
    for (uint64_t last = 0; gz_news_next(&news, &is); last = is.seq) {
        if (bytes >= feed->delta_bytes) {
            delta->more = true;
            delta->seq = last;
            return true;
        }
        if (!add_new(feed, cursor, delta, &is, &bytes)) return false;
    }
    delta->seq = gz_scene_seq(feed->scene);
    return true;
}

/* A viewer in the middle of its snapshot stands at an old seq, but has no node that was deleted
 * before the snapshot began. */
bool gz_feed_is_lost(const struct gz_feed *feed, const struct gz_cursor *cursor)
{
    uint64_t knows_from = cursor->state > cursor->since ? cursor->state : cursor->since;
    return knows_from < gz_scene_forgotten(feed->scene) ||
           cursor->state > gz_scene_seq(feed->scene);
}

/* ---- the order of a snapshot ---- */

/* By id, but for a parent that would come after its child: it comes right before. All nodes of a
 * snapshot are new to the viewer, and so have a parent. */

static int compare_states(const void *a, const void *b)
{
    const struct gz_node_state *x = a, *y = b;
    return (x->id > y->id) - (x->id < y->id);
}

static bool is_ascending(const struct gz_delta *delta)
{
    for (size_t i = 1; i < delta->count; i++)
        if (delta->nodes[i - 1].id > delta->nodes[i].id) return false;
    return true;
}

/* A parent with a larger id: only a node that got another parent has one. */
static bool is_parent_behind(const struct gz_delta *delta)
{
    for (size_t i = 0; i < delta->count; i++)
        if (delta->nodes[i].parent > delta->nodes[i].id) return true;
    return false;
}

/* Puts the nodes that are above this one, and not yet in the order, before it, and it behind them.
 */
static size_t put_chain(const struct gz_delta *delta, size_t at, size_t *places, size_t put)
{
    const struct gz_node_state *chain[GZ_TREE_DEPTH_MAX];
    size_t depth = 0;
    const struct gz_node_state *state = &delta->nodes[at];
    while (state != NULL && places[state - delta->nodes] == 0 && depth < GZ_TREE_DEPTH_MAX) {
        chain[depth++] = state;
        const struct gz_node_state wanted = {.id = state->parent};
        state = bsearch(&wanted, delta->nodes, delta->count, sizeof wanted, compare_states);
    }
    while (depth > 0) places[chain[--depth] - delta->nodes] = ++put;
    return put;
}

/* Moves each node to its place, from 1, which is then forgotten. */
static void move_to(struct gz_node_state *states, size_t *places, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        while (places[i] != i + 1) {
            const size_t place = places[i] - 1;
            const struct gz_node_state other = states[place];
            states[place] = states[i];
            states[i] = other;
            places[i] = places[place];
            places[place] = place + 1;
        }
    }
}

static bool order_nodes(struct gz_feed *feed, const struct gz_delta *delta)
{
    if (!is_ascending(delta))
        qsort(feed->states, delta->count, sizeof *feed->states, compare_states);
    if (!is_parent_behind(delta)) return true;
    if (!gz_grow(&feed->order, &feed->order_capacity, delta->count, sizeof *feed->order))
        return false;
    memset(feed->order, 0, delta->count * sizeof *feed->order);
    for (size_t i = 0, put = 0; i < delta->count; i++) put = put_chain(delta, i, feed->order, put);
    move_to(feed->states, feed->order, delta->count);
    return true;
}

bool gz_feed_collect_whole(struct gz_feed *feed, struct gz_cursor *cursor, struct gz_delta *delta)
{
    delta->from = gz_feed_is_lost(feed, cursor) ? 0 : cursor->state;
    if (delta->from == 0) {
        cursor->base = 0;
        cursor->since = gz_scene_seq(feed->scene);
    }
    return collect_nodes(feed, cursor, delta) && (cursor->base > 0 || order_nodes(feed, delta));
}

/* ---- a part of the scene ---- */

/* A viewer's interest: how it is changed, and the delta of the nodes that are in it. */

/* ---- changing it ---- */

/* A set for a viewer that was sent the whole scene so far. `complete` is false, and the viewer
 * starts from 0, if its nodes are not of one exact state: it is still catching up, or was sent
 * motions. */
static struct gz_interest_set *create_set(const struct gz_feed *feed,
                                          const struct gz_cursor *cursor, bool *complete)
{
    struct gz_interest_set *set = gz_interest_set_create();
    *complete = cursor->greeted && !gz_feed_is_lost(feed, cursor);
    if (gz_feed_knows_motion(feed, cursor)) *complete = false;
    if (set != NULL && *complete) gz_interest_set_assume_all(set, cursor->state);
    return set;
}

static bool set_first(const struct gz_feed *feed, struct gz_cursor *cursor,
                      const struct gz_region *region)
{
    bool complete;
    struct gz_interest_set *set = create_set(feed, cursor, &complete);
    if (set == NULL || !gz_interest_set_choose(set, region)) {
        gz_interest_set_destroy(set);
        return false;
    }
    if (!complete) cursor->state = 0;
    gz_feed_forget_motions(cursor);
    cursor->interest_set = set;
    return true;
}

bool gz_cursor_set_interest(const struct gz_feed *feed, struct gz_cursor *cursor,
                            const struct gz_region *region)
{
    bool done = true;
    if (cursor->interest_set != NULL)
        done = gz_interest_set_choose(cursor->interest_set, region);
    else if (region->kind != GZ_REGION_WHOLE)
        done = set_first(feed, cursor, region);
    if (!done) return false;
    cursor->greeted = false;
    return true;
}

/* ---- looking at every node ---- */

void gz_feed_forget_interest(struct gz_cursor *cursor)
{
    gz_interest_set_reset(cursor->interest_set);
    cursor->state = 0;
    cursor->greeted = false;
}

bool gz_feed_is_ready(const struct gz_feed *feed, const struct gz_subscriber *subscriber)
{
    const struct gz_interest_set *set = subscriber->at->cursor.interest_set;
    return set == NULL || gz_interest_set_is_ready(set, feed->scene);
}

void gz_feed_advance(struct gz_feed *feed, struct gz_subscriber *subscriber, size_t *budget)
{
    struct gz_cursor *cursor = &subscriber->at->cursor;
    struct gz_interest_set *set = cursor->interest_set;
    if (set == NULL) return;
    if (gz_interest_set_is_assuming(set) && gz_feed_is_lost(feed, cursor))
        gz_feed_forget_interest(cursor);
    if (gz_interest_set_advance(set, feed->scene, budget)) return;
    gz_feed_forget_interest(cursor);
    *budget = 0; /* ends this turn; the next one may have memory */
}

size_t gz_feed_take_looks(struct gz_subscriber *subscriber)
{
    struct gz_interest_set *set = subscriber->at->cursor.interest_set;
    return set != NULL ? gz_interest_set_take_looks(set) : 0;
}

/* ---- the delta ---- */

/* First the nodes that entered the set or left it, then the changes of the nodes that the viewer
 * has. The former may take several deltas, which do not move the viewer's seq: these nodes are sent
 * as they are now, and changes of others are still to come, except from 0. */

static bool collect_news(struct gz_feed *feed, struct gz_interest_set *set, struct gz_delta *delta,
                         size_t *bytes)
{
    uint64_t seq = gz_scene_seq(feed->scene), id;
    bool gone;
    while (*bytes < feed->delta_bytes && (id = gz_interest_set_next_news(set, seq, &gone)) != 0) {
        bool added = gone ? add_gone(feed, delta, id, bytes)
                          : add_state(feed, delta, gz_scene_find(feed->scene, id), 0, bytes);
        if (!added) return false;
    }
    return true;
}

/* Collects changes, oldest first, until the frame is full; the delta then ends at the last change
 * that was looked at. */
static bool collect_changed(struct gz_feed *feed, struct gz_interest_set *set,
                            struct gz_delta *delta, size_t *bytes)
{
    uint64_t seq = gz_scene_seq(feed->scene);
    const struct gz_node *node = gz_scene_after(feed->scene, delta->seq);
    for (; node != NULL && *bytes < feed->delta_bytes; node = node->newer) {
        uint64_t sent = gz_interest_set_send(set, node->id, seq);
        delta->seq = node->seq;
        if (sent == 0 || sent >= node->seq) continue;
        if (!add_state(feed, delta, node, sent, bytes)) return false;
    }
    delta->more = node != NULL;
    if (!delta->more) delta->seq = seq;
    return true;
}

bool gz_feed_collect_interest(struct gz_feed *feed, struct gz_cursor *cursor,
                              struct gz_delta *delta)
{
    struct gz_interest_set *set = cursor->interest_set;
    size_t bytes = 0;
    if (!gz_interest_set_update(set, feed->scene)) return false;
    delta->from = cursor->state;
    delta->seq = cursor->state > 0 ? cursor->state : gz_scene_seq(feed->scene);
    if (!collect_news(feed, set, delta, &bytes)) return false;
    delta->more = gz_interest_set_has_news(set);
    if (!delta->more && !collect_changed(feed, set, delta, &bytes)) return false;
    if (!delta->more) gz_interest_set_shrink(set);
    return delta->from > 0 || order_nodes(feed, delta);
}
