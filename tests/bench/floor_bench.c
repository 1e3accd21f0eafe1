/* floor_bench - what a change costs until viewers have it, beside the least that it can cost.
 *
 * floor_bench [-r ROUNDS] [-s SECONDS] [-w WORDS] GIZMOD...
 * floor_bench -q SECONDS GIZMOD...     viewers that only answer pings, without the floor
 * floor_bench -f     is the floor alone, and says where it listens
 *
 * Each GIZMOD is a daemon's binary. Beside them runs `floor`: a bare server on epoll that speaks
 * the same handshake, reads what came, and at once sends each viewer one frame with a delta that
 * was encoded for all. In each row so many viewers watch so many editors, each of whom drags a node
 * 60 times a second. Printed are the medians of the rounds, in which the servers take turns: the
 * wait from the send of a pointer to the moment at which the kernel of a viewer had the delta that
 * shows it (the socket's own time stamp), the processor time of the server, all threads, for each
 * change that reached a viewer, and the frames that a viewer was sent for each change. At last the
 * round trip of one pointer at a time, with and without a pause before the next one. WORDS chooses
 * rows that have them in their name. */
#include <errno.h>
#include <math.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "support/cmocka.h"

#include "bench/drags.h"
#include "bench/process.h"
#include "bench/quantile.h"
#include "proto/limits.h"
#include "server/maxima.h"
#include "support/crowd.h"
#include "support/daemon.h"

#define SCENE "floor"
#define EDITORS_MAX 16
#define MOVES_PER_S 60
#define SETTLE_SECONDS 1.0
#define PATIENCE_S 120.0
#define ROUNDS_MAX 25
#define SERVERS_MAX 8
#define TRIPS 300
#define TRIP_PAUSE_S 0.005
#define QUIET_PING_S ((double)GZ_QUIET_SECONDS)

/* ---- the floor ---- */

#define FLOOR_CONNECTIONS 8192
#define FLOOR_BYTES 4096

/* A connection of the floor: what came and is not whole yet, and who it is. */
struct guest {
    uint8_t in[FLOOR_BYTES];
    size_t size;
    bool is_joined;
    uint64_t n; /* of its last pointer, 0 if viewers have it */
    uint64_t node;
    double x; /* where the pointer has that node */
};

static struct guest *guests[FLOOR_CONNECTIONS]; /* by their sockets */
static uint64_t floor_seq;
static double floor_x[EDITORS_MAX]; /* of the nodes, where they began; the first one's id is 1 */

static void send_message(int socket, const struct gz_message *messages, size_t count)
{
    struct gz_buffer frame;
    gz_buffer_init(&frame, SIZE_MAX / 2, 4);
    for (size_t i = 0; i < count; i++) assert_int_equal(gz_encode(&frame, &messages[i]), GZ_OK);
    uint8_t *at = frame.data;
    size_t header = frame.size < 126 ? 2 : 4;
    at -= header;
    at[0] = 0x82;
    at[1] = header == 2 ? (uint8_t)frame.size : 126;
    if (header == 4) at[2] = (uint8_t)(frame.size >> 8), at[3] = (uint8_t)frame.size;
    if (socket >= 0) (void)!send(socket, at, frame.size + header, MSG_NOSIGNAL);
    for (int i = 0; socket < 0 && i < FLOOR_CONNECTIONS; i++)
        if (guests[i] != NULL && guests[i]->is_joined)
            (void)!send(i, at, frame.size + header, MSG_NOSIGNAL);
    gz_buffer_finish(&frame);
}

