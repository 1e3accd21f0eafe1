/* subscribers.c - clients of one link that only watch a scene, in step: one subscriber of its feed.
 * Their frames are made once, and go over the link once, to a group that the edge knows. So a
 * viewer at an edge costs its authority next to nothing while it watches.
 *
 * - A client joins after its visit in a round (turn.c), if it is in step with the group then and
 *   half of its window is free.
 * - It leaves before it is treated differently: when it sends something, has messages of its own,
 *   or ends. From then on it is a connection like others, in step with the group.
 * - The windows are checked each time that a part of them was sent: a client that does not take its
 *   frames leaves, and falls behind by itself.
 * - While a worker has the core, nothing is read from a client: one that sent something leaves when
 *   the core is back.
 * - A frame that is larger than a piece is written to each client, and all leave. */
#include <stdlib.h>

#include "link/link_server.h"

/* The part of its window that a client in a group has free whenever the windows are checked. */
#define ROOM_BYTES (GZ_TRUNK_WINDOW_BYTES / 2)

static_assert(GZ_TRUNK_PIECE_BYTES + GZ_TRUNK_PIECE_COST <= ROOM_BYTES, "a piece fits");

static struct gz_channel *channel_of(const struct gz_connection *connection)
{
    return (struct gz_channel *)connection->wire;
}

void gz_subscribers_settle(struct gz_channel *channel)
{
    const struct gz_subscribers *group = channel->connection.group;
    if (group == NULL) return;
    channel->in_flight += (size_t)(group->sent - channel->counted);
    channel->counted = group->sent;
}

/* ---- leaving ---- */

static struct gz_core *core_of(const struct gz_subscribers *group)
{
    return gz_net_core(group->connection.scene);
}

static void free_group(struct gz_subscribers *group)
{
    gz_feed_unsubscribe(gz_core_feed(core_of(group)), &group->subscriber);
    free(group);
}

/* It has no clients any more. While a worker has the core, its feed is not touched. */
static void end_group(struct gz_subscribers *group)
{
    struct gz_net_scene *scene = group->connection.scene;
    group->branch->groups[group->number - GZ_TRUNK_GROUP] = NULL;
    gz_connection_leave_queue(&group->connection, GZ_PLACE_SOON);
    gz_connection_unlink(&group->connection);
    if (!scene->is_lent) {
        free_group(group);
        return;
    }
    group->next_ended = scene->ended;
    scene->ended = group;
}

static void tell_edge(struct gz_channel *channel, uint16_t number)
{
    uint8_t payload[2];
    if (channel->branch == NULL) return;
    gz_record_set_number(payload, sizeof payload, number);
    gz_member_link_add(&channel->branch->link, GZ_RECORD_GROUP, channel->number, payload,
                       sizeof payload);
}

static void leave(struct gz_connection *connection)
{
    struct gz_channel *channel = channel_of(connection), *next = channel->next_in_group;
    struct gz_subscribers *group = connection->group;
    struct gz_net_scene *scene = group->connection.scene;
    gz_subscribers_settle(channel);
    *channel->group_link = next;
    if (next != NULL) next->group_link = channel->group_link;
    group->count--;
    connection->net->grouped_count--;
    connection->group = NULL;
    /* One that leaves while a worker has the core is sent nothing more. */
    if (connection->session != NULL && channel->branch != NULL && !scene->is_lent)
        gz_feed_join(gz_core_feed(core_of(group)), gz_session_subscriber(connection->session),
                     &group->subscriber);
    tell_edge(channel, 0);
    gz_connection_link(connection, scene);
    if (group->first == NULL && !group->is_visited) end_group(group);
}

static void set_aside(struct gz_connection *connection)
{
    leave(connection);
    gz_connection_make_ready_later(connection);
}

/* ---- joining ---- */

/* Whether it is in no group, and nothing is to be read from it or sent to it. */
static bool is_at_rest(const struct gz_connection *connection)
{
    return connection->session != NULL && connection->group == NULL && connection->end == 0 &&
           !connection->paused && !connection->hung_up && !connection->parted &&
           connection->pong == NULL && gz_outbox_waiting(&connection->out) == 0 &&
           connection->places[GZ_PLACE_SOON].queue == NULL &&
           connection->places[GZ_PLACE_LINE].queue == NULL && gz_connection_is_free(connection) &&
           gz_session_only_watches(connection->session);
}

static bool has_room(const struct gz_channel *channel)
{
    return channel->branch != NULL && gz_member_link_is_good(&channel->branch->link) &&
           !channel->is_stirred && channel->inbox.size == 0 && channel->rest.count == 0 &&
           !channel->has_closed && !channel->owes_close && channel->in_flight <= ROOM_BYTES;
}

static struct gz_subscribers *make(const struct gz_channel *channel)
{
    struct gz_link_server *branch = channel->branch;
    size_t slot = 0;
    while (slot < GZ_TRUNK_GROUPS_MAX && branch->groups[slot] != NULL) slot++;
    struct gz_subscribers *group = slot < GZ_TRUNK_GROUPS_MAX ? calloc(1, sizeof *group) : NULL;
    if (group == NULL) return NULL;
    *group =
        (struct gz_subscribers){.connection = {.net = channel->connection.net, .is_group = true},
                                .branch = branch,
                                .number = (uint16_t)(GZ_TRUNK_GROUP + slot),
                                .room = ROOM_BYTES};
    gz_connection_link(&group->connection, channel->connection.scene);
    gz_feed_join(gz_core_feed(core_of(group)), &group->subscriber,
                 gz_session_subscriber(channel->connection.session));
    return branch->groups[slot] = group;
}

