/* stage.h - a camera, a node and a drag in a line each, for the solver's tests. Pixels 1920x1080,
 * vertical field 60 degrees. */
#ifndef SOLVER_STAGE_H
#define SOLVER_STAGE_H

#include <math.h>
#include <string.h>

#include "solver/solver.h"
#include "support/cmocka.h"

#define COUNT(array) (sizeof(array) / sizeof(array)[0])
#define DEGREES (M_PI / 180)

/* Looks along -z, +y up. */
struct gz_camera camera_at(double x, double y, double z);
struct gz_camera camera_look(gz_vec3 eye, gz_vec3 target);
/* `height` metres of world over the picture. */
struct gz_camera camera_ortho(gz_vec3 eye, gz_vec3 target, double height);

struct gz_target node_at(double x, double y, double z);

/* One drag on one node: press, then ask for places. */
struct stage {
    struct gz_camera camera;
    struct gz_target target;
    struct gz_tool tool;
    struct gz_gizmo gizmo;
    struct gz_drag drag;
    struct gz_motion motion;
    gz_trs now;
    double residual;
    enum gz_solve solved;
};

/* Builds the gizmo of the default tool in world space. */
struct stage stage_of(struct gz_camera camera, struct gz_target target);
/* After a change of camera, target or tool. */
void stage_build(struct stage *stage);
void stage_image(const struct stage *stage, gz_vec3 point, double at[2]);
enum gz_solve stage_press(struct stage *stage, enum gz_handle handle, double x, double y);
enum gz_solve stage_press_point(struct stage *stage, enum gz_handle handle, gz_vec3 point);
enum gz_solve stage_move(struct stage *stage, double x, double y);
enum gz_solve stage_move_with(struct stage *stage, double x, double y, uint32_t mods);
enum gz_solve stage_move_point(struct stage *stage, gz_vec3 point);

#define assert_near(a, b, slack)                                                                   \
    do {                                                                                           \
        double near_a = (a), near_b = (b);                                                         \
        if (!(fabs(near_a - near_b) <= (slack)))                                                   \
            fail_msg("%s is %.17g, not %.17g within %g", #a, near_a, near_b, (double)(slack));     \
    } while (0)
#define assert_vec3(a, bx, by, bz, slack)                                                          \
    do {                                                                                           \
        gz_vec3 vec_a = (a);                                                                       \
        assert_near(vec_a.x, bx, slack);                                                           \
        assert_near(vec_a.y, by, slack);                                                           \
        assert_near(vec_a.z, bz, slack);                                                           \
    } while (0)

#endif
