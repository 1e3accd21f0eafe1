/* follower.c - runs a client under test and judges its lines. See follower.h. */
#include "follower.h"
#include "support/clock.h"

#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "support/cmocka.h"

#define PIECE_BYTES 65536

static void require(const struct follower *follower, bool holds, const char *rule)
{
    if (holds) return;
    fail_msg("%s: %s. It said: %s (it stood at %" PRIu64 ", whole at %" PRIu64 " of epoch %" PRIu64
             "%s, edit %" PRIu64 ")",
             follower->name, rule, follower->last, follower->at, follower->whole, follower->epoch,
             follower->partial ? ", with a part of what is after that" : "", follower->edit);
}

/* ---- the program ---- */

static void run(const int in[2], const int out[2], const char *url, const char *scene)
{
    const char *said = getenv("GIZMOD_FOLLOWER");
    const char *path = said != NULL && said[0] != '\0' ? said : GZ_FOLLOW_PATH;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    dup2(in[0], STDIN_FILENO);
    dup2(out[1], STDOUT_FILENO);
    execlp(path, path, url, scene, (char *)NULL);
    perror(path);
    _exit(127);
}

void follower_start(struct follower *follower, const char *name, const char *url, const char *scene)
{
    int in[2], out[2];
    *follower = (struct follower){.name = name};
    assert_int_equal(pipe2(in, O_CLOEXEC), 0);
    assert_int_equal(pipe2(out, O_CLOEXEC), 0);
    follower->pid = fork();
    assert_int_not_equal(follower->pid, -1);
    if (follower->pid == 0) run(in, out, url, scene);
    close(in[0]);
    close(out[1]);
    follower->input = in[1];
    follower->output = out[0];
}

void follower_finish(struct follower *follower)
{
    if (follower->pid == 0) return;
    close(follower->input);
    /* Until it has seen that there are no more orders it may be writing. */
    char bytes[4096];
    while (read(follower->output, bytes, sizeof bytes) > 0) continue;
    close(follower->output);
    int status = 0;
    waitpid(follower->pid, &status, 0);
    bool in_order = WIFEXITED(status) && WEXITSTATUS(status) == 0;
    follower->pid = 0;
    free(follower->words);
    free(follower->edits);
    free(follower->state);
    require(follower, in_order, "it did not end in order");
}

void follower_order(struct follower *follower, const char *order)
{
    size_t size = strlen(order);
    require(follower, write(follower->input, order, size) == (ssize_t)size, "it takes no orders");
}

/* ---- what may be ---- */

static void grow(void *array, size_t *capacity, size_t count, size_t size)
{
    void **at = array;
    if (count < *capacity) return;
    *capacity = *capacity > 0 ? 2 * *capacity : 1024;
    *at = realloc(*at, *capacity * size);
    assert_non_null(*at);
}

/* What was saved of an epoch is where the next one began; of the latest one nothing was lost. */
static bool was_saved(const struct past *past, uint64_t epoch, uint64_t seq)
{
    for (size_t i = 0; i + 1 < past->count; i++)
        if (past->epochs[i] == epoch) return seq <= past->began_seqs[i + 1];
    return true;
}

static void read_past(struct past *past, uint64_t epoch)
{
    if (past->count > 0 && past->epochs[past->count - 1] >= epoch) return;
    past->count = file_integers(past->file, "SELECT epoch FROM epochs ORDER BY epoch", past->epochs,
                                EPOCHS_MAX);
    (void)file_integers(past->file, "SELECT began_seq FROM epochs ORDER BY epoch", past->began_seqs,
                        EPOCHS_MAX);
}

/* It is resumed where all that it has was saved or is of this epoch, and only there. */
static void hear_joined(struct follower *follower, uint64_t epoch, uint64_t seq, bool resumed,
                        struct past *past)
{
    read_past(past, epoch);
    bool had = follower->whole > 0;
    bool exact = epoch == follower->epoch || was_saved(past, follower->epoch, follower->whole);
    if (resumed) require(follower, had && exact, "it was resumed on what was never saved");
    if (!resumed && had && !follower->partial)
        require(follower, !exact, "it could have been resumed");
    if (!resumed) follower->whole = 0, follower->partial = false;
    if (!resumed && follower->edit_count == 0) follower->edits_from = seq;
    follower->epoch = epoch;
    follower->at = follower->whole;
    follower->joined = follower->fresh = true;
    follower->resumed = resumed;
    follower->joins++;
    follower->resumes += resumed;
}

