/* Finds the boxes of nodes: all that a program may show of their meshes, in the node's own space.
 *
 * A box holds the vertices as they were modelled, which is what the editor shows, and as the file
 * says that they stand when nothing is animated: bent by the weights of morph targets, moved by the
 * joints of a skin, repeated by EXT_mesh_gpu_instancing. Each morph target alone, at its full
 * weight, is held too, because programs set weights. Animations are not followed. Positions that
 * cannot be read (compressed, lost) count with the box that the file declares. */
#include <stdlib.h>
#include <string.h>

#include "gltf/mesh.h"
#include "server/maxima.h"

#define JOINT_SETS_MAX 2
#define MOST_TARGETS 256 /* of a primitive that are looked at */
#define LOOKS_PER_PRIMITIVE 100
#define LOOKS_PER_VERTEX 8

struct grown {
    bool known;
    gz_box box;
};

/* The accessors that say where the vertices of a primitive stand. */
struct shape {
    struct gz_source positions, targets[MOST_TARGETS];
    double weights[MOST_TARGETS];
    size_t target_count;
    struct gz_source joints[JOINT_SETS_MAX], shares[JOINT_SETS_MAX];
    size_t joint_sets;
};

struct boxes {
    struct gz_mesh_reader *reader;
    struct gz_import *import;
    struct grown *meshes; /* by mesh, as nodes without weights or a skin of their own show it */
    bool *is_read;
    int64_t *places;     /* glTF index of a node -> index in the import, -1 */
    gz_affine *worlds;   /* of the nodes of the import */
    struct shape *shape; /* of the primitive that is read */
    bool no_memory;
};

/* What moves the vertices of one node's mesh. */
struct bend {
    const struct gz_json *weights; /* NULL for none */
    const gz_affine *joints;       /* the node's own space -> where the joint takes it; NULL */
    size_t joint_count;
};

/* ---- boxes ---- */

static void grow(struct grown *grown, gz_vec3 point)
{
    if (!gz_finite(point)) return;
    double *at[3] = {&point.x, &point.y, &point.z};
    for (int axis = 0; axis < 3; axis++)
        *at[axis] = fmax(-GZ_COORDINATE_MAX, fmin(GZ_COORDINATE_MAX, *at[axis]));
    gz_box box = {point, point};
    grown->box = grown->known ? gz_box_union(&grown->box, &box) : box;
    grown->known = true;
}

static void grow_box(struct grown *grown, const struct grown *more)
{
    if (!more->known) return;
    grow(grown, more->box.min);
    grow(grown, more->box.max);
}

static gz_vec3 read_vector(const struct gz_source *source, uint64_t i, double missing)
{
    const struct gz_accessor *accessor = source->accessor;
    if (accessor == NULL) return (gz_vec3){missing, missing, missing};
    const uint8_t *at = gz_element_of(source, i);
    if (at == NULL) return (gz_vec3){0, 0, 0};
    return (gz_vec3){gz_element_value(accessor, at, 0), gz_element_value(accessor, at, 1),
                     gz_element_value(accessor, at, 2)};
}

/* ---- positions ---- */

static bool read_corner(struct gz_mesh_reader *reader, size_t index, const char *key,
                        gz_vec3 *corner)
{
    const struct gz_accessor *accessor = &reader->accessors[index];
    const struct gz_json *list = gz_json_get(accessor->json, key);
    double values[3];
    if (gz_json_count(list) != 3) {
        gz_gltf_flaw(reader->gltf, "accessors[%zu].%s: a POSITION must have one, of 3 numbers",
                     index, key);
        return false;
    }
    for (size_t i = 0; i < 3; i++) {
        if (gz_json_at(list, i) == NULL) return false;
        values[i] = gz_component_value(accessor, gz_json_number(gz_json_at(list, i)));
    }
    *corner = (gz_vec3){values[0], values[1], values[2]};
    return true;
}

static void read_declared(struct gz_mesh_reader *reader, size_t index, struct grown *grown)
{
    gz_vec3 min, max;
    if (!read_corner(reader, index, "min", &min) || !read_corner(reader, index, "max", &max))
        return;
    if (!(min.x <= max.x && min.y <= max.y && min.z <= max.z)) {
        gz_gltf_flaw(reader->gltf, "accessors[%zu].min: must not be larger than max", index);
        return;
    }
    grow(grown, min);
    grow(grown, max);
}

