/* follow_bench - how fast a member catches up: one member makes changes, another one has the copy
 * from before them in its folder, and follows. Once each change is an edit of one node, once one of
 * three nodes; all of them are in a real PostgreSQL on this machine.
 * follow_bench [CHANGES [ROUNDS [NODES]]]      NODES: edits of so many nodes alone */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "bench/quantile.h"
#include "cluster/member.h"
#include "cluster/postgres.h"
#include "store/store.h"
#include "support/clock.h"
#include "support/cmocka.h"
#include "support/postgres.h"
#include "unit/store/scene_file.h"

#define ROUNDS_MAX 15
#define NODES 1000

struct member {
    struct gz_cluster_log log;
    struct gz_member me;
    struct gz_cluster *cluster;
    char folder[256];
};

struct scene {
    struct gz_store *store;
    struct gz_scene_lease *claim;
    char name[32], path[320];
    uint64_t seq, edit;
    double x[NODES];
};

static const struct gz_log silence = {.level = GZ_ERROR};

/* What is measured begins when all is written, which need not be safe. */
static bool is_hasty = true;

int fdatasync(int file)
{
    return is_hasty ? 0 : (int)syscall(SYS_fdatasync, file);
}

int fsync(int file)
{
    return is_hasty ? 0 : (int)syscall(SYS_fsync, file);
}

static void ignore(void *context)
{
    (void)context;
}

static void must(enum gz_status status, const struct gz_error *error)
{
    if (status != GZ_OK) fail_msg("%s", error->message);
}

static void enter(struct member *member, const char *name, const char *uri, void **directory)
{
    struct gz_error error;
    snprintf(member->folder, sizeof member->folder, "%s", in_directory(directory, name));
    snprintf(member->me.name, sizeof member->me.name, "%s", name);
    snprintf(member->me.url, sizeof member->me.url, "http://%s:1", name);
    assert_int_equal(mkdir(member->folder, 0700), 0);
    must(gz_postgres_create(&member->log, uri, &error), &error);
    const struct gz_cluster_options options = {
        .log = &member->log, .messages = &silence, .folder = member->folder, .me = &member->me};
    member->cluster = gz_cluster_prepare(&options);
    gz_cluster_renew(member->cluster);
}

static void leave(struct member *member)
{
    gz_cluster_destroy(member->cluster);
    gz_postgres_destroy(&member->log);
}

static void open_claim(struct scene *scene, const struct member *author)
{
    struct gz_error error;
    struct gz_scene_state state;
    char url[GZ_MEMBER_URL_BYTES_MAX + 1];
    snprintf(scene->path, sizeof scene->path, "%s/%s.db", author->folder, scene->name);
    const struct gz_scene_lease_request request = {
        .name = scene->name, .path = scene->path, .create = true, .notify = ignore};
    must(gz_cluster_open(author->cluster, &request, &scene->claim, url, &error), &error);
    const struct gz_store_options options = {.path = scene->path,
                                             .create = true,
                                             .time = START_TIME,
                                             .shipping = gz_scene_lease_shipping(scene->claim)};
    must(gz_store_open(&scene->store, &options, &state, &error), &error);
    must(gz_store_start(scene->store, &error), &error);
    gz_scene_state_finish(&state);
    gz_scene_lease_opened(scene->claim);
}

static void *room(struct gz_batch *batch, size_t count, size_t size)
{
    void *memory = gz_arena_take(&batch->arena, count, size);
    assert_non_null(memory);
    return memory;
}

/* One edit of so many nodes, which it makes if it is the first one. */
static void edit(struct scene *scene, size_t width)
{
    struct gz_batch *batch = gz_batch_create();
    const bool existed = scene->edit > 0;
    const uint64_t first = ++scene->edit * 7919;
    struct gz_edit_record *record = room(batch, 1, sizeof *record);
    struct gz_change *changes = room(batch, width, sizeof *changes);
    struct gz_node_record *nodes = room(batch, width, sizeof *nodes);
    *record = (struct gz_edit_record){.id = scene->edit,
                                      .kind = existed ? GZ_EDIT_SET : GZ_EDIT_CREATE,
                                      .user = "anna",
                                      .began = START_TIME + (double)scene->edit,
                                      .ended = START_TIME + (double)scene->edit,
                                      .began_seq = scene->seq,
                                      .changes = changes,
                                      .change_count = width};
    for (size_t i = 0; i < width; i++) {
        const uint64_t node = existed ? (first + i) % NODES : i;
        changes[i] = (struct gz_change){.node = node + 1, .existed = existed, .exists = true};
        if (existed) changes[i].before = some_content(0, "a node", scene->x[node]);
        if (existed) scene->x[node] = (double)scene->edit;
        changes[i].after = some_content(0, "a node", scene->x[node]);
        nodes[i] = (struct gz_node_record){
            .id = node + 1, .seq = ++scene->seq, .content = changes[i].after};
    }
    record->seq = scene->seq;
    batch->ended = record;
    batch->nodes = nodes;
    batch->ended_count = 1;
    batch->node_count = width;
    batch->seq = scene->seq;
    batch->time = record->ended;
    batch->next_node = NODES + 1;
    batch->next_edit = scene->edit + 1;
    commit(scene->store, batch);
}

