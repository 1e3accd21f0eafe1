/* Whole stories by programs that have no library of ours: Python's own one alone, and curl. */
#include "net_fixture.h"

#include <stdlib.h>

static struct net_fixture fixture;

/* Runs the story by this program, if it is installed. */
static void tell(const char *program, const char *run)
{
    char command[512];
    snprintf(command, sizeof command, "command -v %s >/dev/null", program);
    if (system(command) != 0) {
        print_message("%s is not installed\n", program);
        return;
    }
    snprintf(command, sizeof command, "%s %d", run, fixture.daemon.port);
    assert_int_equal(system(command), 0);
    net_fixture_assert_unharmed(&fixture);
}

TEST(test_story_by_pythons_own_library)
{
    close(net_fixture_join(&fixture, "story", "anna"));
    tell("python3", "python3 " GZ_SOURCE_DIR "/tests/server/net/story.py");
}

TEST(test_story_by_curl)
{
    close(net_fixture_join(&fixture, "curl", "anna"));
    tell("curl", "sh " GZ_SOURCE_DIR "/tests/server/net/story.sh");
}

static int start(void **state)
{
    net_fixture_start(&fixture, NULL, NULL);
    *state = &fixture;
    return 0;
}

int main(void)
{
    return test_run(start, net_fixture_end);
}
