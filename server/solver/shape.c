/* Makes the shape of each handle as a viewer sees it. */
#include "solver/shape.h"

#include <math.h>

#include "solver/ball.h"

/* Parts of the gizmo's length L; see gz_gizmo. */
#define AXIS_FROM 0.12
#define QUAD_FROM 0.5
#define QUAD_TO 0.75
#define VIEW_RING 1.2
#define VIEW_DISC 0.08
#define SCALE_DISC 0.12
#define BOX_FROM 1.06
#define BOX_TO 1.14
#define FACE_HALF 0.06
#define CORNER_HALF 0.04

/* A ring seen this nearly face-on (sine) shows whole; tilted more, the half that faces the
 * viewer. */
#define FACE_ON_SINE 0.02

static void make_axis(struct gz_shape *shape, const struct gz_gizmo *gizmo, gz_vec3 axis,
                      double from, double to)
{
    shape->kind = GZ_SHAPE_SEGMENT;
    shape->rank = 2;
    shape->start = gz_scale(axis, from * gizmo->size);
    shape->side[0] = gz_scale(axis, (to - from) * gizmo->size);
}

static void make_quad(struct gz_shape *shape, const struct gz_gizmo *gizmo, gz_vec3 first,
                      gz_vec3 second)
{
    shape->kind = GZ_SHAPE_QUAD;
    shape->rank = 1;
    shape->start = gz_scale(gz_add(first, second), QUAD_FROM * gizmo->size);
    shape->side[0] = gz_scale(first, (QUAD_TO - QUAD_FROM) * gizmo->size);
    shape->side[1] = gz_scale(second, (QUAD_TO - QUAD_FROM) * gizmo->size);
}

static void make_circle(struct gz_shape *shape, gz_vec3 first, gz_vec3 second, double radius)
{
    shape->side[0] = gz_scale(first, radius);
    shape->side[1] = gz_scale(second, radius);
    shape->cosine = -1;
}

/* The arc on the viewer's side of the centre: its middle is the place of the ring that comes
 * nearest to the viewer. */
static void make_ring(struct gz_shape *shape, const struct gz_gizmo *gizmo,
                      const struct gz_shape_view *view, int axis)
{
    gz_vec3 first = gizmo->turn_axes[(axis + 1) % 3], second = gizmo->turn_axes[(axis + 2) % 3];
    double x = gz_dot(view->viewer, first), y = gz_dot(view->viewer, second),
           tilt = sqrt(x * x + y * y);
    shape->kind = GZ_SHAPE_ARC;
    shape->rank = 3;
    make_circle(shape, first, second, gizmo->size);
    if (tilt <= FACE_ON_SINE) return;
    gz_vec3 middle = gz_add(gz_scale(first, x / tilt), gz_scale(second, y / tilt));
    gz_vec3 across = gz_sub(gz_scale(second, x / tilt), gz_scale(first, y / tilt));
    make_circle(shape, middle, across, gizmo->size);
    shape->cosine = -FACE_ON_SINE / tilt;
}

static bool make_ball(struct gz_shape *shape, const struct gz_gizmo *gizmo,
                      const struct gz_tool *tool, const struct gz_shape_view *view)
{
    const struct gz_ball_place ball = {tool->ball,    tool->ball_fit,    gizmo->origin, gizmo->size,
                                       tool->size_px, tool->ball_circle, false};
    const struct gz_sight *sight = view->sight;
    shape->rank = 4;
    shape->kind = GZ_SHAPE_DISC;
    make_circle(shape, view->frame.right, view->frame.up, gizmo->size);
    bool by_pixels = gizmo->mode == GZ_MODE_ARCBALL && !sight->is_ray && sight->camera != NULL;
    if (!by_pixels) return true;
    shape->kind = GZ_SHAPE_ELLIPSE;
    return gz_ball_ellipse(&ball, sight->camera, shape->ellipse);
}

static void make_centre(struct gz_shape *shape, const struct gz_gizmo *gizmo,
                        const struct gz_shape_view *view, double radius)
{
    shape->kind = GZ_SHAPE_DISC;
    shape->rank = 0;
    make_circle(shape, view->frame.right, view->frame.up, radius * gizmo->size);
}

/* World length of a pixel there. A ray's pixel grows otherwise than its camera's: without one it is
 * an angle at the hand. */
