/* No answer relies on what is not on the disk. Each row of `kinds` is a request that finds done, or
 * in its way, what an earlier one did that the disk does not have yet. It is answered once the disk
 * has that, and `storage` if the disk refuses it; with nothing unsaved it is answered at once. So
 * there is no moment at which a crash takes back what an answer said. */
#include <stdio.h>
#include <string.h>

#include "core/session.h"
#include "server/maxima.h"
#include "support/cmocka.h"
#include "unit/core/saying.h"

#define DISTANCE 10.0

struct scene {
    struct host host;
    struct client *ann, *bob, *also, *sue; /* also: ann's second session; sue: an admin */
    struct client *asks;                   /* who waits for the answer */
    uint64_t box, rod, nut, edit, note, seq;
};

static void open_scene(struct scene *s)
{
    *s = (struct scene){.host = {.core = NULL}};
    host_init_limited(&s->host, 1e6);
    s->ann = client_join(&s->host, "ann", GZ_ROLE_EDITOR);
    s->bob = client_join(&s->host, "bob", GZ_ROLE_EDITOR);
    s->sue = client_join(&s->host, "sue", GZ_ROLE_ADMIN);
    s->box = create_node(s->sue, "box", 0, 0, 0, 0);
    s->rod = create_node(s->sue, "rod", 0, 3, 0, 0);
    s->nut = create_node(s->sue, "nut", 0, 6, 0, 0);
    assert_ok(ask_camera(s->ann, DISTANCE));
    assert_ok(ask_camera(s->bob, DISTANCE));
}

static void close_scene(struct scene *s)
{
    s->host.disk = DISK_COMMITS;
    host_advance(&s->host, 2);
    host_close(&s->host);
}

/* ---- what is done, and not stored yet ---- */

static void move_box(struct scene *s)
{
    (void)ask_move(s->bob, s->box, 1, 2, 3);
}

static void name_box(struct scene *s)
{
    (void)ask_rename(s->bob, s->box, "crate");
}

static void hang_box(struct scene *s)
{
    (void)ask_hang(s->bob, s->box, s->rod);
}

static void delete_box(struct scene *s)
{
    (void)ask_delete(s->bob, s->box);
}

/* The scene is then as it was at s->seq. */
static void move_back(struct scene *s)
{
    (void)ask_move(s->bob, s->box, 0, 0, 0);
}

static void undo(struct scene *s)
{
    (void)ask_undo(s->ann, false);
}

static void redo(struct scene *s)
{
    (void)ask_redo(s->ann, false);
}

static void revert(struct scene *s)
{
    (void)ask_revert(s->sue, s->edit, false);
}

static void finish_note(struct scene *s)
{
    (void)ask_done(s->bob, s->note, true);
}

static void delete_note(struct scene *s)
{
    (void)ask_gone(s->bob, s->note);
}

static void name_state(struct scene *s)
{
    (void)ask_checkpoint(s->bob, "v1");
}

static void unname_state(struct scene *s)
{
    (void)ask_checkpoint_gone(s->bob, "v1");
}

static void take_access(struct scene *s)
{
    (void)ask_access_gone(s->sue, "carl");
}

/* A drag of somebody else's, as far as it has come, is not stored yet. */
static void drag_rod(struct scene *s)
{
    (void)ask_grab(s->bob, GZ_TXY, s->rod, MIDDLE_X, MIDDLE_Y);
    (void)ask_pointer(s->bob, GZ_PHASE_MOVE, MIDDLE_X + 50, MIDDLE_Y);
}

static void drag(struct client *client, uint64_t node)
{
    (void)ask_grab(client, GZ_TXY, node, MIDDLE_X, MIDDLE_Y);
    (void)ask_pointer(client, GZ_PHASE_MOVE, MIDDLE_X + 50, MIDDLE_Y);
}

static void end_drag(struct scene *s)
{
    drag(s->ann, s->rod);
    (void)ask_pointer(s->ann, GZ_PHASE_UP, MIDDLE_X + 50, MIDDLE_Y);
}

static void cancel_drag(struct scene *s)
{
    (void)ask_pointer(s->ann, GZ_PHASE_CANCEL, MIDDLE_X, MIDDLE_Y);
}

/* The connection is lost, which completes the drag. */
static void lose_connection(struct scene *s)
{
    drag(s->ann, s->rod);
    client_leave(s->ann);
    client_resume(s->ann);
    host_turn(&s->host);
}

