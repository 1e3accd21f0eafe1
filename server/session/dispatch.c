/* dispatch.c - decodes the frames of a client, checks rights, rate and state, and calls the
 * handlers. */
#include "session/dispatch.h"

#include <math.h>

#include "server/maxima.h"
#include "session/answers.h"
#include "session/bulk.h"
#include "session/handlers.h"
#include "session/interaction.h"
#include "session/pending.h"
#include "session/session.h"
#include "session/weigh.h"
#include "session/work.h"

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
    return gz_fail(&failure->error, GZ_BAD_STATE,
                   "hello: this connection has sent hello already; open another one");
}

/* The wire on one page. For each message: its handler; the lowest role that may send it; whether it
 * completes a running wheel; whether it edits at once, and is therefore refused while too many
 * entries wait for the disk; its price before it is handled; and how many nodes it edits or begins
 * to hold (NULL: none). */
static const struct {
    gz_handler *handle;
    enum gz_role role;
    bool closes_wheel, edits;
    gz_weigher *weigh;
    gz_bulk_counter *count;
} table[GZ_OP_CLIENT_COUNT] = {
    [GZ_OP_HELLO] = {handle_second_hello, GZ_ROLE_VIEWER, false, false, gz_weigh_nothing, NULL},
    [GZ_OP_CAMERA] = {gz_on_camera, GZ_ROLE_VIEWER, false, false, gz_weigh_nothing, NULL},
    [GZ_OP_TOOL] = {gz_on_tool, GZ_ROLE_VIEWER, true, false, gz_weigh_nothing, NULL},
    [GZ_OP_SELECT] = {gz_on_select, GZ_ROLE_VIEWER, true, false, gz_weigh_select,
                      gz_bulk_of_select},
    [GZ_OP_POINTER] = {gz_on_pointer, GZ_ROLE_VIEWER, false, false, gz_weigh_pointer,
                       gz_bulk_of_pointer},
    [GZ_OP_GRAB] = {gz_on_grab, GZ_ROLE_EDITOR, true, false, gz_weigh_grab, gz_bulk_of_grab},
    [GZ_OP_WHEEL] = {gz_on_wheel, GZ_ROLE_VIEWER, false, false, gz_weigh_wheel, gz_bulk_of_notch},
    [GZ_OP_SET] = {gz_on_set, GZ_ROLE_EDITOR, true, true, gz_weigh_set, gz_bulk_of_set},
    [GZ_OP_CREATE] = {gz_on_create, GZ_ROLE_EDITOR, true, true, gz_weigh_create, gz_bulk_of_create},
    [GZ_OP_DELETE] = {gz_on_delete, GZ_ROLE_EDITOR, true, true, gz_weigh_delete, gz_bulk_of_delete},
    [GZ_OP_PICK] = {gz_on_pick, GZ_ROLE_VIEWER, false, false, gz_weigh_pick, NULL},
    [GZ_OP_UNDO] = {gz_on_undo, GZ_ROLE_EDITOR, true, true, gz_weigh_something, gz_bulk_of_undo},
    [GZ_OP_REDO] = {gz_on_redo, GZ_ROLE_EDITOR, true, true, gz_weigh_something, gz_bulk_of_redo},
    [GZ_OP_HISTORY] = {gz_on_history, GZ_ROLE_VIEWER, false, false, gz_weigh_something, NULL},
    [GZ_OP_AT] = {gz_on_at, GZ_ROLE_VIEWER, false, false, gz_weigh_something, NULL},
    [GZ_OP_RESTORE] = {gz_on_restore, GZ_ROLE_EDITOR, true, true, gz_weigh_something, NULL},
    [GZ_OP_PATH] = {gz_on_path, GZ_ROLE_VIEWER, false, false, gz_weigh_something, NULL},
    [GZ_OP_REVERT] = {gz_on_revert, GZ_ROLE_EDITOR, true, true, gz_weigh_something,
                      gz_bulk_of_revert},
    [GZ_OP_CHECKPOINT] = {gz_on_checkpoint, GZ_ROLE_EDITOR, false, true, gz_weigh_nothing, NULL},
    [GZ_OP_CHECKPOINTS] = {gz_on_checkpoints, GZ_ROLE_VIEWER, false, false, gz_weigh_something,
                           NULL},
    [GZ_OP_NOTE] = {gz_on_note, GZ_ROLE_EDITOR, false, true, gz_weigh_nothing, NULL},
    [GZ_OP_TOKEN] = {gz_on_token, GZ_ROLE_VIEWER, false, false, gz_weigh_signature, NULL},
    [GZ_OP_ACCESS] = {gz_on_access, GZ_ROLE_ADMIN, false, true, gz_weigh_something, NULL},
    [GZ_OP_ACCESSES] = {gz_on_accesses, GZ_ROLE_ADMIN, false, false, gz_weigh_nothing, NULL},
    [GZ_OP_LINK] = {gz_on_link, GZ_ROLE_ADMIN, false, false, gz_weigh_signature, NULL},
    [GZ_OP_INTEREST] = {gz_on_interest, GZ_ROLE_VIEWER, false, false, gz_weigh_interest, NULL},
    [GZ_OP_WHO] = {gz_on_who, GZ_ROLE_VIEWER, false, false, gz_weigh_who, NULL},
    [GZ_OP_PING] = {handle_ping, GZ_ROLE_VIEWER, false, false, gz_weigh_nothing, NULL},
};

