/* undo.c - undo, redo and revert: each reverses an edit, and is an edit itself. Undo and redo are
 * about the user's own last edit, revert about any edit.
 *
 * The scene may have changed since. If another user changed the same nodes, or the edit cannot be
 * reversed any more, the request is refused, and the error names the user and the edit in the way.
 * With `force` the edit is reversed as far as possible:
 * - parts that only others changed stay as they are, and nodes that others deleted stay deleted;
 * - nodes that others put below a deleted node are deleted too;
 * - a node whose old parent is deleted, or is now below the node, keeps its present parent; if the
 *   node itself was deleted, it becomes a root. */
#include <stdlib.h>
#include <string.h>

#include "core/answers.h"
#include "core/describe.h"
#include "core/history.h"
#include "core/pending.h"
#include "core/session.h"
#include "proto/limits.h"
#include "scene/ids.h"
#include "scene/undo.h"

/* The index of the change of a node. */
struct place {
    uint64_t node;
    size_t at;
};

struct undo {
    struct gz_session *session;
    struct gz_core *core;
    const char *word;   /* undo, redo, revert */
    const char *beside; /* the user whose later edits are no conflict; NULL: all edits are */
    const struct gz_edit_record *last;  /* the edit to reverse */
    bool is_old;                        /* the undo log does not have `last`; then: */
    const struct gz_edit_record *later; /* the latest known edit that touched its nodes, or NULL */
    bool force;
    struct gz_change *changes; /* the changes to make */
    size_t count;
    struct place *places; /* sorted by node */
    struct gz_failure *failure;
};

static enum gz_status no_memory(const struct undo *undo)
{
    return gz_fail(&undo->failure->error, GZ_NO_MEMORY, "no memory for this %s", undo->word);
}

/* ---- edits in the way ---- */

static const char *const deeds[GZ_EDIT_KIND_COUNT] = {
    [GZ_EDIT_TRANSLATE] = "moved",
    [GZ_EDIT_ROTATE] = "rotated",
    [GZ_EDIT_SCALE] = "scaled",
    [GZ_EDIT_BALL] = "rotated",
    [GZ_EDIT_WHEEL] = "scaled",
    [GZ_EDIT_SET] = "changed",
    [GZ_EDIT_CREATE] = "made",
    [GZ_EDIT_DELETE] = "deleted",
    [GZ_EDIT_UNDO] = "undid an edit of",
    [GZ_EDIT_REDO] = "redid an edit of",
    [GZ_EDIT_RESTORE] = "restored",
    [GZ_EDIT_IMPORT] = "replaced",
    [GZ_EDIT_POSE] = "posed",
};

/* The name of the node in the edit; NULL if it is not known. The node may be deleted. */
static const char *name_in(const struct gz_edit_record *edit, uint64_t node)
{
    for (size_t i = 0; edit->changes != NULL && i < edit->change_count; i++) {
        const struct gz_change *change = &edit->changes[i];
        if (change->node == node) return change->exists ? change->after.name : change->before.name;
    }
    return NULL;
}

/* "Bob moved node 12 (piston) since (edit 41)" */
static void describe(const struct undo *undo, const struct gz_edit_record *later, uint64_t node,
                     size_t more, char *text, size_t size)
{
    char label[GZ_LABEL_BYTES], others[32] = "";
    gz_node_label(undo->core->scene, node, name_in(later, node), label);
    if (more > 0) gz_print(others, sizeof others, " and %zu more", more);
    gz_print(text, size, "%s %s %s%s since (edit %llu)", later->user, deeds[later->kind], label,
             others, (unsigned long long)later->id);
}

static bool is_as_left(const struct undo *undo)
{
    for (size_t i = 0; i < undo->count; i++) {
        if (!gz_change_fits(undo->core->scene, &undo->changes[i])) return false;
    }
    return true;
}

