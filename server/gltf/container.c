/* container.c - the bytes of a glTF file: data URIs, formats, the chunks of a .glb. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "gltf/file.h"
#include "server/maxima.h"

/* ---- data uri ---- */

/* Data URIs: bytes in the JSON itself. */

/* RFC 2397 with RFC 4648's base64, as browsers read it: letters of either case in the scheme and in
 * "base64", parameters of any kind, percent escapes, blanks, padding or none. */
static const char alphabet[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

static int digit_value(uint8_t c)
{
    if (c >= 'A' && c <= 'Z') return c - 'A';
    if (c >= 'a' && c <= 'z') return c - 'a' + 26;
    if (c >= '0' && c <= '9') return c - '0' + 52;
    return c == '+' ? 62 : c == '/' ? 63 : -1;
}

bool gz_uri_is_data(struct gz_json_text uri)
{
    return uri.size >= 5 && strncasecmp(uri.at, "data:", 5) == 0;
}

static bool is_base64(const char *head, size_t size)
{
    static const char word[] = ";base64";
    while (size > 0 && head[size - 1] == ' ') size--;
    size_t length = sizeof word - 1;
    return size >= length && strncasecmp(head + size - length, word, length) == 0;
}

/* Decodes the digits where they stand; the size of the bytes is at most theirs. False if they are
 * no base64. */
static bool decode_digits(uint8_t *bytes, size_t *size)
{
    size_t count = 0, written = 0, padding = 0;
    for (size_t i = 0; i < *size; i++) {
        if (strchr(" \t\r\n\f", bytes[i]) == NULL || bytes[i] == '\0') bytes[count++] = bytes[i];
    }
    while (padding < 2 && count > padding && bytes[count - padding - 1] == '=') padding++;
    if (padding > 0 && count % 4 != 0) return false;
    count -= padding;
    if (count % 4 == 1) return false;
    uint32_t held = 0;
    for (size_t i = 0; i < count; i++) {
        int value = digit_value(bytes[i]);
        if (value < 0) return false;
        held = held << 6 | (uint32_t)value;
        if (i % 4 != 0) bytes[written++] = (uint8_t)(held >> (6 - 2 * (i % 4)));
    }
    *size = written;
    return true;
}

enum gz_status gz_data_uri_decode(struct gz_json_text uri, uint8_t **bytes, size_t *size)
{
    const char *comma = uri.size > 0 ? memchr(uri.at, ',', uri.size) : NULL;
    if (!gz_uri_is_data(uri) || comma == NULL) return GZ_BAD_VALUE;
    const char *head = uri.at + 5, *end = uri.at + uri.size;
    uint8_t *out = malloc((size_t)(end - comma) + 1);
    if (out == NULL) return GZ_NO_MEMORY;
    *size = gz_percent_decode((char *)out, comma + 1, (size_t)(end - comma) - 1);
    if (is_base64(head, (size_t)(comma - head)) && !decode_digits(out, size)) {
        free(out);
        return GZ_BAD_VALUE;
    }
    *bytes = out;
    return GZ_OK;
}

static void encode_digits(char *out, const uint8_t *bytes, size_t size)
{
    for (size_t i = 0; i < size; i += 3) {
        size_t left = size - i;
        uint32_t group = (uint32_t)bytes[i] << 16;
        if (left > 1) group |= (uint32_t)bytes[i + 1] << 8;
        if (left > 2) group |= bytes[i + 2];
        *out++ = alphabet[group >> 18];
        *out++ = alphabet[group >> 12 & 63];
        *out++ = left > 1 ? alphabet[group >> 6 & 63] : '=';
        *out++ = left > 2 ? alphabet[group & 63] : '=';
    }
}

struct gz_json *gz_data_uri_encode(struct gz_json_document *document, const char *media_type,
                                   const uint8_t *bytes, size_t size)
{
    size_t digits = (size + 2) / 3 * 4;
    size_t head = strlen("\"data:") + strlen(media_type) + strlen(";base64,");
    char *quoted = gz_arena_take(&document->arena, head + digits + 2, 1);
    if (quoted == NULL) return NULL;
    (void)stpcpy(stpcpy(stpcpy(quoted, "\"data:"), media_type), ";base64,");
    encode_digits(quoted + head, bytes, size);
    quoted[head + digits] = '"';
    return gz_json_adopt(document, quoted, head + digits + 1);
}

/* ---- formats ---- */

/* Guesses the format of a file that is no glTF, so that a refusal can name it: by the first bytes,
 * or for Wavefront's OBJ, which begins with anything, by the first word of a line. */

#define SEEN_BYTES 4096 /* of a text, to find its first words in */
#define STL_HEADER_BYTES 80
#define STL_TRIANGLE_BYTES 50

static bool begins_with(const uint8_t *bytes, size_t size, const char *words)
{
    size_t length = strlen(words);
    return size >= length && memcmp(bytes, words, length) == 0;
}

static bool contains(const uint8_t *bytes, size_t size, const char *words)
{
    return memmem(bytes, size < SEEN_BYTES ? size : SEEN_BYTES, words, strlen(words)) != NULL;
}

/* A binary STL begins with anything, but its count of triangles says how long it is. */
static bool is_binary_stl(const uint8_t *bytes, size_t size)
{
    if (size < STL_HEADER_BYTES + 4) return false;
    const uint8_t *at = bytes + STL_HEADER_BYTES;
    uint64_t count = at[0] | (uint64_t)at[1] << 8 | (uint64_t)at[2] << 16 | (uint64_t)at[3] << 24;
    return count > 0 && size == STL_HEADER_BYTES + 4 + count * STL_TRIANGLE_BYTES;
}

/* The first line that is no comment and not empty. */
static bool is_obj(const uint8_t *bytes, size_t size)
{
    static const char *const words[] = {"v ", "vn ", "vt ", "o ", "g ", "f ", "mtllib ", "usemtl "};
    size_t at = 0, end = size < SEEN_BYTES ? size : SEEN_BYTES;
    while (at < end && (bytes[at] == '#' || bytes[at] == '\n' || bytes[at] == '\r')) {
        const uint8_t *newline = memchr(bytes + at, '\n', end - at);
        if (newline == NULL) return false;
        at = (size_t)(newline - bytes) + 1;
    }
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        if (begins_with(bytes + at, end - at, words[i])) return true;
    }
    return false;
}

