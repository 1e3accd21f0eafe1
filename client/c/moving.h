/* moving.h - the drag or the wheel that runs, ahead of the server: where it takes the nodes, and
 * what the gizmo stands on. Each press, pointer and turn is solved when it is sent. Ownership:
 * finish frees what the struct holds; the mirror is the caller's. Memory: without it nothing is
 * foreseen. Threads: one at a time. */
#ifndef GZ_CLIENT_MOVING_H
#define GZ_CLIENT_MOVING_H

#include "predict/predict.h"
#include "tops.h"
#include "unanswered.h"

/* Pointers of a drag that the server has not acknowledged: a second or more. What is older is not
 * compared. */
#define GZ_STEPS_MAX 256

/* A pointer or a typed value, and what it made of the drag. */
struct gz_step {
    uint64_t n;
    bool has_place, is_typed;
    struct gz_pointer pointer;
    uint32_t mods;
    struct gz_value value;
    struct gz_motion motion;
};

struct gz_start;

struct gz_moving {
    struct gz_predict predict;
    struct gz_unanswered unanswered;
    struct gz_tops tops;
    bool is_stale; /* the tops may be others, or elsewhere */

    struct gz_sent *running; /* NULL: neither drag nor wheel */
    uint64_t number;         /* that it has as long as it is not over */
    struct gz_start *starts; /* of the tops */
    double notches;          /* of the wheel */
    struct gz_step press;
    bool is_seated; /* the server has answered a pointer of the drag */
    size_t first_step, step_count;
    struct gz_step steps[GZ_STEPS_MAX];
};

void gz_moving_init(struct gz_moving *moving, const struct gz_mirror *mirror);
void gz_moving_finish(struct gz_moving *moving);
void gz_moving_clear(struct gz_moving *moving); /* a session begins with nothing */

struct gz_step gz_step_of(const struct gz_message *message);
bool gz_moving_drags(const struct gz_moving *moving);
/* Finds what the gizmo stands on, or will for the press of a handle. */
void gz_moving_stand(struct gz_moving *moving, struct gz_ids selected, enum gz_handle handle);

/* ---- what is sent ---- */

/* A press on a handle of what the gizmo stands on. */
void gz_moving_press(struct gz_moving *moving, uint64_t rid, enum gz_handle handle,
                     const struct gz_step *press);
void gz_moving_go(struct gz_moving *moving, const struct gz_step *step);
void gz_moving_end(struct gz_moving *moving, const struct gz_message *up);
void gz_moving_cancel(struct gz_moving *moving, const struct gz_message *cancel);
/* Scales what the gizmo stands on, unless a drag or an orbit runs. */
void gz_moving_turn(struct gz_moving *moving, const struct gz_message *wheel);
/* Something is done that completes a wheel. */
void gz_moving_rest(struct gz_moving *moving);
/* False if the server will refuse this camera: nothing changed then. */
bool gz_moving_camera(struct gz_moving *moving, const struct gz_camera_input *input);
void gz_moving_set(struct gz_moving *moving, const struct gz_message *set);

/* ---- what comes ---- */

/* The mirror has taken the delta. `session` is this client's. */
void gz_moving_delta(struct gz_moving *moving, const struct gz_delta *delta, uint64_t session);
void gz_moving_answer(struct gz_moving *moving, const struct gz_message *message);
/* No answer will come. */
void gz_moving_give_up(struct gz_moving *moving);

#endif
