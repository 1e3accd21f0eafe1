/* Direct edits: from the message to the disk and back, at everybody. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "server/maxima.h"
#include "support/cmocka.h"
#include "unit/core/saying.h"

struct scene {
    struct host host;
    struct client *a, *b; /* editors */
    struct client *watcher;
};

static struct scene *open_scene(struct scene *s)
{
    host_init(&s->host);
    s->a = client_join(&s->host, "ann", GZ_ROLE_EDITOR);
    s->b = client_join(&s->host, "bob", GZ_ROLE_EDITOR);
    s->watcher = client_join(&s->host, "wes", GZ_ROLE_VIEWER);
    return s;
}

static void close_scene(struct scene *s)
{
    host_turn(&s->host);
    host_assert_equal(&s->host);
    host_finish(&s->host);
}

/* ---- answers only after COMMIT ---- */

static void test_edit_answers_after_commit(void **state)
{
    (void)state;
    struct scene s;
    open_scene(&s)->host.disk = DISK_WAITS;
    assert_null(ask_create(s.a, "box", 0, NULL));
    assert_int_equal(s.watcher->mirror.count, 1); /* seen at once */
    assert_int_equal(client_count(s.watcher, GZ_OP_EDIT), 0);
    assert_true(s.watcher->saved < s.watcher->mirror.seq);

    host_settle(&s.host, true);
    assert_null(client_answer(s.a, s.a->next_rid - 1));
    host_turn(&s.host);
    const struct gz_message *ok = client_answer(s.a, s.a->next_rid - 1);
    assert_ok(ok);
    assert_int_equal(ok->has & (GZ_HAS_OK_IDS | GZ_HAS_OK_SEQ | GZ_HAS_OK_EDIT),
                     GZ_HAS_OK_IDS | GZ_HAS_OK_SEQ | GZ_HAS_OK_EDIT);
    assert_int_equal(ok->ok.seq, s.watcher->mirror.seq);
    assert_int_equal(s.watcher->saved, s.watcher->mirror.seq);
    const struct gz_message *edit = client_last(s.watcher, GZ_OP_EDIT);
    assert_non_null(edit);
    assert_int_equal(edit->edit.id, ok->ok.edit);
    assert_int_equal(edit->edit.seq, ok->ok.seq);
    assert_int_equal(edit->edit.by, s.a->id);
    assert_int_equal(edit->edit.kind, GZ_EDIT_CREATE);
    assert_memory_equal(edit->edit.user.bytes, "ann", 3);
    assert_int_equal(edit->edit.nodes.ids[0], ok->ok.ids.ids[0]);
    s.host.disk = DISK_COMMITS;
    close_scene(&s);
}

static void test_edit_set_and_delete_reach_everybody(void **state)
{
    (void)state;
    struct scene s;
    open_scene(&s);
    uint64_t top = create_node(s.a, "top", 0, 0, 0, 0),
             below = create_node(s.b, "below", top, 1, 0, 0);
    assert_ok(ask_move(s.a, below, 1, 2, 3));
    assert_ok(ask_rename(s.b, below, "renamed"));
    const struct mirror_node *seen = mirror_find(&s.watcher->mirror, below);
    assert_true(seen->content.trs.t.z == 3);
    assert_string_equal(seen->content.name, "renamed");
    assert_int_equal(seen->content.parent, top);
    assert_ok(ask_delete(s.b, top));
    assert_int_equal(s.watcher->mirror.count, 0);
    assert_refused(ask_move(s.a, below, 0, 0, 0), GZ_UNKNOWN_NODE);
    assert_int_equal(client_last(s.a, GZ_OP_ERROR)->error.nodes.ids[0], below);
    close_scene(&s);
}

static void test_edit_unchanged_is_no_edit(void **state)
{
    (void)state;
    struct scene s;
    open_scene(&s);
    uint64_t id = create_node(s.a, "box", 0, 1, 2, 3);
    size_t edits = s.host.store.edit_count;
    const struct gz_message *ok = ask_move(s.a, id, 1, 2, 3);
    assert_ok(ok);
    assert_int_equal(ok->has & GZ_HAS_OK_EDIT, 0);
    assert_int_equal(s.host.store.edit_count, edits);
    close_scene(&s);
}

