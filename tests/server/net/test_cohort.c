/* Groups of a link's clients (group.c), and the passes of a scene (turn.c), by themselves: with a
 * real core, a link without a socket, and channels that only count their frames. What follows
 * later from other news is left out. */
#include <stdlib.h>
#include <string.h>

#include "core/session.h"
#include "core/work.h"
#include "feed/state.h"
#include "link/link_server.h"
#include "scene/scene.h"
#include "support/cmocka.h"
#include "support/core_host.h"
#include "unit/core/saying.h"

#define CLIENTS 3

/* ---- a channel that counts ---- */

static size_t frames_written;

static bool write_frame(struct gz_wire *wire, struct gz_bytes *frame)
{
    (void)wire, (void)frame;
    frames_written++;
    return true;
}

static bool is_free(const struct gz_wire *wire)
{
    (void)wire;
    return true;
}

static const struct gz_wire_kind counted = {
    .is_tended = true, .write = write_frame, .is_free = is_free};

static const struct gz_member_link_end no_end = {.take = NULL};

/* ---- a link with a group ---- */

struct stage {
    struct host host;
    struct gz_net net;
    struct gz_net_scene scene;
    struct gz_link_server branch;
    struct client *editor, *clients[CLIENTS];
    struct gz_channel channels[CLIENTS];
    struct gz_arrival arrivals[CLIENTS];
};

/* The host leaves its frames to the link. */
static void enter(struct stage *stage, int number)
{
    struct gz_channel *channel = &stage->channels[number];
    stage->arrivals[number].is_channel = true;
    gz_peer_enter(&stage->net.peers, &stage->arrivals[number].peer);
    channel->wire = (struct gz_wire){&counted, &stage->arrivals[number]};
    channel->branch = &stage->branch;
    channel->number = (uint16_t)number;
    stage->net.session_count++;
    gz_connection_begin(&channel->connection, &stage->net, &channel->wire);
    channel->connection.session = stage->clients[number]->session;
    stage->clients[number]->stalled = true;
    gz_connection_move(&channel->connection, &stage->scene);
}

static void begin(struct stage *stage)
{
    memset(stage, 0, sizeof *stage);
    host_init(&stage->host);
    stage->host.plain = true;
    stage->editor = client_join(&stage->host, "anna", GZ_ROLE_EDITOR);
    for (int i = 0; i < CLIENTS; i++)
        stage->clients[i] = client_join(&stage->host, "ben", GZ_ROLE_VIEWER);
    host_advance(&stage->host, 1); /* they fall asleep */
    gz_peers_init(&stage->net.peers, 1, 0);
    stage->scene.core = stage->host.core;
    gz_member_link_init(&stage->branch.link, &stage->net, &no_end);
    for (int i = 0; i < CLIENTS; i++) {
        enter(stage, i);
        gz_subscribers_join(&stage->channels[i].connection, stage->host.now);
        assert_non_null(stage->channels[i].connection.group);
    }
    gz_bytes_release(gz_mux_take(&stage->branch.link.out, NULL));
    frames_written = 0;
}

static void end(struct stage *stage)
{
    for (int i = 0; i < CLIENTS; i++) {
        struct gz_connection *connection = &stage->channels[i].connection;
        gz_connection_leave_group(connection);
        connection->session = NULL; /* it stays the host's */
        gz_connection_finish(connection);
        gz_peer_leave(&stage->net.peers, &stage->arrivals[i].peer);
    }
    gz_mux_finish(&stage->branch.link.out);
    gz_buffer_finish(&stage->branch.link.in);
    host_finish(&stage->host);
}

/* Of all clients: what a round visits. */
static struct gz_connection *group_of(const struct stage *stage)
{
    return &stage->channels[0].connection.group->connection;
}

static void create(struct host *host, struct client *editor, size_t count)
{
    static char name[GZ_NAME_BYTES_MAX];
    struct gz_create_node *nodes = calloc(count, sizeof *nodes);
    assert_non_null(nodes);
    memset(name, 'n', sizeof name);
    for (size_t i = 0; i < count; i++)
        nodes[i] = (struct gz_create_node){.name = {name, sizeof name},
                                           .trs = {.r = {0, 0, 0, 1}, .s = {1, 1, 1}}};
    client_say(editor, &(struct gz_message){.op = GZ_OP_CREATE, .create = {nodes, count}});
    host_turn(host);
    free(nodes);
}

/* What the passes do with connections in the queues, until there are none. */
static void serve_queues(struct stage *stage)
{
    struct gz_net_scene *scene = &stage->scene;
    struct gz_connection *connection;
    while ((connection = scene->later.first != NULL ? scene->later.first : scene->line.first) !=
           NULL) {
        for (int i = 0; i < GZ_PLACE_COUNT; i++) gz_connection_leave_queue(connection, i);
        gz_core_let_tell(scene->core, true);
        gz_connection_flush(connection, stage->host.now);
    }
}

/* ---- tests ---- */

