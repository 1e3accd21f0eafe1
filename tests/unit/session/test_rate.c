/* test_rate.c - the bucket of messages fills as time passes, and what comes beside it is dropped.
 */
#include <stdlib.h>
#include <string.h>

#include "core/budget.h"
#include "server/maxima.h"
#include "support/cmocka.h"

#define COUNT(array) (sizeof(array) / sizeof(array)[0])
#define PER_S 10.0

/* At each time so many messages come, at a rate of 10 a second; so many are taken. */
TEST(test_take)
{
    static const struct {
        double now_s;
        int come, taken;
        double charged; /* afterwards */
    } steps[] = {
        {100.0, 12, 10, 0}, /* the bucket begins full */
        {100.0, 1, 0, 0},   /* and is empty now */
        {100.55, 9, 5, 0},  /* half a second fills it half */
        {200.0, 12, 10, 0}, /* it holds no more than one second's messages */
        {201.0, 1, 1, 24},  /* debt: 9 are left, 15 are missing */
        {202.0, 3, 0, 0},   /* 10 came, 5 are missing */
        {202.75, 3, 2, 0},
    };
    struct gz_rate rate = gz_rate_of(PER_S, 100);
    for (size_t i = 0; i < COUNT(steps); i++) {
        int taken = 0;
        for (int come = 0; come < steps[i].come; come++)
            if (gz_rate_take(&rate, steps[i].now_s)) taken++;
        if (taken != steps[i].taken) fail_msg("step %zu: %d taken", i, taken);
        gz_rate_charge(&rate, steps[i].charged, steps[i].now_s);
    }
}

/* What filled the bucket before the charge does not pay for it, and a bucket may hold more than it
 * is filled with in a second. */
TEST(test_charge)
{
    struct gz_rate rate = gz_rate_up_to(3 * PER_S, PER_S, 100);
    gz_rate_charge(&rate, 4 * PER_S, 110);
    assert_true(gz_rate_left(&rate, 110) == -PER_S);
    assert_true(gz_rate_left(&rate, 112) == PER_S);
    assert_true(gz_rate_left(&rate, 200) == 3 * PER_S);
}

/* When it is known that a bucket will be full to a part, it is so then, and not before. */
TEST(test_above)
{
    static const double parts[] = {0, 0.5, 0.9}, debts[] = {10, 10.5, 35, 1e6};
    for (size_t i = 0; i < COUNT(parts) * COUNT(debts); i++) {
        struct gz_rate rate = gz_rate_of(PER_S, 100);
        double part = parts[i % COUNT(parts)];
        assert_true(gz_rate_is_above(&rate, part, 100));
        assert_true(gz_rate_above_s(&rate, part) <= 100);
        gz_rate_charge(&rate, debts[i / COUNT(parts)], 100);
        assert_false(gz_rate_is_above(&rate, part, 100));
        double then_s = gz_rate_above_s(&rate, part);
        assert_true(then_s > 100);
        assert_false(gz_rate_is_above(&rate, part, then_s - 0.11));
        assert_true(gz_rate_is_above(&rate, part, then_s));
    }
}

/* What comes of messages over the rate, by when they come. */
TEST(test_exceed)
{
    static const struct {
        double now_s;
        enum gz_excess excess;
    } steps[] = {
        {50, GZ_EXCESS_WARN},   {50.1, GZ_EXCESS_DROP}, {50.9, GZ_EXCESS_DROP},
        {51.1, GZ_EXCESS_WARN}, {52, GZ_EXCESS_DROP},   {53, GZ_EXCESS_WARN},
        {54.1, GZ_EXCESS_WARN}, /* after a pause: it begins anew */
        {55, GZ_EXCESS_DROP},
    };
    struct gz_rate rate = gz_rate_of(PER_S, 0);
    for (size_t i = 0; i < COUNT(steps); i++) {
        enum gz_excess excess = gz_rate_exceed(&rate, steps[i].now_s);
        if (excess != steps[i].excess) fail_msg("step %zu: %d", i, (int)excess);
    }
}

/* A session that is over its rate all the time, without a pause of a second, has to end. */
TEST(test_exceed_for_too_long_ends)
{
    struct gz_rate rate = gz_rate_of(PER_S, 0);
    double now_s = 10;
    for (; now_s <= 10 + GZ_RATE_SECONDS_MAX; now_s += 0.5)
        assert_int_not_equal(gz_rate_exceed(&rate, now_s), GZ_EXCESS_END);
    assert_int_equal(gz_rate_exceed(&rate, now_s), GZ_EXCESS_END);
}
