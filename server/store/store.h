/* store.h - a scene is a file: one SQLite database, WAL, synchronous=FULL, one owner at a time. The
 * one room that knows SQL.
 *
 * The writer: gz_store_start gives a connection of its own to one thread; batches go to it by
 * gz_store_submit and come back in their order, committed or not, by gz_store_take. The writer
 * never waits for them to be taken: what was submitted while it committed is its next transaction,
 * all of it together. COMMIT's return code is obeyed: a batch whose commit failed left nothing
 * behind, and the same content can be submitted again, once every batch of before was taken: those
 * that were submitted after it fail as well, because they stand on it. Readers: gz_store_query,
 * gz_store_asset, gz_store_backup, gz_store_check open the file read-only for themselves; they can
 * be called from any thread while the writer works, and are bounded by GZ_QUERY_MS_MAX. Threads:
 * the writer's functions belong to the thread that opened it; `notify` is called on the writer's
 * thread. After a failed commit the refused bytes may stand in the log's file until the next commit
 * writes over them: should the machine die in between, and the disk have had them after all, they
 * are there again. A file that was deleted or moved while it is open, or whose log was, takes no
 * more: each batch fails. What is no longer to be kept goes in small steps on the writer's thread,
 * while no batch waits. Errors name files, not folders: clients read them. GZ_STORAGE with SQLite's
 * words; GZ_VERSION for a file of a newer schema; GZ_UNKNOWN_SCENE for no file; GZ_BAD_STATE if
 * another process owns it. */
#ifndef GZ_STORE_H
#define GZ_STORE_H

#include "proto/base/buffer.h"
#include "proto/base/log.h"
#include "scene/record.h"
#include "store/kept.h"

struct gz_store;
struct gz_shipping; /* ship.h */

struct gz_store_options {
    const char *path;
    bool create; /* make the file if it is missing (GZ_STORAGE if a log of its name holds edits);
                    else GZ_UNKNOWN_SCENE */
    double time; /* now, Unix seconds: the epoch's beginning */
    enum gz_recorded recorded;
    struct gz_retention_rule kept;
    void (*notify)(void *context); /* something can be taken; on the writer's thread */
    void *context;
    const struct gz_log *log;           /* may be NULL */
    const struct gz_shipping *shipping; /* where each transaction goes first; NULL: nowhere */
};

/* Looks at the file (gz_inspect), and reads it if nobody may write to it, which state->read_only
 * then says in words: nothing is to be submitted, and no key asked for. Otherwise opens or makes
 * it, brings its schema up to date, closes drags that a crash left open at their last sample,
 * begins a new epoch, and reads the scene into `state` (freed by gz_scene_state_finish). Blocks for
 * the disk, but hardly for another program's lock, which is GZ_STORAGE in words: try again. A file
 * that it made is gone again after a failure. */
GZ_MUST_USE enum gz_status gz_store_open(struct gz_store **store,
                                         const struct gz_store_options *options,
                                         struct gz_scene_state *state, struct gz_error *error);
/* Starts the writer, once, before anything is submitted: on a thread of the priority that the
 * writer is to have, which it inherits. A file that is only read has no writer. GZ_INTERNAL. */
GZ_MUST_USE enum gz_status gz_store_start(struct gz_store *store, struct gz_error *error);
/* Commits what was submitted, ends the writer and closes the file. NULL is fine. A batch that was
 * not taken is freed. */
void gz_store_close(struct gz_store *store);

/* Hands a batch to the writer, which owns it until it is taken back. */
void gz_store_submit(struct gz_store *store, struct gz_batch *batch);
/* The oldest batch that is done and was not taken yet, with its status; NULL for none. The caller
 * owns it. */
struct gz_batch *gz_store_take(struct gz_store *store, enum gz_status *status,
                               struct gz_error *error);

/* The committed edit of this user with this key, with its changes, copied into `arena`; edit->id is
 * 0 if there is none. GZ_STORAGE or GZ_NO_MEMORY, and a line in the log, if the file cannot be
 * asked: then nobody knows whether there is one. On the opener's thread, by an index:
 * microseconds. */
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
    uint64_t kept_since;  /* the seq from which on the past is there */
    double last_commit_s; /* or that the one which runs has taken so far, if that is longer;
                             without the wait for the log of other machines (ship.h) */
    enum gz_status last_status;
    bool is_gone; /* it takes no more: its file or its log was moved or deleted, or it has no part
                     in the log of other machines any more (ship.h). All that it took is in its
                     file, or in the log. */
    bool keeps_batches; /* with is_gone: the batches that it has do not come back from
                           gz_store_take */
};
struct gz_store_stats gz_store_stats(struct gz_store *store);

