/* driven.c - runs a driver beside a test and compares its log with the file of the scene. See
 * driven.h. */
#include "driven.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "fault_stage.h"

/* ---- the driver ---- */

void driver_start(struct driver *driver, const char *folder, const char *const *urls)
{
    int ends[2];
    const char *arguments[DRIVER_URLS_MAX + 3] = {GZ_DRIVER_PATH, driver->path};
    *driver = (struct driver){0};
    for (size_t i = 0; i < DRIVER_URLS_MAX && urls[i] != NULL; i++) arguments[2 + i] = urls[i];
    snprintf(driver->path, sizeof driver->path, "%s/driver.log", folder);
    driver->log = open(driver->path, O_RDONLY | O_CREAT | O_CLOEXEC, 0644);
    assert_true(driver->log >= 0);
    assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
    driver->pid = fork();
    assert_int_not_equal(driver->pid, -1);
    if (driver->pid == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        dup2(ends[0], STDIN_FILENO);
        execv(GZ_DRIVER_PATH, (char *const *)(uintptr_t)arguments);
        _exit(127);
    }
    close(ends[0]);
    driver->input = ends[1];
}

void driver_end(struct driver *driver)
{
    int status;
    driver_read(driver);
    close(driver->input);
    assert_int_equal(waitpid(driver->pid, &status, 0), driver->pid);
    driver->pid = 0;
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) fail_msg("the driver found something");
    driver_read(driver);
}

void driver_finish(struct driver *driver)
{
    munmap((void *)(uintptr_t)driver->entries, driver->mapped_bytes);
    close(driver->log);
}

void driver_read(struct driver *driver)
{
    struct stat info;
    int status;
    if (driver->pid != 0 && waitpid(driver->pid, &status, WNOHANG) != 0)
        fail_msg("the driver ended");
    assert_int_equal(fstat(driver->log, &info), 0);
    if (driver->entries != NULL) munmap((void *)(uintptr_t)driver->entries, driver->mapped_bytes);
    driver->entries = NULL;
    driver->count = (size_t)info.st_size / sizeof *driver->entries;
    driver->mapped_bytes = (size_t)info.st_size;
    if (info.st_size == 0) return;
    void *map = mmap(NULL, driver->mapped_bytes, PROT_READ, MAP_SHARED, driver->log, 0);
    assert_ptr_not_equal(map, MAP_FAILED);
    driver->entries = map;
}

void driver_await_work(struct driver *driver, size_t from)
{
    for (double until = now_s() + STAGE_SECONDS; now_s() < until; usleep(2000)) {
        uint64_t busy = 0;
        driver_read(driver);
        for (size_t i = from; i < driver->count; i++) {
            const struct driver_entry *entry = &driver->entries[i];
            if (entry->kind == DRIVER_OK || entry->kind == DRIVER_GRABBED ||
                entry->kind == DRIVER_SEEN)
                busy |= UINT64_C(1) << entry->user;
        }
        if (busy == 0x7F) return;
    }
    fail_msg("the driver does not come to work");
}

void driver_await_loss(struct driver *driver, size_t from)
{
    for (double until = now_s() + STAGE_SECONDS; now_s() < until; usleep(2000)) {
        size_t lost = 0;
        driver_read(driver);
        for (size_t i = from; i < driver->count; i++)
            lost += driver->entries[i].kind == DRIVER_LOST;
        if (lost == 7) return;
    }
    fail_msg("the driver does not notice the kill");
}

/* ---- the file ---- */

