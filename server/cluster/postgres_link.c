/* One connection to PostgreSQL: libpq connects, host by host. Statements are sent without blocking,
 * with poll in between, so that a silent server times out. */
#include "cluster/postgres_link.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "cluster/sql.h"
#include "server/maxima.h"

#define LINK(statement) gz_sql_link[GZ_SQL_LINK_##statement]

/* PostgreSQL's numbers of parameter types. */
enum { BYTES_OID = 17, INT8_OID = 20, TEXT_OID = 25 };

/* ---- parameters ---- */

static int add_param(struct gz_params *params, Oid type, const void *value, size_t size)
{
    int i = params->count++;
    assert(i < GZ_PARAMS_MAX);
    params->types[i] = type;
    params->values[i] = value;
    params->sizes[i] = (int)size;
    params->formats[i] = type != TEXT_OID;
    return i;
}

void gz_params_text(struct gz_params *params, const char *text)
{
    add_param(params, TEXT_OID, text, 0);
}

void gz_params_bytes(struct gz_params *params, const void *bytes, size_t size)
{
    add_param(params, BYTES_OID, size > 0 ? bytes : "", size);
}

void gz_params_number(struct gz_params *params, uint64_t number)
{
    int i = add_param(params, INT8_OID, NULL, 8);
    for (int byte = 0; byte < 8; byte++)
        params->numbers[i][byte] = (uint8_t)(number >> (56 - 8 * byte));
}

/* ---- errors ---- */

/* Fails with the first line of libpq's or the server's message. */
static enum gz_status fail_with(struct gz_error *error, enum gz_status status, const char *words)
{
    return gz_fail(error, status, "the cluster's database: %.*s", (int)strcspn(words, "\n"), words);
}

static enum gz_status fail_link(PGconn *link, struct gz_error *error)
{
    return fail_with(error, GZ_STORAGE, PQerrorMessage(link));
}

static enum gz_status fail_tables(struct gz_error *error)
{
    return gz_fail(error, GZ_VERSION,
                   "the cluster's database has no tables of gizmod; gizmoctl cluster init URI "
                   "creates them");
}

static enum gz_status fail_result(PGconn *link, const PGresult *result, struct gz_error *error)
{
    const char *code = PQresultErrorField(result, PG_DIAG_SQLSTATE);
    const char *words = PQresultErrorField(result, PG_DIAG_MESSAGE_PRIMARY);
    bool is_missing = code != NULL && (strcmp(code, "42P01") == 0 || strcmp(code, "3F000") == 0);
    if (is_missing) return fail_tables(error);
    return words != NULL ? fail_with(error, GZ_STORAGE, words) : fail_link(link, error);
}

/* ---- waiting ---- */