/* The conflicting edit of an edit that is older than the undo log. */
static const struct gz_edit_record *find_old_conflict(const struct undo *undo)
{
    for (size_t i = 0; i < undo->count; i++) {
        const struct gz_change *change = &undo->changes[i];
        if (gz_change_fits(undo->core->scene, change)) continue;
        const struct gz_edit_record *later =
            gz_undo_toucher(undo->core->undo, undo->last, undo->beside, change->node);
        if (later != NULL) return later;
    }
    return undo->later;
}

/* Edits of others that were undone are no conflict if they left everything as it was. */
static const struct gz_edit_record *find_conflict(const struct undo *undo)
{
    const struct gz_undo_log *log = undo->core->undo;
    if (undo->is_old) return is_as_left(undo) ? NULL : find_old_conflict(undo);
    const struct gz_edit_record *later =
        gz_undo_conflict(log, undo->last, undo->beside, GZ_UNDO_STANDING, NULL);
    if (later != NULL || is_as_left(undo)) return later;
    return gz_undo_conflict(log, undo->last, undo->beside, GZ_UNDO_ALL, NULL);
}

/* The nodes that an edit changed, ascending; NULL without memory. */
static uint64_t *nodes_of(const struct undo *undo, const struct gz_edit_record *edit, size_t *count)
{
    struct gz_arena *arena = &undo->core->scratch;
    const struct gz_undo_log *log = undo->core->undo;
    uint64_t *ids = gz_arena_take(arena, edit->change_count, sizeof *ids);
    if (ids == NULL) return NULL;
    *count = edit->change_count;
    if (gz_undo_find(log, edit->id) != NULL) {
        *count = gz_undo_nodes(log, edit->id, ids);
        return ids;
    }
    for (size_t i = 0; i < *count; i++) ids[i] = gz_edit_node(edit, i);
    return gz_sorted_ids(arena, ids, *count);
}

/* The nodes that both edits changed, ascending; NULL without memory. */
static const uint64_t *find_shared(const struct undo *undo, const struct gz_edit_record *later,
                                   size_t *count)
{
    size_t own_count, later_count;
    uint64_t *own = nodes_of(undo, undo->last, &own_count);
    const uint64_t *others = nodes_of(undo, later, &later_count);
    if (own == NULL || others == NULL) return NULL;
    *count = 0;
    for (size_t i = 0; i < own_count; i++) {
        if (gz_has_id(others, later_count, own[i])) own[(*count)++] = own[i];
    }
    return own;
}

static enum gz_status check_conflict(const struct undo *undo)
{
    const struct gz_edit_record *later = find_conflict(undo);
    if (later == NULL) return GZ_OK;
    size_t count;
    const uint64_t *ids = find_shared(undo, later, &count);
    if (ids == NULL) return no_memory(undo);
    char deed[GZ_ERROR_BYTES_MAX];
    describe(undo, later, ids[0], count - 1, deed, sizeof deed);
    undo->failure->nodes = ids;
    undo->failure->node_count = count;
    return gz_fail(&undo->failure->error, GZ_CONFLICT, "%s: %s", undo->word, deed);
}

/* ---- the changes to make ---- */

/* Makes `before` the present content, because the history records real changes. Leaves out nodes
 * that others deleted. */
static void bring_up_to_date(struct undo *undo)
{
    size_t kept = 0;
    for (size_t i = 0; i < undo->count; i++) {
        struct gz_change change = undo->changes[i];
        const struct gz_node *node = gz_scene_find(undo->core->scene, change.node);
        if (node == NULL && change.existed) continue;
        if (node != NULL && change.existed && change.exists) {
            gz_change_rebase(node, &change);
        } else if (node != NULL) {
            change.existed = true;
            gz_node_content(node, &change.before);
        }
        undo->changes[kept++] = change;
    }
    undo->count = kept;
}

struct deletion {
    size_t depth;
    struct gz_change change;
};

