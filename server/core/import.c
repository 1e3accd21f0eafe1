/* import.c - takes a glTF file: its nodes replace all others, or are added. Its triangles may come
 * later. */
#include <stdlib.h>
#include <string.h>

#include "core/core.h"
#include "core/pending.h"
#include "core/session.h"
#include "scene/undo.h"
#include "solver/surface.h"

/* ---- the triangles of the files ---- */

bool gz_core_wants_surfaces(struct gz_core *core, uint64_t *first)
{
    const struct gz_asset *asset = gz_assets_next_wanted(&core->assets);
    if (asset != NULL) *first = asset->record.first;
    return asset != NULL;
}

bool gz_core_take_surfaces(struct gz_core *core, uint64_t first, struct gz_surfaces *surfaces)
{
    return gz_assets_take_surfaces(&core->assets, first, surfaces);
}

static void add_surfaces(const struct gz_assets *assets, struct gz_core_summary *summary)
{
    for (size_t i = 0; i < assets->count; i++) {
        const struct gz_asset *asset = &assets->items[i];
        if (asset->surfaces == NULL) continue;
        if (asset->uses == 0) {
            summary->surface_bytes_before += asset->surfaces->bytes;
            continue;
        }
        summary->triangles += asset->surfaces->triangle_count;
        summary->surface_bytes += asset->surfaces->bytes;
    }
}

