/* More scenes than may be open at once: those that nobody is in make room, those that somebody is
 * in do not. */
#include "net_fixture.h"
#include "server/maxima.h"

/* Nobody reads for as long as a slow disk takes to make all these files: that is not to end
 * them. */
#define QUIET "--silence-seconds", "3600"

static struct net_fixture fixture;

static int start(void **state)
{
    *state = &fixture;
    net_fixture_start(&fixture, QUIET);
    return 0;
}

static int join(int i)
{
    char name[32];
    snprintf(name, sizeof name, "scene-%d", i);
    return net_fixture_join(&fixture, name, "anna");
}

TEST(test_scenes_that_somebody_is_in_stay_and_others_make_room)
{
    int editors[GZ_SCENES_MAX - 1];
    for (int i = 0; i < GZ_SCENES_MAX - 1; i++) editors[i] = join(i);
    net_fixture_create_nodes(editors[0], 10);
    int refused = raw_open(fixture.daemon.port);
    assert_true(raw_send_hello(refused, "another", "anna"));
    assert_false(raw_answers(refused));
    close(refused);
    for (int i = 0; i < GZ_SCENES_MAX - 1; i++) {
        assert_true(raw_answers(editors[i]));
        close(editors[i]);
    }
    for (int i = GZ_SCENES_MAX; i < GZ_SCENES_MAX + 10; i++) close(join(i));
    net_fixture_assert_unharmed(&fixture);
    /* As it was; being the latest asked for, it is among the first measured. */
    editors[0] = join(0);
    assert_int_equal(net_fixture_measure(fixture.daemon.port, "scene-0", "nodes"), 10);
    close(editors[0]);
}

int main(void)
{
    return test_run(start, net_fixture_end);
}
