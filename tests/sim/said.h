/* said.h - the rules of what the core says to people. */
#ifndef GZ_TEST_SIM_SAID_H
#define GZ_TEST_SIM_SAID_H

#include "proto/message.h"

struct sim;

/* A message that leaves the core for a session. */
void model_said(struct sim *sim, uint64_t session, const struct gz_message *message);

#endif
