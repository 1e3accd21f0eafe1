/* view.c - what a session looks at and has chosen: selection, targets of the gizmo, camera and
 * tool. */
#include "core/view.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/describe.h"
#include "proto/base/ids.h"

/* ---- the selection ---- */

/* Changes which nodes are selected. */

bool gz_selection_prune(struct gz_selection *selection, const struct gz_scene *scene)
{
    size_t kept = 0, before = selection->count;
    if (selection->removals == gz_scene_removals(scene)) return false;
    selection->removals = gz_scene_removals(scene);
    for (size_t i = 0; i < before; i++) {
        if (gz_scene_find(scene, selection->ids[i]) != NULL)
            selection->ids[kept++] = selection->ids[i];
    }
    selection->count = kept;
    selection->version += kept != before;
    return kept != before;
}

enum gz_status gz_selection_change(struct gz_selection *selection, struct gz_arena *scratch,
                                   struct gz_ids ids, enum gz_how how)
{
    if (!gz_grow(&selection->ids, &selection->capacity, selection->count + ids.count,
                 sizeof *selection->ids))
        return GZ_NO_MEMORY;
    size_t count =
        gz_select_ids(selection->ids, selection->count, ids.ids, ids.count, how, scratch);
    if (count == SIZE_MAX) return GZ_NO_MEMORY;
    selection->count = count;
    selection->version++;
    return GZ_OK;
}

void gz_selection_finish(struct gz_selection *selection)
{
    free(selection->ids);
    *selection = (struct gz_selection){.count = 0};
}

/* ---- what a gizmo is for ---- */

/* Finds the nodes that a gizmo stands on. */

struct gz_target gz_target_of(struct gz_scene *scene, const struct gz_node *node)
{
    return (struct gz_target){
        .local = node->trs,
        .parent = gz_scene_parent_world(scene, node),
        .bounds = node->has_bounds ? &node->bounds : NULL,
    };
}

struct gz_targets gz_targets_of(const struct gz_selection *selection, struct gz_scene *scene,
                                struct gz_arena *arena)
{
    size_t selected = selection->count;
    struct gz_targets targets = {.nodes = gz_arena_take(arena, selected, sizeof *targets.nodes),
                                 .ids = gz_arena_take(arena, selected, sizeof *targets.ids)};
    if (selected == 0 || targets.nodes == NULL || targets.ids == NULL) return targets;
    targets.count = gz_scene_tops(scene, selection->ids, selected, targets.nodes);
    for (size_t i = 0; i < targets.count; i++) targets.ids[i] = targets.nodes[i]->id;
    return targets;
}

/* ---- view ---- */

/* Keeps the camera and the pointer of a session. */

void gz_view_finish(struct gz_view *view)
{
    free(view->camera);
    view->camera = NULL;
}

enum gz_status gz_view_set(struct gz_view *view, const struct gz_camera_input *input,
                           struct gz_error *error)
{
    struct gz_camera camera;
    const char *why = "";
    if (!gz_camera_prepare(&camera, input, &why))
        return gz_fail(error, GZ_BAD_VALUE, "camera: %s", why);
    if (view->camera == NULL) view->camera = malloc(sizeof *view->camera);
    if (view->camera == NULL) return gz_fail(error, GZ_NO_MEMORY, "no memory for the camera");
    *view->camera = camera;
    view->has_lens = gz_camera_lens(&camera, view->lens);
    view->moved = true;
    return GZ_OK;
}

enum gz_status gz_view_point(const struct gz_view *view, bool has_ray, const double at[2],
                             const double ray[6], struct gz_pointer *pointer,
                             struct gz_error *error)
{
    *pointer = (struct gz_pointer){.is_ray = has_ray};
    if (has_ray) {
        pointer->origin = (gz_vec3){ray[0], ray[1], ray[2]};
        pointer->direction = (gz_vec3){ray[3], ray[4], ray[5]};
        return GZ_OK;
    }
    if (view->camera == NULL)
        return gz_fail(error, GZ_BAD_STATE,
                       "at: pixels need a camera, and none was sent yet; send camera first");
    memcpy(pointer->at, at, sizeof pointer->at);
    return GZ_OK;
}

double gz_view_interest_due(const struct gz_view *view)
{
    return view->is_followed && view->moved ? view->interest_due_s : INFINITY;
}

/* ---- as others see it ---- */

static void present_ray(struct gz_presence_user *user, gz_vec3 origin, gz_vec3 direction)
{
    const double ray[6] = {origin.x, origin.y, origin.z, direction.x, direction.y, direction.z};
    user->has |= GZ_HAS_PRESENCE_RAY;
    memcpy(user->ray, ray, sizeof ray);
}

/* A pixel is meaningless without this camera, which others are not sent in full: so the pixel's ray
 * in the world goes with it. */
static void present_pointer(const struct gz_view *view, struct gz_presence_user *user)
{
    const struct gz_pointer *pointer = &view->pointer;
    gz_vec3 origin, direction;
    if (pointer->is_ray) {
        present_ray(user, pointer->origin, pointer->direction);
        return;
    }
    user->has |= GZ_HAS_PRESENCE_AT;
    memcpy(user->at, pointer->at, sizeof user->at);
    bool has_ray =
        view->camera != NULL && gz_camera_ray(view->camera, pointer->at, &origin, &direction);
    if (has_ray && gz_is_sendable(origin)) present_ray(user, origin, direction);
}

static void present_camera(const struct gz_view *view, struct gz_presence_user *user)
{
    user->has |= GZ_HAS_PRESENCE_VIEW;
    memcpy(user->view, view->camera->input.view, sizeof user->view);
    user->parallel = !view->camera->perspective;
    if (!view->has_lens) return;
    user->has |= GZ_HAS_PRESENCE_LENS;
    memcpy(user->lens, view->lens, sizeof user->lens);
}

void gz_view_present(const struct gz_view *view, struct gz_presence_user *user)
{
    if (view->has_pointer) present_pointer(view, user);
    if (view->camera != NULL) present_camera(view, user);
}