const char *gz_format_name(const uint8_t *bytes, size_t size)
{
    static const struct {
        const char *beginning, *name;
    } formats[] = {
        {"\xFF\xFE", "a text in UTF-16, where glTF is in UTF-8"},
        {"\xFE\xFF", "a text in UTF-16, where glTF is in UTF-8"},
        {"<!DOCTYPE html", "a web page"},
        {"<!doctype html", "a web page"},
        {"<html", "a web page"},
        {"version https://git-lfs", "a pointer of Git LFS, which stands for the file"},
        {"Kaydara FBX Binary", "an FBX file"},
        {"; FBX", "an FBX file"},
        {"#usda", "a USD file"},
        {"PXR-USDC", "a USD file"},
        {"solid ", "an STL file"},
        {"ply\n", "a PLY file"},
        {"ply\r", "a PLY file"},
        {"BLENDER", "a Blender file"},
        {"ISO-10303-21", "a STEP file"},
        {"PK\003\004", "a ZIP archive (as .zip, .usdz and .3mf files are)"},
        {"\037\213", "a gzip archive"},
    };
    for (size_t i = 0; i < sizeof formats / sizeof formats[0]; i++) {
        if (begins_with(bytes, size, formats[i].beginning)) return formats[i].name;
    }
    if (size >= 2 && bytes[0] + bytes[1] == '{' && bytes[0] * bytes[1] == 0) return formats[0].name;
    if (contains(bytes, size, "<COLLADA")) return "a COLLADA file";
    if (is_binary_stl(bytes, size)) return "an STL file";
    return is_obj(bytes, size) ? "an OBJ file" : NULL;
}

/* ---- container ---- */

/* Opens and writes a glTF file: the .glb container and the JSON. */

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

struct chunk {
    uint32_t type;
    const uint8_t *bytes;
    size_t size;
};

/* A chunk must begin in the declared length; its bytes must be in the file. Bytes behind the
 * declared length are left out: programs that cut a .glb out of a container leave some. */
struct walk {
    struct gz_chunks chunks;
    size_t at;
    bool found; /* the JSON chunk: bytes behind it that are too few for a chunk are padding */
};

static bool is_known(const struct walk *walk, size_t offset)
{
    if (walk->chunks.all < offset + CHUNK_HEADER_BYTES) return false;
    uint32_t type = read_u32(walk->chunks.bytes + offset + 4);
    return type == CHUNK_JSON || type == CHUNK_BIN;
}

