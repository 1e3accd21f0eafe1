/* link_server.c - the authority's end of a link from another member of the cluster. Each channel is
 * a client of that member: a connection like others, whose wire is the channel.
 *
 * - A frame goes into its channel's window piece by piece; the rest waits here, and the channel is
 *   not free, like a full socket.
 * - The client's bytes are taken like those of a socket: while the connection is paused they wait
 *   here, and the window is not given back.
 * - The edge handles the client's pings, its silence, and the form of its frames.
 * - A killed or resumed channel has its turn at the end of the loop's. */
#include <stdlib.h>
#include <string.h>

#include "link/link_server.h"
#include "server/maxima.h"

static struct gz_link_server *branch_of(const struct gz_member_link *link)
{
    return (struct gz_link_server *)link;
}

static struct gz_channel *channel_of(const struct gz_wire *wire)
{
    return (struct gz_channel *)wire;
}

/* Schedules a turn of the channel. */
static void stir(struct gz_channel *channel)
{
    struct gz_net *net = channel->connection.net;
    if (channel->is_stirred) return;
    channel->is_stirred = true;
    channel->next_stirred = net->stirred;
    net->stirred = channel;
}

/* ---- to the client ---- */

static bool is_full(const struct gz_channel *channel)
{
    return gz_member_link_is_full(&channel->branch->link);
}

static bool fits(const struct gz_channel *channel, size_t size)
{
    return channel->in_flight == 0 ||
           channel->in_flight + gz_piece_cost(size) <= GZ_TRUNK_WINDOW_BYTES;
}

/* Sends as many pieces of the frame as fit, from `at` on; returns where the rest begins. */
static size_t send_pieces(struct gz_channel *channel, struct gz_bytes *frame, size_t at)
{
    struct gz_member_link *link = &channel->branch->link;
    const bool was_full = gz_member_link_is_full(link);
    const size_t size = gz_bytes_wire_size(frame);
    while (at < size && gz_member_link_is_good(link)) {
        const size_t piece = size - at < GZ_TRUNK_PIECE_BYTES ? size - at : GZ_TRUNK_PIECE_BYTES;
        if (!fits(channel, piece)) break;
        if (!gz_mux_share(&link->out, channel->number, frame, at, piece))
            gz_member_link_fail(link, "no memory");
        channel->in_flight += gz_piece_cost(piece);
        at += piece;
    }
    if (!was_full && gz_member_link_is_full(link)) channel->branch->next = channel->number + 1u;
    return at;
}

static void say_close(struct gz_channel *channel, int code, const char *words)
{
    channel->has_closed = true;
    channel->owes_close = false;
    gz_member_link_add_close(&channel->branch->link, channel->number, code, words);
}

/* Sends the rest of a frame as far as the window allows. */
static void send_rest(struct gz_channel *channel)
{
    struct gz_bytes_queue *rest = &channel->rest;
    struct gz_bytes *frame;
    while ((frame = gz_bytes_first_of(rest)) != NULL && !is_full(channel)) {
        rest->taken = send_pieces(channel, frame, rest->taken);
        if (rest->taken < gz_bytes_wire_size(frame)) return;
        gz_bytes_release(gz_bytes_pop(rest));
    }
    if (rest->count == 0 && channel->owes_close)
        say_close(channel, channel->close_code, channel->close_words);
}

/* Control frames are sent by the edge, and nothing follows a close. */
static bool write_frame(struct gz_wire *wire, struct gz_bytes *frame)
{
    struct gz_channel *channel = channel_of(wire);
    const bool is_first = channel->rest.count == 0;
    if (channel->branch == NULL || !gz_member_link_is_good(&channel->branch->link)) return false;
    if (!gz_bytes_are_messages(frame) || channel->has_closed) return true;
    const size_t sent = is_first ? send_pieces(channel, frame, 0) : 0;
    if (sent == gz_bytes_wire_size(frame)) return true;
    if (!gz_bytes_push(&channel->rest, frame)) return false;
    if (is_first) channel->rest.taken = sent;
    return true;
}