/* All nodes, for one that joins, or for everybody; to the former behind its welcome. */
static void tell_state(int socket)
{
    struct gz_node_state states[EDITORS_MAX];
    struct gz_message messages[2] = {{.op = GZ_OP_WELCOME}, {.op = GZ_OP_DELTA}};
    for (size_t i = 0; i < EDITORS_MAX; i++)
        states[i] =
            (struct gz_node_state){.has = GZ_HAS_STATE_T, .id = i + 1, .trs.t = {floor_x[i], 0, 0}};
    messages[0].welcome = (struct gz_welcome){.v = GZ_PROTOCOL_VERSION,
                                              .session = (uint64_t)socket,
                                              .scene = {SCENE, strlen(SCENE)},
                                              .epoch = 1,
                                              .role = GZ_ROLE_EDITOR,
                                              .server = {"floor", 5}};
    messages[1].delta = (struct gz_delta){.seq = floor_seq, .nodes = states, .count = EDITORS_MAX};
    send_message(socket, socket < 0 ? messages + 1 : messages, socket < 0 ? 1 : 2);
}

static void shake_hands(int socket)
{
    static const char answer[] =
        "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
        "Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n"
        "Sec-WebSocket-Protocol: " GZ_SUBPROTOCOL "\r\n\r\n";
    (void)!send(socket, answer, sizeof answer - 1, MSG_NOSIGNAL);
}

static void take_message(int socket, struct guest *guest, const struct gz_message *message)
{
    if (message->op == GZ_OP_HELLO) tell_state(socket);
    if (message->op == GZ_OP_HELLO) guest->is_joined = true;
    for (size_t i = 0; message->op == GZ_OP_CREATE && i < message->create.count; i++)
        if (i < EDITORS_MAX) floor_x[i] = message->create.nodes[i].trs.t.x;
    if (message->op == GZ_OP_CREATE) tell_state(-1);
    if (message->op != GZ_OP_GRAB) return;
    guest->n = message->pointer.n;
    guest->node = message->pointer.nodes.ids[0];
    assert_in_range(guest->node, 1, EDITORS_MAX);
    guest->x = floor_x[guest->node - 1] + message->pointer.value.numbers[0];
}

/* Frames of the driver have a mask of zeros and are short. */
static size_t take_frame(int socket, struct guest *guest, const uint8_t *bytes, size_t size)
{
    struct gz_message message;
    struct gz_arena arena;
    struct gz_error error;
    if (size < 6) return 0;
    size_t length = bytes[1] & 0x7F, header = 6;
    if (length == 126) header = 8, length = (size_t)bytes[2] << 8 | bytes[3];
    if (size < header + length) return 0;
    gz_arena_init(&arena, SIZE_MAX / 2);
    for (size_t offset = 0; (bytes[0] & 0x0F) == 2 && offset < length;) {
        if (gz_decode(GZ_FROM_CLIENT, bytes + header, length, &offset, &arena, &message, &error) !=
            GZ_OK)
            break;
        take_message(socket, guest, &message);
    }
    gz_arena_finish(&arena);
    return header + length;
}

static bool read_guest(int socket)
{
    struct guest *guest = guests[socket];
    ssize_t count = recv(socket, guest->in + guest->size, sizeof guest->in - guest->size, 0);
    if (count <= 0) return count < 0 && errno == EAGAIN;
    guest->size += (size_t)count;
    if (guest->in[0] == 'G') {
        if (memmem(guest->in, guest->size, "\r\n\r\n", 4) != NULL) shake_hands(socket);
        guest->size = 0;
        return true;
    }
    size_t done = 0, taken;
    while ((taken = take_frame(socket, guest, guest->in + done, guest->size - done)) > 0)
        done += taken;
    memmove(guest->in, guest->in + done, guest->size -= done);
    return true;
}

