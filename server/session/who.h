/* who.h - the length of an answer to `who`. */
#ifndef GZ_SESSION_WHO_H
#define GZ_SESSION_WHO_H

#include "proto/limits.h"
#include "proto/message.h"

/* The most users in the answer to this `who`. */
static inline uint64_t gz_who_limit(const struct gz_message *message)
{
    return (message->has & GZ_HAS_WHO_LIMIT) != 0 ? message->who.limit : GZ_HISTORY_ROWS_MAX;
}

#endif
