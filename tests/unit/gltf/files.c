/* files.c - reads files and writes glTF for tests. See files.h. */
#include "files.h"

#include <stdio.h>
#include <unistd.h>

void require_models(void)
{
    if (access(MODELS "/glTF2", R_OK) != 0) {
        fail_msg("%s/glTF2 is missing: install Debian's package assimp-testmodels (apt install "
                 "assimp-testmodels)",
                 MODELS);
    }
}

uint8_t *read_bytes(const char *path, size_t *size)
{
    FILE *file = fopen(path, "rb");
    if (file == NULL) fail_msg("cannot open %s", path);
    assert_int_equal(fseek(file, 0, SEEK_END), 0);
    *size = (size_t)ftell(file);
    rewind(file);
    uint8_t *bytes = malloc(*size + 1);
    assert_non_null(bytes);
    assert_int_equal(fread(bytes, 1, *size, file), *size);
    (void)fclose(file);
    return bytes;
}

char *from_quotes(const char *text)
{
    char *copy = strdup(text);
    assert_non_null(copy);
    for (char *c = copy; *c != '\0'; c++) {
        if (*c == '\'') *c = '"';
    }
    return copy;
}

static void put_u32(uint8_t *at, size_t value)
{
    for (int i = 0; i < 4; i++) at[i] = (uint8_t)(value >> 8 * i);
}

uint8_t *make_glb(const char *json, const void *bin, size_t bin_size, size_t *size)
{
    size_t text_size = (strlen(json) + 3) / 4 * 4;
    size_t padded = (bin_size + 3) / 4 * 4;
    *size = 20 + text_size + (bin != NULL ? 8 + padded : 0);
    uint8_t *bytes = calloc(*size, 1);
    assert_non_null(bytes);
    memcpy(bytes, "glTF\2\0\0\0", 8);
    put_u32(bytes + 8, *size);
    put_u32(bytes + 12, text_size);
    memcpy(bytes + 16, "JSON", 4);
    memset(bytes + 20, ' ', text_size);
    memcpy(bytes + 20, json, strlen(json));
    if (bin == NULL) return bytes;
    put_u32(bytes + 20 + text_size, padded);
    memcpy(bytes + 24 + text_size, "BIN", 4);
    memcpy(bytes + 28 + text_size, bin, bin_size);
    return bytes;
}

json_t *split_glb(const uint8_t *bytes, size_t size, const uint8_t **bin, size_t *bin_size)
{
    uint32_t text_size, rest;
    assert_true(size >= 20);
    memcpy(&text_size, bytes + 12, 4);
    json_t *json = json_loadb((const char *)bytes + 20, text_size, 0, NULL);
    assert_non_null(json);
    memcpy(&rest, bytes + 20 + text_size, 4);
    *bin = bytes + 28 + text_size;
    *bin_size = rest;
    assert_int_equal(size, 28 + text_size + rest);
    return json;
}

void import_bytes(struct gz_import *import, const void *bytes, size_t size)
{
    struct gz_error error = {0};
    if (gz_import_parse(import, bytes, size, &error) != GZ_OK) fail_msg("%s", error.message);
}

void import_quoted(struct gz_import *import, const char *text)
{
    char *json = from_quotes(text);
    import_bytes(import, json, strlen(json));
    free(json);
}

const struct gz_import_node *find_node(const struct gz_import *import, const char *name)
{
    for (size_t i = 0; i < import->count; i++) {
        if (strcmp(import->nodes[i].name, name) == 0) return &import->nodes[i];
    }
    fail_msg("no node is called %s", name);
    return NULL;
}

struct gz_export_node *same_nodes(const struct gz_import *import)
{
    struct gz_export_node *nodes = calloc(import->count + 1, sizeof *nodes);
    assert_non_null(nodes);
    for (size_t i = 0; i < import->count; i++) {
        const struct gz_import_node *node = &import->nodes[i];
        nodes[i] = (struct gz_export_node){.id = i + 1,
                                           .parent = (uint64_t)(node->parent + 1),
                                           .asset = node->asset,
                                           .name = node->name,
                                           .trs = node->trs};
    }
    return nodes;
}
