/* follower.h - a client under test, as a program of its own: it is told of a URL and a scene,
 * follows it through whatever happens, and says what it was told. What it says is held against the
 * rules as it comes: an order of seqs without a gap or a double, resumed exactly where that is
 * possible, each edit once. tests/README.md has the words that are exchanged. The program is
 * $GIZMOD_FOLLOWER where set, else the C client library's (GZ_FOLLOW_PATH). It dies with the test.
 * Everything here fails the test that called it, with the follower's name and its last words. */
#ifndef TESTS_RESUME_FOLLOWER_H
#define TESTS_RESUME_FOLLOWER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "file.h"

#define EPOCHS_MAX 4096

/* The epochs of the scene as its file has them: what was saved of each. */
struct past {
    struct scene_file *file;
    uint64_t epochs[EPOCHS_MAX], began_seqs[EPOCHS_MAX];
    size_t count;
};

struct follower {
    const char *name;
    pid_t pid;
    int input, output;
    char *words; /* what it said that is not a whole line yet */
    size_t words_size, words_capacity;
    char last[128]; /* its last line */

    bool joined, fresh;        /* fresh: the first delta is to come */
    bool resumed;              /* at the last join */
    bool partial;              /* it was told a part of what is after `whole` */
    uint64_t epoch, at, whole; /* where it stands, and last stood without more to come */
    uint64_t edit;             /* the last one that it heard of */
    uint64_t edits_from;       /* those after this one it has to hear of */
    struct heard_edit {
        uint64_t seq, at; /* and where the follower stood when it heard of it */
    } * edits;
    size_t edit_count, edit_capacity;

    bool stating;
    uint64_t stated; /* the seq of the state that it wrote last; 0 while it is writing */
    char *state;     /* that state, for free() with the follower */
    size_t state_size, state_capacity;

    uint64_t joins, losses, resumes;
};

void follower_start(struct follower *follower, const char *name, const char *url,
                    const char *scene);
void follower_finish(struct follower *follower);
/* Takes in what it has said, without waiting. */
void follower_hear(struct follower *follower, struct past *past);
void follower_order(struct follower *follower, const char *order);
/* Waits until each of them has said its state at `seq` or later, and has heard of the edit of seq
 * `edit`, 0 for none, or a later one. All are heard meanwhile: one whose words nobody takes would
 * hold up the network of the others. */
void followers_state(struct follower *followers, size_t count, uint64_t seq, uint64_t edit,
                     struct past *past, double timeout_s);

#endif
