/* What is promised of a scene's file, each promise an entry of one table: a query whose rows are
 * sentences about what breaks it, or a function where SQL would compare -0.0 with 0. A new table of
 * the schema is a new entry, or a few. */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "schema/schema.h"
#include "server/maxima.h"
#include "store/internal.h"
#include "store/rows.h"

/* Sentences of one promise; the rest are counted. */
#define SAID_MAX 20
/* Kilobytes of pages kept in memory: the history is read by node, which is not its order in the
 * file. */
#define CACHE_KB "65536"

struct checker {
    sqlite3 *db;
    sqlite3 *model; /* an empty scene of the file's schema version */
    struct gz_store_check *check;
    uint64_t found; /* by the promise that is looked at */
};

struct promise {
    const char *sql;
    void (*run)(struct checker *checker);
};

/* ---- saying ---- */

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

static void say_unread(struct checker *checker, sqlite3 *db)
{
    say(checker, "it cannot be read: %s", sqlite3_errmsg(db));
}

static void say_rest(struct checker *checker)
{
    char words[64];
    if (checker->found <= SAID_MAX) return;
    snprintf(words, sizeof words, "and %" PRIu64 " more of that kind", checker->found - SAID_MAX);
    checker->check->handle_fault(checker->check->context, words);
}

/* NULL, and said, where the file does not allow it. */
static sqlite3_stmt *prepare(struct checker *checker, sqlite3 *db, const char *sql)
{
    sqlite3_stmt *rows;
    if (sqlite3_prepare_v2(db, sql, -1, &rows, NULL) == SQLITE_OK) return rows;
    say_unread(checker, db);
    return NULL;
}

static bool next(struct checker *checker, sqlite3_stmt *rows)
{
    int rc = sqlite3_step(rows);
    if (rc != SQLITE_ROW && rc != SQLITE_DONE) say_unread(checker, sqlite3_db_handle(rows));
    return rc == SQLITE_ROW;
}

static void ask(struct checker *checker, const char *sql)
{
    sqlite3_stmt *rows = prepare(checker, checker->db, sql);
    while (rows != NULL && next(checker, rows)) {
        const char *words = (const char *)sqlite3_column_text(rows, 0);
        say(checker, "%s", words != NULL ? words : "no memory to say what");
    }
    sqlite3_finalize(rows);
}

/* ---- the schema ---- */

/* SQLite's own tables are its own business: what ANALYZE leaves is no harm. */
static const char schema_sql[] = "SELECT name, type, sql FROM sqlite_schema WHERE name NOT LIKE "
                                 "'sqlite\\_%' ESCAPE '\\' ORDER BY name";

static const char *text_of(sqlite3_stmt *row, int column)
{
    const char *text = (const char *)sqlite3_column_text(row, column);
    return text != NULL ? text : "";
}

/* What is, and what the numbered files make of an empty database, both in the order of names. */
static void compare_schemas(struct checker *checker, sqlite3_stmt *is, sqlite3_stmt *should)
{
    bool more_is = next(checker, is), more_should = next(checker, should);
    while (more_is || more_should) {
        int order = !more_is ? 1 : !more_should ? -1 : strcmp(text_of(is, 0), text_of(should, 0));
        if (order < 0)
            say(checker, "the %s %s is not of a scene's schema", text_of(is, 1), text_of(is, 0));
        if (order > 0) say(checker, "the %s %s is missing", text_of(should, 1), text_of(should, 0));
        if (order == 0 && strcmp(text_of(is, 2), text_of(should, 2)) != 0)
            say(checker, "the %s %s is not as a scene's schema has it", text_of(is, 1),
                text_of(is, 0));
        if (order <= 0) more_is = next(checker, is);
        if (order >= 0) more_should = next(checker, should);
    }
}

static void check_schema(struct checker *checker)
{
    sqlite3_stmt *is = prepare(checker, checker->db, schema_sql),
                 *should = prepare(checker, checker->model, schema_sql);
    if (is != NULL && should != NULL) compare_schemas(checker, is, should);
    sqlite3_finalize(should);
    sqlite3_finalize(is);
}

/* The next "(...)" after a CHECK in a table's SQL, and its size; NULL where there are no more. */
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

static void check_constraint(struct checker *checker, const char *table, bool has_rowid,
                             const char *text, size_t size)
{
    char *query = sqlite3_mprintf(
        "SELECT coalesce('row ' || %s, 'a row') || ' of %q breaks a rule of its table: %.*q'"
        " FROM %s WHERE NOT %.*s",
        has_rowid ? "rowid" : "NULL", table, (int)size, text, table, (int)size, text);
    if (query != NULL)
        ask(checker, query);
    else
        say(checker, "no memory for the rules of %s", table);
    sqlite3_free(query);
}

