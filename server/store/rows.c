/* rows.c - binds records to statements and reads records from rows. */
#include "store/rows.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "server/maxima.h"
#include "store/database.h"

struct gz_ask gz_ask_begin(sqlite3_stmt *statement)
{
    return (struct gz_ask){
        .db = sqlite3_db_handle(statement), .statement = statement, .next = 1, .rc = SQLITE_OK};
}

struct gz_ask gz_ask_prepare(sqlite3 *db, const char *sql)
{
    struct gz_ask ask = {.db = db, .next = 1, .is_own = true};
    ask.rc = sqlite3_prepare_v2(db, sql, -1, &ask.statement, NULL);
    return ask;
}

bool gz_ask_row(struct gz_ask *ask)
{
    if (ask->rc == SQLITE_OK || ask->rc == SQLITE_ROW) ask->rc = sqlite3_step(ask->statement);
    return ask->rc == SQLITE_ROW;
}

int gz_ask_finish(struct gz_ask *ask)
{
    if (ask->is_own)
        sqlite3_finalize(ask->statement);
    else
        sqlite3_reset(ask->statement);
    return ask->rc == SQLITE_ROW || ask->rc == SQLITE_DONE ? SQLITE_OK : ask->rc;
}

enum gz_status gz_ask_end(struct gz_ask *ask, enum gz_status status, struct gz_error *error,
                          const char *doing)
{
    bool is_fine = ask->rc == SQLITE_OK || ask->rc == SQLITE_ROW || ask->rc == SQLITE_DONE;
    if (status == GZ_OK && !is_fine) status = gz_db_fail(ask->db, ask->rc, error, doing);
    gz_ask_finish(ask);
    return status;
}

int gz_ask_run(struct gz_ask *ask)
{
    assert(ask->rc != SQLITE_OK || ask->next == sqlite3_bind_parameter_count(ask->statement) + 1);
    gz_ask_row(ask);
    return gz_ask_finish(ask);
}

/* Keeps the first error of the binds. */
static void keep(struct gz_ask *ask, int rc)
{
    if (ask->rc == SQLITE_OK) ask->rc = rc;
}

void gz_bind_integer(struct gz_ask *ask, uint64_t value)
{
    keep(ask, sqlite3_bind_int64(ask->statement, ask->next++, (sqlite3_int64)value));
}

static void bind_null(struct gz_ask *ask)
{
    keep(ask, sqlite3_bind_null(ask->statement, ask->next++));
}

void gz_bind_id(struct gz_ask *ask, uint64_t value)
{
    if (value == 0)
        bind_null(ask);
    else
        gz_bind_integer(ask, value);
}

void gz_bind_real(struct gz_ask *ask, double value)
{
    keep(ask, sqlite3_bind_double(ask->statement, ask->next++, value));
}

void gz_bind_text(struct gz_ask *ask, const char *text)
{
    keep(ask, sqlite3_bind_text(ask->statement, ask->next++, text, -1, SQLITE_STATIC));
}

void gz_bind_blob(struct gz_ask *ask, const void *bytes, size_t size)
{
    keep(ask, sqlite3_bind_blob64(ask->statement, ask->next++, bytes, size, SQLITE_STATIC));
}

static void bind_vec3(struct gz_ask *ask, gz_vec3 v)
{
    gz_bind_real(ask, v.x);
    gz_bind_real(ask, v.y);
    gz_bind_real(ask, v.z);
}

void gz_bind_nulls(struct gz_ask *ask, int count)
{
    while (count-- > 0) bind_null(ask);
}

void gz_bind_point(struct gz_ask *ask, const gz_vec3 *point)
{
    if (point != NULL)
        bind_vec3(ask, *point);
    else
        gz_bind_nulls(ask, 3);
}

void gz_bind_trs(struct gz_ask *ask, const gz_trs *trs)
{
    bind_vec3(ask, trs->t);
    gz_bind_real(ask, trs->r.x);
    gz_bind_real(ask, trs->r.y);
    gz_bind_real(ask, trs->r.z);
    gz_bind_real(ask, trs->r.w);
    bind_vec3(ask, trs->s);
}

