/* core_promises.c - checks the promises by going through the whole core. See core_promises.h. */
#include "support/core_promises.h"

#include "core/session.h"
#include "feed/state.h"
#include "scene/tree.h"
#include "support/cmocka.h"

static const struct gz_edit_record *stored_edit(const struct host *host, uint64_t id)
{
    for (size_t i = 0; i < host->store.edit_count; i++) {
        if (host->store.edits[i].id == id) return &host->store.edits[i];
    }
    return NULL;
}

bool promises_has_note(const struct host *host, uint64_t id)
{
    for (size_t i = 0; i < host->store.note_count; i++) {
        if (host->store.notes[i].id == id) return true;
    }
    return false;
}

void promises_check_stored(const struct host *host, const struct gz_message *message)
{
    const bool is_ok = message->op == GZ_OP_OK;
    const bool is_edit_ok = is_ok && (message->has & GZ_HAS_OK_EDIT) != 0;
    if (message->op == GZ_OP_NOTES) {
        for (size_t i = 0; i < message->notes.count; i++)
            assert_true(promises_has_note(host, message->notes.notes[i].id));
    }
    if (is_ok && (message->has & GZ_HAS_OK_NOTE) != 0)
        assert_true(promises_has_note(host, message->ok.note));
    if (!is_edit_ok && message->op != GZ_OP_EDIT) return;
    const struct gz_edit_record *edit =
        stored_edit(host, is_edit_ok ? message->ok.edit : message->edit.id);
    assert_non_null(edit);
    assert_int_equal(edit->seq, is_edit_ok ? message->ok.seq : message->edit.seq);
}

static bool runs_on(const struct gz_session *session, const struct gz_node *node)
{
    const struct gz_gesture *gesture = &session->gesture;
    while (gesture != NULL && gesture->number != node->grip) gesture = gesture->next;
    for (size_t i = 0; gesture != NULL && i < gesture->count; i++) {
        if (gesture->ids[i] == node->id) return true;
    }
    return false;
}

static void check_held(const struct gz_core *core, const struct gz_session *session,
                       const struct gz_gesture *gesture)
{
    for (size_t i = 0; i < gesture->count; i++) {
        const struct gz_node *held = gz_scene_find(core->scene, gesture->ids[i]);
        assert_true(held != NULL &&
                    gz_grip_has((struct gz_grip){session->id, gesture->number}, held));
    }
}

void promises_check_holders(const struct gz_core *core)
{
    const struct gz_node *node = NULL;
    while ((node = gz_scene_walk_all(core->scene, node)) != NULL) {
        if (node->holder == 0) continue;
        const struct gz_session *holder = gz_core_session(core, node->holder);
        assert_true(holder != NULL && runs_on(holder, node));
    }
    for (const struct gz_session *session = core->sessions; session != NULL;
         session = session->next)
        for (const struct gz_gesture *gesture = &session->gesture; gesture != NULL;
             gesture = gesture->next)
            check_held(core, session, gesture);
}

static void check_node(const struct gz_node *node)
{
    size_t depth = 0;
    for (const struct gz_node *at = node; at != NULL; at = at->parent)
        assert_true(++depth <= GZ_TREE_DEPTH_MAX && !at->gone);
    for (const struct gz_node *child = node->first_child; child != NULL; child = child->next)
        assert_ptr_equal(child->parent, node);
    assert_true(gz_trs_finite(&node->trs));
}

void promises_check_tree(const struct gz_core *core)
{
    size_t count = 0;
    const struct gz_node *node = NULL;
    while ((node = gz_scene_walk_all(core->scene, node)) != NULL) {
        check_node(node);
        assert_ptr_equal(gz_scene_find(core->scene, node->id), node);
        count++;
    }
    assert_int_equal(count, gz_scene_count(core->scene));
    uint64_t seq = 0;
    for (node = core->scene->oldest; node != NULL; node = node->newer) {
        assert_true(node->seq > seq);
        seq = node->seq;
    }
    assert_true(seq <= gz_scene_seq(core->scene));
}

/* A viewer knows the people who act, and itself. */
static size_t count_known(const struct gz_core *core, const struct client *client)
{
    size_t count = 0;
    for (const struct gz_session *session = core->sessions; session != NULL;
         session = session->next)
        count += session->id == client->id || gz_feed_acts(&session->presence);
    return count;
}

/* By a drag and by holds. */
static size_t count_held(const struct gz_session *session)
{
    size_t count = 0;
    const struct gz_gesture *gesture = &session->gesture;
    for (; gesture != NULL; gesture = gesture->next) count += gesture->count;
    return count;
}

void promises_check_presence(const struct client *client)
{
    const struct gz_core *core = client->host->core;
    assert_int_equal(client->present_count, count_known(core, client));
    assert_int_equal(client->here, core->roster.count);
    for (size_t i = 0; i < client->present_count; i++) {
        const struct gz_session *session = gz_core_session(core, client->present[i].session);
        assert_non_null(session);
        assert_int_equal(client->present[i].locked, count_held(session));
        assert_int_equal(client->present[i].selected, session->selection.count);
    }
}
