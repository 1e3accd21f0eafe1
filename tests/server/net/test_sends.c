/* Sends of many sockets together: as the kernel has it, which may give a ring; where a ring takes
 * nothing; and where there is none. */
#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "conn/stream.h"
#include "server/maxima.h"
#include "support/cmocka.h"

/* More than leave together. */
#define PAIRS (3 * GZ_SENDS_MAX / 2)
#define PAIR_BYTES 100

/* A connection: both ends, and what is known of the send. */
struct pair {
    int ends[2];
    size_t calls, size, rest;
    uint8_t bytes[GZ_SEND_BYTES_MAX]; /* that are sent */
};

struct stage {
    struct gz_send_batch *sends;
    struct pair pairs[PAIRS];
};

static void note(void *context, size_t sent)
{
    struct pair *pair = context;
    pair->calls++;
    pair->rest = pair->size - sent;
}

static void open_stage(struct stage *s)
{
    *s = (struct stage){.sends = gz_send_batch_create(note)};
    assert_non_null(s->sends);
    for (size_t i = 0; i < PAIRS; i++)
        assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, s->pairs[i].ends), 0);
}

static void close_stage(struct stage *s)
{
    gz_send_batch_destroy(s->sends);
    for (size_t i = 0; i < PAIRS; i++) close(s->pairs[i].ends[0]), close(s->pairs[i].ends[1]);
}

/* Adds the pair's first bytes. */
static void add(struct stage *s, size_t i, size_t size)
{
    struct pair *pair = &s->pairs[i];
    pair->size = size;
    assert_true(gz_send_batch_add(s->sends, pair->ends[0], pair->bytes, size, pair));
}

static void add_own(struct stage *s, size_t i)
{
    memset(s->pairs[i].bytes, (int)i, PAIR_BYTES);
    add(s, i, PAIR_BYTES);
}

static void assert_has_own(struct stage *s, size_t i)
{
    uint8_t bytes[PAIR_BYTES + 1];
    assert_int_equal(recv(s->pairs[i].ends[1], bytes, sizeof bytes, 0), PAIR_BYTES);
    for (size_t k = 0; k < PAIR_BYTES; k++) assert_int_equal(bytes[k], (uint8_t)i);
    assert_int_equal(s->pairs[i].calls, 1);
    assert_int_equal(s->pairs[i].rest, 0);
}

TEST(test_sends_reach_each_socket_once)
{
    static struct stage s;
    open_stage(&s);
    for (size_t i = 0; i < PAIRS; i++) add_own(&s, i);
    gz_send_batch_go(s.sends);
    gz_send_batch_go(s.sends); /* nothing is left */
    for (size_t i = 0; i < PAIRS; i++) assert_has_own(&s, i);
    close_stage(&s);
}

TEST(test_sends_wait)
{
    static struct stage s;
    uint8_t bytes[2];
    open_stage(&s);
    for (size_t i = 0; i < 2; i++) {
        s.pairs[i].bytes[0] = 7;
        add(&s, i, 1);
    }
    assert_int_equal(recv(s.pairs[0].ends[1], bytes, 1, 0), -1);
    gz_send_batch_go(s.sends);
    for (size_t i = 0; i < 2; i++) {
        assert_int_equal(recv(s.pairs[i].ends[1], bytes, sizeof bytes, 0), 1);
        assert_int_equal(bytes[0], 7);
    }
    close_stage(&s);
}

/* The bytes of a long stream, each different from those around it. */
static uint8_t byte_at(size_t place)
{
    return (uint8_t)(place % 251);
}

/* Adds to a socket, together with others, until it is full; returns how many bytes it has taken. */
static size_t fill(struct stage *s, size_t i)
{
    struct pair *pair = &s->pairs[i];
    uint8_t bytes[PAIR_BYTES];
    size_t taken = 0;
    while (pair->rest == 0) {
        for (size_t k = 0; k < sizeof pair->bytes; k++) pair->bytes[k] = byte_at(taken + k);
        add(s, i, sizeof pair->bytes);
        add_own(s, i + 1);
        gz_send_batch_go(s->sends);
        assert_int_equal(recv(s->pairs[i + 1].ends[1], bytes, PAIR_BYTES, 0), PAIR_BYTES);
        taken += sizeof pair->bytes - pair->rest;
    }
    return taken;
}

