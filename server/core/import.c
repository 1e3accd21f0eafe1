/* import.c - replaces all nodes by those of a glTF file. Its triangles may come later. */
#include <string.h>

#include "core/core.h"
#include "core/pending.h"
#include "core/session.h"
#include "scene/undo.h"
#include "solver/surface.h"

/* ---- the triangles of a file ---- */

static struct gz_pending_edit *next_import(const struct gz_core *core,
                                           const struct gz_pending_edit *after)
{
    const struct gz_journal_entry *entry = after != NULL ? &after->entry : NULL;
    struct gz_pending_edit *pending;
    do {
        entry = gz_journal_next(&core->journal, &gz_pending_edits, entry);
        pending = (struct gz_pending_edit *)entry;
    } while (pending != NULL && pending->edit.kind != GZ_EDIT_IMPORT);
    return pending;
}

bool gz_core_take_surfaces(struct gz_core *core, uint64_t asset_seq, struct gz_surfaces *surfaces)
{
    struct gz_asset *asset = &core->asset;
    struct gz_pending_edit *pending = NULL;
    while ((pending = next_import(core, pending)) != NULL) {
        if (pending->import.before.seq == asset_seq) asset = &pending->import.before;
    }
    if (asset->seq != asset_seq || asset->surfaces != NULL) return false;
    asset->surfaces = surfaces;
    return true;
}

static uint64_t bytes_before(const struct gz_core *core)
{
    uint64_t bytes = 0;
    const struct gz_pending_edit *pending = NULL;
    while ((pending = next_import(core, pending)) != NULL) {
        const struct gz_surfaces *surfaces = pending->import.before.surfaces;
        bytes += surfaces != NULL ? surfaces->bytes : 0;
    }
    return bytes;
}

struct gz_core_summary gz_core_summary(const struct gz_core *core)
{
    return (struct gz_core_summary){
        .nodes = gz_scene_count(core->scene),
        .seq = gz_scene_seq(core->scene),
        .saved = gz_feed_saved_seq(core->feed),
        .users = core->roster.count,
        .epoch = core->epochs.present,
        .asset_seq = core->asset.seq,
        .has_asset = core->asset.seq > 0,
        .triangles = core->asset.surfaces != NULL ? core->asset.surfaces->triangle_count : 0,
        .surface_bytes = core->asset.surfaces != NULL ? core->asset.surfaces->bytes : 0,
        .surface_bytes_before = bytes_before(core),
        .undo_bytes = gz_undo_bytes(core->undo),
        .grave_bytes = gz_scene_grave_bytes(core->scene),
    };
}

/* ---- importing ---- */

static enum gz_status delete_everything(struct gz_core *core, struct gz_change_list *list,
                                        struct gz_failure *failure)
{
    size_t roots = 0;
    uint64_t *ids = gz_arena_take(&core->scratch, gz_scene_count(core->scene), sizeof *ids);
    if (ids == NULL) return gz_fail(&failure->error, GZ_NO_MEMORY, "no memory for this import");
    for (const struct gz_node *root = gz_scene_first_root(core->scene); root != NULL;
         root = root->next)
        ids[roots++] = root->id;
    return gz_changes_delete(core->scene, &core->scratch, ids, roots, list, failure);
}

/* An import belongs to no session: every held node is in its way, and the edit names no session. */
static enum gz_status apply(struct gz_core *core, const struct gz_core_import *import,
                            const struct gz_change *changes, size_t count,
                            struct gz_failure *failure)
{
    struct gz_edit_request request = {.user = import->user, .kind = GZ_EDIT_IMPORT};
    enum gz_status status = gz_journal_check_room(&core->journal, &failure->error);
    if (status == GZ_OK) status = gz_scene_check(core->scene, changes, count, GZ_ID_LIMIT, failure);
    if (status == GZ_OK)
        status = gz_core_spend(core, import->payer, GZ_FILE_BYTES_PER_EDIT + import->asset_size,
                               changes, count, &failure->error);
    if (status != GZ_OK) return status;
    struct gz_pending_edit *pending = gz_pending_create(core, &request, changes, count);
    if (pending == NULL) return gz_fail(&failure->error, GZ_NO_MEMORY, "no memory for this import");
    status = gz_pending_apply(core, pending, 0, failure);
    if (status != GZ_OK) {
        gz_pending_destroy(pending);
        return status;
    }
    pending->import = (struct gz_pending_import){.file = import->asset,
                                                 .size = import->asset_size,
                                                 .owner = import->asset_owner,
                                                 .finish = import->finish,
                                                 .before = core->asset,
                                                 .done = import->done,
                                                 .context = import->context};
    core->asset = (struct gz_asset){pending->edit.seq, import->surfaces};
    return GZ_OK;
}

static enum gz_status replace_everything(struct gz_core *core, const struct gz_core_import *import,
                                         struct gz_failure *failure)
{
    struct gz_change_list deleted;
    enum gz_status status = delete_everything(core, &deleted, failure);
    if (status != GZ_OK) return status;
    size_t count = deleted.count + import->count;
    struct gz_change *changes = gz_arena_take(&core->scratch, count, sizeof *changes);
    uint64_t *ids = gz_arena_take(&core->scratch, import->count, sizeof *ids);
    if (changes == NULL || ids == NULL)
        return gz_fail(&failure->error, GZ_NO_MEMORY, "no memory for this import");
    if (deleted.count > 0) memcpy(changes, deleted.changes, deleted.count * sizeof *changes);
    for (size_t i = 0; i < import->count; i++) {
        const struct gz_core_import_node *node = &import->nodes[i];
        struct gz_change *change = &changes[deleted.count + i];
        ids[i] = gz_scene_new_id(core->scene);
        *change = (struct gz_change){.node = ids[i], .exists = true, .after = node->content};
        change->after.parent = node->parent < 0 ? 0 : ids[node->parent];
    }
    return apply(core, import, changes, count, failure);
}

enum gz_status gz_core_import(struct gz_core *core, const struct gz_core_import *import,
                              struct gz_now now, struct gz_error *error)
{
    struct gz_failure failure = {.node = 0};
    gz_core_enter(core, now);
    enum gz_status status = core->read_only[0] == '\0' ? replace_everything(core, import, &failure)
                                                       : gz_fail(&failure.error, GZ_FORBIDDEN,
                                                                 "scene: %s", core->read_only);
    if (status == GZ_OK) gz_core_renew_boxes(core);
    gz_core_name_holder(core, &failure);
    if (status != GZ_OK && error != NULL) *error = failure.error;
    return status;
}
