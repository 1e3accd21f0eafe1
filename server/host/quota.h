/* quota.h - a token bucket for each account: an amount at once, and an amount per second. An
 * account is the name of a user, an address, or a scene.
 *
 * Pure: times are monotonic seconds that are passed in. Bounded: beyond GZ_ACCOUNTS_MAX the account
 * that has the most left is forgotten, and begins again later. Threads: one at a time. */
#ifndef GZ_HOST_QUOTA_H
#define GZ_HOST_QUOTA_H

#include <stdbool.h>
#include <stddef.h>

#include "proto/limits.h"
#include "server/maxima.h"
#include "session/rate.h"

struct gz_account {
    char name[GZ_USER_BYTES_MAX + 1];
    struct gz_rate rate;
};

struct gz_quota {
    double at_once, per_s;
    size_t count;
    struct gz_account accounts[GZ_ACCOUNTS_MAX];
};

/* Whether the account has `amount` left; more than the amount at once needs a full account. Names
 * longer than a user's are cut. */
bool gz_quota_has(struct gz_quota *quota, const char *name, double amount, double now_s);
/* Takes the amount, into debt if need be. */
void gz_quota_take(struct gz_quota *quota, const char *name, double amount, double now_s);

#endif
