/* raw_ws.c - speaks HTTP and WebSocket on a plain socket. See raw_ws.h. */
#include "support/raw_ws.h"
#include "proto/limits.h"
#include "support/clock.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include "support/cmocka.h"
#include "support/tunnel.h"

#define PATIENCE_S 60.0

/* ---- sockets ---- */

int raw_connect(int port)
{
    const char *ca = getenv("GIZMOD_CA");
    if (ca == NULL) return raw_connect_plain(port);
    struct tunnel_peer peer;
    int fd = tunnel_open(port, ca, 0, &peer);
    if (fd < 0) fail_msg("no TLS: %s", peer.refusal);
    return fd;
}

void raw_allow_descriptors(void)
{
    struct rlimit limit;
    assert_int_equal(getrlimit(RLIMIT_NOFILE, &limit), 0);
    limit.rlim_cur = limit.rlim_max;
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &limit), 0);
}

int raw_connect_plain(int port)
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    assert_true(fd >= 0);
    if (connect(fd, (struct sockaddr *)&address, sizeof address) != 0)
        fail_msg("connect: %s", strerror(errno));
    return fd;
}

bool raw_send(int socket, const void *bytes, size_t size)
{
    const char *at = bytes;
    while (size > 0) {
        ssize_t count = send(socket, at, size, MSG_NOSIGNAL);
        if (count <= 0) return false;
        at += count;
        size -= (size_t)count;
    }
    return true;
}

bool raw_send_text(int socket, const char *text)
{
    return raw_send(socket, text, strlen(text));
}

/* Bytes as they come, at most `size`: 0 at the end of the connection, -1 when the time is over. */
static ssize_t receive(int socket, void *bytes, size_t size, double deadline_s)
{
    struct pollfd ready = {.fd = socket, .events = POLLIN};
    int left_ms = (int)((deadline_s - now_s()) * 1000);
    if (left_ms < 0 || poll(&ready, 1, left_ms) <= 0) return -1;
    ssize_t count = recv(socket, bytes, size, 0);
    return count > 0 ? count : 0;
}

static bool receive_all(int socket, void *bytes, size_t size, double deadline_s)
{
    for (size_t got = 0; got < size;) {
        ssize_t count = receive(socket, (char *)bytes + got, size - got, deadline_s);
        if (count <= 0) return false;
        got += (size_t)count;
    }
    return true;
}

bool raw_is_closed_within(int socket, double seconds)
{
    char bytes[4096];
    ssize_t count;
    double deadline_s = now_s() + seconds;
    do {
        count = receive(socket, bytes, sizeof bytes, deadline_s);
    } while (count > 0);
    return count == 0;
}

/* ---- HTTP ---- */

static size_t content_length(const char *head)
{
    const char *field = strcasestr(head, "\r\ncontent-length:");
    return field != NULL ? strtoul(field + 17, NULL, 10) : 0;
}

/* A byte at a time, so that nothing of what follows is taken. */
static bool read_head(int socket, char *head, size_t size)
{
    double deadline_s = now_s() + PATIENCE_S;
    for (size_t got = 0; got + 1 < size;) {
        if (receive(socket, head + got, 1, deadline_s) != 1) return false;
        head[++got] = '\0';
        if (got >= 4 && memcmp(head + got - 4, "\r\n\r\n", 4) == 0) return true;
    }
    return false;
}

void raw_read_response(int socket, struct raw_response *response)
{
    *response = (struct raw_response){0};
    do {
        if (!read_head(socket, response->head, sizeof response->head)) return;
        response->status = atoi(response->head + sizeof "HTTP/1.1");
    } while (response->status == 100);
    size_t left = content_length(response->head);
    double deadline_s = now_s() + PATIENCE_S;
    while (left > 0) {
        char piece[4096];
        ssize_t count =
            receive(socket, piece, left < sizeof piece ? left : sizeof piece, deadline_s);
        if (count <= 0) break;
        size_t room = sizeof response->body - 1;
        size_t kept = response->body_size < room ? room - response->body_size : 0;
        memcpy(response->body + (kept > 0 ? response->body_size : 0), piece,
               kept < (size_t)count ? kept : (size_t)count);
        response->body_size += (size_t)count;
        left -= (size_t)count;
    }
}

