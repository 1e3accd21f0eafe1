/* Members on a log in memory whose lines lose, double and delay: random takings, edits, kills and
 * followings, step by step. What was acknowledged is in each file that is opened, and in the end
 * all files are equal. */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cluster/internal.h"
#include "server/maxima.h"
#include "support/chance.h"
#include "support/simulated_log.h"
#include "unit/store/scene_file.h"

#define MEMBERS 3
#define LIVES 3
#define STEPS 50
#define SCENE "arm"

struct machine {
    struct gz_cluster_log log;
    struct gz_member me;
    char folder[256], path[320];
    struct gz_cluster *cluster;
    struct gz_claim *claim; /* with a store */
    struct gz_store *store;
    uint64_t edits; /* of the numbered ones, when its store was as far as the log */
};

struct world {
    uint64_t random;
    double time;
    struct simulated_engine *engine;
    struct machine machines[MEMBERS];
    struct numbered numbered; /* as the store of the authority has it */
    uint64_t acknowledged;
};

static const struct gz_log silence = {.level = GZ_ERROR};

static uint64_t below(struct world *world, uint64_t limit)
{
    return chance_below(&world->random, limit);
}

static void ignore(void *context)
{
    (void)context;
}

/* ---- machines ---- */

static void begin_machine(struct world *world, size_t which, const char *folder)
{
    struct machine *machine = &world->machines[which];
    const struct gz_cluster_options options = {
        .log = &machine->log, .messages = &silence, .folder = machine->folder, .me = &machine->me};
    snprintf(machine->me.name, sizeof machine->me.name, "m%zu", which);
    snprintf(machine->me.url, sizeof machine->me.url, "http://m%zu", which);
    snprintf(machine->folder, sizeof machine->folder, "%s", folder);
    snprintf(machine->path, sizeof machine->path, "%s/" SCENE ".db", folder);
    assert_int_equal(mkdir(folder, 0700), 0);
    simulated_engine_connect(world->engine, &machine->log);
    machine->cluster = gz_cluster_prepare(&options);
    assert_non_null(machine->cluster);
    gz_cluster_renew(machine->cluster);
}

/* What the store still has to do goes into a line that is cut if the machine is killed. */
static void close_machine(struct machine *machine, bool is_killed)
{
    if (machine->store == NULL) return;
    if (is_killed)
        simulated_log_set_faults(&machine->log, (struct simulated_faults){.is_cut = true});
    gz_store_close(machine->store);
    gz_cluster_close(machine->claim);
    machine->store = NULL;
    machine->claim = NULL;
}

static void give_faults(struct world *world, struct machine *machine)
{
    static const struct simulated_faults faults[] = {{.lost = 0},         {.lost = 0.2},
                                                     {.unanswered = 0.3}, {.doubled = 0.3},
                                                     {.late = 0.2},       {.is_cut = true}};
    simulated_log_set_faults(&machine->log, faults[below(world, sizeof faults / sizeof faults[0])]);
}

/* ---- what they do ---- */

static void open_machine(struct world *world, struct machine *machine, struct gz_error *error)
{
    char url[GZ_MEMBER_URL_BYTES_MAX + 1];
    struct gz_scene_state state;
    const struct gz_claim_request request = {
        .name = SCENE, .path = machine->path, .create = true, .notify = ignore};
    enum gz_status status =
        gz_cluster_open(machine->cluster, &request, &machine->claim, url, error);
    if (status == GZ_CONFLICT || status == GZ_VERSION) fail_msg("%s", error->message);
    if (status == GZ_OK && machine->claim == NULL)
        (void)gz_fail(error, GZ_BAD_STATE, "%s has the scene", url);
    if (machine->claim == NULL) return;
    const struct gz_store_options options = {.path = machine->path,
                                             .time = world->time++,
                                             .shipping = gz_claim_shipping(machine->claim)};
    status = gz_store_open(&machine->store, &options, &state, error);
    if (status == GZ_OK && state.read_only[0] != '\0') fail_msg("%s", state.read_only);
    if (status == GZ_OK) {
        assert_numbered(&state, world->acknowledged, &world->numbered);
        world->acknowledged = world->numbered.edits;
        gz_scene_state_finish(&state);
        assert_int_equal(gz_store_start(machine->store, error), GZ_OK);
    } else {
        machine->store = NULL;
        gz_cluster_close(machine->claim);
        machine->claim = NULL;
    }
}

