/* motions.c - sends drags as motions: their nodes, and their moves. */
#include <stdlib.h>
#include <string.h>

#include "sync/internal.h"

static struct motion *find(const struct gz_sync *sync, uint64_t session)
{
    for (size_t i = 0; i < GZ_MOTION_DRAGS_MAX; i++) {
        if (sync->motions[i] != NULL && sync->motions[i]->session == session)
            return sync->motions[i];
    }
    return NULL;
}

static size_t free_place(const struct gz_sync *sync)
{
    size_t place = 0;
    while (place < GZ_MOTION_DRAGS_MAX && sync->motions[place] != NULL) place++;
    return place;
}

/* ---- from the drag ---- */

bool gz_sync_wants_motion(const struct gz_sync *sync)
{
    return sync->has_packed && free_place(sync) < GZ_MOTION_DRAGS_MAX;
}

static uint64_t used_numbers(const struct gz_sync *sync)
{
    uint64_t used = 0;
    for (size_t i = 0; i < GZ_MOTION_DRAGS_MAX; i++) {
        const struct motion *motion = sync->motions[i];
        for (size_t part = 0; motion != NULL && part < motion->nodes.part_count; part++)
            used |= UINT64_C(1) << (motion->steps[part].motion - 1);
    }
    return used;
}

