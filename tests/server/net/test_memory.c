/* The memory of the process keeps to --memory, whatever people ask for in however many scenes: the
 * oldest undo is forgotten first, then large requests are refused in words, while joins and small
 * edits go on. What the daemon says of its memory is what the system says of it. */
#include "net_fixture.h"

#include <stdlib.h>

#include "server/maxima.h"
#include "support/chance.h"
#include "support/crowd.h"

#define MB (1024 * 1024)
#define SCENES 6
#define NODES 10000
/* Nodes of one message. */
#define NODES_AT_ONCE 5000
#define FEWER_AT_ONCE 250
/* With the longest names. */
#define NAMED_AT_ONCE 500
#define PATIENCE_S 60.0
/* The daemon's account may be half a second old. */
#define ACCOUNT_S 1.5
#define LOOK_S 0.25 /* between two of its looks */
#define ACCOUNT_BYTES_OFF (8L * MB)

static struct net_fixture fixture;
static struct crowd crowd;
static struct crowd_member *people[SCENES];
static const char *const scenes[SCENES] = {"a", "b", "c", "d", "e", "f"};
static long bytes_most; /* that the daemon had when somebody looked */

static int start(void **state, const char *memory)
{
    *state = &fixture;
    net_fixture_start(&fixture, memory, "--messages-per-s=1000000");
    crowd_init(&crowd, fixture.daemon.port);
    bytes_most = 0;
    return 0;
}

static int start_with_192(void **state)
{
    return start(state, "--memory=192");
}

static int start_with_64(void **state)
{
    return start(state, "--memory=64");
}

static int end(void **state)
{
    crowd_finish(&crowd);
    net_fixture_renew_witness(&fixture);
    return net_fixture_end(state);
}

/* What the system says of the process: its own pages that are in memory. */
static long bytes_now(void)
{
    char path[64];
    long all, resident, shared;
    snprintf(path, sizeof path, "/proc/%d/statm", (int)fixture.daemon.pid);
    FILE *file = fopen(path, "r");
    if (file == NULL || fscanf(file, "%ld %ld %ld", &all, &resident, &shared) != 3)
        fail_msg("no %s", path);
    fclose(file);
    const long bytes = (resident - shared) * sysconf(_SC_PAGESIZE);
    if (bytes > bytes_most) bytes_most = bytes;
    return bytes;
}

/* ---- what people ask for ---- */

static size_t answers(const struct crowd_member *member)
{
    size_t sum = member->oks;
    for (int status = GZ_OK + 1; status < GZ_STATUS_COUNT; status++) sum += member->errors[status];
    return sum;
}

struct waiting {
    const struct crowd_member *member;
    size_t answers;
};

static bool is_answered(void *context)
{
    const struct waiting *waiting = context;
    (void)bytes_now();
    return waiting->member->state == CROWD_ENDED || answers(waiting->member) > waiting->answers;
}

/* Whether the answer was `ok`. */
static bool ask(struct crowd_member *member, struct gz_message message)
{
    struct waiting waiting = {member, answers(member)};
    const size_t oks = member->oks;
    message.has |= GZ_HAS_RID;
    message.rid = 1;
    crowd_send(member, &message);
    assert_true(crowd_until(&crowd, is_answered, &waiting, PATIENCE_S));
    if (member->state == CROWD_ENDED) fail_msg("ended: %s", member->reason);
    return member->oks > oks;
}

static struct crowd_member *enter(const char *scene, const char *user)
{
    struct crowd_member *member = crowd_enter(&crowd, scene, GZ_ROLE_EDITOR, 0);
    const size_t joined = crowd_count(&crowd, CROWD_JOINED);
    member->user = user;
    (void)crowd_gather(&crowd, PATIENCE_S);
    if (member->state != CROWD_JOINED) fail_msg("%s did not join: %s", user, member->reason);
    assert_int_equal(crowd_count(&crowd, CROWD_JOINED), joined + 1);
    return member;
}

static bool create(struct crowd_member *member, size_t count)
{
    static struct gz_create_node nodes[NODES_AT_ONCE];
    for (size_t i = 0; i < count; i++)
        nodes[i] = (struct gz_create_node){.trs = {.r = {0, 0, 0, 1}, .s = {1, 1, 1}}};
    return ask(member, (struct gz_message){.op = GZ_OP_CREATE, .create = {nodes, count}});
}

