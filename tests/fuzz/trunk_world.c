/* trunk_world.c - simulates what stands around a link. See trunk_world.h. */
#include "trunk_world.h"

#include <string.h>

#include "conn/clock.h"
#include "proto/base/text.h"

#define MEMBER_URL "http://127.0.0.1:1"
/* Clients of the other member, fewer than there are channels. */
#define CHANNELS_MAX 6
#define SILENCE_S 15.0

struct world world;

/* ---- libwebsockets, streams and clocks ---- */

double gz_awake_now(const struct gz_awake *awake)
{
    (void)awake;
    return world.now_s;
}

void gz_awake_sweep(struct gz_awake *awake, double mono_s)
{
    (void)awake, (void)mono_s;
}

/* No scene rests, however busy this machine is. */
void gz_pacing_count(struct gz_pacing *rest, double now_s, double work_s)
{
    (void)rest, (void)now_s, (void)work_s;
}

double gz_pacing_after(const struct gz_pacing *rest, double pass_s)
{
    (void)rest, (void)pass_s;
    return 0;
}

void gz_pacing_count_round(struct gz_pacing *rest, struct gz_pacing_round *round, double now_s,
                           double round_s)
{
    (void)rest, (void)round, (void)now_s, (void)round_s;
}

void *lws_get_opaque_user_data(const struct lws *wsi)
{
    return wsi->opaque;
}

void lws_set_opaque_user_data(struct lws *wsi, void *data)
{
    wsi->opaque = data;
}

void lws_set_timeout(struct lws *wsi, enum pending_timeout reason, int seconds)
{
    (void)wsi, (void)reason, (void)seconds;
}

void lws_cancel_service(struct lws_context *context)
{
    (void)context;
}

struct lws *lws_client_connect_via_info(const struct lws_client_connect_info *info)
{
    if (world.socket_count == WORLD_TRUNKS) return NULL;
    struct lws *wsi = &world.sockets[world.socket_count++];
    *wsi = (struct lws){info->opaque_user_data};
    return *info->pwsi = wsi;
}

static struct world_stream *stream_of(const struct gz_stream *stream)
{
    return (struct world_stream *)stream;
}

struct gz_stream *gz_stream_take(uv_loop_t *loop, struct lws *wsi, int stand_in)
{
    (void)loop, (void)wsi, (void)stand_in;
    if (world.stream_count == WORLD_TRUNKS) return NULL;
    return (struct gz_stream *)&world.streams[world.stream_count++];
}

/* The streams of this world come from no socket, and do not collect. */
struct gz_stream *gz_stream_create(uv_loop_t *loop, int socket, SSL_CTX *tls)
{
    (void)loop, (void)socket, (void)tls;
    return NULL;
}

bool gz_stream_is_tls(const struct gz_stream *stream)
{
    (void)stream;
    return false;
}

void gz_stream_collect(struct gz_stream *stream, struct gz_send_batch *sends)
{
    (void)stream, (void)sends;
}

void gz_stream_forget_user(struct gz_stream *stream)
{
    stream_of(stream)->user = NULL;
}

void gz_stream_ask(struct gz_stream *stream)
{
    (void)stream;
}

void gz_stream_sent(void *context, size_t sent)
{
    (void)context, (void)sent;
    abort();
}

bool gz_stream_start(struct gz_stream *stream, const struct gz_stream_user *user, void *context)
{
    *stream_of(stream) = (struct world_stream){.user = user, .context = context, .is_open = true};
    return true;
}

bool gz_stream_is_free(const struct gz_stream *stream)
{
    return !stream_of(stream)->is_full;
}

/* An input is too short to make a link's answers wait. */
void gz_stream_pause(struct gz_stream *stream)
{
    (void)stream;
    abort();
}

void gz_stream_resume(struct gz_stream *stream)
{
    (void)stream;
    abort();
}

bool gz_stream_is_paused(const struct gz_stream *stream)
{
    (void)stream;
    return false;
}

void gz_stream_end_writing(struct gz_stream *stream)
{
    (void)stream;
    abort();
}

int gz_stream_socket(const struct gz_stream *stream)
{
    (void)stream;
    return -1;
}

void gz_stream_close(struct gz_stream *stream)
{
    stream_of(stream)->is_open = false;
}

