/* link.c - invitations: a token for guests of the scene, signed by the server. */
#include <math.h>

#include "server/maxima.h"
#include "session/describe.h"
#include "session/handlers.h"
#include "session/session.h"

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
