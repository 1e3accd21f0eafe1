/* weigh.c - the price of each message as it is known before it is handled. See weigh.h. */
#include "session/weigh.h"

#include <math.h>

#include "session/session.h"

static double named(size_t count)
{
    return gz_work_messages(GZ_WORK_LOOK, count);
}

static double culled(const struct gz_session *session)
{
    return 1 + gz_work_messages(GZ_WORK_CULL, gz_scene_count(session->core->scene));
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

/* A press looks for the node under it. Motion is done when it can be afforded, and an end always.
 */
double gz_weigh_pointer(const struct gz_session *session, const struct gz_message *message)
{
    return message->pointer.phase == GZ_PHASE_DOWN ? culled(session) : 0;
}

/* A value is tried on all nodes that are held, and moves them. */
double gz_weigh_grab(const struct gz_session *session, const struct gz_message *message)
{
    size_t said = message->pointer.nodes.count, selected = session->selection.count;
    size_t held = session->gesture.count;
    if (session->gesture.interaction == NULL) held = said > 0 ? said : selected;
    bool is_typed = (message->has & GZ_HAS_POINTER_VALUE) != 0;
    return named(selected + said) + (is_typed ? 2 * gz_work_messages(GZ_WORK_MOVE, held) : 0);
}

double gz_weigh_pick(const struct gz_session *session, const struct gz_message *message)
{
    bool is_heard = (message->has & GZ_HAS_RID) != 0; /* else nothing is done */
    return is_heard ? culled(session) : 0;
}

double gz_weigh_interest(const struct gz_session *session, const struct gz_message *message)
{
    return named(gz_scene_count(session->core->scene) + message->interest.nodes.count);
}

double gz_weigh_set(const struct gz_session *session, const struct gz_message *message)
{
    (void)session;
    return named(message->set.count);
}

double gz_weigh_create(const struct gz_session *session, const struct gz_message *message)
{
    (void)session;
    return named(message->create.count);
}

/* What goes along is not known yet. */
double gz_weigh_delete(const struct gz_session *session, const struct gz_message *message)
{
    double price = named(message->remove.count);
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
