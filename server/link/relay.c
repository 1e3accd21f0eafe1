/* relay.c - a WebSocket whose scene another member has, and which members are reached. */
#include "link/relay.h"

#include <stdlib.h>
#include <string.h>

#include "server/maxima.h"

/* ---- who is reached ---- */

/* For the host: which other members there are, and which of them answer. A link to each
 * is begun as often as it is missing. */

void gz_net_meet(struct gz_net *net, const char *url)
{
    const double now_s = gz_awake_now(&net->awake);
    struct gz_net_member *member = gz_net_member_add(&net->members, url, now_s);
    const bool is_kept = net->members.silence_s >= 0 && !net->draining;
    if (member == NULL || !is_kept || now_s - member->tried_s < GZ_TRUNK_RETRY_SECONDS) return;
    member->tried_s = now_s;
    gz_link_client_keep(net, url);
}

void gz_net_judge(struct gz_net *net, const char *url, bool is_over)
{
    struct gz_net_member *member = gz_net_member_find(&net->members, url);
    if (member == NULL) return;
    member->is_over = is_over;
    if (is_over) gz_link_client_drop(net, url, "its lease is over");
}

/* A member that was named just now may not be in the host's list yet. */
void gz_net_part(struct gz_net *net)
{
    struct gz_net_members *members = &net->members;
    const double now_s = gz_awake_now(&net->awake);
    for (size_t i = members->count; i-- > 0;) {
        if (now_s - members->list[i].met_s <= GZ_CLUSTER_SILENCE_SECONDS) continue;
        gz_link_client_drop(net, members->list[i].url, "it is no member any more");
        members->list[i] = members->list[--members->count];
    }
}

void gz_net_tell(struct gz_net *net, double silence_s)
{
    net->members.silence_s = silence_s;
}

bool gz_net_hears(const struct gz_net *net, const char *url, double *silence_s)
{
    return gz_link_client_is_heard(net, url, silence_s);
}

/* ---- relay ---- */

/* A WebSocket whose scene another member of the cluster has, the authority. It has a
 * channel of the link to that member. The client's hello goes there, and from then on all frames
 * of messages go both ways as they are, piece by piece: nothing is decoded, and no message has to
 * be in memory. Pings, pongs and frames that break the rules stay here.
 *
 * - Each direction has a window of GZ_TRUNK_WINDOW_BYTES that the slow side has not taken. If it is
 *   full the other side is not read. The link serves all others.
 * - OPEN tells the authority the client's address and user. The authority checks the client as its
 *   own; the page that the client comes from was checked here.
 * - The authority's close is passed on as it is. If the link is lost, or the authority's side ends
 *   without a close, the client is told `bye` with retry_s 0: another member may have the scene by
 *   then. If the authority cannot be reached, `bye` with retry_s GZ_RELAY_RETRY_S; if it does not
 *   take the client, with less.
 * - The client's end is sent to the authority as a close, behind all its bytes.
 * - A client that another member relays to this one is not relayed again: it may reconnect. */

#define AWAY_WORDS "the member that has this scene cannot be reached: try again in a moment"
#define GONE_WORDS "the member that has this scene went away: come back, another one may have it"
#define LOOP_WORDS "the scene is on its way to another member: try again in a moment"
/* Seconds after which a client may come back that the authority did not take: that member is
 * ending, and gives its scenes back within a second. */
#define REFUSED_RETRY_S 0.25
/* Bytes of one read, with the rest of an earlier header; or a hello. */
#define PASSED_BYTES_MAX (16 * 1024 + 14)
/* Bytes of a buffer that are kept for the next use. */
#define KEPT_BYTES_MAX 2048

/* ---- the end ---- */

static void free_if_done(struct gz_relay *relay)
{
    if (relay->connection == NULL && relay->route == NULL) free(relay);
}

/* Separates the relay from its client. */
static void let_client_go(struct gz_relay *relay)
{
    gz_bytes_clear(&relay->pieces);
    gz_buffer_finish(&relay->to_authority);
    relay->connection->relay = NULL;
    relay->connection = NULL;
    relay->since_s = gz_awake_now(&relay->net->awake);
}

