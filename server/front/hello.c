/* The first message of a connection, which makes it a session of a scene. While the scene is being
 * opened the message is kept and nothing more is read; then it is handled again. */
#include <stdlib.h>
#include <string.h>

#include "conn/connection.h"
#include "front/state.h"
#include "link/relaying.h"
#include "proto/json.h"
#include "proto/token/claims.h"
#include "server/maxima.h"

/* Checks the hello, in the order that helps its author most. */
static enum gz_status check_hello(const struct gz_message *message, struct gz_error *error)
{
    if (message->op != GZ_OP_HELLO)
        return gz_fail(error, GZ_BAD_STATE, "op: the first message has to be hello");
    if (message->hello.v != GZ_PROTOCOL_VERSION)
        return gz_fail(error, GZ_VERSION, "v: this server speaks version %d", GZ_PROTOCOL_VERSION);
    return GZ_OK;
}

static enum gz_status identify(const struct gz_connection *connection,
                               const struct gz_message *message, struct gz_claims *claims,
                               struct gz_error *error)
{
    const struct gz_hello *hello = &message->hello;
    bool asks = (message->has & GZ_HAS_HELLO_ROLE) != 0;
    const struct gz_said said = {.client = &connection->wire->arrival->client,
                                 .has_token = (message->has & GZ_HAS_HELLO_TOKEN) != 0,
                                 .token = hello->token,
                                 .name = hello->user,
                                 .wants_admin = asks && hello->role == GZ_ROLE_ADMIN,
                                 .proxy_user = connection->wire->arrival->user};
    return gz_identify(connection->net, &said, claims, error);
}

/* ---- the scene ---- */

static bool give(const struct gz_claims *claims, struct gz_text scene, enum gz_role role)
{
    char name[GZ_SCENE_NAME_BYTES_MAX + 1] = "";
    memcpy(name, scene.bytes, scene.size);
    return gz_claims_give(claims, name, role);
}

/* Whether the claims allow creating the scene; a new scene has no access of its own. */
static bool may_create(const struct gz_message *message, const struct gz_claims *claims)
{
    bool asks = (message->has & GZ_HAS_HELLO_ROLE) != 0;
    enum gz_role role = asks ? message->hello.role : GZ_ROLE_EDITOR;
    return role >= GZ_ROLE_EDITOR && give(claims, message->hello.scene, role);
}

/* The error for a scene that the claims do not cover: it reveals neither whether the scene exists
 * nor what is wrong with it. */
static enum gz_status explain(const struct gz_message *message, const struct gz_claims *claims,
                              enum gz_status status, struct gz_error *error)
{
    if (status != GZ_OK && !give(claims, message->hello.scene, GZ_ROLE_VIEWER))
        return gz_fail(error, GZ_FORBIDDEN, "you have no access to this scene");
    if (status == GZ_UNKNOWN_SCENE && message->hello.create && !may_create(message, claims))
        return gz_fail(error, GZ_FORBIDDEN, "create: a viewer may not create a scene");
    return status;
}

/* Finds or creates the scene; a `create` that is not allowed is no error if the scene exists. */
static enum gz_status find_scene(struct gz_connection *connection, const struct gz_message *message,
                                 const struct gz_claims *claims, const struct gz_error *failure,
                                 struct gz_net_scene **scene, struct gz_error *error)
{
    const struct gz_hello *hello = &message->hello;
    const struct gz_net_host *host = &connection->net->host;
    bool create = hello->create && may_create(message, claims);
    enum gz_status status;
    *scene = NULL;
    if (failure != NULL)
        status = gz_fail(error, failure->status, "%s", failure->message);
    else
        status = host->find(host->context, hello->scene, create, gz_claims_payer(claims),
                            &connection->greeting->wait, scene, error);
    return explain(message, claims, status, error);
}

/* NULL without random bytes: the session then has no secret, and cannot be replaced by a resume. */
static const uint8_t *make_secret(uint8_t bytes[GZ_SECRET_BYTES])
{
    return uv_random(NULL, NULL, bytes, GZ_SECRET_BYTES, 0, NULL) == 0 ? bytes : NULL;
}

/* *has_joined is false with GZ_OK if the scene has to be opened first. */
static enum gz_status join(struct gz_connection *connection, const struct gz_message *message,
                           const struct gz_error *failure, bool *has_joined, struct gz_error *error)
{
    struct gz_claims claims = {.user = ""};
    struct gz_net_scene *scene;
    enum gz_status status = check_hello(message, error);
    if (status == GZ_OK) status = identify(connection, message, &claims, error);
    if (status == GZ_OK) status = find_scene(connection, message, &claims, failure, &scene, error);
    *has_joined = status == GZ_OK && scene != NULL;
    if (!*has_joined) return status;
    uint8_t secret[GZ_SECRET_BYTES];
    status = gz_core_join(gz_net_core(scene), connection->id, message, &claims, make_secret(secret),
                          gz_clock_now(), &connection->session, error);
    if (status != GZ_OK) {
        connection->session = NULL;
        return status;
    }
    gz_session_set_owner(connection->session, connection);
    if (connection->wire->kind->is_tended) gz_session_set_relayed(connection->session);
    scene->touched = true;
    gz_connection_move(connection, scene);
    gz_arrival_become(connection->net, connection->wire->arrival, GZ_PEER_BUSY);
    return GZ_OK;
}