/* Without bytes of its own all elements of a sparse accessor are 0 but the replaced ones. */
static void read_replaced(struct gz_mesh_reader *reader, const struct gz_source *source,
                          struct grown *grown)
{
    const struct gz_accessor *accessor = source->accessor;
    if (!gz_mesh_charge(reader, source->replaced, LOOKS_PER_VERTEX)) return;
    if (source->replaced < accessor->count) grow(grown, (gz_vec3){0, 0, 0});
    for (uint64_t i = 0; i < source->replaced; i++) {
        const uint8_t *at = source->values + i * accessor->element;
        grow(grown, (gz_vec3){gz_element_value(accessor, at, 0), gz_element_value(accessor, at, 1),
                              gz_element_value(accessor, at, 2)});
    }
}

static void read_each(const struct gz_mesh_reader *reader, size_t index,
                      const struct gz_source *source, struct grown *grown)
{
    uint64_t count = source->accessor->count, lost = 0;
    for (uint64_t i = 0; i < count; i++) {
        gz_vec3 place = read_vector(source, i, 0);
        lost += !gz_finite(place);
        grow(grown, place);
    }
    if (lost > 0)
        gz_gltf_flaw(reader->gltf,
                     "accessors[%zu]: %llu of %llu positions are not finite, and stand nowhere",
                     index, (unsigned long long)lost, (unsigned long long)count);
}

/* The box of an accessor of positions, which is read once. */
static struct grown read_positions(struct gz_mesh_reader *reader, size_t index)
{
    struct gz_accessor *accessor = &reader->accessors[index];
    struct grown grown = {.known = accessor->box_known, .box = accessor->box};
    struct gz_source source;
    if (accessor->box_read || accessor->json == NULL ||
        (accessor->components != 3 && accessor->components != 0))
        return grown;
    if (gz_source_open(&source, reader, index)) {
        if (accessor->data == NULL)
            read_replaced(reader, &source, &grown);
        else if (gz_mesh_charge(reader, accessor->count, LOOKS_PER_VERTEX))
            read_each(reader, index, &source, &grown);
    }
    if (!grown.known) read_declared(reader, index, &grown);
    accessor->box_read = true;
    accessor->box_known = grown.known;
    accessor->box = grown.box;
    return grown;
}

/* ---- primitives ---- */

static bool open_attribute(struct gz_source *source, const struct gz_mesh_reader *reader,
                           const struct gz_json *attributes, const char *key, unsigned components)
{
    int64_t index = gz_json_index(attributes, key);
    return index >= 0 && reader->accessors[index].components == components &&
           gz_source_open(source, reader, (size_t)index);
}

static bool open_targets(struct shape *shape, const struct gz_mesh_reader *reader,
                         const struct gz_json *json, const struct bend *bend)
{
    const struct gz_json *targets = gz_json_get(json, "targets");
    if (gz_json_count(targets) > MOST_TARGETS) return false;
    for (size_t i = 0; i < gz_json_count(targets); i++) {
        const struct gz_json *target = gz_json_at(targets, i);
        struct gz_source *source = &shape->targets[shape->target_count];
        if (gz_json_index(target, "POSITION") < 0) continue;
        if (!open_attribute(source, reader, target, "POSITION", 3)) return false;
        if (source->accessor->count < shape->positions.accessor->count) return false;
        shape->weights[shape->target_count++] = gz_json_number(gz_json_at(bend->weights, i));
    }
    return true;
}

static bool open_joints(struct shape *shape, const struct gz_mesh_reader *reader,
                        const struct gz_json *attributes)
{
    static const char *const keys[JOINT_SETS_MAX][2] = {{"JOINTS_0", "WEIGHTS_0"},
                                                        {"JOINTS_1", "WEIGHTS_1"}};
    for (size_t i = 0; i < JOINT_SETS_MAX; i++) {
        if (gz_json_index(attributes, keys[i][0]) < 0) break;
        if (!open_attribute(&shape->joints[i], reader, attributes, keys[i][0], 4) ||
            !open_attribute(&shape->shares[i], reader, attributes, keys[i][1], 4) ||
            shape->joints[i].accessor->count < shape->positions.accessor->count ||
            shape->shares[i].accessor->count < shape->positions.accessor->count)
            return false;
        shape->joint_sets++;
    }
    return true;
}