static uint64_t behind(const struct member *member)
{
    return gz_cluster_stats(member->cluster).behind;
}

static void go(struct member *author, struct member *follower, size_t width, size_t changes,
               int round, double *cpu_us, double *wall_us)
{
    struct scene scene = {.seq = 0};
    snprintf(scene.name, sizeof scene.name, "scene-%zu-%d", width, round);
    open_claim(&scene, author);
    edit(&scene, NODES);
    gz_cluster_follow(follower->cluster);
    gz_cluster_follow(follower->cluster);
    assert_int_equal(behind(follower), 0);
    for (size_t i = 0; i < changes; i++) edit(&scene, width);
    gz_cluster_renew(follower->cluster);
    is_hasty = false;
    const double from_s = now_s(), cpu_s = clock_s(CLOCK_PROCESS_CPUTIME_ID);
    do gz_cluster_follow(follower->cluster);
    while (behind(follower) > 0);
    *cpu_us = 1e6 * (clock_s(CLOCK_PROCESS_CPUTIME_ID) - cpu_s) / (double)changes;
    *wall_us = 1e6 * (now_s() - from_s) / (double)changes;
    is_hasty = true;
    gz_store_close(scene.store);
    gz_cluster_close(scene.claim);
    gz_cluster_renew(author->cluster);
}

static void print(size_t width, double *cpu_us, double *wall_us, size_t rounds)
{
    const double cpu = quantile(cpu_us, rounds, 0.5), wall = quantile(wall_us, rounds, 0.5);
    printf("| %zu | %.1f | %.0f | %.0f |\n", width, cpu, 1e6 / cpu, 1e6 / wall);
}

int main(int count, char **arguments)
{
    size_t widths[] = {1, 3}, width_count = 2;
    double cpu_us[2][ROUNDS_MAX], wall_us[2][ROUNDS_MAX];
    const size_t changes = count > 1 ? strtoul(arguments[1], NULL, 10) : 5000;
    const int rounds = count > 2 ? atoi(arguments[2]) : 5;
    struct test_postgres postgres;
    struct member author = {.me.version = "bench"}, follower = {.me.version = "bench"};
    struct gz_error error;
    void *directory = NULL;
    if (count > 3) widths[0] = strtoul(arguments[3], NULL, 10);
    if (count > 3) width_count = 1;
    if (rounds < 1 || rounds > ROUNDS_MAX || !test_postgres_is_there()) {
        fprintf(stderr, "follow_bench [CHANGES [ROUNDS [NODES]]]: 1 to %d rounds, and PostgreSQL\n",
                ROUNDS_MAX);
        return 1;
    }
    gz_store_prepare();
    test_postgres_init(&postgres);
    test_postgres_start(&postgres);
    must(gz_postgres_init(postgres.uri, &error), &error);
    (void)test_postgres_ask(&postgres, "ALTER SYSTEM SET synchronous_commit = off");
    (void)test_postgres_ask(&postgres, "SELECT pg_reload_conf()");
    assert_int_equal(make_directory(&directory), 0);
    enter(&author, "author", postgres.uri, &directory);
    enter(&follower, "follower", postgres.uri, &directory);
    for (int round = 0; round < rounds; round++)
        for (size_t i = 0; i < width_count; i++)
            go(&author, &follower, widths[i], changes, round, &cpu_us[i][round],
               &wall_us[i][round]);
    printf("| nodes of an edit | us of processor | changes a second of it | changes a second |\n"
           "| --- | --- | --- | --- |\n");
    for (size_t i = 0; i < width_count; i++)
        print(widths[i], cpu_us[i], wall_us[i], (size_t)rounds);
    leave(&follower);
    leave(&author);
    remove_directory(&directory);
    test_postgres_finish(&postgres);
    return 0;
}
