/* pointer.c - handles pointer, grab and wheel messages. */
#include <string.h>

#include "core/answers.h"
#include "core/drags.h"
#include "core/gizmo.h"
#include "core/interaction.h"
#include "core/pending.h"
#include "core/pick.h"
#include "core/session.h"
#include "core/setup.h"

/* Whether a gesture runs that goes on until the pointer is released. */
static bool is_dragging(const struct gz_session *session)
{
    const struct gz_interaction *interaction = session->gesture.interaction;
    return interaction != NULL && !interaction->gives_way;
}

/* ---- pressing ---- */

static enum gz_status select_under(struct gz_session *session, const struct gz_message *message,
                                   const struct gz_pointer *pointer, struct gz_failure *failure)
{
    bool adds = (message->pointer.mods & (1u << GZ_MOD_ADD)) != 0;
    uint64_t hit;
    enum gz_status status = gz_session_node_under(session, pointer, &hit, failure);
    if (status != GZ_OK) return status;
    struct gz_ids ids = {&hit, hit != 0 ? 1 : 0};
    if (hit != 0 || !adds)
        status = gz_session_select(session, ids, adds ? GZ_HOW_ADD : GZ_HOW_SET, failure);
    if (status != GZ_OK) return status;
    struct gz_ok ok = {.hit = hit};
    gz_session_ok(session, message, hit != 0 ? GZ_HAS_OK_HIT : 0, &ok);
    return GZ_OK;
}

static enum gz_handle handle_under(struct gz_session *session, const struct gz_pointer *pointer)
{
    struct gz_gizmo gizmo;
    if (session->role < GZ_ROLE_EDITOR || !gz_session_gizmo(session, false, &gizmo))
        return GZ_HANDLE_NONE;
    return gz_gizmo_pick(&gizmo, &session->tool, session->view.camera, pointer);
}

static enum gz_status press(struct gz_session *session, const struct gz_message *message,
                            const struct gz_pointer *pointer, struct gz_failure *failure)
{
    uint32_t mods = message->pointer.mods;
    struct gz_interaction_input input = {.pointer = pointer, .mods = mods};
    struct gz_ok ok = {.handle = GZ_HANDLE_NONE};
    enum gz_status status;
    gz_interaction_give_way(session);
    if (session->gesture.interaction != NULL)
        return gz_fail(&failure->error, GZ_BAD_STATE,
                       "phase: down while a drag is running; send up or cancel first");
    if (session->tool.mode == GZ_MODE_ORBIT || (mods & (1u << GZ_MOD_ORBIT)) != 0) {
        status = gz_interaction_begin(session, &session->gesture, &gz_orbit_interaction, &input,
                                      failure);
    } else {
        ok.handle = input.handle = handle_under(session, pointer);
        if (input.handle == GZ_HANDLE_NONE) return select_under(session, message, pointer, failure);
        input.mods |= 1u << GZ_MOD_PICKED;
        status =
            gz_interaction_begin(session, &session->gesture, &gz_drag_interaction, &input, failure);
    }
    if (status != GZ_OK) return status;
    gz_session_ok(session, message, ok.handle != GZ_HANDLE_NONE ? GZ_HAS_OK_HANDLE : 0, &ok);
    return GZ_OK;
}

/* ---- moving and releasing ---- */

static void acknowledge(struct gz_session *session, const struct gz_message *message,
                        uint64_t seq_before)
{
    if ((message->has & GZ_HAS_POINTER_N) != 0)
        gz_interaction_acknowledge(session, &session->gesture, message->pointer.n, seq_before);
}

static void move(struct gz_session *session, const struct gz_message *message,
                 const struct gz_pointer *pointer)
{
    const struct gz_interaction *interaction = session->gesture.interaction;
    struct gz_interaction_input input = {.pointer = pointer, .mods = message->pointer.mods};
    struct gz_failure ignored;
    uint64_t before = gz_scene_seq(session->core->scene);
    (void)interaction->move(session, &session->gesture, &input,
                            &ignored); /* a pointer that the gesture cannot follow is no error */
    if (interaction->is_acknowledged) acknowledge(session, message, before);
}

/* A viewer had no drag. */
enum gz_status gz_session_answer_over(struct gz_session *session, const struct gz_message *message,
                                      struct gz_failure *failure)
{
    if (session->role < GZ_ROLE_EDITOR) {
        gz_session_ok(session, message, 0, NULL);
        return GZ_OK;
    }
    enum gz_status status = gz_journal_check_room(&session->core->journal, &failure->error);
    if (status == GZ_OK) gz_session_ok_stored(session, message, 0, NULL);
    return status;
}