/* One node and one acknowledgement for each editor whose pointer came. */
static void tell_all(void)
{
    struct gz_node_state states[EDITORS_MAX];
    struct gz_ack acks[EDITORS_MAX];
    struct gz_message message = {.op = GZ_OP_DELTA};
    struct gz_delta *delta = &message.delta;
    for (int i = 0; i < FLOOR_CONNECTIONS && delta->ack_count < EDITORS_MAX; i++) {
        if (guests[i] == NULL || guests[i]->n == 0) continue;
        acks[delta->ack_count] = (struct gz_ack){(uint64_t)i, guests[i]->n};
        states[delta->ack_count++] = (struct gz_node_state){.has = GZ_HAS_STATE_BY | GZ_HAS_STATE_T,
                                                            .id = guests[i]->node,
                                                            .by = (uint64_t)i,
                                                            .trs.t = {guests[i]->x, 0.2, 0.3}};
        guests[i]->n = 0;
    }
    if (delta->ack_count == 0) return;
    delta->from = floor_seq;
    delta->seq = floor_seq += delta->ack_count;
    delta->time = crowd_unix_s();
    delta->nodes = states;
    delta->count = delta->ack_count;
    delta->acks = acks;
    send_message(-1, &message, 1);
}

static void take_guest(int epoll, int listener)
{
    int on = 1, socket = accept4(listener, NULL, NULL, SOCK_NONBLOCK);
    if (socket < 0) return;
    assert_true(socket < FLOOR_CONNECTIONS);
    guests[socket] = calloc(1, sizeof **guests);
    assert_int_equal(setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on), 0);
    struct epoll_event event = {.events = EPOLLIN, .data.fd = socket};
    assert_int_equal(epoll_ctl(epoll, EPOLL_CTL_ADD, socket, &event), 0);
}

static void run_floor(int listener)
{
    struct epoll_event events[256], event = {.events = EPOLLIN, .data.fd = listener};
    int epoll = epoll_create1(0);
    assert_int_equal(epoll_ctl(epoll, EPOLL_CTL_ADD, listener, &event), 0);
    for (;;) {
        int count = epoll_wait(epoll, events, 256, -1);
        for (int i = 0; i < count; i++) {
            const int socket = events[i].data.fd;
            if (socket == listener) {
                take_guest(epoll, listener);
            } else if (!read_guest(socket)) {
                close(socket);
                free(guests[socket]);
                guests[socket] = NULL;
            }
        }
        tell_all();
    }
}

static int open_floor(int *port)
{
    struct sockaddr_in address = {.sin_family = AF_INET};
    socklen_t size = sizeof address;
    int listener = socket(AF_INET, SOCK_STREAM, 0);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    assert_int_equal(bind(listener, (struct sockaddr *)&address, size), 0);
    assert_int_equal(listen(listener, 4096), 0);
    assert_int_equal(getsockname(listener, (struct sockaddr *)&address, &size), 0);
    *port = ntohs(address.sin_port);
    return listener;
}

static pid_t start_floor(int *port)
{
    int listener = open_floor(port);
    pid_t pid = fork();
    assert_true(pid >= 0);
    if (pid == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        run_floor(listener);
    }
    close(listener);
    return pid;
}

/* ---- a server and its crowd ---- */

struct bench {
    const char *server; /* NULL: the floor */
    struct test_daemon daemon;
    pid_t pid;
    struct crowd crowd;
    struct crowd_member *editors[EDITORS_MAX];
    size_t editor_count, viewer_count;
    uint64_t n[EDITORS_MAX];     /* the last pointer of each */
    double *sent_s[EDITORS_MAX]; /* by n */
    size_t sent_capacity[EDITORS_MAX];
    uint64_t *told; /* by viewer and editor: the last n */
    double *samples;
    size_t sample_count, sample_capacity;
    bool is_measuring;
};

struct result {
    double p50_s, p99_s, cpu_s, frames; /* cpu_s: for a change that reached a viewer */
};

static void add_sample(struct bench *bench, double wait_s)
{
    assert_true(gz_grow(&bench->samples, &bench->sample_capacity, bench->sample_count + 1,
                        sizeof *bench->samples));
    bench->samples[bench->sample_count++] = wait_s;
}

static void hear_ack(struct bench *bench, const struct crowd_member *viewer, struct gz_ack ack,
                     double came_s)
{
    size_t editor = 0;
    while (editor < bench->editor_count && bench->editors[editor]->session != ack.session) editor++;
    if (editor == bench->editor_count) return;
    uint64_t *told = &bench->told[viewer->mark * EDITORS_MAX + editor];
    for (uint64_t n = *told + 1; n <= ack.n && bench->is_measuring; n++)
        add_sample(bench, came_s - bench->sent_s[editor][n]);
    *told = ack.n;
}

