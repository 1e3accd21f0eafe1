/* What is asked of the past and done with it. Checkpoints: named states, which are there once the
 * disk has them, across restarts, and stand where a seq does. Revert: one edit is taken back,
 * whoever made it and however long ago, and whose it then is to undo. Most of it is in
 * stories/past.txt; here is what takes more than a sentence. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "server/maxima.h"
#include "support/cmocka.h"
#include "unit/core/story.h"

static void reopen(struct scene *s)
{
    host_restart(s->host, false);
    client_resume(s->a);
    client_resume(s->b);
    client_resume(s->admin);
    client_resume(s->watcher);
    host_turn(s->host);
}

static double place(struct scene *s, uint64_t id)
{
    return host_node(s->host, id).trs.t.x;
}

static uint64_t seq_of(struct scene *s)
{
    return gz_core_summary(s->host->core).seq;
}

/* ---- checkpoints are told ---- */

static const struct gz_checkpoint_state *told_last(const struct client *client, size_t count)
{
    const struct gz_message *last = client_last(client, GZ_OP_CHECKPOINT_NEWS);
    assert_non_null(last);
    assert_int_equal(last->checkpoint_news.count, count);
    return last->checkpoint_news.checkpoints;
}

static void assert_told(const struct gz_checkpoint_state *told, const char *name, const char *user,
                        bool gone)
{
    assert_int_equal(told->name.size, strlen(name));
    assert_memory_equal(told->name.bytes, name, strlen(name));
    assert_int_equal(told->user.size, strlen(user));
    assert_memory_equal(told->user.bytes, user, strlen(user));
    assert_int_equal(told->gone, gone);
}

STORY_TEST(test_newcomer_is_told_all_checkpoints_once)
{
    struct client *early = client_join(s->host, "eva", GZ_ROLE_VIEWER);
    assert_int_equal(early->checkpoints.messages, 0); /* there are none */
    assert_ok(ask_checkpoint(s->a, "gone"));
    assert_ok(ask_checkpoint(s->a, "kept"));
    assert_ok(ask_checkpoint_gone(s->a, "gone"));
    struct client *late = client_join(s->host, "zoe", GZ_ROLE_VIEWER);
    assert_int_equal(late->checkpoints.anew, 1);
    assert_told(told_last(late, 1), "kept", "ann", false);
    client_leave(late);
    assert_ok(ask_checkpoint(s->a, "more"));
    client_resume(late);
    host_turn(s->host);
    assert_true(late->resumed);
    assert_int_equal(late->checkpoints.anew, 2);
    assert_int_equal(late->checkpoints.messages, 2);
    told_last(late, 2);
}

/* A viewer that missed so many ends of names, one being left, and one whose name was given
 * again. */
static void miss_ends(struct scene *s, int ends, bool told_anew)
{
    char name[16];
    assert_ok(ask_checkpoint(s->a, "again"));
    size_t anew = s->watcher->checkpoints.anew;
    s->watcher->stalled = true;
    assert_ok(ask_checkpoint_gone(s->a, "again"));
    assert_ok(ask_checkpoint(s->b, "again"));
    for (int i = 1; i < ends; i++) {
        snprintf(name, sizeof name, "n %d", i % 3); /* the same ones over and over */
        assert_ok(ask_checkpoint(s->a, name));
        assert_ok(ask_checkpoint_gone(s->a, name));
    }
    s->watcher->stalled = false;
    host_turn(s->host);
    assert_int_equal(s->watcher->checkpoints.anew, anew + told_anew);
    const struct gz_checkpoint_state *told = told_last(s->watcher, told_anew ? 1 : 4);
    assert_told(&told[told_anew ? 0 : 3], "again", "bob", false);
    if (!told_anew) assert_told(&told[0], name, "ann", true);
}

STORY_TEST(test_viewer_behind_is_told_which_checkpoints_went)
{
    miss_ends(s, GZ_CHECKPOINTS_GONE_RING, false);
}

STORY_TEST(test_viewer_too_far_behind_is_told_which_checkpoints_there_are)
{
    miss_ends(s, GZ_CHECKPOINTS_GONE_RING + 1, true);
}

