/* patch.c - reads the form of changesets, and runs a statement for each of their rows. */
#include "store/patch.h"

#include <stdlib.h>
#include <string.h>

#include "store/rows.h"

/* A scene has fewer; a table of more columns, or one more table, is refused. */
#define COLUMNS_MAX 64
#define TABLES_MAX 32
/* An update has a statement for each set of columns that change together. A changeset that needs
 * one more is not applied here. */
#define STATEMENTS_MAX 128
#define NAME_BYTES_MAX 64

struct table {
    char name[NAME_BYTES_MAX], columns[COLUMNS_MAX][NAME_BYTES_MAX];
    uint64_t count, keys; /* columns; a bit for each of the primary key */
};

struct statement {
    const struct table *table;
    int what;
    uint64_t changed; /* a bit for each column that an update changes */
    sqlite3_stmt *statement;
};

struct gz_patcher {
    sqlite3 *db;
    struct table tables[TABLES_MAX];
    size_t table_count;
    struct statement statements[STATEMENTS_MAX];
    size_t statement_count;
};

struct gz_patcher *gz_patcher_create(sqlite3 *db)
{
    struct gz_patcher *patcher = calloc(1, sizeof *patcher);
    if (patcher != NULL) patcher->db = db;
    return patcher;
}

void gz_patcher_destroy(struct gz_patcher *patcher)
{
    if (patcher == NULL) return;
    for (size_t i = 0; i < patcher->statement_count; i++)
        sqlite3_finalize(patcher->statements[i].statement);
    free(patcher);
}

/* ---- the form of a changeset ---- */

/* The bytes that were not read yet. */
struct unread {
    const uint8_t *at, *end;
};

struct value {
    int type; /* of SQLite; 0 if the column did not change */
    const uint8_t *bytes;
    size_t size;
};

struct header {
    const char *name;
    uint64_t count, keys;
};

struct row {
    int what; /* SQLITE_INSERT, _UPDATE or _DELETE */
    struct value before[COLUMNS_MAX], after[COLUMNS_MAX];
};

static bool take(struct unread *unread, size_t size, const uint8_t **bytes)
{
    *bytes = unread->at;
    if (size > (size_t)(unread->end - unread->at)) return false;
    unread->at += size;
    return true;
}

/* A count as SQLite writes it, of no more than 35 bits. */
static bool read_count(struct unread *unread, uint64_t *count)
{
    *count = 0;
    for (int i = 0; i < 5 && unread->at < unread->end; i++) {
        const uint8_t byte = *unread->at++;
        *count = *count << 7 | (byte & 0x7f);
        if (byte < 0x80) return true;
    }
    return false;
}

static bool read_value(struct unread *unread, struct value *value)
{
    uint64_t size = 0;
    if (unread->at == unread->end) return false;
    value->type = *unread->at++;
    switch (value->type) {
    case 0:
    case SQLITE_NULL: break;
    case SQLITE_INTEGER:
    case SQLITE_FLOAT: size = 8; break;
    case SQLITE_TEXT:
    case SQLITE_BLOB:
        if (!read_count(unread, &size)) return false;
        break;
    default: return false;
    }
    value->size = size;
    return take(unread, size, &value->bytes);
}

static bool read_values(struct unread *unread, uint64_t count, struct value *values)
{
    uint64_t i = 0;
    while (i < count && read_value(unread, &values[i])) i++;
    return i == count;
}

/* The header of a table: 'T', its columns, a byte for each, and its name. SQLite 3.40 looks for the
 * end of the name without end, if the changeset ends before it. */
static bool read_header(struct unread *unread, struct header *header)
{
    const uint8_t *keys;
    *header = (struct header){.count = 0};
    unread->at++;
    if (!read_count(unread, &header->count) || header->count == 0 || header->count > COLUMNS_MAX ||
        !take(unread, header->count, &keys))
        return false;
    for (uint64_t i = 0; i < header->count; i++) header->keys |= (uint64_t)(keys[i] != 0) << i;
    const uint8_t *end = memchr(unread->at, '\0', (size_t)(unread->end - unread->at));
    if (end == NULL) return false;
    header->name = (const char *)unread->at;
    unread->at = end + 1;
    return true;
}

/* A row: what is done to it, whether indirectly, and its values. */
static bool read_row(struct unread *unread, uint64_t count, struct row *row)
{
    const uint8_t *bytes;
    if (count == 0 || !take(unread, 2, &bytes)) return false;
    row->what = bytes[0];
    switch (row->what) {
    case SQLITE_INSERT: return read_values(unread, count, row->after);
    case SQLITE_DELETE: return read_values(unread, count, row->before);
    case SQLITE_UPDATE:
        return read_values(unread, count, row->before) && read_values(unread, count, row->after);
    default: return false;
    }
}

/* ---- tables ---- */

