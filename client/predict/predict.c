/* predict.c - runs the server's solvers in a client. See predict.h. */
#include "predict.h"

#include <stdlib.h>
#include <string.h>

void gz_predict_init(struct gz_predict *predict)
{
    *predict = (struct gz_predict){.tool = gz_tool_default, .motion = gz_motion_none};
}

void gz_predict_finish(struct gz_predict *predict)
{
    free(predict->block);
    gz_predict_init(predict);
}

static const struct gz_camera *camera_of(const struct gz_predict *predict)
{
    return predict->has_camera ? &predict->camera : NULL;
}

/* Whether the pointer can be used; pixels need a camera. */
static bool has_place(const struct gz_predict *predict, const struct gz_pointer *pointer)
{
    return pointer->is_ray || predict->has_camera;
}

/* Whether the gesture holds the targets. */
static bool is_held(const struct gz_predict *predict)
{
    return predict->gesture == GZ_PREDICT_DRAG || predict->gesture == GZ_PREDICT_WHEEL;
}

/* ---- moving the targets ---- */

static void pose(struct gz_predict *predict)
{
    for (size_t i = 0; i < predict->count; i++) {
        struct gz_target *target = &predict->targets[i];
        gz_trs *now = &predict->poses[i];
        if (!gz_motion_apply(&predict->motion, &predict->starts[i], &target->parent, now, NULL))
            continue;
        predict->moved |= !gz_trs_same(now, &target->local);
        target->local = *now;
    }
    predict->is_seated = false;
}

/* Solves the drag for the last pointer. */
static enum gz_solve follow(struct gz_predict *predict)
{
    enum gz_solve solve = gz_drag_solve(&predict->drag, camera_of(predict), &predict->drag_pointer,
                                        predict->mods, &predict->motion);
    pose(predict);
    return solve;
}

static bool is_following(const struct gz_predict *predict)
{
    return predict->gesture == GZ_PREDICT_DRAG && predict->follows && !predict->is_typed;
}

/* ---- camera, tool and targets ---- */

bool gz_predict_camera(struct gz_predict *predict, const struct gz_camera_input *input,
                       const char **why)
{
    struct gz_camera camera;
    if (input != NULL && !gz_camera_prepare(&camera, input, why)) return false;
    predict->has_camera = input != NULL;
    if (input != NULL) predict->camera = camera;
    if (is_following(predict) && has_place(predict, &predict->drag_pointer)) (void)follow(predict);
    return true;
}

void gz_predict_tool(struct gz_predict *predict, const struct gz_tool *tool)
{
    predict->tool = *tool;
}

/* Makes room; the block's contents need not be kept, because no target is held when more are
 * needed. */
static bool reserve(struct gz_predict *predict, size_t count)
{
    const size_t each = 2 * sizeof(struct gz_target) + sizeof(gz_trs) + sizeof(gz_box);
    if (count <= predict->capacity) return true;
    void *block = count <= SIZE_MAX / each ? realloc(predict->block, count * each) : NULL;
    if (block == NULL) return false;
    predict->block = block;
    predict->capacity = count;
    predict->targets = block;
    predict->starts = predict->targets + count;
    predict->poses = (gz_trs *)(predict->starts + count);
    predict->boxes = (gz_box *)(predict->poses + count);
    return true;
}

bool gz_predict_targets_begin(struct gz_predict *predict, size_t count, size_t active)
{
    if (is_held(predict) && count != predict->count) return false;
    if ((count > 0 && active >= count) || !reserve(predict, count)) return false;
    predict->count = count;
    predict->active = active;
    predict->is_seated = predict->lags = false;
    return true;
}

void gz_predict_target(struct gz_predict *predict, size_t i, const struct gz_target *from)
{
    struct gz_target *target = &predict->targets[i];
    const gz_affine *parent = &target->parent;
    if (!is_held(predict))
        predict->poses[i] = from->local;
    else
        predict->lags |= memcmp(parent, &from->parent, sizeof *parent) != 0;
    *target = *from;
    target->local = predict->poses[i];
    if (from->bounds == NULL) return;
    predict->boxes[i] = *from->bounds;
    target->bounds = &predict->boxes[i];
}

/* As on the server, a node that has not moved yet waits for the next pointer if its parent
 * moves. */
void gz_predict_targets_end(struct gz_predict *predict)
{
    if (predict->lags && predict->moved) pose(predict);
}

bool gz_predict_targets(struct gz_predict *predict, const struct gz_target *targets, size_t count,
                        size_t active)
{
    if (!gz_predict_targets_begin(predict, count, active)) return false;
    for (size_t i = 0; i < count; i++) gz_predict_target(predict, i, &targets[i]);
    gz_predict_targets_end(predict);
    return true;
}

