/* test_view.c - pointers need a camera if they are pixels, and what others are shown of a view. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/view.h"
#include "support/cmocka.h"

#define COUNT(array) (sizeof(array) / sizeof(array)[0])

/* 90 degrees high, 800 x 600 pixels, at the origin, looking along -z. */
static const struct gz_camera_input straight = {
    .view = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1},
    .proj = {0.75, 0, 0, 0, 0, 1, 0, 0, 0, 0, -1.002, -1, 0, 0, -0.2002, 0},
    .viewport = {0, 0, 800, 600},
};

TEST(test_pointer)
{
    static const struct {
        bool has_camera, has_ray;
        enum gz_status status;
    } cases[] = {
        {false, false, GZ_BAD_STATE},
        {false, true, GZ_OK},
        {true, false, GZ_OK},
        {true, true, GZ_OK},
    };
    static const double at[2] = {400, 300}, ray[6] = {1, 2, 3, 0, 0, -1};
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct gz_view view = {.camera = NULL};
        struct gz_pointer pointer;
        if (cases[i].has_camera) assert_int_equal(gz_view_set(&view, &straight, NULL), GZ_OK);
        assert_int_equal(view.camera != NULL, cases[i].has_camera);
        assert_int_equal(gz_view_point(&view, cases[i].has_ray, at, ray, &pointer, NULL),
                         cases[i].status);
        gz_view_finish(&view);
        if (cases[i].status != GZ_OK) continue;
        assert_int_equal(pointer.is_ray, cases[i].has_ray);
        if (cases[i].has_ray) assert_true(pointer.origin.z == 3 && pointer.direction.z == -1);
        if (!cases[i].has_ray) assert_true(pointer.at[0] == 400 && pointer.at[1] == 300);
    }
}

TEST(test_bad_camera_changes_nothing)
{
    struct gz_view view = {.camera = NULL}, before;
    struct gz_camera camera;
    struct gz_camera_input flat = straight;
    assert_int_equal(gz_view_set(&view, &straight, NULL), GZ_OK);
    memcpy(&before, &view, sizeof view);
    memcpy(&camera, view.camera, sizeof camera);
    flat.proj[0] = 0;
    assert_int_equal(gz_view_set(&view, &flat, NULL), GZ_BAD_VALUE);
    assert_memory_equal(&view, &before, sizeof view);
    assert_memory_equal(view.camera, &camera, sizeof camera);
    gz_view_finish(&view);
}

TEST(test_present)
{
    static const struct {
        bool has_camera, has_pointer, is_ray;
        uint64_t has;
    } cases[] = {
        {false, false, false, 0},
        {false, true, true, GZ_HAS_PRESENCE_RAY},
        {true, false, false, GZ_HAS_PRESENCE_VIEW | GZ_HAS_PRESENCE_LENS},
        {true, true, false,
         GZ_HAS_PRESENCE_VIEW | GZ_HAS_PRESENCE_LENS | GZ_HAS_PRESENCE_AT | GZ_HAS_PRESENCE_RAY},
        {true, true, true, GZ_HAS_PRESENCE_VIEW | GZ_HAS_PRESENCE_LENS | GZ_HAS_PRESENCE_RAY},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct gz_view view = {.has_pointer = cases[i].has_pointer,
                               .pointer = {.is_ray = cases[i].is_ray, .at = {400, 300}}};
        struct gz_presence_user user = {.has = 0};
        if (cases[i].has_camera) assert_int_equal(gz_view_set(&view, &straight, NULL), GZ_OK);
        gz_view_present(&view, &user);
        assert_int_equal(user.has, cases[i].has);
        gz_view_finish(&view);
    }
}

/* Only a view that is followed and has moved has to be looked at again. */
TEST(test_interest_is_due)
{
    struct gz_view view = {.interest_due_s = 7};
    assert_true(isinf(gz_view_interest_due(&view)));
    view.is_followed = true;
    assert_true(isinf(gz_view_interest_due(&view)));
    assert_int_equal(gz_view_set(&view, &straight, NULL), GZ_OK);
    assert_true(gz_view_interest_due(&view) == 7);
    gz_view_finish(&view);
}