/* A TCP socket, unlike one of this machine alone, takes a part. */
static void connect_by_tcp(int ends[2])
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t size = sizeof address;
    const int listener = socket(AF_INET, SOCK_STREAM, 0);
    close(ends[0]), close(ends[1]);
    assert_int_equal(bind(listener, (struct sockaddr *)&address, size), 0);
    assert_int_equal(listen(listener, 1), 0);
    assert_int_equal(getsockname(listener, (struct sockaddr *)&address, &size), 0);
    ends[0] = socket(AF_INET, SOCK_STREAM, 0);
    assert_int_equal(connect(ends[0], (struct sockaddr *)&address, size), 0);
    assert_int_equal(fcntl(ends[0], F_SETFL, O_NONBLOCK), 0);
    ends[1] = accept4(listener, NULL, NULL, SOCK_NONBLOCK);
    assert_true(ends[1] >= 0);
    close(listener);
}

TEST(test_sends_tell_the_rest_of_a_full_socket)
{
    static struct stage s;
    uint8_t bytes[1000];
    size_t came = 0;
    open_stage(&s);
    connect_by_tcp(s.pairs[0].ends);
    const size_t taken = fill(&s, 0);
    assert_in_range(s.pairs[0].rest, 1, GZ_SEND_BYTES_MAX);
    for (ssize_t count; (count = recv(s.pairs[0].ends[1], bytes, sizeof bytes, 0)) > 0;)
        for (ssize_t k = 0; k < count; k++, came++) assert_int_equal(bytes[k], byte_at(came));
    assert_int_equal(came, taken);
    close_stage(&s);
}

/* Without a signal that ends the program. */
TEST(test_sends_to_broken_sockets_leave_all_and_harm_no_other)
{
    static struct stage s;
    open_stage(&s);
    for (size_t i = 0; i < PAIRS; i += 2) shutdown(s.pairs[i].ends[1], SHUT_RDWR);
    for (size_t i = 0; i < PAIRS; i++) add_own(&s, i);
    gz_send_batch_go(s.sends);
    for (size_t i = 0; i < PAIRS; i++) {
        if (i % 2 == 1)
            assert_has_own(&s, i);
        else
            assert_int_equal(s.pairs[i].rest, PAIR_BYTES);
    }
    close_stage(&s);
}

TEST(test_sends_take_bytes_up_to_a_size)
{
    static const uint8_t bytes[GZ_SEND_BYTES_MAX + 1];
    static struct stage s;
    open_stage(&s);
    assert_false(gz_send_batch_add(s.sends, s.pairs[0].ends[0], bytes, sizeof bytes, &s.pairs[0]));
    for (size_t i = 0; i <= GZ_SENDS_MAX; i++) add(&s, i, GZ_SEND_BYTES_MAX);
    assert_int_equal(s.pairs[GZ_SENDS_MAX - 1].calls, 1); /* they made room */
    assert_int_equal(s.pairs[GZ_SENDS_MAX].calls, 0);
    gz_send_batch_go(s.sends); /* one alone */
    assert_int_equal(s.pairs[GZ_SENDS_MAX].calls, 1);
    assert_int_equal(s.pairs[GZ_SENDS_MAX].rest, 0);
    close_stage(&s);
}

/* From now on, as the profiles of many containers do. */
static void refuse(unsigned call)
{
    struct sock_filter lines[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, call, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)};
    const struct sock_fprog program = {sizeof lines / sizeof *lines, lines};
    assert_int_equal(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0), 0);
    assert_int_equal(prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program), 0);
}

static int find_no_ring(void **state)
{
    struct gz_send_batch *sends = gz_send_batch_create(note);
    const bool has_ring = sends == NULL || gz_send_batch_has_ring(sends);
    (void)state;
    gz_send_batch_destroy(sends);
    return has_ring ? -1 : 0;
}

int main(void)
{
    int failed = test_run(NULL, NULL);
    refuse(SYS_io_uring_enter);
    failed += test_run(NULL, NULL);
    refuse(SYS_io_uring_setup);
    return failed + test_run(find_no_ring, NULL);
}
