/* Scale handles: ratios of places, signs, pivots, and what a TRS cannot hold. */
#include <math.h>

#include "property/solver_scene.h"

/* The direction along which the handle's places count; for uniform scale any on the screen. */
static gz_vec3 handle_direction(const struct scene *scene, gz_vec3 other)
{
    const gz_vec3 *axes = scene->gizmo.scale_axes;
    int i = (int)scene->handle - GZ_SXY;
    if (scene->handle == GZ_SU) return other;
    if (scene->handle < GZ_SXY) return axes[scene->handle - GZ_SX];
    return gz_add(axes[i], axes[(i + 1) % 3]);
}

/* Scale handles of one factor for every scale drag: press at `from` of the gizmo's length, usable
 * as a ratio. */
static bool press_scale(struct scene *scene, struct dice *dice, double from, gz_vec3 *direction)
{
    scene->handle = dice_handle(dice, GZ_SX, GZ_SU);
    if (!scene_build(scene)) return false;
    gz_vec3 screen = gz_add(gz_scale(scene->camera.right, 0.6), gz_scale(scene->camera.up, 0.8));
    *direction = gz_scale(handle_direction(scene, screen), scene->gizmo.size);
    return scene_press_point(scene, gz_add(scene->gizmo.origin, gz_scale(*direction, from))) &&
           scene->drag.ratio_part == 1;
}

static double touched_ratio(const struct scene *scene)
{
    int axis = scene->handle == GZ_SU ? 0 : ((int)scene->handle - GZ_SX) % 3;
    return gz_component(scene->now.s, axis) / gz_component(scene->target.local.s, axis);
}

TEST(test_factor_is_the_ratio_of_places)
{
    static const double ratios[] = {0.5, 2, 3};
    struct dice dice = {test_seed() + 41};
    long drags = test_count(10000), found = 0;
    for (long n = 0; n < drags; n++) {
        struct scene scene;
        gz_vec3 direction;
        double from = dice_uniform(&dice, 0.3, 0.6);
        scene_throw(&scene, &dice, PARENT_NONE);
        if (!press_scale(&scene, &dice, from, &direction)) continue;
        for (size_t i = 0; i < COUNT(ratios); i++) {
            gz_vec3 place = gz_add(scene.gizmo.origin, gz_scale(direction, from * ratios[i]));
            double at[2], here[2];
            if (!gz_camera_project(&scene.camera, place, at, NULL) ||
                !scene_move(&scene, at[0], at[1]))
                continue;
            double factor = scene.motion.value[0], got = from * factor;
            gz_vec3 grabbed = gz_add(scene.gizmo.origin, gz_scale(direction, got));
            hold_near(factor, ratios[i], 1e-9, n);
            hold_near(touched_ratio(&scene), factor, 1e-15 * ratios[i] * 4, n);
            hold(gz_camera_project(&scene.camera, grabbed, here, NULL), n);
            hold_near(pixels_between(at, here), 0, 1e-6, n);
            found++;
        }
    }
    hold(found > drags, drags);
}

TEST(test_press_at_the_centre_follows_pixels)
{
    struct dice dice = {test_seed() + 42};
    long drags = test_count(10000), found = 0;
    for (long n = 0; n < drags; n++) {
        struct scene scene;
        double centre[2];
        scene_throw(&scene, &dice, PARENT_NONE);
        scene.handle = dice_handle(&dice, GZ_SX, GZ_SU);
        scene.tool.mirror = true;
        if (!scene_build(&scene) ||
            !gz_camera_project(&scene.camera, scene.gizmo.origin, centre, NULL))
            continue;
        if (!scene_press(&scene, centre[0], centre[1])) continue;
        if (scene.drag.ratio_part > 1e-18) continue; /* rounding has it beside the centre */
        double x = scene.press.at[0] + dice_uniform(&dice, -300, 300);
        double y = scene.press.at[1] + dice_uniform(&dice, -300, 300);
        hold(scene_move(&scene, x, y), n);
        double reach = pixels_between((double[2]){x, y}, scene.press.at) / scene.tool.size_px;
        double factor = scene.motion.value[0];
        hold(fabs(factor - 1) <= reach + 1e-6 || fabs(factor) == GZ_FACTOR_MIN, n);
        found++;
        hold(scene_move(&scene, scene.press.at[0], scene.press.at[1]), n);
        hold(gz_trs_same(&scene.now, &scene.target.local), n);
    }
    hold(found > drags / 2, drags);
}