static void handle_message(void *context, struct crowd_member *member,
                           const struct gz_message *message, double came_s)
{
    struct bench *bench = context;
    if (message->op != GZ_OP_DELTA || (member->role == GZ_ROLE_EDITOR && bench->viewer_count > 0))
        return;
    for (size_t i = 0; i < message->delta.ack_count; i++)
        hear_ack(bench, member, message->delta.acks[i], came_s);
}

static void move(struct bench *bench, size_t editor)
{
    const uint64_t n = ++bench->n[editor];
    assert_true(
        gz_grow(&bench->sent_s[editor], &bench->sent_capacity[editor], n + 1, sizeof(double)));
    bench->sent_s[editor][n] = crowd_unix_s();
    drags_move(bench->editors[editor], editor + 1, n);
}

static void create_nodes(struct bench *bench)
{
    struct gz_create_node nodes[EDITORS_MAX];
    for (size_t i = 0; i < EDITORS_MAX; i++)
        nodes[i] = (struct gz_create_node){.name = {"node", 4}};
    struct gz_message create = {.op = GZ_OP_CREATE, .create = {nodes, EDITORS_MAX}};
    crowd_send(bench->editors[0], &create);
    crowd_run(&bench->crowd, 0.1);
}

static void start_server(struct bench *bench)
{
    int port;
    if (bench->server == NULL) {
        bench->pid = start_floor(&port);
    } else {
        assert_int_equal(setenv("GIZMOD", bench->server, 1), 0);
        test_daemon_init(&bench->daemon);
        test_daemon_start(&bench->daemon, "--messages-per-s=2000", NULL);
        bench->pid = bench->daemon.pid;
        port = bench->daemon.port;
    }
    crowd_init(&bench->crowd, port);
    bench->crowd.handle = handle_message;
    bench->crowd.context = bench;
}

static size_t frames_heard(const struct bench *bench)
{
    size_t frames = 0;
    for (const struct crowd_member *member = bench->crowd.members; member != NULL;
         member = member->next)
        frames += member->role == GZ_ROLE_VIEWER ? member->frames : 0;
    return frames;
}

/* Until what follows from the joins is heard. */
static void settle(struct bench *bench)
{
    for (size_t before = SIZE_MAX; frames_heard(bench) != before;) {
        before = frames_heard(bench);
        crowd_run(&bench->crowd, 0.5);
    }
}

static void open_bench(struct bench *bench, const char *server, size_t viewers, size_t editors)
{
    *bench = (struct bench){.server = server, .editor_count = editors};
    start_server(bench);
    for (size_t i = 0; i < editors; i++)
        bench->editors[i] = crowd_enter(&bench->crowd, SCENE, GZ_ROLE_EDITOR, 0);
    assert_int_equal(crowd_gather(&bench->crowd, PATIENCE_S), editors);
    create_nodes(bench);
    bench->viewer_count = viewers;
    bench->told = calloc((viewers + 1) * EDITORS_MAX, sizeof *bench->told);
    for (size_t i = 0; i < viewers; i++)
        crowd_enter(&bench->crowd, SCENE, GZ_ROLE_VIEWER, 0)->mark = i;
    assert_int_equal(crowd_gather(&bench->crowd, PATIENCE_S), viewers + editors);
    for (size_t i = 0; i < editors; i++) drags_look(bench->editors[i]);
    settle(bench);
}

static void close_bench(struct bench *bench)
{
    assert_int_equal(crowd_count(&bench->crowd, CROWD_ENDED), 0);
    crowd_finish(&bench->crowd);
    if (bench->server == NULL) {
        kill(bench->pid, SIGKILL);
        waitpid(bench->pid, NULL, 0);
    } else {
        test_daemon_end(&bench->daemon);
        test_daemon_finish(&bench->daemon);
    }
    for (size_t i = 0; i < EDITORS_MAX; i++) free(bench->sent_s[i]);
    free(bench->samples);
    free(bench->told);
}

