/* expiry.c - ends sessions whose tokens have expired. See expiry.h. */
#include "session/expiry.h"

#include <math.h>

#include "session/describe.h"
#include "session/session.h"

void gz_session_set_expiry(struct gz_session *session)
{
    struct gz_core *core = session->core;
    core->expires_unix_s = fmin(core->expires_unix_s, session->rights.expires_unix_s);
}

double gz_core_expires_s(const struct gz_core *core)
{
    const struct gz_clock *clock = &core->clock;
    return clock->now.mono_s + (core->expires_unix_s - clock->wall_s);
}

/* Doubles near today's Unix seconds are some 0.2 us apart, and the two clocks are rounded
 * separately: without this tolerance a turn that comes exactly in time might find that it is too
 * early. */
static bool is_past(const struct gz_core *core, double unix_s)
{
    return core->clock.wall_s + 1e-3 >= unix_s;
}

static void expire(struct gz_session *session)
{
    static const char reason[] = "the token has expired";
    struct gz_message message = {.op = GZ_OP_BYE, .has = GZ_HAS_BYE_CODE};
    message.bye =
        (struct gz_bye){.reason = gz_text_of(reason), .fatal = true, .code = GZ_UNAUTHORISED};
    gz_session_send(session, &message);
    gz_session_end(session, reason);
}

void gz_core_end_expired(struct gz_core *core)
{
    if (!is_past(core, core->expires_unix_s)) return;
    core->expires_unix_s = INFINITY;
    for (struct gz_session *session = core->sessions; session != NULL; session = session->next) {
        if (session->ended) continue;
        if (is_past(core, session->rights.expires_unix_s))
            expire(session);
        else
            gz_session_set_expiry(session);
    }
}