void judge_ask(sqlite3 *db, const char *sql, const struct driver_entry *entry, double *row,
               int columns)
{
    char user[16], key[48];
    sqlite3_stmt *statement;
    snprintf(user, sizeof user, "u%llu", (unsigned long long)entry->user);
    snprintf(key, sizeof key, "%s-%llu", user, (unsigned long long)entry->number);
    if (sqlite3_prepare_v2(db, sql, -1, &statement, NULL) != SQLITE_OK)
        fail_msg("%s: %s", sql, sqlite3_errmsg(db));
    sqlite3_bind_text(statement, 1, user, -1, SQLITE_STATIC);
    sqlite3_bind_text(statement, 2, key, -1, SQLITE_STATIC);
    sqlite3_bind_int64(statement, 3, (sqlite3_int64)entry->ids[0]);
    bool is_there = sqlite3_step(statement) == SQLITE_ROW;
    for (int i = 0; i < columns; i++) row[i] = is_there ? sqlite3_column_double(statement, i) : 0;
    sqlite3_finalize(statement);
}

static const char edit_sql[] =
    "SELECT count(DISTINCT e.id), max(e.id), max(e.seq), max(e.target), count(c.node), "
    "min(c.after_tx), "
    "max(c.after_tx),"
    " count(DISTINCT c.did), max(c.did = 'create'), max(c.did = 'delete'), max(e.kind = 'undo')"
    " FROM edits e LEFT JOIN changes c ON c.edit = e.id WHERE e.user = ?1 AND e.key = ?2 AND "
    "e.ended IS NOT NULL";
enum { COUNT, ID, SEQ, TARGET, CHANGES, X_MIN, X_MAX, KINDS, IS_MADE, IS_GONE, IS_UNDO, COLUMNS };

static void judge_failed(const struct driver_entry *entry, const char *what, const double *row)
{
    fail_msg("u%llu-%llu (op %u, edit %llu, seq %llu, x %g): %s: %g edits, id %g, seq %g, %g "
             "changes, x %g to %g",
             (unsigned long long)entry->user, (unsigned long long)entry->number, entry->op,
             (unsigned long long)entry->edit, (unsigned long long)entry->seq, entry->x, what,
             row[COUNT], row[ID], row[SEQ], row[CHANGES], row[X_MIN], row[X_MAX]);
}

/* All of its changes, and nothing but them. */
static bool is_whole(const struct driver_entry *entry, const double *row)
{
    bool all_x = row[X_MIN] == entry->x && row[X_MAX] == entry->x;
    if (row[KINDS] != 1) return false;
    switch ((enum driver_op)entry->op) {
    case DRIVER_CREATE: return row[IS_MADE] == 1 && all_x && row[CHANGES] >= 1;
    case DRIVER_SET: return row[CHANGES] == DRIVER_SET_NODES && all_x;
    case DRIVER_LIFT: return row[CHANGES] == 1 && all_x;
    case DRIVER_UNDO:
        return row[CHANGES] == 1 && row[IS_UNDO] == 1 && row[TARGET] == (double)entry->target;
    case DRIVER_DELETE: return row[CHANGES] == DRIVER_MADE_NODES && row[IS_GONE] == 1;
    case DRIVER_UP: return row[CHANGES] == 1;
    case DRIVER_NOTE: break;
    }
    return false;
}

static void judge_note(sqlite3 *db, const struct driver_entry *entry, bool is_answered)
{
    double row[3];
    char sql[256];
    snprintf(sql, sizeof sql,
             "SELECT count(*), max(n.id), max(n.text = 'note %llu') FROM note_keys k JOIN notes n "
             "ON n.id = k.note"
             " WHERE k.user = ?1 AND k.key = ?2",
             (unsigned long long)entry->number);
    judge_ask(db, sql, entry, row, 3);
    bool is_right = row[0] == 1 && row[2] == 1 && (!is_answered || row[1] == (double)entry->edit);
    if (!is_right && (is_answered || row[0] != 0))
        fail_msg("note %llu: there %g times", (unsigned long long)entry->number, row[0]);
}

