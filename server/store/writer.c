/* writer.c - writes the records of batches into the tables. The statements are in
 * sql/writer.sql. */
#include "store/writer.h"

#include <assert.h>
#include <errno.h>
#include <math.h>
#include <string.h>

#include "server/maxima.h"
#include "store/database.h"
#include "store/rows.h"

/* Milliseconds between two tries to get past another program's lock. */
#define BUSY_STEP_MS 10
#define AS_TEXT(number) #number
#define TEXT_OF(number) AS_TEXT(number)

/* SQLite's busy handler: another program has the file locked. Only a batch waits for it, and not
 * while the store is being closed. */
static int handle_busy(void *context, int count)
{
    const struct gz_writer *writer = context;
    if (!writer->is_waiting || atomic_load(&writer->is_ending) ||
        count >= GZ_LOCK_SECONDS_MAX * 1000 / BUSY_STEP_MS)
        return 0;
    sqlite3_sleep(BUSY_STEP_MS);
    return 1;
}

static int handle_wal(void *context, sqlite3 *db, const char *name, int pages)
{
    (void)db;
    (void)name;
    struct gz_writer *writer = context;
    writer->wal_pages = pages;
    return SQLITE_OK;
}

enum gz_status gz_writer_init(struct gz_writer *writer, struct gz_shipper *shipper,
                              const char *wal_path, uint64_t epoch, enum gz_recorded recorded,
                              struct gz_error *error)
{
    sqlite3 *db = shipper->db;
    *writer = (struct gz_writer){.epoch = epoch, .recorded = recorded};
    if (!gz_named_file_init(&writer->checkpointer.file, sqlite3_db_filename(db, "main")) ||
        !gz_named_file_init(&writer->checkpointer.log, wal_path))
        return gz_fail(error, GZ_STORAGE, "%s: %s", gz_db_file_name(wal_path), strerror(errno));
    enum gz_status status =
        gz_db_prepare_all(db, gz_sql_writer, GZ_SQL_WRITER_COUNT, writer->statements, error);
    if (status != GZ_OK) {
        gz_writer_finish(writer);
        return status;
    }
    writer->db = db;
    writer->shipper = shipper;
    gz_wal_file_init(&writer->wal_file, db);
    sqlite3_wal_hook(db, handle_wal, writer);
    sqlite3_busy_handler(db, handle_busy, writer);
    return GZ_OK;
}

void gz_writer_finish(struct gz_writer *writer)
{
    gz_checkpointer_finish(&writer->checkpointer);
    for (int i = 0; i < GZ_SQL_WRITER_COUNT; i++) sqlite3_finalize(writer->statements[i]);
    if (writer->shipper != NULL) gz_shipper_finish(writer->shipper);
    gz_wal_file_finish(&writer->wal_file);
    sqlite3_close(writer->db);
    gz_paths_finish(&writer->paths);
    *writer = (struct gz_writer){0};
}

static struct gz_ask start(struct gz_writer *writer, enum gz_sql_writer what)
{
    return gz_ask_begin(writer->statements[what]);
}

static int run(struct gz_writer *writer, enum gz_sql_writer what)
{
    struct gz_ask ask = start(writer, what);
    return gz_ask_run(&ask);
}

static int run_for(struct gz_writer *writer, enum gz_sql_writer what, uint64_t edit)
{
    struct gz_ask ask = start(writer, what);
    gz_bind_integer(&ask, edit);
    return gz_ask_run(&ask);
}

static int read_kept_since(struct gz_writer *writer, uint64_t *seq)
{
    struct gz_ask ask = start(writer, GZ_SQL_WRITER_KEPT_SINCE);
    if (gz_ask_row(&ask)) *seq = (uint64_t)sqlite3_column_int64(ask.statement, 0);
    bool is_damaged = ask.rc == SQLITE_DONE;
    int rc = gz_ask_finish(&ask);
    return is_damaged ? SQLITE_CORRUPT : rc;
}

static int write_scene(struct gz_writer *writer, const struct gz_batch *batch)
{
    struct gz_ask ask = start(writer, GZ_SQL_WRITER_SCENE);
    gz_bind_integer(&ask, batch->seq);
    gz_bind_real(&ask, batch->time);
    gz_bind_integer(&ask, batch->next_node);
    gz_bind_integer(&ask, batch->next_edit);
    return gz_ask_run(&ask);
}

