/* dispatch.c - the protocol on one page: whose each message is and what it costs, and the way of a
 * frame to it. */
#include "core/dispatch.h"

#include <math.h>

#include "core/answers.h"
#include "core/bulk.h"
#include "core/hold.h"
#include "core/interaction.h"
#include "core/pending.h"
#include "core/session.h"
#include "core/setup.h"
#include "core/work.h"
#include "proto/json.h"
#include "scene/undo.h"
#include "server/maxima.h"

/* ---- what a message costs ---- */

/* Counts the nodes that each message names or meets. */

#define NODES_BELOW_PER_NODE 10

static struct gz_ids selected(const struct gz_session *session)
{
    return (struct gz_ids){session->selection.ids, session->selection.count};
}

/* All boxes of the scene are compared. */
static size_t culled(const struct gz_session *session)
{
    return GZ_NODES_PER_MESSAGE + gz_scene_count(session->core->scene) / GZ_BOXES_PER_NODE;
}

/* Up to how many nodes are counted: those of a session in debt until they are too many. */
static size_t most_counted(const struct gz_session *session)
{
    const bool has_debt = gz_budget_affords_s(session, GZ_NODES_PER_MESSAGE, GZ_HASTE_ASKED) >
                          session->core->clock.now.mono_s;
    return has_debt ? GZ_NODES_PER_MESSAGE / GZ_PRICE_EDITED : GZ_NODES_AT_ONCE;
}

/* How many nodes a gesture by this handle holds. It may look at all nodes below a group. */
static size_t count_held(const struct gz_session *session, enum gz_handle handle, struct gz_ids ids)
{
    if (!gz_groups_matter(&session->tool, handle)) return ids.count;
    const size_t most = NODES_BELOW_PER_NODE * (most_counted(session) + 1),
                 below = gz_groups_weigh(session->core->scene, ids, most) / NODES_BELOW_PER_NODE;
    return below > ids.count ? below : ids.count;
}

/* The same for a gesture that takes hold of what is selected. */
static size_t count_selected(const struct gz_session *session)
{
    const bool holds = session->role >= GZ_ROLE_EDITOR && session->tool.mode != GZ_MODE_ORBIT;
    return holds ? count_held(session, GZ_HANDLE_NONE, selected(session)) : 0;
}

/* So many nodes may cost more than a message once they are edited. */
static struct gz_load load_of(size_t price, size_t held)
{
    const bool is_large = held * GZ_PRICE_EDITED >= GZ_NODES_PER_MESSAGE;
    return (struct gz_load){.price = is_large && price < GZ_NODES_PER_MESSAGE ? GZ_NODES_PER_MESSAGE
                                                                              : price,
                            .held = held};
}

/* How many nodes the wheel holds that turns; 0 if none does. */
static size_t count_turning(const struct gz_session *session)
{
    const struct gz_interaction *interaction = session->gesture.interaction;
    return interaction != NULL && interaction->gives_way ? session->gesture.count : 0;
}

struct gz_load gz_weigh_something(const struct gz_session *session,
                                  const struct gz_message *message)
{
    (void)session, (void)message;
    return (struct gz_load){.price = GZ_NODES_PER_MESSAGE};
}

/* Both lists are sorted. */
struct gz_load gz_weigh_select(const struct gz_session *session, const struct gz_message *message)
{
    const size_t count = session->selection.count + message->select.nodes.count;
    return (struct gz_load){.price = count, .held = count / 10};
}

/* A press looks for the node under it, and may begin a drag of the selection. Motion waits until it
 * can be afforded, and an end is always done. */
struct gz_load gz_weigh_pointer(const struct gz_session *session, const struct gz_message *message)
{
    switch (message->pointer.phase) {
    case GZ_PHASE_UP:
    case GZ_PHASE_CANCEL: return (struct gz_load){.own = session->gesture.count};
    case GZ_PHASE_DOWN:
        return (struct gz_load){.price = culled(session),
                                .held = count_selected(session),
                                .own = count_turning(session)};
    default: return (struct gz_load){0};
    }
}

