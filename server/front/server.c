/* Creates and destroys the network: the context of libwebsockets, the loop's handles, the list of
 * scenes. */
#include "conn/connection.h"
#include "front/state.h"
#include "link/link.h"
#include "link/relaying.h"
#include "server/maxima.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define END_WORDS "the server is going away"
/* Milliseconds between looks for silent connections; a quarter of a second more or less does not
 * matter. */

static void handle_prepare(uv_prepare_t *prepare)
{
    struct gz_net *net = prepare->data;
    gz_send_batch_go(net->sends); /* what timers have written */
    gz_net_plan_turn(net);
}

static void handle_check(uv_check_t *check)
{
    gz_net_end_turn(check->data);
}

static void handle_sweep(uv_timer_t *sweep)
{
    struct gz_net *net = sweep->data;
    gz_alive_sweep(net);
    gz_arrive_sweep(net);
    gz_callers_sweep(net);
    gz_events_sweep(net);
    gz_log_tell_counts(net->log);
    gz_listen_resume(net);
}

/* A turn ends once the sockets were read. What timers have done by then, before the loop waited, is
 * a part of it. */
static void start_handles(struct gz_net *net)
{
    uv_poll_init(net->loop, &net->listener, net->socket);
    uv_prepare_init(net->loop, &net->prepare);
    uv_check_init(net->loop, &net->check);
    uv_idle_init(net->loop, &net->again);
    gz_timer_start(&net->next_pass, net->loop);
    uv_timer_init(net->loop, &net->sweep);
    net->listener.data = net->prepare.data = net->check.data = net->sweep.data = net;
    uv_prepare_start(&net->prepare, handle_prepare);
    uv_check_start(&net->check, handle_check);
    gz_arrive_start(net);
    uv_timer_start(&net->sweep, handle_sweep, GZ_AWAKE_SWEEP_MS, GZ_AWAKE_SWEEP_MS);
}

/* libwebsockets opens links to other members. Its logging is off, because it repeats bytes of
 * others; so are its pings, because it does not know which peers take bytes. */
static enum gz_status create_context(struct gz_net *net, struct gz_error *error)
{
    static const lws_retry_bo_t no_pings = {.secs_since_valid_ping = 0};
    void *loops[1] = {net->loop};
    if (net->secret == NULL) return GZ_OK; /* no cluster */
    struct lws_context_creation_info info = {.options = LWS_SERVER_OPTION_LIBUV |
                                                        LWS_SERVER_OPTION_EXPLICIT_VHOSTS |
                                                        LWS_SERVER_OPTION_DO_SSL_GLOBAL_INIT,
                                             .foreign_loops = loops,
                                             .user = net,
                                             .pcontext = &net->context,
                                             .uid = (unsigned)-1,
                                             .gid = (unsigned)-1,
                                             .pt_serv_buf_size = GZ_HTTP_CHUNK_BYTES,
                                             .timeout_secs = GZ_HTTP_SECONDS,
                                             .retry_and_idle_policy = &no_pings,
                                             .port = CONTEXT_PORT_NO_LISTEN_SERVER};
    lws_set_log_level(0, NULL);
    net->context = lws_create_context(&info);
    if (net->context != NULL) return GZ_OK;
    return gz_fail(error, GZ_INTERNAL,
                   "cannot start libwebsockets on libuv; install the libuv plug-in of "
                   "libwebsockets (Debian: libwebsockets-evlib-uv)");
}

static void take_rules(struct gz_net *net, const struct gz_net_options *options)
{
    net->proxies = (struct gz_address_ranges){options->proxies, options->proxy_count};
    net->proxies_only = options->proxy_count > 0 && net->cert == NULL;
    net->admins = options->admins;
    net->admin_count = options->admin_count;
    net->rules.allowed = options->origins;
    net->rules.allowed_count = options->origin_count;
}