static void judge_answered(struct judge *judge, sqlite3 *db, const struct driver_entry *entry)
{
    double row[COLUMNS];
    if (entry->op == DRIVER_NOTE) {
        judge_note(db, entry, true);
        judge->notes++;
        return;
    }
    judge_ask(db, edit_sql, entry, row, COLUMNS);
    if (entry->edit == 0) { /* the `up` of a drag that the lost connection had ended */
        if (entry->op != DRIVER_UP || row[COUNT] != 0)
            judge_failed(entry, "it was answered as none", row);
        return;
    }
    if (row[COUNT] != 1 || row[ID] != (double)entry->edit || row[SEQ] != (double)entry->seq)
        judge_failed(entry, "it was acknowledged", row);
    if (!is_whole(entry, row)) judge_failed(entry, "it is not whole", row);
    judge->edits++;
}

/* What was on its way may be there or not: once, and whole. */
static void judge_open(struct judge *judge, sqlite3 *db, const struct driver_entry *entry)
{
    double row[COLUMNS];
    if (entry->op == DRIVER_NOTE) {
        judge_note(db, entry, false);
        return;
    }
    judge_ask(db, edit_sql, entry, row, COLUMNS);
    if (row[COUNT] > 1 || (row[COUNT] == 1 && !is_whole(entry, row)))
        judge_failed(entry, "it was on its way", row);
    if (row[COUNT] == 1) judge->open_done++;
    if (row[COUNT] == 0) judge->open_lost++;
}

/* What was refused at once, and not sent again, is not there. */
static void judge_refused(struct judge *judge, sqlite3 *db, const struct driver_entry *entry)
{
    double row[COLUMNS];
    static const char note_sql[] = "SELECT count(*) FROM note_keys WHERE user = ?1 AND key = ?2";
    bool is_note = entry->op == DRIVER_NOTE;
    judge_ask(db, is_note ? note_sql : edit_sql, entry, row, is_note ? 1 : COLUMNS);
    if (is_note && row[COUNT] != 0)
        fail_msg("note %llu was refused, and is there", (unsigned long long)entry->number);
    if (!is_note && row[COUNT] != 0) judge_failed(entry, "it was refused", row);
    judge->refused++;
}

void judge_driven(struct judge *judge, sqlite3 *db, const struct driver *driver)
{
    for (; judge->next < driver->count; judge->next++) {
        const struct driver_entry *entry = &driver->entries[judge->next];
        if (entry->kind == DRIVER_ASKED) judge->asked[entry->user] = *entry;
        if (entry->kind != DRIVER_OK && entry->kind != DRIVER_REFUSED) continue;
        judge->asked[entry->user].kind = 0;
        if (entry->kind == DRIVER_OK) judge_answered(judge, db, entry);
        if (entry->kind == DRIVER_REFUSED) judge_refused(judge, db, entry);
    }
    for (size_t i = 0; i < USERS_MAX; i++)
        if (judge->asked[i].kind != 0) judge_open(judge, db, &judge->asked[i]);
}

sqlite3 *judge_open_file(const char *path)
{
    sqlite3 *db;
    if (sqlite3_open_v2(path, &db, SQLITE_OPEN_READONLY, NULL) != SQLITE_OK)
        fail_msg("%s: %s", path, sqlite3_errmsg(db));
    return db;
}

void judge_whole(const struct driver *driver, const char *path)
{
    struct judge again = {0};
    sqlite3 *db = judge_open_file(path);
    judge_driven(&again, db, driver);
    sqlite3_close(db);
    int64_t keyed = ask_file(path, "SELECT count(*) FROM edits WHERE key IS NOT NULL");
    assert_int_equal(keyed, again.edits + again.open_done);
    assert_int_equal(
        ask_file(path, "SELECT count(*) FROM edits WHERE key IS NULL AND kind <> 'translate'"), 0);
    assert_int_equal(ask_file(path, "SELECT count(*) FROM notes") - (int64_t)again.notes > 1, 0);
    assert_int_equal(
        ask_file(path,
                 "SELECT count(*) FROM (SELECT 1 FROM notes GROUP BY text HAVING count(*) > 1)"),
        0);
    print_message("%llu edits and %llu notes acknowledged, %llu refused, %lld edits in the file\n",
                  (unsigned long long)again.edits, (unsigned long long)again.notes,
                  (unsigned long long)again.refused, (long long)keyed);
}
