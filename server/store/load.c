/* load.c - a scene from its file: what a crash left open is ended, and everything is read. */
#include <stdlib.h>
#include <string.h>

#include "proto/base/wire_vocabulary.h"
#include "server/maxima.h"
#include "store/parts.h"
#include "store/rows.h"

/* ---- what a crash left open ---- */

/* When a file is opened, closes drags and sessions that a crash left open, and begins
 * an epoch. */

/* Writes the row of the scene; one that was never opened has none yet. */
static int write_scene(sqlite3 *db, double time)
{
    struct gz_ask ask = gz_ask_prepare(db, gz_sql_recover[GZ_SQL_RECOVER_SCENE]);
    gz_bind_real(&ask, time);
    gz_bind_real(&ask, time);
    gz_bind_text(&ask, "gizmod " GIZMOD_VERSION);
    return gz_ask_run(&ask);
}

/* Epochs are numbered by the clock, so that a file that was restored from a backup does not reuse a
 * number that clients have seen. */
static int write_epoch(sqlite3 *db, double time, uint64_t epoch)
{
    struct gz_ask ask = gz_ask_prepare(db, gz_sql_recover[GZ_SQL_RECOVER_EPOCH]);
    gz_bind_integer(&ask, epoch);
    gz_bind_real(&ask, time);
    gz_bind_text(&ask, "gizmod " GIZMOD_VERSION);
    return gz_ask_run(&ask);
}

enum gz_status gz_find_epoch(sqlite3 *db, double time, uint64_t *epoch, struct gz_error *error)
{
    int64_t last;
    enum gz_status status =
        gz_db_integer(db, gz_sql_recover[GZ_SQL_RECOVER_LAST_EPOCH], &last, error);
    if (status == GZ_OK && (last < 0 || last > (int64_t)GZ_COUNTER_MAX))
        status = gz_row_fail(error, "epochs", last, "the epoch is invalid");
    if (status != GZ_OK) return status;
    double clock = time * 1000;
    *epoch = (uint64_t)last + 1;
    if (clock > (double)*epoch && clock < (double)GZ_ID_LIMIT) *epoch = (uint64_t)clock;
    return GZ_OK;
}

static enum gz_status recover(sqlite3 *db, double time, bool has_hook, uint64_t *epoch,
                              struct gz_error *error)
{
    int64_t unsampled;
    enum gz_status status = gz_find_epoch(db, time, epoch, error);
    if (status == GZ_OK)
        status = gz_db_integer(db, gz_sql_recover[GZ_SQL_RECOVER_UNSAMPLED], &unsampled, error);
    if (status != GZ_OK) return status;
    int rc = write_scene(db, time);
    if (rc == SQLITE_OK && has_hook)
        rc = sqlite3_exec(db, gz_sql_recover[GZ_SQL_RECOVER_TOLD], NULL, NULL, NULL);
    if (rc == SQLITE_OK) rc = write_epoch(db, time, *epoch);
    if (rc == SQLITE_OK)
        rc = sqlite3_exec(db, gz_sql_recover[GZ_SQL_RECOVER_CLOSE_OPEN], NULL, NULL, NULL);
    if (rc == SQLITE_OK && unsampled > 0)
        rc = sqlite3_exec(db, gz_sql_recover[GZ_SQL_RECOVER_RENEW], NULL, NULL, NULL);
    return rc == SQLITE_OK ? GZ_OK : gz_db_fail(db, rc, error, "recovery");
}

enum gz_status gz_recover(sqlite3 *db, double time, bool has_hook, struct gz_shipper *shipper,
                          uint64_t *epoch, struct gz_error *error)
{
    enum gz_status status = gz_db_exec(db, "BEGIN IMMEDIATE", error);
    int rc = status == GZ_OK ? gz_shipper_begin(shipper) : SQLITE_OK;
    if (rc != SQLITE_OK) status = gz_db_fail(NULL, rc, error, "recovery");
    if (status == GZ_OK) status = recover(db, time, has_hook, epoch, error);
    if (status == GZ_OK) status = gz_shipper_append(shipper, error);
    if (status == GZ_OK) status = gz_db_exec(db, "COMMIT", error);
    if (status != GZ_OK && !sqlite3_get_autocommit(db))
        sqlite3_exec(db, "ROLLBACK", NULL, NULL, NULL);
    gz_shipper_end(shipper, status == GZ_OK);
    return status;
}

