/* crowd.c - drives many WebSocket clients by epoll. See crowd.h. */
#include "support/crowd.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "proto/limits.h"
#include "support/clock.h"
#include "support/cmocka.h"
#include "support/raw_ws.h"

#define PIECE_BYTES (512 * 1024)
#define EVENTS 256
/* Between two calls of `is_done` if nothing comes. */
#define LOOK_S 0.02

double crowd_unix_s(void)
{
    return clock_s(CLOCK_REALTIME);
}

void crowd_init(struct crowd *crowd, int port)
{
    *crowd = (struct crowd){
        .port = port, .epoll = epoll_create1(EPOLL_CLOEXEC), .piece = malloc(PIECE_BYTES)};
    assert_true(crowd->epoll >= 0);
    assert_non_null(crowd->piece);
    gz_arena_init(&crowd->arena, 0);
    raw_allow_descriptors();
}

void crowd_leave(struct crowd_member *member)
{
    if (member->state == CROWD_ENDED) return;
    close(member->socket);
    member->state = CROWD_ENDED;
    gz_buffer_finish(&member->in);
    gz_buffer_finish(&member->out);
}

void crowd_disperse(struct crowd *crowd, struct crowd_member *earlier)
{
    for (; crowd->members != earlier; crowd->count--) {
        struct crowd_member *next = crowd->members->next;
        crowd_leave(crowd->members);
        free(crowd->members);
        crowd->members = next;
    }
}

void crowd_finish(struct crowd *crowd)
{
    crowd_disperse(crowd, NULL);
    gz_arena_finish(&crowd->arena);
    free(crowd->piece);
    close(crowd->epoll);
}

/* A stalled socket is not watched at all: a broken one would wake the loop again and again. */
static void watch(struct crowd_member *member, int how)
{
    struct epoll_event event = {.events = EPOLLIN, .data.ptr = member};
    if (member->writing) event.events |= EPOLLOUT;
    assert_int_equal(epoll_ctl(member->crowd->epoll, how, member->socket, &event), 0);
}

static int begin_to_connect(int port, int receive_bytes)
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
    int on = 1, fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    assert_true(fd >= 0);
    if (receive_bytes > 0)
        assert_int_equal(
            setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &receive_bytes, sizeof receive_bytes), 0);
    assert_int_equal(setsockopt(fd, SOL_SOCKET, SO_TIMESTAMPNS, &on, sizeof on), 0);
    assert_int_equal(setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on), 0);
    if (connect(fd, (struct sockaddr *)&address, sizeof address) != 0 && errno != EINPROGRESS)
        fail_msg("connect: %s", strerror(errno));
    return fd;
}

static int connect_by_tls(int port)
{
    int fd = raw_connect(port);
    assert_int_equal(fcntl(fd, F_SETFL, O_NONBLOCK), 0);
    return fd;
}

struct crowd_member *crowd_enter(struct crowd *crowd, const char *scene, enum gz_role role,
                                 int receive_bytes)
{
    struct crowd_member *member = calloc(1, sizeof *member);
    assert_non_null(member);
    *member = (struct crowd_member){.crowd = crowd,
                                    .next = crowd->members,
                                    .role = role,
                                    .scene = scene,
                                    .user = "crowd",
                                    .path = "/ws",
                                    .writing = true};
    gz_buffer_init(&member->in, SIZE_MAX / 2, 0);
    gz_buffer_init(&member->out, SIZE_MAX / 2, 0);
    member->socket = getenv("GIZMOD_CA") != NULL ? connect_by_tls(crowd->port)
                                                 : begin_to_connect(crowd->port, receive_bytes);
    crowd->members = member;
    crowd->count++;
    watch(member, EPOLL_CTL_ADD);
    return member;
}

void crowd_stall(struct crowd_member *member, bool stalled)
{
    if (member->state == CROWD_ENDED || member->stalled == stalled) return;
    member->stalled = stalled;
    watch(member, stalled ? EPOLL_CTL_DEL : EPOLL_CTL_ADD);
}

void crowd_forget(struct crowd_member *member)
{
    member->frames = member->bytes = member->deltas = member->nodes_max = member->oks = 0;
    memset(member->errors, 0, sizeof member->errors);
}

size_t crowd_count(const struct crowd *crowd, enum crowd_state state)
{
    size_t count = 0;
    for (const struct crowd_member *member = crowd->members; member != NULL; member = member->next)
        count += member->state == state;
    return count;
}

/* ---- sending ---- */