enum gz_status gz_net_change(struct gz_net *net, const struct gz_net_options *options,
                             struct gz_error *error)
{
    const struct gz_origin_rules rules = {options->origins, options->origin_count,
                                          net->rules.address};
    struct gz_buffer policy = {0};
    if (!gz_page_policy_print(&policy, &rules)) {
        gz_buffer_finish(&policy);
        return gz_fail(error, GZ_NO_MEMORY, "no memory");
    }
    gz_buffer_finish(&net->page_policy);
    net->page_policy = policy;
    net->peers.per_address = options->connections_per_address;
    take_rules(net, options);
    return GZ_OK;
}

static void set_trust_header(struct gz_net *net, const struct gz_net_options *options)
{
    if (options->trust_header == NULL) return;
    lws_snprintf(net->trust_header, sizeof net->trust_header, "%s", options->trust_header);
    for (char *c = net->trust_header; *c != '\0'; c++) *c = (char)tolower(*c);
}

static void take_options(struct gz_net *net, const struct gz_net_options *options)
{
    net->loop = options->loop;
    net->log = options->log;
    net->host = options->host;
    net->talk = &gz_talk;
    net->server = options->server;
    net->web = options->web;
    net->cert = options->cert;
    net->key = options->key;
    net->members.silence_s = -1;
    net->ping_s = options->ping_s;
    net->silence_s = options->silence_s;
    net->keyring = options->keyring;
    net->channels_max = options->relayed_max;
    net->secret = options->secret;
    net->secret_size = options->secret_size;
    net->rules.address = options->address;
    take_rules(net, options);
    set_trust_header(net, options);
}

static enum gz_status open_sends(struct gz_net *net, struct gz_error *error)
{
    net->sends = gz_send_batch_create(gz_stream_sent);
    if (net->sends == NULL) return gz_fail(error, GZ_NO_MEMORY, "no memory");
    if (!gz_send_batch_has_ring(net->sends))
        gz_log(net->log, GZ_INFO, 0,
               "the kernel gives no io_uring, so that viewers cost more of a processor");
    return GZ_OK;
}

/* After a failure release() frees what was opened. */
static enum gz_status open_all(struct gz_net *net, const struct gz_net_options *options,
                               struct gz_error *error)
{
    enum gz_status status = gz_net_reload(net, error);
    if (status == GZ_OK && gz_net_has_tls(net)) status = gz_tls_open(&net->tls, error);
    if (status == GZ_OK) status = open_sends(net, error);
    if (status == GZ_OK) status = gz_timer_open(&net->next_pass, error);
    if (status == GZ_OK) status = gz_arrive_open(net, error);
    if (status == GZ_OK) status = gz_listen_open(net, options->address, options->port, error);
    if (status != GZ_OK) return status;
    if (!gz_page_policy_print(&net->page_policy, &net->rules))
        return gz_fail(error, GZ_NO_MEMORY, "no memory");
    status = create_context(net, error);
    if (status == GZ_OK) status = gz_link_clients_open(net, error);
    if (status == GZ_OK) status = gz_forwards_open(net, error);
    return status;
}

/* Frees a net whose handles are closed, or were never started. On a foreign loop libwebsockets ends
 * in two steps, the second when its handles are closed, and then clears our pointer. */
static void release(struct gz_net *net)
{
    if (net->context != NULL) lws_context_destroy(net->context);
    gz_member_links_finish(net);
    gz_forwards_finish(net);
    if (net->socket >= 0) close(net->socket);
    if (net->silent_sockets >= 0) close(net->silent_sockets);
    gz_timer_finish(&net->next_pass);
    gz_send_batch_destroy(net->sends);
    gz_buffer_finish(&net->page_policy);
    gz_tls_finish(&net->tls);
    gz_arena_finish(&net->arena);
    free(net);
}

enum gz_status gz_net_create(struct gz_net **net_out, const struct gz_net_options *options,
                             struct gz_error *error)
{
    struct gz_net *net = calloc(1, sizeof *net);
    if (net == NULL) return gz_fail(error, GZ_NO_MEMORY, "no memory");
    take_options(net, options);
    net->socket = net->silent_sockets = net->next_pass.timer = -1;
    net->started_s = gz_clock_now().unix_s;
    gz_arena_init(&net->arena, 0);
    uint64_t seed = 0; /* without random bytes the table may only be slower */
    (void)uv_random(NULL, NULL, &seed, sizeof seed, 0, NULL);
    gz_peers_init(&net->peers, options->connections_per_address, seed);
    enum gz_status status = open_all(net, options, error);
    if (status != GZ_OK) {
        release(net);
        return status;
    }
    start_handles(net);
    *net_out = net;
    return GZ_OK;
}

