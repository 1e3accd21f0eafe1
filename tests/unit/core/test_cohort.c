/* Viewers who only watch as one subscriber: it is sent what each of them would be sent, and each
 * goes on by itself from where it is. */
#include <string.h>

#include "core/core.h"
#include "feed/feed.h"
#include "support/cmocka.h"
#include "unit/core/saying.h"

#define VIEWERS 4

struct scene {
    struct host host;
    struct client *ann, *viewers[VIEWERS];
    uint64_t node;
    struct gz_subscriber cohort; /* in step with the first viewer */
};

static struct gz_feed *feed_of(struct scene *s)
{
    return gz_core_feed(s->host.core);
}

static bool is_in_step(const struct scene *s, const struct client *viewer)
{
    return gz_feed_are_in_step(&s->cohort, gz_session_subscriber(viewer->session));
}

static struct gz_bytes *cohort_frame(struct scene *s)
{
    return gz_core_shared_frame(s->host.core, &s->cohort, s->host.now);
}

static void open_scene(struct scene *s)
{
    host_init(&s->host);
    s->host.plain = true;
    s->ann = client_join(&s->host, "ann", GZ_ROLE_EDITOR);
    s->node = create_node(s->ann, "one", 0, 0, 0, 0);
    for (int i = 0; i < VIEWERS; i++) s->viewers[i] = client_join(&s->host, "wes", GZ_ROLE_VIEWER);
    host_advance(&s->host, 2);
    for (int i = 0; i < 3; i++) host_turn(&s->host);
    s->cohort = (struct gz_subscriber){.at = NULL};
    gz_feed_join(feed_of(s), &s->cohort, gz_session_subscriber(s->viewers[0]->session));
}

static void close_scene(struct scene *s)
{
    gz_feed_unsubscribe(feed_of(s), &s->cohort);
    host_turn(&s->host);
    host_assert_equal(&s->host);
    host_finish(&s->host);
}

static void stall_all(struct scene *s, bool stalled)
{
    for (int i = 0; i < VIEWERS; i++) s->viewers[i]->stalled = stalled;
}

/* The frame of the cohort is the one that a viewer of it is given alone; one that leaves has had
 * it. */
SCENE_TEST(test_cohort_is_told_what_each_would_be)
{
    struct client *alone = s->viewers[1], *with = s->viewers[2];
    assert_true(is_in_step(s, alone));
    assert_true(is_in_step(s, with));
    assert_null(cohort_frame(s));
    stall_all(s, true);
    assert_ok(ask_move(s->ann, s->node, 1, 0, 0));
    host_advance(&s->host, 1);
    struct gz_bytes *told = cohort_frame(s);
    assert_non_null(told);
    assert_false(is_in_step(s, alone));
    struct gz_bytes *frame = gz_core_next_frame(s->host.core, alone->session, s->host.now);
    assert_ptr_equal(frame, told);
    gz_bytes_release(frame);
    gz_bytes_release(told);
    assert_true(is_in_step(s, alone));
    gz_feed_join(feed_of(s), gz_session_subscriber(with->session), &s->cohort);
    assert_null(gz_core_next_frame(s->host.core, with->session, s->host.now));
    assert_null(cohort_frame(s));
    for (int i = 0; i < VIEWERS; i++) client_leave(s->viewers[i]); /* two missed the frame */
}

/* Each stands elsewhere, and one frame takes each to where all are. */
SCENE_TEST(test_who_fell_behind_is_in_step_again)
{
    stall_all(s, true);
    for (int i = 0; i < VIEWERS; i++) {
        assert_ok(ask_move(s->ann, s->node, 1 + i, 0, 0));
        host_advance(&s->host, 1);
        for (int j = i; j < VIEWERS; j++)
            while (client_read_one(s->viewers[j])) continue;
    }
    gz_feed_join(feed_of(s), &s->cohort, gz_session_subscriber(s->viewers[0]->session));
    for (int i = 1; i < VIEWERS; i++) assert_false(is_in_step(s, s->viewers[i]));
    assert_ok(ask_move(s->ann, s->node, 0, 0, 0));
    host_advance(&s->host, 1);
    for (int i = 0; i < VIEWERS; i++) assert_true(client_read_one(s->viewers[i]));
    struct gz_bytes *frame = cohort_frame(s);
    assert_non_null(frame);
    gz_bytes_release(frame);
    for (int i = 0; i < VIEWERS; i++) assert_true(is_in_step(s, s->viewers[i]));
    stall_all(s, false);
}

SCENE_TEST(test_cohort_is_for_those_who_only_watch)
{
    struct client *viewer = s->viewers[1];
    const struct gz_message ping = {.op = GZ_OP_PING, .has = GZ_HAS_RID, .rid = 1};
    assert_true(gz_session_only_watches(viewer->session));
    stall_all(s, true);
    client_say(viewer, &ping);
    for (int i = 0; i < 5; i++) host_turn(&s->host);
    assert_false(gz_session_only_watches(viewer->session));
    stall_all(s, false);
    for (int i = 0; i < 5; i++) host_turn(&s->host);
    assert_true(gz_session_only_watches(viewer->session));
}

/* One that took a piece of a large scene sleeps, but lacks the rest. */
SCENE_TEST(test_cohort_is_for_those_who_have_the_scene)
{
    assert_ok(ask_delete(s->ann, s->node));
    create_many(s->ann, 10000);
    struct client *late = client_enter(&s->host, "zoe", GZ_ROLE_VIEWER, false);
    late->stalled = true;
    for (int i = 0; i < 2; i++) assert_true(client_read_one(late)); /* the first is the welcome */
    assert_true(late->mirror.more);
    for (int i = 0; i < 5; i++) host_turn(&s->host);
    assert_false(gz_session_only_watches(late->session));
    late->stalled = false;
    host_advance(&s->host, 2);
    for (int i = 0; i < 3; i++) host_turn(&s->host);
    assert_true(gz_session_only_watches(late->session));
}

/* One that follows a part is told of that alone, and one that reads another form, in that. */
SCENE_TEST(test_cohort_has_one_form_and_the_whole_scene)
{
    uint64_t ids[1] = {s->node};
    const struct gz_message interest = {.op = GZ_OP_INTEREST,
                                        .has = GZ_HAS_RID | GZ_HAS_INTEREST_NODES,
                                        .rid = 1,
                                        .interest.nodes = {ids, 1}};
    client_say(s->viewers[1], &interest);
    for (int i = 0; i < 5; i++) host_turn(&s->host);
    assert_false(gz_session_only_watches(s->viewers[1]->session));
    assert_false(is_in_step(s, s->viewers[1]));
    client_come_as(s->viewers[2], true);
    host_advance(&s->host, 2);
    assert_int_not_equal(gz_feed_form(&s->cohort),
                         gz_feed_form(gz_session_subscriber(s->viewers[2]->session)));
    assert_false(is_in_step(s, s->viewers[2]));
}
