/* Answers of the past on their way to who asked: a piece at a time, and each when the one before
 * was taken. A large answer neither fills the outbox nor holds up a turn. */
#include <stdlib.h>
#include <string.h>

#include "server/maxima.h"
#include "session/session.h"

/* About what a change takes encoded, names aside, and a node that is only named. */
enum { BYTES_CHANGE = 200, BYTES_NODE = 9 };

struct gz_telling {
    struct gz_answer answer;
    uint64_t rid;
    const struct form *form;
    size_t done; /* of its elements */
};

/* What an answer is a list of: describes its next piece, as much as goes into one message. False
 * without memory. */
struct form {
    bool (*describe)(struct gz_core *core, struct gz_telling *telling, struct gz_ok *ok);
    uint64_t has;
};

/* ---- describing ---- */

static struct gz_text text_of(const char *string)
{
    return (struct gz_text){string, strlen(string)};
}

static struct gz_node_state state_of(uint64_t id, const struct gz_content *content)
{
    struct gz_node_state state = {
        .has = GZ_HAS(T) | GZ_HAS(R) | GZ_HAS(S) | GZ_HAS(NAME) | GZ_HAS(PARENT),
        .id = id,
        .trs = content->trs,
        .name = text_of(content->name),
        .parent = content->parent,
        .bounds = content->bounds,
    };
    if (content->has_bounds) state.has |= GZ_HAS(BOUNDS);
    if (content->asset >= 0) state.has |= GZ_HAS(ASSET), state.asset = (uint64_t)content->asset;
    return state;
}

/* Of both sides, only what differs; of a side that is alone, everything. */
static struct gz_change_message change_of(const struct gz_change *change)
{
    struct gz_change_message message = {
        .id = change->node, .has = GZ_HAS(NAME), .name = text_of(gz_change_name(change))};
    const struct gz_content *before = &change->before, *after = &change->after;
    if (change->existed)
        message.has |= GZ_HAS(BEFORE), message.before = state_of(change->node, before);
    if (change->exists) message.has |= GZ_HAS(AFTER), message.after = state_of(change->node, after);
    if (!change->existed || !change->exists) return message;
    uint64_t same = GZ_HAS(BOUNDS) | GZ_HAS(ASSET);
    if (memcmp(&before->trs.t, &after->trs.t, sizeof before->trs.t) == 0) same |= GZ_HAS(T);
    if (memcmp(&before->trs.r, &after->trs.r, sizeof before->trs.r) == 0) same |= GZ_HAS(R);
    if (memcmp(&before->trs.s, &after->trs.s, sizeof before->trs.s) == 0) same |= GZ_HAS(S);
    if (strcmp(before->name, after->name) == 0) same |= GZ_HAS(NAME);
    if (before->parent == after->parent) same |= GZ_HAS(PARENT);
    message.before.has &= ~same;
    message.after.has &= ~same;
    return message;
}

static bool describe_edit(struct gz_core *core, const struct gz_edit_record *edit,
                          struct gz_edit_message *message)
{
    if (edit->nodes != NULL) {
        *message = gz_edit_told(core, edit, (struct gz_ids){edit->nodes, edit->change_count});
        return true;
    }
    struct gz_arena *arena = &core->scratch;
    struct gz_change_message *changes = gz_arena_take(arena, edit->change_count, sizeof *changes);
    uint64_t *ids = gz_arena_take(arena, edit->change_count, sizeof *ids);
    if (changes == NULL || ids == NULL) return false;
    for (size_t i = 0; i < edit->change_count; i++) {
        changes[i] = change_of(&edit->changes[i]);
        ids[i] = edit->changes[i].node;
    }
    *message = gz_edit_told(core, edit, (struct gz_ids){ids, edit->change_count});
    message->has |= GZ_HAS(CHANGES);
    message->changes = changes;
    message->change_count = edit->change_count;
    return true;
}

/* ---- telling ---- */

static bool describe_nodes(struct gz_core *core, struct gz_telling *telling, struct gz_ok *ok)
{
    size_t left = telling->answer.node_count - telling->done;
    size_t count = left < GZ_AT_NODES_PER_MESSAGE ? left : GZ_AT_NODES_PER_MESSAGE;
    struct gz_node_state *states = gz_arena_take(&core->scratch, count, sizeof *states);
    if (states == NULL) return false;
    for (size_t i = 0; i < count; i++) {
        const struct gz_node_record *node = &telling->answer.nodes[telling->done++];
        states[i] = state_of(node->id, &node->content);
    }
    *ok = (struct gz_ok){.seq = telling->answer.seq, .nodes = states, .node_count = count};
    ok->more = count < left;
    return true;
}