static void test_edit_base_older_is_conflict(void **state)
{
    (void)state;
    struct scene s;
    open_scene(&s);
    uint64_t id = create_node(s.a, "box", 0, 0, 0, 0);
    uint64_t base = s.a->mirror.seq;
    assert_ok(ask_move(s.b, id, 1, 0, 0));
    struct gz_set_node node = {.has = GZ_HAS_SET_NODE_T, .id = id, .trs.t = {5, 0, 0}};
    struct gz_message set = {.op = GZ_OP_SET, .has = GZ_HAS_SET_BASE, .set = {&node, 1, base}};
    assert_refused(client_ask(s.a, &set), GZ_CONFLICT);
    assert_true(host_node(&s.host, id).trs.t.x == 1);
    set.set.base = s.a->mirror.seq;
    assert_ok(client_ask(s.a, &set));
    close_scene(&s);
}

/* Of a scene that is no more, as after a restored backup; the next seq is none yet either. */
static void test_edit_base_beyond_the_scene_is_refused(void **state)
{
    (void)state;
    struct scene s;
    char expected[64];
    open_scene(&s);
    uint64_t id = create_node(s.a, "box", 0, 0, 0, 0), seq = s.a->mirror.seq;
    struct gz_set_node node = {.has = GZ_HAS_SET_NODE_T, .id = id, .trs.t = {5, 0, 0}};
    struct gz_message set = {.op = GZ_OP_SET, .has = GZ_HAS_SET_BASE, .set = {&node, 1, seq + 1}};
    snprintf(expected, sizeof expected, "set.base: the scene is at %llu", (unsigned long long)seq);
    assert_says(client_ask(s.a, &set), GZ_BAD_VALUE, expected);
    set.set.base = GZ_ID_LIMIT - 1;
    assert_says(client_ask(s.a, &set), GZ_BAD_VALUE, expected);
    assert_true(host_node(&s.host, id).trs.t.x == 0);
    set.set.base = seq;
    assert_ok(client_ask(s.a, &set));
    close_scene(&s);
}

/* What the disk does not say is not taken for a free key: it would be used for a second edit. */
static void test_key_that_cannot_be_looked_up_changes_nothing(void **state)
{
    (void)state;
    struct scene s;
    open_scene(&s);
    uint64_t id = create_node(s.a, "box", 0, 0, 0, 0);
    size_t edits = s.host.store.edit_count;
    assert_ok(ask_camera(s.a, 5));
    s.host.keys_fail = true;
    assert_says(ask_move_keyed(s.a, id, 3, "k"), GZ_STORAGE, "key: the disk does not say...");
    assert_refused(ask_note(s.a, "here", "k"), GZ_STORAGE);
    assert_true(host_node(&s.host, id).trs.t.x == 0);
    assert_ok(ask_grab(s.a, GZ_TX, id, MIDDLE_X, MIDDLE_Y));
    struct gz_message up = pointer_message(GZ_PHASE_UP, MIDDLE_X + METRE_PX(5), MIDDLE_Y, 2);
    up.has |= GZ_HAS_KEY;
    up.key = (struct gz_text){"k", 1};
    assert_refused(client_ask(s.a, &up), GZ_STORAGE);
    assert_int_equal(s.host.store.edit_count, edits);
    s.host.keys_fail = false;
    assert_ok(client_ask(s.a, &up)); /* the drag went on */
    assert_int_equal(s.host.store.edit_count, edits + 1);
    close_scene(&s);
}

/* ---- what is wrong is said of the field ---- */

