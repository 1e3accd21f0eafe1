/* gizmo.h - SQL functions over a scene's file for sqlite3 and for programs: a loadable extension,
 * `.load gizmo`.
 *
 * - gizmo_euler(x, y, z, w, order): '[rx, ry, rz]', the degrees about x, y and z. order is one of
 *   XYZ XZY YXZ YZX ZXY ZYX.
 * - gizmo_euler(x, y, z, w, order, axis): the degrees about axis 'x', 'y' or 'z'.
 * - gizmo_world(node [, seq]): '[16 numbers]', the node's matrix in the world, column by column as
 *   in glTF.
 * - gizmo_world(node [, seq], element): one number of the nearest translation, rotation and scale:
 *   tx ty tz rx ry rz rw sx sy sz.
 * - gizmo_distance(a, b [, seq]): metres between the origins of two nodes in the world.
 *
 * If an argument is NULL the answer is NULL. So is the answer for a node that is not alive (now, or
 * at that seq), and for numbers that do not exist: a result that is not finite, the rotation and
 * scale of a matrix without an inverse. Everything else that cannot be answered is an SQL error in
 * words. The functions read "main" alone, change nothing, and need no other part of gizmod. At a
 * seq inside of a drag the node is on the line between two points of the drag's path. Threads: the
 * connection's. */
#ifndef GIZMO_EXTENSION_H
#define GIZMO_EXTENSION_H

/* Not <sqlite3.h>: in the loadable extension the calls go through the table that it is handed. */
#include <sqlite3ext.h>
#include <stdbool.h>
#include <stddef.h>

#include "proto/base/linear.h"

/* The entry point, by the name that SQLite makes of the file's. */
__attribute__((visibility("default"))) int sqlite3_gizmo_init(sqlite3 *db, char **error,
                                                              const sqlite3_api_routines *api);

/* Says "FUNCTION: words" as the error of this call. The function's name is its user data. */
void gizmo_fail(sqlite3_context *call, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* False where an argument is NULL: then the answer is NULL as well. */
bool gizmo_has_all(sqlite3_value *const *arguments, int count);
/* Which of `words` an argument is; -1, with the error said, where it is none. */
int gizmo_read_word(sqlite3_context *call, sqlite3_value *argument, const char *name,
                    const char *const *words, int count);
/* '[a, b, ...]'; NULL where a number is not finite. */
void gizmo_answer_list(sqlite3_context *call, const double *numbers, int count);

/* gizmo_world and gizmo_distance, as SQLite calls them. */
void gizmo_call_world(sqlite3_context *call, int count, sqlite3_value **arguments);
void gizmo_call_distance(sqlite3_context *call, int count, sqlite3_value **arguments);

#endif
