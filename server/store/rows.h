/* rows.h - records as rows: one place that knows the order of the columns.
 * Threads: those of the statement's connection. */
#ifndef GZ_STORE_ROWS_H
#define GZ_STORE_ROWS_H

#include <sqlite3.h>

#include "scene/record.h"

/* The columns of a transform, and of a node's content, each with a prefix (a string literal). */
#define GZ_TRS_COLUMNS(p)                                                                          \
    p "tx, " p "ty, " p "tz, " p "rx, " p "ry, " p "rz, " p "rw, " p "sx, " p "sy, " p "sz"
#define GZ_CONTENT_COLUMNS(p)                                                                      \
    p "parent, " p "name, " GZ_TRS_COLUMNS(p) ", " p "min_x, " p "min_y, " p "min_z, " p           \
                                              "max_x, " p "max_y, " p "max_z, " p "asset"
#define GZ_TRS_COLUMN_COUNT 10
#define GZ_CONTENT_COLUMN_COUNT 19

/* An edit `e`, and the changes of the edit ?1: what gz_read_edit reads. */
#define GZ_EDIT_COLUMNS                                                                            \
    "e.id, e.kind, e.handle, e.session, e.epoch, e.user, e.key, e.target, e.began, e.ended, "      \
    "e.began_seq, e.seq, "                                                                         \
    "e.residual, e.typed, e.typed2, (SELECT count(*) FROM changes c WHERE c.edit = e.id), "        \
    "e.kind = 'undo' AND EXISTS (SELECT 1 FROM edits t WHERE t.id = e.target AND t.user <> "       \
    "e.user)"
#define GZ_EDIT_CHANGES_SQL                                                                        \
    "SELECT node, did, " GZ_CONTENT_COLUMNS("before_") ", " GZ_CONTENT_COLUMNS(                    \
        "after_") " FROM changes WHERE edit = ?1 ORDER BY step"

/* The same for gz_read_brief_edit. */
#define GZ_EDIT_NODES_SQL                                                                          \
    "SELECT node, iif(step = 0, coalesce(after_name, before_name), NULL) FROM changes"             \
    " WHERE edit = ?1 ORDER BY step"

/* A statement whose parameters are filled one after the other. The first error is kept and makes
 * gz_bind_run fail. */
struct gz_bind {
    sqlite3_stmt *statement;
    int next;
    int rc;
};

struct gz_bind gz_bind_begin(sqlite3_stmt *statement);
void gz_bind_integer(struct gz_bind *bind, uint64_t value);
/* As above, NULL for 0. */
void gz_bind_id(struct gz_bind *bind, uint64_t value);
void gz_bind_real(struct gz_bind *bind, double value);
/* Not copied: stays valid until gz_bind_run. NULL is NULL. */
void gz_bind_text(struct gz_bind *bind, const char *text);
void gz_bind_blob(struct gz_bind *bind, const void *bytes, size_t size);
/* Three NULLs for NULL. */
void gz_bind_point(struct gz_bind *bind, const gz_vec3 *point);
void gz_bind_trs(struct gz_bind *bind, const gz_trs *trs);
/* NULL for a side that a change does not have. */
void gz_bind_content(struct gz_bind *bind, const struct gz_content *content);
/* Runs a statement that returns no rows and makes it ready for its next use. SQLITE_OK, or SQLite's
 * code. */
GZ_MUST_USE int gz_bind_run(struct gz_bind *bind);

/* NULL where the column is NULL or there is no memory. */
const char *gz_read_text(sqlite3_stmt *row, int column, struct gz_arena *arena);
gz_vec3 gz_read_vec3(sqlite3_stmt *row, int column);
gz_trs gz_read_trs(sqlite3_stmt *row, int column);
GZ_MUST_USE enum gz_status gz_read_content(sqlite3_stmt *row, int column, struct gz_arena *arena,
                                           struct gz_content *content);
/* `row` begins with the columns of GZ_EDIT_CHANGES_SQL; `change` is zeroed. */
GZ_MUST_USE enum gz_status gz_read_change(sqlite3_stmt *row, struct gz_arena *arena,
                                          struct gz_change *change);
/* `row` stands on a row of GZ_EDIT_COLUMNS; `changes` is GZ_EDIT_CHANGES_SQL, for use here. */
GZ_MUST_USE enum gz_status gz_read_edit(sqlite3_stmt *row, sqlite3_stmt *changes,
                                        struct gz_arena *arena, struct gz_edit_record *edit,
                                        struct gz_error *error);
/* The same without what was changed; `nodes` is GZ_EDIT_NODES_SQL. */
GZ_MUST_USE enum gz_status gz_read_brief_edit(sqlite3_stmt *row, sqlite3_stmt *nodes,
                                              struct gz_arena *arena, struct gz_edit_record *edit,
                                              struct gz_error *error);

/* Copies nodes, ascending by id, into `arena` with parents before children. A parent that is not
 * there or a circle, which only a damaged file has, is GZ_STORAGE. */
GZ_MUST_USE enum gz_status gz_parents_first(const struct gz_node_record *nodes, size_t count,
                                            struct gz_arena *arena, struct gz_node_record **ordered,
                                            struct gz_error *error);
/* The index of a node in a list that ascends by id; `count` where it is not there. */
size_t gz_find_record(const struct gz_node_record *nodes, size_t count, uint64_t id);

/* A list of nodes that grows while rows are read; finish is free(nodes). */
struct gz_node_list {
    struct gz_node_record *nodes;
    size_t count, capacity;
};
/* The zeroed next one; NULL without memory. */
GZ_MUST_USE struct gz_node_record *gz_node_list_add(struct gz_node_list *list);

#endif