static void test_edit_refused_names_the_field_and_the_node(void **state)
{
    (void)state;
    struct scene s;
    open_scene(&s);
    uint64_t arm = create_node(s.a, "arm", 0, 0, 0, 0),
             hand = create_node(s.a, "hand", arm, 1, 0, 0); /* 1 and 2 */
    struct gz_set_node set[2] = {{.has = GZ_HAS_SET_NODE_T, .id = hand},
                                 {.has = GZ_HAS_SET_NODE_T, .id = 99}};
    struct gz_message said = {.op = GZ_OP_SET, .set = {set, 2, 0}};
    assert_says(client_ask(s.a, &said), GZ_UNKNOWN_NODE, "set.nodes[1].id: there is no node 99");
    assert_int_equal(client_last(s.a, GZ_OP_ERROR)->error.nodes.ids[0], 99);
    set[1] = (struct gz_set_node){.has = GZ_HAS_SET_NODE_PARENT, .id = arm, .parent = 77};
    assert_says(client_ask(s.a, &said), GZ_UNKNOWN_NODE,
                "set.nodes[1].parent: there is no node 77");
    set[1].parent = hand;
    assert_says(client_ask(s.a, &said), GZ_BAD_VALUE,
                "set.nodes[1].parent: node 1 would be below itself");

    struct gz_create_node create[2] = {
        {.name = {"a", 1}}, {.has = GZ_HAS_CREATE_NODE_PARENT, .name = {"b", 1}, .parent = 55}};
    said = (struct gz_message){.op = GZ_OP_CREATE, .create = {create, 2}};
    assert_says(client_ask(s.a, &said), GZ_UNKNOWN_NODE,
                "create.nodes[1].parent: there is no node 55");
    create[1] = (struct gz_create_node){
        .has = GZ_HAS_CREATE_NODE_PARENT_REF, .name = {"b", 1}, .parent_ref = {"x", 1}};
    assert_says(client_ask(s.a, &said), GZ_BAD_VALUE,
                "create.nodes[1].parent: no earlier node has this ref");

    const uint64_t ids[] = {hand, 44};
    said = (struct gz_message){.op = GZ_OP_DELETE, .remove = {ids, 2}};
    assert_says(client_ask(s.a, &said), GZ_UNKNOWN_NODE, "delete.nodes[1]: there is no node 44");
    assert_says(ask_select(s.a, 33), GZ_UNKNOWN_NODE, "nodes[0]: there is no node 33");
    close_scene(&s);
}

static void test_edit_of_what_one_drags_names_the_field(void **state)
{
    (void)state;
    struct scene s;
    open_scene(&s);
    uint64_t arm = create_node(s.a, "arm", 0, 0, 0, 0),
             hand = create_node(s.a, "hand", arm, 1, 0, 0);
    assert_ok(ask_camera(s.a, 10));
    assert_ok(ask_grab(s.a, GZ_TXY, hand, MIDDLE_X, MIDDLE_Y));
    assert_says(ask_move(s.a, hand, 3, 0, 0), GZ_BAD_STATE,
                "set.nodes[0]: node 2 is being dragged");
    assert_says(ask_delete(s.a, arm), GZ_BAD_STATE, "delete.nodes: node 2 is being dragged");
    assert_says(ask_delete(s.b, arm), GZ_LOCKED, "node 2 (hand) is held by ann");
    close_scene(&s);
}

static void test_edit_too_deep_names_the_field(void **state)
{
    (void)state;
    struct scene s;
    open_scene(&s);
    uint64_t below = 0;
    for (int depth = 0; depth < GZ_TREE_DEPTH_MAX; depth++)
        below = create_node(s.a, "n", below, 0, 0, 0);
    assert_says(ask_create(s.a, "n", below, NULL), GZ_TOO_MANY,
                "create.nodes[0].parent: the hierarchy at node 257 is deeper than 256");
    close_scene(&s);
}

/* ---- keys ---- */

static void test_key_twice_before_commit_is_one_edit(void **state)
{
    (void)state;
    struct scene s;
    open_scene(&s)->host.disk = DISK_WAITS;
    assert_null(ask_create(s.a, "box", 0, "k1"));
    assert_null(ask_create(s.a, "box", 0, "k1"));
    host_settle(&s.host, true);
    s.host.disk = DISK_COMMITS;
    host_turn(&s.host);
    const struct gz_message *first = client_answer(s.a, s.a->next_rid - 2);
    const struct gz_message *second = client_answer(s.a, s.a->next_rid - 1);
    assert_ok(first);
    assert_ok(second);
    assert_int_equal(first->ok.edit, second->ok.edit);
    assert_int_equal(first->ok.ids.ids[0], second->ok.ids.ids[0]);
    assert_int_equal(s.a->mirror.count, 1);
    close_scene(&s);
}

