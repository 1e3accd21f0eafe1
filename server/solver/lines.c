/* Makes the lines that draw a gizmo. */
#include <assert.h>
#include <math.h>

#include "solver/shape.h"

#define RED 0xe05252
#define GREEN 0x63b34a
#define BLUE 0x4a7fe0
#define WHITE 0xd8d8d8
#define GREY 0x909090
#define HIGHLIGHT 0xffd23f

#define ARC_PIECES 48
/* An arrow's head, in parts of the axis's length. */
#define HEAD_LENGTH 0.1
#define HEAD_WIDTH 0.03

/* The list that is being filled, and how many lines it may hold. */
struct drawing {
    struct gz_segment *lines;
    size_t count, max;
    const struct gz_camera *camera; /* NULL: nothing is cut */
    double least_w;
    uint32_t rgb;
};

static uint32_t dimmed(uint32_t rgb)
{
    return (rgb >> 1) & 0x7f7f7f;
}

static uint32_t own_colour(enum gz_handle handle)
{
    static const uint32_t axis_colours[3] = {RED, GREEN, BLUE};
    struct gz_handle_parts parts = gz_handle_parts(handle);
    switch (parts.part) {
    case GZ_PART_MOVE_AXIS:
    case GZ_PART_SCALE_AXIS:
    case GZ_PART_SCALE_FACE:
    case GZ_PART_RING: return axis_colours[parts.axis];
    case GZ_PART_MOVE_PLANE:
    case GZ_PART_SCALE_PLANE: return axis_colours[(parts.axis + 2) % 3]; /* of the plane's normal */
    case GZ_PART_BALL: return GREY;
    default: return WHITE;
    }
}

static uint32_t colour(enum gz_handle handle, enum gz_handle hover, enum gz_handle active)
{
    if (handle == active || (active == GZ_HANDLE_NONE && handle == hover)) return HIGHLIGHT;
    return active == GZ_HANDLE_NONE ? own_colour(handle) : dimmed(own_colour(handle));
}

/* Draws the part that is in front of the viewer. */
static void draw_segment(struct drawing *drawing, gz_vec3 from, gz_vec3 to)
{
    if (drawing->camera != NULL) {
        const struct gz_sight sight = {.camera = drawing->camera};
        double a = gz_see_point(&sight, from).w - drawing->least_w,
               b = gz_see_point(&sight, to).w - drawing->least_w;
        if (!(a >= 0) && !(b >= 0)) return;
        gz_vec3 cut = gz_add(from, gz_scale(gz_sub(to, from), a / (a - b)));
        if (a < 0) from = cut;
        if (b < 0) to = cut;
    }
    if (drawing->count == drawing->max || !gz_finite(from) || !gz_finite(to)) return;
    drawing->lines[drawing->count++] = (struct gz_segment){from, to, drawing->rgb};
}

static void draw_arc(struct drawing *drawing, gz_vec3 centre, const struct gz_shape *shape)
{
    gz_vec3 last = {0, 0, 0};
    double half = acos(shape->cosine);
    for (int i = 0; i <= ARC_PIECES; i++) {
        double angle = half * (2 * i - ARC_PIECES) / ARC_PIECES;
        gz_vec3 next = gz_add(centre, gz_add(gz_scale(shape->side[0], cos(angle)),
                                             gz_scale(shape->side[1], sin(angle))));
        if (i > 0) draw_segment(drawing, last, next);
        last = next;
    }
}

static void draw_quad(struct drawing *drawing, gz_vec3 corner, const struct gz_shape *shape)
{
    gz_vec3 next = gz_add(corner, shape->side[0]), last = gz_add(corner, shape->side[1]);
    draw_segment(drawing, corner, next);
    draw_segment(drawing, next, gz_add(next, shape->side[1]));
    draw_segment(drawing, gz_add(next, shape->side[1]), last);
    draw_segment(drawing, last, corner);
}

static void draw_loop(struct drawing *drawing, const gz_vec3 corners[4])
{
    for (int i = 0; i < 4; i++) draw_segment(drawing, corners[i], corners[(i + 1) % 4]);
}

/* An arrow for moves: its head lies on both other axes' sides. A square end for scales. */
static void draw_axis(struct drawing *drawing, const struct gz_gizmo *gizmo,
                      const struct gz_shape *shape, enum gz_handle handle)
{
    struct gz_handle_parts parts = gz_handle_parts(handle);
    bool moves = parts.part == GZ_PART_MOVE_AXIS;
    const gz_vec3 *axes = moves ? gizmo->axes : gizmo->scale_axes;
    gz_vec3 from = gz_add(gizmo->origin, shape->start), tip = gz_add(from, shape->side[0]),
            width[2];
    for (int i = 0; i < 2; i++)
        width[i] = gz_scale(axes[(parts.axis + 1 + i) % 3], HEAD_WIDTH * gizmo->size);
    gz_vec3 base = gz_sub(tip, gz_scale(axes[parts.axis], moves ? HEAD_LENGTH * gizmo->size : 0));
    const gz_vec3 corners[4] = {gz_add(base, width[0]), gz_add(base, width[1]),
                                gz_sub(base, width[0]), gz_sub(base, width[1])};
    draw_segment(drawing, from, tip);
    draw_loop(drawing, corners);
    for (int i = 0; i < 4 && moves; i++) draw_segment(drawing, corners[i], tip);
}

