/* A session lives as long as its token: it ends at that time, in the middle of a drag too, unless
 * a later token of the same user came before; and what that token gives counts at once. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/session.h"
#include "support/cmocka.h"
#include "unit/core/saying.h"

#define LIFE_S 10.0

struct scene {
    struct host host;
    struct client *wes; /* without an end */
    struct client *ann; /* an editor for LIFE_S */
    struct gz_claims token;
    uint64_t node;
};

static struct gz_claims claims_of(const struct scene *s, const char *user, double life_s)
{
    struct gz_claims claims = gz_claims_open(user, strlen(user), GZ_ROLE_EDITOR);
    claims.expires_unix_s = s->host.now.unix_s + life_s;
    return claims;
}

static void open_scene(struct scene *s)
{
    host_init(&s->host);
    s->host.token = &s->token;
    host_restart(&s->host, true);
    host_tell_of_all(&s->host);
    s->token = claims_of(s, "ann", 2 * LIFE_S);
    s->wes = client_join(&s->host, "wes", GZ_ROLE_EDITOR);
    s->node = create_node(s->wes, "box", 0, 0, 0, 0);
    assert_ok(ask_camera(s->wes, 10));
    const struct gz_claims claims = claims_of(s, "ann", LIFE_S);
    s->ann = client_join_with(&s->host, &claims);
    assert_ok(ask_camera(s->ann, 10));
}

CLOSE_SCENE_AS_USUAL

static bool is_ended(const struct client *client)
{
    return gz_session_end_reason(client->session) != NULL;
}

static void assert_expired(const struct client *client)
{
    assert_true(is_ended(client));
    const struct gz_message *bye = client_last(client, GZ_OP_BYE);
    assert_non_null(bye);
    assert_int_equal(bye->has, GZ_HAS_BYE_CODE);
    assert_int_equal(bye->bye.code, GZ_UNAUTHORISED);
    assert_true(bye->bye.fatal);
}

/* ---- the end ---- */

SCENE_TEST(test_token_ends_its_session_in_time)
{
    host_advance(&s->host, LIFE_S - 0.01);
    assert_false(is_ended(s->ann));
    host_advance(&s->host, 0.01);
    assert_expired(s->ann);
    assert_false(is_ended(s->wes));
}

/* The core says when it wants to be called; nothing else comes. */
SCENE_TEST(test_token_that_expires_is_a_deadline)
{
    host_advance(&s->host, 5);
    double left_s = gz_core_deadline(s->host.core) - s->host.now.mono_s;
    assert_true(fabs(left_s - (LIFE_S - 5)) < 1e-3);
}

SCENE_TEST(test_token_that_expires_completes_the_drag)
{
    assert_ok(ask_grab(s->ann, GZ_TXY, s->node, MIDDLE_X, MIDDLE_Y));
    assert_ok(ask_pointer(s->ann, GZ_PHASE_MOVE, MIDDLE_X + 50, MIDDLE_Y));
    host_advance(&s->host, 1);
    struct gz_content dragged = host_node(&s->host, s->node);
    assert_true(dragged.trs.t.x > 0);
    size_t edits = s->host.store.edit_count;
    host_advance(&s->host, LIFE_S);
    assert_expired(s->ann);
    assert_int_equal(s->host.store.edit_count, edits + 1);
    assert_true(host_node(&s->host, s->node).trs.t.x == dragged.trs.t.x);
    assert_ok(ask_select(s->wes, s->node));
    assert_ok(ask_grab(s->wes, GZ_TXY, s->node, MIDDLE_X, MIDDLE_Y)); /* nobody holds it */
}

SCENE_TEST(test_token_that_has_expired_lets_nobody_in)
{
    struct gz_session *session;
    struct gz_error error;
    const struct gz_claims claims = claims_of(s, "eve", 0);
    const struct gz_message hello = {.op = GZ_OP_HELLO, .hello = {.v = 1, .user = {"eve", 3}}};
    assert_int_equal(
        gz_core_join(s->host.core, 90, &hello, &claims, NULL, s->host.now, &session, &error),
        GZ_UNAUTHORISED);
    assert_string_equal(error.message, "token: it has expired");
}

/* ---- a wall clock that jumps ---- */

