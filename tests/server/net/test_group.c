/* Clients of a link that only watch: they are in groups, which are looked at once for all of them,
 * and none of them misses anything because of another one. The crowd fails a test if a delta does
 * not begin where its viewer stands. */
#include <stdlib.h>

#include "relay_fixture.h"
#include "server/maxima.h"
#include "support/crowd.h"

#define VIEWERS 24
#define PATIENCE_S 60.0

struct stage {
    char scene[32];
    struct crowd crowd;
    struct crowd_member *editor, *viewers[VIEWERS];
    size_t asked; /* by the editor */
};

static long grouped(void)
{
    return count(&authority, "\ngizmod_trunk_grouped_clients ");
}

static void say(struct stage *stage, const struct gz_message *message)
{
    struct gz_message said = *message;
    said.has |= GZ_HAS_RID;
    said.rid = ++stage->asked;
    crowd_send(stage->editor, &said);
}

static void create(struct stage *stage, size_t nodes)
{
    static char name[GZ_NAME_BYTES_MAX];
    struct gz_create_node made[100];
    assert_true(nodes <= sizeof made / sizeof made[0]);
    memset(name, 'n', sizeof name);
    for (size_t i = 0; i < nodes; i++)
        made[i] = (struct gz_create_node){.name = {name, sizeof name},
                                          .trs = {.r = {0, 0, 0, 1}, .s = {1, 1, 1}}};
    say(stage, &(struct gz_message){.op = GZ_OP_CREATE, .create = {.nodes = made, .count = nodes}});
}

/* In each form. */
static struct crowd_member *enter(struct stage *stage, int number)
{
    struct crowd_member *viewer =
        crowd_enter(&stage->crowd, stage->scene, GZ_ROLE_EDITOR, number == 0 ? 4096 : 0);
    viewer->packed = number % 2 == 0;
    return viewer;
}

static void begin(struct stage *stage)
{
    static int scenes;
    snprintf(stage->scene, sizeof stage->scene, "grouped-%d", ++scenes);
    crowd_init(&stage->crowd, authority.port);
    stage->asked = 0;
    stage->editor = crowd_enter(&stage->crowd, stage->scene, GZ_ROLE_EDITOR, 0);
    assert_int_equal(crowd_gather(&stage->crowd, PATIENCE_S), 1);
    stage->crowd.port = front.port;
    for (int i = 0; i < VIEWERS; i++) stage->viewers[i] = enter(stage, i);
    assert_int_equal(crowd_gather(&stage->crowd, PATIENCE_S), VIEWERS + 1);
}

static bool is_told(void *context)
{
    const struct stage *stage = context;
    const struct crowd_member *member = stage->crowd.members;
    if (stage->editor->oks < stage->asked) return false;
    for (; member != NULL; member = member->next)
        if (member->state == CROWD_JOINED && member->seq != stage->editor->seq) return false;
    return true;
}

/* All that are there come to stand where the scene is. */
static void expect_all_told(struct stage *stage)
{
    create(stage, 1);
    crowd_run(&stage->crowd, 0.2);
    assert_true(crowd_until(&stage->crowd, is_told, stage, PATIENCE_S));
}

/* Each viewer has had so many. */
static void expect_answers(struct stage *stage, size_t wanted)
{
    size_t answered = 0;
    for (int i = 0; i < 300 && answered < VIEWERS; i++) {
        crowd_run(&stage->crowd, 0.1);
        answered = 0;
        for (int j = 0; j < VIEWERS; j++) answered += stage->viewers[j]->oks == wanted;
    }
    assert_int_equal(answered, VIEWERS);
}

/* Changes go on until so many are in groups. */
static void wait_for_groups(struct stage *stage, long wanted)
{
    long now = grouped();
    for (int i = 0; i < 300 && now != wanted; i++, now = grouped()) {
        create(stage, 1);
        crowd_run(&stage->crowd, 0.1);
    }
    if (now != wanted) fail_msg("%ld viewers are in groups, and not %ld", now, wanted);
}

static void end(struct stage *stage)
{
    crowd_finish(&stage->crowd);
    for (int i = 0; i < 1000 && count(&authority, "\ngizmod_trunk_clients ") > 0; i++)
        usleep(10000);
    assert_int_equal(count(&authority, "\ngizmod_trunk_clients "), 0);
    assert_int_equal(grouped(), 0);
}

