#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "scene/undo.h"
#include "server/maxima.h"
#include "support/cmocka.h"
#include "unit/scene/making.h"

/* ---- edits in few words ---- */

/* The changes of an edit that touched the nodes of these digits. */
static const struct gz_change *touching(const char *digits, struct gz_change *changes)
{
    for (size_t i = 0; digits[i] != '\0'; i++)
        changes[i] = make_creation((uint64_t)(digits[i] - '0'), 0, "n");
    return changes;
}

static void add(struct gz_undo_log *log, uint64_t id, const char *user, enum gz_edit_kind kind,
                uint64_t target, const char *digits)
{
    struct gz_change changes[10];
    struct gz_edit_record edit = {.id = id,
                                  .seq = 10 * id,
                                  .user = user,
                                  .kind = kind,
                                  .target = target,
                                  .changes = touching(digits, changes),
                                  .change_count = strlen(digits)};
    gz_undo_add(log, &edit);
}

static void do_edit(struct gz_undo_log *log, uint64_t id, const char *user)
{
    add(log, id, user, GZ_EDIT_SET, 0, "1");
}

static void do_undo(struct gz_undo_log *log, uint64_t id, const char *user)
{
    const struct gz_edit_record *next = gz_undo_next(log, user);
    assert_non_null(next);
    add(log, id, user, GZ_EDIT_UNDO, next->id, "1");
}

static void do_redo(struct gz_undo_log *log, uint64_t id, const char *user)
{
    const struct gz_edit_record *next = gz_redo_next(log, user);
    assert_non_null(next);
    add(log, id, user, GZ_EDIT_REDO, next->id, "1");
}

/* 0: none. */
static void expect(const struct gz_undo_log *log, const char *user, uint64_t undo, uint64_t redo)
{
    const struct gz_edit_record *u = gz_undo_next(log, user), *r = gz_redo_next(log, user);
    assert_int_equal(u != NULL ? u->id : 0, undo);
    assert_int_equal(r != NULL ? r->id : 0, redo);
}

/* An admin takes back what somebody else did. */
static void do_revert(struct gz_undo_log *log, uint64_t id, const char *user, uint64_t target)
{
    struct gz_change changes[10];
    struct gz_edit_record edit = {.id = id,
                                  .seq = 10 * id,
                                  .user = user,
                                  .kind = GZ_EDIT_UNDO,
                                  .target = target,
                                  .reverts = true,
                                  .changes = touching("1", changes),
                                  .change_count = 1};
    gz_undo_add(log, &edit);
}

/* ---- each user's own line ---- */

static void test_undo_of_nothing_is_null(void **state)
{
    (void)state;
    struct gz_undo_log *log = gz_undo_create();
    expect(log, "ann", 0, 0);
    do_edit(log, 1, "ben");
    expect(log, "ann", 0, 0);
    gz_undo_remove(log, 7);
    expect(log, "ben", 1, 0);
    gz_undo_destroy(log);
    gz_undo_destroy(NULL);
}

static void test_undo_goes_back_and_redo_forth(void **state)
{
    (void)state;
    struct gz_undo_log *log = gz_undo_create();
    for (uint64_t id = 1; id <= 3; id++) do_edit(log, id, "ann");
    do_undo(log, 4, "ann");
    expect(log, "ann", 2, 3);
    do_undo(log, 5, "ann");
    expect(log, "ann", 1, 2);
    do_redo(log, 6, "ann");
    expect(log, "ann", 2, 3);
    do_undo(log, 7, "ann");
    expect(log, "ann", 1, 2);
    do_undo(log, 8, "ann");
    expect(log, "ann", 0, 1);
    for (uint64_t id = 9; id <= 11; id++) do_redo(log, id, "ann");
    expect(log, "ann", 3, 0);
    gz_undo_destroy(log);
}

static void test_edit_clears_what_could_be_redone(void **state)
{
    (void)state;
    struct gz_undo_log *log = gz_undo_create();
    for (uint64_t id = 1; id <= 3; id++) do_edit(log, id, "ann");
    do_undo(log, 4, "ann");
    do_undo(log, 5, "ann");
    do_edit(log, 6, "ann");
    expect(log, "ann", 6, 0);
    do_undo(log, 7, "ann");
    expect(log, "ann", 1, 6);
    do_undo(log, 8, "ann");
    expect(log, "ann", 0, 1);
    do_redo(log, 9, "ann");
    do_redo(log, 10, "ann");
    expect(log, "ann", 6, 0);
    gz_undo_destroy(log);
}