static int compare_depths(const void *a, const void *b)
{
    const struct deletion *x = a, *y = b;
    if (x->depth != y->depth) return x->depth > y->depth ? -1 : 1;
    return (x->change.node > y->change.node) - (x->change.node < y->change.node);
}

/* Puts deletions last, after other nodes have moved away, and children before their present
 * parents, which may differ from the order of creation. False without memory. */
static bool order_deletions(struct undo *undo)
{
    struct deletion *gone = gz_arena_take(&undo->core->scratch, undo->count, sizeof *gone);
    size_t kept = 0, gone_count = 0;
    if (gone == NULL) return false;
    for (size_t i = 0; i < undo->count; i++) {
        const struct gz_change *change = &undo->changes[i];
        if (change->exists) {
            undo->changes[kept++] = *change;
            continue;
        }
        struct deletion *deletion = &gone[gone_count++];
        *deletion = (struct deletion){.change = *change};
        const struct gz_node *at = gz_scene_find(undo->core->scene, change->node);
        for (; at != NULL; at = at->parent) deletion->depth++;
    }
    qsort(gone, gone_count, sizeof *gone, compare_depths);
    for (size_t i = 0; i < gone_count; i++) undo->changes[kept + i] = gone[i].change;
    return true;
}

static int compare_places(const void *a, const void *b)
{
    const struct place *x = a, *y = b;
    if (x->node != y->node) return x->node < y->node ? -1 : 1;
    return (x->at > y->at) - (x->at < y->at);
}

static bool find_places(struct undo *undo)
{
    undo->places = gz_arena_take(&undo->core->scratch, undo->count, sizeof *undo->places);
    if (undo->places == NULL) return false;
    for (size_t i = 0; i < undo->count; i++)
        undo->places[i] = (struct place){undo->changes[i].node, i};
    if (undo->count > 0) qsort(undo->places, undo->count, sizeof *undo->places, compare_places);
    return true;
}

/* The first change of the node; NULL if there is none. */
static const struct gz_change *change_of(const struct undo *undo, uint64_t node)
{
    size_t low = 0, high = undo->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (undo->places[middle].node < node)
            low = middle + 1;
        else
            high = middle;
    }
    bool is_there = low < undo->count && undo->places[low].node == node;
    return is_there ? &undo->changes[undo->places[low].at] : NULL;
}

/* ---- nodes below nodes that go ---- */

/* Counts the children of deleted nodes that have no change themselves, and writes their ids to
 * `ids` unless it is NULL. */
static size_t find_strays(const struct undo *undo, uint64_t *ids)
{
    size_t count = 0;
    for (size_t i = 0; i < undo->count; i++) {
        const struct gz_change *change = &undo->changes[i];
        if (!change->existed || change->exists) continue;
        const struct gz_node *child = gz_scene_find(undo->core->scene, change->node)->first_child;
        for (; child != NULL; child = child->next) {
            if (change_of(undo, child->id) != NULL) continue;
            if (ids != NULL) ids[count] = child->id;
            count++;
        }
    }
    return count;
}

static enum gz_status refuse_strays(const struct undo *undo, struct gz_ids strays)
{
    struct gz_core *core = undo->core;
    uint64_t first = strays.ids[0];
    char child[GZ_LABEL_BYTES], parent[GZ_LABEL_BYTES];
    gz_node_label(core->scene, first, NULL, child);
    gz_node_label(core->scene, gz_scene_find(core->scene, first)->parent->id, NULL, parent);
    const struct gz_edit_record *later =
        gz_undo_toucher(core->undo, undo->last, undo->beside, first);
    undo->failure->nodes = strays.ids;
    undo->failure->node_count = strays.count;
    if (later == NULL)
        return gz_fail(&undo->failure->error, GZ_CONFLICT, "%s: %s is below %s", undo->word, child,
                       parent);
    return gz_fail(&undo->failure->error, GZ_CONFLICT, "%s: %s put %s below %s (edit %llu)",
                   undo->word, later->user, child, parent, (unsigned long long)later->id);
}

