/* A scene's own access in the file: what is in force comes back, who had which role when stays to
 * be read, a batch that cannot be leaves nothing, and a file from before there was any is whole. */
#include "unit/store/scene_file.h"

#include <string.h>

#include "server/maxima.h"

static struct gz_batch *batch_of(const struct gz_access_record *access, size_t count)
{
    struct gz_batch *batch = gz_batch_create();
    assert_non_null(batch);
    batch->next_node = batch->next_edit = 1;
    batch->access = access;
    batch->access_count = count;
    return batch;
}

static void assert_same(const struct gz_access_record *a, const struct gz_access_record *b)
{
    assert_string_equal(a->glob, b->glob);
    assert_string_equal(a->user, b->user);
    assert_int_equal(a->role, b->role);
    assert_true(a->made == b->made && !a->gone && !b->gone);
}

static const struct gz_access_record first[] = {
    {.glob = "Zo\xc3\xab?", .user = "O'Brien", .role = GZ_ROLE_ADMIN, .made = START_TIME + 0.25},
    {.glob = "'; DROP TABLE access_changes; --",
     .user = "ann",
     .role = GZ_ROLE_VIEWER,
     .made = START_TIME + 1},
    {.glob = "*@example.com", .user = "ann", .role = GZ_ROLE_VIEWER, .made = START_TIME + 2},
};
static const struct gz_access_record later[] = {
    {.glob = "*@example.com", .user = "bob", .role = GZ_ROLE_EDITOR, .made = START_TIME + 3},
    {.glob = "x", .user = "bob", .role = GZ_ROLE_EDITOR, .made = START_TIME + 4},
    {.glob = "x", .user = "ann", .gone = true, .made = START_TIME + 5},
};

TEST_IN_DIRECTORY(test_what_is_in_force_comes_back)
{
    const char *path, *copy = in_directory(directory, "copy.db");
    struct gz_error error = {0};
    struct gz_store *store = open_new(directory, &path);
    commit(store, batch_of(first, 3));
    commit(store, batch_of(later, 3));
    assert_int_equal(gz_store_backup(path, copy, &error), GZ_OK);
    gz_store_close(store);
    for (int i = 0; i < 2; i++) {
        struct gz_scene_state state;
        store = open_scene(i == 0 ? path : copy, false, START_TIME + 1, &state);
        assert_int_equal(state.access_count, 3);
        assert_same(&state.access[0], &first[1]);
        assert_same(&state.access[1], &later[0]);
        assert_same(&state.access[2], &first[0]);
        assert_true(state.time >= START_TIME + 5);
        gz_scene_state_finish(&state);
        gz_store_close(store);
    }
}

TEST_IN_DIRECTORY(test_who_had_which_role_when_stays)
{
    const char *path;
    struct gz_store *store = open_new(directory, &path);
    commit(store, batch_of(first, 3));
    commit(store, batch_of(later, 3));
    assert_int_equal(ask(path, "SELECT count(*) FROM access_changes"), 6);
    assert_int_equal(ask(path, "SELECT count(*) FROM access"), 3);
    assert_int_equal(ask(path, "SELECT role IS NULL AND user = 'ann' FROM access_changes"
                               " WHERE glob = 'x' ORDER BY change DESC LIMIT 1"),
                     1);
    gz_store_close(store);
}

TEST_IN_DIRECTORY(test_batch_with_an_impossible_change_is_refused_whole)
{
    const char *path;
    struct gz_store *store = open_new(directory, &path);
    commit(store, batch_of(first, 1));
    const struct gz_access_record wrong[] = {
        {.glob = "good", .user = "ann", .role = GZ_ROLE_VIEWER, .made = START_TIME},
        {.glob = "", .user = "ann", .role = GZ_ROLE_VIEWER, .made = START_TIME},
    };
    enum gz_status status;
    struct gz_error error;
    gz_store_submit(store, batch_of(wrong, 2));
    gz_batch_destroy(wait_for(store, &status, &error));
    assert_int_equal(status, GZ_STORAGE);
    assert_int_equal(ask(path, "SELECT count(*) FROM access_changes"), 1);
    gz_store_close(store);
}