/* The next chunk; its bytes are NULL behind the last one. Some programs leave the padding out of a
 * chunk's length. */
static enum gz_status next_chunk(struct walk *walk, struct chunk *chunk, struct gz_error *error)
{
    const struct gz_chunks *in = &walk->chunks;
    *chunk = (struct chunk){0};
    if (walk->at >= in->size && walk->found) return GZ_OK;
    size_t offset = walk->at, left = in->all - (offset < in->all ? offset : in->all);
    if (left < CHUNK_HEADER_BYTES) {
        if (walk->found) return GZ_OK;
        return gz_fail(error, GZ_BAD_MESSAGE,
                       "GLB byte %zu: a chunk's header is cut off; the file is not complete",
                       offset);
    }
    left -= CHUNK_HEADER_BYTES;
    chunk->size = read_u32(in->bytes + offset);
    if (chunk->size > left)
        return gz_fail(
            error, GZ_BAD_MESSAGE,
            "GLB byte %zu: a chunk of %zu bytes, but only %zu are left; the file is not complete",
            offset, chunk->size, left);
    chunk->type = read_u32(in->bytes + offset + 4);
    chunk->bytes = in->bytes + offset + CHUNK_HEADER_BYTES;
    size_t end = offset + CHUNK_HEADER_BYTES + chunk->size, padded = (end + 3) / 4 * 4;
    walk->at = is_known(walk, padded) && !is_known(walk, end) ? padded : end;
    walk->found = walk->found || chunk->type == CHUNK_JSON;
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
    if (length > size) {
        return gz_fail(error, GZ_BAD_MESSAGE,
                       "GLB: the header says %u bytes, the file has %zu; it is not complete",
                       (unsigned)length, size);
    }
    return GZ_OK;
}

/* The first JSON chunk and the first BIN chunk count, wherever they are. */
static enum gz_status open_glb(struct gz_gltf *gltf, const uint8_t *bytes, size_t size,
                               struct gz_error *error)
{
    enum gz_status status = check_glb_header(bytes, size, error);
    if (status != GZ_OK) return status;
    gltf->chunks = (struct gz_chunks){bytes, read_u32(bytes + 8), size};
    struct walk walk = {.chunks = gltf->chunks, .at = GLB_HEADER_BYTES};
    struct chunk chunk, json = {0};
    do {
        status = next_chunk(&walk, &chunk, error);
        if (status != GZ_OK) return status;
        if (chunk.type == CHUNK_JSON && json.bytes == NULL) json = chunk;
        if (chunk.type == CHUNK_BIN && gltf->bin == NULL) {
            gltf->bin = chunk.bytes;
            gltf->bin_size = chunk.size;
        }
    } while (chunk.bytes != NULL);
    if (walk.at < size || gltf->chunks.size < walk.at)
        gz_gltf_flaw(gltf, "GLB: the header says %zu bytes, the file has %zu", gltf->chunks.size,
                     size);
    return gz_document_read(&gltf->document, json.bytes, json.size, error);
}

/* A version in another form than glTF's, which can only mean 2. */
static bool means_two(const struct gz_json *version)
{
    double number = gz_json_number(version);
    return gz_json_says(version, "2") || (number >= 2 && number < 3);
}

/* The version is checked before the schema, so that the error for a file of glTF 1 is about its
 * version, not about the form of its nodes. */
static enum gz_status check_version(struct gz_gltf *gltf, struct gz_error *error)
{
    const struct gz_json *asset = gz_json_get(gltf->document.root, "asset");
    struct gz_json_text version = gz_json_text(gz_json_get(asset, "version"));
    const struct gz_json *least = gz_json_get(asset, "minVersion");
    if (means_two(gz_json_get(asset, "version"))) {
        gz_gltf_flaw(gltf, "asset.version: must be a text such as \"2.0\", and is taken as that");
        version = (struct gz_json_text){"2.0", 3};
    }
    if (version.at == NULL) {
        return gz_fail(error, GZ_VERSION,
                       "asset.version: must be a text such as \"2.0\"; only glTF 2.x is read");
    }
    if (version.size < 2 || memcmp(version.at, "2.", 2) != 0) {
        return gz_fail(error, GZ_VERSION, "asset.version: is %.*s, but only glTF 2.x can be read",
                       (int)version.size, version.at);
    }
    struct gz_json_text text = gz_json_text(least);
    if (text.at != NULL && !gz_json_says(least, "2.0")) {
        return gz_fail(error, GZ_VERSION, "asset.minVersion: is %.*s, but only 2.0 can be read",
                       (int)text.size, text.at);
    }
    return GZ_OK;
}

