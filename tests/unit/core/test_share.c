/* While others may edit, a payer has few rows on the way to the disk, so that nobody waits long
 * behind them; the rest waits in the inboxes of the payer's sessions. Nothing of it is refused,
 * lost, done twice or done in another order for that. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/pending.h"
#include "core/session.h"
#include "server/maxima.h"
#include "support/cmocka.h"
#include "unit/core/saying.h"

#define MANY 99
#define EDITS 20
#define ROWS_OF_MANY (1 + 2 * MANY)
#define DISTANCE 10.0

struct scene {
    struct host host;
    struct client *a, *b; /* editors, who pay each for themselves; both have a camera */
};

/* With nodes 1 to MANY, and a disk that takes its time from now on. */
static void open_scene(struct scene *s)
{
    *s = (struct scene){.host = {.core = NULL}};
    host_init_limited(&s->host, 1e6);
    s->a = client_join(&s->host, "ann", GZ_ROLE_EDITOR);
    s->b = client_join(&s->host, "bob", GZ_ROLE_EDITOR);
    create_many(s->a, MANY);
    assert_ok(ask_camera(s->a, DISTANCE));
    assert_ok(ask_camera(s->b, DISTANCE));
    s->host.disk = DISK_WAITS;
}

static void close_scene(struct scene *s)
{
    s->host.disk = DISK_COMMITS;
    host_close(&s->host);
}

/* Each edit waits for the one before it. */
static void let_one_wait(struct scene *s)
{
    s->host.core->rows_waiting_max = 1;
}

/* ---- asking ---- */

static uint64_t set_many_later(struct client *client, size_t count, double x)
{
    struct gz_set_node nodes[MANY];
    for (size_t i = 0; i < count; i++) {
        nodes[i] = (struct gz_set_node){.has = GZ_HAS_SET_NODE_T, .id = i + 1};
        nodes[i].trs.t.x = x;
    }
    return ask_later(client, (struct gz_message){.op = GZ_OP_SET, .set = {nodes, count}});
}

static uint64_t set_later(struct client *client, double x)
{
    return set_many_later(client, 1, x);
}

static uint64_t set_keyed_later(struct client *client, double x, const char *key)
{
    struct gz_set_node node = {.has = GZ_HAS_SET_NODE_T, .id = 1, .trs.t.x = x};
    return ask_later(client, (struct gz_message){.op = GZ_OP_SET,
                                                 .has = GZ_HAS_KEY,
                                                 .key = {key, strlen(key)},
                                                 .set = {&node, 1}});
}

static double x_of(struct scene *s)
{
    return host_node(&s->host, 1).trs.t.x;
}

/* The disk commits the oldest batch. */
static void commit(struct scene *s)
{
    host_turn(&s->host);
    host_settle(&s->host, true);
    host_turn(&s->host);
}

static void commit_all(struct scene *s)
{
    s->host.disk = DISK_COMMITS;
    host_turn(&s->host);
}

/* The rows of the entries before the latest one of the client. */
static size_t rows_before(const struct scene *s, const struct client *client)
{
    size_t rows = 0, before = SIZE_MAX;
    for (const struct gz_journal_entry *entry = s->host.core->journal.oldest; entry != NULL;
         entry = entry->newer) {
        if (entry->waiter.session == client->id) before = rows;
        rows += entry->rows;
    }
    assert_true(before != SIZE_MAX);
    return before;
}

/* ---- how much is on the way ---- */

SCENE_TEST(test_edits_of_others_stand_behind_few_rows)
{
    uint64_t rids[EDITS];
    for (int i = 0; i < EDITS; i++) rids[i] = set_many_later(s->a, MANY, 1 + i);
    uint64_t rid = set_later(s->b, 100);
    host_turn(&s->host);
    assert_int_equal(x_of(s), 100); /* is shown at once */
    assert_in_range(rows_before(s, s->b), GZ_ROWS_WAITING_MAX - ROWS_OF_MANY,
                    GZ_ROWS_WAITING_MAX + ROWS_OF_MANY - 1);
    for (int commits = 0; client_answer(s->b, rid) == NULL; commits++) {
        assert_true(commits < 2);
        commit(s);
    }
    assert_null(client_answer(s->a, rids[EDITS - 1]));
    commit_all(s);
    uint64_t seq = 0;
    for (int i = 0; i < EDITS; i++) {
        const struct gz_message *ok = client_answer(s->a, rids[i]);
        assert_ok(ok);
        assert_true(ok->ok.seq > seq); /* in their order */
        seq = ok->ok.seq;
    }
    assert_int_equal(x_of(s), EDITS);
}

