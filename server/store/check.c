/* check.c - checks every promise of a scene's file. Each promise is an entry of one table: a
 * statement of sql/check.sql whose rows are sentences about violations, or a function where SQL
 * would compare -0.0 with 0. A new table of the schema needs a new entry, or a few. */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "schema/schema.h"
#include "server/maxima.h"
#include "store/model.h"
#include "store/parts.h"
#include "store/rows.h"
#include "store/store.h"
#include "store/wal.h"

/* Sentences of one promise; the rest are counted. */
#define SAID_MAX 20
/* Changes of nodes in a piece of GZ_CHECK_BESIDE. */
#define CHANGES_AT_ONCE 50000
/* Kilobytes of pages kept in memory, because the history is read by node, which is not its order in
 * the file. */
#define CACHE_KB "65536"

struct checker {
    struct gz_db_reader *reader;
    enum gz_check_depth depth;
    sqlite3 *db;
    sqlite3 *model; /* has the schema that the file should have */
    struct gz_store_check *check;
    uint64_t found; /* violations of the present promise */
};

struct promise {
    enum gz_sql_check sql;
    uint64_t most; /* the value of ?1 in the statement; 0 if it has none */
    void (*run)(struct checker *checker);
};

/* ---- reports ---- */

static void say(struct checker *checker, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static void say(struct checker *checker, const char *format, ...)
{
    char words[1024];
    checker->check->faults++;
    if (++checker->found > SAID_MAX) return;
    va_list list;
    va_start(list, format);
    vsnprintf(words, sizeof words, format, list);
    va_end(list);
    checker->check->handle_fault(checker->check->context, words);
}

static void report_rest(struct checker *checker)
{
    char words[64];
    if (checker->found <= SAID_MAX) return;
    snprintf(words, sizeof words, "and %" PRIu64 " more of that kind", checker->found - SAID_MAX);
    checker->check->handle_fault(checker->check->context, words);
}

/* Before the next piece. */
static void renew(struct checker *checker)
{
    struct gz_error error;
    if (checker->depth == GZ_CHECK_BESIDE && gz_db_reader_renew(checker->reader, &error) != GZ_OK)
        say(checker, "%s", error.message);
}

static struct gz_ask prepare(sqlite3 *db, enum gz_sql_check which)
{
    return gz_ask_prepare(db, gz_sql_check[which]);
}

/* Ends the use, and reports a fault if not all rows could be read. */
static void end(struct checker *checker, struct gz_ask *ask)
{
    struct gz_error error;
    if (gz_ask_end(ask, GZ_OK, &error, "it cannot be read") != GZ_OK)
        say(checker, "%s", error.message);
}

static void report_rows(struct checker *checker, struct gz_ask *ask)
{
    while (gz_ask_row(ask)) {
        const char *words = (const char *)sqlite3_column_text(ask->statement, 0);
        say(checker, "%s", words != NULL ? words : "no memory to describe a fault");
    }
    end(checker, ask);
}

/* ---- the schema ---- */

static void say_difference(void *context, const char *words)
{
    say(context, "%s", words);
}

static void check_schema(struct checker *checker)
{
    struct gz_error error;
    if (gz_model_compare(checker->db, checker->model, say_difference, checker, &error) != GZ_OK)
        say(checker, "%s", error.message);
}

static const char *text_of(sqlite3_stmt *row, int column)
{
    const char *text = (const char *)sqlite3_column_text(row, column);
    return text != NULL ? text : "";
}

/* The next "(...)" after a CHECK in a table's SQL, and its size; NULL if there are no more. */
static const char *find_constraint(const char *sql, size_t *size)
{
    const char *begin = strstr(sql, "CHECK (");
    if (begin == NULL) return NULL;
    begin += strlen("CHECK ");
    size_t depth = 0, at = 0;
    bool quoted = false;
    do {
        if (begin[at] == '\'') quoted = !quoted;
        if (!quoted && begin[at] == '(') depth++;
        if (!quoted && begin[at] == ')') depth--;
    } while (begin[at++] != '\0' && depth > 0);
    *size = at;
    return begin;
}

/* `row` is the expression that names a row of the table. */
static void check_constraint(struct checker *checker, const char *table, const char *row,
                             const char *text, size_t size)
{
    char *query = sqlite3_mprintf("SELECT %s || ' of %q breaks a rule of its table: %.*q'"
                                  " FROM %s WHERE NOT %.*s",
                                  row, table, (int)size, text, table, (int)size, text);
    if (query == NULL) {
        say(checker, "no memory for the rules of %s", table);
        return;
    }
    struct gz_ask ask = gz_ask_prepare(checker->db, query);
    report_rows(checker, &ask);
    sqlite3_free(query);
}

/* Checks the CHECK constraints of the tables, which SQLite does not check in a read-only file. */
static void check_constraints(struct checker *checker)
{
    struct gz_ask tables = prepare(checker->model, GZ_SQL_CHECK_TABLES);
    while (gz_ask_row(&tables)) {
        const char *text = text_of(tables.statement, 1);
        size_t size;
        while ((text = find_constraint(text, &size)) != NULL) {
            check_constraint(checker, text_of(tables.statement, 0), text_of(tables.statement, 2),
                             text, size);
            text += size;
        }
    }
    end(checker, &tables);
}

/* ---- the history of each node, and what it comes to ---- */

/* After the columns {change}: in a row of GZ_SQL_CHECK_HISTORY the edit and its seq, in one of
 * GZ_SQL_CHECK_RUNNING the edit and whether it has moved the node. */
enum { EDIT_COLUMN = 2 + 2 * GZ_CONTENT_COLUMN_COUNT, SEQ_COLUMN, MOVED_COLUMN = SEQ_COLUMN };

struct replay {
    struct checker *checker;
    struct gz_ask nodes, history, running;
    struct gz_arena arena; /* of one node */
    int64_t since;         /* the beginning of the kept past; older edits may be incomplete */
    uint64_t changes;      /* that were read for this piece */
    /* the node after its history so far */
    uint64_t node, edit; /* edit: 0 before the first */
    bool exists;
    struct gz_content content;
};

/* The part that differs, compared bit by bit; NULL if none does. */
static const char *difference(const struct gz_content *a, const struct gz_content *b, bool moving)
{
    if (a->parent != b->parent) return "parent";
    if (strcmp(a->name, b->name) != 0) return "name";
    if (a->asset != b->asset) return "place in the glTF file";
    if (a->has_bounds != b->has_bounds || memcmp(&a->bounds, &b->bounds, sizeof a->bounds) != 0)
        return "box";
    if (moving) return NULL;
    if (memcmp(&a->trs.t, &b->trs.t, sizeof a->trs.t) != 0) return "translation";
    if (memcmp(&a->trs.r, &b->trs.r, sizeof a->trs.r) != 0) return "rotation";
    return memcmp(&a->trs.s, &b->trs.s, sizeof a->trs.s) != 0 ? "scale" : NULL;
}

/* The `before` of a change has to equal the `after` of the change before it. */
static void check_link(struct replay *replay, const struct gz_change *change, uint64_t edit)
{
    struct checker *checker = replay->checker;
    uint64_t node = replay->node, last = replay->edit;
    if (edit == last)
        say(checker, "edit %" PRIu64 " changes node %" PRIu64 " twice", edit, node);
    else if (last == 0 && change->existed)
        say(checker,
            "node %" PRIu64 ": its history begins with edit %" PRIu64 ", which did not make it",
            node, edit);
    else if (replay->exists && !change->existed)
        say(checker,
            "node %" PRIu64 ": edit %" PRIu64 " made it, but it was there since edit %" PRIu64,
            node, edit, last);
    else if (last != 0 && !replay->exists && change->existed)
        say(checker,
            "node %" PRIu64 ": edit %" PRIu64 " changed it, but edit %" PRIu64 " had deleted it",
            node, edit, last);
    else if (change->existed) {
        const char *what = difference(&change->before, &replay->content, false);
        if (what == NULL) return;
        say(checker,
            "node %" PRIu64 ": edit %" PRIu64 " found another %s than edit %" PRIu64 " had left",
            node, edit, what, last);
    }
}

/* The end of the history has to equal the row. A node that a running drag has moved may be
 * anywhere. */
static void check_present(struct replay *replay, const struct gz_content *now, bool gone,
                          bool is_moving)
{
    struct checker *checker = replay->checker;
    if (replay->edit == 0) {
        /* a creation that was taken back before it was saved leaves a tombstone without a
         * history */
        if (!gone)
            say(checker, "node %" PRIu64 " (%s) is there, but no edit made it", replay->node,
                now->name);
        return;
    }
    if (replay->exists == gone) {
        say(checker, "node %" PRIu64 " (%s) is %s, but edit %" PRIu64 ", its last, left it %s",
            replay->node, now->name, gone ? "deleted" : "alive", replay->edit,
            gone ? "alive" : "deleted");
        return;
    }
    if (replay->content.name == NULL) return; /* its last change is reported: it has no side */
    const char *what = difference(now, &replay->content, is_moving);
    if (what != NULL)
        say(checker,
            "node %" PRIu64 " (%s) has another %s than edit %" PRIu64 ", its last, had left",
            replay->node, now->name, what, replay->edit);
}

/* False without memory, which is reported. */
static bool read_change(struct replay *replay, sqlite3_stmt *row, struct gz_change *change)
{
    *change = (struct gz_change){0};
    if (gz_read_change(row, &replay->arena, change) == GZ_OK) {
        const char *fault = gz_change_fault(row, change);
        if (fault != NULL)
            say(replay->checker, "edit %lld changes node %" PRIu64 ": %s",
                sqlite3_column_int64(row, EDIT_COLUMN), change->node, fault);
        return true;
    }
    say(replay->checker, "no memory for the history of node %" PRIu64, replay->node);
    return false;
}

static void replay_history(struct replay *replay)
{
    struct gz_change change;
    sqlite3_stmt *row = replay->history.statement;
    gz_bind_integer(&replay->history, replay->node);
    while (gz_ask_row(&replay->history) && read_change(replay, row, &change)) {
        replay->changes++;
        uint64_t edit = (uint64_t)sqlite3_column_int64(row, EDIT_COLUMN);
        if (sqlite3_column_int64(row, SEQ_COLUMN) > replay->since)
            check_link(replay, &change, edit);
        replay->edit = edit;
        replay->exists = change.exists;
        replay->content = change.exists ? change.after : change.before;
    }
    end(replay->checker, &replay->history);
}

/* True if a drag has moved the node. */
static bool replay_running(struct replay *replay)
{
    struct gz_change change;
    sqlite3_stmt *row = replay->running.statement;
    bool is_held = false, is_moving = false;
    gz_bind_integer(&replay->running, replay->node);
    while (gz_ask_row(&replay->running) && read_change(replay, row, &change)) {
        uint64_t edit = (uint64_t)sqlite3_column_int64(row, EDIT_COLUMN);
        if (is_held)
            say(replay->checker, "edit %" PRIu64 " drags node %" PRIu64 " beside another", edit,
                replay->node);
        check_link(replay, &change, edit);
        is_held = true;
        is_moving |= sqlite3_column_int(row, MOVED_COLUMN) != 0;
    }
    end(replay->checker, &replay->running);
    return is_moving;
}

static void replay_node(struct replay *replay, sqlite3_stmt *history, sqlite3_stmt *running)
{
    struct gz_content now;
    gz_arena_reset(&replay->arena, GZ_STATE_BYTES_MAX);
    replay->node = (uint64_t)sqlite3_column_int64(replay->nodes.statement, 0);
    replay->edit = 0;
    replay->exists = false;
    replay->history = gz_ask_begin(history);
    replay->running = gz_ask_begin(running);
    bool gone = sqlite3_column_int(replay->nodes.statement, 1) != 0;
    if (gz_read_content(replay->nodes.statement, 2, &replay->arena, &now) != GZ_OK) {
        say(replay->checker, "node %" PRIu64 " has no name", replay->node);
        return;
    }
    const char *fault = gz_content_fault(replay->nodes.statement, 2, &now);
    if (fault != NULL)
        say(replay->checker, "nodes, row %" PRIu64 " (%s): %s", replay->node, now.name, fault);
    replay_history(replay);
    check_present(replay, &now, gone, replay_running(replay));
}

/* 0, with a report, if it cannot be read. */
static int64_t read_since(struct checker *checker)
{
    int64_t since = 0;
    struct gz_error error;
    if (gz_db_integer(checker->db, gz_sql_check[GZ_SQL_CHECK_SINCE], &since, &error) != GZ_OK)
        say(checker, "%s", error.message);
    return since;
}

/* The nodes after the last one; *more: whether there may be others. */
static void replay_piece(struct replay *replay, sqlite3_stmt *nodes, sqlite3_stmt *history,
                         sqlite3_stmt *running, bool *more)
{
    const bool is_piece = replay->checker->depth == GZ_CHECK_BESIDE;
    renew(replay->checker);
    replay->since = read_since(replay->checker);
    replay->changes = 0;
    replay->nodes = gz_ask_begin(nodes);
    gz_bind_integer(&replay->nodes, replay->node);
    do {
        *more = gz_ask_row(&replay->nodes);
        if (*more) replay_node(replay, history, running);
    } while (*more && !(is_piece && replay->changes > CHANGES_AT_ONCE));
    end(replay->checker, &replay->nodes);
}

static void check_replay(struct checker *checker)
{
    struct replay replay = {.checker = checker};
    struct gz_ask nodes = prepare(checker->db, GZ_SQL_CHECK_NODES);
    struct gz_ask history = prepare(checker->db, GZ_SQL_CHECK_HISTORY);
    struct gz_ask running = prepare(checker->db, GZ_SQL_CHECK_RUNNING);
    gz_arena_init(&replay.arena, GZ_STATE_BYTES_MAX);
    bool more = nodes.rc == SQLITE_OK && history.rc == SQLITE_OK && running.rc == SQLITE_OK;
    while (more)
        replay_piece(&replay, nodes.statement, history.statement, running.statement, &more);
    end(checker, &nodes);
    end(checker, &history);
    end(checker, &running);
    gz_arena_finish(&replay.arena);
}

/* In a row of GZ_SQL_CHECK_LATEST. */
enum {
    LATEST_EDIT_COLUMN = 3,
    LATEST_CONTENT_COLUMN,
    LATEST_BEFORE_COLUMN = LATEST_CONTENT_COLUMN + GZ_CONTENT_COLUMN_COUNT,
    LATEST_AFTER_COLUMN = LATEST_BEFORE_COLUMN + GZ_CONTENT_COLUMN_COUNT
};

/* The same with only the last change of each node, however long its history is. */
static void check_last(struct replay *replay)
{
    sqlite3_stmt *row = replay->nodes.statement;
    struct gz_content now = {.name = NULL};
    gz_arena_reset(&replay->arena, GZ_STATE_BYTES_MAX);
    replay->node = (uint64_t)sqlite3_column_int64(row, 0);
    replay->edit = (uint64_t)sqlite3_column_int64(row, LATEST_EDIT_COLUMN);
    replay->exists = sqlite3_column_type(row, LATEST_AFTER_COLUMN + 1) != SQLITE_NULL;
    if (gz_read_content(row, LATEST_CONTENT_COLUMN, &replay->arena, &now) != GZ_OK ||
        gz_read_content(row, replay->exists ? LATEST_AFTER_COLUMN : LATEST_BEFORE_COLUMN,
                        &replay->arena, &replay->content) != GZ_OK) {
        /* without a history both sides are empty */
        if (now.name == NULL || replay->edit != 0) {
            say(replay->checker, "nodes, row %" PRIu64 ": name is not text", replay->node);
            return;
        }
    }
    bool is_moving = sqlite3_column_int(row, 2) != 0;
    if (replay->edit == 0 && is_moving) return; /* its first edit runs */
    check_present(replay, &now, sqlite3_column_int(row, 1) != 0, is_moving);
}

static void check_latest(struct checker *checker)
{
    struct replay replay = {.checker = checker, .nodes = prepare(checker->db, GZ_SQL_CHECK_LATEST)};
    gz_arena_init(&replay.arena, GZ_STATE_BYTES_MAX);
    while (gz_ask_row(&replay.nodes)) check_last(&replay);
    end(checker, &replay.nodes);
    gz_arena_finish(&replay.arena);
}

/* ---- the promises ---- */

static const struct promise promises[] = {
    {.sql = GZ_SQL_CHECK_INTEGRITY, .most = SAID_MAX},
    {.run = check_schema},
    {.run = check_constraints},
    {.sql = GZ_SQL_CHECK_FOREIGN_KEYS},
    {.sql = GZ_SQL_CHECK_ONE_SCENE},
    {.sql = GZ_SQL_CHECK_COUNTERS, .most = GZ_COUNTER_MAX},
    {.sql = GZ_SQL_CHECK_NODE_IDS},
    {.sql = GZ_SQL_CHECK_EDIT_IDS},
    {.sql = GZ_SQL_CHECK_NODE_SEQS},
    {.sql = GZ_SQL_CHECK_EDIT_SEQS},
    {.sql = GZ_SQL_CHECK_ASSET_SEQS},
    {.sql = GZ_SQL_CHECK_ASSET_NUMBERS},
    {.sql = GZ_SQL_CHECK_ASSETS_THERE},
    {.sql = GZ_SQL_CHECK_NODE_SEQS_DIFFER},
    {.sql = GZ_SQL_CHECK_EDIT_SEQS_DIFFER},
    {.sql = GZ_SQL_CHECK_PARENTS_ALIVE},
    {.sql = GZ_SQL_CHECK_NO_CIRCLE},
    {.sql = GZ_SQL_CHECK_DEPTH, .most = GZ_TREE_DEPTH_MAX},
    {.sql = GZ_SQL_CHECK_NODE_COUNT, .most = GZ_NODES_MAX},
    {.sql = GZ_SQL_CHECK_SAMPLE_TRANSFORMS},
    {.sql = GZ_SQL_CHECK_EPOCHS_ASCEND},
    {.sql = GZ_SQL_CHECK_EPOCH_SEQS},
    {.sql = GZ_SQL_CHECK_SESSIONS_LEFT},
    {.sql = GZ_SQL_CHECK_EDITS_ADVANCE},
    {.sql = GZ_SQL_CHECK_EDITS_LAST},
    {.sql = GZ_SQL_CHECK_EDITS_IN_EPOCHS},
    {.sql = GZ_SQL_CHECK_DRAGS_END},
    {.sql = GZ_SQL_CHECK_DRAGS_DRAG},
    {.sql = GZ_SQL_CHECK_UNDO_TARGETS},
    {.sql = GZ_SQL_CHECK_RESTORE_TARGETS},
    {.sql = GZ_SQL_CHECK_CHANGE_SEQS},
    {.sql = GZ_SQL_CHECK_SAMPLE_SEQS},
    {.sql = GZ_SQL_CHECK_SAMPLE_NODES},
    {.run = check_replay},
    {.sql = GZ_SQL_CHECK_ONE_KEPT},
    {.sql = GZ_SQL_CHECK_KEPT_SINCE},
    {.sql = GZ_SQL_CHECK_NOTE_REPLIES},
    {.sql = GZ_SQL_CHECK_NOTE_TEXTS, .most = GZ_NOTE_BYTES_MAX},
    {.sql = GZ_SQL_CHECK_NOTE_PLACES},
    {.sql = GZ_SQL_CHECK_NOTE_COUNT, .most = GZ_NOTES_MAX},
    {.sql = GZ_SQL_CHECK_CHECKPOINT_SEQS},
    {.sql = GZ_SQL_CHECK_CHECKPOINT_NAMES, .most = GZ_CHECKPOINT_BYTES_MAX},
    {.sql = GZ_SQL_CHECK_CHECKPOINT_COUNT, .most = GZ_CHECKPOINTS_MAX},
    {.sql = GZ_SQL_CHECK_ACCESS_GLOBS, .most = GZ_GLOB_BYTES_MAX},
    {.sql = GZ_SQL_CHECK_ACCESS_COUNT, .most = GZ_ACCESS_MAX},
    {.sql = GZ_SQL_CHECK_LOG_PLACE, .most = GZ_COUNTER_MAX},
    {.sql = GZ_SQL_CHECK_TOLD_PLACE},
    {.sql = GZ_SQL_CHECK_NEWS_SEQS},
};

static void check_promise(struct checker *checker, const struct promise *promise)
{
    if (promise->run != NULL) {
        promise->run(checker);
        return;
    }
    struct gz_ask ask = prepare(checker->db, promise->sql);
    if (promise->most > 0) gz_bind_integer(&ask, promise->most);
    report_rows(checker, &ask);
}

static void check_promises(struct checker *checker)
{
    for (size_t i = 0; i < sizeof promises / sizeof promises[0]; i++) {
        checker->found = 0;
        renew(checker);
        check_promise(checker, &promises[i]);
        report_rest(checker);
    }
}

static enum gz_status count(struct gz_db_reader *reader, struct gz_store_check *check,
                            struct gz_error *error)
{
    int64_t version = 0, nodes = 0, edits = 0, seq = 0;
    enum gz_status status = gz_db_integer(reader->db, "PRAGMA user_version", &version, error);
    if (status == GZ_OK)
        status = gz_db_integer(reader->db, gz_sql_check[GZ_SQL_CHECK_COUNT_NODES], &nodes, error);
    if (status == GZ_OK)
        status = gz_db_integer(reader->db, gz_sql_check[GZ_SQL_CHECK_COUNT_EDITS], &edits, error);
    if (status == GZ_OK)
        status = gz_db_integer(reader->db, gz_sql_check[GZ_SQL_CHECK_LAST_SEQ], &seq, error);
    check->version = (int)version;
    check->nodes = (uint64_t)nodes;
    check->edits = (uint64_t)edits;
    check->seq = (uint64_t)seq;
    return status;
}

/* To make a model takes half of the time of a check, so a file with the same schema is its own. */
static enum gz_status open_model(struct checker *checker, struct gz_error *error)
{
    checker->model = checker->db;
    return gz_model_is(checker->db) ? GZ_OK : gz_model_open(&checker->model, error);
}

enum gz_status gz_check_reader(struct gz_db_reader *reader, enum gz_check_depth depth,
                               struct gz_store_check *check, struct gz_error *error)
{
    struct checker checker = {.reader = reader, .depth = depth, .db = reader->db, .check = check};
    check->faults = 0;
    if (depth == GZ_CHECK_PRESENT) {
        check_promise(&checker, &(struct promise){.sql = GZ_SQL_CHECK_QUICK});
        check_latest(&checker);
        return GZ_OK;
    }
    enum gz_status status = gz_db_exec(reader->db, "PRAGMA cache_size = -" CACHE_KB, error);
    if (status == GZ_OK) status = count(reader, check, error);
    if (status == GZ_OK) status = open_model(&checker, error);
    if (status == GZ_OK) check_promises(&checker);
    if (checker.model != reader->db) sqlite3_close(checker.model);
    return status;
}

static void check_log(const char *path, struct gz_store_check *check)
{
    char fault[GZ_ERROR_BYTES_MAX];
    if (!gz_clean_mark_read(path).is_synced || !gz_wal_holds(path)) return;
    gz_wal_check(path, fault);
    if (fault[0] == '\0') return;
    check->faults++;
    check->handle_fault(check->context, fault);
}

enum gz_status gz_store_check(const char *path, struct gz_store_check *check,
                              struct gz_error *error)
{
    struct gz_db_reader reader;
    enum gz_status status = gz_db_reader_open(&reader, path, GZ_FILE_ANY, error);
    if (status != GZ_OK) return status;
    reader.deadline_ns = UINT64_MAX;
    check->is_rolled_back = reader.is_rolled_back;
    status = gz_check_reader(&reader, GZ_CHECK_ALL, check, error);
    gz_db_reader_close(&reader);
    if (status == GZ_OK) check_log(path, check);
    if (reader.is_still && gz_has_log(path) && (status != GZ_OK || check->faults > 0))
        return gz_fail(error, GZ_BAD_STATE, "%s: it was opened meanwhile: check it again",
                       gz_db_file_name(path));
    return status;
}