static enum gz_status read_file(struct gz_gltf *gltf, const uint8_t *bytes, size_t size,
                                struct gz_error *error)
{
    if (size > GZ_ASSET_BYTES_MAX) {
        return gz_fail(error, GZ_TOO_LARGE, "the file has %zu bytes, and may have at most %d", size,
                       GZ_ASSET_BYTES_MAX);
    }
    if (size == 0) return gz_fail(error, GZ_BAD_MESSAGE, "the file is empty");
    const char *other = gz_format_name(bytes, size);
    if (other != NULL)
        return gz_fail(error, GZ_BAD_MESSAGE,
                       "this looks like %s; gizmod imports glTF 2.0 (.glb, .gltf)", other);
    enum gz_status status = gltf->binary ? open_glb(gltf, bytes, size, error)
                                         : gz_document_read(&gltf->document, bytes, size, error);
    if (status == GZ_OK) status = check_version(gltf, error);
    return status == GZ_OK ? gz_schema_check(gltf, error) : status;
}

enum gz_status gz_gltf_open(struct gz_gltf *gltf, const uint8_t *bytes, size_t size,
                            struct gz_error *error)
{
    *gltf = (struct gz_gltf){.binary = is_glb(bytes, size)};
    enum gz_status status = read_file(gltf, bytes, size, error);
    if (status != GZ_OK) gz_gltf_close(gltf);
    return status;
}

void gz_gltf_close(struct gz_gltf *gltf)
{
    gz_document_finish(&gltf->document);
    *gltf = (struct gz_gltf){0};
}

void gz_gltf_flaw(struct gz_gltf *gltf, const char *format, ...)
{
    struct gz_flaws *flaws = &gltf->flaws;
    if (flaws->count++ >= GZ_FLAWS_SAID_MAX) return;
    char text[4 * GZ_ERROR_BYTES_MAX];
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    gz_print(flaws->said[flaws->count - 1], sizeof flaws->said[0], "%s", text);
}

/* A .gltf that was not edited comes back with what stands around its root. */
static enum gz_status write_text(struct gz_buffer *out, const struct gz_gltf *gltf)
{
    const struct gz_json_document *document = &gltf->document;
    enum gz_status status = gz_buffer_append(out, document->front, document->front_size);
    if (status == GZ_OK) status = gz_json_write(out, document->root);
    return status == GZ_OK ? gz_buffer_append(out, document->back, document->back_size) : status;
}

static enum gz_status append_chunk(struct gz_buffer *out, const struct chunk *chunk)
{
    static const uint8_t zeros[4];
    uint8_t header[CHUNK_HEADER_BYTES];
    size_t padding = (4 - chunk->size % 4) % 4;
    write_u32(header, (uint32_t)(chunk->size + padding));
    write_u32(header + 4, chunk->type);
    enum gz_status status = gz_buffer_append(out, header, sizeof header);
    if (status == GZ_OK) status = gz_buffer_append(out, chunk->bytes, chunk->size);
    return status == GZ_OK ? gz_buffer_append(out, zeros, padding) : status;
}

/* All chunks but the JSON one, in their order. */
static enum gz_status append_chunks(struct gz_buffer *out, const struct gz_chunks *chunks)
{
    struct walk walk = {.chunks = *chunks, .at = GLB_HEADER_BYTES};
    bool skipped = false;
    for (;;) {
        struct chunk chunk;
        enum gz_status status = next_chunk(&walk, &chunk, NULL);
        if (status != GZ_OK || chunk.bytes == NULL) return GZ_OK;
        if (chunk.type == CHUNK_JSON && !skipped) {
            skipped = true;
            continue;
        }
        status = append_chunk(out, &chunk);
        if (status != GZ_OK) return status;
    }
}

