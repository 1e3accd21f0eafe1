/* past.c - answers from the past, and long answers, piece by piece. */
#include "core/past.h"

#include <stdlib.h>

#include "core/describe.h"
#include "proto/base/buffer.h"
#include "proto/json.h"
#include "server/maxima.h"

/* ---- pieces of an answer ---- */

/* A heap of hits. */

int gz_hit_compare(const void *a, const void *b)
{
    const struct gz_hit *x = a, *y = b;
    if (x->distance != y->distance) return x->distance < y->distance ? -1 : 1;
    return (x->id > y->id) - (x->id < y->id);
}

bool gz_hits_add(struct gz_hits *hits, const struct gz_hit *hit)
{
    if (!gz_grow(&hits->heap, &hits->capacity, hits->count + 1, sizeof *hits->heap)) return false;
    size_t at = hits->count++;
    for (size_t up = (at - 1) / 2; at > 0 && gz_hit_compare(hit, &hits->heap[up]) < 0;
         up = (at - 1) / 2) {
        hits->heap[at] = hits->heap[up];
        at = up;
    }
    hits->heap[at] = *hit;
    return true;
}

struct gz_hit gz_hits_take(struct gz_hits *hits)
{
    const struct gz_hit first = hits->heap[0], *last = &hits->heap[--hits->count];
    size_t at = 0;
    for (size_t down = 1; down < hits->count; down = 2 * at + 1) {
        if (down + 1 < hits->count && gz_hit_compare(&hits->heap[down + 1], &hits->heap[down]) < 0)
            down++;
        if (gz_hit_compare(last, &hits->heap[down]) <= 0) break;
        hits->heap[at] = hits->heap[down];
        at = down;
    }
    hits->heap[at] = *last;
    return first;
}

void gz_hits_finish(struct gz_hits *hits)
{
    free(hits->heap);
    *hits = (struct gz_hits){.count = 0};
}

/* ---- answers from the past ---- */

/* Cuts an answer about the past into pieces. */

/* About how many bytes the encoding of a change takes without names, and of a node's id. */
enum { BYTES_CHANGE = 200, BYTES_NODE = 9 };
static_assert(GZ_CHANGES_PER_MESSAGE * BYTES_CHANGE >= GZ_OUTBOX_FRAME_BYTES &&
                  GZ_EDIT_NODES_PER_MESSAGE * BYTES_NODE >= GZ_OUTBOX_FRAME_BYTES,
              "an edit that is cut goes on in the next message");

/* A kind of answer. `describe` makes the next piece, as large as one message may be; false without
 * memory. */
struct form {
    bool (*describe)(struct gz_outgoing_answer *out, uint64_t epoch, struct gz_arena *arena,
                     struct gz_ok *ok);
    uint64_t has;
};

struct gz_outgoing_answer {
    struct gz_outgoing_answer *next;
    struct gz_answer answer;
    struct gz_hits hits; /* of the form hits_form, without those that were sent */
    uint64_t rid;
    const struct form *form;
    bool is_whole;     /* the next piece is all of it, however large */
    size_t done;       /* elements that were sent */
    size_t nodes_done; /* nodes that were sent of the edit after these */
};

/* How many of the elements that are left go into the next piece. */
static size_t piece_of(const struct gz_outgoing_answer *out, size_t left, size_t most)
{
    return out->is_whole || left < most ? left : most;
}

