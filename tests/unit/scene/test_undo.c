/* The piles of undo: whose edit is next, what is in its way, what is forgotten; by tables, by cases
 * and against a model. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "proto/base/ids.h"
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

static uint64_t conflict_of(const struct gz_undo_log *log, const char *user, uint64_t *node)
{
    *node = 0;
    const struct gz_edit_record *last = gz_undo_last(log, gz_undo_next(log, user));
    const struct gz_edit_record *edit = gz_undo_conflict(log, last, user, GZ_UNDO_ALL, node);
    return edit != NULL ? edit->id : 0;
}

static uint64_t last_of(const struct gz_undo_log *log, uint64_t edit)
{
    return gz_undo_last(log, gz_undo_find(log, edit))->id;
}

/* ---- lines of edits, as tables ---- */

/* A row is an edit and its user: "ann edits 3", "ann edits 3: 15" (of the nodes 1 and 5), "ann
 * undoes 4" and "ann redoes 5" (what is next in the user's line), "ada reverts 2 by 3", "ann
 * imports 5"; "3 never was" removes an edit. What has to be so then: "ann: undo 2, redo 3" is what
 * is next (0: nothing), "2 last by 4" the last that made or unmade an edit, "2 is undone" or "2
 * stands", and "ann in the way 4 at 5" what is in the way of ann's next undo, and at which node (0:
 * nothing). */
static const struct line {
    const char *name, *rows[20];
} lines[] = {
    {"undo_of_nothing_is_null",
     {"ann: undo 0, redo 0", "ben edits 1", "ann: undo 0, redo 0", "7 never was",
      "ben: undo 1, redo 0"}},
    {"undo_goes_back_and_redo_forth",
     {"ann edits 1", "ann edits 2", "ann edits 3", "ann undoes 4", "ann: undo 2, redo 3",
      "ann undoes 5", "ann: undo 1, redo 2", "ann redoes 6", "ann: undo 2, redo 3", "ann undoes 7",
      "ann: undo 1, redo 2", "ann undoes 8", "ann: undo 0, redo 1", "ann redoes 9", "ann redoes 10",
      "ann redoes 11", "ann: undo 3, redo 0"}},
    {"edit_clears_what_could_be_redone",
     {"ann edits 1", "ann edits 2", "ann edits 3", "ann undoes 4", "ann undoes 5", "ann edits 6",
      "ann: undo 6, redo 0", "ann undoes 7", "ann: undo 1, redo 6", "ann undoes 8",
      "ann: undo 0, redo 1", "ann redoes 9", "ann redoes 10", "ann: undo 6, redo 0"}},
    {"users_do_not_share_their_line",
     {"ann edits 1", "ben edits 2", "ann edits 3", "ann undoes 4", "ben edits 5",
      "ann: undo 1, redo 3", "ben: undo 5, redo 0", "ben undoes 6", "ben undoes 7", "ann redoes 8",
      "ann: undo 3, redo 0", "ben: undo 0, redo 2"}},
    {"import_ends_what_its_user_can_undo",
     {"ann edits 1", "ben edits 2", "ann edits 3", "ann undoes 4", "ann imports 5",
      "ann: undo 0, redo 0", "ben: undo 2, redo 0", "ann edits 6", "ann: undo 6, redo 0",
      "ann undoes 7", "ann: undo 0, redo 6", "7 never was", "6 never was", "5 never was",
      "ann: undo 1, redo 3"}},
    {"remove_is_as_if_it_had_not_been",
     {"ann edits 1", "ann edits 2", "ann edits 3", "ann undoes 4", "ann undoes 5", "ann redoes 6",
      "ann edits 7", "7 never was", "ann: undo 2, redo 3", "6 never was", "ann: undo 1, redo 2",
      "5 never was", "ann: undo 2, redo 3", "4 never was", "ann: undo 3, redo 0", "2 never was",
      "ann undoes 8", "ann: undo 1, redo 3"}},
    {"revert_is_undone_and_redone_as_an_edit_of_its_users",
     {"ada edits 1", "ben edits 2", "ada reverts 2 by 3", "ben: undo 0, redo 0",
      "ada: undo 3, redo 0", "2 is undone", "3 stands", "ada undoes 4", "ben: undo 2, redo 0",
      "ada: undo 1, redo 3", "2 last by 4", "ada redoes 5", "ben: undo 0, redo 0",
      "ada: undo 3, redo 0", "2 last by 5"}},
    {"reverts_that_never_were",
     {"ada edits 1", "ben edits 2", "ada reverts 2 by 3", "ada undoes 4", "ada redoes 5",
      "5 never was", "ben: undo 2, redo 0", "4 never was", "ben: undo 0, redo 0", "3 never was",
      "ben: undo 2, redo 0", "ada: undo 1, redo 0", "2 last by 2"}},
    {"reverted_undo_and_redo_count_as_not_done",
     {"ben edits 1", "ben undoes 2", "ada reverts 2 by 3", "ben: undo 1, redo 0", "ben undoes 4",
      "ben: undo 0, redo 1", "ben redoes 5", "ada reverts 5 by 6", "ben: undo 0, redo 1",
      "1 last by 6", "eve reverts 6 by 7", "ben: undo 1, redo 0"}},
    {"conflict_is_the_latest_later_edit_of_others_on_a_shared_node",
     {"ben edits 1: 14", "ann edits 2: 514", "ann in the way 0 at 0", "ben edits 3: 26",
      "ann in the way 0 at 0", "ben edits 4: 35", "ann in the way 4 at 5", "cy edits 5: 87654321",
      "ann in the way 5 at 1", "cy in the way 0 at 0", "ben in the way 5 at 3", "5 never was",
      "ann in the way 4 at 5"}},
};

