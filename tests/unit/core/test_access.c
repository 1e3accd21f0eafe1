/* A scene's own access: what patterns give to users, that it is in force once the disk has it and
 * not before, that nobody keeps a right that was taken away, and that nobody is locked out by
 * accident. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/session.h"
#include "server/maxima.h"
#include "support/cmocka.h"
#include "unit/core/saying.h"

struct scene {
    struct host host;
    struct client *sue; /* an admin by her token */
    struct client *ann; /* her token says who she is, and nothing else */
    uint64_t node;
};

static struct gz_claims nobody(const char *user)
{
    struct gz_claims claims = {.expires_unix_s = INFINITY};
    snprintf(claims.user, sizeof claims.user, "%s", user);
    return claims;
}

static struct client *join(struct scene *s, const char *user)
{
    const struct gz_claims claims = nobody(user);
    return client_join_with(&s->host, &claims);
}

static void open_scene(struct scene *s)
{
    host_init_limited(&s->host, 1e6);
    s->sue = client_join(&s->host, "sue", GZ_ROLE_ADMIN);
    s->node = create_node(s->sue, "box", 0, 0, 0, 0);
    assert_ok(ask_access(s->sue, "ann", GZ_ROLE_EDITOR));
    s->ann = join(s, "ann");
}

static void close_scene(struct scene *s)
{
    s->host.disk = DISK_COMMITS;
    host_close(&s->host);
}

/* GZ_ROLE_COUNT for nothing. */
static enum gz_role role_of(struct scene *s, const char *user)
{
    const struct gz_claims claims = nobody(user);
    enum gz_role role;
    return gz_core_role(s->host.core, &claims, &role) ? role : GZ_ROLE_COUNT;
}

static bool is_ended(const struct client *client)
{
    return gz_session_end_reason(client->session) != NULL;
}

static const struct gz_message *last_answer(const struct client *client)
{
    return client_answer(client, client->next_rid - 1);
}

/* It was told why, and that it may come back at once; then it does. */
static void come_back(struct client *client, enum gz_role role)
{
    const struct gz_message *bye = client_last(client, GZ_OP_BYE);
    assert_true(is_ended(client));
    assert_non_null(bye);
    assert_true((bye->has & GZ_HAS_BYE_RETRY_S) != 0 && bye->bye.retry_s == 0 && !bye->bye.fatal);
    client_leave(client);
    client_resume(client);
    host_turn(client->host);
    assert_int_equal(client_last(client, GZ_OP_WELCOME)->welcome.role, role);
}

/* ---- what patterns give ---- */

SCENE_TEST(test_user_has_the_most_that_any_pattern_gives)
{
    const char *users[] = {"ann", "anton", "bob", "Zo\xc3\xab@example.com", "zoe@example.org"};
    const enum gz_role roles[] = {GZ_ROLE_EDITOR, GZ_ROLE_ADMIN, GZ_ROLE_VIEWER, GZ_ROLE_EDITOR,
                                  GZ_ROLE_VIEWER};
    assert_int_equal(role_of(s, "bob"), GZ_ROLE_COUNT);
    assert_ok(ask_access(s->sue, "*", GZ_ROLE_VIEWER));
    assert_ok(ask_access(s->sue, "an??*", GZ_ROLE_ADMIN));
    assert_ok(ask_access(s->sue, "Zo?@example.com", GZ_ROLE_EDITOR));
    for (size_t i = 0; i < COUNT(users); i++) assert_int_equal(role_of(s, users[i]), roles[i]);
    assert_ok(ask_access_gone(s->sue, "*"));
    assert_int_equal(role_of(s, "bob"), GZ_ROLE_COUNT);
    assert_int_equal(role_of(s, "ann"), GZ_ROLE_EDITOR);
}

SCENE_TEST(test_role_of_a_token_holds_in_its_scenes_beside_the_access)
{
    struct gz_claims claims = nobody("ann");
    enum gz_role role;
    claims.has_role = true;
    claims.role = GZ_ROLE_VIEWER;
    claims.scene_count = 1;
    strcpy(claims.scenes[0], "*");
    assert_true(gz_core_role(s->host.core, &claims, &role));
    assert_int_equal(role, GZ_ROLE_EDITOR);
    claims.role = GZ_ROLE_ADMIN;
    assert_true(gz_core_role(s->host.core, &claims, &role));
    assert_int_equal(role, GZ_ROLE_ADMIN);
    strcpy(claims.scenes[0], "another-*");
    assert_true(gz_core_role(s->host.core, &claims, &role));
    assert_int_equal(role, GZ_ROLE_EDITOR);
    strcpy(claims.user, "bob");
    assert_false(gz_core_role(s->host.core, &claims, &role));
}