static void test_key_after_commit_and_restart_is_same_answer(void **state)
{
    (void)state;
    struct scene s;
    open_scene(&s);
    const struct gz_message *first = ask_create(s.a, "box", 0, "k1");
    assert_ok(first);
    uint64_t id = first->ok.ids.ids[0], edit = first->ok.edit, seq = first->ok.seq;
    assert_ok(ask_move(s.b, id, 9, 0, 0));
    for (int restarts = 0; restarts < 2; restarts++) {
        const struct gz_message *again = ask_create(s.a, "box", 0, "k1");
        assert_ok(again);
        assert_int_equal(again->ok.edit, edit);
        assert_int_equal(again->ok.seq, seq);
        assert_int_equal(again->ok.ids.ids[0], id);
        assert_int_equal(s.a->mirror.count, 1);
        host_restart(&s.host, false);
        client_resume(s.a);
        host_turn(&s.host);
    }
    s.b = client_join(&s.host, "bob", GZ_ROLE_EDITOR);
    const struct gz_message *other = ask_create(s.b, "box", 0, "k1"); /* a key is its user's own */
    assert_ok(other);
    assert_int_not_equal(other->ok.edit, edit);
    close_scene(&s);
}

static void test_key_of_refused_edit_is_free(void **state)
{
    (void)state;
    struct scene s;
    open_scene(&s);
    uint64_t id = create_node(s.a, "box", 0, 0, 0, 0);
    s.host.disk = DISK_REFUSES;
    assert_refused(ask_move_keyed(s.a, id, 1, "k1"), GZ_STORAGE);
    s.host.disk = DISK_COMMITS;
    const struct gz_message *ok = ask_move_keyed(s.a, id, 1, "k1");
    host_advance(&s.host, 1);
    ok = client_answer(s.a, s.a->next_rid - 1);
    assert_ok(ok);
    assert_true(host_node(&s.host, id).trs.t.x == 1);
    close_scene(&s);
}

static void test_key_of_restore_asked_twice_is_one_edit(void **state)
{
    (void)state;
    struct scene s;
    open_scene(&s);
    uint64_t id = create_node(s.a, "box", 0, 0, 0, 0), seq = s.a->mirror.seq;
    assert_ok(ask_move(s.a, id, 1, 0, 0));
    struct gz_message restore = {.op = GZ_OP_RESTORE,
                                 .has = GZ_HAS_KEY | GZ_HAS_AT_SEQ,
                                 .key = {"k", 1},
                                 .restore = {.seq = seq}};
    s.host.past_waits = true;
    assert_null(client_ask(s.a, &restore));
    assert_null(client_ask(s.a, &restore));
    s.host.past_waits = false;
    s.host.disk = DISK_WAITS;
    host_turn(&s.host);
    host_settle(&s.host, true);
    s.host.disk = DISK_COMMITS;
    host_turn(&s.host);
    const struct gz_message *first = client_answer(s.a, s.a->next_rid - 2);
    const struct gz_message *second = client_answer(s.a, s.a->next_rid - 1);
    assert_ok(first);
    assert_ok(second);
    assert_int_equal(first->ok.edit, second->ok.edit);
    assert_true(second->has & GZ_HAS_OK_EDIT);
    close_scene(&s);
}

/* ---- undo ---- */

static void test_undo_is_per_user(void **state)
{
    (void)state;
    struct scene s;
    open_scene(&s);
    uint64_t one = create_node(s.a, "one", 0, 0, 0, 0), two = create_node(s.b, "two", 0, 0, 0, 0);
    assert_ok(ask_move(s.a, one, 1, 0, 0));
    assert_ok(ask_move(s.b, two, 2, 0, 0));
    assert_ok(ask_undo(s.a, false));
    assert_true(host_node(&s.host, one).trs.t.x == 0);
    assert_true(host_node(&s.host, two).trs.t.x == 2);
    assert_ok(ask_redo(s.a, false));
    assert_true(host_node(&s.host, one).trs.t.x == 1);
    assert_refused(ask_redo(s.a, false), GZ_BAD_STATE);
    assert_ok(ask_undo(s.a, false));
    assert_ok(ask_undo(s.a, false)); /* its creation */
    assert_int_equal(s.watcher->mirror.count, 1);
    assert_refused(ask_undo(s.a, false), GZ_BAD_STATE);
    close_scene(&s);
}