static enum gz_status refuse(struct gz_error *error, const char *why)
{
    return gz_fail(error, GZ_STORAGE, "the change of the log is damaged: %s", why);
}

/* False if it has more columns than fit, or longer names. */
static bool add_column(struct table *table, sqlite3_stmt *row)
{
    const char *name = (const char *)sqlite3_column_text(row, 1);
    if (table->count == COLUMNS_MAX || name == NULL || strlen(name) >= NAME_BYTES_MAX) return false;
    table->keys |= (uint64_t)(sqlite3_column_int(row, 0) != 0) << table->count;
    strcpy(table->columns[table->count++], name);
    return true;
}

/* Fills `table` from the file's schema; without columns if it has no such table. */
static enum gz_status look_at(struct gz_patcher *patcher, const char *name, struct table *table,
                              struct gz_error *error)
{
    bool fits = strlen(name) < NAME_BYTES_MAX;
    struct gz_ask ask = gz_ask_prepare(patcher->db, gz_sql_ship[GZ_SQL_SHIP_COLUMNS]);
    gz_bind_text(&ask, name);
    table->count = table->keys = 0;
    while (fits && gz_ask_row(&ask)) fits = add_column(table, ask.statement);
    if (fits)
        strcpy(table->name, name);
    else
        table->count = 0;
    return gz_ask_end(&ask, GZ_OK, error, "the change of the log");
}

static struct table *find_table(struct gz_patcher *patcher, const struct header *header)
{
    for (size_t i = 0; i < patcher->table_count; i++) {
        struct table *table = &patcher->tables[i];
        if (table->count == header->count && table->keys == header->keys &&
            strcmp(table->name, header->name) == 0)
            return table;
    }
    return NULL;
}

/* Looks at each table once: the schema stays as it is. */
static enum gz_status check_table(struct gz_patcher *patcher, const struct header *header,
                                  struct gz_error *error)
{
    if (find_table(patcher, header) != NULL) return GZ_OK;
    enum gz_status status = GZ_OK;
    if (patcher->table_count < TABLES_MAX) {
        struct table *table = &patcher->tables[patcher->table_count++];
        status = look_at(patcher, header->name, table, error);
        if (find_table(patcher, header) != NULL && status == GZ_OK) return GZ_OK;
        patcher->table_count--;
    }
    if (status != GZ_OK) return status;
    return gz_fail(error, GZ_STORAGE,
                   "the change of the log is damaged, or of another schema: it has the table "
                   "%.64s, which is not one of a scene",
                   header->name);
}

enum gz_status gz_patcher_check(struct gz_patcher *patcher, const uint8_t *bytes, size_t size,
                                struct gz_error *error)
{
    struct unread unread = {bytes, bytes + size};
    struct header header = {.count = 0};
    struct row row;
    enum gz_status status = GZ_OK;
    if (size == 0 || size > INT32_MAX) return refuse(error, "its size is invalid");
    while (status == GZ_OK && unread.at < unread.end) {
        const bool is_table = *unread.at == 'T';
        if (!(is_table ? read_header(&unread, &header) : read_row(&unread, header.count, &row)))
            return refuse(error, "its form is invalid");
        if (is_table) status = check_table(patcher, &header, error);
    }
    return status;
}

/* ---- statements ---- */

/* Which columns say which row it is, and which of its old values have to be there. */
static void write_condition(sqlite3_str *sql, const struct table *table, uint64_t compared)
{
    const char *word = "WHERE";
    for (size_t i = 0; i < table->count; i++) {
        const bool is_key = (table->keys >> i & 1) != 0;
        if (!is_key && (compared >> i & 1) == 0) continue;
        sqlite3_str_appendf(sql, " %s \"%w\" %s ?%d", word, table->columns[i], is_key ? "=" : "IS",
                            (int)i + 1);
        word = "AND";
    }
}

/* Old values are the parameters 1 ... count; new ones follow. */
static char *write_statement(const struct table *table, int what, uint64_t changed)
{
    sqlite3_str *sql = sqlite3_str_new(NULL);
    const char *mark = what == SQLITE_INSERT ? "(" : "";
    sqlite3_str_appendf(sql,
                        what == SQLITE_INSERT   ? "INSERT INTO \"%w\" VALUES "
                        : what == SQLITE_DELETE ? "DELETE FROM \"%w\""
                                                : "UPDATE \"%w\" SET ",
                        table->name);
    for (size_t i = 0; what != SQLITE_DELETE && i < table->count; i++) {
        if ((changed >> i & 1) == 0) continue;
        sqlite3_str_appendall(sql, mark);
        if (what == SQLITE_UPDATE) sqlite3_str_appendf(sql, "\"%w\" = ", table->columns[i]);
        sqlite3_str_appendf(sql, "?%d", (int)(table->count + i) + 1);
        mark = ", ";
    }
    if (what == SQLITE_INSERT)
        sqlite3_str_appendall(sql, ")");
    else
        write_condition(sql, table, changed);
    return sqlite3_str_finish(sql);
}

