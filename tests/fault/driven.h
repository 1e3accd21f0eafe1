/* driven.h - a driver (driver.c) beside a test that kills its servers, and what became of what the
 * driver was told: its own log against the file of the scene. Everything here fails the test that
 * called it when something is not as the driver was told. */
#ifndef TESTS_FAULT_DRIVEN_H
#define TESTS_FAULT_DRIVEN_H

#include <sqlite3.h>
#include <sys/types.h>

#include "driver_log.h"

#define USERS_MAX 16
#define DRIVER_URLS_MAX 3

struct driver {
    pid_t pid;
    int input; /* it ends when this is closed */
    char path[128];
    int log;
    const struct driver_entry *entries; /* as of the last reading; not after the end */
    size_t count, mapped_bytes;
};

/* What of the log was not looked at yet, and what is still open of what was. */
struct judge {
    size_t next;
    struct driver_entry asked[USERS_MAX]; /* kind 0: nothing is open */
    double lost_s_max;
    uint64_t edits, notes, refused, open_done, open_lost;
};

/* Its log is in the folder; the URLs end with NULL. */
void driver_start(struct driver *driver, const char *folder, const char *const *urls);
/* Ends it, and reads its log to the end. */
void driver_end(struct driver *driver);
/* Frees what was read; the driver has ended. */
void driver_finish(struct driver *driver);
/* Reads its log as it is now. */
void driver_read(struct driver *driver);
/* Waits until everybody is back and was answered since entry `from`: a round is under way. */
void driver_await_work(struct driver *driver, size_t from);
/* Waits until everybody has noticed a kill: nothing said before it is then still on its way. */
void driver_await_loss(struct driver *driver, size_t from);

/* One row of numbers, 0 for what is not there. Parameters: the user, the key, the first node. */
void judge_ask(sqlite3 *db, const char *sql, const struct driver_entry *entry, double *row,
               int columns);
sqlite3 *judge_open_file(const char *path);
/* What came since the last time: what was answered is there once, as it was answered, and whole;
 * what is open is there once or not; what was refused for good is not there. */
void judge_driven(struct judge *judge, sqlite3 *db, const struct driver *driver);
/* Everything again, and that there is nothing else: no edit twice under another key. */
void judge_whole(const struct driver *driver, const char *path);

#endif
