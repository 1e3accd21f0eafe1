/* When a connection is looked at, pinged and ended, with a clock that is moved by hand: sessions of
 * a real core, on wires that only count. */
#include <stdlib.h>
#include <string.h>

#include "core/session.h"
#include "link/relay.h"
#include "server/maxima.h"
#include "support/cmocka.h"
#include "support/core_host.h"

#define PING_S GZ_PING_SECONDS
#define SILENCE_S (3 * PING_S)
#define SWEEP_S 0.25
/* A look comes at most so much later than it is due. */
#define LATE_S (2 * SWEEP_S)
/* Then a viewer that only answers has been pinged four times, and is quiet. */
#define QUIET_S 66

/* ---- a wire that counts ---- */

struct end {
    struct gz_wire wire; /* first */
    struct gz_arrival arrival;
    struct gz_connection connection;
    size_t pings, kills;
    bool is_full; /* it takes no frame, after the one that fills it */
};

static struct end *end_of(const struct gz_wire *wire)
{
    return (struct end *)wire;
}

static bool write_frame(struct gz_wire *wire, struct gz_bytes *frame)
{
    end_of(wire)->pings += gz_bytes_first(frame) == GZ_FRAME_PING_FIRST;
    return true;
}

static bool write_close(struct gz_wire *wire, int code, const char *words)
{
    (void)wire, (void)code, (void)words;
    return true;
}

static bool is_free(const struct gz_wire *wire)
{
    return !end_of(wire)->is_full;
}

static uint64_t taken_bytes(const struct gz_wire *wire)
{
    (void)wire;
    return 0;
}

static void do_nothing(struct gz_wire *wire)
{
    (void)wire;
}

static bool is_paused(const struct gz_wire *wire)
{
    (void)wire;
    return false;
}

static void kill_end(struct gz_wire *wire)
{
    end_of(wire)->kills++;
}

#define KIND(tended)                                                                               \
    {                                                                                              \
        .is_tended = (tended), .write = write_frame, .write_close = write_close,                   \
        .is_free = is_free, .taken_bytes = taken_bytes, .pause = do_nothing, .resume = do_nothing, \
        .is_paused = is_paused, .end_writing = do_nothing, .kill = kill_end                        \
    }
static const struct gz_wire_kind counted = KIND(false), tended = KIND(true);

/* ---- a net ---- */

struct stage {
    struct host host;
    struct gz_net net;
    struct gz_net_scene scene;
    double now_s;
};

static void begin(struct stage *stage)
{
    static _Atomic uint64_t errors[GZ_STATUS_COUNT];
    memset(stage, 0, sizeof *stage);
    host_init(&stage->host);
    stage->net.ping_s = PING_S;
    stage->net.silence_s = SILENCE_S;
    stage->net.host.errors = errors;
    gz_peers_init(&stage->net.peers, 1, 0);
    stage->scene.core = stage->host.core;
    stage->net.scenes = &stage->scene;
}

static void set_clock(struct stage *stage, double now_s)
{
    stage->now_s = now_s;
    stage->net.awake = (struct gz_awake){now_s, gz_clock_mono_s()};
}

static struct end *connect_end(struct stage *stage, const struct gz_wire_kind *kind)
{
    struct end *end = calloc(1, sizeof *end);
    assert_non_null(end);
    end->wire = (struct gz_wire){kind, &end->arrival};
    gz_peer_enter(&stage->net.peers, &end->arrival.peer);
    stage->net.session_count++;
    gz_connection_begin(&end->connection, &stage->net, &end->wire);
    return end;
}

/* One that has joined. */
static struct end *enter(struct stage *stage, const struct gz_wire_kind *kind)
{
    struct end *end = connect_end(stage, kind);
    end->connection.session = client_join(&stage->host, "anna", GZ_ROLE_VIEWER)->session;
    gz_connection_move(&end->connection, &stage->scene);
    return end;
}

static void leave(struct stage *stage, struct end *end)
{
    end->connection.session = NULL; /* it stays the host's */
    gz_connection_finish(&end->connection);
    gz_peer_leave(&stage->net.peers, &end->arrival.peer);
    free(end);
}

static void sweep(struct stage *stage)
{
    set_clock(stage, stage->now_s + SWEEP_S);
    gz_alive_sweep(&stage->net);
}