/* Closes the channel on this side. It is free when the authority has closed it, too. */
static void close_channel(struct gz_relay *relay)
{
    if (relay->route == NULL || relay->has_closed) return;
    relay->has_closed = true;
    if (relay->is_open)
        gz_member_link_add_close(&relay->route->link, relay->channel, GZ_CHANNEL_GONE, NULL);
    else
        gz_link_client_leave(relay);
}

static void listen_again(struct gz_connection *connection)
{
    connection->is_waiting = connection->paused = false;
    connection->heard_s = gz_awake_now(&connection->net->awake); /* it was not read meanwhile */
}

static void send_away(struct gz_connection *connection, const char *words, double retry_s)
{
    if (connection->end != 0) return;
    listen_again(connection);
    gz_connection_send_away(connection, words, retry_s);
}

/* Keeps the reason of a close in the buffer of the hello. */
static void end_in_words(struct gz_connection *connection, int code, const uint8_t *words,
                         size_t size)
{
    struct gz_buffer *kept = &connection->greeting->hello;
    if (connection->end != 0) return;
    listen_again(connection);
    gz_buffer_clear(kept);
    if (size > 0 && gz_buffer_append(kept, words, size) == GZ_OK &&
        gz_buffer_append(kept, "", 1) == GZ_OK)
        connection->end_words = (const char *)kept->data;
    gz_connection_end(connection, code);
}

/* No more pieces come: drops an incomplete message among those that wait. May free the relay. */
static void end_pieces(struct gz_relay *relay)
{
    relay->is_ending = true;
    const struct gz_bytes *last;
    while ((last = gz_bytes_last_of(&relay->pieces)) != NULL && !last->is_last)
        gz_bytes_release(gz_bytes_pop_last(&relay->pieces));
    if (relay->connection != NULL && relay->pieces.count == 0) let_client_go(relay);
    free_if_done(relay);
}

/* The client is sent the close once it has taken the earlier pieces. */
void gz_relay_end(struct gz_relay *relay, int code, const uint8_t *words, size_t size)
{
    struct gz_connection *connection = relay->connection;
    const bool was_there = code == GZ_CHANNEL_GONE;
    close_channel(relay);
    gz_link_client_leave(relay);
    if (connection == NULL) {
        free_if_done(relay);
    } else if (code > GZ_CHANNEL_REFUSED) {
        relay->is_ending = true;
        end_in_words(connection, code, words, size);
    } else {
        gz_log(relay->net->log, GZ_WARN, relay->id, "the member with its scene %s: %.*s",
               was_there ? "closed it" : "refused it", (int)size, (const char *)words);
        end_pieces(relay);
        send_away(connection, was_there ? GONE_WORDS : AWAY_WORDS, was_there ? 0 : REFUSED_RETRY_S);
    }
}

bool gz_relay_is_due(const struct gz_connection *connection)
{
    const struct gz_relay *relay = connection->relay;
    return relay != NULL && (connection->is_amid || (relay->is_ending && relay->pieces.count > 0));
}

void gz_relay_lose(struct gz_relay *relay, bool was_open)
{
    struct gz_connection *connection = relay->connection;
    gz_link_client_leave(relay);
    relay->has_closed = true;
    end_pieces(relay);
    if (connection != NULL)
        send_away(connection, was_open ? GONE_WORDS : AWAY_WORDS, was_open ? 0 : GZ_RELAY_RETRY_S);
}

/* ---- to the authority ---- */

static void drop_passed(struct gz_buffer *out)
{
    if (out->capacity > KEPT_BYTES_MAX)
        gz_buffer_finish(out);
    else
        gz_buffer_clear(out);
}

static void pass(struct gz_relay *relay, const uint8_t *bytes, size_t size)
{
    relay->in_flight += size;
    relay->net->counters.relayed_in += size;
    while (size > 0) {
        const size_t piece = size < GZ_TRUNK_PIECE_BYTES ? size : GZ_TRUNK_PIECE_BYTES;
        gz_member_link_add(&relay->route->link, GZ_RECORD_DATA, relay->channel, bytes, piece);
        bytes += piece;
        size -= piece;
    }
}