static void hear_delta(struct follower *follower, uint64_t from, uint64_t seq, bool more)
{
    require(follower, follower->joined, "it has not joined");
    if (from == 0 && !follower->fresh)
        follower->at = follower->whole = 0; /* it was too far behind */
    require(follower, from == follower->at, "this delta is not from where it stands");
    require(follower, seq > from || (seq == from && follower->fresh), "this delta leads nowhere");
    follower->at = seq;
    follower->partial = more;
    if (!more) follower->whole = seq;
    follower->fresh = false;
}

static void hear_edit(struct follower *follower, uint64_t edit)
{
    require(follower, edit > follower->edit, "this edit was told before, or out of order");
    require(follower, edit <= follower->at, "this edit is of later than the state");
    follower->edit = edit;
    grow(&follower->edits, &follower->edit_capacity, follower->edit_count, sizeof *follower->edits);
    follower->edits[follower->edit_count++] = (struct heard_edit){edit, follower->at};
}

/* ---- its lines ---- */

static void keep_state(struct follower *follower, const char *line, size_t size)
{
    while (follower->state_size + size + 2 > follower->state_capacity)
        grow(&follower->state, &follower->state_capacity, follower->state_capacity, 1);
    memcpy(follower->state + follower->state_size, line, size);
    follower->state_size += size;
    follower->state[follower->state_size++] = '\n';
    follower->state[follower->state_size] = '\0';
}

static void hear_line(struct follower *follower, const char *line, size_t size, struct past *past)
{
    uint64_t a, b;
    char word[16] = "";
    if (follower->stating && strncmp(line, "node ", 5) == 0) {
        keep_state(follower, line, size);
        return;
    }
    snprintf(follower->last, sizeof follower->last, "%s", line);
    if (sscanf(line, "joined %" SCNu64 " %" SCNu64 " %15s", &a, &b, word) == 3) {
        hear_joined(follower, a, b, strcmp(word, "resumed") == 0, past);
    } else if (sscanf(line, "delta %" SCNu64 " %" SCNu64 " %15s", &a, &b, word) == 3) {
        hear_delta(follower, a, b, strcmp(word, "more") == 0);
    } else if (sscanf(line, "edit %" SCNu64, &a) == 1) {
        hear_edit(follower, a);
    } else if (strncmp(line, "lost", 4) == 0) {
        follower->losses += follower->joined;
        follower->joined = false;
    } else if (sscanf(line, "state %" SCNu64, &a) == 1) {
        require(follower, a == follower->at && a == follower->whole, "this is not where it stands");
        follower->stating = true;
        follower->state_size = 0;
        if (follower->state != NULL) follower->state[0] = '\0';
    } else if (strcmp(line, "end") == 0) {
        follower->stating = false;
        follower->stated = follower->at;
    } else {
        require(follower, false, "these are no words of a follower");
    }
}

void follower_hear(struct follower *follower, struct past *past)
{
    struct pollfd ready = {.fd = follower->output, .events = POLLIN};
    while (poll(&ready, 1, 0) > 0) {
        while (follower->words_capacity < follower->words_size + PIECE_BYTES)
            grow(&follower->words, &follower->words_capacity, follower->words_capacity, 1);
        ssize_t got = read(follower->output, follower->words + follower->words_size, PIECE_BYTES);
        require(follower, got > 0, "it ended");
        follower->words_size += (size_t)got;
        char *line = follower->words, *end = line + follower->words_size, *stop;
        for (; (stop = memchr(line, '\n', (size_t)(end - line))) != NULL; line = stop + 1) {
            *stop = '\0';
            hear_line(follower, line, (size_t)(stop - line), past);
        }
        follower->words_size = (size_t)(end - line);
        memmove(follower->words, line, follower->words_size);
    }
}

void followers_state(struct follower *followers, size_t count, uint64_t seq, uint64_t edit,
                     struct past *past, double timeout_s)
{
    char order[64];
    double deadline = now_s() + timeout_s;
    snprintf(order, sizeof order, "state %" PRIu64 "\n", seq);
    for (size_t i = 0; i < count; i++) {
        followers[i].stated = 0;
        follower_order(&followers[i], order);
    }
    for (size_t done = 0; done < count;) {
        done = 0;
        for (size_t i = 0; i < count; i++) {
            struct follower *follower = &followers[i];
            follower_hear(follower, past);
            bool ready =
                follower->stated >= seq && (follower->edit >= edit || follower->edits_from >= edit);
            require(follower, ready || now_s() < deadline, "nothing more came");
            done += ready;
        }
        if (done < count) poll(NULL, 0, 2);
    }
}
