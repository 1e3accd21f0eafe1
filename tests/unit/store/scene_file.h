/* scene_file.h - what the store's tests share: a file in a directory of its own, commits that are
 * waited for, and a model that makes random batches and remembers all it did. */
#ifndef GZ_TEST_SCENE_FILE_H
#define GZ_TEST_SCENE_FILE_H

#include "store/store.h"
#include "support/cmocka.h"

#define START_TIME 1.7e9

/* cmocka fixtures: *state is a directory's path, removed with all in it. */
int make_directory(void **state);
int remove_directory(void **state);
#define TEST_IN_DIRECTORY(name) TEST_GIVEN(name, make_directory, remove_directory, directory)
/* The path of a file in it; valid for the next fifteen calls. */
const char *in_directory(void **state, const char *name);

/* Opens the file as it is, without a check; fails the test where that cannot be. */
struct gz_store *open_scene(const char *path, bool create, double time,
                            struct gz_scene_state *state);
struct gz_store *open_recording(const char *path, bool create, double time,
                                enum gz_recorded recorded, struct gz_scene_state *state);
/* The same for tests that do not look at the state. */
struct gz_store *open_only(const char *path, bool create, double time);
/* Makes a.db, in which nothing is, and opens it. */
struct gz_store *open_new(void **directory, const char **path);
/* Makes the file of an empty scene that was never opened: its place is 0. */
void make_empty_scene(const char *path);
/* Waits for the next batch that is done. */
struct gz_batch *wait_for(struct gz_store *store, enum gz_status *status, struct gz_error *error);
/* Adds a glTF file of one node to the batch. */
void add_asset(struct gz_batch *batch, uint64_t first, uint64_t seq, const void *bytes,
               size_t size);
/* Submits it, waits, expects it to be committed, and frees it. */
void commit(struct gz_store *store, struct gz_batch *batch);
/* Whether there is an edit, or a note, with this key; expects the store to say. */
bool knows_key(struct gz_store *store, const char *user, const char *key, struct gz_arena *arena,
               struct gz_edit_record *edit);
bool knows_note_key(struct gz_store *store, const char *user, const char *key, uint64_t *note);
/* One integer by a connection of its own. */
int64_t ask(const char *path, const char *sql);
/* As if a server had left the file like that: what many tests write is no whole scene, and a check
 * of it would find that. */
void vouch_for(const char *path);
/* Runs statements by a connection of its own. */
void tell(const char *path, const char *sql);

struct gz_content some_content(uint64_t parent, const char *name, double x);
void assert_same_content(const struct gz_content *a, const struct gz_content *b);
void assert_same_edit(const struct gz_edit_record *a, const struct gz_edit_record *b);

/* ---- numbered edits: what is there after a crash can be told from what was acknowledged ---- */

#define NUMBERED_NODES 3

struct numbered {
    uint64_t edits, seq; /* of the last one */
    bool is_cut_off;     /* the last one has begun and not ended */
};

/* One drag of three nodes: begun and moved in one batch, and with `is_end` completed in the next.
 * NULL without memory. */
struct gz_batch *numbered_batch(struct numbered *numbered, bool is_end);
/* Expects edits 1 to `acknowledged`, or one more that was under way, each whole, and sets
 * `numbered` to go on from there. Only the one that was under way may have ended where it was in
 * the middle, or the last one if it was cut off in `numbered` before. */
void assert_numbered(const struct gz_scene_state *state, uint64_t acknowledged,
                     struct numbered *numbered);

/* ---- the model ---- */

#define MODEL_NODES_MAX 256
#define MODEL_DRAGS_MAX 4
#define MODEL_DRAG_NODES_MAX 3
#define MODEL_SESSION 9

struct model_node {
    struct gz_content content;
    bool alive, held, touched;
    bool stored; /* a batch had it */
    uint64_t seq;
};

struct model_drag {
    bool is_running, is_begun;
    size_t first_sample;
    struct gz_edit_record edit;
    struct gz_change changes[MODEL_DRAG_NODES_MAX];
};

struct model {
    uint64_t random;
    bool is_lasting; /* to be set for a long history: few nodes are deleted, of which it has no more
                        than MODEL_NODES_MAX ever */
    uint64_t seq, next_edit;
    double time;
    bool has_joined;
    struct model_node nodes[MODEL_NODES_MAX]; /* of id i + 1 */
    size_t node_count;
    struct model_drag drags[MODEL_DRAGS_MAX];
    /* all that was done, dropped drags left out */
    struct gz_arena arena;
    struct gz_edit_record *edits;
    size_t edit_count;
    struct gz_sample_record *samples; /* a dropped one has edit 0 */
    size_t sample_count;
    size_t saved_samples; /* of those, in earlier batches */
    size_t saved_edits;
};

struct model *model_create(uint64_t seed);
void model_destroy(struct model *model);
uint64_t model_random(struct model *model, uint64_t below);
/* The next batch: some actions, each with its seqs. */
struct gz_batch *model_batch(struct model *model);
/* The file was closed and opened again: drags that ran are edits that ended at their last sample,
 * and everybody has to join. All batches must have been committed. */
void model_reopen(struct model *model);
/* The scene as it was at `seq`, or at the time that lies there (NaN where it was not asked by
 * time), by replaying all edits and samples; `alive` of those not there is false. */
void model_replay(const struct model *model, uint64_t seq, double time,
                  struct model_node nodes[MODEL_NODES_MAX]);

#endif
