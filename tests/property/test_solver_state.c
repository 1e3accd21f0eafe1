/* What a drag may depend on: the press and now, seen from anywhere. */
#include <math.h>

#include "property/solver_scene.h"

/* The drag again with the whole scene turned by `turn` and moved by `shift`, the turn in the node
 * or in a new parent. */
static bool moved_scene(const struct scene *scene, struct scene *other, gz_quat turn, gz_vec3 shift,
                        bool as_parent)
{
    *other = *scene;
    gz_trs *local = &other->target.local;
    if (as_parent) {
        gz_trs whole = {shift, turn, {1, 1, 1}};
        other->target.parent = gz_affine_from_trs(&whole);
    } else {
        local->t = gz_add(gz_rotate(turn, local->t), shift);
        local->r = gz_quat_multiply(turn, local->r);
    }
    other->eye.place = gz_add(gz_rotate(turn, other->eye.place), shift);
    other->eye.turn = gz_quat_multiply(turn, other->eye.turn);
    return scene_build(other);
}

TEST(test_moved_scene_gives_the_moved_result)
{
    struct dice dice = {test_seed() + 11};
    long drags = test_count(10000), compared = 0;
    for (long n = 0; n < drags; n++) {
        struct scene scene, other;
        scene_throw(&scene, &dice, PARENT_NONE);
        scene.tool.space = GZ_SPACE_LOCAL;
        scene.distance = dice_scale(&dice, 1, 1e4);
        scene.eye = dice_eye(&dice, scene.target.local.t, scene.distance);
        gz_quat turn = dice_rotation(&dice);
        gz_vec3 shift = gz_scale(dice_direction(&dice), dice_scale(&dice, 1, 1e6));
        bool as_parent = dice_below(&dice, 2) == 0;
        if (!scene_start(&scene, &dice)) continue;
        /* The places of both scenes have to be the same to 1e-12 of what is looked at, or they are
         * other scenes. */
        if (scene.distance < 2.5e-4 * gz_length(shift)) continue;
        const double *press = scene.press.at;
        double x = press[0] + dice_uniform(&dice, -50, 50),
               y = press[1] + dice_uniform(&dice, -50, 50);
        if (!moved_scene(&scene, &other, turn, shift, as_parent) ||
            !scene_press(&other, press[0], press[1]))
            continue;
        if (scene.drag.rule != other.drag.rule || !scene_move(&scene, x, y) ||
            !scene_move(&other, x, y))
            continue;
        gz_affine whole = gz_affine_from_trs(&(gz_trs){shift, turn, {1, 1, 1}});
        gz_affine wanted = world_of(&whole, &scene.now),
                  got = world_of(&other.target.parent, &other.now);
        double size = scene.distance + gz_length(gz_sub(scene.now.t, scene.target.local.t));
        double slack = 1e-9 * size;
        hold_near(gz_length(gz_sub(wanted.origin, got.origin)), 0, slack, n);
        wanted.origin = got.origin;
        hold_near(affine_off(&wanted, &got), 0, 1e-9, n);
        compared++;
    }
    hold(compared > drags / 4, drags);
}

TEST(test_scaled_scene_gives_the_scaled_result)
{
    struct dice dice = {test_seed() + 12};
    long drags = test_count(10000);
    for (long n = 0; n < drags; n++) {
        struct scene scene, other;
        scene_throw(&scene, &dice, PARENT_NONE);
        double k = dice_scale(&dice, 1e-6, 1e6);
        if (!scene_start(&scene, &dice)) continue;
        const double *press = scene.press.at;
        double x = press[0] + dice_uniform(&dice, -50, 50),
               y = press[1] + dice_uniform(&dice, -50, 50);
        other = scene;
        other.eye.place = gz_scale(scene.eye.place, k);
        other.eye.near *= k;
        other.eye.far *= k;
        other.eye.height *= k;
        other.target.local.t = gz_scale(scene.target.local.t, k);
        hold(scene_build(&other) && scene_press(&other, press[0], press[1]), n);
        if (scene.drag.rule != other.drag.rule || !scene_move(&scene, x, y)) continue;
        hold(scene_move(&other, x, y), n);
        gz_vec3 off = gz_sub(gz_scale(other.now.t, 1 / k), scene.now.t);
        double size = scene.distance + gz_length(gz_sub(scene.now.t, scene.target.local.t));
        hold_near(gz_length(off), 0, 1e-9 * size, n);
        hold_near(quat_off(other.now.r, scene.now.r), 0, 1e-9, n);
        hold_near(gz_length(gz_sub(other.now.s, scene.now.s)), 0, 1e-9 * gz_length(scene.now.s), n);
    }
}