void raw_request(int port, const char *method, const char *path, const char *headers,
                 const void *body, size_t size, struct raw_response *response)
{
    char head[16 * 1024];
    int socket = raw_connect(port);
    snprintf(head, sizeof head,
             "%s %s HTTP/1.1\r\nHost: 127.0.0.1:%d\r\nConnection: close\r\n%s\r\n", method, path,
             port, headers);
    (void)(raw_send_text(socket, head) &&
           raw_send(socket, body, size)); /* it may refuse in the middle */
    raw_read_response(socket, response);
    close(socket);
}

/* ---- WebSocket ---- */

int raw_handshake(int socket, int port, const char *path, const char *headers)
{
    char text[4096];
    struct raw_response response;
    snprintf(
        text, sizeof text,
        "GET %s HTTP/1.1\r\nHost: 127.0.0.1:%d\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
        "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n%s\r\n",
        path, port, headers);
    assert_true(raw_send_text(socket, text));
    raw_read_response(socket, &response);
    return response.status;
}

int raw_open_as(int port, const char *subprotocol)
{
    char header[128];
    int socket = raw_connect(port);
    snprintf(header, sizeof header, "Sec-WebSocket-Protocol: %s\r\n", subprotocol);
    assert_int_equal(raw_handshake(socket, port, "/ws", header), 101);
    return socket;
}

int raw_open(int port)
{
    return raw_open_as(port, "gizmod.v1");
}

static size_t least_length_bytes(uint64_t size)
{
    return size < 126 ? 0 : size < 65536 ? 2 : 8;
}

static size_t frame_header(uint8_t header[14], uint8_t first, bool masked, size_t width,
                           uint64_t size)
{
    uint8_t mask = masked ? 0x80 : 0;
    header[0] = first;
    if (width == 0) {
        header[1] = (uint8_t)(size | mask);
        return 2;
    }
    header[1] = (uint8_t)((width == 2 ? 126 : 127) | mask);
    for (size_t i = 0; i < width; i++) header[2 + i] = (uint8_t)(size >> (8 * (width - 1 - i)));
    return 2 + width;
}

bool raw_send_frame(int socket, uint8_t first, bool masked, const void *bytes, size_t size)
{
    return raw_send_frame_as(socket, first, masked, least_length_bytes(size), bytes, size);
}

bool raw_send_frame_as(int socket, uint8_t first, bool masked, size_t length_bytes,
                       const void *bytes, size_t size)
{
    static const uint8_t key[4] = {0x12, 0x34, 0x56, 0x78};
    uint8_t *frame = malloc(size + 14);
    assert_non_null(frame);
    size_t at = frame_header(frame, first, masked, length_bytes, size);
    if (masked) {
        memcpy(frame + at, key, sizeof key);
        at += sizeof key;
    }
    for (size_t i = 0; i < size; i++)
        frame[at + i] = (uint8_t)(((const uint8_t *)bytes)[i] ^ (masked ? key[i % 4] : 0));
    bool sent = raw_send(socket, frame, at + size);
    free(frame);
    return sent;
}

bool raw_send_frame_header(int socket, uint8_t first, uint64_t size)
{
    uint8_t header[14 + 4] = {0};
    size_t at = frame_header(header, first, true, least_length_bytes(size), size);
    return raw_send(socket, header, at + 4);
}

bool raw_read_frame(int socket, struct raw_frame *frame, double seconds)
{
    double deadline_s = now_s() + seconds;
    for (frame->pings = 0;; frame->pings++) {
        uint8_t header[2], length[8];
        if (!receive_all(socket, header, 2, deadline_s)) return false;
        frame->opcode = header[0] & 0x0F;
        frame->taken = 0;
        frame->size = header[1] & 0x7F;
        if (frame->size >= 126) {
            size_t width = frame->size == 126 ? 2 : 8;
            if (!receive_all(socket, length, width, deadline_s)) return false;
            frame->size = 0;
            for (size_t i = 0; i < width; i++) frame->size = frame->size << 8 | length[i];
        }
        if (frame->size > sizeof frame->bytes) fail_msg("a frame of %zu bytes came", frame->size);
        if (!receive_all(socket, frame->bytes, frame->size, deadline_s)) return false;
        if (frame->opcode != RAW_PING) return true;
        raw_send_frame(socket, RAW_FIN | RAW_PONG, true, frame->bytes, frame->size);
    }
}

