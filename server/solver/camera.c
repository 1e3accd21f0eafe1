/* Prepares a camera once, so that projecting points and casting lines of sight is cheap. */
#include <assert.h>
#include <math.h>
#include <string.h>

#include "solver/sight.h"

static bool all_finite(const double *numbers, int count)
{
    for (int i = 0; i < count; i++)
        if (!isfinite(numbers[i])) return false;
    return true;
}

static const char *input_fault(const struct gz_camera_input *input)
{
    const double *view = input->view;
    if (!all_finite(view, 16)) return "view has a number that is not finite";
    if (!all_finite(input->proj, 16)) return "proj has a number that is not finite";
    if (!all_finite(input->viewport, 4)) return "viewport has a number that is not finite";
    if (!(input->viewport[2] > 0 && input->viewport[3] > 0)) return "viewport is empty";
    /* Clients that multiply or invert matrices leave rounding in the last row, a float's too. */
    const double slack = 1e-6;
    if (fabs(view[3]) > slack || fabs(view[7]) > slack || fabs(view[11]) > slack ||
        fabs(view[15] - 1) > slack)
        return "view is not affine: its last row must be 0 0 0 1";
    return NULL;
}

/* The view that means the same with the last row 0 0 0 1. */
static void straighten_view(double view[16])
{
    double last = view[15];
    for (int i = 0; i < 15; i++) view[i] = i % 4 == 3 ? 0 : last == 1 ? view[i] : view[i] / last;
    view[15] = 1;
}

/* Clip space to pixels, folded into the projection's rows. */
static void prepare_rows(struct gz_camera *camera)
{
    const double *view = camera->input.view, *proj = camera->input.proj,
                 *viewport = camera->input.viewport;
    double half_width = viewport[2] / 2, half_height = viewport[3] / 2;
    double y_sign = camera->input.ndc_y_down ? 1 : -1;
    for (int column = 0; column < 4; column++) {
        double x = proj[4 * column], y = proj[4 * column + 1], w = proj[4 * column + 3];
        camera->pixel[0][column] = half_width * x + (half_width + viewport[0]) * w;
        camera->pixel[1][column] = half_height * (y_sign * y) + (half_height + viewport[1]) * w;
        camera->pixel[2][column] = w;
        for (int row = 0; row < 3; row++) camera->view[row][column] = view[4 * column + row];
    }
}

static gz_vec3 row_vector(const double row[4])
{
    return (gz_vec3){row[0], row[1], row[2]};
}

/* The one point that x, y and w all map to 0. */
static bool find_eye(struct gz_camera *camera)
{
    if (!camera->perspective) return camera->pixel[2][3] != 0;
    gz_vec3 x = row_vector(camera->pixel[0]), y = row_vector(camera->pixel[1]),
            w = row_vector(camera->pixel[2]);
    gz_vec3 yw = gz_cross(y, w), wx = gz_cross(w, x), xy = gz_cross(x, y);
    double determinant = gz_dot(x, yw);
    if (!isfinite(determinant) || determinant == 0) return false;
    gz_vec3 sum =
        gz_add(gz_scale(yw, camera->pixel[0][3]),
               gz_add(gz_scale(wx, camera->pixel[1][3]), gz_scale(xy, camera->pixel[2][3])));
    camera->eye_view = gz_scale(sum, -1 / determinant);
    return gz_finite(camera->eye_view);
}

/* Clip coordinates mean the same with every sign turned, but only what has a w above 0 is drawn. A
 * projection that was multiplied by a negative number shows nothing as it is: it is turned. In an
 * orthographic view w is a constant, so its own sign says so. In perspective depth tells it from
 * one for a viewer who looks the other way: in the middle of the picture it is `at_eye` + w *
 * `slope`, and in every convention some w above 0 has one from 0 to w. */
