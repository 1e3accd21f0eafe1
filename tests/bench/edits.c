/* edits.c - sends edits with so many in flight and notes when each is answered. See edits.h. */
#include "bench/edits.h"

#include <string.h>

#include "bench/quantile.h"
#include "support/cmocka.h"
#include "support/crowd.h"

#define WAITS_MAX 4000000

struct live {
    struct crowd crowd;
    struct crowd_member *member;
    double sent_s[EDITS_FLIGHT_MAX]; /* of the requests in flight, by their rid */
    uint64_t rid;
    size_t oks, wait_count;
    double waits[WAITS_MAX];
    double until_s;
    uint64_t nodes[EDITS_NODES];
};

static void send_set(struct live *live)
{
    struct gz_set_node node = {.has = GZ_HAS_SET_NODE_T,
                               .id = live->nodes[live->rid % EDITS_NODES],
                               .trs.t = {(double)live->rid, 1, 2}};
    struct gz_message set = {
        .op = GZ_OP_SET, .has = GZ_HAS_RID, .set = {.nodes = &node, .count = 1}};
    live->sent_s[live->rid % EDITS_FLIGHT_MAX] = crowd_unix_s();
    set.rid = ++live->rid;
    crowd_send(live->member, &set);
}

static void handle_message(void *context, struct crowd_member *member,
                           const struct gz_message *message, double came_s)
{
    struct live *live = context;
    (void)member;
    (void)came_s;
    if (message->op == GZ_OP_ERROR)
        fail_msg("%.*s", (int)message->error.message.size, message->error.message.bytes);
    if (message->op != GZ_OP_OK) return;
    live->oks++;
    if (message->has & GZ_HAS_OK_IDS) memcpy(live->nodes, message->ok.ids.ids, sizeof live->nodes);
    double now = crowd_unix_s();
    if (live->wait_count < WAITS_MAX)
        live->waits[live->wait_count++] = now - live->sent_s[(message->rid - 1) % EDITS_FLIGHT_MAX];
    if (now < live->until_s) send_set(live);
}

static bool is_over(void *context)
{
    const struct live *live = context;
    return live->oks == live->rid;
}

static void create_nodes(struct live *live)
{
    struct gz_create_node nodes[EDITS_NODES];
    for (size_t i = 0; i < EDITS_NODES; i++)
        nodes[i] =
            (struct gz_create_node){.name = {"a node of a bench", 17}, .trs = gz_trs_identity};
    struct gz_message create = {
        .op = GZ_OP_CREATE, .has = GZ_HAS_RID, .rid = 1, .create = {nodes, EDITS_NODES}};
    live->rid = 1;
    crowd_send(live->member, &create);
    assert_true(crowd_until(&live->crowd, is_over, live, 10));
    live->oks = live->rid = live->wait_count = 0;
}

struct edits edits_go(int port, const char *scene, size_t flight, double seconds)
{
    static struct live live;
    memset(&live, 0, sizeof live);
    crowd_init(&live.crowd, port);
    live.crowd.handle = handle_message;
    live.crowd.context = &live;
    live.member = crowd_enter(&live.crowd, scene, GZ_ROLE_EDITOR, 0);
    assert_int_equal(crowd_gather(&live.crowd, 60), 1);
    live.until_s = crowd_unix_s();
    create_nodes(&live);
    const double begin = crowd_unix_s();
    live.until_s = begin + seconds;
    for (size_t i = 0; i < flight; i++) send_set(&live);
    assert_true(crowd_until(&live.crowd, is_over, &live, seconds + 10));
    const double taken = crowd_unix_s() - begin;
    crowd_finish(&live.crowd);
    return (struct edits){.per_s = (double)live.oks / taken,
                          .p50_ms = 1e3 * quantile(live.waits, live.wait_count, 0.5),
                          .p99_ms = 1e3 * quantile(live.waits, live.wait_count, 0.99),
                          .count = (double)live.oks};
}