static bool describe_nodes(struct gz_outgoing_answer *out, uint64_t epoch, struct gz_arena *arena,
                           struct gz_ok *ok)
{
    (void)epoch;
    size_t left = out->answer.node_count - out->done;
    size_t count = piece_of(out, left, GZ_AT_NODES_PER_MESSAGE);
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

/* Describes the next edit, or as many of its nodes as one message may hold, and adds its
 * approximate size to `bytes`. */
static bool describe_edit(struct gz_outgoing_answer *out, uint64_t epoch, struct gz_arena *arena,
                          struct gz_edit_message *message, size_t *bytes)
{
    const struct gz_edit_record *edit = &out->answer.edits[out->done];
    bool is_brief = edit->nodes != NULL;
    size_t most = is_brief ? GZ_EDIT_NODES_PER_MESSAGE : GZ_CHANGES_PER_MESSAGE;
    size_t left = edit->change_count - out->nodes_done, count = piece_of(out, left, most);
    if (!gz_describe_changes(edit, epoch, out->nodes_done, count, arena, message)) return false;
    message->undone = edit->undone;
    *bytes += BYTES_CHANGE + count * (is_brief ? BYTES_NODE : BYTES_CHANGE);
    out->nodes_done = count < left ? out->nodes_done + count : 0;
    out->done += count == left;
    return true;
}

/* Describes at least one edit, and as many as fit into a frame. */
static bool describe_edits(struct gz_outgoing_answer *out, uint64_t epoch, struct gz_arena *arena,
                           struct gz_ok *ok)
{
    size_t left = out->answer.edit_count - out->done, count = 0, bytes = 0;
    struct gz_edit_message *edits = gz_arena_take(arena, left, sizeof *edits);
    if (edits == NULL) return false;
    while (out->done < out->answer.edit_count && (out->is_whole || bytes < GZ_OUTBOX_FRAME_BYTES)) {
        if (!describe_edit(out, epoch, arena, &edits[count++], &bytes)) return false;
    }
    *ok = (struct gz_ok){
        .edits = edits, .edit_count = count, .more = out->done < out->answer.edit_count};
    return true;
}

static bool describe_hits(struct gz_outgoing_answer *out, uint64_t epoch, struct gz_arena *arena,
                          struct gz_ok *ok)
{
    (void)epoch;
    size_t left = out->hits.count, count = left < GZ_HITS_PER_MESSAGE ? left : GZ_HITS_PER_MESSAGE;
    struct gz_hit *hits = gz_arena_take(arena, count, sizeof *hits);
    if (hits == NULL) return false;
    for (size_t i = 0; i < count; i++) hits[i] = gz_hits_take(&out->hits);
    *ok = (struct gz_ok){.hits = hits, .hit_count = count, .more = count < left};
    return true;
}

static bool describe_points(struct gz_outgoing_answer *out, uint64_t epoch, struct gz_arena *arena,
                            struct gz_ok *ok)
{
    (void)epoch;
    size_t left = out->answer.point_count - out->done;
    size_t count = piece_of(out, left, GZ_PATH_POINTS_PER_MESSAGE);
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
static const struct form hits_form = {describe_hits, GZ_HAS_OK_HITS};

static const struct form *form_of(const struct gz_query *query)
{
    if (query->kind == GZ_QUERY_HISTORY) return &edits_form;
    return query->kind == GZ_QUERY_PATH ? &points_form : &nodes_form;
}

bool gz_past_may_ask(const struct gz_past *past)
{
    return !past->asking && past->answer == NULL;
}

/* Appends an answer behind those that are being sent. NULL without memory. */
static struct gz_outgoing_answer *append(struct gz_past *past, uint64_t rid,
                                         const struct form *form)
{
    struct gz_outgoing_answer **end = &past->answer;
    while (*end != NULL) end = &(*end)->next;
    *end = calloc(1, sizeof **end);
    if (*end != NULL) **end = (struct gz_outgoing_answer){.rid = rid, .form = form};
    return *end;
}

enum gz_status gz_past_send(struct gz_past *past, uint64_t rid, const struct gz_query *query,
                            struct gz_answer *answer)
{
    struct gz_outgoing_answer *out = append(past, rid, form_of(query));
    if (out == NULL) return GZ_NO_MEMORY;
    out->answer = *answer;
    *answer = (struct gz_answer){.status = GZ_OK};
    return GZ_OK;
}

enum gz_status gz_past_send_hits(struct gz_past *past, uint64_t rid, struct gz_hits *hits)
{
    struct gz_outgoing_answer *out = append(past, rid, &hits_form);
    if (out == NULL) return GZ_NO_MEMORY;
    out->hits = *hits;
    *hits = (struct gz_hits){.count = 0};
    past->tells_hits = true;
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

enum gz_status gz_past_print(const struct gz_query *query, const struct gz_answer *answer,
                             uint64_t epoch, struct gz_buffer *out, struct gz_error *error)
{
    struct gz_outgoing_answer whole = {.answer = *answer, .form = form_of(query), .is_whole = true};
    struct gz_message ok = {.op = GZ_OP_OK, .has = whole.form->has};
    struct gz_arena arena;
    struct gz_buffer written;
    gz_arena_init(&arena, GZ_SERVER_FRAME_BYTES_MAX);
    gz_buffer_init(&written, GZ_SERVER_FRAME_BYTES_MAX, 0);
    enum gz_status status =
        whole.form->describe(&whole, epoch, &arena, &ok.ok) ? GZ_OK : GZ_TOO_LARGE;
    if (status == GZ_OK) status = gz_encode(&written, &ok);
    if (status == GZ_OK) status = gz_json_append_fields(out, written.data, written.size);
    gz_buffer_finish(&written);
    gz_arena_finish(&arena);
    if (status == GZ_OK) return GZ_OK;
    return gz_fail(error, status, "the answer is too large: ask for less");
}

void gz_past_stop(struct gz_past *past, const struct gz_core_host *host)
{
    struct gz_outgoing_answer *out = past->answer;
    if (out == NULL) return;
    past->answer = out->next;
    if (out->form == &hits_form) past->tells_hits = false;
    gz_hits_finish(&out->hits);
    gz_host_discard(host, &out->answer);
    free(out);
}
