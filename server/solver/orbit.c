#include <math.h>

#include "solver/sight.h"

/* A view matrix by its directions and what it takes `centre` to. */
static bool write_view(const gz_mat3 *linear, gz_vec3 centre, gz_vec3 centre_in_view, double view[16])
{
    gz_affine made = {*linear, gz_sub(centre_in_view, gz_mat3_apply(linear, centre))};
    bool finite = gz_finite(linear->x) && gz_finite(linear->y) && gz_finite(linear->z) && gz_finite(made.origin);
    if (finite) gz_affine_to_matrix(&made, view);
    return finite;
}

static gz_mat3 view_directions(const struct gz_camera *camera)
{
    return gz_affine_from_matrix(camera->input.view).linear;
}

enum gz_solve gz_orbit_begin(struct gz_orbit *orbit, const struct gz_tool *tool, const struct gz_camera *camera,
                             gz_vec3 centre, const struct gz_pointer *pointer)
{
    struct gz_tool ball = *tool;
    ball.mode = GZ_MODE_ARCBALL;
    ball.space = GZ_SPACE_WORLD;
    ball.pivot = GZ_PIVOT_POINT;
    ball.pivot_point = centre;
    ball.snap.on = false;
    const struct gz_target nothing = {gz_trs_identity, gz_affine_identity, NULL};
    struct gz_orbit made = {.camera = *camera, .centre = centre};
    struct gz_gizmo gizmo;
    if (pointer->is_ray || !gz_gizmo_build(&gizmo, &ball, camera, &nothing, 1, 0)) return GZ_SOLVE_NONE;
    if (gz_drag_begin(&made.drag, GZ_RB, &gizmo, &ball, camera, pointer, 0) != GZ_SOLVE_OK) return GZ_SOLVE_NONE;
    *orbit = made;
    return GZ_SOLVE_OK;
}

/* The scene turned about the centre, seen by the camera of the press, is the view that is wanted. */
enum gz_solve gz_orbit_solve(struct gz_orbit *orbit, const struct gz_pointer *pointer, uint32_t mods, double view[16])
{
    const struct gz_camera *camera = &orbit->camera;
    struct gz_motion motion = gz_motion_none;
    enum gz_solve result = gz_drag_solve(&orbit->drag, camera, pointer, mods & ~(1u << GZ_MOD_SNAP), &motion);
    if (result == GZ_SOLVE_KEPT) return result;
    if (motion.kind == GZ_MOTION_NONE) {
        for (int i = 0; i < 16; i++) view[i] = camera->input.view[i];
        return result;
    }
    gz_mat3 before = view_directions(camera), turn = gz_mat3_from_quat(motion.turn);
    gz_mat3 linear = gz_mat3_multiply(&before, &turn);
    bool good = write_view(&linear, orbit->centre, gz_view_point(camera, orbit->centre), view);
    return good ? result : GZ_SOLVE_KEPT;
}

bool gz_orbit_dolly(const struct gz_camera *camera, gz_vec3 centre, double factor, double view[16])
{
    if (!(factor > 0) || !isfinite(factor)) return false;
    gz_mat3 linear = view_directions(camera);
    gz_vec3 place = gz_view_point(camera, centre);
    if (camera->perspective) {
        gz_vec3 from_eye = gz_sub(place, camera->eye_view);
        return write_view(&linear, centre, gz_add(camera->eye_view, gz_scale(from_eye, factor)), view);
    }
    double larger = 1 / factor;
    linear = (gz_mat3){gz_scale(linear.x, larger), gz_scale(linear.y, larger), gz_scale(linear.z, larger)};
    return write_view(&linear, centre, place, view);
}
