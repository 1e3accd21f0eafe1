/* Parents of every kind and selections of many nodes: the world gets what was asked for. */
#include <math.h>

#include "property/solver_scene.h"

#define NODES 9

static struct gz_motion any_motion(struct dice *dice, enum gz_motion_kind kind)
{
    struct gz_motion motion = gz_motion_none;
    motion.kind = kind;
    motion.translation = gz_scale(dice_direction(dice), dice_uniform(dice, 0, 10));
    motion.turn = dice_rotation(dice);
    motion.pivot = gz_scale(dice_direction(dice), dice_uniform(dice, 0, 10));
    double factor = dice_scale(dice, 0.1, 10);
    if (kind == GZ_MOTION_SCALE) motion.factor = (gz_vec3){factor, factor, factor};
    return motion;
}

/* The motion as a map of the world. */
static gz_affine as_affine(const struct gz_motion *motion)
{
    gz_affine map = gz_affine_identity;
    if (motion->kind == GZ_MOTION_TRANSLATE) map.origin = motion->translation;
    if (motion->kind == GZ_MOTION_ROTATE) map.linear = gz_mat3_from_quat(motion->turn);
    if (motion->kind == GZ_MOTION_SCALE)
        map.linear =
            (gz_mat3){{motion->factor.x, 0, 0}, {0, motion->factor.y, 0}, {0, 0, motion->factor.z}};
    if (motion->kind != GZ_MOTION_TRANSLATE)
        map.origin = gz_sub(motion->pivot, gz_mat3_apply(&map.linear, motion->pivot));
    return map;
}

static gz_affine moved_world(const struct gz_motion *motion, const gz_affine *world)
{
    gz_affine map = as_affine(motion);
    return gz_affine_multiply(&map, world);
}

/* Sizes from which a difference of places is judged: what was added up for them. */
static double place_size(const gz_affine *parent, const gz_trs *local,
                         const struct gz_motion *motion)
{
    const gz_mat3 *m = &parent->linear;
    double linear = sqrt(gz_dot(m->x, m->x) + gz_dot(m->y, m->y) + gz_dot(m->z, m->z));
    return gz_length(parent->origin) + linear * gz_length(local->t) + gz_length(motion->pivot) + 1;
}

TEST(test_place_is_as_asked_under_any_parent)
{
    struct dice dice = {test_seed() + 71};
    long drags = test_count(10000);
    for (long n = 0; n < drags; n++) {
        enum parent_kind kind = (enum parent_kind)dice_below(&dice, PARENT_KINDS);
        struct gz_target target = {dice_trs(&dice), dice_parent(&dice, kind), NULL};
        struct gz_motion motion =
            any_motion(&dice, (enum gz_motion_kind)(1 + dice_below(&dice, 3)));
        gz_trs now;
        hold(gz_motion_apply(&motion, &target, &target.parent, &now, NULL), n);
        gz_affine before = world_of(&target.parent, &target.local),
                  wanted = moved_world(&motion, &before);
        gz_vec3 got = gz_affine_apply(&target.parent, now.t);
        double size = place_size(&target.parent, &now, &motion) +
                      place_size(&target.parent, &target.local, &motion);
        hold_near(gz_length(gz_sub(got, wanted.origin)), 0, 1e-12 * size, n);
    }
}

TEST(test_turn_and_size_are_as_asked_under_uniform_parents)
{
    struct dice dice = {test_seed() + 72};
    long drags = test_count(10000);
    for (long n = 0; n < drags; n++) {
        enum parent_kind kind = dice_below(&dice, 2) ? PARENT_UNIFORM : PARENT_NONE;
        struct gz_target target = {dice_trs(&dice), dice_parent(&dice, kind), NULL};
        struct gz_motion motion =
            any_motion(&dice, (enum gz_motion_kind)(1 + dice_below(&dice, 3)));
        gz_trs now;
        double residual = 1;
        hold(gz_motion_apply(&motion, &target, &target.parent, &now, &residual), n);
        gz_affine before = world_of(&target.parent, &target.local),
                  wanted = moved_world(&motion, &before);
        gz_affine got = world_of(&target.parent, &now);
        got.origin = wanted.origin;
        hold_near(affine_off(&got, &wanted), 0, 1e-12, n);
        hold_near(residual, 0, 0, n);
    }
}

