/* solver_scene.h - one random drag: a camera, a node under some parent, a gizmo, a press on one of
 * its handles. What the property tests share. P numbers in their comments are those of the design
 * notes' properties. */
#ifndef SOLVER_SCENE_H
#define SOLVER_SCENE_H

#include <string.h>

#include "property/solver_reference.h"
#include "property/solver_world.h"
#include "support/cmocka.h"

#define COUNT(array) (sizeof(array) / sizeof(array)[0])
#define DEGREES (M_PI / 180)

/* What hangs above a node. */
enum parent_kind {
    PARENT_NONE,
    PARENT_UNIFORM,
    PARENT_STRETCHED,
    PARENT_MIRRORED,
    PARENT_SHEARED,
    PARENT_KINDS
};

gz_affine dice_parent(struct dice *dice, enum parent_kind kind);
/* A translation up to 10, a rotation, scales from 0.1 to 10 of either sign. */
gz_trs dice_trs(struct dice *dice);
enum gz_handle dice_handle(struct dice *dice, enum gz_handle first, enum gz_handle last);

struct scene {
    double distance; /* from the eye to the node, metres */
    struct eye eye;
    struct gz_camera camera;
    struct gz_target target;
    struct gz_tool tool;
    struct gz_gizmo gizmo;
    enum gz_handle handle;
    struct gz_pointer press;
    struct gz_drag drag;
    struct gz_motion motion;
    gz_trs now; /* after the last move */
    double residual;
};

/* An eye within 50 m of a node within 10 m, the default tool in universal mode and any space, any
 * handle. To be changed before scene_start. */
void scene_throw(struct scene *scene, struct dice *dice, enum parent_kind kind);
/* Camera and gizmo. False where the dice made none. */
bool scene_build(struct scene *scene);
/* scene_build, and a press a few pixels beside a place on the handle. */
bool scene_start(struct scene *scene, struct dice *dice);
bool scene_press(struct scene *scene, double x, double y);
bool scene_press_point(struct scene *scene, gz_vec3 point);
/* Solves for this place from no motion, and applies it. False where there was no answer or it was
 * out of bounds: `now` is the start's then. */
bool scene_move(struct scene *scene, double x, double y);
enum gz_solve scene_move_with(struct scene *scene, double x, double y, uint32_t mods);
bool scene_move_point(struct scene *scene, gz_vec3 point);

/* A place on the handle as it is drawn, roughly. */
gz_vec3 scene_grip(const struct gz_gizmo *gizmo, const struct gz_camera *camera,
                   enum gz_handle handle, struct dice *dice);

gz_affine world_of(const gz_affine *parent, const gz_trs *local);
/* The largest difference of linear parts and origins, relative to the larger length of each. */
double affine_off(const gz_affine *a, const gz_affine *b);
/* The angle between two rotations, whichever sign the quaternions have. */
double quat_off(gz_quat a, gz_quat b);
double pixels_between(const double a[2], const double b[2]);
bool same_bits(const void *a, const void *b, size_t size);

/* Says which drag of which seed it was. */
#define hold(condition, number)                                                                    \
    do {                                                                                           \
        if (!(condition))                                                                          \
            fail_msg("drag %ld of seed %llu: not %s", (long)(number),                              \
                     (unsigned long long)test_seed(), #condition);                                 \
    } while (0)
#define hold_near(a, b, slack, number)                                                             \
    do {                                                                                           \
        double near_a = (a), near_b = (b), near_slack = (slack);                                   \
        if (!(fabs(near_a - near_b) <= near_slack))                                                \
            fail_msg("drag %ld of seed %llu: %s is %.17g, not %.17g within %g", (long)(number),    \
                     (unsigned long long)test_seed(), #a, near_a, near_b, near_slack);             \
    } while (0)

/* A group's main: prints the seed, runs the tests. */
#define run_properties()                                                                           \
    (print_message("seed %llu\n", (unsigned long long)test_seed()), test_run(NULL, NULL))

#endif
