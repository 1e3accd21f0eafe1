/* scene_file.c - opens files for the store's tests and waits for commits. See scene_file.h. */
#include "unit/store/scene_file.h"

#include <dirent.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "server/maxima.h"
#include "store/clean_mark.h"
#include "store/database.h"

int make_directory(void **state)
{
    const char *base = getenv("TMPDIR");
    char *path;
    if (asprintf(&path, "%s/gizmod-store-XXXXXX", base != NULL ? base : "/tmp") < 0) return -1;
    *state = path;
    return mkdtemp(path) != NULL ? 0 : -1;
}

int remove_directory(void **state)
{
    char *path = *state;
    DIR *directory = opendir(path);
    struct dirent *entry;
    while (directory != NULL && (entry = readdir(directory)) != NULL)
        unlink(in_directory(state, entry->d_name));
    if (directory != NULL) closedir(directory);
    int result = rmdir(path);
    free(path);
    return result;
}

const char *in_directory(void **state, const char *name)
{
    static char paths[16][512];
    static unsigned next;
    char *path = paths[next++ % 16];
    snprintf(path, sizeof paths[0], "%s/%s", (const char *)*state, name);
    return path;
}

struct gz_store *open_scene(const char *path, bool create, double time,
                            struct gz_scene_state *state)
{
    return open_recording(path, create, time, GZ_RECORD_THIN, state);
}

struct gz_store *open_only(const char *path, bool create, double time)
{
    struct gz_scene_state state;
    struct gz_store *store = open_scene(path, create, time, &state);
    gz_scene_state_finish(&state);
    return store;
}

struct gz_store *open_new(void **directory, const char **path)
{
    struct gz_scene_state state;
    *path = in_directory(directory, "a.db");
    struct gz_store *store = open_scene(*path, true, START_TIME, &state);
    assert_int_equal(state.node_count + state.edit_count, 0);
    assert_int_equal(state.note_count + state.checkpoint_count + state.access_count, 0);
    assert_int_equal(state.next_note, 1);
    gz_scene_state_finish(&state);
    return store;
}

void vouch_for(const char *path)
{
    gz_clean_mark_open(path, 0, GZ_COUNTER_MAX); /* with a log */
    gz_clean_mark_turn(path);                    /* with a journal */
    gz_clean_mark_close(path, GZ_CLEAN_MARK_CLOSED, "");
}

struct gz_store *open_recording(const char *path, bool create, double time,
                                enum gz_recorded recorded, struct gz_scene_state *state)
{
    struct gz_store *store;
    struct gz_error error = {0};
    struct gz_store_options options = {
        .path = path, .create = create, .time = time, .recorded = recorded};
    vouch_for(path);
    enum gz_status status = gz_store_open(&store, &options, state, &error);
    if (status != GZ_OK) fail_msg("open: %s", error.message);
    if (state->read_only[0] != '\0') fail_msg("open: %s", state->read_only);
    assert_int_equal(gz_store_start(store, &error), GZ_OK);
    return store;
}

void make_empty_scene(const char *path)
{
    sqlite3 *db;
    struct gz_error error;
    int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE;
    enum gz_status status = gz_db_open(path, flags, &db, &error);
    if (status == GZ_OK) status = gz_db_make(db, &error);
    if (status != GZ_OK) fail_msg("%s", error.message);
    sqlite3_close(db);
    vouch_for(path);
}

struct gz_batch *wait_for(struct gz_store *store, enum gz_status *status, struct gz_error *error)
{
    struct gz_batch *batch;
    while ((batch = gz_store_take(store, status, error)) == NULL) usleep(100);
    return batch;
}

void add_asset(struct gz_batch *batch, uint64_t first, uint64_t seq, const void *bytes, size_t size)
{
    struct gz_asset_record *asset =
        gz_arena_add(&batch->arena, &batch->assets, &batch->asset_count, sizeof *asset);
    assert_non_null(asset);
    *asset = (struct gz_asset_record){
        .first = first, .count = 1, .seq = seq, .bytes = bytes, .size = size};
    snprintf(asset->sha256, sizeof asset->sha256, "%064llx", (unsigned long long)first);
}

