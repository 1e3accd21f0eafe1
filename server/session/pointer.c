#include <math.h>
#include <string.h>

#include "session/session.h"

/* A wheel in progress is an edit of its own: whatever else is done with the pointer completes it
 * first. */
static void close_wheel(struct gz_session *session)
{
    if (session->gesture.kind == GZ_GESTURE_WHEEL) gz_gesture_complete(session, NULL);
}

/* What the client said, else the middle of what is selected, or of everything where nothing is. */
static gz_vec3 orbit_centre(struct gz_session *session)
{
    struct gz_scene *scene = session->core->scene;
    gz_vec3 sum = {0, 0, 0};
    size_t count = 0;
    if (session->has_target) return session->target;
    gz_session_prune_selection(session);
    for (size_t i = 0; i < session->selected; i++, count++)
        sum =
            gz_add(sum, gz_scene_world(scene, gz_scene_find(scene, session->selection[i])).origin);
    if (count > 0) return gz_scale(sum, 1.0 / (double)count);

    gz_box all = {{0, 0, 0}, {0, 0, 0}};
    const struct gz_node *node = NULL;
    while ((node = gz_scene_walk_all(scene, node)) != NULL) {
        gz_affine world = gz_scene_world(scene, node);
        gz_box point = {world.origin, world.origin};
        gz_box box = node->has_bounds ? gz_box_transform(&node->bounds, &world) : point;
        all = count++ == 0 ? box : gz_box_union(&all, &box);
    }
    return gz_box_centre(&all);
}

static enum gz_status begin_orbit(struct gz_session *session, const struct gz_pointer *pointer,
                                  struct gz_failure *failure)
{
    if (pointer->is_ray)
        return gz_fail(&failure->error, GZ_BAD_VALUE, "ray: orbiting takes pixels (at)");
    struct gz_gesture *gesture = &session->gesture;
    *gesture = (struct gz_gesture){.kind = GZ_GESTURE_ORBIT, .pointer = *pointer};
    if (gz_orbit_begin(&gesture->orbit, &session->tool, &session->camera, orbit_centre(session),
                       pointer) != GZ_SOLVE_NONE)
        return GZ_OK;
    gz_gesture_finish(gesture);
    return gz_fail(&failure->error, GZ_BAD_VALUE, "at: nothing to orbit about in this view");
}

static enum gz_status select_under(struct gz_session *session, const struct gz_message *message,
                                   const struct gz_pointer *pointer, struct gz_failure *failure)
{
    bool add = (message->pointer.mods & (1u << GZ_MOD_ADD)) != 0;
    uint64_t hit;
    enum gz_status status = gz_session_node_under(session, pointer, &hit, failure);
    if (status != GZ_OK) return status;
    if (hit != 0 || !add)
        status = gz_session_select(session, &hit, hit != 0, add ? GZ_HOW_ADD : GZ_HOW_SET, failure);
    if (status != GZ_OK) return status;
    struct gz_ok ok = {.hit = hit};
    gz_session_ok(session, message, hit != 0 ? GZ_HAS(HIT) : 0, &ok);
    return GZ_OK;
}

static enum gz_handle handle_under(struct gz_session *session, const struct gz_pointer *pointer)
{
    struct gz_gizmo gizmo;
    if (session->role < GZ_ROLE_EDITOR || !gz_session_gizmo(session, false, &gizmo))
        return GZ_HANDLE_NONE;
    return gz_gizmo_pick(&gizmo, &session->tool, session->has_camera ? &session->camera : NULL,
                         pointer);
}

static enum gz_status press(struct gz_session *session, const struct gz_message *message,
                            const struct gz_pointer *pointer, struct gz_failure *failure)
{
    uint32_t mods = message->pointer.mods;
    close_wheel(session);
    if (session->gesture.kind != GZ_GESTURE_NONE)
        return gz_fail(&failure->error, GZ_BAD_STATE, "phase: down while a drag is running");
    if (session->tool.mode == GZ_MODE_ORBIT || (mods & (1u << GZ_MOD_ORBIT)) != 0) {
        enum gz_status status = begin_orbit(session, pointer, failure);
        if (status == GZ_OK) gz_session_ok(session, message, 0, NULL);
        return status;
    }
    enum gz_handle handle = handle_under(session, pointer);
    if (handle == GZ_HANDLE_NONE) return select_under(session, message, pointer, failure);
    enum gz_status status = gz_gesture_begin(session, handle, pointer, mods, NULL, failure);
    if (status != GZ_OK) return status;
    struct gz_ok ok = {.handle = handle};
    gz_session_ok(session, message, GZ_HAS(HANDLE), &ok);
    return GZ_OK;
}

/* The state shows what this pointer did. Where it moved nothing, the acknowledgement takes a place
 * of its own in the order. */
