/* weigh.h - what a message is charged before anything of it is done: what it costs for certain, by
 * what it says and by what the session has.
 *
 * In messages; at least 1 if it may turn out to cost more than a usual message. What shows on the
 * way is charged there: before it is done if it is known how much it is, else as soon as that is
 * known. A weigher looks at no more nodes than a usual message does. */
#ifndef GZ_SESSION_WEIGH_H
#define GZ_SESSION_WEIGH_H

#include "proto/message.h"

struct gz_session;

typedef double gz_weigher(const struct gz_session *session, const struct gz_message *message);

/* Costs no more than a usual message; may cost more. */
gz_weigher gz_weigh_nothing, gz_weigh_something;
gz_weigher gz_weigh_select, gz_weigh_pointer, gz_weigh_grab, gz_weigh_wheel, gz_weigh_pick;
gz_weigher gz_weigh_interest, gz_weigh_set, gz_weigh_create, gz_weigh_delete;
/* A token that is verified or signed. */
gz_weigher gz_weigh_signature;
/* People that are told of. */
gz_weigher gz_weigh_who;

#endif
