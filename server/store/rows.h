/* rows.h - binds records to statements and reads them from rows, with the columns in the order of
 * sql/rows.sql. Threads: those of the statement's connection. */
#ifndef GZ_STORE_ROWS_H
#define GZ_STORE_ROWS_H

#include <sqlite3.h>

#include "scene/record.h"
#include "store/row_check.h"

#include "store/sql.h" /* made from sql/ by schema/embed.awk */

/* One use of a statement: its parameters are bound one after the other, then it is run, or its rows
 * are read. The first error is kept, and everything after it does nothing. */
struct gz_ask {
    sqlite3 *db;
    sqlite3_stmt *statement;
    int next;
    int rc;
    bool is_own; /* made by gz_ask_prepare: gz_ask_end finalizes it instead of resetting it */
};

/* Begins a use of a statement that the caller keeps. */
struct gz_ask gz_ask_begin(sqlite3_stmt *statement);
/* Prepares a statement for one use. */
struct gz_ask gz_ask_prepare(sqlite3 *db, const char *sql);

void gz_bind_integer(struct gz_ask *ask, uint64_t value);
/* As above, NULL for 0. */
void gz_bind_id(struct gz_ask *ask, uint64_t value);
/* NaN is NULL. */
void gz_bind_real(struct gz_ask *ask, double value);
/* Not copied: stays valid until the use ends. NULL is NULL. */
void gz_bind_text(struct gz_ask *ask, const char *text);
void gz_bind_blob(struct gz_ask *ask, const void *bytes, size_t size);
/* Three NULLs for NULL. */
void gz_bind_nulls(struct gz_ask *ask, int count);
void gz_bind_point(struct gz_ask *ask, const gz_vec3 *point);
void gz_bind_trs(struct gz_ask *ask, const gz_trs *trs);
/* NULL for a side that a change does not have. */
void gz_bind_content(struct gz_ask *ask, const struct gz_content *content);
/* The same without the parent. */
void gz_bind_own(struct gz_ask *ask, const struct gz_content *content);

/* Goes to the next row; false at the end, and after an error, which gz_ask_end returns. */
bool gz_ask_row(struct gz_ask *ask);
/* Ends the use, at any row. Returns `status` if that is an error already; else GZ_OK, or an error
 * with `doing` and SQLite's message. */
GZ_MUST_USE enum gz_status gz_ask_end(struct gz_ask *ask, enum gz_status status,
                                      struct gz_error *error, const char *doing);
/* The same, as SQLITE_OK or SQLite's code. */
int gz_ask_finish(struct gz_ask *ask);
/* Runs a statement that returns no rows, and ends the use: SQLITE_OK, or SQLite's code. */
GZ_MUST_USE int gz_ask_run(struct gz_ask *ask);

/* NULL if the column is NULL or there is no memory. */
const char *gz_read_text(sqlite3_stmt *row, int column, struct gz_arena *arena);
gz_vec3 gz_read_vec3(sqlite3_stmt *row, int column);
gz_trs gz_read_trs(sqlite3_stmt *row, int column);
GZ_MUST_USE enum gz_status gz_read_content(sqlite3_stmt *row, int column, struct gz_arena *arena,
                                           struct gz_content *content);
/* `row` begins with first, count, seq and sha256 of `assets`. NULL, or a fault as row_check.h. */
const char *gz_read_asset(sqlite3_stmt *row, struct gz_asset_record *asset);
/* `row` begins with the columns {change}; `change` is zeroed. */
GZ_MUST_USE enum gz_status gz_read_change(sqlite3_stmt *row, struct gz_arena *arena,
                                          struct gz_change *change);
/* The columns {note} begin at `at`. */
GZ_MUST_USE enum gz_status gz_read_note(sqlite3_stmt *row, int at, struct gz_arena *arena,
                                        struct gz_note_record *note, struct gz_error *error);
/* `row` begins with the columns {edit}. Reads all changes with the statement `changes`,
 * GZ_SQL_ROWS_CHANGES, if `node` is 0; else only those of `node`, with GZ_SQL_ROWS_CHANGE_OF_NODE,
 * and fills edit->total. */
GZ_MUST_USE enum gz_status gz_read_edit(sqlite3_stmt *row, sqlite3_stmt *changes, uint64_t node,
                                        struct gz_arena *arena, struct gz_edit_record *edit,
                                        struct gz_error *error);
/* The same with the ids of the nodes alone; `nodes` is GZ_SQL_ROWS_NODES, or GZ_SQL_ROWS_NODE. */
GZ_MUST_USE enum gz_status gz_read_brief_edit(sqlite3_stmt *row, sqlite3_stmt *nodes, uint64_t node,
                                              struct gz_arena *arena, struct gz_edit_record *edit,
                                              struct gz_error *error);

/* Copies nodes, which ascend by id, into `arena` with parents before children. GZ_STORAGE for a
 * missing parent or a cycle, which only a damaged file has. */
GZ_MUST_USE enum gz_status gz_parents_first(const struct gz_node_record *nodes, size_t count,
                                            struct gz_arena *arena, struct gz_node_record **ordered,
                                            struct gz_error *error);
/* The index of a node in a list that ascends by id; `count` if it is not there. */
size_t gz_find_record(const struct gz_node_record *nodes, size_t count, uint64_t id);

/* A list of nodes that grows while rows are read; finish is free(nodes). */
struct gz_node_list {
    struct gz_node_record *nodes;
    size_t count, capacity;
};
/* Appends a zeroed record; NULL without memory. */
GZ_MUST_USE struct gz_node_record *gz_node_list_add(struct gz_node_list *list);

#endif