STORY_TEST(test_viewer_far_behind_is_told_that_no_checkpoint_is_left)
{
    assert_ok(ask_checkpoint(s->a, "v1"));
    s->watcher->stalled = true;
    for (int i = 0; i <= GZ_CHECKPOINTS_GONE_RING; i++) {
        assert_ok(ask_checkpoint_gone(s->a, "v1"));
        if (i < GZ_CHECKPOINTS_GONE_RING) assert_ok(ask_checkpoint(s->a, "v1"));
    }
    s->watcher->stalled = false;
    host_turn(s->host);
    told_last(s->watcher, 0);
    assert_int_equal(s->watcher->checkpoints.count, 0);
}

/* Makes as many checkpoints as the client may, each with the longest name; returns their number. */
static int make_checkpoints(struct scene *s, struct client *client, const char *prefix)
{
    char name[GZ_CHECKPOINT_BYTES_MAX + 1];
    const struct gz_message *answer;
    int made = 0;
    do {
        if (made % 100 == 99) host_advance(s->host, 1);
        snprintf(name, sizeof name, "%s%0*d", prefix, GZ_CHECKPOINT_BYTES_MAX - (int)strlen(prefix),
                 made);
        answer = ask_checkpoint_of(client, name, made % 2);
        made += answer->op == GZ_OP_OK;
    } while (answer->op == GZ_OP_OK);
    assert_refused(answer, GZ_TOO_MANY);
    return made;
}

/* Makes as many as there may be: it takes many users. */
static void make_all_checkpoints(struct scene *s)
{
    char name[16];
    int made = make_checkpoints(s, s->a, "a");
    for (int i = 0; made < GZ_CHECKPOINTS_MAX; i++) {
        snprintf(name, sizeof name, "p%d", i);
        made += make_checkpoints(s, client_join(s->host, name, GZ_ROLE_EDITOR), name);
    }
}

/* The longest texts, and as many as there may be: still one message. */
STORY_TEST(test_all_checkpoints_are_one_message)
{
    make_all_checkpoints(s);
    struct client *late = client_join(s->host, "zoe", GZ_ROLE_VIEWER);
    assert_int_equal(late->checkpoints.messages, 1);
    assert_int_equal(late->checkpoints.count, GZ_CHECKPOINTS_MAX);
}

STORY_TEST(test_checkpoints_are_bounded)
{
    make_all_checkpoints(s);
    const struct gz_message *all = ask_op(s->a, GZ_OP_CHECKPOINTS);
    assert_ok(all);
    assert_int_equal(all->ok.checkpoint_count, GZ_CHECKPOINTS_MAX);
    for (size_t i = 1; i < all->ok.checkpoint_count; i++)
        assert_true(all->ok.checkpoints[i - 1].seq <= all->ok.checkpoints[i].seq);
    char name[GZ_CHECKPOINT_BYTES_MAX + 1];
    snprintf(name, sizeof name, "a%063d", 7);
    assert_ok(ask_checkpoint_gone(s->b, name));
    assert_refused(ask_checkpoint(s->a, "one more"), GZ_TOO_MANY);
    assert_ok(ask_checkpoint(s->b, "one more"));
}

/* A user makes no more than are left for the others, and who takes one away makes room for its
 * maker. */
STORY_TEST(test_one_user_does_not_take_all_checkpoints)
{
    assert_int_equal(make_checkpoints(s, s->a, "a"), GZ_CHECKPOINTS_MAX / 2);
    const struct gz_message *refused = ask_checkpoint(s->a, "one more");
    const char *words = "checkpoint: you made 500 of this scene's 500, and only 500 more are left "
                        "for everybody: take away some of yours";
    assert_int_equal(refused->error.message.size, strlen(words));
    assert_memory_equal(refused->error.message.bytes, words, strlen(words));
    assert_int_equal(make_checkpoints(s, s->b, "b"), GZ_CHECKPOINTS_MAX / 4);
    char name[GZ_CHECKPOINT_BYTES_MAX + 1];
    snprintf(name, sizeof name, "b%063d", 7);
    s->host->disk = DISK_WAITS;
    assert_null(ask_checkpoint_gone(s->a, name));
    assert_refused(ask_checkpoint(s->a, "one more"), GZ_TOO_MANY);
    assert_null(ask_checkpoint(s->b, "one more"));
    assert_refused(ask_checkpoint(s->b, "and another"), GZ_TOO_MANY);
    s->host->disk = DISK_COMMITS;
}

/* ---- revert ---- */

