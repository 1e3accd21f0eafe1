/* fuzz_session.c - a sequence of steps made of any bytes: what two people say to a scene, when they
 * go and come back, what the disk and the clock do meanwhile. Slices are so small that the core
 * pauses in the middle of what it does for them. Whatever it is, both hold the scene's state in the
 * end, and each frame on the way can be read. */
#include <stdlib.h>

#include "session/internal.h"
#include "support/core_host.h"

#define PEOPLE 2
/* Nobody is over the rate here: what is dropped is not tested. */
#define MESSAGES_PER_S 1e12
#define SLICE_NODES_MAX 40

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct steps {
    const uint8_t *at, *end;
};

struct world {
    struct host host;
    struct client *people[PEOPLE];
    struct gz_arena arena;
    size_t slice_nodes;
};

static uint8_t next(struct steps *steps)
{
    return steps->at < steps->end ? *steps->at++ : 0;
}

/* Which camera a view was taken by is more than the simulated client knows of one that was refused:
 * following the view has a test of its own. */
static bool is_followed_by_view(const struct gz_message *message)
{
    return message->op == GZ_OP_INTEREST && (message->has & GZ_HAS_INTEREST_VIEW) != 0;
}

/* What can be read is said with a rid of its own; the rest as it is. */
static void say(struct world *world, struct client *client, const uint8_t *bytes, size_t size)
{
    for (size_t offset = 0; offset < size && client->session != NULL;) {
        struct gz_message message;
        size_t start = offset;
        gz_arena_reset(&world->arena, gz_decode_bytes_max(size));
        if (gz_decode(GZ_FROM_CLIENT, bytes, size, &offset, &world->arena, &message, NULL) !=
            GZ_OK) {
            client_say_bytes(client, bytes + start, offset - start);
        } else if (!is_followed_by_view(&message)) {
            message.has |= GZ_HAS_RID;
            message.rid = client->next_rid++;
            client_say(client, &message);
        }
    }
}

static void say_next(struct world *world, struct client *client, struct steps *steps)
{
    size_t size = next(steps);
    size |= (size_t)next(steps) << 8;
    size_t left = (size_t)(steps->end - steps->at);
    if (size > left) size = left;
    say(world, client, steps->at, size);
    steps->at += size;
}

/* A session that ended is closed, and its client comes again. */
static void turn(struct world *world)
{
    host_turn(&world->host);
    for (size_t i = 0; i < PEOPLE; i++) {
        struct client *client = world->people[i];
        bool is_over = client->session != NULL && gz_session_end_reason(client->session) != NULL;
        if (is_over) client_leave(client);
        if (is_over) client_enter_again(client);
        client_forget(client);
    }
}

static void go_or_come(struct client *client, bool resumes)
{
    if (client->session != NULL)
        client_leave(client);
    else if (resumes)
        client_resume(client);
    else
        client_enter_again(client);
}

static void set_disk(struct host *host, unsigned how)
{
    host->disk = (enum host_disk)(how % 3);
    if (host->disk != DISK_WAITS) host_settle(host, host->disk == DISK_COMMITS);
}

static void crash(struct world *world, bool committed)
{
    host_restart(&world->host, committed);
    world->host.core->slice_nodes = world->slice_nodes;
    for (size_t i = 0; i < PEOPLE; i++) client_enter_again(world->people[i]);
}

static void step(struct world *world, struct steps *steps)
{
    uint8_t what = next(steps);
    struct client *client = world->people[what >> 4 & 1];
    switch (what & 7) {
    case 0: set_disk(&world->host, next(steps)); break;
    case 1: host_advance(&world->host, next(steps) / 16.0); break;
    case 2: go_or_come(client, (what & 8) != 0); break;
    case 3: client->stalled = !client->stalled; break;
    case 4: turn(world); break;
    case 5:
        if ((what & 0xE0) == 0xA0) crash(world, (what & 8) != 0);
        break;
    default: say_next(world, client, steps);
    }
}

/* Everybody is here and reads, and the disk takes what waits. */
static void come_to_rest(struct world *world)
{
    set_disk(&world->host, DISK_COMMITS);
    for (size_t i = 0; i < PEOPLE; i++) {
        world->people[i]->stalled = false;
        if (world->people[i]->session == NULL) client_enter_again(world->people[i]);
    }
    turn(world);
    turn(world);
    host_assert_equal(&world->host);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct world world;
    struct steps steps = {data, data + size};
    setenv("CMOCKA_TEST_ABORT", "1", 1); /* a failed assertion is a crash, which the fuzzer keeps */
    host_init_limited(&world.host, MESSAGES_PER_S);
    gz_arena_init(&world.arena, 0);
    /* By the length, so that inputs mean what they meant before. */
    world.host.core->slice_nodes = world.slice_nodes = 1 + size % SLICE_NODES_MAX;
    world.people[0] = client_enter(&world.host, "ada", GZ_ROLE_ADMIN, true);
    world.people[1] = client_enter(&world.host, "ben", GZ_ROLE_EDITOR, false);
    turn(&world);
    while (steps.at < steps.end) step(&world, &steps);
    come_to_rest(&world);
    gz_arena_finish(&world.arena);
    host_finish(&world.host);
    return 0;
}
