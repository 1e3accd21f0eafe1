/* Undo and redo among several users: what is in the way is said, with who did what; what is
 * forced goes as far as it can. The random part is in test_travel_model.c. */
#include <stdio.h>
#include <string.h>

#include "proto/limits.h"
#include "support/cmocka.h"
#include "unit/core/saying.h"

struct scene {
    struct host host;
    struct client *a, *b; /* editors */
};

static void open_scene(struct scene *s)
{
    host_init(&s->host);
    s->a = client_join(&s->host, "ann", GZ_ROLE_EDITOR);
    s->b = client_join(&s->host, "bob", GZ_ROLE_EDITOR);
    assert_ok(ask_camera(s->a, 10));
    assert_ok(ask_camera(s->b, 10));
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
    host_turn(&s->host);
}

static double place(struct scene *s, uint64_t id)
{
    return host_node(&s->host, id).trs.t.x;
}

static bool is_there(struct scene *s, uint64_t id)
{
    return mirror_find(&s->b->mirror, id) != NULL;
}

static void assert_about(const struct gz_message *answer, const uint64_t *ids, size_t count)
{
    assert_int_equal(answer->error.nodes.count, count);
    for (size_t i = 0; i < count; i++) assert_int_equal(answer->error.nodes.ids[i], ids[i]);
}

static uint64_t last_edit(const struct client *client)
{
    return client_last(client, GZ_OP_EDIT)->edit.id;
}

/* ---- what is said ---- */

static void test_conflict_names_user_deed_nodes_and_edit(void **state)
{
    (void)state;
    struct scene s;
    open_scene(&s);
    uint64_t ids[3];
    const char *const names[] = {"piston", "", "rod"};
    for (size_t i = 0; i < COUNT(ids); i++) ids[i] = create_node(s.a, names[i], 0, 0, 0, 0);
    struct gz_set_node nodes[3] = {{.id = ids[2], .has = GZ_HAS_SET_NODE_T, .trs.t = {1, 0, 0}},
                                   {.id = ids[0], .has = GZ_HAS_SET_NODE_T, .trs.t = {1, 0, 0}},
                                   {.id = ids[1], .has = GZ_HAS_SET_NODE_T, .trs.t = {1, 0, 0}}};
    struct gz_message set = {.op = GZ_OP_SET, .set = {nodes, 3, 0}};
    assert_ok(client_ask(s.a, &set));

    assert_ok(ask_grab(s.b, GZ_TXY, ids[0], MIDDLE_X + METRE_PX(10), MIDDLE_Y));
    assert_ok(ask_pointer(s.b, GZ_PHASE_UP, MIDDLE_X + 3 * METRE_PX(10), MIDDLE_Y));
    char text[GZ_ERROR_BYTES_MAX];
    snprintf(text, sizeof text, "undo: bob moved node %llu (piston) since (edit %llu)",
             (unsigned long long)ids[0], (unsigned long long)last_edit(s.a));
    const struct gz_message *refused = ask_undo(s.a, false);
    assert_says(refused, GZ_CONFLICT, text);
    assert_about(refused, ids, 1);

    for (size_t i = 0; i < 3; i++) nodes[i].trs.t.y = 2;
    assert_ok(client_ask(s.b, &set));
    snprintf(text, sizeof text, "undo: bob changed node %llu (piston) and 2 more since (edit %llu)",
             (unsigned long long)ids[0], (unsigned long long)last_edit(s.a));
    refused = ask_undo(s.a, false);
    assert_says(refused, GZ_CONFLICT, text);
    assert_about(refused, ids, 3);

    assert_ok(ask_delete(s.b, ids[1]));
    snprintf(text, sizeof text, "undo: bob deleted node %llu since (edit %llu)",
             (unsigned long long)ids[1], (unsigned long long)last_edit(s.a));
    assert_says(ask_undo(s.a, false), GZ_CONFLICT, text);
    close_scene(&s);
}

/* The longest names there are: the message is cut at a whole character and is text all the same
 * (the host reads it). */