/* Whether a member of this kind sends such a record. */
static bool may_send(const struct gz_record *record)
{
    switch (record->kind) {
    case GZ_RECORD_OPEN: return world.is_edge;
    case GZ_RECORD_AGAIN:
    case GZ_RECORD_GROUP: return !world.is_edge;
    default: return true;
    }
}

static void read_records(struct world_stream *stream, uint8_t *bytes, size_t size)
{
    struct gz_record record;
    for (size_t at = 0, used; at < size; at += used) {
        require(gz_mux_read(bytes + at, size - at, &record, &used) == GZ_BUNDLE_RECORD);
        require(may_send(&record));
        require(record.kind != GZ_RECORD_AGAIN || stream->has_sent[record.slot]);
        if (record.kind == GZ_RECORD_DATA) stream->has_sent[record.slot] = true;
    }
}

bool gz_stream_send(struct gz_stream *stream, struct gz_bytes *bytes)
{
    return gz_stream_write(stream, gz_bytes_wire(bytes), gz_bytes_wire_size(bytes));
}

/* The other member can read the frame, and the records in it. */
bool gz_stream_write(struct gz_stream *stream, const uint8_t *bytes, size_t size)
{
    struct gz_frames frames = {.is_of_server = !world.is_edge};
    struct gz_frame_part part;
    uint8_t *copy = malloc(size);
    require(copy != NULL && stream_of(stream)->is_open && !stream_of(stream)->is_full);
    memcpy(copy, bytes, size);
    require(gz_frames_read(&frames, copy, size, &part) == size);
    require(part.kind == GZ_FRAME_PONG || (part.kind == GZ_FRAME_DATA && part.is_last));
    if (part.kind == GZ_FRAME_DATA)
        read_records(stream_of(stream), (uint8_t *)part.bytes, part.size);
    free(copy);
    return true;
}

/* ---- the link ---- */

struct world_stream *world_stream(void)
{
    return world.stream_count > 0 ? &world.streams[world.stream_count - 1] : NULL;
}

static bool is_open(void)
{
    return world_stream() != NULL && world_stream()->is_open;
}

/* The connection of the edge that is in its handshake; NULL for none. */
static struct lws *waiting_socket(void)
{
    struct lws *latest = world.socket_count > 0 ? &world.sockets[world.socket_count - 1] : NULL;
    return latest != NULL && latest->opaque != NULL ? latest : NULL;
}

static void enter_trunk(void)
{
    struct gz_stream *stream = gz_stream_take(NULL, NULL, 0);
    struct gz_arrival *arrival = stream != NULL ? calloc(1, sizeof *arrival) : NULL;
    if (stream == NULL) return;
    require(arrival != NULL && gz_address_parse("10.1.1.1", &arrival->client));
    arrival->is_link = true;
    arrival->stream = stream;
    gz_peer_enter(&world.net.peers, &arrival->peer);
    gz_arrival_become(&world.net, arrival, GZ_PEER_BUSY);
    world.net.open_count++;
    gz_link_server_begin(&world.net, arrival);
}

void world_connect(void)
{
    struct lws *wsi = waiting_socket();
    if (!world.is_edge && !is_open()) enter_trunk();
    if (wsi == NULL) return;
    (void)gz_link_client_callback(wsi, LWS_CALLBACK_CLIENT_ESTABLISHED, NULL, NULL, 0);
    (void)gz_link_client_callback(wsi, LWS_CALLBACK_WSI_DESTROY, NULL, NULL, 0);
    wsi->opaque = NULL;
}

void world_cut(void)
{
    struct lws *wsi = waiting_socket();
    struct world_stream *stream = world_stream();
    if (wsi != NULL) {
        (void)gz_link_client_callback(wsi, LWS_CALLBACK_CLIENT_CONNECTION_ERROR, NULL, NULL, 0);
        (void)gz_link_client_callback(wsi, LWS_CALLBACK_WSI_DESTROY, NULL, NULL, 0);
        wsi->opaque = NULL;
    } else if (is_open()) {
        stream->user->end(stream->context);
    }
}

void world_receive(const uint8_t *bytes, size_t size)
{
    struct world_stream *stream = world_stream();
    if (!is_open() || size == 0) return;
    uint8_t *copy = malloc(size);
    require(copy != NULL);
    memcpy(copy, bytes, size);
    require(stream->user->take(stream->context, copy, size) == size);
    free(copy);
}