/* ---- what is measured ---- */

/* The editors take turns, at an even pace. */
static void move_for(struct bench *bench, double seconds)
{
    const double begin_s = crowd_unix_s(), pace_s = 1.0 / MOVES_PER_S / (double)bench->editor_count;
    for (size_t i = 0; (double)i * pace_s < seconds; i++) {
        move(bench, i % bench->editor_count);
        crowd_run(&bench->crowd, fmax(0, begin_s + (double)(i + 1) * pace_s - crowd_unix_s()));
    }
}

static struct result fan_out(const char *server, size_t viewers, size_t editors, double seconds)
{
    struct bench bench;
    open_bench(&bench, server, viewers, editors);
    move_for(&bench, SETTLE_SECONDS);
    const double before_s = process_cpu_s(bench.pid);
    const size_t frames = frames_heard(&bench);
    bench.is_measuring = true;
    move_for(&bench, seconds);
    const double used_s = process_cpu_s(bench.pid) - before_s;
    bench.is_measuring = false;
    const double changes = (double)bench.sample_count;
    struct result result = {quantile(bench.samples, bench.sample_count, 0.5),
                            quantile(bench.samples, bench.sample_count, 0.99), used_s / changes,
                            (double)(frames_heard(&bench) - frames) / changes};
    close_bench(&bench);
    return result;
}

static bool is_acknowledged(void *context)
{
    const struct bench *bench = context;
    return bench->told[0] == bench->n[0];
}

/* One editor alone hears of its own pointer. */
static struct result round_trip(const char *server, double pause_s)
{
    struct bench bench;
    open_bench(&bench, server, 0, 1);
    bench.is_measuring = true;
    const double before_s = process_cpu_s(bench.pid);
    for (int i = 0; i < TRIPS; i++) {
        move(&bench, 0);
        assert_true(crowd_until(&bench.crowd, is_acknowledged, &bench, PATIENCE_S));
        if (pause_s > 0) crowd_run(&bench.crowd, pause_s);
    }
    const double used_s = process_cpu_s(bench.pid) - before_s;
    struct result result = {quantile(bench.samples, bench.sample_count, 0.5),
                            quantile(bench.samples, bench.sample_count, 0.99), used_s / TRIPS, NAN};
    close_bench(&bench);
    return result;
}

/* ---- viewers that only answer pings ---- */

/* They join during one such time, so that their pings are spread, and after two more all pings are
 * as far apart as they get. */
static void enter_quiet(struct bench *bench)
{
    crowd_leave(bench->editors[0]);
    crowd_disperse(&bench->crowd, NULL);
    const double begin_s = crowd_unix_s(), pace_s = QUIET_PING_S / GZ_SESSIONS_MAX;
    for (size_t i = 1; i <= GZ_SESSIONS_MAX; i++) {
        crowd_enter(&bench->crowd, SCENE, GZ_ROLE_VIEWER, 0);
        crowd_run(&bench->crowd, fmax(0, begin_s + (double)i * pace_s - crowd_unix_s()));
    }
    assert_int_equal(crowd_gather(&bench->crowd, PATIENCE_S), GZ_SESSIONS_MAX);
    crowd_run(&bench->crowd, 3 * QUIET_PING_S);
}

static void bench_quiet(const char *server, double seconds)
{
    struct bench bench;
    open_bench(&bench, server, 0, 1);
    enter_quiet(&bench);
    const double before_s = process_cpu_s(bench.pid);
    crowd_run(&bench.crowd, seconds);
    const double used_s = process_cpu_s(bench.pid) - before_s;
    printf("%d quiet viewers %-28s %.2f ms of a processor in a second\n", GZ_SESSIONS_MAX, server,
           1e3 * used_s / seconds);
    fflush(stdout);
    close_bench(&bench);
}