/* ---- all of a file ---- */

/* Reads a scene from its file into the state that a core begins with. */

static enum gz_status fail_memory(struct gz_error *error)
{
    return gz_fail(error, GZ_NO_MEMORY, "no memory for the scene");
}

static const char reading[] = "reading the scene";

static const char *scene_fault(sqlite3_stmt *row)
{
    if (gz_counter_fault(row, 0, 0) != NULL) return "seq is invalid";
    if (gz_counter_fault(row, 1, 0) != NULL) return "next_node is invalid";
    if (gz_counter_fault(row, 2, 0) != NULL) return "next_edit is invalid";
    return gz_time_fault(row, 3) == NULL ? NULL : "the latest time is invalid";
}

static enum gz_status load_scene(sqlite3 *db, struct gz_scene_state *state, struct gz_error *error)
{
    struct gz_ask ask = gz_ask_prepare(db, gz_sql_load[GZ_SQL_LOAD_SCENE]);
    enum gz_status status = GZ_OK;
    if (gz_ask_row(&ask)) {
        const char *fault = scene_fault(ask.statement);
        if (fault != NULL) status = gz_row_fail(error, "scene", 1, fault);
        state->seq = (uint64_t)sqlite3_column_int64(ask.statement, 0);
        state->next_node = (uint64_t)sqlite3_column_int64(ask.statement, 1);
        state->next_edit = (uint64_t)sqlite3_column_int64(ask.statement, 2);
        state->time = sqlite3_column_double(ask.statement, 3);
    }
    return gz_ask_end(&ask, status, error, reading);
}

static enum gz_status read_epoch(sqlite3_stmt *row, struct gz_epoch_record *epoch,
                                 struct gz_error *error)
{
    *epoch = (struct gz_epoch_record){.epoch = (uint64_t)sqlite3_column_int64(row, 0),
                                      .seq_last = (uint64_t)sqlite3_column_int64(row, 1)};
    if (gz_counter_fault(row, 0, 1) == NULL && gz_counter_fault(row, 1, 0) == NULL) return GZ_OK;
    return gz_row_fail(error, "epochs", (int64_t)epoch->epoch,
                       "the epoch or its last seq is invalid");
}

/* Rows come newest first and are wanted oldest first. */
static enum gz_status load_epochs(sqlite3 *db, struct gz_scene_state *state, struct gz_error *error)
{
    struct gz_epoch_record *epochs = gz_arena_take(&state->arena, GZ_EPOCHS_MAX, sizeof *epochs);
    if (epochs == NULL) return fail_memory(error);
    state->epochs = epochs;
    struct gz_ask ask = gz_ask_prepare(db, gz_sql_load[GZ_SQL_LOAD_EPOCHS]);
    enum gz_status status = GZ_OK;
    gz_bind_integer(&ask, GZ_EPOCHS_MAX);
    while (status == GZ_OK && state->epoch_count < GZ_EPOCHS_MAX && gz_ask_row(&ask))
        status = read_epoch(ask.statement, &epochs[state->epoch_count++], error);
    for (size_t i = 0; i < state->epoch_count / 2; i++) {
        struct gz_epoch_record swap = epochs[i];
        epochs[i] = epochs[state->epoch_count - 1 - i];
        epochs[state->epoch_count - 1 - i] = swap;
    }
    return gz_ask_end(&ask, status, error, reading);
}