static void test_conflict_with_long_names_is_text(void **state)
{
    (void)state;
    struct scene s;
    open_scene(&s);
    char name[GZ_NAME_BYTES_MAX + 1], user[GZ_USER_BYTES_MAX + 1];
    for (size_t i = 0; i < sizeof name - 1; i += 2) memcpy(name + i, "\xC3\xA4", 3);
    for (size_t i = 0; i < sizeof user - 1; i += 4) memcpy(user + i, "\xF0\x9F\x94\xA7", 5);
    struct client *smith = client_join(&s.host, user, GZ_ROLE_EDITOR);
    uint64_t id = create_node(s.a, name, 0, 0, 0, 0);
    assert_ok(ask_move(smith, id, 1, 0, 0));
    assert_refused(ask_undo(s.a, false), GZ_CONFLICT);
    assert_ok(ask_camera(smith, 10));
    assert_ok(ask_grab(smith, GZ_TXY, id, MIDDLE_X, MIDDLE_Y));
    assert_refused(ask_move(s.a, id, 2, 0, 0), GZ_LOCKED);
    close_scene(&s);
}

static void test_undo_of_what_somebody_drags_says_who(void **state)
{
    (void)state;
    struct scene s;
    open_scene(&s);
    uint64_t id = create_node(s.a, "piston", 0, 0, 0, 0);
    assert_ok(ask_move(s.a, id, 1, 0, 0));
    assert_ok(ask_grab(s.b, GZ_TXY, id, MIDDLE_X, MIDDLE_Y));
    char text[GZ_ERROR_BYTES_MAX];
    snprintf(text, sizeof text, "node %llu (piston) is held by bob", (unsigned long long)id);
    for (int force = 0; force < 2; force++) {
        const struct gz_message *refused = ask_undo(s.a, force);
        assert_says(refused, GZ_LOCKED, text);
        assert_int_equal(refused->error.holder, s.b->id);
        assert_about(refused, &id, 1);
    }
    assert_ok(ask_pointer(s.b, GZ_PHASE_CANCEL, 0, 0));
    assert_ok(ask_undo(s.a, false));
    assert_true(place(&s, id) == 0);
    close_scene(&s);
}

/* ---- what is in the way ---- */

static void test_what_others_took_back_is_not_in_the_way(void **state)
{
    (void)state;
    struct scene s;
    open_scene(&s);
    uint64_t id = create_node(s.a, "one", 0, 0, 0, 0);
    assert_ok(ask_move(s.a, id, 1, 0, 0));
    assert_ok(ask_move(s.b, id, 2, 0, 0));
    assert_refused(ask_undo(s.a, false), GZ_CONFLICT);
    assert_ok(ask_undo(s.b, false));
    reopen(&s);
    assert_ok(ask_undo(s.a, false));
    assert_true(place(&s, id) == 0);
    assert_refused(ask_redo(s.b, false), GZ_CONFLICT); /* ann's undo is in bob's way */
    assert_ok(ask_redo(s.a, false));
    assert_ok(ask_redo(s.b, true));
    assert_true(place(&s, id) == 2);
    assert_refused(ask_undo(s.a, false), GZ_CONFLICT); /* bob's stands again */
    close_scene(&s);
}

/* All of bob's and cy's is undone, but not what it was about: what is there is not what ann
 * left. */
static void test_what_others_took_back_and_left_changed_is_in_the_way(void **state)
{
    (void)state;
    struct scene s;
    open_scene(&s);
    struct client *c = client_join(&s.host, "cy", GZ_ROLE_EDITOR);
    uint64_t id = create_node(s.a, "one", 0, 0, 0, 0);
    assert_ok(ask_move(s.a, id, 1, 0, 0));
    assert_ok(ask_move(s.b, id, 2, 0, 0));
    assert_ok(ask_move(c, id, 3, 0, 0));
    assert_ok(ask_undo(s.b, true));
    assert_true(place(&s, id) == 1);
    assert_ok(ask_undo(c, true));
    assert_true(place(&s, id) == 2);
    assert_refused(ask_undo(s.a, false), GZ_CONFLICT);
    close_scene(&s);
}

