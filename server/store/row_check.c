/* row_check.c - checks the values of rows. See row_check.h. */
#include "store/row_check.h"

#include <math.h>
#include <string.h>

#include "proto/base/text.h"
#include "server/maxima.h"

/* How far from 1 the square of a rotation's length may be, as the scene and sql/check.sql have
 * it. */
#define UNIT_TOLERANCE 1e-6

const char *gz_text_fault(sqlite3_stmt *row, int column, size_t bytes_max)
{
    if (sqlite3_column_type(row, column) != SQLITE_TEXT) return "is not text";
    const char *text = (const char *)sqlite3_column_text(row, column);
    size_t size = (size_t)sqlite3_column_bytes(row, column);
    if (size > bytes_max) return "is too long";
    return text == NULL || gz_text_valid(text, size) ? NULL : "is not UTF-8, or has a NUL";
}

const char *gz_time_fault(sqlite3_stmt *row, int column)
{
    double time = sqlite3_column_double(row, column);
    if (sqlite3_column_type(row, column) != SQLITE_FLOAT) return "is not a time";
    return time >= 0 && time <= GZ_TIME_MAX ? NULL : "is invalid";
}

const char *gz_counter_fault(sqlite3_stmt *row, int column, int64_t least)
{
    int64_t value = sqlite3_column_int64(row, column);
    if (sqlite3_column_type(row, column) != SQLITE_INTEGER) return "is not a whole number";
    return value < least || value > (int64_t)GZ_COUNTER_MAX ? "is invalid" : NULL;
}

static bool are_reals(sqlite3_stmt *row, int column, int count)
{
    int i = 0;
    while (i < count && sqlite3_column_type(row, column + i) == SQLITE_FLOAT) i++;
    return i == count;
}

static bool are_null(sqlite3_stmt *row, int column, int count)
{
    int i = 0;
    while (i < count && sqlite3_column_type(row, column + i) == SQLITE_NULL) i++;
    return i == count;
}

const char *gz_trs_fault(sqlite3_stmt *row, int column, const gz_trs *trs)
{
    const gz_quat r = trs->r;
    if (!are_reals(row, column, GZ_TRS_COLUMN_COUNT)) return "its transform is not of numbers";
    if (!gz_in_range(trs->t, 0)) return "translation is not finite or too large";
    if (!(fabs(r.x * r.x + r.y * r.y + r.z * r.z + r.w * r.w - 1) <= UNIT_TOLERANCE))
        return "rotation is not a unit quaternion";
    return gz_in_range(trs->s, GZ_SCALE_MIN) ? NULL : "scale is not finite, too large or too small";
}

static const char *bounds_fault(sqlite3_stmt *row, int column, const struct gz_content *content)
{
    const gz_box *box = &content->bounds;
    if (are_null(row, column, 6)) return NULL;
    if (!are_reals(row, column, 6)) return "its box is not of numbers";
    bool is_box = gz_in_range(box->min, 0) && gz_in_range(box->max, 0) &&
                  box->min.x <= box->max.x && box->min.y <= box->max.y && box->min.z <= box->max.z;
    return is_box ? NULL : "its box is invalid";
}

static const char *name_fault(sqlite3_stmt *row, int column)
{
    if (sqlite3_column_type(row, column) != SQLITE_TEXT) return "name is not text";
    const char *fault = gz_text_fault(row, column, GZ_NAME_BYTES_MAX);
    if (fault == NULL) return NULL;
    return sqlite3_column_bytes(row, column) > GZ_NAME_BYTES_MAX
               ? "name is too long"
               : "name is not UTF-8, or has a NUL";
}

const char *gz_content_fault(sqlite3_stmt *row, int column, const struct gz_content *content)
{
    int bounds = column + 2 + GZ_TRS_COLUMN_COUNT, asset = bounds + 6;
    if (!are_null(row, column, 1) && gz_counter_fault(row, column, 1) != NULL)
        return "parent is not the id of a node";
    if (!are_null(row, asset, 1) && gz_counter_fault(row, asset, 0) != NULL)
        return "asset is not a place in a glTF file";
    const char *fault = name_fault(row, column + 1);
    if (fault == NULL) fault = gz_trs_fault(row, column + 2, &content->trs);
    return fault != NULL ? fault : bounds_fault(row, bounds, content);
}

const char *gz_change_fault(sqlite3_stmt *row, const struct gz_change *change)
{
    const char *fault =
        gz_counter_fault(row, 0, 1) != NULL ? "the id of the node is invalid" : NULL;
    if (fault == NULL && change->existed) fault = gz_content_fault(row, 2, &change->before);
    if (fault == NULL && change->exists)
        fault = gz_content_fault(row, 2 + GZ_CONTENT_COLUMN_COUNT, &change->after);
    if (fault == NULL && !change->existed && !change->exists)
        fault = "it has no name before and none after";
    return fault;
}

enum gz_status gz_point_fail(struct gz_error *error, uint64_t node, uint64_t seq, const char *fault)
{
    return gz_fail(error, GZ_STORAGE, "the file is damaged: the path of node %llu, at seq %lld: %s",
                   (unsigned long long)node, (long long)seq, fault);
}

enum gz_status gz_row_fail(struct gz_error *error, const char *table, int64_t row,
                           const char *fault)
{
    return gz_fail(error, GZ_STORAGE, "the file is damaged: %s, row %lld: %s", table,
                   (long long)row, fault);
}
