/* Checks the types, ranges and indices of a glTF's JSON by a table of rules. What breaks a rule is
 * disregarded, which costs the file that part; only without its nodes a file is refused. */
#include "gltf/file.h"
#include "proto/limits.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* What glTF 2.0 says about the properties that are read here, or that a program needs to draw the
 * file. A path names members; "[]" is every element of a list and "*" every member of an
 * object. */
enum kind { OBJECT, LIST, TEXT, BOOLEAN, NUMBER, NUMBERS, NATURAL, INDEX };

struct rule {
    const char *path;
    enum kind kind;
    bool needed;        /* without its last member the object that holds it is disregarded */
    const char *target; /* INDEX: the list at the top level that it points into */
    unsigned low, high; /* NATURAL: the range, high 0 is none; NUMBERS: high is how many */
};

/* A texture of a material's extension. */
#define TEXTURE(name)                                                                              \
    {                                                                                              \
        .path = "materials[].extensions.KHR_materials_" name ".index", .kind = INDEX,              \
        .target = "textures"                                                                       \
    }

/* clang-format off */
static const struct rule rules[] = {
    {.path = "scene", .kind = INDEX, .target = "scenes"},
    {.path = "scenes[]", .kind = OBJECT},
    {.path = "scenes[].name", .kind = TEXT},
    {.path = "scenes[].nodes[]", .kind = INDEX, .target = "nodes"},
    {.path = "nodes", .kind = LIST},
    {.path = "nodes[]", .kind = OBJECT},
    {.path = "nodes[].name", .kind = TEXT},
    {.path = "nodes[].children[]", .kind = INDEX, .target = "nodes"},
    {.path = "nodes[].mesh", .kind = INDEX, .target = "meshes"},
    {.path = "nodes[].camera", .kind = INDEX, .target = "cameras"},
    {.path = "nodes[].skin", .kind = INDEX, .target = "skins"},
    {.path = "nodes[].matrix", .kind = NUMBERS, .high = 16},
    {.path = "nodes[].translation", .kind = NUMBERS, .high = 3},
    {.path = "nodes[].rotation", .kind = NUMBERS, .high = 4},
    {.path = "nodes[].scale", .kind = NUMBERS, .high = 3},
    {.path = "nodes[].weights[]", .kind = NUMBER},
    {.path = "nodes[].extensions", .kind = OBJECT},
    {.path = "nodes[].extensions.EXT_mesh_gpu_instancing.attributes.*",
     .kind = INDEX, .target = "accessors"},
    {.path = "nodes[].extensions.KHR_lights_punctual.light", .kind = INDEX, .target = GZ_LIGHTS},
    {.path = "nodes[].extensions.MSFT_lod.ids[]", .kind = INDEX, .target = "nodes"},
    {.path = "meshes[]", .kind = OBJECT},
    {.path = "meshes[].name", .kind = TEXT},
    {.path = "meshes[].primitives", .kind = LIST, .needed = true},
    {.path = "meshes[].primitives[].attributes", .kind = OBJECT, .needed = true},
    {.path = "meshes[].primitives[].attributes.*", .kind = INDEX, .target = "accessors"},
    {.path = "meshes[].primitives[].indices", .kind = INDEX, .target = "accessors"},
    {.path = "meshes[].primitives[].material", .kind = INDEX, .target = "materials"},
    {.path = "meshes[].primitives[].mode", .kind = NATURAL, .high = 6},
    {.path = "meshes[].primitives[].targets[].*", .kind = INDEX, .target = "accessors"},
    {.path = "meshes[].primitives[].extensions.KHR_draco_mesh_compression.bufferView",
     .kind = INDEX, .needed = true, .target = "bufferViews"},
    {.path = "meshes[].primitives[].extensions.KHR_materials_variants.mappings[].material",
     .kind = INDEX, .target = "materials"},
    {.path = "meshes[].primitives[].extensions.KHR_materials_variants.mappings[].variants[]",
     .kind = INDEX, .target = GZ_VARIANTS},
    {.path = "meshes[].weights[]", .kind = NUMBER},
    {.path = "accessors[]", .kind = OBJECT},
    {.path = "accessors[].bufferView", .kind = INDEX, .target = "bufferViews"},
    {.path = "accessors[].byteOffset", .kind = NATURAL},
    {.path = "accessors[].componentType",
     .kind = NATURAL, .needed = true, .low = 5120, .high = 5126},
    {.path = "accessors[].normalized", .kind = BOOLEAN},
    {.path = "accessors[].count", .kind = NATURAL, .needed = true, .low = 1},
    {.path = "accessors[].type", .kind = TEXT, .needed = true},
    {.path = "accessors[].min[]", .kind = NUMBER},
    {.path = "accessors[].max[]", .kind = NUMBER},
    {.path = "accessors[].sparse.count", .kind = NATURAL, .needed = true, .low = 1},
    {.path = "accessors[].sparse.indices", .kind = OBJECT, .needed = true},
    {.path = "accessors[].sparse.indices.bufferView",
     .kind = INDEX, .needed = true, .target = "bufferViews"},
    {.path = "accessors[].sparse.indices.byteOffset", .kind = NATURAL},
    {.path = "accessors[].sparse.indices.componentType",
     .kind = NATURAL, .needed = true, .low = 5120, .high = 5126},
    {.path = "accessors[].sparse.values", .kind = OBJECT, .needed = true},
    {.path = "accessors[].sparse.values.bufferView",
     .kind = INDEX, .needed = true, .target = "bufferViews"},
    {.path = "accessors[].sparse.values.byteOffset", .kind = NATURAL},
    {.path = "bufferViews[]", .kind = OBJECT},
    {.path = "bufferViews[].buffer", .kind = INDEX, .needed = true, .target = "buffers"},
    {.path = "bufferViews[].byteOffset", .kind = NATURAL},
    {.path = "bufferViews[].byteLength", .kind = NATURAL, .needed = true, .low = 1},
    {.path = "bufferViews[].byteStride", .kind = NATURAL, .low = 4, .high = 252},
    {.path = "bufferViews[].extensions.EXT_meshopt_compression.buffer",
     .kind = INDEX, .target = "buffers"},
    {.path = "bufferViews[].extensions.KHR_meshopt_compression.buffer",
     .kind = INDEX, .target = "buffers"},
    {.path = "buffers[]", .kind = OBJECT},
    {.path = "buffers[].byteLength", .kind = NATURAL, .needed = true, .low = 1},
    {.path = "buffers[].uri", .kind = TEXT},
    {.path = "images[]", .kind = OBJECT},
    {.path = "images[].uri", .kind = TEXT},
    {.path = "images[].mimeType", .kind = TEXT},
    {.path = "images[].bufferView", .kind = INDEX, .target = "bufferViews"},
    {.path = "textures[]", .kind = OBJECT},
    {.path = "textures[].source", .kind = INDEX, .target = "images"},
    {.path = "textures[].sampler", .kind = INDEX, .target = "samplers"},
    {.path = "textures[].extensions.KHR_texture_basisu.source", .kind = INDEX, .target = "images"},
    {.path = "textures[].extensions.EXT_texture_webp.source", .kind = INDEX, .target = "images"},
    {.path = "textures[].extensions.EXT_texture_avif.source", .kind = INDEX, .target = "images"},
    {.path = "textures[].extensions.MSFT_texture_dds.source", .kind = INDEX, .target = "images"},
    {.path = "samplers[]", .kind = OBJECT},
    {.path = "materials[]", .kind = OBJECT},
    {.path = "materials[].name", .kind = TEXT},
    {.path = "materials[].pbrMetallicRoughness", .kind = OBJECT},
    {.path = "materials[].pbrMetallicRoughness.baseColorFactor", .kind = NUMBERS, .high = 4},
    {.path = "materials[].pbrMetallicRoughness.metallicFactor", .kind = NUMBER},
    {.path = "materials[].pbrMetallicRoughness.roughnessFactor", .kind = NUMBER},
    {.path = "materials[].pbrMetallicRoughness.baseColorTexture.index",
     .kind = INDEX, .needed = true, .target = "textures"},
    {.path = "materials[].pbrMetallicRoughness.metallicRoughnessTexture.index",
     .kind = INDEX, .needed = true, .target = "textures"},
    {.path = "materials[].normalTexture.scale", .kind = NUMBER},
    {.path = "materials[].normalTexture.index",
     .kind = INDEX, .needed = true, .target = "textures"},
    {.path = "materials[].occlusionTexture.strength", .kind = NUMBER},
    {.path = "materials[].occlusionTexture.index",
     .kind = INDEX, .needed = true, .target = "textures"},
    {.path = "materials[].emissiveTexture.index",
     .kind = INDEX, .needed = true, .target = "textures"},
    TEXTURE("anisotropy.anisotropyTexture"),
    TEXTURE("clearcoat.clearcoatTexture"),
    TEXTURE("clearcoat.clearcoatRoughnessTexture"),
    TEXTURE("clearcoat.clearcoatNormalTexture"),
    TEXTURE("diffuse_transmission.diffuseTransmissionTexture"),
    TEXTURE("diffuse_transmission.diffuseTransmissionColorTexture"),
    TEXTURE("iridescence.iridescenceTexture"),
    TEXTURE("iridescence.iridescenceThicknessTexture"),
    TEXTURE("pbrSpecularGlossiness.diffuseTexture"),
    TEXTURE("pbrSpecularGlossiness.specularGlossinessTexture"),
    TEXTURE("sheen.sheenColorTexture"),
    TEXTURE("sheen.sheenRoughnessTexture"),
    TEXTURE("specular.specularTexture"),
    TEXTURE("specular.specularColorTexture"),
    TEXTURE("transmission.transmissionTexture"),
    TEXTURE("volume.thicknessTexture"),
    {.path = "materials[].extensions.MSFT_lod.ids[]", .kind = INDEX, .target = "materials"},
    {.path = "materials[].emissiveFactor", .kind = NUMBERS, .high = 3},
    {.path = "materials[].alphaMode", .kind = TEXT},
    {.path = "materials[].alphaCutoff", .kind = NUMBER},
    {.path = "materials[].doubleSided", .kind = BOOLEAN},
    {.path = "skins[]", .kind = OBJECT},
    {.path = "skins[].joints", .kind = LIST, .needed = true},
    {.path = "skins[].joints[]", .kind = INDEX, .target = "nodes"},
    {.path = "skins[].skeleton", .kind = INDEX, .target = "nodes"},
    {.path = "skins[].inverseBindMatrices", .kind = INDEX, .target = "accessors"},
    {.path = "animations[].samplers", .kind = LIST, .needed = true},
    {.path = "animations[].samplers[].input", .kind = INDEX, .needed = true, .target = "accessors"},
    {.path = "animations[].samplers[].output",
     .kind = INDEX, .needed = true, .target = "accessors"},
    {.path = "animations[].channels", .kind = LIST, .needed = true},
    {.path = "animations[].channels[].sampler", .kind = NATURAL, .needed = true},
    {.path = "animations[].channels[].target", .kind = OBJECT, .needed = true},
    {.path = "animations[].channels[].target.node", .kind = INDEX, .target = "nodes"},
    {.path = "cameras[].type", .kind = TEXT, .needed = true},
    {.path = "extensionsUsed[]", .kind = TEXT},
    {.path = "extensionsRequired[]", .kind = TEXT},
};
/* clang-format on */