static void test_others_do_not_clear_what_can_be_redone_but_own_edits_do(void **state)
{
    (void)state;
    struct scene s;
    open_scene(&s);
    uint64_t one = create_node(s.a, "one", 0, 0, 0, 0), two = create_node(s.a, "two", 0, 0, 0, 0);
    assert_ok(ask_move(s.a, one, 1, 0, 0));
    assert_ok(ask_undo(s.a, false));
    assert_ok(ask_move(s.b, two, 1, 0, 0));
    assert_ok(ask_redo(s.a, false)); /* somewhere else */
    assert_ok(ask_undo(s.a, false));
    assert_ok(ask_move(s.b, one, 5, 0, 0));
    assert_refused(ask_redo(s.a, false), GZ_CONFLICT); /* on the same node */
    assert_ok(ask_redo(s.a, true));
    assert_true(place(&s, one) == 1);
    assert_ok(ask_undo(s.a, false)); /* what the forced one wrote over is back */
    assert_true(place(&s, one) == 5);
    assert_ok(ask_rename(s.a, two, "new"));
    assert_refused(ask_redo(s.a, false), GZ_BAD_STATE);
    close_scene(&s);
}

/* What was forced knowingly is not asked about again. */
static void test_redo_after_a_forced_undo_is_free(void **state)
{
    (void)state;
    struct scene s;
    open_scene(&s);
    uint64_t id = create_node(s.a, "one", 0, 0, 0, 0);
    assert_ok(ask_move(s.a, id, 1, 0, 0));
    assert_ok(ask_move(s.b, id, 2, 0, 0));
    assert_ok(ask_undo(s.a, true));
    assert_true(place(&s, id) == 0);
    reopen(&s);
    assert_ok(ask_redo(s.a, false));
    assert_true(place(&s, id) == 2); /* as it was before the undo */
    assert_ok(ask_undo(s.a, false));
    assert_true(place(&s, id) == 0);
    close_scene(&s);
}

/* Everything is so already: it counts as done, and the next undo is about the edit before it. */
static void test_undo_of_what_is_so_already_goes_on_to_the_next(void **state)
{
    (void)state;
    struct scene s;
    open_scene(&s);
    uint64_t other = create_node(s.a, "other", 0, 0, 0, 0),
             id = create_node(s.a, "one", 0, 0, 0, 0);
    assert_ok(ask_move(s.a, other, 7, 0, 0));
    assert_ok(ask_move(s.a, id, 1, 0, 0));
    assert_ok(ask_move(s.b, id, 0, 0, 0));
    assert_refused(ask_undo(s.a, false), GZ_CONFLICT);
    const struct gz_message *ok = ask_undo(s.a, true);
    assert_ok(ok);
    assert_true(ok->has & GZ_HAS_OK_EDIT);
    assert_int_equal(client_last(s.b, GZ_OP_EDIT)->edit.nodes.count, 0);
    reopen(&s);
    assert_ok(ask_undo(s.a, false));
    assert_true(place(&s, other) == 0 && place(&s, id) == 0);
    close_scene(&s);
}

/* ---- nodes that were made and deleted ---- */

static void test_undo_of_create_does_not_take_what_others_put_below(void **state)
{
    (void)state;
    struct scene s;
    open_scene(&s);
    uint64_t top = create_node(s.a, "top", 0, 0, 0, 0);
    uint64_t bolt = create_node(s.b, "bolt", top, 1, 0, 0),
             nut = create_node(s.b, "nut", bolt, 2, 0, 0);
    const struct gz_message *refused = ask_undo(s.a, false);
    char text[GZ_ERROR_BYTES_MAX];
    snprintf(text, sizeof text, "undo: bob put node %llu (bolt) below node %llu (top) (edit ...",
             (unsigned long long)bolt, (unsigned long long)top);
    assert_says(refused, GZ_CONFLICT, text);
    assert_about(refused, &bolt, 1);
    assert_true(is_there(&s, top) && is_there(&s, nut));

    assert_ok(ask_undo(s.a, true)); /* said and wanted: then all of it goes */
    assert_int_equal(s.b->mirror.count, 0);
    reopen(&s);
    assert_ok(ask_redo(s.a, false)); /* and all of it comes back */
    assert_true(host_node(&s.host, nut).parent == bolt && host_node(&s.host, bolt).parent == top);
    close_scene(&s);
}

static void test_undo_of_create_leaves_what_others_took_away(void **state)
{
    (void)state;
    struct scene s;
    open_scene(&s);
    uint64_t top = create_node(s.a, "top", 0, 0, 0, 0),
             bolt = create_node(s.b, "bolt", top, 1, 0, 0);
    assert_ok(ask_hang(s.b, bolt, 0));
    assert_ok(ask_undo(s.a, false));
    assert_false(is_there(&s, top));
    assert_true(is_there(&s, bolt));
    close_scene(&s);
}

