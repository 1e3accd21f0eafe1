/* wire.c - reads the golden vectors and looks at bytes without our decoder. See wire.h. */
#include "unit/proto/wire.h"

#include <msgpack.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define require(condition)                                                                         \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition);                        \
            abort();                                                                               \
        }                                                                                          \
    } while (0)

uint8_t *wire_bytes(const char *hex, size_t *size)
{
    *size = strlen(hex) / 2;
    uint8_t *bytes = malloc(*size);
    require(bytes != NULL);
    for (size_t i = 0; i < *size; i++) {
        unsigned byte;
        require(sscanf(hex + 2 * i, "%2x", &byte) == 1);
        bytes[i] = (uint8_t)byte;
    }
    return bytes;
}

static struct wire_vector read_vector(const json_t *json)
{
    struct wire_vector vector = {
        .name = json_string_value(json_object_get(json, "name")),
        .side = strcmp(json_string_value(json_object_get(json, "side")), "client") == 0
                    ? GZ_FROM_CLIENT
                    : GZ_FROM_SERVER,
        .canonical = json_is_true(json_object_get(json, "canonical")),
        .expect = json_object_get(json, "expect"),
    };
    vector.bytes = wire_bytes(json_string_value(json_object_get(json, "bytes")), &vector.size);
    return vector;
}

struct wire_vectors wire_load(void)
{
    json_error_t error;
    struct wire_vectors vectors = {
        .file = json_load_file(GZ_SOURCE_DIR "/proto/vectors/vectors.json", 0, &error)};
    if (vectors.file == NULL) fprintf(stderr, "vectors.json:%d: %s\n", error.line, error.text);
    const json_t *list = json_object_get(vectors.file, "vectors");
    vectors.count = json_array_size(list);
    require(vectors.count > 0);
    vectors.all = calloc(vectors.count, sizeof *vectors.all);
    require(vectors.all != NULL);
    for (size_t i = 0; i < vectors.count; i++)
        vectors.all[i] = read_vector(json_array_get(list, i));
    return vectors;
}

void wire_unload(struct wire_vectors *vectors)
{
    for (size_t i = 0; i < vectors->count; i++) free(vectors->all[i].bytes);
    free(vectors->all);
    json_decref(vectors->file);
}

const struct wire_vector *wire_find(const struct wire_vectors *vectors, const char *name)
{
    for (size_t i = 0; i < vectors->count; i++) {
        if (strcmp(vectors->all[i].name, name) == 0) return &vectors->all[i];
    }
    fprintf(stderr, "no vector is called %s\n", name);
    abort();
}

static json_t *object_to_json(const msgpack_object *object);

static json_t *map_to_json(const msgpack_object_map *map)
{
    json_t *json = json_object();
    for (uint32_t i = 0; i < map->size; i++) {
        const msgpack_object_str *key = &map->ptr[i].key.via.str;
        require(map->ptr[i].key.type == MSGPACK_OBJECT_STR);
        char name[64];
        snprintf(name, sizeof name, "%.*s", (int)key->size, key->ptr);
        require(json_object_set_new(json, name, object_to_json(&map->ptr[i].val)) == 0);
    }
    return json;
}

static json_t *list_to_json(const msgpack_object_array *list)
{
    json_t *json = json_array();
    for (uint32_t i = 0; i < list->size; i++) {
        require(json_array_append_new(json, object_to_json(&list->ptr[i])) == 0);
    }
    return json;
}

static json_t *object_to_json(const msgpack_object *object)
{
    switch (object->type) {
    case MSGPACK_OBJECT_NIL: return json_null();
    case MSGPACK_OBJECT_BOOLEAN: return json_boolean(object->via.boolean);
    case MSGPACK_OBJECT_POSITIVE_INTEGER: return json_integer((json_int_t)object->via.u64);
    case MSGPACK_OBJECT_NEGATIVE_INTEGER: return json_integer(object->via.i64);
    case MSGPACK_OBJECT_FLOAT32:
    case MSGPACK_OBJECT_FLOAT64: return json_real(object->via.f64);
    case MSGPACK_OBJECT_STR: return json_stringn(object->via.str.ptr, object->via.str.size);
    case MSGPACK_OBJECT_ARRAY: return list_to_json(&object->via.array);
    case MSGPACK_OBJECT_MAP: return map_to_json(&object->via.map);
    default: return NULL;
    }
}

json_t *wire_to_json(const uint8_t *bytes, size_t size)
{
    msgpack_unpacked unpacked;
    msgpack_unpacked_init(&unpacked);
    size_t offset = 0;
    require(msgpack_unpack_next(&unpacked, (const char *)bytes, size, &offset) ==
            MSGPACK_UNPACK_SUCCESS);
    require(offset == size);
    json_t *json = object_to_json(&unpacked.data);
    msgpack_unpacked_destroy(&unpacked);
    require(json != NULL);
    return json;
}

static bool same_lists(const json_t *a, const json_t *b, double tolerance)
{
    if (json_array_size(a) != json_array_size(b)) return false;
    for (size_t i = 0; i < json_array_size(a); i++) {
        if (!wire_same(json_array_get(a, i), json_array_get(b, i), tolerance)) return false;
    }
    return true;
}

static bool same_maps(const json_t *a, const json_t *b, double tolerance)
{
    if (json_object_size(a) != json_object_size(b)) return false;
    const char *key;
    json_t *value;
    json_object_foreach((json_t *)a, key, value)
    {
        if (!wire_same(value, json_object_get(b, key), tolerance)) return false;
    }
    return true;
}

bool wire_same(const json_t *a, const json_t *b, double tolerance)
{
    if (a == NULL || b == NULL) return false;
    if (json_is_integer(a) && json_is_integer(b))
        return json_integer_value(a) == json_integer_value(b);
    if (json_is_number(a) && json_is_number(b))
        return fabs(json_number_value(a) - json_number_value(b)) <= tolerance;
    if (json_is_array(a) && json_is_array(b)) return same_lists(a, b, tolerance);
    if (json_is_object(a) && json_is_object(b)) return same_maps(a, b, tolerance);
    return json_equal(a, b);
}