/* `pointer` is NULL if the message has none, which is allowed after a typed value. */
static enum gz_status release(struct gz_session *session, const struct gz_message *message,
                              const struct gz_pointer *pointer, struct gz_failure *failure)
{
    if (!is_dragging(session)) return gz_session_answer_over(session, message, failure);
    if (pointer == NULL && session->gesture.typed.count == 0)
        return gz_fail(&failure->error, GZ_BAD_STATE,
                       "at: missing, and the running drag follows the pointer; send at or ray");
    move(session, message, pointer);
    gz_interaction_finish(session, &session->gesture, message);
    return GZ_OK;
}

static enum gz_status cancel(struct gz_session *session, const struct gz_message *message,
                             struct gz_failure *failure)
{
    const struct gz_interaction *interaction = session->gesture.interaction;
    const bool holds = session->gesture.count > 0;
    uint64_t before = gz_scene_seq(session->core->scene);
    if (interaction == NULL) return gz_session_answer_over(session, message, failure);
    gz_interaction_cancel(session, &session->gesture);
    if (interaction->is_acknowledged) acknowledge(session, message, before);
    if (holds)
        gz_session_ok_stored(session, message, 0, NULL);
    else
        gz_session_ok(session, message, 0, NULL);
    return GZ_OK;
}

static void hover(struct gz_session *session, const struct gz_message *message,
                  const struct gz_pointer *pointer)
{
    if (is_dragging(session)) move(session, message, pointer);
    gz_session_ok(session, message, 0, NULL);
}

bool gz_session_end_is_known(struct gz_session *session, const struct gz_message *message,
                             bool runs, enum gz_status *status, struct gz_failure *failure)
{
    if (!runs) return gz_core_answer_key(session, message);
    uint64_t edit;
    *status = gz_core_edit_of_key(session, message, &edit, failure);
    if (*status != GZ_OK) return true;
    if (edit == 0) return false;
    *status = gz_fail(&failure->error, GZ_CONFLICT,
                      "key: edit %llu has this key; the %s goes on, so end it with another key",
                      (unsigned long long)edit, message->op == GZ_OP_RELEASE ? "hold" : "drag");
    return true;
}

/* ---- the messages ---- */

static bool has_place(const struct gz_message *message)
{
    return (message->has & (GZ_HAS_POINTER_AT | GZ_HAS_POINTER_RAY)) != 0;
}

static enum gz_status read_pointer(const struct gz_session *session,
                                   const struct gz_message *message, struct gz_pointer *pointer,
                                   struct gz_failure *failure)
{
    return gz_view_point(&session->view, (message->has & GZ_HAS_POINTER_RAY) != 0,
                         message->pointer.at, message->pointer.ray, pointer, &failure->error);
}

static void keep_pointer(struct gz_session *session, const struct gz_pointer *pointer)
{
    session->view.pointer = *pointer;
    session->view.has_pointer = true;
}

enum gz_status gz_on_pointer(struct gz_session *session, const struct gz_message *message,
                             struct gz_failure *failure)
{
    enum gz_phase phase = message->pointer.phase;
    enum gz_status status = GZ_OK;
    struct gz_pointer pointer;
    if (phase == GZ_PHASE_UP &&
        gz_session_end_is_known(session, message, is_dragging(session), &status, failure))
        return status;
    if (phase == GZ_PHASE_CANCEL) return cancel(session, message, failure);
    if (!has_place(message)) return release(session, message, NULL, failure);
    status = read_pointer(session, message, &pointer, failure);
    if (status != GZ_OK) return status;
    keep_pointer(session, &pointer);
    session->shown.stale = true;
    gz_session_present(session);
    if (phase == GZ_PHASE_DOWN) return press(session, message, &pointer, failure);
    if (phase == GZ_PHASE_UP) return release(session, message, &pointer, failure);
    hover(session, message, &pointer);
    return GZ_OK;
}

/* Selects the nodes of the grab and begins the drag. If the drag cannot begin, the selection stays
 * as it was. */
static enum gz_status grab(struct gz_session *session, const struct gz_message *message,
                           const struct gz_interaction_input *input, struct gz_failure *failure)
{
    struct gz_selection *selection = &session->selection;
    size_t count = selection->count;
    uint64_t removals = selection->removals;
    uint64_t *before = gz_arena_take(&session->core->scratch, count, sizeof *before);
    enum gz_status status = GZ_OK;
    if (before == NULL)
        return gz_fail(&failure->error, GZ_NO_MEMORY, "no memory for the selection");
    if (count > 0) memcpy(before, selection->ids, count * sizeof *before);
    if (message->has & GZ_HAS_POINTER_NODES)
        status = gz_session_select(session, message->pointer.nodes, GZ_HOW_SET, failure);
    if (status != GZ_OK) return status;
    status = gz_interaction_begin(session, &session->gesture, &gz_drag_interaction, input, failure);
    if (status == GZ_OK) return GZ_OK;
    if (count > 0) memcpy(selection->ids, before, count * sizeof *before);
    selection->count = count;
    selection->removals = removals;
    selection->version++;
    gz_session_present(session);
    return status;
}