void gz_predict_point(struct gz_predict *predict, const struct gz_pointer *pointer)
{
    predict->has_pointer = pointer != NULL;
    if (pointer != NULL) predict->pointer = *pointer;
}

/* ---- the gizmo ---- */

/* False without targets. */
static bool sit(struct gz_predict *predict)
{
    if (predict->count == 0) return false;
    if (!predict->is_seated)
        predict->seat = gz_seat_of(predict->targets, predict->count, predict->active);
    return predict->is_seated = true;
}

/* The hand that the size of a gizmo without a camera is an angle at: that of the pointer, which
 * may be NULL, or of the last one. */
static const struct gz_pointer *hand_of(const struct gz_predict *predict,
                                        const struct gz_pointer *pointer)
{
    if (pointer != NULL) return pointer;
    return predict->has_pointer ? &predict->pointer : NULL;
}

static bool build(struct gz_predict *predict, const struct gz_pointer *pointer,
                  struct gz_gizmo *gizmo)
{
    return sit(predict) && gz_gizmo_build_shown(gizmo, &predict->tool, camera_of(predict),
                                                hand_of(predict, pointer), &predict->seat);
}

static enum gz_handle pick(const struct gz_predict *predict, const struct gz_gizmo *gizmo,
                           const struct gz_pointer *pointer)
{
    if (!has_place(predict, pointer)) return GZ_HANDLE_NONE;
    return gz_gizmo_pick(gizmo, &predict->tool, camera_of(predict), pointer);
}

bool gz_predict_gizmo(struct gz_predict *predict, struct gz_gizmo_state *state)
{
    struct gz_gizmo gizmo;
    struct gz_gizmo_drag drag = {&predict->drag, &predict->motion, predict->start};
    bool is_dragged = predict->gesture == GZ_PREDICT_DRAG;
    enum gz_handle hover = GZ_HANDLE_NONE;
    if (!build(predict, NULL, &gizmo)) return false;
    if (!is_dragged && predict->has_pointer) hover = pick(predict, &gizmo, &predict->pointer);
    *state = gz_gizmo_state(&gizmo, &predict->tool, hover, is_dragged ? &drag : NULL);
    return true;
}

enum gz_handle gz_predict_pick(struct gz_predict *predict, const struct gz_pointer *pointer)
{
    struct gz_gizmo gizmo;
    return build(predict, pointer, &gizmo) ? pick(predict, &gizmo, pointer) : GZ_HANDLE_NONE;
}

/* ---- drag and wheel ---- */

static void hold(struct gz_predict *predict, enum gz_predict_gesture gesture)
{
    memcpy(predict->starts, predict->targets, predict->count * sizeof *predict->starts);
    predict->gesture = gesture;
    predict->motion = gz_motion_none;
    predict->moved = predict->is_typed = predict->follows = false;
}

/* Keeps the drag's pointer, which hovers the gizmo once the drag is over. */
static void keep_pointer(struct gz_predict *predict, const struct gz_pointer *pointer,
                         uint32_t mods)
{
    predict->follows = true;
    predict->drag_pointer = *pointer;
    predict->mods = mods;
    gz_predict_point(predict, pointer);
}

enum gz_solve gz_predict_press(struct gz_predict *predict, enum gz_handle handle,
                               const struct gz_pointer *pointer, uint32_t mods)
{
    struct gz_gizmo gizmo;
    struct gz_drag drag;
    const struct gz_camera *camera = camera_of(predict);
    bool runs = predict->gesture == GZ_PREDICT_DRAG || predict->gesture == GZ_PREDICT_ORBIT;
    if (runs || (pointer != NULL && !has_place(predict, pointer)) || !sit(predict) ||
        !gz_gizmo_build_grabbed(&gizmo, &predict->tool, camera, hand_of(predict, pointer),
                                &predict->seat) ||
        gz_drag_begin(&drag, handle, &gizmo, &predict->tool, camera, pointer, mods) ==
            GZ_SOLVE_NONE)
        return GZ_SOLVE_NONE;
    hold(predict, GZ_PREDICT_DRAG);
    predict->drag = drag;
    predict->start = gizmo.origin;
    if (pointer == NULL) return GZ_SOLVE_OK;
    keep_pointer(predict, pointer, mods);
    /* Moves nothing, but fills in the numbers of the handle. */
    (void)gz_drag_solve(&predict->drag, camera, pointer, mods, &predict->motion);
    return GZ_SOLVE_OK;
}

enum gz_solve gz_predict_move(struct gz_predict *predict, const struct gz_pointer *pointer,
                              uint32_t mods)
{
    if (predict->gesture != GZ_PREDICT_DRAG) return GZ_SOLVE_NONE;
    if (!has_place(predict, pointer)) return GZ_SOLVE_KEPT;
    keep_pointer(predict, pointer, mods);
    return predict->is_typed ? GZ_SOLVE_KEPT : follow(predict);
}