static void hear(struct end *end, uint8_t first)
{
    uint8_t frame[6] = {first, 0x80};
    assert_int_equal(gz_connection_take(&end->connection, frame, sizeof frame), sizeof frame);
}

/* Sweeps until then; each ping is answered. Returns how many looks were planned. */
static size_t wait_until(struct stage *stage, struct end *end, double until_s)
{
    size_t plans = 0;
    while (stage->now_s < until_s) {
        const uint64_t slot = end->connection.look.slot;
        const size_t pings = end->pings;
        sweep(stage);
        if (end->pings > pings) hear(end, GZ_FRAME_PONG_FIRST);
        plans += end->connection.look.slot != slot;
    }
    return plans;
}

/* ---- tests ---- */

TEST(test_alive_looks_at_a_quiet_one_when_its_ping_is_due)
{
    static const double due_s[] = {5, 15, 35, 63, 91, 119};
    enum { COUNT = sizeof due_s / sizeof due_s[0] };
    struct stage stage;
    begin(&stage);
    struct end *end = enter(&stage, &counted);
    size_t plans = 0;
    for (size_t i = 0; i < COUNT; i++) {
        plans += wait_until(&stage, end, due_s[i] - SWEEP_S);
        assert_int_equal(end->pings, i);
        plans += wait_until(&stage, end, due_s[i] + (double)(i + 1) * LATE_S);
        assert_int_equal(end->pings, i + 1);
    }
    assert_true(plans <= COUNT + 1); /* the first look, and one for each ping */
    leave(&stage, end);
    host_finish(&stage.host);
}

/* The authority says of the clients of an edge which of them only watch; the others may hold
 * nodes. */
TEST(test_alive_pings_a_relayed_one_less_often_if_it_only_watches)
{
    struct stage stage;
    struct gz_relay relay = {.connection = NULL};
    for (int is_grouped = 0; is_grouped < 2; is_grouped++) {
        begin(&stage);
        struct end *end = connect_end(&stage, &counted);
        end->connection.relay = &relay;
        end->connection.only_watches = is_grouped;
        (void)wait_until(&stage, end, QUIET_S);
        if (is_grouped)
            assert_int_equal(end->pings, 4);
        else
            assert_in_range(end->pings, 12, 13);
        end->connection.relay = NULL;
        leave(&stage, end);
        host_finish(&stage.host);
    }
}

/* The pings of a client are a sign of life as well: while they come, it is not pinged. */
TEST(test_alive_does_not_ping_one_that_pings)
{
    struct stage stage;
    begin(&stage);
    struct end *end = enter(&stage, &counted);
    (void)wait_until(&stage, end, QUIET_S);
    const size_t pings = end->pings;
    for (int i = 1; i <= 4; i++) {
        (void)wait_until(&stage, end, QUIET_S + 25 * i);
        hear(end, GZ_FRAME_PING_FIRST);
    }
    assert_int_equal(end->pings, pings);
    leave(&stage, end);
    host_finish(&stage.host);
}

/* Its next ping was to come 28 seconds after the last one. */
TEST(test_alive_pings_one_that_was_quiet_and_says_something)
{
    struct stage stage;
    begin(&stage);
    struct end *end = enter(&stage, &counted);
    (void)wait_until(&stage, end, QUIET_S);
    const size_t pings = end->pings;
    hear(end, GZ_FRAME_PING_FIRST);
    (void)wait_until(&stage, end, stage.now_s + PING_S + 2 * LATE_S);
    assert_int_equal(end->pings, pings + 1);
    leave(&stage, end);
    host_finish(&stage.host);
}

TEST(test_alive_ends_a_quiet_one_that_takes_nothing_more)
{
    struct stage stage;
    begin(&stage);
    struct end *end = enter(&stage, &counted);
    (void)wait_until(&stage, end, QUIET_S);
    struct gz_bytes *frame = gz_bytes_copy(GZ_FRAME_BINARY_FIRST, "x", 1);
    assert_non_null(frame);
    end->is_full = true;
    gz_connection_write(&end->connection, frame);
    gz_bytes_release(frame);
    (void)wait_until(&stage, end, stage.now_s + SILENCE_S + 1);
    assert_int_equal(end->connection.end, LWS_CLOSE_STATUS_GOINGAWAY);
    leave(&stage, end);
    host_finish(&stage.host);
}

/* Neither a connection that is to end, nor one whose session ended but whose wire is full, has to
 * wait for its next ping. The clients of other members are not looked at before. */