static void take_hello(struct gz_connection *connection, const uint8_t *bytes, size_t size,
                       const struct gz_error *failure);

static void relay(struct gz_connection *connection, const uint8_t *bytes, size_t size);

static void handle_scene(struct gz_scene_wait *wait, const struct gz_error *error)
{
    struct gz_connection *connection = wait->context;
    struct gz_buffer hello = connection->greeting->hello;
    gz_buffer_init(&connection->greeting->hello, GZ_HELLO_BYTES_MAX, 0);
    connection->is_waiting = false;
    connection->heard_s = gz_awake_now(&connection->net->awake); /* it was not read meanwhile */
    if (connection->end == 0 && error == NULL && wait->url[0] != '\0') {
        relay(connection, hello.data, hello.size);
    } else if (connection->end == 0) {
        connection->wire->kind->resume(connection->wire);
        take_hello(connection, hello.data, hello.size, error);
    }
    gz_buffer_finish(&hello);
}

/* Pauses the connection until the other member is reached. */
static void relay(struct gz_connection *connection, const uint8_t *bytes, size_t size)
{
    connection->is_waiting = true;
    gz_arrival_become(connection->net, connection->wire->arrival, GZ_PEER_BUSY);
    connection->wire->kind->pause(connection->wire);
    gz_relay_begin(connection, connection->greeting->wait.url, bytes, size);
}

static enum gz_status wait_for_scene(struct gz_connection *connection, const uint8_t *bytes,
                                     size_t size, struct gz_error *error)
{
    const struct gz_net_host *host = &connection->net->host;
    if (gz_buffer_append(&connection->greeting->hello, bytes, size) != GZ_OK) {
        host->forget(host->context, &connection->greeting->wait);
        return gz_fail(error, GZ_NO_MEMORY, "no memory for the message");
    }
    connection->is_waiting = true;
    gz_arrival_become(connection->net, connection->wire->arrival, GZ_PEER_BUSY);
    connection->wire->kind->pause(connection->wire);
    return GZ_OK;
}

/* Handles the hello. `failure`: why the scene could not be opened; NULL if it was, or was not asked
 * for yet. */
static void take_hello(struct gz_connection *connection, const uint8_t *bytes, size_t size,
                       const struct gz_error *failure)
{
    struct gz_arena *arena = &connection->net->arena;
    struct gz_message message = {.op = GZ_OP_CLIENT_COUNT};
    struct gz_error error = {.status = GZ_INTERNAL};
    size_t offset = 0;
    bool has_joined = false;
    gz_arena_reset(arena, gz_decode_bytes_max(size));
    enum gz_status status = (connection->is_json ? gz_decode_json : gz_decode)(
        GZ_FROM_CLIENT, bytes, size, &offset, arena, &message, &error);
    if (status == GZ_OK) status = join(connection, &message, failure, &has_joined, &error);
    const bool is_elsewhere =
        status == GZ_OK && !has_joined && connection->greeting->wait.url[0] != '\0';
    if (is_elsewhere)
        relay(connection, bytes, size);
    else if (status == GZ_OK && !has_joined)
        status = wait_for_scene(connection, bytes, size, &error);
    if (status != GZ_OK && status != GZ_FORBIDDEN && connection->greeting->wait.is_away) {
        gz_connection_send_away(connection, error.message, GZ_RELAY_RETRY_S);
    } else if (status != GZ_OK) {
        error.status = status;
        gz_connection_refuse(connection, &message, &error, true);
    } else if (has_joined) {
        gz_hello_finish(connection);
        if (offset < size)
            gz_core_receive_rest(gz_net_core(connection->scene), connection->session, bytes, size,
                                 offset, gz_clock_now());
    }
}

void gz_hello_receive(struct gz_connection *connection, const uint8_t *bytes, size_t size)
{
    struct gz_pending_hello *greeting = connection->greeting;
    if (greeting == NULL) greeting = connection->greeting = calloc(1, sizeof *greeting);
    if (greeting == NULL) {
        gz_connection_break(connection);
        return;
    }
    greeting->wait = (struct gz_scene_wait){.again = handle_scene, .context = connection};
    gz_buffer_init(&greeting->hello, GZ_HELLO_BYTES_MAX, 0);
    take_hello(connection, bytes, size, NULL);
}

void gz_hello_finish(struct gz_connection *connection)
{
    const struct gz_net_host *host = &connection->net->host;
    struct gz_pending_hello *greeting = connection->greeting;
    if (greeting == NULL) return;
    host->forget(host->context, &greeting->wait);
    gz_buffer_finish(&greeting->hello);
    free(greeting);
    connection->greeting = NULL;
}