static bool write_close(struct gz_wire *wire, int code, const char *words)
{
    struct gz_channel *channel = channel_of(wire);
    if (channel->branch == NULL) return false;
    channel->owes_close = true;
    channel->close_code = code;
    channel->close_words = words;
    if (channel->rest.count == 0) say_close(channel, code, words);
    return true;
}

static bool is_free(const struct gz_wire *wire)
{
    const struct gz_channel *channel = channel_of(wire);
    return channel->branch == NULL || (channel->rest.count == 0 && !is_full(channel));
}

static bool take_back(struct gz_channel *channel, size_t bytes)
{
    gz_subscribers_settle(channel);
    if (bytes > channel->in_flight) return false;
    channel->in_flight -= bytes;
    if (channel->rest.count == 0) return true;
    send_rest(channel);
    if (channel->rest.count == 0) gz_connection_go_on(&channel->connection);
    return true;
}

/* ---- from the client ---- */

static void drop_taken(struct gz_buffer *inbox, size_t size)
{
    if (size < inbox->size) {
        memmove(inbox->data, inbox->data + size, inbox->size - size);
        gz_buffer_truncate(inbox, inbox->size - size);
    } else {
        gz_buffer_finish(inbox);
        gz_buffer_init(inbox, inbox->max, 0);
    }
}

/* After our close the edge may have given the number to another client. */
static void count_taken(struct gz_channel *channel, size_t bytes)
{
    const bool is_over = channel->branch == NULL || channel->has_closed;
    channel->taken += bytes;
    if (channel->taken < GZ_TRUNK_WINDOW_BYTES / 2 || is_over) return;
    gz_member_link_add_took(&channel->branch->link, channel->number, channel->taken);
    channel->taken = 0;
}

static size_t take_bytes(struct gz_channel *channel, uint8_t *bytes, size_t size)
{
    if (channel->is_killed) return size;
    const size_t used = gz_connection_take(&channel->connection, bytes, size);
    count_taken(channel, used);
    return used;
}

static const char *take_data(struct gz_channel *channel, const struct gz_record *record)
{
    const bool waits = channel->is_paused || channel->inbox.size > 0;
    const size_t used = waits ? 0 : take_bytes(channel, record->bytes, record->size);
    if (used == record->size) return NULL;
    return gz_buffer_append(&channel->inbox, record->bytes + used, record->size - used) == GZ_OK
               ? NULL
               : "it sent more than the window of a channel, or there is no memory";
}

static void pause_reading(struct gz_wire *wire)
{
    channel_of(wire)->is_paused = true;
}

static void resume_reading(struct gz_wire *wire)
{
    channel_of(wire)->is_paused = false;
    stir(channel_of(wire));
}

static bool is_paused(const struct gz_wire *wire)
{
    return channel_of(wire)->is_paused;
}

/* ---- beginning and end ---- */

/* Nothing to do: the edge sees the end of its own client. */
static void end_writing(struct gz_wire *wire)
{
    (void)wire;
}

static void kill_channel(struct gz_wire *wire)
{
    channel_of(wire)->is_killed = true;
    stir(channel_of(wire));
}

static const struct gz_wire_kind channel_kind = {.is_tended = true,
                                                 .write = write_frame,
                                                 .write_close = write_close,
                                                 .is_free = is_free,
                                                 .pause = pause_reading,
                                                 .resume = resume_reading,
                                                 .is_paused = is_paused,
                                                 .end_writing = end_writing,
                                                 .kill = kill_channel};

static bool add_channel(struct gz_link_server *branch, struct gz_channel *channel)
{
    const size_t had = branch->capacity;
    if (!gz_grow(&branch->channels, &branch->capacity, (size_t)channel->number + 1,
                 sizeof *branch->channels))
        return false;
    for (size_t i = had; i < branch->capacity; i++) branch->channels[i] = NULL;
    branch->channels[channel->number] = channel;
    return true;
}

/* Nothing can be sent to the client any more. */
static void cut_off(struct gz_channel *channel)
{
    if (channel->branch == NULL) return;
    gz_bytes_clear(&channel->rest);
    channel->branch->channels[channel->number] = NULL;
    channel->branch = NULL;
    gz_connection_leave_group(&channel->connection);
    stir(channel);
}