static uint64_t moved(struct client *client, uint64_t node, double x)
{
    const struct gz_message *answer = ask_move(client, node, x, 0, 0);
    assert_ok(answer);
    return answer->ok.edit;
}

static const struct gz_message *ask_history(struct client *client, uint64_t has, bool changes)
{
    struct gz_message question = {.op = GZ_OP_HISTORY, .has = has, .history.changes = changes};
    const struct gz_message *answer = client_ask(client, &question);
    assert_ok(answer);
    return answer;
}

/* Workers are shared by who pays: a name that anybody can choose has no turn of its own. */
STORY_TEST(test_question_to_the_past_is_on_the_share_of_whoever_pays)
{
    struct gz_claims claims = gz_claims_open("zoe", strlen("zoe"), GZ_ROLE_VIEWER);
    snprintf(claims.payer, sizeof claims.payer, "192.0.2.7");
    struct client *zoe = client_join_with(s->host, &claims);
    struct gz_message question = {.op = GZ_OP_HISTORY};
    s->host->past_waits = true;
    assert_null(client_ask(zoe, &question));
    assert_int_equal(s->host->question_count, 1);
    assert_string_equal(s->host->questions[0].payer, "192.0.2.7");
    s->host->past_waits = false;
    host_turn(s->host);
}

STORY_TEST(test_history_says_what_is_undone_with_changes_or_without)
{
    static const struct {
        uint64_t has;
        bool changes, told;
    } cases[] = {{0, false, true},
                 {GZ_HAS_HISTORY_CHANGES, true, true},
                 {GZ_HAS_HISTORY_CHANGES, false, false}};
    moved(s->a, s->node, 1);
    uint64_t undone = moved(s->a, s->node, 2);
    assert_ok(ask_undo(s->a, false));
    for (size_t i = 0; i < COUNT(cases); i++) {
        const struct gz_ok *ok = &ask_history(s->a, cases[i].has, cases[i].changes)->ok;
        assert_true(ok->edit_count >= 3);
        for (size_t j = 0; j < ok->edit_count; j++) {
            const struct gz_edit_message *edit = &ok->edits[j];
            assert_int_equal(edit->undone, edit->id == undone);
            assert_int_equal((edit->has & GZ_HAS_EDIT_CHANGES) != 0, cases[i].told);
            assert_int_equal(edit->change_count, cases[i].told ? 1 : 0);
            assert_int_equal(edit->nodes.count, 1);
            assert_int_equal(edit->nodes.ids[0], s->node);
        }
    }
    assert_ok(ask_redo(s->a, false));
    const struct gz_ok *ok = &ask_history(s->a, GZ_HAS_EDIT_CHANGES, false)->ok;
    for (size_t j = 0; j < ok->edit_count; j++) assert_false(ok->edits[j].undone);
}

static void assert_name(struct gz_text name, const char *expected)
{
    assert_int_equal(name.size, strlen(expected));
    assert_memory_equal(name.bytes, expected, name.size);
}

/* Of an edit of two nodes: the one that is asked about, and that there was another. */
STORY_TEST(test_history_of_one_node_alone_says_how_many_there_were)
{
    uint64_t nodes[] = {s->node, create_node(s->a, "other", 0, 0, 0, 0)};
    struct gz_message question = {.op = GZ_OP_DELETE, .remove = {nodes, 2}};
    assert_ok(client_ask(s->a, &question));
    question = (struct gz_message){.op = GZ_OP_HISTORY, .history.alone = true};
    assert_says(client_ask(s->a, &question), GZ_BAD_VALUE, "alone: needs `node`");
    question.has = GZ_HAS_HISTORY_NODE;
    question.history.node = nodes[1];
    const struct gz_message *answer = client_ask(s->a, &question);
    assert_ok(answer);
    assert_int_equal(answer->ok.edit_count, 2);
    for (size_t i = 0; i < 2; i++) {
        const struct gz_edit_message *edit = &answer->ok.edits[i];
        assert_true(edit->has & GZ_HAS_EDIT_TOTAL);
        assert_int_equal(edit->total, 2 - i);
        assert_int_equal(edit->nodes.count, 1);
        assert_int_equal(edit->nodes.ids[0], nodes[1]);
        assert_int_equal(edit->change_count, 1);
        assert_name(edit->name, "other");
    }
}

