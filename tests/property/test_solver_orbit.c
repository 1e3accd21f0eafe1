/* The turntable: a view that is turned without being tilted sideways. Over random cameras, then
 * over what it does at the poles. */
#include <math.h>

#include "property/solver_scene.h"

static const gz_vec3 up = {0, 1, 0};

struct table {
    gz_vec3 centre;
    struct eye eye;
    struct gz_camera camera, now; /* at the press; after the last move */
    struct gz_orbit orbit;
    struct gz_pointer press;
    double height_px;
};

/* The eye at another attitude, the centre where it was in its picture. */
static void turn_eye(struct table *table, gz_quat turn)
{
    struct eye *eye = &table->eye;
    gz_vec3 seen = gz_rotate(gz_quat_conjugate(eye->turn), gz_sub(eye->place, table->centre));
    eye->turn = turn;
    eye->place = gz_add(table->centre, gz_rotate(turn, seen));
}

/* Pitch: 0 looks along the horizon, pi/2 straight down. Roll 0 is level. */
static gz_quat attitude(double yaw, double pitch, double roll)
{
    gz_quat level =
        gz_quat_multiply(gz_quat_about(up, yaw), gz_quat_about((gz_vec3){1, 0, 0}, -pitch));
    return gz_quat_multiply(level, gz_quat_about((gz_vec3){0, 0, 1}, roll));
}

static void throw_table(struct table *table, struct dice *dice)
{
    memset(table, 0, sizeof *table);
    table->centre = gz_scale(dice_direction(dice), dice_uniform(dice, 0, 10));
    table->eye = dice_eye(dice, table->centre, dice_scale(dice, 0.5, 50));
}

static bool begin_from(struct table *table, const struct gz_camera *camera, double x, double y)
{
    struct gz_tool tool = gz_tool_default;
    tool.orbit = GZ_ORBIT_TURNTABLE;
    table->camera = table->now = *camera;
    table->height_px = camera->input.viewport[3];
    table->press = (struct gz_pointer){.at = {x, y}};
    return gz_orbit_begin(&table->orbit, &tool, camera, table->centre, &table->press) ==
           GZ_SOLVE_OK;
}

static bool begin(struct table *table)
{
    struct gz_camera_input input = eye_matrices(&table->eye);
    struct gz_camera camera;
    return gz_camera_prepare(&camera, &input, NULL) && begin_from(table, &camera, 200, 300);
}

/* By turns: of a whole height of the viewport each. */
static enum gz_solve move(struct table *table, double across, double down)
{
    struct gz_camera_input input = table->camera.input;
    struct gz_pointer pointer = table->press;
    pointer.at[0] += across * table->height_px;
    pointer.at[1] += down * table->height_px;
    enum gz_solve solved = gz_orbit_solve(&table->orbit, &pointer, 0, input.view);
    assert_true(gz_camera_prepare(&table->now, &input, NULL));
    return solved;
}

static double pixels_moved(const struct table *table)
{
    double before[2], after[2];
    assert_true(gz_camera_project(&table->camera, table->centre, before, NULL));
    assert_true(gz_camera_project(&table->now, table->centre, after, NULL));
    return pixels_between(before, after);
}

static double distance(const struct table *table, const struct gz_camera *camera)
{
    return gz_length(gz_sub(camera->eye, table->centre));
}

TEST(test_turntable_keeps_roll_pivot_and_distance)
{
    struct dice dice = {test_seed() + 81};
    long drags = test_count(10000);
    for (long n = 0; n < drags; n++) {
        struct table table;
        throw_table(&table, &dice);
        hold(begin(&table), n);
        double view[16], across = dice_uniform(&dice, -3, 3), down = dice_uniform(&dice, -1, 1);
        hold(move(&table, across, down) != GZ_SOLVE_KEPT, n);
        memcpy(view, table.now.input.view, sizeof view);
        hold_near(table.now.right.y, table.camera.right.y, 1e-13, n);
        hold_near(pixels_moved(&table), 0, 1e-6, n);
        hold_near(distance(&table, &table.now) / distance(&table, &table.camera), 1, 1e-12, n);
        (void)move(&table, dice_uniform(&dice, -3, 3), dice_uniform(&dice, -1, 1));
        (void)move(&table, across, down); /* only press and now count */
        hold(same_bits(view, table.now.input.view, sizeof view), n);
        hold(move(&table, 0, 0) == GZ_SOLVE_OK, n);
        hold(same_bits(table.camera.input.view, table.now.input.view, sizeof view), n);
    }
}

TEST(test_turntable_turns_by_the_pointers_way)
{
    struct dice dice = {test_seed() + 82};
    long drags = test_count(10000);
    for (long n = 0; n < drags; n++) {
        struct table table;
        double yaw = dice_uniform(&dice, -M_PI, M_PI), pitch = dice_uniform(&dice, -1.5, 1.5);
        double across = dice_uniform(&dice, -2, 2), to = dice_uniform(&dice, -1.5, 1.5);
        throw_table(&table, &dice);
        turn_eye(&table, attitude(yaw, pitch, 0));
        hold(begin(&table), n);
        hold(move(&table, across, (to - pitch) / (2 * M_PI)) == GZ_SOLVE_OK, n);
        /* The scene goes with the pointer, so the camera goes round the other way. */
        gz_quat wanted = attitude(yaw - 2 * M_PI * across, to, 0);
        gz_vec3 right = gz_rotate(wanted, (gz_vec3){1, 0, 0}),
                backward = gz_rotate(wanted, (gz_vec3){0, 0, 1});
        hold_near(gz_length(gz_sub(table.now.right, right)), 0, 1e-12, n);
        hold_near(gz_length(gz_sub(table.now.backward, backward)), 0, 1e-12, n);
    }
}