/* Whether these are the nodes that the session's drag holds. Nodes below them may be in the list,
 * because they move along. */
static bool are_held(const struct gz_session *session, struct gz_ids ids)
{
    const struct gz_grip grip = {session->id, GZ_GRIP_POINTER};
    size_t held = 0;
    for (size_t i = 0; i < ids.count; i++) {
        const struct gz_node *node = gz_scene_find(session->core->scene, ids.ids[i]);
        if (node != NULL && gz_grip_has(grip, node)) held++;
        while (node != NULL && !gz_grip_has(grip, node)) node = node->parent;
        if (node == NULL) return false;
    }
    return held == session->gesture.count;
}

/* While a drag runs, only its own handle can be grabbed, to type a value. */
static enum gz_status check_grab(const struct gz_session *session, const struct gz_message *message,
                                 struct gz_failure *failure)
{
    const struct gz_gesture *gesture = &session->gesture;
    enum gz_handle handle = gz_gesture_handle(gesture);
    if (gesture->interaction == NULL) return GZ_OK;
    if (handle == GZ_HANDLE_NONE || (message->has & GZ_HAS_POINTER_VALUE) == 0)
        return gz_fail(&failure->error, GZ_BAD_STATE,
                       "grab while a drag is running; send up or cancel first");
    if (message->pointer.handle != handle)
        return gz_fail(&failure->error, GZ_BAD_STATE, "handle: the running drag is on %s",
                       gz_vocabulary_word(&gz_handle_words, handle));
    if ((message->has & GZ_HAS_POINTER_NODES) != 0 && !are_held(session, message->pointer.nodes))
        return gz_fail(&failure->error, GZ_BAD_STATE,
                       "nodes: the running drag holds other nodes; leave nodes out");
    return GZ_OK;
}

enum gz_status gz_on_grab(struct gz_session *session, const struct gz_message *message,
                          struct gz_failure *failure)
{
    const struct gz_pointer_message *said = &message->pointer;
    struct gz_pointer pointer;
    bool is_typed = (message->has & GZ_HAS_POINTER_VALUE) != 0, is_placed = has_place(message);
    struct gz_interaction_input input = {.handle = said->handle,
                                         .pointer = is_placed ? &pointer : NULL,
                                         .mods = (uint32_t)said->mods,
                                         .value = is_typed ? &said->value : NULL};
    uint64_t before = gz_scene_seq(session->core->scene);
    enum gz_status status = check_grab(session, message, failure);
    if (status == GZ_OK && is_placed) status = read_pointer(session, message, &pointer, failure);
    if (status != GZ_OK) return status;
    const struct gz_interaction *running = session->gesture.interaction;
    status = running != NULL ? running->move(session, &session->gesture, &input, failure)
                             : grab(session, message, &input, failure);
    if (status != GZ_OK) return status;
    if (is_placed) keep_pointer(session, &pointer);
    gz_session_present(session);
    if (is_typed) acknowledge(session, message, before);
    struct gz_ok ok = {.handle = said->handle};
    gz_session_ok(session, message, GZ_HAS_OK_HANDLE, &ok);
    return GZ_OK;
}

static enum gz_status turn_wheel(struct gz_session *session, double notches,
                                 struct gz_failure *failure)
{
    struct gz_interaction_input input = {.notches = notches};
    if (session->tool.mode == GZ_MODE_ORBIT) return gz_session_dolly(session, notches, failure);
    if (session->role < GZ_ROLE_EDITOR)
        return gz_fail(&failure->error, GZ_FORBIDDEN, "wheel: a viewer cannot scale");
    enum gz_status status = GZ_OK;
    if (session->gesture.interaction == NULL)
        status = gz_interaction_begin(session, &session->gesture, &gz_wheel_interaction, &input,
                                      failure);
    return status == GZ_OK
               ? session->gesture.interaction->move(session, &session->gesture, &input, failure)
               : status;
}

enum gz_status gz_on_wheel(struct gz_session *session, const struct gz_message *message,
                           struct gz_failure *failure)
{
    if (is_dragging(session))
        return gz_fail(&failure->error, GZ_BAD_STATE,
                       "wheel while a drag is running; send up or cancel first");
    if (session->gesture.held_count >= GZ_PENDING_EDITS_MAX)
        return gz_fail(&failure->error, GZ_TOO_MANY,
                       "%zu turns of this wheel wait for its end: let it rest",
                       session->gesture.held_count);
    enum gz_status status = turn_wheel(session, message->wheel.dy, failure);
    if (status != GZ_OK) return status;
    if (session->gesture.count > 0)
        gz_session_ok_turn(session, message);
    else
        gz_session_ok(session, message, 0, NULL); /* it moved the session's own camera */
    return GZ_OK;
}
