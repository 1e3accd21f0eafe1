/* How long a timer waits: as long as is asked for, and never so long that its milliseconds
 * overflow. */
#include "net/clock.h"
#include "support/cmocka.h"

static void test_timer_waits_an_hour_at_most(void **state)
{
    (void)state;
    assert_int_equal(gz_timer_ms(-1e300), 0);
    assert_int_equal(gz_timer_ms(-1), 0);
    assert_int_equal(gz_timer_ms(0), 0);
    assert_int_equal(gz_timer_ms(0.0001), 1);
    assert_int_equal(gz_timer_ms(1.5), 1500);
    static const double far_s[] = {3600, 3601, 1e15, 1.8446744073709552e16, 1e18, 1e300, INFINITY};
    for (size_t i = 0; i < sizeof far_s / sizeof far_s[0]; i++)
        assert_int_equal(gz_timer_ms(far_s[i]), 3600000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_timer_waits_an_hour_at_most)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
