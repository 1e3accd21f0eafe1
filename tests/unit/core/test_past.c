/* Checkpoints: named states, which are there once the disk has them, across restarts, and stand where a seq does. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "server/limits.h"
#include "unit/core/saying.h"

struct scene {
    struct host host;
    struct client *a, *b, *admin, *viewer;
    uint64_t node;
};

static void open_scene(struct scene *s)
{
    host_init(&s->host);
    s->a = client_join(&s->host, "ann", GZ_ROLE_EDITOR);
    s->b = client_join(&s->host, "bob", GZ_ROLE_EDITOR);
    s->admin = client_join(&s->host, "ada", GZ_ROLE_ADMIN);
    s->viewer = client_join(&s->host, "vic", GZ_ROLE_VIEWER);
    s->node = create_node(s->a, "piston", 0, 0, 0, 0);
}

static void close_scene(struct scene *s)
{
    host_turn(&s->host);
    host_assert_equal(&s->host);
    host_finish(&s->host);
}

static void reopen(struct scene *s)
{
    host_restart(&s->host, false);
    client_resume(s->a);
    client_resume(s->b);
    client_resume(s->admin);
    client_resume(s->viewer);
    host_turn(&s->host);
}

static double place(struct scene *s, uint64_t id)
{
    return host_node(&s->host, id).trs.t.x;
}

static uint64_t seq_of(struct scene *s)
{
    return gz_core_summary(s->host.core).seq;
}

static void assert_says(const struct gz_message *answer, enum gz_status status, const char *text)
{
    assert_refused(answer, status);
    char said[GZ_ERROR_BYTES_MAX];
    snprintf(said, sizeof said, "%.*s", (int)answer->error.message.size, answer->error.message.bytes);
    assert_string_equal(said, text);
}

/* "name seq user" of each, with commas between. */
static void assert_checkpoints(struct client *client, const char *expected)
{
    const struct gz_message *answer = ask_op(client, GZ_OP_CHECKPOINTS);
    char text[1024] = "";
    assert_ok(answer);
    assert_true((answer->has & GZ_HAS(CHECKPOINTS)) != 0);
    for (size_t i = 0; i < answer->ok.checkpoint_count; i++) {
        const struct gz_checkpoint_state *one = &answer->ok.checkpoints[i];
        size_t used = strlen(text);
        snprintf(text + used, sizeof text - used, "%s%.*s %llu %.*s", i > 0 ? ", " : "", (int)one->name.size,
                 one->name.bytes, (unsigned long long)one->seq, (int)one->user.size, one->user.bytes);
    }
    assert_string_equal(text, expected);
}

/* ---- checkpoints ---- */

static void test_checkpoint_names_the_present_state_across_restart(void **state)
{
    (void)state;
    struct scene s;
    char expected[128];
    open_scene(&s);
    assert_ok(ask_move(s.a, s.node, 1, 0, 0));
    uint64_t seq = seq_of(&s);
    const struct gz_message *ok = ask_checkpoint(s.b, "before lunch");
    assert_ok(ok);
    assert_true((ok->has & GZ_HAS(SEQ)) != 0);
    assert_int_equal(ok->ok.seq, seq);
    assert_ok(ask_move(s.a, s.node, 2, 0, 0));
    assert_ok(ask_checkpoint_of(s.a, "Zo\xc3\xab: 1", 1));
    snprintf(expected, sizeof expected, "Zo\xc3\xab: 1 1 ann, before lunch %llu bob", (unsigned long long)seq);
    for (int life = 0; life < 3; life++) {
        assert_checkpoints(s.viewer, expected);
        ok = ask_at_checkpoint(s.viewer, "before lunch");
        assert_ok(ok);
        assert_int_equal(ok->ok.seq, seq);
        assert_int_equal(ok->ok.node_count, 1);
        assert_true(ok->ok.nodes[0].trs.t.x == 1);
        reopen(&s);
    }
    assert_ok(ask_restore_checkpoint(s.a, "before lunch", "k"));
    assert_true(place(&s, s.node) == 1);
    size_t edits = s.host.store.edit_count;
    assert_ok(ask_restore_checkpoint(s.a, "before lunch", "k"));
    assert_int_equal(s.host.store.edit_count, edits);
    assert_ok(ask_undo(s.a, false));
    assert_true(place(&s, s.node) == 2);
    close_scene(&s);
}

static void test_checkpoint_is_there_and_answered_after_commit(void **state)
{
    (void)state;
    struct scene s;
    open_scene(&s);
    s.host.disk = DISK_WAITS;
    assert_null(ask_move(s.a, s.node, 1, 0, 0));
    assert_null(ask_checkpoint(s.a, "v1")); /* of what is not saved yet, in the batch after it */
    assert_checkpoints(s.a, "");
    assert_refused(ask_at_checkpoint(s.a, "v1"), GZ_BAD_VALUE);
    assert_refused(ask_checkpoint(s.b, "v1"), GZ_CONFLICT);
    uint64_t rid = s.a->next_rid - 3;
    host_settle(&s.host, true);
    host_turn(&s.host);
    assert_null(client_answer(s.a, rid));
    host_settle(&s.host, true);
    host_turn(&s.host);
    assert_ok(client_answer(s.a, rid));
    s.host.disk = DISK_COMMITS;
    assert_checkpoints(s.b, "v1 2 ann");
    close_scene(&s);
}