/* Gives each part a unique number. */
static bool number_parts(const struct gz_sync *sync, struct motion *motion)
{
    static_assert(GZ_MOTIONS_MAX == 64, "a bit for each");
    uint64_t used = used_numbers(sync);
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

bool gz_sync_begin_motion(struct gz_sync *sync, uint64_t session,
                          const struct gz_motion_nodes *nodes)
{
    const size_t place = free_place(sync);
    struct motion *motion = calloc(1, sizeof *motion);
    if (motion == NULL) {
        free(nodes->starts);
        return false;
    }
    motion->nodes = *nodes;
    motion->session = session;
    motion->ids = calloc(nodes->count, sizeof *motion->ids);
    if (motion->ids == NULL || place == GZ_MOTION_DRAGS_MAX || !number_parts(sync, motion)) {
        destroy(motion);
        return false;
    }
    for (size_t i = 0; i < nodes->count; i++) motion->ids[i] = nodes->starts[i].id;
    motion->number = ++sync->motion_count;
    sync->motions[place] = motion;
    sync->version++;
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

void gz_sync_move(struct gz_sync *sync, uint64_t session, const gz_rigid *parts)
{
    struct motion *motion = find(sync, session);
    for (size_t part = 0; part < motion->nodes.part_count; part++)
        motion->steps[part] = step_of(motion->steps[part].motion, &parts[part]);
    motion->version = ++sync->motion_version;
    sync->hidden_from = sync->hidden_to = 0;
    sync->version++;
}

void gz_sync_hide(struct gz_sync *sync, uint64_t seq)
{
    if (sync->hidden_to != seq) sync->hidden_from = seq;
    sync->hidden_to = gz_scene_seq(sync->scene);
}

void gz_sync_end_motion(struct gz_sync *sync, uint64_t session)
{
    for (size_t i = 0; i < GZ_MOTION_DRAGS_MAX; i++) {
        if (sync->motions[i] == NULL || sync->motions[i]->session != session) continue;
        destroy(sync->motions[i]);
        sync->motions[i] = NULL;
        sync->hidden_from = sync->hidden_to = 0;
        sync->version++;
    }
}

/* ---- to the viewer ---- */

bool gz_sync_tells_motions(const struct gz_cursor *cursor)
{
    return cursor->form == GZ_FORM_PACKED && cursor->interest_set == NULL && cursor->greeted &&
           cursor->state > 0;
}

bool gz_sync_has_motions(const struct gz_sync *sync, const struct gz_cursor *cursor)
{
    if (!gz_sync_tells_motions(cursor)) return false;
    for (size_t i = 0; i < GZ_MOTION_DRAGS_MAX; i++) {
        const struct motion *motion = sync->motions[i];
        if (motion != NULL &&
            (motion->number > cursor->motions || motion->version > cursor->motion_version))
            return true;
    }
    return false;
}

bool gz_sync_knows_motion(const struct gz_sync *sync, const struct gz_cursor *cursor)
{
    for (size_t i = 0; i < GZ_MOTION_DRAGS_MAX; i++) {
        if (sync->motions[i] != NULL && sync->motions[i]->number <= cursor->motions) return true;
    }
    return false;
}

bool gz_sync_same_motions(const struct gz_sync *sync, const struct gz_cursor *a,
                          const struct gz_cursor *b)
{
    size_t place = 0;
    while (place < GZ_MOTION_DRAGS_MAX && sync->motions[place] == NULL) place++;
    return place == GZ_MOTION_DRAGS_MAX ||
           (a->motions == b->motions && a->motion_version == b->motion_version);
}

bool gz_sync_is_hidden(const struct gz_sync *sync, const struct gz_cursor *cursor)
{
    return gz_sync_tells_motions(cursor) && sync->hidden_to == gz_scene_seq(sync->scene) &&
           cursor->state >= sync->hidden_from && !gz_sync_has_motions(sync, cursor);
}

/* A viewer that does not have the nodes as they were at the beginning is sent them one by one until
 * its first step: the drag may end before that, and its end sends only the nodes that it
 * changed. */
bool gz_sync_is_in_motion(const struct gz_sync *sync, const struct gz_cursor *cursor,
                          const struct gz_node *node)
{
    if (node->holder == 0 || cursor->motions == 0 || node->born > cursor->base) return false;
    const struct motion *motion = find(sync, node->holder);
    return motion != NULL && motion->number <= cursor->motions &&
           cursor->base >= motion->nodes.since_seq;
}

void gz_sync_forget_motions(struct gz_cursor *cursor)
{
    cursor->motions = cursor->motion_version = 0;
}

static const struct motion *next_unknown(const struct gz_sync *sync, const struct gz_cursor *cursor)
{
    const struct motion *next = NULL;
    for (size_t i = 0; i < GZ_MOTION_DRAGS_MAX; i++) {
        const struct motion *motion = sync->motions[i];
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

bool gz_sync_lacks_starts(const struct gz_sync *sync, const struct gz_cursor *cursor)
{
    if (!gz_sync_tells_motions(cursor)) return false;
    const struct motion *next = next_unknown(sync, cursor);
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
        .motion = {.motion = motion->steps[part].motion, .by = motion->session}};
    if (has_starts) {
        message.motion.nodes = (struct gz_ids){motion->ids + first, count};
    } else {
        message.motion.starts = nodes->starts + first;
        message.motion.start_count = count;
    }
    return gz_encode(out, &message);
}

enum gz_status gz_sync_append_motion(struct gz_sync *sync, struct gz_cursor *cursor,
                                     struct gz_buffer *out)
{
    const struct motion *motion = next_unknown(sync, cursor);
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

size_t gz_sync_collect_steps(struct gz_sync *sync, struct gz_cursor *cursor)
{
    size_t count = 0;
    if (cursor->motions == 0) return 0;
    for (size_t i = 0; i < GZ_MOTION_DRAGS_MAX; i++) {
        const struct motion *motion = sync->motions[i];
        if (motion == NULL || motion->number > cursor->motions ||
            motion->version <= cursor->motion_version)
            continue;
        memcpy(sync->steps + count, motion->steps,
               motion->nodes.part_count * sizeof *motion->steps);
        count += motion->nodes.part_count;
    }
    cursor->motion_version = sync->motion_version;
    return count;
}

void gz_sync_destroy_motions(struct gz_sync *sync)
{
    for (size_t i = 0; i < GZ_MOTION_DRAGS_MAX; i++) destroy(sync->motions[i]);
}
