/* websocket.c - the handshake and the frames of a WebSocket. See websocket.h. */
#include "websocket.h"

#include <openssl/evp.h>
#include <openssl/rand.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "headers.h"
#include "proto/message.h"
#include "refusal.h"
#include "response.h"
#include "tcp.h"

#define READ_BYTES (64u * 1024)
#define PASS_BYTES (1024u * 1024) /* read in one pass */
#define KEY_BYTES 25              /* a key as Base64, terminated */
#define ACCEPT_BYTES 29
#define CONTROL_BYTES_MAX 125
#define NO_FRAME "the server sent a frame that a WebSocket does not have"

enum opcode { CONTINUES = 0, TEXT = 1, BINARY = 2, CLOSE = 8, PING = 9, PONG = 10 };

/* The frame that comes. */
struct head {
    uint8_t bytes[10];
    size_t have;   /* bytes of it */
    uint64_t left; /* bytes of its payload */
};

struct gz_ws {
    struct gz_tcp *stream;
    enum gz_ws_state state;
    bool asked; /* the request is queued */
    const struct gz_url *url;
    const char *headers;
    char key[KEY_BYTES];
    char why[GZ_ERROR_BYTES_MAX];
    struct gz_response answer;
    struct gz_buffer refusal;
    struct gz_frame_queue unsent, *received;
    size_t message_max;
    struct gz_frame *message; /* that comes, in one frame or several; NULL between messages */
    struct head head;
    uint8_t control[CONTROL_BYTES_MAX];
    size_t control_size;
    uint8_t in[READ_BYTES];
};

/* Keeps the first reason, which is the cause of the later ones. */
static void over(struct gz_ws *socket, const char *why)
{
    if (socket->why[0] == '\0') gz_print(socket->why, sizeof socket->why, "%s", why);
    socket->state = GZ_WS_OVER;
}

/* ---- out ---- */

static void push(struct gz_ws *socket, struct gz_frame *frame, size_t header)
{
    frame->at = frame->bytes.data - header;
    frame->left = frame->bytes.size + header;
    gz_frames_push(&socket->unsent, frame);
}

static void send_as(struct gz_ws *socket, enum opcode opcode, struct gz_frame *frame)
{
    uint8_t header[GZ_WS_HEADROOM] = {(uint8_t)(0x80 | opcode)};
    const size_t size = frame->bytes.size;
    const size_t wide = size < 126 ? 0 : size < 65536 ? 2 : 8;
    header[1] = (uint8_t)(0x80 | (wide == 0 ? size : wide == 2 ? 126u : 127u));
    for (size_t i = 0; i < wide; i++)
        header[2 + i] = (uint8_t)((uint64_t)size >> (8 * (wide - 1 - i)));
    uint8_t *mask = header + 2 + wide;
    if (RAND_bytes(mask, 4) != 1) {
        gz_frame_free(frame);
        over(socket, "the system gives no random numbers");
        return;
    }
    for (size_t i = 0; i < size; i++) frame->bytes.data[i] ^= mask[i % 4];
    memcpy(frame->bytes.data - (6 + wide), header, 6 + wide);
    push(socket, frame, 6 + wide);
}

void gz_ws_send(struct gz_ws *socket, struct gz_frame *message)
{
    if (socket->state == GZ_WS_OPEN && message->bytes.data != NULL)
        send_as(socket, BINARY, message);
    else
        gz_frame_free(message);
}

/* Answers a ping or a close with the same bytes. */
static void answer_control(struct gz_ws *socket, enum opcode opcode)
{
    struct gz_frame *frame = gz_frame_create(CONTROL_BYTES_MAX, GZ_WS_HEADROOM);
    if (frame == NULL) return;
    if (gz_buffer_reserve(&frame->bytes, CONTROL_BYTES_MAX) == GZ_OK &&
        gz_buffer_append(&frame->bytes, socket->control, socket->control_size) == GZ_OK)
        send_as(socket, opcode, frame);
    else
        gz_frame_free(frame);
}