/* Where the joints take a vertex. */
static gz_vec3 skinned(const struct shape *shape, const struct bend *bend, uint64_t vertex,
                       gz_vec3 place)
{
    gz_vec3 sum = {0, 0, 0};
    double total = 0;
    for (size_t set = 0; set < shape->joint_sets; set++) {
        const struct gz_source *joints = &shape->joints[set], *shares = &shape->shares[set];
        const uint8_t *joint = gz_element_of(joints, vertex),
                      *share = gz_element_of(shares, vertex);
        for (unsigned i = 0; i < 4 && joint != NULL && share != NULL; i++) {
            double index = gz_element_value(joints->accessor, joint, i);
            double part = gz_element_value(shares->accessor, share, i);
            if (!(part > 0) || !(index < (double)bend->joint_count)) continue;
            gz_vec3 moved = gz_affine_apply(&bend->joints[(size_t)index], place);
            sum = gz_add(sum, gz_scale(moved, part));
            total += part;
        }
    }
    return total > 0 ? gz_scale(sum, 1 / total) : place;
}

static void grow_vertices(struct grown *grown, const struct shape *shape, const struct bend *bend)
{
    for (uint64_t vertex = 0; vertex < shape->positions.accessor->count; vertex++) {
        gz_vec3 place = read_vector(&shape->positions, vertex, 0), posed = place;
        for (size_t i = 0; i < shape->target_count; i++) {
            gz_vec3 offset = read_vector(&shape->targets[i], vertex, 0);
            grow(grown, gz_add(place, offset));
            posed = gz_add(posed, gz_scale(offset, shape->weights[i]));
        }
        grow(grown, posed);
        if (bend->joints != NULL) grow(grown, skinned(shape, bend, vertex, posed));
    }
}

/* Without the bytes: each target moves the whole box, alone and as its weight says together with
 * the others, and each joint takes all of it along. */
static void grow_declared(struct boxes *boxes, const struct gz_json *json, const struct bend *bend,
                          struct grown *grown, const struct grown *plain)
{
    const struct gz_json *targets = gz_json_get(json, "targets");
    struct grown bent = *plain;
    gz_box together = plain->box;
    for (size_t i = 0; i < gz_json_count(targets) && plain->known; i++) {
        int64_t index = gz_json_index(gz_json_at(targets, i), "POSITION");
        if (index < 0) continue;
        struct grown offset = read_positions(boxes->reader, (size_t)index);
        if (!offset.known) continue;
        double weight = gz_json_number(gz_json_at(bend->weights, i));
        bool is_forward = weight >= 0;
        grow(&bent, gz_add(plain->box.min, offset.box.min));
        grow(&bent, gz_add(plain->box.max, offset.box.max));
        together.min =
            gz_add(together.min, gz_scale(is_forward ? offset.box.min : offset.box.max, weight));
        together.max =
            gz_add(together.max, gz_scale(is_forward ? offset.box.max : offset.box.min, weight));
    }
    if (!plain->known) return;
    grow(&bent, together.min);
    grow(&bent, together.max);
    grow_box(grown, &bent);
    if (bend->joints == NULL || !gz_mesh_charge(boxes->reader, bend->joint_count, LOOKS_PER_VERTEX))
        return;
    for (size_t i = 0; i < bend->joint_count; i++) {
        struct grown taken = {true, gz_box_transform(&bent.box, &bend->joints[i])};
        grow_box(grown, &taken);
    }
}

static void grow_primitive(struct boxes *boxes, const struct gz_json *json, const struct bend *bend,
                           struct grown *grown)
{
    struct gz_mesh_reader *reader = boxes->reader;
    const struct gz_json *attributes = gz_json_get(json, "attributes");
    int64_t position = gz_json_index(attributes, "POSITION");
    if (position < 0) return;
    struct grown plain = read_positions(reader, (size_t)position);
    grow_box(grown, &plain);
    if (gz_json_count(gz_json_get(json, "targets")) == 0 && bend->joints == NULL) return;
    struct shape *shape = boxes->shape;
    shape->target_count = shape->joint_sets = 0;
    bool is_open = open_attribute(&shape->positions, reader, attributes, "POSITION", 3) &&
                   open_targets(shape, reader, json, bend);
    is_open = is_open && (bend->joints == NULL || open_joints(shape, reader, attributes));
    uint64_t looks = LOOKS_PER_VERTEX * (1 + shape->target_count + 8 * shape->joint_sets);
    if (is_open && gz_mesh_charge(reader, shape->positions.accessor->count, looks))
        grow_vertices(grown, shape, bend);
    else
        grow_declared(boxes, json, bend, grown, &plain);
}

