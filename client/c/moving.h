/* moving.h - the prediction of a running drag or wheel: its nodes, and the targets of the gizmo.
 * Each press, pointer and turn is solved when it is sent. Ownership: finish frees what the struct
 * holds; the mirror is the caller's. Memory: without it nothing is predicted. Threads: one at a
 * time. */
#ifndef GZ_CLIENT_MOVING_H
#define GZ_CLIENT_MOVING_H

#include "predict/predict.h"
#include "tops.h"
#include "unanswered.h"

/* Pointers of a drag that the server has not acknowledged: for a second or more. Older ones are not
 * compared. */
#define GZ_STEPS_MAX 256

/* A pointer or a typed value, and the motion after it. */
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
    bool is_stale; /* the tops may have changed or moved */

    struct gz_sent *running; /* NULL: neither drag nor wheel */
    uint64_t number;         /* its number while it runs */
    struct gz_start *starts; /* of the tops */
    struct gz_step press;
    bool is_seated; /* the server has acknowledged a pointer of the drag */
    size_t first_step, step_count;
    struct gz_step steps[GZ_STEPS_MAX];
};

void gz_moving_init(struct gz_moving *moving, const struct gz_mirror *mirror);
void gz_moving_finish(struct gz_moving *moving);
void gz_moving_clear(struct gz_moving *moving); /* a new session begins without any */

struct gz_step gz_step_of(const struct gz_message *message);
bool gz_moving_drags(const struct gz_moving *moving);
/* Finds the targets of the gizmo, or those for a press on `handle`. */
void gz_moving_stand(struct gz_moving *moving, struct gz_ids selected, enum gz_handle handle);

/* ---- outgoing ---- */

/* A press on a handle of the gizmo. */
void gz_moving_press(struct gz_moving *moving, uint64_t rid, enum gz_handle handle,
                     const struct gz_step *press);
void gz_moving_go(struct gz_moving *moving, const struct gz_step *step);
void gz_moving_end(struct gz_moving *moving, const struct gz_message *up);
void gz_moving_cancel(struct gz_moving *moving, const struct gz_message *cancel);
/* Scales the gizmo's targets, unless a drag or an orbit runs. */
void gz_moving_turn(struct gz_moving *moving, const struct gz_message *wheel);
/* An action completes the wheel. */
void gz_moving_rest(struct gz_moving *moving);
/* False if the server will refuse this camera: then nothing changed. */
bool gz_moving_camera(struct gz_moving *moving, const struct gz_camera_input *input);
void gz_moving_set(struct gz_moving *moving, const struct gz_message *set);

/* ---- incoming ---- */

/* The mirror has taken the delta. `session` is this client's. */
void gz_moving_delta(struct gz_moving *moving, const struct gz_delta *delta, uint64_t session);
void gz_moving_answer(struct gz_moving *moving, const struct gz_message *message);
/* No answer will come. */
void gz_moving_give_up(struct gz_moving *moving);

#endif
