/* core_host.h - gz_core with everything around it simulated: a clock that is moved by hand, a disk
 * that commits, waits or refuses as it is told, and clients that know only what they were sent.
 * Nothing here is random: the same calls give the same run.
 *
 * A host's turn is what a daemon's loop does: the core's turn, frames to every client that reads,
 * what the disk and the past answered, and again until there is nothing to do at this moment. It
 * fails the test where the core would have it spin. Ownership: the host owns its clients until they
 * leave it. Threads: one. */
#ifndef GZ_TEST_CORE_HOST_H
#define GZ_TEST_CORE_HOST_H

#include "core/core.h"
#include "packed.h"
#include "proto/token/claims.h"
#include "server/maxima.h"
#include "support/core_mirror.h"
#include "support/core_part.h"
#include "support/core_store.h"

#define HOST_QUESTIONS_MAX 256
#define HOST_SCENE "bench"

enum host_disk { DISK_COMMITS, DISK_WAITS, DISK_REFUSES };

struct host_question {
    uint64_t ticket;
    struct gz_query query;
    char payer[GZ_USER_BYTES_MAX + 1];
};

/* A frame that a client was sent, and the messages in it. */
struct heard {
    struct heard *next;
    uint8_t *bytes;
    struct gz_arena arena;
    struct gz_message *messages;
    size_t count;
};

/* An interest or a camera that was said and not answered yet. */
struct said {
    struct said *next;
    uint64_t rid;
    enum gz_op op;
    struct part_wish wish;
    struct gz_camera_message camera;
};

/* A camera that the core has taken, or has told its client. */
struct taken_camera {
    struct gz_camera_message camera;
    double mono_s;
};

struct client {
    struct client *next;
    struct host *host;
    struct gz_session *session;                /* NULL once it left */
    uint64_t id;                               /* of its session */
    char secret[GZ_SECRET_TEXT_BYTES_MAX + 1]; /* of its last welcome; a resume sends it */
    char user[GZ_USER_BYTES_MAX + 1];
    struct gz_claims claims;
    bool stalled; /* takes no frames */
    bool draw;
    struct gz_packed *packed; /* it reads the packed form; NULL: the plain one */
    struct mirror mirror;
    struct part_wish wish; /* the part that its deltas have to hold */
    struct said *said, **said_end;
    struct taken_camera *cameras; /* of this session, in the core's order */
    size_t camera_count, camera_capacity;
    size_t looked; /* the camera of the last view; the view of an earlier one would be wrong */
    struct mirror_notes notes;
    struct mirror_checkpoints checkpoints;
    uint64_t epoch, saved, next_rid;
    uint64_t edit; /* seq of the last edit that it was told; a resume sends it unless it is 0 */
    double told_s; /* the time of the last delta */
    bool resumed;
    struct heard *heard, **heard_end;
    size_t told_singly;               /* nodes of the current message before those in motions */
    size_t bytes_heard, frames_heard; /* of all frames, forgotten ones too */
    struct {
        uint64_t session;
        size_t selected, locked;
    } present[256]; /* the people who are here, as it was told */
    size_t present_count;
    uint64_t here; /* number of people here; 0: it was not told */
};

struct host {
    struct gz_core *core;
    struct core_store store;
    struct gz_now now;
    double messages_per_s;
    enum host_disk disk;
    size_t batches_max;       /* that the next core may send at once; 0: one */
    struct gz_batch *batches; /* on their way, the oldest first */
    struct host_question questions[HOST_QUESTIONS_MAX];
    size_t question_count;
    bool past_waits;        /* questions are not answered */
    bool plain;             /* later clients read the plain form; else every second one reads the
                               packed form */
    size_t few;             /* people whom viewers are told of in any case: 1, so that there are
                               people of whom they are not told */
    bool bulk_waits;        /* work that the core puts off is not done: a turn ends with it */
    uint64_t spent_bytes;   /* of files, by all */
    uint64_t spent_most;    /* that the disk has room for, each time it is asked */
    uint64_t charged_bytes; /* the same, of bytes that are charged without asking */
    uint64_t kept_since;
    bool cannot_sign;              /* the next core has no key */
    const struct gz_claims *token; /* of the token "good"; NULL: the next core takes none */
    bool keys_fail;                /* the disk does not say which keys are taken */
    bool past_fails;               /* questions are answered at once with "no memory" */
    /* Called before and after each call of the core, for tests that take its memory away; usually
     * NULL. Joining may then fail, and leaves the client without a session. */
    void (*handle_core)(bool inside);
    /* Called with each batch before the disk takes it; usually NULL. */
    void (*handle_batch)(void *context, struct gz_batch *batch);
    void *batch_context;
    struct client *clients;
    uint64_t next_session;
    size_t commits, refusals; /* of batches */
    size_t disk_starts;       /* a batch came to a disk that had none */
};