/* Where a value stands: a member of an object or, without a key, an element of a list. On the stack
 * of the walk, so that a place costs nothing until it has to be said. */
struct place {
    const struct place *up; /* NULL at the top */
    const char *key;
    int key_size;
    size_t index;
};

struct walk {
    const struct rule *rule;
    struct gz_gltf *gltf;
    /* NULL: the file is checked; else each index is told to it. */
    void (*visit)(void *context, struct gz_json *value, const char *target);
    void *context;
};

#define PLACE_BYTES 160

/* A part that does not fit is left out whole, so that no character is cut in two. */
static size_t say_place(const struct place *place, char *text, size_t size)
{
    if (place == NULL) return 0;
    size_t used = say_place(place->up, text, size);
    int more;
    if (place->key == NULL) {
        more = snprintf(text + used, size - used, "[%zu]", place->index);
    } else {
        more = snprintf(text + used, size - used, "%s%.*s", used > 0 ? "." : "", place->key_size,
                        place->key);
    }
    if ((size_t)more < size - used) return used + (size_t)more;
    text[used] = '\0';
    return used;
}

static void leave_out(const struct walk *walk, const struct place *place, struct gz_json *value,
                      const char *format, ...) GZ_PRINTF(4, 5);

static void leave_out(const struct walk *walk, const struct place *place, struct gz_json *value,
                      const char *format, ...)
{
    char where[PLACE_BYTES] = "";
    char what[GZ_ERROR_BYTES_MAX];
    (void)say_place(place, where, sizeof where);
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(what, sizeof what, format, arguments);
    va_end(arguments);
    gz_gltf_flaw(walk->gltf, "%s: %s", where, what);
    gz_json_disregard(value);
}