/* Sends an error that says over which rate messages were dropped. */
static void tell_of_dropped(struct gz_session *session, bool fatal)
{
    struct gz_failure failure = {.node = 0};
    if (session->dropped == GZ_OVER_OWN_RATE)
        gz_fail(&failure.error, GZ_RATE_LIMITED,
                "more than %.0f messages per second; the rest is dropped", session->rate.per_s);
    else
        gz_fail(&failure.error, GZ_RATE_LIMITED,
                "more than %.0f messages per second from all sessions of your user or address in "
                "this scene; the rest is dropped",
                session->share->messages.per_s);
    session->dropped = GZ_TAKEN;
    gz_session_refuse(session, false, 0, &failure, fatal);
}

/* Drops a message that is over a rate, and returns whether the session was sent an error or ended.
 * A shared rate ends no session, because others may have used it up. */
static bool drop(struct gz_session *session, enum gz_taken over)
{
    double now_s = session->core->clock.now.mono_s;
    enum gz_excess excess = GZ_EXCESS_DROP;
    session->dropped = over;
    if (over == GZ_OVER_OWN_RATE)
        excess = gz_rate_exceed(&session->rate, now_s);
    else if (gz_rate_warns(&session->rate, now_s))
        excess = GZ_EXCESS_WARN;
    if (excess != GZ_EXCESS_DROP) tell_of_dropped(session, excess == GZ_EXCESS_END);
    return excess != GZ_EXCESS_DROP;
}

double gz_session_tells_of_dropped_s(const struct gz_session *session)
{
    return session->dropped != GZ_TAKEN ? gz_rate_warns_s(&session->rate) : INFINITY;
}

void gz_session_tell_of_dropped(struct gz_session *session)
{
    if (session->dropped != GZ_TAKEN &&
        gz_rate_warns(&session->rate, session->core->clock.now.mono_s))
        tell_of_dropped(session, false);
}

/* ---- a frame ---- */

static enum gz_status refuse_role(const struct gz_session *session, enum gz_op op,
                                  struct gz_failure *failure)
{
    const char *read_only = session->core->read_only;
    if (read_only[0] != '\0')
        return gz_fail(&failure->error, GZ_FORBIDDEN, "%s: %s", gz_op_word(op), read_only);
    return gz_fail(&failure->error, GZ_FORBIDDEN, "%s: not allowed for the role %s", gz_op_word(op),
                   gz_vocabulary_word(&gz_role_words, session->role));
}

