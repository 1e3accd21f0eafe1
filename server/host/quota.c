/* quota.c - counts the use of accounts. See quota.h. */
#include "host/quota.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static void fill(const struct gz_quota *quota, struct gz_account *account, double now_s)
{
    double filled = account->left + (now_s - account->counted_s) * quota->per_s;
    account->left = fmin(filled, quota->at_once);
    account->counted_s = now_s;
}

/* The account that loses least if it is forgotten. */
static struct gz_account *fullest(struct gz_quota *quota, double now_s)
{
    struct gz_account *found = &quota->accounts[0];
    for (size_t i = 0; i < quota->count; i++) {
        fill(quota, &quota->accounts[i], now_s);
        if (quota->accounts[i].left > found->left) found = &quota->accounts[i];
    }
    return found;
}

static struct gz_account *find(struct gz_quota *quota, const char *name, double now_s)
{
    struct gz_account *account = NULL;
    for (size_t i = 0; i < quota->count && account == NULL; i++) {
        if (strncmp(quota->accounts[i].name, name, GZ_USER_BYTES_MAX) == 0)
            account = &quota->accounts[i];
    }
    if (account == NULL) {
        account = quota->count < GZ_ACCOUNTS_MAX ? &quota->accounts[quota->count++]
                                                 : fullest(quota, now_s);
        *account = (struct gz_account){.left = quota->at_once, .counted_s = now_s};
        snprintf(account->name, sizeof account->name, "%s", name);
    }
    fill(quota, account, now_s);
    return account;
}

bool gz_quota_has(struct gz_quota *quota, const char *name, double amount, double now_s)
{
    return find(quota, name, now_s)->left >= fmin(amount, quota->at_once);
}

void gz_quota_take(struct gz_quota *quota, const char *name, double amount, double now_s)
{
    find(quota, name, now_s)->left -= amount;
}