/* Whether the row is an edit; then it is in the log. */
static bool play_edit(struct gz_undo_log *log, const char *row)
{
    char user[8], verb[12], digits[12] = "1";
    unsigned long long id, by = 0;
    bool never = sscanf(row, "%llu never%11s", &id, verb) == 2;
    if (never) gz_undo_remove(log, id);
    if (never) return true;
    if (sscanf(row, "%7[a-z] %11[a-z] %llu: %11[0-9]", user, verb, &id, digits) < 3) return false;
    if (strcmp(verb, "edits") == 0) add(log, id, user, GZ_EDIT_SET, 0, digits);
    if (strcmp(verb, "imports") == 0) add(log, id, user, GZ_EDIT_IMPORT, 0, "1");
    if (strcmp(verb, "undoes") == 0) do_undo(log, id, user);
    if (strcmp(verb, "redoes") == 0) do_redo(log, id, user);
    if (sscanf(row, "%*s reverts %*u by %llu", &by) == 1) do_revert(log, by, user, id);
    return true;
}

/* The row as it would have to be. */
static void say_what_is_so(const struct gz_undo_log *log, const char *row, char *so, size_t size)
{
    char user[8], verb[8] = "";
    unsigned long long id = 0;
    uint64_t node;
    if (sscanf(row, "%7[a-z]: %7[a-z]", user, verb) == 2) {
        const struct gz_edit_record *undo = gz_undo_next(log, user),
                                    *redo = gz_redo_next(log, user);
        snprintf(so, size, "%s: undo %d, redo %d", user, undo != NULL ? (int)undo->id : 0,
                 redo != NULL ? (int)redo->id : 0);
    } else if (sscanf(row, "%7[a-z] in the %7[a-z]", user, verb) == 2) {
        uint64_t edit = conflict_of(log, user, &node);
        snprintf(so, size, "%s in the way %d at %d", user, (int)edit, (int)node);
    } else if (sscanf(row, "%llu %7[a-z]", &id, verb) == 2 && strcmp(verb, "last") == 0) {
        snprintf(so, size, "%llu last by %d", id, (int)last_of(log, id));
    } else {
        snprintf(so, size, "%llu %s", id, gz_undo_is_undone(log, id) ? "is undone" : "stands");
    }
}

static void test_line(void **state)
{
    const struct line *line = *state;
    struct gz_undo_log *log = gz_undo_create();
    for (size_t i = 0; i < COUNT(line->rows) && line->rows[i] != NULL; i++) {
        char so[64];
        if (play_edit(log, line->rows[i])) continue;
        say_what_is_so(log, line->rows[i], so, sizeof so);
        assert_string_equal(so, line->rows[i]);
    }
    gz_undo_destroy(log);
}

/* ---- copies and bounds ---- */

TEST(test_log_keeps_copies)
{
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
    gz_undo_destroy(NULL);
}