enum fate { GOES_ALONG, GOES_ANYWAY, MOVES_AWAY, IS_IN_THE_WAY };

/* What happens to a node in the subtree of a stray. */
static enum fate fate_of(const struct undo *undo, uint64_t id)
{
    const struct gz_change *own = change_of(undo, id);
    if (own != NULL && !own->exists) return GOES_ANYWAY;
    for (const struct gz_node *at = gz_scene_find(undo->core->scene, id); at != NULL;
         at = at->parent) {
        const struct gz_change *change = change_of(undo, at->id);
        if (change == NULL) continue;
        if (!change->exists) return GOES_ALONG;
        return change->after.parent != change->before.parent ? MOVES_AWAY : IS_IN_THE_WAY;
    }
    return GOES_ALONG;
}

/* Adds the deletion of the strays and of all nodes below them, except those that move away. */
static enum gz_status take_strays_along(struct undo *undo, struct gz_ids strays)
{
    struct gz_core *core = undo->core;
    struct gz_change_list gone;
    size_t count = undo->count;
    enum gz_status status = gz_changes_delete(core->scene, &core->scratch, strays.ids, strays.count,
                                              &gone, undo->failure);
    if (status != GZ_OK) return status;
    gz_budget_charge(undo->session, gone.count);
    struct gz_change *all = gz_arena_take(&core->scratch, gone.count + count, sizeof *all);
    if (all == NULL) return no_memory(undo);
    memcpy(all, undo->changes, count * sizeof *all);
    for (size_t i = 0; i < gone.count; i++) {
        enum fate fate = fate_of(undo, gone.changes[i].node);
        if (fate == IS_IN_THE_WAY) return refuse_strays(undo, strays);
        if (fate == GOES_ALONG) all[count++] = gone.changes[i];
    }
    undo->changes = all;
    undo->count = count;
    return GZ_OK;
}

static enum gz_status settle_strays(struct undo *undo)
{
    size_t count = find_strays(undo, NULL);
    if (count == 0) return GZ_OK;
    uint64_t *ids = gz_arena_take(&undo->core->scratch, count, sizeof *ids);
    if (ids == NULL) return no_memory(undo);
    struct gz_ids strays = {ids, find_strays(undo, ids)};
    return undo->force ? take_strays_along(undo, strays) : refuse_strays(undo, strays);
}

/* ---- parents that are gone ---- */

/* Whether the parent in the change exists, or one of the changes creates it. */
static bool has_parent(const struct undo *undo, const struct gz_change *change)
{
    uint64_t parent = change->after.parent;
    return parent == 0 || gz_scene_find(undo->core->scene, parent) != NULL ||
           change_of(undo, parent) != NULL;
}

static void stay(struct gz_change *change)
{
    change->after.parent = change->existed ? change->before.parent : 0;
}

static enum gz_status check(const struct undo *undo, struct gz_failure *failure)
{
    return gz_scene_check(undo->core->scene, undo->changes, undo->count, undo->session->id,
                          failure);
}

static void settle_parents(struct undo *undo)
{
    for (size_t i = 0; i < undo->count; i++) {
        if (undo->changes[i].exists && !has_parent(undo, &undo->changes[i]))
            stay(&undo->changes[i]);
    }
    struct gz_failure loop = {.node = 0};
    if (check(undo, &loop) != GZ_BAD_VALUE) return;
    for (size_t i = 0; i < undo->count; i++) {
        if (undo->changes[i].existed && undo->changes[i].exists) stay(&undo->changes[i]);
    }
}

/* The edit that deleted the old parent, or that moved it below the node; NULL if it is not known
 * any more. *node becomes the node that this edit changed. */