/* Guests call themselves what they like. */
SCENE_TEST(test_guest_has_what_the_invitation_gives_whatever_the_name)
{
    struct gz_claims claims = gz_claims_open("ann (guest)", 11, GZ_ROLE_VIEWER);
    enum gz_role role;
    claims.is_guest = true;
    assert_ok(ask_access(s->sue, "ann*", GZ_ROLE_ADMIN));
    assert_true(gz_core_role(s->host.core, &claims, &role));
    assert_int_equal(role, GZ_ROLE_VIEWER);
    claims.has_role = false;
    assert_false(gz_core_role(s->host.core, &claims, &role));
}

SCENE_TEST(test_who_may_nothing_or_wants_more_does_not_join)
{
    struct gz_claims claims = nobody("eve");
    struct gz_session *session;
    struct gz_error error;
    struct gz_message hello = {.op = GZ_OP_HELLO, .hello = {.v = GZ_PROTOCOL_VERSION}};
    assert_int_equal(
        gz_core_join(s->host.core, 90, &hello, &claims, NULL, s->host.now, &session, &error),
        GZ_FORBIDDEN);
    assert_string_equal(error.message, "you have no access to this scene");
    claims = nobody("ann");
    hello.has = GZ_HAS_HELLO_ROLE;
    hello.hello.role = GZ_ROLE_ADMIN;
    assert_int_equal(
        gz_core_join(s->host.core, 90, &hello, &claims, NULL, s->host.now, &session, &error),
        GZ_FORBIDDEN);
    assert_string_equal(error.message, "role: your highest role in this scene is editor");
}

static void assert_accesses(struct client *client, const char *expected)
{
    const struct gz_message *answer = ask_op(client, GZ_OP_ACCESSES);
    char text[1024] = "";
    assert_ok(answer);
    assert_true((answer->has & GZ_HAS_OK_ACCESSES) != 0);
    for (size_t i = 0; i < answer->ok.access_count; i++) {
        const struct gz_access_state *one = &answer->ok.accesses[i];
        size_t used = strlen(text);
        assert_true(one->made > 0);
        snprintf(text + used, sizeof text - used, "%s%.*s %s %.*s", i > 0 ? ", " : "",
                 (int)one->user.size, one->user.bytes,
                 gz_vocabulary_word(&gz_role_words, (int)one->role), (int)one->by.size,
                 one->by.bytes);
    }
    assert_string_equal(text, expected);
}

SCENE_TEST(test_access_is_listed_with_who_gave_it)
{
    assert_ok(ask_access(s->sue, "z*", GZ_ROLE_ADMIN));
    struct client *zoe = join(s, "zoe");
    assert_ok(ask_access(zoe, "*@example.com", GZ_ROLE_VIEWER));
    assert_accesses(s->sue, "*@example.com viewer zoe, ann editor sue, z* admin sue");
    assert_ok(ask_access(zoe, "ann", GZ_ROLE_EDITOR));
    assert_ok(ask_access_gone(zoe, "*@example.com"));
    assert_accesses(zoe, "ann editor zoe, z* admin sue");
}

/* ---- to the disk ---- */

SCENE_TEST(test_access_is_in_force_after_commit_only)
{
    s->host.disk = DISK_WAITS;
    assert_null(ask_access(s->sue, "bob", GZ_ROLE_VIEWER));
    assert_null(ask_access_gone(s->sue, "ann"));
    host_advance(&s->host, 1);
    assert_null(last_answer(s->sue));
    assert_int_equal(role_of(s, "bob"), GZ_ROLE_COUNT);
    assert_false(is_ended(s->ann));
    s->host.disk = DISK_COMMITS;
    host_settle(&s->host, true);
    host_turn(&s->host);
    assert_ok(last_answer(s->sue));
    assert_int_equal(role_of(s, "bob"), GZ_ROLE_VIEWER);
    assert_true(is_ended(s->ann));
    client_leave(s->ann);
}

