/* A connection that hangs holds what its session held. Whoever comes back with the session's secret
 * takes its place at once; nobody else can, and who says what is no secret of theirs resumes as
 * ever. */
#include <stdio.h>
#include <string.h>

#include "server/maxima.h"
#include "support/cmocka.h"
#include "unit/core/saying.h"

struct scene {
    struct host host;
    struct client *ann, *bob;
    uint64_t node;
};

/* Ann drags the node, 450 px across, and is not heard of any more. */
static void open_scene(struct scene *s)
{
    host_init(&s->host);
    host_tell_of_all(&s->host);
    s->ann = client_join(&s->host, "ann", GZ_ROLE_EDITOR);
    s->bob = client_join(&s->host, "bob", GZ_ROLE_EDITOR);
    s->node = create_node(s->ann, "piston", 0, 0, 0, 0);
    assert_ok(ask_camera(s->ann, 10));
    assert_ok(ask_camera(s->bob, 10));
    assert_ok(ask_grab(s->ann, GZ_TXY, s->node, MIDDLE_X, MIDDLE_Y));
    (void)ask_pointer(s->ann, GZ_PHASE_MOVE, MIDDLE_X + METRE_PX(10), MIDDLE_Y);
}

CLOSE_SCENE_AS_USUAL

static size_t sessions_of(const struct client *watcher)
{
    return watcher->present_count;
}

/* In one frame and without a turn in between: what the earlier session held is grabbed again. */
SCENE_TEST(test_secret_takes_the_place_of_a_session_that_hangs)
{
    struct client *hung = client_replace(s->ann);
    assert_true(gz_session_is_replaced(hung->session));
    assert_non_null(strstr(gz_session_end_reason(hung->session), "took its place"));
    struct gz_message camera = camera_message(10), select = {.op = GZ_OP_SELECT};
    client_say(s->ann, &camera);
    select.select.nodes = (struct gz_ids){&s->node, 1};
    client_say(s->ann, &select);
    assert_ok(ask_grab(s->ann, GZ_TXY, s->node, MIDDLE_X + METRE_PX(10), MIDDLE_Y));
    /* The drag was completed as one edit, and everybody hears of it, who came back too. */
    assert_int_equal(s->host.store.edit_count, 2);
    const struct gz_edit_record *edit = &s->host.store.edits[1];
    assert_string_equal(edit->user, "ann");
    assert_int_equal(edit->session, hung->id);
    assert_true(edit->changes[0].after.trs.t.x > 0.9 && edit->changes[0].after.trs.t.x < 1.1);
    assert_int_equal(client_last(s->bob, GZ_OP_EDIT)->edit.id, edit->id);
    assert_int_equal(client_last(s->ann, GZ_OP_EDIT)->edit.id, edit->id);
    assert_true(s->ann->resumed);
    host_advance(&s->host, 0.1);
    assert_int_equal(sessions_of(s->bob), 2); /* before its host has closed it */
    assert_int_equal(sessions_of(s->ann), 2);
    /* What comes late of it changes nothing. */
    struct gz_message late = pointer_message(GZ_PHASE_MOVE, 0, 0, 0);
    double x = host_node(&s->host, s->node).trs.t.x;
    client_say(hung, &late);
    host_turn(&s->host);
    assert_true(host_node(&s->host, s->node).trs.t.x == x);
    client_leave(hung);
    host_advance(&s->host, 0.1);
    assert_int_equal(sessions_of(s->bob), 2);
    assert_ok(ask_pointer(s->ann, GZ_PHASE_UP, MIDDLE_X, MIDDLE_Y));
}

/* Every welcome tells another secret, and that of a place that was taken is worth nothing. */
TEST(test_place_is_taken_once_for_each_secret)
{
    struct scene s;
    char first[sizeof s.ann->secret], second[sizeof s.ann->secret];
    open_scene(&s);
    memcpy(first, s.ann->secret, sizeof first);
    assert_true(strlen(first) > 2 * GZ_SECRET_BYTES); /* and the session's id */
    struct client *hung = client_replace(s.ann);
    host_turn(&s.host);
    memcpy(second, s.ann->secret, sizeof second);
    assert_string_not_equal(first, second);
    memcpy(s.ann->secret, first, sizeof first);
    struct client *other = client_replace(s.ann);
    assert_null(gz_session_end_reason(other->session));
    client_leave(hung);
    client_leave(s.ann);
    memcpy(s.ann->secret, second, sizeof second);
    client_resume(s.ann);
    assert_true(gz_session_is_replaced(other->session));
    client_leave(other);
    close_scene(&s);
}

/* Ann comes back with what is not hers, or not right: both her sessions are there, and the earlier
 * one holds the node. */
static void expect_no_place(struct scene *s, const char *secret)
{
    assert_true(strlen(secret) < sizeof s->ann->secret);
    strcpy(s->ann->secret, secret);
    struct client *hung = client_replace(s->ann);
    assert_null(gz_session_end_reason(hung->session));
    host_turn(&s->host);
    assert_ok(ask_camera(s->ann, 10));
    assert_refused(ask_grab(s->ann, GZ_TXY, s->node, MIDDLE_X, MIDDLE_Y), GZ_LOCKED);
    assert_true(s->ann->resumed);
    host_advance(&s->host, 0.1);
    assert_int_equal(sessions_of(s->bob), 3);
    client_leave(hung);
    host_turn(&s->host);
    assert_int_equal(client_count(s->ann, GZ_OP_ERROR), 1);
}

TEST(test_what_is_no_secret_of_the_user_is_a_plain_resume)
{
    static const char *const words[] = {
        "", "0", "00000000000000000000000000000000", "of bob", "cut off", "too long", "as bob"};
    for (size_t i = 0; i < COUNT(words); i++) {
        struct scene s;
        char said[2 * sizeof s.ann->secret];
        open_scene(&s);
        snprintf(said, sizeof said, "%s", words[i]);
        if (strcmp(said, "of bob") == 0) memcpy(said, s.bob->secret, sizeof s.bob->secret);
        if (strcmp(said, "cut off") == 0) snprintf(said, sizeof said, "%.31s", s.ann->secret);
        if (strcmp(said, "too long") == 0) snprintf(said, sizeof said, "%s0", s.ann->secret);
        if (strcmp(said, "as bob") == 0)
            snprintf(said, sizeof said, "%.32s%s", s.ann->secret, s.bob->secret + 32);
        expect_no_place(&s, said);
        close_scene(&s);
    }
}

/* A session that was given none has none to be guessed. */
SCENE_TEST(test_session_without_a_secret_keeps_its_place)
{
    struct gz_session *session, *other;
    struct gz_error error;
    const struct gz_claims claims = gz_claims_open("eve", 3, GZ_ROLE_EDITOR);
    struct gz_message hello = {.op = GZ_OP_HELLO, .has = GZ_HAS_HELLO_RESUME};
    hello.hello = (struct gz_hello){.v = 1, .user = {"eve", 3}, .resume_epoch = 1};
    assert_int_equal(
        gz_core_join(s->host.core, 90, &hello, &claims, NULL, s->host.now, &session, &error),
        GZ_OK);
    assert_int_equal(
        gz_core_join(s->host.core, 91, &hello, &claims, NULL, s->host.now, &other, &error), GZ_OK);
    assert_null(gz_session_end_reason(session));
    gz_core_leave(s->host.core, session, s->host.now);
    gz_core_leave(s->host.core, other, s->host.now);
}