#define DAYS_S (2 * 86400.0)

static enum gz_status try_to_join(struct scene *s, double life_s)
{
    struct gz_session *session = NULL;
    struct gz_error error;
    const struct gz_claims claims = claims_of(s, "eve", life_s);
    const struct gz_message hello = {.op = GZ_OP_HELLO, .hello = {.v = 1, .user = {"eve", 3}}};
    const enum gz_status status =
        gz_core_join(s->host.core, 90, &hello, &claims, NULL, s->host.now, &session, &error);
    if (status == GZ_OK) gz_core_leave(s->host.core, session, s->host.now);
    return status;
}

/* The wall clock is ahead for a second, in which somebody edits: the scene's times stay ahead, also
 * across a restart, and nobody is locked out by that. */
SCENE_TEST(test_clock_that_was_ahead_locks_nobody_out)
{
    for (int restarts = 0; restarts < 2; restarts++) {
        s->host.now.unix_s += DAYS_S;
        assert_ok(ask_move(s->wes, s->node, 1 + restarts, 0, 0));
        host_advance(&s->host, 1);
        s->host.now.unix_s -= DAYS_S;
        host_turn(&s->host);
        if (restarts > 0) {
            host_restart(&s->host, true);
            client_resume(s->wes);
            host_turn(&s->host);
        }
        assert_true(s->host.core->clock.now.unix_s > s->host.now.unix_s + DAYS_S / 2);
        assert_int_equal(try_to_join(s, 8 * 3600), GZ_OK);
        assert_int_equal(try_to_join(s, -1), GZ_UNAUTHORISED);
    }
    const struct gz_claims claims = claims_of(s, "bob", LIFE_S);
    struct client *bob = client_join_with(&s->host, &claims);
    host_advance(&s->host, LIFE_S - 0.1);
    assert_false(is_ended(bob));
    s->token = claims_of(s, "bob", LIFE_S);
    assert_ok(ask_token(bob, "good"));
    host_advance(&s->host, LIFE_S - 0.1);
    assert_false(is_ended(bob));
    host_advance(&s->host, 0.1);
    assert_expired(bob);
}

/* A file whose newest time is far ahead, such as one from a machine whose clock was wrong. */
SCENE_TEST(test_file_of_the_far_future_locks_nobody_out)
{
    s->host.store.time = 1e11; /* the year 5138 */
    host_restart(&s->host, true);
    client_resume(s->wes);
    host_turn(&s->host);
    assert_true(s->host.core->clock.now.unix_s >= 1e11);
    assert_int_equal(try_to_join(s, 60), GZ_OK);
    assert_int_equal(try_to_join(s, 0), GZ_UNAUTHORISED);
    const struct gz_claims claims = claims_of(s, "bob", LIFE_S);
    struct client *bob = client_join_with(&s->host, &claims);
    assert_ok(ask_move(bob, s->node, 1, 0, 0));
    double left_s = gz_core_deadline(s->host.core) - s->host.now.mono_s;
    assert_true(left_s <= LIFE_S);
    host_advance(&s->host, LIFE_S);
    assert_expired(bob);
}

/* The token is over once the wall clock says so, also if that comes at a jump; and a clock that was
 * put back lets nobody in whose token is over by it. */
SCENE_TEST(test_clock_that_is_put_ahead_or_back_for_good)
{
    s->host.now.unix_s -= DAYS_S;
    assert_int_equal(try_to_join(s, -1), GZ_UNAUTHORISED);
    assert_int_equal(try_to_join(s, 1), GZ_OK);
    host_advance(&s->host, 2 * LIFE_S);
    assert_false(is_ended(s->ann)); /* two days are left to it */
    s->host.now.unix_s += DAYS_S;
    host_turn(&s->host);
    assert_expired(s->ann);
}

/* ---- a later one ---- */

SCENE_TEST(test_later_token_lets_the_session_go_on)
{
    assert_ok(ask_token(s->ann, "good"));
    host_advance(&s->host, 2 * LIFE_S - 0.1);
    assert_false(is_ended(s->ann));
    assert_ok(ask_op(s->ann, GZ_OP_PING));
    host_advance(&s->host, 0.1);
    assert_expired(s->ann);
}