/* A move, a rename, a move and a deletion, newest first: with the changes or without. */
STORY_TEST(test_history_calls_a_node_what_it_was_called_then)
{
    static const char *const names[] = {"second", "second", "second", "first", "first"};
    uint64_t node = create_node(s->a, "first", 0, 0, 0, 0);
    moved(s->a, node, 1);
    assert_ok(ask_rename(s->a, node, "second"));
    moved(s->a, node, 2);
    assert_ok(ask_delete(s->a, node));
    for (int with = 0; with < 2; with++) {
        const struct gz_ok *ok = &ask_history(s->a, GZ_HAS_HISTORY_CHANGES, with)->ok;
        assert_true(ok->edit_count >= COUNT(names));
        for (size_t i = 0; i < COUNT(names); i++) {
            const struct gz_edit_message *edit = &ok->edits[i];
            assert_true(edit->has & GZ_HAS_EDIT_NAME);
            assert_name(edit->name, names[i]);
            assert_int_equal(edit->change_count, with);
            if (with) assert_name(edit->changes[0].name, names[i]);
        }
    }
}

/* With a restart between any two steps, or none. */
static void check_whose_turn_it_is(struct scene *s, bool restarts)
{
    uint64_t own = moved(s->admin, s->node, 1), edit = moved(s->b, s->node, 2);
    assert_ok(ask_revert(s->admin, edit, false));
    assert_true(s->host->store.edits[s->host->store.edit_count - 1].reverts);
    if (restarts) reopen(s);
    assert_says(ask_undo(s->b, false), GZ_BAD_STATE, "there is nothing to undo");
    assert_says(ask_redo(s->b, false), GZ_BAD_STATE, "there is nothing to redo");
    assert_refused(ask_revert(s->b, edit, false), GZ_BAD_STATE);
    assert_ok(ask_undo(s->admin, false)); /* the revert, not `own` */
    if (restarts) reopen(s);
    assert_true(place(s, s->node) == 2);
    assert_ok(ask_redo(s->admin, false));
    if (restarts) reopen(s);
    assert_true(place(s, s->node) == 1);
    assert_refused(ask_undo(s->b, false), GZ_BAD_STATE);
    assert_ok(ask_undo(s->admin, false));
    if (restarts) reopen(s);
    assert_ok(ask_undo(s->b, false)); /* it is his again */
    if (restarts) reopen(s);
    assert_true(place(s, s->node) == 1);
    assert_ok(ask_redo(s->b, false));
    assert_true(place(s, s->node) == 2);
    assert_ok(ask_undo(s->b, false));
    assert_refused(ask_redo(s->admin, false),
                   GZ_CONFLICT); /* of a revert of what was undone meanwhile */
    assert_ok(ask_undo(s->admin, false));
    assert_true(place(s, s->node) == 0);
    assert_refused(ask_revert(s->admin, own, false), GZ_BAD_STATE);
}

STORY_TEST(test_reverted_edit_is_its_users_again_once_the_revert_is_undone)
{
    check_whose_turn_it_is(s, false);
}

STORY_TEST(test_reverted_edit_is_its_users_again_through_restarts)
{
    check_whose_turn_it_is(s, true);
}

/* So many edits of another node that all before is out of the undo log. */
static void fill_log(struct scene *s, uint64_t other)
{
    for (int i = 0; i < GZ_UNDO_EDITS_MAX; i++) {
        moved(s->a, other, i % 7 + 1);
        if (i % 100 == 0) host_advance(s->host, 0.1);
    }
}

