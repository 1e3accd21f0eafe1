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

/* The distance from the wanted axes that is left with this rotation and the best scale for it, and
 * its square, without anything of the solver. */
static double square_left(const gz_mat3 *parent, const gz_mat3 *wanted, gz_quat r)
{
    const gz_vec3 w[3] = {wanted->x, wanted->y, wanted->z};
    quad sum = 0;
    for (int axis = 0; axis < 3; axis++) {
        quad3 turned = quad3_turn(r, (quad3){{axis == 0, axis == 1, axis == 2}}), m = {{0, 0, 0}};
        const gz_vec3 p[3] = {parent->x, parent->y, parent->z};
        for (int k = 0; k < 3; k++) m = quad3_add(m, quad3_scale(quad3_from(p[k]), turned.v[k]));
        quad along = quad3_dot(m, quad3_from(w[axis])), all = quad3_dot(m, m);
        sum += quad3_dot(quad3_from(w[axis]), quad3_from(w[axis])) - along * along / all;
    }
    return (double)sum;
}

/* Enough to come down from anywhere but along the bottom of a narrow valley. */
#define ROUNDS_MAX 2000

/* Down from here by ever smaller turns about the axes, for as long as one is better. */
static double least_square(const gz_mat3 *parent, const gz_mat3 *wanted, gz_quat r)
{
    double best = square_left(parent, wanted, r);
    double turn = 0.5;
    for (int round = 0; round < ROUNDS_MAX && turn > 1e-7; round++) {
        bool better = false;
        for (int way = 0; way < 6; way++) {
            double k = way % 2 ? turn : -turn;
            gz_quat by = {way / 2 == 0 ? k : 0, way / 2 == 1 ? k : 0, way / 2 == 2 ? k : 0, 1}, now;
            assert_true(gz_quat_normalize(gz_quat_multiply(r, by), &now));
            double square = square_left(parent, wanted, now);
            if (!(square < best)) continue;
            best = square;
            r = now;
            better = true;
        }
        if (!better) turn /= 2;
    }
    return best;
}

/* No rotation and scale comes nearer to what was wanted, by the norm in which the residual is told:
 * looked for from the answer, from the start, and from elsewhere. */
TEST(test_nearest_transform_is_kept)
{
    struct dice dice = {test_seed() + 46};
    long drags = test_count(10000) / 25, sheared = 0, nearer = 0;
    for (long n = 0; n < drags; n++) {
        struct gz_motion motion = any_scale(&dice, false);
        struct gz_target target = {dice_trs(&dice),
                                   dice_parent(&dice, (enum parent_kind)(n % PARENT_KINDS)), NULL};
        gz_trs now;
        double residual;
        if (!gz_motion_apply(&motion, &target, &target.parent, &now, &residual)) continue;
        if (!(residual > 1e-6)) continue;
        gz_affine before = world_of(&target.parent, &target.local);
        gz_mat3 wanted = {stretch(&motion, before.linear.x), stretch(&motion, before.linear.y),
                          stretch(&motion, before.linear.z)};
        double all =
            gz_dot(wanted.x, wanted.x) + gz_dot(wanted.y, wanted.y) + gz_dot(wanted.z, wanted.z);
        double got = sqrt(square_left(&target.parent.linear, &wanted, now.r) / all);
        hold_near(residual, got, 1e-9, n);
        double here = sqrt(least_square(&target.parent.linear, &wanted, now.r) / all);
        hold_near(got, here, 1e-7 * got + 1e-9, n);
        double least = sqrt(least_square(&target.parent.linear, &wanted, target.local.r) / all);
        for (int i = 0; i < 3; i++)
            least = fmin(
                least,
                sqrt(least_square(&target.parent.linear, &wanted, dice_rotation(&dice)) / all));
        nearer += least < got * (1 - 1e-6);
        sheared++;
    }
    hold(sheared > drags / 4 && nearer == 0, drags);
}

int main(void)
{
    return run_properties();
}