SCENE_TEST(test_token_that_ends_sooner_counts_too)
{
    s->token.expires_unix_s = s->host.now.unix_s + 1;
    assert_ok(ask_token(s->ann, "good"));
    host_advance(&s->host, 1);
    assert_expired(s->ann);
}

static void check_refused(struct scene *s, const char *token)
{
    assert_refused(ask_token(s->ann, token), GZ_UNAUTHORISED);
    assert_false(is_ended(s->ann));
    assert_int_equal(s->ann->session->role, GZ_ROLE_EDITOR);
    assert_string_equal(s->ann->session->name, "");
    assert_true(s->ann->session->rights.expires_unix_s == s->host.now.unix_s + LIFE_S);
}

SCENE_TEST(test_token_that_is_refused_changes_nothing)
{
    check_refused(s, "bad");
    check_refused(s, "");
    strcpy(s->token.user, "wes");
    strcpy(s->token.name, "Ann");
    check_refused(s, "good");
    strcpy(s->token.user, "ann");
    s->token.is_guest = true;
    check_refused(s, "good");
    s->token.is_guest = false;
    s->token.expires_unix_s = s->host.now.unix_s - 1;
    check_refused(s, "good");
}

SCENE_TEST(test_token_without_end_meets_one_with_an_end)
{
    strcpy(s->token.user, "wes");
    assert_ok(ask_token(s->wes, "good"));
    host_advance(&s->host, 2 * LIFE_S);
    assert_expired(s->wes);
}

/* Good or not, to look at a token costs as much as a hundred messages: a session cannot have the
 * server verify all the time. */
SCENE_TEST(test_token_is_paid_for_with_the_rate)
{
    static const char *const said[] = {"good", "bad"};
    for (size_t i = 0; i < 2; i++) {
        double before = s->ann->session->work.tokens;
        (void)ask_token(s->ann, said[i]);
        double paid = before - s->ann->session->work.tokens;
        assert_true(paid >= messages(GZ_PRICE_SIGNATURE) &&
                    paid < messages(2 * GZ_PRICE_SIGNATURE));
    }
}

/* ---- what it gives ---- */

static void come_back(struct client *client)
{
    const struct gz_message *bye = client_last(client, GZ_OP_BYE);
    assert_true(is_ended(client));
    assert_non_null(bye);
    assert_true((bye->has & GZ_HAS_BYE_RETRY_S) != 0 && bye->bye.retry_s == 0 && !bye->bye.fatal);
    client->claims = *client->host->token;
    client_leave(client);
    client_resume(client);
    host_turn(client->host);
}

SCENE_TEST(test_role_of_a_later_token_counts_at_once)
{
    assert_ok(ask_select(s->ann, s->node));
    s->token.role = GZ_ROLE_VIEWER;
    assert_ok(ask_token(s->ann, "good"));
    come_back(s->ann);
    assert_int_equal(client_last(s->ann, GZ_OP_WELCOME)->welcome.role, GZ_ROLE_VIEWER);
    assert_refused(ask_grab(s->ann, GZ_TXY, s->node, MIDDLE_X, MIDDLE_Y), GZ_FORBIDDEN);
}

SCENE_TEST(test_later_token_of_another_scene_ends_the_session)
{
    strcpy(s->token.scenes[0], "another-*");
    assert_ok(ask_token(s->ann, "good"));
    assert_true(is_ended(s->ann));
}

SCENE_TEST(test_name_of_a_token_is_shown_in_place_of_the_user)
{
    strcpy(s->token.name, "Ann Lovelace");
    assert_ok(ask_token(s->ann, "good"));
    host_advance(&s->host, 1);
    const struct gz_presence *presence = &client_last(s->wes, GZ_OP_PRESENCE)->presence;
    size_t i = 0;
    while (i < presence->count && presence->users[i].session != s->ann->id) i++;
    assert_true(i < presence->count);
    const struct gz_presence_user *user = &presence->users[i];
    assert_true((user->has & GZ_HAS_PRESENCE_NAME) != 0);
    assert_memory_equal(user->user.bytes, "ann", user->user.size);
    assert_memory_equal(user->name.bytes, "Ann Lovelace", user->name.size);
}
