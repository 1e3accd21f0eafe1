/* The log of a cluster in a real PostgreSQL, and the seconds that something takes: a lease that is
 * not renewed, and a server that is silent. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "unit/cluster/log_stage.h"

TEST(a_lease_ends_by_the_clock_of_the_database)
{
    struct log_stage *stage = *state;
    struct gz_error error;
    struct gz_lease lease = {0};
    int seconds = 0;
    assert_int_equal(stage->anna.renew(stage->anna.context, &simulated_log_well, &error), GZ_OK);
    log_stage_take(&stage->anna, "lapse");
    for (; !lease.is_mine && seconds < 60; seconds++) {
        assert_int_equal(stage->bert.renew(stage->bert.context, &simulated_log_well, &error),
                         GZ_OK);
        assert_int_equal(stage->bert.take(stage->bert.context, "lapse", false, 0, &lease, &error),
                         GZ_OK);
        if (!lease.is_mine) sleep(1);
    }
    assert_true(seconds > GZ_CLUSTER_LEASE_SECONDS - 1);
    assert_int_equal(lease.scene.epoch, 2);
}

/* What was asked of a server that is silent may come into effect when it goes on. */
TEST(a_silent_server_is_given_up)
{
    struct log_stage *stage = *state;
    struct gz_error error = {0};
    struct gz_cluster_scene mine = log_stage_take(&stage->anna, "silent");
    assert_int_equal(log_stage_append(&stage->anna, "silent", mine.epoch, mine.n + 1, 100), GZ_OK);
    test_postgres_pause(&stage->postgres);
    assert_int_equal(log_stage_append(&stage->anna, "silent", mine.epoch, mine.n + 2, 100),
                     GZ_STORAGE);
    assert_int_equal(stage->anna.renew(stage->anna.context, &simulated_log_well, &error),
                     GZ_STORAGE);
    assert_non_null(strstr(error.message, "did not answer for 10 s"));
    /* A new connection is taken by the system, and by no server. */
    assert_int_equal(stage->anna.renew(stage->anna.context, &simulated_log_well, &error),
                     GZ_STORAGE);
    assert_non_null(strstr(error.message, "timeout expired"));
    test_postgres_go_on(&stage->postgres);
    assert_int_equal(log_stage_append(&stage->anna, "silent", mine.epoch, mine.n + 2, 100), GZ_OK);
    assert_int_equal(log_stage_append(&stage->anna, "silent", mine.epoch, mine.n + 3, 100), GZ_OK);
    assert_int_equal(log_stage_read(&stage->bert, "silent", mine.n).count, 3);
}

int main(void)
{
    if (!test_postgres_is_there()) {
        puts(TEST_POSTGRES_MISSING);
        return 77;
    }
    return test_run(log_stage_postgres, log_stage_finish);
}