void gz_bind_own(struct gz_ask *ask, const struct gz_content *content)
{
    gz_bind_text(ask, content->name);
    gz_bind_trs(ask, &content->trs);
    if (content->has_bounds) {
        bind_vec3(ask, content->bounds.min);
        bind_vec3(ask, content->bounds.max);
    } else {
        gz_bind_nulls(ask, 6);
    }
    if (content->asset >= 0)
        gz_bind_integer(ask, (uint64_t)content->asset);
    else
        bind_null(ask);
}

void gz_bind_content(struct gz_ask *ask, const struct gz_content *content)
{
    if (content == NULL) {
        gz_bind_nulls(ask, GZ_CONTENT_COLUMN_COUNT);
        return;
    }
    gz_bind_id(ask, content->parent);
    gz_bind_own(ask, content);
}

const char *gz_read_text(sqlite3_stmt *row, int column, struct gz_arena *arena)
{
    const unsigned char *text = sqlite3_column_text(row, column);
    if (text == NULL) return NULL;
    size_t size = (size_t)sqlite3_column_bytes(row, column) + 1;
    char *copy = gz_arena_take(arena, 1, size);
    return copy != NULL ? memcpy(copy, text, size) : NULL;
}

gz_vec3 gz_read_vec3(sqlite3_stmt *row, int column)
{
    return (gz_vec3){sqlite3_column_double(row, column), sqlite3_column_double(row, column + 1),
                     sqlite3_column_double(row, column + 2)};
}

gz_trs gz_read_trs(sqlite3_stmt *row, int column)
{
    return (gz_trs){
        .t = gz_read_vec3(row, column),
        .r = {sqlite3_column_double(row, column + 3), sqlite3_column_double(row, column + 4),
              sqlite3_column_double(row, column + 5), sqlite3_column_double(row, column + 6)},
        .s = gz_read_vec3(row, column + 7)};
}

enum gz_status gz_read_content(sqlite3_stmt *row, int column, struct gz_arena *arena,
                               struct gz_content *content)
{
    int bounds = column + 2 + GZ_TRS_COLUMN_COUNT, asset = bounds + 6;
    *content = (struct gz_content){
        .parent = (uint64_t)sqlite3_column_int64(row, column),
        .name = gz_read_text(row, column + 1, arena),
        .trs = gz_read_trs(row, column + 2),
        .has_bounds = sqlite3_column_type(row, bounds) != SQLITE_NULL,
        .bounds = {gz_read_vec3(row, bounds), gz_read_vec3(row, bounds + 3)},
        .asset =
            sqlite3_column_type(row, asset) != SQLITE_NULL ? sqlite3_column_int64(row, asset) : -1,
    };
    return content->name != NULL ? GZ_OK : GZ_NO_MEMORY;
}

/* Reads one side of a change; a missing side stays zeroed, with no asset. */
static enum gz_status read_side(sqlite3_stmt *row, int column, struct gz_arena *arena,
                                struct gz_content *content, bool *exists)
{
    *exists = sqlite3_column_type(row, column + 1) != SQLITE_NULL;
    content->asset = -1;
    return *exists ? gz_read_content(row, column, arena, content) : GZ_OK;
}

enum gz_status gz_read_change(sqlite3_stmt *row, struct gz_arena *arena, struct gz_change *change)
{
    change->node = (uint64_t)sqlite3_column_int64(row, 0);
    enum gz_status status = read_side(row, 2, arena, &change->before, &change->existed);
    if (status != GZ_OK) return status;
    return read_side(row, 2 + GZ_CONTENT_COLUMN_COUNT, arena, &change->after, &change->exists);
}

const char *gz_read_asset(sqlite3_stmt *row, struct gz_asset_record *asset)
{
    const char *sha256 = (const char *)sqlite3_column_text(row, 3);
    *asset = (struct gz_asset_record){.first = (uint64_t)sqlite3_column_int64(row, 0),
                                      .count = (uint64_t)sqlite3_column_int64(row, 1),
                                      .seq = (uint64_t)sqlite3_column_int64(row, 2)};
    if (gz_counter_fault(row, 0, 0) != NULL) return "first is invalid";
    if (gz_counter_fault(row, 1, 1) != NULL) return "count is invalid";
    if (gz_counter_fault(row, 2, 0) != NULL) return "seq is invalid";
    if (sha256 == NULL || gz_text_fault(row, 3, sizeof asset->sha256 - 1) != NULL)
        return "sha256 is invalid";
    memcpy(asset->sha256, sha256, (size_t)sqlite3_column_bytes(row, 3));
    return NULL;
}

