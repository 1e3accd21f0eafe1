/* solver.h - a pointer and a camera go in, a transform comes out: handles, rings, balls, snapping,
 * picking, drawing.
 *
 * The way of one drag:
 *
 *     gz_camera_prepare(&camera, &input, &why);                    a new camera
 *     gz_gizmo_build(&gizmo, &tool, &camera, NULL, targets, n, 0); a new camera, tool or selection
 *     handle = gz_gizmo_pick(&gizmo, &tool, &camera, &pointer);    hover and press alike
 *     gz_drag_begin(&drag, handle, &gizmo, &tool, &camera, &pointer, mods);
 *     motion = gz_motion_none;
 *     gz_drag_solve(&drag, &camera, &pointer, mods, &motion);      each pointer, or some of them
 *     gz_motion_apply(&motion, &targets[i], &parent_i, &local_i, &residual);
 *
 * A drag is a pure function of the press and of now: the pointer's way there, the number of its
 * events and their timing do not enter. What is kept besides the press is one count of whole turns
 * for a ring, and where `fine` was switched. The press's pointer and camera give back the start's
 * bits. The camera may change during a drag.
 *
 * Frames: world space, right-handed, +Y up, unless a name says otherwise. Units: metres, radians,
 * factors; pixels of the client's window, origin top left, x right, y down. Matrices are
 * column-major and act on column vectors. Exactness: the dragged point's image stays within 1e-6 px
 * of the pointer for usual views; coordinates of 1e7 are no excuse, because points are taken to the
 * camera by compensated dot products before anything else is done with them. Memory: every struct
 * is plain data of fixed size, to be copied, kept and replayed; nothing is allocated, opened or
 * remembered. Links libm only. Threads: any, as long as each struct has one user at a time.
 * Errors: by `enum gz_solve` or false; outputs are then as they were unless it is said otherwise.
 * Every number may be any double, finite or not. A null pointer that is not allowed is an error of
 * the program: an assertion unless NDEBUG is set. */
#ifndef GZ_SOLVER_SOLVER_H
#define GZ_SOLVER_SOLVER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "proto/base/linear.h"
#include "proto/base/vocabulary.h"

/* The version of the project (Semantic Versioning): before 1.0.0 a new minor version may change
 * what is below. */
#define GZ_SOLVER_VERSION "0.2.0"