void gz_net_start(struct gz_net *net)
{
    gz_listen_resume(net);
}

enum gz_status gz_net_reload(struct gz_net *net, struct gz_error *error)
{
    if (!gz_net_has_tls(net)) return GZ_OK;
    return gz_tls_load(&net->tls, net->cert, net->key, net->log, error);
}

bool gz_net_has_tls(const struct gz_net *net)
{
    return net->cert != NULL;
}

const char *gz_net_address(const struct gz_net *net)
{
    return net->address;
}

const char *gz_net_local_address(const struct gz_net *net)
{
    return net->local_address;
}

void gz_net_add(struct gz_net *net, struct gz_net_scene *scene)
{
    scene->next = net->scenes;
    net->scenes = scene;
    scene->touched = true;
}

void gz_net_remove(struct gz_net *net, struct gz_net_scene *scene)
{
    struct gz_net_scene **hook = &net->scenes;
    while (*hook != NULL && *hook != scene) hook = &(*hook)->next;
    if (*hook != NULL) *hook = scene->next;
}

void gz_net_return(struct gz_net_scene *scene)
{
    struct gz_session *next;
    scene->is_lent = false;
    scene->touched = true;
    for (struct gz_session *session = scene->gone; session != NULL; session = next) {
        next = gz_session_next_gone(session);
        gz_core_leave(gz_net_core(scene), session, gz_clock_now());
    }
    scene->gone = NULL;
    gz_subscribers_return(scene);
    for (struct gz_connection *connection = scene->connections; connection != NULL;
         connection = connection->next)
        if (connection->paused) gz_connection_make_ready(connection);
}

void gz_net_drain(struct gz_net *net)
{
    net->draining = true;
    gz_listen_close(net);
    uv_close((uv_handle_t *)&net->listener, NULL);
    for (struct gz_connection *connection = net->lobby.connections; connection != NULL;
         connection = connection->next) {
        if (connection->end != 0) continue;
        if (connection->relay != NULL)
            gz_connection_send_away(connection, END_WORDS, GZ_RELAY_RETRY_S);
        else
            gz_connection_dismiss(connection, END_WORDS);
    }
}

bool gz_net_is_quiet(const struct gz_net *net)
{
    if (net->lobby.connections != NULL || net->relay_count > 0) return false;
    for (const struct gz_net_scene *scene = net->scenes; scene != NULL; scene = scene->next) {
        if (scene->connections != NULL) return false;
    }
    return true;
}

/* Sessions leave at once, and move to the lobby; the loop closes the connections. */
static void break_all(struct gz_net *net)
{
    for (struct gz_net_scene *scene = net->scenes; scene != NULL; scene = scene->next) {
        while (scene->connections != NULL)
            (scene->connections->is_group ? gz_subscribers_disperse
                                          : gz_connection_break)(scene->connections);
    }
    for (struct gz_connection *connection = net->lobby.connections; connection != NULL;
         connection = connection->next) {
        gz_hello_finish(connection);
        gz_connection_break(connection);
    }
}

void gz_net_close(struct gz_net *net)
{
    if (!net->draining) gz_net_drain(net);
    gz_arrive_stop(net);
    break_all(net);
    gz_member_links_close(net);
    gz_channels_have_turn(net);
    gz_visitors_have_turn(net);
    gz_callers_close(net);
    if (net->context != NULL) lws_context_destroy(net->context);
    gz_forwards_close(net);
    uv_close((uv_handle_t *)&net->prepare, NULL);
    uv_close((uv_handle_t *)&net->check, NULL);
    uv_close((uv_handle_t *)&net->again, NULL);
    gz_timer_stop(&net->next_pass);
    uv_close((uv_handle_t *)&net->sweep, NULL);
}

void gz_net_destroy(struct gz_net *net)
{
    if (net != NULL) release(net);
}
