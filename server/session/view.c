#include <stdlib.h>
#include <string.h>

#include "session/session.h"

static void present_ray(struct gz_presence_user *user, gz_vec3 origin, gz_vec3 direction)
{
    const double ray[6] = {origin.x, origin.y, origin.z, direction.x, direction.y, direction.z};
    user->has |= GZ_HAS(RAY);
    memcpy(user->ray, ray, sizeof ray);
}

/* A pixel says nothing to who has another camera, and no camera is told whole: its ray in the world
 * goes with it. */
static void present_pointer(const struct gz_session *session, struct gz_presence_user *user)
{
    const struct gz_pointer *pointer = &session->pointer;
    gz_vec3 origin, direction;
    if (pointer->is_ray) {
        present_ray(user, pointer->origin, pointer->direction);
        return;
    }
    user->has |= GZ_HAS(AT);
    memcpy(user->at, pointer->at, sizeof user->at);
    bool seen =
        session->has_camera && gz_camera_ray(&session->camera, pointer->at, &origin, &direction);
    if (seen && gz_can_say(origin)) present_ray(user, origin, direction);
}

static void present_camera(const struct gz_session *session, struct gz_presence_user *user)
{
    user->has |= GZ_HAS(VIEW);
    memcpy(user->view, session->camera.input.view, sizeof user->view);
    user->parallel = !session->camera.perspective;
    if (!session->has_lens) return;
    user->has |= GZ_HAS(LENS);
    memcpy(user->lens, session->lens, sizeof user->lens);
}

void gz_session_present(struct gz_session *session)
{
    struct gz_presence_user *user = &session->presence.user;
    user->has = GZ_HAS(SELECTION) | GZ_HAS(TOOL) | GZ_HAS(LOCKS);
    user->selection = (struct gz_ids){session->selection, session->selected};
    user->tool = session->tool.mode;
    user->locks = (struct gz_ids){session->gesture.ids, session->gesture.count};
    if (session->has_pointer) present_pointer(session, user);
    if (session->has_camera) present_camera(session, user);
    gz_sync_present(session->core->sync, &session->presence, session->core->now.mono_s);
}

/* ---- camera ---- */

static enum gz_status use_camera(struct gz_session *session, const struct gz_camera_input *input,
                                 struct gz_failure *failure)
{
    struct gz_camera camera;
    const char *why = "";
    if (!gz_camera_prepare(&camera, input, &why))
        return gz_fail(&failure->error, GZ_BAD_VALUE, "camera: %s", why);
    session->camera = camera;
    session->has_camera = true;
    session->has_lens = gz_camera_lens(&camera, session->lens);
    session->view_moved = true;
    session->gizmo_stale = true;
    gz_session_present(session);
    return GZ_OK;
}

enum gz_status gz_on_camera(struct gz_session *session, const struct gz_message *message,
                            struct gz_failure *failure)
{
    const struct gz_camera_message *camera = &message->camera;
    struct gz_camera_input input = {.ndc_y_down = camera->ndc_y_down,
                                    .left_handed = camera->left_handed};
    memcpy(input.view, camera->view, sizeof input.view);
    memcpy(input.proj, camera->proj, sizeof input.proj);
    memcpy(input.viewport, camera->viewport, sizeof input.viewport);
    enum gz_status status = use_camera(session, &input, failure);
    if (status != GZ_OK) return status;
    session->has_target = (message->has & GZ_HAS(TARGET)) != 0;
    session->target = camera->target;
    /* What was grabbed stays under the pointer while the camera moves. */
    if (session->gesture.kind == GZ_GESTURE_DRAG)
        gz_gesture_move(session, &session->gesture.pointer, session->gesture.mods);
    gz_session_ok(session, message, 0, NULL);
    return GZ_OK;
}

void gz_session_send_view(struct gz_session *session, const double view[16])
{
    struct gz_camera_input input = session->camera.input;
    memcpy(input.view, view, sizeof input.view);
    struct gz_failure ignored;
    if (use_camera(session, &input, &ignored) != GZ_OK) return;
    struct gz_message message = {.op = GZ_OP_VIEW};
    memcpy(message.view, view, sizeof message.view);
    gz_session_send(session, &message);
}

/* ---- tool ---- */

static void set_snap(struct gz_snap *snap, uint64_t has, const struct gz_tool_message *said)
{
    if (has & GZ_HAS(SNAP_T)) snap->t = said->snap_t;
    if (has & GZ_HAS(SNAP_R)) snap->r = said->snap_r;
    if (has & GZ_HAS(SNAP_S)) snap->s = said->snap_s;
    if (has & GZ_HAS(SNAP_ON)) snap->on = said->snap_on;
    if (has & GZ_HAS(SNAP_ABSOLUTE)) snap->absolute = said->snap_absolute;
}

