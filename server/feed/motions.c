/* motions.c - drags in few bytes: new places alone, and motions of very many nodes. */
#include <stdlib.h>
#include <string.h>

#include "feed/state.h"
#include "proto/limits.h"

/* ---- new places alone ---- */

/* A delta in the packed form: the remainder of the seq that it leads from, the new
 * places of nodes that the viewer has, and steps of motions. */

#define STATE_BITS                                                                                 \
    (GZ_HAS_STATE_T | GZ_HAS_STATE_R | GZ_HAS_STATE_S | GZ_HAS_STATE_BY | GZ_SYNC_AXES)
static_assert(GZ_HAS_MOVE_R == GZ_HAS_STATE_R && GZ_HAS_MOVE_S == GZ_HAS_STATE_S &&
                  GZ_HAS_MOVE_BY == GZ_HAS_STATE_BY,
              "a state's bits are those of a move");

uint64_t gz_feed_changed_axes(const struct gz_node *node, uint64_t base)
{
    if (node->born > base) return GZ_SYNC_AXES;
    return (node->axis_seq[0] > base ? GZ_HAS_MOVE_X : 0) |
           (node->axis_seq[1] > base ? GZ_HAS_MOVE_Y : 0) |
           (node->axis_seq[2] > base ? GZ_HAS_MOVE_Z : 0);
}

bool gz_feed_is_moves(const struct gz_cursor *cursor, const struct gz_delta *delta)
{
    if (!gz_form_is_packed(cursor->form) || !cursor->greeted || cursor->ms == 0 ||
        delta->from == 0 || delta->more || delta->gone.count > 0)
        return false;
    for (size_t i = 0; i < delta->count; i++) {
        if ((delta->nodes[i].has & ~(uint64_t)STATE_BITS) != 0) return false;
    }
    return true;
}

enum gz_status gz_feed_append_moves(struct gz_feed *feed, const struct gz_cursor *cursor,
                                    const struct gz_delta *delta, size_t step_count, uint64_t ms,
                                    struct gz_buffer *out)
{
    struct gz_message message = {.op = GZ_OP_MOVES};
    struct gz_moves *moves = &message.moves;
    if (!gz_grow(&feed->moves, &feed->move_capacity, delta->count + 1, sizeof *feed->moves))
        return GZ_NO_MEMORY;
    for (size_t i = 0; i < delta->count; i++) {
        const struct gz_node_state *state = &delta->nodes[i];
        feed->moves[i] = (struct gz_move){state->has & ~(uint64_t)GZ_HAS_STATE_T, state->id,
                                          state->by, state->trs};
    }
    *moves = (struct gz_moves){
        .from = delta->from % GZ_MOVES_FROM,
        .step = delta->seq - delta->from,
        .ms = ms > cursor->ms ? ms - cursor->ms : 0,
        .unsaved = delta->seq - delta->saved,
        .nodes = feed->moves,
        .count = delta->count,
        .acks = delta->acks,
        .ack_count = delta->ack_count,
        .steps = feed->steps,
        .step_count = step_count,
    };
    if (delta->saved != cursor->saved) message.has |= GZ_HAS_MOVES_UNSAVED;
    return gz_encode(out, &message);
}

/* ---- motions ---- */

/* Sends drags as motions: their nodes, and their moves. */

static struct motion *find(const struct gz_feed *feed, struct gz_grip grip)
{
    for (size_t i = 0; i < GZ_MOTION_DRAGS_MAX; i++) {
        if (feed->motions[i] != NULL && gz_grips_equal(feed->motions[i]->grip, grip))
            return feed->motions[i];
    }
    return NULL;
}

static size_t free_place(const struct gz_feed *feed)
{
    size_t place = 0;
    while (place < GZ_MOTION_DRAGS_MAX && feed->motions[place] != NULL) place++;
    return place;
}

/* ---- from the drag ---- */

bool gz_feed_wants_motion(const struct gz_feed *feed)
{
    return feed->has_packed && free_place(feed) < GZ_MOTION_DRAGS_MAX;
}

static uint64_t used_numbers(const struct gz_feed *feed)
{
    uint64_t used = 0;
    for (size_t i = 0; i < GZ_MOTION_DRAGS_MAX; i++) {
        const struct motion *motion = feed->motions[i];
        for (size_t part = 0; motion != NULL && part < motion->nodes.part_count; part++)
            used |= UINT64_C(1) << (motion->steps[part].motion - 1);
    }
    return used;
}