static const char *note_fault(sqlite3_stmt *row, int at, const struct gz_note_record *note)
{
    if (gz_counter_fault(row, at, 1) != NULL) return "its id is invalid";
    if (gz_text_fault(row, at + 1, GZ_USER_BYTES_MAX) != NULL) return "user is not a name";
    if (gz_text_fault(row, at + 2, GZ_NOTE_BYTES_MAX) != NULL) return "text is empty or too long";
    if (gz_text_fault(row, at + 11, GZ_USER_BYTES_MAX) != NULL) return "changed_by is not a name";
    if (gz_time_fault(row, at + 9) != NULL || gz_time_fault(row, at + 10) != NULL)
        return "made or changed is not a time";
    return gz_finite(note->point) ? NULL : "its place is not finite";
}

enum gz_status gz_read_note(sqlite3_stmt *row, int at, struct gz_arena *arena,
                            struct gz_note_record *note, struct gz_error *error)
{
    *note = (struct gz_note_record){
        .id = (uint64_t)sqlite3_column_int64(row, at),
        .user = gz_read_text(row, at + 1, arena),
        .text = gz_read_text(row, at + 2, arena),
        .node = (uint64_t)sqlite3_column_int64(row, at + 3),
        .has_point = sqlite3_column_type(row, at + 4) != SQLITE_NULL,
        .point = gz_read_vec3(row, at + 4),
        .reply = (uint64_t)sqlite3_column_int64(row, at + 7),
        .done = sqlite3_column_int(row, at + 8) != 0,
        .made = sqlite3_column_double(row, at + 9),
        .changed = sqlite3_column_double(row, at + 10),
        .by = gz_read_text(row, at + 11, arena),
    };
    const char *fault = note_fault(row, at, note);
    if (fault != NULL) return gz_row_fail(error, "notes", (int64_t)note->id, fault);
    if (note->user != NULL && note->text != NULL && note->by != NULL) return GZ_OK;
    return gz_fail(error, GZ_NO_MEMORY, "no memory for a note");
}

static enum gz_status fail_memory(struct gz_error *error, const char *what)
{
    return gz_fail(error, GZ_NO_MEMORY, "no memory for the %s of an edit", what);
}

/* Begins to read the changes of an edit: all of them, or those of one node. */
static struct gz_ask ask_changes(sqlite3_stmt *statement, uint64_t node,
                                 const struct gz_edit_record *edit)
{
    struct gz_ask rows = gz_ask_begin(statement);
    gz_bind_integer(&rows, edit->id);
    if (node == 0) return rows;
    gz_bind_integer(&rows, node);
    gz_bind_integer(&rows, edit->seq);
    return rows;
}

static enum gz_status read_changes(sqlite3_stmt *statement, uint64_t node, size_t count,
                                   struct gz_arena *arena, struct gz_edit_record *edit,
                                   struct gz_error *error)
{
    struct gz_change *changes = gz_arena_take(arena, count, sizeof *changes);
    if (changes == NULL) return fail_memory(error, "changes");
    edit->changes = changes;
    struct gz_ask rows = ask_changes(statement, node, edit);
    enum gz_status status = GZ_OK;
    while (status == GZ_OK && edit->change_count < count && gz_ask_row(&rows)) {
        struct gz_change *change = &changes[edit->change_count++];
        if (gz_read_change(statement, arena, change) != GZ_OK)
            status = fail_memory(error, "changes");
        else if (gz_change_fault(statement, change) != NULL)
            status =
                gz_fail(error, GZ_STORAGE, "the file is damaged: edit %llu changes node %llu: %s",
                        (unsigned long long)edit->id, (unsigned long long)change->node,
                        gz_change_fault(statement, change));
    }
    return gz_ask_end(&rows, status, error, "the changes of an edit");
}

/* The value of a word in a column; -1 for a word that this build does not know, `absent` for
 * NULL. */
static int read_term(sqlite3_stmt *row, int column, const struct gz_vocabulary *terms, int absent)
{
    const char *word = (const char *)sqlite3_column_text(row, column);
    if (word == NULL) return absent;
    return gz_vocabulary_value(terms, word, (size_t)sqlite3_column_bytes(row, column));
}

