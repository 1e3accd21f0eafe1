/* Snapping and fine: the handle's own number on its grid, without memory. */
#include <math.h>

#include "property/solver_scene.h"
#include "solver/snap.h"

static double throw_snap(struct scene *scene, struct dice *dice, enum gz_handle first,
                         enum gz_handle last)
{
    double step = dice_scale(dice, 1e-3, 1);
    scene_throw(scene, dice, PARENT_NONE);
    scene->handle = dice_handle(dice, first, last);
    scene->tool.snap = (struct gz_snap){.t = step, .r = step, .s = step, .on = true};
    scene->tool.mirror = dice_below(dice, 2) == 0;
    return step;
}

static bool move_anywhere(struct scene *scene, struct dice *dice)
{
    double x = scene->press.at[0] + dice_uniform(dice, -300, 300);
    return scene_move(scene, x, scene->press.at[1] + dice_uniform(dice, -300, 300));
}

static double ulp(double value)
{
    return nextafter(fabs(value), HUGE_VAL) - fabs(value);
}

TEST(test_relative_snap_is_a_multiple_of_the_step)
{
    struct dice dice = {test_seed() + 51};
    long drags = test_count(10000);
    for (long n = 0; n < drags; n++) {
        struct scene scene;
        double step = throw_snap(&scene, &dice, GZ_TX, GZ_SU);
        if (!scene_start(&scene, &dice) || !move_anywhere(&scene, &dice)) continue;
        for (int i = 0; i < scene.motion.value_count; i++) {
            double value = scene.motion.value[i], from = scene.handle >= GZ_SX ? 1 : 0;
            double k = round((value - from) / step);
            hold(value == from + k * step, n); /* a product, not a sum of steps: to the last bit */
        }
    }
}

/* The least value of the grid above 0, and without mirror nothing else beyond it. */
TEST(test_snapped_factor_stops_just_above_zero)
{
    for (int step_milli = 1; step_milli <= 2000; step_milli++) {
        double step = step_milli / 1000.0, least = 1;
        for (int k = 1; 1 - k * step >= GZ_FACTOR_MIN; k++) least = 1 - k * step;
        for (double factor = 3; factor > -3; factor -= 0.0137) {
            double stopped = gz_snap_factor(fmax(factor, GZ_FACTOR_MIN), step, false);
            hold(stopped >= GZ_FACTOR_MIN, step_milli);
            if (factor < least - step / 2) hold_near(stopped, least, 1e-9, step_milli);
            hold(gz_snap_factor_from(-1.3, fmax(factor, GZ_FACTOR_MIN), step, false) >=
                     GZ_FACTOR_MIN * (1 - 1e-12),
                 step_milli);
            hold(fabs(gz_snap_factor(factor, step, true)) >= GZ_FACTOR_MIN, step_milli);
        }
    }
    hold(gz_snap_factor(GZ_FACTOR_MIN, 1.0 / 49, false) > 0.02,
         49); /* 1 - 49 * (1.0 / 49) is 1.1e-16 */
    hold(gz_snap_factor(-1e-6, 1.0 / 49, true) < -0.02, 49);
}

/* Scales past their pivot: what a drag does with it. */
TEST(test_snapped_drag_mirrors_only_if_it_may)
{
    struct dice dice = {test_seed() + 58};
    long drags = test_count(10000), stopped = 0, mirrored = 0;
    for (long n = 0; n < drags; n++) {
        struct scene scene;
        throw_snap(&scene, &dice, GZ_SX, GZ_SU);
        scene.tool.snap.s = dice_uniform(&dice, 0.01, 2);
        scene.tool.snap.absolute = dice_below(&dice, 2) == 0;
        if (!scene_start(&scene, &dice) || !move_anywhere(&scene, &dice)) continue;
        double factor = scene.motion.value[0];
        hold(scene.tool.mirror || factor >= GZ_FACTOR_MIN, n);
        hold(factor != 0, n);
        stopped += !scene.tool.mirror && factor < scene.tool.snap.s;
        mirrored += factor < 0;
    }
    hold(stopped > drags / 100 && mirrored > drags / 100, drags);
}