static void set_writing(struct crowd_member *member, bool writing)
{
    if (member->writing == writing) return;
    member->writing = writing;
    if (!member->stalled) watch(member, EPOLL_CTL_MOD);
}

static void flush(struct crowd_member *member)
{
    size_t sent = 0;
    while (sent < member->out.size) {
        ssize_t count =
            send(member->socket, member->out.data + sent, member->out.size - sent, MSG_NOSIGNAL);
        if (count < 0 && errno == EAGAIN) break;
        if (count <= 0) {
            crowd_leave(member);
            return;
        }
        sent += (size_t)count;
    }
    if (sent > 0) memmove(member->out.data, member->out.data + sent, member->out.size - sent);
    gz_buffer_truncate(&member->out, member->out.size - sent);
    set_writing(member, member->out.size > 0);
}

static void send_bytes(struct crowd_member *member, const void *bytes, size_t size)
{
    if (member->state == CROWD_ENDED) return;
    assert_int_equal(gz_buffer_append(&member->out, bytes, size), GZ_OK);
    flush(member);
}

static void send_one(struct crowd_member *member, uint8_t opcode, const void *bytes, size_t size)
{
    uint8_t header[14] = {
        (uint8_t)(RAW_FIN | opcode)}; /* its mask is 0: the bytes stay as they are */
    size_t at = 2;
    if (size < 126) {
        header[1] = (uint8_t)(0x80 | size);
    } else {
        at = size < 65536 ? 4 : 10;
        header[1] = (uint8_t)(0x80 | (at == 4 ? 126 : 127));
        for (size_t i = 2; i < at; i++) header[i] = (uint8_t)(size >> (8 * (at - 1 - i)));
    }
    if (member->state == CROWD_ENDED) return;
    assert_int_equal(gz_buffer_append(&member->out, header, at + 4), GZ_OK);
    send_bytes(member, bytes, size);
}

void crowd_send_frame(struct crowd_member *member, const void *bytes, size_t size)
{
    const struct crowd_protocol *protocol = member->crowd->protocol;
    send_one(member, protocol != NULL && protocol->text ? RAW_TEXT : RAW_BINARY, bytes, size);
}

void crowd_send(struct crowd_member *member, const struct gz_message *message)
{
    struct gz_buffer bytes;
    gz_buffer_init(&bytes, GZ_MESSAGE_BYTES_MAX, 0);
    assert_int_equal(gz_encode(&bytes, message), GZ_OK);
    crowd_send_frame(member, bytes.data, bytes.size);
    gz_buffer_finish(&bytes);
}

size_t crowd_unsent(const struct crowd_member *member)
{
    return member->state == CROWD_ENDED ? 0 : member->out.size;
}

static void shake_hands(struct crowd_member *member)
{
    char text[512];
    int size = snprintf(
        text, sizeof text,
        "GET %s HTTP/1.1\r\nHost: 127.0.0.1:%d\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
        "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n"
        "Sec-WebSocket-Protocol: " GZ_SUBPROTOCOL "\r\n\r\n",
        member->path, member->crowd->port);
    assert_true(size > 0 && (size_t)size < sizeof text);
    member->state = CROWD_SHAKING;
    send_bytes(member, text, (size_t)size);
}

static void say_hello(struct crowd_member *member)
{
    struct gz_message hello = {.op = GZ_OP_HELLO, .has = GZ_HAS_HELLO_ROLE};
    hello.hello = (struct gz_hello){.v = GZ_PROTOCOL_VERSION,
                                    .scene = {member->scene, strlen(member->scene)},
                                    .user = {member->user, strlen(member->user)},
                                    .role = member->role,
                                    .create = member->role >= GZ_ROLE_EDITOR,
                                    .packed = member->packed};
    crowd_send(member, &hello);
}

/* ---- hearing ---- */

static void keep_reason(struct crowd_member *member, struct gz_text text)
{
    snprintf(member->reason, sizeof member->reason, "%.*s", (int)text.size, text.bytes);
}

static void hear_delta(struct crowd_member *member, const struct gz_delta *delta)
{
    if (delta->from != 0 && delta->from != member->seq)
        fail_msg("a delta from %llu came at %llu", (unsigned long long)delta->from,
                 (unsigned long long)member->seq);
    member->seq = delta->seq;
    member->deltas++;
    if (delta->count > member->nodes_max) member->nodes_max = delta->count;
    if (delta->ack_count > 0) member->acknowledged = delta->acks[delta->ack_count - 1].n;
    if (!delta->more && member->state == CROWD_JOINING) member->state = CROWD_JOINED;
}