STORY_TEST(test_revert_beyond_the_undo_log_asks_the_file)
{
    char words[GZ_ERROR_BYTES_MAX];
    uint64_t other = create_node(s->a, "rod", 0, 0, 0, 0),
             third = create_node(s->a, "pin", 0, 0, 0, 0);
    uint64_t edit = moved(s->b, s->node, 1), first = moved(s->b, third, 1),
             second = moved(s->b, third, 2);
    fill_log(s, other);
    snprintf(words, sizeof words, "edit: edit %llu is bob's: only an admin may revert it",
             (unsigned long long)edit);
    assert_says(ask_revert(s->a, edit, false), GZ_FORBIDDEN, words);
    snprintf(words, sizeof words, "revert: bob changed node %llu (pin) since (edit %llu)",
             (unsigned long long)third, (unsigned long long)second);
    assert_says(ask_revert(s->admin, first, false), GZ_CONFLICT, words);
    const struct gz_message *reverted = ask_revert(s->admin, edit, false);
    assert_ok(reverted);
    assert_true(place(s, s->node) == 0);
    snprintf(words, sizeof words, "edit: edit %llu was reverted already, by ada (edit %llu)",
             (unsigned long long)edit, (unsigned long long)reverted->ok.edit);
    assert_says(ask_revert(s->admin, edit, false), GZ_BAD_STATE, words);
    reopen(s);
    assert_ok(ask_undo(s->admin, false));
    assert_true(place(s, s->node) == 1);
    assert_ok(ask_revert(s->admin, edit, false));
    assert_true(place(s, s->node) == 0);
    fill_log(s, other);
    assert_refused(ask_revert(s->admin, edit, false), GZ_BAD_STATE); /* as the file says */
    assert_ok(ask_revert(s->admin, first, true));
    assert_true(place(s, third) == 0);
}

/* Two ask while neither is told: the file says the same to both, and the second is refused all the
 * same. */
static void check_two_reverts_at_once(struct scene *s, struct client *eve, uint64_t edit)
{
    host_advance(s->host, 1);
    s->host->past_waits = true;
    assert_null(ask_revert(s->admin, edit, false));
    assert_null(ask_revert(eve, edit, false));
    s->host->past_waits = false;
    s->host->disk = DISK_WAITS; /* so that the file does not know of the first one */
    host_turn(s->host);
    assert_null(client_answer(eve, eve->next_rid - 1)); /* it relies on the first one */
    host_settle(s->host, true);
    s->host->disk = DISK_COMMITS;
    host_turn(s->host);
    assert_refused(client_answer(eve, eve->next_rid - 1), GZ_BAD_STATE);
    assert_ok(client_answer(s->admin, s->admin->next_rid - 1));
    assert_true(place(s, s->node) == 0);
}

STORY_TEST(test_revert_of_one_old_edit_by_two_at_once)
{
    uint64_t other = create_node(s->a, "rod", 0, 0, 0, 0), edit = moved(s->b, s->node, 1);
    struct client *eve = client_join(s->host, "eve", GZ_ROLE_ADMIN);
    fill_log(s, other);
    check_two_reverts_at_once(s, eve, edit);
}

/* Then the file names the redo, not the edit itself, as what was done last. */
STORY_TEST(test_revert_of_one_old_edit_that_was_redone_by_two_at_once)
{
    uint64_t other = create_node(s->a, "rod", 0, 0, 0, 0), edit = moved(s->b, s->node, 1);
    struct client *eve = client_join(s->host, "eve", GZ_ROLE_ADMIN);
    assert_ok(ask_undo(s->b, false));
    assert_ok(ask_redo(s->b, false));
    fill_log(s, other);
    check_two_reverts_at_once(s, eve, edit);
}

/* ---- path ---- */

static struct gz_message path_message(uint64_t node)
{
    return (struct gz_message){.op = GZ_OP_PATH, .path.node = node};
}

STORY_TEST(test_path_goes_from_edit_to_edit)
{
    uint64_t parent = create_node(s->a, "block", 0, 0, 0, 0);
    assert_ok(ask_camera(s->b, 10));
    host_advance(s->host, 1);
    uint64_t edit = moved(s->a, s->node, 1), began_seq = seq_of(s);
    host_advance(s->host, 1);
    double began = s->host->now.unix_s;
    assert_ok(ask_grab(s->b, GZ_TXY, s->node, MIDDLE_X + METRE_PX(10), MIDDLE_Y));
    host_advance(s->host, 1);
    const struct gz_message *up =
        ask_pointer(s->b, GZ_PHASE_UP, MIDDLE_X + 3 * METRE_PX(10), MIDDLE_Y);
    assert_ok(up);
    uint64_t dragged = up->ok.edit;
    assert_ok(ask_hang(s->a, s->node, parent));
    assert_ok(ask_delete(s->a, s->node));
    struct gz_message path = path_message(s->node);
    const struct gz_message *answer = client_ask(s->watcher, &path);
    assert_ok(answer);
    const struct gz_path_point *points = answer->ok.path;
    assert_int_equal(answer->ok.path_count, 5);
    assert_false(answer->ok.more);
    assert_true(points[0].edit == 1 && points[0].trs.t.x == 0);
    assert_true(points[1].edit == edit && points[1].trs.t.x == 1);
    assert_true(points[2].edit == dragged && points[2].trs.t.x == 1 && points[2].time == began);
    assert_int_equal(points[2].seq, began_seq);
    assert_true(points[3].edit == dragged && fabs(points[3].trs.t.x - 3) < 1e-9 &&
                points[3].time > began);
    assert_true(points[4].parent == parent && points[3].parent == 0 &&
                points[4].has == GZ_HAS_PATH_POINT_PARENT);
    path.has = GZ_HAS_PATH_SINCE | GZ_HAS_PATH_BEFORE;
    path.path.since = points[1].time;
    path.path.before = points[4].time;
    answer = client_ask(s->watcher, &path);
    assert_ok(answer);
    assert_int_equal(answer->ok.path_count, 2);
    assert_true(answer->ok.path[0].edit == dragged && answer->ok.path[1].edit == dragged);
    path = path_message(4711);
    assert_refused(client_ask(s->watcher, &path), GZ_UNKNOWN_NODE);
}