static int write_told(struct gz_writer *writer)
{
    struct gz_ask ask = start(writer, GZ_SQL_WRITER_TOLD);
    gz_bind_integer(&ask, writer->told.seq);
    gz_bind_integer(&ask, writer->told.news);
    return gz_ask_run(&ask);
}

/* Of a note, or of a checkpoint; the other one is NULL. */
static int write_news(struct gz_writer *writer, uint64_t seq, const struct gz_note_record *note,
                      const struct gz_checkpoint_record *checkpoint)
{
    struct gz_ask ask = start(writer, GZ_SQL_WRITER_NEWS);
    gz_bind_integer(&ask, writer->epoch);
    gz_bind_integer(&ask, seq);
    gz_bind_id(&ask, note != NULL ? note->id : 0);
    if (checkpoint != NULL) {
        gz_bind_text(&ask, checkpoint->name);
        gz_bind_integer(&ask, checkpoint->seq);
        gz_bind_text(&ask, checkpoint->user);
        gz_bind_real(&ask, checkpoint->made);
        gz_bind_integer(&ask, checkpoint->gone);
    } else {
        gz_bind_nulls(&ask, 5);
    }
    return gz_ask_run(&ask);
}

static int write_joined(struct gz_writer *writer, const struct gz_session_record *session)
{
    struct gz_ask ask = start(writer, GZ_SQL_WRITER_JOINED);
    gz_bind_integer(&ask, writer->epoch);
    gz_bind_integer(&ask, session->session);
    gz_bind_text(&ask, session->user);
    gz_bind_text(&ask, gz_vocabulary_word(&gz_role_words, session->role));
    gz_bind_real(&ask, session->time);
    return gz_ask_run(&ask);
}

static int write_left(struct gz_writer *writer, const struct gz_session_record *session)
{
    struct gz_ask ask = start(writer, GZ_SQL_WRITER_LEFT);
    gz_bind_real(&ask, session->time);
    gz_bind_integer(&ask, writer->epoch);
    gz_bind_integer(&ask, session->session);
    return gz_ask_run(&ask);
}

/* Updates a node that exists and keeps its place in the hierarchy; *is_all: that was all. */
static int write_changed(struct gz_writer *writer, const struct gz_node_record *node, bool *is_all)
{
    struct gz_ask ask = start(writer, GZ_SQL_WRITER_CHANGED);
    gz_bind_integer(&ask, node->seq);
    gz_bind_own(&ask, &node->content);
    gz_bind_integer(&ask, node->id);
    gz_bind_id(&ask, node->content.parent);
    int rc = gz_ask_run(&ask);
    *is_all = rc == SQLITE_OK && sqlite3_changes(writer->db) > 0;
    return rc;
}

static int write_node(struct gz_writer *writer, const struct gz_node_record *node)
{
    bool is_all = false;
    int rc = node->gone || node->is_new ? SQLITE_OK : write_changed(writer, node, &is_all);
    if (rc != SQLITE_OK || is_all) return rc;
    struct gz_ask ask = start(writer, GZ_SQL_WRITER_NODE);
    gz_bind_integer(&ask, node->id);
    gz_bind_integer(&ask, node->seq);
    gz_bind_id(&ask, node->gone ? node->seq : 0);
    gz_bind_content(&ask, &node->content);
    return gz_ask_run(&ask);
}

static int forget_sample(struct gz_writer *writer, uint64_t edit, uint64_t node, uint64_t seq)
{
    struct gz_ask ask = start(writer, GZ_SQL_WRITER_FORGET_SAMPLE);
    gz_bind_integer(&ask, edit);
    gz_bind_integer(&ask, node);
    gz_bind_integer(&ask, seq);
    return gz_ask_run(&ask);
}

static int insert_sample(struct gz_writer *writer, const struct gz_sample_record *sample)
{
    struct gz_ask ask = start(writer, GZ_SQL_WRITER_SAMPLE);
    gz_bind_integer(&ask, sample->edit);
    gz_bind_integer(&ask, sample->node);
    gz_bind_integer(&ask, sample->seq);
    gz_bind_real(&ask, sample->time);
    gz_bind_trs(&ask, &sample->trs);
    return gz_ask_run(&ask);
}