#ifdef __cplusplus
extern "C" {
#endif

enum gz_solve {
    GZ_SOLVE_OK,      /* the result follows from this pointer */
    GZ_SOLVE_CLAMPED, /* beyond a vanishing point, a horizon or the range: the result is the one at
                         the limit */
    GZ_SOLVE_KEPT,    /* this pointer has no answer: the result was left as it is, which is the last
                         good one */
    GZ_SOLVE_NONE     /* no drag: the press has no answer, or the handle is none */
};

/* ---- Camera ---- */

/* A camera as the client says it. Any depth range works and none has to be declared: depth counts
 * for what lies before the near or beyond the far plane, and for nothing else. Depth from -1, 0 or
 * 1 at the near plane to 1, 0 or -1 at the far one is told apart by the matrix as far as it can be:
 * if depth goes from 0 to 1, what is shown is taken to begin as if it went from -1, in perspective
 * at about half of the near plane's distance. If it falls, an orthographic view's goes to 0, and
 * one in perspective to -1 if that is anywhere in front: so it is unless the far plane is less than
 * twice as far as the near one. */
struct gz_camera_input {
    double view[16];    /* world to view; affine: its last row is 0 0 0 1 within 1e-6 */
    double proj[16];    /* view to clip; perspective or orthographic, off-centre or not */
    double viewport[4]; /* x, y, width, height in pixels */
    bool ndc_y_down;    /* clip y points down */
    bool left_handed;   /* the viewer looks along +z of view space; only an orthographic proj needs
                           this flag */
};

/* A camera made ready. Read `input`, `eye`, `right`, `up`, `backward` and `perspective`; the rest
 * is the solver's own. In `input` the view is divided by its last element, with the last row 0 0 0
 * 1, and a projection that was multiplied by a negative number, so that it shows nothing, is turned
 * back: all of it by the sign. */
struct gz_camera {
    struct gz_camera_input input;
    bool perspective;
    gz_vec3 eye;        /* world; in orthographic views the position of the view matrix */
    gz_vec3 right;      /* world, unit: screen x */
    gz_vec3 up;         /* world, unit: against screen y */
    gz_vec3 backward;   /* world, unit: to the viewer */
    double view[3][4];  /* rows of the view matrix */
    double pixel[3][4]; /* view space to homogeneous pixels: x, y, w */
    double
        depth[4]; /* view space to depth: w, or the distance from an orthographic camera's plane */
    gz_vec3
        eye_view; /* the eye in view space; in orthographic views a point of the camera's plane */
    gz_mat3 view_to_world; /* directions */
    double up_px;          /* pixels times w for a metre along `up` */
    double clip[2][4]; /* view space: not negative at what the near, and the far, plane leaves */
    double near_w;     /* the least w before the near plane if the projection says it, else 0 */
};

/* False, with a static sentence in *why (which may be NULL), if the camera cannot be used: a number
 * that is not finite, an empty viewport, a view that is not affine or has no inverse, a projection
 * that shows nothing. */
bool gz_camera_prepare(struct gz_camera *camera, const struct gz_camera_input *input,
                       const char **why);

/* A world point's pixel and its w (view depth in perspective, 1 in orthographic views). False if
 * it is not in front. */
bool gz_camera_project(const struct gz_camera *camera, gz_vec3 point, double at[2], double *w);

/* The line of sight through a pixel: in perspective from the eye, else from the plane of the
 * camera's position; `direction` is unit. False if a number is not finite. */
bool gz_camera_ray(const struct gz_camera *camera, const double at[2], gz_vec3 *origin,
                   gz_vec3 *direction);

/* The left, right, lower and upper edge of the viewport in view space: in perspective at a distance
 * of 1 before the eye, in orthographic views at any distance. False if a number is not finite. */
bool gz_camera_lens(const struct gz_camera *camera, double lens[4]);

/* World length of one pixel's height at the view depth of `point`; 0 if it is not in front of
 * the viewer. */
double gz_camera_pixel_size(const struct gz_camera *camera, gz_vec3 point);

/* ---- Pointer ---- */

/* A place in the window, or a ray in world space; a ray needs no camera, and its direction need not
 * be unit. */
struct gz_pointer {
    bool is_ray;
    double at[2];
    gz_vec3 origin, direction;
};

/* For rays a pixel of tool.tolerance_px, and without a camera one of tool.size_px, is this angle in
 * radians at the ray's origin (60 degrees over 1080 pixels, rounded). */
#define GZ_RAY_RADIANS_PER_PX 0.001
/* Without a camera and a ray a gizmo is as large as for a hand this far away, in metres. */
#define GZ_RAY_METRES 2.0

/* ---- Tool ---- */

/* Steps: metres, radians, step of the factor; 0 leaves that kind free. */
struct gz_snap {
    double t, r, s;
    bool on;
    bool absolute; /* the active node's own coordinate, angle or scale lies on the grid, see
                      gz_gizmo.coordinates; else the distance moved does */
};

/* What the next drag does. Nearer to the edge than edge_rad the exact laws are steep: an axis is
 * then dragged by vertical pixels, or a ray's height and the hand's own way along the axis, a ring
 * along its tangent, a plane is followed to edge_rad / 50 before its horizon and an axis as far
 * before its vanishing point; and the less of a factor is a ratio the nearer to the pivot it was
 * pressed, within 4 pixels. With 0 the exact laws hold wherever they have an answer at all, and
 * nothing is hidden. In all other drags a ray says where, not how far: a hand that goes along its
 * own ray moves nothing. */
struct gz_tool {
    enum gz_mode mode;
    enum gz_space space;
    enum gz_pivot pivot;
    gz_vec3 pivot_point; /* world; for GZ_PIVOT_POINT */
    struct gz_snap snap;
    double size_px;      /* length L of an axis; gz_gizmo_build says which lengths follow from it */
    double tolerance_px; /* how far from its drawing a handle can be grabbed */
    enum gz_axis_method axis_method;
    enum gz_ball ball;
    enum gz_ball_fit ball_fit;
    double ball_circle[3]; /* centre x, y and radius in pixels; radius 0: by ball_fit */
    double edge_rad;       /* from the line of sight to an axis, from edge-on to a plane or ring */
    enum gz_orbit_law orbit;
    bool mirror; /* a scale dragged past the pivot turns negative; else it stops at GZ_FACTOR_MIN */
};

/* Translate, world, median, no snap, 96 px, tolerance 8 px, axis method screen, exact ball,
 * object fit, 5 degrees of edge, no mirror. */
extern const struct gz_tool gz_tool_default;

/* ---- Gizmo ---- */

/* One top-most selected node as it is now: its local transform, its parent's world transform, its
 * bounds in its own space (NULL: it has none). Leave out nodes that have a selected ancestor: they
 * move with it. */
struct gz_target {
    gz_trs local;
    gz_affine parent;
    const gz_box *bounds;
};

/* Where the gizmo stands and which handles can be seen: all that is needed to draw, hover, pick and
 * drag it. It is complete for every handle, whether the mode shows it or not.
 *
 * With L = size: axes reach from 0.12 L to L; plane quads from 0.5 L to 0.75 L along both axes;
 * rings have radius L and show the half that faces the viewer; view ring 1.2 L; view-plane handle a
 * disc of 0.08 L, uniform scale a disc of 0.12 L; in universal mode the scale boxes sit at 1.1 L on
 * the axes. An axis within tool.edge_rad of the line of sight and a plane within it of edge-on are
 * hidden.
 *
 * The bounds: of one node its own box, along its own axes, of several the box about all of them
 * along the world's axes, in which a node without bounds counts as a point. There are none if no
 * node has bounds. In the middle of each face sits a square of 0.12 L and on each corner one of
 * 0.08 L, both turned to the viewer and with the L of where they are, those on the far side too.
 * One that would be pulled within tool.edge_rad of the line of sight is hidden, and so are those of
 * a face that is not apart from the opposite one, and all that is behind the viewer. */
struct gz_gizmo {
    enum gz_mode mode;
    enum gz_space space;
    gz_vec3 origin;  /* the pivot; in bounds mode the middle of the box, if there is one */
    gz_vec3 axes[3]; /* unit: what tx ty tz move along; a sheared parent's need not be orthogonal */
    gz_vec3 turn_axes[3];  /* orthonormal: what rx ry rz turn about */
    gz_vec3 scale_axes[3]; /* unit: the active node's own axes, what sx sy sz scale along */
    double size; /* world length L of an axis; if the middle of the bounds is behind the viewer,
                    where they are furthest ahead */
    uint64_t handles; /* GZ_HANDLE_BIT of each handle that is drawn */
    /* The active node as it is now, for absolute snapping. */
    double coordinates[3]; /* the numbers that lie on the grid: in parent and local space its own t,
                              else metres along `axes` */
    gz_vec3 growth[3];     /* of the coordinates, for a metre along each of the axes */
    double angles[3];      /* radians about `turn_axes` */
    gz_vec3 scale;         /* its local scale */
    gz_vec3 place;         /* its origin, world */
    gz_quat turn;          /* its rotation, world */
    bool each;             /* every node about its own origin */
    /* The bounds. */
    bool has_box;
    bool box_own; /* of one node: along scale_axes; else along the world's */
    gz_vec3 box_centre,
        box_offset;      /* the centre, and the way there from `place`, which has more digits */
    gz_vec3 box_half[3]; /* from the centre to the middle of the faces bxp byp bzp */
};

/* What a gizmo takes from its targets: as long as they stay where they are it can be built anew,
 * for another camera or tool, without a look at each of them. Plain data. */
struct gz_seat {
    size_t count;
    struct gz_target active; /* without bounds */
    gz_vec3 median;          /* the mean of all origins */
    bool has_bounds;         /* a target has */
    gz_box own;              /* of a single target with bounds: these */
    gz_box all;              /* along the world's axes; a target without bounds is a point */
};

/* `active` is the index of the node whose space counts; there is such a target. */
struct gz_seat gz_seat_of(const struct gz_target *targets, size_t count, size_t active);
/* The same for targets that are looked at a few at a time. Each one is added to a seat that was
 * zero, the active one last, and its origin in the world is put into *origin. Then the origins of
 * all of them, in any order, complete the seat. */
void gz_seat_add(struct gz_seat *seat, const struct gz_target *target, gz_vec3 *origin);
void gz_seat_complete(struct gz_seat *seat, const gz_vec3 *origins);

#define GZ_HANDLE_BIT(handle) (UINT64_C(1) << (handle))

/* `active` is the index of the node whose space counts. `camera` may be NULL (bare rays): then
 * nothing is hidden, and the size is the same angle at the hand whose ray `hand` is, however far
 * away the gizmo is. The ray's direction does not matter, and no ray (NULL, or a place in the
 * window), or one that starts at the pivot itself, counts as one from GZ_RAY_METRES away. With a
 * camera `hand` does not matter. False if there is no gizmo: no target, mode none or orbit, a pivot
 * behind the viewer (in bounds mode: no face and no corner in front), a transform without
 * inverse. */
bool gz_gizmo_build(struct gz_gizmo *gizmo, const struct gz_tool *tool,
                    const struct gz_camera *camera, const struct gz_pointer *hand,
                    const struct gz_target *targets, size_t count, size_t active);

/* The same for targets that were looked at before. */
bool gz_gizmo_build_on(struct gz_gizmo *gizmo, const struct gz_tool *tool,
                       const struct gz_camera *camera, const struct gz_pointer *hand,
                       const struct gz_seat *seat);

/* The handle under the pointer, by distance in pixels to what is drawn (for rays: angle), up to
 * tool.tolerance_px: the nearest. Of those that are at most 2 pixels further than the nearest, and
 * of filled ones that the pointer is inside of, the centre comes before planes, planes before axes,
 * axes before rings, rings before the ball; of the bounds corners come before faces; then comes the
 * nearest on the screen, then the nearest to the viewer. */
enum gz_handle gz_gizmo_pick(const struct gz_gizmo *gizmo, const struct gz_tool *tool,
                             const struct gz_camera *camera, const struct gz_pointer *pointer);

/* Distance in pixels from the pointer to one handle as it is drawn, 0 inside a quad or disc;
 * infinite if it is not drawn. To a ball that fills an ellipse, the distance is along the line to
 * its centre. */
double gz_gizmo_distance(const struct gz_gizmo *gizmo, const struct gz_tool *tool,
                         const struct gz_camera *camera, const struct gz_pointer *pointer,
                         enum gz_handle handle);

/* A straight piece of the drawn gizmo, world space. */
struct gz_segment {
    gz_vec3 from, to;
    uint32_t rgb; /* 0xRRGGBB */
};

/* Segments that gz_gizmo_lines can make at most. */
#define GZ_GIZMO_LINES_MAX 640

/* Fills `lines` with the visible handles, `active` or `hover` (GZ_HANDLE_NONE: none) highlighted;
 * while one is active only it is drawn at full strength. Drawable as they are: nothing behind the
 * viewer. Returns how many, at most `max`. */
size_t gz_gizmo_lines(const struct gz_gizmo *gizmo, const struct gz_tool *tool,
                      const struct gz_camera *camera, enum gz_handle hover, enum gz_handle active,
                      struct gz_segment *lines, size_t max);

/* ---- Motion ---- */

enum gz_motion_kind { GZ_MOTION_NONE, GZ_MOTION_TRANSLATE, GZ_MOTION_ROTATE, GZ_MOTION_SCALE };

/* What a handle has done since the press, in world space. Plain data; applying it has no memory. Of
 * the fields that belong to a kind only those of its own kind count. */
struct gz_motion {
    enum gz_motion_kind kind;
    bool each; /* turn and scale each node about its own origin, not about `pivot` */
    gz_vec3 pivot, pivot_offset; /* the fixed point is their sum, which a double might round */
    gz_vec3 translation;         /* TRANSLATE */
    gz_quat turn;                /* ROTATE: unit */
    gz_vec3 factor;              /* SCALE: along the columns of `frame` */
    gz_mat3 frame, frame_inverse;
    /* For read-outs and history: metres along the handle's axes, unwrapped radians, or the factor.
     * Two for planes and the view plane (right, up), else one; a ball's is the angle of its
     * turn. */
    double value[2];
    int value_count;
};

/* No motion: applied, it gives the start's bits. */
extern const struct gz_motion gz_motion_none;

/* The node's local transform after the motion. `start` is the node at the press; `parent` its
 * parent's world transform now, which may have moved meanwhile: the node then goes where the motion
 * takes it in world space. Components that the motion does not touch keep the start's bits; a scale
 * of 0 stays 0, whatever scales it. Of a
 * scale that shears the node the rotation and scale are kept that come nearest to it, by the
 * Frobenius norm of the difference of the linear parts of the node's world transform. `residual`
 * (may be NULL) is that distance, relative to the wanted one; 0 if a TRS holds it. A turn beneath
 * an unevenly scaled parent is one of the node in the parent's rotation: its residual is 0. False,
 * nothing written: the parent has no inverse, a result is not finite, a coordinate or a scale has a
 * magnitude above GZ_COORDINATE_MAX, or a scale one below GZ_SCALE_MIN. */
bool gz_motion_apply(const struct gz_motion *motion, const struct gz_target *start,
                     const gz_affine *parent, gz_trs *local, double *residual);

/* Whether the motion may want of a node what no TRS holds: it does not scale all axes alike. */
bool gz_motion_stretches(const struct gz_motion *motion);
/* Whether a parent scales all directions alike. Below others gz_motion_apply takes up to 100 times
 * as long for a node that is sheared. */
bool gz_scales_evenly(const gz_mat3 *parent);

/* The same for all nodes below a parent that has not moved since, as one rigid motion in its frame:
 * each is then where gz_rigid_apply has it, but for rounding, if the parent scales evenly or the
 * motion does not turn. False: a motion that scales, a parent without an inverse, or numbers beyond
 * GZ_COORDINATE_MAX. */
bool gz_motion_rigid(const struct gz_motion *motion, const gz_affine *parent, gz_rigid *rigid);

/* A wheel turned by `notches`: uniform scale by 1.1^notches about the gizmo's pivot. */
struct gz_motion gz_motion_wheel(const struct gz_gizmo *gizmo, double notches);

/* How far a wheel is turned after some more notches. It goes back to GZ_FACTOR_MIN and no further,
 * so that the next notch forwards enlarges at once. */
double gz_wheel_turned(double turned, double notches);

/* The motion of so many notches about the pivot of one, which all of a wheel's turn share; at least
 * GZ_FACTOR_MIN. False, nothing written, if the factor leaves the range of doubles. */
bool gz_motion_wheel_by(const struct gz_motion *notch, double notches, struct gz_motion *motion);

/* ---- Drag ---- */

/* How a drag turns a pointer into numbers; chosen at the press and fixed for the drag. */
enum gz_rule {
    GZ_RULE_AXIS_SCREEN,  /* the place on the axis whose image is the foot of the pointer */
    GZ_RULE_AXIS_CLOSEST, /* the place on the axis nearest to the ray */
    GZ_RULE_AXIS_PLANE,  /* the ray's hit with the plane through the axis that faced the viewer most
                            at the press */
    GZ_RULE_AXIS_PIXELS, /* the axis looked at the viewer, or a factor was pressed at its centre:
                            pixels times a gain */
    GZ_RULE_PLANE,       /* the ray's hit with a plane */
    GZ_RULE_RING,        /* the hit's angle about the centre */
    GZ_RULE_RING_TANGENT, /* an edge-on ring: place on the tangent, over the radius */
    GZ_RULE_UNIFORM,      /* distance in pixels from the pivot's image */
    GZ_RULE_BALL
};

/* Where the pointer of a drag was, and what stood for it. The solver's own. */
struct gz_follow {
    bool fine, shifted;             /* whether the last pointer was slowed; whether one ever was */
    struct gz_pointer real, slowed; /* the last pointer; what stood for it, if shifted */
    struct gz_pointer from_real, from_slowed; /* the same where `fine` was last switched */
};

/* A drag: the state at the press, and the little that is kept since. Read `handle`; the rest is the
 * solver's own. */
struct gz_drag {
    enum gz_handle handle;
    enum gz_rule rule;
    struct gz_snap snap;
    /* The rule measures from `origin` + `offset` along `axes`; its numbers at the press are
     * `press`. */
    gz_vec3 origin, offset, axes[2];
    double press[2];
    double reach; /* from the pivot to there, along axes[0]; only a side of the bounds is not at its
                     pivot */
    double depth; /* w of the handle's point at the press */
    double gain;  /* value per unit of the rule's number if that is not 1 */
    double direction[2]; /* unit, in pixels; for GZ_RULE_AXIS_PIXELS, and a factor near the pivot */
    double push_gain;    /* value per metre that a hand goes along axes[0]; 0: its way is none */
    double ratio_part; /* of a factor: how much of it is by the ratio of distances, from 0 to 1; */
    double press_pixels[2]; /* the rest is by pixels, which at the press were these */
    bool typed_only;        /* begun without a pointer */
    /* What the numbers become. */
    gz_vec3 directions[2];        /* world, what value[] is metres along */
    gz_vec3 pivot, pivot_offset;  /* the fixed point is their sum */
    gz_vec3 turn_axis;            /* unit */
    gz_mat3 frame, frame_inverse; /* scales act along its columns */
    double start_value[2];        /* the active node's own coordinates, angle or scale, for absolute
                                     snapping */
    double grid[2][2];            /* growth of these coordinates with value[0], and with value[1] */
    bool each;
    /* Ball. */
    enum gz_ball ball;
    enum gz_ball_fit fit;
    double circle[3]; /* as given by the tool; radius 0: by fit */
    bool flat_ball;   /* not met along the line of sight, see gz_ball_is_flat */
    double size_px;
    double edge_sine; /* of the tool's edge_rad */
    bool mirror;
    gz_vec3 ball_press; /* unit, world */
    gz_vec3 ball_side;  /* unit, across ball_press: the axis of a half turn */
    /* Since the press. */
    struct gz_pointer press_pointer;
    double angle; /* the ring's last angle, unwrapped */
    struct gz_follow follow;
};

/* Factors of drags and wheels stop at this, or at the nearest value of the grid beyond: what is
 * smaller can neither be seen nor grabbed again. */
#define GZ_FACTOR_MIN 0.01

/* Pointers with `fine` move the handle by this part of their motion. */
#define GZ_FINE_RATIO 0.1

/* Starts a drag on any handle of the gizmo, seen or not, wherever the pointer is. `camera` may be
 * NULL for rays. `pointer` may be NULL for a drag that only takes typed values. GZ_SOLVE_NONE if
 * the press has no answer. `mods` are bits 1 << enum gz_mod: GZ_MOD_PICKED says that the handle is
 * the one that gz_gizmo_pick found under the pointer, not one that was named, which matters for the
 * disc of `su` alone, because where on it a press lands is chance. */
enum gz_solve gz_drag_begin(struct gz_drag *drag, enum gz_handle handle,
                            const struct gz_gizmo *gizmo, const struct gz_tool *tool,
                            const struct gz_camera *camera, const struct gz_pointer *pointer,
                            uint32_t mods);

/* The whole motion since the press for this pointer. GZ_MOD_SNAP inverts the tool's snap;
 * GZ_MOD_FINE slows the pointer from where it was when the flag came. With GZ_SOLVE_KEPT `motion`
 * is left as it was. */
enum gz_solve gz_drag_solve(struct gz_drag *drag, const struct gz_camera *camera,
                            const struct gz_pointer *pointer, uint32_t mods,
                            struct gz_motion *motion);

/* Of a drag on a ring: the unit axis that it turns about, right-handed, and the unit vector across
 * it from the pivot to where the ring was pressed, or to some place on it without a pointer. Turned
 * about the axis by the motion's value, the arm points to where the handle is. False, nothing
 * written, for other handles. */
bool gz_drag_ring(const struct gz_drag *drag, gz_vec3 *axis, gz_vec3 *arm);

/* How many numbers a typed value for this handle has: 1, 2 for translating planes and the view
 * plane, 0 if none can be typed (the ball). */
int gz_handle_value_count(enum gz_handle handle);

/* The motion whose value is exactly this (metres, radians or factor), without a pointer and without
 * snapping. */
enum gz_solve gz_drag_value(const struct gz_drag *drag, const double *value, int count,
                            struct gz_motion *motion);

/* ---- Picking nodes ---- */

/* Whether the pointer meets the node's oriented box; a node without bounds (NULL) is a point with
 * tolerance_px. `distance` is from the eye, in orthographic views from the plane of the camera's
 * position, for rays from their origin; `point` is where the ray meets the box. A box around the
 * viewer is met at distance 0. */
bool gz_pick_node(const struct gz_camera *camera, const struct gz_pointer *pointer,
                  const gz_affine *world, const gz_box *bounds, double tolerance_px,
                  double *distance, gz_vec3 *point);

/* Whether the node's image overlaps the rectangle [x0, y0, x1, y1] (corners in any order), and in
 * *inside (may be NULL) whether it lies in it wholly. Exact for the box as seen: cut at the
 * viewer's plane, the convex hull of its image against the rectangle. */
bool gz_pick_rect(const struct gz_camera *camera, const double rect[4], const gz_affine *world,
                  const gz_box *bounds, bool *inside);

/* ---- Sieves: what can be met or seen at all ----
 *
 * Halves of space, in the world. A box that has no point on the side of every one of them is
 * neither met nor seen; what passes is to be asked. They reach a little too far, so that no
 * rounding keeps out what the answers above let in. */

#define GZ_PICK_PLANES 5
#define GZ_VIEW_PLANES 6

/* For gz_pick_node: for each box about a node's bounds, and for the origins of nodes without. False
 * if the pointer meets nothing: a number that is not finite, a ray without direction, a pixel
 * without a camera. */
bool gz_pick_cull(const struct gz_camera *camera, const struct gz_pointer *pointer,
                  double tolerance_px, gz_plane planes[GZ_PICK_PLANES]);
/* For gz_pick_rect. */
void gz_pick_rect_cull(const struct gz_camera *camera, const double rect[4],
                       gz_plane planes[GZ_PICK_PLANES]);
/* What the camera shows: its clip volume, depth range included. */
void gz_view_cull(const struct gz_camera *camera, gz_plane planes[GZ_VIEW_PLANES]);

/* ---- Orbit: the view is what turns ---- */

struct gz_orbit {
    enum gz_orbit_law law;
    struct gz_camera camera; /* at the press */
    gz_vec3 centre;
    struct gz_drag drag; /* GZ_ORBIT_BALL */
    /* GZ_ORBIT_TURNTABLE: */
    double press[2];
    struct gz_follow follow;
    double pitch; /* at the press: 0 if the horizon is in sight, pi/2 from straight above; beyond
                     it upside down */
    double sense; /* -1 if the world's +Y points down on the screen, so that near things follow the
                     pointer, else 1 */
    gz_vec3 tilt_axis; /* unit: near things go down as the scene turns about it */
};

/* A drag of the view about `centre`, by the tool's law: the scene seems to follow the pointer.
 * Pixels only. A ball turns it about any axis. It has no answer if the centre is behind the viewer.
 * A turntable turns it about the world's +Y by the pointer's way across and about the view's right
 * by its way down, 2 pi for each height of the viewport: the horizon stays as level as it was, the
 * centre where it is on the screen, and its distance what it is. The view goes as far as straight
 * above and straight below, exactly there and no further (GZ_SOLVE_CLAMPED). One that begins upside
 * down can be brought upright, and turns no further over than it was. */
enum gz_solve gz_orbit_begin(struct gz_orbit *orbit, const struct gz_tool *tool,
                             const struct gz_camera *camera, gz_vec3 centre,
                             const struct gz_pointer *pointer);
enum gz_solve gz_orbit_solve(struct gz_orbit *orbit, const struct gz_pointer *pointer,
                             uint32_t mods, double view[16]);

/* The view with the eye's distance from `centre` multiplied by `factor`; in orthographic views the
 * picture is enlarged about `centre` by 1 / factor instead, because moving such an eye shows
 * nothing. False for a factor that is not positive. */
bool gz_orbit_dolly(const struct gz_camera *camera, gz_vec3 centre, double factor, double view[16]);
/* The same for a wheel turned by `notches`: by 0.9^notches. */
bool gz_orbit_wheel(const struct gz_camera *camera, gz_vec3 centre, double notches,
                    double view[16]);

#ifdef __cplusplus
}
#endif

#endif