static enum gz_status read_nodes(sqlite3_stmt *statement, uint64_t node, size_t count,
                                 struct gz_arena *arena, struct gz_edit_record *edit,
                                 struct gz_error *error)
{
    uint64_t *nodes = gz_arena_take(arena, count, sizeof *nodes);
    if (nodes == NULL) return fail_memory(error, "nodes");
    edit->nodes = nodes;
    struct gz_ask rows = ask_changes(statement, node, edit);
    while (edit->change_count < count && gz_ask_row(&rows)) {
        nodes[edit->change_count++] = (uint64_t)sqlite3_column_int64(statement, 0);
        if (count == 1) edit->name = gz_read_text(statement, 1, arena);
    }
    bool is_read = count != 1 || edit->change_count == 0 || edit->name != NULL;
    enum gz_status status = is_read ? GZ_OK : fail_memory(error, "nodes");
    return gz_ask_end(&rows, status, error, "the nodes of an edit");
}

/* In a row that begins with the columns {edit}: how many changes it has. */
enum { CHANGES_COLUMN = 15 };

static const char *edit_fault(sqlite3_stmt *row)
{
    bool has_key = sqlite3_column_type(row, 6) != SQLITE_NULL;
    if (gz_counter_fault(row, 0, 1) != NULL) return "its id is invalid";
    if (gz_text_fault(row, 5, GZ_USER_BYTES_MAX) != NULL) return "user is not a name";
    if (has_key && gz_text_fault(row, 6, GZ_KEY_BYTES_MAX) != NULL) return "key is not valid";
    if (!isfinite(sqlite3_column_double(row, 8)) || !isfinite(sqlite3_column_double(row, 9)))
        return "its times are not finite";
    if (gz_counter_fault(row, 10, 0) != NULL || gz_counter_fault(row, 11, 0) != NULL)
        return "its seqs are invalid";
    int64_t changes = sqlite3_column_int64(row, CHANGES_COLUMN);
    if (changes < 0 || changes > GZ_SERVER_LIST_MAX) return "the steps of its changes are invalid";
    for (int column = 12; column <= 14; column++)
        if (!isfinite(sqlite3_column_double(row, column))) return "its numbers are not finite";
    return NULL;
}

/* Reads the edit without its changes. */
static enum gz_status read_edit(sqlite3_stmt *row, struct gz_arena *arena,
                                struct gz_edit_record *edit, struct gz_error *error)
{
    int kind = read_term(row, 1, &gz_edit_kind_words, -1);
    int handle = read_term(row, 2, &gz_handle_words, GZ_HANDLE_NONE);
    const char *fault = kind < 0 || handle < 0 ? "its kind or handle is unknown" : edit_fault(row);
    if (fault != NULL) return gz_row_fail(error, "edits", sqlite3_column_int64(row, 0), fault);
    *edit = (struct gz_edit_record){
        .id = (uint64_t)sqlite3_column_int64(row, 0),
        .kind = (enum gz_edit_kind)kind,
        .handle = (enum gz_handle)handle,
        .session = (uint64_t)sqlite3_column_int64(row, 3),
        .epoch = (uint64_t)sqlite3_column_int64(row, 4),
        .user = gz_read_text(row, 5, arena),
        .key = gz_read_text(row, 6, arena),
        .target = (uint64_t)sqlite3_column_int64(row, 7),
        .began = sqlite3_column_double(row, 8),
        .ended = sqlite3_column_double(row, 9),
        .began_seq = (uint64_t)sqlite3_column_int64(row, 10),
        .seq = (uint64_t)sqlite3_column_int64(row, 11),
        .residual = sqlite3_column_double(row, 12),
        .reverts = sqlite3_column_int(row, 16) != 0,
    };
    for (int i = 0; i < 2 && sqlite3_column_type(row, 13 + i) != SQLITE_NULL; i++)
        edit->value[edit->value_count++] = sqlite3_column_double(row, 13 + i);
    bool has_key = sqlite3_column_type(row, 6) != SQLITE_NULL;
    if (edit->user == NULL || (has_key && edit->key == NULL))
        return gz_fail(error, GZ_NO_MEMORY, "no memory");
    return GZ_OK;
}

