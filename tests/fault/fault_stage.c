/* fault_stage.c - a stage whose daemon's disk and memory fail when the test says so. See
 * fault_stage.h. */
#include "fault_stage.h"

#include <sqlite3.h>
#include <stdio.h>

#include "proto/limits.h"
#include "store/store.h"

int fault_stage_setup(void **state)
{
    struct fault_stage *fault = calloc(1, sizeof *fault);
    assert_non_null(fault);
    *state = fault;
    test_daemon_init(&fault->stage.daemon);
    fault->control = fault_control_init(&fault->stage.daemon);
    test_daemon_start(&fault->stage.daemon, NULL, NULL);
    return 0;
}

int fault_stage_teardown(void **state)
{
    struct fault_stage *fault = *state;
    fault_disk_heal(fault->control);
    fault_memory_heal(fault->control);
    fault_control_finish(fault->control);
    *state = &fault->stage;
    return stage_teardown(state); /* frees it: the stage is its first member */
}

const char *scene_file(const struct stage *stage, const char *scene)
{
    static char path[sizeof stage->daemon.data + GZ_SCENE_NAME_BYTES_MAX + 8];
    snprintf(path, sizeof path, "%s/%s.db", stage->daemon.data, scene);
    return path;
}

/* ---- files ---- */

static sqlite3 *open_file(const char *path)
{
    sqlite3 *db;
    if (sqlite3_open_v2(path, &db, SQLITE_OPEN_READONLY, NULL) != SQLITE_OK)
        fail_msg("%s: %s", path, sqlite3_errmsg(db));
    sqlite3_busy_timeout(db, 10000);
    return db;
}

int64_t ask_file(const char *path, const char *sql)
{
    sqlite3 *db = open_file(path);
    sqlite3_stmt *statement;
    if (sqlite3_prepare_v2(db, sql, -1, &statement, NULL) != SQLITE_OK ||
        sqlite3_step(statement) != SQLITE_ROW)
        fail_msg("%s: %s", sql, sqlite3_errmsg(db));
    int64_t number = sqlite3_column_int64(statement, 0);
    sqlite3_finalize(statement);
    sqlite3_close(db);
    return number;
}

static void handle_fault(void *context, const char *words)
{
    (void)context;
    print_error("%s\n", words);
}

void assert_file_is_whole(const char *path)
{
    struct gz_store_check check = {.handle_fault = handle_fault};
    struct gz_error error = {0};
    stage_check(gz_store_check(path, &check, &error), &error, path);
    if (check.faults > 0)
        fail_msg("%s: %llu things are wrong", path, (unsigned long long)check.faults);
}

/* ---- a mirror and a file ---- */

static bool is_row(sqlite3_stmt *row, const struct gz_mirror_node *node)
{
    const char *name = (const char *)sqlite3_column_text(row, 2);
    gz_trs trs = {.t = {sqlite3_column_double(row, 3), sqlite3_column_double(row, 4),
                        sqlite3_column_double(row, 5)},
                  .r = {sqlite3_column_double(row, 6), sqlite3_column_double(row, 7),
                        sqlite3_column_double(row, 8), sqlite3_column_double(row, 9)},
                  .s = {sqlite3_column_double(row, 10), sqlite3_column_double(row, 11),
                        sqlite3_column_double(row, 12)}};
    return (uint64_t)sqlite3_column_int64(row, 0) == node->id &&
           (uint64_t)sqlite3_column_int64(row, 1) == node->parent &&
           strcmp(name, node->name) == 0 && gz_trs_same(&trs, &node->trs);
}

bool is_in_file(const struct gz_client *client, const char *path)
{
    sqlite3 *db = open_file(path);
    sqlite3_stmt *rows;
    size_t count, i = 0;
    const struct gz_mirror_node **nodes = gz_mirror_list(gz_client_mirror(client), &count);
    assert_non_null(nodes);
    if (sqlite3_prepare_v2(
            db,
            "SELECT id, parent, name, tx, ty, tz, rx, ry, rz, rw, sx, sy, sz FROM nodes"
            " WHERE deleted_seq IS NULL ORDER BY id",
            -1, &rows, NULL) != SQLITE_OK)
        fail_msg("%s: %s", path, sqlite3_errmsg(db));
    bool same = true;
    while (sqlite3_step(rows) == SQLITE_ROW && same) {
        same = i < count && is_row(rows, nodes[i]);
        i++;
    }
    sqlite3_finalize(rows);
    sqlite3_close(db);
    free(nodes);
    return same && i == count;
}

void await_in_file(struct gz_client *client, const char *path)
{
    for (double until = now_s() + STAGE_SECONDS; !is_in_file(client, path);) {
        if (now_s() > until) fail_msg("%s does not hold what its viewers see", path);
        while (gz_client_next(client, 0.01) != NULL) continue;
    }
}

/* ---- small things ---- */

struct gz_message message_set_x(struct gz_set_node *node, uint64_t id, double x)
{
    *node = (struct gz_set_node){.has = GZ_HAS_SET_NODE_T, .id = id, .trs.t = {x, 0, 0}};
    return message_set_t(node);
}