/* Whether others see the effect of such a message. A camera does not count, because viewers that
 * only watch have one. */
static bool is_seen(enum gz_op op)
{
    return op == GZ_OP_POINTER || op == GZ_OP_SELECT || op == GZ_OP_GRAB || op == GZ_OP_WHEEL ||
           (table[op].edits && op != GZ_OP_ACCESS);
}

/* Takes the bytes that are known before the message is handled; each changed node takes more. */
static enum gz_status spend(struct gz_session *session, const struct gz_message *message,
                            struct gz_failure *failure)
{
    uint64_t bytes = GZ_FILE_BYTES_PER_EDIT;
    if (message->op == GZ_OP_NOTE) bytes += message->note.text.size;
    return gz_host_spend(&session->core->options.host, session->payer, bytes, &failure->error);
}

/* How many nodes the message concerns, with those of a wheel that it completes. */
static size_t count_concerned(const struct gz_session *session, const struct gz_message *message)
{
    gz_bulk_counter *count = table[message->op].count;
    return (count != NULL ? count(session, message) : 0) +
           (table[message->op].closes_wheel ? gz_bulk_of_wheel(session) : 0);
}

/* Whether the message asks for something that the disk is to have, or ends a gesture that is an
 * edit then. */
static bool asks_disk(const struct gz_session *session, const struct gz_message *message)
{
    const bool is_pointer = message->op == GZ_OP_POINTER;
    const bool is_press = is_pointer && message->pointer.phase == GZ_PHASE_DOWN;
    if (is_pointer && message->pointer.phase == GZ_PHASE_UP) return session->gesture.count > 0;
    return table[message->op].edits ||
           ((table[message->op].closes_wheel || is_press) && gz_bulk_of_wheel(session) > 0);
}

static enum gz_status handle(struct gz_session *session, const struct gz_message *message,
                             struct gz_failure *failure)
{
    if (session->role < table[message->op].role) return refuse_role(session, message->op, failure);
    if (session->core->frozen[0] != '\0' && message->op != GZ_OP_PING)
        return gz_fail(&failure->error, GZ_BAD_STATE, "%s", session->core->frozen);
    double price = table[message->op].weigh(session, message);
    if (!gz_budget_affords(session, price, GZ_HASTE_ASKED))
        return gz_budget_refuse(session, message, failure);
    session->awaits_disk = gz_budget_awaits_disk(session) && asks_disk(session, message);
    if (session->awaits_disk) return GZ_OK;
    session->is_put_off = gz_core_puts_off(session->core, count_concerned(session, message));
    if (session->is_put_off) return GZ_OK;
    gz_budget_pay(session, price);
    enum gz_status status = table[message->op].edits
                                ? gz_journal_check_room(&session->core->journal, &failure->error)
                                : GZ_OK;
    if (status == GZ_OK && table[message->op].edits) status = spend(session, message, failure);
    if (status != GZ_OK) return status;
    if (table[message->op].closes_wheel) gz_interaction_give_way(session);
    status = table[message->op].handle(session, message, failure);
    if (status == GZ_OK && is_seen(message->op))
        gz_sync_act(session->core->sync, &session->presence);
    const bool waits =
        status != GZ_OK && table[message->op].edits &&
        gz_session_refuse_stored(session, (message->has & GZ_HAS_RID) != 0, message->rid, failure);
    return waits ? GZ_OK : status;
}

