/* Collects the triangles of the meshes for picking, as a program that draws the file shows them. */
#include <stdlib.h>
#include <string.h>

#include "gltf/mesh.h"
#include "server/maxima.h"

enum mode { TRIANGLES = 4, STRIP, FAN };

/* ---- primitives ---- */

struct primitive {
    struct gz_source positions, indices;
    bool indexed;
    enum mode mode;
    uint32_t both_sides;
    uint64_t vertices, corners;
};

enum reach { OUT_OF_REACH, NO_TRIANGLES, IN_REACH };

static enum reach open_primitive(struct primitive *primitive, const struct gz_mesh_reader *reader,
                                 const struct gz_json *json)
{
    uint64_t mode = gz_json_natural(json, "mode", TRIANGLES);
    int64_t position = gz_json_index(gz_json_get(json, "attributes"), "POSITION");
    int64_t indices = gz_json_index(json, "indices");
    int64_t material = gz_json_index(json, "material");
    if (mode < TRIANGLES) return NO_TRIANGLES;
    if (gz_json_get(gz_json_get(json, "extensions"), "KHR_draco_mesh_compression") != NULL)
        return OUT_OF_REACH;
    if (position < 0) return NO_TRIANGLES;
    *primitive = (struct primitive){.mode = (enum mode)mode, .indexed = indices >= 0};
    if (material >= 0) {
        const struct gz_json *json_material =
            gz_gltf_item(reader->gltf, "materials", (size_t)material);
        primitive->both_sides = gz_json_is(gz_json_get(json_material, "doubleSided"), GZ_JSON_TRUE);
    }
    if (!gz_source_open(&primitive->positions, reader, (size_t)position)) return OUT_OF_REACH;
    primitive->vertices = primitive->corners = primitive->positions.accessor->count;
    if (indices < 0) return IN_REACH;
    if (!gz_source_open(&primitive->indices, reader, (size_t)indices)) return OUT_OF_REACH;
    primitive->corners = primitive->indices.accessor->count;
    return IN_REACH;
}

static uint64_t count_triangles(const struct primitive *primitive)
{
    if (primitive->mode == TRIANGLES) return primitive->corners / 3;
    return primitive->corners >= 3 ? primitive->corners - 2 : 0;
}

/* False if there is no such vertex: sparse indices were not checked before. */
static bool find_vertex(const struct primitive *primitive, uint64_t corner, uint64_t *vertex)
{
    *vertex = corner;
    if (primitive->indexed) {
        const uint8_t *at = gz_element_of(&primitive->indices, corner);
        *vertex = at != NULL ? gz_index_value(primitive->indices.accessor->component_type, at) : 0;
    }
    return *vertex < primitive->vertices;
}

/* Whether a ray can hit the triangle at all. */
static bool is_real(const struct gz_triangle *triangle)
{
    const float(*c)[3] = triangle->corner;
    gz_vec3 sides[2];
    for (int i = 0; i < 3; i++) {
        for (int axis = 0; axis < 3; axis++) {
            if (!(fabsf(c[i][axis]) <= (float)GZ_COORDINATE_MAX)) return false;
        }
    }
    for (int i = 0; i < 2; i++) {
        sides[i] =
            (gz_vec3){(double)c[i + 1][0] - (double)c[0][0], (double)c[i + 1][1] - (double)c[0][1],
                      (double)c[i + 1][2] - (double)c[0][2]};
    }
    gz_vec3 normal = gz_cross(sides[0], sides[1]);
    return normal.x != 0 || normal.y != 0 || normal.z != 0;
}

/* False if one of the vertices does not exist. */
static bool read_triangle(const struct primitive *primitive, uint64_t number,
                          struct gz_triangle *triangle)
{
    uint64_t corners[3] = {3 * number, 3 * number + 1, 3 * number + 2};
    if (primitive->mode == STRIP) {
        corners[0] = number;
        corners[1] = number + 1 + number % 2;
        corners[2] = number + 2 - number % 2;
    } else if (primitive->mode == FAN) {
        corners[0] = number + 1;
        corners[1] = number + 2;
        corners[2] = 0;
    }
    triangle->both_sides = primitive->both_sides;
    for (int i = 0; i < 3; i++) {
        uint64_t vertex;
        if (!find_vertex(primitive, corners[i], &vertex)) return false;
        const uint8_t *at = gz_element_of(&primitive->positions, vertex);
        for (int axis = 0; axis < 3; axis++)
            triangle->corner[i][axis] =
                at != NULL ? (float)gz_element_value(primitive->positions.accessor, at, axis) : 0;
    }
    return true;
}

