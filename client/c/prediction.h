/* prediction.h - predicts the server's answers with the server's own solver: give it each message
 * that the client sends, before it is sent, and each received message, after the mirror has it.
 * Memory: without it nothing is predicted. Ownership: the mirror is the caller's. Threads: one at a
 * time. */
#ifndef GZ_CLIENT_PREDICTION_H
#define GZ_CLIENT_PREDICTION_H

#include "gizmo_client.h"

struct gz_prediction;

struct gz_prediction *
gz_prediction_create(const struct gz_mirror *mirror); /* NULL without memory */
void gz_prediction_destroy(struct gz_prediction *prediction);

/* Gives a pointer or a grab its number for the server's acknowledgement. */
void gz_prediction_number(struct gz_prediction *prediction, struct gz_message *message);
/* Whether the prediction has to know the answer: the message needs a rid. */
bool gz_prediction_awaits(const struct gz_message *message);
void gz_prediction_sent(struct gz_prediction *prediction, const struct gz_message *message);
void gz_prediction_received(struct gz_prediction *prediction, const struct gz_message *message);

/* The functions gz_client_predict_... of gizmo_client.h. */
bool gz_prediction_gizmo(struct gz_prediction *prediction, struct gz_message *gizmo);
enum gz_handle gz_prediction_handle(struct gz_prediction *prediction,
                                    const struct gz_message *pointer);
bool gz_prediction_trs(const struct gz_prediction *prediction, uint64_t id, gz_trs *trs);
bool gz_prediction_world(const struct gz_prediction *prediction, uint64_t id, gz_affine *world);
bool gz_prediction_view(const struct gz_prediction *prediction, double view[16]);
uint64_t gz_prediction_corrections(const struct gz_prediction *prediction);

#endif