/* Each drag begins where the one before ended, at the poles too. */
TEST(test_turntable_stays_level_over_many_drags)
{
    struct dice dice = {test_seed() + 83};
    struct table table;
    long drags = test_count(10000), at_poles = 0;
    throw_table(&table, &dice);
    turn_eye(&table, attitude(0.3, 0.4, 0));
    assert_true(begin(&table));
    double first = distance(&table, &table.camera);
    for (long n = 0; n < drags; n++) {
        struct gz_camera camera = table.now;
        hold(begin_from(&table, &camera, 0, 0), n);
        at_poles += move(&table, dice_uniform(&dice, -2, 2), dice_uniform(&dice, -0.4, 0.4)) ==
                    GZ_SOLVE_CLAMPED;
        hold_near(table.now.right.y, 0, 1e-10, n);
        hold(table.now.up.y > -1e-9, n);
    }
    hold(at_poles > drags / 10, drags);
    assert_true(fabs(distance(&table, &table.now) / first - 1) < 1e-9);
}

TEST(test_turntable_stops_at_the_poles)
{
    struct dice dice = {test_seed() + 84};
    long drags = test_count(10000) / 10;
    for (long n = 0; n < drags; n++) {
        struct table table;
        double yaw = dice_uniform(&dice, -M_PI, M_PI), side = dice_below(&dice, 2) ? 1 : -1;
        throw_table(&table, &dice);
        turn_eye(&table, attitude(yaw, dice_uniform(&dice, -1.5, 1.5), 0));
        hold(begin(&table), n);
        hold(move(&table, 0, side * dice_uniform(&dice, 0.5, 100)) == GZ_SOLVE_CLAMPED, n);
        hold_near(table.now.backward.y, side, 1e-15, n);
        gz_vec3 right = table.now.right;
        struct gz_camera pole = table.now;
        hold(begin_from(&table, &pole, 0, 0), n);
        hold(move(&table, 0, side * 0.1) == GZ_SOLVE_CLAMPED, n);
        hold_near(table.now.backward.y, side, 1e-15, n);
        (void)move(&table, 0.125, 0); /* round the pole: an eighth of a turn */
        hold_near(gz_dot(gz_cross(table.now.right, right), up), sin(M_PI / 4), 1e-12, n);
        hold(move(&table, 0, -side * 0.125) == GZ_SOLVE_OK, n);
        hold_near(table.now.backward.y, side * sin(M_PI / 4), 1e-12, n);
        hold(table.now.up.y > 0, n);
    }
}

TEST(test_turntable_upside_down_comes_upright)
{
    struct dice dice = {test_seed() + 85};
    long drags = test_count(10000) / 10;
    for (long n = 0; n < drags; n++) {
        struct table table;
        double side = dice_below(&dice, 2) ? 1 : -1, over = dice_uniform(&dice, 0.1, 1.4);
        throw_table(&table, &dice);
        turn_eye(&table, attitude(dice_uniform(&dice, -M_PI, M_PI), side * (M_PI / 2 + over), 0));
        hold(begin(&table), n);
        hold(move(&table, 0, side * 0.2) == GZ_SOLVE_CLAMPED, n); /* no further over */
        hold_near(gz_length(gz_sub(table.now.backward, table.camera.backward)), 0, 1e-12, n);
        hold(move(&table, 0, -side * (over + 1) / (2 * M_PI)) == GZ_SOLVE_OK, n);
        hold_near(table.now.up.y, sin(1), 1e-12, n);
        /* What is near goes to the right with the pointer. */
        gz_vec3 near = gz_add(table.centre, gz_scale(table.camera.backward, 1e-3));
        double before[2], after[2];
        (void)move(&table, 0.001, 0);
        assert_true(gz_camera_project(&table.camera, near, before, NULL));
        assert_true(gz_camera_project(&table.now, near, after, NULL));
        hold(after[0] > before[0], n);
    }
}

TEST(test_turntable_fine_is_a_tenth)
{
    struct dice dice = {test_seed() + 86};
    struct table table, slow;
    throw_table(&table, &dice);
    turn_eye(&table, attitude(0.3, 0.4, 0));
    assert_true(begin(&table));
    slow = table;
    struct gz_camera_input input = slow.camera.input;
    struct gz_pointer pointer = {.at = {slow.press.at[0] + 100, slow.press.at[1] - 50}};
    assert_int_equal(gz_orbit_solve(&slow.orbit, &pointer, 1u << GZ_MOD_FINE, input.view),
                     GZ_SOLVE_OK);
    (void)move(&table, 10 / table.height_px, -5 / table.height_px);
    for (int i = 0; i < 16; i++) hold_near(input.view[i], table.now.input.view[i], 1e-9, i);
}

int main(void)
{
    return run_properties();
}
