/* Undo, redo and revert. What was done last about the user's edit, or, for a revert, about any one
 * edit, is done backwards, as an edit of its own. Where somebody else touched the same nodes
 * meanwhile, or the scene has gone on so that it cannot be done, that is said, with who did what;
 * with `force` it is done as far as it can be: what only others changed stays as it is, and a node
 * that others deleted stays deleted; what others hung below a node that is to go, goes with it; a
 * node whose parent is gone, or would come to be below itself, stays where it hangs, and hangs from
 * the root where it was deleted. */
#include <stdlib.h>
#include <string.h>

#include "proto/limits.h"
#include "session/session.h"

struct travel {
    struct gz_session *session;
    struct gz_core *core;
    const char *word;                  /* undo, redo, revert */
    const char *beside;                /* whose later edits are not in the way; NULL for nobody's */
    const struct gz_edit_record *last; /* to be done backwards */
    bool is_old;                       /* `last` is none that the undo log knows; then */
    const struct gz_edit_record *later; /* the latest known that touched it since, NULL for none */
    bool force;
    struct gz_change *changes; /* what it comes to now */
    size_t count;
    uint64_t *named; /* their nodes, ascending */
    struct gz_failure *failure;
};

static enum gz_status no_memory(const struct travel *travel)
{
    return gz_fail(&travel->failure->error, GZ_NO_MEMORY, "no memory for this %s", travel->word);
}

/* ---- who is in the way ---- */

static const char *const deeds[GZ_EDIT_KIND_COUNT] = {
    [GZ_EDIT_TRANSLATE] = "moved",       [GZ_EDIT_ROTATE] = "rotated",
    [GZ_EDIT_SCALE] = "scaled",          [GZ_EDIT_BALL] = "rotated",
    [GZ_EDIT_WHEEL] = "scaled",          [GZ_EDIT_SET] = "changed",
    [GZ_EDIT_CREATE] = "made",           [GZ_EDIT_DELETE] = "deleted",
    [GZ_EDIT_UNDO] = "undid an edit of", [GZ_EDIT_REDO] = "redid an edit of",
    [GZ_EDIT_RESTORE] = "restored",      [GZ_EDIT_IMPORT] = "replaced",
};

/* As the edit knew it, for it may be gone. */
static const char *name_in(const struct gz_edit_record *edit, uint64_t node)
{
    for (size_t i = 0; i < edit->change_count; i++) {
        const struct gz_change *change = &edit->changes[i];
        if (change->node == node) return change->exists ? change->after.name : change->before.name;
    }
    return NULL;
}

/* "Bob moved node 12 (piston) since (edit 41)" */
static void describe(const struct travel *travel, const struct gz_edit_record *later, uint64_t node,
                     size_t more, char *text, size_t size)
{
    char label[GZ_LABEL_BYTES], others[32] = "";
    gz_core_label(travel->core, node, name_in(later, node), label);
    if (more > 0) gz_print(others, sizeof others, " and %zu more", more);
    gz_print(text, size, "%s %s %s%s since (edit %llu)", later->user, deeds[later->kind], label,
             others, (unsigned long long)later->id);
}

static bool is_as_left(const struct travel *travel)
{
    for (size_t i = 0; i < travel->count; i++) {
        if (!gz_change_fits(travel->core->scene, &travel->changes[i])) return false;
    }
    return true;
}

/* Of an edit that is older than all that the log knows: it is in nobody's way where all is as it
 * left it. */
static const struct gz_edit_record *find_old_conflict(const struct travel *travel)
{
    for (size_t i = 0; i < travel->count; i++) {
        const struct gz_change *change = &travel->changes[i];
        if (gz_change_fits(travel->core->scene, change)) continue;
        const struct gz_edit_record *later =
            gz_undo_toucher(travel->core->undo, travel->last, travel->beside, change->node);
        if (later != NULL) return later;
    }
    return travel->later;
}

/* What others did and took back is not in the way, as long as that left everything as it was. */
static const struct gz_edit_record *find_conflict(const struct travel *travel)
{
    const struct gz_undo_log *log = travel->core->undo;
    if (travel->is_old) return is_as_left(travel) ? NULL : find_old_conflict(travel);
    const struct gz_edit_record *later =
        gz_undo_conflict(log, travel->last, travel->beside, GZ_UNDO_STANDING, NULL);
    if (later != NULL || is_as_left(travel)) return later;
    return gz_undo_conflict(log, travel->last, travel->beside, GZ_UNDO_ALL, NULL);
}

