/* session.c - sends a session its answers, and keeps its presence up to date. See session.h. */
#include "core/session.h"

#include <stdlib.h>
#include <string.h>

#include "core/describe.h"

static_assert(sizeof(struct gz_session) <= 2304,
              "most sessions only watch: what is needed while something runs stands beside it");

struct gz_session *gz_core_session(const struct gz_core *core, uint64_t id)
{
    return gz_sessions_find(&core->roster, id, NULL);
}

void gz_session_end(struct gz_session *session, const char *reason)
{
    if (session->ended) return;
    session->ended = true;
    gz_session_wake(session);
    session->end_reason = strdup(reason);
    gz_log(session->core->options.log, GZ_INFO, session->id, "ended: %s", reason);
}

/* ---- answers ---- */

static void end_behind(struct gz_session *session)
{
    gz_session_end(session, "too much data is waiting to be sent; read it faster");
}

void gz_session_send(struct gz_session *session, const struct gz_message *message)
{
    if (session->ended) return;
    gz_session_wake(session);
    session->is_answered |= message->op != GZ_OP_GIZMO;
    if (gz_outbox_append(&session->outbox, message) != GZ_OK) end_behind(session);
}

bool gz_session_answer(struct gz_session *session, const struct gz_message *ok)
{
    if (session->ended) return false;
    gz_session_wake(session);
    session->is_answered = true;
    enum gz_status status = gz_outbox_append(&session->outbox, ok);
    if (status == GZ_OK) return true;
    if (status != GZ_TOO_LARGE || gz_outbox_is_full(&session->outbox)) {
        end_behind(session);
        return false;
    }
    struct gz_failure failure = {.node = 0};
    gz_fail(&failure.error, GZ_TOO_LARGE, "the answer would be larger than %d bytes: ask for less",
            GZ_OUTBOX_BYTES_MAX);
    gz_session_refuse(session, true, ok->rid, &failure, false);
    return false;
}

void gz_session_ok(struct gz_session *session, const struct gz_message *request, uint64_t has,
                   const struct gz_ok *ok)
{
    if ((request->has & GZ_HAS_RID) == 0) return;
    struct gz_message message = {.op = GZ_OP_OK, .has = has | GZ_HAS_RID, .rid = request->rid};
    if (ok != NULL) message.ok = *ok;
    (void)gz_session_answer(session, &message);
}

void gz_core_name_holder(const struct gz_core *core, struct gz_failure *failure)
{
    const struct gz_session *holder = gz_core_session(core, failure->holder);
    if (failure->error.status != GZ_LOCKED || holder == NULL) return;
    char label[GZ_LABEL_BYTES];
    gz_node_label(core->scene, failure->node, NULL, label);
    gz_fail(&failure->error, GZ_LOCKED, "%s is held by %s", label, holder->user);
}

/* Names the nodes of the failure in the message. */
static void name_nodes(const struct gz_failure *failure, struct gz_message *message)
{
    if (failure->node != 0 || failure->node_count > 0) {
        message->has |= GZ_HAS_ERROR_NODES;
        message->error.nodes = failure->node_count > 0
                                   ? (struct gz_ids){failure->nodes, failure->node_count}
                                   : (struct gz_ids){&failure->node, 1};
    }
    if (failure->holder == 0) return;
    message->has |= GZ_HAS_ERROR_HOLDER;
    message->error.holder = failure->holder;
}

void gz_session_refuse(struct gz_session *session, bool has_rid, uint64_t rid,
                       const struct gz_failure *failure, bool fatal)
{
    struct gz_core *core = session->core;
    struct gz_failure named = *failure;
    gz_core_name_holder(core, &named);
    const struct gz_error *error = &named.error;
    struct gz_message message = {.op = GZ_OP_ERROR, .rid = rid, .has = has_rid ? GZ_HAS_RID : 0};
    message.error.code = error->status;
    message.error.message = gz_text_of(error->message);
    message.error.fatal = fatal;
    name_nodes(&named, &message);
    gz_session_send(session, &message);
    if (core->options.errors != NULL) core->options.errors[error->status]++;
    gz_log(core->options.log, GZ_DEBUG, session->id, "refused: %s: %s",
           gz_status_word(error->status), error->message);
    if (fatal) gz_session_end(session, error->message);
}

/* ---- state ---- */

void gz_session_wake(struct gz_session *session)
{
    struct gz_core *core = session->core;
    session->is_drowsy = false;
    if (session->is_awake) return;
    session->is_awake = true;
    session->previous_awake = NULL;
    session->next_awake = core->awake;
    if (core->awake != NULL) core->awake->previous_awake = session;
    core->awake = session;
}

void gz_session_forget_awake(struct gz_session *session)
{
    if (!session->is_awake) return;
    session->is_awake = false;
    if (session->previous_awake != NULL)
        session->previous_awake->next_awake = session->next_awake;
    else
        session->core->awake = session->next_awake;
    if (session->next_awake != NULL) session->next_awake->previous_awake = session->previous_awake;
}

/* ---- holds ---- */

size_t gz_session_count_held(const struct gz_session *session)
{
    size_t count = 0;
    for (const struct gz_gesture *gesture = &session->gesture; gesture != NULL;
         gesture = gesture->next)
        count += gesture->count;
    return count;
}

