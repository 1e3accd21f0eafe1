#include <stdlib.h>

#include "server/maxima.h"
#include "store/internal.h"
#include "store/rows.h"

static enum gz_status fail_memory(struct gz_error *error)
{
    return gz_fail(error, GZ_NO_MEMORY, "no memory for the scene");
}

/* The next row: true for one; at the end, or with an error in `status`, the statement is finalized
 * and the answer false. */
static bool next_row(sqlite3 *db, sqlite3_stmt *rows, enum gz_status *status,
                     struct gz_error *error)
{
    int rc = *status == GZ_OK ? sqlite3_step(rows) : SQLITE_DONE;
    if (rc == SQLITE_ROW) return true;
    if (rc != SQLITE_DONE) *status = gz_db_fail(db, rc, error, "reading the scene");
    sqlite3_finalize(rows);
    return false;
}

static enum gz_status load_scene(sqlite3 *db, struct gz_scene_state *state, struct gz_error *error)
{
    sqlite3_stmt *rows;
    enum gz_status status =
        gz_db_prepare(db,
                      "SELECT seq, next_node, next_edit, (SELECT max(seq) FROM assets), max(time,"
                      " coalesce((SELECT max(ended) FROM edits), time), coalesce((SELECT "
                      "max(changed) FROM notes), time),"
                      " coalesce((SELECT max(made) FROM checkpoints), time)) FROM scene",
                      &rows, error);
    if (status != GZ_OK) return status;
    while (next_row(db, rows, &status, error)) {
        state->seq = (uint64_t)sqlite3_column_int64(rows, 0);
        state->next_node = (uint64_t)sqlite3_column_int64(rows, 1);
        state->next_edit = (uint64_t)sqlite3_column_int64(rows, 2);
        state->asset_seq = (uint64_t)sqlite3_column_int64(rows, 3);
        state->time = sqlite3_column_double(rows, 4);
    }
    return status;
}

/* What was saved when an epoch ended is where the next one began. */
static enum gz_status load_epochs(sqlite3 *db, struct gz_scene_state *state, struct gz_error *error)
{
    sqlite3_stmt *rows;
    struct gz_epoch_record *epochs = gz_arena_take(&state->arena, GZ_EPOCHS_MAX, sizeof *epochs);
    if (epochs == NULL) return fail_memory(error);
    state->epochs = epochs;
    enum gz_status status = gz_db_prepare(
        db,
        "SELECT epoch, ended_seq FROM"
        " (SELECT epoch, lead(began_seq) OVER (ORDER BY epoch) AS ended_seq FROM epochs)"
        " WHERE ended_seq IS NOT NULL ORDER BY epoch DESC LIMIT ?",
        &rows, error);
    if (status != GZ_OK) return status;
    sqlite3_bind_int(rows, 1, GZ_EPOCHS_MAX);
    while (next_row(db, rows, &status, error))
        epochs[state->epoch_count++] =
            (struct gz_epoch_record){.epoch = (uint64_t)sqlite3_column_int64(rows, 0),
                                     .seq_last = (uint64_t)sqlite3_column_int64(rows, 1)};
    for (size_t i = 0; i < state->epoch_count / 2; i++) {
        struct gz_epoch_record swap = epochs[i];
        epochs[i] = epochs[state->epoch_count - 1 - i];
        epochs[state->epoch_count - 1 - i] = swap;
    }
    return status;
}

static enum gz_status read_nodes(sqlite3 *db, sqlite3_stmt *rows, struct gz_scene_state *state,
                                 struct gz_node_list *list, struct gz_error *error)
{
    enum gz_status status = GZ_OK;
    while (next_row(db, rows, &status, error)) {
        struct gz_node_record *node = gz_node_list_add(list);
        if (node == NULL || gz_read_content(rows, 3, &state->arena, &node->content) != GZ_OK) {
            status = fail_memory(error);
            continue;
        }
        node->id = (uint64_t)sqlite3_column_int64(rows, 0);
        node->seq = (uint64_t)sqlite3_column_int64(rows, 1);
        node->gone = sqlite3_column_type(rows, 2) != SQLITE_NULL;
    }
    return status;
}

