/* model.c - reads the engine from its glTF file without the server's code. See model.h. */
#include "model.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/cmocka.h"

#include <jansson.h>

static json_t *read_chunk(const char *path)
{
    FILE *file = fopen(path, "rb");
    if (file == NULL) fail_msg("%s is missing: install Debian's package assimp-testmodels", path);
    uint8_t head[20];
    assert_int_equal(fread(head, 1, sizeof head, file), sizeof head);
    size_t size =
        head[12] | (size_t)head[13] << 8 | (size_t)head[14] << 16 | (size_t)head[15] << 24;
    char *text = malloc(size);
    assert_non_null(text);
    assert_int_equal(fread(text, 1, size, file), size);
    fclose(file);
    json_t *json = json_loadb(text, size, 0, NULL);
    free(text);
    assert_non_null(json);
    return json;
}

static void local_matrix(const json_t *node, long double *matrix)
{
    for (int i = 0; i < 16; i++) matrix[i] = i % 5 == 0;
    const json_t *given = json_object_get(node, "matrix");
    for (size_t i = 0; i < json_array_size(given); i++)
        matrix[i] = (long double)json_number_value(json_array_get(given, i));
    /* The engine has no node with a translation, rotation or scale of its own. */
    assert_null(json_object_get(node, "translation"));
    assert_null(json_object_get(node, "rotation"));
    assert_null(json_object_get(node, "scale"));
}

static void multiply(const long double *a, const long double *b, long double *product)
{
    for (int column = 0; column < 4; column++)
        for (int row = 0; row < 4; row++) {
            product[4 * column + row] = 0;
            for (int k = 0; k < 4; k++)
                product[4 * column + row] += a[4 * k + row] * b[4 * column + k];
        }
}

/* The box of the whole mesh, as its accessors say it. False where it has none. */
static bool mesh_box(const json_t *file, const json_t *mesh, long double *min, long double *max)
{
    const json_t *primitives = json_object_get(mesh, "primitives");
    for (size_t i = 0; i < json_array_size(primitives); i++) {
        const json_t *attributes = json_object_get(json_array_get(primitives, i), "attributes");
        size_t position = (size_t)json_integer_value(json_object_get(attributes, "POSITION"));
        const json_t *accessor = json_array_get(json_object_get(file, "accessors"), position);
        for (size_t k = 0; k < 3; k++) {
            long double low =
                json_number_value(json_array_get(json_object_get(accessor, "min"), k));
            long double high =
                json_number_value(json_array_get(json_object_get(accessor, "max"), k));
            if (i == 0 || low < min[k]) min[k] = low;
            if (i == 0 || high > max[k]) max[k] = high;
        }
    }
    return json_array_size(primitives) > 0;
}

static void add_bounds(const json_t *file, const json_t *json, struct model_node *node)
{
    const json_t *mesh = json_object_get(json, "mesh");
    if (mesh == NULL) return;
    long double low[3], high[3];
    mesh = json_array_get(json_object_get(file, "meshes"), (size_t)json_integer_value(mesh));
    node->has_bounds = mesh_box(file, mesh, low, high);
    for (int corner = 0; corner < 8; corner++)
        for (int row = 0; row < 3; row++) {
            long double at = node->world[12 + row];
            for (int k = 0; k < 3; k++)
                at += node->world[4 * k + row] * (corner >> k & 1 ? high[k] : low[k]);
            if (corner == 0 || at < node->min[row]) node->min[row] = at;
            if (corner == 0 || at > node->max[row]) node->max[row] = at;
        }
}

static void visit(struct model *model, const json_t *file, size_t index, int parent)
{
    const json_t *json = json_array_get(json_object_get(file, "nodes"), index);
    struct model_node *node = &model->nodes[index];
    long double local[16];
    local_matrix(json, local);
    node->parent = parent;
    node->depth = parent < 0 ? 0 : model->nodes[parent].depth + 1;
    if (parent < 0)
        memcpy(node->world, local, sizeof local);
    else
        multiply(model->nodes[parent].world, local, node->world);
    add_bounds(file, json, node);
    const json_t *children = json_object_get(json, "children");
    for (size_t i = 0; i < json_array_size(children); i++)
        visit(model, file, (size_t)json_integer_value(json_array_get(children, i)), (int)index);
}

void model_read(struct model *model, const char *path)
{
    memset(model, 0, sizeof *model);
    json_t *file = read_chunk(path);
    model->count = json_array_size(json_object_get(file, "nodes"));
    assert_true(model->count <= MODEL_NODES_MAX);
    const json_t *roots =
        json_object_get(json_array_get(json_object_get(file, "scenes"), 0), "nodes");
    for (size_t i = 0; i < json_array_size(roots); i++)
        visit(model, file, (size_t)json_integer_value(json_array_get(roots, i)), -1);
    json_decref(file);
}
