/* The rule of tokens that end, and a wall clock that is wrong for a second. See tokens.h. */
#include "sim/tokens.h"

#include <math.h>
#include <string.h>

#include "sim/chance.h"
#include "sim/judge.h"
#include "sim/links.h"
#include "sim/sim.h"

/* The core ends a session up to a millisecond early. */
#define EARLY_S 1e-3

double tokens_draw(struct sim *sim)
{
    if (!sim->expires || sim->quiet || chance(sim, 0.5)) return INFINITY;
    return sim->now.unix_s + between(sim, -1, 15);
}

bool tokens_joined(const struct sim *sim, double expires_unix_s, enum gz_status status)
{
    const bool is_over = sim->now.unix_s >= expires_unix_s;
    PROMISE(!is_over || status == GZ_UNAUTHORISED, "nobody is let in whose token is over",
            "it ended %.3f s ago", sim->now.unix_s - expires_unix_s);
    PROMISE(is_over || status != GZ_UNAUTHORISED, "nobody is locked out whose token is good",
            "it is good for %.3f s", expires_unix_s - sim->now.unix_s);
    return !is_over;
}

void tokens_check(const struct sim *sim)
{
    for (struct link *link = sim->links; link != NULL; link = link->next) {
        if (link->session == NULL || link->is_sent_away) continue;
        const double left_s = link->session->rights.expires_unix_s - sim->now.unix_s;
        const char *reason = gz_session_end_reason(link->session);
        PROMISE(link->session->ended || left_s > 0, "nobody stays whose token is over",
                "session %llu, over for %.3f s", NUMBER(link->session->id), -left_s);
        link->is_sent_away = reason != NULL && strcmp(reason, "the token has expired") == 0;
        PROMISE(!link->is_sent_away || left_s <= EARLY_S, "nobody is sent away whose token is good",
                "session %llu, good for %.3f s", NUMBER(link->session->id), left_s);
    }
}

void tokens_blink_clock(struct sim *sim)
{
    static const double days_s = 2 * 86400.0;
    if (sim->clock_off_s != 0) return;
    sim->clock_off_s = chance(sim, 0.7) ? days_s : -days_s;
    sim->clock_right_s = sim->now.mono_s + 1;
    sim->now.unix_s += sim->clock_off_s;
    trace(sim, "the clock is off by %.0f s for a second", sim->clock_off_s);
}

void tokens_right_clock(struct sim *sim)
{
    if (sim->clock_off_s == 0 || (!sim->quiet && sim->now.mono_s < sim->clock_right_s)) return;
    sim->now.unix_s -= sim->clock_off_s;
    sim->clock_off_s = 0;
    trace(sim, "the clock is right");
}