bool gz_session_update_locks(struct gz_session *session)
{
    struct gz_locks *locks = &session->locks;
    const size_t count = gz_session_count_held(session);
    struct gz_ids one = {NULL, 0};
    for (const struct gz_gesture *gesture = &session->gesture; gesture != NULL;
         gesture = gesture->next)
        if (gesture->count > 0) one = (struct gz_ids){gesture->ids, gesture->count};
    if (one.count < count && !gz_grow(&locks->ids, &locks->capacity, count, sizeof *locks->ids))
        return false;
    locks->version++;
    session->presence.user.locks = one;
    if (one.count == count) return true;
    session->presence.user.locks = (struct gz_ids){locks->ids, count};
    size_t at = 0;
    for (const struct gz_gesture *gesture = &session->gesture; gesture != NULL;
         gesture = gesture->next) {
        if (gesture->count > 0)
            memcpy(&locks->ids[at], gesture->ids, gesture->count * sizeof *locks->ids);
        at += gesture->count;
    }
    return true;
}

static bool has_hold(const struct gz_session *session, uint32_t number)
{
    const struct gz_gesture *hold = session->gesture.next;
    while (hold != NULL && hold->number != number) hold = hold->next;
    return hold != NULL;
}

struct gz_gesture *gz_session_add_hold(struct gz_session *session, bool *is_full)
{
    uint32_t number = GZ_GRIP_POINTER + 1;
    while (has_hold(session, number)) number++;
    *is_full = number > GZ_HOLDS_MAX;
    struct gz_gesture *hold = *is_full ? NULL : calloc(1, sizeof *hold);
    if (hold == NULL) return NULL;
    *hold = (struct gz_gesture){.next = session->gesture.next, .number = number};
    session->gesture.next = hold;
    return hold;
}

void gz_session_drop_hold(struct gz_session *session, struct gz_gesture *hold)
{
    struct gz_gesture *before = &session->gesture;
    while (before->next != hold) before = before->next;
    before->next = hold->next;
    free(hold);
}

/* ---- presence ---- */

static uint32_t part_if(bool changed, enum gz_presence_part part)
{
    return changed ? 1u << part : 0;
}

/* Whether the presence of one of these members changed. */
static bool has_other(const struct gz_presence_user *a, const struct gz_presence_user *b,
                      uint64_t bits)
{
    return ((a->has ^ b->has) & bits) != 0;
}

/* The parts of the record that changed, except the selection and the locks. */
static uint32_t find_changes(const struct gz_presence_user *a, const struct gz_presence_user *b)
{
    const bool has_at = (b->has & GZ_HAS_PRESENCE_AT) != 0;
    const bool pointer = has_at ? memcmp(a->at, b->at, sizeof a->at) != 0
                                : memcmp(a->ray, b->ray, sizeof a->ray) != 0;
    const bool lens = memcmp(a->lens, b->lens, sizeof a->lens) != 0 || a->parallel != b->parallel;
    return part_if(pointer || has_other(a, b, GZ_HAS_PRESENCE_AT), GZ_PRESENCE_POINTER) |
           part_if(memcmp(a->view, b->view, sizeof a->view) != 0 ||
                       has_other(a, b, GZ_HAS_PRESENCE_VIEW),
                   GZ_PRESENCE_EYE) |
           part_if(lens || has_other(a, b, GZ_HAS_PRESENCE_LENS), GZ_PRESENCE_LENS) |
           part_if(a->tool != b->tool, GZ_PRESENCE_TOOL) |
           part_if(a->role != b->role, GZ_PRESENCE_WHO);
}

/* Compares versions, because the lists change in place and their old contents are gone. */
static uint32_t find_list_changes(struct gz_session *session)
{
    struct gz_presented *presented = &session->presented;
    const uint32_t parts =
        part_if(presented->selection != session->selection.version, GZ_PRESENCE_SELECTION) |
        part_if(presented->locks != session->locks.version, GZ_PRESENCE_LOCKS);
    *presented = (struct gz_presented){session->selection.version, session->locks.version};
    return parts;
}

static uint32_t present_viewport(struct gz_session *session)
{
    double *viewport = session->presence.viewport;
    const struct gz_camera *camera = session->view.camera;
    if (camera == NULL) return 0;
    const double *now = camera->input.viewport;
    const bool changed = memcmp(viewport, now, sizeof session->presence.viewport) != 0;
    memcpy(viewport, now, sizeof session->presence.viewport);
    return part_if(changed, GZ_PRESENCE_LENS);
}

void gz_session_present(struct gz_session *session)
{
    struct gz_presence_user *user = &session->presence.user;
    const struct gz_presence_user before = *user;
    user->has = GZ_HAS_PRESENCE_SELECTION | GZ_HAS_PRESENCE_TOOL | GZ_HAS_PRESENCE_LOCKS;
    if (session->name[0] != '\0') user->has |= GZ_HAS_PRESENCE_NAME;
    user->session = session->id;
    user->user = gz_text_of(session->user);
    user->name = gz_text_of(session->name);
    user->role = session->role;
    user->selection = (struct gz_ids){session->selection.ids, session->selection.count};
    user->tool = session->tool.mode;
    gz_view_present(&session->view, user);
    const uint32_t parts =
        find_changes(&before, user) | find_list_changes(session) | present_viewport(session);
    gz_feed_present(session->core->feed, &session->presence, parts,
                    session->core->clock.now.mono_s);
}

void gz_session_tell_self(struct gz_session *session)
{
    if (gz_feed_acts(&session->presence)) return;
    const struct gz_message self =
        gz_feed_self(&session->presence, gz_feed_form(&session->subscriber));
    gz_session_send(session, &self);
}

void gz_session_prune_selection(struct gz_session *session)
{
    if (gz_selection_prune(&session->selection, session->core->scene)) gz_session_present(session);
}
