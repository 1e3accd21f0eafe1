/* Turns a camera around a point, and moves it nearer or farther. */
#include <assert.h>
#include <math.h>

#include "solver/follow.h"
#include "solver/sight.h"

/* Nearer to a pole than this a view counts as upright, whichever way its last bits lean, so that a
 * drag begins exactly at the view at which the last one stopped. */
#define UPRIGHT_SINE 1e-9

/* A view matrix by its directions and what it takes `centre` to. */
static bool write_view(const gz_mat3 *linear, gz_vec3 centre, gz_vec3 centre_in_view,
                       double view[16])
{
    gz_affine made = {*linear, gz_sub(centre_in_view, gz_mat3_apply(linear, centre))};
    bool finite = gz_finite(linear->x) && gz_finite(linear->y) && gz_finite(linear->z) &&
                  gz_finite(made.origin);
    if (finite) gz_affine_to_matrix(&made, view);
    return finite;
}

static gz_mat3 view_directions(const struct gz_camera *camera)
{
    return gz_affine_from_matrix(camera->input.view).linear;
}

/* ---- Ball ---- */

static enum gz_solve begin_ball(struct gz_orbit *orbit, const struct gz_tool *tool,
                                const struct gz_pointer *pointer)
{
    struct gz_tool ball = *tool;
    ball.mode = GZ_MODE_ARCBALL;
    ball.space = GZ_SPACE_WORLD;
    ball.pivot = GZ_PIVOT_POINT;
    ball.pivot_point = orbit->centre;
    ball.snap.on = false;
    const struct gz_target nothing = {gz_trs_identity, gz_affine_identity, NULL};
    struct gz_gizmo gizmo;
    if (!gz_gizmo_build(&gizmo, &ball, &orbit->camera, NULL, &nothing, 1, 0)) return GZ_SOLVE_NONE;
    return gz_drag_begin(&orbit->drag, GZ_RB, &gizmo, &ball, &orbit->camera, pointer, 0);
}

static enum gz_solve solve_ball(struct gz_orbit *orbit, const struct gz_pointer *pointer,
                                uint32_t mods, gz_quat *turn)
{
    struct gz_motion motion = gz_motion_none;
    enum gz_solve result =
        gz_drag_solve(&orbit->drag, &orbit->camera, pointer, mods & ~(1u << GZ_MOD_SNAP), &motion);
    *turn = motion.kind == GZ_MOTION_ROTATE ? motion.turn : gz_quat_identity;
    return result;
}

/* ---- Turntable ---- */

static enum gz_solve begin_turntable(struct gz_orbit *orbit, const struct gz_pointer *pointer)
{
    const struct gz_camera *camera = &orbit->camera;
    gz_vec3 up = camera->up, backward = camera->backward;
    if (!gz_normalize(gz_cross(up, backward), &orbit->tilt_axis)) return GZ_SOLVE_NONE;
    gz_follow_init(&orbit->follow, pointer, 0);
    orbit->press[0] = pointer->at[0];
    orbit->press[1] = pointer->at[1];
    bool upright = up.y > -UPRIGHT_SINE;
    double handed = gz_dot(orbit->tilt_axis, camera->right) < 0 ? -1 : 1;
    orbit->sense = upright ? handed : -handed;
    orbit->pitch = atan2(backward.y, upright ? fmax(up.y, 0) : up.y);
    return GZ_SOLVE_OK;
}

/* First about +Y, which leaves the view's right at its angle to the horizon, then about that right,
 * which leaves it there too. */
static enum gz_solve solve_turntable(struct gz_orbit *orbit, const struct gz_pointer *pointer,
                                     uint32_t mods, gz_quat *turn)
{
    if (pointer->is_ray || !gz_pointer_usable(pointer)) return GZ_SOLVE_KEPT;
    const struct gz_pointer *now = gz_follow_pointer(&orbit->follow, pointer, mods);
    double per_px = 2 * M_PI / orbit->camera.input.viewport[3];
    double across = (now->at[0] - orbit->press[0]) * per_px * orbit->sense;
    double wanted = (now->at[1] - orbit->press[1]) * per_px;
    double lowest = fmin(orbit->pitch, -M_PI_2) - orbit->pitch,
           highest = fmax(orbit->pitch, M_PI_2) - orbit->pitch;
    double tilt = fmin(fmax(wanted, lowest), highest);
    gz_quat first = gz_quat_about((gz_vec3){0, 1, 0}, across),
            then = gz_quat_about(orbit->tilt_axis, tilt);
    *turn = across == 0 && tilt == 0 ? gz_quat_identity : gz_quat_multiply(then, first);
    return tilt == wanted ? GZ_SOLVE_OK : GZ_SOLVE_CLAMPED;
}

/* ---- Both ---- */

enum gz_solve gz_orbit_begin(struct gz_orbit *orbit, const struct gz_tool *tool,
                             const struct gz_camera *camera, gz_vec3 centre,
                             const struct gz_pointer *pointer)
{
    assert(orbit != NULL && tool != NULL && camera != NULL && pointer != NULL);
    struct gz_orbit made = {.law = tool->orbit, .camera = *camera, .centre = centre};
    if (pointer->is_ray || !gz_pointer_usable(pointer) || !gz_finite(centre)) return GZ_SOLVE_NONE;
    enum gz_solve begun = made.law == GZ_ORBIT_TURNTABLE ? begin_turntable(&made, pointer)
                                                         : begin_ball(&made, tool, pointer);
    if (begun != GZ_SOLVE_OK) return GZ_SOLVE_NONE;
    *orbit = made;
    return GZ_SOLVE_OK;
}

/* The scene turned about the centre, seen by the camera of the press, is the view that is
 * wanted. */
enum gz_solve gz_orbit_solve(struct gz_orbit *orbit, const struct gz_pointer *pointer,
                             uint32_t mods, double view[16])
{
    assert(orbit != NULL && pointer != NULL && view != NULL);
    const struct gz_camera *camera = &orbit->camera;
    gz_quat rotation;
    enum gz_solve result = orbit->law == GZ_ORBIT_TURNTABLE
                               ? solve_turntable(orbit, pointer, mods, &rotation)
                               : solve_ball(orbit, pointer, mods, &rotation);
    if (result == GZ_SOLVE_KEPT) return result;
    if (rotation.x == 0 && rotation.y == 0 && rotation.z == 0) {
        for (int i = 0; i < 16; i++) view[i] = camera->input.view[i];
        return result;
    }
    gz_mat3 before = view_directions(camera), turn = gz_mat3_from_quat(rotation);
    gz_mat3 linear = gz_mat3_multiply(&before, &turn);
    bool good = write_view(&linear, orbit->centre, gz_view_point(camera, orbit->centre), view);
    return good ? result : GZ_SOLVE_KEPT;
}

bool gz_orbit_dolly(const struct gz_camera *camera, gz_vec3 centre, double factor, double view[16])
{
    assert(camera != NULL && view != NULL);
    if (!(factor > 0) || !isfinite(factor)) return false;
    gz_mat3 linear = view_directions(camera);
    gz_vec3 place = gz_view_point(camera, centre);
    if (camera->perspective) {
        gz_vec3 from_eye = gz_sub(place, camera->eye_view);
        return write_view(&linear, centre, gz_add(camera->eye_view, gz_scale(from_eye, factor)),
                          view);
    }
    double larger = 1 / factor;
    linear = (gz_mat3){gz_scale(linear.x, larger), gz_scale(linear.y, larger),
                       gz_scale(linear.z, larger)};
    return write_view(&linear, centre, place, view);
}
