#include <string.h>

#include "net/internal.h"
#include "server/maxima.h"

static bool is_admin(const struct gz_net *net, struct gz_text user)
{
    for (size_t i = 0; i < net->admin_count; i++) {
        if (strlen(net->admins[i]) == user.size &&
            memcmp(net->admins[i], user.bytes, user.size) == 0)
            return true;
    }
    return false;
}

/* What the hello asks for, checked in the order that helps its author most. */
static enum gz_status check_hello(const struct gz_net *net, const struct gz_message *message,
                                  enum gz_role *role, struct gz_error *error)
{
    const struct gz_hello *hello = &message->hello;
    if (message->op != GZ_OP_HELLO)
        return gz_fail(error, GZ_BAD_STATE, "the first message is to be hello");
    if (hello->v != GZ_PROTOCOL_VERSION) {
        return gz_fail(error, GZ_VERSION, "v: this server speaks version %d", GZ_PROTOCOL_VERSION);
    }
    *role = (message->has & GZ_HAS(ROLE)) ? hello->role : GZ_ROLE_EDITOR;
    if (*role == GZ_ROLE_ADMIN && !is_admin(net, hello->user))
        return gz_fail(
            error, GZ_FORBIDDEN,
            "role: this is an open server, its people are editors (but for --admin USER)");
    return GZ_OK;
}

/* A viewer's `create` has no effect where the scene is there. */
static enum gz_status find_scene(struct gz_net *net, const struct gz_hello *hello,
                                 enum gz_role role, struct gz_net_scene **scene,
                                 struct gz_error *error)
{
    bool create = hello->create && role >= GZ_ROLE_EDITOR;
    enum gz_status status = net->host.find(net->host.context, hello->scene, create, scene, error);
    if (status == GZ_UNKNOWN_SCENE && hello->create && !create) {
        return gz_fail(error, GZ_FORBIDDEN, "create: a viewer may not make a scene");
    }
    return status;
}

/* Without random bytes a session has no secret: its connection ends as one that went silent
 * does. */
static const uint8_t *make_secret(uint8_t bytes[GZ_SECRET_BYTES])
{
    return uv_random(NULL, NULL, bytes, GZ_SECRET_BYTES, 0, NULL) == 0 ? bytes : NULL;
}

static enum gz_status join(struct gz_connection *connection, const struct gz_message *message,
                           struct gz_error *error)
{
    enum gz_role role;
    struct gz_net_scene *scene;
    enum gz_status status = check_hello(connection->net, message, &role, error);
    if (status == GZ_OK) status = find_scene(connection->net, &message->hello, role, &scene, error);
    if (status != GZ_OK) return status;
    uint8_t secret[GZ_SECRET_BYTES];
    status = gz_core_join(scene->core, connection->id, message, role, make_secret(secret),
                          gz_clock_now(), &connection->session, error);
    if (status != GZ_OK) {
        connection->session = NULL;
        return status;
    }
    scene->touched = true;
    gz_connection_move(connection, scene);
    return GZ_OK;
}

void gz_hello_receive(struct gz_connection *connection, const uint8_t *bytes, size_t size)
{
    struct gz_arena *arena = &connection->net->arena;
    struct gz_message message = {.op = GZ_OP_CLIENT_COUNT};
    struct gz_error error = {.status = GZ_INTERNAL};
    size_t offset = 0;
    gz_arena_reset(arena, gz_decode_bytes_max(size));
    enum gz_status status =
        gz_decode(GZ_FROM_CLIENT, bytes, size, &offset, arena, &message, &error);
    if (status == GZ_OK) status = join(connection, &message, &error);
    if (status != GZ_OK) {
        error.status = status;
        gz_connection_refuse(connection, &message, &error, true);
    } else if (offset < size) {
        gz_core_receive(connection->scene->core, connection->session, bytes + offset, size - offset,
                        gz_clock_now());
    }
}
