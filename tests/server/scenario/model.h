/* model.h - the engine, read from its file by code that shares nothing with the server: matrices in
 * long doubles, bounds from the corners of each mesh's POSITION min and max. */
#ifndef TESTS_SCENARIO_MODEL_H
#define TESTS_SCENARIO_MODEL_H

#include <stdbool.h>
#include <stddef.h>

/* Debian's package assimp-testmodels. */
#define MODEL_ENGINE                                                                               \
    "/usr/share/assimp/models/glTF2/2CylinderEngine-glTF-Binary/2CylinderEngine.glb"
#define MODEL_NODES_MAX 128

struct model_node {
    int parent, depth; /* parent -1 and depth 0 for a root */
    long double world[16];
    bool has_bounds;
    long double min[3], max[3]; /* in the world, of this node's own mesh */
};

struct model {
    size_t count;
    struct model_node nodes[MODEL_NODES_MAX]; /* by their index in the file */
};

/* Reads the file; fails the test in words where it is not installed. */
void model_read(struct model *model, const char *path);

#endif