/* Sends a frame of our own, with a mask of zeros, which is safe because no client chose its
 * bytes. */
static void pass_frame(struct gz_relay *relay, uint8_t first, const uint8_t *bytes, size_t size)
{
    uint8_t header[8] = {first, (uint8_t)(0x80 | (size < 126 ? size : 126))};
    size_t header_size = 2;
    if (size >= 126) {
        header[header_size++] = (uint8_t)(size >> 8);
        header[header_size++] = (uint8_t)size;
    }
    pass(relay, header, header_size + 4);
    pass(relay, bytes, size);
}

void gz_relay_take(struct gz_connection *connection, const struct gz_frame_part *part)
{
    struct gz_relay *relay = connection->relay;
    struct gz_buffer *out = &relay->to_authority;
    relay->is_amid = part->left > 0;
    if (gz_buffer_append(out, part->header, part->header_size) != GZ_OK ||
        gz_buffer_append(out, part->bytes, part->size) != GZ_OK)
        gz_connection_break(connection);
}

void gz_relay_pass(struct gz_connection *connection)
{
    struct gz_relay *relay = connection->relay;
    struct gz_buffer *out = &relay->to_authority;
    if (!relay->is_open || out->size == 0) return;
    pass(relay, out->data, out->size);
    drop_passed(out);
    if (relay->in_flight < GZ_TRUNK_WINDOW_BYTES) return;
    connection->paused = true;
    connection->wire->kind->pause(connection->wire);
}

bool gz_relay_take_back(struct gz_relay *relay, size_t bytes)
{
    struct gz_connection *connection = relay->connection;
    if (bytes > relay->in_flight) return false;
    relay->in_flight -= bytes;
    if (connection == NULL || !connection->paused || relay->in_flight >= GZ_TRUNK_WINDOW_BYTES)
        return true;
    listen_again(connection);
    connection->wire->kind->resume(connection->wire);
    return true;
}

/* Sends all bytes of the client before its close; in the middle of a frame no close can be sent. */
static void leave(struct gz_connection *connection)
{
    static const uint8_t normal[2] = {LWS_CLOSE_STATUS_NORMAL >> 8, LWS_CLOSE_STATUS_NORMAL & 0xFF};
    struct gz_relay *relay = connection->relay;
    const bool is_whole = relay->is_open && !relay->has_closed && !relay->is_amid;
    if (is_whole) gz_relay_pass(connection);
    if (is_whole) pass_frame(relay, 0x88, normal, sizeof normal);
    let_client_go(relay);
    if (!is_whole) close_channel(relay);
    free_if_done(relay);
}

/* ---- to the client ---- */

/* Bytes in the client's socket count as taken once the socket is free again. */
static void count_taken(struct gz_relay *relay)
{
    relay->taken += relay->owed;
    relay->owed = 0;
    if (relay->taken < GZ_TRUNK_WINDOW_BYTES / 4 || relay->route == NULL) return;
    gz_member_link_add_took(&relay->route->link, relay->channel, relay->taken);
    relay->given -= relay->taken;
    relay->taken = 0;
}

/* Whether pieces still go to the client: one that is ended here is sent only the rest of its
 * message. */
static bool takes_pieces(const struct gz_relay *relay)
{
    const struct gz_connection *connection = relay->connection;
    return connection->end == 0 || connection->is_amid || relay->is_ending;
}

/* Whether the client waits for something that cannot be sent in the middle of a message. */
static bool is_owed(const struct gz_connection *connection)
{
    if (connection->end != 0) return !gz_relay_is_due(connection);
    return !connection->is_amid &&
           (connection->pong != NULL || gz_outbox_waiting(&connection->out) > 0);
}

/* May free the relay. */
static void write_piece(struct gz_relay *relay, struct gz_bytes *piece)
{
    struct gz_connection *connection = relay->connection;
    relay->owed += gz_piece_cost(piece->size);
    if (takes_pieces(relay)) {
        relay->net->counters.relayed_out += piece->size;
        connection->is_amid = !piece->is_last;
        gz_connection_write(connection, piece);
    }
    if (connection->relay != NULL && !gz_connection_is_choked(connection)) count_taken(relay);
    if (is_owed(connection)) gz_connection_make_ready(connection);
}