/* A grab selects the nodes that it names, and holds the selection; in a drag it types a value. A
 * value is checked for each node, and moves it. */
struct gz_load gz_weigh_grab(const struct gz_session *session, const struct gz_message *message)
{
    const struct gz_interaction *runs = session->gesture.interaction;
    const struct gz_ids named = message->pointer.nodes;
    const bool selects = (message->has & GZ_HAS_POINTER_NODES) != 0;
    const size_t typed =
        (message->has & GZ_HAS_POINTER_VALUE) != 0 ? 2 * GZ_PRICE_MOVED : 0; /* for each node */
    const size_t held = session->gesture.count;
    if (runs != NULL && !runs->gives_way)
        return (struct gz_load){.price = named.count + typed * held, .held = typed > 0 ? held : 0};
    const struct gz_ids ids = selects ? named : selected(session);
    return load_of((selects ? session->selection.count + ids.count : 0) + typed * ids.count,
                   count_held(session, message->pointer.handle, ids));
}

/* The first notch takes hold of the selection. Later notches and the end only move and edit its
 * nodes, like those of a drag. */
struct gz_load gz_weigh_wheel(const struct gz_session *session, const struct gz_message *message)
{
    (void)message;
    return load_of(0, session->gesture.interaction == NULL ? count_selected(session) : 0);
}

/* Without a rid nothing is done. */
struct gz_load gz_weigh_pick(const struct gz_session *session, const struct gz_message *message)
{
    const bool is_heard = (message->has & GZ_HAS_RID) != 0;
    return (struct gz_load){.price = is_heard ? culled(session) : 0};
}

struct gz_load gz_weigh_interest(const struct gz_session *session, const struct gz_message *message)
{
    return (struct gz_load){.price = gz_scene_count(session->core->scene) +
                                     message->interest.nodes.count};
}

/* Poses are charged by what they move, and wait if they cannot be afforded. */
struct gz_load gz_weigh_hold(const struct gz_session *session, const struct gz_message *message)
{
    (void)session;
    const size_t count = message->hold.nodes.count;
    return load_of(GZ_PRICE_MOVED * count, count);
}

struct gz_load gz_weigh_release(const struct gz_session *session, const struct gz_message *message)
{
    const struct gz_gesture *hold = gz_session_hold(session, message->pose.hold);
    return (struct gz_load){.own = hold != NULL ? hold->count : 0};
}

struct gz_load gz_weigh_set(const struct gz_session *session, const struct gz_message *message)
{
    (void)session;
    return load_of(message->set.count, message->set.count);
}

struct gz_load gz_weigh_create(const struct gz_session *session, const struct gz_message *message)
{
    (void)session;
    return load_of(message->create.count, message->create.count);
}

/* A node below another node of the list is counted twice. */
struct gz_load gz_weigh_delete(const struct gz_session *session, const struct gz_message *message)
{
    const struct gz_scene *scene = session->core->scene;
    const size_t most = most_counted(session);
    size_t count = 0;
    for (size_t i = 0; i < message->remove.count && count <= most; i++) {
        const struct gz_node *top = gz_scene_find(scene, message->remove.ids[i]), *at = top;
        count += top == NULL;
        for (; at != NULL && count <= most; at = gz_scene_walk(top, at)) count++;
    }
    return load_of(message->remove.count, count);
}

/* What becomes of the nodes since is looked at as well. */
static struct gz_load weigh_changes(const struct gz_session *session,
                                    const struct gz_edit_record *edit)
{
    const struct gz_undo_log *log = session->core->undo;
    return (struct gz_load){.price = GZ_NODES_PER_MESSAGE,
                            .held = edit != NULL ? gz_undo_last(log, edit)->change_count : 0};
}

struct gz_load gz_weigh_undo(const struct gz_session *session, const struct gz_message *message)
{
    (void)message;
    return weigh_changes(session, gz_undo_next(session->core->undo, session->user));
}

struct gz_load gz_weigh_redo(const struct gz_session *session, const struct gz_message *message)
{
    (void)message;
    return weigh_changes(session, gz_redo_next(session->core->undo, session->user));
}