static double now_s(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* Waits until the socket is ready; false after the time. */
static bool wait_for_socket(PGconn *link, short events, double until_s)
{
    struct pollfd socket = {.fd = PQsocket(link), .events = events};
    for (;;) {
        double left_s = until_s - now_s();
        int ready = poll(&socket, 1, left_s > 0 ? (int)(1000 * left_s) + 1 : 0);
        if (ready > 0) return true;
        if (ready == 0 && left_s <= 0) return false;
        if (ready < 0 && errno != EINTR) return false;
    }
}

/* The link cannot be used any more, because an answer may still come. */
static enum gz_status fail_silent(struct gz_error *error)
{
    return gz_fail(error, GZ_STORAGE, "the cluster's database did not answer for %d s",
                   GZ_CLUSTER_ANSWER_SECONDS);
}

/* Sends the remaining bytes, and reads meanwhile. */
static enum gz_status flush(PGconn *link, struct gz_error *error)
{
    for (;;) {
        int left = PQflush(link);
        if (left == 0) return GZ_OK;
        if (left < 0) return fail_link(link, error);
        if (!wait_for_socket(link, POLLIN | POLLOUT, now_s() + GZ_CLUSTER_ANSWER_SECONDS))
            return fail_silent(error);
        if (!PQconsumeInput(link)) return fail_link(link, error);
    }
}

/* The next result; NULL in *result after the last one. */
static enum gz_status next_result(PGconn *link, PGresult **result, struct gz_error *error)
{
    while (PQisBusy(link)) {
        if (!wait_for_socket(link, POLLIN, now_s() + GZ_CLUSTER_ANSWER_SECONDS))
            return fail_silent(error);
        if (!PQconsumeInput(link)) return fail_link(link, error);
    }
    *result = PQgetResult(link);
    return GZ_OK;
}

/* ---- asking ---- */

static enum gz_status send_query(PGconn *link, const char *sql, const struct gz_params *params,
                                 struct gz_error *error)
{
    static const struct gz_params none;
    const char *values[GZ_PARAMS_MAX];
    if (params == NULL) params = &none;
    for (int i = 0; i < params->count; i++)
        values[i] =
            params->types[i] == INT8_OID ? (const char *)params->numbers[i] : params->values[i];
    if (!PQsendQueryParams(link, sql, params->count, params->types, values, params->sizes,
                           params->formats, 1))
        return fail_link(link, error);
    return flush(link, error);
}

static bool is_answer(const PGresult *result)
{
    ExecStatusType status = PQresultStatus(result);
    return status == PGRES_TUPLES_OK || status == PGRES_COMMAND_OK ||
           status == PGRES_SINGLE_TUPLE || status == PGRES_EMPTY_QUERY;
}

/* Reads all results: the first that failed counts, else the last. */
static enum gz_status read_results(PGconn *link, PGresult **last, struct gz_error *error)
{
    enum gz_status status = GZ_OK;
    PGresult *result;
    *last = NULL;
    for (;;) {
        enum gz_status read = next_result(link, &result, error);
        if (read != GZ_OK) return read;
        if (result == NULL) return status;
        if (!is_answer(result) && status == GZ_OK) status = fail_result(link, result, error);
        PQclear(*last);
        *last = result;
    }
}

enum gz_status gz_link_ask(PGconn *link, const char *sql, const struct gz_params *params,
                           PGresult **result, struct gz_error *error)
{
    PGresult *last = NULL;
    enum gz_status status = send_query(link, sql, params, error);
    if (status == GZ_OK) status = read_results(link, &last, error);
    if (status == GZ_OK && last == NULL) status = fail_link(link, error);
    if (status == GZ_OK && result != NULL)
        *result = last;
    else
        PQclear(last);
    return status;
}

enum gz_status gz_link_change(PGconn *link, const char *sql, const struct gz_params *params,
                              uint64_t *rows, struct gz_error *error)
{
    PGresult *result;
    enum gz_status status = gz_link_ask(link, sql, params, &result, error);
    if (status != GZ_OK) return status;
    *rows = strtoull(PQcmdTuples(result), NULL, 10);
    PQclear(result);
    return GZ_OK;
}

/* Calls `handle` for rows until an error; the last result has none. */
static enum gz_status read_rows(PGconn *link,
                                enum gz_status (*handle)(void *to, const PGresult *row,
                                                         struct gz_error *error),
                                void *to, struct gz_error *error)
{
    for (;;) {
        PGresult *result;
        enum gz_status status = next_result(link, &result, error);
        if (status != GZ_OK || result == NULL) return status;
        if (PQresultStatus(result) == PGRES_SINGLE_TUPLE)
            status = handle(to, result, error);
        else if (!is_answer(result))
            status = fail_result(link, result, error);
        PQclear(result);
        if (status != GZ_OK) return status;
    }
}

enum gz_status gz_link_stream(PGconn *link, const char *sql, const struct gz_params *params,
                              enum gz_status (*handle)(void *to, const PGresult *row,
                                                       struct gz_error *error),
                              void *to, struct gz_error *error)
{
    enum gz_status status = send_query(link, sql, params, error);
    if (status != GZ_OK) return status;
    if (!PQsetSingleRowMode(link)) return fail_link(link, error);
    return read_rows(link, handle, to, error);
}

enum gz_status gz_link_run(PGconn *link, const char *script, struct gz_error *error)
{
    PGresult *last = NULL;
    enum gz_status status = PQsendQuery(link, script) ? flush(link, error) : fail_link(link, error);
    if (status == GZ_OK) status = read_results(link, &last, error);
    PQclear(last);
    return status;
}

enum gz_status gz_link_begin(PGconn *link, struct gz_error *error)
{
    return gz_link_ask(link, LINK(BEGIN), NULL, NULL, error);
}

enum gz_status gz_link_end(PGconn *link, enum gz_status status, struct gz_error *error)
{
    PGresult *result = NULL;
    const char *sql = status == GZ_OK ? LINK(COMMIT) : LINK(ROLLBACK);
    struct gz_error unsaid;
    enum gz_status ended = gz_link_ask(link, sql, NULL, &result, status == GZ_OK ? error : &unsaid);
    if (status != GZ_OK || ended != GZ_OK) {
        PQclear(result);
        return status != GZ_OK ? status : ended;
    }
    bool is_done = strcmp(PQcmdStatus(result), "COMMIT") == 0;
    PQclear(result);
    return is_done ? GZ_OK
                   : gz_fail(error, GZ_STORAGE, "the cluster's database rolled a transaction back");
}

/* ---- connecting ---- */

/* Drops notices ("relation exists, skipping"). */
static void drop_notice(void *context, const PGresult *result)
{
    (void)context;
    (void)result;
}

/* Tries one host after the other. Defaults come before the URI, which may override them. */
static enum gz_status connect_link(PGconn **link, const char *uri, struct gz_error *error)
{
    static const char *const names[] = {
        "fallback_application_name", "keepalives_idle", "keepalives_interval", "keepalives_count",
        "connect_timeout",           "dbname",          "client_encoding",     NULL};
    char seconds[16];
    gz_print(seconds, sizeof seconds, "%d", GZ_CLUSTER_CONNECT_SECONDS);
    const char *const values[] = {"gizmod", "5", "2", "3", seconds, uri, "UTF8", NULL};
    *link = PQconnectdbParams(names, values, 1);
    if (*link == NULL) return gz_fail(error, GZ_NO_MEMORY, "no memory for a connection");
    PQsetNoticeReceiver(*link, drop_notice, NULL);
    if (PQstatus(*link) != CONNECTION_OK) return fail_link(*link, error);
    PQsetnonblocking(*link, 1);
    return GZ_OK;
}

static enum gz_status check_version(PGconn *link, struct gz_error *error)
{
    PGresult *result;
    enum gz_status status = gz_link_ask(link, LINK(VERSION), NULL, &result, error);
    if (status != GZ_OK) return status;
    uint64_t version = PQntuples(result) == 1 ? gz_column_number(result, 0, 0) : 0;
    PQclear(result);
    if (version == GZ_CLUSTER_TABLES_VERSION) return GZ_OK;
    if (version == 0) return fail_tables(error);
    return gz_fail(
        error, GZ_VERSION,
        "the cluster's database has tables of version %d, and this program works with "
        "version %d: %s",
        (int)version, GZ_CLUSTER_TABLES_VERSION,
        version < GZ_CLUSTER_TABLES_VERSION
            ? "they are from before the first release; let gizmoctl cluster init URI make "
              "tables in a new database"
            : "update this program");
}

/* Limits how long a dead transaction can hold a row that others wait for. */
static enum gz_status set_timeouts(PGconn *link, struct gz_error *error)
{
    char milliseconds[16];
    struct gz_params params = {0};
    gz_print(milliseconds, sizeof milliseconds, "%d", 1000 * GZ_CLUSTER_ANSWER_SECONDS);
    gz_params_text(&params, milliseconds);
    return gz_link_ask(link, LINK(LOCK_TIMEOUT), &params, NULL, error);
}

enum gz_status gz_link_open(PGconn **link, const char *uri, bool version, struct gz_error *error)
{
    enum gz_status status = connect_link(link, uri, error);
    if (status == GZ_OK) status = set_timeouts(*link, error);
    if (status == GZ_OK && version) status = check_version(*link, error);
    if (status == GZ_OK) return GZ_OK;
    PQfinish(*link);
    *link = NULL;
    return status;
}

bool gz_link_is_good(PGconn *link)
{
    if (PQstatus(link) != CONNECTION_OK || PQtransactionStatus(link) != PQTRANS_IDLE) return false;
    struct pollfd socket = {.fd = PQsocket(link), .events = POLLIN};
    if (poll(&socket, 1, 0) == 0) return true;
    return PQconsumeInput(link) && PQstatus(link) == CONNECTION_OK && poll(&socket, 1, 0) == 0;
}

/* Whether a port is a number: otherwise it is a part of a password with a slash, which libpq would
 * repeat in its message. */
static bool is_port(const char *text)
{
    return text == NULL || strspn(text, "0123456789,") == strlen(text);
}

enum gz_status gz_link_check(const char *uri, struct gz_error *error)
{
    PQconninfoOption *options = PQconninfoParse(uri, NULL);
    bool is_good = options != NULL;
    for (PQconninfoOption *option = options; is_good && option->keyword != NULL; option++)
        is_good = strcmp(option->keyword, "port") != 0 || is_port(option->val);
    PQconninfoFree(options);
    if (is_good) return GZ_OK;
    return gz_fail(
        error, GZ_BAD_VALUE,
        "this is no URI such as postgresql://USER@HOST:PORT/DATABASE?sslmode=verify-full "
        "(in a name or a password write / as %%2F, @ as %%40)");
}

/* ---- columns ---- */

uint64_t gz_column_number(const PGresult *result, int row, int column)
{
    const uint8_t *bytes = (const uint8_t *)PQgetvalue(result, row, column);
    uint64_t number = 0;
    for (int i = 0; i < PQgetlength(result, row, column) && i < 8; i++)
        number = number << 8 | bytes[i];
    return number;
}

double gz_column_double(const PGresult *result, int row, int column)
{
    uint64_t bits = gz_column_number(result, row, column);
    double number;
    memcpy(&number, &bits, sizeof number);
    return number;
}

void gz_column_text(const PGresult *result, int row, int column, char *text, size_t size)
{
    gz_print(text, size, "%s", PQgetvalue(result, row, column));
}
