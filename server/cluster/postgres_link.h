/* postgres_link.h - one connection to PostgreSQL, by which a thread asks one thing at a time, and
 * which never blocks for longer than maxima.h says. Ownership: a link is the caller's, who closes
 * it; a result is the caller's too, for PQclear. Threads: one at a time for each link. Errors: as
 * log.h says; after one the link may be broken, which gz_link_is_good says. */
#ifndef GZ_CLUSTER_POSTGRES_LINK_H
#define GZ_CLUSTER_POSTGRES_LINK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cluster/postgres_library.h"
#include "proto/base/status.h"

/* The version of the tables that this program works with: how many numbered files there are. */
#define GZ_CLUSTER_TABLES_VERSION 1

/* What a statement is asked with, in the order of its $1, $2 ...; texts and bytes are not copied.
 */
#define GZ_PARAMS_MAX 8
struct gz_params {
    int count;
    Oid types[GZ_PARAMS_MAX];
    const char *values[GZ_PARAMS_MAX]; /* of texts and bytes */
    int sizes[GZ_PARAMS_MAX], formats[GZ_PARAMS_MAX];
    uint8_t numbers[GZ_PARAMS_MAX][8];
};

void gz_params_text(struct gz_params *params, const char *text); /* NULL is SQL's */
void gz_params_number(struct gz_params *params, uint64_t number);
void gz_params_bytes(struct gz_params *params, const void *bytes, size_t size);

/* Checks that it is a URI or a connection string that libpq takes. */
GZ_MUST_USE enum gz_status gz_link_check(const char *uri, struct gz_error *error);
/* `version`: the tables have to be those of this program (GZ_VERSION); without, they need not be
 * there. */
GZ_MUST_USE enum gz_status gz_link_open(PGconn **link, const char *uri, bool version,
                                        struct gz_error *error);
/* Whether it can be asked something new: it is connected and in no transaction. Notices that the
 * other side has closed it. */
bool gz_link_is_good(PGconn *link);

/* Asks one statement. `result` may be NULL if it is not looked at. */
GZ_MUST_USE enum gz_status gz_link_ask(PGconn *link, const char *sql,
                                       const struct gz_params *params, PGresult **result,
                                       struct gz_error *error);
/* The same for a statement that changes rows: how many it changed. */
GZ_MUST_USE enum gz_status gz_link_change(PGconn *link, const char *sql,
                                          const struct gz_params *params, uint64_t *rows,
                                          struct gz_error *error);
/* The same for one of which each row is handed over as it comes. If `handle` does not return GZ_OK
 * the rest is not read, and the link is broken. */
GZ_MUST_USE enum gz_status
gz_link_stream(PGconn *link, const char *sql, const struct gz_params *params,
               enum gz_status (*handle)(void *to, const PGresult *row, struct gz_error *error),
               void *to, struct gz_error *error);
/* Several statements without parameters and answers: a script, which is done as a whole or not. */
GZ_MUST_USE enum gz_status gz_link_run(PGconn *link, const char *script, struct gz_error *error);
GZ_MUST_USE enum gz_status gz_link_begin(PGconn *link, struct gz_error *error);
/* Ends a transaction: commits where `status` is GZ_OK, else takes it back and returns `status`. A
 * commit that fails may be done all the same. */
GZ_MUST_USE enum gz_status gz_link_end(PGconn *link, enum gz_status status, struct gz_error *error);

/* Columns of a row; 0 and "" for SQL's NULL. */
uint64_t gz_column_number(const PGresult *result, int row, int column);
double gz_column_double(const PGresult *result, int row, int column);
void gz_column_text(const PGresult *result, int row, int column, char *text, size_t size);

#endif