/* An edit that only the file knows is counted when the file has answered. */
struct gz_load gz_weigh_revert(const struct gz_session *session, const struct gz_message *message)
{
    return weigh_changes(session, gz_undo_find(session->core->undo, message->revert.edit));
}

struct gz_load gz_weigh_signature(const struct gz_session *session,
                                  const struct gz_message *message)
{
    const struct gz_core_host *host = &session->core->options.host;
    const bool is_done = message->op == GZ_OP_TOKEN ? host->verify != NULL : host->sign != NULL;
    return (struct gz_load){.price = is_done ? GZ_PRICE_SIGNATURE : 0};
}

struct gz_load gz_weigh_who(const struct gz_session *session, const struct gz_message *message)
{
    const uint64_t limit = gz_who_limit(message), count = session->core->roster.count;
    return (struct gz_load){.price = GZ_PRICE_MOVED * (limit < count ? limit : count)};
}

/* ---- whether the nodes are there ---- */

static bool is_there(const struct gz_session *session, uint64_t id)
{
    return gz_scene_find(session->core->scene, id) != NULL;
}

/* Unlike a node, a parent may be 0, the root. */
static bool is_parent(const struct gz_session *session, uint64_t id)
{
    return id == 0 || is_there(session, id);
}

static bool are_there(const struct gz_session *session, struct gz_ids ids)
{
    size_t i = 0;
    while (i < ids.count && is_there(session, ids.ids[i])) i++;
    return i == ids.count;
}

static bool are_set_there(const struct gz_session *session, const struct gz_set *set)
{
    size_t i = 0;
    while (i < set->count && is_there(session, set->nodes[i].id) &&
           is_parent(session, set->nodes[i].parent))
        i++;
    return i == set->count;
}

static bool are_parents_there(const struct gz_session *session, const struct gz_create *create)
{
    size_t i = 0;
    while (i < create->count && is_parent(session, create->nodes[i].parent) &&
           is_parent(session, create->nodes[i].copy))
        i++;
    return i == create->count;
}

/* Whether all nodes that an edit, a selection or a grab names are there. If not, it is refused,
 * which takes no longer than this look. */
static bool are_named_there(const struct gz_session *session, const struct gz_message *message)
{
    switch (message->op) {
    case GZ_OP_SELECT: return are_there(session, message->select.nodes);
    case GZ_OP_GRAB: return are_there(session, message->pointer.nodes);
    case GZ_OP_HOLD: return are_there(session, message->hold.nodes);
    case GZ_OP_SET: return are_set_there(session, &message->set);
    case GZ_OP_CREATE: return are_parents_there(session, &message->create);
    case GZ_OP_DELETE: return are_there(session, message->remove);
    default: return true;
    }
}

/* ---- dispatch ---- */

/* Decodes the frames of a client, checks rights, rate and state, and calls the
 * handlers. */

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
 * entries wait for the disk; and the nodes that it names or meets (NULL: few). */