static void test_undo_conflict_names_who_and_what(void **state)
{
    (void)state;
    struct scene s;
    open_scene(&s);
    uint64_t id = create_node(s.a, "one", 0, 0, 0, 0);
    assert_ok(ask_move(s.a, id, 1, 0, 0));
    assert_ok(ask_rename(s.b, id, "bobs"));
    const struct gz_message *refused = ask_undo(s.a, false);
    assert_refused(refused, GZ_CONFLICT);
    assert_int_equal(refused->error.nodes.ids[0], id);
    assert_non_null(memmem(refused->error.message.bytes, refused->error.message.size, "bob", 3));
    assert_true(host_node(&s.host, id).trs.t.x == 1);
    close_scene(&s);
}

static void test_undo_forced_leaves_what_only_others_touched(void **state)
{
    (void)state;
    struct scene s;
    open_scene(&s);
    uint64_t id = create_node(s.a, "one", 0, 0, 0, 0);
    assert_ok(ask_move(s.a, id, 1, 0, 0));
    assert_ok(ask_rename(s.b, id, "bobs"));
    assert_ok(ask_undo(s.a, true));
    assert_true(host_node(&s.host, id).trs.t.x == 0);
    assert_string_equal(mirror_find(&s.watcher->mirror, id)->content.name, "bobs");
    assert_ok(ask_redo(s.a, true));
    assert_true(host_node(&s.host, id).trs.t.x == 1);
    assert_string_equal(mirror_find(&s.watcher->mirror, id)->content.name, "bobs");
    close_scene(&s);
}

static void test_undo_goes_on_after_restart(void **state)
{
    (void)state;
    struct scene s;
    open_scene(&s);
    uint64_t id = create_node(s.a, "one", 0, 0, 0, 0);
    assert_ok(ask_move(s.a, id, 1, 0, 0));
    assert_ok(ask_move(s.a, id, 2, 0, 0));
    assert_ok(ask_undo(s.a, false));
    host_restart(&s.host, false);
    client_resume(s.a);
    host_turn(&s.host);
    assert_true(s.a->resumed);
    assert_ok(ask_redo(s.a, false));
    assert_true(host_node(&s.host, id).trs.t.x == 2);
    assert_ok(ask_undo(s.a, false));
    assert_ok(ask_undo(s.a, false));
    assert_true(host_node(&s.host, id).trs.t.x == 0);
    close_scene(&s);
}

static void test_undo_of_delete_brings_subtree_back(void **state)
{
    (void)state;
    struct scene s;
    open_scene(&s);
    uint64_t top = create_node(s.a, "top", 0, 0, 0, 0),
             below = create_node(s.a, "below", top, 1, 2, 3);
    assert_ok(ask_delete(s.a, top));
    assert_ok(ask_undo(s.a, false));
    assert_int_equal(host_node(&s.host, below).parent, top);
    assert_true(host_node(&s.host, below).trs.t.y == 2);
    close_scene(&s);
}

/* ---- a disk that refuses ---- */

static void test_refused_commit_takes_all_back(void **state)
{
    (void)state;
    struct scene s;
    open_scene(&s);
    uint64_t id = create_node(s.a, "one", 0, 0, 0, 0);
    s.host.disk = DISK_WAITS;
    assert_null(ask_move(s.a, id, 1, 0, 0));
    assert_null(ask_move(s.b, id, 2, 0, 0)); /* stands on the first and is not in its batch */
    assert_null(ask_create(s.b, "two", id, NULL));
    assert_null(ask_delete(s.a, id));
    assert_int_equal(s.watcher->mirror.count, 0);
    host_settle(&s.host, false);
    host_turn(&s.host);
    assert_refused(client_answer(s.a, s.a->next_rid - 1), GZ_STORAGE);
    assert_refused(client_answer(s.a, s.a->next_rid - 2), GZ_STORAGE);
    assert_refused(client_answer(s.b, s.b->next_rid - 1), GZ_STORAGE);
    assert_refused(client_answer(s.b, s.b->next_rid - 2), GZ_STORAGE);
    assert_int_equal(s.watcher->mirror.count, 1);
    assert_true(mirror_find(&s.watcher->mirror, id)->content.trs.t.x == 0);
    assert_int_equal(client_count(s.watcher, GZ_OP_EDIT), 1); /* the first creation */

    s.host.disk = DISK_COMMITS;
    host_advance(&s.host, 1);
    assert_refused(ask_undo(s.b, false), GZ_BAD_STATE); /* nothing of bob's is left */
    assert_ok(ask_move(s.a, id, 3, 0, 0));
    assert_int_equal(s.watcher->saved, s.watcher->mirror.seq);
    assert_ok(ask_undo(s.a, false));
    assert_ok(ask_undo(s.a, false));
    assert_refused(ask_undo(s.a, false), GZ_BAD_STATE);
    close_scene(&s);
}

