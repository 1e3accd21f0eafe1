/* A restart begins an epoch; resume is exact where everything seen was saved, else a snapshot;
 * never a guess. What was saved of an epoch is read from the scene's file. */
#include <stdio.h>
#include <unistd.h>

#include "dump.h"
#include "file.h"
#include "proto/limits.h"
#include "server/scenario/stage.h"
#include "support/raw_ws.h"

#define SCENE "arm"
#define ENDS 5
#define KILLS_MAX 200 /* until both outcomes were seen; a few do */

static struct scene_file *open_file(const struct stage *stage)
{
    char path[160];
    snprintf(path, sizeof path, "%s/%s.db", stage->daemon.data, SCENE);
    return file_open(path);
}

static void assert_has_the_file(const struct gz_client *client, struct scene_file *file)
{
    char *text = NULL, *truth = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    dump_mirror(out, gz_client_mirror(client));
    fclose(out);
    out = open_memstream(&truth, &size);
    file_dump(out, file);
    fclose(out);
    assert_string_equal(text, truth);
    free(text);
    free(truth);
}

static void await_saved(struct gz_client *client)
{
    while (gz_client_saved(client) < gz_mirror_seq(gz_client_mirror(client)))
        if (gz_client_next(client, STAGE_SECONDS) == NULL)
            fail_msg("not saved: %s", gz_client_reason(client));
}

static void begin_drag(struct gz_client *client, uint64_t node)
{
    stage_ask(client, message_camera((gz_vec3){0, 0, 10}, (gz_vec3){0, 0, 0}));
    stage_ask(client, message_grab(&node, GZ_TX, 960, 540));
}

static void drag(struct gz_client *client, double x)
{
    struct gz_message move = message_pointer(GZ_PHASE_MOVE, x, 540);
    struct gz_error error = {0};
    stage_check(gz_client_send(client, &move, NULL, &error), &error, "move");
    stage_check(gz_client_flush(client, STAGE_SECONDS, &error), &error, "move");
}

static void reconnect(struct gz_client *client)
{
    struct gz_error error = {0};
    stage_check(gz_client_reconnect(client, &error), &error, "coming back");
}

/* ---- ended in order ---- */

/* In mid-drag: what was seen last was not saved yet when the daemon was asked to end. */
TEST_ON_STAGE(test_epoch_that_ended_in_order_is_resumed_exactly)
{
    struct stage *stage = *state;
    struct gz_client *anna = stage_join(stage, SCENE, "anna"),
                     *wes = stage_join(stage, SCENE, "wes");
    struct scene_file *file = open_file(stage);
    uint64_t node = stage_create(anna, "hand", 0, (gz_vec3){0, 0, 0});
    for (int end = 0; end < ENDS; end++) {
        begin_drag(anna, node);
        for (int i = 1; i < 20; i++) drag(anna, 960 + i + end);
        test_daemon_ask_to_end(&stage->daemon);
        while (gz_client_next(anna, STAGE_SECONDS) != NULL) continue;
        while (gz_client_next(wes, STAGE_SECONDS) != NULL) continue;
        test_daemon_end(&stage->daemon);
        uint64_t epoch = gz_client_welcome(wes)->epoch, seq = gz_mirror_seq(gz_client_mirror(wes));
        test_daemon_start(&stage->daemon, NULL, NULL);
        reconnect(wes);
        reconnect(anna);
        assert_true(gz_client_welcome(wes)->resumed && gz_client_welcome(anna)->resumed);
        assert_true(gz_client_welcome(wes)->epoch > epoch);
        const struct gz_message *delta = gz_client_next(wes, STAGE_SECONDS);
        assert_true(delta != NULL && delta->op == GZ_OP_DELTA);
        assert_int_equal(delta->delta.from, seq);
        assert_has_the_file(wes, file);
    }
    file_close(file);
}

/* ---- killed ---- */

/* Killed at any moment of a drag, the client having read what was there: whether that was saved,
 * only the file knows. */
