/* budget.c - what a session is charged: rates of messages, and work by who pays for it. */
#include "core/budget.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/session.h"
#include "server/maxima.h"

/* ---- rates ---- */

/* A token bucket. */

struct gz_rate gz_rate_up_to(double most, double per_s, double now_s)
{
    return (struct gz_rate){.per_s = per_s,
                            .most = most,
                            .tokens = most,
                            .counted_s = now_s,
                            .over_last_s = -INFINITY,
                            .warned_s = -INFINITY};
}

struct gz_rate gz_rate_of(double per_s, double now_s)
{
    return gz_rate_up_to(per_s, per_s, now_s);
}

double gz_rate_left(struct gz_rate *rate, double now_s)
{
    double filled = rate->tokens + (now_s - rate->counted_s) * rate->per_s;
    rate->tokens = fmin(filled, rate->most);
    rate->counted_s = now_s;
    return rate->tokens;
}

bool gz_rate_has(struct gz_rate *rate, double now_s)
{
    return gz_rate_left(rate, now_s) >= 1;
}

bool gz_rate_take(struct gz_rate *rate, double now_s)
{
    bool has = gz_rate_has(rate, now_s);
    if (has) gz_rate_charge(rate, 1, now_s);
    return has;
}

void gz_rate_charge(struct gz_rate *rate, double tokens, double now_s)
{
    rate->tokens = gz_rate_left(rate, now_s) - tokens;
}

bool gz_rate_is_above(struct gz_rate *rate, double part, double now_s)
{
    return gz_rate_left(rate, now_s) > part * rate->most;
}

double gz_rate_above_s(const struct gz_rate *rate, double part)
{
    double wanted = fmin(part * rate->most + 1, rate->most);
    return rate->counted_s + (wanted - rate->tokens) / rate->per_s;
}

double gz_rate_warns_s(const struct gz_rate *rate)
{
    return rate->warned_s + 1;
}

bool gz_rate_warns(struct gz_rate *rate, double now_s)
{
    bool warns = now_s >= gz_rate_warns_s(rate);
    if (warns) rate->warned_s = now_s;
    return warns;
}

enum gz_excess gz_rate_exceed(struct gz_rate *rate, double now_s)
{
    if (now_s - rate->over_last_s > 1) rate->over_since_s = now_s;
    rate->over_last_s = now_s;
    if (now_s - rate->over_since_s > GZ_RATE_SECONDS_MAX) return GZ_EXCESS_END;
    return gz_rate_warns(rate, now_s) ? GZ_EXCESS_WARN : GZ_EXCESS_DROP;
}

/* ---- work ---- */

/* Charges work, and says what a session can afford. */

/* ---- the shares of payers ---- */

/* Frees the shares that are full again and have no session: a debt outlives the sessions. Looks at
 * all shares once a second at most, however many sessions join. */
static void forget_full_shares(struct gz_core *core)
{
    double now_s = core->clock.now.mono_s;
    if (now_s < core->payers_due_s) return;
    core->payers_due_s = now_s + 1;
    for (struct gz_share **at = &core->shares; *at != NULL;) {
        struct gz_share *share = *at;
        bool is_full = now_s - share->work.counted_s >= 1 &&
                       gz_rate_above_s(&share->work, 1) <= now_s &&
                       gz_rate_above_s(&share->messages, 1) <= now_s;
        if (share->sessions == 0 && share->rows_waiting == 0 && is_full) {
            *at = share->next;
            gz_users_remove(&core->payers, &share->name);
            free(share);
        } else {
            at = &share->next;
        }
    }
}

static struct gz_share *new_share(struct gz_core *core, const char *payer)
{
    double per_s = core->options.messages_per_s;
    struct gz_share *share = gz_users_reserve(&core->payers) ? calloc(1, sizeof *share) : NULL;
    if (share == NULL) return NULL;
    memcpy(share->payer, payer, strlen(payer) + 1);
    share->messages = gz_rate_of(GZ_PAYER_MESSAGES_SESSIONS * per_s, core->clock.now.mono_s);
    share->work = gz_rate_of(GZ_PAYER_WORK_SESSIONS * per_s, core->clock.now.mono_s);
    share->next = core->shares;
    core->shares = share;
    gz_users_add(&core->payers, &share->name, share->payer);
    return share;
}

/* A session keeps its role until it ends. */
static bool may_edit(const struct gz_session *session)
{
    return session->role >= GZ_ROLE_EDITOR;
}