/* All parts of the answer that was asked for last, and how many points they have together; each is
 * checked to go on from the last. */
static size_t count_parts(const struct client *client, uint64_t rid, size_t *parts)
{
    size_t points = 0;
    uint64_t seq = 0;
    bool more = true;
    *parts = 0;
    for (const struct heard *heard = client->heard; heard != NULL; heard = heard->next) {
        for (size_t i = 0; i < heard->count; i++) {
            const struct gz_message *message = &heard->messages[i];
            if (message->op != GZ_OP_OK || message->rid != rid) continue;
            assert_true(more);
            more = message->ok.more;
            ++*parts;
            for (size_t j = 0; j < message->ok.path_count; j++) {
                assert_true(message->ok.path[j].seq > seq);
                seq = message->ok.path[j].seq;
            }
            points += message->ok.path_count;
            assert_in_range(message->ok.path_count, 1, GZ_PATH_POINTS_PER_MESSAGE);
        }
    }
    assert_false(more);
    return points;
}

STORY_TEST(test_long_path_is_told_in_parts)
{
    size_t parts;
    for (int i = 1; i < 2 * GZ_PATH_POINTS_PER_MESSAGE + 1; i++) {
        moved(s->a, s->node, i);
        if (i % 100 == 0) host_advance(s->host, 0.1);
    }
    client_forget(s->watcher);
    struct gz_message path = path_message(s->node);
    assert_non_null(client_ask(s->watcher, &path));
    assert_int_equal(count_parts(s->watcher, s->watcher->next_rid - 1, &parts),
                     2 * GZ_PATH_POINTS_PER_MESSAGE + 1);
    assert_int_equal(parts, 3);
    path.has = GZ_HAS_HISTORY_LIMIT;
    path.path.limit = GZ_PATH_POINTS_PER_MESSAGE + 1;
    assert_non_null(client_ask(s->watcher, &path));
    assert_int_equal(count_parts(s->watcher, s->watcher->next_rid - 1, &parts), path.path.limit);
}

/* ---- those who left ---- */

/* The question that was asked is withdrawn, and the others are not asked for nobody. */
STORY_TEST(test_questions_of_one_who_left_are_withdrawn)
{
    const struct gz_message history = {.op = GZ_OP_HISTORY};
    struct gz_answer late = {.status = GZ_OK};
    s->host->past_waits = true;
    for (int i = 0; i < GZ_QUERIES_PER_SESSION_MAX; i++)
        assert_null(client_ask(s->watcher, &history));
    assert_null(client_ask(s->a, &history));
    assert_int_equal(s->host->question_count, 2);
    const uint64_t withdrawn = s->host->questions[0].ticket;
    client_leave(s->watcher);
    host_turn(s->host);
    assert_int_equal(s->host->question_count, 1);
    gz_core_answered(s->host->core, withdrawn, &late, s->host->now); /* a worker had it already */
    assert_false(gz_core_is_answered(s->host->core));
    client_forget(s->a);
    s->host->past_waits = false;
    host_turn(s->host);
    assert_non_null(client_last(s->a, GZ_OP_OK));
    assert_true(gz_core_is_answered(s->host->core));
}

int main(void)
{
    return stories_run("past.txt");
}