bool raw_is_ended_within(int socket, double seconds, int *code)
{
    struct raw_frame frame;
    double deadline_s = now_s() + seconds;
    *code = 0;
    while (raw_read_frame(socket, &frame, deadline_s - now_s())) {
        if (frame.opcode != RAW_CLOSE) continue;
        if (frame.size >= 2) *code = frame.bytes[0] << 8 | frame.bytes[1];
        raw_send_frame(socket, RAW_FIN | RAW_CLOSE, true, frame.bytes,
                       frame.size < 2 ? frame.size : 2);
        break;
    }
    return raw_is_closed_within(socket, deadline_s - now_s());
}

/* ---- messages ---- */

static struct gz_text text(const char *bytes)
{
    return (struct gz_text){bytes, strlen(bytes)};
}

bool raw_send_message(int socket, const struct gz_message *message)
{
    struct gz_buffer bytes;
    gz_buffer_init(&bytes, GZ_MESSAGE_BYTES_MAX, 0);
    assert_int_equal(gz_encode(&bytes, message), GZ_OK);
    bool sent = raw_send_frame(socket, RAW_FIN | RAW_BINARY, true, bytes.data, bytes.size);
    gz_buffer_finish(&bytes);
    return sent;
}

bool raw_send_hello(int socket, const char *scene, const char *user)
{
    struct gz_message hello = {
        .op = GZ_OP_HELLO,
        .hello = {.v = 1, .scene = text(scene), .user = text(user), .create = true}};
    return raw_send_message(socket, &hello);
}

/* The next message of what came, if there is one. */
static bool take_message(struct raw_frame *frame, struct gz_arena *arena,
                         struct gz_message *message)
{
    struct gz_error error;
    if (frame->taken == frame->size || frame->opcode != RAW_BINARY) return false;
    enum gz_status status =
        gz_decode(GZ_FROM_SERVER, frame->bytes, frame->size, &frame->taken, arena, message, &error);
    if (status != GZ_OK) fail_msg("the server's bytes are no message: %s", error.message);
    return true;
}

bool raw_read_on(int socket, enum gz_op op, struct raw_frame *frame, struct gz_arena *arena,
                 struct gz_message *message)
{
    const double deadline_s = now_s() + PATIENCE_S;
    do {
        while (take_message(frame, arena, message))
            if (message->op == op) return true;
        if (!raw_read_frame(socket, frame, deadline_s - now_s())) return false;
        gz_arena_reset(arena, gz_decode_bytes_max(frame->size));
    } while (true);
}

bool raw_read_message(int socket, enum gz_op op, struct raw_frame *frame, struct gz_arena *arena,
                      struct gz_message *message)
{
    frame->size = frame->taken = 0;
    return raw_read_on(socket, op, frame, arena, message);
}

enum gz_status raw_read_error(int socket, bool *fatal)
{
    struct raw_frame frame;
    struct gz_message message;
    struct gz_arena arena;
    gz_arena_init(&arena, 0);
    bool came = raw_read_message(socket, GZ_OP_ERROR, &frame, &arena, &message);
    *fatal = came && message.error.fatal;
    enum gz_status status = came ? message.error.code : GZ_OK;
    gz_arena_finish(&arena);
    return status;
}

bool raw_answers(int socket)
{
    struct raw_frame frame;
    struct gz_message answer, ping = {.op = GZ_OP_PING, .has = GZ_HAS_RID, .rid = 77};
    struct gz_arena arena;
    gz_arena_init(&arena, 0);
    bool came = raw_send_message(socket, &ping) &&
                raw_read_message(socket, GZ_OP_OK, &frame, &arena, &answer) &&
                answer.rid == ping.rid;
    gz_arena_finish(&arena);
    return came;
}
