/* asset.h - the glTF file behind a scene. An import replaces the file; if the disk refuses the
 * import, the old file is back. Threads: the core's. */
#ifndef GZ_SESSION_ASSET_H
#define GZ_SESSION_ASSET_H

#include "session/host.h"

/* The glTF that the nodes refer to by their asset index. */
struct gz_asset {
    uint64_t seq;                 /* of the import that brought it; 0 for none */
    struct gz_surfaces *surfaces; /* its triangles; NULL if none are known */
};

/* The part of a pending edit that only imports have. */
struct gz_pending_import {
    const uint8_t *file;
    size_t size;
    void *owner; /* of the file's bytes, which `finish` frees */
    void (*finish)(void *owner);
    struct gz_asset before; /* what the import replaced */
    void (*done)(void *context, enum gz_status status, const char *message);
    void *context;
};

/* The disk has the import. */
void gz_import_accept(struct gz_pending_import *import);
/* The disk refused the import: the asset is what it was before. */
void gz_import_refuse(struct gz_asset *asset, struct gz_pending_import *import,
                      const struct gz_core_host *host, const char *why);
/* Frees the file and the surfaces that the import replaced. */
void gz_import_free(struct gz_pending_import *import, const struct gz_core_host *host);

#endif
