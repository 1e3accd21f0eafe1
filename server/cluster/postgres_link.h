/* postgres_link.h - one connection to PostgreSQL, for one statement at a time, with the timeouts of
 * maxima.h. Ownership: the caller owns and closes a link; it also owns results, for PQclear.
 * Threads: one at a time for each link. Errors: as log.h says; after one the link may be broken
 * (gz_link_is_good). */
#ifndef GZ_CLUSTER_POSTGRES_LINK_H
#define GZ_CLUSTER_POSTGRES_LINK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cluster/postgres_library.h"
#include "proto/base/status.h"

/* The version of this program's tables. Others are refused, with words that say what to do. */
#define GZ_CLUSTER_TABLES_VERSION 2

/* The parameters of a statement, $1, $2 ...; texts and bytes are not copied. */
#define GZ_PARAMS_MAX 8
struct gz_params {
    int count;
    Oid types[GZ_PARAMS_MAX];
    const char *values[GZ_PARAMS_MAX]; /* of texts and bytes */
    int sizes[GZ_PARAMS_MAX], formats[GZ_PARAMS_MAX];
    uint8_t numbers[GZ_PARAMS_MAX][8];
};

void gz_params_text(struct gz_params *params, const char *text); /* NULL becomes SQL's NULL */
void gz_params_number(struct gz_params *params, uint64_t number);
void gz_params_bytes(struct gz_params *params, const void *bytes, size_t size);

/* Checks that libpq can read the URI or connection string. */
GZ_MUST_USE enum gz_status gz_link_check(const char *uri, struct gz_error *error);
/* Connects. `version`: the tables have to be those of this program (GZ_VERSION); without, they need
 * not exist. */
GZ_MUST_USE enum gz_status gz_link_open(PGconn **link, const char *uri, bool version,
                                        struct gz_error *error);
/* Whether it is connected and in no transaction. Notices that the other side has closed it. */
bool gz_link_is_good(PGconn *link);

/* Runs one statement. `result` may be NULL. */
GZ_MUST_USE enum gz_status gz_link_ask(PGconn *link, const char *sql,
                                       const struct gz_params *params, PGresult **result,
                                       struct gz_error *error);
/* The same for a statement that changes rows; `changed`: their number. */
GZ_MUST_USE enum gz_status gz_link_change(PGconn *link, const char *sql,
                                          const struct gz_params *params, uint64_t *rows,
                                          struct gz_error *error);
/* The same, with a call of `handle` for each row as it comes. If that does not return GZ_OK, the
 * rest is not read and the link is broken. */
GZ_MUST_USE enum gz_status
gz_link_stream(PGconn *link, const char *sql, const struct gz_params *params,
               enum gz_status (*handle)(void *to, const PGresult *row, struct gz_error *error),
               void *to, struct gz_error *error);
/* Runs a script: statements without parameters and results, all of them or none. */
GZ_MUST_USE enum gz_status gz_link_run(PGconn *link, const char *script, struct gz_error *error);
GZ_MUST_USE enum gz_status gz_link_begin(PGconn *link, struct gz_error *error);
/* Ends a transaction: commits if `status` is GZ_OK, else rolls back and returns `status`. A failed
 * commit may be done all the same. */
GZ_MUST_USE enum gz_status gz_link_end(PGconn *link, enum gz_status status, struct gz_error *error);

/* Columns of a row; 0 and "" for SQL's NULL. */
uint64_t gz_column_number(const PGresult *result, int row, int column);
double gz_column_double(const PGresult *result, int row, int column);
void gz_column_text(const PGresult *result, int row, int column, char *text, size_t size);

#endif
