/* lives.h - everything through all times: the scene at each seq, the session that held each node,
 * the edits, the notes. The state of the model: it owns all of this. Threads: one. */
#ifndef GZ_TEST_SIM_LIVES_H
#define GZ_TEST_SIM_LIVES_H

#include "scene/scene.h"
#include "sim/act.h"
#include "sim/facts.h"

struct version {
    uint64_t seq;
    uint64_t preview_of; /* the edit that a drag is to become whose way the disk does not follow; 0:
                            none */
    struct thing thing;
};

struct hold {
    uint64_t call, session;
};

/* A node through all times. */
struct life {
    struct thing now;
    uint64_t seen; /* the call at which the scene last had it */
    uint64_t seq;  /* then */
    struct version *versions;
    size_t version_count, version_capacity;
    uint64_t holder;
    struct hold *holds; /* who held it from which call on */
    size_t hold_count, hold_capacity;
};

/* A completed edit, in the order of completion. */
struct deed {
    uint64_t id, seq, epoch, session, target; /* seq is known from the batch on */
    enum gz_edit_kind kind;
    char user[TEXT_MAX], key[TEXT_MAX];
    struct facts facts;
    bool sent, stored;
};

/* A note as one change made it. */
struct note_change {
    uint64_t id, node, reply; /* 0 for none */
    bool gone, done, has_point;
    gz_vec3 point;
    double made, changed;
    char user[TEXT_MAX], text[TEXT_MAX], by[TEXT_MAX], key[TEXT_MAX];
};

struct grip { /* a drag, wheel or hold that runs */
    uint64_t session, edit;
    uint32_t number; /* among the session's gestures */
    uint64_t name;   /* of a hold */
    const struct gz_interaction *interaction;
    bool moves;         /* not all of its nodes are where its last motion has them */
    struct facts press; /* `before` is what the press found */
};

struct model {
    struct life *lives; /* by node id */
    size_t life_count, life_capacity;
    struct {
        uint64_t seq, node;
    } * log; /* every change, ascending by seq */
    size_t log_count, log_capacity;
    struct deed *deeds;
    size_t deed_count, deed_capacity;
    size_t deeds_known;        /* the first that undo still knows of */
    struct note_change *notes; /* every change, in their order */
    size_t note_count, note_capacity;
    size_t notes_sent, notes_stored; /* of them, the first so many */
    uint64_t note_last;
    struct grip *grips;
    size_t grip_count, grip_capacity;
    uint64_t epoch;
    uint64_t call;      /* of the core, counted */
    double time_s;      /* of the scene, then */
    uint64_t next_edit; /* before that call */
    uint64_t newest_node;
    struct facts changed, wanted; /* scratch of one call */
};

/* Looks at every node of the scene: each that the model has otherwise goes into `changed`. */
void look(struct model *model, const struct gz_scene *scene);
/* The node as the scene has it since the last look. */
const struct thing *after_of(const struct model *model, uint64_t node);
struct life *life_of(struct model *model, uint64_t node);
void remember(struct model *model, uint64_t node, uint64_t seq, uint64_t preview_of,
              const struct thing *thing);
/* The node at that seq. */
const struct thing *model_at(const struct model *model, uint64_t node, uint64_t seq);

void set_holder(struct model *model, uint64_t node, uint64_t session);
/* The session that held the node at that call; 0 for none. */
uint64_t model_holder(const struct model *model, uint64_t node, uint64_t call);

struct deed *add_deed(struct model *model, uint64_t id, const struct act *act,
                      enum gz_edit_kind kind);
void give_key(struct deed *deed, const struct act *act);
/* NULL if there is none. */
struct deed *model_deed(const struct model *model, uint64_t id);
/* The edit of that user's key; NULL if there is none, or no key. */
const struct deed *model_key(const struct model *model, const char *user, const char *key);
void model_finish(struct model *model);

#endif