static void send_queued(struct gz_ws *socket)
{
    while (socket->unsent.first != NULL) {
        struct gz_frame *frame = socket->unsent.first;
        ssize_t sent = gz_tcp_write(socket->stream, frame->at, frame->left);
        if (sent < 0) over(socket, gz_tcp_why(socket->stream));
        if (sent <= 0) return;
        frame->at += sent;
        frame->left -= (size_t)sent;
        if (frame->left == 0) gz_frames_drop(&socket->unsent);
    }
}

/* ---- the handshake ---- */

static bool new_key(char key[KEY_BYTES])
{
    uint8_t random[16];
    if (RAND_bytes(random, sizeof random) != 1) return false;
    EVP_EncodeBlock((uint8_t *)key, random, sizeof random);
    return true;
}

static enum gz_status write_request(struct gz_ws *socket, struct gz_buffer *out)
{
    const char *const headers[][2] = {{"Upgrade", "websocket"},
                                      {"Connection", "Upgrade"},
                                      {"Sec-WebSocket-Key", socket->key},
                                      {"Sec-WebSocket-Version", "13"},
                                      {"Sec-WebSocket-Protocol", GZ_SUBPROTOCOL}};
    enum gz_status status =
        gz_headers_begin(out, "GET", socket->url->path, "", socket->url, socket->headers);
    for (size_t i = 0; i < sizeof headers / sizeof headers[0] && status == GZ_OK; i++)
        status = gz_headers_add(out, headers[i][0], headers[i][1]);
    return status == GZ_OK ? gz_buffer_append(out, "\r\n", 2) : status;
}

static void ask(struct gz_ws *socket)
{
    struct gz_frame *request = gz_frame_create(GZ_REQUEST_BYTES_MAX, 0);
    socket->asked = true;
    if (request != NULL && new_key(socket->key) &&
        write_request(socket, &request->bytes) == GZ_OK) {
        push(socket, request, 0);
        return;
    }
    if (request != NULL) gz_frame_free(request);
    over(socket, "no memory for a request");
}

static bool says(const struct gz_response *answer, const char *name, const char *value)
{
    char said[128];
    return gz_response_header(answer, name, said, sizeof said) && strcasecmp(said, value) == 0;
}

/* Whether the answer accepts this WebSocket and no other. */
static bool accepts(const struct gz_ws *socket)
{
    static const char magic[] = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";
    char text[KEY_BYTES + sizeof magic], wanted[ACCEPT_BYTES], said[ACCEPT_BYTES + 1];
    uint8_t hash[20];
    const int size = snprintf(text, sizeof text, "%s%s", socket->key, magic);
    if (EVP_Digest(text, (size_t)size, hash, NULL, EVP_sha1(), NULL) != 1) return false;
    EVP_EncodeBlock((uint8_t *)wanted, hash, sizeof hash);
    return says(&socket->answer, "Upgrade", "websocket") &&
           says(&socket->answer, "Sec-WebSocket-Protocol", GZ_SUBPROTOCOL) &&
           gz_response_header(&socket->answer, "Sec-WebSocket-Accept", said, sizeof said) &&
           strcmp(said, wanted) == 0 &&
           !gz_response_header(&socket->answer, "Sec-WebSocket-Extensions", said, sizeof said);
}

/* Takes bytes of the answer; returns how many. */
static size_t take_answer(struct gz_ws *socket, const uint8_t *bytes, size_t size)
{
    const uint8_t *piece;
    size_t piece_size;
    struct gz_response *answer = &socket->answer;
    const size_t taken = gz_response_take(answer, bytes, size, &piece, &piece_size);
    const size_t room = GZ_REFUSAL_BYTES_MAX - socket->refusal.size;
    if (gz_buffer_append(&socket->refusal, piece, piece_size < room ? piece_size : room) != GZ_OK)
        over(socket, "no memory for the answer");
    if (answer->status == 101 && accepts(socket))
        socket->state = GZ_WS_OPEN;
    else if (answer->status == 101 || answer->part == GZ_RESPONSE_BROKEN)
        over(socket, "the server's answer is not that of a WebSocket");
    else if (answer->part == GZ_RESPONSE_WHOLE || socket->refusal.size == GZ_REFUSAL_BYTES_MAX)
        over(socket, "the server refused the WebSocket");
    return taken;
}

