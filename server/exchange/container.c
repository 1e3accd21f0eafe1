/* Opens and writes a glTF file: the .glb container and the JSON. */
#include "exchange/internal.h"
#include "server/maxima.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

/* The container of a .glb: 12 bytes (magic, version, length of the whole file), then chunks of
 * (length, type, bytes), everything little-endian and padded to 4. The JSON chunk is first; a BIN
 * chunk, if any, is second; other chunks are kept as they are. */
#define GLB_HEADER_BYTES 12
#define CHUNK_HEADER_BYTES 8
#define GLB_VERSION 2
#define CHUNK_JSON 0x4E4F534Au
#define CHUNK_BIN 0x004E4942u

static uint32_t read_u32(const uint8_t *bytes)
{
    return (uint32_t)bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 |
           (uint32_t)bytes[3] << 24;
}

static void write_u32(uint8_t *bytes, uint32_t value)
{
    for (int i = 0; i < 4; i++) bytes[i] = (uint8_t)(value >> 8 * i);
}

static bool is_glb(const uint8_t *bytes, size_t size)
{
    return size >= 4 && memcmp(bytes, "glTF", 4) == 0;
}

const char *gz_gltf_media_type(const uint8_t *bytes, size_t size)
{
    return is_glb(bytes, size) ? "model/gltf-binary" : "model/gltf+json";
}

/* Every value of a list but the first follows a comma, and every list and object opens with a
 * bracket. Their count bounds the values, and so the memory, before any memory is spent. */
static bool too_many_values(const uint8_t *text, size_t size)
{
    size_t values = 0;
    bool in_string = false;
    for (size_t i = 0; i < size; i++) {
        uint8_t c = text[i];
        if (in_string) {
            if (c == '\\') i++;
            if (c == '"') in_string = false;
        } else if (c == '"') {
            in_string = true;
        } else if (c == ',' || c == '[' || c == '{') {
            values++;
        }
    }
    return values > GZ_ASSET_VALUES_MAX;
}

/* If an allocation fails, jansson may report "invalid token", or nothing at all: its lexer leaves a
 * byte out of a string and goes on. So each thread watches the allocations for the file that it
 * reads. */
static _Thread_local bool allocation_failed;
static pthread_once_t watch_once = PTHREAD_ONCE_INIT;

static void *handle_allocate(size_t size)
{
    void *memory = malloc(size);
    if (memory == NULL) allocation_failed = true;
    return memory;
}

static void watch_allocations(void)
{
    json_set_alloc_funcs(handle_allocate, free);
}

/* What is wrong, where jansson's own words are not for the file's author; NULL: they are. */
static const char *flaw_of(const json_error_t *problem)
{
    switch (json_error_code(problem)) {
    case json_error_stack_overflow: return "lists and objects are too deep inside each other";
    case json_error_invalid_utf8: return "a text is not UTF-8";
    case json_error_null_character:
    case json_error_null_byte_in_key: return "a text may not have the character \\u0000";
    case json_error_duplicate_key: return "this name is in the object twice";
    case json_error_numeric_overflow: return "a number is too large";
    default: return NULL;
    }
}

/* jansson quotes the text near the error, and may cut a character in two. */
static enum gz_status refuse_json(json_error_t *problem, struct gz_error *error)
{
    const char *flaw = flaw_of(problem), *near = strstr(problem->text, " near ");
    for (char *c = problem->text; *c != '\0'; c++) {
        if ((unsigned char)*c >= 0x80) *c = '?';
    }
    if (flaw == NULL)
        return gz_fail(error, GZ_BAD_MESSAGE, "JSON line %d, column %d: %s", problem->line,
                       problem->column, problem->text);
    return gz_fail(error, GZ_BAD_MESSAGE, "JSON line %d, column %d: %s%s", problem->line,
                   problem->column, flaw, near != NULL ? near : "");
}

static enum gz_status parse_json(json_t **json, const uint8_t *text, size_t size,
                                 struct gz_error *error)
{
    if (too_many_values(text, size)) {
        return gz_fail(error, GZ_TOO_LARGE, "JSON: a file may have at most %d values",
                       GZ_ASSET_VALUES_MAX);
    }
    json_error_t problem;
    (void)pthread_once(&watch_once, watch_allocations);
    allocation_failed = false;
    *json = json_loadb((const char *)text, size, JSON_REJECT_DUPLICATES, &problem);
    if (allocation_failed) {
        json_decref(*json);
        *json = NULL;
        return gz_fail(error, GZ_NO_MEMORY, "JSON: not enough memory for this file");
    }
    return *json != NULL ? GZ_OK : refuse_json(&problem, error);
}

