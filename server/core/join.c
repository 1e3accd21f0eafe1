/* join.c - sessions join and leave: the colour, rights and channel of a new one, the end of all. */
#include "core/core.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/bulk.h"
#include "core/commit.h"
#include "core/describe.h"
#include "core/history.h"
#include "core/interaction.h"
#include "core/roles.h"
#include "core/session.h"
#include "core/work.h"
#include "server/maxima.h"

/* Of a session's secret: the random ones, before its id. */
#define SECRET_DIGITS (2 * GZ_SECRET_BYTES)

/* The colour of a new session: that of the user's other session, else a new one. A session keeps
 * its colour. */
static uint32_t colour_of(const struct gz_core *core, const char *user)
{
    const struct gz_session *other = (const struct gz_session *)gz_users_find(&core->users, user);
    return other != NULL ? other->presence.user.rgb : gz_colour_of(&core->tints, user);
}

/* The last valid seq of an epoch: the present seq in this epoch, the last saved seq in an earlier
 * one, 0 in an unknown one. */
static uint64_t last_of_epoch(const struct gz_core *core, uint64_t epoch)
{
    if (epoch == core->epochs.present) return gz_scene_seq(core->scene);
    return gz_epochs_last_seq(&core->epochs, epoch);
}

static enum gz_form form_of(const struct gz_hello *hello)
{
    if (hello->is_json) return GZ_FORM_JSON;
    return hello->packed ? GZ_FORM_PACKED : GZ_FORM_PLAIN;
}

/* Subscribes a session: from the seq that the client resumes from, if that is possible, else from
 * 0. Edits that the client has already are not sent again in either case. False without memory. */
static bool subscribe(struct gz_session *session, const struct gz_message *hello)
{
    const struct gz_core *core = session->core;
    const struct gz_hello *said = &hello->hello;
    const enum gz_form form = form_of(said);
    if ((hello->has & GZ_HAS_HELLO_RESUME) == 0)
        return gz_feed_subscribe(core->feed, &session->subscriber, form, 0, NULL);
    uint64_t last = last_of_epoch(core, said->resume_epoch);
    bool exact = said->resume_seq <= last && said->resume_seq >= gz_scene_forgotten(core->scene);
    bool heard =
        (hello->has & GZ_HAS_HELLO_EDIT) != 0 && said->resume_edit > 0 && said->resume_edit <= last;
    return gz_feed_subscribe(core->feed, &session->subscriber, form, exact ? said->resume_seq : 0,
                             heard ? &said->resume_edit : NULL);
}

static void send_welcome(struct gz_session *session)
{
    const struct gz_core *core = session->core;
    struct gz_message message = {.op = GZ_OP_WELCOME};
    message.welcome = (struct gz_welcome){
        .v = GZ_PROTOCOL_VERSION,
        .session = session->id,
        .epoch = core->epochs.present,
        .seq = gz_scene_seq(core->scene),
        .scene = gz_text_of(core->options.scene),
        .server = gz_text_of(core->options.server),
        .secret = gz_text_of(session->secret),
        .read_only = gz_text_of(core->read_only),
        .resumed = gz_feed_has_state(&session->subscriber),
        .role = session->role,
        .message_bytes = GZ_MESSAGE_BYTES_MAX,
        .messages_per_s = (uint64_t)core->options.messages_per_s,
        .nodes = GZ_NODES_MAX,
    };
    gz_session_send(session, &message);
}

/* Compares in constant time, so that no prefix of the secret can be guessed. */
static bool is_secret(const struct gz_session *session, struct gz_text said)
{
    unsigned difference = 0;
    if (said.size <= SECRET_DIGITS || strlen(session->secret) != said.size) return false;
    for (size_t i = 0; i < said.size; i++)
        difference |= (unsigned char)(session->secret[i] ^ said.bytes[i]);
    return difference == 0;
}

/* The session that a secret names, if the secret is one. */
static struct gz_session *find_named(const struct gz_core *core, struct gz_text secret)
{
    char id[GZ_SECRET_TEXT_BYTES_MAX + 1] = "";
    if (secret.size <= SECRET_DIGITS || secret.size >= sizeof id) return NULL;
    memcpy(id, secret.bytes + SECRET_DIGITS, secret.size - SECRET_DIGITS);
    return gz_core_session(core, strtoull(id, NULL, 16));
}

/* The session that the client resumes: one of the same user, with this secret; NULL if there is
 * none. Thousands of sessions of one user may come back at once. */
static struct gz_session *find_earlier(const struct gz_core *core, const struct gz_hello *said,
                                       const char *user)
{
    struct gz_session *earlier = find_named(core, said->resume_secret);
    const bool is_it = earlier != NULL && !earlier->replaced && strcmp(earlier->user, user) == 0 &&
                       is_secret(earlier, said->resume_secret);
    return is_it ? earlier : NULL;
}

/* Ends a session whose client has a new connection: the old one may hang without the server
 * knowing. */