/* Moves all nodes of a scene. */
static bool move(struct crowd_member *member, double to)
{
    static struct gz_set_node nodes[NODES];
    for (size_t i = 0; i < NODES; i++)
        nodes[i] = (struct gz_set_node){
            .has = GZ_HAS_SET_NODE_T, .id = i + 1, .trs.t = {to, (double)i, 0}};
    return ask(member,
               (struct gz_message){.op = GZ_OP_SET, .set = {.nodes = nodes, .count = NODES}});
}

static void expect_health(const char *words)
{
    struct raw_response response;
    raw_request(fixture.daemon.port, "GET", "/healthz", "", "", 0, &response);
    assert_int_equal(response.status, 200);
    if (strstr(response.body, words) == NULL) fail_msg("%s", response.body);
}

static void expect_honest_account(void)
{
    crowd_run(&crowd, ACCOUNT_S);
    const long says = net_fixture_number(fixture.daemon.port, "memory_bytes"), is = bytes_now();
    if (labs(says - is) > ACCOUNT_BYTES_OFF) fail_msg("it says %ld and has %ld", says, is);
}

static long undo_bytes(void)
{
    long sum = 0;
    for (size_t i = 0; i < SCENES; i++)
        sum += net_fixture_measure(fixture.daemon.port, scenes[i], "undo_bytes");
    return sum;
}

/* ---- undo ---- */

TEST_BETWEEN(test_undo_of_all_scenes_keeps_to_one_bound, start_with_192, end)
{
    const size_t edits = chance_count(24);
    for (size_t i = 0; i < SCENES; i++) {
        people[i] = enter(scenes[i], scenes[i]);
        for (size_t made = 0; made < NODES; made += NODES_AT_ONCE)
            assert_true(create(people[i], NODES_AT_ONCE));
    }
    expect_honest_account();
    for (size_t i = 0; i < edits; i++) {
        for (size_t scene = 0; scene < SCENES; scene++) assert_true(move(people[scene], (double)i));
    }
    expect_honest_account();
    print_message("%ld MB at most, %ld MB now, of them %ld MB of undo\n", bytes_most / MB,
                  bytes_now() / MB, undo_bytes() / MB);
    if (bytes_most > 192L * MB) fail_msg("it had %ld MB", bytes_most / MB);
    assert_true(net_fixture_number(fixture.daemon.port, "memory_forgotten_bytes_total") > 0);
    assert_int_equal(net_fixture_number(fixture.daemon.port, "memory_refusals_total"), 0);
    assert_int_equal(net_fixture_number(fixture.daemon.port, "memory_short"), 0);
    /* The latest edits are those that are left. */
    for (size_t scene = 0; scene < SCENES; scene++)
        assert_true(ask(people[scene], (struct gz_message){.op = GZ_OP_UNDO}));
}

/* ---- refusals ---- */

/* Fills scenes with nodes, which cannot be forgotten, until that is refused. */
static size_t fill(void)
{
    size_t scene = 0;
    for (; scene < SCENES; scene++) {
        people[scene] = enter(scenes[scene], "ada");
        size_t made = 0;
        while (made < GZ_NODES_MAX && create(people[scene], NODES_AT_ONCE)) made += NODES_AT_ONCE;
        if (made < GZ_NODES_MAX) break;
    }
    return scene;
}

TEST_BETWEEN(test_large_requests_are_refused_while_joins_and_small_edits_go_on, start_with_64, end)
{
    const size_t last = fill();
    if (last == SCENES) fail_msg("%d scenes took %ld MB", SCENES, bytes_now() / MB);
    const struct crowd_member *full = people[last];
    assert_int_equal(full->errors[GZ_TOO_MANY], 1);
    assert_int_equal(answers(full) - full->oks, 1);
    expect_honest_account();
    assert_true(net_fixture_number(fixture.daemon.port, "memory_refusals_total") > 0);
    /* Smaller requests are taken until the memory is short. One that is refused before that waits
     * for the daemon's next look at its memory. */
    bool is_short = false;
    for (int i = 0; i < 200 && !is_short; i++) {
        if (!create(people[last], FEWER_AT_ONCE)) crowd_run(&crowd, LOOK_S);
        is_short = net_fixture_number(fixture.daemon.port, "memory_short") == 1;
    }
    assert_true(is_short);
    expect_health("the server's memory is nearly used up (--memory 64)");
    struct crowd_member *late = enter(scenes[last], "late");
    for (int i = 0; i < 20; i++) assert_true(create(late, 1));
    if (bytes_most > 64L * MB) fail_msg("it had %ld MB", bytes_most / MB);
    /* Scenes that nobody uses are closed, and then there is room. */
    crowd_disperse(&crowd, NULL);
    for (int i = 0; i < 100 && net_fixture_number(fixture.daemon.port, "memory_short") == 1; i++)
        crowd_run(&crowd, 0.1);
    assert_int_equal(net_fixture_number(fixture.daemon.port, "memory_short"), 0);
    struct crowd_member *bob = enter("another", "bob");
    int tries = 0;
    while (!create(bob, NODES_AT_ONCE) && tries++ < 100) crowd_run(&crowd, 0.1);
    assert_true(tries < 100);
}

