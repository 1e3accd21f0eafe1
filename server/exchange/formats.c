/* Guesses the format of a file that is no glTF, so that a refusal can name it: by the first bytes,
 * or for Wavefront's OBJ, which begins with anything, by the first word of a line. */
#include <string.h>

#include "exchange/internal.h"

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
    if (contains(bytes, size, "<COLLADA")) return "a COLLADA file";
    if (is_binary_stl(bytes, size)) return "an STL file";
    return is_obj(bytes, size) ? "an OBJ file" : NULL;
}
