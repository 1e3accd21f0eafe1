/* skins.h - keeps skins valid while the hierarchy of their file is edited. Private to this room.
 * Open before the edits, mend after them, close in any case. */
#ifndef GZ_GLTF_SKINS_H
#define GZ_GLTF_SKINS_H

#include "gltf/file.h"
#include "proto/limits.h"

struct gz_skins {
    size_t count, kept;
    struct gz_skin {
        int64_t root;   /* the root node above all joints; -1 for none */
        bool was_valid; /* before the edits */
        bool dropped;   /* a node lost it */
        size_t place;   /* its index in the written file */
    } * of;
};

/* Fails with GZ_NO_MEMORY only. */
GZ_MUST_USE enum gz_status gz_skins_open(struct gz_skins *skins, const struct gz_gltf *gltf);
/* Removes skins that the edits made invalid from their nodes, and names them: "skin 0 (Armature),
 * skin 2"; empty for none. */
GZ_MUST_USE enum gz_status gz_skins_mend(struct gz_skins *skins, struct gz_gltf *gltf,
                                         char dropped[GZ_DROPPED_BYTES]);
void gz_skins_close(struct gz_skins *skins);

#endif