static void test_refused_undo_can_be_undone_again(void **state)
{
    (void)state;
    struct scene s;
    open_scene(&s);
    uint64_t id = create_node(s.a, "one", 0, 0, 0, 0);
    assert_ok(ask_move(s.a, id, 1, 0, 0));
    s.host.disk = DISK_REFUSES;
    assert_refused(ask_undo(s.a, false), GZ_STORAGE);
    assert_true(host_node(&s.host, id).trs.t.x == 1);
    s.host.disk = DISK_COMMITS;
    host_advance(&s.host, 1);
    assert_refused(ask_redo(s.a, false), GZ_BAD_STATE);
    assert_ok(ask_undo(s.a, false));
    assert_true(host_node(&s.host, id).trs.t.x == 0);
    close_scene(&s);
}

static void test_refused_edit_survives_restart_as_nothing(void **state)
{
    (void)state;
    struct scene s;
    open_scene(&s);
    uint64_t id = create_node(s.a, "one", 0, 0, 0, 0);
    s.host.disk = DISK_WAITS;
    assert_null(ask_move(s.a, id, 1, 0, 0));
    host_restart(&s.host, false);
    s.host.disk = DISK_COMMITS;
    client_resume(s.watcher);
    host_turn(&s.host);
    assert_false(s.watcher->resumed); /* it had seen what was never saved */
    assert_true(mirror_find(&s.watcher->mirror, id)->content.trs.t.x == 0);
    close_scene(&s);
}

/* ---- the past ---- */

static void test_past_history_tells_changes(void **state)
{
    (void)state;
    struct scene s;
    open_scene(&s);
    uint64_t id = create_node(s.a, "one", 0, 0, 0, 0);
    assert_ok(ask_move(s.b, id, 7, 0, 0));
    struct gz_message history = {.op = GZ_OP_HISTORY,
                                 .has = GZ_HAS_HISTORY_NODE | GZ_HAS_HISTORY_LIMIT,
                                 .history = {.node = id, .limit = 10}};
    const struct gz_message *ok = client_ask(s.watcher, &history);
    assert_ok(ok);
    assert_int_equal(ok->ok.edit_count, 2);
    const struct gz_edit_message *newest = &ok->ok.edits[0];
    assert_int_equal(newest->kind, GZ_EDIT_SET);
    assert_int_equal(newest->changes[0].before.has & ~GZ_HAS_CREATE_NODE_T, 0);
    assert_true(newest->changes[0].before.trs.t.x == 0 && newest->changes[0].after.trs.t.x == 7);
    assert_int_equal(ok->ok.edits[1].changes[0].has & GZ_HAS_CHANGE_BEFORE, 0);
    close_scene(&s);
}

static void test_past_at_and_restore(void **state)
{
    (void)state;
    struct scene s;
    open_scene(&s);
    uint64_t one = create_node(s.a, "one", 0, 1, 0, 0), two = create_node(s.a, "two", one, 2, 0, 0);
    uint64_t then = s.a->mirror.seq;
    assert_ok(ask_move(s.b, one, 5, 0, 0));
    assert_ok(ask_delete(s.b, two));
    (void)create_node(s.b, "three", 0, 0, 0, 0);
    struct gz_message at = {.op = GZ_OP_AT, .has = GZ_HAS_AT_SEQ, .at.seq = then};
    const struct gz_message *ok = client_ask(s.watcher, &at);
    assert_ok(ok);
    assert_int_equal(ok->ok.node_count, 2);
    assert_true(ok->ok.nodes[0].trs.t.x == 1);
    at.at.seq = s.a->mirror.seq + 1;
    assert_refused(client_ask(s.watcher, &at), GZ_BAD_VALUE);
    struct gz_message restore = {
        .op = GZ_OP_RESTORE, .has = GZ_HAS_AT_SEQ, .restore = {.seq = then}};
    assert_refused(client_ask(s.watcher, &restore), GZ_FORBIDDEN);
    assert_ok(client_ask(s.a, &restore));
    assert_int_equal(s.watcher->mirror.count, 2);
    assert_true(host_node(&s.host, one).trs.t.x == 1);
    assert_int_equal(host_node(&s.host, two).parent, one);
    assert_ok(ask_undo(s.a, false));
    assert_true(host_node(&s.host, one).trs.t.x == 5);
    close_scene(&s);
}