static double pixel_at(const struct gz_gizmo *gizmo, const struct gz_shape_view *view, gz_vec3 arm)
{
    const struct gz_camera *camera = view->sight->camera;
    if (camera == NULL)
        return gz_ray_pixel_at(gz_length(gz_add(gz_sub(gizmo->origin, view->sight->origin), arm)));
    if (view->sight->is_ray) return gz_camera_pixel_size(camera, gz_add(gizmo->origin, arm));
    return gz_pixel_size_at(camera, view->origin.w + gz_dot(view->growth.w, arm));
}

/* A square turned to the viewer, as many pixels wide wherever it is. Only the mode whose origin is
 * the box's middle shows them. */
static void make_side(struct gz_shape *shape, const struct gz_gizmo *gizmo,
                      const struct gz_tool *tool, const struct gz_shape_view *view,
                      enum gz_handle handle)
{
    bool face = gz_handle_parts(handle).part == GZ_PART_SCALE_FACE;
    gz_vec3 arm = gz_handle_arm(gizmo, handle);
    double half = (face ? FACE_HALF : CORNER_HALF) * tool->size_px * pixel_at(gizmo, view, arm);
    shape->kind = GZ_SHAPE_QUAD;
    shape->rank = face ? 1 : 0;
    shape->start = gz_sub(arm, gz_scale(gz_add(view->frame.right, view->frame.up), half));
    shape->side[0] = gz_scale(view->frame.right, 2 * half);
    shape->side[1] = gz_scale(view->frame.up, 2 * half);
}

double gz_front_w(const struct gz_gizmo *gizmo, double origin_w, gz_vec3 w_growth)
{
    if (origin_w > 0 || gizmo->mode != GZ_MODE_BOUNDS || !gizmo->has_box) return origin_w;
    for (int axis = 0; axis < 3; axis++) origin_w += fabs(gz_dot(w_growth, gizmo->box_half[axis]));
    return origin_w;
}

struct gz_shape_view gz_shape_view_of(const struct gz_gizmo *gizmo, const struct gz_sight *sight)
{
    const struct gz_sight viewer = {.camera = sight->camera}; /* who sees the gizmo drawn */
    const struct gz_sight *from = sight->camera != NULL ? &viewer : sight;
    const struct gz_growth growth = gz_sight_growth(sight);
    const gz_seen origin = gz_see_point(sight, gizmo->origin);
    return (struct gz_shape_view){.sight = sight,
                                  .frame = gz_sight_frame(sight),
                                  .growth = growth,
                                  .origin = origin,
                                  .front_w = gz_front_w(gizmo, origin.w, growth.w),
                                  .viewer = gz_negate(gz_sight_toward(from, gizmo->origin))};
}

bool gz_shape_of(struct gz_shape *shape, const struct gz_gizmo *gizmo, const struct gz_tool *tool,
                 const struct gz_shape_view *view, enum gz_handle handle)
{
    struct gz_handle_parts parts = gz_handle_parts(handle);
    int i = parts.axis, j = (i + 1) % 3;
    bool universal = gizmo->mode == GZ_MODE_UNIVERSAL;
    shape->start = (gz_vec3){0, 0, 0};
    switch (parts.part) {
    case GZ_PART_NONE: return false;
    case GZ_PART_MOVE_AXIS: make_axis(shape, gizmo, gizmo->axes[i], AXIS_FROM, 1); break;
    case GZ_PART_SCALE_AXIS:
        make_axis(shape, gizmo, gizmo->scale_axes[i], universal ? BOX_FROM : AXIS_FROM,
                  universal ? BOX_TO : 1);
        break;
    case GZ_PART_MOVE_PLANE: make_quad(shape, gizmo, gizmo->axes[i], gizmo->axes[j]); break;
    case GZ_PART_SCALE_PLANE:
        make_quad(shape, gizmo, gizmo->scale_axes[i], gizmo->scale_axes[j]);
        break;
    case GZ_PART_MOVE_VIEW: make_centre(shape, gizmo, view, VIEW_DISC); break;
    case GZ_PART_SCALE_ALL: make_centre(shape, gizmo, view, SCALE_DISC); break;
    case GZ_PART_SCALE_FACE:
    case GZ_PART_SCALE_CORNER: make_side(shape, gizmo, tool, view, handle); break;
    case GZ_PART_RING: make_ring(shape, gizmo, view, i); break;
    case GZ_PART_VIEW_RING:
        shape->kind = GZ_SHAPE_ARC;
        shape->rank = 3;
        make_circle(shape, view->frame.right, view->frame.up, VIEW_RING * gizmo->size);
        break;
    case GZ_PART_BALL: return make_ball(shape, gizmo, tool, view);
    }
    return true;
}