static void test_users_do_not_share_their_line(void **state)
{
    (void)state;
    struct gz_undo_log *log = gz_undo_create();
    do_edit(log, 1, "ann");
    do_edit(log, 2, "ben");
    do_edit(log, 3, "ann");
    do_undo(log, 4, "ann");
    do_edit(log, 5, "ben");
    expect(log, "ann", 1, 3);
    expect(log, "ben", 5, 0);
    do_undo(log, 6, "ben");
    do_undo(log, 7, "ben");
    do_redo(log, 8, "ann");
    expect(log, "ann", 3, 0);
    expect(log, "ben", 0, 2);
    gz_undo_destroy(log);
}

static void test_import_ends_what_its_user_can_undo(void **state)
{
    (void)state;
    struct gz_undo_log *log = gz_undo_create();
    do_edit(log, 1, "ann");
    do_edit(log, 2, "ben");
    do_edit(log, 3, "ann");
    do_undo(log, 4, "ann");
    add(log, 5, "ann", GZ_EDIT_IMPORT, 0, "1");
    expect(log, "ann", 0, 0);
    expect(log, "ben", 2, 0);
    do_edit(log, 6, "ann");
    expect(log, "ann", 6, 0);
    do_undo(log, 7, "ann");
    expect(log, "ann", 0, 6);
    gz_undo_remove(log, 7);
    gz_undo_remove(log, 6);
    gz_undo_remove(log, 5);
    expect(log, "ann", 1, 3);
    gz_undo_destroy(log);
}

static void test_remove_is_as_if_it_had_not_been(void **state)
{
    (void)state;
    struct gz_undo_log *log = gz_undo_create();
    for (uint64_t id = 1; id <= 3; id++) do_edit(log, id, "ann");
    do_undo(log, 4, "ann");
    do_undo(log, 5, "ann");
    do_redo(log, 6, "ann");
    do_edit(log, 7, "ann");
    gz_undo_remove(log, 7);
    expect(log, "ann", 2, 3);
    gz_undo_remove(log, 6);
    expect(log, "ann", 1, 2);
    gz_undo_remove(log, 5);
    expect(log, "ann", 2, 3);
    gz_undo_remove(log, 4);
    expect(log, "ann", 3, 0);
    gz_undo_remove(log, 2);
    do_undo(log, 8, "ann");
    expect(log, "ann", 1, 3);
    gz_undo_destroy(log);
}

/* ---- copies and bounds ---- */

static void test_log_keeps_copies(void **state)
{
    (void)state;
    struct gz_undo_log *log = gz_undo_create();
    char user[] = "ann", key[] = "k1", before[] = "old", after[] = "new";
    struct gz_change changes[2] = {make_creation(5, 0, after), make_creation(2, 1, after)};
    changes[0].before.name = before;
    struct gz_edit_record edit = {.id = 1,
                                  .user = user,
                                  .key = key,
                                  .kind = GZ_EDIT_SET,
                                  .changes = changes,
                                  .change_count = 2,
                                  .residual = 0.25};
    gz_undo_add(log, &edit);
    memset(changes, 0, sizeof changes);
    user[0] = key[0] = before[0] = after[0] = 'X';
    const struct gz_edit_record *kept = gz_undo_next(log, "ann");
    assert_non_null(kept);
    assert_string_equal(kept->key, "k1");
    assert_true(kept->residual == 0.25);
    assert_int_equal(kept->changes[0].node, 5);
    assert_string_equal(kept->changes[0].before.name, "old");
    assert_string_equal(kept->changes[0].after.name, "new");
    assert_null(kept->changes[1].before.name);
    assert_int_equal(kept->changes[1].after.parent, 1);
    gz_undo_destroy(log);
}