static const struct row {
    gz_handler *handle;
    enum gz_role role;
    bool closes_wheel, edits;
    gz_weigher *weigh;
} table[GZ_OP_CLIENT_COUNT] = {
    [GZ_OP_HELLO] = {handle_second_hello, GZ_ROLE_VIEWER, false, false, NULL},
    [GZ_OP_CAMERA] = {gz_on_camera, GZ_ROLE_VIEWER, false, false, NULL},
    [GZ_OP_TOOL] = {gz_on_tool, GZ_ROLE_VIEWER, true, false, NULL},
    [GZ_OP_SELECT] = {gz_on_select, GZ_ROLE_VIEWER, true, false, gz_weigh_select},
    [GZ_OP_POINTER] = {gz_on_pointer, GZ_ROLE_VIEWER, false, false, gz_weigh_pointer},
    [GZ_OP_GRAB] = {gz_on_grab, GZ_ROLE_EDITOR, true, false, gz_weigh_grab},
    [GZ_OP_WHEEL] = {gz_on_wheel, GZ_ROLE_VIEWER, false, false, gz_weigh_wheel},
    [GZ_OP_HOLD] = {gz_on_hold, GZ_ROLE_EDITOR, true, false, gz_weigh_hold},
    [GZ_OP_POSE] = {gz_on_pose, GZ_ROLE_EDITOR, false, false, NULL},
    [GZ_OP_RELEASE] = {gz_on_release, GZ_ROLE_EDITOR, false, false, gz_weigh_release},
    [GZ_OP_CANCEL] = {gz_on_cancel, GZ_ROLE_EDITOR, false, false, gz_weigh_release},
    [GZ_OP_SET] = {gz_on_set, GZ_ROLE_EDITOR, true, true, gz_weigh_set},
    [GZ_OP_CREATE] = {gz_on_create, GZ_ROLE_EDITOR, true, true, gz_weigh_create},
    [GZ_OP_DELETE] = {gz_on_delete, GZ_ROLE_EDITOR, true, true, gz_weigh_delete},
    [GZ_OP_PICK] = {gz_on_pick, GZ_ROLE_VIEWER, false, false, gz_weigh_pick},
    [GZ_OP_UNDO] = {gz_on_undo, GZ_ROLE_EDITOR, true, true, gz_weigh_undo},
    [GZ_OP_REDO] = {gz_on_redo, GZ_ROLE_EDITOR, true, true, gz_weigh_redo},
    [GZ_OP_HISTORY] = {gz_on_question, GZ_ROLE_VIEWER, false, false, gz_weigh_something},
    [GZ_OP_AT] = {gz_on_question, GZ_ROLE_VIEWER, false, false, gz_weigh_something},
    [GZ_OP_RESTORE] = {gz_on_restore, GZ_ROLE_EDITOR, true, true, gz_weigh_something},
    [GZ_OP_PATH] = {gz_on_question, GZ_ROLE_VIEWER, false, false, gz_weigh_something},
    [GZ_OP_REVERT] = {gz_on_revert, GZ_ROLE_EDITOR, true, true, gz_weigh_revert},
    [GZ_OP_CHECKPOINT] = {gz_on_checkpoint, GZ_ROLE_EDITOR, false, true, NULL},
    [GZ_OP_CHECKPOINTS] = {gz_on_checkpoints, GZ_ROLE_VIEWER, false, false, gz_weigh_something},
    [GZ_OP_NOTE] = {gz_on_note, GZ_ROLE_EDITOR, false, true, NULL},
    [GZ_OP_TOKEN] = {gz_on_token, GZ_ROLE_VIEWER, false, false, gz_weigh_signature},
    [GZ_OP_ACCESS] = {gz_on_access, GZ_ROLE_ADMIN, false, true, gz_weigh_something},
    [GZ_OP_ACCESSES] = {gz_on_accesses, GZ_ROLE_ADMIN, false, false, NULL},
    [GZ_OP_LINK] = {gz_on_link, GZ_ROLE_ADMIN, false, false, gz_weigh_signature},
    [GZ_OP_INTEREST] = {gz_on_interest, GZ_ROLE_VIEWER, false, false, gz_weigh_interest},
    [GZ_OP_WHO] = {gz_on_who, GZ_ROLE_VIEWER, false, false, gz_weigh_who},
    [GZ_OP_PING] = {handle_ping, GZ_ROLE_VIEWER, false, false, NULL},
};

bool gz_dispatch_edits(enum gz_op op)
{
    return op < GZ_OP_CLIENT_COUNT && table[op].edits;
}

/* ---- a message over the rate ---- */

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

/* ---- the gates ---- */

static enum gz_status check_role(const struct gz_session *session, enum gz_op op,
                                 struct gz_failure *failure)
{
    const char *read_only = session->core->read_only, *frozen = session->core->frozen;
    if (session->role < table[op].role && read_only[0] != '\0')
        return gz_fail(&failure->error, GZ_FORBIDDEN, "%s: %s", gz_op_word(op), read_only);
    if (session->role < table[op].role)
        return gz_fail(&failure->error, GZ_FORBIDDEN, "%s: not allowed for the role %s",
                       gz_op_word(op), gz_vocabulary_word(&gz_role_words, session->role));
    if (frozen[0] != '\0' && op != GZ_OP_PING)
        return gz_fail(&failure->error, GZ_BAD_STATE, "%s", frozen);
    return GZ_OK;
}

