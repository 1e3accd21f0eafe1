/* weigh.c - counts the nodes that each message names or meets. See weigh.h. */
#include "session/weigh.h"

#include "scene/undo.h"
#include "session/interaction.h"
#include "session/session.h"
#include "session/who.h"

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

size_t gz_weigh_turning(const struct gz_session *session)
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
                                .own = gz_weigh_turning(session)};
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

bool gz_weigh_are_named_there(const struct gz_session *session, const struct gz_message *message)
{
    switch (message->op) {
    case GZ_OP_SELECT: return are_there(session, message->select.nodes);
    case GZ_OP_GRAB: return are_there(session, message->pointer.nodes);
    case GZ_OP_SET: return are_set_there(session, &message->set);
    case GZ_OP_CREATE: return are_parents_there(session, &message->create);
    case GZ_OP_DELETE: return are_there(session, message->remove);
    default: return true;
    }
}