static bool is_turned(const struct gz_camera *camera)
{
    const double *proj = camera->input.proj;
    if (!camera->perspective) return camera->pixel[2][3] < 0;
    gz_vec3 x = {proj[0], proj[4], proj[8]}, y = {proj[1], proj[5], proj[9]},
            z = {proj[2], proj[6], proj[10]}, middle = gz_cross(x, y);
    double at_eye = gz_dot(z, camera->eye_view) + proj[14];
    double slope = gz_dot(z, middle) / gz_dot(row_vector(camera->pixel[2]), middle);
    return at_eye > 0 ? slope >= 1 : at_eye < 0 && slope <= 0;
}

static void turn(struct gz_camera *camera)
{
    for (int i = 0; i < 16; i++) camera->input.proj[i] = -camera->input.proj[i];
    prepare_rows(camera);
}

/* Depth grows along the lines of sight: as w does, or along the rays of an orthographic view, whose
 * direction the view matrix says. */
static bool find_depth(struct gz_camera *camera)
{
    for (int i = 0; i < 4; i++) camera->depth[i] = camera->pixel[2][i];
    if (camera->perspective) return true;
    gz_vec3 rays = gz_cross(row_vector(camera->pixel[0]), row_vector(camera->pixel[1]));
    if (!gz_normalize(rays, &rays)) return false;
    if ((rays.z > 0) != camera->input.left_handed) rays = gz_negate(rays);
    camera->depth[0] = rays.x;
    camera->depth[1] = rays.y;
    camera->depth[2] = rays.z;
    camera->depth[3] = 0;
    return true;
}

/* World direction to the viewer: against the growth of w, or along the rays of an orthographic
 * view. */
static bool find_backward(struct gz_camera *camera, gz_vec3 *backward)
{
    if (camera->perspective)
        return gz_normalize(gz_negate(gz_gradient_to_world(camera, row_vector(camera->pixel[2]))),
                            backward);
    gz_vec3 rays = row_vector(camera->depth);
    return gz_normalize(gz_negate(gz_mat3_apply(&camera->view_to_world, rays)), backward);
}

/* What a pixel row grows by at one depth: the part along w is an off-centre projection's shift. */
static gz_vec3 growth_at_one_depth(const struct gz_camera *camera, int row)
{
    gz_vec3 growth = gz_gradient_to_world(camera, row_vector(camera->pixel[row]));
    if (!camera->perspective) return growth;
    gz_vec3 depth = gz_gradient_to_world(camera, row_vector(camera->pixel[2]));
    return gz_sub(growth, gz_scale(depth, gz_dot(growth, depth) / gz_dot(depth, depth)));
}

/* The screen's axes in the world: right keeps y and depth, up is across both. */
static bool find_frame(struct gz_camera *camera)
{
    if (!find_backward(camera, &camera->backward)) return false;
    gz_vec3 x_growth = growth_at_one_depth(camera, 0), y_growth = growth_at_one_depth(camera, 1);
    if (!gz_normalize(gz_cross(camera->backward, y_growth), &camera->right)) return false;
    if (gz_dot(camera->right, x_growth) < 0) camera->right = gz_negate(camera->right);
    if (!gz_normalize(gz_cross(camera->backward, camera->right), &camera->up)) return false;
    if (gz_dot(camera->up, y_growth) > 0) camera->up = gz_negate(camera->up);
    return true;
}

/* How depth goes along the lines of sight. */
struct depth_way {
    bool falls;     /* it is 1 at the near plane */
    bool is_halved; /* it then ends at 0, not at -1 */
};

/* In perspective depth is at_eye / w + slope on a line of sight. The sign of at_eye says which way
 * it goes, and one that falls stays above its slope: if that is above -1 on every line of the
 * picture, depth ends at 0. The slack is a float's rounding. In orthographic views a depth that
 * falls would end somewhere either way. It is taken to end at 0 if that is in front of the camera:
 * what depth is reversed for, the floats' precision near 0, is not to be had otherwise. */
