#include "store/rows.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "server/maxima.h"
#include "store/database.h"

struct gz_bind gz_bind_begin(sqlite3_stmt *statement)
{
    return (struct gz_bind){.statement = statement, .next = 1, .rc = SQLITE_OK};
}

static void keep(struct gz_bind *bind, int rc)
{
    if (bind->rc == SQLITE_OK) bind->rc = rc;
}

void gz_bind_integer(struct gz_bind *bind, uint64_t value)
{
    keep(bind, sqlite3_bind_int64(bind->statement, bind->next++, (sqlite3_int64)value));
}

static void bind_null(struct gz_bind *bind)
{
    keep(bind, sqlite3_bind_null(bind->statement, bind->next++));
}

void gz_bind_id(struct gz_bind *bind, uint64_t value)
{
    if (value == 0)
        bind_null(bind);
    else
        gz_bind_integer(bind, value);
}

void gz_bind_real(struct gz_bind *bind, double value)
{
    keep(bind, sqlite3_bind_double(bind->statement, bind->next++, value));
}

void gz_bind_text(struct gz_bind *bind, const char *text)
{
    keep(bind, sqlite3_bind_text(bind->statement, bind->next++, text, -1, SQLITE_STATIC));
}

void gz_bind_blob(struct gz_bind *bind, const void *bytes, size_t size)
{
    keep(bind, sqlite3_bind_blob64(bind->statement, bind->next++, bytes, size, SQLITE_STATIC));
}

static void bind_vec3(struct gz_bind *bind, gz_vec3 v)
{
    gz_bind_real(bind, v.x);
    gz_bind_real(bind, v.y);
    gz_bind_real(bind, v.z);
}

static void bind_nulls(struct gz_bind *bind, int count)
{
    while (count-- > 0) bind_null(bind);
}

void gz_bind_point(struct gz_bind *bind, const gz_vec3 *point)
{
    if (point != NULL)
        bind_vec3(bind, *point);
    else
        bind_nulls(bind, 3);
}

void gz_bind_trs(struct gz_bind *bind, const gz_trs *trs)
{
    bind_vec3(bind, trs->t);
    gz_bind_real(bind, trs->r.x);
    gz_bind_real(bind, trs->r.y);
    gz_bind_real(bind, trs->r.z);
    gz_bind_real(bind, trs->r.w);
    bind_vec3(bind, trs->s);
}

void gz_bind_content(struct gz_bind *bind, const struct gz_content *content)
{
    if (content == NULL) {
        bind_nulls(bind, GZ_CONTENT_COLUMN_COUNT);
        return;
    }
    gz_bind_id(bind, content->parent);
    gz_bind_text(bind, content->name);
    gz_bind_trs(bind, &content->trs);
    if (content->has_bounds) {
        bind_vec3(bind, content->bounds.min);
        bind_vec3(bind, content->bounds.max);
    } else {
        bind_nulls(bind, 6);
    }
    if (content->asset >= 0)
        gz_bind_integer(bind, (uint64_t)content->asset);
    else
        bind_null(bind);
}