/* SQLite does not look at them in a file that it cannot write. */
static void check_constraints(struct checker *checker)
{
    sqlite3_stmt *tables = prepare(checker, checker->model,
                                   "SELECT name, sql FROM sqlite_schema WHERE type = 'table'");
    while (tables != NULL && next(checker, tables)) {
        const char *sql = text_of(tables, 1), *text = sql;
        size_t size;
        while ((text = find_constraint(text, &size)) != NULL) {
            check_constraint(checker, text_of(tables, 0), strstr(sql, "WITHOUT ROWID") == NULL,
                             text, size);
            text += size;
        }
    }
    sqlite3_finalize(tables);
}

/* ---- the history of each node, and what it comes to ---- */

#define HISTORY(which, order)                                                                      \
    "SELECT node, did, " GZ_CONTENT_COLUMNS("before_") ", " GZ_CONTENT_COLUMNS(                    \
        "after_") ", edit, seq FROM changes WHERE node = ?1 AND seq IS " which " NULL" order
#define EDIT_COLUMN (2 + 2 * GZ_CONTENT_COLUMN_COUNT)
#define SEQ_COLUMN (EDIT_COLUMN + 1)

static const char nodes_sql[] =
    "SELECT id, deleted_seq IS NOT NULL, " GZ_CONTENT_COLUMNS("") " FROM nodes ORDER BY id";

struct replay {
    struct checker *checker;
    sqlite3_stmt *nodes, *done, *running;
    struct gz_arena arena; /* of one node */
    int64_t since; /* where the past begins that is kept; what is left from before it need not hang
                      together */
    /* the node as its history so far leaves it */
    uint64_t node, edit; /* edit: 0 before the first */
    bool exists;
    struct gz_content content;
};

/* Bit by bit. NULL where they are the same. */
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

/* What the next change says of before has to be what the last one left. */
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