static const struct gz_edit_record *find_culprit(const struct undo *undo, uint64_t *node)
{
    const struct gz_undo_log *log = undo->core->undo;
    const char *user = undo->beside;
    const struct gz_edit_record *later = gz_undo_toucher(log, undo->last, user, *node);
    const struct gz_node *above = NULL;
    for (size_t i = 0; i < undo->count; i++) {
        if (undo->changes[i].node == *node)
            above = gz_scene_find(undo->core->scene, undo->changes[i].after.parent);
    }
    const uint64_t moved = *node;
    for (; later == NULL && above != NULL && above->id != moved; above = above->parent) {
        *node = above->id;
        later = gz_undo_toucher(log, undo->last, user, above->id);
    }
    return later;
}

/* Fails if a parent is deleted or a node would be below itself, and names the later edit that
 * caused it. */
static enum gz_status check_places(struct undo *undo)
{
    enum gz_status status = check(undo, undo->failure);
    uint64_t node = undo->failure->node;
    const struct gz_node *there = gz_scene_find(undo->core->scene, node);
    bool is_own_drag = there != NULL && there->holder == undo->session->id;
    bool has_children = status == GZ_BAD_STATE && !is_own_drag;
    if (status != GZ_UNKNOWN_NODE && status != GZ_BAD_VALUE && !has_children) return status;
    struct gz_error why = undo->failure->error;
    char deed[GZ_ERROR_BYTES_MAX] = "the scene has changed since";
    const struct gz_edit_record *later = find_culprit(undo, &node);
    if (later != NULL) describe(undo, later, node, 0, deed, sizeof deed);
    return gz_fail(&undo->failure->error, GZ_CONFLICT, "%s: %s: %s", undo->word, deed, why.message);
}

/* ---- the whole ---- */

static enum gz_status prepare(struct undo *undo)
{
    undo->count = undo->last->change_count;
    gz_budget_charge(undo->session, undo->count);
    undo->changes = gz_changes_reverse(&undo->core->scratch, undo->last->changes, undo->count);
    if (undo->changes == NULL) return no_memory(undo);
    enum gz_status status = undo->force ? GZ_OK : check_conflict(undo);
    if (status != GZ_OK) return status;
    bring_up_to_date(undo);
    if (!find_places(undo)) return no_memory(undo);
    status = settle_strays(undo);
    if (status != GZ_OK) return status;
    if (!order_deletions(undo) || !find_places(undo)) return no_memory(undo);
    if (undo->force) settle_parents(undo);
    return check_places(undo);
}

static enum gz_status undo_last(struct gz_session *session, const struct gz_message *message,
                                enum gz_edit_kind kind, struct gz_failure *failure)
{
    struct gz_core *core = session->core;
    bool is_undo = kind == GZ_EDIT_UNDO;
    struct undo undo = {.session = session,
                        .core = core,
                        .word = is_undo ? "undo" : "redo",
                        .beside = session->user,
                        .force = message->force,
                        .failure = failure};
    if (gz_core_answer_key(session, message)) return GZ_OK;
    const struct gz_edit_record *past =
        is_undo ? gz_undo_next(core->undo, session->user) : gz_redo_next(core->undo, session->user);
    if (past == NULL)
        return gz_fail(&failure->error, GZ_BAD_STATE, "there is nothing to %s", undo.word);
    undo.last = gz_undo_last(core->undo, past);
    enum gz_status status = prepare(&undo);
    if (status != GZ_OK) return status;
    char key[GZ_KEY_BYTES_MAX + 1];
    struct gz_edit_request request = gz_edit_request(session, message, kind, key);
    request.target = past->id;
    return gz_core_edit(core, &request, undo.changes, undo.count, failure);
}

enum gz_status gz_on_undo(struct gz_session *session, const struct gz_message *message,
                          struct gz_failure *failure)
{
    return undo_last(session, message, GZ_EDIT_UNDO, failure);
}