static void replace(struct gz_session *earlier, uint64_t id)
{
    gz_interaction_finish_all(earlier);
    gz_feed_absent(earlier->core->feed, &earlier->presence);
    char reason[GZ_ERROR_BYTES_MAX];
    snprintf(reason, sizeof reason, "session %llu of the same user took its place",
             (unsigned long long)id);
    gz_session_end(earlier, reason);
    earlier->replaced = true;
}

static void write_secret(struct gz_session *session, const uint8_t *bytes)
{
    char *secret = session->secret;
    if (bytes == NULL) return;
    for (size_t i = 0; i < GZ_SECRET_BYTES; i++) snprintf(secret + 2 * i, 3, "%02x", bytes[i]);
    snprintf(secret + SECRET_DIGITS, sizeof session->secret - SECRET_DIGITS, "%llx",
             (unsigned long long)session->id);
}

/* The role that the hello asks for; the highest one if it names none. */
static enum gz_role asked_role(const struct gz_message *hello)
{
    return (hello->has & GZ_HAS_HELLO_ROLE) != 0 ? hello->hello.role : GZ_ROLE_ADMIN;
}

static enum gz_status find_role(const struct gz_core *core, const struct gz_message *hello,
                                const struct gz_claims *claims, enum gz_role *role,
                                struct gz_error *error)
{
    if (hello->hello.is_json && hello->hello.packed)
        return gz_fail(error, GZ_BAD_VALUE, "form: JSON has only the plain form");
    if (claims->user[0] == '\0')
        return gz_fail(error, GZ_BAD_VALUE, "user: must have 1 to %d bytes", GZ_USER_BYTES_MAX);
    if (core->clock.wall_s >= claims->expires_unix_s)
        return gz_fail(error, GZ_UNAUTHORISED, "token: it has expired");
    if (gz_core_is_revoked(core, claims->user, claims->is_guest, &claims->id))
        return gz_fail(error, GZ_UNAUTHORISED, "token: it was revoked");
    if (!gz_core_role(core, claims, role))
        return gz_fail(error, GZ_FORBIDDEN, "you have no access to this scene");
    if ((hello->has & GZ_HAS_HELLO_ROLE) != 0 && hello->hello.role > *role)
        return gz_fail(error, GZ_FORBIDDEN, "role: your highest role in this scene is %s",
                       gz_vocabulary_word(&gz_role_words, (int)*role));
    return GZ_OK;
}

static struct gz_session *new_session(struct gz_core *core, uint64_t id,
                                      const struct gz_message *hello,
                                      const struct gz_claims *claims, enum gz_role role)
{
    struct gz_session *session = calloc(1, sizeof *session);
    if (session == NULL) return NULL;
    session->core = core;
    session->id = id;
    session->rights = gz_rights_of(claims, core->options.scene);
    session->asked = asked_role(hello);
    session->role = gz_role_here(core, session->asked, role);
    session->is_json = hello->hello.is_json;
    session->draw = hello->hello.draw;
    session->tool = gz_tool_default;
    session->by_surface = true;
    memcpy(session->user, claims->user, sizeof session->user);
    memcpy(session->name, claims->name, sizeof session->name);
    memcpy(session->payer, gz_claims_payer(claims), sizeof session->payer);
    gz_outbox_init(&session->outbox, GZ_OUTBOX_BYTES_MAX, session->is_json);
    return session;
}

static void list_session(struct gz_core *core, struct gz_session *session)
{
    session->next = core->sessions;
    if (core->sessions != NULL) core->sessions->previous = session;
    core->sessions = session;
    gz_sessions_add(&core->roster, session->id, session);
    gz_users_add(&core->users, &session->by_user, session->user);
    gz_colour_take(&core->tints, session->presence.user.rgb);
}

enum gz_status gz_core_join(struct gz_core *core, uint64_t id, const struct gz_message *hello,
                            const struct gz_claims *claims, const uint8_t *secret,
                            struct gz_now now, struct gz_session **out, struct gz_error *error)
{
    gz_core_enter(core, now);
    enum gz_role role;
    enum gz_status status = find_role(core, hello, claims, &role, error);
    if (status != GZ_OK) return status;
    struct gz_session *earlier = (hello->has & GZ_HAS_HELLO_RESUME) != 0
                                     ? find_earlier(core, &hello->hello, claims->user)
                                     : NULL;
    const size_t others = core->roster.count - (earlier != NULL);
    if (others >= GZ_SCENE_SESSIONS_MAX)
        return gz_fail(error, GZ_TOO_MANY, "the scene has too many sessions: try again later");
    struct gz_session *session = new_session(core, id, hello, claims, role);
    if (session == NULL || !gz_session_keep_token(session, claims) ||
        !gz_sessions_reserve(&core->roster) || !gz_users_reserve(&core->users) ||
        !subscribe(session, hello) || !gz_budget_join(session) ||
        !gz_core_log_session(core, session, false)) {
        if (session != NULL) gz_feed_unsubscribe(core->feed, &session->subscriber);
        if (session != NULL && session->share != NULL) gz_budget_leave(session);
        if (session != NULL) free(session->token);
        free(session);
        return gz_fail(error, GZ_NO_MEMORY, "no memory for another session");
    }
    write_secret(session, secret);
    if (earlier != NULL) replace(earlier, id);
    session->presence.user.rgb = colour_of(core, session->user);
    list_session(core, session);
    gz_session_set_expiry(session);
    gz_session_present(session);
    send_welcome(session);
    gz_session_tell_self(session);
    gz_log(core->options.log, GZ_INFO, id, "%s joined %s as %s%s%s", session->user,
           core->options.scene, gz_vocabulary_word(&gz_role_words, (int)session->role),
           claims->id.jti[0] != '\0' ? ", with the token " : "", claims->id.jti);
    *out = session;
    return GZ_OK;
}