static void expect_end(const struct gz_wire_kind *kind, bool is_by_session)
{
    struct stage stage;
    begin(&stage);
    struct end *end = enter(&stage, kind);
    (void)wait_until(&stage, end, QUIET_S);
    assert_int_equal(end->connection.look.hook == NULL, kind == &tended);
    end->is_full = true;
    if (is_by_session) {
        gz_session_end(end->connection.session, "the test ends it");
        gz_connection_flush(&end->connection, gz_clock_now());
    } else {
        gz_connection_end(&end->connection, LWS_CLOSE_STATUS_NORMAL);
    }
    (void)wait_until(&stage, end, stage.now_s + 2 * GZ_FAREWELL_SECONDS + 4);
    assert_true(end->kills > 0);
    leave(&stage, end);
    host_finish(&stage.host);
}

TEST(test_alive_ends_what_does_not_end_by_itself)
{
    expect_end(&counted, false);
    expect_end(&counted, true);
    expect_end(&tended, false);
    expect_end(&tended, true);
}

/* What it says instead does not put the look off. */
TEST(test_alive_ends_one_that_says_no_hello)
{
    struct stage stage;
    begin(&stage);
    struct end *end = connect_end(&stage, &counted);
    while (stage.now_s < GZ_HELLO_SECONDS_MAX + 2) {
        sweep(&stage);
        hear(end, GZ_FRAME_PONG_FIRST);
    }
    assert_int_equal(end->connection.end, LWS_CLOSE_STATUS_POLICY_VIOLATION);
    leave(&stage, end);
    host_finish(&stage.host);
}

/* All are due at once. */
TEST(test_alive_pings_many_in_parts)
{
    enum { MANY = 100, PART = MANY / 4 + 1 };
    struct stage stage;
    struct end *ends[MANY];
    begin(&stage);
    for (int i = 0; i < MANY; i++) ends[i] = enter(&stage, &counted);
    size_t all = 0;
    while (stage.now_s < PING_S + 2) {
        size_t pings = 0;
        sweep(&stage);
        for (int i = 0; i < MANY; i++) pings += ends[i]->pings;
        assert_true(pings - all <= PART);
        all = pings;
    }
    assert_int_equal(all, MANY);
    for (int i = 0; i < MANY; i++) leave(&stage, ends[i]);
    host_finish(&stage.host);
}

/* How much of the time counts if each sweep comes after so many seconds. */
static double counted_s(double seconds, int sweeps)
{
    struct gz_awake awake = {0, 1000};
    for (int i = 1; i <= sweeps; i++) gz_awake_sweep(&awake, 1000 + i * seconds);
    return awake.counted_s;
}

/* A loop that waits for its processor blames nobody; one that is on time finds a frozen member when
 * its lease is over, and one that is late by half finds it within 8 s. */
TEST(test_only_time_until_a_sweep_was_due_counts)
{
    const double due_s = GZ_AWAKE_SWEEP_MS * 1e-3, late_s = 1.5 * due_s;
    const int sweeps = (int)(GZ_TRUNK_SILENCE_SECONDS / due_s);
    assert_true(counted_s(due_s, sweeps) == GZ_TRUNK_SILENCE_SECONDS);
    assert_true(counted_s(due_s / 4, 4 * sweeps) == GZ_TRUNK_SILENCE_SECONDS);
    assert_true(counted_s(late_s, sweeps) == GZ_TRUNK_SILENCE_SECONDS);
    assert_true(sweeps * late_s <= 8);
    assert_true(counted_s(2 * due_s, sweeps / 2) <= GZ_TRUNK_SILENCE_SECONDS / 2.0);
    assert_true(counted_s(5, 1) == due_s);
    assert_true(counted_s(3600, 1) == due_s);
}

/* A worker has the core: nothing is read, which is nobody's silence. */
TEST(test_alive_excuses_those_in_a_scene_that_is_lent)
{
    struct stage stage;
    begin(&stage);
    struct end *end = enter(&stage, &counted);
    stage.scene.is_lent = true;
    while (stage.now_s < 4 * SILENCE_S) sweep(&stage);
    assert_int_equal(end->pings, 0);
    stage.scene.is_lent = false;
    (void)wait_until(&stage, end, stage.now_s + PING_S + 2);
    assert_int_equal(end->connection.end, 0);
    assert_int_equal(end->pings, 1);
    leave(&stage, end);
    host_finish(&stage.host);
}