TEST(test_absolute_snap_puts_the_own_coordinate_on_the_grid)
{
    struct dice dice = {test_seed() + 52};
    long drags = test_count(10000);
    for (long n = 0; n < drags; n++) {
        struct scene scene;
        double step = throw_snap(&scene, &dice, GZ_TX, GZ_TZ);
        scene.tool.snap.absolute = true;
        scene.tool.space = GZ_SPACE_WORLD;
        if (!scene_start(&scene, &dice) || !move_anywhere(&scene, &dice)) continue;
        if (scene.motion.kind == GZ_MOTION_NONE) continue;
        int axis = (int)scene.handle - GZ_TX;
        double was = gz_component(scene.target.local.t, axis), is = gz_component(scene.now.t, axis);
        hold_near(is, round(is / step) * step, 2 * (ulp(is) + ulp(was)), n);
        for (int other = 1; other < 3; other++) {
            double a = gz_component(scene.target.local.t, (axis + other) % 3);
            double b = gz_component(scene.now.t, (axis + other) % 3);
            hold(same_bits(&a, &b, sizeof a), n);
        }
    }
}

/* In the parent's and the node's own space it is the node's own numbers that lie on the grid, one
 * for an axis and two for a plane, whatever the parent is and however the node is turned: it is the
 * same grid after each turn. In the parent's space it is the axis's own number. */
TEST(test_absolute_snap_puts_own_numbers_on_the_grid)
{
    struct dice dice = {test_seed() + 59};
    long drags = test_count(10000), found = 0;
    for (long n = 0; n < drags; n++) {
        struct scene scene;
        double step = throw_snap(&scene, &dice, GZ_TX, GZ_TZX);
        scene.target.parent = dice_parent(&dice, (enum parent_kind)dice_below(&dice, PARENT_KINDS));
        scene.tool.snap.absolute = true;
        scene.tool.space = n % 2 ? GZ_SPACE_PARENT : GZ_SPACE_LOCAL;
        if (!scene_start(&scene, &dice) || !move_anywhere(&scene, &dice)) continue;
        if (scene.motion.kind == GZ_MOTION_NONE) continue;
        bool plane = scene.handle >= GZ_TXY;
        int on_grid = 0, axis = (int)scene.handle - (plane ? GZ_TXY : GZ_TX);
        const gz_vec3 *t = &scene.now.t;
        double largest = fmax(fabs(t->x), fmax(fabs(t->y), fabs(t->z))) + 10;
        for (int k = 0; k < 3; k++) {
            double is = gz_component(*t, k), off = fabs(is - round(is / step) * step);
            bool lies = off <= 1e-11 * largest;
            on_grid += lies;
            bool own = k == axis || (plane && k == (axis + 1) % 3);
            if (scene.tool.space == GZ_SPACE_PARENT && own) hold(lies, n);
        }
        hold(on_grid >= (plane ? 2 : 1), n);
        found++;
    }
    hold(found > drags / 4, drags);
}

TEST(test_grid_is_the_same_both_ways)
{
    struct dice dice = {test_seed() + 53};
    long drags = test_count(10000);
    for (long n = 0; n < drags; n++) {
        double step = dice_scale(&dice, 1e-6, 1e6), value = dice_uniform(&dice, -1e3, 1e3) * step;
        double half = (dice_below(&dice, 1000) + 0.5) * 0.125;
        hold(gz_snap_value(-value, step) == -gz_snap_value(value, step), n);
        hold(gz_snap_value(half, 0.125) == half + 0.0625, n); /* away from zero */
        hold(gz_snap_value(-half, 0.125) == -half - 0.0625, n);
    }
}

static gz_vec3 on_ring(const struct scene *scene, double angle)
{
    gz_vec3 x = gz_scale(scene->drag.axes[0], scene->gizmo.size),
            y = gz_cross(scene->drag.turn_axis, x);
    return gz_add(scene->gizmo.origin, gz_add(gz_scale(x, cos(angle)), gz_scale(y, sin(angle))));
}

TEST(test_snapped_angles_never_turn_back)
{
    struct dice dice = {test_seed() + 54};
    long drags = test_count(10000) / 40;
    for (long n = 0; n < drags; n++) {
        struct scene scene;
        throw_snap(&scene, &dice, GZ_RX, GZ_RV);
        double step = dice_uniform(&dice, 1, 100) * DEGREES, last = 0;
        scene.tool.snap.r = step;
        if (!scene_build(&scene) || !scene_press(&scene, 960, 540) ||
            scene.drag.rule != GZ_RULE_RING)
            continue;
        if (!scene_press_point(&scene, on_ring(&scene, 0))) continue;
        for (double angle = 0; angle < 7 * 2 * M_PI; angle += 0.05) {
            if (!scene_move_point(&scene, on_ring(&scene, angle))) break; /* behind the viewer */
            double value = scene.motion.value[0];
            hold(value >= last && value == round(value / step) * step, n);
            hold_near(value, angle, step / 2 + 1e-9, n);
            last = value;
        }
    }
}