/* However many rows it has. */
SCENE_TEST(test_one_edit_never_waits)
{
    s->host.core->rows_waiting_max = ROWS_OF_MANY / 2;
    (void)set_many_later(s->a, MANY, 1);
    assert_int_equal(x_of(s), 1);
    (void)set_later(s->a, 2);
    assert_int_equal(x_of(s), 1);
    (void)set_later(s->b, 3);
    assert_int_equal(x_of(s), 3);
    commit(s);
    assert_int_equal(x_of(s), 2);
}

SCENE_TEST(test_who_edits_alone_waits_for_nothing)
{
    let_one_wait(s);
    client_leave(s->b);
    (void)client_join(&s->host, "eve", GZ_ROLE_VIEWER);
    struct client *again = client_join(&s->host, "ann", GZ_ROLE_EDITOR);
    for (int i = 1; i <= EDITS; i++) (void)set_later(s->a, i);
    (void)set_later(again, EDITS + 1);
    assert_int_equal(x_of(s), EDITS + 1);
}

/* And what waits is done when the other one goes. */
SCENE_TEST(test_nothing_waits_when_the_others_are_gone)
{
    let_one_wait(s);
    (void)set_later(s->a, 1);
    (void)set_later(s->a, 2);
    assert_int_equal(x_of(s), 1);
    client_leave(s->b);
    host_turn(&s->host);
    assert_int_equal(x_of(s), 2);
}

SCENE_TEST(test_sessions_of_a_payer_share_and_take_turns)
{
    let_one_wait(s);
    struct client *again = client_join(&s->host, "ann", GZ_ROLE_EDITOR);
    commit(s); /* that it joined */
    for (int i = 1; i <= 3; i++) {
        (void)set_later(s->a, i);
        (void)set_later(again, 10 * i);
    }
    static const double order[] = {1, 2, 10, 3, 20, 30};
    for (size_t i = 0; i < COUNT(order); i++) {
        assert_int_equal(x_of(s), order[i]);
        commit(s);
    }
}

/* Each of them is a row, or has one. */
SCENE_TEST(test_everything_for_the_disk_counts)
{
    let_one_wait(s);
    struct gz_message note = {.op = GZ_OP_NOTE, .has = GZ_HAS_NOTE_TEXT, .note.text = {"one", 3}};
    uint64_t rids[] = {ask_later(s->a, note), ask_later(s->a, note), set_later(s->a, 1),
                       ask_later(s->a, (struct gz_message){.op = GZ_OP_UNDO})};
    for (size_t i = 0; i < COUNT(rids); i++) {
        host_turn(&s->host);
        assert_int_equal(s->host.core->journal.requests, 1);
        assert_null(client_answer(s->a, rids[i]));
        commit(s);
        assert_ok(client_answer(s->a, rids[i]));
    }
}

/* ---- what waits behind ---- */

SCENE_TEST(test_later_messages_keep_their_order)
{
    let_one_wait(s);
    (void)set_later(s->a, 1);
    uint64_t set = set_later(s->a, 2);
    uint64_t ping = ask_later(s->a, (struct gz_message){.op = GZ_OP_PING});
    host_turn(&s->host);
    assert_null(client_answer(s->a, ping));
    assert_true(gz_session_is_full(s->a->session));
    assert_true(gz_core_deadline(s->host.core) > s->host.now.mono_s); /* it does not spin */
    commit(s);
    assert_ok(client_answer(s->a, ping));
    assert_null(client_answer(s->a, set));
    assert_false(gz_session_is_full(s->a->session));
    commit_all(s);
    assert_ok(client_answer(s->a, set));
}