void commit(struct gz_store *store, struct gz_batch *batch)
{
    enum gz_status status;
    struct gz_error error;
    gz_store_submit(store, batch);
    assert_ptr_equal(wait_for(store, &status, &error), batch);
    if (status != GZ_OK) fail_msg("commit: %s", error.message);
    gz_batch_destroy(batch);
}

bool knows_key(struct gz_store *store, const char *user, const char *key, struct gz_arena *arena,
               struct gz_edit_record *edit)
{
    assert_int_equal(gz_store_find_key(store, user, key, arena, edit), GZ_OK);
    return edit->id != 0;
}

bool knows_note_key(struct gz_store *store, const char *user, const char *key, uint64_t *note)
{
    assert_int_equal(gz_store_find_note_key(store, user, key, note), GZ_OK);
    return *note != 0;
}

int64_t ask(const char *path, const char *sql)
{
    sqlite3 *db;
    sqlite3_stmt *row;
    assert_int_equal(sqlite3_open_v2(path, &db, SQLITE_OPEN_READONLY, NULL), SQLITE_OK);
    if (sqlite3_prepare_v2(db, sql, -1, &row, NULL) != SQLITE_OK)
        fail_msg("%s: %s", sql, sqlite3_errmsg(db));
    assert_int_equal(sqlite3_step(row), SQLITE_ROW);
    int64_t value = sqlite3_column_int64(row, 0);
    sqlite3_finalize(row);
    sqlite3_close(db);
    return value;
}

void tell(const char *path, const char *sql)
{
    sqlite3 *db;
    assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
    if (sqlite3_exec(db, sql, NULL, NULL, NULL) != SQLITE_OK)
        fail_msg("%s: %s", sql, sqlite3_errmsg(db));
    sqlite3_close(db);
}

struct gz_content some_content(uint64_t parent, const char *name, double x)
{
    struct gz_content content = {
        .parent = parent, .name = name, .trs = gz_trs_identity, .asset = -1};
    content.trs.t.x = x;
    return content;
}

void assert_same_content(const struct gz_content *a, const struct gz_content *b)
{
    assert_int_equal(a->parent, b->parent);
    assert_string_equal(a->name, b->name);
    assert_memory_equal(&a->trs, &b->trs, sizeof a->trs);
    assert_int_equal(a->has_bounds, b->has_bounds);
    if (a->has_bounds) assert_memory_equal(&a->bounds, &b->bounds, sizeof a->bounds);
    assert_int_equal(a->asset, b->asset);
}

static void assert_same_text(const char *a, const char *b)
{
    assert_int_equal(a == NULL, b == NULL);
    if (a != NULL) assert_string_equal(a, b);
}

void assert_same_edit(const struct gz_edit_record *a, const struct gz_edit_record *b)
{
    assert_int_equal(a->id, b->id);
    assert_int_equal(a->kind, b->kind);
    assert_int_equal(a->handle, b->handle);
    assert_int_equal(a->session, b->session);
    assert_same_text(a->user, b->user);
    assert_same_text(a->key, b->key);
    assert_int_equal(a->target, b->target);
    assert_true(a->began == b->began && a->ended == b->ended && a->residual == b->residual);
    assert_int_equal(a->value_count, b->value_count);
    assert_memory_equal(a->value, b->value, a->value_count * sizeof *a->value);
    assert_int_equal(a->began_seq, b->began_seq);
    assert_int_equal(a->seq, b->seq);
    assert_int_equal(a->change_count, b->change_count);
    for (size_t i = 0; i < a->change_count; i++) {
        const struct gz_change *x = &a->changes[i], *y = &b->changes[i];
        assert_int_equal(x->node, y->node);
        assert_int_equal(x->existed, y->existed);
        assert_int_equal(x->exists, y->exists);
        if (x->existed) assert_same_content(&x->before, &y->before);
        if (x->exists) assert_same_content(&x->after, &y->after);
    }
}
