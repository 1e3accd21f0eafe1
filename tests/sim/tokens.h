/* tokens.h - the rule of tokens that end: the wall clock as it is at the moment decides, however it
 * has jumped before. It locks nobody out, and lets nobody in whose token is over. */
#ifndef GZ_TEST_SIM_TOKENS_H
#define GZ_TEST_SIM_TOKENS_H

#include "proto/base/status.h"

struct sim;

/* When the token of somebody who joins now ends, in Unix seconds; INFINITY for never. */
double tokens_draw(struct sim *sim);
/* The core let in somebody with such a token, or did not. False if the token was over. */
bool tokens_joined(const struct sim *sim, double expires_unix_s, enum gz_status status);
/* After a turn: who is here has a token that is not over, and who was sent away for it has one that
 * is. */
void tokens_check(const struct sim *sim);
/* The wall clock is wrong for a second; and the end of that, if its time has come. */
void tokens_blink_clock(struct sim *sim);
void tokens_right_clock(struct sim *sim);

#endif