/* `last` is the row before, or NULL: a damaged index may give a row twice. */
static const char *node_fault(sqlite3_stmt *row, const struct gz_scene_state *state,
                              const struct gz_node_record *node, const struct gz_node_record *last,
                              bool gone)
{
    if (node->id < 1 || node->id >= state->next_node) return "its id was never given out";
    if (node->seq < 1 || node->seq > state->seq) return "its seq was never given out";
    if (node->gone != gone || (gone && (uint64_t)sqlite3_column_int64(row, 2) != node->seq))
        return "deleted_seq is not its seq";
    if (last != NULL && (gone ? node->seq <= last->seq : node->id <= last->id))
        return "it is not in order";
    return gz_content_fault(row, 3, &node->content);
}

static enum gz_status read_node(sqlite3_stmt *row, struct gz_scene_state *state,
                                struct gz_node_list *list, size_t first, bool gone,
                                struct gz_error *error)
{
    struct gz_node_record *node = gz_node_list_add(list);
    if (node == NULL || gz_read_content(row, 3, &state->arena, &node->content) != GZ_OK)
        return fail_memory(error);
    node->id = (uint64_t)sqlite3_column_int64(row, 0);
    node->seq = (uint64_t)sqlite3_column_int64(row, 1);
    node->gone = sqlite3_column_type(row, 2) != SQLITE_NULL;
    const struct gz_node_record *last = list->count > first + 1 ? node - 1 : NULL;
    const char *fault = node_fault(row, state, node, last, gone);
    return fault == NULL ? GZ_OK : gz_row_fail(error, "nodes", (int64_t)node->id, fault);
}

/* Reads at most `most` nodes. */
static enum gz_status read_nodes(struct gz_ask *ask, struct gz_scene_state *state,
                                 struct gz_node_list *list, bool gone, size_t most,
                                 struct gz_error *error)
{
    enum gz_status status = GZ_OK;
    size_t first = list->count;
    while (status == GZ_OK && gz_ask_row(ask))
        status = list->count - first < most
                     ? read_node(ask->statement, state, list, first, gone, error)
                     : gz_fail(error, GZ_STORAGE, "the file has more than %zu %snodes", most,
                               gone ? "deleted " : "");
    return gz_ask_end(ask, status, error, reading);
}

static enum gz_status load_alive(sqlite3 *db, struct gz_scene_state *state,
                                 struct gz_node_list *list, struct gz_error *error)
{
    struct gz_ask ask = gz_ask_prepare(db, gz_sql_load[GZ_SQL_LOAD_ALIVE]);
    struct gz_node_record *ordered;
    enum gz_status status = read_nodes(&ask, state, list, false, GZ_NODES_MAX, error);
    if (status == GZ_OK)
        status = gz_parents_first(list->nodes, list->count, &state->arena, &ordered, error);
    for (size_t i = 0; status == GZ_OK && i < list->count; i++) list->nodes[i] = ordered[i];
    return status;
}

static enum gz_status load_deleted(sqlite3 *db, struct gz_scene_state *state,
                                   struct gz_node_list *list, struct gz_error *error)
{
    struct gz_ask ask = gz_ask_prepare(db, gz_sql_load[GZ_SQL_LOAD_TOMBSTONES_FROM]);
    gz_bind_integer(&ask, GZ_TOMBSTONES_MAX);
    if (gz_ask_row(&ask)) state->tombstones_from = (uint64_t)sqlite3_column_int64(ask.statement, 0);
    enum gz_status status = gz_ask_end(&ask, GZ_OK, error, reading);
    if (status != GZ_OK) return status;
    ask = gz_ask_prepare(db, gz_sql_load[GZ_SQL_LOAD_DELETED]);
    gz_bind_integer(&ask, state->tombstones_from);
    return read_nodes(&ask, state, list, true, GZ_TOMBSTONES_MAX, error);
}