/* Several messages in a frame: those before the edit that waits are done. */
SCENE_TEST(test_a_frame_is_continued_where_it_stopped)
{
    let_one_wait(s);
    struct gz_buffer frame;
    gz_buffer_init(&frame, GZ_MESSAGE_BYTES_MAX, 0);
    const uint64_t first = s->a->next_rid;
    for (int i = 1; i <= 3; i++) {
        struct gz_set_node node = {.has = GZ_HAS_SET_NODE_T, .id = 1, .trs.t.x = i};
        struct gz_message set = {.op = GZ_OP_SET, .has = GZ_HAS_RID, .set = {&node, 1}};
        set.rid = s->a->next_rid++;
        assert_int_equal(gz_encode(&frame, &set), GZ_OK);
    }
    client_say_bytes(s->a, frame.data, frame.size);
    for (int i = 0; i < 3; i++) {
        host_turn(&s->host);
        assert_int_equal(x_of(s), 1 + i);
        commit(s);
        assert_ok(client_answer(s->a, first + (uint64_t)i));
    }
    gz_buffer_finish(&frame);
}

SCENE_TEST(test_what_is_no_edit_does_not_wait)
{
    let_one_wait(s);
    (void)set_later(s->a, 1);
    assert_ok(ask_op(s->a, GZ_OP_PING));
    assert_ok(ask_select(s->a, 2));
    assert_ok(ask_grab(s->a, GZ_TX, 2, MIDDLE_X, MIDDLE_Y));
    assert_ok(ask_pointer(s->a, GZ_PHASE_MOVE, MIDDLE_X + 50, MIDDLE_Y));
    assert_null(ask_pointer(s->a, GZ_PHASE_CANCEL, MIDDLE_X, MIDDLE_Y)); /* it is done, ... */
    assert_false(gz_session_holds_nodes(s->a->session));
    commit_all(s); /* ... and answered once the disk knows */
    assert_ok(client_answer(s->a, s->a->next_rid - 1));
}

SCENE_TEST(test_ends_of_gestures_wait)
{
    let_one_wait(s);
    assert_ok(ask_grab(s->a, GZ_TX, 2, MIDDLE_X, MIDDLE_Y));
    assert_ok(ask_pointer(s->a, GZ_PHASE_MOVE, MIDDLE_X + 50, MIDDLE_Y));
    (void)set_later(s->a, 1);
    assert_null(ask_pointer(s->a, GZ_PHASE_UP, MIDDLE_X + 60, MIDDLE_Y));
    const uint64_t up = s->a->next_rid - 1;
    assert_true(gz_session_holds_nodes(s->a->session));
    commit_all(s);
    assert_ok(client_answer(s->a, up));
    assert_false(gz_session_holds_nodes(s->a->session));

    s->host.disk = DISK_WAITS;
    assert_null(ask_wheel(s->a, 1));
    (void)set_later(s->b, 2);
    (void)set_many_later(s->a, 0, 0);
    assert_ok(ask_select(s->a, 2)); /* the end of the wheel is the first edit */
    assert_null(ask_wheel(s->a, 1));
    assert_null(ask_select(s->a, 3));
    commit_all(s);
    assert_ok(client_answer(s->a, s->a->next_rid - 1));
}

/* ---- nothing is lost, done twice, or refused ---- */

SCENE_TEST(test_what_waits_is_charged_once)
{
    let_one_wait(s);
    struct gz_rate *rate = &s->a->session->rate, *work = &s->a->session->work;
    const double messages = gz_rate_left(rate, s->host.now.mono_s),
                 edits = gz_rate_left(work, s->host.now.mono_s);
    (void)set_later(s->a, 1);
    const double message = messages - rate->tokens, edit = edits - work->tokens;
    assert_true(message > 0 && edit > 0);
    for (int i = 2; i <= 5; i++) (void)set_later(s->a, i);
    commit_all(s);
    assert_int_equal(x_of(s), 5);
    assert_true(fabs(messages - rate->tokens - 5 * message) < 1e-6);
    assert_true(fabs(edits - work->tokens - 5 * edit) < 1e-6);
}

