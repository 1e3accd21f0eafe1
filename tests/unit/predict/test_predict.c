/* What a client computes itself of what the server is about to answer: which events go together,
 * what is refused, and what a parent that moves does to a drag. The numbers are the solver's, and
 * the daemon's: test_predict_records and the JavaScript tests of solver.js compare those. */
#include "client/predict/predict.h"

#include "unit/solver/stage.h"

/* Looks at two nodes, the second one active. */
static struct gz_predict watching(void)
{
    struct gz_predict predict;
    const struct gz_camera camera = camera_at(0, 0, 10);
    const struct gz_target targets[] = {node_at(-1, 0, 0), node_at(1, 0, 0)};
    gz_predict_init(&predict);
    assert_true(gz_predict_camera(&predict, &camera.input, NULL));
    assert_true(gz_predict_targets(&predict, targets, 2, 1));
    return predict;
}

static struct gz_pointer at(double x, double y)
{
    return (struct gz_pointer){.at = {x, y}};
}

TEST(test_drag_moves_the_targets_and_the_gizmo)
{
    struct gz_predict predict = watching();
    struct gz_gizmo_state gizmo;
    const struct gz_pointer press = at(1000, 540), place = at(1100, 540);
    enum gz_handle handle = gz_predict_pick(&predict, &press);
    assert_int_equal(handle, GZ_TX);
    assert_int_equal(gz_predict_press(&predict, handle, &press, 0), GZ_SOLVE_OK);
    assert_int_equal(gz_predict_move(&predict, &place, 0), GZ_SOLVE_OK);
    assert_true(predict.poses[0].t.x > -1 && predict.poses[1].t.x > 1);
    assert_true(gz_predict_gizmo(&predict, &gizmo));
    assert_int_equal(gizmo.active, GZ_TX);
    assert_int_equal(gizmo.value_count, 1);
    assert_near(gizmo.origin.x, gizmo.value[0], 1e-12);
    assert_true(gizmo.start.x == 0);
    gz_predict_end(&predict);
    assert_true(gz_predict_gizmo(&predict, &gizmo));
    assert_int_equal(gizmo.active, GZ_HANDLE_NONE);
    assert_int_equal(gizmo.hover, GZ_TX); /* the pointer stays where the drag has left it */
    gz_predict_finish(&predict);
}

TEST(test_typed_value_counts_from_then_on)
{
    struct gz_predict predict = watching();
    const struct gz_pointer place = at(1100, 540);
    const double half[] = {0.5, 0.5}, beyond = GZ_COORDINATE_MAX;
    assert_int_equal(gz_predict_value(&predict, half, 1), GZ_SOLVE_NONE);
    assert_int_equal(gz_predict_press(&predict, GZ_TX, NULL, 0), GZ_SOLVE_OK);
    assert_int_equal(gz_predict_value(&predict, half, 2), GZ_SOLVE_KEPT);
    assert_int_equal(gz_predict_value(&predict, &beyond, 1), GZ_SOLVE_KEPT);
    assert_true(predict.poses[0].t.x == -1);
    assert_int_equal(gz_predict_value(&predict, half, 1), GZ_SOLVE_OK);
    assert_int_equal(gz_predict_move(&predict, &place, 0), GZ_SOLVE_KEPT);
    assert_true(predict.poses[0].t.x == -0.5 && predict.poses[1].t.x == 1.5);
    gz_predict_finish(&predict);
}

/* The targets as the server has them, beneath a parent that somebody moved. */
static bool move_parent(struct gz_predict *predict, double x)
{
    struct gz_target targets[] = {node_at(-1, 0, 0), node_at(1, 0, 0)};
    targets[0].parent.origin.x = targets[1].parent.origin.x = x;
    return gz_predict_targets(predict, targets, 2, 1);
}

TEST(test_parent_that_moves_takes_along_what_did_not_move_yet)
{
    struct gz_predict predict = watching();
    const double half = 0.5;
    assert_int_equal(gz_predict_press(&predict, GZ_TX, NULL, 0), GZ_SOLVE_OK);
    assert_true(move_parent(&predict, 3));
    assert_true(predict.poses[1].t.x == 1);
    assert_int_equal(gz_predict_value(&predict, &half, 1), GZ_SOLVE_OK);
    assert_true(predict.poses[1].t.x == -1.5); /* 1.5 in the world */
    assert_true(move_parent(&predict, 1));
    assert_true(predict.poses[1].t.x == 0.5);
    gz_predict_finish(&predict);
}

TEST(test_one_gesture_at_a_time)
{
    struct gz_predict predict = watching();
    const struct gz_pointer press = at(1000, 540);
    const struct gz_target other = node_at(0, 0, 0);
    assert_int_equal(gz_predict_press(&predict, GZ_TX, &press, 0), GZ_SOLVE_OK);
    assert_int_equal(gz_predict_press(&predict, GZ_TY, &press, 0), GZ_SOLVE_NONE);
    assert_int_equal(gz_predict_wheel(&predict, 1), GZ_SOLVE_NONE);
    assert_false(gz_predict_orbit_begin(&predict, (gz_vec3){0, 0, 0}, &press));
    assert_false(gz_predict_targets(&predict, &other, 1, 0)); /* it holds two */
    assert_int_equal(predict.count, 2);
    gz_predict_end(&predict);
    assert_int_equal(gz_predict_wheel(&predict, 1), GZ_SOLVE_OK);
    assert_int_equal(gz_predict_press(&predict, GZ_TY, &press, 0), GZ_SOLVE_OK); /* gives way */
    assert_near(predict.poses[1].s.x, 1.1, 1e-15);
    gz_predict_finish(&predict);
}

