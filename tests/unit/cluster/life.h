/* life.h - three members of a cluster in one process, each with a folder and real stores, on a log
 * in memory: what the people, the members and the judge of the simulation share. One thread does
 * everything, step by step. The writer of a store waits for that thread before it sends a change,
 * so that a seed is played in the same way each time. What the threads of a member do (renewing,
 * following) is done in steps as well. */
#ifndef TESTS_LIFE_H
#define TESTS_LIFE_H

#include <pthread.h>
#include <stdatomic.h>

#include "cluster/cluster.h"
#include "store/store.h"
#include "support/chance.h"
#include "support/simulated_log.h"
#include "unit/store/scene_file.h"

#define MEMBERS 3
#define SCENES 2
#define NODES_MAX 24
#define DRAG_BATCHES_MAX 8
#define BATCHES_MAX 1000
#define CHANGES_MAX 4000
#define TAKEN_MAX 1000

/* ---- what people do ---- */

/* What a batch leaves in the file. */
enum trace {
    TRACE_NOTHING, /* nothing that tells it from other batches */
    TRACE_KEY,     /* an edit with its number as the key */
    TRACE_SAMPLE   /* a sample with its number as x */
};

enum fate { FATE_UNKNOWN, FATE_SAVED, FATE_REFUSED };

/* One batch; its number is its place in the book. */
struct entry {
    size_t scene;
    enum trace trace;
    enum fate fate;
};

/* A change that a member was told is in the log. */
struct shipped {
    size_t scene;
    uint64_t n, epoch, sum; /* the sum is of its bytes */
};

/* A lease that was taken when the log was at place n. */
struct taken {
    size_t scene;
    uint64_t n, epoch;
};

struct book {
    struct entry entries[BATCHES_MAX];
    size_t count;
    struct shipped shipped[CHANGES_MAX];
    struct taken taken[TAKEN_MAX];
    size_t shipped_count, taken_count, saved, refused, unknown;
};

struct draft_node {
    uint64_t id;
    double x;
};

/* A scene as its authority has it, with all that was submitted to its store. */
struct draft {
    uint64_t seq, next_node, next_edit;
    double time;
    struct draft_node nodes[NODES_MAX]; /* alive */
    size_t count;
    bool has_drag;
    struct gz_edit_record drag;
    struct gz_change change;          /* of the drag */
    size_t batches[DRAG_BATCHES_MAX]; /* whose samples go if the drag is dropped */
    size_t batch_count;
};

/* ---- members ---- */

struct opened {
    struct gz_scene_lease *claim; /* NULL: the scene is not open at this member */
    struct gz_store *store;
    struct draft draft;
    char path[512];
};

struct world;

struct member {
    struct world *world;
    size_t number;
    int process; /* how many were killed before this one */
    char folder[400];
    struct gz_member me;
    struct gz_cluster_log log;
    struct gz_cluster *cluster;
    struct opened scenes[SCENES];
    int calls_left;      /* of the log, until the process is killed; 0: it is not */
    bool dies_at_answer; /* when the last call is answered, not when it begins */
    atomic_bool is_dead;
    bool has_gate;             /* a writer that has a change to send waits */
    bool is_waiting, may_pass; /* guarded by the world's mutex */
    bool is_late;              /* what it sent last is still on its way */
};

struct world {
    uint64_t random;
    double time;
    void **directory;
    struct simulated_engine *engine;
    struct member members[MEMBERS];
    struct book book;
    pthread_t thread;      /* which does all of it */
    pthread_mutex_t mutex; /* guards the gates */
    pthread_cond_t event;  /* a writer came to its gate, or has done something */
    bool is_busy;          /* another member acts while a writer waits at its gate */
    int takeovers, deaths, fences;
};

static inline uint64_t below(struct world *world, uint64_t limit)
{
    return chance_below(&world->random, limit);
}

extern const char *const life_scenes[SCENES];

/* ---- life_book.c ---- */

/* Puts down what the log answered. Any thread. */
void life_note(struct world *world, const struct simulated_call *call);

/* ---- life_draft.c ---- */

/* Makes the next batch of the scene, and enters it in the book under *number. */
struct gz_batch *life_draw(struct world *world, struct draft *draft, size_t scene, size_t *number);
void life_read_draft(struct draft *draft, const struct gz_scene_state *state, double time);

/* ---- life_member.c ---- */

/* The member's next process begins, in its folder; an earlier one has ended. */
void life_begin(struct world *world, size_t number);
/* Ends the process in order. Its folder stays. */
void life_end(struct member *member);
/* Kills the process, also in the middle of a call. The next process gets the files as they are at
 * this moment. Whatever this one still does, until life_revive, is done to files that nobody reads
 * any more, and no call of it reaches the log. */
void life_kill(struct member *member);
/* Ends the process in order, and begins the next one. */
void life_restart(struct member *member);
/* Ends the process and removes its folder. */
void life_bury(struct member *member);
/* Buries a killed process and begins the next one. */
void life_revive(struct member *member);
/* Opens the scene at this member, and makes it if there is none. False if it cannot be opened here;
 * *other is the member that has it, or NULL. */
bool life_open(struct member *member, size_t scene, struct member **other);
/* Closes the scene in order, if it is open here. */
void life_close(struct member *member, size_t scene);
void life_give_faults(struct member *member);
void life_heal(struct member *member);
/* Lets more time pass than a lease lasts; all members but `silent` renew. */
void life_outlast(struct world *world, const struct member *silent);
/* The member follows once; what failed before is tried again. */
void life_follow(struct member *member);

/* ---- life_people.c ---- */

/* A person edits the scene at this member, or at the one that has the scene. */
void life_edit(struct member *member, size_t scene);
/* After `from` was silent for longer than a lease another member takes the scene over. */
void life_take_over(struct world *world, const struct member *from, size_t scene);

/* ---- life_judge.c ---- */

/* All members come back and catch up; then all that was promised is looked at. */
void life_judge(struct world *world);

#endif