static void hear_moves(struct crowd_member *member, const struct gz_moves *moves)
{
    if (moves->from != member->seq % GZ_MOVES_FROM)
        fail_msg("moves from %llu came at %llu", (unsigned long long)moves->from,
                 (unsigned long long)member->seq);
    member->seq += moves->step;
    member->deltas++;
    if (moves->count > member->nodes_max) member->nodes_max = moves->count;
    if (moves->ack_count > 0) member->acknowledged = moves->acks[moves->ack_count - 1].n;
}

static void hear(struct crowd_member *member, const struct gz_message *message)
{
    switch (message->op) {
    case GZ_OP_WELCOME: member->session = message->welcome.session; break;
    case GZ_OP_PACKED_DELTA:
    case GZ_OP_DELTA: hear_delta(member, &message->delta); break;
    case GZ_OP_PRESENCE: member->people += message->presence.count; break;
    case GZ_OP_CROWD: member->here = message->here; break;
    case GZ_OP_MOVES: hear_moves(member, &message->moves); break;
    case GZ_OP_OK: member->oks++; break;
    case GZ_OP_ERROR:
        member->errors[message->error.code]++;
        if (!message->error.fatal) break;
        member->fatal = true;
        keep_reason(member, message->error.message);
        break;
    case GZ_OP_BYE:
        member->bye = true;
        keep_reason(member, message->bye.reason);
        break;
    default: break;
    }
}

static void hear_messages(struct crowd_member *member, const uint8_t *bytes, size_t size,
                          double came_s)
{
    struct crowd *crowd = member->crowd;
    gz_arena_reset(&crowd->arena, gz_decode_bytes_max(size));
    for (size_t offset = 0; offset < size;) {
        struct gz_message message;
        struct gz_error error;
        if (gz_decode(GZ_FROM_SERVER, bytes, size, &offset, &crowd->arena, &message, &error) !=
            GZ_OK)
            fail_msg("the server's bytes are no message: %s", error.message);
        hear(member, &message);
        if (crowd->handle != NULL) crowd->handle(crowd->context, member, &message, came_s);
    }
}

static void hear_frame(struct crowd_member *member, uint8_t opcode, const uint8_t *bytes,
                       size_t size, double came_s)
{
    if (opcode == RAW_BINARY || opcode == RAW_TEXT) {
        member->frames++;
        member->bytes += size;
        if (member->crowd->protocol != NULL) {
            member->crowd->protocol->hear(member, bytes, size, came_s);
        } else {
            hear_messages(member, bytes, size, came_s);
        }
    }
    if (opcode == RAW_PING) send_one(member, RAW_PONG, bytes, size);
    if (opcode != RAW_CLOSE) return;
    if (size >= 2) member->close_code = bytes[0] << 8 | bytes[1];
    send_one(member, RAW_CLOSE, bytes, size < 2 ? size : 2);
}

/* Bytes of the first frame with its header; 0 if it is not complete yet. */
static size_t whole_frame(const uint8_t *bytes, size_t size, size_t *header)
{
    if (size < 2) return 0;
    size_t length = bytes[1] & 0x7F;
    *header = length < 126 ? 2 : length == 126 ? 4 : 10;
    if (size < *header) return 0;
    if (length >= 126) {
        length = 0;
        for (size_t i = 2; i < *header; i++) length = length << 8 | bytes[i];
    }
    return size - *header < length ? 0 : *header + length;
}

/* Bytes of the answer to the handshake; 0 if it is not complete yet. */
static size_t take_handshake(struct crowd_member *member, const uint8_t *bytes, size_t size)
{
    const uint8_t *end = memmem(bytes, size, "\r\n\r\n", 4);
    if (end == NULL) return 0;
    if (memcmp(bytes, "HTTP/1.1 101 ", 13) != 0)
        fail_msg("no WebSocket: %.*s", (int)size, (const char *)bytes);
    member->state = CROWD_JOINING;
    if (member->crowd->protocol != NULL) {
        member->crowd->protocol->greet(member);
    } else {
        say_hello(member);
    }
    return (size_t)(end - bytes) + 4;
}

static size_t take_one(struct crowd_member *member, const uint8_t *bytes, size_t size,
                       double came_s)
{
    size_t header;
    if (member->state == CROWD_SHAKING) return take_handshake(member, bytes, size);
    size_t taken = whole_frame(bytes, size, &header);
    if (taken > 0) hear_frame(member, bytes[0] & 0x0F, bytes + header, taken - header, came_s);
    return taken;
}