TEST(test_group_has_all_who_only_watch)
{
    struct stage stage;
    const struct gz_message ping = {.op = GZ_OP_PING, .has = GZ_HAS_RID, .rid = 7};
    begin(&stage);
    wait_for_groups(&stage, VIEWERS);
    expect_all_told(&stage);
    for (int i = 0; i < VIEWERS; i++) {
        crowd_forget(stage.viewers[i]);
        crowd_send(stage.viewers[i], &ping);
        create(&stage, 1);
    }
    expect_all_told(&stage);
    expect_answers(&stage, 1);
    wait_for_groups(&stage, VIEWERS);
    crowd_leave(stage.viewers[VIEWERS - 1]);
    wait_for_groups(&stage, VIEWERS - 1);
    expect_all_told(&stage);
    end(&stage);
}

static bool has_answer(void *context)
{
    return ((const struct crowd_member *)context)->oks > 0;
}

/* Its message is taken where it stands, and not where it stood when it joined the group. */
TEST(test_group_is_left_by_one_that_follows_a_part)
{
    static const uint64_t first = 1;
    struct stage stage;
    begin(&stage);
    struct crowd_member *viewer = stage.viewers[2];
    wait_for_groups(&stage, VIEWERS);
    crowd_forget(viewer);
    crowd_send(viewer, &(struct gz_message){.op = GZ_OP_INTEREST,
                                            .has = GZ_HAS_RID | GZ_HAS_INTEREST_NODES,
                                            .rid = 7,
                                            .interest.nodes = {&first, 1}});
    assert_true(crowd_until(&stage.crowd, has_answer, viewer, PATIENCE_S));
    crowd_run(&stage.crowd, 0.2);
    crowd_forget(viewer);
    wait_for_groups(&stage, VIEWERS - 1);
    create(&stage, 1);
    crowd_run(&stage.crowd, 0.2);
    assert_int_equal(viewer->nodes_max, 0);
    crowd_leave(viewer);
    expect_all_told(&stage);
    end(&stage);
}

/* One that does not read leaves, keeps nobody waiting, and is told all when it reads again. */
TEST(test_group_is_left_by_one_that_does_not_read)
{
    enum { CHANGES = 60, NODES = 20 };
    struct stage stage;
    if (front.tls) skip(); /* a tunnel of TLS holds more than the client's kernel */
    begin(&stage);
    wait_for_groups(&stage, VIEWERS);
    crowd_stall(stage.viewers[0], true);
    for (int i = 0; i < CHANGES; i++) {
        create(&stage, NODES);
        crowd_run(&stage.crowd, 0.01);
    }
    wait_for_groups(&stage, VIEWERS - 1);
    for (int i = 1; i < VIEWERS; i++) assert_true(stage.viewers[i]->seq > stage.viewers[0]->seq);
    crowd_stall(stage.viewers[0], false);
    expect_all_told(&stage);
    wait_for_groups(&stage, VIEWERS);
    end(&stage);
}

/* A frame of several pieces, and one that is cut into several. */
TEST(test_group_is_told_much_at_once)
{
    struct stage stage;
    begin(&stage);
    wait_for_groups(&stage, VIEWERS);
    for (int i = 0; i < 20; i++) create(&stage, 100);
    expect_all_told(&stage);
    wait_for_groups(&stage, VIEWERS);
    end(&stage);
}

/* What viewers say while a worker has the core is taken when it is back. */
TEST(test_group_of_a_scene_that_is_lent)
{
    enum { NODES = 2 * GZ_NODES_AT_ONCE, ROUNDS = 10 };
    static struct gz_create_node made[NODES];
    const struct gz_message ping = {.op = GZ_OP_PING, .has = GZ_HAS_RID, .rid = 7};
    struct stage stage;
    for (int i = 0; i < NODES; i++)
        made[i] =
            (struct gz_create_node){.name = {"n", 1}, .trs = {.r = {0, 0, 0, 1}, .s = {1, 1, 1}}};
    begin(&stage);
    wait_for_groups(&stage, VIEWERS);
    for (int round = 0; round < ROUNDS; round++) {
        say(&stage,
            &(struct gz_message){.op = GZ_OP_CREATE, .create = {.nodes = made, .count = NODES}});
        for (int i = round % 2; i < VIEWERS; i += 2) crowd_send(stage.viewers[i], &ping);
        expect_all_told(&stage);
    }
    expect_answers(&stage, ROUNDS / 2);
    wait_for_groups(&stage, VIEWERS);
    end(&stage);
}

static void do_anything(struct stage *stage, int number)
{
    static const uint64_t first = 1;
    const struct gz_message ping = {.op = GZ_OP_PING, .has = GZ_HAS_RID, .rid = 7},
                            select = {.op = GZ_OP_SELECT, .select.nodes = {&first, 1}};
    struct crowd_member *viewer = stage->viewers[number];
    if (viewer->state != CROWD_JOINED) return;
    switch (rand() % 5) {
    case 0: crowd_send(viewer, &ping); break;
    case 1: crowd_send(viewer, &select); break;
    case 2: crowd_stall(viewer, !viewer->stalled); break;
    case 3:
        crowd_leave(viewer);
        stage->viewers[number] = enter(stage, number);
        break;
    default: create(stage, (size_t)(1 + rand() % 80)); break;
    }
}