/* Writes that the node rested: into the newest sample, or as a point of its own at the beginning of
 * the drag. */
static int write_rest(struct gz_writer *writer, const struct gz_sample_record *sample,
                      const struct gz_path_found *found, double until)
{
    if (found->path->last_seq == 0) {
        struct gz_sample_record beginning = {sample->edit, sample->node, found->began_seq, until,
                                             gz_path_start(found->path)};
        return insert_sample(writer, &beginning);
    }
    struct gz_ask ask = start(writer, GZ_SQL_WRITER_REST);
    gz_bind_real(&ask, until);
    gz_bind_integer(&ask, sample->edit);
    gz_bind_integer(&ask, sample->node);
    gz_bind_integer(&ask, found->path->last_seq);
    return gz_ask_run(&ask);
}

/* Deletes the newest sample if this one shows that the path does not need it. */
static int go_on(struct gz_writer *writer, const struct gz_sample_record *sample)
{
    struct gz_path_found found;
    if (!gz_paths_find(&writer->paths, sample->edit, sample->node, &found)) return SQLITE_OK;
    double until = gz_path_recorder_rest(found.path, sample->time);
    int rc = SQLITE_OK;
    if (!isnan(until)) {
        rc = write_rest(writer, sample, &found, until);
        gz_path_recorder_move_on(found.path, until);
    } else if (writer->recorded == GZ_RECORD_THIN &&
               !gz_path_recorder_needs_last(found.path, sample->time, &sample->trs)) {
        rc = forget_sample(writer, sample->edit, sample->node, found.path->last_seq);
    }
    gz_path_recorder_extend(found.path, found.tolerance_m, sample->seq, sample->time, &sample->trs);
    return rc;
}

static int write_sample(struct gz_writer *writer, const struct gz_sample_record *sample)
{
    if (writer->recorded == GZ_RECORD_ENDS) return SQLITE_OK;
    int rc = go_on(writer, sample);
    return rc == SQLITE_OK ? insert_sample(writer, sample) : rc;
}

static int write_change(struct gz_writer *writer, const struct gz_edit_record *edit, size_t step,
                        bool is_done)
{
    const struct gz_change *change = &edit->changes[step];
    struct gz_ask ask = start(writer, GZ_SQL_WRITER_CHANGE);
    gz_bind_integer(&ask, edit->id);
    gz_bind_integer(&ask, step);
    gz_bind_integer(&ask, change->node);
    gz_bind_id(&ask, is_done ? edit->seq : 0);
    gz_bind_text(&ask, !is_done || (change->existed && change->exists) ? "change"
                       : change->exists                                ? "create"
                                                                       : "delete");
    gz_bind_content(&ask, change->existed ? &change->before : NULL);
    gz_bind_content(&ask, is_done && change->exists ? &change->after : NULL);
    return gz_ask_run(&ask);
}

/* Ends the paths of a drag; its last place may show that the sample before it is not needed. */
static int end_paths(struct gz_writer *writer, const struct gz_edit_record *edit)
{
    int rc = SQLITE_OK;
    for (size_t i = 0; rc == SQLITE_OK && i < edit->change_count; i++) {
        const struct gz_change *change = &edit->changes[i];
        struct gz_path_found found;
        if (writer->recorded != GZ_RECORD_THIN ||
            !gz_paths_find(&writer->paths, edit->id, change->node, &found))
            break;
        if (!gz_path_recorder_needs_last(found.path, edit->ended, &change->after.trs))
            rc = forget_sample(writer, edit->id, change->node, found.path->last_seq);
    }
    gz_paths_end(&writer->paths, edit->id);
    return rc;
}

