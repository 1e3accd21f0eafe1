/* Cameras: what is refused, what the frame is; orbit and dolly, which make new ones. Null
 * pointers. */
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "unit/solver/stage.h"

TEST(test_unusable_cameras_are_refused_in_words)
{
    static const struct {
        size_t offset;
        double value;
        const char *word;
    } cases[] = {
        {offsetof(struct gz_camera_input, view), NAN, "view"},
        {offsetof(struct gz_camera_input, proj), INFINITY, "proj"},
        {offsetof(struct gz_camera_input, proj), 0, "proj"},
        {offsetof(struct gz_camera_input, viewport) + 2 * sizeof(double), 0, "viewport"},
        {offsetof(struct gz_camera_input, viewport) + 3 * sizeof(double), -5, "viewport"},
        {offsetof(struct gz_camera_input, viewport), NAN, "viewport"},
        {offsetof(struct gz_camera_input, view) + 3 * sizeof(double), 1, "view"},
        {offsetof(struct gz_camera_input, view) + 10 * sizeof(double), 0, "view"},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct gz_camera camera = camera_at(0, 0, 5), before = camera;
        struct gz_camera_input input = camera.input;
        memcpy((char *)&input + cases[i].offset, &cases[i].value, sizeof cases[i].value);
        const char *why = NULL;
        assert_false(gz_camera_prepare(&camera, &input, &why));
        assert_non_null(why);
        assert_non_null(strstr(why, cases[i].word));
        assert_memory_equal(&camera, &before, sizeof camera);
        assert_false(gz_camera_prepare(&camera, &input, NULL));
    }
}

/* What an inversion in float32 leaves in the last row: every such camera is taken, and sees what
 * the exact one sees. A row that is off by more means something else. */
TEST(test_cameras_of_float32_are_taken)
{
    const struct gz_camera exact = camera_look((gz_vec3){3, -4, 5}, (gz_vec3){0, 1, 0});
    static const double off[] = {2.4e-7, -2.4e-7, 9.9e-7};
    for (size_t i = 0; i < COUNT(off); i++)
        for (int last = 3; last < 16; last += 4) {
            struct gz_camera_input input = exact.input;
            struct gz_camera camera;
            double at[2], here[2];
            if (last == 15)
                for (int k = 0; k < 15; k++) input.view[k] *= 1 + off[i];
            input.view[last] += off[i];
            assert_true(gz_camera_prepare(&camera, &input, NULL));
            assert_near(camera.input.view[last], last == 15, 0);
            assert_true(gz_camera_project(&camera, (gz_vec3){0.5, 1, 0.25}, at, NULL));
            assert_true(gz_camera_project(&exact, (gz_vec3){0.5, 1, 0.25}, here, NULL));
            assert_near(at[0], here[0], 1e-9);
            assert_near(at[1], here[1], 1e-9);
            input.view[last] += 2e-6;
            assert_false(gz_camera_prepare(&camera, &input, NULL));
        }
}

/* Depth of -1 to 1, 0 to 1, 1 to 0, and both of these without an end. */
static void write_depth(double proj[16], int kind)
{
    const double n = 0.1, f = 1000;
    const double rows[5][2] = {{-(f + n) / (f - n), -2 * f * n / (f - n)},
                               {-f / (f - n), -f * n / (f - n)},
                               {n / (f - n), f * n / (f - n)},
                               {-1, -2 * n},
                               {0, n}};
    proj[10] = rows[kind][0];
    proj[14] = rows[kind][1];
}

/* Clip coordinates with every sign turned are the same picture, though nothing of it is in front.
 */
TEST(test_projections_times_a_negative_number_show_the_same)
{
    for (int kind = 0; kind < 5 * 2 * 2; kind++) {
        struct gz_camera exact = camera_look((gz_vec3){3, -4, 5}, (gz_vec3){0, 1, 0}), turned;
        struct gz_camera_input input = exact.input;
        write_depth(input.proj, kind / 4);
        if (kind & 2) input.ndc_y_down = true;
        if (kind & 1) { /* the viewer looks along +z */
            for (int row = 0; row < 16; row += 4) input.view[row + 2] = -input.view[row + 2];
            for (int row = 0; row < 4; row++) input.proj[8 + row] = -input.proj[8 + row];
        }
        double at[2], here[2];
        const gz_vec3 place = {0.5, 1, 0.25};
        assert_true(gz_camera_prepare(&exact, &input, NULL));
        assert_true(gz_camera_project(&exact, place, here, NULL));
        for (int i = 0; i < 16; i++) input.proj[i] *= -3;
        assert_true(gz_camera_prepare(&turned, &input, NULL));
        assert_true(gz_camera_project(&turned, place, at, NULL));
        assert_near(at[0], here[0], 1e-9);
        assert_near(at[1], here[1], 1e-9);
        assert_vec3(turned.right, exact.right.x, exact.right.y, exact.right.z, 1e-12);
    }
}