/* Bytes are taken from where they were received, unless a piece of a frame is there from before. */
static void take(struct crowd_member *member, const uint8_t *bytes, size_t size, double came_s)
{
    size_t done = 0, taken;
    bool kept = member->in.size > 0;
    if (kept) {
        assert_int_equal(gz_buffer_append(&member->in, bytes, size), GZ_OK);
        bytes = member->in.data;
        size = member->in.size;
    }
    while (member->state != CROWD_ENDED &&
           (taken = take_one(member, bytes + done, size - done, came_s)) > 0)
        done += taken;
    if (member->state == CROWD_ENDED) return;
    if (kept) {
        memmove(member->in.data, member->in.data + done, size - done);
        gz_buffer_truncate(&member->in, size - done);
    } else if (done < size) {
        assert_int_equal(gz_buffer_append(&member->in, bytes + done, size - done), GZ_OK);
    }
}

/* When the kernel received it: a time measured by that does not include this thread's delays. */
static double stamp_of(struct msghdr *header)
{
    for (struct cmsghdr *control = CMSG_FIRSTHDR(header); control != NULL;
         control = CMSG_NXTHDR(header, control)) {
        if (control->cmsg_level != SOL_SOCKET || control->cmsg_type != SO_TIMESTAMPNS) continue;
        struct timespec stamp;
        memcpy(&stamp, CMSG_DATA(control), sizeof stamp);
        return (double)stamp.tv_sec + (double)stamp.tv_nsec * 1e-9;
    }
    return crowd_unix_s();
}

static void receive(struct crowd_member *member)
{
    char control[256];
    struct iovec piece = {member->crowd->piece, PIECE_BYTES};
    struct msghdr header = {.msg_iov = &piece,
                            .msg_iovlen = 1,
                            .msg_control = control,
                            .msg_controllen = sizeof control};
    ssize_t count = recvmsg(member->socket, &header, 0);
    if (count < 0 && errno == EAGAIN) return;
    if (count <= 0) {
        crowd_leave(member);
    } else {
        take(member, piece.iov_base, (size_t)count, stamp_of(&header));
    }
}

/* ---- the loop ---- */

static void step(struct crowd *crowd, double wait_s)
{
    struct epoll_event events[EVENTS];
    const struct timespec wait = {0, (long)(wait_s * 1e9)};
    int count = epoll_pwait2(crowd->epoll, events, EVENTS, &wait, NULL);
    for (int i = 0; i < count; i++) {
        struct crowd_member *member = events[i].data.ptr;
        if (member->state == CROWD_CONNECTING && (events[i].events & EPOLLOUT)) {
            shake_hands(member);
        } else if (events[i].events & EPOLLOUT) {
            flush(member);
        }
        /* A stalled member ignores its socket. */
        bool broken = (events[i].events & (EPOLLERR | EPOLLHUP)) != 0;
        if (member->state != CROWD_ENDED && !member->stalled &&
            ((events[i].events & EPOLLIN) || broken))
            receive(member);
    }
}

bool crowd_until(struct crowd *crowd, bool (*is_done)(void *context), void *context, double seconds)
{
    double end_s = crowd_unix_s() + seconds;
    while (!is_done(context)) {
        double left_s = end_s - crowd_unix_s();
        if (left_s <= 0) return false;
        step(crowd, fmin(left_s, LOOK_S));
    }
    return true;
}

static bool is_never(void *context)
{
    (void)context;
    return false;
}

void crowd_run(struct crowd *crowd, double seconds)
{
    (void)crowd_until(crowd, is_never, NULL, seconds);
}

struct gathering {
    const struct crowd *crowd;
    size_t progress; /* states that the members went through, and frames that they heard */
    double patience_s, until_s;
};

static bool is_gathered(void *context)
{
    struct gathering *gathering = context;
    const struct crowd *crowd = gathering->crowd;
    size_t progress = 0;
    for (const struct crowd_member *member = crowd->members; member != NULL; member = member->next)
        progress += (size_t)member->state + member->frames;
    if (progress != gathering->progress)
        gathering->until_s = crowd_unix_s() + gathering->patience_s;
    gathering->progress = progress;
    return crowd_count(crowd, CROWD_JOINED) + crowd_count(crowd, CROWD_ENDED) == crowd->count ||
           crowd_unix_s() > gathering->until_s;
}

size_t crowd_gather(struct crowd *crowd, double seconds)
{
    struct gathering gathering = {crowd, 0, seconds, crowd_unix_s() + seconds};
    (void)crowd_until(crowd, is_gathered, &gathering, INFINITY);
    return crowd_count(crowd, CROWD_JOINED);
}