static void make_with_key(struct scene *s)
{
    (void)ask_create(s->ann, "bolt", 0, "k1");
}

static void note_with_key(struct scene *s)
{
    (void)ask_note(s->ann, "why?", "k1");
}

static void turn_wheel(struct scene *s)
{
    (void)ask_select(s->ann, s->rod);
}

/* ---- what was there before ---- */

static void moved_by_bob(struct scene *s)
{
    s->seq = gz_core_summary(s->host.core).seq;
    assert_ok(ask_move(s->bob, s->box, 5, 5, 5));
}

static void moved_by_ann(struct scene *s)
{
    const struct gz_message *ok = ask_move(s->ann, s->box, 5, 5, 5);
    assert_ok(ok);
    s->edit = ok->ok.edit;
    s->also = client_join(&s->host, "ann", GZ_ROLE_EDITOR);
}

static void undone_by_ann(struct scene *s)
{
    moved_by_ann(s);
    assert_ok(ask_undo(s->ann, false));
}

static void noted(struct scene *s)
{
    const struct gz_message *ok = ask_note(s->bob, "why?", NULL);
    assert_ok(ok);
    s->note = ok->ok.note;
}

static void named(struct scene *s)
{
    assert_ok(ask_checkpoint(s->bob, "v1"));
}

static void given(struct scene *s)
{
    assert_ok(ask_access(s->sue, "carl", GZ_ROLE_EDITOR));
}

/* A drag of ann's as far as it has come is stored. */
static void dragged(struct scene *s)
{
    drag(s->ann, s->rod);
    host_advance(&s->host, 0.1);
    assert_int_equal(s->host.store.open_count, 1);
}

/* ---- requests that rely on it ---- */

static void by(struct scene *s, struct client *client)
{
    s->asks = client;
}

static void move_there_too(struct scene *s)
{
    by(s, s->ann);
    (void)ask_move(s->ann, s->box, 1, 2, 3);
}

static void name_so_too(struct scene *s)
{
    by(s, s->ann);
    (void)ask_rename(s->ann, s->box, "crate");
}

static void hang_there_too(struct scene *s)
{
    by(s, s->ann);
    (void)ask_hang(s->ann, s->box, s->rod);
}

static void move_nowhere(struct scene *s)
{
    by(s, s->ann);
    (void)ask_move(s->ann, s->box, 0, 0, 0);
}

static void restore_that(struct scene *s)
{
    struct gz_message message = {.op = GZ_OP_RESTORE, .has = GZ_HAS_AT_SEQ, .restore.seq = s->seq};
    by(s, s->ann);
    (void)client_ask(s->ann, &message);
}

static void delete_too(struct scene *s)
{
    by(s, s->ann);
    (void)ask_delete(s->ann, s->box);
}

static void make_below(struct scene *s)
{
    by(s, s->ann);
    (void)ask_create(s->ann, "bolt", s->box, NULL);
}

static void copy_box(struct scene *s)
{
    struct gz_create_node node = {.has = GZ_HAS_CREATE_NODE_COPY, .copy = s->box};
    struct gz_message message = {.op = GZ_OP_CREATE, .create = {&node, 1}};
    by(s, s->ann);
    (void)client_ask(s->ann, &message);
}

static void set_on_base(struct scene *s)
{
    struct gz_set_node node = {.has = GZ_HAS_SET_NODE_T, .id = s->box, .trs = gz_trs_identity};
    struct gz_message message = {.op = GZ_OP_SET,
                                 .has = GZ_HAS_SET_BASE,
                                 .set = {.nodes = &node, .count = 1, .base = s->seq}};
    by(s, s->ann);
    (void)client_ask(s->ann, &message);
}

static void undo_too(struct scene *s)
{
    by(s, s->also);
    (void)ask_undo(s->also, false);
}

static void redo_too(struct scene *s)
{
    by(s, s->also);
    (void)ask_redo(s->also, false);
}

static void revert_too(struct scene *s)
{
    by(s, s->ann);
    (void)ask_revert(s->ann, s->edit, false);
}

static void finish_too(struct scene *s)
{
    by(s, s->ann);
    (void)ask_done(s->ann, s->note, true);
}