/* A mirror about one axis is neither uniform nor a turn: the polar rotation of -m is what the axis
 * goes through. */
TEST(test_turn_under_a_mirror_is_as_asked)
{
    struct dice dice = {test_seed() + 73};
    long drags = test_count(10000);
    for (long n = 0; n < drags; n++) {
        struct gz_target target = {dice_trs(&dice), dice_parent(&dice, PARENT_MIRRORED), NULL};
        struct gz_motion motion = any_motion(&dice, GZ_MOTION_ROTATE);
        gz_trs now;
        hold(gz_motion_apply(&motion, &target, &target.parent, &now, NULL), n);
        gz_affine before = world_of(&target.parent, &target.local),
                  wanted = moved_world(&motion, &before);
        gz_affine got = world_of(&target.parent, &now);
        got.origin = wanted.origin;
        hold_near(affine_off(&got, &wanted), 0, 1e-12, n);
    }
}

TEST(test_child_of_a_moved_node_moves_once)
{
    struct dice dice = {test_seed() + 74};
    long drags = test_count(10000);
    for (long n = 0; n < drags; n++) {
        struct gz_target target = {dice_trs(&dice), dice_parent(&dice, PARENT_UNIFORM), NULL};
        struct gz_motion motion =
            any_motion(&dice, (enum gz_motion_kind)(1 + dice_below(&dice, 3)));
        gz_trs child = dice_trs(&dice), now;
        gz_affine node_before = world_of(&target.parent, &target.local);
        gz_affine child_before = world_of(&node_before, &child);
        hold(gz_motion_apply(&motion, &target, &target.parent, &now, NULL), n);
        gz_affine node_after = world_of(&target.parent, &now), got = world_of(&node_after, &child);
        gz_affine wanted = moved_world(&motion, &child_before);
        double size = place_size(&target.parent, &now, &motion) +
                      place_size(&node_before, &child, &motion) +
                      place_size(&node_after, &child, &motion);
        hold_near(gz_length(gz_sub(got.origin, wanted.origin)), 0, 1e-12 * size, n);
        got.origin = wanted.origin;
        hold_near(affine_off(&got, &wanted), 0, 1e-12, n);
    }
}

static void shuffle(struct dice *dice, int order[NODES])
{
    for (int i = 0; i < NODES; i++) order[i] = i;
    for (int i = NODES - 1; i > 0; i--) {
        int j = dice_below(dice, i + 1), kept = order[i];
        order[i] = order[j];
        order[j] = kept;
    }
}

TEST(test_order_of_the_selection_changes_no_bit)
{
    static const gz_box box = {{-1, -2, -3}, {3, 2, 1}};
    struct dice dice = {test_seed() + 75};
    long drags = test_count(10000) / 4;
    for (long n = 0; n < drags; n++) {
        struct scene scene, other;
        struct gz_target targets[NODES], shuffled[NODES];
        int order[NODES];
        size_t active = 0;
        scene_throw(&scene, &dice, PARENT_NONE);
        scene.tool.pivot = (enum gz_pivot)(n % GZ_PIVOT_COUNT);
        scene.tool.pivot_point = scene.target.local.t;
        for (int i = 0; i < NODES; i++) {
            targets[i] = (struct gz_target){dice_trs(&dice), dice_parent(&dice, PARENT_UNIFORM),
                                            i % 2 ? &box : NULL};
            targets[i].parent.origin = scene.target.local.t;
        }
        shuffle(&dice, order);
        for (int i = 0; i < NODES; i++) {
            shuffled[i] = targets[order[i]];
            if (order[i] == 0) active = (size_t)i;
        }
        other = scene;
        if (!scene_build(&scene) || !scene_build(&other)) continue;
        bool one =
            gz_gizmo_build(&scene.gizmo, &scene.tool, &scene.camera, NULL, targets, NODES, 0);
        bool two =
            gz_gizmo_build(&other.gizmo, &other.tool, &other.camera, NULL, shuffled, NODES, active);
        hold(one == two, n);
        if (one) hold(same_bits(&scene.gizmo, &other.gizmo, sizeof scene.gizmo), n);
    }
}