SCENE_TEST(test_disk_that_refuses_changes_nobodys_rights)
{
    s->host.disk = DISK_REFUSES;
    assert_refused(ask_access_gone(s->sue, "ann"), GZ_STORAGE);
    assert_null(ask_access(s->sue, "bob", GZ_ROLE_ADMIN));
    host_advance(&s->host, 1);
    assert_refused(last_answer(s->sue), GZ_STORAGE);
    s->host.disk = DISK_COMMITS;
    host_advance(&s->host, 1);
    assert_int_equal(role_of(s, "bob"), GZ_ROLE_COUNT);
    assert_int_equal(role_of(s, "ann"), GZ_ROLE_EDITOR);
    assert_false(is_ended(s->ann));
    assert_ok(ask_move(s->ann, s->node, 1, 0, 0));
}

SCENE_TEST(test_access_comes_back_after_restarts)
{
    assert_ok(ask_access(s->sue, "*", GZ_ROLE_VIEWER));
    assert_ok(ask_access(s->sue, "gone", GZ_ROLE_ADMIN));
    assert_ok(ask_access_gone(s->sue, "gone"));
    for (int life = 0; life < 2; life++) {
        host_restart(&s->host, false);
        client_resume(s->sue);
        client_resume(s->ann);
        host_turn(&s->host);
        assert_accesses(s->sue, "* viewer sue, ann editor sue");
        assert_int_equal(role_of(s, "gone"), GZ_ROLE_VIEWER);
    }
}

/* What comes meanwhile stands on what waits. */
SCENE_TEST(test_changes_of_one_pattern_that_wait_come_in_their_order)
{
    s->host.disk = DISK_WAITS;
    assert_null(ask_access(s->sue, "bob", GZ_ROLE_ADMIN));
    assert_null(ask_access_gone(s->sue, "bob"));
    assert_null(ask_access_gone(s->sue, "bob")); /* a refusal that relies on the one before */
    const uint64_t again = s->sue->next_rid - 1;
    assert_null(ask_access(s->sue, "bob", GZ_ROLE_VIEWER));
    s->host.disk = DISK_COMMITS;
    host_settle(&s->host, true);
    host_turn(&s->host);
    assert_says(client_answer(s->sue, again), GZ_BAD_VALUE,
                "access.user: the pattern bob has no access to this scene");
    assert_ok(last_answer(s->sue));
    assert_int_equal(role_of(s, "bob"), GZ_ROLE_VIEWER);
}

/* ---- those who are here ---- */

SCENE_TEST(test_whose_role_changes_comes_back_with_the_new_one)
{
    struct client *bob = client_join(&s->host, "bob", GZ_ROLE_EDITOR);
    assert_ok(ask_access(s->sue, "ann", GZ_ROLE_VIEWER));
    come_back(s->ann, GZ_ROLE_VIEWER);
    assert_refused(ask_move(s->ann, s->node, 1, 0, 0), GZ_FORBIDDEN);
    assert_ok(ask_access(s->sue, "a*", GZ_ROLE_ADMIN));
    come_back(s->ann, GZ_ROLE_ADMIN);
    assert_ok(ask_access_gone(s->ann, "ann"));
    assert_ok(ask_access(s->ann, "bob", GZ_ROLE_EDITOR)); /* he has it already */
    assert_false(is_ended(s->ann) || is_ended(s->sue) || is_ended(bob));
}

SCENE_TEST(test_who_wanted_less_is_left_alone_until_that_is_too_much)
{
    struct gz_session *session;
    struct gz_error error;
    const struct gz_claims claims = nobody("ann");
    struct gz_message hello = {.op = GZ_OP_HELLO,
                               .has = GZ_HAS_HELLO_ROLE,
                               .hello = {.v = GZ_PROTOCOL_VERSION, .role = GZ_ROLE_VIEWER}};
    assert_int_equal(
        gz_core_join(s->host.core, 90, &hello, &claims, NULL, s->host.now, &session, &error),
        GZ_OK);
    assert_int_equal(session->role, GZ_ROLE_VIEWER);
    assert_ok(ask_access(s->sue, "ann", GZ_ROLE_ADMIN));
    assert_null(gz_session_end_reason(session));
    assert_ok(ask_access_gone(s->sue, "ann"));
    assert_non_null(gz_session_end_reason(session));
    gz_core_leave(s->host.core, session, s->host.now);
    client_leave(s->ann);
}