int gz_bind_run(struct gz_bind *bind)
{
    assert(bind->rc != SQLITE_OK ||
           bind->next == sqlite3_bind_parameter_count(bind->statement) + 1);
    if (bind->rc != SQLITE_OK) return bind->rc;
    int rc = sqlite3_step(bind->statement);
    sqlite3_reset(bind->statement);
    return rc == SQLITE_DONE ? SQLITE_OK : rc;
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

/* One side of a change; a side that is not there stays zeroed but for its asset, which is none. */
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

static enum gz_status read_changes(sqlite3_stmt *rows, size_t count, struct gz_arena *arena,
                                   struct gz_edit_record *edit, struct gz_error *error)
{
    struct gz_change *changes = gz_arena_take(arena, count, sizeof *changes);
    if (changes == NULL)
        return gz_fail(error, GZ_NO_MEMORY, "no memory for the changes of an edit");
    edit->changes = changes;
    int rc;
    while ((rc = sqlite3_step(rows)) == SQLITE_ROW && edit->change_count < count)
        if (gz_read_change(rows, arena, &changes[edit->change_count++]) != GZ_OK)
            return gz_fail(error, GZ_NO_MEMORY, "no memory for the changes of an edit");
    return rc == SQLITE_DONE
               ? GZ_OK
               : gz_db_fail(sqlite3_db_handle(rows), rc, error, "the changes of an edit");
}

/* The value of a word in a column; -1 for a word that this build does not know, `absent` for
 * NULL. */
static int read_term(sqlite3_stmt *row, int column, const struct gz_vocabulary *terms, int absent)
{
    const char *word = (const char *)sqlite3_column_text(row, column);
    if (word == NULL) return absent;
    return gz_vocabulary_value(terms, word, (size_t)sqlite3_column_bytes(row, column));
}

static enum gz_status read_nodes(sqlite3_stmt *rows, size_t count, struct gz_arena *arena,
                                 struct gz_edit_record *edit, struct gz_error *error)
{
    uint64_t *nodes = gz_arena_take(arena, count, sizeof *nodes);
    if (nodes == NULL) return gz_fail(error, GZ_NO_MEMORY, "no memory for the nodes of an edit");
    edit->nodes = nodes;
    int rc;
    while ((rc = sqlite3_step(rows)) == SQLITE_ROW && edit->change_count < count) {
        nodes[edit->change_count++] = (uint64_t)sqlite3_column_int64(rows, 0);
        if (count > 1) continue;
        edit->name = gz_read_text(rows, 1, arena);
        if (edit->name == NULL)
            return gz_fail(error, GZ_NO_MEMORY, "no memory for the nodes of an edit");
    }
    return rc == SQLITE_DONE
               ? GZ_OK
               : gz_db_fail(sqlite3_db_handle(rows), rc, error, "the nodes of an edit");
}

/* All of the edit but its changes. */
static enum gz_status read_edit(sqlite3_stmt *row, struct gz_arena *arena,
                                struct gz_edit_record *edit, struct gz_error *error)
{
    int kind = read_term(row, 1, &gz_edit_kind_words, -1);
    int handle = read_term(row, 2, &gz_handle_words, GZ_HANDLE_NONE);
    if (kind < 0 || handle < 0)
        return gz_fail(error, GZ_STORAGE, "edit %lld is of an unknown kind",
                       sqlite3_column_int64(row, 0));
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

static size_t change_count(sqlite3_stmt *row)
{
    return (size_t)sqlite3_column_int64(row, 15);
}

enum gz_status gz_read_edit(sqlite3_stmt *row, sqlite3_stmt *changes, struct gz_arena *arena,
                            struct gz_edit_record *edit, struct gz_error *error)
{
    enum gz_status status = read_edit(row, arena, edit, error);
    if (status != GZ_OK) return status;
    sqlite3_bind_int64(changes, 1, sqlite3_column_int64(row, 0));
    status = read_changes(changes, change_count(row), arena, edit, error);
    sqlite3_reset(changes);
    return status;
}

enum gz_status gz_read_brief_edit(sqlite3_stmt *row, sqlite3_stmt *nodes, struct gz_arena *arena,
                                  struct gz_edit_record *edit, struct gz_error *error)
{
    enum gz_status status = read_edit(row, arena, edit, error);
    if (status != GZ_OK) return status;
    sqlite3_bind_int64(nodes, 1, sqlite3_column_int64(row, 0));
    status = read_nodes(nodes, change_count(row), arena, edit, error);
    sqlite3_reset(nodes);
    return status;
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

/* Twice what a scene may have: what is deeper is a circle. */
#define DEPTH_MAX (2 * GZ_TREE_DEPTH_MAX)

/* Sets depth (1 for a root) for `node` and for those above it that have none yet. False in a circle
 * or without a parent. */
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
    /* Few levels, many nodes: a counting sort by depth, which keeps the order of ids within a
     * level. */
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
            status = gz_fail(error, GZ_STORAGE, "the file is damaged: node %llu hangs from nothing",
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
