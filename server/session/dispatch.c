#include <math.h>
#include <string.h>

#include "server/maxima.h"
#include "session/session.h"

typedef enum gz_status handle_message(struct gz_session *session, const struct gz_message *message,
                                      struct gz_failure *failure);

static enum gz_status handle_ping(struct gz_session *session, const struct gz_message *message,
                                  struct gz_failure *failure)
{
    (void)failure;
    gz_session_ok(session, message, 0, NULL);
    return GZ_OK;
}

static enum gz_status handle_second_hello(struct gz_session *session,
                                          const struct gz_message *message,
                                          struct gz_failure *failure)
{
    (void)session;
    (void)message;
    return gz_fail(&failure->error, GZ_BAD_STATE, "hello: this connection said it already");
}

/* The wire on one page: who may say it, who answers it, whether it ends a wheel that is still
 * turning, and whether it edits at once: then it is not looked at while too much waits for the
 * disk. */
static const struct {
    handle_message *handle;
    enum gz_role role;
    bool closes_wheel, edits;
} table[GZ_OP_CLIENT_COUNT] = {
    [GZ_OP_HELLO] = {handle_second_hello, GZ_ROLE_VIEWER, false, false},
    [GZ_OP_CAMERA] = {gz_on_camera, GZ_ROLE_VIEWER, false, false},
    [GZ_OP_TOOL] = {gz_on_tool, GZ_ROLE_VIEWER, true, false},
    [GZ_OP_SELECT] = {gz_on_select, GZ_ROLE_VIEWER, true, false},
    [GZ_OP_POINTER] = {gz_on_pointer, GZ_ROLE_VIEWER, false, false},
    [GZ_OP_GRAB] = {gz_on_grab, GZ_ROLE_EDITOR, true, false},
    [GZ_OP_WHEEL] = {gz_on_wheel, GZ_ROLE_VIEWER, false, false},
    [GZ_OP_SET] = {gz_on_set, GZ_ROLE_EDITOR, true, true},
    [GZ_OP_CREATE] = {gz_on_create, GZ_ROLE_EDITOR, true, true},
    [GZ_OP_DELETE] = {gz_on_delete, GZ_ROLE_EDITOR, true, true},
    [GZ_OP_PICK] = {gz_on_pick, GZ_ROLE_VIEWER, false, false},
    [GZ_OP_UNDO] = {gz_on_undo, GZ_ROLE_EDITOR, true, true},
    [GZ_OP_REDO] = {gz_on_redo, GZ_ROLE_EDITOR, true, true},
    [GZ_OP_HISTORY] = {gz_on_history, GZ_ROLE_VIEWER, false, false},
    [GZ_OP_AT] = {gz_on_at, GZ_ROLE_VIEWER, false, false},
    [GZ_OP_RESTORE] = {gz_on_restore, GZ_ROLE_EDITOR, true, true},
    [GZ_OP_PATH] = {gz_on_path, GZ_ROLE_VIEWER, false, false},
    [GZ_OP_REVERT] = {gz_on_revert, GZ_ROLE_EDITOR, true, true},
    [GZ_OP_CHECKPOINT] = {gz_on_checkpoint, GZ_ROLE_EDITOR, false, true},
    [GZ_OP_CHECKPOINTS] = {gz_on_checkpoints, GZ_ROLE_VIEWER, false, false},
    [GZ_OP_NOTE] = {gz_on_note, GZ_ROLE_EDITOR, false, true},
    [GZ_OP_INTEREST] = {gz_on_interest, GZ_ROLE_VIEWER, false, false},
    [GZ_OP_PING] = {handle_ping, GZ_ROLE_VIEWER, false, false},
};