TEST(test_sign_stays_until_zero_is_crossed)
{
    static const double ratios[] = {2, 0.02, 1e-3, 0, -1e-9, -0.5, -3};
    struct dice dice = {test_seed() + 43};
    long drags = test_count(10000);
    for (long n = 0; n < drags; n++) {
        struct scene scene;
        gz_vec3 direction;
        scene_throw(&scene, &dice, PARENT_NONE);
        scene.tool.mirror = dice_below(&dice, 2) == 0;
        if (!press_scale(&scene, &dice, 0.5, &direction)) continue;
        for (size_t i = 0; i < COUNT(ratios); i++) {
            gz_vec3 place = gz_add(scene.gizmo.origin, gz_scale(direction, 0.5 * ratios[i]));
            if (!scene_move_point(&scene, place)) continue;
            double got = touched_ratio(&scene), wanted = ratios[i];
            if (scene.handle == GZ_SU)
                wanted = fabs(wanted); /* a distance on the screen has no sign */
            bool mirrored = scene.tool.mirror && wanted <= -0.01;
            hold(mirrored ? got < 0 : scene.tool.mirror && fabs(wanted) < 0.01 ? true : got > 0, n);
            hold(fabs(got) >= 0.01 * (1 - 1e-9), n);
            if (wanted >= 0.02 || mirrored) hold_near(got, wanted, 1e-9, n);
        }
    }
}

static struct gz_motion any_scale(struct dice *dice, bool one_factor)
{
    struct gz_motion motion = gz_motion_none;
    motion.kind = GZ_MOTION_SCALE;
    motion.pivot = gz_scale(dice_direction(dice), dice_uniform(dice, 0, 20));
    double f = dice_scale(dice, 0.1, 10);
    motion.factor = (gz_vec3){f, one_factor ? f : 1, one_factor ? f : 1};
    motion.frame = gz_mat3_from_quat(dice_rotation(dice));
    motion.frame_inverse = gz_mat3_transpose(&motion.frame);
    return motion;
}

/* frame * diag(factor) * inverse frame. */
static gz_vec3 stretch(const struct gz_motion *motion, gz_vec3 v)
{
    gz_vec3 inside = gz_times(gz_mat3_apply(&motion->frame_inverse, v), motion->factor);
    return gz_mat3_apply(&motion->frame, inside);
}

TEST(test_scale_moves_every_origin_about_the_pivot)
{
    struct dice dice = {test_seed() + 44};
    long drags = test_count(10000);
    for (long n = 0; n < drags; n++) {
        struct gz_motion motion = any_scale(&dice, n % 2 == 0);
        struct gz_target target = {dice_trs(&dice),
                                   dice_parent(&dice, n % 3 ? PARENT_UNIFORM : PARENT_NONE), NULL};
        gz_trs now;
        hold(gz_motion_apply(&motion, &target, &target.parent, &now, NULL), n);
        gz_vec3 arm = gz_sub(gz_affine_apply(&target.parent, target.local.t), motion.pivot);
        gz_vec3 wanted = gz_add(motion.pivot, stretch(&motion, arm)),
                got = gz_affine_apply(&target.parent, now.t);
        hold_near(gz_length(gz_sub(wanted, got)), 0,
                  1e-12 * (gz_length(wanted) + gz_length(arm) + 20), n);
    }
}

TEST(test_residual_is_what_the_node_could_not_take)
{
    struct dice dice = {test_seed() + 45};
    long drags = test_count(10000), sheared = 0;
    for (long n = 0; n < drags; n++) {
        struct gz_motion motion = any_scale(&dice, n % 4 == 0);
        struct gz_target target = {dice_trs(&dice),
                                   dice_parent(&dice, (enum parent_kind)(n % PARENT_KINDS)), NULL};
        gz_trs now;
        double residual = -1;
        if (!gz_motion_apply(&motion, &target, &target.parent, &now, &residual)) continue;
        gz_affine before = world_of(&target.parent, &target.local),
                  after = world_of(&target.parent, &now);
        gz_affine wanted = after;
        wanted.linear =
            (gz_mat3){stretch(&motion, before.linear.x), stretch(&motion, before.linear.y),
                      stretch(&motion, before.linear.z)};
        const gz_mat3 *w = &wanted.linear, *g = &after.linear;
        gz_vec3 dx = gz_sub(w->x, g->x), dy = gz_sub(w->y, g->y), dz = gz_sub(w->z, g->z);
        double lost = sqrt((gz_dot(dx, dx) + gz_dot(dy, dy) + gz_dot(dz, dz)) /
                           (gz_dot(w->x, w->x) + gz_dot(w->y, w->y) + gz_dot(w->z, w->z)));
        hold_near(residual, lost, 1e-12, n);
        sheared += residual > 1e-3;
    }
    hold(sheared > drags / 4, drags);
}

int main(void)
{
    return run_properties();
}
