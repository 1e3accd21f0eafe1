/* past.c - cuts an answer of the past into pieces. See past.h. */
#include "session/past.h"

#include <stdlib.h>

#include "server/maxima.h"
#include "session/describe.h"

/* About how many bytes a change takes encoded, apart from names, and a node that is only named. */
enum { BYTES_CHANGE = 200, BYTES_NODE = 9 };

/* What an answer is a list of. `describe` makes the next piece, as much as goes into one message;
 * false without memory. */
struct form {
    bool (*describe)(struct gz_outgoing_answer *out, uint64_t epoch, struct gz_arena *arena,
                     struct gz_ok *ok);
    uint64_t has;
};

struct gz_outgoing_answer {
    struct gz_answer answer;
    uint64_t rid;
    const struct form *form;
    size_t done; /* of its elements */
};

static bool describe_nodes(struct gz_outgoing_answer *out, uint64_t epoch, struct gz_arena *arena,
                           struct gz_ok *ok)
{
    (void)epoch;
    size_t left = out->answer.node_count - out->done;
    size_t count = left < GZ_AT_NODES_PER_MESSAGE ? left : GZ_AT_NODES_PER_MESSAGE;
    struct gz_node_state *states = gz_arena_take(arena, count, sizeof *states);
    if (states == NULL) return false;
    for (size_t i = 0; i < count; i++) {
        const struct gz_node_record *node = &out->answer.nodes[out->done++];
        states[i] = gz_describe_node(node->id, &node->content);
    }
    *ok = (struct gz_ok){
        .seq = out->answer.seq, .nodes = states, .node_count = count, .more = count < left};
    return true;
}

/* At least one, and as many as fit into a frame. */
static bool describe_edits(struct gz_outgoing_answer *out, uint64_t epoch, struct gz_arena *arena,
                           struct gz_ok *ok)
{
    size_t left = out->answer.edit_count - out->done, count = 0, bytes = 0;
    struct gz_edit_message *edits = gz_arena_take(arena, left, sizeof *edits);
    if (edits == NULL) return false;
    for (; count < left && bytes < GZ_OUTBOX_FRAME_BYTES; count++) {
        const struct gz_edit_record *edit = &out->answer.edits[out->done++];
        if (!gz_describe_whole_edit(edit, epoch, arena, &edits[count])) return false;
        edits[count].undone = edit->undone;
        size_t bytes_each = edit->nodes != NULL ? BYTES_NODE : BYTES_CHANGE;
        bytes += BYTES_CHANGE + edit->change_count * bytes_each;
    }
    *ok = (struct gz_ok){.edits = edits, .edit_count = count, .more = count < left};
    return true;
}

static bool describe_points(struct gz_outgoing_answer *out, uint64_t epoch, struct gz_arena *arena,
                            struct gz_ok *ok)
{
    (void)epoch;
    size_t left = out->answer.point_count - out->done;
    size_t count = left < GZ_PATH_POINTS_PER_MESSAGE ? left : GZ_PATH_POINTS_PER_MESSAGE;
    struct gz_path_point *points = gz_arena_take(arena, count, sizeof *points);
    if (points == NULL) return false;
    for (size_t i = 0; i < count; i++) {
        const struct gz_point_record *point = &out->answer.points[out->done++];
        points[i] = (struct gz_path_point){.has = GZ_HAS_PATH_POINT_PARENT,
                                           .seq = point->seq,
                                           .edit = point->edit,
                                           .time = point->time,
                                           .trs = point->trs,
                                           .parent = point->parent};
    }
    *ok = (struct gz_ok){.path = points, .path_count = count, .more = count < left};
    return true;
}

static const struct form nodes_form = {describe_nodes, GZ_HAS_OK_SEQ | GZ_HAS_OK_NODES};
static const struct form edits_form = {describe_edits, GZ_HAS_OK_EDITS};
static const struct form points_form = {describe_points, GZ_HAS_OK_PATH};

static const struct form *form_of(const struct gz_query *query)
{
    if (query->kind == GZ_QUERY_HISTORY) return &edits_form;
    return query->kind == GZ_QUERY_PATH ? &points_form : &nodes_form;
}

bool gz_past_may_ask(const struct gz_past *past)
{
    return !past->asking && past->answer == NULL;
}

enum gz_status gz_past_send(struct gz_past *past, uint64_t rid, const struct gz_query *query,
                            struct gz_answer *answer)
{
    past->answer = calloc(1, sizeof *past->answer);
    if (past->answer == NULL) return GZ_NO_MEMORY;
    *past->answer =
        (struct gz_outgoing_answer){.answer = *answer, .rid = rid, .form = form_of(query)};
    *answer = (struct gz_answer){.status = GZ_OK};
    return GZ_OK;
}

bool gz_past_next_piece(struct gz_past *past, uint64_t epoch, struct gz_arena *arena,
                        struct gz_message *piece)
{
    struct gz_outgoing_answer *out = past->answer;
    *piece =
        (struct gz_message){.op = GZ_OP_OK, .has = GZ_HAS_RID | out->form->has, .rid = out->rid};
    return out->form->describe(out, epoch, arena, &piece->ok);
}

void gz_past_stop(struct gz_past *past, const struct gz_core_host *host)
{
    if (past->answer == NULL) return;
    gz_host_discard(host, &past->answer->answer);
    free(past->answer);
    past->answer = NULL;
}