TEST(test_one_event_or_a_thousand_end_alike)
{
    struct dice dice = {test_seed() + 13};
    long drags = test_count(10000) / 40;
    for (long n = 0; n < drags; n++) {
        struct scene scene, many;
        scene_throw(&scene, &dice, (enum parent_kind)dice_below(&dice, PARENT_KINDS));
        scene.tool.ball = (enum gz_ball)dice_below(&dice, GZ_BALL_COUNT);
        scene.tool.snap =
            (struct gz_snap){.t = 0.1, .r = 0.2, .s = 0.3, .on = dice_below(&dice, 2) == 0};
        if (!scene_start(&scene, &dice)) continue;
        many = scene;
        double x = scene.press.at[0] + dice_uniform(&dice, -400, 400);
        double y = scene.press.at[1] + dice_uniform(&dice, -400, 400);
        for (int event = 0; event < 1000; event++) {
            double part = event / 999.0, off = 300 * sin(M_PI * part);
            (void)scene_move(&many,
                             scene.press.at[0] + part * (x - scene.press.at[0]) + off * sin(event),
                             scene.press.at[1] + part * (y - scene.press.at[1]) + off * cos(event));
        }
        bool one = scene_move(&scene, x, y), last = scene_move(&many, x, y);
        /* A ring that was led round is some turns on, and its snapped angle with it. */
        bool went_round =
            scene.drag.rule == GZ_RULE_RING && fabs(scene.drag.angle - many.drag.angle) > M_PI;
        if (went_round && scene.tool.snap.on) continue;
        hold(one == last && same_but_turns(&scene.now, many.now), n);
        hold(scene_move(&many, scene.press.at[0], scene.press.at[1]), n);
        hold(same_but_turns(&scene.target.local, many.now), n);
    }
}

TEST(test_press_and_hold_changes_no_bit)
{
    struct dice dice = {test_seed() + 14};
    long drags = test_count(10000);
    for (long n = 0; n < drags; n++) {
        struct scene scene;
        scene_throw(&scene, &dice, (enum parent_kind)dice_below(&dice, PARENT_KINDS));
        scene.tool.ball = (enum gz_ball)dice_below(&dice, GZ_BALL_COUNT);
        scene.tool.snap =
            (struct gz_snap){.t = 0.7, .r = 0.5, .s = 0.3, .on = true, .absolute = n % 2 == 0};
        if (!scene_start(&scene, &dice)) continue;
        for (uint32_t mods = 0; mods < 4; mods++) {
            hold(scene_move_with(&scene, scene.press.at[0], scene.press.at[1], mods) == GZ_SOLVE_OK,
                 n);
            hold(gz_trs_same(&scene.now, &scene.target.local), n);
        }
    }
}

TEST(test_components_that_a_handle_leaves_keep_their_bits)
{
    struct dice dice = {test_seed() + 15};
    long drags = test_count(10000);
    for (long n = 0; n < drags; n++) {
        struct scene scene;
        scene_throw(&scene, &dice, (enum parent_kind)dice_below(&dice, PARENT_KINDS));
        const gz_trs *start = &scene.target.local, *now = &scene.now;
        if (!scene_start(&scene, &dice)) continue;
        double x = scene.press.at[0] + dice_uniform(&dice, -200, 200);
        if (!scene_move(&scene, x, scene.press.at[1] + dice_uniform(&dice, -200, 200))) continue;
        bool moves = scene.handle <= GZ_TV, turns = scene.handle >= GZ_RX && scene.handle <= GZ_RB;
        hold(moves || same_bits(&now->t, &start->t, sizeof now->t), n);
        hold(turns || same_bits(&now->r, &start->r, sizeof now->r), n);
        hold(scene.handle >= GZ_SX || same_bits(&now->s, &start->s, sizeof now->s), n);
        hold(!(scene.handle == GZ_SX) || same_bits(&now->s.y, &start->s.y, 2 * sizeof(double)), n);
    }
}

TEST(test_press_without_an_answer_starts_nothing)
{
    struct dice dice = {test_seed() + 16};
    long drags = test_count(10000), refused = 0;
    for (long n = 0; n < drags; n++) {
        struct scene scene;
        struct reference reference;
        quad3 hit;
        scene_throw(&scene, &dice, PARENT_NONE);
        scene.handle = dice_handle(&dice, GZ_TXY, GZ_TZX);
        if (!scene_build(&scene) || !reference_init(&reference, &scene.camera.input)) continue;
        const double at[2] = {dice_uniform(&dice, 0, 1920), dice_uniform(&dice, 0, 1080)};
        const gz_vec3 *axes = scene.gizmo.axes;
        int i = (int)scene.handle - GZ_TXY;
        gz_vec3 normal = gz_cross(axes[i], axes[(i + 1) % 3]);
        quad3 origin = quad3_from(scene.gizmo.origin);
        memset(&scene.drag, 0x5a, sizeof scene.drag);
        struct gz_drag before = scene.drag;
        bool exists = reference_on_plane(&reference, origin, quad3_from(normal), at, &hit);
        bool begun = scene_press(&scene, at[0], at[1]);
        hold(exists || !begun, n);
        hold(begun || same_bits(&before, &scene.drag, sizeof before), n);
        refused += !begun;
    }
    hold(refused > drags / 100, drags);
}

int main(void)
{
    return run_properties();
}