static struct depth_way find_depth_way(const struct gz_camera *camera)
{
    const double *proj = camera->input.proj, least = -1 + 1e-6;
    gz_vec3 x = {proj[0], proj[4], proj[8]}, y = {proj[1], proj[5], proj[9]},
            z = {proj[2], proj[6], proj[10]}, w = row_vector(camera->pixel[2]);
    double at_eye = gz_dot(z, camera->eye_view) + proj[14];
    if (!camera->perspective)
        return (struct depth_way){.falls = gz_dot(z, row_vector(camera->depth)) < 0,
                                  .is_halved = at_eye > 0};
    gz_vec3 yw = gz_cross(y, w), wx = gz_cross(w, x), middle = gz_cross(x, y);
    double size = gz_dot(w, middle), slope = gz_dot(z, middle) / size - fabs(gz_dot(z, yw) / size) -
                                             fabs(gz_dot(z, wx) / size);
    return (struct depth_way){.falls = at_eye > 0, .is_halved = slope > least};
}

/* The near plane is where depth is -1 (GL) or 0, or 1 if depth falls, and the far one is where it
 * is 1, or 0 or -1. A matrix does not tell a near plane where a depth that rises is -1 from one
 * about twice as far where it is 0: the nearer one is taken, so that all that is shown is met. */
static void find_clip(struct gz_camera *camera)
{
    const double *proj = camera->input.proj;
    const struct depth_way way = find_depth_way(camera);
    const double sign = way.falls ? -1 : 1;
    for (int i = 0; i < 4; i++) {
        double z = sign * proj[4 * i + 2], w = proj[4 * i + 3];
        camera->clip[0][i] = w + z;
        camera->clip[1][i] = way.falls && way.is_halved ? -z : w - z;
    }
    const double *near = camera->clip[0];
    bool is_usual = camera->perspective && near[0] == 0 && near[1] == 0 && proj[3] == 0 &&
                    proj[7] == 0 && proj[15] == 0;
    double near_w = proj[11] * (-near[3] / near[2]);
    camera->near_w = is_usual && isfinite(near_w) && near_w > 0 ? near_w : 0;
}

bool gz_camera_prepare(struct gz_camera *camera, const struct gz_camera_input *input,
                       const char **why)
{
    assert(camera != NULL && input != NULL);
    struct gz_camera made = {.input = *input};
    const char *fault = input_fault(input);
    gz_affine view, world;
    if (fault == NULL) straighten_view(made.input.view);
    view = gz_affine_from_matrix(made.input.view);
    if (fault == NULL && !gz_affine_inverse(&view, &world)) fault = "view has no inverse";
    if (fault == NULL) {
        prepare_rows(&made);
        made.view_to_world = world.linear;
        gz_vec3 w = row_vector(made.pixel[2]);
        made.perspective = w.x != 0 || w.y != 0 || w.z != 0;
        bool shows = find_eye(&made);
        if (shows && is_turned(&made)) turn(&made);
        if (!shows || !find_depth(&made) || !find_frame(&made))
            fault = "proj shows nothing: its x, y and w rows are not independent";
    }
    if (fault != NULL) {
        if (why != NULL) *why = fault;
        return false;
    }
    made.eye = gz_affine_apply(&world, made.eye_view);
    made.up_px = fabs(gz_see_vector(&(struct gz_sight){.camera = &made}, made.up).y);
    find_clip(&made);
    *camera = made;
    return true;
}

bool gz_camera_project(const struct gz_camera *camera, gz_vec3 point, double at[2], double *w)
{
    assert(camera != NULL && at != NULL);
    const struct gz_sight sight = {.camera = camera};
    gz_seen seen = gz_see_point(&sight, point);
    double x = seen.x / seen.w, y = seen.y / seen.w;
    if (!(seen.w > 0) || !isfinite(x) || !isfinite(y)) return false;
    at[0] = x;
    at[1] = y;
    if (w != NULL) *w = seen.w;
    return true;
}

double gz_camera_pixel_size(const struct gz_camera *camera, gz_vec3 point)
{
    assert(camera != NULL);
    const struct gz_sight sight = {.camera = camera};
    return gz_pixel_size_at(camera, gz_see_point(&sight, point).w);
}

bool gz_sight_init_ray(struct gz_sight *sight, const struct gz_pointer *pointer)
{
    if (!gz_finite(pointer->origin) || !gz_normalize(pointer->direction, &sight->along))
        return false;
    sight->origin = pointer->origin;
    gz_vec3 up = fabs(sight->along.y) < 0.9 ? (gz_vec3){0, 1, 0} : (gz_vec3){0, 0, 1};
    if (!gz_normalize(gz_cross(sight->along, up), &sight->right)) return false;
    sight->down = gz_cross(sight->along, sight->right);
    return true;
}