static gz_vec3 median_of(const struct gz_target *targets)
{
    gz_vec3 sum = {0, 0, 0};
    for (int i = 0; i < NODES; i++)
        sum = gz_add(sum, gz_affine_apply(&targets[i].parent, targets[i].local.t));
    return gz_scale(sum, 1.0 / NODES);
}

TEST(test_pivots_are_where_they_are_said_to_be)
{
    struct dice dice = {test_seed() + 76};
    long drags = test_count(10000) / 4;
    for (long n = 0; n < drags; n++) {
        struct gz_target targets[NODES];
        struct gz_tool tool = gz_tool_default;
        struct gz_gizmo gizmo;
        gz_vec3 low = {HUGE_VAL, HUGE_VAL, HUGE_VAL}, high = gz_negate(low);
        for (int i = 0; i < NODES; i++) {
            targets[i] =
                (struct gz_target){dice_trs(&dice), dice_parent(&dice, PARENT_SHEARED), NULL};
            gz_vec3 o = gz_affine_apply(&targets[i].parent, targets[i].local.t);
            low = (gz_vec3){fmin(low.x, o.x), fmin(low.y, o.y), fmin(low.z, o.z)};
            high = (gz_vec3){fmax(high.x, o.x), fmax(high.y, o.y), fmax(high.z, o.z)};
        }
        size_t active = (size_t)dice_below(&dice, NODES);
        gz_vec3 own = gz_affine_apply(&targets[active].parent, targets[active].local.t);
        tool.pivot_point = dice_direction(&dice);
        const gz_vec3 wanted[GZ_PIVOT_COUNT] = {[GZ_PIVOT_MEDIAN] = median_of(targets),
                                                [GZ_PIVOT_ACTIVE] = own,
                                                [GZ_PIVOT_EACH] = own,
                                                [GZ_PIVOT_BOUNDS] =
                                                    gz_scale(gz_add(low, high), 0.5),
                                                [GZ_PIVOT_POINT] = tool.pivot_point};
        for (int pivot = 0; pivot < GZ_PIVOT_COUNT; pivot++) {
            tool.pivot = (enum gz_pivot)pivot;
            hold(gz_gizmo_build(&gizmo, &tool, NULL, NULL, targets, NODES, active), n);
            double slack = 1e-15 * NODES * (gz_length(low) + gz_length(high));
            hold_near(gz_length(gz_sub(gizmo.origin, wanted[pivot])), 0, slack, n);
            hold(gizmo.each == (pivot == GZ_PIVOT_EACH), n);
        }
    }
}

TEST(test_parent_that_moved_meanwhile_leaves_the_world_target)
{
    struct dice dice = {test_seed() + 77};
    long drags = test_count(10000);
    for (long n = 0; n < drags; n++) {
        struct gz_target target = {dice_trs(&dice), dice_parent(&dice, PARENT_UNIFORM), NULL};
        gz_affine other = dice_parent(&dice, PARENT_UNIFORM);
        struct gz_motion motion = any_motion(&dice, (enum gz_motion_kind)dice_below(&dice, 4));
        gz_trs usual, now, again;
        double residual;
        hold(gz_motion_apply(&motion, &target, &target.parent, &usual, NULL), n);
        hold(gz_motion_apply(&motion, &target, &other, &now, &residual), n);
        gz_affine wanted = world_of(&target.parent, &usual), got = world_of(&other, &now);
        double size = place_size(&target.parent, &usual, &motion) +
                      place_size(&other, &now, &motion) +
                      place_size(&target.parent, &target.local, &motion);
        hold_near(gz_length(gz_sub(got.origin, wanted.origin)), 0, 1e-12 * size, n);
        got.origin = wanted.origin;
        hold_near(affine_off(&got, &wanted), 0, 1e-12, n);
        hold_near(residual, 0, 1e-12, n);
        hold(gz_motion_apply(&motion, &target, &other, &again, NULL) && gz_trs_same(&again, &now),
             n);
        hold(gz_motion_apply(&motion, &target, &target.parent, &again, NULL) &&
                 gz_trs_same(&again, &usual),
             n);
    }
}

int main(void)
{
    return run_properties();
}