struct gz_edit_request gz_edit_request(struct gz_session *session, const struct gz_message *message,
                                       enum gz_edit_kind kind, char key[GZ_KEY_BYTES_MAX + 1])
{
    struct gz_edit_request request = {.session = session, .user = session->user, .kind = kind};
    request.has_rid = (message->has & GZ_HAS(RID)) != 0;
    request.rid = message->rid;
    if (message->has & GZ_HAS(KEY)) {
        memcpy(key, message->key.bytes, message->key.size);
        key[message->key.size] = '\0';
        request.key = key;
    }
    return request;
}

/* ---- the rate ---- */

/* A bucket of one second's messages that fills as time goes. */
static bool take_token(struct gz_session *session)
{
    const struct gz_core *core = session->core;
    double now = core->now.mono_s;
    session->tokens += (now - session->tokens_s) * core->messages_per_s;
    session->tokens = fmin(session->tokens, core->messages_per_s);
    session->tokens_s = now;
    if (session->tokens < 1) return false;
    session->tokens -= 1;
    return true;
}

/* The bucket may be left in debt: what was begun is done, and what comes next waits. */
void gz_session_charge(struct gz_session *session, double messages)
{
    session->tokens -= messages;
}

/* Dropped; said once a second, which it returns; who goes on for ten seconds without a pause of one
 * is ended. */
static bool refuse_rate(struct gz_session *session)
{
    double now = session->core->now.mono_s;
    if (now - session->over_last_s > 1) session->over_since_s = now;
    session->over_last_s = now;
    bool fatal = now - session->over_since_s > GZ_RATE_SECONDS_MAX;
    if (!fatal && now - session->over_said_s < 1) return false;
    session->over_said_s = now;
    struct gz_failure failure = {.node = 0};
    gz_fail(&failure.error, GZ_RATE_LIMITED,
            "more than %.0f messages a second: the rest is dropped", session->core->messages_per_s);
    gz_session_refuse(session, false, 0, &failure, fatal);
    return true;
}

/* ---- a frame ---- */

static enum gz_status handle(struct gz_session *session, const struct gz_message *message,
                             struct gz_failure *failure)
{
    if (session->role < table[message->op].role)
        return gz_fail(&failure->error, GZ_FORBIDDEN, "%s: a %s may not", gz_op_word(message->op),
                       gz_vocabulary_word(&gz_role_words, session->role));
    if (session->core->frozen[0] != '\0' && message->op != GZ_OP_PING)
        return gz_fail(&failure->error, GZ_BAD_STATE, "%s", session->core->frozen);
    enum gz_status status =
        table[message->op].edits ? gz_core_check_room(session->core, failure) : GZ_OK;
    if (status != GZ_OK) return status;
    if (table[message->op].closes_wheel && session->gesture.kind == GZ_GESTURE_WHEEL)
        gz_gesture_complete(session, NULL);
    return table[message->op].handle(session, message, failure);
}

bool gz_core_receive(struct gz_core *core, struct gz_session *session, const uint8_t *bytes,
                     size_t size, struct gz_now now)
{
    gz_core_enter(core, now);
    size_t offset = 0;
    bool is_looked_at = false;
    gz_arena_reset(&core->decoded, gz_decode_bytes_max(size));
    while (offset < size && !session->ended) {
        /* What is over the rate costs no decoding; the rest of the frame is over it as well. */
        if (!take_token(session)) return refuse_rate(session) || is_looked_at;
        is_looked_at = true;
        struct gz_arena_mark mark = gz_arena_mark(&core->scratch);
        struct gz_message message;
        struct gz_failure failure = {.node = 0};
        enum gz_status status = gz_decode(GZ_FROM_CLIENT, bytes, size, &offset, &core->decoded,
                                          &message, &failure.error);
        if (status == GZ_OK) status = handle(session, &message, &failure);
        gz_session_pay_groups(session);
        if (status != GZ_OK)
            gz_session_refuse(session, (message.has & GZ_HAS(RID)) != 0, message.rid, &failure,
                              false);
        gz_arena_go_back(&core->scratch, mark);
    }
    return is_looked_at;
}