/* Writes a drag that begins, or an edit that is done, which overwrites the row of its beginning. */
static int write_edit(struct gz_writer *writer, const struct gz_edit_record *edit, bool is_done)
{
    struct gz_ask ask = start(writer, GZ_SQL_WRITER_EDIT);
    gz_bind_integer(&ask, edit->id);
    gz_bind_text(&ask, gz_vocabulary_word(&gz_edit_kind_words, edit->kind));
    gz_bind_text(&ask, edit->handle != GZ_HANDLE_NONE
                           ? gz_vocabulary_word(&gz_handle_words, edit->handle)
                           : NULL);
    gz_bind_integer(&ask, writer->epoch);
    gz_bind_id(&ask, edit->session);
    gz_bind_text(&ask, edit->user);
    gz_bind_text(&ask, edit->key);
    gz_bind_id(&ask, edit->target);
    gz_bind_real(&ask, edit->began);
    gz_bind_real(&ask, is_done ? edit->ended : NAN);
    gz_bind_integer(&ask, edit->began_seq);
    gz_bind_id(&ask, is_done ? edit->seq : 0);
    gz_bind_real(&ask, edit->residual);
    for (uint32_t i = 0; i < 2; i++)
        gz_bind_real(&ask, i < edit->value_count ? edit->value[i] : NAN);
    int rc = gz_ask_run(&ask);
    if (!is_done && writer->recorded != GZ_RECORD_ENDS) gz_paths_begin(&writer->paths, edit);
    if (rc == SQLITE_OK && is_done) rc = end_paths(writer, edit);
    const bool is_gesture = gz_edit_is_gesture(edit);
    if (rc == SQLITE_OK && is_done && is_gesture)
        rc = run_for(writer, GZ_SQL_WRITER_FORGET_CHANGES, edit->id);
    for (size_t step = 0; rc == SQLITE_OK && step < edit->change_count; step++)
        rc = write_change(writer, edit, step, is_done);
    /* A node that came back to its first bits was not changed by the drag, and has no path in
     * it. */
    if (rc == SQLITE_OK && is_done && is_gesture)
        rc = run_for(writer, GZ_SQL_WRITER_FORGET_UNCHANGED, edit->id);
    return rc;
}

static int write_dropped(struct gz_writer *writer, uint64_t edit)
{
    int rc = run_for(writer, GZ_SQL_WRITER_FORGET_SAMPLES, edit);
    if (rc == SQLITE_OK) rc = run_for(writer, GZ_SQL_WRITER_FORGET_CHANGES, edit);
    if (rc == SQLITE_OK) rc = run_for(writer, GZ_SQL_WRITER_FORGET_EDIT, edit);
    gz_paths_end(&writer->paths, edit);
    return rc;
}

static int write_note(struct gz_writer *writer, uint64_t seq, const struct gz_note_record *note)
{
    struct gz_ask ask = start(writer, GZ_SQL_WRITER_NOTE);
    gz_bind_integer(&ask, note->id);
    gz_bind_text(&ask, note->user);
    gz_bind_text(&ask, note->text);
    gz_bind_id(&ask, note->node);
    gz_bind_point(&ask, note->has_point ? &note->point : NULL);
    gz_bind_id(&ask, note->reply);
    gz_bind_integer(&ask, note->done);
    gz_bind_real(&ask, note->made);
    gz_bind_real(&ask, note->changed);
    gz_bind_text(&ask, note->by);
    gz_bind_real(&ask, note->gone ? note->changed : NAN);
    int rc = gz_ask_run(&ask);
    if (rc == SQLITE_OK) rc = write_news(writer, seq, note, NULL);
    if (rc != SQLITE_OK || note->key == NULL) return rc;
    ask = start(writer, GZ_SQL_WRITER_NOTE_KEY);
    gz_bind_text(&ask, note->by);
    gz_bind_text(&ask, note->key);
    gz_bind_integer(&ask, note->id);
    return gz_ask_run(&ask);
}

static int write_checkpoint(struct gz_writer *writer, const struct gz_checkpoint_record *checkpoint)
{
    struct gz_ask ask = start(writer, checkpoint->gone ? GZ_SQL_WRITER_FORGET_CHECKPOINT
                                                       : GZ_SQL_WRITER_CHECKPOINT);
    gz_bind_text(&ask, checkpoint->name);
    if (checkpoint->gone) return gz_ask_run(&ask);
    gz_bind_integer(&ask, checkpoint->seq);
    gz_bind_text(&ask, checkpoint->user);
    gz_bind_real(&ask, checkpoint->made);
    return gz_ask_run(&ask);
}

/* The past may have been cut since the core checked these checkpoints: leaves out those of states
 * that are no longer kept, and writes the rest. */