static enum gz_status load_nodes(sqlite3 *db, struct gz_scene_state *state, bool deleted_too,
                                 struct gz_error *error)
{
    struct gz_node_list list = {0};
    enum gz_status status = load_alive(db, state, &list, error);
    if (status == GZ_OK && deleted_too) status = load_deleted(db, state, &list, error);
    if (status == GZ_OK) {
        struct gz_node_record *nodes = gz_arena_take(&state->arena, list.count, sizeof *nodes);
        if (nodes == NULL) status = fail_memory(error);
        for (size_t i = 0; status == GZ_OK && i < list.count; i++) nodes[i] = list.nodes[i];
        state->nodes = nodes;
        state->node_count = status == GZ_OK ? list.count : 0;
    }
    free(list.nodes);
    return status;
}

/* How many of the latest edits fit into the undo log. */
static enum gz_status count_edits(sqlite3 *db, size_t *count, struct gz_error *error)
{
    struct gz_ask ask = gz_ask_prepare(db, gz_sql_load[GZ_SQL_LOAD_CHANGE_COUNTS]);
    sqlite3_int64 changes = 0;
    *count = 0;
    gz_bind_integer(&ask, GZ_UNDO_EDITS_MAX);
    while (changes <= GZ_UNDO_CHANGES_MAX && gz_ask_row(&ask)) {
        changes += sqlite3_column_int64(ask.statement, 0);
        if (changes <= GZ_UNDO_CHANGES_MAX) (*count)++;
    }
    return gz_ask_end(&ask, GZ_OK, error, reading);
}

/* Rows come newest first and are wanted oldest first: the list is filled from its end. */
static enum gz_status read_edits(sqlite3 *db, size_t count, struct gz_edit_record *edits,
                                 struct gz_scene_state *state, struct gz_error *error)
{
    enum gz_status status = GZ_OK;
    struct gz_ask changes = gz_ask_prepare(db, gz_sql_rows[GZ_SQL_ROWS_CHANGES]);
    struct gz_ask ask = gz_ask_prepare(db, gz_sql_load[GZ_SQL_LOAD_EDITS]);
    gz_bind_integer(&ask, count);
    while (status == GZ_OK && changes.rc == SQLITE_OK && state->edit_count < count &&
           gz_ask_row(&ask)) {
        state->edit_count++;
        state->edits = edits + count - state->edit_count;
        status = gz_read_edit(ask.statement, changes.statement, 0, &state->arena,
                              &edits[count - state->edit_count], error);
    }
    status = gz_ask_end(&ask, status, error, reading);
    return gz_ask_end(&changes, status, error, reading);
}

static enum gz_status load_edits(sqlite3 *db, struct gz_scene_state *state, struct gz_error *error)
{
    size_t count;
    enum gz_status status = count_edits(db, &count, error);
    if (status != GZ_OK) return status;
    struct gz_edit_record *edits = gz_arena_take(&state->arena, count, sizeof *edits);
    return edits != NULL ? read_edits(db, count, edits, state, error) : fail_memory(error);
}

/* Refuses a table with too many rows. */
static enum gz_status count_rows(sqlite3 *db, enum gz_sql_load which, int64_t most,
                                 const char *what, int64_t *count, struct gz_error *error)
{
    enum gz_status status = gz_db_integer(db, gz_sql_load[which], count, error);
    if (status != GZ_OK || *count <= most) return status;
    return gz_fail(error, GZ_STORAGE, "the file has %lld %s, the most is %lld", (long long)*count,
                   what, (long long)most);
}

static enum gz_status load_notes(sqlite3 *db, struct gz_scene_state *state, struct gz_error *error)
{
    int64_t count = 0, last = 0;
    enum gz_status status =
        count_rows(db, GZ_SQL_LOAD_NOTE_COUNT, GZ_NOTES_MAX, "notes", &count, error);
    if (status == GZ_OK)
        status = gz_db_integer(db, gz_sql_load[GZ_SQL_LOAD_LAST_NOTE], &last, error);
    if (status == GZ_OK && (last < 0 || last > (int64_t)GZ_COUNTER_MAX))
        status = gz_row_fail(error, "notes", last, "its id is invalid");
    if (status != GZ_OK) return status;
    state->next_note = (uint64_t)last + 1;
    struct gz_note_record *notes = gz_arena_take(&state->arena, (size_t)count, sizeof *notes);
    if (notes == NULL) return fail_memory(error);
    state->notes = notes;
    struct gz_ask ask = gz_ask_prepare(db, gz_sql_load[GZ_SQL_LOAD_NOTES]);
    while (status == GZ_OK && state->note_count < (size_t)count && gz_ask_row(&ask))
        status = gz_read_note(ask.statement, 0, &state->arena, &notes[state->note_count++], error);
    return gz_ask_end(&ask, status, error, reading);
}

