/* moves.c - a delta in the packed form: the remainder of the seq that it leads from, the new
 * places of nodes that the viewer has, and steps of motions. */
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
    if (cursor->form == GZ_FORM_PLAIN || !cursor->greeted || cursor->ms == 0 || delta->from == 0 ||
        delta->more || delta->gone.count > 0)
        return false;
    for (size_t i = 0; i < delta->count; i++) {
        if ((delta->nodes[i].has & ~(uint64_t)STATE_BITS) != 0) return false;
    }
    return true;
}

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