static struct gz_load weigh(const struct gz_session *session, const struct gz_message *message)
{
    const struct row *row = &table[message->op];
    struct gz_load load = {0};
    if (row->weigh != NULL) load = row->weigh(session, message);
    if (row->closes_wheel) load.own += count_turning(session);
    return load;
}

/* Whether the message is to wait for the payer's earlier edits: it asks for something that the disk
 * is to have, or ends a gesture that is an edit then. */
static bool has_to_await_disk(const struct gz_session *session, const struct gz_message *message,
                              const struct gz_load *load)
{
    const bool is_cancel =
        message->op == GZ_OP_CANCEL ||
        (message->op == GZ_OP_POINTER && message->pointer.phase == GZ_PHASE_CANCEL);
    return gz_budget_awaits_disk(session) &&
           (table[message->op].edits || (load->own > 0 && !is_cancel));
}

/* An edit of nodes that are not there is refused here, which takes no longer than this look. */
static bool has_to_await_worker(const struct gz_session *session, const struct gz_message *message,
                                const struct gz_load *load)
{
    struct gz_core *core = session->core;
    if (load->held + load->own <= core->nodes_at_once) return false;
    const bool is_possible = are_named_there(session, message);
    return gz_core_puts_off(core, load->own + (is_possible ? load->held : 0));
}

/* Takes room for an edit: among those that wait for the disk, and for the bytes that are known
 * beforehand; each changed node takes more. */
static enum gz_status take_room(const struct gz_session *session, const struct gz_message *message,
                                struct gz_failure *failure)
{
    const struct gz_core *core = session->core;
    const uint64_t text_bytes = message->op == GZ_OP_NOTE ? message->note.text.size : 0;
    enum gz_status status = gz_journal_check_room(&core->journal, &failure->error);
    if (status != GZ_OK) return status;
    return gz_host_spend(&core->options.host, session->payer, GZ_FILE_BYTES_PER_EDIT + text_bytes,
                         &failure->error);
}

/* Whether others see the effect of such a message. A camera does not count, because viewers that
 * only watch have one. */
static bool is_seen(enum gz_op op)
{
    return op == GZ_OP_POINTER || op == GZ_OP_SELECT || op == GZ_OP_GRAB || op == GZ_OP_WHEEL ||
           op == GZ_OP_HOLD || (table[op].edits && op != GZ_OP_ACCESS);
}

/* Leaves the message in place, for the inbox. */
static bool leave(struct gz_session *session, enum gz_awaited awaits, size_t *offset, size_t begin)
{
    session->awaits = awaits;
    *offset = begin;
    return false;
}

/* Reading a large frame takes its part of the turn's slice. */
static void take_from_slice(struct gz_core *core, size_t bytes)
{
    const size_t cost = 1 + bytes / GZ_SLICE_BYTES_PER_NODE;
    core->slice -= cost < core->slice ? cost : core->slice;
}

/* ---- the path of a message ---- */

/* The path of a message from its bytes, at `*offset` of a frame, to its handler. It waits for its
 * turn; is dropped with the rest of the frame, because it is over a rate; is refused in words; is
 * left in place, to be tried again without another charge; or is handled. Whether the frame's next
 * message is to be read; sets `*is_looked_at` unless the message waits, or was dropped silently. */