/* NULL if it cannot be prepared, or too many are. */
static sqlite3_stmt *find_statement(struct gz_patcher *patcher, const struct table *table, int what,
                                    uint64_t changed)
{
    struct statement *end = patcher->statements + patcher->statement_count;
    for (struct statement *known = patcher->statements; known < end; known++)
        if (known->table == table && known->what == what && known->changed == changed)
            return known->statement;
    if (patcher->statement_count == STATEMENTS_MAX) return NULL;
    char *sql = write_statement(table, what, changed);
    sqlite3_stmt *made = NULL;
    if (sql != NULL)
        (void)sqlite3_prepare_v3(patcher->db, sql, -1, SQLITE_PREPARE_PERSISTENT, &made, NULL);
    sqlite3_free(sql);
    if (made == NULL) return NULL;
    *end = (struct statement){table, what, changed, made};
    patcher->statement_count++;
    return made;
}

/* ---- rows ---- */

static uint64_t read_number(const uint8_t *bytes)
{
    uint64_t number = 0;
    for (int i = 0; i < 8; i++) number = number << 8 | bytes[i];
    return number;
}

static int bind(sqlite3_stmt *statement, int index, const struct value *value)
{
    double real;
    uint64_t number;
    switch (value->type) {
    case SQLITE_INTEGER:
        return sqlite3_bind_int64(statement, index, (int64_t)read_number(value->bytes));
    case SQLITE_FLOAT:
        number = read_number(value->bytes);
        memcpy(&real, &number, sizeof real);
        return sqlite3_bind_double(statement, index, real);
    case SQLITE_TEXT:
        return sqlite3_bind_text64(statement, index, (const char *)value->bytes, value->size,
                                   SQLITE_STATIC, SQLITE_UTF8);
    case SQLITE_BLOB:
        return sqlite3_bind_blob64(statement, index, value->bytes, value->size, SQLITE_STATIC);
    default: return sqlite3_bind_null(statement, index);
    }
}

/* Whether exactly one row was there as expected. */
static bool run(struct gz_patcher *patcher, sqlite3_stmt *statement)
{
    const bool is_done = sqlite3_step(statement) == SQLITE_DONE;
    const bool is_one = is_done && sqlite3_changes(patcher->db) == 1;
    return sqlite3_reset(statement) == SQLITE_OK && is_one;
}

/* A bit for each column that has a value. */
static uint64_t columns_of(const struct table *table, const struct value *values)
{
    uint64_t columns = 0;
    for (size_t i = 0; i < table->count; i++) columns |= (uint64_t)(values[i].type != 0) << i;
    return columns;
}

static bool bind_all(sqlite3_stmt *statement, const struct value *values, uint64_t columns,
                     uint64_t from)
{
    int rc = SQLITE_OK;
    for (; columns != 0 && rc == SQLITE_OK; columns &= columns - 1) {
        const int i = __builtin_ctzll(columns);
        rc = bind(statement, (int)from + i + 1, &values[i]);
    }
    return rc == SQLITE_OK;
}

static bool apply_row(struct gz_patcher *patcher, const struct table *table, const struct row *row)
{
    const uint64_t all = ~(uint64_t)0 >> (COLUMNS_MAX - table->count);
    const bool has_before = row->what != SQLITE_INSERT, has_after = row->what != SQLITE_DELETE;
    const uint64_t before = has_before ? columns_of(table, row->before) : 0;
    const uint64_t after = has_after ? columns_of(table, row->after) : 0;
    /* an update has old values of its keys, and of what it changes, to which no key belongs */
    if (row->what == SQLITE_UPDATE
            ? after == 0 || (after & table->keys) != 0 || before != (after | table->keys)
            : (before | after) != all)
        return false;
    sqlite3_stmt *statement = find_statement(patcher, table, row->what, has_after ? after : all);
    return statement != NULL && bind_all(statement, row->before, before, 0) &&
           bind_all(statement, row->after, after, table->count) && run(patcher, statement);
}

bool gz_patcher_apply(struct gz_patcher *patcher, const uint8_t *bytes, size_t size)
{
    struct unread unread = {bytes, bytes + size};
    const struct table *table = NULL;
    struct header header;
    struct row row;
    bool is_good =
        sqlite3_exec(patcher->db, "PRAGMA defer_foreign_keys = ON", NULL, NULL, NULL) == SQLITE_OK;
    while (is_good && unread.at < unread.end) {
        if (*unread.at == 'T') {
            is_good = read_header(&unread, &header);
            table = is_good ? find_table(patcher, &header) : NULL;
        } else {
            is_good = table != NULL && read_row(&unread, table->count, &row) &&
                      apply_row(patcher, table, &row);
        }
    }
    return is_good;
}