enum gz_status gz_on_redo(struct gz_session *session, const struct gz_message *message,
                          struct gz_failure *failure)
{
    return undo_last(session, message, GZ_EDIT_REDO, failure);
}

/* ---- revert ---- */

/* Reverts any edit of any user. `undo` has what was done last about it. Unlike for an undo, later
 * edits of its own user are conflicts too. */
static enum gz_status revert(struct undo *undo, const struct gz_edit_record *target, bool is_undone,
                             struct gz_edit_request *request)
{
    const struct gz_session *session = undo->session;
    struct gz_error *error = &undo->failure->error;
    unsigned long long id = target->id;
    request->target = target->id;
    request->reverts = strcmp(target->user, session->user) != 0;
    if (request->reverts && session->role < GZ_ROLE_ADMIN)
        return gz_fail(error, GZ_FORBIDDEN, "edit: edit %llu is %s's: only an admin may revert it",
                       id, target->user);
    if (target->kind == GZ_EDIT_IMPORT)
        return gz_fail(error, GZ_BAD_STATE,
                       "edit: edit %llu is an import of the whole scene and cannot be reverted: "
                       "restore what was before it",
                       id);
    if (is_undone)
        return gz_fail(error, GZ_BAD_STATE,
                       "edit: edit %llu was reverted already, by %s (edit %llu)", id,
                       undo->last->user, (unsigned long long)undo->last->id);
    undo->word = "revert";
    enum gz_status status = prepare(undo);
    if (status != GZ_OK) return status;
    return gz_core_edit(undo->core, request, undo->changes, undo->count, undo->failure);
}

/* The file answered for the time of the question; later edits are in the undo log. */
static enum gz_status revert_old(struct gz_session *session, const struct gz_ticket *ticket,
                                 struct gz_answer *answer, struct gz_failure *failure)
{
    struct gz_core *core = session->core;
    const struct gz_edit_record *target = &answer->edits[0], *last = &answer->edits[1];
    struct gz_edit_request request = gz_ticket_request(session, ticket, GZ_EDIT_UNDO, target->id);
    struct undo undo = {
        .session = session, .core = core, .force = ticket->force, .failure = failure};
    bool is_undone = answer->undone;
    if (gz_core_answer_known(session, &request)) return GZ_OK;
    const struct gz_edit_record *newest = gz_undo_last(core->undo, last);
    if (newest == last) newest = gz_undo_last(core->undo, target);
    if (newest->seq > last->seq) {
        is_undone = gz_undo_is_undone(core->undo, target->id);
        last = newest;
    }
    undo.last = last;
    undo.is_old = gz_undo_find(core->undo, last->id) == NULL;
    undo.later = answer->edit_count > 2 ? &answer->edits[2] : NULL;
    return revert(&undo, target, is_undone, &request);
}

enum gz_status gz_on_revert(struct gz_session *session, const struct gz_message *message,
                            struct gz_failure *failure)
{
    struct gz_core *core = session->core;
    const struct gz_undo_log *log = core->undo;
    const struct gz_query query = {.kind = GZ_QUERY_EDIT, .edit = message->revert.edit};
    if (gz_core_answer_key(session, message)) return GZ_OK;
    if (query.edit >= core->next_edit)
        return gz_fail(&failure->error, GZ_BAD_VALUE, "edit: there is no edit %llu",
                       (unsigned long long)query.edit);
    const struct gz_edit_record *target = gz_undo_find(log, query.edit);
    if (target == NULL)
        return gz_session_ask(session, message, &query, gz_scene_seq(core->scene), revert_old,
                              failure);
    char key[GZ_KEY_BYTES_MAX + 1];
    struct gz_edit_request request = gz_edit_request(session, message, GZ_EDIT_UNDO, key);
    struct undo undo = {
        .session = session, .core = core, .force = message->revert.force, .failure = failure};
    undo.last = gz_undo_last(log, target);
    return revert(&undo, target, gz_undo_is_undone(log, target->id), &request);
}