static bool read_message(struct gz_session *session, const uint8_t *bytes, size_t size,
                         size_t *offset, bool *is_looked_at)
{
    struct gz_core *core = session->core;
    const size_t begin = *offset;
    const bool is_large = size >= GZ_FRAME_BYTES_LARGE;
    struct gz_message message;
    struct gz_failure failure = {.node = 0};
    struct gz_load load;

    if (session->ended || gz_session_is_busy(session)) return false;
    if (is_large && core->slice == 0) return false;

    /* It is not even decoded if it is over a rate, or if it is long: that takes a worker. What is
     * left of the frame stands for its size, which is not known yet. */
    const bool is_charged = session->awaits != GZ_AWAITS_NOTHING;
    const enum gz_taken taken =
        is_charged ? GZ_TAKEN : gz_budget_take(session, begin == 0 ? size : 0);
    session->awaits = GZ_AWAITS_NOTHING;
    if (taken != GZ_TAKEN) {
        *offset = size;
        *is_looked_at |= drop(session, taken);
        return false;
    }
    *is_looked_at = true;
    if (gz_core_puts_off(core, (size - begin) / GZ_BULK_BYTES_PER_NODE))
        return leave(session, GZ_AWAITS_WORKER, offset, begin);

    struct gz_arena_mark mark = gz_arena_mark(&core->scratch);
    enum gz_status status = (session->is_json ? gz_decode_json : gz_decode)(
        GZ_FROM_CLIENT, bytes, size, offset, &core->decoded, &message, &failure.error);
    const size_t read = *offset - begin;
    const struct row *row = status == GZ_OK ? &table[message.op] : NULL;
    bool waits = false; /* its answer: for an edit that is not stored yet */
    if (status == GZ_OK && read > GZ_MESSAGE_BYTES_SMALL)
        status = gz_host_room(&core->options.host, read, &failure.error);
    if (status == GZ_OK) status = check_role(session, message.op, &failure);
    if (status == GZ_OK) {
        load = weigh(session, &message);
        if (!gz_budget_affords(session, load.price, GZ_HASTE_ASKED))
            status = gz_budget_refuse(session, &message, &failure);
        else if (has_to_await_disk(session, &message, &load))
            return leave(session, GZ_AWAITS_DISK, offset, begin);
        else if (has_to_await_worker(session, &message, &load))
            return leave(session, GZ_AWAITS_WORKER, offset, begin);
    }
    if (status == GZ_OK) {
        gz_budget_charge(session, load.price);
        if (row->edits) status = take_room(session, &message, &failure);
    }
    if (status == GZ_OK) {
        if (row->closes_wheel) gz_interaction_give_way(session);
        status = row->handle(session, &message, &failure);
        if (status == GZ_OK && is_seen(message.op)) gz_feed_act(core->feed, &session->presence);
        waits = status != GZ_OK && row->edits &&
                gz_session_refuse_stored(session, (message.has & GZ_HAS_RID) != 0, message.rid,
                                         &failure);
    }
    if (status != GZ_OK && !waits)
        gz_session_refuse(session, (message.has & GZ_HAS_RID) != 0, message.rid, &failure, false);
    gz_arena_go_back(&core->scratch, mark);
    if (is_large) take_from_slice(core, read);
    return true;
}

bool gz_session_read_frame(struct gz_session *session, const uint8_t *bytes, size_t size,
                           size_t *offset)
{
    bool goes_on = true, is_looked_at = false;
    gz_arena_reset(&session->core->decoded, gz_decode_bytes_max(size));
    while (goes_on && *offset < size)
        goes_on = read_message(session, bytes, size, offset, &is_looked_at);
    return is_looked_at;
}

/* ---- the inbox ---- */

/* Reads on in the first frame of the inbox; whether all its messages are done. */
static bool read_first(struct gz_session *session)
{
    struct gz_inbox_frame *frame = session->inbox.first;
    (void)gz_session_read_frame(session, frame->bytes, frame->size, &frame->offset);
    if (frame->offset < frame->size) return false;
    gz_inbox_drop(&session->inbox);
    return true;
}

void gz_session_read_inbox(struct gz_session *session)
{
    bool goes_on = true;
    while (goes_on && session->inbox.first != NULL) goes_on = read_first(session);
}

void gz_session_read_put_off(struct gz_session *session)
{
    if (session->awaits != GZ_AWAITS_WORKER) return;
    session->awaits = GZ_AWAITS_TURN;
    if (!session->ended) (void)read_first(session);
}