static const char *type_word(const struct gz_json *value)
{
    switch (gz_json_kind(value)) {
    case GZ_JSON_OBJECT: return "an object";
    case GZ_JSON_LIST: return "a list";
    case GZ_JSON_TEXT: return "a string";
    case GZ_JSON_NUMBER: return "a number";
    case GZ_JSON_NULL: return "null";
    default: return "a boolean";
    }
}

static void wrong_type(const struct walk *walk, const struct place *place, const char *wanted,
                       struct gz_json *value)
{
    leave_out(walk, place, value, "must be %s, is %s", wanted, type_word(value));
}

/* A number that doubles can hold. */
static bool check_number(const struct walk *walk, const struct place *place, struct gz_json *number,
                         struct gz_json *left_out)
{
    if (!gz_json_is(number, GZ_JSON_NUMBER)) {
        leave_out(walk, place, left_out, "must be a number, is %s", type_word(number));
        return false;
    }
    if (isfinite(gz_json_number(number))) return true;
    leave_out(walk, place, left_out, "is larger than any number that can be kept");
    return false;
}

static void check_numbers(const struct walk *walk, const struct place *place, struct gz_json *value)
{
    if (!gz_json_is(value, GZ_JSON_LIST)) {
        wrong_type(walk, place, "a list of numbers", value);
        return;
    }
    if (gz_json_count(value) != walk->rule->high) {
        leave_out(walk, place, value, "has %zu elements, must have %u", gz_json_count(value),
                  walk->rule->high);
        return;
    }
    for (size_t i = 0; i < gz_json_count(value); i++) {
        struct place element = {.up = place, .index = i};
        if (!check_number(walk, &element, gz_json_at(value, i), value)) return;
    }
}

