/* assets.h - the glTF files that the nodes of a scene came from, with their triangles.
 *
 * The nodes of all files are numbered through (struct gz_asset_record). The list has every file
 * that ever came, because a node may come back from the history; the bytes are the store's.
 * Triangles are kept for the files that nodes of the scene show. If nodes come back after their
 * triangles were let go, these are wanted: the host makes them again. Threads: the core's. */
#ifndef GZ_CORE_ASSETS_H
#define GZ_CORE_ASSETS_H

#include "core/callbacks.h"
#include "scene/record.h"
#include "solver/surface.h"

struct gz_asset {
    struct gz_asset_record record; /* without bytes */
    uint64_t uses;                 /* by nodes of the scene */
    struct gz_surfaces *surfaces;  /* NULL: none are known */
    bool is_wanted;                /* the surfaces, of the host */
};

/* Zero: none. */
struct gz_assets {
    struct gz_asset *items; /* ascending by record.first */
    size_t count, room;
    bool is_any_wanted; /* of the surfaces */
};

/* Takes over what `state` says. False without memory. */
GZ_MUST_USE bool gz_assets_init(struct gz_assets *assets, const struct gz_scene_state *state);
void gz_assets_finish(struct gz_assets *assets, const struct gz_core_host *host);

/* The file with these bytes; NULL if it is new. An empty sha256 is that of no file. */
struct gz_asset *gz_assets_find(const struct gz_assets *assets, const char *sha256);
/* Makes room for one more. GZ_TOO_MANY: the scene has had GZ_ASSETS_MAX; GZ_NO_MEMORY. */
GZ_MUST_USE enum gz_status gz_assets_make_room(struct gz_assets *assets, struct gz_error *error);
/* The number of the first node of the next new file. */
uint64_t gz_assets_next(const struct gz_assets *assets);
/* Appends a file, for which there is room; it begins at gz_assets_next. */
struct gz_asset *gz_assets_append(struct gz_assets *assets, const struct gz_asset_record *record);
/* Removes the file that was appended last. */
void gz_assets_remove_last(struct gz_assets *assets, const struct gz_core_host *host);

/* The changes were applied: counts who uses what. */
void gz_assets_count(struct gz_assets *assets, const struct gz_change *changes, size_t count);
/* Frees the surfaces that no node shows. */
void gz_assets_let_go(struct gz_assets *assets, const struct gz_core_host *host);
/* Gives the file that begins at `first` its surfaces, unless it has some: false. */
GZ_MUST_USE bool gz_assets_take_surfaces(struct gz_assets *assets, uint64_t first,
                                         struct gz_surfaces *surfaces);
/* A file whose surfaces are wanted, which are then no longer wanted; NULL for none. */
const struct gz_asset *gz_assets_next_wanted(struct gz_assets *assets);

/* What is known of the node with this number; NULL for nothing. */
const struct gz_surface *gz_assets_surface(const struct gz_assets *assets, int64_t number);

#endif