static void acknowledge(struct gz_session *session, const struct gz_message *message,
                        uint64_t seq_before)
{
    struct gz_core *core = session->core;
    if ((message->has & GZ_HAS(N)) == 0) return;
    if (gz_scene_seq(core->scene) == seq_before) gz_scene_tick(core->scene);
    gz_sync_acknowledge(core->sync, session->id, message->pointer.n);
}

static void move(struct gz_session *session, const struct gz_message *message,
                 const struct gz_pointer *pointer)
{
    uint64_t before = gz_scene_seq(session->core->scene);
    gz_gesture_move(session, pointer, message->pointer.mods);
    if (session->gesture.kind == GZ_GESTURE_DRAG) acknowledge(session, message, before);
}

static bool is_dragging(const struct gz_session *session)
{
    return session->gesture.kind == GZ_GESTURE_DRAG || session->gesture.kind == GZ_GESTURE_ORBIT;
}

/* `pointer` is NULL where the message says no place: there is none to say for what was typed. */
static enum gz_status release(struct gz_session *session, const struct gz_message *message,
                              const struct gz_pointer *pointer, struct gz_failure *failure)
{
    if (!is_dragging(session)) {
        gz_session_ok(session, message, 0, NULL);
        return GZ_OK;
    }
    if (pointer == NULL && session->gesture.typed.count == 0)
        return gz_fail(&failure->error, GZ_BAD_STATE,
                       "at: missing, and the drag that runs follows the pointer");
    move(session, message, pointer);
    gz_gesture_complete(session, message);
    return GZ_OK;
}

static void cancel(struct gz_session *session, const struct gz_message *message)
{
    uint64_t before = gz_scene_seq(session->core->scene);
    if (session->gesture.kind == GZ_GESTURE_ORBIT)
        gz_session_send_view(session, session->gesture.orbit.camera.input.view);
    if (session->gesture.kind == GZ_GESTURE_DRAG) {
        gz_gesture_cancel(session);
        acknowledge(session, message, before);
    } else if (session->gesture.kind != GZ_GESTURE_NONE) {
        gz_gesture_cancel(session);
    }
    gz_session_ok(session, message, 0, NULL);
}

static void hover(struct gz_session *session, const struct gz_message *message,
                  const struct gz_pointer *pointer)
{
    if (is_dragging(session)) move(session, message, pointer);
    gz_session_ok(session, message, 0, NULL);
}

/* Whether an `up` says the key of an edit that is known. Where no drag runs it was sent again, and
 * gets that edit's answer; a drag that runs is another one, which the key cannot name: it goes on,
 * so that nothing is lost. */
static bool is_known(struct gz_session *session, const struct gz_message *message,
                     enum gz_status *status, struct gz_failure *failure)
{
    if (!is_dragging(session)) return gz_core_answer_key(session, message);
    uint64_t edit;
    *status = gz_core_edit_of_key(session, message, &edit, failure);
    if (*status != GZ_OK) return true;
    if (edit == 0) return false;
    *status = gz_fail(&failure->error, GZ_CONFLICT, "key: edit %llu has it; the drag goes on",
                      (unsigned long long)edit);
    return true;
}

static bool has_place(const struct gz_message *message)
{
    return (message->has & (GZ_HAS(AT) | GZ_HAS(RAY))) != 0;
}

enum gz_status gz_on_pointer(struct gz_session *session, const struct gz_message *message,
                             struct gz_failure *failure)
{
    const struct gz_pointer_message *said = &message->pointer;
    enum gz_status status = GZ_OK;
    if (said->phase == GZ_PHASE_UP && is_known(session, message, &status, failure)) return status;
    if (said->phase == GZ_PHASE_CANCEL) {
        cancel(session, message);
        return GZ_OK;
    }
    if (!has_place(message)) return release(session, message, NULL, failure);
    struct gz_pointer pointer;
    status = gz_session_pointer(session, (message->has & GZ_HAS(RAY)) != 0, said->at, said->ray,
                                &pointer, failure);
    if (status != GZ_OK) return status;
    session->pointer = pointer;
    session->has_pointer = true;
    session->gizmo_stale = true;
    gz_session_present(session);
    if (said->phase == GZ_PHASE_DOWN) return press(session, message, &pointer, failure);
    if (said->phase == GZ_PHASE_UP) return release(session, message, &pointer, failure);
    hover(session, message, &pointer);
    return GZ_OK;
}

/* Selects what the grab names and begins the drag; a drag that cannot begin leaves the selection as
 * it was. */
static enum gz_status grab(struct gz_session *session, const struct gz_message *message,
                           const struct gz_pointer *pointer, struct gz_failure *failure)
{
    const struct gz_pointer_message *said = &message->pointer;
    size_t selected = session->selected;
    uint64_t *before = gz_arena_take(&session->core->scratch, selected, sizeof *before);
    if (before == NULL)
        return gz_fail(&failure->error, GZ_NO_MEMORY, "no memory for the selection");
    if (selected > 0) memcpy(before, session->selection, selected * sizeof *before);
    if (message->has & GZ_HAS(NODES)) {
        enum gz_status status =
            gz_session_select(session, said->nodes.ids, said->nodes.count, GZ_HOW_SET, failure);
        if (status != GZ_OK) return status;
    }
    const struct gz_value *value = message->has & GZ_HAS(VALUE) ? &said->value : NULL;
    enum gz_status status =
        gz_gesture_begin(session, said->handle, pointer, (uint32_t)said->mods, value, failure);
    if (status == GZ_OK) return GZ_OK;
    if (selected > 0) memcpy(session->selection, before, selected * sizeof *before);
    session->selected = selected;
    gz_session_present(session);
    return status;
}