static void destroy_channel(struct gz_channel *channel)
{
    struct gz_net *net = channel->connection.net;
    if (channel->branch != NULL) {
        if (!channel->has_closed) say_close(channel, GZ_CHANNEL_GONE, NULL);
        cut_off(channel);
    }
    gz_connection_finish(&channel->connection);
    gz_arrival_leave(net, channel->wire.arrival);
    gz_buffer_finish(&channel->inbox);
    net->channel_count--;
    free(channel);
}

/* Takes the bytes that came before the end. */
static void read_on(struct gz_channel *channel)
{
    struct gz_buffer *inbox = &channel->inbox;
    if (!channel->is_paused && inbox->size > 0)
        drop_taken(inbox, take_bytes(channel, inbox->data, inbox->size));
    if (channel->branch != NULL) return;
    if (inbox->size == 0 || channel->connection.net->draining)
        gz_connection_break(&channel->connection);
    else
        gz_connection_go_on(&channel->connection); /* which notices that the channel is gone */
}

void gz_channels_have_turn(struct gz_net *net)
{
    while (net->stirred != NULL) {
        struct gz_channel *channel = net->stirred;
        net->stirred = channel->next_stirred;
        channel->is_stirred = channel->is_killed; /* it is never in the list again */
        if (channel->is_killed)
            destroy_channel(channel);
        else
            read_on(channel);
    }
}

/* The client as the edge describes it, like a proxy (accept.c). */
static struct gz_arrival *read_client(struct gz_net *net, const struct gz_record *record,
                                      struct gz_error *error)
{
    char client[GZ_ADDRESS_TEXT_BYTES] = "", user[GZ_USER_BYTES_MAX + 1] = "";
    const size_t client_size = record->size > 0 ? record->bytes[0] : SIZE_MAX;
    if (client_size >= sizeof client || client_size >= record->size ||
        record->size - 1 - client_size >= sizeof user) {
        (void)gz_fail(error, GZ_BAD_MESSAGE, "the edge does not say who the client is");
        return NULL;
    }
    memcpy(client, record->bytes + 1, client_size);
    memcpy(user, record->bytes + 1 + client_size, record->size - 1 - client_size);
    return gz_arrive_relayed(net, client, user, error);
}

static struct gz_channel *create(struct gz_link_server *branch, uint16_t number,
                                 struct gz_arrival *arrival)
{
    struct gz_channel *channel = calloc(1, sizeof *channel);
    if (channel == NULL) return NULL;
    channel->wire = (struct gz_wire){&channel_kind, arrival};
    channel->number = number;
    gz_buffer_init(&channel->inbox, GZ_TRUNK_WINDOW_BYTES + 3 * GZ_TRUNK_PIECE_BYTES, 0);
    if (!add_channel(branch, channel)) {
        free(channel);
        return NULL;
    }
    channel->branch = branch;
    return channel;
}

static void open_channel(struct gz_link_server *branch, const struct gz_record *record)
{
    struct gz_net *net = branch->link.net;
    const uint16_t number = gz_record_channel(record, 0);
    struct gz_error error = {.message = "no memory"};
    struct gz_arrival *arrival = read_client(net, record, &error);
    struct gz_channel *channel = arrival != NULL ? create(branch, number, arrival) : NULL;
    if (channel != NULL) {
        net->channel_count++;
        net->session_count++;
        gz_connection_begin(&channel->connection, net, &channel->wire);
        return;
    }
    if (arrival != NULL) gz_arrival_leave(net, arrival);
    net->counters.refusals++;
    gz_log(net->log, GZ_INFO, 0, "refused a client of another member: %s", error.message);
    gz_member_link_add_close(&branch->link, number, GZ_CHANNEL_REFUSED, error.message);
}

/* ---- the link ---- */

/* The edge has closed the channel, whose number is free now. */
static void close_channel(struct gz_channel *channel)
{
    if (!channel->has_closed) say_close(channel, GZ_CHANNEL_GONE, NULL);
    cut_off(channel);
}