static enum gz_status write_glb(struct gz_buffer *out, const struct gz_gltf *gltf)
{
    uint8_t header[GLB_HEADER_BYTES + CHUNK_HEADER_BYTES] = "glTF";
    size_t start = out->size;
    enum gz_status status = gz_buffer_append(out, header, sizeof header);
    if (status == GZ_OK) status = gz_json_write(out, gltf->document.root);
    size_t unpadded = out->size - start;
    if (status == GZ_OK) status = gz_buffer_append(out, "   ", (4 - unpadded % 4) % 4);
    size_t text_size = out->size - start - sizeof header;
    const struct chunk bin = {CHUNK_BIN, gltf->new_bin, gltf->new_bin_size};
    if (status == GZ_OK && gltf->new_bin != NULL) status = append_chunk(out, &bin);
    if (status == GZ_OK) status = append_chunks(out, &gltf->chunks);
    if (status != GZ_OK) return status;
    size_t size = out->size - start;
    if (size > UINT32_MAX) return GZ_TOO_LARGE;
    write_u32(out->data + start + 4, GLB_VERSION);
    write_u32(out->data + start + 8, (uint32_t)size);
    write_u32(out->data + start + 12, (uint32_t)text_size);
    write_u32(out->data + start + 16, CHUNK_JSON);
    return GZ_OK;
}

enum gz_status gz_gltf_write(struct gz_buffer *out, const struct gz_gltf *gltf,
                             struct gz_error *error)
{
    size_t start = out->size;
    enum gz_status status = gltf->binary ? write_glb(out, gltf) : write_text(out, gltf);
    if (status == GZ_OK) return GZ_OK;
    gz_buffer_truncate(out, start);
    if (status == GZ_NO_MEMORY) return gz_fail(error, status, "not enough memory for this file");
    return gz_fail(error, status, "the glTF file would have more than %zu bytes", out->max);
}

uint64_t gz_json_natural(const struct gz_json *object, const char *key, uint64_t fallback)
{
    const struct gz_json *value = gz_json_get(object, key);
    return value != NULL ? (uint64_t)gz_json_number(value) : fallback;
}

int64_t gz_json_index(const struct gz_json *object, const char *key)
{
    const struct gz_json *value = gz_json_get(object, key);
    return value != NULL ? (int64_t)gz_json_number(value) : -1;
}

struct gz_json *gz_gltf_item(const struct gz_gltf *gltf, const char *list, size_t index)
{
    return gz_json_at(gz_json_get(gltf->document.root, list), index);
}

size_t gz_gltf_count(const struct gz_gltf *gltf, const char *list)
{
    return gz_json_count(gz_json_get(gltf->document.root, list));
}

struct gz_json *gz_gltf_list(const struct gz_gltf *gltf, const char *path)
{
    struct gz_json *at = gltf->document.root;
    for (const char *dot; (dot = strchr(path, '.')) != NULL; path = dot + 1)
        at = gz_json_get_sized(at, path, (size_t)(dot - path));
    at = gz_json_get(at, path);
    return gz_json_is(at, GZ_JSON_LIST) ? at : NULL;
}

static bool is_once(const struct gz_json *object, const struct gz_json *member)
{
    struct gz_json_text key = gz_json_key(member);
    size_t found = 0;
    for (size_t i = 0; i < gz_json_count(object); i++) {
        struct gz_json_text other = gz_json_key(gz_json_at(object, i));
        found += other.size == key.size && memcmp(other.at, key.at, key.size) == 0;
    }
    return found == 1;
}

static enum gz_status copy_member(const struct gz_json *object, const char *key, char *text,
                                  size_t text_size, struct gz_error *error)
{
    const struct gz_json *member = gz_json_get(object, key);
    struct gz_json_text said = gz_json_text(member);
    if (said.at == NULL)
        return gz_fail(error, GZ_BAD_MESSAGE, "%s: the JSON object must have a text under this key",
                       key);
    if (!is_once(object, member))
        return gz_fail(error, GZ_BAD_MESSAGE, "%s: this name is in the object twice", key);
    if (said.size >= text_size)
        return gz_fail(error, GZ_BAD_VALUE, "%s: may have at most %zu bytes", key, text_size - 1);
    memcpy(text, said.at, said.size);
    text[said.size] = '\0';
    return GZ_OK;
}

enum gz_status gz_json_member(const uint8_t *bytes, size_t size, const char *key, char *text,
                              size_t text_size, struct gz_error *error)
{
    struct gz_json_document document;
    enum gz_status status = gz_document_read(&document, bytes, size, error);
    if (status != GZ_OK) return status;
    status = copy_member(document.root, key, text, text_size, error);
    gz_document_finish(&document);
    return status;
}