static void reply(struct scene *s)
{
    struct gz_message message = {.op = GZ_OP_NOTE,
                                 .has = GZ_HAS_NOTE_TEXT | GZ_HAS_NOTE_REPLY,
                                 .note = {.text = {"so", 2}, .reply = s->note}};
    by(s, s->ann);
    (void)client_ask(s->ann, &message);
}

static void pin(struct scene *s)
{
    struct gz_message message = {.op = GZ_OP_NOTE,
                                 .has = GZ_HAS_NOTE_TEXT | GZ_HAS_NOTE_NODE,
                                 .note = {.text = {"so", 2}, .node = s->box}};
    by(s, s->ann);
    (void)client_ask(s->ann, &message);
}

static void name_too(struct scene *s)
{
    by(s, s->ann);
    (void)ask_checkpoint(s->ann, "v1");
}

static void unname_too(struct scene *s)
{
    by(s, s->ann);
    (void)ask_checkpoint_gone(s->ann, "v1");
}

static void take_too(struct scene *s)
{
    by(s, s->sue);
    (void)ask_access_gone(s->sue, "carl");
}

static void drag_to_there(struct scene *s)
{
    struct gz_message grab = {.op = GZ_OP_GRAB,
                              .has = GZ_HAS_POINTER_VALUE | GZ_HAS_POINTER_NODES,
                              .pointer = {.handle = GZ_TX, .value = {{0}, 1}}};
    struct gz_message up = {.op = GZ_OP_POINTER, .pointer.phase = GZ_PHASE_UP};
    by(s, s->ann);
    grab.pointer.nodes = (struct gz_ids){&s->box, 1};
    assert_ok(client_ask(s->ann, &grab));
    (void)client_ask(s->ann, &up);
}

static void cancel(struct scene *s)
{
    by(s, s->ann);
    (void)ask_pointer(s->ann, GZ_PHASE_CANCEL, MIDDLE_X, MIDDLE_Y);
}

static void let_go(struct scene *s)
{
    by(s, s->ann);
    (void)ask_pointer(s->ann, GZ_PHASE_UP, MIDDLE_X, MIDDLE_Y);
}

static void let_go_by_key(struct scene *s)
{
    struct gz_message up = {
        .op = GZ_OP_POINTER, .has = GZ_HAS_KEY, .key = {"k9", 2}, .pointer.phase = GZ_PHASE_UP};
    by(s, s->ann);
    (void)client_ask(s->ann, &up);
}

static void turn_on(struct scene *s)
{
    by(s, s->ann);
    (void)ask_wheel(s->ann, 1);
}

static const struct kind {
    const char *what;
    void (*before)(struct scene *s); /* stored; NULL: nothing */
    void (*bring)(struct scene *s);
    void (*ask)(struct scene *s);
    enum gz_status status; /* of the answer once all is stored */
    bool has_own_edit;     /* with nothing unsaved it waits for an edit or a note of its own */
} kinds[] = {
    {"set to where it is", NULL, move_box, move_there_too, GZ_OK, false},
    {"set to its name", NULL, name_box, name_so_too, GZ_OK, false},
    {"set to its parent", NULL, hang_box, hang_there_too, GZ_OK, false},
    {"set that changes nothing during a drag", NULL, drag_rod, move_nowhere, GZ_OK, false},
    {"restore of what is", moved_by_bob, move_back, restore_that, GZ_OK, false},
    {"set of what is gone", NULL, delete_box, move_there_too, GZ_UNKNOWN_NODE, false},
    {"set on a base", moved_by_bob, move_box, set_on_base, GZ_CONFLICT, false},
    {"delete of what is gone", NULL, delete_box, delete_too, GZ_UNKNOWN_NODE, false},
    {"create below what is gone", NULL, delete_box, make_below, GZ_UNKNOWN_NODE, false},
    {"copy of what is gone", NULL, delete_box, copy_box, GZ_UNKNOWN_NODE, false},
    {"undo of nothing", moved_by_ann, undo, undo_too, GZ_BAD_STATE, false},
    {"undo that is in conflict", moved_by_ann, move_box, undo_too, GZ_CONFLICT, false},
    {"redo of nothing", undone_by_ann, redo, redo_too, GZ_BAD_STATE, false},
    {"revert of what is reverted", moved_by_ann, revert, revert_too, GZ_BAD_STATE, false},
    {"revert that is in conflict", moved_by_ann, move_box, revert_too, GZ_CONFLICT, false},
    {"note that is done", noted, finish_note, finish_too, GZ_OK, false},
    {"note that is gone", noted, delete_note, finish_too, GZ_BAD_VALUE, false},
    {"reply to a note that is gone", noted, delete_note, reply, GZ_BAD_VALUE, false},
    {"note on what is gone", NULL, delete_box, pin, GZ_UNKNOWN_NODE, false},
    {"name that is taken", NULL, name_state, name_too, GZ_CONFLICT, false},
    {"name that is gone", named, unname_state, unname_too, GZ_BAD_VALUE, false},
    {"access that is gone", given, take_access, take_too, GZ_BAD_VALUE, false},
    {"drag that ends where an edit put it", NULL, move_box, drag_to_there, GZ_OK, false},
    {"drag that is cancelled", dragged, move_box, cancel, GZ_OK, false},
    {"cancel of what is cancelled", dragged, cancel_drag, cancel, GZ_OK, false},
    {"end of a drag that is over", NULL, end_drag, let_go, GZ_OK, false},
    {"end of a drag that a lost connection ended", NULL, lose_connection, let_go_by_key, GZ_OK,
     false},
    {"create by a key again", NULL, make_with_key, make_with_key, GZ_OK, true},
    {"note by a key again", NULL, note_with_key, note_with_key, GZ_OK, true},
    {"create of a copy", NULL, move_box, copy_box, GZ_OK, true},
    {"turn of a wheel", NULL, turn_wheel, turn_on, GZ_OK, true},
};