/* How many changes will be read. If only one node is read, edit->total is the number of all. */
static size_t count_changes(sqlite3_stmt *row, uint64_t node, struct gz_edit_record *edit)
{
    size_t count = (size_t)sqlite3_column_int64(row, CHANGES_COLUMN);
    if (node == 0) return count;
    edit->total = count;
    return 1;
}

enum gz_status gz_read_edit(sqlite3_stmt *row, sqlite3_stmt *changes, uint64_t node,
                            struct gz_arena *arena, struct gz_edit_record *edit,
                            struct gz_error *error)
{
    enum gz_status status = read_edit(row, arena, edit, error);
    if (status != GZ_OK) return status;
    return read_changes(changes, node, count_changes(row, node, edit), arena, edit, error);
}

enum gz_status gz_read_brief_edit(sqlite3_stmt *row, sqlite3_stmt *nodes, uint64_t node,
                                  struct gz_arena *arena, struct gz_edit_record *edit,
                                  struct gz_error *error)
{
    enum gz_status status = read_edit(row, arena, edit, error);
    if (status != GZ_OK) return status;
    return read_nodes(nodes, node, count_changes(row, node, edit), arena, edit, error);
}

size_t gz_find_record(const struct gz_node_record *nodes, size_t count, uint64_t id)
{
    size_t low = 0, high = count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (nodes[middle].id < id)
            low = middle + 1;
        else
            high = middle;
    }
    return low < count && nodes[low].id == id ? low : count;
}

/* Twice the maximum of a scene: a deeper hierarchy is a cycle. */
#define DEPTH_MAX (2 * GZ_TREE_DEPTH_MAX)

/* Sets the depth (1 for a root) of `node` and of the nodes above it that have none yet. False in a
 * cycle, or if a parent is missing. */
static bool measure_depth(const struct gz_node_record *nodes, size_t count, size_t node,
                          uint16_t *depth)
{
    size_t chain[DEPTH_MAX];
    size_t length = 0, above = 0;
    while (node < count && depth[node] == 0) {
        if (length == DEPTH_MAX) return false;
        chain[length++] = node;
        uint64_t parent = nodes[node].content.parent;
        if (parent == 0) break;
        node = gz_find_record(nodes, count, parent);
    }
    if (node == count) return false;
    above = depth[node];
    if (above + length > DEPTH_MAX) return false;
    while (length > 0) depth[chain[--length]] = (uint16_t)++above;
    return true;
}

enum gz_status gz_parents_first(const struct gz_node_record *nodes, size_t count,
                                struct gz_arena *arena, struct gz_node_record **ordered,
                                struct gz_error *error)
{
    /* A counting sort by depth, which keeps the order of ids within a level. */
    size_t starts[DEPTH_MAX + 2] = {0};
    uint16_t *depth = calloc(count + 1, sizeof *depth);
    *ordered = gz_arena_take(arena, count, sizeof **ordered);
    enum gz_status status = GZ_OK;
    if (depth == NULL || *ordered == NULL) {
        status = gz_fail(error, GZ_NO_MEMORY, "no memory for the nodes");
        goto done;
    }
    for (size_t i = 0; i < count; i++) {
        if (!measure_depth(nodes, count, i, depth)) {
            status = gz_fail(error, GZ_STORAGE,
                             "the file is damaged: the parents of node %llu lead to no root",
                             (unsigned long long)nodes[i].id);
            goto done;
        }
        starts[depth[i] + 1]++;
    }
    for (size_t level = 1; level < sizeof starts / sizeof starts[0]; level++)
        starts[level] += starts[level - 1];
    for (size_t i = 0; i < count; i++) (*ordered)[starts[depth[i]]++] = nodes[i];
done:
    free(depth);
    return status;
}

struct gz_node_record *gz_node_list_add(struct gz_node_list *list)
{
    if (list->count == list->capacity) {
        size_t capacity = list->capacity > 0 ? 2 * list->capacity : 256;
        struct gz_node_record *nodes = realloc(list->nodes, capacity * sizeof *nodes);
        if (nodes == NULL) return NULL;
        list->nodes = nodes;
        list->capacity = capacity;
    }
    struct gz_node_record *node = &list->nodes[list->count++];
    *node = (struct gz_node_record){0};
    return node;
}
