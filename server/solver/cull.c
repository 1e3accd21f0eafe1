/* Makes the planes around all that a pointer, a rectangle or a view can reach. */
#include <assert.h>
#include <math.h>

#include "solver/sight.h"

/* How far beyond the edge of the question the planes lie, in pixels. */
#define SPARE_PX 1.0
/* How much the coefficients of a plane may have lost by rounding, as a part of the largest
 * coordinates that went into them. */
#define SPARE 1e-12

/* A linear function of view space, by its four coefficients. */
struct row {
    double c[4];
};

static struct row row_of(const double row[4])
{
    return (struct row){{row[0], row[1], row[2], row[3]}};
}

static struct row sum(struct row a, double k, struct row b)
{
    for (int i = 0; i < 4; i++) a.c[i] += k * b.c[i];
    return a;
}

/* Where the function is not negative, in the world. */
static gz_plane plane_of(const struct gz_camera *camera, struct row row)
{
    const double(*v)[4] = camera->view;
    gz_vec3 normal = gz_gradient_to_world(camera, (gz_vec3){row.c[0], row.c[1], row.c[2]});
    double slope = fabs(row.c[0]) + fabs(row.c[1]) + fabs(row.c[2]);
    double reach = fabs(v[0][3]) + fabs(v[1][3]) + fabs(v[2][3]);
    double offset = row.c[0] * v[0][3] + row.c[1] * v[1][3] + row.c[2] * v[2][3] + row.c[3];
    return (gz_plane){normal, offset + SPARE * (slope * reach + fabs(row.c[3]))};
}

static void window_planes(const struct gz_camera *camera, const double window[4],
                          gz_plane planes[GZ_PICK_PLANES])
{
    struct row x = row_of(camera->pixel[0]), y = row_of(camera->pixel[1]),
               w = row_of(camera->pixel[2]);
    const struct row none = {{0, 0, 0, 0}};
    planes[0] = plane_of(camera, sum(x, -(window[0] - SPARE_PX), w));
    planes[1] = plane_of(camera, sum(y, -(window[1] - SPARE_PX), w));
    planes[2] = plane_of(camera, sum(sum(none, window[2] + SPARE_PX, w), -1, x));
    planes[3] = plane_of(camera, sum(sum(none, window[3] + SPARE_PX, w), -1, y));
    planes[4] = plane_of(camera, row_of(camera->depth));
}

/* The same for a bare ray, whose pixels are angles. */
static void ray_planes(const struct gz_sight *sight, double tolerance_px,
                       gz_plane planes[GZ_PICK_PLANES])
{
    double slope = (tolerance_px + SPARE_PX) * GZ_RAY_RADIANS_PER_PX;
    gz_vec3 ahead = gz_scale(sight->along, slope), o = sight->origin;
    const gz_vec3 normals[GZ_PICK_PLANES] = {
        gz_add(ahead, sight->right), gz_sub(ahead, sight->right), gz_add(ahead, sight->down),
        gz_sub(ahead, sight->down), sight->along};
    double reach = fabs(o.x) + fabs(o.y) + fabs(o.z);
    for (int i = 0; i < GZ_PICK_PLANES; i++)
        planes[i] = (gz_plane){normals[i], SPARE * (1 + slope) * reach - gz_dot(normals[i], o)};
}

bool gz_pick_cull(const struct gz_camera *camera, const struct gz_pointer *pointer,
                  double tolerance_px, gz_plane planes[GZ_PICK_PLANES])
{
    assert(pointer != NULL && planes != NULL);
    struct gz_sight sight;
    if (!gz_sight_init(&sight, camera, pointer)) return false;
    if (sight.is_ray) {
        ray_planes(&sight, tolerance_px, planes);
        return true;
    }
    double x = sight.at[0], y = sight.at[1];
    const double window[4] = {x - tolerance_px, y - tolerance_px, x + tolerance_px,
                              y + tolerance_px};
    window_planes(camera, window, planes);
    return true;
}

void gz_pick_rect_cull(const struct gz_camera *camera, const double rect[4],
                       gz_plane planes[GZ_PICK_PLANES])
{
    assert(camera != NULL && rect != NULL && planes != NULL);
    const double window[4] = {fmin(rect[0], rect[2]), fmin(rect[1], rect[3]),
                              fmax(rect[0], rect[2]), fmax(rect[1], rect[3])};
    window_planes(camera, window, planes);
}

void gz_view_cull(const struct gz_camera *camera, gz_plane planes[GZ_VIEW_PLANES])
{
    assert(camera != NULL && planes != NULL);
    const double *proj = camera->input.proj;
    struct row w = {{proj[3], proj[7], proj[11], proj[15]}};
    for (int i = 0; i < 2; i++) {
        struct row row = {{proj[i], proj[4 + i], proj[8 + i], proj[12 + i]}};
        planes[2 * i] = plane_of(camera, sum(w, 1, row));
        planes[2 * i + 1] = plane_of(camera, sum(w, -1, row));
        planes[4 + i] = plane_of(camera, row_of(camera->clip[i]));
    }
}
