/* sim.h - the core in a world that is made of one number: its seed chooses what people do, how the
 * links between them and the daemon behave, what the clock says and what the disk does. The same
 * seed gives the same run, step by step.
 *
 *   main.c     seeds and how many of them                world.c   what happens next; disturbances;
 * the end of a seed daemon.c   the host of the core: turns, links, disk  people.c  what people do
 * and what they make of what they hear model.h    what must come of it, in several files    undo.c
 * what an undo is about parts.c    people who follow a part of the scene      notes.c    notes:
 * what is said of them, and what must come of it judge.c    a promise was broken; the trace
 *
 * The model stands beside the core: after each call of the core it looks at the whole scene, says
 * for every node that changed why it was allowed to, and remembers each state by its seq. What
 * people piece together from deltas is compared with that. Ownership: the sim owns everything;
 * people, links and requests live until its end or as long as their list says. Threads: one. */
#ifndef GZ_TEST_SIM_H
#define GZ_TEST_SIM_H

#include "server/maxima.h"
#include "session/core.h"
#include "session/history.h"
#include "session/interaction.h"
#include "session/note.h"
#include "session/pending.h"
#include "session/session.h"
#include "support/core_mirror.h"
#include "support/core_part.h"
#include "support/core_store.h"
#include "support/judge.h"

#define COUNT(array) (sizeof(array) / sizeof(array)[0])

enum { USERS = 8, PEOPLE = 11, TEXT_MAX = 32, SESSIONS_MAX = 65536 };

/* Bytes that a link takes which nobody reads from. */
enum { WINDOW_SMALL = 600, WINDOW_BYTES = 6000 };

/* ---- the model ---- */

/* A node, all of it, comparable byte by byte: unused bytes are 0. */
struct thing {
    uint64_t there; /* 0 or 1 */
    uint64_t parent;
    gz_trs trs;
    uint64_t has_bounds;
    gz_box bounds;
    int64_t asset;
    char name[TEXT_MAX];
};

struct version {
    uint64_t seq;
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

struct fact {
    uint64_t node;
    struct thing before, after;
};

struct facts {
    struct fact *list;
    size_t count, capacity;
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

struct grip { /* a drag or wheel that runs */
    uint64_t session, edit;
    const struct gz_interaction *interaction;
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
    uint64_t call;      /* of the core, counted */
    double time_s;      /* of the scene, then */
    uint64_t next_edit; /* before that call */
    uint64_t newest_node;
    struct facts changed, wanted; /* scratch of one call */
};

/* What was done to the core. */
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

struct request;

struct act {
    enum act_kind kind;
    uint64_t session;
    uint64_t replaced; /* by a join: the session whose place it takes; 0 for none */
    const char *user;
    bool late;                        /* the session was over before the message came */
    bool moved;                       /* the pointer moved in the same frame, before it */
    const struct gz_message *message; /* NULL for nonsense */
    struct request *request;
    const char *key;                /* NULL for none */
    const struct gz_answer *answer; /* of a restore: the state that it goes to */
    uint64_t restored;
};

/* ---- people, links ---- */

/* What the answer has to be. */
enum answer { ANSWER_OPEN, ANSWER_EDIT, ANSWER_NO_EDIT, ANSWER_NOTE, ANSWER_STORAGE };

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
    struct part_wish *wish; /* what an interest asks for; NULL for the whole scene */
};

/* What of a frame matters to what may be said in it too. */
struct framed {
    bool acts, begins, moves_only, wheel, closes;
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
    enum gz_role role;
    bool draw;
    struct link *link; /* NULL while away */
    bool welcome;
    uint64_t session, epoch, saved, edit_seq, edits_before;
    char secret[GZ_SECRET_TEXT_BYTES_MAX + 1]; /* of its last welcome */
    uint64_t resume_claim,
        resume_seq; /* what its last hello said; the claim is an epoch, 0 for none */
    struct mirror mirror;
    struct mirror_notes notes;
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
    uint64_t n;
    struct request **requests; /* rid - 1 */
    size_t request_count, request_capacity;
    double next_s, patience_s; /* when it acts; when it gives up a link that says nothing */
};

struct parcel {
    struct parcel *next;
    double due_s;
    bool end; /* the other side is gone */
    uint8_t *bytes;
    size_t size;
    size_t notes_stored;              /* changes of notes, when it was made */
    size_t camera_first, camera_last; /* of those of the link: what a view may be of */
    struct gz_arena arena;
    struct gz_message *messages; /* those from the daemon are read once, where they leave it */
    size_t message_count;
};

struct lane {
    struct parcel *first, **end;
    double last_s;
    size_t bytes;
};

/* The state that shows a pointer is not before the one seq nor after the other. */
struct link_move {
    uint64_t n, first, last;
};

/* What a session's camera was, until when. */
struct seen_camera {
    struct gz_camera_message camera;
    double until_s;
};

struct link {
    struct link *next;
    struct person *person;                /* NULL once it turned away */
    struct person *owner;                 /* who opened it */
    struct gz_session *session;           /* NULL before hello and after the end */
    char secret[2 * GZ_SECRET_BYTES + 1]; /* that it was given */
    bool over;
    struct lane up, down;
    double delay_s, jitter_s;
    size_t window_bytes; /* what it takes that nobody reads from */
    double silent_until_s, stalled_until_s, heard_s, ended_s;
    struct link_move moves[64]; /* at n % 64 */
    struct seen_camera *cameras;
    size_t camera_count, camera_capacity;
};

struct question {
    uint64_t ticket;
    struct gz_query query;
    double due_s;
};

struct sim {
    uint64_t seed, random, step, steps;
    bool copies; /* whether people copy nodes */
    bool trace;
    const char *claim; /* what a broken assertion of the support breaks */