size_t world_in_flight(uint16_t channel)
{
    const struct gz_member_link *link = world.net.links;
    if (link == NULL || link->is_over) return 0;
    if (world.is_edge) {
        const struct gz_link_client *route = (const struct gz_link_client *)link;
        const bool is_there = channel < route->capacity && route->relays[channel] != NULL;
        return is_there ? route->relays[channel]->in_flight : 0;
    }
    const struct gz_link_server *branch = (const struct gz_link_server *)link;
    struct gz_channel *there = channel < branch->capacity ? branch->channels[channel] : NULL;
    if (there != NULL) gz_subscribers_settle(there);
    return there != NULL ? there->in_flight : 0;
}

/* ---- the host ---- */

static void commit(void *context, struct gz_batch *batch)
{
    (void)context;
    require(world.batch == NULL);
    world.batch = batch;
}

static void query(void *context, uint64_t ticket, const char *payer, const struct gz_query *query)
{
    struct gz_answer answer = {.status = GZ_STORAGE};
    (void)context, (void)payer, (void)query;
    (void)gz_fail(&answer.error, GZ_STORAGE, "there is no file");
    gz_core_answered(world.scene.core, ticket, &answer, gz_clock_now());
}

static enum gz_status find_key(void *context, const char *user, const char *key,
                               struct gz_arena *arena, struct gz_edit_record *edit)
{
    (void)context, (void)user, (void)key, (void)arena;
    edit->id = 0;
    return GZ_OK;
}

static enum gz_status find_note_key(void *context, const char *user, const char *key,
                                    uint64_t *note)
{
    (void)context, (void)user, (void)key;
    *note = 0;
    return GZ_OK;
}

static bool is_waited_for(char first, const struct gz_scene_wait *wait)
{
    const bool is_opened = first != 'l' || wait->list != NULL;
    return !is_opened || (world.scene.is_lent && (first == 's' || first == 'l'));
}

/* At an edge another member has every scene. The authority has "scene"; "later" is being opened,
 * and others have "moved". */
static enum gz_status find(void *context, struct gz_text name, bool create, const char *payer,
                           struct gz_scene_wait *wait, struct gz_net_scene **scene,
                           struct gz_error *error)
{
    (void)context, (void)create, (void)payer;
    const char first = name.size > 0 ? name.bytes[0] : '\0';
    if (world.is_edge || first == 'm') {
        memcpy(wait->url, MEMBER_URL, sizeof MEMBER_URL);
    } else if (is_waited_for(first, wait)) {
        wait->next = world.waiting;
        wait->list = &world.waiting;
        world.waiting = wait;
    } else if (first == 's' || first == 'l') {
        *scene = &world.scene;
    } else {
        return gz_fail(error, GZ_UNKNOWN_SCENE, "there is no such scene");
    }
    return GZ_OK;
}

static void forget(void *context, struct gz_scene_wait *wait)
{
    (void)context;
    struct gz_scene_wait **link = &world.waiting;
    while (*link != NULL && *link != wait) link = &(*link)->next;
    if (*link != NULL) *link = wait->next;
}

void world_open_scene(bool is_good)
{
    struct gz_error error;
    (void)gz_fail(&error, GZ_STORAGE, "it cannot be opened");
    while (!world.scene.is_lent && world.waiting != NULL) {
        struct gz_scene_wait *wait = world.waiting;
        world.waiting = wait->next;
        wait->again(wait, is_good ? NULL : &error);
    }
}

void world_lend(bool is_lent)
{
    if (world.is_edge || is_lent == world.scene.is_lent) return;
    if (is_lent) {
        world.scene.is_lent = true;
    } else {
        gz_net_return(&world.scene);
        world_open_scene(true);
    }
}

/* ---- clients of the edge ---- */

static struct world_client *client_of(const struct gz_wire *wire)
{
    return (struct world_client *)wire;
}

static bool write_frame(struct gz_wire *wire, struct gz_bytes *frame)
{
    (void)wire;
    require(frame->size <= GZ_OUTBOX_BYTES_MAX);
    return true;
}

/* A client may be sent what RFC 6455 allows, whatever the authority says. */
static bool write_close(struct gz_wire *wire, int code, const char *words)
{
    (void)wire;
    if (code == GZ_CLOSE_NONE) return true; /* sent without words */
    require(gz_frame_close_is_valid(code));
    require(words == NULL || strlen(words) <= GZ_CONTROL_BYTES_MAX - 2);
    require(words == NULL || gz_text_valid(words, strlen(words)));
    return true;
}