static void test_oldest_edits_are_forgotten(void **state)
{
    (void)state;
    struct gz_undo_log *log = gz_undo_create();
    for (uint64_t id = 1; id <= GZ_UNDO_EDITS_MAX + 5; id++)
        do_edit(log, id, id <= 6 ? "ann" : "ben");
    expect(log, "ann", 6, 0);
    do_edit(log, 2000, "ben");
    expect(log, "ann", 0, 0);
    for (uint64_t id = 2001; id < 2001 + GZ_UNDO_EDITS_MAX / 2; id++) do_undo(log, id, "ben");
    expect(log, "ben", 0, GZ_UNDO_EDITS_MAX / 2 + 7);
    gz_undo_destroy(log);
}

/* An undo may outlive the edit that it took back: then there is nothing to make again. */
static void test_redo_of_a_forgotten_edit_is_null(void **state)
{
    (void)state;
    struct gz_undo_log *log = gz_undo_create();
    do_edit(log, 1, "ann");
    do_edit(log, 2, "ann");
    do_undo(log, 3, "ann");
    do_undo(log, 4, "ann");
    for (uint64_t id = 5; id <= GZ_UNDO_EDITS_MAX + 1; id++) do_edit(log, id, "ben");
    expect(log, "ann", 0, 0);
    gz_undo_remove(log, GZ_UNDO_EDITS_MAX + 1);
    add(log, 5000, "ann", GZ_EDIT_REDO, 1, "1");
    expect(log, "ann", 0, 2);
    gz_undo_destroy(log);
}

static void test_changes_are_bounded_together(void **state)
{
    (void)state;
    const size_t each = GZ_UNDO_CHANGES_MAX / 4;
    struct gz_change *changes = calloc(each, sizeof *changes);
    assert_non_null(changes);
    struct gz_undo_log *log = gz_undo_create();
    for (uint64_t id = 1; id <= 4; id++) {
        struct gz_edit_record edit = {
            .id = id, .user = "ann", .kind = GZ_EDIT_SET, .changes = changes, .change_count = each};
        gz_undo_add(log, &edit);
    }
    for (uint64_t id = 5; id <= 7; id++) do_undo(log, id, "ann");
    expect(log, "ann", 0, 2);
    do_redo(log, 8, "ann");
    expect(log, "ann", 2, 3);
    gz_undo_destroy(log);
    free(changes);
}

/* ---- conflicts ---- */

static uint64_t conflict_of(const struct gz_undo_log *log, const char *user, uint64_t *node)
{
    *node = 0;
    const struct gz_edit_record *last = gz_undo_last(log, gz_undo_next(log, user));
    const struct gz_edit_record *edit = gz_undo_conflict(log, last, user, GZ_UNDO_ALL, node);
    return edit != NULL ? edit->id : 0;
}

static void test_conflict_is_the_latest_later_edit_of_others_on_a_shared_node(void **state)
{
    (void)state;
    uint64_t node;
    struct gz_undo_log *log = gz_undo_create();
    add(log, 1, "ben", GZ_EDIT_SET, 0, "14");
    add(log, 2, "ann", GZ_EDIT_SET, 0, "514");
    assert_int_equal(conflict_of(log, "ann", &node), 0);
    add(log, 3, "ben", GZ_EDIT_SET, 0, "26");
    assert_int_equal(conflict_of(log, "ann", &node), 0);
    add(log, 4, "ben", GZ_EDIT_SET, 0, "35");
    assert_int_equal(conflict_of(log, "ann", &node), 4);
    assert_int_equal(node, 5);
    add(log, 5, "cy", GZ_EDIT_SET, 0, "87654321");
    assert_int_equal(conflict_of(log, "ann", &node), 5);
    assert_int_equal(node, 1);
    assert_int_equal(conflict_of(log, "cy", &node), 0);
    assert_int_equal(conflict_of(log, "ben", &node), 5);
    assert_int_equal(node, 3);
    gz_undo_remove(log, 5);
    assert_int_equal(conflict_of(log, "ann", &node), 4);
    gz_undo_destroy(log);
}

/* Drags end in another order than their last changes came in: what counts is the seq. */
static void test_conflict_goes_by_seq(void **state)
{
    (void)state;
    struct gz_undo_log *log = gz_undo_create();
    struct gz_change changes[1];
    struct gz_edit_record edit = {.id = 1,
                                  .seq = 50,
                                  .user = "ann",
                                  .kind = GZ_EDIT_SET,
                                  .changes = touching("1", changes),
                                  .change_count = 1};
    gz_undo_add(log, &edit);
    edit.id = 2, edit.seq = 40, edit.user = "ben";
    gz_undo_add(log, &edit);
    uint64_t node;
    assert_int_equal(conflict_of(log, "ann", &node), 0);
    assert_int_equal(conflict_of(log, "ben", &node), 1);
    gz_undo_destroy(log);
}

