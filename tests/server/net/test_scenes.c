/* More scenes than may be open at once: those that nobody is in make room, those that somebody is
 * in do not. The second test opens the files that the first one made. */
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

TEST(test_scenes_that_nobody_is_in_make_room)
{
    char name[32];
    int editor = net_fixture_join(&fixture, "kept", "anna");
    net_fixture_create_nodes(editor, 10);
    close(editor);
    for (int i = 0; i < GZ_SCENES_MAX + 10; i++) {
        snprintf(name, sizeof name, "scene-%d", i);
        close(net_fixture_join(&fixture, name, "anna"));
    }
    net_fixture_assert_unharmed(&fixture);
    /* Closed meanwhile, and as it was; being the latest asked for, it is among the first
     * measured. */
    editor = net_fixture_join(&fixture, "kept", "anna");
    assert_int_equal(net_fixture_measure(fixture.daemon.port, "kept", "nodes"), 10);
    close(editor);
}

TEST(test_scenes_that_somebody_is_in_stay)
{
    int editors[GZ_SCENES_MAX - 1];
    char name[32];
    for (int i = 0; i < GZ_SCENES_MAX - 1; i++) {
        snprintf(name, sizeof name, "scene-%d", i);
        editors[i] = net_fixture_join(&fixture, name, "anna");
    }
    int refused = raw_open(fixture.daemon.port);
    assert_true(raw_send_hello(refused, "another", "anna"));
    assert_false(raw_answers(refused));
    close(refused);
    for (int i = 0; i < GZ_SCENES_MAX - 1; i++) {
        assert_true(raw_answers(editors[i]));
        close(editors[i]);
    }
    net_fixture_assert_unharmed(&fixture);
}

int main(void)
{
    return test_run(start, net_fixture_end);
}
