/* Through real sockets: a viewer that joins while 16 drags run holds the server's scene, bit for
 * bit. The scene is several deltas long, so that the drags go on in the middle of each snapshot.
 * unit/core/test_join.c does the same 10,000 times. GIZMOD_TIMES scales the 100 joins. */
#include <stdio.h>

#include "dump.h"
#include "server/scenario/stage.h"
#include "support/chance.h"

#define SCENE "joins"
#define DRAGS 16
#define NODES 1600
#define NAME_BYTES 200

struct joins {
    struct stage *stage;
    struct gz_client *draggers[DRAGS];
    uint64_t random;
};

static char *text_of(const struct gz_client *client)
{
    char *text;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    assert_non_null(out);
    dump_mirror(out, gz_client_mirror(client));
    fclose(out);
    return text;
}

static struct gz_client *join(struct joins *joins, const char *user)
{
    struct gz_client_options options = {
        .url = joins->stage->daemon.url, .scene = SCENE, .user = user, .create = true};
    struct gz_client *client;
    struct gz_error error = {0};
    stage_check(gz_client_create(&client, &options, &error), &error, "join");
    return client;
}

static void make_scene(struct gz_client *client)
{
    static struct gz_create_node nodes[NODES];
    char name[NAME_BYTES + 1];
    memset(name, 'n', NAME_BYTES);
    name[NAME_BYTES] = '\0';
    for (size_t i = 0; i < NODES; i++)
        nodes[i] = (struct gz_create_node){
            .has = GZ_HAS_CREATE_NODE_T, .name = gz_client_text(name), .trs = gz_trs_identity};
    stage_ask(client, (struct gz_message){.op = GZ_OP_CREATE, .create = {nodes, NODES}});
}

/* Each moves what it drags, some steps, all at once; nobody waits for an answer. */
static void drag_on(struct joins *joins, size_t steps)
{
    struct gz_error error = {0};
    for (size_t step = 0; step < steps; step++)
        for (size_t i = 0; i < DRAGS; i++) {
            struct gz_message move = message_pointer(
                GZ_PHASE_MOVE, 900 + (double)chance_below(&joins->random, 1000) / 7, 540);
            stage_check(gz_client_send(joins->draggers[i], &move, NULL, &error), &error, "move");
            while (gz_client_next(joins->draggers[i], 0) != NULL) continue;
        }
}

/* All moves that were sent have been made, and the drags still run. */
static void hold_still(struct joins *joins)
{
    for (size_t i = 0; i < DRAGS; i++)
        stage_ask(joins->draggers[i], (struct gz_message){.op = GZ_OP_PING});
    stage_ask(joins->draggers[0], (struct gz_message){.op = GZ_OP_PING});
}

static void begin(struct joins *joins, struct stage *stage)
{
    char user[16];
    *joins = (struct joins){.stage = stage, .random = chance_seed(1)};
    for (size_t i = 0; i < DRAGS; i++) {
        snprintf(user, sizeof user, "dragger-%zu", i);
        joins->draggers[i] = join(joins, user);
        if (i == 0) make_scene(joins->draggers[0]);
        uint64_t node = 1 + i * (NODES / DRAGS);
        stage_ask(joins->draggers[i], message_camera((gz_vec3){0, 0, 10}, (gz_vec3){0, 0, 0}));
        stage_ask(joins->draggers[i], message_grab(&node, i % 2 == 0 ? GZ_TX : GZ_TXY, 960, 540));
    }
}

static void join_once(struct joins *joins)
{
    struct gz_error error = {0};
    drag_on(joins, 3);
    struct gz_client *joiner = join(joins, "joiner");
    drag_on(joins, 3);
    stage_check(gz_client_await(joiner, 0, STAGE_SECONDS, &error), &error, "the first whole state");
    drag_on(joins, 1 + chance_below(&joins->random, 3));
    hold_still(joins);
    stage_catch_up(joiner, joins->draggers[0]);
    stage_catch_up(joins->draggers[0], joiner);
    char *text = text_of(joiner), *truth = text_of(joins->draggers[0]);
    assert_string_equal(text, truth);
    free(text);
    free(truth);
    gz_client_destroy(joiner);
}

TEST_ON_STAGE(test_join_during_16_drags_holds_the_scene)
{
    static struct joins joins;
    begin(&joins, *state);
    for (uint64_t left = chance_count(100); left > 0; left--) join_once(&joins);
    for (size_t i = 0; i < DRAGS; i++) gz_client_destroy(joins.draggers[i]);
}
