/* core_store.h - a disk in memory for the core's host: it keeps what was committed, answers for the
 * past, and gives a scene back after a restart. It also judges: a batch that breaks the contract of
 * scene/record.h fails the test, and so does a state that the edits before it do not explain (every
 * node is where its latest edit left it, unless a drag is running on it). Ownership: it keeps
 * copies. Threads: one. */
#ifndef GZ_TEST_CORE_STORE_H
#define GZ_TEST_CORE_STORE_H

#include "scene/record.h"

/* A node as the edits say that it is. */
struct core_store_node {
    bool exists, written;
    struct gz_content told; /* as the edits left it */
    size_t version;         /* index of the latest one */
    double ended_s;         /* when its latest edit ended */
    size_t open;            /* begun drags that hold it */
};

struct core_store {
    struct gz_arena arena; /* of every text and change, until the end */
    uint64_t epoch, seq, next_node, next_edit;
    struct gz_asset_record *assets;
    size_t asset_count, asset_capacity;
    double time;
    size_t graves_max; /* tombstones that are given back after a restart */

    struct core_store_node *nodes; /* by id */
    size_t node_capacity;
    struct gz_node_record *versions; /* in the order of commits */
    size_t version_count, version_capacity;
    struct gz_edit_record *edits; /* completed, ascending by seq */
    size_t edit_count, edit_capacity;
    struct gz_edit_record *open; /* begun drags */
    size_t open_count, open_capacity;
    struct gz_epoch_record *epochs;
    size_t epoch_count, epoch_capacity;
    uint64_t *known; /* sessions that joined in this epoch */
    size_t known_count, known_capacity;
    uint64_t *visitors; /* those that are there */
    size_t visitor_count, visitor_capacity;
    size_t sample_count;
    struct gz_note_record *notes; /* as they are, deleted ones too: ascending by id */
    size_t note_count, note_capacity;
    struct core_store_note_key {
        const char *user, *key;
        uint64_t note;
    } * note_keys;
    size_t note_key_count, note_key_capacity;
    struct gz_checkpoint_record *checkpoints; /* ascending by seq, and as they were made */
    size_t checkpoint_count, checkpoint_capacity;
    struct gz_access_record *access; /* in force; in no order */
    size_t access_count, access_capacity;
    struct gz_access_record *access_log; /* each change of it */
    size_t access_log_count, access_log_capacity;
};

void core_store_init(struct core_store *store);
/* A copy of the disk `from`, in which no drag may run. The copy uses the texts of `from`, which has
 * to outlive it. */
void core_store_copy(struct core_store *store, const struct core_store *from);
void core_store_finish(struct core_store *store);

/* Ends the epoch, completes the drags that were left open at their last sample, and tells of the
 * scene in a new epoch. */
void core_store_open(struct core_store *store, struct gz_scene_state *state);
void core_store_commit(struct core_store *store, const struct gz_batch *batch);
bool core_store_find_key(const struct core_store *store, const char *user, const char *key,
                         struct gz_edit_record *edit);
bool core_store_find_note_key(const struct core_store *store, const char *user, const char *key,
                              uint64_t *note);
/* The place of this pattern in `access`; access_count if it is not there. */
size_t core_store_find_access(const struct core_store *store, const char *glob);
/* Fills `answer`, which is finished with gz_answer_finish. */
void core_store_ask(const struct core_store *store, const struct gz_query *query,
                    struct gz_answer *answer);

#endif
