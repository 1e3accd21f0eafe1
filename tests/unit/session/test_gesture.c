/* test_gesture.c - a gesture poses the nodes that it holds, follows their parents, puts them back,
 * and says what it did as an edit. */
#include <stdlib.h>
#include <string.h>

#include "core/gesture.h"
#include "support/cmocka.h"
#include "unit/scene/making.h"

#define SESSION 7

/* Node 4 hangs below 2; a gesture holds 4 and 5 and is to move them by a metre along x. */
struct place {
    struct gz_scene *scene;
    struct gz_arena arena;
    struct gz_gesture gesture;
    gz_trs before[2];
};

static const gz_trs *trs_of(const struct place *p, uint64_t id)
{
    return &gz_scene_find(p->scene, id)->trs;
}

static void begin_with(struct place *p, uint64_t a, uint64_t b)
{
    uint64_t ids[] = {a, b};
    struct gz_selection selection = {.ids = ids, .count = COUNT(ids)};
    p->scene = make_small_scene();
    gz_arena_init(&p->arena, 1 << 20);
    struct gz_targets targets = gz_targets_of(&selection, p->scene, &p->arena);
    p->gesture = (struct gz_gesture){.edit = {.id = 3, .kind = GZ_EDIT_TRANSLATE, .path_m = 1}};
    assert_true(gz_gesture_keep(&p->gesture, p->scene, &targets));
    assert_int_equal(p->gesture.count, 2);
    p->before[0] = *trs_of(p, a);
    p->before[1] = *trs_of(p, b);
    p->gesture.course->motion.kind = GZ_MOTION_TRANSLATE;
    p->gesture.course->motion.translation = (gz_vec3){1, 0, 0};
}

static void begin(struct place *p)
{
    begin_with(p, 4, 5);
}

static void end(struct place *p)
{
    gz_gesture_finish(&p->gesture);
    assert_null(p->gesture.targets);
    gz_arena_finish(&p->arena);
    gz_scene_destroy(p->scene);
}

static void move(struct place *p, uint64_t id, double x)
{
    struct gz_change change = make_change(p->scene, id);
    change.after.trs.t.x = x;
    apply(p->scene, &change, 1);
}

/* A whole pass. */
static void pose(struct place *p)
{
    gz_gesture_begin_pass(&p->gesture, p->scene);
    gz_gesture_go_on(&p->gesture, p->scene, SESSION, SIZE_MAX);
}

/* Poses the nodes again if a parent has moved; whether one has. */
static bool follow(struct place *p)
{
    const bool lags = gz_gesture_lags(&p->gesture, p->scene);
    if (lags) pose(p);
    return lags;
}

TEST(test_pose_and_restore)
{
    struct place p;
    begin(&p);
    assert_false(p.gesture.moved);
    pose(&p);
    assert_true(p.gesture.moved);
    assert_true(trs_of(&p, 4)->t.x == p.before[0].t.x + 1);
    assert_true(trs_of(&p, 5)->t.x == p.before[1].t.x + 1);
    gz_gesture_restore(&p.gesture, p.scene, SESSION);
    assert_trs_equal(trs_of(&p, 4), &p.before[0]);
    assert_trs_equal(trs_of(&p, 5), &p.before[1]);
    end(&p);
}

/* A node goes where the motion has it in the world, even if its parent goes elsewhere meanwhile. */
TEST(test_follow_a_parent)
{
    struct place p;
    begin(&p);
    move(&p, 2, 10);
    assert_false(follow(&p)); /* it has not moved yet */
    pose(&p);
    assert_false(follow(&p));
    gz_vec3 there = gz_scene_world(p.scene, gz_scene_find(p.scene, 4)).origin;
    move(&p, 2, 20);
    assert_true(follow(&p));
    gz_vec3 now = gz_scene_world(p.scene, gz_scene_find(p.scene, 4)).origin;
    assert_true(now.x == there.x);
    end(&p);
}

static double world_x(const struct place *p, uint64_t id)
{
    return gz_scene_world(p->scene, gz_scene_find(p->scene, id)).origin.x;
}

/* Nodes 2 and 3, which hang below 1, are posed one after the other. */
TEST(test_follow_a_parent_that_moves_within_a_pass)
{
    struct place p;
    begin_with(&p, 2, 3);
    for (int back = 0; back <= 1; back++) { /* it may be back where it was by the end */
        const double left = world_x(&p, 1), right = left + 10;
        gz_gesture_begin_pass(&p.gesture, p.scene);
        gz_gesture_go_on(&p.gesture, p.scene, SESSION, 1);
        move(&p, 1, right);
        gz_gesture_go_on(&p.gesture, p.scene, SESSION, 1);
        if (back > 0) move(&p, 1, left);
        assert_true(follow(&p));
        assert_true(world_x(&p, 2) == 1);
        assert_true(world_x(&p, 3) == 1);
        assert_false(follow(&p));
    }
    end(&p);
}

/* Each parent is looked at, though nodes that follow one another share theirs. */
TEST(test_follow_the_parent_of_the_last_node)
{
    struct place p;
    begin_with(&p, 5, 4);
    pose(&p);
    move(&p, 2, 10);
    assert_true(follow(&p));
    assert_true(world_x(&p, 4) == 1);
    end(&p);
}

TEST(test_check_names_the_node_that_cannot_go)
{
    struct place p;
    struct gz_failure failure = {.node = 0};
    begin(&p);
    assert_int_equal(gz_gesture_check(&p.gesture, p.scene, &p.gesture.course->motion, &failure),
                     GZ_OK);
    p.gesture.course->motion.translation.x = 2 * GZ_COORDINATE_MAX;
    assert_int_equal(gz_gesture_check(&p.gesture, p.scene, &p.gesture.course->motion, &failure),
                     GZ_BAD_VALUE);
    assert_int_equal(failure.node, 4);
    end(&p);
}

/* The same before it moved, on its way and at its end: a change for each node that it holds. */
TEST(test_describe)
{
    struct place p;
    struct gz_edit_record edit;
    begin(&p);
    assert_true(gz_gesture_describe(&p.gesture, p.scene, &p.arena, &edit));
    assert_int_equal(edit.change_count, 2);
    assert_false(gz_change_is_real(&edit.changes[0]));
    pose(&p);
    assert_true(gz_gesture_describe(&p.gesture, p.scene, &p.arena, &edit));
    assert_int_equal(edit.id, 3);
    assert_int_equal(edit.kind, GZ_EDIT_TRANSLATE);
    for (size_t i = 0; i < edit.change_count; i++) {
        const struct gz_change *change = &edit.changes[i];
        assert_int_equal(change->node, p.gesture.ids[i]);
        assert_true(gz_change_is_real(change));
        assert_trs_equal(&change->before.trs, &p.before[i]);
        assert_trs_equal(&change->after.trs, trs_of(&p, change->node));
        assert_ptr_not_equal(change->after.name, gz_scene_find(p.scene, change->node)->name);
    }
    end(&p);
}
