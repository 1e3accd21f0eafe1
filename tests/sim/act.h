/* act.h - acts: what is done to the core, and what kind of operation it is. */
#ifndef GZ_TEST_SIM_ACT_H
#define GZ_TEST_SIM_ACT_H

#include "proto/message.h"

struct gz_answer;
struct request;

enum act_kind {
    ACT_JOIN,
    ACT_MESSAGE,
    ACT_LEAVE,
    ACT_TURN,
    ACT_STORED,
    ACT_REFUSED,
    ACT_ANSWER,
    ACT_GOODBYE
};

struct act {
    enum act_kind kind;
    uint64_t session;
    uint64_t replaced; /* by a join: the session whose place it takes; 0 for none */
    const char *user;
    bool orbits;    /* the session turned its view before it */
    uint64_t turns; /* the edit of a wheel that turned before it; 0 for none */
    bool late;      /* the session was over before the message came */
    bool moved;     /* the pointer moved in the same frame, before it */
    size_t behind;  /* messages behind it in the frame that may wait for the disk */
    const struct gz_message *message; /* NULL for nonsense */
    struct request *request;
    const char *key;                /* NULL for none */
    const struct gz_answer *answer; /* of a restore: the state that it goes to */
    uint64_t restored;
    uint64_t reverted; /* by the answer: the edit that the file was asked for; 0: a restore */
    bool force;        /* of that revert */
};

/* Whether the act is a pointer message of that phase, in time. */
bool is_phase(const struct act *act, enum gz_phase phase);
/* Whether it ends a hold, in time: `op` is release or cancel. */
bool ends_hold(const struct act *act, enum gz_op op);
/* Whether the operation makes an edit at once, if it is accepted. */
bool op_edits(enum gz_op op);
/* Whether it completes a wheel that turns. */
bool op_closes_wheel(enum gz_op op);
/* Whether it never changes the scene, whatever else is in its frame. */
bool op_is_beside(enum gz_op op);
/* Whether an operation that never changes the scene may wait for the disk. */
bool op_waits_beside(enum gz_op op);

#endif