struct gz_core_summary gz_core_summary(const struct gz_core *core)
{
    struct gz_core_summary summary = {
        .nodes = gz_scene_count(core->scene),
        .seq = gz_scene_seq(core->scene),
        .saved = gz_feed_saved_seq(core->feed),
        .users = core->roster.count,
        .epoch = core->epochs.present,
        .assets = core->assets.count,
        .undo_bytes = gz_undo_bytes(core->undo),
        .grave_bytes = gz_scene_grave_bytes(core->scene),
    };
    add_surfaces(&core->assets, &summary);
    return summary;
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

/* How many numbers the nodes of the file need. */
static uint64_t count_numbers(const struct gz_core_import *import)
{
    int64_t last = 0;
    for (size_t i = 0; i < import->count; i++) {
        if (import->nodes[i].content.asset > last) last = import->nodes[i].content.asset;
    }
    return (uint64_t)last + 1;
}

/* Finds the file among those of the scene, or the place that it will have there. */
static enum gz_status find_asset(struct gz_core *core, const struct gz_core_import *import,
                                 struct gz_asset_record *asset, bool *is_new,
                                 struct gz_error *error)
{
    const char *sha256 = import->sha256 != NULL ? import->sha256 : "";
    const struct gz_asset *known = gz_assets_find(&core->assets, sha256);
    *asset = (struct gz_asset_record){.first = gz_assets_next(&core->assets),
                                      .count = count_numbers(import)};
    *is_new = known == NULL;
    if (known != NULL) *asset = known->record;
    memcpy(asset->sha256, sha256, strnlen(sha256, sizeof asset->sha256 - 1));
    asset->bytes = import->asset;
    asset->size = import->asset_size;
    return known != NULL ? GZ_OK : gz_assets_make_room(&core->assets, error);
}

/* A file that was there already may have its triangles; one without any wants none. */
static void give_surfaces(struct gz_core *core, uint64_t first, struct gz_surfaces *surfaces)
{
    if (!gz_assets_take_surfaces(&core->assets, first, surfaces))
        gz_host_release(&core->options.host, surfaces, free);
}

/* Puts the file into the list, where the nodes find it, and applies the edit. */
static enum gz_status apply_with(struct gz_core *core, struct gz_pending_edit *pending,
                                 struct gz_failure *failure)
{
    struct gz_pending_import *import = &pending->import;
    if (import->is_new) (void)gz_assets_append(&core->assets, &import->asset);
    enum gz_status status = gz_pending_apply(core, pending, 0, failure);
    if (import->is_new && status == GZ_OK)
        core->assets.items[core->assets.count - 1].record.seq = pending->edit.seq;
    else if (import->is_new)
        gz_assets_remove_last(&core->assets, &core->options.host);
    return status;
}

/* An import belongs to no session: every held node is in its way, and the edit names no session. */
static enum gz_status apply(struct gz_core *core, const struct gz_core_import *import,
                            const struct gz_asset_record *asset, bool is_new,
                            const struct gz_change *changes, size_t count,
                            struct gz_failure *failure)
{
    struct gz_edit_request request = {.user = import->user,
                                      .kind = import->adds ? GZ_EDIT_CREATE : GZ_EDIT_IMPORT};
    enum gz_status status = gz_journal_check_room(&core->journal, &failure->error);
    if (status == GZ_OK) status = gz_scene_check(core->scene, changes, count, GZ_ID_LIMIT, failure);
    if (status == GZ_OK)
        status = gz_core_spend(core, import->payer, GZ_FILE_BYTES_PER_EDIT + import->asset_size,
                               changes, count, &failure->error);
    if (status != GZ_OK) return status;
    struct gz_pending_edit *pending = gz_pending_create(core, &request, changes, count);
    if (pending == NULL) return gz_fail(&failure->error, GZ_NO_MEMORY, "no memory for this import");
    pending->import = (struct gz_pending_import){.asset = *asset, .is_new = is_new};
    status = apply_with(core, pending, failure);
    if (status != GZ_OK) {
        gz_pending_destroy(pending);
        return status;
    }
    if (is_new) pending->import.asset.seq = pending->edit.seq;
    pending->import.owner = import->asset_owner;
    pending->import.finish = import->finish;
    pending->import.done = import->done;
    pending->import.context = import->context;
    give_surfaces(core, asset->first, import->surfaces);
    return GZ_OK;
}

/* The creation of the file's nodes. */
static void make_creations(struct gz_core *core, const struct gz_core_import *import,
                           uint64_t first, uint64_t *ids, struct gz_change *changes)
{
    for (size_t i = 0; i < import->count; i++) {
        const struct gz_core_import_node *node = &import->nodes[i];
        struct gz_content *after = &changes[i].after;
        ids[i] = gz_scene_new_id(core->scene);
        changes[i] = (struct gz_change){.node = ids[i], .exists = true, .after = node->content};
        after->parent = node->parent < 0 ? import->below : ids[node->parent];
        if (after->asset >= 0) after->asset += (int64_t)first;
    }
}

static enum gz_status take_file(struct gz_core *core, const struct gz_core_import *import,
                                struct gz_failure *failure)
{
    struct gz_change_list gone = {.count = 0};
    struct gz_asset_record asset;
    bool is_new;
    enum gz_status status = find_asset(core, import, &asset, &is_new, &failure->error);
    if (status == GZ_OK && !import->adds) status = delete_everything(core, &gone, failure);
    if (status != GZ_OK) return status;
    const size_t count = gone.count + import->count;
    struct gz_change *changes = gz_arena_take(&core->scratch, count, sizeof *changes);
    uint64_t *ids = gz_arena_take(&core->scratch, import->count, sizeof *ids);
    if (changes == NULL || ids == NULL)
        return gz_fail(&failure->error, GZ_NO_MEMORY, "no memory for this import");
    if (gone.count > 0) memcpy(changes, gone.changes, gone.count * sizeof *changes);
    make_creations(core, import, asset.first, ids, changes + gone.count);
    status = apply(core, import, &asset, is_new, changes, count, failure);
    if (status == GZ_OK && import->ids != NULL && import->count > 0)
        memcpy(import->ids, ids, import->count * sizeof *ids);
    return status;
}

enum gz_status gz_core_import(struct gz_core *core, const struct gz_core_import *import,
                              struct gz_now now, struct gz_error *error)
{
    struct gz_failure failure = {.node = 0};
    gz_core_enter(core, now);
    enum gz_status status = core->read_only[0] == '\0' ? take_file(core, import, &failure)
                                                       : gz_fail(&failure.error, GZ_FORBIDDEN,
                                                                 "scene: %s", core->read_only);
    if (status == GZ_OK) gz_core_renew_boxes(core);
    gz_core_name_holder(core, &failure);
    if (status != GZ_OK && error != NULL) *error = failure.error;
    return status;
}