/* A ball that is given in pixels is drawn in the plane of the pivot's depth, in which it is that
 * wide. */
static bool ellipse_to_disc(const struct gz_camera *camera, const struct gz_gizmo *gizmo,
                            struct gz_shape *shape)
{
    double at[2], pixel = gz_camera_pixel_size(camera, gizmo->origin);
    if (!gz_camera_project(camera, gizmo->origin, at, NULL)) return false;
    gz_vec3 right = gz_scale(camera->right, (shape->ellipse[0] - at[0]) * pixel);
    gz_vec3 up = gz_scale(camera->up, -(shape->ellipse[1] - at[1]) * pixel);
    shape->start = gz_add(right, up);
    shape->side[0] = gz_scale(camera->right, shape->ellipse[2] * pixel);
    shape->side[1] = gz_scale(camera->up, shape->ellipse[3] * pixel);
    shape->cosine = -1;
    return true;
}

/* The box's edges: four along each axis. */
static void draw_box(struct drawing *drawing, const struct gz_gizmo *gizmo)
{
    const gz_vec3 *half = gizmo->box_half;
    for (int axis = 0; axis < 3; axis++)
        for (int edge = 0; edge < 4; edge++) {
            gz_vec3 first = gz_scale(half[(axis + 1) % 3], edge & 1 ? 1 : -1);
            gz_vec3 second = gz_scale(half[(axis + 2) % 3], edge & 2 ? 1 : -1);
            gz_vec3 middle = gz_add(gizmo->box_centre, gz_add(first, second));
            draw_segment(drawing, gz_sub(middle, half[axis]), gz_add(middle, half[axis]));
        }
}

static void draw_handle(struct drawing *drawing, const struct gz_gizmo *gizmo,
                        const struct gz_tool *tool, const struct gz_shape_view *view,
                        enum gz_handle handle)
{
    struct gz_shape shape = {0};
    if (!gz_shape_of(&shape, gizmo, tool, view, handle)) return;
    gz_vec3 start = gz_add(gizmo->origin, shape.start);
    switch (shape.kind) {
    case GZ_SHAPE_SEGMENT: draw_axis(drawing, gizmo, &shape, handle); break;
    case GZ_SHAPE_QUAD: draw_quad(drawing, start, &shape); break;
    case GZ_SHAPE_ARC:
    case GZ_SHAPE_DISC: draw_arc(drawing, start, &shape); break;
    case GZ_SHAPE_ELLIPSE:
        if (!ellipse_to_disc(drawing->camera, gizmo, &shape)) break;
        draw_arc(drawing, gz_add(gizmo->origin, shape.start), &shape);
        break;
    }
}

size_t gz_gizmo_lines(const struct gz_gizmo *gizmo, const struct gz_tool *tool,
                      const struct gz_camera *camera, enum gz_handle hover, enum gz_handle active,
                      struct gz_segment *lines, size_t max)
{
    assert(gizmo != NULL && tool != NULL && (lines != NULL || max == 0));
    struct drawing drawing = {.lines = lines, .max = max, .camera = camera};
    struct gz_sight sight = {.camera = camera};
    if (camera == NULL) {
        /* Without a camera: as seen along -z by a hand so far away that the gizmo has its size. */
        double away = gizmo->size / gz_ray_pixel_at(1) / tool->size_px;
        gz_vec3 before = {gizmo->origin.x, gizmo->origin.y, gizmo->origin.z + away};
        const struct gz_pointer pointer = {
            .is_ray = true, .origin = before, .direction = {0, 0, -1}};
        if (!gz_sight_init(&sight, NULL, &pointer)) return 0;
    }
    const struct gz_shape_view view = gz_shape_view_of(gizmo, &sight);
    if (camera != NULL) drawing.least_w = view.front_w * GZ_CLIP_RATIO;
    drawing.rgb = active == GZ_HANDLE_NONE ? GREY : dimmed(GREY);
    if (gizmo->mode == GZ_MODE_BOUNDS && gizmo->has_box) draw_box(&drawing, gizmo);
    for (enum gz_handle handle = GZ_HANDLE_NONE + 1; handle < GZ_HANDLE_COUNT; handle++) {
        if ((gizmo->handles & GZ_HANDLE_BIT(handle)) == 0) continue;
        drawing.rgb = colour(handle, hover, active);
        draw_handle(&drawing, gizmo, tool, &view, handle);
    }
    return drawing.count;
}