/* Whether these are the nodes that the session holds; those below them may be named or not, they
 * move with them. */
static bool are_held(const struct gz_session *session, struct gz_ids ids)
{
    size_t held = 0;
    for (size_t i = 0; i < ids.count; i++) {
        const struct gz_node *node = gz_scene_find(session->core->scene, ids.ids[i]);
        if (node != NULL && node->holder == session->id) held++;
        while (node != NULL && node->holder != session->id) node = node->parent;
        if (node == NULL) return false;
    }
    return held == session->gesture.count;
}

/* While a drag runs, all that can be grabbed is its own handle, to type a value for it. */
static enum gz_status check_grab(const struct gz_session *session, const struct gz_message *message,
                                 struct gz_failure *failure)
{
    const struct gz_gesture *gesture = &session->gesture;
    if (gesture->kind == GZ_GESTURE_NONE) return GZ_OK;
    if (gesture->kind != GZ_GESTURE_DRAG || (message->has & GZ_HAS(VALUE)) == 0)
        return gz_fail(&failure->error, GZ_BAD_STATE, "grab while a drag is running");
    if (message->pointer.handle != gesture->drag.handle)
        return gz_fail(&failure->error, GZ_BAD_STATE, "handle: the drag that runs is of %s",
                       gz_vocabulary_word(&gz_handle_words, gesture->drag.handle));
    if ((message->has & GZ_HAS(NODES)) != 0 && !are_held(session, message->pointer.nodes))
        return gz_fail(&failure->error, GZ_BAD_STATE, "nodes: the drag that runs is of others");
    return GZ_OK;
}

enum gz_status gz_on_grab(struct gz_session *session, const struct gz_message *message,
                          struct gz_failure *failure)
{
    const struct gz_pointer_message *said = &message->pointer;
    struct gz_pointer pointer;
    bool placed = has_place(message);
    close_wheel(session);
    uint64_t before = gz_scene_seq(session->core->scene);
    enum gz_status status = check_grab(session, message, failure);
    if (status == GZ_OK && placed)
        status = gz_session_pointer(session, (message->has & GZ_HAS(RAY)) != 0, said->at, said->ray,
                                    &pointer, failure);
    if (status != GZ_OK) return status;
    status = session->gesture.kind == GZ_GESTURE_DRAG
                 ? gz_gesture_type(session, &said->value, failure)
                 : grab(session, message, placed ? &pointer : NULL, failure);
    if (status != GZ_OK) return status;
    if (placed) session->pointer = pointer;
    if (placed) session->has_pointer = true;
    gz_session_present(session);
    if (message->has & GZ_HAS(VALUE)) acknowledge(session, message, before);
    struct gz_ok ok = {.handle = said->handle};
    gz_session_ok(session, message, GZ_HAS(HANDLE), &ok);
    return GZ_OK;
}

static enum gz_status dolly(struct gz_session *session, double notches, struct gz_failure *failure)
{
    double view[16];
    if (!session->has_camera)
        return gz_fail(&failure->error, GZ_BAD_STATE, "wheel: there is no camera to move");
    if (!gz_orbit_dolly(&session->camera, orbit_centre(session), pow(0.9, notches), view))
        return gz_fail(&failure->error, GZ_BAD_VALUE, "dy: too large");
    gz_session_send_view(session, view);
    return GZ_OK;
}

enum gz_status gz_on_wheel(struct gz_session *session, const struct gz_message *message,
                           struct gz_failure *failure)
{
    enum gz_status status = GZ_OK;
    if (is_dragging(session))
        return gz_fail(&failure->error, GZ_BAD_STATE, "wheel while a drag is running");
    if (session->tool.mode == GZ_MODE_ORBIT) {
        status = dolly(session, message->wheel.dy, failure);
    } else if (session->role < GZ_ROLE_EDITOR) {
        return gz_fail(&failure->error, GZ_FORBIDDEN, "wheel: a viewer cannot scale");
    } else {
        if (session->gesture.kind == GZ_GESTURE_NONE)
            status = gz_gesture_begin_wheel(session, failure);
        if (status == GZ_OK) gz_gesture_turn_wheel(session, message->wheel.dy);
    }
    if (status != GZ_OK) return status;
    struct gz_ok ok = {.seq = gz_scene_seq(session->core->scene)};
    gz_session_ok(session, message, GZ_HAS(SEQ), &ok);
    return GZ_OK;
}