TEST(test_second_drag_knows_nothing_of_the_first)
{
    struct dice dice = {test_seed() + 55};
    long drags = test_count(10000);
    for (long n = 0; n < drags; n++) {
        struct scene scene;
        throw_snap(&scene, &dice, GZ_TX, GZ_SU);
        if (!scene_start(&scene, &dice)) continue;
        double x = scene.press.at[0] + dice_uniform(&dice, -99, 99), y = scene.press.at[1];
        bool first = scene_move(&scene, x, y);
        gz_trs now = scene.now;
        for (int i = 0; i < 3; i++) (void)move_anywhere(&scene, &dice);
        hold(scene_press(&scene, scene.press.at[0], scene.press.at[1]), n);
        hold(scene_move(&scene, x, y) == first && gz_trs_same(&scene.now, &now), n);
    }
}

/* A scale from one place on the handle to another is the same however far the camera is, and so is
 * its snapped value. */
TEST(test_snapped_scale_does_not_depend_on_distance)
{
    struct dice dice = {test_seed() + 56};
    long drags = test_count(10000);
    for (long n = 0; n < drags; n++) {
        struct scene scene;
        throw_snap(&scene, &dice, GZ_SX, GZ_SZ);
        scene.tool.snap.s = 0.25;
        double from = dice_uniform(&dice, 0.3, 0.6), ratio = 1 + 0.25 * dice_below(&dice, 9) + 0.1,
               first = 0;
        gz_vec3 away = gz_sub(scene.eye.place, scene.target.local.t);
        for (int k = 0; k < 3; k++) {
            scene.eye.place = gz_add(scene.target.local.t, gz_scale(away, pow(20, k)));
            if (!scene_build(&scene)) break;
            gz_vec3 axis = gz_scale(scene.gizmo.scale_axes[scene.handle - GZ_SX], scene.gizmo.size);
            if (!scene_press_point(&scene, gz_add(scene.gizmo.origin, gz_scale(axis, from)))) break;
            if (scene.drag.ratio_part < 1) break;
            if (!scene_move_point(&scene, gz_add(scene.gizmo.origin, gz_scale(axis, from * ratio))))
                break;
            if (k == 0) first = scene.motion.value[0];
            hold(scene.motion.value[0] == first && first == ratio - 0.1, n);
        }
    }
}

TEST(test_switching_fine_and_snap_does_not_jump)
{
    const uint32_t fine = 1u << GZ_MOD_FINE, snap = 1u << GZ_MOD_SNAP;
    struct dice dice = {test_seed() + 57};
    long drags = test_count(10000);
    for (long n = 0; n < drags; n++) {
        struct scene scene;
        throw_snap(&scene, &dice, GZ_TX, GZ_SU);
        scene.tool.snap.on = false;
        if (!scene_start(&scene, &dice)) continue;
        double x = scene.press.at[0] + dice_uniform(&dice, -99, 99),
               y = scene.press.at[1] + dice_uniform(&dice, -99, 99);
        if (!scene_move(&scene, x, y)) continue;
        gz_trs there = scene.now;
        (void)scene_move_with(&scene, x, y, snap);
        hold(scene_move(&scene, x, y) && gz_trs_same(&scene.now, &there), n);
        hold(scene_move_with(&scene, x, y, fine) != GZ_SOLVE_KEPT &&
                 gz_trs_same(&scene.now, &there),
             n);
        struct scene usual = scene;
        usual.drag.follow.fine = usual.drag.follow.shifted = false;
        bool slow = scene_move_with(&scene, x + 50, y - 30, fine) != GZ_SOLVE_KEPT;
        bool same = scene_move(&usual, x + 5, y - 3);
        hold(slow == same, n);
        if (slow)
            hold_near(scene.motion.value[0], usual.motion.value[0],
                      1e-9 * (1 + fabs(usual.motion.value[0])), n);
        gz_trs slowed = scene.now;
        if (slow) hold(scene_move(&scene, x + 50, y - 30) && gz_trs_same(&scene.now, &slowed), n);
    }
}

int main(void)
{
    return run_properties();
}
