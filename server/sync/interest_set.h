/* interest_set.h - which part of a scene one viewer follows, and what of it that viewer has been
 * told.
 *
 * In the part are the nodes that match the region that was asked for, and all nodes above them, so
 * that a part is a closed tree. Kept up from the order of change: only what moved since is looked
 * at again; all is where the region is a new one. A node that is in the part and was not told yet,
 * or was told and is not in it any more, is news. Memory: some 50 bytes for each node that is in
 * the part or was told; nothing for the others. Ownership: the cursor's. Threads: one. Errors:
 * false without memory; where an update failed the interest_set is to be forgotten. */
#ifndef GZ_SYNC_PORTION_H
#define GZ_SYNC_PORTION_H

#include "scene/scene.h"

#define GZ_REGION_PLANES 6

enum gz_region_kind {
    GZ_REGION_WHOLE, /* everything */
    GZ_REGION_NODES, /* these nodes, as far as they are there, and all that is below them */
    GZ_REGION_BOX,   /* nodes whose box in the world has a point in this one; without bounds: their
                        origin */
    GZ_REGION_VIEW   /* nodes whose box in the world has a point on the side of each plane */
};

struct gz_region {
    enum gz_region_kind kind;
    const uint64_t *ids;
    size_t id_count;
    gz_box box;
    gz_plane planes[GZ_REGION_PLANES];
};

struct gz_interest_set;

/* Of nothing, with nothing told. NULL without memory. */
struct gz_interest_set *gz_interest_set_create(void);
void gz_interest_set_destroy(struct gz_interest_set *interest_set);

/* From the next update on; the ids are copied. On failure nothing changed. */
GZ_MUST_USE bool gz_interest_set_follow(struct gz_interest_set *interest_set,
                                        const struct gz_region *region);
bool gz_interest_set_is_whole(const struct gz_interest_set *interest_set);

/* The viewer was told of the whole scene as it was at `seq`, which no tombstone is forgotten since.
 * Of a new part. */
GZ_MUST_USE bool gz_interest_set_knows_all(struct gz_interest_set *interest_set,
                                           const struct gz_scene *scene, uint64_t seq);
/* The viewer is taken to know nothing. */
void gz_interest_set_forget(struct gz_interest_set *interest_set);

/* Makes the part what the scene is now. */
GZ_MUST_USE bool gz_interest_set_update(struct gz_interest_set *interest_set,
                                        struct gz_scene *scene);
/* Takes the next news after an update: a node that came in, told as of `seq`, or one that went and
 * is not known any more. 0 at the end. */
uint64_t gz_interest_set_next_news(struct gz_interest_set *interest_set, uint64_t seq, bool *gone);
bool gz_interest_set_has_news(const struct gz_interest_set *interest_set);
/* The seq as of which the viewer was last told of this node, which is then set to `seq`; 0 where it
 * is none of its nodes. */
uint64_t gz_interest_set_tell(struct gz_interest_set *interest_set, uint64_t id, uint64_t seq);
/* Gives back memory that a larger part needed. */
void gz_interest_set_shrink(struct gz_interest_set *interest_set);

#endif