/* ---- what becomes of the answer ---- */

static const struct gz_message *answer_of(const struct scene *s)
{
    return client_answer(s->asks, s->asks->next_rid - 1);
}

/* With `is_busy` the disk has another batch already, so that what is brought about is in none. */
static void begin(struct scene *s, const struct kind *kind, bool is_busy)
{
    open_scene(s);
    if (kind->before != NULL) kind->before(s);
    host_advance(&s->host, 1);
    s->host.disk = DISK_WAITS;
    if (is_busy) (void)ask_rename(s->sue, s->nut, "busy");
    kind->bring(s);
    s->asks = s->ann;
    kind->ask(s);
}

static void assert_waits(const struct scene *s, const struct kind *kind, const char *when)
{
    if (answer_of(s) != NULL) fail_msg("%s: answered %s", kind->what, when);
}

static void assert_status(const struct scene *s, const struct kind *kind, enum gz_status status)
{
    const struct gz_message *answer = answer_of(s);
    enum gz_status is = GZ_OK;
    if (answer == NULL) fail_msg("%s: not answered", kind->what);
    if (answer->op == GZ_OP_ERROR) is = answer->error.code;
    if (is != status)
        fail_msg("%s: answered %s instead of %s", kind->what, gz_status_word(is),
                 gz_status_word(status));
}

TEST(test_answer_comes_once_the_disk_has_what_it_relies_on)
{
    for (size_t i = 0; i < 2 * COUNT(kinds); i++) {
        const struct kind *kind = &kinds[i / 2];
        struct scene s;
        begin(&s, kind, i % 2 == 1);
        assert_waits(&s, kind, "before the disk has anything");
        host_advance(&s.host, 1);
        if (i % 2 == 1) host_settle(&s.host, true);
        host_turn(&s.host);
        if (i % 2 == 1) assert_waits(&s, kind, "when the disk has what was before");
        s.host.disk = DISK_COMMITS;
        host_settle(&s.host, true);
        host_advance(&s.host, 1);
        assert_status(&s, kind, kind->status);
        if (answer_of(&s)->op == GZ_OP_OK && (answer_of(&s)->has & GZ_HAS_OK_SEQ) != 0)
            assert_true(answer_of(&s)->ok.seq <= s.host.store.seq);
        close_scene(&s);
    }
}

TEST(test_answer_goes_with_what_the_disk_refuses)
{
    for (size_t i = 0; i < 2 * COUNT(kinds); i++) {
        const struct kind *kind = &kinds[i / 2];
        struct scene s;
        begin(&s, kind, i % 2 == 1);
        host_advance(&s.host, 1);
        host_settle(&s.host, false);
        s.host.disk = DISK_COMMITS;
        host_advance(&s.host, 2);
        assert_status(&s, kind, GZ_STORAGE);
        close_scene(&s);
    }
}