/* Records in the file that the session left. Without memory the file says until the next start that
 * the session is still there. */
static void depart(struct gz_session *session)
{
    if (!session->departed) (void)gz_core_log_session(session->core, session, true);
    session->departed = true;
}

void gz_core_leave(struct gz_core *core, struct gz_session *session, struct gz_now now)
{
    gz_core_enter(core, now);
    session->is_leaving = gz_core_puts_off(core, gz_session_count_held(session));
    if (session->is_leaving) {
        gz_session_withdraw_questions(session); /* while the host is on its own thread */
        session->ended = true;
        session->owner = NULL;
        gz_session_wake(session);
        return;
    }
    gz_interaction_finish_all(session);
    depart(session);
    gz_feed_absent(core->feed, &session->presence);
    if (session->previous != NULL) session->previous->next = session->next;
    if (session->next != NULL) session->next->previous = session->previous;
    if (core->sessions == session) core->sessions = session->next;
    gz_session_forget_awake(session);
    gz_sessions_remove(&core->roster, session->id);
    gz_users_remove(&core->users, &session->by_user);
    gz_colour_leave(&core->tints, session->presence.user.rgb);
    gz_session_withdraw_questions(session);
    gz_log(core->options.log, GZ_INFO, session->id, "%s left %s", session->user,
           core->options.scene);
    gz_gesture_finish(&session->gesture);
    free(session->locks.ids);
    gz_feed_unsubscribe(core->feed, &session->subscriber);
    while (session->past.answer != NULL) gz_past_stop(&session->past, &core->options.host);
    gz_session_drop_work(session);
    gz_outbox_finish(&session->outbox);
    gz_selection_finish(&session->selection);
    gz_groups_finish(&session->groups);
    gz_pivot_frame_finish(&session->stand);
    gz_view_finish(&session->view);
    free(session->shown.gizmo);
    free(session->standing.seat);
    free(session->end_reason);
    gz_budget_leave(session);
    free(session->token);
    free(session);
    if (core->sessions == NULL) gz_feed_rest(core->feed);
}

/* ---- the end of all sessions ---- */

void gz_core_freeze(struct gz_core *core, const char *why, struct gz_now now)
{
    gz_core_enter(core, now);
    gz_core_finish_work(core);
    gz_print(core->frozen, sizeof core->frozen, "%s", why);
    gz_core_finish_gestures(core);
    for (struct gz_session *session = core->sessions; session != NULL; session = session->next)
        depart(session);
}

bool gz_core_is_stored(const struct gz_core *core)
{
    return gz_journal_with_disk(&core->journal) == 0 && core->journal.requests == 0;
}

bool gz_core_is_answered(const struct gz_core *core)
{
    const struct gz_session *session = core->sessions;
    while (session != NULL && (session->ended || session->past.answer == NULL))
        session = session->next;
    return session == NULL && core->tickets.first == NULL;
}

void gz_core_end_all(struct gz_core *core, const struct gz_bye *bye, struct gz_now now)
{
    struct gz_message message = {.op = GZ_OP_BYE, .bye = *bye};
    char reason[GZ_ERROR_BYTES_MAX];
    if (!bye->fatal) message.has |= GZ_HAS_BYE_RETRY_S;
    if (bye->scene.size > 0) message.has |= GZ_HAS_BYE_SCENE;
    snprintf(reason, sizeof reason, "%.*s", (int)bye->reason.size, bye->reason.bytes);
    gz_core_enter(core, now);
    gz_core_finish_work(core);
    for (struct gz_session *session = core->sessions; session != NULL; session = session->next) {
        if (!gz_core_puts_off(core, gz_session_count_held(session)))
            gz_interaction_finish_all(session);
    }
    for (struct gz_session *session = core->sessions; session != NULL; session = session->next) {
        message.has &= ~(unsigned)GZ_HAS_BYE_URL;
        if (bye->url.size > 0 && !session->is_relayed) message.has |= GZ_HAS_BYE_URL;
        gz_session_send(session, &message);
        gz_session_end(session, reason);
    }
}