/* They went in the order of how they hung then; now they hang the other way round. */
static void test_forced_undo_of_nodes_that_others_hung_below_each_other(void **state)
{
    (void)state;
    struct scene s;
    open_scene(&s);
    struct gz_create_node nodes[2] = {{.name = {"one", 3}}, {.name = {"two", 3}}};
    struct gz_message create = {.op = GZ_OP_CREATE, .create = {nodes, 2}};
    const struct gz_message *ok = client_ask(s.a, &create);
    assert_ok(ok);
    uint64_t one = ok->ok.ids.ids[0], two = ok->ok.ids.ids[1];
    assert_ok(ask_hang(s.b, one, two));
    assert_refused(ask_undo(s.a, false), GZ_CONFLICT);
    assert_ok(ask_undo(s.a, true));
    assert_int_equal(s.b->mirror.count, 0);
    assert_ok(ask_redo(s.a, false));
    assert_int_equal(host_node(&s.host, one).parent, two);
    close_scene(&s);
}

static void test_undo_of_create_of_what_is_held_below_is_locked(void **state)
{
    (void)state;
    struct scene s;
    open_scene(&s);
    uint64_t top = create_node(s.a, "top", 0, 0, 0, 0),
             bolt = create_node(s.b, "bolt", top, 0, 0, 0);
    assert_ok(ask_grab(s.b, GZ_TXY, bolt, MIDDLE_X, MIDDLE_Y));
    assert_refused(ask_undo(s.a, true), GZ_LOCKED);
    assert_true(is_there(&s, bolt));
    close_scene(&s);
}

static void test_redo_of_delete_does_not_take_what_others_put_below(void **state)
{
    (void)state;
    struct scene s;
    open_scene(&s);
    uint64_t top = create_node(s.a, "top", 0, 0, 0, 0);
    assert_ok(ask_delete(s.a, top));
    assert_ok(ask_undo(s.a, false));
    uint64_t bolt = create_node(s.b, "bolt", top, 1, 0, 0);
    assert_refused(ask_redo(s.a, false), GZ_CONFLICT);
    assert_true(is_there(&s, bolt));
    close_scene(&s);
}

static void test_undo_of_delete_below_what_others_deleted(void **state)
{
    (void)state;
    struct scene s;
    open_scene(&s);
    uint64_t arm = create_node(s.b, "arm", 0, 0, 0, 0),
             hand = create_node(s.a, "hand", arm, 3, 0, 0);
    assert_ok(ask_delete(s.a, hand));
    assert_ok(ask_delete(s.b, arm));
    char text[GZ_ERROR_BYTES_MAX];
    snprintf(text, sizeof text, "undo: bob deleted node %llu (arm) since (edit ...",
             (unsigned long long)arm);
    const struct gz_message *refused = ask_undo(s.a, false);
    assert_says(refused, GZ_CONFLICT, text);
    assert_about(refused, &arm, 1);
    assert_false(is_there(&s, hand));
    assert_ok(ask_undo(s.a, true)); /* where there is a place for it */
    assert_int_equal(host_node(&s.host, hand).parent, 0);
    assert_true(place(&s, hand) == 3);
    close_scene(&s);
}

static void test_forced_undo_leaves_deleted_what_others_deleted(void **state)
{
    (void)state;
    struct scene s;
    open_scene(&s);
    uint64_t one = create_node(s.a, "one", 0, 0, 0, 0), two = create_node(s.a, "two", 0, 0, 0, 0);
    struct gz_set_node nodes[2] = {{.id = one, .has = GZ_HAS_SET_NODE_T, .trs.t = {1, 0, 0}},
                                   {.id = two, .has = GZ_HAS_SET_NODE_T, .trs.t = {1, 0, 0}}};
    struct gz_message set = {.op = GZ_OP_SET, .set = {nodes, 2, 0}};
    assert_ok(client_ask(s.a, &set));
    assert_ok(ask_delete(s.b, one));
    assert_ok(ask_undo(s.a, true));
    assert_false(is_there(&s, one));
    assert_true(place(&s, two) == 0);
    close_scene(&s);
}