static int write_checkpoints(struct gz_writer *writer, struct gz_batch *batch)
{
    if (batch->checkpoint_count == 0) return SQLITE_OK;
    int rc = read_kept_since(writer, &batch->kept_since);
    for (size_t i = 0; rc == SQLITE_OK && i < batch->checkpoint_count; i++) {
        const struct gz_checkpoint_record *checkpoint = &batch->checkpoints[i];
        if (checkpoint->gone || checkpoint->seq >= batch->kept_since)
            rc = write_checkpoint(writer, checkpoint);
        else
            continue;
        if (rc == SQLITE_OK) rc = write_news(writer, batch->seq, NULL, checkpoint);
    }
    return rc;
}

static int write_access(struct gz_writer *writer, const struct gz_access_record *access)
{
    struct gz_ask ask = start(writer, GZ_SQL_WRITER_ACCESS);
    gz_bind_text(&ask, access->glob);
    gz_bind_text(&ask, access->gone ? NULL : gz_vocabulary_word(&gz_role_words, access->role));
    gz_bind_text(&ask, access->user);
    gz_bind_real(&ask, access->made);
    return gz_ask_run(&ask);
}

static int write_asset(struct gz_writer *writer, const struct gz_asset_record *asset)
{
    bool is_binary = asset->size >= 4 && memcmp(asset->bytes, "glTF", 4) == 0;
    struct gz_ask ask = start(writer, GZ_SQL_WRITER_ASSET);
    gz_bind_integer(&ask, asset->first);
    gz_bind_integer(&ask, asset->count);
    gz_bind_integer(&ask, asset->seq);
    gz_bind_text(&ask, is_binary ? "model/gltf-binary" : "model/gltf+json");
    gz_bind_text(&ask, asset->sha256);
    gz_bind_blob(&ask, asset->bytes, asset->size);
    return gz_ask_run(&ask);
}

static int write_batch(struct gz_writer *writer, struct gz_batch *batch)
{
    int rc = SQLITE_OK;
    for (size_t i = 0; rc == SQLITE_OK && i < batch->joined_count; i++)
        rc = write_joined(writer, &batch->joined[i]);
    for (size_t i = 0; rc == SQLITE_OK && i < batch->node_count; i++)
        rc = write_node(writer, &batch->nodes[i]);
    for (size_t i = 0; rc == SQLITE_OK && i < batch->begun_count; i++)
        rc = write_edit(writer, &batch->begun[i], false);
    for (size_t i = 0; rc == SQLITE_OK && i < batch->sample_count; i++)
        rc = write_sample(writer, &batch->samples[i]);
    for (size_t i = 0; rc == SQLITE_OK && i < batch->ended_count; i++)
        rc = write_edit(writer, &batch->ended[i], true);
    for (size_t i = 0; rc == SQLITE_OK && i < batch->dropped_count; i++)
        rc = write_dropped(writer, batch->dropped[i]);
    for (size_t i = 0; rc == SQLITE_OK && i < batch->note_count; i++)
        rc = write_note(writer, batch->seq, &batch->notes[i]);
    if (rc == SQLITE_OK) rc = write_checkpoints(writer, batch);
    for (size_t i = 0; rc == SQLITE_OK && i < batch->access_count; i++)
        rc = write_access(writer, &batch->access[i]);
    for (size_t i = 0; rc == SQLITE_OK && i < batch->left_count; i++)
        rc = write_left(writer, &batch->left[i]);
    for (size_t i = 0; rc == SQLITE_OK && i < batch->asset_count; i++)
        rc = write_asset(writer, &batch->assets[i]);
    return rc;
}

static int write_batches(struct gz_writer *writer, struct gz_batch *first)
{
    int rc = SQLITE_OK;
    for (struct gz_batch *batch = first; rc == SQLITE_OK && batch != NULL; batch = batch->next) {
        rc = write_batch(writer, batch);
        if (rc == SQLITE_OK && batch->next == NULL) rc = write_scene(writer, batch);
    }
    return rc;
}

/* Uses a prepared statement, because a rollback must not need memory. If it fails all the same, the
 * next batch begins with a rollback. */
static void roll_back(struct gz_writer *writer)
{
    if (!sqlite3_get_autocommit(writer->db)) (void)run(writer, GZ_SQL_WRITER_ROLLBACK);
    gz_shipper_end(writer->shipper, false);
    gz_paths_settle(&writer->paths, false);
}

