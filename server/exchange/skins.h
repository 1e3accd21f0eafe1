/* skins.h - skins when the hierarchy of their file is edited. Not for other rooms.
 * Open before the edits, mend after them, close in any case. */
#ifndef GZ_EXCHANGE_SKINS_H
#define GZ_EXCHANGE_SKINS_H

#include "exchange/gltf.h"
#include "proto/limits.h"

struct gz_skins {
    size_t count;
    struct gz_skin {
        int64_t root;   /* the node without a parent that all joints are below; -1 for none */
        bool was_valid; /* before the edits */
        bool dropped;   /* some node lost it */
        size_t place;   /* its index in the file that is written */
    } * of;
};

/* GZ_NO_MEMORY alone. */
GZ_MUST_USE enum gz_status gz_skins_open(struct gz_skins *skins, const struct gz_gltf *gltf);
/* Takes out what the edits made invalid, and says which skins some node lost: "skin 0 (Armature),
 * skin 2"; empty for none. */
GZ_MUST_USE enum gz_status gz_skins_mend(struct gz_skins *skins, const struct gz_gltf *gltf,
                                         char dropped[GZ_DROPPED_BYTES]);
void gz_skins_close(struct gz_skins *skins);

#endif