/* ---- against a model ---- */

/* The last edits as they are, and each user's two stacks, made anew for each question. */
struct model {
    struct gz_edit_record edits[GZ_UNDO_EDITS_MAX];
    struct gz_change changes[GZ_UNDO_EDITS_MAX][4];
    size_t count;
};

static void model_drop(struct model *model, size_t at)
{
    model->count--;
    memmove(&model->edits[at], &model->edits[at + 1], (model->count - at) * sizeof model->edits[0]);
    memmove(&model->changes[at], &model->changes[at + 1],
            (model->count - at) * sizeof model->changes[0]);
}

static void model_add(struct model *model, const struct gz_edit_record *edit)
{
    if (model->count == GZ_UNDO_EDITS_MAX) model_drop(model, 0);
    model->edits[model->count] = *edit;
    memcpy(model->changes[model->count], edit->changes, edit->change_count * sizeof *edit->changes);
    model->count++;
}

static void model_next(const struct model *model, const char *user, uint64_t *undo, uint64_t *redo)
{
    static uint64_t done[GZ_UNDO_EDITS_MAX + 1], undone[GZ_UNDO_EDITS_MAX + 1];
    size_t done_count = 0, undone_count = 0;
    for (size_t i = 0; i < model->count; i++) {
        const struct gz_edit_record *edit = &model->edits[i];
        if (strcmp(edit->user, user) != 0) continue;
        if (edit->kind == GZ_EDIT_UNDO) {
            if (done_count > 0 && done[done_count - 1] == edit->target) done_count--;
            undone[undone_count++] = edit->target;
        } else if (edit->kind == GZ_EDIT_REDO) {
            if (undone_count > 0) undone_count--;
            done[done_count++] = edit->target;
        } else {
            undone_count = 0;
            done[done_count++] = edit->id;
            if (edit->kind == GZ_EDIT_IMPORT) done_count = 0;
        }
    }
    *undo = *redo = 0;
    for (size_t i = 0; i < model->count; i++) {
        if (done_count > 0 && model->edits[i].id == done[done_count - 1])
            *undo = model->edits[i].id;
        if (undone_count > 0 && model->edits[i].id == undone[undone_count - 1])
            *redo = model->edits[i].id;
    }
}

static uint64_t model_last(const struct model *model, uint64_t id)
{
    uint64_t last = id;
    for (size_t i = 0; i < model->count; i++) {
        enum gz_edit_kind kind = model->edits[i].kind;
        if ((kind == GZ_EDIT_UNDO || kind == GZ_EDIT_REDO) && model->edits[i].target == id)
            last = model->edits[i].id;
    }
    return last;
}

static uint64_t model_conflict(const struct model *model, uint64_t id, const char *user,
                               uint64_t *node)
{
    size_t own = 0;
    while (model->edits[own].id != id) own++;
    for (size_t i = model->count; i-- > 0;) {
        if (model->edits[i].seq <= model->edits[own].seq || strcmp(model->edits[i].user, user) == 0)
            continue;
        *node = UINT64_MAX;
        for (size_t a = 0; a < model->edits[i].change_count; a++) {
            for (size_t b = 0; b < model->edits[own].change_count; b++) {
                uint64_t shared = model->changes[i][a].node;
                if (shared == model->changes[own][b].node && shared < *node) *node = shared;
            }
        }
        if (*node != UINT64_MAX) return model->edits[i].id;
    }
    *node = 0;
    return 0;
}

static void compare_with_model(const struct gz_undo_log *log, const struct model *model,
                               const char *user)
{
    uint64_t undo, redo, node = 0, expected_node = 0;
    model_next(model, user, &undo, &redo);
    expect(log, user, undo, redo);
    if (undo == 0) return;
    uint64_t expected = model_conflict(model, model_last(model, undo), user, &expected_node);
    assert_int_equal(conflict_of(log, user, &node), expected);
    assert_int_equal(node, expected_node);
}