TEST(test_oldest_edits_are_forgotten)
{
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
TEST(test_redo_of_a_forgotten_edit_is_null)
{
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

/* Edits 1 to `last`, each of so many parts of what the log may take together. */
static struct gz_undo_log *fill(uint64_t last, size_t parts, enum gz_edit_kind kind)
{
    const size_t slack = 100; /* for what is not a change, and for small edits that follow */
    const size_t each =
        GZ_UNDO_BYTES_MAX / parts / (sizeof(struct gz_change) + sizeof(uint64_t)) - slack;
    struct gz_change *changes = calloc(each, sizeof *changes);
    struct gz_undo_log *log = gz_undo_create();
    assert_non_null(changes);
    for (size_t i = 0; i < each; i++) changes[i].node = i + 1;
    for (uint64_t id = 1; id <= last; id++) {
        struct gz_edit_record edit = {.id = id,
                                      .seq = 10 * id,
                                      .user = "ann",
                                      .kind = kind,
                                      .changes = changes,
                                      .change_count = each};
        gz_undo_add(log, &edit);
    }
    free(changes);
    return log;
}

TEST(test_edits_are_bounded_by_the_bytes_that_they_take_together)
{
    struct gz_undo_log *log = fill(5, 4, GZ_EDIT_SET);
    for (uint64_t id = 6; id <= 9; id++) do_undo(log, id, "ann");
    expect(log, "ann", 0, 2);
    do_redo(log, 10, "ann");
    expect(log, "ann", 2, 3);
    gz_undo_destroy(log);
}

TEST(test_edit_its_undo_and_the_redo_stay_however_large)
{
    struct gz_undo_log *log = fill(GZ_UNDO_EDITS_MIN + 1, 1, GZ_EDIT_SET);
    assert_null(gz_undo_find(log, 1));
    assert_non_null(gz_undo_find(log, 2));
    gz_undo_destroy(log);
}

/* Only the ids of an import are kept, which an undo of another user looks at. */
TEST(test_import_takes_little_and_is_in_the_way)
{
    struct gz_undo_log *log = fill(20, 4, GZ_EDIT_IMPORT);
    uint64_t node;
    assert_non_null(gz_undo_find(log, 1));
    struct gz_change changes[10];
    struct gz_edit_record edit = {.id = 21,
                                  .seq = 5, /* before all of them */
                                  .user = "ben",
                                  .kind = GZ_EDIT_SET,
                                  .changes = touching("7", changes),
                                  .change_count = 1};
    gz_undo_add(log, &edit);
    assert_int_equal(conflict_of(log, "ben", &node), 20);
    assert_int_equal(node, 7);
    const size_t count = gz_undo_find(log, 20)->change_count;
    uint64_t *ids = calloc(count, sizeof *ids);
    assert_non_null(ids);
    const size_t kept = gz_undo_nodes(log, 20, ids);
    assert_in_range(kept, 1, count);
    for (size_t i = 1; i < kept; i++) assert_true(ids[i] > ids[i - 1]);
    assert_true(gz_has_id(ids, kept, 7));
    free(ids);
    gz_undo_destroy(log);
}

/* A damaged file has an undo of itself, and two that undo each other. */
TEST(test_undo_of_what_is_not_older_is_none)
{
    struct gz_undo_log *log = gz_undo_create();
    do_edit(log, 1, "ann");
    add(log, 2, "ann", GZ_EDIT_UNDO, 2, "1");
    add(log, 2, "ann", GZ_EDIT_UNDO, 2, "1");
    add(log, 3, "ann", GZ_EDIT_UNDO, 4, "1");
    add(log, 4, "ann", GZ_EDIT_UNDO, 3, "1");
    add(log, 5, "ann", GZ_EDIT_UNDO, 4, "1");
    assert_non_null(gz_undo_find(log, 5));
    gz_undo_destroy(log);
}

/* ---- conflicts ---- */

/* Drags end in another order than their last changes came in: what counts is the seq. */
TEST(test_conflict_goes_by_seq)
{
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

TEST(test_random_edits_are_as_in_the_model)
{
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

/* What others did and took back is not in the way, whoever took it back. */
TEST(test_revert_and_what_it_took_back_are_in_nobodys_way)
{
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

TEST(test_edit_that_was_forgotten_is_undone_by_what_is_known_about_it)
{
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
    for (size_t i = 0; i < COUNT(lines); i++) {
        test_add(0, (struct CMUnitTest){.name = lines[i].name,
                                        .test_func = test_line,
                                        .initial_state = (void *)&lines[i]});
    }
    return test_run(NULL, NULL);
}
