/* token.c - links that give a token, and a new token for a session. */
#include <math.h>
#include <string.h>

#include "core/answers.h"
#include "core/describe.h"
#include "core/roles.h"
#include "core/session.h"
#include "server/maxima.h"

/* ---- link ---- */

/* Invitations: a token for guests of the scene, signed by the server. */

static enum gz_status check(const struct gz_session *session, const struct gz_link *said,
                            struct gz_failure *failure)
{
    if (said->role >= GZ_ROLE_ADMIN)
        return gz_fail(&failure->error, GZ_BAD_VALUE,
                       "link.role: a link can give viewer or editor, not admin");
    if (said->expires_s > GZ_LINK_SECONDS_MAX)
        return gz_fail(&failure->error, GZ_BAD_VALUE, "link.expires_s: at most %d",
                       GZ_LINK_SECONDS_MAX);
    if (session->core->options.host.sign == NULL)
        return gz_fail(&failure->error, GZ_BAD_STATE, "this server has no key to sign a link with");
    return GZ_OK;
}

enum gz_status gz_on_link(struct gz_session *session, const struct gz_message *message,
                          struct gz_failure *failure)
{
    const struct gz_link *said = &message->link;
    const struct gz_core_options *options = &session->core->options;
    enum gz_status status = check(session, said, failure);
    if (status != GZ_OK) return status;
    struct gz_claims claims = {
        .is_guest = true, .has_role = true, .role = said->role, .scene_count = 1};
    gz_print(claims.scenes[0], sizeof claims.scenes[0], "%s", options->scene);
    char token[GZ_TOKEN_BYTES_MAX + 1] = "";
    /* An invitation does not outlive the rights of its maker. */
    double left_s = session->rights.expires_unix_s - session->core->clock.wall_s;
    status = options->host.sign(options->host.context, &claims, fmin(said->expires_s, left_s),
                                token, &failure->error);
    if (status != GZ_OK) return status;
    struct gz_ok ok = {.token = gz_text_of(token)};
    gz_session_ok(session, message, GZ_HAS_OK_TOKEN, &ok);
    return GZ_OK;
}

/* ---- token ---- */

/* Renews the token of a session. */

static enum gz_status token_check(const struct gz_session *session, const struct gz_claims *claims,
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
        if (status == GZ_OK) status = token_check(session, &claims, &failure->error);
        if (status == GZ_OK && !gz_session_keep_token(session, &claims))
            status = gz_fail(&failure->error, GZ_NO_MEMORY, "no memory for the token");
        if (status != GZ_OK) return status;
        take(session, &claims);
    }
    gz_session_ok(session, message, 0, NULL);
    if (host->verify != NULL) gz_session_apply_rights(session);
    return GZ_OK;
}