static void add_random(struct gz_undo_log *log, struct model *model, uint64_t id, const char *user,
                       uint64_t *random)
{
    const enum gz_edit_kind kinds[] = {GZ_EDIT_SET, GZ_EDIT_TRANSLATE, GZ_EDIT_CREATE,
                                       GZ_EDIT_DELETE, GZ_EDIT_RESTORE};
    struct gz_change changes[4];
    struct gz_edit_record edit = {.id = id, .seq = 2 * id, .user = user, .changes = changes};
    edit.kind =
        chance_below(random, 100) == 0 ? GZ_EDIT_IMPORT : kinds[chance_below(random, COUNT(kinds))];
    edit.change_count = 1 + chance_below(random, 4);
    uint64_t choice = chance_below(random, 10);
    const struct gz_edit_record *target = choice < 4   ? gz_undo_next(log, user)
                                          : choice < 6 ? gz_redo_next(log, user)
                                                       : NULL;
    if (target != NULL) {
        edit.kind = choice < 4 ? GZ_EDIT_UNDO : GZ_EDIT_REDO;
        edit.target = target->id;
    }
    for (size_t i = 0; i < edit.change_count; i++)
        changes[i] = make_creation(1 + chance_below(random, 40), 0, "n");
    gz_undo_add(log, &edit);
    model_add(model, &edit);
}

static void test_random_edits_are_as_in_the_model(void **state)
{
    (void)state;
    const char *users[] = {"ann", "ben", "cy", "dee"};
    uint64_t seed = chance_seed(1), steps = chance_count(20000);
    print_message("GIZMOD_SEED=%llu\n", (unsigned long long)seed);
    struct gz_undo_log *log = gz_undo_create();
    struct model *model = calloc(1, sizeof *model);
    assert_true(log != NULL && model != NULL);
    for (uint64_t id = 1; id <= steps; id++) {
        const char *user = users[chance_below(&seed, COUNT(users))];
        if (chance_below(&seed, 10) == 0 && model->count > 0) {
            gz_undo_remove(log, model->edits[model->count - 1].id);
            model_drop(model, model->count - 1);
        } else {
            add_random(log, model, id, user, &seed);
        }
        if (id % 20000 == 0) { /* a restart */
            gz_undo_destroy(log);
            log = gz_undo_create();
            for (size_t i = 0; i < model->count; i++) {
                struct gz_edit_record edit = model->edits[i];
                edit.changes = model->changes[i];
                gz_undo_add(log, &edit);
            }
        }
        compare_with_model(log, model, users[chance_below(&seed, COUNT(users))]);
    }
    free(model);
    gz_undo_destroy(log);
}

/* ---- reverts ---- */

static uint64_t last_of(const struct gz_undo_log *log, uint64_t edit)
{
    return gz_undo_last(log, gz_undo_find(log, edit))->id;
}

static void test_revert_is_undone_and_redone_as_an_edit_of_its_users(void **state)
{
    (void)state;
    struct gz_undo_log *log = gz_undo_create();
    do_edit(log, 1, "ada");
    do_edit(log, 2, "ben");
    do_revert(log, 3, "ada", 2);
    expect(log, "ben", 0, 0);
    expect(log, "ada", 3, 0);
    assert_true(gz_undo_is_undone(log, 2) && !gz_undo_is_undone(log, 3));
    do_undo(log, 4, "ada");
    expect(log, "ben", 2, 0);
    expect(log, "ada", 1, 3);
    assert_int_equal(last_of(log, 2), 4);
    do_redo(log, 5, "ada");
    expect(log, "ben", 0, 0);
    expect(log, "ada", 3, 0);
    assert_int_equal(last_of(log, 2), 5);
    gz_undo_remove(log, 5);
    expect(log, "ben", 2, 0);
    gz_undo_remove(log, 4);
    expect(log, "ben", 0, 0);
    gz_undo_remove(log, 3);
    expect(log, "ben", 2, 0);
    expect(log, "ada", 1, 0);
    assert_int_equal(last_of(log, 2), 2);
    gz_undo_destroy(log);
}