static bool can_go(const struct gz_predict *predict, const struct gz_motion *motion)
{
    gz_trs local;
    for (size_t i = 0; i < predict->count; i++) {
        const gz_affine *parent = &predict->targets[i].parent;
        if (!gz_motion_apply(motion, &predict->starts[i], parent, &local, NULL)) return false;
    }
    return true;
}

enum gz_solve gz_predict_value(struct gz_predict *predict, const double *value, int count)
{
    struct gz_motion motion = gz_motion_none;
    const struct gz_drag *drag = &predict->drag;
    if (predict->gesture != GZ_PREDICT_DRAG) return GZ_SOLVE_NONE;
    if (count != gz_handle_value_count(drag->handle) ||
        gz_drag_value(drag, value, count, &motion) != GZ_SOLVE_OK || !can_go(predict, &motion))
        return GZ_SOLVE_KEPT;
    predict->is_typed = true;
    predict->motion = motion;
    pose(predict);
    return GZ_SOLVE_OK;
}

static bool begin_wheel(struct gz_predict *predict)
{
    struct gz_gizmo gizmo;
    if (predict->gesture != GZ_PREDICT_IDLE || !sit(predict) ||
        !gz_gizmo_build_grabbed(&gizmo, &predict->tool, camera_of(predict), hand_of(predict, NULL),
                                &predict->seat))
        return false;
    hold(predict, GZ_PREDICT_WHEEL);
    predict->notch = gz_motion_wheel(&gizmo, 1);
    predict->notches = 0;
    return true;
}

enum gz_solve gz_predict_wheel(struct gz_predict *predict, double notches)
{
    if (predict->gesture != GZ_PREDICT_WHEEL && !begin_wheel(predict)) return GZ_SOLVE_NONE;
    double turned = gz_wheel_turned(predict->notches, notches);
    if (!gz_motion_wheel_by(&predict->notch, turned, &predict->motion)) return GZ_SOLVE_KEPT;
    predict->notches = turned;
    pose(predict);
    return GZ_SOLVE_OK;
}

bool gz_predict_apply(const struct gz_predict *predict, const struct gz_motion *motion,
                      size_t index, const gz_trs *local, const gz_affine *parent, gz_trs *pose)
{
    if (index >= predict->count) return false;
    const struct gz_target *target = &predict->targets[index];
    const struct gz_target *from = is_held(predict) ? &predict->starts[index] : target;
    const struct gz_target start = {.local = *local, .parent = from->parent};
    return gz_motion_apply(motion, &start, parent != NULL ? parent : &target->parent, pose, NULL);
}

/* ---- orbit ---- */

/* Sets the view, as the session on the server does. */
static bool look(struct gz_predict *predict, const double view[16])
{
    struct gz_camera_input input = predict->camera.input;
    memcpy(input.view, view, sizeof input.view);
    return gz_predict_camera(predict, &input, NULL);
}

bool gz_predict_orbit_begin(struct gz_predict *predict, gz_vec3 centre,
                            const struct gz_pointer *pointer)
{
    struct gz_orbit orbit;
    bool runs = predict->gesture == GZ_PREDICT_DRAG || predict->gesture == GZ_PREDICT_ORBIT;
    if (runs || !predict->has_camera ||
        gz_orbit_begin(&orbit, &predict->tool, &predict->camera, centre, pointer) == GZ_SOLVE_NONE)
        return false;
    gz_predict_end(predict);
    predict->gesture = GZ_PREDICT_ORBIT;
    predict->orbit = orbit;
    gz_predict_point(predict, pointer);
    return true;
}

enum gz_solve gz_predict_orbit_move(struct gz_predict *predict, const struct gz_pointer *pointer,
                                    uint32_t mods, double view[16])
{
    if (predict->gesture != GZ_PREDICT_ORBIT) return GZ_SOLVE_NONE;
    gz_predict_point(predict, pointer);
    enum gz_solve solve = gz_orbit_solve(&predict->orbit, pointer, mods, view);
    return solve == GZ_SOLVE_KEPT || look(predict, view) ? solve : GZ_SOLVE_KEPT;
}

bool gz_predict_dolly(struct gz_predict *predict, gz_vec3 centre, double notches, double view[16])
{
    return predict->has_camera && gz_orbit_wheel(&predict->camera, centre, notches, view) &&
           look(predict, view);
}

void gz_predict_end(struct gz_predict *predict)
{
    predict->gesture = GZ_PREDICT_IDLE;
    predict->motion = gz_motion_none;
}