bool gz_budget_join(struct gz_session *session)
{
    struct gz_core *core = session->core;
    double per_s = core->options.messages_per_s;
    forget_full_shares(core);
    struct gz_share *share = (struct gz_share *)gz_users_find(&core->payers, session->payer);
    if (share == NULL) share = new_share(core, session->payer);
    if (share == NULL) return false;
    share->sessions++;
    if (may_edit(session)) core->editing_payers += share->editors++ == 0;
    session->share = share;
    session->rate = session->work = gz_rate_of(per_s, core->clock.now.mono_s);
    return true;
}

void gz_budget_leave(struct gz_session *session)
{
    struct gz_share *share = session->share;
    share->sessions--;
    if (may_edit(session)) session->core->editing_payers -= --share->editors == 0;
    session->share = NULL;
}

void gz_budgets_finish(struct gz_core *core)
{
    while (core->shares != NULL) {
        struct gz_share *next = core->shares->next;
        free(core->shares);
        core->shares = next;
    }
    gz_users_finish(&core->payers);
}

/* ---- taking and charging ---- */

/* A message that the shared bucket refuses is taken out of the session's own bucket all the same,
 * so that a session above its own rate is found by its own bucket. */
enum gz_taken gz_budget_take(struct gz_session *session, size_t bytes)
{
    double now_s = session->core->clock.now.mono_s;
    const size_t full = bytes / GZ_BYTES_READ_PER_MESSAGE;
    double messages = 1 + (double)full;
    struct gz_rate *own = &session->rate, *shared = &session->share->messages;
    if (!gz_rate_has(own, now_s)) return GZ_OVER_OWN_RATE;
    gz_rate_charge(own, messages, now_s);
    if (!gz_rate_has(shared, now_s)) return GZ_OVER_SHARED_RATE;
    gz_rate_charge(shared, messages, now_s);
    return GZ_TAKEN;
}

void gz_budget_charge(struct gz_session *session, size_t nodes)
{
    const double messages = (double)nodes / GZ_NODES_PER_MESSAGE,
                 now_s = session->core->clock.now.mono_s;
    if (nodes == 0) return;
    gz_rate_charge(&session->work, messages, now_s);
    gz_rate_charge(&session->share->work, messages, now_s);
}

static double part_of(enum gz_haste haste)
{
    return haste == GZ_HASTE_BESIDE ? 0.5 : 0;
}

bool gz_budget_affords(struct gz_session *session, size_t nodes, enum gz_haste haste)
{
    double now_s = session->core->clock.now.mono_s, part = part_of(haste);
    return nodes < GZ_NODES_PER_MESSAGE || (gz_rate_is_above(&session->work, part, now_s) &&
                                            gz_rate_is_above(&session->share->work, part, now_s));
}

double gz_budget_affords_s(const struct gz_session *session, size_t nodes, enum gz_haste haste)
{
    double part = part_of(haste);
    if (nodes < GZ_NODES_PER_MESSAGE) return -INFINITY;
    return fmax(gz_rate_above_s(&session->work, part),
                gz_rate_above_s(&session->share->work, part));
}

bool gz_budget_awaits_disk(const struct gz_session *session)
{
    const struct gz_core *core = session->core;
    return core->editing_payers > 1 && session->share->rows_waiting >= core->rows_waiting_max;
}

enum gz_status gz_budget_check_room(const char *what, size_t all, size_t own, size_t most,
                                    struct gz_failure *failure)
{
    if (all >= most)
        return gz_fail(&failure->error, GZ_TOO_MANY, "%s: a scene has at most %zu", what, most);
    if (own < most - all) return GZ_OK;
    return gz_fail(
        &failure->error, GZ_TOO_MANY,
        "%s: you made %zu of this scene's %zu, and only %zu more are left for everybody: "
        "take away some of yours",
        what, own, all, most - all);
}

enum gz_status gz_budget_refuse(const struct gz_session *session, const struct gz_message *message,
                                struct gz_failure *failure)
{
    double wait_s = gz_budget_affords_s(session, GZ_NODES_PER_MESSAGE, GZ_HASTE_ASKED) -
                    session->core->clock.now.mono_s;
    return gz_fail(&failure->error, GZ_RATE_LIMITED,
                   "%s: your requests took more than your share of the server's time; try again "
                   "in %.1f s",
                   gz_op_word(message->op), fmax(0.1, ceil(10 * wait_s) / 10));
}