/* A restore changes the scene when the file has answered, which may be later. */
SCENE_TEST(test_right_that_is_taken_away_is_gone_for_a_restore_that_waits_for_the_file)
{
    uint64_t seq = gz_core_summary(s->host.core).seq;
    assert_ok(ask_move(s->ann, s->node, 5, 0, 0));
    s->host.past_waits = true;
    struct gz_message restore = {.op = GZ_OP_RESTORE, .has = GZ_HAS_AT_SEQ, .restore.seq = seq};
    assert_null(client_ask(s->ann, &restore));
    assert_int_equal(s->host.question_count, 1);
    assert_ok(ask_access(s->sue, "ann", GZ_ROLE_VIEWER));
    assert_true(is_ended(s->ann)); /* but not gone yet: it is to read why */
    s->host.past_waits = false;
    host_turn(&s->host);
    assert_int_equal(s->host.question_count, 0);
    assert_true(host_node(&s->host, s->node).trs.t.x == 5);
    client_leave(s->ann);
}

/* The edit that waited with it is answered; the drag ends as it stands; what comes after is not
 * heard. */
SCENE_TEST(test_right_that_is_taken_away_is_gone_when_the_answer_is_out)
{
    assert_ok(ask_camera(s->ann, 10));
    assert_ok(ask_grab(s->ann, GZ_TXY, s->node, MIDDLE_X, MIDDLE_Y));
    assert_ok(ask_pointer(s->ann, GZ_PHASE_MOVE, MIDDLE_X + 30, MIDDLE_Y));
    s->host.disk = DISK_WAITS;
    assert_null(ask_create(s->ann, "hers", 0, "k"));
    assert_null(ask_access_gone(s->sue, "ann"));
    s->host.disk = DISK_COMMITS;
    host_settle(&s->host, true);
    host_turn(&s->host);
    assert_ok(last_answer(s->sue));
    assert_ok(last_answer(s->ann));
    assert_null(s->ann->session->gesture.interaction);
    assert_true(host_node(&s->host, s->node).trs.t.x == 1);
    uint64_t seq = gz_core_summary(s->host.core).seq;
    assert_null(ask_move(s->ann, s->node, 9, 0, 0));
    assert_int_equal(gz_core_summary(s->host.core).seq, seq);
    client_leave(s->ann);
}

/* ---- invitations ---- */

static const struct gz_message *ask_link(struct client *client, enum gz_role role, double expires_s)
{
    const struct gz_message message = {.op = GZ_OP_LINK, .link = {role, expires_s}};
    return client_ask(client, &message);
}

SCENE_TEST(test_link_is_a_token_for_guests_of_this_scene)
{
    const struct gz_message *answer = ask_link(s->sue, GZ_ROLE_EDITOR, 28800);
    assert_ok(answer);
    assert_true((answer->has & GZ_HAS_OK_TOKEN) != 0);
    assert_int_equal(answer->ok.token.size, strlen("guest editor of " HOST_SCENE " for 28800 s"));
    assert_memory_equal(answer->ok.token.bytes, "guest editor of " HOST_SCENE " for 28800 s",
                        answer->ok.token.size);
    assert_ok(ask_link(s->sue, GZ_ROLE_VIEWER, GZ_LINK_SECONDS_MAX));
    assert_says(ask_link(s->sue, GZ_ROLE_VIEWER, GZ_LINK_SECONDS_MAX + 1), GZ_BAD_VALUE,
                "link.expires_s: at most 2592000");
    assert_says(ask_link(s->sue, GZ_ROLE_ADMIN, 60), GZ_BAD_VALUE,
                "link.role: a link can give viewer or editor, not admin");
    assert_refused(ask_link(s->ann, GZ_ROLE_VIEWER, 60), GZ_FORBIDDEN);
}

/* Nobody invites for longer than they may stay themselves. */
SCENE_TEST(test_link_ends_with_the_token_of_whoever_made_it)
{
    double before = s->sue->session->work.tokens;
    s->sue->session->rights.expires_unix_s = s->host.now.unix_s + 60;
    const struct gz_message *answer = ask_link(s->sue, GZ_ROLE_VIEWER, 28800);
    assert_ok(answer);
    assert_memory_equal(answer->ok.token.bytes, "guest viewer of " HOST_SCENE " for 60 s",
                        answer->ok.token.size);
    assert_true(before - s->sue->session->work.tokens >= messages(GZ_PRICE_SIGNATURE));
}