/* ---- in ---- */

static void take_close(struct gz_ws *socket)
{
    char why[GZ_ERROR_BYTES_MAX] = "the server closed the connection";
    if (socket->control_size > 2)
        gz_print(why, sizeof why, "the server closed the connection: %.*s",
                 (int)socket->control_size - 2, (const char *)socket->control + 2);
    answer_control(socket, CLOSE);
    send_queued(socket);
    over(socket, why);
}

static void take_control(struct gz_ws *socket, enum opcode opcode)
{
    if (opcode == CLOSE) take_close(socket);
    if (opcode == PING) answer_control(socket, PONG);
    socket->control_size = 0;
}

static void take_message(struct gz_ws *socket)
{
    gz_frames_push(socket->received, socket->message);
    socket->message = NULL;
}

/* How many bytes the head of the frame has, as far as they are there. */
static size_t head_size(const struct head *head)
{
    const unsigned size = head->have > 1 ? head->bytes[1] & 0x7fu : 0;
    return size == 126 ? 4 : size == 127 ? 10 : 2;
}

/* What is wrong with the frame, whose head is whole; NULL: nothing. */
static const char *judge(const struct gz_ws *socket, enum opcode opcode, bool is_last)
{
    const struct head *head = &socket->head;
    if ((head->bytes[0] & 0x70) != 0 || (head->bytes[1] & 0x80) != 0) return NO_FRAME;
    switch (opcode) {
    case CONTINUES: return socket->message == NULL ? NO_FRAME : NULL;
    case TEXT: return "the server sent text instead of bytes";
    case BINARY: return socket->message != NULL ? NO_FRAME : NULL;
    case CLOSE:
    case PING:
    case PONG: return !is_last || head->left > CONTROL_BYTES_MAX ? NO_FRAME : NULL;
    default: return NO_FRAME;
    }
}

static void begin_frame(struct gz_ws *socket, enum opcode opcode, bool is_last)
{
    struct head *head = &socket->head;
    const unsigned size = head->bytes[1] & 0x7fu;
    head->left = size < 126 ? size : 0;
    for (size_t i = 2; i < head->have; i++) head->left = head->left << 8 | head->bytes[i];
    const char *flaw = judge(socket, opcode, is_last);
    if (flaw == NULL && opcode == BINARY) {
        socket->message = gz_frame_create(socket->message_max, 0);
        if (socket->message == NULL) flaw = "no memory";
    }
    if (flaw == NULL && opcode < CLOSE &&
        head->left > socket->message_max - socket->message->bytes.size)
        flaw = "the server sent a message that is too large";
    if (flaw != NULL) over(socket, flaw);
}

static void take_payload(struct gz_ws *socket, enum opcode opcode, const uint8_t *bytes,
                         size_t size)
{
    socket->head.left -= size;
    if (opcode >= CLOSE) {
        memcpy(socket->control + socket->control_size, bytes, size);
        socket->control_size += size;
    } else if (gz_buffer_append(&socket->message->bytes, bytes, size) != GZ_OK) {
        over(socket, "no memory for a message");
    }
}

