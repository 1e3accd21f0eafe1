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

/* A ring seen this nearly face-on (sine) shows whole; tilted more, the half that faces the viewer. */
#define FACE_ON_SINE 0.02

static gz_vec3 along(gz_vec3 from, gz_vec3 direction, double length)
{
    return gz_add(from, gz_scale(direction, length));
}

static void make_axis(struct gz_shape *shape, const struct gz_gizmo *gizmo, gz_vec3 axis, double from, double to)
{
    shape->kind = GZ_SHAPE_SEGMENT;
    shape->rank = 2;
    shape->corner[0] = along(gizmo->origin, axis, from * gizmo->size);
    shape->corner[1] = along(gizmo->origin, axis, to * gizmo->size);
}

static void make_quad(struct gz_shape *shape, const struct gz_gizmo *gizmo, gz_vec3 first, gz_vec3 second)
{
    static const double at[4][2] = {
        {QUAD_FROM, QUAD_FROM}, {QUAD_TO, QUAD_FROM}, {QUAD_TO, QUAD_TO}, {QUAD_FROM, QUAD_TO}};
    shape->kind = GZ_SHAPE_QUAD;
    shape->rank = 1;
    for (int i = 0; i < 4; i++)
        shape->corner[i] = along(along(gizmo->origin, first, at[i][0] * gizmo->size), second, at[i][1] * gizmo->size);
}

static void make_round(struct gz_shape *shape, const struct gz_gizmo *gizmo, gz_vec3 first, gz_vec3 second,
                       double radius)
{
    shape->centre = gizmo->origin;
    shape->side[0] = gz_scale(first, radius * gizmo->size);
    shape->side[1] = gz_scale(second, radius * gizmo->size);
    shape->first = -M_PI;
    shape->last = M_PI;
}

/* The arc on the viewer's side of the centre. */
static void make_ring(struct gz_shape *shape, const struct gz_gizmo *gizmo, const struct gz_sight *sight, int axis)
{
    gz_vec3 first = gizmo->turn_axes[(axis + 1) % 3], second = gizmo->turn_axes[(axis + 2) % 3];
    gz_vec3 viewer = gz_negate(gz_sight_toward(sight, gizmo->origin));
    double x = gz_dot(viewer, first), y = gz_dot(viewer, second), tilt = hypot(x, y);
    shape->kind = GZ_SHAPE_ARC;
    shape->rank = 3;
    make_round(shape, gizmo, first, second, 1);
    if (tilt <= FACE_ON_SINE) return;
    double middle = atan2(y, x), half = acos(-FACE_ON_SINE / tilt);
    shape->first = middle - half;
    shape->last = middle + half;
}

static bool make_ball(struct gz_shape *shape, const struct gz_gizmo *gizmo, const struct gz_tool *tool,
                      const struct gz_sight *sight, const struct gz_view_frame *view)
{
    const struct gz_ball_place ball = {tool->ball,  tool->ball_fit, gizmo->origin,
                                       gizmo->size, tool->size_px,  tool->ball_circle};
    shape->rank = 4;
    shape->kind = GZ_SHAPE_DISC;
    make_round(shape, gizmo, view->right, view->up, 1);
    bool by_pixels = gizmo->mode == GZ_MODE_ARCBALL && !sight->is_ray && sight->camera != NULL;
    if (!by_pixels) return true;
    shape->kind = GZ_SHAPE_ELLIPSE;
    return gz_ball_ellipse(&ball, sight->camera, shape->ellipse);
}

static void make_centre(struct gz_shape *shape, const struct gz_gizmo *gizmo, const struct gz_view_frame *view,
                        double radius)
{
    shape->kind = GZ_SHAPE_DISC;
    shape->rank = 0;
    make_round(shape, gizmo, view->right, view->up, radius);
}

/* A square turned to the viewer, as many pixels wide wherever it is. */
static void make_side(struct gz_shape *shape, const struct gz_gizmo *gizmo, const struct gz_tool *tool,
                      const struct gz_sight *sight, const struct gz_view_frame *view, enum gz_handle handle)
{
    bool face = gz_handle_parts(handle).part == GZ_PART_SCALE_FACE;
    gz_vec3 place = gz_add(gizmo->box_centre, gz_handle_arm(gizmo, handle));
    double pixel = sight->camera != NULL ? gz_camera_pixel_size(sight->camera, place) : GZ_RAY_METRES_PER_PX;
    double half = (face ? FACE_HALF : CORNER_HALF) * tool->size_px * pixel;
    shape->kind = GZ_SHAPE_QUAD;
    shape->rank = face ? 1 : 0;
    for (int i = 0; i < 4; i++)
        shape->corner[i] =
            along(along(place, view->right, i == 1 || i == 2 ? half : -half), view->up, i < 2 ? -half : half);
}

bool gz_shape_of(struct gz_shape *shape, const struct gz_gizmo *gizmo, const struct gz_tool *tool,
                 const struct gz_sight *sight, enum gz_handle handle)
{
    struct gz_handle_parts parts = gz_handle_parts(handle);
    struct gz_view_frame view = gz_sight_frame(sight);
    int i = parts.axis, j = (i + 1) % 3;
    bool universal = gizmo->mode == GZ_MODE_UNIVERSAL;
    switch (parts.part) {
    case GZ_PART_NONE: return false;
    case GZ_PART_MOVE_AXIS: make_axis(shape, gizmo, gizmo->axes[i], AXIS_FROM, 1); break;
    case GZ_PART_SCALE_AXIS:
        make_axis(shape, gizmo, gizmo->scale_axes[i], universal ? BOX_FROM : AXIS_FROM, universal ? BOX_TO : 1);
        break;
    case GZ_PART_MOVE_PLANE: make_quad(shape, gizmo, gizmo->axes[i], gizmo->axes[j]); break;
    case GZ_PART_SCALE_PLANE: make_quad(shape, gizmo, gizmo->scale_axes[i], gizmo->scale_axes[j]); break;
    case GZ_PART_MOVE_VIEW: make_centre(shape, gizmo, &view, VIEW_DISC); break;
    case GZ_PART_SCALE_ALL: make_centre(shape, gizmo, &view, SCALE_DISC); break;
    case GZ_PART_SCALE_FACE:
    case GZ_PART_SCALE_CORNER: make_side(shape, gizmo, tool, sight, &view, handle); break;
    case GZ_PART_RING: make_ring(shape, gizmo, sight, i); break;
    case GZ_PART_VIEW_RING:
        shape->kind = GZ_SHAPE_ARC;
        shape->rank = 3;
        make_round(shape, gizmo, view.right, view.up, VIEW_RING);
        break;
    case GZ_PART_BALL: return make_ball(shape, gizmo, tool, sight, &view);
    }
    return true;
}