TEST_ON_STAGE(test_epoch_that_crashed_is_resumed_where_all_that_was_seen_was_saved)
{
    struct stage *stage = *state;
    struct gz_client *anna = stage_join(stage, SCENE, "anna");
    struct scene_file *file = open_file(stage);
    uint64_t node = stage_create(anna, "hand", 0, (gz_vec3){0, 0, 0});
    int resumed = 0, anew = 0;
    for (int kills = 0; kills < KILLS_MAX && (resumed == 0 || anew == 0); kills++) {
        await_saved(anna);
        begin_drag(anna, node);
        for (int i = 1; i < 5 + kills % 7; i++) {
            drag(anna, 960 + i + kills % 50);
            while (gz_client_next(anna, 0.002) != NULL) continue;
        }
        if (kills % 2 == 1) await_saved(anna);
        test_daemon_kill(&stage->daemon);
        uint64_t seen = gz_mirror_seq(gz_client_mirror(anna));
        test_daemon_start(&stage->daemon, NULL, NULL);
        reconnect(anna);
        uint64_t saved =
            file_integer(file, "SELECT began_seq FROM epochs ORDER BY epoch DESC LIMIT 1");
        assert_int_equal(gz_client_welcome(anna)->resumed, seen <= saved);
        const struct gz_message *delta = gz_client_next(anna, STAGE_SECONDS);
        assert_true(delta != NULL && delta->op == GZ_OP_DELTA);
        assert_int_equal(delta->delta.from, seen <= saved ? seen : 0);
        assert_has_the_file(anna, file);
        resumed += seen <= saved;
        anew += seen > saved;
    }
    assert_true(resumed > 0 && anew > 0);
    file_close(file);
}

/* ---- claims ---- */

/* Joins with this claim; the seq that the first delta is from. */
static uint64_t claim(int port, uint64_t epoch, uint64_t seq, bool *resumed)
{
    static struct raw_frame frame;
    struct gz_arena arena;
    struct gz_message message, hello = {.op = GZ_OP_HELLO, .has = GZ_HAS_HELLO_RESUME};
    hello.hello = (struct gz_hello){.v = GZ_PROTOCOL_VERSION,
                                    .scene = gz_client_text(SCENE),
                                    .user = gz_client_text("claus"),
                                    .resume_epoch = epoch,
                                    .resume_seq = seq};
    int socket = raw_open(port);
    assert_true(raw_send_message(socket, &hello));
    gz_arena_init(&arena, 0);
    assert_true(raw_read_message(socket, GZ_OP_WELCOME, &frame, &arena, &message));
    *resumed = message.welcome.resumed;
    assert_true(raw_read_on(socket, GZ_OP_DELTA, &frame, &arena, &message));
    gz_arena_finish(&arena);
    close(socket);
    return message.delta.from;
}

TEST_ON_STAGE(test_epoch_claims_that_cannot_be_start_from_0)
{
    struct stage *stage = *state;
    struct gz_client *anna = stage_join(stage, SCENE, "anna");
    uint64_t node = stage_create(anna, "hand", 0, (gz_vec3){0, 0, 0});
    uint64_t first = gz_client_welcome(anna)->epoch, last = gz_mirror_seq(gz_client_mirror(anna));
    test_daemon_kill(&stage->daemon);
    test_daemon_start(&stage->daemon, NULL, NULL);
    reconnect(anna);
    struct gz_set_node set = {.has = GZ_HAS_SET_NODE_T, .id = node, .trs.t = {1, 2, 3}};
    uint64_t now = stage_ask(anna, message_set_t(&set))->ok.seq,
             epoch = gz_client_welcome(anna)->epoch;
    const struct {
        uint64_t epoch, seq;
        bool exact;
    } claims[] = {
        {epoch, now, true},
        {epoch, now + 1, false}, /* the future */
        {epoch, GZ_ID_LIMIT - 1, false},
        {epoch, 0, false}, /* nothing is no state */
        {first, last, true},
        {first, last + 1, false}, /* there now, but of the other epoch */
        {first, now, false},
        {first - 1, 1, false}, /* epochs that never were */
        {epoch + 1, now, false},
        {0, now, false},
        {GZ_ID_LIMIT - 1, now, false},
    };
    for (size_t i = 0; i < sizeof claims / sizeof claims[0]; i++) {
        bool resumed;
        uint64_t from = claim(stage->daemon.port, claims[i].epoch, claims[i].seq, &resumed);
        if (resumed != claims[i].exact || from != (claims[i].exact ? claims[i].seq : 0))
            fail_msg("claim %zu: %s, from %llu", i, resumed ? "resumed" : "anew",
                     (unsigned long long)from);
    }
}