/* ---- meshes and nodes ---- */

static struct grown read_mesh(struct boxes *boxes, size_t mesh, const struct bend *bend)
{
    const struct gz_json *json = gz_gltf_item(boxes->reader->gltf, "meshes", mesh);
    const struct gz_json *primitives = gz_json_get(json, "primitives");
    struct bend with = *bend;
    struct grown grown = {.known = false};
    if (with.weights == NULL) with.weights = gz_json_get(json, "weights");
    for (size_t i = 0; i < gz_json_count(primitives); i++)
        grow_primitive(boxes, gz_json_at(primitives, i), &with, &grown);
    return grown;
}

static struct grown usual_box(struct boxes *boxes, size_t mesh)
{
    if (!boxes->is_read[mesh]) boxes->meshes[mesh] = read_mesh(boxes, mesh, &(struct bend){0});
    boxes->is_read[mesh] = true;
    return boxes->meshes[mesh];
}

/* The inverse bind matrix of a joint; none is the identity. */
static gz_affine read_bind(const struct gz_source *source, size_t joint)
{
    double m[16];
    const uint8_t *at = source->accessor != NULL && joint < source->accessor->count
                            ? gz_element_of(source, joint)
                            : NULL;
    if (at == NULL) return gz_affine_identity;
    for (unsigned i = 0; i < 16; i++) m[i] = gz_element_value(source->accessor, at, i);
    return gz_affine_from_matrix(m);
}

/* For free(); NULL if the skin cannot be followed: a joint that is not in the scene, a node that
 * cannot be inverted. */
static gz_affine *find_joints(struct boxes *boxes, size_t node, const struct gz_json *skin)
{
    const struct gz_json *joints = gz_json_get(skin, "joints");
    size_t count = gz_json_count(joints);
    int64_t binds = gz_json_index(skin, "inverseBindMatrices");
    struct gz_source source = {.accessor = NULL};
    gz_affine inverse;
    if (binds >= 0 && (boxes->reader->accessors[binds].components != 16 ||
                       boxes->reader->accessors[binds].component_type != GZ_FLOAT ||
                       !gz_source_open(&source, boxes->reader, (size_t)binds)))
        return NULL;
    if (count == 0 || !gz_mesh_charge(boxes->reader, count, LOOKS_PER_VERTEX) ||
        !gz_affine_inverse(&boxes->worlds[node], &inverse))
        return NULL;
    gz_affine *found = malloc(count * sizeof *found);
    if (found == NULL) boxes->no_memory = true;
    for (size_t i = 0; i < count && found != NULL; i++) {
        const struct gz_json *joint = gz_json_at(joints, i);
        int64_t place = joint != NULL ? boxes->places[(size_t)gz_json_number(joint)] : -1;
        if (place < 0) {
            free(found);
            return NULL;
        }
        gz_affine bind = read_bind(&source, i);
        gz_affine bound = gz_affine_multiply(&boxes->worlds[place], &bind);
        found[i] = gz_affine_multiply(&inverse, &bound);
    }
    return found;
}

/* Each instance shows the box as it shows the mesh. */
static void grow_instances(struct boxes *boxes, const struct gz_json *attributes,
                           struct grown *grown)
{
    static const struct {
        const char *key;
        unsigned components;
    } parts[] = {{"TRANSLATION", 3}, {"ROTATION", 4}, {"SCALE", 3}};
    struct gz_source sources[3] = {{.accessor = NULL}};
    uint64_t count = 0;
    gz_box box = grown->box;
    for (int i = 0; i < 3; i++) {
        if (gz_json_get(attributes, parts[i].key) == NULL) continue;
        if (!open_attribute(&sources[i], boxes->reader, attributes, parts[i].key,
                            parts[i].components)) {
            gz_gltf_flaw(boxes->reader->gltf,
                         "EXT_mesh_gpu_instancing.attributes.%s: cannot be read, so the boxes of "
                         "its nodes hold the first instance only",
                         parts[i].key);
            return;
        }
        uint64_t own = sources[i].accessor->count;
        count = count == 0 || own < count ? own : count;
    }
    if (!gz_mesh_charge(boxes->reader, count, LOOKS_PER_VERTEX)) return;
    for (uint64_t i = 0; i < count; i++) {
        gz_trs trs = {read_vector(&sources[0], i, 0), {0, 0, 0, 1}, read_vector(&sources[2], i, 1)};
        const uint8_t *turn = sources[1].accessor != NULL ? gz_element_of(&sources[1], i) : NULL;
        double r[4] = {0, 0, 0, 1};
        for (unsigned k = 0; k < 4 && turn != NULL; k++)
            r[k] = gz_element_value(sources[1].accessor, turn, k);
        (void)gz_quat_normalize((gz_quat){r[0], r[1], r[2], r[3]}, &trs.r);
        gz_affine affine = gz_affine_from_trs(&trs);
        struct grown one = {true, gz_box_transform(&box, &affine)};
        grow_box(grown, &one);
    }
}