/* Bytes that SQLite has allocated, for all files that are open in this process. Any thread. */
uint64_t gz_store_memory(void);

/* ---- readers: any thread ---- */

/* Always fills `answer`; status within. History: newest first by `ended`. The past: a node's seq is
 * that of the edit or sample that left it as it was; the future is GZ_BAD_VALUE, as is what is no
 * longer kept; before the first edit there are no nodes. A path: what is kept of it; of a node that
 * never was GZ_UNKNOWN_NODE. Too much to read within GZ_QUERY_MS_MAX, or to answer:
 * GZ_TOO_LARGE. */
void gz_store_query(const char *path, const struct gz_query *query, struct gz_answer *answer);
/* The scene's glTF; GZ_BAD_STATE if it has none. */
GZ_MUST_USE enum gz_status gz_store_asset(const char *path, struct gz_buffer *out,
                                          struct gz_error *error);
/* A word for the asset that gz_store_asset gives: another one, also one of another file under the
 * same path, has another. */
#define GZ_ASSET_TAG_BYTES 64
GZ_MUST_USE enum gz_status gz_store_asset_tag(const char *path, char tag[GZ_ASSET_TAG_BYTES],
                                              struct gz_error *error);
/* Bytes of the file and of its log: as many as a copy has at most. 0 for no file. */
uint64_t gz_store_bytes(const char *path);
/* A consistent copy, ending on a commit's edge, as one file without WAL. `to` must not exist. */
GZ_MUST_USE enum gz_status gz_store_backup(const char *path, const char *to,
                                           struct gz_error *error);

/* Deletes the file and all that is beside it; if there is no file, does what gz_store_tidy does.
 * GZ_BAD_STATE if a server has it open. Crash-safe, as is the next: after a crash in between,
 * gz_store_tidy or making a scene of the name finishes it. Blocks for the disk. */
GZ_MUST_USE enum gz_status gz_store_delete(const char *path, struct gz_error *error);
/* Gives the file another name. GZ_CONFLICT if there is one of that name; GZ_BAD_STATE if a server
 * or another program has it open, for longer than a second; GZ_STORAGE if a log that holds edits
 * has the new name: the file keeps its name then. */
GZ_MUST_USE enum gz_status gz_store_rename(const char *from, const char *to,
                                           struct gz_error *error);

/* Finishes a deletion that a crash broke off, and deletes what stands beside a scene's file that is
 * not there any more. A log that holds edits stays: the file may have been moved. GZ_STORAGE says
 * so; GZ_BAD_STATE if a server has the file open. */
GZ_MUST_USE enum gz_status gz_store_tidy(const char *path, struct gz_error *error);
/* The name, without ".db", of the scene that a file of this name (without its folder) stands
 * beside, pointing into it: a log, its index, an owner's lock or a deleted database. NULL for all
 * other files. */
const char *gz_store_beside(const char *file, size_t *size);

struct gz_store_check {
    void (*handle_fault)(void *context,
                         const char *words); /* one sentence for each thing that is wrong */
    void *context;
    /* filled: what there is, and how many things are wrong with it, those included that were too
     * many of a kind to be said */
    int version; /* of the schema */
    uint64_t nodes, edits, seq, faults;
};
/* Looks whether everything holds that a scene's file promises, up to the history coming to the
 * present state. Not bounded by GZ_QUERY_MS_MAX. A file with faults is GZ_OK; one that cannot be
 * opened as a scene is not. Beside a file that nobody has open nothing is made. GZ_BAD_STATE:
 * somebody opened it meanwhile, and what was said may be wrong. */
GZ_MUST_USE enum gz_status gz_store_check(const char *path, struct gz_store_check *check,
                                          struct gz_error *error);

/* Whether two files are equal row by row, to the last bit: `difference` says in a sentence in which
 * table and row they differ first, and is empty if they do not. Not bounded by GZ_QUERY_MS_MAX. */
GZ_MUST_USE enum gz_status gz_store_compare(const char *path, const char *against,
                                            char difference[GZ_ERROR_BYTES_MAX],
                                            struct gz_error *error);

struct gz_store_summary {
    uint64_t nodes, seq;
    double changed; /* Unix seconds: the end of its last edit, or when it was made */
    bool has_asset;
};
/* For listing scenes that need not be open. Unless `globs` is NULL, the patterns for users to whom
 * the scene's own access gives any role are appended to it, each with its NUL, as many as fit. */
GZ_MUST_USE enum gz_status gz_store_summary(const char *path, struct gz_store_summary *summary,
                                            struct gz_buffer *globs, struct gz_error *error);

#endif
