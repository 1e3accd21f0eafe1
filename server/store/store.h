/* store.h - the file of a scene: one SQLite database, WAL, synchronous=FULL, one owner at a time.
 *
 * The writer: gz_store_start gives a connection of its own to one thread. Batches go to it by
 * gz_store_submit and come back in order, committed or not, by gz_store_take; the writer does not
 * wait until they are taken. All batches that were submitted during a commit are the next
 * transaction. COMMIT's return code is obeyed: a batch whose commit failed left no trace. Batches
 * that were submitted after it fail as well, because they depend on it; once all of them were
 * taken, the same content can be submitted again. Readers: gz_store_query, gz_store_asset,
 * gz_store_backup, gz_store_check open the file read-only for themselves; they can be called from
 * any thread while the writer works, and are bounded by GZ_QUERY_MS_MAX. Threads: the writer's
 * functions belong to the thread that opened it; `notify` is called on the writer's thread. After a
 * failed commit the refused bytes may be in the log's file until the next commit overwrites them:
 * if the machine dies in between, and the disk has written them after all, they come back. Once the
 * file or its log was deleted or moved, each batch fails. The past that is no longer kept is
 * removed in small steps on the writer's thread, while no batch waits. Errors name files, not
 * folders, because clients read them. GZ_STORAGE with SQLite's message; GZ_VERSION for a file of
 * another schema; GZ_UNKNOWN_SCENE for no file; GZ_BAD_STATE if another process owns it. */
#ifndef GZ_STORE_STORE_H
#define GZ_STORE_STORE_H

#include "proto/base/buffer.h"
#include "proto/base/log.h"
#include "scene/record.h"
#include "store/kept.h"

struct gz_store;
struct gz_shipping;    /* ship.h */
struct gz_histogram;   /* proto/base/histogram.h */
struct gz_store_turns; /* lets the stores of a process check their files one after the other */

struct gz_store_options {
    const char *path;
    bool create; /* make the file if it is missing (GZ_STORAGE if a log of its name holds edits);
                    else GZ_UNKNOWN_SCENE */
    double time; /* Unix seconds: the beginning of the epoch */
    enum gz_recorded recorded;
    struct gz_retention_rule kept;
    void (*notify)(void *context); /* a batch can be taken; on the writer's thread */
    void *context;
    const struct gz_log *log; /* may be NULL */
    bool
        has_hook; /* a hook is told what happens from this opening on, if not from an earlier one */
    const struct gz_shipping *shipping; /* where each transaction is sent first; NULL for nowhere */
    struct gz_store_turns *turns;       /* outlives the store; NULL: it does not wait for others */
    struct gz_histogram *commits;       /* how long they take; outlives the store; may be NULL */
};

/* NULL without memory. Destroy it when all stores that have it are closed. */
struct gz_store_turns *gz_store_turns_create(void);
void gz_store_turns_destroy(struct gz_store_turns *turns);

/* Checks the file (gz_inspect). A file that must not be written is only read, and state->read_only
 * says why: submit no batch to it, and ask for no key. Any other file is opened or created,
 * drags that a crash left open are closed at their last sample, an epoch begins, and the scene is
 * read into `state` (freed by gz_scene_state_finish). Blocks for the disk, but only shortly for
 * another program's lock, which is GZ_STORAGE. After a failure a file that it created is deleted
 * again. */
GZ_MUST_USE enum gz_status gz_store_open(struct gz_store **store,
                                         const struct gz_store_options *options,
                                         struct gz_scene_state *state, struct gz_error *error);
/* Starts the writer's thread, once, before a batch is submitted. It inherits the caller's priority.
 * A file that is only read has no writer. If a crash came before the opening, another thread then
 * checks the whole file (stats.is_unchecked), and `notify` is called when that is done.
 * GZ_INTERNAL. */
GZ_MUST_USE enum gz_status gz_store_start(struct gz_store *store, struct gz_error *error);
/* Commits the submitted batches, ends the writer and closes the file. NULL is fine. Frees batches
 * that were not taken. */
void gz_store_close(struct gz_store *store);

