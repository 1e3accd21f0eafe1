/* drag_prediction.h - the prediction of a running drag or wheel: its nodes, and the targets of the
 * gizmo. Each press, pointer and turn is solved when it is sent. Ownership: finish frees what the
 * struct holds; the mirror is the caller's. Memory: without it nothing is predicted. Threads: one
 * at a time. */
#ifndef GZ_CLIENT_DRAG_PREDICTION_H
#define GZ_CLIENT_DRAG_PREDICTION_H

#include "pending_actions.h"
#include "predict/predict.h"
#include "selection_roots.h"

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

struct gz_drag_prediction {
    struct gz_predict predict;
    struct gz_pending_actions unanswered;
    struct gz_selection_roots tops;
    bool is_stale; /* the tops may have changed or moved */

    struct gz_sent *running; /* NULL: neither drag nor wheel */
    uint64_t number;         /* its number while it runs */
    struct gz_start *starts; /* of the tops */
    struct gz_step press;
    bool is_seated; /* the server has acknowledged a pointer of the drag */
    size_t first_step, step_count;
    struct gz_step steps[GZ_STEPS_MAX];
};

void gz_drag_prediction_init(struct gz_drag_prediction *moving, const struct gz_mirror *mirror);
void gz_drag_prediction_finish(struct gz_drag_prediction *moving);
void gz_drag_prediction_clear(
    struct gz_drag_prediction *moving); /* a new session begins without any */

struct gz_step gz_step_of(const struct gz_message *message);
bool gz_drag_prediction_drags(const struct gz_drag_prediction *moving);
/* Finds the targets of the gizmo, or those for a press on `handle`. */
void gz_drag_prediction_stand(struct gz_drag_prediction *moving, struct gz_ids selected,
                              enum gz_handle handle);

/* ---- outgoing ---- */

/* A press on a handle of the gizmo. */
void gz_drag_prediction_press(struct gz_drag_prediction *moving, uint64_t rid,
                              enum gz_handle handle, const struct gz_step *press);
void gz_drag_prediction_go(struct gz_drag_prediction *moving, const struct gz_step *step);
void gz_drag_prediction_end(struct gz_drag_prediction *moving, const struct gz_message *up);
void gz_drag_prediction_cancel(struct gz_drag_prediction *moving, const struct gz_message *cancel);
/* Scales the gizmo's targets, unless a drag or an orbit runs. */
void gz_drag_prediction_turn(struct gz_drag_prediction *moving, const struct gz_message *wheel);
/* An action completes the wheel. */
void gz_drag_prediction_rest(struct gz_drag_prediction *moving);
/* False if the server will refuse this camera: then nothing changed. */
bool gz_drag_prediction_camera(struct gz_drag_prediction *moving,
                               const struct gz_camera_input *input);
void gz_drag_prediction_set(struct gz_drag_prediction *moving, const struct gz_message *set);
/* A pose, release or cancel of a hold. */
void gz_drag_prediction_hold(struct gz_drag_prediction *moving, const struct gz_message *message);

/* ---- incoming ---- */

/* The mirror has taken the delta. `session` is this client's. */
void gz_drag_prediction_delta(struct gz_drag_prediction *moving, const struct gz_delta *delta,
                              uint64_t session);
void gz_drag_prediction_answer(struct gz_drag_prediction *moving, const struct gz_message *message);
/* No answer will come. */
void gz_drag_prediction_give_up(struct gz_drag_prediction *moving);

#endif