/* Gives each part a unique number. */
static bool number_parts(const struct gz_feed *feed, struct motion *motion)
{
    static_assert(GZ_MOTIONS_MAX == 64, "a bit for each");
    uint64_t used = used_numbers(feed);
    if ((size_t)__builtin_popcountll(used) + motion->nodes.part_count > GZ_MOTIONS_MAX)
        return false;
    for (size_t part = 0; part < motion->nodes.part_count; part++) {
        const unsigned bit = (unsigned)__builtin_ctzll(~used);
        used |= UINT64_C(1) << bit;
        motion->steps[part].motion = bit + 1;
    }
    return true;
}

static void destroy(struct motion *motion)
{
    if (motion == NULL) return;
    free(motion->nodes.starts);
    free(motion->ids);
    free(motion);
}

bool gz_feed_begin_motion(struct gz_feed *feed, struct gz_grip grip,
                          const struct gz_motion_nodes *nodes)
{
    const size_t place = free_place(feed);
    struct motion *motion = calloc(1, sizeof *motion);
    if (motion == NULL) {
        free(nodes->starts);
        return false;
    }
    motion->nodes = *nodes;
    motion->grip = grip;
    motion->ids = calloc(nodes->count, sizeof *motion->ids);
    if (motion->ids == NULL || place == GZ_MOTION_DRAGS_MAX || !number_parts(feed, motion)) {
        destroy(motion);
        return false;
    }
    for (size_t i = 0; i < nodes->count; i++) motion->ids[i] = nodes->starts[i].id;
    motion->number = ++feed->motion_count;
    feed->motions[place] = motion;
    feed->version++;
    return true;
}

static struct gz_motion_step step_of(uint64_t number, const gz_rigid *rigid)
{
    const gz_quat *q = &rigid->turn;
    const gz_vec3 *d = &rigid->shift;
    struct gz_motion_step step = {.motion = number, .turn = *q, .pivot = rigid->pivot, .shift = *d};
    if (q->x != 0 || q->y != 0 || q->z != 0) {
        step.has |= GZ_HAS_STEP_TURN;
        if (!rigid->in_place) step.has |= GZ_HAS_STEP_PIVOT;
    }
    if (d->x != 0 || d->y != 0 || d->z != 0) step.has |= GZ_HAS_STEP_SHIFT;
    return step;
}

void gz_feed_move(struct gz_feed *feed, struct gz_grip grip, const gz_rigid *parts)
{
    struct motion *motion = find(feed, grip);
    for (size_t part = 0; part < motion->nodes.part_count; part++)
        motion->steps[part] = step_of(motion->steps[part].motion, &parts[part]);
    motion->version = ++feed->motion_version;
    feed->hidden_from = feed->hidden_to = 0;
    feed->version++;
}

void gz_feed_hide(struct gz_feed *feed, uint64_t seq)
{
    if (feed->hidden_to != seq) feed->hidden_from = seq;
    feed->hidden_to = gz_scene_seq(feed->scene);
}

void gz_feed_end_motion(struct gz_feed *feed, struct gz_grip grip)
{
    for (size_t i = 0; i < GZ_MOTION_DRAGS_MAX; i++) {
        if (feed->motions[i] == NULL || !gz_grips_equal(feed->motions[i]->grip, grip)) continue;
        destroy(feed->motions[i]);
        feed->motions[i] = NULL;
        feed->hidden_from = feed->hidden_to = 0;
        feed->version++;
    }
}

/* ---- to the viewer ---- */

bool gz_feed_tells_motions(const struct gz_cursor *cursor)
{
    return gz_form_is_packed(cursor->form) && cursor->interest_set == NULL && cursor->greeted &&
           cursor->state > 0;
}

bool gz_feed_has_motions(const struct gz_feed *feed, const struct gz_cursor *cursor)
{
    if (!gz_feed_tells_motions(cursor)) return false;
    for (size_t i = 0; i < GZ_MOTION_DRAGS_MAX; i++) {
        const struct motion *motion = feed->motions[i];
        if (motion != NULL &&
            (motion->number > cursor->motions || motion->version > cursor->motion_version))
            return true;
    }
    return false;
}

bool gz_feed_knows_motion(const struct gz_feed *feed, const struct gz_cursor *cursor)
{
    for (size_t i = 0; i < GZ_MOTION_DRAGS_MAX; i++) {
        if (feed->motions[i] != NULL && feed->motions[i]->number <= cursor->motions) return true;
    }
    return false;
}

