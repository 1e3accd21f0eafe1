/* weigh.h - the least price of each message, by its content and the state of the session. It is
 * charged before the message is handled.
 *
 * In messages; at least 1 if the message may cost more than a usual one. Further work is charged by
 * the handler: before it is done, or as soon as its amount is known. A weigher looks at no more
 * nodes than a usual message does. */
#ifndef GZ_SESSION_WEIGH_H
#define GZ_SESSION_WEIGH_H

#include "proto/message.h"

struct gz_session;

typedef double gz_weigher(const struct gz_session *session, const struct gz_message *message);

/* Messages that cost no more than a usual one; that may cost more. */
gz_weigher gz_weigh_nothing, gz_weigh_something;
gz_weigher gz_weigh_select, gz_weigh_pointer, gz_weigh_grab, gz_weigh_wheel, gz_weigh_pick;
gz_weigher gz_weigh_interest, gz_weigh_set, gz_weigh_create, gz_weigh_delete;
/* Messages that verify or sign a token. */
gz_weigher gz_weigh_signature;
/* Messages that ask for a list of users. */
gz_weigher gz_weigh_who;

#endif