/* The history ended: it has to come to the row. A node that a drag holds may be anywhere. */
static void check_present(struct replay *replay, const struct gz_content *now, bool gone,
                          bool is_held)
{
    struct checker *checker = replay->checker;
    if (replay->edit == 0) {
        /* A node whose making was taken back before it was saved is a tombstone without a history.
         */
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
    const char *what = difference(now, &replay->content, is_held);
    if (what != NULL)
        say(checker,
            "node %" PRIu64 " (%s) has another %s than edit %" PRIu64 ", its last, had left",
            replay->node, now->name, what, replay->edit);
}

/* False without memory, which was said. */
static bool read_change(struct replay *replay, sqlite3_stmt *row, struct gz_change *change)
{
    *change = (struct gz_change){0};
    if (gz_read_change(row, &replay->arena, change) == GZ_OK) return true;
    say(replay->checker, "no memory for the history of node %" PRIu64, replay->node);
    return false;
}

static void replay_done(struct replay *replay)
{
    struct gz_change change;
    while (next(replay->checker, replay->done) && read_change(replay, replay->done, &change)) {
        uint64_t edit = (uint64_t)sqlite3_column_int64(replay->done, EDIT_COLUMN);
        if (sqlite3_column_int64(replay->done, SEQ_COLUMN) > replay->since)
            check_link(replay, &change, edit);
        replay->edit = edit;
        replay->exists = change.exists;
        replay->content = change.exists ? change.after : change.before;
    }
}

/* True where a drag holds the node. */
static bool replay_running(struct replay *replay)
{
    struct gz_change change;
    bool is_held = false;
    while (next(replay->checker, replay->running) &&
           read_change(replay, replay->running, &change)) {
        uint64_t edit = (uint64_t)sqlite3_column_int64(replay->running, EDIT_COLUMN);
        if (is_held)
            say(replay->checker, "edit %" PRIu64 " drags node %" PRIu64 " beside another", edit,
                replay->node);
        check_link(replay, &change, edit);
        is_held = true;
    }
    return is_held;
}

static void replay_node(struct replay *replay)
{
    struct gz_content now;
    gz_arena_reset(&replay->arena, GZ_STATE_BYTES_MAX);
    replay->node = (uint64_t)sqlite3_column_int64(replay->nodes, 0);
    replay->edit = 0;
    replay->exists = false;
    bool gone = sqlite3_column_int(replay->nodes, 1) != 0;
    if (gz_read_content(replay->nodes, 2, &replay->arena, &now) != GZ_OK) {
        say(replay->checker, "node %" PRIu64 " has no name", replay->node);
        return;
    }
    sqlite3_bind_int64(replay->done, 1, (sqlite3_int64)replay->node);
    sqlite3_bind_int64(replay->running, 1, (sqlite3_int64)replay->node);
    replay_done(replay);
    check_present(replay, &now, gone, replay_running(replay));
    sqlite3_reset(replay->done);
    sqlite3_reset(replay->running);
}

/* 0, and said, where it cannot be read. */
static int64_t read_since(struct checker *checker)
{
    int64_t since = 0;
    struct gz_error error;
    if (gz_db_integer(checker->db, "SELECT since FROM kept", &since, &error) != GZ_OK)
        say_unread(checker, checker->db);
    return since;
}

static void check_replay(struct checker *checker)
{
    struct replay replay = {
        .checker = checker,
        .nodes = prepare(checker, checker->db, nodes_sql),
        .done = prepare(checker, checker->db, HISTORY("NOT", " ORDER BY seq, step")),
        .running = prepare(checker, checker->db, HISTORY("", ""))};
    gz_arena_init(&replay.arena, GZ_STATE_BYTES_MAX);
    replay.since = read_since(checker);
    while (replay.nodes != NULL && replay.done != NULL && replay.running != NULL &&
           next(checker, replay.nodes))
        replay_node(&replay);
    sqlite3_finalize(replay.nodes);
    sqlite3_finalize(replay.done);
    sqlite3_finalize(replay.running);
    gz_arena_finish(&replay.arena);
}

/* ---- numbers ---- */

#define TEXT_OF(number) #number
#define TEXT(number) TEXT_OF(number)

/* As far from 1 as the scene lets a rotation's square be; NULL, which is no fault, for a side that
 * is not there. */
#define IS_NO_ROTATION(p)                                                                          \
    "abs(" p "rx * " p "rx + " p "ry * " p "ry + " p "rz * " p "rz + " p "rw * " p "rw - 1) > "    \
    "1e-6"
#define IS_INFINITE(p)                                                                             \
    "9e999 IN (abs(" p "tx), abs(" p "ty), abs(" p "tz), abs(" p "sx), abs(" p "sy), abs(" p "sz)" \
    ")"
#define IS_NO_BOX(p)                                                                               \
    p "min_x > " p "max_x OR " p "min_y > " p "max_y OR " p "min_z > " p                           \
      "max_z OR 9e999 IN (abs(" p "min_x), abs(" p "min_y), abs(" p "min_z), abs(" p               \
      "max_x), abs(" p "max_y), abs(" p "max_z))"
/* The faults of a transform, and of a box, in words. */
#define WRONG_TRS(p)                                                                               \
    "iif(" IS_NO_ROTATION(                                                                         \
        p) ", 'a rotation that is no unit quaternion', 'a number that is not finite')"
#define IS_WRONG_TRS(p) "(" IS_NO_ROTATION(p) " OR " IS_INFINITE(p) ")"

#define NODE_WORDS "'node ' || n.id || ' (' || n.name || ')'"

/* ---- the promises ---- */

static const struct promise promises[] = {
    {"SELECT 'SQLite: ' || replace(integrity_check, char(10), '; ') FROM "
     "pragma_integrity_check(" TEXT(SAID_MAX) ") WHERE integrity_check <> 'ok'",
     NULL},
    {NULL, check_schema},
    {NULL, check_constraints},
    {"SELECT coalesce('row ' || rowid, 'a row') || ' of ' || \"table\" || ' names a row of ' || "
     "parent ||"
     " ' that is not there' FROM pragma_foreign_key_check",
     NULL},
    {"SELECT 'the table scene has ' || count(*) || ' rows, not one' FROM scene HAVING count(*) <> "
     "1",
     NULL},

    /* ids and seqs below what is given out next */
    {"SELECT " NODE_WORDS " || ' has an id that was never given out: the next is ' || s.next_node"
     " FROM nodes n, scene s WHERE n.id < 1 OR n.id >= s.next_node",
     NULL},
    {"SELECT 'edit ' || e.id || ' has an id that was never given out: the next is ' || s.next_edit"
     " FROM edits e, scene s WHERE e.id < 1 OR e.id >= s.next_edit",
     NULL},
    {"SELECT " NODE_WORDS " || ' changed at seq ' || n.seq || ', the scene has come to ' || s.seq"
     " FROM nodes n, scene s WHERE n.seq < 1 OR n.seq > s.seq",
     NULL},
    {"SELECT 'edit ' || e.id || ' is of seq ' || coalesce(e.seq, e.began_seq) || ', the scene has "
     "come to ' || s.seq"
     " FROM edits e, scene s WHERE e.seq > s.seq OR e.began_seq > s.seq",
     NULL},
    {"SELECT 'asset ' || a.id || ' is of seq ' || a.seq || ', the scene has come to ' || s.seq"
     " FROM assets a, scene s WHERE a.seq > s.seq",
     NULL},
    {"SELECT 'nodes ' || min(id) || ' and ' || max(id) || ' changed at one seq, ' || seq FROM nodes"
     " GROUP BY seq HAVING count(*) > 1",
     NULL},
    {"SELECT 'edits ' || min(id) || ' and ' || max(id) || ' ended at one seq, ' || seq FROM edits"
     " WHERE seq IS NOT NULL GROUP BY seq HAVING count(*) > 1",
     NULL},

    /* the tree */
    {"SELECT " NODE_WORDS " || ' is alive, but its parent ' || p.id || ' is deleted'"
     " FROM nodes n JOIN nodes p ON p.id = n.parent WHERE n.deleted_seq IS NULL AND p.deleted_seq "
     "IS NOT NULL",
     NULL},
    {"WITH RECURSIVE walk(id) AS (SELECT id FROM nodes n WHERE deleted_seq IS NULL AND (parent IS "
     "NULL OR NOT EXISTS"
     " (SELECT 1 FROM nodes p WHERE p.id = n.parent AND p.deleted_seq IS NULL))"
     " UNION ALL SELECT n.id FROM walk w JOIN nodes n ON n.parent = w.id WHERE n.deleted_seq IS "
     "NULL)"
     " SELECT " NODE_WORDS
     " || ' hangs in a circle' FROM nodes n WHERE n.deleted_seq IS NULL AND n.id NOT IN walk",
     NULL},
    {"WITH RECURSIVE walk(id, depth) AS (SELECT id, 1 FROM nodes WHERE parent IS NULL AND "
     "deleted_seq IS NULL"
     " UNION ALL SELECT n.id, w.depth + 1 FROM walk w JOIN nodes n ON n.parent = w.id WHERE "
     "n.deleted_seq IS NULL)"
     " SELECT 'node ' || id || ' is ' || depth || ' deep, the most is " TEXT(
         GZ_TREE_DEPTH_MAX) "' FROM walk WHERE depth > " TEXT(GZ_TREE_DEPTH_MAX),
     NULL},
    {"SELECT 'there are ' || count(*) || ' nodes, the most is " TEXT(
         GZ_NODES_MAX) "' FROM nodes "
                       "WHERE "
                       "deleted_seq IS "
                       "NULL HAVING "
                       "count(*) "
                       "> " TEXT(GZ_NODES_MAX),
     NULL},

    /* what nodes are */
    {"SELECT 'node ' || id || ' has a name of ' || length(CAST(name AS BLOB)) || ' bytes' FROM "
     "nodes"
     " WHERE length(CAST(name AS BLOB)) > " TEXT(GZ_NAME_BYTES_MAX),
     NULL},
    {"SELECT " NODE_WORDS
     " || ' has ' || " WRONG_TRS("n.") " FROM nodes n WHERE " IS_WRONG_TRS("n."),
     NULL},
    {"SELECT " NODE_WORDS " || ' has a box that is none' FROM nodes n WHERE " IS_NO_BOX("n."),
     NULL},
    {"SELECT 'edit ' || edit || ' found node ' || node || ' with ' || " WRONG_TRS(
         "before_") " FROM changes WHERE " IS_WRONG_TRS("before_"),
     NULL},
    {"SELECT 'edit ' || edit || ' left node ' || node || ' with ' || " WRONG_TRS(
         "after_") " FROM changes WHERE " IS_WRONG_TRS("after_"),
     NULL},
    {"SELECT 'edit ' || edit || ' has a sample of node ' || node || ' at seq ' || seq || ' with ' "
     "|| " WRONG_TRS("") " FROM samples WHERE " IS_WRONG_TRS(""),
     NULL},

    /* epochs and visits, one after the other */
    {"SELECT 'epoch ' || epoch || ' began at seq ' || began_seq || ', before the one before it "
     "did, at ' || last FROM"
     " (SELECT epoch, began_seq, lag(began_seq, 1, 0) OVER (ORDER BY epoch) AS last FROM epochs) "
     "WHERE began_seq < "
     "last",
     NULL},
    {"SELECT 'epoch ' || epoch || ' began at seq ' || began_seq || ', the scene has come to ' || "
     "s.seq"
     " FROM epochs e, scene s WHERE e.began_seq > s.seq",
     NULL},
    {"SELECT 'session ' || session || ' (' || user || ') never left epoch ' || epoch || ', which "
     "is over'"
     " FROM sessions WHERE left IS NULL AND epoch < (SELECT max(epoch) FROM epochs)",
     NULL},

    /* edits */
    {"SELECT 'edit ' || id || ' ended at seq ' || seq || ', which is not after ' || began_seq || "
     "', where it began'"
     " FROM edits WHERE seq <= began_seq OR began_seq < 0",
     NULL},
    {"SELECT 'edit ' || id || ' ended ' || round(began - ended, 3) || ' s before it began' FROM "
     "edits"
     " WHERE ended < began",
     NULL},
    {"SELECT 'edit ' || e.id || ', from seq ' || e.began_seq || coalesce(' to ' || e.seq, ' on') ||"
     " ', is not of its epoch ' || e.epoch FROM (SELECT epoch, began_seq AS low, lead(began_seq) "
     "OVER (ORDER BY epoch) "
     "AS high FROM epochs) p"
     " JOIN edits e ON e.epoch = p.epoch WHERE e.began_seq < p.low OR e.seq > p.high",
     NULL},
    {"SELECT 'edit ' || id || ' runs since epoch ' || epoch || ', which is over' FROM edits"
     " WHERE ended IS NULL AND epoch < (SELECT max(epoch) FROM epochs)",
     NULL},
    {"SELECT 'edit ' || id || ' runs, but it is a ' || kind || ', which nobody drags' FROM edits"
     " WHERE ended IS NULL AND handle IS NULL AND kind <> 'wheel'",
     NULL},
    {"SELECT 'edit ' || id || iif(kind = 'undo', ' undid ', ' redid ') || coalesce('edit ' || "
     "target, 'nothing') ||"
     " ', which was not before it' FROM edits WHERE kind IN ('undo', 'redo') AND coalesce(target "
     ">= id, true)",
     NULL},
    {"SELECT 'edit ' || id || ' restored seq ' || target || ', which was not before it' FROM edits"
     " WHERE kind = 'restore' AND target > began_seq",
     NULL},

    /* what edits did */
    {"SELECT 'edit ' || c.edit || ' is of seq ' || coalesce(e.seq, 'nothing yet') || ', its change "
     "of node ' || c.node "
     "||"
     " ' of ' || coalesce(c.seq, 'nothing yet') FROM changes c JOIN edits e ON e.id = c.edit WHERE "
     "c.seq IS NOT e.seq",
     NULL},
    {"SELECT 'edit ' || s.edit || ' has samples of node ' || s.node || ' from seq ' || s.low || ' "
     "to ' || s.high ||"
     " ', it went from ' || e.began_seq || ' to ' || coalesce(e.seq, c.seq) FROM (SELECT edit, "
     "node, min(seq) AS low,"
     " max(seq) AS high FROM samples GROUP BY edit, node) s JOIN edits e ON e.id = s.edit, scene c"
     " WHERE s.low < e.began_seq OR s.high > coalesce(e.seq, c.seq)",
     NULL},
    {"SELECT 'edit ' || s.edit || ' has samples of node ' || s.node || ', which it did not change' "
     "FROM"
     " (SELECT DISTINCT edit, node FROM samples) s JOIN edits e ON e.id = s.edit WHERE NOT EXISTS "
     "(SELECT 1 FROM "
     "changes c"
     " WHERE c.node = s.node AND c.seq IS e.seq AND +c.edit = s.edit)",
     NULL},
    {NULL, check_replay},

    /* how much of the past is kept */
    {"SELECT 'the table kept has ' || count(*) || ' rows, not one' FROM kept HAVING count(*) <> 1",
     NULL},
    {"SELECT 'the past is kept from seq ' || k.since || ' on, the scene has come to ' || s.seq "
     "FROM kept k, scene s"
     " WHERE k.since < 0 OR k.since > s.seq",
     NULL},

    /* notes */
    {"SELECT 'note ' || id || ' answers note ' || reply || ', which was not before it' FROM notes "
     "WHERE reply >= id",
     NULL},
    {"SELECT 'note ' || id || ' has a text of ' || length(CAST(text AS BLOB)) || ' bytes' FROM "
     "notes"
     " WHERE length(CAST(text AS BLOB)) > " TEXT(GZ_NOTE_BYTES_MAX),
     NULL},
    {"SELECT 'note ' || id || ' is at a place that is not finite' FROM notes WHERE 9e999 IN "
     "(abs(x), abs(y), abs(z))",
     NULL},
    {"SELECT 'there are ' || count(*) || ' notes, the most is " TEXT(
         GZ_NOTES_MAX) "' FROM notes WHERE gone IS NULL HAVING count(*) > " TEXT(GZ_NOTES_MAX),
     NULL},

    /* checkpoints */
    {"SELECT 'checkpoint ' || c.name || ' is for seq ' || c.seq || ', the scene has come to ' || "
     "s.seq"
     " FROM checkpoints c, scene s WHERE c.seq > s.seq",
     NULL},
    {"SELECT 'checkpoint ' || name || ' has a name of ' || length(CAST(name AS BLOB)) || ' bytes' "
     "FROM checkpoints"
     " WHERE length(CAST(name AS BLOB)) > " TEXT(GZ_CHECKPOINT_BYTES_MAX),
     NULL},
    {"SELECT 'there are ' || count(*) || ' checkpoints, the most is " TEXT(
         GZ_CHECKPOINTS_MAX) "' FROM checkpoints HAVING count(*) > " TEXT(GZ_CHECKPOINTS_MAX),
     NULL},
};

static void check_promises(struct checker *checker)
{
    for (size_t i = 0; i < sizeof promises / sizeof promises[0]; i++) {
        checker->found = 0;
        if (promises[i].sql != NULL)
            ask(checker, promises[i].sql);
        else
            promises[i].run(checker);
        say_rest(checker);
    }
}

static enum gz_status count(struct gz_db_reader *reader, struct gz_store_check *check,
                            struct gz_error *error)
{
    int64_t version = 0, nodes = 0, edits = 0, seq = 0;
    enum gz_status status = gz_db_integer(reader->db, "PRAGMA user_version", &version, error);
    if (status == GZ_OK)
        status = gz_db_integer(reader->db, "SELECT count(*) FROM nodes WHERE deleted_seq IS NULL",
                               &nodes, error);
    if (status == GZ_OK)
        status = gz_db_integer(reader->db, "SELECT count(*) FROM edits", &edits, error);
    if (status == GZ_OK) status = gz_db_integer(reader->db, "SELECT seq FROM scene", &seq, error);
    check->version = (int)version;
    check->nodes = (uint64_t)nodes;
    check->edits = (uint64_t)edits;
    check->seq = (uint64_t)seq;
    return status;
}

static enum gz_status make_model(sqlite3 **model, int version, struct gz_error *error)
{
    enum gz_status status =
        gz_db_open(":memory:", SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, model, error);
    for (int i = 0; status == GZ_OK && i < version - GZ_SCHEMA_BASE; i++)
        status = gz_db_exec(*model, gz_sql_schema[i], error);
    return status;
}

static enum gz_status check_reader(struct gz_db_reader *reader, struct gz_store_check *check,
                                   struct gz_error *error)
{
    struct checker checker = {.db = reader->db, .check = check};
    reader->deadline_ns = UINT64_MAX;
    enum gz_status status = gz_db_exec(reader->db, "PRAGMA cache_size = -" CACHE_KB, error);
    if (status == GZ_OK) status = count(reader, check, error);
    if (status == GZ_OK) status = make_model(&checker.model, check->version, error);
    if (status == GZ_OK) check_promises(&checker);
    sqlite3_close(checker.model);
    return status;
}

enum gz_status gz_store_check(const char *path, struct gz_store_check *check,
                              struct gz_error *error)
{
    struct gz_db_reader reader;
    bool still = access(path, F_OK) == 0 && !gz_has_log(path);
    check->faults = 0;
    enum gz_status status = still ? gz_db_reader_open_still(&reader, path, error)
                                  : gz_db_reader_open(&reader, path, error);
    if (status != GZ_OK) return status;
    status = check_reader(&reader, check, error);
    gz_db_reader_close(&reader);
    if (still && gz_has_log(path) && (status != GZ_OK || check->faults > 0))
        return gz_fail(error, GZ_BAD_STATE, "%s: somebody opened it meanwhile: check it again",
                       gz_db_file_name(path));
    return status;
}