static void test_reverted_undo_and_redo_count_as_not_done(void **state)
{
    (void)state;
    struct gz_undo_log *log = gz_undo_create();
    do_edit(log, 1, "ben");
    do_undo(log, 2, "ben");
    do_revert(log, 3, "ada", 2); /* so that the edit stands */
    expect(log, "ben", 1, 0);
    do_undo(log, 4, "ben");
    expect(log, "ben", 0, 1);
    do_redo(log, 5, "ben");
    do_revert(log, 6, "ada", 5); /* so that it does not */
    expect(log, "ben", 0, 1);
    assert_int_equal(last_of(log, 1), 6);
    do_revert(log, 7, "eve", 6); /* and does again */
    expect(log, "ben", 1, 0);
    gz_undo_destroy(log);
}

/* What others did and took back is not in the way, whoever took it back. */
static void test_revert_and_what_it_took_back_are_in_nobodys_way(void **state)
{
    (void)state;
    struct gz_undo_log *log = gz_undo_create();
    do_edit(log, 1, "ann");
    do_edit(log, 2, "ben");
    const struct gz_edit_record *own = gz_undo_find(log, 1);
    assert_int_equal(gz_undo_conflict(log, own, "ann", GZ_UNDO_STANDING, NULL)->id, 2);
    do_revert(log, 3, "ada", 2);
    own = gz_undo_find(log, 1);
    assert_null(gz_undo_conflict(log, own, "ann", GZ_UNDO_STANDING, NULL));
    assert_int_equal(gz_undo_conflict(log, own, "ann", GZ_UNDO_ALL, NULL)->id, 3);
    do_undo(log, 4, "ada");
    own = gz_undo_find(log, 1);
    assert_int_equal(gz_undo_conflict(log, own, "ann", GZ_UNDO_STANDING, NULL)->id, 2);
    assert_null(gz_undo_conflict(log, gz_undo_find(log, 4), NULL, GZ_UNDO_ALL, NULL));
    assert_int_equal(gz_undo_conflict(log, gz_undo_find(log, 2), "ben", GZ_UNDO_ALL, NULL)->id, 4);
    assert_null(gz_undo_conflict(log, gz_undo_find(log, 2), "ben", GZ_UNDO_STANDING, NULL));
    gz_undo_destroy(log);
}

static void test_edit_that_was_forgotten_is_undone_by_what_is_known_about_it(void **state)
{
    (void)state;
    struct gz_undo_log *log = gz_undo_create();
    const struct gz_edit_record forgotten = {.id = 1, .user = "ben"};
    assert_false(gz_undo_is_undone(log, 1));
    assert_ptr_equal(gz_undo_last(log, &forgotten), &forgotten);
    do_revert(log, 2, "ada", 1);
    assert_true(gz_undo_is_undone(log, 1));
    assert_int_equal(gz_undo_last(log, &forgotten)->id, 2);
    do_undo(log, 3, "ada");
    assert_false(gz_undo_is_undone(log, 1));
    do_redo(log, 4, "ada");
    assert_true(gz_undo_is_undone(log, 1));
    assert_int_equal(gz_undo_last(log, &forgotten)->id, 4);
    gz_undo_destroy(log);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_undo_of_nothing_is_null),
        cmocka_unit_test(test_undo_goes_back_and_redo_forth),
        cmocka_unit_test(test_edit_clears_what_could_be_redone),
        cmocka_unit_test(test_users_do_not_share_their_line),
        cmocka_unit_test(test_import_ends_what_its_user_can_undo),
        cmocka_unit_test(test_remove_is_as_if_it_had_not_been),
        cmocka_unit_test(test_log_keeps_copies),
        cmocka_unit_test(test_oldest_edits_are_forgotten),
        cmocka_unit_test(test_redo_of_a_forgotten_edit_is_null),
        cmocka_unit_test(test_changes_are_bounded_together),
        cmocka_unit_test(test_conflict_is_the_latest_later_edit_of_others_on_a_shared_node),
        cmocka_unit_test(test_revert_is_undone_and_redone_as_an_edit_of_its_users),
        cmocka_unit_test(test_reverted_undo_and_redo_count_as_not_done),
        cmocka_unit_test(test_revert_and_what_it_took_back_are_in_nobodys_way),
        cmocka_unit_test(test_edit_that_was_forgotten_is_undone_by_what_is_known_about_it),
        cmocka_unit_test(test_conflict_goes_by_seq),
        cmocka_unit_test(test_random_edits_are_as_in_the_model),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