static enum gz_status load_alive(sqlite3 *db, struct gz_scene_state *state,
                                 struct gz_node_list *list, struct gz_error *error)
{
    sqlite3_stmt *rows;
    enum gz_status status =
        gz_db_prepare(db,
                      "SELECT id, seq, deleted_seq, " GZ_CONTENT_COLUMNS(
                          "") " FROM nodes WHERE deleted_seq IS NULL ORDER BY id",
                      &rows, error);
    if (status == GZ_OK) status = read_nodes(db, rows, state, list, error);
    struct gz_node_record *ordered;
    if (status == GZ_OK)
        status = gz_parents_first(list->nodes, list->count, &state->arena, &ordered, error);
    for (size_t i = 0; status == GZ_OK && i < list->count; i++) list->nodes[i] = ordered[i];
    return status;
}

static enum gz_status load_gone(sqlite3 *db, struct gz_scene_state *state,
                                struct gz_node_list *list, struct gz_error *error)
{
    sqlite3_stmt *rows;
    enum gz_status status =
        gz_db_prepare(db,
                      "SELECT deleted_seq FROM nodes WHERE deleted_seq IS NOT NULL"
                      " ORDER BY deleted_seq DESC LIMIT 1 OFFSET ?",
                      &rows, error);
    if (status != GZ_OK) return status;
    sqlite3_bind_int(rows, 1, GZ_TOMBSTONES_MAX);
    while (next_row(db, rows, &status, error))
        state->tombstones_from = (uint64_t)sqlite3_column_int64(rows, 0);
    if (status == GZ_OK)
        status = gz_db_prepare(db,
                               "SELECT id, seq, deleted_seq, " GZ_CONTENT_COLUMNS(
                                   "") " FROM nodes WHERE deleted_seq > ? ORDER BY deleted_seq",
                               &rows, error);
    if (status != GZ_OK) return status;
    sqlite3_bind_int64(rows, 1, (sqlite3_int64)state->tombstones_from);
    return read_nodes(db, rows, state, list, error);
}