/* Between two looks of the daemon at its memory. */
TEST_BETWEEN(test_many_requests_at_once_keep_to_the_bound, start_with_64, end)
{
    enum { REQUESTS = 120 };
    static struct gz_create_node nodes[NAMED_AT_ONCE];
    static char name[GZ_NAME_BYTES_MAX];
    memset(name, 'n', sizeof name);
    for (size_t i = 0; i < NAMED_AT_ONCE; i++)
        nodes[i] = (struct gz_create_node){.name = {name, sizeof name},
                                           .trs = {.r = {0, 0, 0, 1}, .s = {1, 1, 1}}};
    const struct gz_message message = {
        .op = GZ_OP_CREATE, .has = GZ_HAS_RID, .rid = 1, .create = {nodes, NAMED_AT_ONCE}};
    struct crowd_member *ada = enter(scenes[0], "ada");
    struct waiting waiting = {ada, REQUESTS - 1};
    for (size_t i = 0; i < REQUESTS; i++) crowd_send(ada, &message);
    assert_true(crowd_until(&crowd, is_answered, &waiting, PATIENCE_S));
    assert_int_equal(answers(ada), REQUESTS);
    print_message("%zu of %d were taken, with %ld MB at most\n", ada->oks, REQUESTS,
                  bytes_most / MB);
    assert_int_equal(ada->oks + ada->errors[GZ_TOO_MANY], REQUESTS);
    assert_true(ada->oks > 0);
    if (bytes_most > 64L * MB) fail_msg("it had %ld MB", bytes_most / MB);
}

/* ---- what is left of nodes that are replaced ---- */

#define IMPORTED 500
/* 500 nodes that are deleted leave 14 kB, and their import an edit that names 1,000 ids. */
#define BYTES_PER_IMPORT 24000

static int start_plain(void **state)
{
    return start(state, NULL);
}

static void import(char *gltf)
{
    struct raw_response response;
    char length[64];
    snprintf(length, sizeof length, "Content-Length: %zu\r\n", strlen(gltf));
    raw_request(fixture.daemon.port, "PUT", "/scenes/" WITNESS_SCENE "?user=ada&replace", length,
                gltf, strlen(gltf), &response);
    if (response.status != 200) fail_msg("import: %d %s", response.status, response.body);
}

static char *make_gltf(void)
{
    char *text;
    size_t size;
    FILE *file = open_memstream(&text, &size);
    assert_non_null(file);
    fputs("{\"asset\":{\"version\":\"2.0\"},\"scenes\":[{\"nodes\":[0", file);
    for (int i = 1; i < IMPORTED; i++) fprintf(file, ",%d", i);
    fputs("]}],\"nodes\":[{}", file);
    for (int i = 1; i < IMPORTED; i++) fputs(",{}", file);
    fputs("]}", file);
    fclose(file);
    return text;
}

/* Nodes that were replaced took 560 bytes each, and 25 for ever. */
TEST_BETWEEN(test_replaced_nodes_leave_a_few_bytes, start_plain, end)
{
    enum { IMPORTS = 100 };
    char *gltf = make_gltf();
    for (int i = 0; i < 5; i++) import(gltf);
    const long before = net_fixture_memory(fixture.daemon.port).own;
    for (int i = 0; i < IMPORTS; i++) import(gltf);
    const long grown = net_fixture_memory(fixture.daemon.port).own - before;
    print_message("%ld bytes for each import\n", grown / IMPORTS);
    if (grown > (long)IMPORTS * BYTES_PER_IMPORT) fail_msg("%ld bytes more", grown);
    assert_true(net_fixture_measure(fixture.daemon.port, WITNESS_SCENE, "deleted_bytes") > 0);
    free(gltf);
}
