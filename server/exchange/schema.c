/* Checks the types, ranges and indices of a glTF's JSON by a table of rules. */
#include "exchange/internal.h"
#include "proto/limits.h"

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
    bool needed;        /* the last member must exist if the object that holds it does */
    const char *target; /* INDEX: the list at the top level that it points into */
    unsigned low, high; /* NATURAL: the range, high 0 is none; NUMBERS: high is how many */
};

/* clang-format off */
static const struct rule rules[] = {
    {.path = "asset.minVersion", .kind = TEXT},
    {.path = "scene", .kind = INDEX, .target = "scenes"},
    {.path = "scenes[]", .kind = OBJECT},
    {.path = "scenes[].name", .kind = TEXT},
    {.path = "scenes[].nodes[]", .kind = INDEX, .target = "nodes"},
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
    json_t *root;
    struct gz_error *error;
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

static enum gz_status refuse(const struct walk *walk, const struct place *place,
                             enum gz_status status, const char *format, ...) GZ_PRINTF(4, 5);

static enum gz_status refuse(const struct walk *walk, const struct place *place,
                             enum gz_status status, const char *format, ...)
{
    char where[PLACE_BYTES] = "";
    char what[GZ_ERROR_BYTES_MAX];
    (void)say_place(place, where, sizeof where);
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(what, sizeof what, format, arguments);
    va_end(arguments);
    return gz_fail(walk->error, status, "%s: %s", where[0] != '\0' ? where : "the top level", what);
}

static const char *type_word(const json_t *value)
{
    switch (json_typeof(value)) {
    case JSON_OBJECT: return "an object";
    case JSON_ARRAY: return "a list";
    case JSON_STRING: return "a string";
    case JSON_INTEGER:
    case JSON_REAL: return "a number";
    case JSON_NULL: return "null";
    default: return "a boolean";
    }
}

static enum gz_status refuse_type(const struct walk *walk, const struct place *place,
                                  const char *wanted, const json_t *value)
{
    return refuse(walk, place, GZ_BAD_MESSAGE, "must be %s, is %s", wanted, type_word(value));
}

static enum gz_status check_numbers(const struct walk *walk, const struct place *place,
                                    const json_t *value)
{
    if (!json_is_array(value)) return refuse_type(walk, place, "a list of numbers", value);
    if (json_array_size(value) != walk->rule->high) {
        return refuse(walk, place, GZ_BAD_MESSAGE, "has %zu elements, must have %u",
                      json_array_size(value), walk->rule->high);
    }
    for (size_t i = 0; i < json_array_size(value); i++) {
        struct place element = {.up = place, .index = i};
        const json_t *number = json_array_get(value, i);
        if (!json_is_number(number)) return refuse_type(walk, &element, "a number", number);
    }
    return GZ_OK;
}

/* JSON has one kind of number: 3.0 is an integer too. */
static enum gz_status check_natural(const struct walk *walk, const struct place *place,
                                    const json_t *value)
{
    const struct rule *rule = walk->rule;
    if (!json_is_number(value)) return refuse_type(walk, place, "an integer", value);
    double number = json_number_value(value);
    double limit = rule->high > 0 ? rule->high : (double)GZ_ID_LIMIT;
    if (!(number >= rule->low && number <= limit) || floor(number) != number) {
        return refuse(walk, place, GZ_BAD_VALUE, "is %.17g, must be an integer from %u to %.0f",
                      number, rule->low, limit);
    }
    return GZ_OK;
}

static enum gz_status check_index(const struct walk *walk, const struct place *place,
                                  const json_t *value)
{
    if (!json_is_number(value)) return refuse_type(walk, place, "an index", value);
    double number = json_number_value(value);
    size_t count = json_array_size(json_object_get(walk->root, walk->rule->target));
    if (!(number >= 0 && number < (double)count) || floor(number) != number) {
        return refuse(walk, place, GZ_BAD_VALUE, "is %.17g, which is no index of the file's %zu %s",
                      number, count, walk->rule->target);
    }
    return GZ_OK;
}

static enum gz_status check_value(const struct walk *walk, const struct place *place,
                                  const json_t *value)
{
    switch (walk->rule->kind) {
    case OBJECT:
        return json_is_object(value) ? GZ_OK : refuse_type(walk, place, "an object", value);
    case LIST: return json_is_array(value) ? GZ_OK : refuse_type(walk, place, "a list", value);
    case TEXT: return json_is_string(value) ? GZ_OK : refuse_type(walk, place, "a string", value);
    case BOOLEAN:
        return json_is_boolean(value) ? GZ_OK : refuse_type(walk, place, "a boolean", value);
    case NUMBER: return json_is_number(value) ? GZ_OK : refuse_type(walk, place, "a number", value);
    case NUMBERS: return check_numbers(walk, place, value);
    case NATURAL: return check_natural(walk, place, value);
    case INDEX: return check_index(walk, place, value);
    }
    return GZ_INTERNAL;
}

static enum gz_status follow(const struct walk *walk, const struct place *place, json_t *value,
                             const char *path);

static enum gz_status follow_elements(const struct walk *walk, const struct place *place,
                                      json_t *list, const char *path)
{
    if (!json_is_array(list)) return refuse_type(walk, place, "a list", list);
    for (size_t i = 0; i < json_array_size(list); i++) {
        struct place element = {.up = place, .index = i};
        enum gz_status status = follow(walk, &element, json_array_get(list, i), path);
        if (status != GZ_OK) return status;
    }
    return GZ_OK;
}

static enum gz_status follow_members(const struct walk *walk, const struct place *place,
                                     json_t *object, const char *path)
{
    const char *key;
    json_t *value;
    json_object_foreach(object, key, value)
    {
        struct place member = {.up = place, .key = key, .key_size = (int)strlen(key)};
        enum gz_status status = follow(walk, &member, value, path);
        if (status != GZ_OK) return status;
    }
    return GZ_OK;
}

static enum gz_status follow(const struct walk *walk, const struct place *place, json_t *value,
                             const char *path)
{
    if (path[0] == '\0') return check_value(walk, place, value);
    if (path[0] == '[') return follow_elements(walk, place, value, path + 2);
    if (path[0] == '.') path++;
    if (!json_is_object(value)) return refuse_type(walk, place, "an object", value);
    if (path[0] == '*') return follow_members(walk, place, value, path + 1);
    size_t size = strcspn(path, ".[");
    struct place member = {.up = place, .key = path, .key_size = (int)size};
    json_t *inner = json_object_getn(value, path, size);
    if (inner != NULL) return follow(walk, &member, inner, path + size);
    if (walk->rule->needed && path[size] == '\0')
        return refuse(walk, &member, GZ_BAD_MESSAGE, "missing");
    return GZ_OK;
}

/* A channel's sampler is the one index that points into a list beside it. */
static enum gz_status check_channels(const struct walk *walk)
{
    json_t *animations = json_object_get(walk->root, "animations");
    for (size_t i = 0; i < json_array_size(animations); i++) {
        const json_t *animation = json_array_get(animations, i);
        const json_t *channels = json_object_get(animation, "channels");
        size_t samplers = json_array_size(json_object_get(animation, "samplers"));
        for (size_t j = 0; j < json_array_size(channels); j++) {
            uint64_t sampler = gz_json_natural(json_array_get(channels, j), "sampler", 0);
            if (sampler < samplers) continue;
            return gz_fail(walk->error, GZ_BAD_VALUE,
                           "animations[%zu].channels[%zu].sampler: is %llu, which is no index of "
                           "its %zu samplers",
                           i, j, (unsigned long long)sampler, samplers);
        }
    }
    return GZ_OK;
}

/* Any object of the file may have "extensions", which hold objects by name. What "extras" hold is
 * not checked. The parser has bounded the depth. */
static enum gz_status check_extensions(const struct walk *walk, const struct place *place,
                                       json_t *value)
{
    const char *key;
    json_t *inner;
    enum gz_status status = GZ_OK;
    for (size_t i = 0; i < json_array_size(value) && status == GZ_OK; i++) {
        struct place element = {.up = place, .index = i};
        status = check_extensions(walk, &element, json_array_get(value, i));
    }
    json_object_foreach(value, key, inner)
    {
        struct place member = {.up = place, .key = key, .key_size = (int)strlen(key)};
        if (strcmp(key, "extras") == 0) continue;
        if (strcmp(key, "extensions") == 0) status = follow(walk, &member, inner, ".*");
        if (status == GZ_OK) status = check_extensions(walk, &member, inner);
        if (status != GZ_OK) break;
    }
    return status;
}

enum gz_status gz_schema_check(json_t *json, struct gz_error *error)
{
    static const struct rule extension = {.kind = OBJECT};
    for (size_t i = 0; i < sizeof rules / sizeof rules[0]; i++) {
        struct walk walk = {.rule = &rules[i], .root = json, .error = error};
        enum gz_status status = follow(&walk, NULL, json, rules[i].path);
        if (status != GZ_OK) return status;
    }
    struct walk walk = {.rule = &extension, .root = json, .error = error};
    enum gz_status status = check_channels(&walk);
    return status == GZ_OK ? check_extensions(&walk, NULL, json) : status;
}