/* Whether it is the group of the client's scene and form. */
static bool is_for(const struct gz_subscribers *group, const struct gz_channel *channel)
{
    return group != NULL && group->connection.scene == channel->connection.scene &&
           gz_feed_form(&group->subscriber) ==
               gz_feed_form(gz_session_subscriber(channel->connection.session));
}

static struct gz_subscribers *find(const struct gz_channel *channel)
{
    for (size_t i = 0; i < GZ_TRUNK_GROUPS_MAX; i++)
        if (is_for(channel->branch->groups[i], channel)) return channel->branch->groups[i];
    return NULL;
}

/* The group that the client can join; made if there is none. It may not have been visited in this
 * round yet. NULL if they are not in step, or without memory. */
static struct gz_subscribers *find_in_step(const struct gz_channel *channel, struct gz_now now)
{
    struct gz_subscribers *group = find(channel);
    if (group != NULL) gz_subscribers_visit(&group->connection, now);
    group = find(channel);
    if (group == NULL) return make(channel);
    const bool is_in_step =
        gz_feed_are_in_step(&group->subscriber, gz_session_subscriber(channel->connection.session));
    return is_in_step ? group : NULL;
}

void gz_subscribers_join(struct gz_connection *connection, struct gz_now now)
{
    if (!connection->wire->arrival->is_channel || !is_at_rest(connection)) return;
    struct gz_channel *channel = channel_of(connection);
    struct gz_subscribers *group = has_room(channel) ? find_in_step(channel, now) : NULL;
    if (group == NULL) return;
    gz_connection_unlink(connection);
    channel->counted = group->sent;
    channel->next_in_group = group->first;
    channel->group_link = &group->first;
    if (group->first != NULL) group->first->group_link = &channel->next_in_group;
    group->first = channel;
    group->count++;
    connection->net->grouped_count++;
    connection->group = group;
    connection->leave_group = leave;
    tell_edge(channel, group->number);
}

/* ---- a visit ---- */

static void look_at_windows(struct gz_subscribers *group)
{
    struct gz_channel *next;
    group->room = ROOM_BYTES;
    for (struct gz_channel *channel = group->first; channel != NULL; channel = next) {
        next = channel->next_in_group;
        gz_subscribers_settle(channel);
        if (channel->in_flight > GZ_TRUNK_WINDOW_BYTES - ROOM_BYTES)
            set_aside(&channel->connection);
    }
}

void gz_subscribers_disperse(struct gz_connection *connection)
{
    const struct gz_subscribers *group = (struct gz_subscribers *)connection;
    struct gz_channel *next;
    for (struct gz_channel *channel = group->first; channel != NULL; channel = next) {
        next = channel->next_in_group;
        set_aside(&channel->connection);
    }
}

static void write_to_each(struct gz_subscribers *group, struct gz_bytes *frame)
{
    struct gz_channel *next;
    for (struct gz_channel *channel = group->first; channel != NULL; channel = next) {
        next = channel->next_in_group;
        set_aside(&channel->connection);
        gz_connection_write(&channel->connection, frame);
    }
}

static void write_to_all(struct gz_subscribers *group, struct gz_bytes *frame)
{
    struct gz_member_link *link = &group->branch->link;
    struct gz_net_counters *counters = &link->net->counters;
    const size_t size = gz_bytes_wire_size(frame), cost = gz_piece_cost(size);
    if (size > GZ_TRUNK_PIECE_BYTES) {
        write_to_each(group, frame);
        return;
    }
    if (!gz_mux_share(&link->out, group->number, frame, 0, size))
        gz_member_link_fail(link, "no memory");
    group->sent += cost;
    group->room -= cost;
    link->out.given += group->count - 1;
    counters->frames_out += group->count;
    counters->bytes_out += group->count * frame->size;
}

/* Whether the group can be written to. */
static bool is_ready(struct gz_subscribers *group)
{
    if (gz_member_link_is_full(&group->branch->link)) return false;
    if (gz_feed_is_behind(gz_core_feed(core_of(group)), &group->subscriber))
        gz_subscribers_disperse(&group->connection);
    else if (group->room < gz_piece_cost(GZ_TRUNK_PIECE_BYTES))
        look_at_windows(group);
    return group->first != NULL;
}

void gz_subscribers_visit(struct gz_connection *connection, struct gz_now now)
{
    struct gz_subscribers *group = (struct gz_subscribers *)connection;
    struct gz_core *core = core_of(group);
    struct gz_bytes *frame;
    group->is_visited = true;
    while (is_ready(group) &&
           (frame = gz_core_shared_frame(core, &group->subscriber, now)) != NULL) {
        write_to_all(group, frame);
        gz_bytes_release(frame);
    }
    group->is_visited = false;
    if (group->first == NULL) end_group(group);
}

static void set_paused_aside(struct gz_subscribers *group)
{
    struct gz_channel *next;
    for (struct gz_channel *channel = group->first; channel != NULL; channel = next) {
        next = channel->next_in_group;
        if (channel->connection.paused) set_aside(&channel->connection);
    }
}

void gz_subscribers_return(struct gz_net_scene *scene)
{
    struct gz_connection *next;
    for (struct gz_connection *connection = scene->connections; connection != NULL;
         connection = next) {
        next = connection->next;
        if (connection->is_group) set_paused_aside((struct gz_subscribers *)connection);
    }
    while (scene->ended != NULL) {
        struct gz_subscribers *group = scene->ended;
        scene->ended = group->next_ended;
        free_group(group);
    }
}
