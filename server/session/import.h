/* import.h - a glTF's nodes on their way into the core. */
#ifndef GZ_SESSION_IMPORT_H
#define GZ_SESSION_IMPORT_H

#include "scene/record.h"

struct gz_surfaces;

struct gz_core_import_node {
    int64_t parent;
    struct gz_content content; /* its own parent is not used */
};
struct gz_core_import {
    const char *user;
    const struct gz_core_import_node *nodes;
    size_t count;
    uint8_t *asset; /* for free(); the caller's unless GZ_OK */
    size_t asset_size;
    struct gz_surfaces *surfaces; /* of the asset, for free(); the core's with GZ_OK; NULL: its
                                     nodes are picked by their bounds */
    void (*done)(void *context, enum gz_status status, const char *message);
    void *context;
};

#endif
