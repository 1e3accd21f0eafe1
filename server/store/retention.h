/* retention.h - removes the past that a rule does not keep.
 *
 * The past is complete from one seq on, the horizon (`since` in the table kept): the state at each
 * seq from it on can be read, and each edit after it has its changes and samples. The horizon moves
 * from edit to edit. When it has reached an edit, earlier changes of this edit's nodes are no
 * longer needed, nor are its samples; an edit without changes is removed. So each node keeps its
 * latest change at or before the horizon, and an edit stays, with its key, as long as one of its
 * changes does.
 *
 * The state of a checkpoint can be read as well: each node keeps its latest change at or before the
 * checkpoint, and a drag that ran at that moment keeps its path.
 *
 * The bytes of a glTF file go once nothing that is kept has a node of it. A restore may bring back
 * what was read just before the horizon passed it: a file therefore waits until the horizon has
 * been past its nodes for GZ_UNUSED_ASSET_SECONDS, or was past them when the scene was opened.
 *
 * The horizon passes an edit that is older than the rule allows or has more edits after it, but
 * never a running edit, one of the latest GZ_UNDO_EDITS_MAX, which undo may need, or one that ended
 * within GZ_RETENTION_SECONDS_MIN, whose key must be known. Free space in the file is used again;
 * the file does not shrink.
 *
 * Each step is one transaction of GZ_RETENTION_ROWS_AT_ONCE rows and stores its progress in the
 * table, so that it can be interrupted anywhere. Units: Unix seconds. Threads: the writer's,
 * between its transactions. */
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
    /* Completed edits after it, once they are counted: by the first step, because a start must not
     * take longer with a longer history. */
    uint64_t edits;
    bool is_counted;
    /* Of the files that nodes came from: a horizon and when it was noted; up to which one all
     * unused files are gone. */
    uint64_t noted, looked;
    double noted_s; /* 0: when the scene was opened */
    bool is_looking;
};

/* The shipper and its connection stay the caller's, and outlive this struct. */
GZ_MUST_USE enum gz_status gz_retention_init(struct gz_retention *retention,
                                             struct gz_shipper *shipper,
                                             struct gz_retention_rule rule, struct gz_error *error);
void gz_retention_finish(struct gz_retention *retention);

/* What the age of an edit is measured by. */
struct gz_retention_clock {
    double ahead_s; /* of the wall clock before the monotonic one, at the last look */
    double doubted_until_s;
};

/* A look at the clocks (seconds): whether an age by the wall clock may remove anything. It may not
 * for GZ_CLOCK_DOUBT_SECONDS after the wall clock jumped ahead, because it may jump back. Pure. */
bool gz_retention_trusts(struct gz_retention_clock *clock, double wall_s, double monotonic_s);

/* Whether the rule removes anything at all. */
bool gz_retention_is_on(const struct gz_retention *retention);
/* Counts edits that were committed. */
void gz_retention_count(struct gz_retention *retention, uint64_t edits);
/* Does one step; `*more`: whether there was work. There is none while another program has the file
 * locked. A failed step leaves no trace. */
GZ_MUST_USE enum gz_status gz_retention_step(struct gz_retention *retention, double now, bool *more,
                                             struct gz_error *error);

#endif
