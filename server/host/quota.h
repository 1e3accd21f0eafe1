/* quota.h - what each account may still take of something that all share: so much at once, and so
 * much a second. An account is whoever a name stands for: a user, an address, a scene.
 *
 * Pure: times are monotonic seconds that are handed in. Bounded: of more than GZ_ACCOUNTS_MAX
 * accounts the one that has the most left is forgotten, and starts anew when it comes again.
 * Threads: one at a time. */
#ifndef GZ_HOST_QUOTA_H
#define GZ_HOST_QUOTA_H

#include <stdbool.h>
#include <stddef.h>

#include "proto/limits.h"
#include "server/maxima.h"

struct gz_account {
    char name[GZ_USER_BYTES_MAX + 1];
    double left, counted_s;
};

struct gz_quota {
    double at_once, per_s;
    size_t count;
    struct gz_account accounts[GZ_ACCOUNTS_MAX];
};

/* Whether the account has that much left; what is more than anybody may take at once needs a full
 * account. Names longer than a user's are cut. */
bool gz_quota_has(struct gz_quota *quota, const char *name, double amount, double now_s);
/* Takes it, into debt if need be. */
void gz_quota_take(struct gz_quota *quota, const char *name, double amount, double now_s);

#endif
