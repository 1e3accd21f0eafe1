/* client.c - a connection to a scene: the WebSocket, messages, the mirror of the scene, and joining
 * again after the connection was lost. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "gizmo_client.h"
#include "headers.h"
#include "interests.h"
#include "packed.h"
#include "prediction.h"
#include "proto/limits.h"
#include "refusal.h"
#include "tcp.h"
#include "trust.h"
#include "websocket.h"

#define JOIN_SECONDS 10.0
/* The least time between two attempts to join. */
#define REJOIN_SECONDS_MIN 0.1
/* Seconds for an address that a server named, which may be one for the members alone. */
#define NAMED_SECONDS 2.0
/* Bytes of one message from the server. A delta is cut at GZ_DELTA_BYTES_MAX, an answer fits an
 * outbox; the rest is room. */
#define SERVER_MESSAGE_BYTES_MAX (64u * 1024 * 1024)

enum state { CLOSED, CONNECTING, OPEN };

struct gz_client {
    struct gz_urls urls;
    char *scene, *user, *token, *ca, *headers;
    struct gz_client_options options; /* its texts are those above */

    struct gz_ws *socket; /* NULL if there is none */
    enum state state;
    unsigned refused;                /* the HTTP status of a refused handshake; 0 for none */
    struct gz_error refusal;         /* what it means */
    char reason[GZ_ERROR_BYTES_MAX]; /* why it has ended, as a message says */
    char ending[GZ_ERROR_BYTES_MAX]; /* what the connection itself says, often before that message
                                        is read */

    struct gz_frame_queue received; /* whole messages; the first is being read */
    size_t offset;                  /* in the first of them */
    struct gz_arena arena;          /* of the message handed out last */
    struct gz_message message;      /* that message */

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
    uint64_t saved, rid;
    uint64_t dropped; /* the server may have dropped requests up to this rid; 0 for none */
    uint64_t edit;    /* seq of the last received edit; 0 for none */
    gz_client_handler *handler;
    void *handler_context;
};

/* ---- helpers ---- */

struct gz_text gz_client_text(const char *terminated)
{
    return (struct gz_text){terminated, terminated != NULL ? strlen(terminated) : 0};
}

static const char *why(const struct gz_client *client)
{
    return client->reason[0] != '\0' ? client->reason : client->ending;
}

/* Keeps the first reason, which is the cause of the later ones. */
static void set_reason(struct gz_client *client, const char *reason)
{
    if (client->reason[0] == '\0') snprintf(client->reason, sizeof client->reason, "%s", reason);
}

/* ---- the socket ---- */

/* Closes it, and keeps what a refused handshake said. */
static void close_socket(struct gz_client *client)
{
    const struct gz_buffer *body;
    if (client->socket == NULL) return;
    client->refused = gz_ws_refused(client->socket, &body);
    if (client->refused != 0)
        (void)gz_refusal(&client->refusal, client->refused, body, gz_urls_here(&client->urls),
                         "/ws");
    gz_ws_close(client->socket);
    client->socket = NULL;
}

static void over(struct gz_client *client, const char *reason)
{
    if (client->ending[0] == '\0') snprintf(client->ending, sizeof client->ending, "%s", reason);
    client->state = CLOSED;
    close_socket(client);
}

static void take_state(struct gz_client *client)
{
    switch (gz_ws_state(client->socket)) {
    case GZ_WS_CONNECTING: break;
    case GZ_WS_OPEN: client->state = OPEN; break;
    case GZ_WS_OVER: over(client, gz_ws_why(client->socket)); break;
    }
}

/* One pass of the socket; waits for something to happen until `deadline`. */
static void service(struct gz_client *client, double deadline)
{
    if (client->socket == NULL) return;
    gz_ws_service(client->socket, deadline);
    take_state(client);
}

void gz_client_cut(struct gz_client *client)
{
    over(client, "the connection was cut here");
}

static enum gz_status open_socket(struct gz_client *client, struct gz_error *error)
{
    client->state = CONNECTING;
    client->reason[0] = client->ending[0] = '\0';
    client->refused = 0;
    client->socket = gz_ws_open(gz_urls_here(&client->urls), client->ca, client->headers,
                                &client->received, SERVER_MESSAGE_BYTES_MAX);
    if (client->socket != NULL) return GZ_OK;
    over(client, "no memory for a connection");
    return gz_fail(error, GZ_NO_MEMORY, "%s", why(client));
}

bool gz_client_is_open(const struct gz_client *client)
{
    const struct gz_frame *frame = client->received.first;
    bool unread = frame != NULL && (client->offset < frame->bytes.size || frame->next != NULL);
    return client->state == OPEN || unread;
}

const char *gz_client_reason(const struct gz_client *client)
{
    return gz_client_is_open(client) ? "" : why(client);
}

int gz_client_fd(const struct gz_client *client)
{
    return client->socket != NULL ? gz_ws_fd(client->socket) : -1;
}

bool gz_client_wants_write(const struct gz_client *client)
{
    return client->state == OPEN && gz_ws_wants_write(client->socket);
}

/* ---- messages out ---- */

static struct gz_frame *new_frame(struct gz_error *error)
{
    struct gz_frame *frame = gz_frame_create(GZ_MESSAGE_BYTES_MAX, GZ_WS_HEADROOM);
    if (frame == NULL) (void)gz_fail(error, GZ_NO_MEMORY, "no memory for a message");
    return frame;
}

