/* branch.h - the authority's end of a trunk, with its channels and their groups, as branch.c and
 * group.c have them. Threads: the loop's. */
#ifndef GZ_NET_BRANCH_H
#define GZ_NET_BRANCH_H

#include "net/internal.h"
#include "net/trunk.h"
#include "server/maxima.h"

/* A frame that windows are too small for. It is there once for all channels in which its rest
 * waits. */
struct gz_kept {
    size_t uses, size;
    uint8_t bytes[];
};

/* The rest of a frame, which waits for the window. */
struct gz_unsent {
    struct gz_unsent *next;
    struct gz_kept *frame;
    size_t sent;
};

struct gz_branch {
    struct gz_trunk trunk;        /* first */
    struct gz_branch **slot;      /* libwebsockets' pointer to it; NULL once it let go */
    struct gz_channel **channels; /* by number; NULL where there is none */
    size_t capacity;
    struct gz_group *groups[GZ_TRUNK_GROUPS_MAX]; /* by number, from GZ_TRUNK_GROUP on */
    struct gz_kept *latest_kept;                  /* NULL once nobody waits for it */
    size_t next; /* the channel after the one that filled the trunk: the next walk's first */
};

struct gz_channel {
    struct gz_wire wire; /* first */
    struct gz_connection connection;
    struct gz_branch *branch; /* NULL once the edge, or the trunk, is gone */
    uint16_t number;
    struct gz_unsent *first_rest, **last_rest;
    size_t in_flight; /* what the edge has not taken of the window; gz_group_settle */
    uint64_t counted; /* in a group: how much of what the group was sent is in `in_flight` */
    struct gz_channel *next_in_group, **group_link;
    struct gz_buffer inbox; /* came, and was not taken */
    size_t taken;           /* and the edge was not told yet */
    const char *close_words;
    int close_code;
    bool owes_close, has_closed; /* when the rest is sent; it is sent */
    bool is_paused, is_killed;
    bool is_stirred; /* it is in the net's list */
    struct gz_channel *next_stirred;
};

/* Clients of the trunk that only watch a scene and stand at the same cursor. They are in no queue,
 * and not in the scene's list. It is freed when the last one leaves. */
struct gz_group {
    struct gz_branch *branch;
    struct gz_net_scene *scene;
    struct gz_group *next, **link; /* of the scene's */
    struct gz_cohort *cohort;
    uint16_t number;
    struct gz_channel *first;
    size_t count;
    uint64_t sent;   /* to each, ever; as windows count */
    size_t room;     /* so much fits into the windows of all; as windows count */
    bool waits;      /* the trunk was full when there was something for them */
    bool is_visited; /* now: it is freed afterwards */
};

/* Brings `in_flight` up to date. */
void gz_group_settle(struct gz_channel *channel);
/* The trunk is not full any more: those that wait are visited. */
void gz_groups_go_on(struct gz_branch *branch);

#endif