bool gz_relay_give(struct gz_relay *relay, struct gz_bytes *piece)
{
    struct gz_connection *connection = relay->connection;
    if (connection == NULL) return true;
    relay->given += gz_piece_cost(piece->size);
    if (relay->given > GZ_TRUNK_WINDOW_BYTES) return false;
    if (relay->pieces.count == 0 && !gz_connection_is_choked(connection))
        write_piece(relay, piece);
    else if (!gz_bytes_push(&relay->pieces, piece))
        gz_connection_break(connection);
    return true;
}

void gz_relay_go_on(struct gz_connection *connection)
{
    struct gz_relay *relay = connection->relay;
    if (gz_connection_is_choked(connection)) return;
    count_taken(relay);
    while (connection->relay != NULL && relay->pieces.count > 0 &&
           !gz_connection_is_choked(connection)) {
        struct gz_bytes *piece = gz_bytes_pop(&relay->pieces);
        write_piece(relay, piece);
        gz_bytes_release(piece);
    }
}

/* ---- the beginning ---- */

static void tell_client(struct gz_relay *relay)
{
    uint8_t bytes[GZ_TRUNK_OPEN_BYTES_MAX];
    const size_t client = strlen(relay->client), user = strlen(relay->user);
    bytes[0] = (uint8_t)client;
    memcpy(bytes + 1, relay->client, client);
    memcpy(bytes + 1 + client, relay->user, user);
    gz_member_link_add(&relay->route->link, GZ_RECORD_OPEN, relay->channel, bytes,
                       1 + client + user);
}

void gz_relay_open(struct gz_relay *relay)
{
    struct gz_connection *connection = relay->connection;
    relay->is_open = true;
    relay->net->counters.relayed++;
    gz_log(relay->net->log, GZ_INFO, relay->id, "relayed to %s", relay->route->url);
    tell_client(relay);
    pass_frame(relay, connection->is_json ? 0x81 : 0x82, relay->to_authority.data,
               relay->to_authority.size);
    gz_buffer_finish(&relay->to_authority);
    gz_buffer_init(&relay->to_authority, 2 * PASSED_BYTES_MAX, 0);
    connection->frames.keeps_mask = true;
    listen_again(connection);
    connection->wire->kind->resume(connection->wire);
}

/* NULL without memory. */
static struct gz_relay *create(struct gz_connection *connection, const uint8_t *hello, size_t size)
{
    struct gz_relay *relay = calloc(1, sizeof *relay);
    if (relay == NULL) return NULL;
    const struct gz_arrival *arrival = connection->wire->arrival;
    gz_buffer_init(&relay->to_authority, GZ_HELLO_BYTES_MAX, 0);
    if (gz_buffer_append(&relay->to_authority, hello, size) != GZ_OK) {
        free(relay);
        return NULL;
    }
    relay->net = connection->net;
    relay->id = connection->id;
    gz_address_print(&arrival->client, relay->client);
    memcpy(relay->user, arrival->user, sizeof relay->user);
    relay->connection = connection;
    connection->relay = relay;
    connection->leave_relay = leave;
    return relay;
}

void gz_relay_begin(struct gz_connection *connection, const char *url, const uint8_t *hello,
                    size_t size)
{
    struct gz_net *net = connection->net;
    const bool is_loop = net->relay_vhost == NULL || connection->wire->arrival->is_relayed;
    struct gz_relay *relay = is_loop ? NULL : create(connection, hello, size);
    const char *why = "no memory";
    if (relay != NULL && gz_link_client_enter(relay, url, &why)) return;
    if (!is_loop)
        gz_log(net->log, GZ_WARN, connection->id, "cannot be relayed to %s: %s", url, why);
    if (relay != NULL) {
        let_client_go(relay);
        free_if_done(relay);
    }
    send_away(connection, is_loop ? LOOP_WORDS : AWAY_WORDS, GZ_RELAY_RETRY_S);
}

void gz_relay_look_at(struct gz_relay *relay, double now_s)
{
    if (relay->connection == NULL && now_s - relay->since_s > GZ_FAREWELL_SECONDS)
        close_channel(relay);
}