SCENE_TEST(test_key_again_is_the_same_edit)
{
    let_one_wait(s);
    (void)set_later(s->a, 1);
    uint64_t first = set_keyed_later(s->a, 2, "k"), second = set_keyed_later(s->a, 2, "k");
    commit_all(s);
    assert_ok(client_answer(s->a, first));
    assert_ok(client_answer(s->a, second));
    assert_int_equal(client_answer(s->a, first)->ok.edit, client_answer(s->a, second)->ok.edit);
}

/* As if what waited had been lost on the way. */
SCENE_TEST(test_who_leaves_asks_again)
{
    let_one_wait(s);
    (void)set_keyed_later(s->a, 1, "one");
    (void)set_keyed_later(s->a, 2, "two");
    client_leave(s->a);
    client_enter_again(s->a);
    uint64_t one = set_keyed_later(s->a, 1, "one"), two = set_keyed_later(s->a, 2, "two");
    host_turn(&s->host);
    assert_int_equal(x_of(s), 1);
    commit_all(s);
    assert_ok(client_answer(s->a, one));
    assert_ok(client_answer(s->a, two));
    assert_int_equal(client_answer(s->a, two)->ok.edit, client_answer(s->a, one)->ok.edit + 1);
    assert_int_equal(x_of(s), 2);
}

/* The payer's rows are counted while its sessions are gone. */
SCENE_TEST(test_rows_outlive_the_session)
{
    let_one_wait(s);
    (void)set_later(s->a, 1);
    client_leave(s->a);
    host_advance(&s->host, 60);
    client_enter_again(s->a);
    (void)set_later(s->a, 2);
    assert_int_equal(x_of(s), 1);
    commit_all(s);
    assert_int_equal(x_of(s), 2);
    assert_int_equal(s->a->session->share->rows_waiting, 0);
}

SCENE_TEST(test_what_waits_is_tried_after_a_refusal)
{
    let_one_wait(s);
    uint64_t one = set_later(s->a, 1), two = set_later(s->a, 2);
    host_turn(&s->host);
    host_settle(&s->host, false);
    host_turn(&s->host);
    assert_refused(client_answer(s->a, one), GZ_STORAGE);
    assert_int_equal(s->a->session->share->rows_waiting, 3); /* the second one's */
    s->host.disk = DISK_COMMITS;
    host_advance(&s->host, 1);
    assert_ok(client_answer(s->a, two));
    assert_int_equal(x_of(s), 2);
    assert_int_equal(s->a->session->share->rows_waiting, 0);
}

SCENE_TEST(test_the_end_lets_nothing_wait)
{
    let_one_wait(s);
    for (int i = 1; i <= 3; i++) (void)set_later(s->a, i);
    gz_core_freeze(s->host.core, "the end", s->host.now);
    assert_int_equal(x_of(s), 3);
    commit_all(s);
    for (uint64_t rid = s->a->next_rid - 3; rid < s->a->next_rid; rid++)
        assert_ok(client_answer(s->a, rid));
}

/* Work that is put off for a worker waits for the disk as well. */
SCENE_TEST(test_what_is_put_off_waits_too)
{
    let_one_wait(s);
    struct client *again = client_join(&s->host, "ann", GZ_ROLE_EDITOR);
    s->host.bulk_waits = true;
    s->host.core->nodes_at_once = MANY - 1;
    uint64_t one = set_many_later(s->a, MANY, 1), two = set_many_later(again, MANY, 2);
    host_turn(&s->host);
    gz_core_do_bulk(s->host.core, s->host.now);
    const double first = x_of(s);
    s->host.bulk_waits = false;
    host_turn(&s->host);
    assert_int_equal(x_of(s), first);
    commit_all(s);
    assert_int_equal(x_of(s), 3 - first);
    assert_ok(client_answer(s->a, one));
    assert_ok(client_answer(again, two));
}