/* Sends the frame, which it takes over, if filling it went well. */
static enum gz_status send_frame(struct gz_client *client, struct gz_frame *frame,
                                 enum gz_status filled, struct gz_error *error)
{
    if (filled != GZ_OK) {
        gz_frame_free(frame);
        return gz_fail(error, filled, "the message is larger than %d bytes", GZ_MESSAGE_BYTES_MAX);
    }
    gz_ws_send(client->socket, frame);
    /* Nothing is read: who watches gz_client_fd would not hear of it. */
    gz_ws_write(client->socket);
    take_state(client);
    return GZ_OK;
}

enum gz_status gz_client_send_bytes(struct gz_client *client, const void *bytes, size_t size,
                                    struct gz_error *error)
{
    if (client->state != OPEN)
        return gz_fail(error, GZ_UNREACHABLE, "not connected: %s", why(client));
    struct gz_frame *frame = new_frame(error);
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
        return gz_fail(error, GZ_UNREACHABLE, "not connected: %s", why(client));
    bool interest = message->op == GZ_OP_INTEREST;
    prepare(client, message, rid != NULL);
    if (rid != NULL) *rid = message->rid;
    if (interest && !gz_interests_ask(&client->interests, message))
        return gz_fail(error, GZ_NO_MEMORY, "no memory for a message");
    struct gz_frame *frame = new_frame(error);
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
    double deadline = gz_tcp_now_s() + timeout_s;
    while (client->state == OPEN && gz_ws_wants_write(client->socket)) {
        if (gz_tcp_now_s() >= deadline)
            return gz_fail(error, GZ_UNREACHABLE, "the server accepted no data for %g s",
                           timeout_s);
        service(client, deadline);
    }
    return client->state == OPEN ? GZ_OK
                                 : gz_fail(error, GZ_UNREACHABLE, "not connected: %s", why(client));
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
    /* What was saved before the first delta is past; every later edit is to be told. */
    if (client->edit == 0) client->edit = delta->saved;
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
    struct gz_frame *frame = client->received.first;
    if (frame != NULL && client->offset == frame->bytes.size) {
        gz_frames_drop(&client->received);
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
    gz_frames_clear(&client->received);
    client->offset = 0;
    set_reason(client, error.message);
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
    double deadline = gz_tcp_now_s() + timeout_s;
    bool last = false;
    while (!decode_news(client)) {
        if (client->state != OPEN || last) return NULL;
        last = gz_tcp_now_s() >= deadline;
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
        return gz_fail(error, GZ_UNREACHABLE, "the connection was closed: %s", why(client));
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
    double deadline = gz_tcp_now_s() + timeout_s;
    while (rid > client->dropped) {
        const struct gz_message *message = gz_client_next(client, deadline - gz_tcp_now_s());
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
    double deadline = gz_tcp_now_s() + timeout_s;
    while (!gz_mirror_is_complete(client->mirror) || gz_mirror_seq(client->mirror) < seq) {
        const struct gz_message *message = gz_client_next(client, deadline - gz_tcp_now_s());
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
    return client->received.bytes;
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
    struct gz_frame *frame = new_frame(error);
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
    struct gz_frame *frame = new_frame(error);
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
    const struct gz_message *message = gz_client_next(client, deadline - gz_tcp_now_s());
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
static enum gz_status fail_unconnected(struct gz_client *client, struct again *again,
                                       struct gz_error *error)
{
    const struct gz_url *url = gz_urls_here(&client->urls);
    again->never = client->refused != 0 && client->refused < 500;
    if (client->refused != 0) {
        char status[32];
        snprintf(status, sizeof status, "HTTP status %u", client->refused);
        const bool has_status = strncmp(client->refusal.message, status, strlen(status)) == 0;
        strcat(status, ": ");
        if (has_status) status[0] = '\0';
        gz_print(client->reason, sizeof client->reason, "%s%s", status, client->refusal.message);
    }
    const bool is_final = again->never;
    return gz_fail(error, is_final ? client->refusal.status : GZ_UNREACHABLE,
                   "cannot connect to %s: %s", url->shown, why(client));
}

/* Waits until the socket stands, says hello and waits for the welcome. */
static enum gz_status join(struct gz_client *client, double deadline, struct again *again,
                           struct gz_error *error)
{
    while (client->state == CONNECTING && gz_tcp_now_s() < deadline) service(client, deadline);
    if (client->state == CONNECTING) over(client, "no answer in time");
    if (client->state != OPEN) return fail_unconnected(client, again, error);

    bool interest_is_left = false;
    enum gz_status status = say_hello(client, &interest_is_left, error);
    if (status == GZ_OK) status = await_welcome(client, deadline, again, error);
    if (status == GZ_OK && interest_is_left) status = send_interest(client, error);
    if (status != GZ_OK || client->interests.taken == NULL) return status;
    return gz_client_answer(client, client->interests.taken->message.rid, deadline - gz_tcp_now_s(),
                            NULL, error);
}

/* One attempt, at the present address. */
static enum gz_status attempt(struct gz_client *client, double deadline, struct again *again,
                              struct gz_error *error)
{
    gz_client_cut(client);
    gz_frames_clear(&client->received);
    gz_interests_forget_asked(&client->interests);
    client->offset = 0;
    enum gz_status status = open_socket(client, error);
    if (status == GZ_OK) status = join(client, deadline, again, error);
    if (status != GZ_OK) {
        gz_client_cut(client);
        gz_frames_clear(&client->received);
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
        double now = gz_tcp_now_s(), share_s = (deadline - now) / (double)left;
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
    const double deadline = gz_tcp_now_s() + client->options.timeout_s;
    struct again again = {.after_s = INFINITY};
    enum gz_status status = attempt_each(client, deadline, &again, error);
    while (status != GZ_OK && !again.never && gz_tcp_now_s() + again.after_s < deadline) {
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
    gz_frames_init(&client->received);
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
    gz_frames_clear(&client->received);
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