static enum gz_status give_up(struct gz_writer *writer, int rc, struct gz_error *error)
{
    enum gz_status status = gz_db_fail(writer->db, rc, error, "the edits could not be saved");
    if ((rc & 0xff) == SQLITE_BUSY)
        gz_fail(error, GZ_STORAGE,
                "another program, such as sqlite3, has had the scene's file locked for %s",
                atomic_load(&writer->is_ending) ? "too long"
                                                : "more than " TEXT_OF(GZ_LOCK_SECONDS_MAX) " s");
    roll_back(writer);
    return status;
}

bool gz_writer_has_moved(struct gz_writer *writer)
{
    int moved = 0;
    return sqlite3_file_control(writer->db, "main", SQLITE_FCNTL_HAS_MOVED, &moved) == SQLITE_OK &&
           moved != 0;
}

bool gz_writer_has_lost_log(struct gz_writer *writer)
{
    return !gz_named_file_is_there(&writer->checkpointer.log, &writer->wal_bytes);
}

bool gz_writer_save_log(struct gz_writer *writer)
{
    int in_log = 0, copied = 0;
    gz_checkpointer_finish(&writer->checkpointer);
    int rc =
        sqlite3_wal_checkpoint_v2(writer->db, NULL, SQLITE_CHECKPOINT_PASSIVE, &in_log, &copied);
    return rc == SQLITE_OK && in_log == copied;
}

/* Before a commit: refuses to write to a file or log without a name, where the commit would be
 * lost, and saves what the log has. */
static enum gz_status check_files(struct gz_writer *writer, struct gz_error *error)
{
    if (gz_writer_has_moved(writer))
        return gz_fail(error, GZ_STORAGE, "the scene's file was moved or deleted");
    if (!gz_writer_has_lost_log(writer)) return GZ_OK;
    roll_back(writer);
    bool is_saved = gz_writer_save_log(writer);
    return gz_fail(error, GZ_STORAGE, "%s was moved or deleted: what was saved before %s",
                   gz_db_file_name(writer->checkpointer.log.path),
                   is_saved ? "is in the scene's file, which is opened anew"
                            : "is in no file yet: keep this server running, and make room for it");
}

/* After a commit: whether it is safe. A commit in a log without a name is safe only once it is
 * copied into the file. */
static bool is_kept(struct gz_writer *writer)
{
    return !gz_writer_has_lost_log(writer) || gz_writer_save_log(writer);
}

/* Begins the transaction and writes the batches. */
static int write_all(struct gz_writer *writer, struct gz_batch *first)
{
    writer->is_waiting = true;
    int rc = run(writer, GZ_SQL_WRITER_BEGIN);
    writer->is_waiting = false;
    if (rc == SQLITE_OK) rc = gz_shipper_begin(writer->shipper);
    if (rc == SQLITE_OK) rc = gz_shipper_prepare(writer->shipper, first);
    if (rc == SQLITE_OK) rc = write_batches(writer, first);
    return rc == SQLITE_OK && writer->has_told ? write_told(writer) : rc;
}

enum gz_status gz_writer_commit(struct gz_writer *writer, struct gz_batch *first,
                                struct gz_error *error)
{
    roll_back(writer);
    int rc = write_all(writer, first);
    if (rc != SQLITE_OK) return give_up(writer, rc, error);
    enum gz_status status = check_files(writer, error);
    if (status == GZ_OK) status = gz_shipper_append(writer->shipper, error);
    if (status != GZ_OK) {
        roll_back(writer);
        return status;
    }
    rc = run(writer, GZ_SQL_WRITER_COMMIT);
    if (rc != SQLITE_OK) return give_up(writer, rc, error);
    gz_paths_settle(&writer->paths, true);
    writer->has_told = false;
    bool is_safe = is_kept(writer);
    gz_shipper_end(writer->shipper, is_safe);
    return is_safe ? GZ_OK
                   : gz_fail(error, GZ_STORAGE, "%s was moved or deleted",
                             gz_db_file_name(writer->checkpointer.log.path));
}

bool gz_writer_wal_checkpoint(struct gz_writer *writer, bool truncate)
{
    gz_checkpointer_finish(&writer->checkpointer);
    int rc = sqlite3_wal_checkpoint_v2(
        writer->db, NULL, truncate ? SQLITE_CHECKPOINT_TRUNCATE : SQLITE_CHECKPOINT_PASSIVE, NULL,
        NULL);
    return rc == SQLITE_OK;
}