/* The bytes of the chunk at `offset`, whose header and bytes must be there. */
static enum gz_status read_chunk(const uint8_t *bytes, size_t size, size_t offset, uint32_t *type,
                                 uint32_t *length, struct gz_error *error)
{
    if (size - offset < CHUNK_HEADER_BYTES) {
        return gz_fail(error, GZ_BAD_MESSAGE,
                       "GLB byte %zu: a chunk's header is cut off; the file is not complete",
                       offset);
    }
    *length = read_u32(bytes + offset);
    *type = read_u32(bytes + offset + 4);
    size_t left = size - offset - CHUNK_HEADER_BYTES;
    if (*length > left) {
        return gz_fail(
            error, GZ_BAD_MESSAGE,
            "GLB byte %zu: a chunk of %u bytes, but only %zu are left; the file is not complete",
            offset, (unsigned)*length, left);
    }
    if (*length % 4 != 0) {
        return gz_fail(error, GZ_BAD_MESSAGE,
                       "GLB byte %zu: a chunk of %u bytes, which is not a multiple of 4", offset,
                       (unsigned)*length);
    }
    return GZ_OK;
}

static enum gz_status check_glb_header(const uint8_t *bytes, size_t size, struct gz_error *error)
{
    if (size < GLB_HEADER_BYTES)
        return gz_fail(error, GZ_BAD_MESSAGE,
                       "GLB: the header is cut off; the file is not complete");
    uint32_t version = read_u32(bytes + 4);
    if (version != GLB_VERSION) {
        return gz_fail(error, GZ_VERSION, "GLB: has version %u, but only glTF 2.x can be read",
                       (unsigned)version);
    }
    uint32_t length = read_u32(bytes + 8);
    if (length != size) {
        return gz_fail(error, GZ_BAD_MESSAGE, "GLB: the header says %u bytes, the file has %zu",
                       (unsigned)length, size);
    }
    return GZ_OK;
}

static enum gz_status open_glb(struct gz_gltf *gltf, const uint8_t *bytes, size_t size,
                               struct gz_error *error)
{
    enum gz_status status = check_glb_header(bytes, size, error);
    if (status != GZ_OK) return status;
    uint32_t type, length;
    size_t offset = GLB_HEADER_BYTES;
    status = read_chunk(bytes, size, offset, &type, &length, error);
    if (status != GZ_OK) return status;
    if (type != CHUNK_JSON)
        return gz_fail(error, GZ_BAD_MESSAGE, "GLB: the first chunk is not JSON");
    const uint8_t *text = bytes + offset + CHUNK_HEADER_BYTES;
    size_t text_size = length;
    offset += CHUNK_HEADER_BYTES + length;
    gltf->rest = bytes + offset;
    gltf->rest_size = size - offset;
    for (int number = 1; offset < size; number++) {
        status = read_chunk(bytes, size, offset, &type, &length, error);
        if (status != GZ_OK) return status;
        if (number == 1 && type == CHUNK_BIN) {
            gltf->bin = bytes + offset + CHUNK_HEADER_BYTES;
            gltf->bin_size = length;
        }
        offset += CHUNK_HEADER_BYTES + length;
    }
    return parse_json(&gltf->json, text, text_size, error);
}

/* The version is checked before the schema, so that the error for a file of glTF 1 is about its
 * version, not about the form of its nodes. */
static enum gz_status check_version(const json_t *json, struct gz_error *error)
{
    const json_t *asset = json_object_get(json, "asset");
    const char *version = json_string_value(json_object_get(asset, "version"));
    const char *least = json_string_value(json_object_get(asset, "minVersion"));
    if (version == NULL) {
        return gz_fail(error, GZ_VERSION,
                       "asset.version: must be a text such as \"2.0\"; only glTF 2.x is read");
    }
    if (strncmp(version, "2.", 2) != 0) {
        return gz_fail(error, GZ_VERSION, "asset.version: is %s, but only glTF 2.x can be read",
                       version);
    }
    if (least != NULL && strcmp(least, "2.0") != 0) {
        return gz_fail(error, GZ_VERSION, "asset.minVersion: is %s, but only 2.0 can be read",
                       least);
    }
    return GZ_OK;
}

enum gz_status gz_gltf_open(struct gz_gltf *gltf, const uint8_t *bytes, size_t size,
                            struct gz_error *error)
{
    *gltf = (struct gz_gltf){.binary = is_glb(bytes, size)};
    if (size > GZ_ASSET_BYTES_MAX) {
        return gz_fail(error, GZ_TOO_LARGE, "the file has %zu bytes, and may have at most %d", size,
                       GZ_ASSET_BYTES_MAX);
    }
    const char *other = gz_format_name(bytes, size);
    if (other != NULL)
        return gz_fail(error, GZ_BAD_MESSAGE,
                       "this looks like %s; gizmod imports glTF 2.0 (.glb, .gltf)", other);
    enum gz_status status = gltf->binary ? open_glb(gltf, bytes, size, error)
                                         : parse_json(&gltf->json, bytes, size, error);
    if (status == GZ_OK) status = check_version(gltf->json, error);
    if (status == GZ_OK) status = gz_schema_check(gltf->json, error);
    if (status != GZ_OK) gz_gltf_close(gltf);
    return status;
}

