/* quota.c - counts the use of accounts. See quota.h. */
#include "host/quota.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* The account that loses least if it is forgotten. */
static struct gz_account *fullest(struct gz_quota *quota, double now_s)
{
    struct gz_account *found = &quota->accounts[0];
    for (size_t i = 1; i < quota->count; i++) {
        struct gz_account *account = &quota->accounts[i];
        if (gz_rate_left(&account->rate, now_s) > gz_rate_left(&found->rate, now_s))
            found = account;
    }
    return found;
}

static struct gz_rate *find(struct gz_quota *quota, const char *name, double now_s)
{
    for (size_t i = 0; i < quota->count; i++) {
        if (strncmp(quota->accounts[i].name, name, GZ_USER_BYTES_MAX) == 0)
            return &quota->accounts[i].rate;
    }
    struct gz_account *account =
        quota->count < GZ_ACCOUNTS_MAX ? &quota->accounts[quota->count++] : fullest(quota, now_s);
    account->rate = gz_rate_up_to(quota->at_once, quota->per_s, now_s);
    snprintf(account->name, sizeof account->name, "%s", name);
    return &account->rate;
}

bool gz_quota_has(struct gz_quota *quota, const char *name, double amount, double now_s)
{
    return gz_rate_left(find(quota, name, now_s), now_s) >= fmin(amount, quota->at_once);
}

void gz_quota_take(struct gz_quota *quota, const char *name, double amount, double now_s)
{
    gz_rate_charge(find(quota, name, now_s), amount, now_s);
}