void gz_feed_settle_motions(const struct gz_feed *feed, struct gz_cursor *cursor)
{
    for (size_t i = 0; i < GZ_MOTION_DRAGS_MAX; i++)
        if (feed->motions[i] != NULL) return;
    cursor->motions = feed->motion_count;
    cursor->motion_version = feed->motion_version;
}

bool gz_feed_is_hidden(const struct gz_feed *feed, const struct gz_cursor *cursor)
{
    return gz_feed_tells_motions(cursor) && feed->hidden_to == gz_scene_seq(feed->scene) &&
           cursor->state >= feed->hidden_from && !gz_feed_has_motions(feed, cursor);
}

/* A viewer that does not have the nodes as they were at the beginning is sent them one by one until
 * its first step: the drag may end before that, and its end sends only the nodes that it
 * changed. */
bool gz_feed_is_in_motion(const struct gz_feed *feed, const struct gz_cursor *cursor,
                          const struct gz_node *node)
{
    if (node->holder == 0 || cursor->motions == 0 || node->born > cursor->base) return false;
    const struct motion *motion = find(feed, (struct gz_grip){node->holder, node->grip});
    return motion != NULL && motion->number <= cursor->motions &&
           cursor->base >= motion->nodes.since_seq;
}

void gz_feed_forget_motions(struct gz_cursor *cursor)
{
    cursor->motions = cursor->motion_version = 0;
}

static const struct motion *next_unknown(const struct gz_feed *feed, const struct gz_cursor *cursor)
{
    const struct motion *next = NULL;
    for (size_t i = 0; i < GZ_MOTION_DRAGS_MAX; i++) {
        const struct motion *motion = feed->motions[i];
        if (motion != NULL && motion->number > cursor->motions &&
            (next == NULL || motion->number < next->number))
            next = motion;
    }
    return next;
}

/* Whether the viewer has all nodes as they were at the beginning: it then needs only their ids. */
static bool has_starts_of(const struct gz_cursor *cursor, const struct motion *motion)
{
    return cursor->state >= motion->nodes.since_seq && cursor->state <= motion->nodes.until_seq;
}

bool gz_feed_lacks_starts(const struct gz_feed *feed, const struct gz_cursor *cursor)
{
    if (!gz_feed_tells_motions(cursor)) return false;
    const struct motion *next = next_unknown(feed, cursor);
    return next != NULL && !has_starts_of(cursor, next);
}

static enum gz_status append_part(const struct motion *motion, size_t part, bool has_starts,
                                  struct gz_buffer *out)
{
    const struct gz_motion_nodes *nodes = &motion->nodes;
    const size_t first = part > 0 ? nodes->ends[part - 1] : 0;
    const size_t count = nodes->ends[part] - first;
    struct gz_message message = {
        .op = GZ_OP_MOTION,
        .motion = {.motion = motion->steps[part].motion, .by = motion->grip.session}};
    if (has_starts) {
        message.motion.nodes = (struct gz_ids){motion->ids + first, count};
    } else {
        message.motion.starts = nodes->starts + first;
        message.motion.start_count = count;
    }
    return gz_encode(out, &message);
}

enum gz_status gz_feed_append_motion(struct gz_feed *feed, struct gz_cursor *cursor,
                                     struct gz_buffer *out)
{
    const struct motion *motion = next_unknown(feed, cursor);
    enum gz_status status = GZ_OK;
    if (motion == NULL) return GZ_OK;
    const bool has_starts = has_starts_of(cursor, motion);
    for (size_t part = 0; part < motion->nodes.part_count && status == GZ_OK; part++)
        status = append_part(motion, part, has_starts, out);
    if (status != GZ_OK) return status;
    cursor->motions = motion->number;
    if (motion->version > 0 && motion->version <= cursor->motion_version)
        cursor->motion_version = motion->version - 1;
    return GZ_OK;
}

size_t gz_feed_collect_steps(struct gz_feed *feed, struct gz_cursor *cursor)
{
    size_t count = 0;
    if (cursor->motions == 0) return 0;
    for (size_t i = 0; i < GZ_MOTION_DRAGS_MAX; i++) {
        const struct motion *motion = feed->motions[i];
        if (motion == NULL || motion->number > cursor->motions ||
            motion->version <= cursor->motion_version)
            continue;
        memcpy(feed->steps + count, motion->steps,
               motion->nodes.part_count * sizeof *motion->steps);
        count += motion->nodes.part_count;
    }
    cursor->motion_version = feed->motion_version;
    return count;
}

void gz_feed_destroy_motions(struct gz_feed *feed)
{
    for (size_t i = 0; i < GZ_MOTION_DRAGS_MAX; i++) destroy(feed->motions[i]);
}