/* ---- the table ---- */

struct row {
    const char *name;
    size_t viewers, editors;
    double pause_s;
};

static const struct row rows[] = {
    {"100 x 1", 100, 1, 0},
    {"100 x 16", 100, 16, 0},
    {"1000 x 1", 1000, 1, 0},
    {"1000 x 16", 1000, 16, 0},
    {"4980 x 1", 4980, 1, 0},
    {"4980 x 16", 4980, 16, 0},
    {"trip, pauses", 0, 1, TRIP_PAUSE_S},
    {"trip, no pause", 0, 1, 0},
};

static double median_of(const struct result *results, size_t rounds, size_t member)
{
    double values[ROUNDS_MAX];
    for (size_t i = 0; i < rounds; i++)
        memcpy(&values[i], (const char *)&results[i] + member, sizeof values[i]);
    return quantile(values, rounds, 0.5);
}

static void print_row(const struct row *row, const char *server, const struct result *results,
                      size_t rounds)
{
    printf("%-15s %-28s %8.3f %8.3f %9.3f %7.2f\n", row->name, server,
           1e3 * median_of(results, rounds, offsetof(struct result, p50_s)),
           1e3 * median_of(results, rounds, offsetof(struct result, p99_s)),
           1e6 * median_of(results, rounds, offsetof(struct result, cpu_s)),
           median_of(results, rounds, offsetof(struct result, frames)));
    fflush(stdout);
}

/* The servers take turns, round by round. */
static void bench_row(const struct row *row, char **servers, size_t count, size_t rounds,
                      double seconds)
{
    static struct result results[SERVERS_MAX + 1][ROUNDS_MAX];
    for (size_t round = 0; round < rounds; round++) {
        for (size_t i = 0; i <= count; i++)
            results[i][round] =
                row->viewers > 0
                    ? fan_out(i < count ? servers[i] : NULL, row->viewers, row->editors, seconds)
                    : round_trip(i < count ? servers[i] : NULL, row->pause_s);
    }
    for (size_t i = 0; i <= count; i++)
        print_row(row, i < count ? servers[i] : "floor", results[i], rounds);
}

int main(int count, char **arguments)
{
    size_t rounds = 5;
    double seconds = 3, quiet_s = 0;
    const char *words = "";
    for (int port, option; (option = getopt(count, arguments, "fq:r:s:w:")) != -1;) {
        if (option == 'f') {
            const int listener = open_floor(&port);
            printf("listening %d\n", port);
            fflush(stdout);
            run_floor(listener);
        }
        if (option == 'q') quiet_s = strtod(optarg, NULL);
        if (option == 'r') rounds = strtoul(optarg, NULL, 10);
        if (option == 's') seconds = strtod(optarg, NULL);
        if (option == 'w') words = optarg;
    }
    const size_t servers = (size_t)(count - optind);
    if (rounds == 0 || rounds > ROUNDS_MAX || servers > SERVERS_MAX || seconds <= 0) {
        fprintf(stderr,
                "floor_bench [-r ROUNDS] [-s SECONDS] [-w WORDS] GIZMOD..., 1 to %d "
                "rounds, up to %d daemons\n",
                ROUNDS_MAX, SERVERS_MAX);
        return 1;
    }
    for (size_t i = 0; i < servers && quiet_s > 0; i++)
        bench_quiet(arguments[optind + (int)i], quiet_s);
    if (quiet_s > 0) return 0;
    printf("viewers x editors at %d moves a second; medians of %zu rounds of %.0f s\n", MOVES_PER_S,
           rounds, seconds);
    printf("%-15s %-28s %8s %8s %9s %7s\n", "", "", "p50 ms", "p99 ms", "us/change", "frames");
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (strstr(rows[i].name, words) != NULL)
            bench_row(&rows[i], arguments + optind, servers, rounds, seconds);
    return 0;
}