static bool is_free(const struct gz_wire *wire)
{
    return !client_of(wire)->is_full;
}

static uint64_t taken_bytes(const struct gz_wire *wire)
{
    (void)wire;
    return 0;
}

static void pause_client(struct gz_wire *wire)
{
    client_of(wire)->is_paused = true;
}

static void resume_client(struct gz_wire *wire)
{
    client_of(wire)->is_paused = false;
}

static bool is_paused(const struct gz_wire *wire)
{
    return client_of(wire)->is_paused;
}

static void end_writing(struct gz_wire *wire)
{
    (void)wire;
}

static void kill_client(struct gz_wire *wire)
{
    client_of(wire)->is_killed = true;
}

static const struct gz_wire_kind client_kind = {.write = write_frame,
                                                .write_close = write_close,
                                                .is_free = is_free,
                                                .taken_bytes = taken_bytes,
                                                .pause = pause_client,
                                                .resume = resume_client,
                                                .is_paused = is_paused,
                                                .end_writing = end_writing,
                                                .kill = kill_client};

void world_enter(size_t who)
{
    struct world_client *client = &world.clients[who];
    struct gz_arrival *arrival = client->is_there ? NULL : calloc(1, sizeof *arrival);
    if (client->is_there) return;
    require(arrival != NULL && gz_address_parse("10.0.0.1", &arrival->client));
    gz_peer_enter(&world.net.peers, &arrival->peer);
    world.net.open_count++;
    world.net.session_count++;
    *client = (struct world_client){.wire = {&client_kind, arrival}, .is_there = true};
    gz_connection_begin(&client->connection, &world.net, &client->wire);
}

void world_leave(size_t who)
{
    struct world_client *client = &world.clients[who];
    if (!client->is_there) return;
    gz_connection_finish(&client->connection);
    gz_arrival_leave(&world.net, client->wire.arrival);
    client->is_there = false;
}

void world_say(size_t who, const uint8_t *bytes, size_t size)
{
    struct world_client *client = &world.clients[who];
    if (!client->is_there || client->is_paused || client->is_killed || size == 0) return;
    uint8_t *copy = malloc(size);
    require(copy != NULL);
    memcpy(copy, bytes, size);
    require(gz_connection_take(&client->connection, copy, size) <= size);
    free(copy);
}

void world_fill(size_t who, bool is_full)
{
    struct world_client *client = &world.clients[who];
    const bool was_full = client->is_full;
    if (!client->is_there || client->is_killed) return;
    client->is_full = is_full;
    if (was_full && !is_full) gz_connection_go_on(&client->connection);
}

/* ---- promises ---- */

static void check_branch(const struct gz_link_server *branch)
{
    for (size_t i = 0; i < branch->capacity; i++) {
        const struct gz_channel *channel = branch->channels[i];
        if (channel == NULL) continue;
        require(channel->rest.count <= 2); /* a frame of the scene, and the last messages */
        require(channel->in_flight <= GZ_TRUNK_WINDOW_BYTES);
        require(channel->connection.group == NULL || !channel->connection.paused ||
                world.scene.is_lent); /* one that waits to be read is looked at by itself */
        require(channel->inbox.size <= GZ_TRUNK_WINDOW_BYTES + 3 * GZ_TRUNK_PIECE_BYTES);
    }
}

static void check_route(const struct gz_link_client *route)
{
    for (size_t i = 0; i < route->capacity; i++) {
        const struct gz_relay *relay = route->relays[i];
        size_t waiting = 0;
        if (relay == NULL) continue;
        for (size_t at = 0; at < relay->pieces.count; at++)
            waiting += gz_piece_cost(relay->pieces.items[relay->pieces.begin + at]->size);
        require(waiting <= relay->given && relay->given <= GZ_TRUNK_WINDOW_BYTES);
    }
}

/* What a link takes of memory is bounded, and its end has a reason. */
static void check(void)
{
    for (const struct gz_member_link *link = world.net.links; link != NULL; link = link->next) {
        require(!link->is_over || (link->fault != NULL && link->fault[0] != '\0'));
        if (link->is_over) continue;
        require(link->in.size <= GZ_TRUNK_IN_BYTES_MAX);
        if (world.is_edge)
            check_route((const struct gz_link_client *)link);
        else
            check_branch((const struct gz_link_server *)link);
    }
}

