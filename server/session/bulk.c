/* bulk.c - counts the nodes of work that may be put off. See bulk.h. */
#include "session/bulk.h"

#include "scene/undo.h"
#include "session/interaction.h"
#include "session/session.h"

bool gz_core_puts_off(struct gz_core *core, size_t nodes)
{
    if (nodes <= core->nodes_at_once) return false;
    core->bulk = GZ_BULK_WORK;
    return true;
}

bool gz_core_puts_off_batch(struct gz_core *core, size_t nodes)
{
    if (nodes <= core->nodes_at_once) return false;
    if (core->bulk == GZ_BULK_NONE) core->bulk = GZ_BULK_BATCH;
    return true;
}

size_t gz_core_put_nothing_off(struct gz_core *core)
{
    const size_t usual = core->nodes_at_once;
    core->nodes_at_once = SIZE_MAX;
    return usual;
}

/* ---- counting ---- */

/* A message that names a node that is not there counts as nothing: the loop refuses it, because
 * that takes no longer than this look. */
static bool is_there(const struct gz_session *session, uint64_t id)
{
    return gz_scene_find(session->core->scene, id) != NULL;
}

static bool are_there(const struct gz_session *session, struct gz_ids ids)
{
    size_t i = 0;
    while (i < ids.count && is_there(session, ids.ids[i])) i++;
    return i == ids.count;
}

/* Unlike a node, a parent may be 0, the root. */
static bool is_parent(const struct gz_session *session, uint64_t id)
{
    return id == 0 || is_there(session, id);
}

size_t gz_bulk_of_wheel(const struct gz_session *session)
{
    const struct gz_interaction *interaction = session->gesture.interaction;
    return interaction != NULL && interaction->gives_way ? session->gesture.count : 0;
}

/* Counts the ids of both lists, because all of them are sorted. */
size_t gz_bulk_of_select(const struct gz_session *session, const struct gz_message *message)
{
    const struct gz_ids named = message->select.nodes;
    return are_there(session, named) ? (session->selection.count + named.count) / 10 : 0;
}

/* How many nodes a gesture by this handle would hold. Ten nodes that are looked at below a group,
 * for its box, count as one. */
static size_t count_held(const struct gz_session *session, enum gz_handle handle, struct gz_ids ids)
{
    enum { PART = 10, MOST = PART * (GZ_NODES_AT_ONCE + 1) };
    const bool are_walked = gz_groups_matter(&session->tool, handle);
    const size_t below = are_walked ? gz_groups_weigh(session->core->scene, ids, MOST) / PART : 0;
    return below > ids.count ? below : ids.count;
}

/* The same for a gesture on the selection. */
static size_t count_selected(const struct gz_session *session)
{
    const bool holds = session->role >= GZ_ROLE_EDITOR && session->tool.mode != GZ_MODE_ORBIT;
    const struct gz_ids ids = {session->selection.ids, session->selection.count};
    return holds ? count_held(session, GZ_HANDLE_NONE, ids) : 0;
}

/* An `up` ends a drag; a press may begin a drag of the selection. */
size_t gz_bulk_of_pointer(const struct gz_session *session, const struct gz_message *message)
{
    switch (message->pointer.phase) {
    case GZ_PHASE_UP:
    case GZ_PHASE_CANCEL: return session->gesture.count;
    case GZ_PHASE_DOWN: return gz_bulk_of_wheel(session) + count_selected(session);
    default: return 0;
    }
}

/* A value typed in a drag moves all its nodes. */
size_t gz_bulk_of_grab(const struct gz_session *session, const struct gz_message *message)
{
    const struct gz_interaction *runs = session->gesture.interaction;
    const bool is_typed = (message->has & GZ_HAS_POINTER_VALUE) != 0;
    if (runs != NULL && !runs->gives_way) return is_typed ? session->gesture.count : 0;
    const bool selects = (message->has & GZ_HAS_POINTER_NODES) != 0;
    const struct gz_ids selected = {session->selection.ids, session->selection.count};
    if (selects && !are_there(session, message->pointer.nodes)) return 0;
    return count_held(session, message->pointer.handle,
                      selects ? message->pointer.nodes : selected);
}

/* Only the first notch takes hold of the selection. */
size_t gz_bulk_of_notch(const struct gz_session *session, const struct gz_message *message)
{
    (void)message;
    return session->gesture.interaction == NULL ? count_selected(session) : 0;
}

size_t gz_bulk_of_set(const struct gz_session *session, const struct gz_message *message)
{
    const struct gz_set *set = &message->set;
    size_t i = 0;
    while (i < set->count && is_there(session, set->nodes[i].id) &&
           is_parent(session, set->nodes[i].parent))
        i++;
    return i == set->count ? i : 0;
}

size_t gz_bulk_of_create(const struct gz_session *session, const struct gz_message *message)
{
    const struct gz_create *create = &message->create;
    size_t i = 0;
    while (i < create->count && is_parent(session, create->nodes[i].parent) &&
           is_parent(session, create->nodes[i].copy))
        i++;
    return i == create->count ? i : 0;
}

/* A node below another node of the list is counted twice. */
size_t gz_bulk_of_delete(const struct gz_session *session, const struct gz_message *message)
{
    const struct gz_core *core = session->core;
    size_t count = 0;
    if (!are_there(session, message->remove)) return 0;
    for (size_t i = 0; i < message->remove.count && count <= core->nodes_at_once; i++) {
        const struct gz_node *top = gz_scene_find(core->scene, message->remove.ids[i]), *at = top;
        for (; at != NULL && count <= core->nodes_at_once; at = gz_scene_walk(top, at)) count++;
    }
    return count;
}

static size_t changes_of(const struct gz_core *core, const struct gz_edit_record *edit)
{
    return edit != NULL ? gz_undo_last(core->undo, edit)->change_count : 0;
}

size_t gz_bulk_of_undo(const struct gz_session *session, const struct gz_message *message)
{
    (void)message;
    return changes_of(session->core, gz_undo_next(session->core->undo, session->user));
}

size_t gz_bulk_of_redo(const struct gz_session *session, const struct gz_message *message)
{
    (void)message;
    return changes_of(session->core, gz_redo_next(session->core->undo, session->user));
}

/* An edit that only the file knows is counted when the file has answered. */
size_t gz_bulk_of_revert(const struct gz_session *session, const struct gz_message *message)
{
    return changes_of(session->core, gz_undo_find(session->core->undo, message->revert.edit));
}
