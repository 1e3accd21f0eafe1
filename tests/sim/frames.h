/* frames.h - requests of people, and the frames in which they are sent. */
#ifndef GZ_TEST_SIM_FRAMES_H
#define GZ_TEST_SIM_FRAMES_H

#include "proto/message.h"
#include "sim/person.h"

struct sim;

/* Sends the message, perhaps in one frame with those that come next. */
struct request *person_say(struct sim *sim, struct person *person, struct gz_message *message);
/* The request with that id of the person that has the session; NULL if there is none. */
struct request *person_request(struct sim *sim, uint64_t session, uint64_t rid);

/* The caller owns `bytes`. */
void encode(const struct gz_message *message, uint8_t **bytes, size_t *size);
void add_to_frame(struct person *person, const uint8_t *bytes, size_t size);
void send_frame(struct sim *sim, struct person *person);
void lose_frame(struct person *person);

/* A node that the person knows, or rarely any id. */
uint64_t any_node(struct sim *sim, const struct person *person);
gz_vec3 any_place(struct sim *sim);

#endif