/* The nodes that both edits touched, ascending; NULL without memory. */
static const uint64_t *find_shared(const struct travel *travel, const struct gz_edit_record *later,
                                   size_t *count)
{
    struct gz_arena *arena = &travel->core->scratch;
    const struct gz_edit_record *edits[] = {travel->last, later};
    uint64_t *sorted[2];
    for (int i = 0; i < 2; i++) {
        uint64_t *ids = gz_arena_take(arena, edits[i]->change_count, sizeof *ids);
        if (ids == NULL) return NULL;
        for (size_t j = 0; j < edits[i]->change_count; j++) ids[j] = edits[i]->changes[j].node;
        sorted[i] = gz_sorted_ids(arena, ids, edits[i]->change_count);
        if (sorted[i] == NULL) return NULL;
    }
    *count = 0;
    for (size_t i = 0; i < travel->last->change_count; i++) {
        if (gz_has_id(sorted[1], later->change_count, sorted[0][i]))
            sorted[0][(*count)++] = sorted[0][i];
    }
    return sorted[0];
}

static enum gz_status check_conflict(const struct travel *travel)
{
    const struct gz_edit_record *later = find_conflict(travel);
    if (later == NULL) return GZ_OK;
    size_t count;
    const uint64_t *ids = find_shared(travel, later, &count);
    if (ids == NULL) return no_memory(travel);
    char deed[GZ_ERROR_BYTES_MAX];
    describe(travel, later, ids[0], count - 1, deed, sizeof deed);
    travel->failure->nodes = ids;
    travel->failure->node_count = count;
    return gz_fail(&travel->failure->error, GZ_CONFLICT, "%s: %s", travel->word, deed);
}

/* ---- what it comes to now ---- */

/* The history is to tell what really happens: before is what is there now. What others deleted is
 * left out. */
