/* token.c - renews the token of a session. */
#include <string.h>

#include "server/maxima.h"
#include "session/access.h"
#include "session/expiry.h"
#include "session/handlers.h"
#include "session/session.h"

static enum gz_status check(const struct gz_session *session, const struct gz_claims *claims,
                            struct gz_error *error)
{
    bool is_same = claims->is_guest == session->rights.is_guest &&
                   (claims->is_guest || strcmp(claims->user, session->user) == 0);
    if (!is_same) return gz_fail(error, GZ_UNAUTHORISED, "token: it belongs to another user");
    if (session->core->clock.wall_s >= claims->expires_unix_s)
        return gz_fail(error, GZ_UNAUTHORISED, "token: it has expired");
    return GZ_OK;
}

static void take(struct gz_session *session, const struct gz_claims *claims)
{
    session->rights = gz_rights_of(claims, session->core->options.scene);
    gz_session_set_expiry(session);
    if (strcmp(session->name, claims->name) == 0) return;
    memcpy(session->name, claims->name, sizeof session->name);
    session->presence.changed_parts |= 1u << GZ_PRESENCE_WHO;
    gz_session_present(session);
    gz_session_tell_self(session);
}

enum gz_status gz_on_token(struct gz_session *session, const struct gz_message *message,
                           struct gz_failure *failure)
{
    const struct gz_core_host *host = &session->core->options.host;
    struct gz_claims claims;
    if (host->verify != NULL) {
        enum gz_status status =
            host->verify(host->context, message->token, &claims, &failure->error);
        if (status == GZ_OK) status = check(session, &claims, &failure->error);
        if (status != GZ_OK) return status;
        take(session, &claims);
    }
    gz_session_ok(session, message, 0, NULL);
    if (host->verify != NULL) gz_session_apply_rights(session);
    return GZ_OK;
}
