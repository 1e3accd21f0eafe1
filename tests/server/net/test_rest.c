/* When the loop wakes up, and how long a scene rests between writes. */
#include <math.h>
#include <sys/timerfd.h>

#include "conn/clock.h"
#include "conn/pacing.h"
#include "support/cmocka.h"

/* ---- the alarm ---- */

struct scene {
    uv_loop_t loop;
    struct gz_timer alarm;
};

static void open_scene(struct scene *s)
{
    struct gz_error error;
    assert_int_equal(uv_loop_init(&s->loop), 0);
    assert_int_equal(gz_timer_open(&s->alarm, &error), GZ_OK);
    gz_timer_start(&s->alarm, &s->loop);
}

static void close_scene(struct scene *s)
{
    gz_timer_stop(&s->alarm);
    uv_run(&s->loop, UV_RUN_DEFAULT);
    gz_timer_finish(&s->alarm);
    assert_int_equal(uv_loop_close(&s->loop), 0);
}

static double now_s(void)
{
    return gz_clock_now().mono_s;
}

/* A timer of whole milliseconds would be set to a later time. */
TEST(test_alarm_is_set_to_less_than_a_millisecond)
{
    struct scene s;
    struct itimerspec left;
    open_scene(&s);
    gz_timer_set(&s.alarm, now_s() + 0.0003);
    assert_int_equal(timerfd_gettime(s.alarm.timer, &left), 0);
    assert_true(left.it_value.tv_sec == 0 && left.it_value.tv_nsec <= 300000);
    close_scene(&s);
}

TEST(test_alarm_wakes_the_loop_and_not_before_its_time)
{
    struct scene s;
    open_scene(&s);
    for (int i = 0; i < 50; i++) {
        const double at_s = now_s() + 0.0003;
        gz_timer_set(&s.alarm, at_s);
        uv_run(&s.loop, UV_RUN_ONCE);
        assert_true(now_s() >= at_s);
    }
    close_scene(&s);
}

TEST(test_alarm_of_the_past_wakes_the_loop_at_once)
{
    static const double past_s[] = {-INFINITY, -1e300, -1, 0, 1e-12, 1};
    struct scene s;
    open_scene(&s);
    for (size_t i = 0; i < sizeof past_s / sizeof past_s[0]; i++) {
        gz_timer_set(&s.alarm, past_s[i]);
        uv_run(&s.loop, UV_RUN_ONCE);
        assert_true(isinf(s.alarm.at_s));
    }
    close_scene(&s);
}

TEST(test_alarm_of_a_far_time_does_not_wake_the_loop)
{
    static const double far_s[] = {1e9, 1e15, 1.8446744073709552e16, 1e18, 1e300, INFINITY};
    struct scene s;
    open_scene(&s);
    for (size_t i = 0; i < sizeof far_s / sizeof far_s[0]; i++) {
        gz_timer_set(&s.alarm, far_s[i]);
        uv_run(&s.loop, UV_RUN_NOWAIT);
        assert_true(s.alarm.at_s == far_s[i]);
    }
    close_scene(&s);
}

/* ---- the rest ---- */

#define PASS_S 0.001

/* What is left of the rest after a pass once there was news every so often for 5 s, which takes so
 * long to send to everybody. */
static double rest_of(double every_s, double round_s)
{
    struct gz_pacing rest = {0};
    struct gz_pacing_round round = {0};
    double at_s = 1000;
    for (; at_s < 1005; at_s += every_s) gz_pacing_count_round(&rest, &round, at_s, round_s);
    return gz_pacing_after(&rest, PASS_S) / PASS_S;
}

TEST(test_rest_is_none_while_the_loop_has_time)
{
    assert_true(rest_of(0.0167, 0.005) == 0);
    assert_true(rest_of(0.001, 0.0006) == 0);
    assert_true(rest_of(1, 0.1) == 0);
}

TEST(test_rest_grows_as_the_loop_fills)
{
    const double some = rest_of(0.01, 0.0073), more = rest_of(0.01, 0.0079);
    assert_true(some > 0.5 && more > some + 0.3 && more < 2);
}

/* What comes in the middle of a round does not make it longer: the loop cannot be more than full.
 */
TEST(test_rest_of_a_full_loop_is_twice_the_pass)
{
    assert_true(rest_of(0.01, 0.01) == 2);
    assert_true(rest_of(0.0002, 0.02) == 2);
}

TEST(test_rest_ends_with_the_load)
{
    struct gz_pacing rest = {0};
    gz_pacing_count(&rest, 1000, 10);
    assert_true(gz_pacing_after(&rest, PASS_S) == 2 * PASS_S);
    gz_pacing_count(&rest, 1005, 0);
    assert_true(gz_pacing_after(&rest, PASS_S) == 0);
}
