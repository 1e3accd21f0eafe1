/* assets.c - the files that nodes came from, in the order of their numbers. See assets.h. */
#include "core/assets.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "server/maxima.h"

/* The file that has the node with this number; NULL for none. */
static struct gz_asset *asset_of(const struct gz_assets *assets, int64_t number)
{
    size_t low = 0, high = assets->count;
    if (number < 0) return NULL;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (assets->items[middle].record.first <= (uint64_t)number)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == 0) return NULL;
    struct gz_asset *asset = &assets->items[low - 1];
    return (uint64_t)number - asset->record.first < asset->record.count ? asset : NULL;
}

static void add_use(struct gz_assets *assets, int64_t number)
{
    struct gz_asset *asset = asset_of(assets, number);
    if (asset == NULL || asset->uses++ > 0 || asset->surfaces != NULL) return;
    asset->is_wanted = assets->is_any_wanted = true;
}

static void remove_use(struct gz_assets *assets, int64_t number)
{
    struct gz_asset *asset = asset_of(assets, number);
    if (asset != NULL && asset->uses > 0) asset->uses--;
}

bool gz_assets_init(struct gz_assets *assets, const struct gz_scene_state *state)
{
    *assets = (struct gz_assets){.room = state->asset_count};
    if (state->asset_count == 0) return true;
    assets->items = calloc(state->asset_count, sizeof *assets->items);
    if (assets->items == NULL) return false;
    for (size_t i = 0; i < state->asset_count; i++)
        (void)gz_assets_append(assets, &state->assets[i]);
    for (size_t i = 0; i < state->node_count; i++) {
        if (!state->nodes[i].gone) add_use(assets, state->nodes[i].content.asset);
    }
    return true;
}

void gz_assets_finish(struct gz_assets *assets, const struct gz_core_host *host)
{
    while (assets->count > 0) gz_assets_remove_last(assets, host);
    free(assets->items);
    *assets = (struct gz_assets){.count = 0};
}

struct gz_asset *gz_assets_find(const struct gz_assets *assets, const char *sha256)
{
    for (size_t i = assets->count; sha256[0] != '\0' && i-- > 0;) {
        if (strcmp(assets->items[i].record.sha256, sha256) == 0) return &assets->items[i];
    }
    return NULL;
}

enum gz_status gz_assets_make_room(struct gz_assets *assets, struct gz_error *error)
{
    if (assets->count == GZ_ASSETS_MAX)
        return gz_fail(error, GZ_TOO_MANY,
                       "this scene has had %d different files, and cannot "
                       "take another one",
                       GZ_ASSETS_MAX);
    if (assets->count < assets->room) return GZ_OK;
    const size_t room = 2 * assets->room + 4;
    struct gz_asset *items = realloc(assets->items, room * sizeof *items);
    if (items == NULL) return gz_fail(error, GZ_NO_MEMORY, "no memory for this import");
    assets->items = items;
    assets->room = room;
    return GZ_OK;
}

uint64_t gz_assets_next(const struct gz_assets *assets)
{
    if (assets->count == 0) return 0;
    const struct gz_asset_record *last = &assets->items[assets->count - 1].record;
    return last->first + last->count;
}

struct gz_asset *gz_assets_append(struct gz_assets *assets, const struct gz_asset_record *record)
{
    assert(assets->count < assets->room && record->first >= gz_assets_next(assets));
    struct gz_asset *asset = &assets->items[assets->count++];
    *asset = (struct gz_asset){.record = *record};
    asset->record.bytes = NULL;
    return asset;
}

void gz_assets_remove_last(struct gz_assets *assets, const struct gz_core_host *host)
{
    gz_host_release(host, assets->items[--assets->count].surfaces, free);
}

void gz_assets_count(struct gz_assets *assets, const struct gz_change *changes, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (changes[i].exists) add_use(assets, changes[i].after.asset);
        if (changes[i].existed) remove_use(assets, changes[i].before.asset);
    }
}

void gz_assets_let_go(struct gz_assets *assets, const struct gz_core_host *host)
{
    for (size_t i = 0; i < assets->count; i++) {
        if (assets->items[i].uses > 0) continue;
        gz_host_release(host, assets->items[i].surfaces, free);
        assets->items[i].surfaces = NULL;
    }
}

bool gz_assets_take_surfaces(struct gz_assets *assets, uint64_t first, struct gz_surfaces *surfaces)
{
    struct gz_asset *asset = asset_of(assets, (int64_t)first);
    if (asset == NULL || asset->record.first != first || asset->surfaces != NULL) return false;
    asset->surfaces = surfaces;
    asset->is_wanted = false;
    return true;
}

const struct gz_asset *gz_assets_next_wanted(struct gz_assets *assets)
{
    for (size_t i = 0; assets->is_any_wanted && i < assets->count; i++) {
        struct gz_asset *asset = &assets->items[i];
        if (!asset->is_wanted) continue;
        asset->is_wanted = false;
        if (asset->uses > 0) return asset;
    }
    assets->is_any_wanted = false;
    return NULL;
}

const struct gz_surface *gz_assets_surface(const struct gz_assets *assets, int64_t number)
{
    const struct gz_asset *asset = asset_of(assets, number);
    if (asset == NULL) return NULL;
    return gz_surface_of(asset->surfaces, number - (int64_t)asset->record.first);
}
