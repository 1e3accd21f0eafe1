/* drag.c - one drag with the solver library: a camera, a gizmo, what is under the pointer, and what
 * moving it does.
 *
 *     cc drag.c $(pkg-config --cflags --libs gizmo-solver) -o drag && ./drag */
#include <stdio.h>

#include <gizmod/solver.h>

/* 60 degrees high, 16 to 9, no far plane; five metres before the origin and one above, looking
 * along -z. */
static const struct gz_camera_input view_of_origin = {
    .view = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, -1, -5, 1},
    .proj = {0.9742785792574935, 0, 0, 0, 0, 1.7320508075688772, 0, 0, 0, 0, -1, -1, 0, 0, -0.2, 0},
    .viewport = {0, 0, 1920, 1080},
};

int main(void)
{
    struct gz_camera camera;
    const char *why;
    if (!gz_camera_prepare(&camera, &view_of_origin, &why)) {
        fprintf(stderr, "the camera cannot be used: %s\n", why);
        return 1;
    }

    /* One node, turned by a quarter about y, under a parent that is twice as large as the world. */
    struct gz_target node = {gz_trs_identity, gz_affine_identity, NULL};
    node.local.r = gz_quat_about((gz_vec3){0, 1, 0}, 1.5707963267948966);
    node.parent.linear = (gz_mat3){{2, 0, 0}, {0, 2, 0}, {0, 0, 2}};

    struct gz_tool tool = gz_tool_default;
    struct gz_gizmo gizmo;
    if (!gz_gizmo_build(&gizmo, &tool, &camera, NULL, &node, 1, 0)) return 1;

    /* The pointer goes to the middle of the x axis, and presses what it finds there. */
    struct gz_pointer pointer = {.at = {0, 0}};
    gz_vec3 middle = gz_add(gizmo.origin, gz_scale(gizmo.axes[0], gizmo.size / 2));
    if (!gz_camera_project(&camera, middle, pointer.at, NULL)) return 1;
    enum gz_handle handle = gz_gizmo_pick(&gizmo, &tool, &camera, &pointer);
    printf("%s at %.1f %.1f\n", gz_vocabulary_word(&gz_handle_words, handle), pointer.at[0],
           pointer.at[1]);
    struct gz_drag drag;
    if (gz_drag_begin(&drag, handle, &gizmo, &tool, &camera, &pointer, 0) != GZ_SOLVE_OK) return 1;

    struct gz_motion motion = gz_motion_none;
    for (int event = 1; event <= 3; event++) {
        gz_trs now;
        double residual;
        pointer.at[0] += 100;
        pointer.at[1] -= 30; /* across the axis: no matter */
        if (gz_drag_solve(&drag, &camera, &pointer, 0, &motion) == GZ_SOLVE_KEPT) continue;
        if (!gz_motion_apply(&motion, &node, &node.parent, &now, &residual)) continue;
        printf("%.6f m: local t = %.6f %.6f %.6f\n", motion.value[0], now.t.x, now.t.y, now.t.z);
    }
    return 0;
}