gz_vec3 gz_sight_toward(const struct gz_sight *sight, gz_vec3 point)
{
    const struct gz_camera *camera = sight->camera;
    gz_vec3 unit;
    if (sight->is_ray)
        return gz_normalize(gz_add(gz_sub(point, sight->origin), sight->shift), &unit)
                   ? unit
                   : sight->along;
    if (!camera->perspective) return gz_negate(camera->backward);
    gz_vec3 view = gz_sub(gz_sight_view_point(sight, point), camera->eye_view);
    return gz_normalize(gz_mat3_apply(&camera->view_to_world, view), &unit)
               ? unit
               : gz_negate(camera->backward);
}

double gz_sight_pixel(const struct gz_sight *sight, gz_vec3 point)
{
    double w = gz_see_point(sight, point).w;
    if (!sight->is_ray) return gz_pixel_size_at(sight->camera, w);
    return w > 0 && isfinite(w) ? w * GZ_RAY_RADIANS_PER_PX : 0;
}

struct gz_view_frame gz_sight_frame(const struct gz_sight *sight)
{
    const struct gz_camera *camera = sight->camera;
    if (camera != NULL) return (struct gz_view_frame){camera->right, camera->up, camera->backward};
    return (struct gz_view_frame){sight->right, gz_negate(sight->down), gz_negate(sight->along)};
}

gz_vec3 gz_sight_crossing(const struct gz_sight *sight)
{
    if (sight->is_ray)
        return gz_scale(sight->along, 1 / (GZ_RAY_RADIANS_PER_PX * GZ_RAY_RADIANS_PER_PX));
    const double(*m)[4] = sight->camera->pixel;
    double x = sight->at[0], y = sight->at[1];
    gz_vec3 right = {m[0][0] - x * m[2][0], m[0][1] - x * m[2][1], m[0][2] - x * m[2][2]};
    gz_vec3 down = {m[1][0] - y * m[2][0], m[1][1] - y * m[2][1], m[1][2] - y * m[2][2]};
    return gz_cross(right, down);
}

struct gz_growth gz_sight_growth(const struct gz_sight *sight)
{
    const struct gz_camera *camera = sight->camera;
    if (sight->is_ray) {
        double px = 1 / GZ_RAY_RADIANS_PER_PX;
        return (struct gz_growth){gz_scale(sight->right, px), gz_scale(sight->down, px),
                                  sight->along, sight->along};
    }
    gz_vec3 x = row_vector(camera->pixel[0]), y = row_vector(camera->pixel[1]),
            w = row_vector(camera->pixel[2]);
    return (struct gz_growth){gz_gradient_to_world(camera, gz_sub(x, gz_scale(w, sight->at[0]))),
                              gz_gradient_to_world(camera, gz_sub(y, gz_scale(w, sight->at[1]))),
                              gz_gradient_to_world(camera, w),
                              gz_gradient_to_world(camera, row_vector(camera->depth))};
}

static bool camera_ray_direction(const struct gz_sight *sight, gz_vec3 *direction)
{
    const struct gz_camera *camera = sight->camera;
    if (!camera->perspective) {
        *direction = gz_negate(camera->backward);
        return true;
    }
    gz_vec3 d = gz_sight_crossing(sight);
    if (gz_dot(row_vector(camera->pixel[2]), d) < 0) d = gz_negate(d);
    return gz_normalize(gz_mat3_apply(&camera->view_to_world, d), direction);
}