static void test_past_waits_for_what_is_not_saved(void **state)
{
    (void)state;
    struct scene s;
    open_scene(&s)->host.disk = DISK_WAITS;
    assert_null(ask_create(s.a, "one", 0, NULL));
    struct gz_message at = {.op = GZ_OP_AT, .has = GZ_HAS_AT_SEQ, .at.seq = s.watcher->mirror.seq};
    assert_null(client_ask(s.watcher, &at));
    s.host.disk = DISK_COMMITS;
    host_turn(&s.host);
    const struct gz_message *ok = client_answer(s.watcher, s.watcher->next_rid - 1);
    assert_ok(ok);
    assert_int_equal(ok->ok.node_count, 1);
    close_scene(&s);
}

static void test_past_questions_are_few(void **state)
{
    (void)state;
    struct scene s;
    open_scene(&s)->host.past_waits = true;
    for (int i = 0; i < GZ_QUERIES_PER_SESSION_MAX; i++)
        assert_null(ask_op(s.watcher, GZ_OP_HISTORY));
    assert_refused(ask_op(s.watcher, GZ_OP_HISTORY), GZ_TOO_MANY);
    client_leave(s.watcher);
    s.host.past_waits = false;
    close_scene(&s);
}

static void test_past_that_cannot_be_asked_is_refused_at_once(void **state)
{
    (void)state;
    struct scene s;
    open_scene(&s)->host.disk = DISK_WAITS;
    assert_null(ask_create(s.a, "one", 0, NULL));
    struct gz_message at = {.op = GZ_OP_AT, .has = GZ_HAS_AT_SEQ, .at.seq = s.a->mirror.seq};
    assert_null(client_ask(s.watcher, &at));
    assert_null(client_ask(s.watcher, &at));
    assert_null(client_ask(s.b, &at));
    s.host.disk = DISK_COMMITS;
    s.host.past_fails = true;
    host_turn(&s.host);
    assert_refused(client_answer(s.watcher, s.watcher->next_rid - 2), GZ_INTERNAL);
    assert_refused(client_answer(s.watcher, s.watcher->next_rid - 1), GZ_INTERNAL);
    assert_refused(client_answer(s.b, s.b->next_rid - 1), GZ_INTERNAL);
    s.host.past_fails = false;
    assert_ok(client_ask(s.b, &at));
    close_scene(&s);
}

/* ---- imports ---- */

static void handle_done(void *context, enum gz_status status, const char *message)
{
    (void)message;
    *(enum gz_status *)context = status;
}

static struct gz_content imported(const char *name, int64_t asset)
{
    return (struct gz_content){.name = name, .trs = gz_trs_identity, .asset = asset};
}

static enum gz_status import(struct scene *s, enum gz_status *done)
{
    struct gz_core_import_node nodes[] = {{-1, imported("root", 0)}, {0, imported("leaf", 1)}};
    struct gz_core_import import = {.user = "ann",
                                    .nodes = nodes,
                                    .count = COUNT(nodes),
                                    .asset = (uint8_t *)strdup("glTF"),
                                    .asset_size = 4,
                                    .done = handle_done,
                                    .context = done};
    struct gz_error error;
    *done = GZ_INTERNAL;
    enum gz_status status = gz_core_import(s->host.core, &import, s->host.now, &error);
    if (status != GZ_OK) free(import.asset);
    host_turn(&s->host);
    return status;
}

static void test_import_replaces_everything(void **state)
{
    (void)state;
    struct scene s;
    enum gz_status done;
    open_scene(&s);
    (void)create_node(s.a, "old", 0, 0, 0, 0);
    assert_int_equal(import(&s, &done), GZ_OK);
    assert_int_equal(done, GZ_OK);
    assert_int_equal(s.watcher->mirror.count, 2);
    assert_true(gz_core_summary(s.host.core).has_asset);
    assert_refused(ask_undo(s.a, false), GZ_BAD_STATE);
    close_scene(&s);
}

