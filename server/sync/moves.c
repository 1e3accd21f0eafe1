/* moves.c - a delta in the compact form: the remainder of the seq that it leads from, the new
 * places of nodes that the viewer has, and steps of motions. */
#include <math.h>

#include "proto/compact.h"
#include "proto/limits.h"
#include "sync/internal.h"

#define STATE_BITS                                                                                 \
    (GZ_HAS_STATE_T | GZ_HAS_STATE_R | GZ_HAS_STATE_S | GZ_HAS_STATE_BY | GZ_SYNC_AXES)
static_assert(GZ_HAS_MOVE_R == GZ_HAS_STATE_R && GZ_HAS_MOVE_S == GZ_HAS_STATE_S &&
                  GZ_HAS_MOVE_BY == GZ_HAS_STATE_BY,
              "a state's bits are those of a move");

uint64_t gz_sync_changed_axes(const struct gz_node *node, uint64_t base)
{
    if (node->born > base) return GZ_SYNC_AXES;
    return (node->axis_seq[0] > base ? GZ_HAS_MOVE_X : 0) |
           (node->axis_seq[1] > base ? GZ_HAS_MOVE_Y : 0) |
           (node->axis_seq[2] > base ? GZ_HAS_MOVE_Z : 0);
}

bool gz_sync_is_moves(const struct gz_cursor *cursor, const struct gz_delta *delta)
{
    if (!cursor->form.compact || !cursor->greeted || cursor->ms == 0 || delta->from == 0 ||
        delta->more || delta->gone.count > 0)
        return false;
    for (size_t i = 0; i < delta->count; i++) {
        if ((delta->nodes[i].has & ~(uint64_t)STATE_BITS) != 0) return false;
    }
    return true;
}

/* ---- float32 ---- */

static double shortened(double *number, double slack)
{
    const double exact = *number;
    *number = gz_shortened(exact, slack);
    return fabs(*number - exact);
}

/* Rounds what a drag has done to the node. What it was before that is not told at the end of the
 * drag, and so is exact here. Returns whether anything is another number by that. */
static bool round_move(struct gz_sync *sync, struct gz_move *move)
{
    const struct gz_node *node = gz_scene_find(sync->scene, move->id);
    if (node->holder == 0) return false;
    const uint64_t since = node->held_since;
    const gz_affine parent = gz_scene_parent_world(sync->scene, node);
    const gz_vec3 *columns[3] = {&parent.linear.x, &parent.linear.y, &parent.linear.z};
    double *t[3] = {&move->trs.t.x, &move->trs.t.y, &move->trs.t.z};
    double *r[4] = {&move->trs.r.x, &move->trs.r.y, &move->trs.r.z, &move->trs.r.w};
    double *s[3] = {&move->trs.s.x, &move->trs.s.y, &move->trs.s.z};
    double off = 0;
    for (int i = 0; i < 3; i++) {
        if (node->axis_seq[i] > since)
            off += shortened(t[i], GZ_FLOAT32_SLACK_M / gz_length(*columns[i]));
    }
    for (int i = 0; i < 4 && node->part_seq[GZ_PART_R] > since; i++)
        off += shortened(r[i], INFINITY);
    for (int i = 0; i < 3 && node->part_seq[GZ_PART_S] > since; i++)
        off += shortened(s[i], INFINITY);
    return off > 0;
}

void gz_sync_gather(struct gz_sync *sync, uint64_t seq)
{
    if (sync->gathered_to == seq) sync->gathered_to = gz_scene_seq(sync->scene);
}

bool gz_sync_has_rounded(const struct gz_sync *sync, uint64_t seq)
{
    return sync->rounded_seq > seq;
}

/* ---- the message ---- */

enum gz_status gz_sync_append_moves(struct gz_sync *sync, const struct gz_cursor *cursor,
                                    const struct gz_delta *delta, size_t step_count, uint64_t ms,
                                    struct gz_buffer *out)
{
    struct gz_message message = {.op = GZ_OP_MOVES};
    struct gz_moves *moves = &message.moves;
    if (!gz_grow(&sync->moves, &sync->move_capacity, delta->count + 1, sizeof *sync->moves))
        return GZ_NO_MEMORY;
    for (size_t i = 0; i < delta->count; i++) {
        const struct gz_node_state *state = &delta->nodes[i];
        sync->moves[i] = (struct gz_move){state->has & ~(uint64_t)GZ_HAS_STATE_T, state->id,
                                          state->by, state->trs};
        if (cursor->form.float32 && round_move(sync, &sync->moves[i]))
            sync->rounded_seq = delta->seq;
    }
    *moves = (struct gz_moves){
        .from = delta->from % GZ_MOVES_FROM,
        .step = delta->seq - delta->from,
        .ms = ms > cursor->ms ? ms - cursor->ms : 0,
        .unsaved = delta->seq - delta->saved,
        .nodes = sync->moves,
        .count = delta->count,
        .acks = delta->acks,
        .ack_count = delta->ack_count,
        .steps = sync->steps,
        .step_count = step_count,
    };
    if (delta->saved != cursor->saved) message.has |= GZ_HAS_MOVES_UNSAVED;
    return gz_encode(out, &message);
}
