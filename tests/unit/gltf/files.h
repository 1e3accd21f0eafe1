/* files.h - what the tests of this room share: files as bytes, and glTF written down in the test
 * itself. Everything here fails the test that called it when it cannot do its work. */
#ifndef TESTS_EXCHANGE_FILES_H
#define TESTS_EXCHANGE_FILES_H

#include <stdlib.h>
#include <string.h>

#include "support/cmocka.h"

#include <jansson.h>

#include "gltf/gltf.h"

/* Debian's package of test models. */
#define MODELS "/usr/share/assimp/models"

/* Fails in words where the models are not installed: a test that skipped would prove nothing. */
void require_models(void);

/* The file's bytes, for free(). */
uint8_t *read_bytes(const char *path, size_t *size);

/* The text with ' turned into ", for free(): glTF that can be read in a C string. */
char *from_quotes(const char *text);

/* A .glb of these chunks, for free(). */
uint8_t *make_glb(const char *json, const void *bin, size_t bin_size, size_t *size);

/* The JSON chunk of a .glb, parsed, and its BIN chunk; by code that shares nothing with the
 * server's. */
json_t *split_glb(const uint8_t *bytes, size_t size, const uint8_t **bin, size_t *bin_size);

/* Imports, and says the error where that fails. */
void import_bytes(struct gz_import *import, const void *bytes, size_t size);
void import_quoted(struct gz_import *import, const char *text);

/* The node of that name, or a failure. */
const struct gz_import_node *find_node(const struct gz_import *import, const char *name);

/* A list for gz_export_write that says what the import says; ids are 1 + index. For free(). */
struct gz_export_node *same_nodes(const struct gz_import *import);

#endif