static void test_import_refused_by_the_disk_is_taken_back(void **state)
{
    (void)state;
    struct scene s;
    enum gz_status done;
    open_scene(&s);
    uint64_t id = create_node(s.a, "old", 0, 0, 0, 0);
    s.host.disk = DISK_REFUSES;
    assert_int_equal(import(&s, &done), GZ_OK);
    assert_int_equal(done, GZ_STORAGE);
    assert_false(gz_core_summary(s.host.core).has_asset);
    assert_non_null(mirror_find(&s.watcher->mirror, id));
    s.host.disk = DISK_COMMITS;
    host_advance(&s.host, 1);
    close_scene(&s);
}

/* Who pages through the history by time asks for what ended before the last one told: no two may
 * end at one moment. */
static void test_edits_of_one_turn_end_at_moments_of_their_own(void **state)
{
    (void)state;
    struct host host;
    host_init(&host);
    struct client *client = client_join(&host, "ann", GZ_ROLE_EDITOR);
    uint64_t id = create_node(client, "a", 0, 0, 0, 0);
    for (int i = 1; i <= 5; i++) {
        struct gz_set_node node = {.id = id, .has = GZ_HAS_SET_NODE_T, .trs.t = {i, 0, 0}};
        client_say(client, &(struct gz_message){.op = GZ_OP_SET, .set = {&node, 1, 0}});
    }
    host_turn(&host);
    double last = 0;
    int edits = 0;
    for (const struct heard *heard = client->heard; heard != NULL; heard = heard->next) {
        for (size_t i = 0; i < heard->count; i++) {
            if (heard->messages[i].op != GZ_OP_EDIT) continue;
            assert_true(heard->messages[i].edit.ended > last);
            last = heard->messages[i].edit.ended;
            edits++;
        }
    }
    assert_int_equal(edits, 6); /* the creation too */
    host_finish(&host);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_edits_of_one_turn_end_at_moments_of_their_own),
        cmocka_unit_test(test_edit_answers_after_commit),
        cmocka_unit_test(test_edit_set_and_delete_reach_everybody),
        cmocka_unit_test(test_edit_unchanged_is_no_edit),
        cmocka_unit_test(test_edit_base_older_is_conflict),
        cmocka_unit_test(test_edit_base_beyond_the_scene_is_refused),
        cmocka_unit_test(test_key_that_cannot_be_looked_up_changes_nothing),
        cmocka_unit_test(test_edit_refused_names_the_field_and_the_node),
        cmocka_unit_test(test_edit_of_what_one_drags_names_the_field),
        cmocka_unit_test(test_edit_too_deep_names_the_field),
        cmocka_unit_test(test_key_twice_before_commit_is_one_edit),
        cmocka_unit_test(test_key_after_commit_and_restart_is_same_answer),
        cmocka_unit_test(test_key_of_refused_edit_is_free),
        cmocka_unit_test(test_key_of_restore_asked_twice_is_one_edit),
        cmocka_unit_test(test_undo_is_per_user),
        cmocka_unit_test(test_undo_conflict_names_who_and_what),
        cmocka_unit_test(test_undo_forced_leaves_what_only_others_touched),
        cmocka_unit_test(test_undo_goes_on_after_restart),
        cmocka_unit_test(test_undo_of_delete_brings_subtree_back),
        cmocka_unit_test(test_refused_commit_takes_all_back),
        cmocka_unit_test(test_refused_undo_can_be_undone_again),
        cmocka_unit_test(test_refused_edit_survives_restart_as_nothing),
        cmocka_unit_test(test_past_history_tells_changes),
        cmocka_unit_test(test_past_at_and_restore),
        cmocka_unit_test(test_past_waits_for_what_is_not_saved),
        cmocka_unit_test(test_past_that_cannot_be_asked_is_refused_at_once),
        cmocka_unit_test(test_past_questions_are_few),
        cmocka_unit_test(test_import_replaces_everything),
        cmocka_unit_test(test_import_refused_by_the_disk_is_taken_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