TEST(test_frame_is_the_screens)
{
    gz_vec3 eye = {3, -4, 5};
    struct gz_camera cameras[] = {camera_look(eye, (gz_vec3){0, 1, 0}),
                                  camera_ortho(eye, (gz_vec3){0, 1, 0}, 8)};
    for (size_t i = 0; i < COUNT(cameras); i++) {
        const struct gz_camera *c = &cameras[i];
        double a[2], b[2];
        assert_int_equal(c->perspective, i == 0);
        assert_vec3(c->eye, 3, -4, 5, 1e-14);
        assert_true(gz_camera_project(c, (gz_vec3){0, 1, 0}, a, NULL));
        assert_near(a[0], 960, 1e-9);
        assert_near(a[1], 540, 1e-9);
        assert_true(gz_camera_project(c, gz_add((gz_vec3){0, 1, 0}, c->right), b, NULL));
        assert_true(b[0] > a[0]);
        assert_near(b[1], a[1], 1e-9);
        assert_true(gz_camera_project(c, gz_add((gz_vec3){0, 1, 0}, c->up), b, NULL));
        assert_true(b[1] < a[1]);
        assert_true(gz_dot(c->backward, gz_sub(eye, (gz_vec3){0, 1, 0})) > 0);
        assert_vec3(gz_cross(c->right, c->up), c->backward.x, c->backward.y, c->backward.z, 1e-14);
    }
    assert_false(gz_camera_project(&cameras[0], (gz_vec3){6, -9, 10}, (double[2]){0, 0}, NULL));
    assert_near(gz_camera_pixel_size(&cameras[1], eye), 8 / 1080.0, 1e-15);
}

TEST(test_orbit_turns_the_scene_under_the_pointer)
{
    struct gz_camera camera = camera_look((gz_vec3){3, 2, 6}, (gz_vec3){1, 0, 0});
    struct gz_tool tool = gz_tool_default;
    gz_vec3 centre = {1, 0, 0};
    struct gz_orbit orbit;
    struct gz_pointer pointer = {.at = {980, 530}};
    double view[16], back[16];
    assert_int_equal(gz_orbit_begin(&orbit, &tool, &camera, centre, &pointer), GZ_SOLVE_OK);
    gz_vec3 grabbed = gz_add(centre, gz_scale(orbit.drag.ball_press, orbit.drag.gain));
    pointer.at[0] = 1010;
    pointer.at[1] = 560;
    assert_int_equal(gz_orbit_solve(&orbit, &pointer, 0, view), GZ_SOLVE_OK);
    struct gz_camera_input input = camera.input;
    memcpy(input.view, view, sizeof view);
    struct gz_camera now;
    double at[2];
    assert_true(gz_camera_prepare(&now, &input, NULL));
    assert_true(gz_camera_project(&now, grabbed, at, NULL));
    assert_near(at[0], 1010, 1e-9);
    assert_near(at[1], 560, 1e-9);
    assert_near(gz_length(gz_sub(now.eye, centre)), gz_length(gz_sub(camera.eye, centre)), 1e-12);
    pointer.at[0] = 980;
    pointer.at[1] = 530;
    assert_int_equal(gz_orbit_solve(&orbit, &pointer, 0, back), GZ_SOLVE_OK);
    assert_memory_equal(back, camera.input.view, sizeof back);
    struct gz_pointer ray = {.is_ray = true, .direction = {0, 0, -1}};
    assert_int_equal(gz_orbit_begin(&orbit, &tool, &camera, centre, &ray), GZ_SOLVE_NONE);
}

TEST(test_dolly_changes_the_distance_by_the_factor)
{
    gz_vec3 eye = {3, 2, 6}, centre = {1, 0, 0};
    struct gz_camera cameras[] = {camera_look(eye, centre), camera_ortho(eye, centre, 8)};
    for (size_t i = 0; i < COUNT(cameras); i++) {
        struct gz_camera_input input = cameras[i].input;
        struct gz_camera now;
        double before = gz_camera_pixel_size(&cameras[i], centre), at[2], was[2];
        assert_true(gz_orbit_dolly(&cameras[i], centre, 0.9, input.view));
        assert_true(gz_camera_prepare(&now, &input, NULL));
        assert_near(gz_camera_pixel_size(&now, centre), 0.9 * before, 1e-15);
        assert_true(gz_camera_project(&cameras[i], centre, was, NULL));
        assert_true(gz_camera_project(&now, centre, at, NULL));
        assert_near(at[0], was[0], 1e-9);
        assert_near(at[1], was[1], 1e-9);
        assert_false(gz_orbit_dolly(&cameras[i], centre, 0, input.view));
        assert_false(gz_orbit_dolly(&cameras[i], centre, NAN, input.view));
    }
}

static void apply_to_nothing(void)
{
    gz_trs local;
    (void)gz_motion_apply(&gz_motion_none, NULL, &gz_affine_identity, &local, NULL);
}

static void build_of_nothing(void)
{
    struct gz_gizmo gizmo;
    (void)gz_gizmo_build(&gizmo, &gz_tool_default, NULL, NULL, NULL, 1, 0);
}

static void begin_without_gizmo(void)
{
    struct gz_drag drag;
    (void)gz_drag_begin(&drag, GZ_TX, NULL, &gz_tool_default, NULL, NULL, 0);
}

TEST(test_null_pointers_stop_builds_with_assertions)
{
#ifdef NDEBUG
    (void)apply_to_nothing, (void)build_of_nothing, (void)begin_without_gizmo;
    skip();
#else
    void (*const mistakes[])(void) = {apply_to_nothing, build_of_nothing, begin_without_gizmo};
    for (size_t i = 0; i < COUNT(mistakes); i++) {
        int status;
        pid_t child = fork();
        if (child == 0) {
            (void)signal(SIGABRT, SIG_DFL);
            (void)close(STDERR_FILENO);
            mistakes[i]();
            _exit(0);
        }
        assert_int_equal(waitpid(child, &status, 0), child);
        assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT);
    }
#endif
}