/* ---- time ---- */

static void bury(void)
{
    for (size_t who = 0; who < WORLD_CLIENTS; who++)
        if (world.clients[who].is_there && world.clients[who].is_killed) world_leave(who);
}

static void store(void)
{
    struct gz_batch *batch = world.batch;
    if (batch == NULL || world.scene.is_lent) return;
    world.batch = NULL;
    gz_core_committed(world.scene.core, batch, GZ_OK, NULL, gz_clock_now());
    world.scene.touched = true;
}

void world_turn(void)
{
    gz_net_end_turn(&world.net);
    bury();
    store();
    check();
}

void world_wait(double seconds)
{
    world.now_s += seconds;
    gz_alive_sweep(&world.net);
    world_turn();
}

/* ---- beginning and end ---- */

static void lend(void *context, struct gz_net_scene *scene)
{
    (void)context, (void)scene;
    abort(); /* no message is so large */
}

static uv_loop_t *loop(void)
{
    static uv_loop_t only;
    static bool is_made;
    if (!is_made) require(uv_loop_init(&only) == 0);
    is_made = true;
    return &only;
}

/* Outlives the nets, as the loop does. */
static struct gz_send_batch *sends(void)
{
    static struct gz_send_batch *only;
    if (only == NULL) require((only = gz_send_batch_create(gz_stream_sent)) != NULL);
    return only;
}

static void open_net(void)
{
    static const struct gz_log silence;
    static _Atomic uint64_t errors[GZ_STATUS_COUNT];
    static const uint8_t secret[16];
    struct gz_net *net = &world.net;
    net->loop = loop();
    net->sends = sends();
    net->log = &silence;
    net->host =
        (struct gz_net_host){.errors = errors, .find = find, .forget = forget, .lend = lend};
    net->ping_s = SILENCE_S / 3;
    net->silence_s = SILENCE_S;
    net->secret = secret;
    net->secret_size = sizeof secret;
    net->channels_max = CHANNELS_MAX;
    net->relay_vhost = (struct lws_vhost *)&world; /* nothing reads it */
    net->next_pass.timer = -1;
    gz_peers_init(&net->peers, CHANNELS_MAX / 2, 1);
    gz_arena_init(&net->arena, 0);
    require(uv_idle_init(net->loop, &net->again) == 0);
}

static void open_scene(void)
{
    const struct gz_scene_state state = {.epoch = 1, .next_node = 1, .next_edit = 1};
    const struct gz_core_options options = {.scene = "scene",
                                            .host = {.commit = commit,
                                                     .query = query,
                                                     .find_key = find_key,
                                                     .find_note_key = find_note_key},
                                            .server = "fuzz",
                                            .messages_per_s = 1e9,
                                            .lends = true};
    world.scene.core = gz_core_create(&options, &state);
    require(world.scene.core != NULL);
    gz_net_add(&world.net, &world.scene);
}

void world_begin(bool is_edge)
{
    memset(&world, 0, sizeof world);
    world.is_edge = is_edge;
    open_net();
    if (is_edge) return;
    open_scene();
    world_connect();
}

static void close_scene(void)
{
    require(world.scene.connections == NULL && world.scene.groups == NULL);
    gz_net_remove(&world.net, &world.scene);
    gz_core_destroy(world.scene.core);
    gz_batch_destroy(world.batch);
}

void world_end(void)
{
    struct gz_net *net = &world.net;
    world_lend(false);
    world_open_scene(false);
    for (int i = 0; i < 3; i++) world_turn(); /* clients that were cut off are read to their end */
    net->draining = true;
    gz_member_links_close(net);
    gz_channels_have_turn(net);
    for (size_t who = 0; who < WORLD_CLIENTS; who++) world_leave(who);
    require(net->session_count == 0 && net->channel_count == 0 && net->relay_count == 0);
    require(net->grouped_count == 0 && net->lobby.connections == NULL && net->open_count == 0);
    require(world.waiting == NULL);
    if (!world.is_edge) close_scene();
    gz_member_links_finish(net);
    gz_arena_finish(&net->arena);
    uv_close((uv_handle_t *)&net->again, NULL);
    (void)uv_run(net->loop, UV_RUN_DEFAULT);
}
