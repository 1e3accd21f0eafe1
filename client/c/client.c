/* client.c - a connection to a scene: the WebSocket, messages, the mirror of the scene, and joining
 * again after the connection was lost. */
#include <inttypes.h>
#include <libwebsockets.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "gizmo_client.h"
#include "headers.h"
#include "http.h"
#include "interests.h"
#include "packed.h"
#include "prediction.h"
#include "proto/limits.h"
#include "refusal.h"
#include "trust.h"

#define JOIN_SECONDS 10.0
/* The least time between two attempts to join. */
#define REJOIN_SECONDS_MIN 0.1
/* Seconds for an address that a server named, which may be one for the members alone. */
#define NAMED_SECONDS 2.0
/* Bytes of one message from the server. A delta is cut at GZ_DELTA_BYTES_MAX, an answer fits an
 * outbox; the rest is room. */
#define SERVER_MESSAGE_BYTES_MAX (64u * 1024 * 1024)
#define READ_BYTES (64u * 1024)
#define DESCRIPTORS_MAX 8 /* of a context: the socket, and libwebsockets' own for waking up */

struct frame {
    struct frame *next;
    struct gz_buffer bytes;
};

struct frame_queue {
    struct frame *first, **end; /* end: where the next one is linked */
};

enum state { CLOSED, CONNECTING, OPEN };

struct gz_client {
    struct gz_urls urls;
    char *scene, *user, *token, *ca, *headers;
    struct gz_client_options options; /* its texts are those above */

    struct lws_context *context;
    struct lws *wsi;
    lws_sorted_usec_list_t timer; /* ends a wait */
    enum state state;
    unsigned refused; /* the HTTP status of a refused handshake; 0 for none */
    char reason[GZ_ERROR_BYTES_MAX];

    struct gz_buffer incoming;   /* the incoming message */
    struct frame_queue received; /* whole messages; the first is being read */
    size_t offset;               /* in the first of them */
    struct gz_arena arena;       /* of the message handed out last */
    struct gz_message message;   /* that message */
    struct frame_queue unsent;

    struct gz_mirror *mirror;
    struct gz_pinboard *pinboard;
    struct gz_people *people;
    struct gz_packed *packed;
    struct gz_interests interests;
    struct gz_prediction *prediction; /* NULL if it was not asked for */
    bool part; /* the mirror holds, or may hold, a part of the scene: nothing to resume from */
    bool has_camera;
    struct gz_camera_message camera; /* the last one sent, with the latest view from the server */
    struct gz_welcome welcome;
    char welcome_scene[GZ_SCENE_NAME_BYTES_MAX + 1], welcome_server[128];
    char welcome_secret[GZ_SECRET_TEXT_BYTES_MAX + 1], welcome_read_only[GZ_ERROR_BYTES_MAX + 1];
    uint64_t saved, rid, received_bytes;
    uint64_t dropped; /* the server may have dropped requests up to this rid; 0 for none */
    uint64_t edit;    /* seq of the last received edit; 0 for none */
    gz_client_handler *handler;
    void *handler_context;
};

/* ---- helpers ---- */