/* Hands a batch to the writer, which owns it until it is taken back. */
void gz_store_submit(struct gz_store *store, struct gz_batch *batch);
/* Takes the oldest batch that is done, with its status; NULL for none. The caller then owns it. */
struct gz_batch *gz_store_take(struct gz_store *store, enum gz_status *status,
                               struct gz_error *error);

/* Has the writer remember how far a hook was told: with the next transaction, or after a second
 * with one of its own. If that fails it stays for the next one, so that the file may say less than
 * was told, and never more. */
void gz_store_tell(struct gz_store *store, struct gz_told told);

/* The committed edit of this user with this key, with its changes, copied into `arena`; edit->id is
 * 0 if there is none. GZ_STORAGE or GZ_NO_MEMORY, and a line in the log, if the file cannot be
 * searched. On the opener's thread; an index makes it a matter of microseconds. */
GZ_MUST_USE enum gz_status gz_store_find_key(struct gz_store *store, const char *user,
                                             const char *key, struct gz_arena *arena,
                                             struct gz_edit_record *edit);

/* The note that a committed request of this user with this key was about; *note is 0 if there is
 * none. As above. */
GZ_MUST_USE enum gz_status gz_store_find_note_key(struct gz_store *store, const char *user,
                                                  const char *key, uint64_t *note);

/* Bytes in the WAL, and seconds the last commit took: for metrics and health. */
struct gz_store_stats {
    uint64_t wal_bytes, commits, rows;
    uint64_t news;        /* edits, and changes of notes and checkpoints, that were committed */
    uint64_t kept_since;  /* the first seq of the kept past */
    double last_commit_s; /* or of the running one so far, if that is longer; without the wait for
                             the log of ship.h */
    enum gz_status last_status;
    bool is_gone; /* it accepts no more batches: its file or WAL was moved or deleted, or it lost
                     the log of ship.h. All that it committed is in its file, or in that log. */
    bool is_read_only;
    bool is_unchecked;  /* after a crash: the check of the whole file is not done yet */
    bool is_damaged;    /* that check found damage: close the store; opened again, the scene is
                           read-only */
    bool keeps_batches; /* with is_gone: its batches do not come back from gz_store_take */
};
struct gz_store_stats gz_store_stats(struct gz_store *store);

/* Has SQLite allocate without its own count, for which all its threads take one lock: a worker of
 * low priority that loses its processor meanwhile would keep each writer waiting. Call it once in a
 * process that opens stores for others, while there is one thread, before SQLite is used; without
 * it all works, but gz_store_memory is 0. */
void gz_store_prepare(void);
/* Bytes that SQLite has allocated, for all files that are open in this process. Any thread. */
uint64_t gz_store_memory(void);

/* ---- readers: any thread ---- */

/* Always fills `answer`; status within. History: newest first by `ended`. The past: a node's seq is
 * that of the edit or sample that left it as it was; the future is GZ_BAD_VALUE, as is what is no
 * longer kept; before the first edit there are no nodes. A path: what is kept of it; of a node that
 * never was GZ_UNKNOWN_NODE. Too much to read within GZ_QUERY_MS_MAX, or to answer:
 * GZ_TOO_LARGE. */
void gz_store_query(const char *path, const struct gz_query *query, struct gz_answer *answer);
/* The glTF file that has the node of this number (gz_content.asset); with GZ_ANY_ASSET the one of
 * the first node that is there, or else the latest one. Fills `asset`, without bytes. GZ_BAD_STATE
 * if there is none, or its bytes are gone. */
#define GZ_ANY_ASSET (-1)
GZ_MUST_USE enum gz_status gz_store_find_asset(const char *path, int64_t number,
                                               struct gz_asset_record *asset,
                                               struct gz_error *error);
/* All that ever were, as `assets` of `state`, whose other members stay zeroed; to be finished in
 * any case. */
GZ_MUST_USE enum gz_status gz_store_assets(const char *path, struct gz_scene_state *state,
                                           struct gz_error *error);
/* The bytes of the file that begins at `first`; errors as above. */
GZ_MUST_USE enum gz_status gz_store_asset(const char *path, uint64_t first, struct gz_buffer *out,
                                          struct gz_error *error);