enum gz_status gz_on_tool(struct gz_session *session, const struct gz_message *message,
                          struct gz_failure *failure)
{
    (void)failure;
    const struct gz_tool_message *said = &message->tool;
    struct gz_tool *tool = &session->tool;
    uint64_t has = message->has;
    if (has & GZ_HAS(MODE)) tool->mode = said->mode;
    if (has & GZ_HAS(SPACE)) tool->space = said->space;
    if (has & GZ_HAS(PIVOT)) tool->pivot = said->pivot;
    if (has & GZ_HAS(PIVOT)) tool->pivot_point = said->pivot_point;
    if (has & GZ_HAS(SIZE)) tool->size_px = said->size;
    if (has & GZ_HAS(TOLERANCE)) tool->tolerance_px = said->tolerance;
    if (has & GZ_HAS(EDGE)) tool->edge_rad = said->edge;
    if (has & GZ_HAS(AXIS_METHOD)) tool->axis_method = said->axis_method;
    if (has & GZ_HAS(BALL)) tool->ball = said->ball;
    if (has & GZ_HAS(BALL_FIT)) tool->ball_fit = said->ball_fit;
    if (has & GZ_HAS(ORBIT)) tool->orbit = said->orbit;
    if (has & GZ_HAS(MIRROR)) tool->mirror = said->mirror;
    if (has & GZ_HAS(SURFACE)) session->by_surface = said->surface;
    set_snap(&tool->snap, has, said);
    session->gizmo_stale = true;
    gz_session_present(session);
    gz_session_ok(session, message, 0, NULL);
    return GZ_OK;
}

/* ---- select ---- */

static int compare_ids(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

uint64_t *gz_sorted_ids(struct gz_arena *arena, const uint64_t *ids, size_t count)
{
    uint64_t *sorted = gz_arena_take(arena, count + 1, sizeof *sorted);
    if (sorted == NULL) return NULL;
    if (count > 0) memcpy(sorted, ids, count * sizeof *sorted);
    qsort(sorted, count, sizeof *sorted, compare_ids);
    return sorted;
}

bool gz_has_id(const uint64_t *sorted, size_t count, uint64_t id)
{
    return bsearch(&id, sorted, count, sizeof id, compare_ids) != NULL;
}

void gz_session_prune_selection(struct gz_session *session)
{
    size_t kept = 0;
    for (size_t i = 0; i < session->selected; i++) {
        if (gz_scene_find(session->core->scene, session->selection[i]) == NULL) continue;
        session->selection[kept++] = session->selection[i];
    }
    if (kept == session->selected) return;
    session->selected = kept;
    gz_session_present(session);
}

static enum gz_status check_ids(const struct gz_scene *scene, const uint64_t *ids, size_t count,
                                struct gz_failure *failure)
{
    for (size_t i = 0; i < count; i++) {
        if (gz_scene_find(scene, ids[i]) != NULL) continue;
        failure->node = ids[i];
        return gz_fail(&failure->error, GZ_UNKNOWN_NODE, "nodes[%zu]: there is no node %llu", i,
                       (unsigned long long)ids[i]);
    }
    return GZ_OK;
}

/* Takes the ids out of the selection, whatever is then done with them: named again, they come
 * last. */
static void unselect(struct gz_session *session, const uint64_t *sorted, size_t count)
{
    size_t kept = 0;
    for (size_t i = 0; i < session->selected; i++) {
        if (!gz_has_id(sorted, count, session->selection[i]))
            session->selection[kept++] = session->selection[i];
    }
    session->selected = kept;
}

enum gz_status gz_session_select(struct gz_session *session, const uint64_t *ids, size_t count,
                                 enum gz_how how, struct gz_failure *failure)
{
    enum gz_status status = check_ids(session->core->scene, ids, count, failure);
    if (status != GZ_OK) return status;
    struct gz_arena *scratch = &session->core->scratch;
    size_t before_count = session->selected;
    uint64_t *before = gz_sorted_ids(scratch, session->selection, before_count);
    uint64_t *named = gz_sorted_ids(scratch, ids, count);
    if (before == NULL || named == NULL ||
        !gz_grow(&session->selection, &session->selection_capacity, before_count + count,
                 sizeof *session->selection))
        return gz_fail(&failure->error, GZ_NO_MEMORY, "no memory for the selection");

    if (how == GZ_HOW_SET) session->selected = 0;
    unselect(session, named, count);
    for (size_t i = 0; i < count && how != GZ_HOW_REMOVE; i++) {
        if (how == GZ_HOW_TOGGLE && gz_has_id(before, before_count, ids[i])) continue;
        session->selection[session->selected++] = ids[i];
    }
    session->gizmo_stale = true;
    gz_session_present(session);
    return GZ_OK;
}

enum gz_status gz_on_select(struct gz_session *session, const struct gz_message *message,
                            struct gz_failure *failure)
{
    const struct gz_select *select = &message->select;
    enum gz_status status =
        gz_session_select(session, select->nodes.ids, select->nodes.count, select->how, failure);
    if (status == GZ_OK) gz_session_ok(session, message, 0, NULL);
    return status;
}
