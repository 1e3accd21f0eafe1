/* interest_set.h - the nodes in one viewer's interest, and which of them the viewer has.
 *
 * A viewer's interest is a region of the scene. Its interest set holds the nodes that match the
 * region and all nodes above them, so that the set is a closed tree. An update looks only at what
 * moved since the last one. For a new region every node is looked at first, in slices; nodes that
 * change meanwhile are looked at by the next update. A node is news if it is in the set and the
 * viewer does not have it yet, or if it left the set and the viewer still has it.
 *
 * Memory: some 50 bytes for each node that is in the set or that the viewer has, nothing for the
 * others. Ownership: the cursor's. Threads: one. Errors: false without memory; after a failed
 * update the set has to be reset. */
#ifndef GZ_FEED_INTEREST_SET_H
#define GZ_FEED_INTEREST_SET_H

#include "scene/scene.h"

#define GZ_REGION_PLANES 6

enum gz_region_kind {
    GZ_REGION_WHOLE, /* every node */
    GZ_REGION_NODES, /* these nodes, if they exist, and all nodes below them */
    GZ_REGION_BOX,   /* nodes whose box in the world has a point in this box; a node without bounds
                        counts as its origin */
    GZ_REGION_VIEW   /* nodes whose box in the world has a point on the inner side of each plane */
};

struct gz_region {
    enum gz_region_kind kind;
    const uint64_t *ids;
    size_t id_count;
    gz_box box;
    gz_plane planes[GZ_REGION_PLANES];
};

struct gz_interest_set;

/* An empty set of a viewer that has no nodes. NULL without memory. */
struct gz_interest_set *gz_interest_set_create(void);
void gz_interest_set_destroy(struct gz_interest_set *set); /* NULL is fine */

/* The next update takes this region; its ids are copied. On failure nothing changed. */
GZ_MUST_USE bool gz_interest_set_choose(struct gz_interest_set *set,
                                        const struct gz_region *region);
bool gz_interest_set_is_whole(const struct gz_interest_set *set);

/* For a new set: the viewer has the whole scene as it was at `seq`. The following slices collect
 * these nodes (gz_interest_set_is_assuming). If a tombstone of a later seq is forgotten meanwhile,
 * they cannot find all of them: the set then has to be reset. */
void gz_interest_set_assume_all(struct gz_interest_set *set, uint64_t seq);
bool gz_interest_set_is_assuming(const struct gz_interest_set *set);
/* From now on the viewer counts as having no nodes. */
void gz_interest_set_reset(struct gz_interest_set *set);

/* Whether the look at every node is over: an update then looks only at nodes that moved. */
bool gz_interest_set_is_ready(const struct gz_interest_set *set, const struct gz_scene *scene);
/* A slice of the look at every node. Each node that is looked at takes one from *budget. A walk to
 * named nodes takes none; they take theirs when they are looked at. */
GZ_MUST_USE bool gz_interest_set_advance(struct gz_interest_set *set, struct gz_scene *scene,
                                         size_t *budget);
/* Brings the set up to date with the scene, with all slices that are left. */
GZ_MUST_USE bool gz_interest_set_update(struct gz_interest_set *set, struct gz_scene *scene);
/* How many nodes updates looked at since the last call: nodes that changed, and nodes that moved
 * along. */
size_t gz_interest_set_take_looks(struct gz_interest_set *set);
/* After an update: takes the next news and returns the node's id, 0 if there is none. The viewer
 * then has the node as of `seq`, or, if `gone`, no longer has it. */
uint64_t gz_interest_set_next_news(struct gz_interest_set *set, uint64_t seq, bool *gone);
bool gz_interest_set_has_news(const struct gz_interest_set *set);
/* The viewer is sent this node as of `seq`: returns the seq as of which it had the node before; 0,
 * without a change, if the viewer does not have it. */
uint64_t gz_interest_set_send(struct gz_interest_set *set, uint64_t id, uint64_t seq);
/* Frees memory that only a larger set needed. */
void gz_interest_set_shrink(struct gz_interest_set *set);

#endif