SCENE_TEST(test_server_without_a_key_makes_no_link)
{
    s->host.cannot_sign = true;
    host_restart(&s->host, false);
    client_resume(s->sue);
    client_resume(s->ann);
    assert_says(ask_link(s->sue, GZ_ROLE_VIEWER, 60), GZ_BAD_STATE,
                "this server has no key to sign a link with");
}

/* ---- what is refused ---- */

SCENE_TEST(test_nobody_is_locked_out_by_accident)
{
    const char *words =
        "access.user: this would take away your own admin role: ask another admin to do it";
    assert_ok(ask_access(s->sue, "ann", GZ_ROLE_ADMIN));
    come_back(s->ann, GZ_ROLE_ADMIN);
    assert_says(ask_access_gone(s->ann, "ann"), GZ_CONFLICT, words);
    assert_says(ask_access(s->ann, "ann", GZ_ROLE_EDITOR), GZ_CONFLICT, words);
    assert_ok(ask_access(s->ann, "ann", GZ_ROLE_ADMIN));
    assert_ok(ask_access(s->ann, "a*", GZ_ROLE_ADMIN));
    assert_ok(ask_access_gone(s->ann, "ann"));
    assert_says(ask_access_gone(s->ann, "a*"), GZ_CONFLICT, words);
    s->host.disk = DISK_WAITS; /* another pattern that waits counts, and that it will go counts */
    assert_null(ask_access(s->ann, "?nn", GZ_ROLE_ADMIN));
    assert_null(ask_access_gone(s->ann, "a*"));
    assert_null(ask_access_gone(s->ann, "?nn"));
    s->host.disk = DISK_COMMITS;
    host_settle(&s->host, true);
    host_turn(&s->host);
    assert_says(last_answer(s->ann), GZ_CONFLICT, words);
    assert_false(is_ended(s->ann));
    assert_ok(ask_access_gone(s->sue, "?nn")); /* her token makes her an admin */
    assert_true(is_ended(s->ann) && !is_ended(s->sue));
    client_leave(s->ann);
}

SCENE_TEST(test_what_cannot_be_is_refused)
{
    struct gz_message both = {.op = GZ_OP_ACCESS, .has = GZ_HAS_ACCESS_ROLE};
    both.access = (struct gz_access){.user = {"ann", 3}, .gone = true};
    struct gz_message none = {.op = GZ_OP_ACCESS, .access.user = {"ann", 3}};
    const char *words = "access.role: give either a role or gone";
    assert_says(client_ask(s->sue, &both), GZ_BAD_VALUE, words);
    assert_says(client_ask(s->sue, &none), GZ_BAD_VALUE, words);
    assert_says(ask_access_gone(s->sue, "an*"), GZ_BAD_VALUE,
                "access.user: the pattern an* has no access to this scene");
    assert_refused(ask_access(s->sue, "", GZ_ROLE_VIEWER), GZ_BAD_VALUE);
    char pattern[GZ_GLOB_BYTES_MAX + 2];
    memset(pattern, '*', sizeof pattern);
    pattern[GZ_GLOB_BYTES_MAX] = '\0';
    assert_ok(ask_access(s->sue, pattern, GZ_ROLE_VIEWER));
    pattern[GZ_GLOB_BYTES_MAX] = '*';
    pattern[GZ_GLOB_BYTES_MAX + 1] = '\0';
    assert_refused(ask_access(s->sue, pattern, GZ_ROLE_VIEWER), GZ_BAD_VALUE);
    assert_false(is_ended(s->ann));
}

SCENE_TEST(test_scene_has_so_many_patterns)
{
    char user[16];
    for (int i = 1; i < GZ_ACCESS_MAX; i++) {
        snprintf(user, sizeof user, "u%d", i);
        assert_ok(ask_access(s->sue, user, GZ_ROLE_VIEWER));
    }
    assert_says(ask_access(s->sue, "one more", GZ_ROLE_VIEWER), GZ_TOO_MANY,
                "access: a scene has at most 256 patterns");
    assert_ok(ask_access(s->sue, "u7", GZ_ROLE_EDITOR));
    assert_ok(ask_access_gone(s->sue, "u8"));
    assert_ok(ask_access(s->sue, "one more", GZ_ROLE_VIEWER));
}
