/* weigh.c - the price of each message before it is handled. See weigh.h. */
#include "session/weigh.h"

#include <math.h>

#include "session/interaction.h"
#include "session/session.h"
#include "session/who.h"

static double named(size_t count)
{
    return gz_work_messages(GZ_WORK_LOOK, count);
}

static double culled(const struct gz_session *session)
{
    return 1 + gz_work_messages(GZ_WORK_CULL, gz_scene_count(session->core->scene));
}

/* Whether an edit of so many nodes costs a message or more. */
static bool is_large_edit(size_t nodes)
{
    return nodes >= GZ_NODES_EDITED_PER_MESSAGE;
}

static double edited(size_t nodes)
{
    return is_large_edit(nodes) ? fmax(1, named(nodes)) : named(nodes);
}

static bool is_group(const struct gz_session *session, uint64_t id)
{
    const struct gz_node *node = gz_scene_find(session->core->scene, id);
    return node != NULL && !node->has_bounds && node->first_child != NULL;
}

/* Whether a gesture on these nodes may cost more than a message: it ends in an edit of them, and
 * may look at all nodes below them. */
static bool is_large_hold(const struct gz_session *session, enum gz_handle handle,
                          struct gz_ids ids)
{
    if (is_large_edit(ids.count) || !gz_groups_matter(&session->tool, handle))
        return is_large_edit(ids.count);
    size_t i = 0;
    while (i < ids.count && !is_group(session, ids.ids[i])) i++;
    return i < ids.count;
}

static struct gz_ids selected(const struct gz_session *session)
{
    return (struct gz_ids){session->selection.ids, session->selection.count};
}

double gz_weigh_nothing(const struct gz_session *session, const struct gz_message *message)
{
    (void)session, (void)message;
    return 0;
}

double gz_weigh_something(const struct gz_session *session, const struct gz_message *message)
{
    (void)session, (void)message;
    return 1;
}

double gz_weigh_select(const struct gz_session *session, const struct gz_message *message)
{
    return named(session->selection.count + message->select.nodes.count);
}

/* A press looks for the node under it. Motion waits until it can be afforded, and an `up` is always
 * done. */
double gz_weigh_pointer(const struct gz_session *session, const struct gz_message *message)
{
    return message->pointer.phase == GZ_PHASE_DOWN ? culled(session) : 0;
}

/* A value typed in a drag is checked for all held nodes, and moves them. */
static double weigh_grab_in_drag(const struct gz_session *session, const struct gz_message *message)
{
    bool is_typed = (message->has & GZ_HAS_POINTER_VALUE) != 0;
    return named(message->pointer.nodes.count) +
           (is_typed ? 2 * gz_work_messages(GZ_WORK_MOVE, session->gesture.count) : 0);
}

/* A grab selects the nodes that it names, and holds the selection. */
double gz_weigh_grab(const struct gz_session *session, const struct gz_message *message)
{
    const struct gz_interaction *runs = session->gesture.interaction;
    const struct gz_pointer_message *said = &message->pointer;
    bool selects = (message->has & GZ_HAS_POINTER_NODES) != 0;
    bool is_typed = (message->has & GZ_HAS_POINTER_VALUE) != 0;
    if (runs != NULL && !runs->gives_way) return weigh_grab_in_drag(session, message);
    struct gz_ids ids = selects ? said->nodes : selected(session);
    double price = (selects ? named(session->selection.count + ids.count) : 0) +
                   (is_typed ? 2 * gz_work_messages(GZ_WORK_MOVE, ids.count) : 0);
    return is_large_hold(session, said->handle, ids) ? fmax(1, price) : price;
}

/* The first notch holds the selection. Later notches and the end only move and edit its nodes, like
 * those of a drag, whose end is not refused either. */
double gz_weigh_wheel(const struct gz_session *session, const struct gz_message *message)
{
    (void)message;
    bool holds = session->gesture.interaction == NULL && session->tool.mode != GZ_MODE_ORBIT;
    return holds && is_large_hold(session, GZ_HANDLE_NONE, selected(session)) ? 1 : 0;
}

double gz_weigh_pick(const struct gz_session *session, const struct gz_message *message)
{
    bool is_heard = (message->has & GZ_HAS_RID) != 0; /* without a rid nothing is done */
    return is_heard ? culled(session) : 0;
}

double gz_weigh_interest(const struct gz_session *session, const struct gz_message *message)
{
    return named(gz_scene_count(session->core->scene) + message->interest.nodes.count);
}

double gz_weigh_set(const struct gz_session *session, const struct gz_message *message)
{
    (void)session;
    return edited(message->set.count);
}

double gz_weigh_create(const struct gz_session *session, const struct gz_message *message)
{
    (void)session;
    return edited(message->create.count);
}

/* How many nodes below are deleted too is not known yet. */
double gz_weigh_delete(const struct gz_session *session, const struct gz_message *message)
{
    double price = edited(message->remove.count);
    for (size_t i = 0; i < message->remove.count && price < 1; i++) {
        const struct gz_node *node = gz_scene_find(session->core->scene, message->remove.ids[i]);
        if (node != NULL && node->first_child != NULL) price = 1;
    }
    return price;
}

double gz_weigh_signature(const struct gz_session *session, const struct gz_message *message)
{
    const struct gz_core_host *host = &session->core->options.host;
    bool is_done = message->op == GZ_OP_TOKEN ? host->verify != NULL : host->sign != NULL;
    return is_done ? gz_work_messages(GZ_WORK_SIGNATURE, 1) : 0;
}

double gz_weigh_who(const struct gz_session *session, const struct gz_message *message)
{
    const double told = fmin((double)gz_who_limit(message), (double)session->core->roster.count);
    return gz_work_messages(GZ_WORK_MOVE, (size_t)told);
}
