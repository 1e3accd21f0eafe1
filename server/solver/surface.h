/* surface.h - the triangles of a mesh, arranged so that the one a pointer meets first is found
 * after a look at a few.
 *
 * A tree of boxes: the first is about all triangles, the next two about the first and the second
 * half of them, and so on down to a handful. It is complete, so that which triangles a box is about
 * follows from its number: a box is six floats, the depth is the logarithm of the count whatever
 * the triangles are, and nothing recurses.
 *
 *     gz_surface_build(&surface, triangles, count, boxes);      once; `boxes` has room for
 * gz_surface_box_count(count) gz_aim(&aim, &camera, &pointer, &world);                  for each
 * node that shows it gz_surface_hit(&surface, &aim, &tests, &distance);
 *
 * Frames: triangles in the node's own space, as the file has them; a ray is taken there by the
 * inverse of the node's world, in double. Units: distances in the world's metres. Sides: a triangle
 * is met from where its corners go counter-clockwise, from behind only with `both_sides`. A node
 * that mirrors needs no other rule: glTF turns its winding round, and so does its inverse.
 * Exactness: a ray through an edge or a corner that triangles share meets one of them: signs are
 * never wrong, and 0 is inside. Memory: the caller's; nothing is allocated. Threads: a built
 * surface is only read, by as many as like. */
#ifndef GZ_SOLVER_SURFACE_H
#define GZ_SOLVER_SURFACE_H

#include "solver/solver.h"

struct gz_triangle {
    float corner[3][3]; /* finite, at most GZ_COORDINATE_MAX */
    uint32_t both_sides;
};

struct gz_surface {
    const struct gz_triangle *triangles;
    const float (*boxes)[6]; /* min, max; the one about all first, those about the halves of box i
                                at 2 i + 1 and 2 i + 2 */
    uint32_t count;
    uint32_t levels; /* of boxes below the first */
};

/* The levels of 2^31 triangles. */
#define GZ_SURFACE_LEVELS_MAX 30

/* How many boxes `count` triangles need, up to 2^31 of them; 0 for none. */
size_t gz_surface_box_count(size_t count);

/* Brings the triangles into another order, which is why they are not const, and keeps both
 * arrays. */
void gz_surface_build(struct gz_surface *surface, struct gz_triangle *triangles, size_t count,
                      float (*boxes)[6]);

/* The surfaces of an asset: one block of memory, with all that it points to. */
struct gz_surfaces {
    size_t bytes;          /* of the block */
    size_t triangle_count; /* in all meshes; each is there once, however many nodes show it */
    size_t left_out;       /* meshes for whose triangles there was no room */
    struct gz_surface *meshes;
    const uint32_t *
        mesh_of; /* by a node's index in the file: the index of its mesh in `meshes` plus 1, or 0 */
    size_t node_count;
};

/* What is known of the node with this index; NULL for nothing. `surfaces` may be NULL. */
static inline const struct gz_surface *gz_surface_of(const struct gz_surfaces *surfaces,
                                                     int64_t asset)
{
    if (surfaces == NULL || asset < 0 || (uint64_t)asset >= surfaces->node_count) return NULL;
    uint32_t mesh = surfaces->mesh_of[asset];
    return mesh > 0 ? &surfaces->meshes[mesh - 1] : NULL;
}

/* The line of sight under a pointer in the space of a node. */
struct gz_aim {
    gz_vec3 start, way;  /* in the node's space; `way` for a metre in the world */
    gz_vec3 from, along; /* in the world: the start from the node's origin; unit */
    gz_vec3 origin;
    double nearest, furthest; /* metres along it: the camera's near and far plane */
};

/* False if the pointer meets nothing (as gz_pick_node), or the world has no inverse. `camera`
 * may be NULL for a ray. */
bool gz_aim(struct gz_aim *aim, const struct gz_camera *camera, const struct gz_pointer *pointer,
            const gz_affine *world);

/* The place at this distance, in the world. */
static inline gz_vec3 gz_aim_place(const struct gz_aim *aim, double distance)
{
    return gz_add(aim->origin, gz_add(aim->from, gz_scale(aim->along, distance)));
}

/* No triangle is met nearer than this, infinite if none is met at all. One test of a box. */
double gz_surface_enter(const struct gz_surface *surface, const struct gz_aim *aim);

enum gz_surface_outcome {
    GZ_MISSED,
    GZ_MET,
    GZ_GAVE_UP /* after as many tests as there might be */
};

/* Of the triangles no further away than *distance the one that is met first, and in *distance how
 * far away that is: as gz_pick_node says it. *tests is how many boxes and triangles may be tested;
 * the number of tests that were made is subtracted. The outputs are set with GZ_MET. */
enum gz_surface_outcome gz_surface_hit(const struct gz_surface *surface, const struct gz_aim *aim,
                                       size_t *tests, double *distance);

/* What a pointer passes by. */
struct gz_beside {
    double px; /* in: how near it must come; out: how near it does */
    double distance;
    gz_vec3 point; /* world */
};

/* For parts that are thinner or smaller than a hand is steady: the place on the edges of the
 * triangles that are seen from this side which comes nearest to the pointer on the screen, if that
 * is not further than beside->px. Meant for pointers that meet nothing. *tests as above; `beside`
 * is set with GZ_MET. */
enum gz_surface_outcome gz_surface_pass(const struct gz_surface *surface,
                                        const struct gz_camera *camera,
                                        const struct gz_pointer *pointer, const gz_affine *world,
                                        size_t *tests, struct gz_beside *beside);

#endif
