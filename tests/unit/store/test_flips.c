/* One bit of a scene's file is flipped while nobody has it open: the scene is opened as it was, or
 * refused, or offered read-only with a reason; never in another state without a word. */
#include "unit/store/scene_file.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "support/chance.h"

#define FLIPS 300
#define FILE_BYTES_MAX (1 << 22)

static uint8_t bytes[FILE_BYTES_MAX];
static size_t size;

static void read_file(const char *path)
{
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    size = fread(bytes, 1, sizeof bytes, file);
    assert_true(size > 0 && size < sizeof bytes);
    fclose(file);
}

/* A copy, which has no mark. */
static void write_file(const char *path)
{
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, size, file), size);
    assert_int_equal(fclose(file), 0);
}

/* A working life of many kinds of edits, closed in the end. */
static void make_life(const char *path)
{
    struct gz_scene_state scene;
    struct gz_store *store = open_scene(path, true, START_TIME, &scene);
    struct model *model = model_create(5);
    gz_scene_state_finish(&scene);
    for (int i = 0; i < 60; i++) commit(store, model_batch(model));
    gz_store_close(store);
    model_destroy(model);
    store = open_only(path, false, START_TIME + 1e6);
    gz_store_close(store);
}

/* What people see of the scene: its nodes, bit by bit, and where it has come to. */
static bool is_same(const struct gz_scene_state *a, const struct gz_scene_state *b)
{
    bool same = a->seq == b->seq && a->next_node == b->next_node && a->next_edit == b->next_edit &&
                a->node_count == b->node_count && a->edit_count == b->edit_count;
    for (size_t i = 0; same && i < a->node_count; i++) {
        const struct gz_node_record *x = &a->nodes[i], *y = &b->nodes[i];
        same = x->id == y->id && x->gone == y->gone && x->content.parent == y->content.parent &&
               strcmp(x->content.name, y->content.name) == 0 &&
               memcmp(&x->content.trs, &y->content.trs, sizeof x->content.trs) == 0 &&
               x->content.has_bounds == y->content.has_bounds &&
               x->content.asset == y->content.asset;
    }
    return same;
}

struct counts {
    size_t refused, read_only, same;
};

static void open_flipped(const char *path, const struct gz_scene_state *good, struct counts *counts)
{
    struct gz_store *store;
    struct gz_scene_state scene;
    struct gz_error error = {0};
    struct gz_store_options options = {.path = path, .time = START_TIME + 2e6};
    if (gz_store_open(&store, &options, &scene, &error) != GZ_OK) {
        assert_true(error.message[0] != '\0');
        counts->refused++;
        return;
    }
    bool same = is_same(&scene, good);
    if (scene.read_only[0] != '\0')
        counts->read_only++;
    else if (same)
        counts->same++;
    else
        fail_msg("another state is served without a word");
    gz_scene_state_finish(&scene);
    gz_store_close(store);
}

TEST_IN_DIRECTORY(test_one_flipped_bit_is_never_another_state)
{
    const char *life = in_directory(directory, "life.db"),
               *path = in_directory(directory, "flipped.db");
    struct gz_scene_state good;
    struct counts counts = {0};
    uint64_t chance = chance_seed(1);
    print_message("GIZMOD_SEED=%llu\n", (unsigned long long)chance);
    make_life(life);
    read_file(life);
    gz_store_close(open_scene(life, false, START_TIME + 1.5e6, &good));
    for (size_t i = 0; i < chance_count(FLIPS); i++) {
        size_t bit = chance_below(&chance, 8 * size);
        bytes[bit / 8] ^= (uint8_t)(1u << bit % 8);
        write_file(path);
        open_flipped(path, &good, &counts);
        bytes[bit / 8] ^= (uint8_t)(1u << bit % 8);
        unlink(in_directory(directory, "flipped.db-wal"));
        unlink(in_directory(directory, "flipped.db-shm"));
    }
    gz_scene_state_finish(&good);
    print_message("%zu bytes: refused %zu, read-only %zu, as it was %zu\n", size, counts.refused,
                  counts.read_only, counts.same);
    assert_true(counts.refused > 0 && counts.read_only > 0 && counts.same > 0);
}

int main(void)
{
    setenv("TMPDIR", access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp",
           0); /* no waiting for a disk */
    return test_run(NULL, NULL);
}