/* The scene as of one commit, the latest: its seq and the nodes that are not deleted, into `state`,
 * whose other members stay zeroed but for `assets`. The bytes of those that nodes came from are
 * appended to `bytes`, where the records point to until `bytes` is changed; if there is no such
 * node, those of the latest asset. So each edit that was answered is in it, and any other one is in
 * it as a whole or not at all. `state` has to be finished in any case. */
GZ_MUST_USE enum gz_status gz_store_present(const char *path, struct gz_scene_state *state,
                                            struct gz_buffer *bytes, struct gz_error *error);
/* Bytes of the file and of its log, the most that a copy takes. 0 for no file. */
uint64_t gz_store_bytes(const char *path);
/* Makes a consistent copy, as of one commit, as one file without WAL. `to` must not exist. The copy
 * is not synced: a loss of power may leave a part of it, unless the caller syncs it. */
GZ_MUST_USE enum gz_status gz_store_backup(const char *path, const char *to,
                                           struct gz_error *error);

/* Deletes the file and the files beside it; if there is no file, does what gz_store_tidy does.
 * GZ_BAD_STATE if a server has it open. Crash-safe, like gz_store_rename: after a crash
 * gz_store_tidy finishes it, or the creation of a scene with this name. Blocks for the disk. */
GZ_MUST_USE enum gz_status gz_store_delete(const char *path, struct gz_error *error);
/* Renames the file. GZ_CONFLICT if the new name is taken; GZ_BAD_STATE if a server, or another
 * program for longer than a second, has it open; GZ_STORAGE if a log with edits has the new name:
 * the file then keeps its name. */
GZ_MUST_USE enum gz_status gz_store_rename(const char *from, const char *to,
                                           struct gz_error *error);

/* The most bytes of a file that a crash kept from becoming a scene. */
#define GZ_UNMADE_BYTES_MAX 1024
/* Finishes a deletion that a crash interrupted, and deletes a file that did not become a scene yet,
 * and the files beside a scene's file that no longer exists. A log with edits stays, because the
 * file may have been moved: GZ_STORAGE. GZ_BAD_STATE if a server has the file open. */
GZ_MUST_USE enum gz_status gz_store_tidy(const char *path, struct gz_error *error);
/* The scene, without ".db", that a log, its index, an owner's lock or a deleted database belongs
 * to. `file` is a name without folders; the result points into it. NULL for all other files. */
const char *gz_store_beside(const char *file, size_t *size);

struct gz_store_check {
    void (*handle_fault)(void *context, const char *words); /* one sentence for each fault */
    void *context;
    /* filled in; `faults` also counts those of a kind that were too many for a sentence each */
    int version; /* of the schema */
    uint64_t nodes, edits, seq, faults;
    bool is_rolled_back; /* a change that a crash broke off was taken back first */
};
/* Checks every promise of a scene's file (check.c), also that the history leads to the present
 * state. Not bounded by GZ_QUERY_MS_MAX. A file with faults is GZ_OK; one that cannot be opened as
 * a scene is not. Creates no files beside a file that is not open elsewhere. GZ_BAD_STATE: another
 * program opened it meanwhile, and the faults may be wrong. */
GZ_MUST_USE enum gz_status gz_store_check(const char *path, struct gz_store_check *check,
                                          struct gz_error *error);

/* Compares two files row by row and bit by bit: `difference` is a sentence about the first table
 * and row that differ, or empty. Not bounded by GZ_QUERY_MS_MAX. */
GZ_MUST_USE enum gz_status gz_store_compare(const char *path, const char *against,
                                            char difference[GZ_ERROR_BYTES_MAX],
                                            struct gz_error *error);

struct gz_store_summary {
    uint64_t nodes, seq;
    double changed; /* Unix seconds: the end of its last edit, or its creation */
    bool has_asset;
    bool has_news; /* that a hook was not told of yet, or drags that run or were cut off */
};
/* Summarises a scene, open or not, for a list. Unless `globs` is NULL, the patterns of the scene's
 * own access are appended to it, each with its NUL, as many as fit. */
GZ_MUST_USE enum gz_status gz_store_summary(const char *path, struct gz_store_summary *summary,
                                            struct gz_buffer *globs, struct gz_error *error);

#endif