void host_init(struct host *host);
/* The same with a limit of messages; 0 is the usual one. */
void host_init_limited(struct host *host, double messages_per_s);
/* The same on a copy of the disk of `before`, at its time. No drag may run in `before`, which stays
 * as it is and has to outlive the new host. */
void host_init_after(struct host *host, const struct host *before, double messages_per_s);
/* From now on whoever comes counts as one who acts, so that viewers are told of everybody. */
void host_tell_of_all(struct host *host);
void host_finish(struct host *host);

void host_turn(struct host *host);
/* Moves the clock, with a turn at every moment that the core asks for. */
void host_advance(struct host *host, double seconds);
/* Answers the batch that is on its way; without one it does nothing. */
void host_settle(struct host *host, bool committed);
/* The daemon dies and comes back; the batch that is on its way made it to the disk or did not.
 * Clients lose their sessions. */
void host_restart(struct host *host, bool committed);
/* Fails the test unless all clients that are here and read hold the core's nodes, or the part that
 * they follow, and the disk's notes and checkpoints. (Each complete delta is compared when it
 * comes; here the clients must have the core's latest state and their latest camera's view.) */
void host_assert_equal(struct host *host);
/* The end of a test: a turn, host_assert_equal, and host_finish. */
void host_close(struct host *host);
/* The scene as it is, in `arena`. */
const struct gz_node_record *host_nodes(struct host *host, struct gz_arena *arena, size_t *count);
/* One node of the scene, without its name; fails the test if there is none. */
struct gz_content host_node(struct host *host, uint64_t id);

/* A client that has joined and has heard its first delta, unless `stalled`. */
struct client *client_join(struct host *host, const char *user, enum gz_role role);
struct client *client_join_drawing(struct host *host, const char *user);
/* The same as a reader of this form. */
struct client *client_join_as(struct host *host, const char *user, enum gz_role role, bool packed);
/* The same with any claims. */
struct client *client_join_with(struct host *host, const struct gz_claims *claims);
/* Joins without a turn. */
struct client *client_enter(struct host *host, const char *user, enum gz_role role, bool draw);
/* Joins as if it had never been here. Without a turn. */
void client_enter_again(struct client *client);
/* Joins again with what its mirror holds; `epoch` and seq are the client's. Without a turn. */
void client_resume(struct client *client);
/* Joins again while its earlier session is still there. Returns another client that has the earlier
 * session from now on, and takes no frames. Without a turn. */
struct client *client_replace(struct client *client);
/* Its connection is gone; the client and its mirror stay. Without a turn. */
void client_leave(struct client *client);
/* Leaves, and enters again as a reader of this form. */
void client_come_as(struct client *client, bool packed);
/* Takes the frames that are there, unless it is stalled. */
void client_read(struct client *client);
/* Takes one frame, stalled or not; false where there is none. */
bool client_read_one(struct client *client);
/* Takes the next frame of a stalled client, after a turn if the bytes of this turn are used up. */
void client_read_piece(struct client *client);

/* Sends a message, without a turn. An interest gets a rid, because its `ok` says from when on it is
 * in force. */
void client_say(struct client *client, const struct gz_message *message);
/* The same with any bytes. Returns whether the core wants a turn for them. */
bool client_say_bytes(struct client *client, const uint8_t *bytes, size_t size);
/* Sends the message with a new rid, makes a turn, and returns the answer; NULL if there is none
 * yet. The latest rid is next_rid - 1. */
const struct gz_message *client_ask(struct client *client, const struct gz_message *message);
/* The latest answer to a rid, the latest message of a kind; NULL if there is none. They live
 * until client_forget. */
const struct gz_message *client_answer(const struct client *client, uint64_t rid);
const struct gz_message *client_last(const struct client *client, enum gz_op op);
size_t client_count(const struct client *client, enum gz_op op);
/* Forgets what was heard; the mirror stays. */
void client_forget(struct client *client);

#endif