TEST(test_wheel_is_solved_from_its_beginning)
{
    struct gz_predict predict = watching();
    assert_int_equal(gz_predict_wheel(&predict, 3), GZ_SOLVE_OK);
    assert_int_equal(gz_predict_wheel(&predict, -1), GZ_SOLVE_OK);
    assert_true(predict.poses[0].s.x == 1.1 * 1.1);
    assert_int_equal(gz_predict_wheel(&predict, 1e9), GZ_SOLVE_KEPT);
    assert_true(predict.poses[0].s.x == 1.1 * 1.1);
    assert_int_equal(gz_predict_wheel(&predict, -2), GZ_SOLVE_OK);
    assert_true(predict.poses[0].s.x == 1 && predict.poses[0].t.x == -1);
    gz_predict_finish(&predict);
}

TEST(test_camera_that_turns_keeps_what_was_grabbed_under_the_pointer)
{
    struct gz_predict predict = watching();
    const struct gz_pointer press = at(1000, 540);
    const struct gz_camera aside = camera_at(2, 0, 10);
    struct gz_camera_input none = aside.input;
    none.viewport[2] = 0;
    assert_int_equal(gz_predict_press(&predict, GZ_TX, &press, 0), GZ_SOLVE_OK);
    assert_false(gz_predict_camera(&predict, &none, NULL));
    assert_true(predict.poses[0].t.x == -1);
    assert_true(gz_predict_camera(&predict, &aside.input, NULL));
    assert_near(predict.poses[0].t.x, 1, 1e-9);
    gz_predict_finish(&predict);
}

TEST(test_orbit_and_dolly_move_the_camera)
{
    struct gz_predict predict = watching();
    const struct gz_pointer press = at(960, 540), place = at(1000, 500);
    const gz_vec3 centre = {0, 0, 0};
    double view[16];
    assert_int_equal(gz_predict_orbit_move(&predict, &place, 0, view), GZ_SOLVE_NONE);
    assert_true(gz_predict_orbit_begin(&predict, centre, &press));
    assert_int_equal(gz_predict_orbit_move(&predict, &place, 0, view), GZ_SOLVE_OK);
    assert_memory_equal(predict.camera.input.view, view, sizeof view);
    assert_near(gz_length(predict.camera.eye), 10, 1e-9);
    gz_predict_end(&predict);
    assert_true(gz_predict_dolly(&predict, centre, 1, view));
    assert_near(gz_length(predict.camera.eye), 9, 1e-9);
    assert_false(gz_predict_dolly(&predict, centre, NAN, view));
    gz_predict_finish(&predict);
}

TEST(test_without_camera_or_targets_there_is_no_drag)
{
    struct gz_predict predict;
    struct gz_gizmo_state gizmo;
    const struct gz_pointer pixel = at(1000, 540),
                            ray = {.is_ray = true, .origin = {0.3, 0, 9}, .direction = {0, 0, -1}};
    const struct gz_target target = node_at(0, 0, 0);
    gz_predict_init(&predict);
    assert_false(gz_predict_gizmo(&predict, &gizmo));
    assert_int_equal(gz_predict_press(&predict, GZ_TX, &ray, 0), GZ_SOLVE_NONE);
    assert_false(gz_predict_targets(&predict, &target, 1, 1));
    assert_false(gz_predict_targets(&predict, &target, SIZE_MAX, 0));
    assert_true(gz_predict_targets(&predict, &target, 1, 0));
    assert_int_equal(gz_predict_pick(&predict, &pixel), GZ_HANDLE_NONE);
    assert_int_equal(gz_predict_press(&predict, GZ_TX, &pixel, 0), GZ_SOLVE_NONE);
    assert_int_equal(gz_predict_pick(&predict, &ray), GZ_TX);
    assert_int_equal(gz_predict_press(&predict, GZ_TX, &ray, 0), GZ_SOLVE_OK);
    assert_int_equal(gz_predict_move(&predict, &pixel, 0), GZ_SOLVE_KEPT);
    gz_predict_finish(&predict);
}

TEST(test_a_hand_has_the_gizmo_at_its_own_angle)
{
    struct gz_predict predict;
    struct gz_gizmo_state gizmo;
    const struct gz_target target = node_at(0, 0, 0);
    const struct gz_pointer near = {.is_ray = true,
                                    .origin = {0, 0, 1},
                                    .direction = {0.08, 0, -1}},
                            far = {
                                .is_ray = true, .origin = {0, 0, 50}, .direction = {0.08, 0, -1}};
    gz_predict_init(&predict);
    assert_true(gz_predict_targets(&predict, &target, 1, 0));
    assert_true(gz_predict_gizmo(&predict, &gizmo));
    assert_near(gizmo.size, 0.192, 1e-12);
    gz_predict_point(&predict, &near);
    assert_true(gz_predict_gizmo(&predict, &gizmo));
    assert_near(gizmo.size, 0.096, 1e-12);
    assert_int_equal(gizmo.hover, GZ_TX);
    /* A press counts by its own hand, not by the last one's. */
    assert_int_equal(gz_predict_pick(&predict, &far), GZ_TX);
    assert_int_equal(gz_predict_press(&predict, GZ_TX, &far, 0), GZ_SOLVE_OK);
    assert_true(gz_predict_gizmo(&predict, &gizmo));
    assert_near(gizmo.size, 4.8, 1e-12);
    gz_predict_finish(&predict);
}