/* ---- meshes ---- */

static const struct gz_json *primitives_of(const struct gz_mesh_reader *reader, size_t mesh)
{
    return gz_json_get(gz_gltf_item(reader->gltf, "meshes", mesh), "primitives");
}

/* How many triangles the mesh has, whether or not a ray can hit them; 0 if one is out of reach. */
static uint64_t plan_mesh(const struct gz_mesh_reader *reader, size_t mesh)
{
    const struct gz_json *primitives = primitives_of(reader, mesh);
    uint64_t count = 0;
    for (size_t i = 0; i < gz_json_count(primitives); i++) {
        struct primitive primitive;
        enum reach reach = open_primitive(&primitive, reader, gz_json_at(primitives, i));
        if (reach == OUT_OF_REACH) return 0;
        if (reach == IN_REACH) count += count_triangles(&primitive);
        if (count > GZ_SURFACE_TRIANGLES_MAX) return GZ_SURFACE_TRIANGLES_MAX + 1;
    }
    return count;
}

/* How many triangles a ray can hit; 0 if one is out of reach. */
static size_t read_triangles(const struct gz_mesh_reader *reader, size_t mesh,
                             struct gz_triangle *triangles)
{
    const struct gz_json *primitives = primitives_of(reader, mesh);
    size_t count = 0;
    for (size_t i = 0; i < gz_json_count(primitives); i++) {
        struct primitive primitive;
        if (open_primitive(&primitive, reader, gz_json_at(primitives, i)) != IN_REACH) continue;
        uint64_t planned = count_triangles(&primitive);
        for (uint64_t number = 0; number < planned; number++) {
            if (!read_triangle(&primitive, number, &triangles[count])) return 0;
            count += is_real(&triangles[count]);
        }
    }
    return count;
}

static bool has_weight(const struct gz_json *weights)
{
    for (size_t i = 0; i < gz_json_count(weights); i++) {
        if (gz_json_number(gz_json_at(weights, i)) != 0) return true;
    }
    return false;
}

static bool has_targets(const struct gz_json *primitives)
{
    for (size_t i = 0; i < gz_json_count(primitives); i++) {
        if (gz_json_count(gz_json_get(gz_json_at(primitives, i), "targets")) > 0) return true;
    }
    return false;
}

/* ---- all surfaces ---- */

/* What morph targets make of a mesh. */
enum morph { PLAIN, TARGETS, WEIGHTED };

/* What is to be made: the mesh of each node; for each mesh its count of triangles and later its
 * number among the meshes that are made. */
struct plan {
    const struct gz_mesh_reader *reader;
    size_t node_count, mesh_count, made, left_out;
    int64_t *mesh_of; /* -1 for none */
    uint32_t *counts; /* 0 for a mesh that is not made */
    uint8_t *morphs;  /* by mesh */
    size_t triangles, boxes;
};

static bool begin_plan(struct plan *plan, const struct gz_mesh_reader *reader)
{
    *plan = (struct plan){.reader = reader};
    plan->node_count = gz_gltf_count(reader->gltf, "nodes");
    plan->mesh_count = gz_gltf_count(reader->gltf, "meshes");
    plan->mesh_of = malloc((plan->node_count + 1) * sizeof *plan->mesh_of);
    plan->counts = calloc(plan->mesh_count + 1, sizeof *plan->counts);
    plan->morphs = calloc(plan->mesh_count + 1, sizeof *plan->morphs);
    return plan->mesh_of != NULL && plan->counts != NULL && plan->morphs != NULL;
}

static void finish_plan(struct plan *plan)
{
    free(plan->mesh_of);
    free(plan->counts);
    free(plan->morphs);
}

/* Looks at each mesh once: many nodes can show the same one. */
static void find_morphs(struct plan *plan)
{
    for (size_t mesh = 0; mesh < plan->mesh_count; mesh++) {
        if (!has_targets(primitives_of(plan->reader, mesh))) continue;
        const struct gz_json *weights =
            gz_json_get(gz_gltf_item(plan->reader->gltf, "meshes", mesh), "weights");
        plan->morphs[mesh] = has_weight(weights) ? WEIGHTED : TARGETS;
    }
}