static enum gz_status read_checkpoint(sqlite3_stmt *row, struct gz_arena *arena,
                                      struct gz_checkpoint_record *checkpoint,
                                      struct gz_error *error)
{
    *checkpoint = (struct gz_checkpoint_record){
        .name = gz_read_text(row, 0, arena),
        .user = gz_read_text(row, 2, arena),
        .seq = (uint64_t)sqlite3_column_int64(row, 1),
        .made = sqlite3_column_double(row, 3),
    };
    if (gz_text_fault(row, 0, GZ_CHECKPOINT_BYTES_MAX) != NULL ||
        gz_text_fault(row, 2, GZ_USER_BYTES_MAX) != NULL || gz_counter_fault(row, 1, 0) != NULL)
        return gz_fail(error, GZ_STORAGE,
                       "the file is damaged: checkpoint %.40s: its name, seq "
                       "or user is invalid",
                       checkpoint->name != NULL ? checkpoint->name : "");
    return checkpoint->name != NULL && checkpoint->user != NULL ? GZ_OK : fail_memory(error);
}

static enum gz_status load_checkpoints(sqlite3 *db, struct gz_scene_state *state,
                                       struct gz_error *error)
{
    int64_t count = 0;
    enum gz_status status = count_rows(db, GZ_SQL_LOAD_CHECKPOINT_COUNT, GZ_CHECKPOINTS_MAX,
                                       "checkpoints", &count, error);
    if (status != GZ_OK) return status;
    struct gz_checkpoint_record *checkpoints =
        gz_arena_take(&state->arena, (size_t)count, sizeof *checkpoints);
    if (checkpoints == NULL) return fail_memory(error);
    state->checkpoints = checkpoints;
    struct gz_ask ask = gz_ask_prepare(db, gz_sql_load[GZ_SQL_LOAD_CHECKPOINTS]);
    while (status == GZ_OK && state->checkpoint_count < (size_t)count && gz_ask_row(&ask))
        status = read_checkpoint(ask.statement, &state->arena,
                                 &checkpoints[state->checkpoint_count++], error);
    return gz_ask_end(&ask, status, error, reading);
}

static enum gz_status read_access(sqlite3_stmt *row, struct gz_arena *arena,
                                  struct gz_access_record *access, struct gz_error *error)
{
    const char *role = (const char *)sqlite3_column_text(row, 1);
    if (gz_text_fault(row, 0, GZ_GLOB_BYTES_MAX) != NULL ||
        gz_text_fault(row, 2, GZ_USER_BYTES_MAX) != NULL)
        return gz_fail(error, GZ_STORAGE,
                       "the file is damaged: access_changes: a glob or user is empty or too long");
    if (role == NULL) return fail_memory(error);
    int value = gz_vocabulary_value(&gz_role_words, role, strlen(role));
    if (value < 0)
        return gz_fail(error, GZ_STORAGE, "%s: access_changes.role: there is no role %.20s",
                       reading, role);
    *access = (struct gz_access_record){
        .glob = gz_read_text(row, 0, arena),
        .role = (enum gz_role)value,
        .user = gz_read_text(row, 2, arena),
        .made = sqlite3_column_double(row, 3),
    };
    return access->glob != NULL && access->user != NULL ? GZ_OK : fail_memory(error);
}