static void test_undo_of_a_hanging_that_would_be_a_circle(void **state)
{
    (void)state;
    struct scene s;
    open_scene(&s);
    uint64_t arm = create_node(s.b, "arm", 0, 0, 0, 0),
             hand = create_node(s.b, "hand", arm, 0, 0, 0);
    assert_ok(ask_hang(s.a, hand, 0));
    assert_ok(ask_hang(s.b, arm, hand));
    char text[GZ_ERROR_BYTES_MAX];
    snprintf(text, sizeof text, "undo: bob changed node %llu (arm) since (edit ...",
             (unsigned long long)arm);
    assert_says(ask_undo(s.a, false), GZ_CONFLICT, text);
    assert_int_equal(host_node(&s.host, hand).parent, 0);
    assert_ok(ask_undo(s.a, true)); /* nothing is left to do */
    assert_int_equal(host_node(&s.host, hand).parent, 0);
    close_scene(&s);
}

/* ---- the past and undo ---- */

static void test_undo_after_others_restored_or_imported(void **state)
{
    (void)state;
    struct scene s;
    open_scene(&s);
    uint64_t id = create_node(s.a, "one", 0, 0, 0, 0), then = s.a->mirror.seq;
    assert_ok(ask_move(s.a, id, 1, 0, 0));
    struct gz_message restore = {
        .op = GZ_OP_RESTORE, .has = GZ_HAS_AT_SEQ, .restore = {.seq = then}};
    assert_ok(client_ask(s.b, &restore));
    assert_says(ask_undo(s.a, false), GZ_CONFLICT, "undo: bob restored node ...");
    assert_ok(ask_undo(s.b, false));
    assert_ok(ask_undo(s.a, false));
    assert_true(place(&s, id) == 0);

    assert_ok(ask_move(s.a, id, 2, 0, 0));
    struct gz_core_import import = {
        .user = "bob", .asset = (uint8_t *)strdup("glTF"), .asset_size = 4};
    struct gz_error error;
    assert_int_equal(gz_core_import(s.host.core, &import, s.host.now, &error), GZ_OK);
    host_turn(&s.host);
    assert_says(ask_undo(s.a, false), GZ_CONFLICT, "undo: bob replaced node ...");
    assert_ok(ask_undo(s.a, true)); /* there is nothing to move any more */
    assert_false(is_there(&s, id));
    close_scene(&s);
}

static void test_import_over_what_is_held_says_who(void **state)
{
    (void)state;
    struct scene s;
    open_scene(&s);
    uint64_t id = create_node(s.a, "piston", 0, 0, 0, 0);
    assert_ok(ask_grab(s.b, GZ_TXY, id, MIDDLE_X, MIDDLE_Y));
    struct gz_core_import import = {
        .user = "ann", .asset = (uint8_t *)strdup("glTF"), .asset_size = 4};
    struct gz_error error;
    assert_int_equal(gz_core_import(s.host.core, &import, s.host.now, &error), GZ_LOCKED);
    free(import.asset);
    assert_non_null(strstr(error.message, "(piston) is held by bob"));
    close_scene(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_conflict_names_user_deed_nodes_and_edit),
        cmocka_unit_test(test_conflict_with_long_names_is_text),
        cmocka_unit_test(test_undo_of_what_somebody_drags_says_who),
        cmocka_unit_test(test_what_others_took_back_is_not_in_the_way),
        cmocka_unit_test(test_what_others_took_back_and_left_changed_is_in_the_way),
        cmocka_unit_test(test_others_do_not_clear_what_can_be_redone_but_own_edits_do),
        cmocka_unit_test(test_redo_after_a_forced_undo_is_free),
        cmocka_unit_test(test_undo_of_what_is_so_already_goes_on_to_the_next),
        cmocka_unit_test(test_undo_of_create_does_not_take_what_others_put_below),
        cmocka_unit_test(test_undo_of_create_leaves_what_others_took_away),
        cmocka_unit_test(test_forced_undo_of_nodes_that_others_hung_below_each_other),
        cmocka_unit_test(test_undo_of_create_of_what_is_held_below_is_locked),
        cmocka_unit_test(test_redo_of_delete_does_not_take_what_others_put_below),
        cmocka_unit_test(test_undo_of_delete_below_what_others_deleted),
        cmocka_unit_test(test_forced_undo_leaves_deleted_what_others_deleted),
        cmocka_unit_test(test_undo_of_a_hanging_that_would_be_a_circle),
        cmocka_unit_test(test_undo_after_others_restored_or_imported),
        cmocka_unit_test(test_import_over_what_is_held_says_who),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
