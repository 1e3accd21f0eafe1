/* Undo and redo among several users: what is in the way is said, with who did what; what is
 * forced goes as far as it can. Most of it is in stories/travel.txt;
 * here is what takes more than a sentence. The random part is the simulation (sim/undo.c). */
#include <string.h>

#include "proto/limits.h"
#include "support/cmocka.h"
#include "unit/core/story.h"

/* The longest names there are: the message is cut at a whole character and is text all the same
 * (the host reads it). */
STORY_TEST(test_conflict_with_long_names_is_text)
{
    char name[GZ_NAME_BYTES_MAX + 1], user[GZ_USER_BYTES_MAX + 1];
    for (size_t i = 0; i < sizeof name - 1; i += 2) memcpy(name + i, "\xC3\xA4", 3);
    for (size_t i = 0; i < sizeof user - 1; i += 4) memcpy(user + i, "\xF0\x9F\x94\xA7", 5);
    struct client *smith = client_join(s->host, user, GZ_ROLE_EDITOR);
    uint64_t id = create_node(s->a, name, 0, 0, 0, 0);
    assert_ok(ask_move(smith, id, 1, 0, 0));
    assert_refused(ask_undo(s->a, false), GZ_CONFLICT);
    assert_ok(ask_camera(smith, 10));
    assert_ok(ask_grab(smith, GZ_TXY, id, MIDDLE_X, MIDDLE_Y));
    assert_refused(ask_move(s->a, id, 2, 0, 0), GZ_LOCKED);
}

int main(void)
{
    return stories_run("travel.txt");
}