bool gz_sight_ray(const struct gz_sight *sight, gz_vec3 about, gz_vec3 *origin, gz_vec3 *direction)
{
    if (sight->is_ray) {
        *origin = gz_sub(gz_sub(sight->origin, about), sight->shift);
        *direction = sight->along;
        return true;
    }
    const struct gz_camera *camera = sight->camera;
    gz_vec3 from = gz_sub(camera->eye_view, gz_sight_view_point(sight, about));
    gz_vec3 eye = gz_mat3_apply(&camera->view_to_world, from), ray;
    if (!camera_ray_direction(sight, &ray)) return false;
    if (!camera->perspective) {
        gz_seen at = gz_see_view(sight, camera->eye_view, 1);
        gz_seen right = gz_see_vector(sight, camera->right), up = gz_see_vector(sight, camera->up);
        double area = gz_difference_of_products(right.x, up.y, right.y, up.x);
        double u = gz_difference_of_products(at.y, up.x, at.x, up.y) / area;
        double v = gz_difference_of_products(at.x, right.y, at.y, right.x) / area;
        eye = gz_add(eye, gz_add(gz_scale(camera->right, u), gz_scale(camera->up, v)));
    }
    if (!gz_finite(eye)) return false;
    *origin = eye;
    *direction = ray;
    return true;
}

bool gz_sight_span(const struct gz_sight *sight, gz_vec3 about, gz_vec3 origin, gz_vec3 direction,
                   struct gz_span *span)
{
    *span = (struct gz_span){0, HUGE_VAL};
    if (sight->is_ray) return true;
    const struct gz_camera *camera = sight->camera;
    gz_vec3 view = gz_add(gz_sight_view_point(sight, about), gz_view_vector(camera, origin));
    gz_vec3 way = gz_view_vector(camera, direction);
    double clip[2], growth[2];
    gz_sight_clip(sight, view, 1, clip);
    gz_sight_clip(sight, way, 0, growth);
    for (int i = 0; i < 2; i++) {
        double at = -clip[i] / growth[i];
        if (growth[i] > 0) span->from = fmax(span->from, at);
        if (growth[i] < 0) span->to = fmin(span->to, at);
        if (!(growth[i] != 0) && clip[i] < 0) return false;
    }
    return span->from <= span->to;
}

bool gz_camera_ray(const struct gz_camera *camera, const double at[2], gz_vec3 *origin,
                   gz_vec3 *direction)
{
    assert(camera != NULL && at != NULL && origin != NULL && direction != NULL);
    const struct gz_pointer pointer = {.at = {at[0], at[1]}};
    struct gz_sight sight;
    gz_vec3 from, along;
    if (!gz_sight_init(&sight, camera, &pointer) ||
        !gz_sight_ray(&sight, camera->eye, &from, &along))
        return false;
    from = gz_add(camera->eye, from);
    if (!gz_finite(from) || !gz_finite(along)) return false;
    *origin = from;
    *direction = along;
    return true;
}

/* The point of a plane across view space's z that is seen at a pixel. */
static void place_at_pixel(const struct gz_camera *camera, double x, double y, double z,
                           double place[2])
{
    const double(*m)[4] = camera->pixel;
    double a[4], b[4];
    for (int i = 0; i < 4; i++) {
        a[i] = m[0][i] - x * m[2][i];
        b[i] = m[1][i] - y * m[2][i];
    }
    double determinant = gz_difference_of_products(a[0], b[1], a[1], b[0]);
    double right = -(a[2] * z + a[3]), up = -(b[2] * z + b[3]);
    place[0] = gz_difference_of_products(right, b[1], a[1], up) / determinant;
    place[1] = gz_difference_of_products(a[0], up, right, b[0]) / determinant;
}

bool gz_camera_lens(const struct gz_camera *camera, double lens[4])
{
    assert(camera != NULL && lens != NULL);
    const double *viewport = camera->input.viewport;
    double ahead = camera->pixel[2][2] < 0 ? -1 : 1;
    double z = camera->perspective ? camera->eye_view.z + ahead : 0, lower[2], upper[2];
    place_at_pixel(camera, viewport[0], viewport[1] + viewport[3], z, lower);
    place_at_pixel(camera, viewport[0] + viewport[2], viewport[1], z, upper);
    for (int i = 0; i < 2; i++) {
        if (!isfinite(lower[i]) || !isfinite(upper[i])) return false;
    }
    for (int i = 0; i < 2; i++) {
        lens[2 * i] = lower[i];
        lens[2 * i + 1] = upper[i];
    }
    return true;
}
