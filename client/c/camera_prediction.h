/* camera_prediction.h - the prediction of this client's view, which orbits and wheels in the mode
 * `orbit` change. The camera is that of struct gz_predict. Frames: world; views are world to eye,
 * 16 numbers by columns. Plain data. Threads: one at a time. */
#ifndef GZ_CLIENT_CAMERA_PREDICTION_H
#define GZ_CLIENT_CAMERA_PREDICTION_H

#include "predict/predict.h"
#include "predicted.h"

/* Expected views that the server has not sent: for a second or more. Older ones are not
 * compared. */
#define GZ_VIEWS_MAX 256

struct gz_camera_prediction {
    bool has_target;
    gz_vec3 target; /* centre of rotation that the client set */
    struct {
        bool is_known;
        uint64_t foreseen, chosen; /* the versions at its computation */
        gz_vec3 at;
    } centre; /* centre of rotation without a target */

    double told[16]; /* the last view that the server sent */
    double views[GZ_VIEWS_MAX][16];
    size_t first, count;
    uint64_t unseen; /* views that the server will still send and that are older than these */
    uint64_t rid;    /* of the latest message that moves the view */
    bool is_press;   /* that message is a press */
    uint64_t corrections;
};

/* What a centre depends on: the expected scene and the selection. */
struct gz_looked_at {
    const struct gz_predicted *foreseen;
    struct gz_ids selected;
    uint64_t chosen; /* the version of the selection */
};

/* ---- outgoing ---- */

void gz_camera_prediction_camera(struct gz_camera_prediction *looking,
                                 const struct gz_message *camera);
/* A press that begins an orbit. */
void gz_camera_prediction_press(struct gz_camera_prediction *looking, struct gz_predict *predict,
                                const struct gz_looked_at *at, uint64_t rid,
                                const struct gz_pointer *pointer);
void gz_camera_prediction_turn(struct gz_camera_prediction *looking, struct gz_predict *predict,
                               const struct gz_pointer *pointer, uint32_t mods);
/* Ends the orbit at its present view. `rid` is that of the message. */
void gz_camera_prediction_end(struct gz_camera_prediction *looking, struct gz_predict *predict,
                              uint64_t rid);
/* Ends the orbit at the view of its press. */
void gz_camera_prediction_cancel(struct gz_camera_prediction *looking, struct gz_predict *predict,
                                 uint64_t rid);
/* A wheel moves the camera nearer or farther. */
void gz_camera_prediction_wheel(struct gz_camera_prediction *looking, struct gz_predict *predict,
                                const struct gz_looked_at *at, const struct gz_message *wheel);

/* ---- incoming ---- */

void gz_camera_prediction_tell(struct gz_camera_prediction *looking, struct gz_predict *predict,
                               const double view[16]);
void gz_camera_prediction_answer(struct gz_camera_prediction *looking, struct gz_predict *predict,
                                 const struct gz_message *message);
/* No answers will come: returns to the last view that the server sent. */
void gz_camera_prediction_give_up(struct gz_camera_prediction *looking, struct gz_predict *predict);
/* A new session begins without a camera. */
void gz_camera_prediction_clear(struct gz_camera_prediction *looking);

#endif