/* The disk has all that is to be said of it. */
TEST(test_answer_that_relies_on_nothing_new_comes_at_once)
{
    for (size_t i = 0; i < COUNT(kinds); i++) {
        const struct kind *kind = &kinds[i];
        struct scene s;
        if (kind->has_own_edit || kind->before == dragged) continue;
        open_scene(&s);
        if (kind->before != NULL) kind->before(&s);
        kind->bring(&s);
        if (kind->bring == drag_rod) (void)ask_pointer(s.bob, GZ_PHASE_UP, MIDDLE_X + 50, MIDDLE_Y);
        host_advance(&s.host, 1);
        s.host.disk = DISK_WAITS;
        kind->ask(&s);
        assert_status(&s, kind, kind->status);
        close_scene(&s);
    }
}

/* ---- more than one ---- */

/* A drag that was stored as far as it had come, and is cancelled while the disk refuses: the cancel
 * is not taken back, and the disk is told of it as soon as it can be. */
SCENE_TEST(test_cancel_that_could_not_be_stored_is_stored_later)
{
    dragged(s);
    s->host.disk = DISK_WAITS;
    cancel(s);
    assert_int_equal(s->host.store.open_count, 1);
    host_settle(&s->host, false);
    host_turn(&s->host);
    assert_says(answer_of(s), GZ_STORAGE,
                "the answer relied on a change that could not be stored and was taken back: ...");
    s->host.disk = DISK_COMMITS;
    host_advance(&s->host, 2);
    assert_int_equal(s->host.store.open_count, 0);
    assert_int_equal(host_node(&s->host, s->rod).trs.t.x, 3);
}

/* Answers that wait hurry the disk, cost no transaction of their own, and are counted among the
 * rows that a payer may have waiting. */
SCENE_TEST(test_many_answers_wait_for_one_commit)
{
    s->host.disk = DISK_WAITS;
    move_box(s);
    const size_t commits = s->host.commits, rows = s->ann->session->share->rows_waiting;
    for (int i = 0; i < 100; i++) move_there_too(s);
    assert_int_equal(s->ann->session->share->rows_waiting, rows + 100);
    assert_int_equal(s->host.core->journal.requests, 101);
    s->host.disk = DISK_COMMITS;
    host_settle(&s->host, true);
    host_turn(&s->host);
    for (int i = 1; i <= 100; i++) assert_ok(client_answer(s->ann, s->ann->next_rid - (uint64_t)i));
    assert_int_equal(s->host.commits, commits + 1);
    assert_int_equal(s->ann->session->share->rows_waiting, rows);
}

/* Those who have nothing to lose do not wait: a viewer's pointer, and a view that turns. */
SCENE_TEST(test_viewers_wait_for_no_disk)
{
    struct client *viewer = client_join(&s->host, "wes", GZ_ROLE_VIEWER);
    s->host.disk = DISK_WAITS;
    move_box(s);
    assert_ok(ask_pointer(viewer, GZ_PHASE_CANCEL, 0, 0));
    assert_ok(ask_camera(viewer, DISTANCE));
    assert_ok(ask_pointer(viewer, GZ_PHASE_UP, 1, 1));
    assert_ok(ask_mode(viewer, GZ_MODE_ORBIT));
    assert_ok(ask_pointer(viewer, GZ_PHASE_DOWN, 1, 1));
    assert_ok(ask_pointer(viewer, GZ_PHASE_UP, 9, 9));
    assert_ok(ask_wheel(viewer, 1));
}

/* Too many answers are refused as too many edits are, and what they ask about is as it was. */
SCENE_TEST(test_answers_that_wait_are_bounded)
{
    s->host.disk = DISK_WAITS;
    move_box(s);
    for (size_t i = 1; i < GZ_PENDING_EDITS_MAX; i++)
        (void)ask_later(s->ann, pointer_message(GZ_PHASE_UP, 1, 1, 0));
    assert_int_equal(s->host.core->journal.requests, GZ_PENDING_EDITS_MAX);
    assert_refused(ask_pointer(s->ann, GZ_PHASE_UP, 1, 1), GZ_TOO_MANY);
    assert_refused(ask_pointer(s->ann, GZ_PHASE_CANCEL, 1, 1), GZ_TOO_MANY);
    assert_refused(ask_move(s->bob, s->box, 1, 2, 3), GZ_TOO_MANY);
    s->host.disk = DISK_COMMITS;
    host_settle(&s->host, true);
    host_advance(&s->host, 1);
    assert_int_equal(s->host.core->journal.requests, 0);
}