    struct gz_now now;
    struct gz_core *core; /* NULL while the daemon is down */
    struct core_store store;
    struct model model;
    struct gz_batch *batch;
    double commit_due_s, disk_ok_s, disk_slow_s, past_slow_s, turn_due_s, start_due_s, stop_due_s,
        chaos_due_s;
    bool commit_fails, quiet, disk_failed, stopping;
    uint64_t turns_quiet;
    struct question questions[PEOPLE * 8];
    size_t question_count;
    struct person people[PEOPLE];
    struct link *links;
    uint64_t next_session, next_key;
    uint8_t owners[SESSIONS_MAX]; /* who had which session */
    size_t actions, frames, restarts, refusals, cuts, resumes, ok_edits, parts, replaced;
};

/* ---- judge.c ---- */

/* The promise does not hold: says where and how to see it again, and ends the program. */
_Noreturn void broken(const char *promise, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
#define PROMISE(holds, promise, ...) ((holds) ? (void)0 : broken(promise, __VA_ARGS__))
void judge_begin(struct sim *sim);
void trace(const struct sim *sim, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* A message in few words, in `text`. */
void describe(const struct gz_message *message, char text[256]);

/* ---- world.c ---- */

/* What was tried, for whoever wonders whether it was much. */
struct sim_counts {
    size_t seeds, steps, actions, edits, cuts, resumes, replaced, restarts, refusals;
};
void sim_run(uint64_t seed, uint64_t steps, bool trace_it, struct sim_counts *counts);
uint64_t below(struct sim *sim, uint64_t limit);
double between(struct sim *sim, double low, double high);
bool chance(struct sim *sim, double probability);

/* ---- daemon.c ---- */

void daemon_start(struct sim *sim);
/* The process is gone, with what it had not stored; a batch on its way made it to the disk or
 * not. */
void daemon_crash(struct sim *sim);
/* Says bye to everybody; the process ends when all is stored. */
void daemon_stop(struct sim *sim);
/* The earliest time at which something happens of itself, and what happens then. */
double daemon_due(const struct sim *sim);
void daemon_step(struct sim *sim);
double link_due(const struct sim *sim, const struct link *link);
void link_step(struct sim *sim, struct link *link);
void link_open(struct sim *sim, struct person *person);
/* Takes over `bytes`. */
void link_send(struct sim *sim, struct link *link, uint8_t *bytes, size_t size);
/* The person's side of the link is gone, with a part of what was on its way. */
void link_cut(struct sim *sim, struct link *link);
/* The person closes it properly. */
void link_close(struct sim *sim, struct link *link);
void link_destroy(struct sim *sim, struct link *link);

/* ---- people.c ---- */

void person_act(struct sim *sim, struct person *person);
/* Says it, perhaps in one frame with what comes next. */
struct request *person_say(struct sim *sim, struct person *person, struct gz_message *message);
uint64_t any_node(struct sim *sim, const struct person *person);
gz_vec3 any_place(struct sim *sim);
void person_hear(struct sim *sim, struct person *person, const struct parcel *parcel);
/* The link is gone: what had no answer is lost, or said again where it has a key. */
void person_lose(struct sim *sim, struct person *person);
struct request *person_request(struct sim *sim, uint64_t session, uint64_t rid);
/* Whether an operation completes a wheel that turns. */
bool op_closes_wheel(enum gz_op op);
bool op_edits(enum gz_op op);
uint64_t ids_number(struct gz_ids ids);

/* ---- parts.c ---- */

void say_interest(struct sim *sim, struct person *person);
/* An interest was answered: it counts from here on. */
void part_answered(struct person *person, const struct request *request);
/* What the session's camera is now. */
void part_note_camera(const struct sim *sim, struct link *link);
/* Which of its cameras a view may be of by now. */
void part_stamp(const struct sim *sim, const struct link *link, struct parcel *parcel);
/* What the person has is the part of the scene that it follows. */
void part_compare(struct sim *sim, struct person *person, size_t camera_first, size_t camera_last);

/* ---- notes.c ---- */

void say_note(struct sim *sim, struct person *person);
/* What becomes of a note that was said; and, once all of its frame had its turn, that the core has
 * the same ones waiting. */
void notes_act(struct sim *sim, const struct act *act);
void notes_settled(const struct sim *sim);
void notes_sent(struct sim *sim, const struct gz_batch *batch);
/* The disk has what was sent; or it is all as it was last stored. */
void notes_refused(struct sim *sim);
void notes_restart(struct sim *sim);
/* The file has what was stored, each once. */
void notes_check_store(const struct sim *sim);
void notes_said_ok(const struct sim *sim, const struct request *request,
                   const struct gz_message *message);
void notes_said(const struct sim *sim, const struct gz_notes *notes);
void notes_hear(struct sim *sim, struct person *person, const struct parcel *parcel,
                const struct gz_notes *notes);
/* The person has what there was after so many changes. */
void notes_compare(const struct sim *sim, const struct person *person, size_t changes);

/* ---- model.h ---- */

void model_finish(struct model *model);
/* After the core was made from the store: it is what was saved. */
void model_restart(struct sim *sim);
void model_act(struct sim *sim, const struct act *act);
/* The same for what was said in one frame with what model_act was told of, and changes nothing in
 * the scene. */
void model_beside(struct sim *sim, const struct act *act);
void model_sent(struct sim *sim, const struct gz_batch *batch);
/* What leaves the core for a session. */
void model_said(struct sim *sim, uint64_t session, const struct gz_message *message);
const struct thing *model_at(const struct model *model, uint64_t node, uint64_t seq);
const struct deed *model_deed(const struct model *model, uint64_t id);
const struct deed *model_key(const struct model *model, const char *user,
                             const char *key); /* NULL for NULL */
uint64_t model_holder(const struct model *model, uint64_t node, uint64_t call);
/* Compares what changed since the last comparison, or everything. */
void model_compare(struct sim *sim, struct person *person, bool everything);
struct thing thing_of(const struct gz_content *content);
/* As much of it as there is room for; the rest is 0. */
void keep_text(char kept[TEXT_MAX], const char *text);
void facts_add(struct facts *facts, uint64_t node, const struct thing *before,
               const struct thing *after);
bool same_thing(const struct thing *a, const struct thing *b);

/* ---- undo.c ---- */

/* The edit that the user's undo or redo is about; NULL for nothing. */
const struct deed *undo_target(const struct model *model, const char *user, bool redo);
/* What was done last about it: that is to be done backwards. */
const struct deed *undo_last(const struct model *model, const struct deed *target);
/* The latest edit of somebody else since then that is in the way; NULL for none. */
const struct deed *undo_conflict(const struct model *model, const struct deed *last,
                                 const char *user);
/* What it makes of its nodes, as they are now. */
void undo_outcome(const struct model *model, const struct deed *last, struct facts *facts);

#endif