static enum gz_status load_access(sqlite3 *db, struct gz_scene_state *state, struct gz_error *error)
{
    int64_t count = 0;
    enum gz_status status = count_rows(db, GZ_SQL_LOAD_ACCESS_COUNT, GZ_ACCESS_MAX,
                                       "patterns of access", &count, error);
    if (status != GZ_OK) return status;
    struct gz_access_record *access = gz_arena_take(&state->arena, (size_t)count, sizeof *access);
    if (access == NULL) return fail_memory(error);
    state->access = access;
    struct gz_ask ask = gz_ask_prepare(db, gz_sql_load[GZ_SQL_LOAD_ACCESS]);
    while (status == GZ_OK && state->access_count < (size_t)count && gz_ask_row(&ask))
        status = read_access(ask.statement, &state->arena, &access[state->access_count++], error);
    return gz_ask_end(&ask, status, error, reading);
}

static enum gz_status read_asset(sqlite3_stmt *row, uint64_t next, struct gz_asset_record *asset,
                                 struct gz_error *error)
{
    const char *fault = gz_read_asset(row, asset);
    asset->size = (size_t)sqlite3_column_int64(row, 4);
    if (fault == NULL && asset->first < next) fault = "first is a number of another file";
    return fault == NULL ? GZ_OK
                         : gz_row_fail(error, "assets", sqlite3_column_int64(row, 0), fault);
}

enum gz_status gz_load_assets(sqlite3 *db, struct gz_scene_state *state, struct gz_error *error)
{
    int64_t count = 0;
    enum gz_status status =
        count_rows(db, GZ_SQL_LOAD_ASSET_COUNT, GZ_ASSETS_MAX, "assets", &count, error);
    if (status != GZ_OK) return status;
    struct gz_asset_record *assets = gz_arena_take(&state->arena, (size_t)count, sizeof *assets);
    if (assets == NULL) return fail_memory(error);
    state->assets = assets;
    uint64_t next = 0;
    struct gz_ask ask = gz_ask_prepare(db, gz_sql_load[GZ_SQL_LOAD_ASSETS]);
    while (status == GZ_OK && state->asset_count < (size_t)count && gz_ask_row(&ask)) {
        struct gz_asset_record *asset = &assets[state->asset_count++];
        status = read_asset(ask.statement, next, asset, error);
        next = asset->first + asset->count;
    }
    return gz_ask_end(&ask, status, error, reading);
}

static enum gz_status load_all(sqlite3 *db, struct gz_scene_state *state, struct gz_error *error)
{
    enum gz_status status = load_scene(db, state, error);
    if (status == GZ_OK) status = load_epochs(db, state, error);
    if (status == GZ_OK) status = load_nodes(db, state, true, error);
    if (status == GZ_OK) status = load_edits(db, state, error);
    if (status == GZ_OK) status = load_notes(db, state, error);
    if (status == GZ_OK) status = load_checkpoints(db, state, error);
    if (status == GZ_OK) status = load_access(db, state, error);
    if (status == GZ_OK) status = gz_load_assets(db, state, error);
    return status;
}

enum gz_status gz_load(sqlite3 *db, uint64_t epoch, struct gz_scene_state *state,
                       struct gz_error *error)
{
    state->epoch = epoch;
    gz_arena_init(&state->arena, GZ_STATE_BYTES_MAX);
    if (!sqlite3_get_autocommit(db)) return load_all(db, state, error);
    enum gz_status status = gz_db_exec(db, "BEGIN", error);
    if (status != GZ_OK) return status;
    status = load_all(db, state, error);
    enum gz_status ended = gz_db_exec(db, "COMMIT", status == GZ_OK ? error : NULL);
    return status != GZ_OK ? status : ended;
}

enum gz_status gz_load_present(sqlite3 *db, struct gz_scene_state *state, struct gz_error *error)
{
    gz_arena_init(&state->arena, GZ_STATE_BYTES_MAX);
    enum gz_status status = load_scene(db, state, error);
    if (status == GZ_OK) status = gz_load_assets(db, state, error);
    return status == GZ_OK ? load_nodes(db, state, false, error) : status;
}