/* Handles one message, or leaves it in place if it is put off or awaits the disk. */
static void read_message(struct gz_session *session, const uint8_t *bytes, size_t size,
                         size_t *offset)
{
    struct gz_core *core = session->core;
    struct gz_arena_mark mark = gz_arena_mark(&core->scratch);
    struct gz_message message;
    struct gz_failure failure = {.node = 0};
    const size_t begin = *offset;
    enum gz_status status =
        gz_decode(GZ_FROM_CLIENT, bytes, size, offset, &core->decoded, &message, &failure.error);
    if (status == GZ_OK && *offset - begin > GZ_MESSAGE_BYTES_SMALL)
        status = gz_host_room(&core->options.host, *offset - begin, &failure.error);
    if (status == GZ_OK) status = handle(session, &message, &failure);
    if (status != GZ_OK)
        gz_session_refuse(session, (message.has & GZ_HAS_RID) != 0, message.rid, &failure, false);
    if (session->is_put_off || session->awaits_disk) *offset = begin;
    gz_arena_go_back(&core->scratch, mark);
}

/* Reading a large frame takes its part of the turn's slice. */
static void take_from_slice(struct gz_core *core, size_t bytes)
{
    const size_t cost = 1 + bytes / GZ_SLICE_BYTES_PER_NODE;
    core->slice -= cost < core->slice ? cost : core->slice;
}

static bool may_read(const struct gz_session *session, size_t frame_size)
{
    return !session->ended && !gz_session_is_busy(session) &&
           (session->core->slice > 0 || frame_size < GZ_FRAME_BYTES_LARGE);
}

/* A large message is not even decoded on the loop. What is left of its frame stands for its size,
 * which is not known before. */
static bool puts_off_reading(struct gz_core *core, size_t bytes)
{
    return gz_core_puts_off(core, bytes / GZ_BULK_BYTES_PER_NODE);
}

bool gz_session_read_frame(struct gz_session *session, const uint8_t *bytes, size_t size,
                           size_t *offset)
{
    bool is_looked_at = false;
    gz_arena_reset(&session->core->decoded, gz_decode_bytes_max(size));
    while (*offset < size && may_read(session, size)) {
        /* A message over the rate is not decoded, so the rest of the frame is lost with it. */
        enum gz_taken taken = gz_budget_take(session, *offset == 0 ? size : 0);
        if (taken != GZ_TAKEN) {
            *offset = size;
            return drop(session, taken) || is_looked_at;
        }
        const size_t begin = *offset;
        is_looked_at = true;
        session->is_put_off = puts_off_reading(session->core, size - begin);
        if (session->is_put_off) break;
        read_message(session, bytes, size, offset);
        if (size >= GZ_FRAME_BYTES_LARGE) take_from_slice(session->core, *offset - begin);
    }
    return is_looked_at;
}

/* Drops the first frame of the inbox if all its messages are done. */
static void drop_if_done(struct gz_inbox *inbox)
{
    if (inbox->first->offset >= inbox->first->size) gz_inbox_drop(inbox);
}

/* Handles the first message of the inbox, which was left in place, and is not charged again. */
static void read_again(struct gz_session *session)
{
    struct gz_inbox_frame *frame = session->inbox.first;
    session->awaits_disk = false;
    session->is_put_off = puts_off_reading(session->core, frame->size - frame->offset);
    if (session->is_put_off) return;
    gz_arena_reset(&session->core->decoded, gz_decode_bytes_max(frame->size));
    read_message(session, frame->bytes, frame->size, &frame->offset);
}

static void read_first(struct gz_session *session)
{
    struct gz_inbox_frame *frame = session->inbox.first;
    if (session->awaits_disk)
        read_again(session);
    else
        (void)gz_session_read_frame(session, frame->bytes, frame->size, &frame->offset);
}

void gz_session_read_inbox(struct gz_session *session)
{
    struct gz_inbox *inbox = &session->inbox;
    while (inbox->first != NULL && may_read(session, inbox->first->size)) {
        read_first(session);
        drop_if_done(inbox);
    }
}

void gz_session_read_put_off(struct gz_session *session)
{
    const bool is_wanted = session->is_put_off && !session->ended;
    session->is_put_off = false;
    if (!is_wanted) return;
    read_again(session);
    struct gz_inbox_frame *frame = session->inbox.first;
    (void)gz_session_read_frame(session, frame->bytes, frame->size, &frame->offset);
    drop_if_done(&session->inbox);
}