/* At least one, and as many as fit into a frame. */
static bool describe_edits(struct gz_core *core, struct gz_telling *telling, struct gz_ok *ok)
{
    size_t left = telling->answer.edit_count - telling->done, count = 0, bytes = 0;
    struct gz_edit_message *edits = gz_arena_take(&core->scratch, left, sizeof *edits);
    if (edits == NULL) return false;
    for (; count < left && bytes < GZ_OUTBOX_FRAME_BYTES; count++) {
        const struct gz_edit_record *edit = &telling->answer.edits[telling->done++];
        if (!describe_edit(core, edit, &edits[count])) return false;
        edits[count].undone = edit->undone;
        bytes +=
            BYTES_CHANGE + edit->change_count * (edit->nodes != NULL ? BYTES_NODE : BYTES_CHANGE);
    }
    *ok = (struct gz_ok){.edits = edits, .edit_count = count, .more = count < left};
    return true;
}

static bool describe_points(struct gz_core *core, struct gz_telling *telling, struct gz_ok *ok)
{
    size_t left = telling->answer.point_count - telling->done;
    size_t count = left < GZ_PATH_POINTS_PER_MESSAGE ? left : GZ_PATH_POINTS_PER_MESSAGE;
    struct gz_path_point *points = gz_arena_take(&core->scratch, count, sizeof *points);
    if (points == NULL) return false;
    for (size_t i = 0; i < count; i++) {
        const struct gz_point_record *point = &telling->answer.points[telling->done++];
        points[i] = (struct gz_path_point){.has = GZ_HAS(PARENT),
                                           .seq = point->seq,
                                           .edit = point->edit,
                                           .time = point->time,
                                           .trs = point->trs,
                                           .parent = point->parent};
    }
    *ok = (struct gz_ok){.path = points, .path_count = count, .more = count < left};
    return true;
}

static const struct form nodes_form = {describe_nodes, GZ_HAS(SEQ) | GZ_HAS(SCENE_NODES)};
static const struct form edits_form = {describe_edits, GZ_HAS(EDITS)};
static const struct form points_form = {describe_points, GZ_HAS(PATH)};

static const struct form *form_of(const struct gz_query *query)
{
    if (query->kind == GZ_QUERY_HISTORY) return &edits_form;
    return query->kind == GZ_QUERY_PATH ? &points_form : &nodes_form;
}

void gz_session_stop_telling(struct gz_session *session)
{
    if (session->telling == NULL) return;
    const struct gz_core_host *host = &session->core->host;
    if (host->discard != NULL)
        host->discard(host->context, &session->telling->answer);
    else
        gz_answer_finish(&session->telling->answer);
    free(session->telling);
    session->telling = NULL;
}

static void refuse_telling(struct gz_session *session)
{
    struct gz_failure failure = {.node = 0};
    gz_fail(&failure.error, GZ_NO_MEMORY, "no memory for the answer");
    gz_session_refuse(session, true, session->telling->rid, &failure, false);
    gz_session_stop_telling(session);
}

void gz_session_tell_more(struct gz_session *session)
{
    struct gz_telling *telling = session->telling;
    struct gz_core *core = session->core;
    struct gz_ok ok;
    if (telling == NULL) return;
    if (!telling->form->describe(core, telling, &ok)) {
        refuse_telling(session);
        return;
    }
    struct gz_message asked = {.has = GZ_HAS(RID), .rid = telling->rid};
    bool told = gz_session_answer(session, &asked, telling->form->has, &ok);
    if (!told || !ok.more) gz_session_stop_telling(session);
}

enum gz_status gz_session_tell(struct gz_session *session, const struct gz_ticket *ticket,
                               struct gz_answer *answer, struct gz_failure *failure)
{
    session->telling = calloc(1, sizeof *session->telling);
    if (session->telling == NULL)
        return gz_fail(&failure->error, GZ_NO_MEMORY, "no memory for the answer");
    *session->telling =
        (struct gz_telling){.answer = *answer, .rid = ticket->rid, .form = form_of(&ticket->query)};
    *answer = (struct gz_answer){.status = GZ_OK};
    return GZ_OK;
}