/* The first frame of what is cut into several makes the group behind, and all leave. */
TEST(test_cohort_that_leaves_with_a_cut_frame_is_told_the_rest)
{
    static struct stage stage;
    begin(&stage);
    create(&stage.host, stage.editor, 2 * GZ_DELTA_BYTES_MAX / GZ_NAME_BYTES_MAX);
    gz_connection_flush(group_of(&stage), stage.host.now);
    assert_int_equal(frames_written, CLIENTS);
    serve_queues(&stage);
    assert_true(frames_written > CLIENTS);
    for (int i = 0; i < CLIENTS; i++) {
        const struct gz_cursor *cursor = &stage.clients[i]->session->subscriber.at->cursor;
        assert_true(cursor->greeted);
        assert_int_equal(cursor->state, gz_scene_seq(stage.host.core->scene));
    }
    end(&stage);
}

TEST(test_cohort_goes_on_when_its_trunk_has_room)
{
    static struct stage stage;
    static const uint8_t zeros[GZ_TRUNK_WAITING_BYTES];
    begin(&stage);
    struct gz_mux *out = &stage.branch.link.out;
    assert_int_equal(gz_buffer_append(&out->out, zeros, sizeof zeros), GZ_OK);
    create(&stage.host, stage.editor, 1);
    gz_connection_flush(group_of(&stage), stage.host.now);
    assert_int_equal(out->out.size, sizeof zeros);
    assert_null(stage.scene.later.first);
    gz_bytes_release(gz_mux_take(out, NULL));
    gz_connection_go_on(group_of(&stage)); /* as the link does */
    assert_ptr_equal(stage.scene.later.first, group_of(&stage));
    serve_queues(&stage);
    assert_true(out->out.size > 0);
    end(&stage);
}

#define NODES 1000
#define SLICES 20

/* Work in slices: the boxes of all nodes, and then the nodes. */
static void begin_slices(struct host *host, struct client *editor)
{
    static const struct gz_message pick_all = {
        .op = GZ_OP_PICK, .has = GZ_HAS_PICK_RECT, .pick.rect = {-1e6, -1e6, 1e6, 1e6}};
    create(host, editor, NODES);
    assert_ok(ask_camera(editor, 10));
    host->core->slice_nodes = host->core->slice = NODES / SLICES;
    (void)ask_later(editor, pick_all);
}

#define SCENES 8

static void begin_scene(struct host *host, struct gz_net *net, struct gz_net_scene *scene)
{
    host_init(host);
    begin_slices(host, client_join(host, "anna", GZ_ROLE_EDITOR));
    *scene = (struct gz_net_scene){.core = host->core};
    gz_net_add(net, scene);
}

static bool has_work(const struct host *host)
{
    return gz_session_has_work(host->clients->session);
}

static bool have_work(const struct host *hosts, size_t count)
{
    size_t i = 0;
    while (i < count && !has_work(&hosts[i])) i++;
    return i < count;
}

/* In so many turns the loop of a daemon does what is in slices in so many scenes; *first: what is
 * in one of them. */
static size_t count_turns(size_t count, size_t *first)
{
    static struct host hosts[SCENES];
    static struct gz_net_scene scenes[SCENES];
    struct gz_error error;
    struct gz_net *net;
    uv_loop_t loop;
    size_t turns = 0;
    const struct gz_net_options options = {.loop = &loop, .address = "127.0.0.1"};
    assert_int_equal(uv_loop_init(&loop), 0);
    assert_int_equal(gz_net_create(&net, &options, &error), GZ_OK);
    for (size_t i = 0; i < count; i++) begin_scene(&hosts[i], net, &scenes[i]);
    for (*first = 0; have_work(hosts, count); turns++) {
        (void)uv_run(&loop, UV_RUN_NOWAIT);
        assert_true(turns > 0 || uv_is_active((uv_handle_t *)&net->again)); /* it does not wait */
        for (size_t i = 0; i < count; i++)
            if (*first == 0 && !has_work(&hosts[i])) *first = turns + 1;
    }
    for (size_t i = 0; i < count; i++) gz_net_remove(net, &scenes[i]);
    gz_net_close(net);
    uv_run(&loop, UV_RUN_DEFAULT);
    gz_net_destroy(net);
    assert_int_equal(uv_loop_close(&loop), 0);
    for (size_t i = 0; i < count; i++) host_finish(&hosts[i]);
    return turns;
}

/* Once the sockets were read. Before the loop waits it is only decided until when. */
TEST(test_scene_has_one_pass_in_a_turn_of_the_loop)
{
    size_t first;
    assert_in_range(count_turns(1, &first), 2 * SLICES, 2 * SLICES + 2);
}

/* However many there are, a turn of the loop has one slice for all of them, and each has its
 * share. */
TEST(test_scenes_share_a_turn_of_the_loop)
{
    size_t first;
    assert_in_range(count_turns(SCENES, &first), SCENES * (2 * SLICES - 1),
                    SCENES * (2 * SLICES + 1));
    assert_true(first > (SCENES - 1) * 2 * SLICES);
}
