/* sim.h - the core in a world that is made of one number: its seed chooses what people do, how the
 * links between them and the daemon behave, what the clock says and what the disk does. The same
 * seed gives the same run, step by step. This header is the state of that world; what is done with
 * it flows from above downwards:
 *
 *   main                        seeds, and how many of them
 *   world                       what happens next; disturbances; the quiet end of a seed
 *   daemon, people              the host of the core; people who come, act and go
 *   hear, actions, frames       what people make of what they hear; what they do; how they say it
 *   model                       what must come of each act: the rules in turn
 *   disk, said, oks, requests, edits, wanted, drags, undo, notes, access, tokens, parts, mirrors
 * one rule each lives, facts                the scene, its edits and its locks through all times
 * links, act, chance, judge
 *
 * The model stands beside the core: after each call of the core it looks at the whole scene, says
 * for every node that changed why it was allowed to, and remembers each state by its seq. What
 * people piece together from deltas is compared with that. Ownership: the sim owns everything;
 * people, links and requests live until its end or as long as their list says. Threads: one. */
#ifndef GZ_TEST_SIM_SIM_H
#define GZ_TEST_SIM_SIM_H

#include "core/core.h"
#include "core/history.h"
#include "core/interaction.h"
#include "core/notes.h"
#include "core/pending.h"
#include "core/session.h"
#include "sim/lives.h"
#include "sim/person.h"
#include "support/core_store.h"

#define COUNT(array) (sizeof(array) / sizeof(array)[0])

enum { USERS = 8, PEOPLE = 11, SESSIONS_MAX = 65536 };

struct question {
    uint64_t ticket;
    struct gz_query query;
    double due_s;
};

/* What was tried, to see whether it was much. */
struct sim_counts {
    size_t seeds, steps, actions, edits, cuts, resumes, replaced, restarts, refusals, bulk, motions;
};

struct sim {
    uint64_t seed, random, step, steps;
    bool copies;  /* whether people copy nodes */
    bool packs;   /* whether every second one reads the packed form, and others speak JSON */
    bool grants;  /* whether there are admins, who change the scene's access */
    bool reverts; /* whether people take back edits out of their turn */
    bool repeats; /* whether people say what is so already, and give names to states */
    bool expires; /* whether tokens end, and the wall clock is wrong for a second at times */
    bool hurries; /* whether people come and go while the disk hangs */
    bool trace;
    const char *claim; /* what a broken assertion of the support breaks */

    struct gz_now now;
    struct gz_core *core; /* NULL while the daemon is down */
    struct core_store store;
    struct model model;
    struct gz_batch *batches;          /* with the disk, the oldest first */
    size_t batch_count;                /* of them */
    size_t told_batches;               /* the model knows the first so many */
    size_t void_batches;               /* the first so many stand on one that was refused */
    double clock_off_s, clock_right_s; /* the wall clock is wrong by that, until then */
    double commit_due_s, disk_ok_s, disk_slow_s, past_slow_s, turn_due_s, start_due_s, stop_due_s,
        slice_due_s, chaos_due_s, hurry_until_s;
    bool commit_fails, quiet, disk_failed, stopping;
    uint64_t turns_quiet, turns_restless;
    struct question questions[PEOPLE * 8];
    size_t question_count;
    struct person people[PEOPLE];
    struct link *links;
    uint64_t next_session, next_key;
    uint8_t owners[SESSIONS_MAX]; /* who had which session */
    struct sim_counts *counts;
};

#endif