static void bring_up_to_date(struct travel *travel)
{
    size_t kept = 0;
    for (size_t i = 0; i < travel->count; i++) {
        struct gz_change change = travel->changes[i];
        const struct gz_node *node = gz_scene_find(travel->core->scene, change.node);
        if (node == NULL && change.existed) continue;
        if (node != NULL && change.existed && change.exists) {
            gz_change_rebase(node, &change);
        } else if (node != NULL) {
            change.existed = true;
            gz_node_content(node, &change.before);
        }
        travel->changes[kept++] = change;
    }
    travel->count = kept;
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

/* Nodes go last, when others have moved away, and children first as they hang now: that may be the
 * other way round than they came. False without memory. */
static bool order_deletions(struct travel *travel)
{
    struct deletion *gone = gz_arena_take(&travel->core->scratch, travel->count, sizeof *gone);
    size_t kept = 0, gone_count = 0;
    if (gone == NULL) return false;
    for (size_t i = 0; i < travel->count; i++) {
        const struct gz_change *change = &travel->changes[i];
        if (change->exists) {
            travel->changes[kept++] = *change;
            continue;
        }
        struct deletion *deletion = &gone[gone_count++];
        *deletion = (struct deletion){.change = *change};
        const struct gz_node *at = gz_scene_find(travel->core->scene, change->node);
        for (; at != NULL; at = at->parent) deletion->depth++;
    }
    qsort(gone, gone_count, sizeof *gone, compare_depths);
    for (size_t i = 0; i < gone_count; i++) travel->changes[kept + i] = gone[i].change;
    return true;
}

static bool name_nodes(struct travel *travel)
{
    uint64_t *ids = gz_arena_take(&travel->core->scratch, travel->count, sizeof *ids);
    if (ids == NULL) return false;
    for (size_t i = 0; i < travel->count; i++) ids[i] = travel->changes[i].node;
    travel->named = gz_sorted_ids(&travel->core->scratch, ids, travel->count);
    return travel->named != NULL;
}

/* ---- nodes below those that go ---- */

/* Children of nodes that go which this does not speak of, into `ids` where that is not NULL. */
static size_t find_strays(const struct travel *travel, uint64_t *ids)
{
    size_t count = 0;
    for (size_t i = 0; i < travel->count; i++) {
        const struct gz_change *change = &travel->changes[i];
        if (!change->existed || change->exists) continue;
        const struct gz_node *child = gz_scene_find(travel->core->scene, change->node)->first_child;
        for (; child != NULL; child = child->next) {
            if (gz_has_id(travel->named, travel->count, child->id)) continue;
            if (ids != NULL) ids[count] = child->id;
            count++;
        }
    }
    return count;
}

static enum gz_status refuse_strays(const struct travel *travel, struct gz_ids strays)
{
    struct gz_core *core = travel->core;
    uint64_t first = strays.ids[0];
    char child[GZ_LABEL_BYTES], parent[GZ_LABEL_BYTES];
    gz_core_label(core, first, NULL, child);
    gz_core_label(core, gz_scene_find(core->scene, first)->parent->id, NULL, parent);
    const struct gz_edit_record *later =
        gz_undo_toucher(core->undo, travel->last, travel->beside, first);
    travel->failure->nodes = strays.ids;
    travel->failure->node_count = strays.count;
    if (later == NULL)
        return gz_fail(&travel->failure->error, GZ_CONFLICT, "%s: %s is below %s", travel->word,
                       child, parent);
    return gz_fail(&travel->failure->error, GZ_CONFLICT, "%s: %s put %s below %s (edit %llu)",
                   travel->word, later->user, child, parent, (unsigned long long)later->id);
}

static const struct gz_change *change_of(const struct travel *travel, uint64_t node)
{
    if (!gz_has_id(travel->named, travel->count, node)) return NULL;
    size_t at = 0;
    while (travel->changes[at].node != node) at++;
    return &travel->changes[at];
}

enum fate { GOES_ALONG, GOES_ANYWAY, MOVES_AWAY, IS_IN_THE_WAY };

/* What becomes of a node in the subtree of one that goes along. */
static enum fate fate_of(const struct travel *travel, uint64_t id)
{
    const struct gz_change *own = change_of(travel, id);
    if (own != NULL && !own->exists) return GOES_ANYWAY;
    for (const struct gz_node *at = gz_scene_find(travel->core->scene, id); at != NULL;
         at = at->parent) {
        const struct gz_change *change = change_of(travel, at->id);
        if (change == NULL) continue;
        if (!change->exists) return GOES_ALONG;
        return change->after.parent != change->before.parent ? MOVES_AWAY : IS_IN_THE_WAY;
    }
    return GOES_ALONG;
}

/* They go too, with all that is below them, but what moves away. */
static enum gz_status take_strays_along(struct travel *travel, struct gz_ids strays)
{
    struct gz_core *core = travel->core;
    struct gz_change_list gone;
    size_t count = travel->count;
    enum gz_status status = gz_changes_delete(core->scene, &core->scratch, strays.ids, strays.count,
                                              &gone, travel->failure);
    if (status != GZ_OK) return status;
    struct gz_change *all = gz_arena_take(&core->scratch, gone.count + count, sizeof *all);
    if (all == NULL) return no_memory(travel);
    memcpy(all, travel->changes, count * sizeof *all);
    for (size_t i = 0; i < gone.count; i++) {
        enum fate fate = fate_of(travel, gone.changes[i].node);
        if (fate == IS_IN_THE_WAY) return refuse_strays(travel, strays);
        if (fate == GOES_ALONG) all[count++] = gone.changes[i];
    }
    travel->changes = all;
    travel->count = count;
    return GZ_OK;
}

static enum gz_status settle_strays(struct travel *travel)
{
    size_t count = find_strays(travel, NULL);
    if (count == 0) return GZ_OK;
    uint64_t *ids = gz_arena_take(&travel->core->scratch, count, sizeof *ids);
    if (ids == NULL) return no_memory(travel);
    struct gz_ids strays = {ids, find_strays(travel, ids)};
    return travel->force ? take_strays_along(travel, strays) : refuse_strays(travel, strays);
}

/* ---- places that are not there any more ---- */

/* Whether this names a parent that is there, or that this makes. */
static bool has_parent(const struct travel *travel, const struct gz_change *change)
{
    uint64_t parent = change->after.parent;
    return parent == 0 || gz_scene_find(travel->core->scene, parent) != NULL ||
           gz_has_id(travel->named, travel->count, parent);
}

static void stay(struct gz_change *change)
{
    change->after.parent = change->existed ? change->before.parent : 0;
}

static enum gz_status check(const struct travel *travel, struct gz_failure *failure)
{
    return gz_scene_check(travel->core->scene, travel->changes, travel->count, travel->session->id,
                          failure);
}

static void settle_parents(struct travel *travel)
{
    for (size_t i = 0; i < travel->count; i++) {
        if (travel->changes[i].exists && !has_parent(travel, &travel->changes[i]))
            stay(&travel->changes[i]);
    }
    struct gz_failure loop;
    if (check(travel, &loop) != GZ_BAD_VALUE) return;
    for (size_t i = 0; i < travel->count; i++) {
        if (travel->changes[i].existed && travel->changes[i].exists) stay(&travel->changes[i]);
    }
}

/* Who deleted the parent that is gone, or put the new parent of this node below it; NULL where that
 * is not known any more. */
static const struct gz_edit_record *find_culprit(const struct travel *travel, uint64_t *node)
{
    const struct gz_undo_log *log = travel->core->undo;
    const char *user = travel->beside;
    const struct gz_edit_record *later = gz_undo_toucher(log, travel->last, user, *node);
    const struct gz_node *above = NULL;
    for (size_t i = 0; i < travel->count; i++) {
        if (travel->changes[i].node == *node)
            above = gz_scene_find(travel->core->scene, travel->changes[i].after.parent);
    }
    const uint64_t moved = *node;
    for (; later == NULL && above != NULL && above->id != moved; above = above->parent) {
        *node = above->id;
        later = gz_undo_toucher(log, travel->last, user, above->id);
    }
    return later;
}

/* A parent that is gone, a node that would be below itself: that is what others did since. */
static enum gz_status check_places(struct travel *travel)
{
    enum gz_status status = check(travel, travel->failure);
    uint64_t node = travel->failure->node;
    const struct gz_node *there = gz_scene_find(travel->core->scene, node);
    bool is_own_drag = there != NULL && there->holder == travel->session->id;
    bool has_children = status == GZ_BAD_STATE && !is_own_drag;
    if (status != GZ_UNKNOWN_NODE && status != GZ_BAD_VALUE && !has_children) return status;
    struct gz_error why = travel->failure->error;
    char deed[GZ_ERROR_BYTES_MAX] = "the scene has gone on";
    const struct gz_edit_record *later = find_culprit(travel, &node);
    if (later != NULL) describe(travel, later, node, 0, deed, sizeof deed);
    return gz_fail(&travel->failure->error, GZ_CONFLICT, "%s: %s: %s", travel->word, deed,
                   why.message);
}

/* A node of before an import refers to a file that the import replaced: it could not be shown. */
static enum gz_status check_asset(const struct travel *travel)
{
    for (size_t i = 0; travel->last->seq < travel->core->asset_seq && i < travel->count; i++) {
        const struct gz_change *change = &travel->changes[i];
        if (change->existed || !change->exists || change->after.asset < 0) continue;
        return gz_fail(
            &travel->failure->error, GZ_BAD_STATE,
            "%s: node %llu was part of a glTF that was replaced at seq %llu: it cannot come back",
            travel->word, (unsigned long long)change->node,
            (unsigned long long)travel->core->asset_seq);
    }
    return GZ_OK;
}

/* ---- the whole ---- */

static enum gz_status prepare(struct travel *travel)
{
    travel->count = travel->last->change_count;
    travel->changes =
        gz_changes_reverse(&travel->core->scratch, travel->last->changes, travel->count);
    if (travel->changes == NULL) return no_memory(travel);
    enum gz_status status = travel->force ? GZ_OK : check_conflict(travel);
    if (status != GZ_OK) return status;
    bring_up_to_date(travel);
    status = check_asset(travel);
    if (status != GZ_OK) return status;
    if (!name_nodes(travel)) return no_memory(travel);
    status = settle_strays(travel);
    if (status != GZ_OK) return status;
    if (!order_deletions(travel) || !name_nodes(travel)) return no_memory(travel);
    if (travel->force) settle_parents(travel);
    return check_places(travel);
}

static enum gz_status travel(struct gz_session *session, const struct gz_message *message,
                             enum gz_edit_kind kind, struct gz_failure *failure)
{
    struct gz_core *core = session->core;
    bool undo = kind == GZ_EDIT_UNDO;
    struct travel travel = {.session = session,
                            .core = core,
                            .word = undo ? "undo" : "redo",
                            .beside = session->user,
                            .force = message->force,
                            .failure = failure};
    if (gz_core_answer_key(session, message)) return GZ_OK;
    const struct gz_edit_record *past =
        undo ? gz_undo_next(core->undo, session->user) : gz_redo_next(core->undo, session->user);
    if (past == NULL)
        return gz_fail(&failure->error, GZ_BAD_STATE, "there is nothing to %s", travel.word);
    travel.last = gz_undo_last(core->undo, past);
    enum gz_status status = prepare(&travel);
    if (status != GZ_OK) return status;
    char key[GZ_KEY_BYTES_MAX + 1];
    struct gz_edit_request request = gz_edit_request(session, message, kind, key);
    request.target = past->id;
    return gz_core_edit(core, &request, travel.changes, travel.count, failure);
}

enum gz_status gz_on_undo(struct gz_session *session, const struct gz_message *message,
                          struct gz_failure *failure)
{
    return travel(session, message, GZ_EDIT_UNDO, failure);
}

enum gz_status gz_on_redo(struct gz_session *session, const struct gz_message *message,
                          struct gz_failure *failure)
{
    return travel(session, message, GZ_EDIT_REDO, failure);
}

/* ---- revert ---- */

/* Any one edit, whoever made it, and `travel` says what was done last about it; unlike for an undo,
 * what its own user did since is in the way as well. */
static enum gz_status revert(struct travel *travel, const struct gz_edit_record *target,
                             bool is_undone, struct gz_edit_request *request)
{
    const struct gz_session *session = travel->session;
    struct gz_error *error = &travel->failure->error;
    unsigned long long id = target->id;
    request->target = target->id;
    request->reverts = strcmp(target->user, session->user) != 0;
    if (request->reverts && session->role < GZ_ROLE_ADMIN)
        return gz_fail(error, GZ_FORBIDDEN, "edit: edit %llu is %s's: to revert it takes an admin",
                       id, target->user);
    if (target->kind == GZ_EDIT_IMPORT)
        return gz_fail(error, GZ_BAD_STATE,
                       "edit: edit %llu is an import: the file it replaced is not in the scene",
                       id);
    if (is_undone)
        return gz_fail(error, GZ_BAD_STATE,
                       "edit: edit %llu is taken back already, by %s (edit %llu)", id,
                       travel->last->user, (unsigned long long)travel->last->id);
    travel->word = "revert";
    enum gz_status status = prepare(travel);
    return status == GZ_OK ? gz_core_edit(travel->core, request, travel->changes, travel->count,
                                          travel->failure)
                           : status;
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
        return gz_session_ask(session, message, &query, gz_scene_seq(core->scene), failure);
    char key[GZ_KEY_BYTES_MAX + 1];
    struct gz_edit_request request = gz_edit_request(session, message, GZ_EDIT_UNDO, key);
    struct travel travel = {
        .session = session, .core = core, .force = message->revert.force, .failure = failure};
    travel.last = gz_undo_last(log, target);
    return revert(&travel, target, gz_undo_is_undone(log, target->id), &request);
}

/* The file told how it stood when it was asked; what came since is in the log. */
enum gz_status gz_session_revert(struct gz_session *session, const struct gz_ticket *ticket,
                                 const struct gz_answer *answer, struct gz_failure *failure)
{
    struct gz_core *core = session->core;
    const struct gz_edit_record *target = &answer->edits[0], *last = &answer->edits[1];
    struct gz_edit_request request = gz_ticket_request(session, ticket, GZ_EDIT_UNDO, target->id);
    struct travel travel = {
        .session = session, .core = core, .force = ticket->force, .failure = failure};
    bool is_undone = answer->undone;
    if (gz_core_answer_known(session, &request)) return GZ_OK;
    const struct gz_edit_record *newest = gz_undo_last(core->undo, last);
    if (newest == last) newest = gz_undo_last(core->undo, target);
    if (newest->seq > last->seq) {
        is_undone = gz_undo_is_undone(core->undo, target->id);
        last = newest;
    }
    travel.last = last;
    travel.is_old = gz_undo_find(core->undo, last->id) == NULL;
    travel.later = answer->edit_count > 2 ? &answer->edits[2] : NULL;
    return revert(&travel, target, is_undone, &request);
}
