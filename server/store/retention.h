/* retention.h - keeps as much of the past as a rule says, and removes the rest.
 *
 * The past is whole from one seq on, the horizon (`since` in the table kept): the state at it and
 * at each seq after it can be asked for, and each edit after it is there with its changes and
 * samples. The horizon goes on from edit to edit. When it has come to an edit, the changes that
 * this edit's nodes had before are of no more use, nor are its own samples; an edit without changes
 * goes. So each node keeps its latest change at or before the horizon, and an edit stays, with its
 * key, as long as one of its changes does.
 *
 * A checkpoint's state can be asked for as well: each node keeps its latest change at or before the
 * checkpoint, and a drag that ran then its path.
 *
 * An edit is passed when it is older than the rule says or has more edits after it, but never while
 * it is one of the latest GZ_UNDO_EDITS_MAX, which undo may ask for, or ended within
 * GZ_RETENTION_SECONDS_MIN, so that its key is still known; nor while it runs. Space that becomes
 * free in the file is used again; the file does not shrink.
 *
 * Each step is one transaction of GZ_RETENTION_ROWS_AT_ONCE rows and says in the table how far it
 * came, so that it can stop anywhere: with the process, the power, a disk that refuses. Units: Unix
 * seconds. Threads: the writer's, between its transactions. */
#ifndef GZ_STORE_RETENTION_H
#define GZ_STORE_RETENTION_H

#include <sqlite3.h>
#include <stdbool.h>

#include "proto/base/status.h"
#include "store/kept.h"
#include "store/shipper.h"
#include "store/sql.h"

struct gz_retention {
    struct gz_retention_rule rule;
    sqlite3 *db;
    struct gz_shipper *shipper;
    sqlite3_stmt *statements[GZ_SQL_RETENTION_COUNT];
    uint64_t since; /* the horizon */
    uint64_t edits; /* after it, completed */
};

/* The shipper and its connection stay the caller's, and are there for longer than this. */
GZ_MUST_USE enum gz_status gz_retention_init(struct gz_retention *retention,
                                             struct gz_shipper *shipper,
                                             struct gz_retention_rule rule, struct gz_error *error);
void gz_retention_finish(struct gz_retention *retention);

/* Whether anything is ever taken away. */
bool gz_retention_is_on(const struct gz_retention *retention);
/* Counts edits that were committed. */
void gz_retention_count(struct gz_retention *retention, uint64_t edits);
/* One step; `*more` says whether it had anything to do, which it has not while another program
 * has the file locked. After a failure nothing of it is left. */
GZ_MUST_USE enum gz_status gz_retention_step(struct gz_retention *retention, double now, bool *more,
                                             struct gz_error *error);

#endif