/* Of an edit that the log did not answer for nobody ever hears. */
static enum gz_status submit(struct machine *machine, struct gz_batch *batch)
{
    struct gz_error error;
    enum gz_status status = GZ_INTERNAL;
    assert_non_null(batch);
    gz_store_submit(machine->store, batch);
    do {
        usleep(100);
        batch = gz_store_take(machine->store, &status, &error);
    } while (batch == NULL && !gz_store_stats(machine->store).keeps_batches);
    gz_batches_destroy(batch);
    return status;
}

/* A member that was fenced fails here, and closes. */
static void edit(struct world *world, struct machine *machine)
{
    struct numbered next = world->numbered;
    enum gz_status status = submit(machine, numbered_batch(&next, false));
    if (status == GZ_OK) status = submit(machine, numbered_batch(&next, true));
    if (status == GZ_OK) {
        assert_true(next.edits == world->acknowledged + 1);
        world->numbered = next;
        world->acknowledged = next.edits;
    } else {
        close_machine(machine, false);
    }
}

static void step(struct world *world)
{
    struct machine *machine = &world->machines[below(world, MEMBERS)];
    switch (below(world, 8)) {
    case 0: give_faults(world, machine); break;
    case 1: simulated_engine_pass(world->engine, (double)below(world, 6)); break;
    case 2: gz_cluster_renew(machine->cluster); break;
    case 3: (void)gz_follow(machine->cluster); break;
    case 4: close_machine(machine, below(world, 2) == 0); break;
    default:
        if (machine->store == NULL)
            open_machine(world, machine, &(struct gz_error){0});
        else
            edit(world, machine);
    }
}

/* ---- one life of a scene ---- */

/* The first machine alone is alive then: nobody else keeps the lease. */
static void heal(struct world *world)
{
    for (size_t i = 0; i < MEMBERS; i++) {
        close_machine(&world->machines[i], false);
        simulated_log_set_faults(&world->machines[i].log, (struct simulated_faults){.lost = 0});
    }
    simulated_engine_settle(world->engine);
    for (int i = 0; i <= 2 * GZ_CLUSTER_LEASE_SECONDS; i++) {
        gz_cluster_renew(world->machines[0].cluster);
        simulated_engine_pass(world->engine, 1);
    }
}

/* What failed before is tried again after some seconds. */
static void follow_to_end(struct gz_cluster *cluster)
{
    const double until_s = gz_cluster_now() + 30;
    gz_cluster_renew(cluster);
    do {
        usleep(1000);
        assert_true(gz_follow(cluster));
    } while (gz_cluster_stats(cluster).behind > 0 && gz_cluster_now() < until_s);
}

static void end_equal(struct world *world)
{
    char difference[GZ_ERROR_BYTES_MAX];
    struct gz_error error;
    heal(world);
    open_machine(world, &world->machines[0], &error);
    if (world->machines[0].store == NULL) fail_msg("%s", error.message);
    edit(world, &world->machines[0]);
    assert_non_null(world->machines[0].store);
    close_machine(&world->machines[0], false);
    for (size_t i = 1; i < MEMBERS; i++) {
        follow_to_end(world->machines[i].cluster);
        if (gz_store_compare(world->machines[0].path, world->machines[i].path, difference,
                             &error) != GZ_OK)
            fail_msg("%s", error.message);
        if (difference[0] != '\0') fail_msg("%s", difference);
    }
}

static void end_machine(struct machine *machine)
{
    char path[600];
    gz_cluster_destroy(machine->cluster);
    DIR *folder = opendir(machine->folder);
    assert_non_null(folder);
    for (struct dirent *entry; (entry = readdir(folder)) != NULL;) {
        snprintf(path, sizeof path, "%s/%s", machine->folder, entry->d_name);
        unlink(path); /* not "." and ".." */
    }
    closedir(folder);
    assert_int_equal(rmdir(machine->folder), 0);
}

static void live(void **state, uint64_t seed)
{
    struct world world = {.random = seed, .time = START_TIME};
    char name[32];
    world.engine = simulated_engine_create(seed);
    for (size_t i = 0; i < MEMBERS; i++) {
        snprintf(name, sizeof name, "%llu-%zu", (unsigned long long)seed, i);
        begin_machine(&world, i, in_directory(state, name));
    }
    for (int i = 0; i < STEPS; i++) step(&world);
    end_equal(&world);
    for (size_t i = 0; i < MEMBERS; i++) end_machine(&world.machines[i]);
    simulated_engine_destroy(world.engine);
}

static void what_was_acknowledged_is_everywhere(void **state)
{
    const uint64_t seed = chance_seed(1), lives = chance_count(LIVES);
    print_message("seed %llu\n", (unsigned long long)seed);
    for (uint64_t i = 0; i < lives; i++) live(state, seed + i);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(what_was_acknowledged_is_everywhere, make_directory,
                                        remove_directory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
