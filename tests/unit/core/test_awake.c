/* Which sessions a turn looks at: those that have something to do, however many others watch. */
#include <math.h>

#include "core/core.h"
#include "core/session.h"
#include "support/cmocka.h"
#include "unit/core/saying.h"

#define VIEWERS 100

struct scene {
    struct host host;
    struct client *ann, *viewers[VIEWERS];
    uint64_t node;
};

static size_t count_awake(const struct scene *s)
{
    size_t count = 0;
    const struct gz_session *session = NULL;
    while ((session = gz_core_next_awake(s->host.core, session)) != NULL) count++;
    return count;
}

static void open_scene(struct scene *s)
{
    host_init(&s->host);
    s->ann = client_join(&s->host, "ann", GZ_ROLE_EDITOR);
    s->node = create_node(s->ann, "one", 0, 0, 0, 0);
    for (int i = 0; i < VIEWERS; i++) s->viewers[i] = client_join(&s->host, "wes", GZ_ROLE_VIEWER);
    host_advance(&s->host, 1);
    host_turn(&s->host);
    host_turn(&s->host);
}

CLOSE_SCENE_AS_USUAL

SCENE_TEST(test_awake_is_nobody_who_only_watches)
{
    assert_int_equal(count_awake(s), 0);
    assert_ok(ask_move(s->ann, s->node, 1, 0, 0));
    for (int i = 0; i < 3; i++) host_turn(&s->host);
    assert_int_equal(count_awake(s), 0);
}

SCENE_TEST(test_awake_is_who_drags_and_nobody_else)
{
    assert_ok(ask_camera(s->ann, 10));
    assert_ok(ask_grab(s->ann, GZ_TV, s->node, 400, 300));
    for (int i = 0; i < 10; i++) {
        struct gz_message move = pointer_message(GZ_PHASE_MOVE, 400 + i, 300, 0);
        client_say(s->ann, &move);
        host_advance(&s->host, 0.02);
    }
    assert_int_equal(count_awake(s), 1);
    assert_ptr_equal(gz_core_next_awake(s->host.core, NULL), s->ann->session);
}

/* The host meets it once more, to go on reading from it. */
SCENE_TEST(test_awake_is_who_says_something_until_the_turn_after_the_next)
{
    const struct gz_message camera = camera_message(10);
    client_say(s->viewers[7], &camera);
    assert_int_equal(count_awake(s), 1);
    host_turn(&s->host);
    assert_int_equal(count_awake(s), 1);
    host_turn(&s->host);
    host_turn(&s->host);
    assert_int_equal(count_awake(s), 0);
}

/* What it is answered takes memory until it is taken. */
SCENE_TEST(test_who_took_its_answers_holds_no_memory_for_them)
{
    const struct gz_outbox *outbox = &s->viewers[7]->session->outbox;
    const struct gz_message camera = camera_message(10);
    struct gz_message ping = {.op = GZ_OP_PING, .has = GZ_HAS_RID, .rid = 1};
    assert_null(outbox->open.data);
    s->viewers[7]->stalled = true;
    client_say(s->viewers[7], &camera);
    client_say(s->viewers[7], &ping);
    assert_non_null(outbox->open.data);
    s->viewers[7]->stalled = false;
    client_read(s->viewers[7]);
    assert_null(outbox->open.data);
}

/* Its messages wait; those of others do not keep it from sleeping. */
SCENE_TEST(test_awake_is_who_does_not_take_its_messages)
{
    struct gz_message ping = {.op = GZ_OP_PING, .has = GZ_HAS_RID, .rid = 1};
    s->viewers[7]->stalled = true;
    client_say(s->viewers[7], &ping);
    for (int i = 0; i < 5; i++) host_turn(&s->host);
    assert_int_equal(count_awake(s), 1);
    assert_true(gz_session_has_messages(s->viewers[7]->session));
    s->viewers[7]->stalled = false;
    for (int i = 0; i < 4; i++) host_turn(&s->host);
    assert_int_equal(count_awake(s), 0);
}

/* A viewer of a part has frames of its own, but nothing to do while nothing changes. */
SCENE_TEST(test_awake_is_who_follows_a_part_while_there_is_a_frame_for_it)
{
    struct client *follower = s->viewers[7];
    uint64_t ids[1] = {s->node};
    struct gz_message interest = {.op = GZ_OP_INTEREST,
                                  .has = GZ_HAS_RID | GZ_HAS_INTEREST_NODES,
                                  .rid = 1,
                                  .interest.nodes = {ids, 1}};
    client_say(follower, &interest);
    for (int i = 0; i < 5; i++) host_turn(&s->host);
    assert_int_equal(count_awake(s), 0);
    assert_ok(ask_move(s->ann, s->node, 5, 0, 0));
    for (int i = 0; i < 5; i++) host_turn(&s->host);
    assert_int_equal(follower->mirror.seq, s->ann->mirror.seq);
    assert_int_equal(count_awake(s), 0);
}