static void read_node(struct boxes *boxes, size_t index)
{
    struct gz_import_node *node = &boxes->import->nodes[index];
    struct gz_gltf *gltf = boxes->reader->gltf;
    const struct gz_json *json = gz_gltf_item(gltf, "nodes", node->asset);
    int64_t mesh = gz_json_index(json, "mesh"), skin = gz_json_index(json, "skin");
    if (mesh < 0) return;
    struct bend bend = {.weights = gz_json_get(json, "weights")};
    gz_affine *joints = NULL;
    if (skin >= 0) {
        const struct gz_json *json_skin = gz_gltf_item(gltf, "skins", (size_t)skin);
        bend.joints = joints = find_joints(boxes, index, json_skin);
        bend.joint_count = gz_json_count(gz_json_get(json_skin, "joints"));
        gz_affine inverse;
        if (joints == NULL && gz_affine_inverse(&boxes->worlds[index], &inverse))
            gz_gltf_flaw(
                gltf,
                "nodes[%u].skin: cannot be followed, so the box of the node holds its mesh "
                "as it was modelled",
                (unsigned)node->asset);
    }
    const struct gz_json *primitives =
        gz_json_get(gz_gltf_item(gltf, "meshes", (size_t)mesh), "primitives");
    bool is_usual = (bend.weights == NULL && joints == NULL) ||
                    !gz_mesh_charge(boxes->reader, gz_json_count(primitives), LOOKS_PER_PRIMITIVE);
    struct grown grown =
        is_usual ? usual_box(boxes, (size_t)mesh) : read_mesh(boxes, (size_t)mesh, &bend);
    const struct gz_json *instances = gz_json_get(
        gz_json_get(gz_json_get(json, "extensions"), "EXT_mesh_gpu_instancing"), "attributes");
    if (instances != NULL && grown.known) grow_instances(boxes, instances, &grown);
    free(joints);
    node->has_bounds = grown.known;
    if (grown.known) node->bounds = grown.box;
}

static void find_worlds(struct boxes *boxes)
{
    for (size_t i = 0; i < gz_gltf_count(boxes->reader->gltf, "nodes"); i++) boxes->places[i] = -1;
    for (size_t i = 0; i < boxes->import->count; i++) {
        const struct gz_import_node *node = &boxes->import->nodes[i];
        gz_affine local = gz_affine_from_trs(&node->trs);
        boxes->places[node->asset] = (int64_t)i;
        boxes->worlds[i] =
            node->parent >= 0 ? gz_affine_multiply(&boxes->worlds[node->parent], &local) : local;
    }
}

enum gz_status gz_boxes_make(struct gz_import *import, struct gz_mesh_reader *reader)
{
    size_t mesh_count = gz_gltf_count(reader->gltf, "meshes");
    struct boxes boxes = {.reader = reader, .import = import};
    boxes.meshes = calloc(mesh_count + 1, sizeof *boxes.meshes);
    boxes.is_read = calloc(mesh_count + 1, sizeof *boxes.is_read);
    boxes.places = malloc((gz_gltf_count(reader->gltf, "nodes") + 1) * sizeof *boxes.places);
    boxes.worlds = malloc((import->count + 1) * sizeof *boxes.worlds);
    boxes.shape = calloc(1, sizeof *boxes.shape);
    bool has_room = boxes.meshes != NULL && boxes.is_read != NULL && boxes.places != NULL &&
                    boxes.worlds != NULL && boxes.shape != NULL;
    if (has_room) find_worlds(&boxes);
    for (size_t i = 0; i < import->count && has_room; i++) read_node(&boxes, i);
    free(boxes.meshes);
    free(boxes.is_read);
    free(boxes.places);
    free(boxes.worlds);
    free(boxes.shape);
    return has_room && !boxes.no_memory ? GZ_OK : GZ_NO_MEMORY;
}