void gz_gltf_close(struct gz_gltf *gltf)
{
    json_decref(gltf->json);
    *gltf = (struct gz_gltf){0};
}

struct text_sink {
    struct gz_buffer *out;
    enum gz_status status;
};

static int handle_text(const char *text, size_t size, void *data)
{
    struct text_sink *sink = data;
    sink->status = gz_buffer_append(sink->out, text, size);
    return sink->status == GZ_OK ? 0 : -1;
}

/* 17 digits give every double back to its last bit. */
static enum gz_status write_json(struct gz_buffer *out, const json_t *json)
{
    struct text_sink sink = {out, GZ_OK};
    int failed =
        json_dump_callback(json, handle_text, &sink, JSON_COMPACT | JSON_REAL_PRECISION(17));
    return failed && sink.status == GZ_OK ? GZ_NO_MEMORY : sink.status;
}

static enum gz_status write_glb(struct gz_buffer *out, const struct gz_gltf *gltf)
{
    uint8_t header[GLB_HEADER_BYTES + CHUNK_HEADER_BYTES] = "glTF";
    size_t start = out->size;
    enum gz_status status = gz_buffer_append(out, header, sizeof header);
    if (status == GZ_OK) status = write_json(out, gltf->json);
    size_t unpadded = out->size - start;
    if (status == GZ_OK) status = gz_buffer_append(out, "   ", (4 - unpadded % 4) % 4);
    size_t text_size = out->size - start - sizeof header;
    if (status == GZ_OK) status = gz_buffer_append(out, gltf->rest, gltf->rest_size);
    if (status != GZ_OK) return status;
    size_t size = out->size - start;
    if (size > UINT32_MAX) return GZ_TOO_LARGE;
    write_u32(out->data + start + 4, GLB_VERSION);
    write_u32(out->data + start + 8, (uint32_t)size);
    write_u32(out->data + start + 12, (uint32_t)text_size);
    write_u32(out->data + start + 16, CHUNK_JSON);
    return GZ_OK;
}

enum gz_status gz_glb_append_bin(struct gz_buffer *chunks, const uint8_t *bytes, size_t size)
{
    static const uint8_t zeros[4];
    uint8_t header[CHUNK_HEADER_BYTES];
    size_t padding = (4 - size % 4) % 4;
    write_u32(header, (uint32_t)(size + padding));
    write_u32(header + 4, CHUNK_BIN);
    enum gz_status status = gz_buffer_append(chunks, header, sizeof header);
    if (status == GZ_OK) status = gz_buffer_append(chunks, bytes, size);
    return status == GZ_OK ? gz_buffer_append(chunks, zeros, padding) : status;
}

enum gz_status gz_gltf_write(struct gz_buffer *out, const struct gz_gltf *gltf,
                             struct gz_error *error)
{
    size_t start = out->size;
    enum gz_status status = gltf->binary ? write_glb(out, gltf) : write_json(out, gltf->json);
    if (status == GZ_OK) return GZ_OK;
    gz_buffer_truncate(out, start);
    if (status == GZ_NO_MEMORY) return gz_fail(error, status, "not enough memory for this file");
    return gz_fail(error, status, "the glTF file would have more than %zu bytes", out->max);
}

uint64_t gz_json_natural(const json_t *object, const char *key, uint64_t fallback)
{
    const json_t *value = json_object_get(object, key);
    if (value == NULL) return fallback;
    return (uint64_t)json_number_value(value);
}

int64_t gz_json_index(const json_t *object, const char *key)
{
    const json_t *value = json_object_get(object, key);
    return value != NULL ? (int64_t)json_number_value(value) : -1;
}

json_t *gz_gltf_item(const struct gz_gltf *gltf, const char *list, size_t index)
{
    return json_array_get(json_object_get(gltf->json, list), index);
}

size_t gz_gltf_count(const struct gz_gltf *gltf, const char *list)
{
    return json_array_size(json_object_get(gltf->json, list));
}

enum gz_status gz_json_member(const uint8_t *bytes, size_t size, const char *key, char *text,
                              size_t text_size, struct gz_error *error)
{
    json_t *json;
    enum gz_status status = parse_json(&json, bytes, size, error);
    if (status != GZ_OK) return status;
    json_t *member = json_object_get(json, key);
    if (member == NULL || !json_is_string(member))
        status = gz_fail(error, GZ_BAD_MESSAGE,
                         "%s: the JSON object must have a text under this key", key);
    else if (json_string_length(member) >= text_size)
        status = gz_fail(error, GZ_BAD_VALUE, "%s: may have at most %zu bytes", key, text_size - 1);
    else
        memcpy(text, json_string_value(member), json_string_length(member) + 1);
    json_decref(json);
    return status;
}
