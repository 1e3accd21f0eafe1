/* waiter.h - who waits for the COMMIT of something that was asked for. */
#ifndef GZ_SESSION_WAITER_H
#define GZ_SESSION_WAITER_H

#include <stdbool.h>
#include <stdint.h>

struct gz_waiter {
    struct gz_waiter *next;
    uint64_t session, rid;
    bool has_rid;
};

#endif