/* JSON has one kind of number: 3.0 is an integer too. */
static void check_natural(const struct walk *walk, const struct place *place, struct gz_json *value)
{
    const struct rule *rule = walk->rule;
    if (!gz_json_is(value, GZ_JSON_NUMBER)) {
        wrong_type(walk, place, "an integer", value);
        return;
    }
    double number = gz_json_number(value);
    double limit = rule->high > 0 ? rule->high : (double)GZ_ID_LIMIT;
    if (!(number >= rule->low && number <= limit) || floor(number) != number)
        leave_out(walk, place, value, "is %.17g, must be an integer from %u to %.0f", number,
                  rule->low, limit);
}

static void check_index(const struct walk *walk, const struct place *place, struct gz_json *value)
{
    if (!gz_json_is(value, GZ_JSON_NUMBER)) {
        wrong_type(walk, place, "an index", value);
        return;
    }
    double number = gz_json_number(value);
    size_t count = gz_json_count(gz_gltf_list(walk->gltf, walk->rule->target));
    if (!(number >= 0 && number < (double)count) || floor(number) != number)
        leave_out(walk, place, value, "is %.17g, which is no index of the file's %zu %s", number,
                  count, walk->rule->target);
}

static void check_value(const struct walk *walk, const struct place *place, struct gz_json *value)
{
    static const struct {
        enum gz_json_kind kind;
        const char *word;
    } types[] = {[OBJECT] = {GZ_JSON_OBJECT, "an object"},
                 [LIST] = {GZ_JSON_LIST, "a list"},
                 [TEXT] = {GZ_JSON_TEXT, "a string"}};
    switch (walk->rule->kind) {
    case OBJECT:
    case LIST:
    case TEXT:
        if (!gz_json_is(value, types[walk->rule->kind].kind))
            wrong_type(walk, place, types[walk->rule->kind].word, value);
        break;
    case BOOLEAN:
        if (!gz_json_is(value, GZ_JSON_TRUE) && !gz_json_is(value, GZ_JSON_FALSE))
            wrong_type(walk, place, "a boolean", value);
        break;
    case NUMBER: (void)check_number(walk, place, value, value); break;
    case NUMBERS: check_numbers(walk, place, value); break;
    case NATURAL: check_natural(walk, place, value); break;
    case INDEX: check_index(walk, place, value); break;
    }
}

static void follow(const struct walk *walk, const struct place *place, struct gz_json *value,
                   const char *path);

static void follow_elements(const struct walk *walk, const struct place *place,
                            struct gz_json *list, const char *path)
{
    if (!gz_json_is(list, GZ_JSON_LIST)) {
        wrong_type(walk, place, "a list", list);
        return;
    }
    for (size_t i = 0; i < gz_json_count(list); i++) {
        struct place element = {.up = place, .index = i};
        struct gz_json *inner = gz_json_at(list, i);
        if (inner != NULL) follow(walk, &element, inner, path);
    }
}