static void test_checkpoint_that_the_disk_refuses_is_none(void **state)
{
    (void)state;
    struct scene s;
    open_scene(&s);
    assert_ok(ask_checkpoint(s.a, "old"));
    s.host.disk = DISK_REFUSES;
    assert_refused(ask_checkpoint(s.a, "v1"), GZ_STORAGE);
    assert_null(ask_checkpoint_gone(s.a, "old")); /* until the disk is tried again */
    host_advance(&s.host, 1);
    assert_refused(client_answer(s.a, s.a->next_rid - 1), GZ_STORAGE);
    s.host.disk = DISK_COMMITS;
    host_advance(&s.host, 1);
    assert_checkpoints(s.a, "old 1 ann");
    assert_ok(ask_checkpoint(s.a, "v1"));
    assert_ok(ask_checkpoint_gone(s.b, "old"));
    reopen(&s);
    assert_checkpoints(s.a, "v1 1 ann");
    close_scene(&s);
}

/* One after the other before the disk has any of it: each stands on what waits. */
static void test_checkpoint_taken_away_and_given_again_in_one_batch(void **state)
{
    (void)state;
    struct scene s;
    open_scene(&s);
    assert_ok(ask_checkpoint(s.a, "v1"));
    s.host.disk = DISK_WAITS;
    assert_null(ask_move(s.a, s.node, 1, 0, 0)); /* on its way: what follows is one batch */
    assert_null(ask_checkpoint_gone(s.a, "v1"));
    assert_refused(ask_checkpoint_gone(s.b, "v1"), GZ_BAD_VALUE);
    assert_null(ask_checkpoint(s.b, "v1"));
    assert_null(ask_checkpoint(s.b, "v2"));
    assert_null(ask_checkpoint_gone(s.a, "v2"));
    s.host.disk = DISK_COMMITS;
    host_settle(&s.host, true);
    host_turn(&s.host);
    assert_checkpoints(s.a, "v1 2 bob");
    reopen(&s);
    assert_checkpoints(s.a, "v1 2 bob");
    close_scene(&s);
}

static void test_checkpoint_refusals_say_what_is_wrong(void **state)
{
    (void)state;
    struct scene s;
    open_scene(&s);
    assert_ok(ask_checkpoint(s.a, "v1"));
    assert_says(ask_checkpoint(s.b, "v1"), GZ_CONFLICT, "checkpoint.name: v1 is taken, by ann for seq 1");
    assert_says(ask_checkpoint_of(s.a, "v2", 2), GZ_BAD_VALUE, "checkpoint.seq: the scene is at 1");
    assert_says(ask_checkpoint(s.a, "0123"), GZ_BAD_VALUE,
                "checkpoint.name: of digits alone it could be taken for a seq");
    assert_says(ask_checkpoint_gone(s.a, "v3"), GZ_BAD_VALUE, "checkpoint.name: there is no checkpoint called v3");
    struct gz_message both = {.op = GZ_OP_CHECKPOINT, .has = GZ_HAS(SEQ)};
    both.checkpoint = (struct gz_checkpoint){.name = {"v1", 2}, .seq = 1, .gone = true};
    assert_says(client_ask(s.a, &both), GZ_BAD_VALUE, "checkpoint.seq: is said of one that is made, not of one to go");
    assert_says(ask_at_checkpoint(s.a, "v"), GZ_BAD_VALUE, "checkpoint: there is no checkpoint called v");
    assert_says(ask_restore_checkpoint(s.a, "v11", NULL), GZ_BAD_VALUE,
                "checkpoint: there is no checkpoint called v11");
    assert_says(ask_checkpoint(s.viewer, "v4"), GZ_FORBIDDEN, "checkpoint: a viewer may not");
    assert_checkpoints(s.a, "v1 1 ann");
    close_scene(&s);
}

static void test_checkpoints_are_bounded(void **state)
{
    (void)state;
    struct scene s;
    char name[GZ_CHECKPOINT_BYTES_MAX + 1];
    open_scene(&s);
    for (int i = 0; i < GZ_CHECKPOINTS_MAX; i++) {
        snprintf(name, sizeof name, "n%063d", i);
        assert_ok(ask_checkpoint_of(s.a, name, i % 2));
        if (i % 100 == 0) host_advance(&s.host, 0.1);
    }
    assert_refused(ask_checkpoint(s.a, "one more"), GZ_TOO_MANY);
    const struct gz_message *all = ask_op(s.a, GZ_OP_CHECKPOINTS);
    assert_ok(all);
    assert_int_equal(all->ok.checkpoint_count, GZ_CHECKPOINTS_MAX);
    for (size_t i = 1; i < all->ok.checkpoint_count; i++)
        assert_true(all->ok.checkpoints[i - 1].seq <= all->ok.checkpoints[i].seq);
    assert_ok(ask_checkpoint_gone(s.a, name));
    assert_ok(ask_checkpoint(s.a, "one more"));
    close_scene(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_checkpoint_names_the_present_state_across_restart),
        cmocka_unit_test(test_checkpoint_is_there_and_answered_after_commit),
        cmocka_unit_test(test_checkpoint_that_the_disk_refuses_is_none),
        cmocka_unit_test(test_checkpoint_taken_away_and_given_again_in_one_batch),
        cmocka_unit_test(test_checkpoint_refusals_say_what_is_wrong),
        cmocka_unit_test(test_checkpoints_are_bounded),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