/* Ignores records of a channel that has ended here: the edge sent them before it knew. */
static const char *take(struct gz_member_link *link, const struct gz_record *record)
{
    struct gz_link_server *branch = branch_of(link);
    const size_t number = gz_record_channel(record, 0);
    struct gz_channel *channel = number < branch->capacity ? branch->channels[number] : NULL;
    if (number >= GZ_TRUNK_GROUP) return "it named a channel by a number for groups";
    switch (record->kind) {
    case GZ_RECORD_OPEN:
        if (channel != NULL) return "it opened a channel that is open";
        open_channel(branch, record);
        return NULL;
    case GZ_RECORD_DATA:
        if (record->count > 1) return "it sent one client's bytes for several";
        return channel != NULL ? take_data(channel, record) : NULL;
    case GZ_RECORD_TOOK:
        return channel == NULL || take_back(channel, gz_record_number(record->bytes, 4))
                   ? NULL
                   : "it took more than it was sent";
    case GZ_RECORD_CLOSE:
        if (channel != NULL) close_channel(channel);
        return NULL;
    case GZ_RECORD_AGAIN:
    case GZ_RECORD_GROUP:
    case GZ_RECORD_STATE:
    case GZ_RECORD_KINDS: break;
    }
    return "it sent a record that only an authority may send";
}

/* Channels that found no room the last time are first. */
static void go_on(struct gz_member_link *link)
{
    struct gz_link_server *branch = branch_of(link);
    const size_t first = branch->next;
    for (size_t i = 0; i < branch->capacity; i++) {
        const size_t at = (first + i) % branch->capacity;
        struct gz_channel *channel = branch->channels[at];
        if (channel == NULL) continue;
        send_rest(channel);
        if (channel->rest.count == 0 && channel->connection.group == NULL)
            gz_connection_go_on(&channel->connection);
    }
    for (size_t i = 0; i < GZ_TRUNK_GROUPS_MAX; i++)
        if (branch->groups[i] != NULL) gz_connection_go_on(&branch->groups[i]->connection);
}

static void end(struct gz_member_link *link, const char *why)
{
    struct gz_link_server *branch = branch_of(link);
    size_t count = 0;
    for (size_t i = 0; i < branch->capacity; i++) {
        if (branch->channels[i] == NULL) continue;
        count++;
        cut_off(branch->channels[i]);
    }
    gz_log(link->net->log, count > 0 ? GZ_WARN : GZ_INFO, 0,
           "a link with %zu clients of another member ends: %s", count, why);
    gz_arrival_leave(link->net, branch->arrival);
}

static void destroy(struct gz_member_link *link)
{
    struct gz_link_server *branch = branch_of(link);
    free(branch->channels);
    free(branch);
}

/* Seconds since this member heard of the cluster's database, in milliseconds. */
static void tell(struct gz_member_link *link)
{
    const double silence_s = link->net->members.silence_s;
    uint8_t bytes[4];
    gz_record_set_number(bytes, sizeof bytes,
                         silence_s < GZ_STATE_SILENCE_MAX_S ? (uint32_t)(1000 * silence_s)
                                                            : UINT32_MAX);
    gz_member_link_add(link, GZ_RECORD_STATE, 0, bytes, sizeof bytes);
}

static const struct gz_member_link_end authority = {
    .take = take, .go_on = go_on, .end = end, .tell = tell, .destroy = destroy};

void gz_link_server_begin(struct gz_net *net, struct gz_arrival *arrival)
{
    struct gz_link_server *branch = calloc(1, sizeof *branch);
    char peer[GZ_ADDRESS_TEXT_BYTES];
    if (branch == NULL) {
        gz_stream_close(arrival->stream);
        gz_arrival_leave(net, arrival);
        return;
    }
    branch->arrival = arrival;
    gz_address_print(&arrival->client, peer);
    gz_log(net->log, GZ_INFO, 0, "there is a link from the member at %s", peer);
    gz_member_link_init(&branch->link, net, &authority);
    gz_member_link_begin(&branch->link, arrival->stream, false);
}