static void follow_members(const struct walk *walk, const struct place *place,
                           struct gz_json *object, const char *path)
{
    for (size_t i = 0; i < gz_json_count(object); i++) {
        struct gz_json *value = gz_json_at(object, i);
        if (value == NULL) continue;
        struct gz_json_text key = gz_json_key(value);
        struct place member = {.up = place, .key = key.at, .key_size = (int)key.size};
        follow(walk, &member, value, path);
    }
}

static void follow(const struct walk *walk, const struct place *place, struct gz_json *value,
                   const char *path)
{
    if (path[0] == '\0') {
        if (walk->visit == NULL)
            check_value(walk, place, value);
        else if (gz_json_is(value, GZ_JSON_NUMBER))
            walk->visit(walk->context, value, walk->rule->target);
        return;
    }
    if (path[0] == '[') {
        follow_elements(walk, place, value, path + 2);
        return;
    }
    if (path[0] == '.') path++;
    if (!gz_json_is(value, GZ_JSON_OBJECT)) {
        wrong_type(walk, place, "an object", value);
        return;
    }
    if (path[0] == '*') {
        follow_members(walk, place, value, path + 1);
        return;
    }
    size_t size = strcspn(path, ".[");
    struct place member = {.up = place, .key = path, .key_size = (int)size};
    struct gz_json *inner = gz_json_get_sized(value, path, size);
    if (inner != NULL) follow(walk, &member, inner, path + size);
    if (walk->rule->needed && path[size] == '\0' && gz_json_get_sized(value, path, size) == NULL) {
        if (inner == NULL)
            leave_out(walk, &member, value, "missing");
        else
            gz_json_disregard(value);
    }
}

bool gz_is_listed(struct gz_json_text name, const char *const *list, size_t count)
{
    bool is_found = false;
    for (size_t i = 0; i < count && !is_found; i++) {
        const size_t size = strcspn(list[i], "*");
        is_found = (list[i][size] == '*' ? name.size >= size : name.size == size) &&
                   memcmp(name.at, list[i], size) == 0;
    }
    return is_found;
}

/* What the daemon or its editor reads. */
static const char *const known[] = {"KHR_draco_mesh_compression",
                                    "EXT_meshopt_compression",
                                    "KHR_meshopt_compression",
                                    "KHR_mesh_quantization",
                                    "EXT_mesh_gpu_instancing",
                                    "KHR_lights_punctual",
                                    "KHR_materials_*",
                                    "EXT_materials_*",
                                    "KHR_texture_*",
                                    "EXT_texture_*"};

static void check_required(struct gz_gltf *gltf)
{
    const struct gz_json *required = gz_json_get(gltf->document.root, "extensionsRequired");
    for (size_t i = 0; i < gz_json_count(required); i++) {
        const struct gz_json *name = gz_json_at(required, i);
        struct gz_json_text text = gz_json_text(name);
        if (name == NULL || gz_is_listed(text, known, sizeof known / sizeof known[0])) continue;
        gz_gltf_flaw(
            gltf,
            "extensionsRequired[%zu]: %.*s is not known here; what needs it may be missing "
            "or look otherwise",
            i, (int)text.size, text.at);
    }
}

enum gz_status gz_schema_check(struct gz_gltf *gltf, struct gz_error *error)
{
    const struct gz_json *nodes = gz_json_get(gltf->document.root, "nodes");
    if (nodes != NULL && !gz_json_is(nodes, GZ_JSON_LIST) && !gz_json_is(nodes, GZ_JSON_NULL))
        return gz_fail(error, GZ_BAD_MESSAGE, "nodes: must be a list, is %s", type_word(nodes));
    for (size_t i = 0; i < sizeof rules / sizeof rules[0]; i++) {
        struct walk walk = {.rule = &rules[i], .gltf = gltf};
        follow(&walk, NULL, gltf->document.root, rules[i].path);
    }
    check_required(gltf);
    return GZ_OK;
}

void gz_schema_visit(struct gz_gltf *gltf,
                     void (*visit)(void *context, struct gz_json *value, const char *target),
                     void *context)
{
    for (size_t i = 0; i < sizeof rules / sizeof rules[0]; i++) {
        struct walk walk = {.rule = &rules[i], .gltf = gltf, .visit = visit, .context = context};
        if (rules[i].kind == INDEX) follow(&walk, NULL, gltf->document.root, rules[i].path);
    }
}