/* Takes bytes up to the end of a frame's head, or of its payload; returns how many. */
static size_t take_frame(struct gz_ws *socket, const uint8_t *bytes, size_t size)
{
    struct head *head = &socket->head;
    const bool has_head = head->have >= 2 && head->have == head_size(head);
    size_t taken = 1;
    if (!has_head) head->bytes[head->have++] = *bytes;
    if (head->have < 2 || head->have < head_size(head)) return taken;
    const enum opcode opcode = head->bytes[0] & 0x0f;
    const bool is_last = (head->bytes[0] & 0x80) != 0;
    if (has_head) {
        taken = head->left < size ? (size_t)head->left : size;
        take_payload(socket, opcode, bytes, taken);
    } else {
        begin_frame(socket, opcode, is_last);
    }
    if (socket->state == GZ_WS_OVER || head->left > 0) return taken;
    *head = (struct head){.have = 0};
    if (opcode >= CLOSE)
        take_control(socket, opcode);
    else if (is_last)
        take_message(socket);
    return taken;
}

static void take(struct gz_ws *socket, const uint8_t *bytes, size_t size)
{
    while (size > 0 && socket->state != GZ_WS_OVER) {
        const size_t taken = socket->state == GZ_WS_OPEN ? take_frame(socket, bytes, size)
                                                         : take_answer(socket, bytes, size);
        bytes += taken;
        size -= taken;
    }
}

static void receive(struct gz_ws *socket)
{
    size_t read = 0;
    ssize_t got = 1;
    while (got > 0 && socket->state != GZ_WS_OVER &&
           (read < PASS_BYTES || gz_tcp_holds(socket->stream))) {
        got = gz_tcp_read(socket->stream, socket->in, sizeof socket->in);
        if (got > 0) take(socket, socket->in, (size_t)got);
        if (got > 0) read += (size_t)got;
    }
    if (got < 0) over(socket, gz_tcp_why(socket->stream));
}

/* ---- the whole ---- */

struct gz_ws *gz_ws_open(const struct gz_url *url, const char *ca, const char *headers,
                         struct gz_frame_queue *received, size_t message_max)
{
    struct gz_ws *socket = calloc(1, sizeof *socket);
    if (socket == NULL) return NULL;
    socket->url = url;
    socket->headers = headers;
    socket->received = received;
    socket->message_max = message_max;
    gz_response_init(&socket->answer);
    gz_buffer_init(&socket->refusal, GZ_REFUSAL_BYTES_MAX, 0);
    gz_frames_init(&socket->unsent);
    socket->stream = gz_tcp_open(url, ca);
    if (socket->stream != NULL) return socket;
    gz_ws_close(socket);
    return NULL;
}

void gz_ws_close(struct gz_ws *socket)
{
    if (socket == NULL) return;
    gz_tcp_close(socket->stream);
    gz_response_finish(&socket->answer);
    gz_buffer_finish(&socket->refusal);
    gz_frames_clear(&socket->unsent);
    if (socket->message != NULL) gz_frame_free(socket->message);
    free(socket);
}

enum gz_ws_state gz_ws_state(const struct gz_ws *socket)
{
    return socket->state;
}

const char *gz_ws_why(const struct gz_ws *socket)
{
    return socket->why;
}

unsigned gz_ws_refused(const struct gz_ws *socket, const struct gz_buffer **body)
{
    *body = &socket->refusal;
    return socket->answer.status != 101 ? socket->answer.status : 0;
}

int gz_ws_fd(const struct gz_ws *socket)
{
    return gz_tcp_fd(socket->stream);
}

bool gz_ws_wants_write(const struct gz_ws *socket)
{
    return socket->unsent.first != NULL;
}

void gz_ws_write(struct gz_ws *socket)
{
    if (socket->state == GZ_WS_OPEN) send_queued(socket);
}

void gz_ws_service(struct gz_ws *socket, double deadline)
{
    if (socket->state == GZ_WS_OVER) return;
    gz_tcp_wait(socket->stream, true, socket->unsent.first != NULL, deadline);
    switch (gz_tcp_go_on(socket->stream)) {
    case GZ_TCP_CONNECTING: return;
    case GZ_TCP_OVER: over(socket, gz_tcp_why(socket->stream)); return;
    case GZ_TCP_STANDS: break;
    }
    if (!socket->asked) ask(socket);
    send_queued(socket);
    receive(socket);
    if (socket->state != GZ_WS_OVER) send_queued(socket); /* a pong */
}