/* The mesh that the node shows as it was modelled, or -1. */
static int64_t plain_mesh(const struct plan *plan, size_t node)
{
    const struct gz_json *json = gz_gltf_item(plan->reader->gltf, "nodes", node);
    int64_t mesh = gz_json_index(json, "mesh");
    if (mesh < 0 || gz_json_get(json, "skin") != NULL) return -1;
    if (gz_json_get(gz_json_get(json, "extensions"), "EXT_mesh_gpu_instancing") != NULL) return -1;
    const struct gz_json *weights = gz_json_get(json, "weights");
    if (plan->morphs[mesh] == PLAIN) return mesh;
    bool is_morphed = weights != NULL ? has_weight(weights) : plan->morphs[mesh] == WEIGHTED;
    return is_morphed ? -1 : mesh;
}

static void count_all(struct plan *plan)
{
    find_morphs(plan);
    for (size_t node = 0; node < plan->node_count; node++) {
        plan->mesh_of[node] = plain_mesh(plan, node);
        if (plan->mesh_of[node] >= 0) plan->counts[plan->mesh_of[node]] = 1; /* a node shows it */
    }
    for (size_t mesh = 0; mesh < plan->mesh_count; mesh++) {
        if (plan->counts[mesh] == 0) continue;
        uint64_t count = plan_mesh(plan->reader, mesh);
        bool fits = count <= GZ_SURFACE_TRIANGLES_MAX - plan->triangles;
        plan->left_out += !fits;
        plan->counts[mesh] = fits ? (uint32_t)count : 0;
        if (plan->counts[mesh] == 0) continue;
        plan->made++;
        plan->triangles += plan->counts[mesh];
        plan->boxes += gz_surface_box_count(plan->counts[mesh]);
    }
}

/* One block of memory; the widest members come first, so that all are aligned. */
struct block {
    struct gz_surfaces *surfaces;
    uint32_t *mesh_of;
    struct gz_triangle *triangles;
    float (*boxes)[6];
};

static bool take_block(const struct plan *plan, struct block *block)
{
    size_t head = sizeof *block->surfaces + plan->made * sizeof *block->surfaces->meshes;
    size_t bytes = head + plan->node_count * sizeof *block->mesh_of +
                   plan->triangles * sizeof *block->triangles + plan->boxes * sizeof *block->boxes;
    char *memory = malloc(bytes);
    if (memory == NULL) return false;
    block->surfaces = (struct gz_surfaces *)(void *)memory;
    block->mesh_of = (uint32_t *)(void *)(memory + head);
    block->triangles = (struct gz_triangle *)(void *)(block->mesh_of + plan->node_count);
    block->boxes = (float(*)[6])(void *)(block->triangles + plan->triangles);
    *block->surfaces =
        (struct gz_surfaces){.bytes = bytes,
                             .left_out = plan->left_out,
                             .meshes = (struct gz_surface *)(void *)(block->surfaces + 1),
                             .mesh_of = block->mesh_of,
                             .node_count = plan->node_count};
    return true;
}

static void fill_block(struct plan *plan, struct block block)
{
    uint32_t made = 0;
    for (size_t mesh = 0; mesh < plan->mesh_count; mesh++) {
        if (plan->counts[mesh] == 0) continue;
        size_t count = read_triangles(plan->reader, mesh, block.triangles);
        plan->counts[mesh] = 0;
        if (count == 0) continue;
        gz_surface_build(&block.surfaces->meshes[made++], block.triangles, count, block.boxes);
        plan->counts[mesh] = made;
        block.surfaces->triangle_count += count;
        block.triangles += count;
        block.boxes += gz_surface_box_count(count);
    }
    for (size_t node = 0; node < plan->node_count; node++)
        block.mesh_of[node] = plan->mesh_of[node] >= 0 ? plan->counts[plan->mesh_of[node]] : 0;
}

enum gz_status gz_surfaces_make(struct gz_surfaces **surfaces, const struct gz_mesh_reader *reader)
{
    struct plan plan;
    struct block block = {.surfaces = NULL};
    bool ok = begin_plan(&plan, reader);
    if (ok) count_all(&plan);
    if (ok && plan.triangles > 0) {
        ok = take_block(&plan, &block);
        if (ok) fill_block(&plan, block);
    }
    finish_plan(&plan);
    *surfaces = block.surfaces;
    return ok ? GZ_OK : GZ_NO_MEMORY;
}
