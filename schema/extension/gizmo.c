/* gizmo.c - the SQL functions for transforms, as a loadable extension of SQLite. */
#include "schema/extension/gizmo.h"

#include <stdarg.h>
#include <string.h>

#include "proto/base/vocabulary.h"

SQLITE_EXTENSION_INIT1

/* ---- arguments and answers ---- */

void gizmo_fail(sqlite3_context *call, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    char *words = sqlite3_vmprintf(format, list);
    va_end(list);
    char *line = words != NULL
                     ? sqlite3_mprintf("%s: %s", (const char *)sqlite3_user_data(call), words)
                     : NULL;
    if (line != NULL)
        sqlite3_result_error(call, line, -1);
    else
        sqlite3_result_error_nomem(call);
    sqlite3_free(line);
    sqlite3_free(words);
}

bool gizmo_has_all(sqlite3_value *const *arguments, int count)
{
    for (int i = 0; i < count; i++)
        if (sqlite3_value_type(arguments[i]) == SQLITE_NULL) return false;
    return true;
}

static void fail_word(sqlite3_context *call, sqlite3_value *argument, const char *name,
                      const char *const *words, int count)
{
    sqlite3_str *list = sqlite3_str_new(NULL);
    for (int i = 0; i < count; i++) sqlite3_str_appendf(list, " %s", words[i]);
    char *text = sqlite3_str_finish(list);
    if (text != NULL)
        gizmo_fail(call, "%s is '%s', it has to be one of%s", name,
                   (const char *)sqlite3_value_text(argument), text);
    else
        sqlite3_result_error_nomem(call);
    sqlite3_free(text);
}

int gizmo_read_word(sqlite3_context *call, sqlite3_value *argument, const char *name,
                    const char *const *words, int count)
{
    const char *text = (const char *)sqlite3_value_text(argument);
    for (int i = 0; text != NULL && i < count; i++)
        if (strcmp(words[i], text) == 0) return i;
    fail_word(call, argument, name, words, count);
    return -1;
}

void gizmo_answer_list(sqlite3_context *call, const double *numbers, int count)
{
    sqlite3_str *list = sqlite3_str_new(NULL);
    for (int i = 0; i < count; i++) {
        if (!isfinite(numbers[i])) { /* nothing that JSON could say */
            sqlite3_free(sqlite3_str_finish(list));
            return;
        }
        sqlite3_str_appendf(list, "%s%!.15g", i > 0 ? "," : "[", numbers[i] + 0.0);
    }
    sqlite3_str_appendall(list, "]");
    char *text = sqlite3_str_finish(list);
    if (text != NULL)
        sqlite3_result_text(call, text, -1, sqlite3_free);
    else
        sqlite3_result_error_nomem(call);
}

/* ---- angles ---- */

/* The first four arguments, as the rotation that they are nearest to. */
static bool read_rotation(sqlite3_context *call, sqlite3_value *const *arguments, gz_quat *unit)
{
    static const char *const names[] = {"x", "y", "z", "w"};
    double q[4];
    for (int i = 0; i < 4; i++) {
        int type = sqlite3_value_type(arguments[i]);
        if (type != SQLITE_FLOAT && type != SQLITE_INTEGER) {
            gizmo_fail(call, "%s is %s, not a number", names[i],
                       type == SQLITE_TEXT ? "text" : "a blob");
            return false;
        }
        q[i] = sqlite3_value_double(arguments[i]);
    }
    if (gz_quat_normalize((gz_quat){q[0], q[1], q[2], q[3]}, unit)) return true;
    gizmo_fail(call, "(%g, %g, %g, %g) is no rotation", q[0], q[1], q[2], q[3]);
    return false;
}

static void call_euler(sqlite3_context *call, int count, sqlite3_value **arguments)
{
    static const char *const axes[] = {"x", "y", "z"};
    static const double degrees = 180 / 3.14159265358979323846;
    gz_quat unit;
    if (!gizmo_has_all(arguments, count) || !read_rotation(call, arguments, &unit)) return;
    int order =
        gizmo_read_word(call, arguments[4], "order", gz_euler_words.words, gz_euler_words.count);
    if (order < 0) return;
    gz_vec3 angles = gz_scale(gz_euler_from_quat(unit, (enum gz_euler_order)order), degrees);
    if (count == 5) {
        gizmo_answer_list(call, (const double[]){angles.x, angles.y, angles.z}, 3);
        return;
    }
    int axis = gizmo_read_word(call, arguments[5], "axis", axes, 3);
    if (axis >= 0) sqlite3_result_double(call, gz_component(angles, axis) + 0.0);
}

/* ---- the entry ---- */

typedef void function(sqlite3_context *, int, sqlite3_value **);

static const struct {
    const char *name;
    int arguments, flags;
    function *call;
} functions[] = {
    {"gizmo_euler", 5, SQLITE_DETERMINISTIC | SQLITE_INNOCUOUS, call_euler},
    {"gizmo_euler", 6, SQLITE_DETERMINISTIC | SQLITE_INNOCUOUS, call_euler},
    {"gizmo_world", 1, 0, gizmo_call_world},
    {"gizmo_world", 2, 0, gizmo_call_world},
    {"gizmo_world", 3, 0, gizmo_call_world},
    {"gizmo_distance", 2, 0, gizmo_call_distance},
    {"gizmo_distance", 3, 0, gizmo_call_distance},
};

int sqlite3_gizmo_init(sqlite3 *db, char **error, const sqlite3_api_routines *api)
{
    SQLITE_EXTENSION_INIT2(api);
    (void)error;
    int rc = SQLITE_OK;
    for (size_t i = 0; rc == SQLITE_OK && i < sizeof functions / sizeof functions[0]; i++)
        rc = sqlite3_create_function_v2(db, functions[i].name, functions[i].arguments,
                                        SQLITE_UTF8 | functions[i].flags, (void *)functions[i].name,
                                        functions[i].call, NULL, NULL, NULL);
    return rc;
}
