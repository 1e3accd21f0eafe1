/* person.h - people, their requests, and what they know. Each person owns its requests, its frame
 * and its mirrors; a wish belongs to the request that made it. */
#ifndef GZ_TEST_SIM_PERSON_H
#define GZ_TEST_SIM_PERSON_H

#include "packed.h"
#include "server/maxima.h"
#include "sim/facts.h"
#include "support/core_mirror.h"
#include "support/core_part.h"

/* What the answer has to be. */
enum answer { ANSWER_OPEN, ANSWER_EDIT, ANSWER_NO_EDIT, ANSWER_NOTE, ANSWER_STORAGE };

/* How far the scene was. */
struct ground {
    uint64_t seq, edit; /* the next edit's id */
    uint64_t batch;     /* that has all that waits, so checkpoints and accesses too */
    size_t notes;
};

struct request {
    uint64_t rid;
    enum gz_op op;
    char key[TEXT_MAX];
    uint8_t *bytes;
    size_t size;
    bool sent, answered;
    uint64_t told, told_note; /* the edit and the note that it was answered with */
    /* as of when the core last had it */
    uint64_t session, call;
    enum answer answer;
    uint64_t edit, note;
    size_t change; /* of the notes: that has to be stored first */
    bool again;    /* its key was known */
    bool conflict, nothing, node_changed;
    uint64_t in_the_way;    /* the edit of others that an undo has to name; 0: none */
    struct ground ground;   /* at least, when the core had it */
    uint64_t runs;          /* the drag that ran afterwards; 0: none */
    uint64_t turns;         /* of a pointer: the edit of a wheel that turned, and may go on */
    bool is_judged;         /* its answer may speak of what others did */
    bool is_over;           /* the core answered */
    bool is_void, waits;    /* the disk refused its ground; the core may look at it later */
    struct part_wish *wish; /* what an interest asks for; NULL for the whole scene */
    struct gz_access access;
    bool is_admins, is_told; /* of the access: an admin asked, and was answered */
};

/* What of a frame matters to what may be said in it too. */
struct framed {
    bool acts, begins, moves_only, wheel, closes, looks;
};

/* What a person knows of another session. */
struct sight {
    uint64_t session, selection, locks; /* the ids as one number */
    enum gz_mode tool;
    bool has_at;
    double at[2];
};

struct person {
    int index;
    char user[TEXT_MAX];
    enum gz_role role; /* by the token, in every scene */
    bool is_unknown;   /* has no role but by the scene's access */
    bool draw;
    uint64_t here;            /* how many there are, as it was told; 0: it was not */
    struct gz_packed *packed; /* it reads the packed form; NULL: the plain one */
    bool is_json;             /* it speaks JSON, in the plain form */
    size_t told_singly;       /* nodes of the message that it hears, before those in motions */
    struct link *link;        /* NULL while away */
    bool welcome;
    uint64_t session, epoch, saved, edit_seq, edits_before;
    char secret[GZ_SECRET_TEXT_BYTES_MAX + 1]; /* of its last welcome */
    uint64_t resume_claim,
        resume_seq; /* what its last hello said; the claim is an epoch, 0 for none */
    struct mirror mirror;
    struct mirror_notes notes;
    struct mirror_checkpoints checkpoints;
    const struct part_wish
        *wish;        /* what its deltas have to hold since that was answered; NULL for all of it */
    bool part;        /* since the last one it was not told the whole scene */
    size_t looked;    /* the camera by which a view was last right */
    bool begins_anew; /* its first delta has to be one from 0 */
    uint8_t *frame;   /* messages that go together, and what is in them */
    size_t frame_size, frame_count;
    struct framed framed;
    bool partial; /* the mirror has a part of a later state, which will be told again */
    bool tainted; /* and it was perhaps never saved: a crash would not take it back */
    uint64_t
        checked; /* the last complete seq that was compared with the model; UINT64_MAX for none */
    struct sight sights[64];
    size_t sight_count;
    bool dragging;
    unsigned holding; /* 1 << hold: the holds that it believes to have */
    uint64_t n;
    struct request **requests; /* rid - 1 */
    size_t request_count, request_capacity;
    double next_s, patience_s; /* when it acts; when it gives up a link that says nothing */
};

#endif