/* An editor who has something selected has a gizmo, and does not only watch. */
TEST(test_group_with_random_viewers)
{
    const struct gz_message select_nothing = {.op = GZ_OP_SELECT};
    struct stage stage;
    srand(7);
    begin(&stage);
    for (int i = 0; i < 300; i++) {
        do_anything(&stage, rand() % VIEWERS);
        create(&stage, 1);
        crowd_run(&stage.crowd, rand() % 3 * 0.01);
        for (int j = 0; i % 10 == 9 && j < VIEWERS; j++) crowd_stall(stage.viewers[j], false);
    }
    crowd_gather(&stage.crowd, PATIENCE_S);
    expect_all_told(&stage);
    assert_int_equal(crowd_count(&stage.crowd, CROWD_JOINED), VIEWERS + 1);
    for (int i = 0; i < VIEWERS; i++) crowd_send(stage.viewers[i], &select_nothing);
    wait_for_groups(&stage, VIEWERS);
    end(&stage);
}

/* Reads for a moment; how many pings came, which are answered. */
static size_t count_pings(int socket)
{
    struct raw_frame frame;
    size_t pings = 0;
    for (bool came = true; came; pings += frame.pings) came = raw_read_frame(socket, &frame, 0.1);
    return pings;
}

/* An edge pings who only watches less and less often, but not who may hold nodes. The fourth ping
 * of the former comes after 12 s at the least. */
TEST(test_group_is_pinged_less_often)
{
    static const uint64_t first = 1;
    const struct gz_message part = {.op = GZ_OP_INTEREST,
                                    .has = GZ_HAS_RID | GZ_HAS_INTEREST_NODES,
                                    .rid = 7,
                                    .interest.nodes = {&first, 1}};
    struct test_daemon edge;
    start_front(&edge, "quick", SECRET, "--ping-seconds=1");
    int editor = join(&authority, "pinged", "anna"), viewer = join(&edge, "pinged", "ben"),
        other = join(&edge, "pinged", "cleo");
    size_t viewers = 0, others = 0;
    net_fixture_create_nodes(editor, 1);
    assert_true(raw_send_message(other, &part));
    for (double end_s = now_s() + PATIENCE_S; viewers < 4 && now_s() < end_s;) {
        if (grouped() != 1) net_fixture_create_nodes(editor, 1);
        (void)count_pings(editor);
        viewers += count_pings(viewer);
        others += count_pings(other);
    }
    assert_int_equal(viewers, 4);
    assert_true(others >= viewers + 3);
    close(editor);
    close(viewer);
    close(other);
    test_daemon_end(&edge);
}

static bool are_gone(void *context)
{
    const struct stage *stage = context;
    return crowd_count(&stage->crowd, CROWD_ENDED) == VIEWERS + 1;
}

static void expect_all_sent_away(struct stage *stage)
{
    assert_true(crowd_until(&stage->crowd, are_gone, stage, PATIENCE_S));
    for (int i = 0; i < VIEWERS; i++) assert_true(stage->viewers[i]->bye);
}

/* Nobody else is in the scene. */
TEST(test_groups_end_with_their_scene)
{
    struct stage stage;
    struct raw_response response;
    char path[64];
    begin(&stage);
    wait_for_groups(&stage, VIEWERS);
    crowd_leave(stage.editor);
    for (int i = 0; i < 300 && grouped() != VIEWERS; i++) crowd_run(&stage.crowd, 0.1);
    assert_int_equal(grouped(), VIEWERS);
    snprintf(path, sizeof path, "/scenes/%s", stage.scene);
    assert_int_equal(request(authority.port, "DELETE", path, "", "", &response), 204);
    expect_all_sent_away(&stage);
    end(&stage);
}

/* All go, with what is under way, when their authority does. */
TEST(test_group_of_an_authority_that_is_killed)
{
    struct stage stage;
    begin(&stage);
    wait_for_groups(&stage, VIEWERS);
    for (int i = 0; i < 10; i++) create(&stage, 10);
    test_daemon_kill(&authority);
    expect_all_sent_away(&stage);
    start_member(&authority, NULL, SECRET, NULL);
    crowd_finish(&stage.crowd);
}

int main(void)
{
    return test_run(relay_fixture_start, relay_fixture_stop);
}
