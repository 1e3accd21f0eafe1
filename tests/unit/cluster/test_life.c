/* Three members with real files on a log in memory whose lines lose, double and delay: people edit
 * at any of the members, and members are killed, cut off for longer than a lease and come back
 * late. No place of the log has two writers. What was answered is in every file, once; what was
 * refused is in none; and the files are equal and sound. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cluster/member.h"
#include "unit/cluster/life.h"

#define LIVES 3
#define STEPS 50

static void kill_somehow(struct world *world, struct member *member)
{
    member->calls_left = (int)(1 + below(world, 6));
    member->dies_at_answer = below(world, 2) == 0;
    if (below(world, 3) != 0) return;
    life_kill(member);
    life_revive(member);
}

/* As if its changes were larger than its file. */
static void want_copy(struct member *member, size_t scene)
{
    struct gz_scene_lease *claim = member->scenes[scene].claim;
    if (claim != NULL) claim->bytes_since_copy += UINT64_C(1) << 30;
}

/* Whoever has the scene closes it in order when it has heard of that. */
static void move_scene(struct member *to, size_t scene)
{
    struct gz_error error;
    (void)!to->log.want(to->log.context, life_scenes[scene], to->me.name, &error);
}

static void heed(struct member *member, size_t scene)
{
    struct gz_scene_lease *claim = member->scenes[scene].claim;
    if (claim != NULL && gz_scene_lease_state(claim) != GZ_SCENE_LEASE_HELD)
        life_close(member, scene);
}

static void step(struct world *world)
{
    struct member *member = &world->members[below(world, MEMBERS)];
    size_t scene = below(world, SCENES);
    switch (below(world, 20)) {
    case 0:
    case 1: life_give_faults(member); break;
    case 2: simulated_engine_pass(world->engine, (double)below(world, 4)); break;
    case 3: gz_cluster_renew(member->cluster); break;
    case 4:
    case 5:
        life_follow(member);
        heed(member, scene);
        break;
    case 6: life_close(member, scene); break;
    case 7: kill_somehow(world, member); break;
    case 8: want_copy(member, scene); break;
    case 9: life_take_over(world, member, scene); break;
    case 10: life_restart(member); break;
    case 11: move_scene(member, scene); break;
    default: life_edit(member, scene);
    }
    for (size_t i = 0; i < MEMBERS; i++)
        if (world->members[i].is_dead) life_revive(&world->members[i]);
}

struct tally {
    size_t saved, refused, unknown;
    int takeovers, deaths, fences;
};

static void live(void **state, uint64_t seed, struct tally *tally)
{
    struct world *world = calloc(1, sizeof *world);
    assert_non_null(world);
    world->random = seed;
    world->time = START_TIME;
    world->directory = state;
    world->thread = pthread_self();
    pthread_mutex_init(&world->mutex, NULL);
    pthread_cond_init(&world->event, NULL);
    world->engine = simulated_engine_create(seed);
    for (size_t i = 0; i < MEMBERS; i++) life_begin(world, i);
    for (int i = 0; i < STEPS; i++) step(world);
    life_judge(world);
    for (size_t i = 0; i < MEMBERS; i++) life_bury(&world->members[i]);
    simulated_engine_destroy(world->engine);
    pthread_cond_destroy(&world->event);
    pthread_mutex_destroy(&world->mutex);
    tally->saved += world->book.saved;
    tally->refused += world->book.refused;
    tally->unknown += world->book.unknown;
    tally->takeovers += world->takeovers;
    tally->deaths += world->deaths;
    tally->fences += world->fences;
    free(world);
}

TEST_IN_DIRECTORY(what_was_answered_is_everywhere_once)
{
    const uint64_t first = chance_seed(1), lives = chance_count(LIVES);
    struct tally tally = {0};
    for (uint64_t seed = first; seed < first + lives; seed++) {
        printf("GIZMOD_SEED=%llu\r", (unsigned long long)seed);
        fflush(stdout);
        live(directory, seed, &tally);
    }
    printf("%zu batches saved, %zu refused, %zu never answered; %d scenes taken over, %d processes "
           "killed, %d changes fenced\n",
           tally.saved, tally.refused, tally.unknown, tally.takeovers, tally.deaths, tally.fences);
    assert_true(tally.saved > 10 * lives);
}