static enum gz_status load_nodes(sqlite3 *db, struct gz_scene_state *state, struct gz_error *error)
{
    struct gz_node_list list = {0};
    enum gz_status status = load_alive(db, state, &list, error);
    if (status == GZ_OK) status = load_gone(db, state, &list, error);
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

/* How many of the latest edits fit what is remembered for undo. */
static enum gz_status count_edits(sqlite3 *db, size_t *count, struct gz_error *error)
{
    sqlite3_stmt *rows;
    enum gz_status status = gz_db_prepare(
        db,
        "SELECT (SELECT count(*) FROM changes c WHERE c.edit = e.id)"
        " FROM edits e WHERE e.seq IS NOT NULL ORDER BY e.seq DESC, e.id DESC LIMIT ?",
        &rows, error);
    if (status != GZ_OK) return status;
    sqlite3_bind_int(rows, 1, GZ_UNDO_EDITS_MAX);
    sqlite3_int64 changes = 0;
    *count = 0;
    while (next_row(db, rows, &status, error)) {
        changes += sqlite3_column_int64(rows, 0);
        if (changes <= GZ_UNDO_CHANGES_MAX) (*count)++;
    }
    return status;
}

static enum gz_status load_edits(sqlite3 *db, struct gz_scene_state *state, struct gz_error *error)
{
    size_t count;
    sqlite3_stmt *rows, *changes;
    enum gz_status status = count_edits(db, &count, error);
    if (status != GZ_OK) return status;
    struct gz_edit_record *edits = gz_arena_take(&state->arena, count, sizeof *edits);
    if (edits == NULL) return fail_memory(error);
    status = gz_db_prepare(db,
                           "SELECT " GZ_EDIT_COLUMNS " FROM edits e WHERE e.seq IS NOT NULL"
                           " ORDER BY e.seq DESC, e.id DESC LIMIT ?",
                           &rows, error);
    if (status != GZ_OK) return status;
    sqlite3_bind_int64(rows, 1, (sqlite3_int64)count);
    status = gz_db_prepare(db, GZ_EDIT_CHANGES_SQL, &changes, error);
    /* They come newest first and are wanted oldest first: the list is filled from its end. */
    while (next_row(db, rows, &status, error)) {
        state->edit_count++;
        state->edits = edits + count - state->edit_count;
        status =
            gz_read_edit(rows, changes, &state->arena, &edits[count - state->edit_count], error);
    }
    sqlite3_finalize(changes);
    return status;
}

static enum gz_status read_note(sqlite3_stmt *row, struct gz_arena *arena,
                                struct gz_note_record *note, struct gz_error *error)
{
    *note = (struct gz_note_record){
        .id = (uint64_t)sqlite3_column_int64(row, 0),
        .user = gz_read_text(row, 1, arena),
        .text = gz_read_text(row, 2, arena),
        .node = (uint64_t)sqlite3_column_int64(row, 3),
        .has_point = sqlite3_column_type(row, 4) != SQLITE_NULL,
        .point = gz_read_vec3(row, 4),
        .reply = (uint64_t)sqlite3_column_int64(row, 7),
        .done = sqlite3_column_int(row, 8) != 0,
        .made = sqlite3_column_double(row, 9),
        .changed = sqlite3_column_double(row, 10),
        .by = gz_read_text(row, 11, arena),
    };
    return note->user != NULL && note->text != NULL && note->by != NULL ? GZ_OK
                                                                        : fail_memory(error);
}

static enum gz_status load_notes(sqlite3 *db, struct gz_scene_state *state, struct gz_error *error)
{
    int64_t count = 0, last = 0;
    enum gz_status status =
        gz_db_integer(db, "SELECT count(*) FROM notes WHERE gone IS NULL", &count, error);
    if (status == GZ_OK) status = gz_db_integer(db, "SELECT max(id) FROM notes", &last, error);
    if (status != GZ_OK) return status;
    state->next_note = (uint64_t)last + 1;
    struct gz_note_record *notes = gz_arena_take(&state->arena, (size_t)count, sizeof *notes);
    if (notes == NULL) return fail_memory(error);
    state->notes = notes;
    sqlite3_stmt *rows;
    status =
        gz_db_prepare(db,
                      "SELECT id, user, text, node, x, y, z, reply, done, made, changed, changed_by"
                      " FROM notes WHERE gone IS NULL ORDER BY id",
                      &rows, error);
    if (status != GZ_OK) return status;
    while (next_row(db, rows, &status, error))
        status = read_note(rows, &state->arena, &notes[state->note_count++], error);
    return status;
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
    return checkpoint->name != NULL && checkpoint->user != NULL ? GZ_OK : fail_memory(error);
}

static enum gz_status load_checkpoints(sqlite3 *db, struct gz_scene_state *state,
                                       struct gz_error *error)
{
    int64_t count = 0;
    enum gz_status status = gz_db_integer(db, "SELECT count(*) FROM checkpoints", &count, error);
    if (status != GZ_OK) return status;
    struct gz_checkpoint_record *checkpoints =
        gz_arena_take(&state->arena, (size_t)count, sizeof *checkpoints);
    if (checkpoints == NULL) return fail_memory(error);
    state->checkpoints = checkpoints;
    sqlite3_stmt *rows;
    status = gz_db_prepare(db, "SELECT name, seq, user, made FROM checkpoints ORDER BY seq, made",
                           &rows, error);
    if (status != GZ_OK) return status;
    while (next_row(db, rows, &status, error))
        status =
            read_checkpoint(rows, &state->arena, &checkpoints[state->checkpoint_count++], error);
    return status;
}

static enum gz_status load_all(sqlite3 *db, struct gz_scene_state *state, struct gz_error *error)
{
    enum gz_status status = load_scene(db, state, error);
    if (status == GZ_OK) status = load_epochs(db, state, error);
    if (status == GZ_OK) status = load_nodes(db, state, error);
    if (status == GZ_OK) status = load_edits(db, state, error);
    if (status == GZ_OK) status = load_notes(db, state, error);
    if (status == GZ_OK) status = load_checkpoints(db, state, error);
    return status;
}

enum gz_status gz_load(sqlite3 *db, uint64_t epoch, struct gz_scene_state *state,
                       struct gz_error *error)
{
    *state = (struct gz_scene_state){.epoch = epoch};
    gz_arena_init(&state->arena, GZ_STATE_BYTES_MAX);
    enum gz_status status = gz_db_exec(db, "BEGIN", error);
    if (status != GZ_OK) return status;
    status = load_all(db, state, error);
    enum gz_status ended = gz_db_exec(db, "COMMIT", status == GZ_OK ? error : NULL);
    return status != GZ_OK ? status : ended;
}