static double now_s(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

struct gz_text gz_client_text(const char *terminated)
{
    return (struct gz_text){terminated, terminated != NULL ? strlen(terminated) : 0};
}

static void queue_init(struct frame_queue *queue)
{
    queue->first = NULL;
    queue->end = &queue->first;
}

static void queue_push(struct frame_queue *queue, struct frame *frame)
{
    frame->next = NULL;
    *queue->end = frame;
    queue->end = &frame->next;
}

static void queue_drop(struct frame_queue *queue)
{
    struct frame *frame = queue->first;
    queue->first = frame->next;
    if (queue->first == NULL) queue->end = &queue->first;
    gz_buffer_finish(&frame->bytes);
    free(frame);
}

static void queue_clear(struct frame_queue *queue)
{
    while (queue->first != NULL) queue_drop(queue);
}

/* Keeps the first reason, which is the cause of the later ones. */
static void set_reason(struct gz_client *client, const char *reason)
{
    if (client->reason[0] == '\0') snprintf(client->reason, sizeof client->reason, "%s", reason);
}

static void over(struct gz_client *client, const char *reason)
{
    set_reason(client, reason);
    client->state = CLOSED;
}

/* ---- the socket ---- */

static void handle_received(struct gz_client *client, struct lws *wsi, const void *bytes,
                            size_t size)
{
    if (gz_buffer_append(&client->incoming, bytes, size) != GZ_OK) {
        over(client, "the server sent a message that is too large");
        return;
    }
    if (!lws_is_final_fragment(wsi) || lws_remaining_packet_payload(wsi) > 0) return;
    struct frame *frame = lws_frame_is_binary(wsi) ? calloc(1, sizeof *frame) : NULL;
    if (frame == NULL) {
        over(client,
             lws_frame_is_binary(wsi) ? "no memory" : "the server sent text instead of bytes");
        return;
    }
    frame->bytes = client->incoming;
    client->received_bytes += frame->bytes.size;
    queue_push(&client->received, frame);
    gz_buffer_init(&client->incoming, SERVER_MESSAGE_BYTES_MAX, 0);
}

static void handle_writable(struct gz_client *client, struct lws *wsi)
{
    struct frame *frame = client->unsent.first;
    if (frame == NULL) return;
    int written = lws_write(wsi, frame->bytes.data, frame->bytes.size, LWS_WRITE_BINARY);
    if (written < (int)frame->bytes.size) {
        over(client, "the connection broke while sending");
        return;
    }
    queue_drop(&client->unsent);
    if (client->unsent.first != NULL) lws_callback_on_writable(wsi);
}

static void handle_close_frame(struct gz_client *client, const uint8_t *bytes, size_t size)
{
    if (size <= 2) return;
    char reason[GZ_ERROR_BYTES_MAX];
    snprintf(reason, sizeof reason, "the server closed the connection: %.*s", (int)(size - 2),
             (const char *)bytes + 2);
    set_reason(client, reason);
}

static void handle_unreachable(struct gz_client *client, struct lws *wsi, const char *why)
{
    client->refused = lws_http_client_http_response(wsi);
    over(client, gz_trust_words(why, gz_urls_here(&client->urls)));
    client->wsi = NULL;
}

static int handle_headers(struct gz_client *client, struct lws *wsi, uint8_t **at, size_t size)
{
    bool fits = gz_headers_add(wsi, client->headers, gz_urls_here(&client->urls), at, *at + size);
    if (!fits) over(client, "the request's headers do not fit");
    return fits ? 0 : -1;
}

static int handle_event(struct lws *wsi, enum lws_callback_reasons event, void *user, void *in,
                        size_t size)
{
    struct gz_client *client = wsi != NULL ? lws_context_user(lws_get_context(wsi)) : NULL;
    if (client == NULL || client->wsi == NULL) return 0;
    switch (event) {
    case LWS_CALLBACK_CLIENT_ESTABLISHED: client->state = OPEN; break;
    case LWS_CALLBACK_OPENSSL_PERFORM_SERVER_CERT_VERIFICATION:
        return gz_trust_judge(user, size != 0, gz_urls_here(&client->urls), client->reason,
                              sizeof client->reason)
                   ? 0
                   : -1;
    case LWS_CALLBACK_CLIENT_APPEND_HANDSHAKE_HEADER:
        return handle_headers(client, wsi, (uint8_t **)in, size);
    case LWS_CALLBACK_CLIENT_CONNECTION_ERROR: handle_unreachable(client, wsi, in); break;
    case LWS_CALLBACK_CLIENT_RECEIVE: handle_received(client, wsi, in, size); break;
    case LWS_CALLBACK_CLIENT_WRITEABLE: handle_writable(client, wsi); break;
    case LWS_CALLBACK_WS_PEER_INITIATED_CLOSE: handle_close_frame(client, in, size); break;
    case LWS_CALLBACK_CLIENT_CLOSED:
        over(client, "the server closed the connection");
        client->wsi = NULL;
        break;
    default: break;
    }
    return client->wsi != NULL && client->state == CLOSED ? -1 : 0;
}

static const struct lws_protocols protocols[] = {{.name = GZ_SUBPROTOCOL, .callback = handle_event},
                                                 {0}};

static void handle_timer(lws_sorted_usec_list_t *timer)
{
    /* A timer that is due before the service call waits fires first, and the wait is then for
     * something else. */
    struct gz_client *client = lws_container_of(timer, struct gz_client, timer);
    lws_cancel_service(client->context);
}

/* One pass of the socket; waits for something to happen until `deadline`. */
static void service(struct gz_client *client, double deadline)
{
    double left = deadline - now_s();
    if (left <= 0) {
        lws_service(client->context, -1);
        return;
    }
    lws_sul_schedule(client->context, 0, &client->timer, handle_timer,
                     (lws_usec_t)(left * 1e6) + 1);
    lws_service(client->context, 0);
    lws_sul_cancel(&client->timer);
}

void gz_client_cut(struct gz_client *client)
{
    client->wsi = NULL; /* callbacks while closing are ignored */
    if (client->context != NULL) {
        lws_sul_cancel(&client->timer);
        lws_context_destroy(client->context);
    }
    client->context = NULL;
    over(client, "the connection was cut here");
}

static enum gz_status open_socket(struct gz_client *client, struct gz_error *error)
{
    const struct gz_url *url = gz_urls_here(&client->urls);
    lws_set_log_level(0, NULL);
    client->context = lws_create_context(&(struct lws_context_creation_info){
        .port = CONTEXT_PORT_NO_LISTEN,
        .protocols = protocols,
        .user = client,
        .gid = -1,
        .uid = -1,
        .pt_serv_buf_size = READ_BYTES,
        .fd_limit_per_thread = DESCRIPTORS_MAX,
        .options = gz_trust_options(url, client->ca),
        .client_ssl_ca_filepath = gz_trust_file(client->ca),
    });
    if (client->context == NULL)
        return gz_fail(error, GZ_INTERNAL, "libwebsockets could not be started");
    client->state = CONNECTING;
    client->reason[0] = '\0';
    client->refused = 0;
    struct lws *wsi = lws_client_connect_via_info(&(struct lws_client_connect_info){
        .context = client->context,
        .address = url->host,
        .port = url->port,
        .path = url->path,
        .host = url->authority,
        .protocol = GZ_SUBPROTOCOL,
        .ssl_connection = gz_trust_flags(url) | LCCSCF_HTTP_NO_FOLLOW_REDIRECT,
        .pwsi = &client->wsi,
    });
    if (wsi == NULL) over(client, "no server answers at this address");
    return GZ_OK;
}

bool gz_client_is_open(const struct gz_client *client)
{
    const struct frame *frame = client->received.first;
    bool unread = frame != NULL && (client->offset < frame->bytes.size || frame->next != NULL);
    return client->state == OPEN || unread;
}

const char *gz_client_reason(const struct gz_client *client)
{
    return gz_client_is_open(client) ? "" : client->reason;
}

int gz_client_fd(const struct gz_client *client)
{
    return client->wsi != NULL ? (int)lws_get_socket_fd(client->wsi) : -1;
}

bool gz_client_wants_write(const struct gz_client *client)
{
    return client->state == OPEN && client->unsent.first != NULL;
}

/* ---- messages out ---- */

static struct frame *new_frame(struct gz_error *error)
{
    struct frame *frame = calloc(1, sizeof *frame);
    if (frame != NULL)
        gz_buffer_init(&frame->bytes, GZ_MESSAGE_BYTES_MAX, LWS_PRE);
    else
        (void)gz_fail(error, GZ_NO_MEMORY, "no memory for a message");
    return frame;
}

/* Sends the frame, which it takes over, if filling it went well. */
static enum gz_status send_frame(struct gz_client *client, struct frame *frame,
                                 enum gz_status filled, struct gz_error *error)
{
    if (filled != GZ_OK) {
        gz_buffer_finish(&frame->bytes);
        free(frame);
        return gz_fail(error, filled, "the message is larger than %d bytes", GZ_MESSAGE_BYTES_MAX);
    }
    queue_push(&client->unsent, frame);
    lws_callback_on_writable(client->wsi);
    service(client, 0);
    return GZ_OK;
}

enum gz_status gz_client_send_bytes(struct gz_client *client, const void *bytes, size_t size,
                                    struct gz_error *error)
{
    if (client->state != OPEN)
        return gz_fail(error, GZ_UNREACHABLE, "not connected: %s", client->reason);
    struct frame *frame = new_frame(error);
    if (frame == NULL) return GZ_NO_MEMORY;
    return send_frame(client, frame, gz_buffer_append(&frame->bytes, bytes, size), error);
}

static void set_camera(struct gz_client *client, const struct gz_camera_message *camera)
{
    client->camera = *camera;
    client->has_camera = true;
}

/* Gives the message its rid and pointer number. */
static void prepare(struct gz_client *client, struct gz_message *message, bool asks)
{
    if (client->prediction != NULL) gz_prediction_number(client->prediction, message);
    bool awaits = message->op == GZ_OP_INTEREST ||
                  (client->prediction != NULL && gz_prediction_awaits(message));
    if (!asks && (!awaits || (message->has & GZ_HAS_RID) != 0)) return;
    message->rid = ++client->rid;
    message->has |= GZ_HAS_RID;
}

enum gz_status gz_client_send(struct gz_client *client, struct gz_message *message, uint64_t *rid,
                              struct gz_error *error)
{
    if (client->state != OPEN)
        return gz_fail(error, GZ_UNREACHABLE, "not connected: %s", client->reason);
    bool interest = message->op == GZ_OP_INTEREST;
    prepare(client, message, rid != NULL);
    if (rid != NULL) *rid = message->rid;
    if (interest && !gz_interests_ask(&client->interests, message))
        return gz_fail(error, GZ_NO_MEMORY, "no memory for a message");
    struct frame *frame = new_frame(error);
    enum gz_status status = GZ_NO_MEMORY;
    if (frame != NULL) status = send_frame(client, frame, gz_encode(&frame->bytes, message), error);
    if (status != GZ_OK && interest) gz_interests_answer(&client->interests, message->rid, false);
    if (status == GZ_OK && message->op == GZ_OP_CAMERA) set_camera(client, &message->camera);
    if (status == GZ_OK && client->prediction != NULL)
        gz_prediction_sent(client->prediction, message);
    return status;
}

enum gz_status gz_client_flush(struct gz_client *client, double timeout_s, struct gz_error *error)
{
    double deadline = now_s() + timeout_s;
    while (client->state == OPEN && client->unsent.first != NULL) {
        if (now_s() >= deadline)
            return gz_fail(error, GZ_UNREACHABLE, "the server accepted no data for %g s",
                           timeout_s);
        service(client, deadline);
    }
    return client->state == OPEN
               ? GZ_OK
               : gz_fail(error, GZ_UNREACHABLE, "not connected: %s", client->reason);
}

/* ---- messages in ---- */

static void copy_text(char *out, size_t size, struct gz_text text)
{
    snprintf(out, size, "%.*s", (int)text.size, text.bytes != NULL ? text.bytes : "");
}

static void take_welcome(struct gz_client *client, const struct gz_welcome *welcome)
{
    client->welcome = *welcome;
    copy_text(client->welcome_scene, sizeof client->welcome_scene, welcome->scene);
    copy_text(client->welcome_server, sizeof client->welcome_server, welcome->server);
    copy_text(client->welcome_secret, sizeof client->welcome_secret, welcome->secret);
    client->welcome.secret = gz_client_text(client->welcome_secret);
    copy_text(client->welcome_read_only, sizeof client->welcome_read_only, welcome->read_only);
    client->welcome.read_only = gz_client_text(client->welcome_read_only);
    client->welcome.scene = gz_client_text(client->welcome_scene);
    client->welcome.server = gz_client_text(client->welcome_server);
    if (client->edit > welcome->seq) client->edit = welcome->seq; /* of an earlier scene */
    if (welcome->resumed) {
        gz_mirror_rewind(client->mirror);
    } else {
        gz_mirror_clear(client->mirror);
        client->saved = 0;
    }
    gz_pinboard_clear(client->pinboard);
    gz_people_clear(client->people);
    gz_people_keep(client->people, welcome->session);
}

static enum gz_status take_delta(struct gz_client *client, const struct gz_delta *delta,
                                 struct gz_error *error)
{
    if (delta->saved > client->saved) client->saved = delta->saved;
    enum gz_status status = gz_mirror_apply(client->mirror, delta, error);
    if (client->interests.taken == NULL && gz_mirror_is_complete(client->mirror))
        client->part = false;
    if (status != GZ_OK) gz_mirror_clear(client->mirror); /* nothing can be resumed from it */
    return status;
}

static void take_answer(struct gz_client *client, bool taken)
{
    const struct gz_message *message = &client->message;
    if (!(message->has & GZ_HAS_RID) ||
        !gz_interests_answer(&client->interests, message->rid, taken))
        return;
    client->part = true;
    gz_mirror_expect(client->mirror);
}

/* The server drops messages above its rate without naming them. */
static void take_error(struct gz_client *client, const struct gz_message *message)
{
    char reason[GZ_ERROR_BYTES_MAX];
    bool has_rid = (message->has & GZ_HAS_RID) != 0;
    take_answer(client, false);
    if (message->error.code == GZ_RATE_LIMITED && !has_rid) client->dropped = client->rid;
    if (!message->error.fatal) return;
    copy_text(reason, sizeof reason, message->error.message);
    set_reason(client, reason);
}

/* Applies a message to the client's own state. */
static enum gz_status take(struct gz_client *client, struct gz_error *error)
{
    const struct gz_message *message = &client->message;
    char reason[GZ_ERROR_BYTES_MAX];
    switch (message->op) {
    case GZ_OP_WELCOME: take_welcome(client, &message->welcome); return GZ_OK;
    case GZ_OP_DELTA: return take_delta(client, &message->delta, error);
    case GZ_OP_SAVED:
        if (message->saved_seq > client->saved) client->saved = message->saved_seq;
        return GZ_OK;
    case GZ_OP_EDIT: client->edit = message->edit.seq; return GZ_OK;
    case GZ_OP_BYE:
        copy_text(reason, sizeof reason, message->bye.reason);
        set_reason(client, reason);
        if (message->bye.url.size > 0)
            gz_urls_name(&client->urls, message->bye.url.bytes, message->bye.url.size);
        return GZ_OK;
    case GZ_OP_VIEW: memcpy(client->camera.view, message->view, sizeof message->view); return GZ_OK;
    case GZ_OP_PRESENCE: return gz_people_apply(client->people, &message->presence, error);
    case GZ_OP_CROWD: gz_people_count_here(client->people, message->here); return GZ_OK;
    case GZ_OP_NOTES: return gz_pinboard_apply(client->pinboard, &message->notes, error);
    case GZ_OP_OK: take_answer(client, true); return GZ_OK;
    case GZ_OP_ERROR: take_error(client, message); return GZ_OK;
    default: return GZ_OK;
    }
}

/* Decodes the next received message; false if there is none. */
static bool decode_next(struct gz_client *client)
{
    struct frame *frame = client->received.first;
    if (frame != NULL && client->offset == frame->bytes.size) {
        queue_drop(&client->received);
        client->offset = 0;
        frame = client->received.first;
    }
    if (frame == NULL) return false;
    struct gz_error error = {.status = GZ_OK};
    gz_arena_reset(&client->arena, gz_packed_bytes_max(frame->bytes.size));
    enum gz_status status = gz_decode(GZ_FROM_SERVER, frame->bytes.data, frame->bytes.size,
                                      &client->offset, &client->arena, &client->message, &error);
    if (status == GZ_OK)
        status = gz_packed_turn(client->packed, &client->arena, &client->message, &error);
    if (status == GZ_OK) status = take(client, &error);
    if (status == GZ_OK && client->prediction != NULL)
        gz_prediction_received(client->prediction, &client->message);
    if (status == GZ_OK) return true;
    queue_clear(&client->received);
    client->offset = 0;
    over(client, error.message);
    return false;
}

/* Decodes the next message; skips a motion, which is no news by itself. */
static bool decode_news(struct gz_client *client)
{
    bool has_next = decode_next(client);
    while (has_next && client->message.op == GZ_OP_MOTION) has_next = decode_next(client);
    return has_next;
}

const struct gz_message *gz_client_next(struct gz_client *client, double timeout_s)
{
    double deadline = now_s() + timeout_s;
    bool last = false;
    while (!decode_news(client)) {
        if (client->state != OPEN || last) return NULL;
        last = now_s() >= deadline;
        service(client, deadline);
    }
    return &client->message;
}

void gz_client_set_handler(struct gz_client *client, gz_client_handler *handler, void *context)
{
    client->handler = handler;
    client->handler_context = context;
}

static enum gz_status no_answer(const struct gz_client *client, double timeout_s,
                                struct gz_error *error)
{
    if (client->state != OPEN)
        return gz_fail(error, GZ_UNREACHABLE, "the connection was closed: %s", client->reason);
    return gz_fail(error, GZ_UNREACHABLE, "the server did not answer within %g s", timeout_s);
}

static bool is_answer(const struct gz_message *message, uint64_t rid)
{
    bool answers = message->op == GZ_OP_OK || message->op == GZ_OP_ERROR;
    return answers && (message->has & GZ_HAS_RID) != 0 && message->rid == rid;
}

enum gz_status gz_client_answer(struct gz_client *client, uint64_t rid, double timeout_s,
                                const struct gz_message **answer, struct gz_error *error)
{
    double deadline = now_s() + timeout_s;
    while (rid > client->dropped) {
        const struct gz_message *message = gz_client_next(client, deadline - now_s());
        if (message == NULL) return no_answer(client, timeout_s, error);
        if (is_answer(message, rid)) {
            if (answer != NULL) *answer = message;
            if (message->op == GZ_OP_OK) return GZ_OK;
            return gz_fail(error, message->error.code, "%.*s", (int)message->error.message.size,
                           message->error.message.bytes);
        }
        if (client->handler != NULL) client->handler(client->handler_context, message);
    }
    if (answer != NULL) *answer = NULL;
    return gz_fail(error, GZ_RATE_LIMITED,
                   "too many messages were sent per second; the server dropped some, "
                   "perhaps this one");
}

enum gz_status gz_client_request(struct gz_client *client, struct gz_message *message,
                                 double timeout_s, const struct gz_message **answer,
                                 struct gz_error *error)
{
    uint64_t rid = 0;
    enum gz_status status = gz_client_send(client, message, &rid, error);
    return status == GZ_OK ? gz_client_answer(client, rid, timeout_s, answer, error) : status;
}

enum gz_status gz_client_await(struct gz_client *client, uint64_t seq, double timeout_s,
                               struct gz_error *error)
{
    double deadline = now_s() + timeout_s;
    while (!gz_mirror_is_complete(client->mirror) || gz_mirror_seq(client->mirror) < seq) {
        const struct gz_message *message = gz_client_next(client, deadline - now_s());
        if (message == NULL) return no_answer(client, timeout_s, error);
        if (client->handler != NULL) client->handler(client->handler_context, message);
    }
    return GZ_OK;
}

/* ---- joining ---- */

const struct gz_welcome *gz_client_welcome(const struct gz_client *client)
{
    return &client->welcome;
}

void gz_client_page(const struct gz_client *client, char *text, size_t size)
{
    const struct gz_url *url = gz_urls_here(&client->urls);
    bool usual = url->port == (url->tls ? 443 : 80);
    size_t shown =
        usual ? (size_t)(strrchr(url->authority, ':') - url->authority) : strlen(url->authority);
    gz_print(text, size, "%s://%.*s%s/", url->tls ? "https" : "http", (int)shown, url->authority,
             url->base);
}

const struct gz_mirror *gz_client_mirror(const struct gz_client *client)
{
    return client->mirror;
}

const struct gz_pinboard *gz_client_pinboard(const struct gz_client *client)
{
    return client->pinboard;
}

const struct gz_people *gz_client_people(const struct gz_client *client)
{
    return client->people;
}

bool gz_client_predict_gizmo(struct gz_client *client, struct gz_message *gizmo)
{
    return client->prediction != NULL && gz_prediction_gizmo(client->prediction, gizmo);
}

enum gz_handle gz_client_predict_handle(struct gz_client *client, const struct gz_message *pointer)
{
    if (client->prediction == NULL) return GZ_HANDLE_NONE;
    return gz_prediction_handle(client->prediction, pointer);
}

bool gz_client_predict_trs(const struct gz_client *client, uint64_t id, gz_trs *trs)
{
    if (client->prediction != NULL) return gz_prediction_trs(client->prediction, id, trs);
    const struct gz_mirror_node *node = gz_mirror_find(client->mirror, id);
    if (node != NULL) *trs = node->trs;
    return node != NULL;
}

bool gz_client_predict_world(const struct gz_client *client, uint64_t id, gz_affine *world)
{
    return client->prediction != NULL ? gz_prediction_world(client->prediction, id, world)
                                      : gz_mirror_world(client->mirror, id, world);
}

bool gz_client_predict_view(const struct gz_client *client, double view[16])
{
    if (client->prediction != NULL) return gz_prediction_view(client->prediction, view);
    if (client->has_camera) memcpy(view, client->camera.view, sizeof client->camera.view);
    return client->has_camera;
}

uint64_t gz_client_predict_corrections(const struct gz_client *client)
{
    return client->prediction != NULL ? gz_prediction_corrections(client->prediction) : 0;
}

uint64_t gz_client_received_bytes(const struct gz_client *client)
{
    return client->received_bytes;
}

uint64_t gz_client_saved(const struct gz_client *client)
{
    return client->saved;
}

/* The seq to resume from: the last complete state. If the mirror has a part of a later state, that
 * has to be saved: a server that crashed does not know of an unsaved one, and would not take it
 * back. */
static uint64_t resume_seq(const struct gz_client *client)
{
    const struct gz_mirror *mirror = client->mirror;
    if (client->part) return 0;
    bool exact = gz_mirror_is_complete(mirror) || gz_mirror_seen_seq(mirror) <= client->saved;
    return exact ? gz_mirror_complete_seq(mirror) : 0;
}

static struct gz_message make_hello(const struct gz_client *client)
{
    const struct gz_client_options *options = &client->options;
    struct gz_message message = {.op = GZ_OP_HELLO};
    message.hello = (struct gz_hello){
        .v = GZ_PROTOCOL_VERSION,
        .scene = gz_client_text(options->scene),
        .user = gz_client_text(options->user),
        .token = gz_client_text(options->token),
        .role = options->role,
        .create = options->create,
        .draw = options->draw,
        .packed = !options->plain,
        .resume_epoch = client->welcome.epoch,
        .resume_seq = resume_seq(client),
        .resume_edit = client->edit,
        .resume_secret = client->welcome.secret,
    };
    if (options->token != NULL) message.has |= GZ_HAS_HELLO_TOKEN;
    if (options->has_role) message.has |= GZ_HAS_HELLO_ROLE;
    if (client->welcome.epoch != 0) message.has |= GZ_HAS_HELLO_RESUME;
    if (client->edit != 0) message.has |= GZ_HAS_HELLO_EDIT;
    return message;
}

/* Encodes the interest, if any, and the camera that it needs. */
static enum gz_status encode_interest(struct gz_client *client, struct gz_buffer *out)
{
    struct gz_interest_request *interest = client->interests.taken;
    if (interest == NULL) return GZ_OK;
    struct gz_message camera = {.op = GZ_OP_CAMERA, .camera = client->camera};
    interest->message.rid = ++client->rid;
    interest->message.has |= GZ_HAS_RID;
    bool view = (interest->message.has & GZ_HAS_INTEREST_VIEW) != 0;
    enum gz_status status = view && client->has_camera ? gz_encode(out, &camera) : GZ_OK;
    return status == GZ_OK ? gz_encode(out, &interest->message) : status;
}

/* Sends hello, and the interest in the same frame if it fits, so that the first delta holds only
 * that part. */
static enum gz_status say_hello(struct gz_client *client, bool *interest_is_left,
                                struct gz_error *error)
{
    struct gz_message hello = make_hello(client);
    struct frame *frame = new_frame(error);
    if (frame == NULL) return GZ_NO_MEMORY;
    enum gz_status status = gz_encode(&frame->bytes, &hello);
    size_t size = frame->bytes.size;
    if (status == GZ_OK) status = encode_interest(client, &frame->bytes);
    *interest_is_left = frame->bytes.size > GZ_HELLO_BYTES_MAX;
    if (*interest_is_left) gz_buffer_truncate(&frame->bytes, size);
    return send_frame(client, frame, status, error);
}

static enum gz_status send_interest(struct gz_client *client, struct gz_error *error)
{
    struct frame *frame = new_frame(error);
    if (frame == NULL) return GZ_NO_MEMORY;
    return send_frame(client, frame, encode_interest(client, &frame->bytes), error);
}

/* What failed attempts to join say about the next one. */
struct again {
    double after_s; /* as the last bye said; INFINITY if none did */
    bool never;     /* the server refused the client for good */
};

/* Reads from a bye when to reconnect, unless it is fatal. */
static enum gz_status hear_bye(const struct gz_message *message, struct again *again,
                               struct gz_error *error)
{
    const struct gz_bye *bye = &message->bye;
    bool has_code = (message->has & GZ_HAS_BYE_CODE) != 0;
    again->never = bye->fatal;
    if (!bye->fatal) again->after_s = fmax(bye->retry_s, REJOIN_SECONDS_MIN);
    return gz_fail(error, has_code ? bye->code : GZ_UNREACHABLE, "%.*s", (int)bye->reason.size,
                   bye->reason.bytes);
}

static enum gz_status await_welcome(struct gz_client *client, double deadline, struct again *again,
                                    struct gz_error *error)
{
    const struct gz_message *message = gz_client_next(client, deadline - now_s());
    if (message == NULL) return no_answer(client, client->options.timeout_s, error);
    if (message->op == GZ_OP_WELCOME) return GZ_OK;
    again->never = true;
    if (message->op == GZ_OP_ERROR)
        return gz_fail(error, message->error.code, "%.*s", (int)message->error.message.size,
                       message->error.message.bytes);
    if (message->op == GZ_OP_BYE) return hear_bye(message, again, error);
    return gz_fail(error, GZ_INTERNAL, "the server answered hello with %s",
                   gz_op_word(message->op));
}

/* An answer of a daemon or a proxy that is only temporary (5xx) is no final refusal. The words of a
 * daemon do not say the status; those of gz_refusal for a proxy do. */
static enum gz_status fail_unconnected(struct gz_client *client, double deadline,
                                       struct again *again, struct gz_error *error)
{
    const struct gz_url *url = gz_urls_here(&client->urls);
    struct gz_error refusal = {.status = GZ_UNREACHABLE};
    again->never = client->refused != 0 && client->refused < 500;
    if (client->refused != 0) {
        (void)gz_http_why_refused(url, client->ca, client->headers, client->refused,
                                  fmax(deadline - now_s(), 1), &refusal);
        char status[32];
        snprintf(status, sizeof status, "HTTP status %u", client->refused);
        const bool has_status = strncmp(refusal.message, status, strlen(status)) == 0;
        strcat(status, ": ");
        if (has_status) status[0] = '\0';
        gz_print(client->reason, sizeof client->reason, "%s%s", status, refusal.message);
    }
    return gz_fail(error, client->refused < 500 ? refusal.status : GZ_UNREACHABLE,
                   "cannot connect to %s: %s", url->shown, client->reason);
}

/* Waits until the socket stands, says hello and waits for the welcome. */
static enum gz_status join(struct gz_client *client, double deadline, struct again *again,
                           struct gz_error *error)
{
    while (client->state == CONNECTING && now_s() < deadline) service(client, deadline);
    if (client->state == CONNECTING) over(client, "no answer in time");
    if (client->state != OPEN) return fail_unconnected(client, deadline, again, error);

    bool interest_is_left = false;
    enum gz_status status = say_hello(client, &interest_is_left, error);
    if (status == GZ_OK) status = await_welcome(client, deadline, again, error);
    if (status == GZ_OK && interest_is_left) status = send_interest(client, error);
    if (status != GZ_OK || client->interests.taken == NULL) return status;
    return gz_client_answer(client, client->interests.taken->message.rid, deadline - now_s(), NULL,
                            error);
}

/* One attempt, at the present address. */
static enum gz_status attempt(struct gz_client *client, double deadline, struct again *again,
                              struct gz_error *error)
{
    gz_client_cut(client);
    queue_clear(&client->received);
    queue_clear(&client->unsent);
    gz_buffer_clear(&client->incoming);
    gz_interests_forget_asked(&client->interests);
    client->offset = 0;
    enum gz_status status = open_socket(client, error);
    if (status == GZ_OK) status = join(client, deadline, again, error);
    if (status != GZ_OK) {
        gz_client_cut(client);
        queue_clear(&client->received);
        client->offset = 0;
    }
    return status;
}

/* One attempt at each address, first at one that a server named, then from the one that answered
 * last on, until a server takes the client or refuses it for good. Those that do not answer share
 * the time. The time of an earlier bye stays valid while nothing answers, because the server is
 * restarting. */
static enum gz_status attempt_each(struct gz_client *client, double deadline, struct again *again,
                                   struct gz_error *error)
{
    enum gz_status status = GZ_UNREACHABLE;
    for (size_t left = client->urls.count + client->urls.is_named; left > 0; left--) {
        const bool is_named = client->urls.is_named;
        double now = now_s(), share_s = (deadline - now) / (double)left;
        if (is_named) share_s = fmin(share_s, NAMED_SECONDS);
        gz_urls_begin(&client->urls);
        status = attempt(client, now + share_s, again, error);
        again->never = again->never && !is_named;
        if (status == GZ_OK || again->never) break;
        gz_urls_next(&client->urls);
    }
    return status;
}

static void sleep_s(double seconds)
{
    struct timespec pause = {(time_t)seconds, (long)((seconds - (double)(time_t)seconds) * 1e9)};
    nanosleep(&pause, NULL);
}

enum gz_status gz_client_reconnect(struct gz_client *client, struct gz_error *error)
{
    const double deadline = now_s() + client->options.timeout_s;
    struct again again = {.after_s = INFINITY};
    enum gz_status status = attempt_each(client, deadline, &again, error);
    while (status != GZ_OK && !again.never && now_s() + again.after_s < deadline) {
        sleep_s(again.after_s);
        status = attempt_each(client, deadline, &again, error);
    }
    return status;
}

static bool copy_options(struct gz_client *client, const struct gz_client_options *options)
{
    client->options = *options;
    client->scene = strdup(options->scene != NULL ? options->scene : "");
    client->user = strdup(options->user != NULL ? options->user : "");
    client->token = options->token != NULL ? strdup(options->token) : NULL;
    client->options.scene = client->scene;
    client->options.user = client->user;
    client->options.token = client->token;
    client->ca = options->ca != NULL ? strdup(options->ca) : NULL;
    client->headers = options->headers != NULL ? strdup(options->headers) : NULL;
    client->options.ca = client->ca;
    client->options.headers = client->headers;
    if (options->timeout_s <= 0) client->options.timeout_s = JOIN_SECONDS;
    if (options->token != NULL && client->token == NULL) return false;
    if (options->ca != NULL && client->ca == NULL) return false;
    if (options->headers != NULL && client->headers == NULL) return false;
    return client->scene != NULL && client->user != NULL;
}

/* The interest to join with counts as accepted, so that `join` asks for it. */
static bool copy_wish(struct gz_client *client, const struct gz_client_options *options)
{
    client->options.camera = client->options.interest = NULL;
    if (options->camera != NULL) set_camera(client, &options->camera->camera);
    if (options->interest == NULL) return true;
    if (!gz_interests_ask(&client->interests, options->interest)) return false;
    gz_interests_answer(&client->interests, options->interest->rid, true);
    return true;
}

static const gz_trs *place_of(const void *mirror, uint64_t id)
{
    const struct gz_mirror_node *node = gz_mirror_find(mirror, id);
    return node != NULL ? &node->trs : NULL;
}

static bool fill(struct gz_client *client, const struct gz_client_options *options)
{
    client->mirror = gz_mirror_create();
    client->pinboard = gz_pinboard_create();
    client->people = gz_people_create();
    client->packed = gz_packed_create(place_of, client->mirror);
    if (client->mirror == NULL || client->pinboard == NULL || client->people == NULL ||
        client->packed == NULL)
        return false;
    if (options->predict) client->prediction = gz_prediction_create(client->mirror);
    if (options->predict && client->prediction == NULL) return false;
    return copy_options(client, options) && copy_wish(client, options);
}

enum gz_status gz_client_create(struct gz_client **out, const struct gz_client_options *options,
                                struct gz_error *error)
{
    *out = NULL;
    struct gz_client *client = calloc(1, sizeof *client);
    if (client == NULL) return gz_fail(error, GZ_NO_MEMORY, "no memory");
    queue_init(&client->received);
    queue_init(&client->unsent);
    gz_buffer_init(&client->incoming, SERVER_MESSAGE_BYTES_MAX, 0);
    gz_arena_init(&client->arena, 0);
    enum gz_status status = GZ_OK;
    if (!fill(client, options)) status = gz_fail(error, GZ_NO_MEMORY, "no memory");
    const char *url = options->url != NULL ? options->url : GZ_CLIENT_URL_DEFAULT;
    if (status == GZ_OK) status = gz_urls_parse(&client->urls, url, error);
    if (status == GZ_OK) status = gz_headers_check(client->headers, &client->urls, false, error);
    if (status == GZ_OK) status = gz_trust_check(client->ca, error);
    if (status == GZ_OK) status = gz_client_reconnect(client, error);
    if (status != GZ_OK) {
        gz_client_destroy(client);
        return status;
    }
    *out = client;
    return GZ_OK;
}

void gz_client_destroy(struct gz_client *client)
{
    if (client == NULL) return;
    gz_client_cut(client);
    queue_clear(&client->received);
    queue_clear(&client->unsent);
    gz_buffer_finish(&client->incoming);
    gz_arena_finish(&client->arena);
    gz_prediction_destroy(client->prediction);
    gz_mirror_destroy(client->mirror);
    gz_pinboard_destroy(client->pinboard);
    gz_people_destroy(client->people);
    gz_packed_destroy(client->packed);
    gz_interests_clear(&client->interests);
    gz_urls_free(&client->urls);
    free(client->scene);
    free(client->user);
    free(client->token);
    free(client->ca);
    free(client->headers);
    free(client);
}
