/* What a daemon holds does not grow: waves of people come, drag, edit, ask the past, import and go,
 * for two hours times GIZMOD_TIMES (0.025 for a look of three minutes). What is counted are the
 * bytes that the daemon has allocated when everybody has gone; what the C library keeps of freed
 * memory does not count. Each wave replaces all nodes of each scene by an import. What has a
 * maximum is full when the count begins: undo and the remembered edits after 40 waves, the deleted
 * nodes after 70. SQLite's caches come and go, and are held against their own maximum. */
#include "server/net/net_fixture.h"

#include <stdlib.h>

#include "server/maxima.h"
#include "support/chance.h"
#include "support/crowd.h"

#define PEOPLE 20
#define SCENES 4
#define WAVE_SECONDS 4
#define WAVES (7200 / WAVE_SECONDS)
#define WAVES_PER_HOUR (3600 / WAVE_SECONDS)
/* The median of this many waves counts. */
#define LOOK_WAVES 15
#define BYTES_PER_HOUR_MAX (1024 * 1024)
/* What has a maximum is full after so many waves, and the count begins. */
#define WAVES_FULL 150
/* A run that is shorter than this is not judged. */
#define WAVES_JUDGED 300
/* Of a scene: two connections with caches of 2 MB, and what they have prepared. */
#define SQLITE_BYTES_MAX (5 * 1024 * 1024)
#define TURN_SECONDS 0.2
#define IMPORTED_NODES 1000
#define NODES 100 /* of a scene that people work with */
/* The last of them, one for each person, are deleted. */
#define NODES_TO_DELETE (PEOPLE / SCENES)
#define PATIENCE_S 60.0
#define TRIES 5

static const char *const scenes[SCENES] = {"soak-a", "soak-b", "soak-c", "soak-d"};
static const char *const users[PEOPLE / SCENES] = {"ada", "bob", "cleo", "dan", "eve"};

struct soak {
    struct net_fixture fixture;
    struct crowd crowd;
    struct crowd_member *people[PEOPLE];
    char *gltf;
    uint64_t chance, rid;
    size_t oks, errors;
    uint64_t nodes[SCENES][NODES]; /* some of each */
    size_t node_count[SCENES];
};

/* ---- what is imported ---- */

static char *make_gltf(size_t nodes)
{
    char *text;
    size_t size;
    FILE *file = open_memstream(&text, &size);
    assert_non_null(file);
    fputs("{\"asset\":{\"version\":\"2.0\"},\"scenes\":[{\"nodes\":[", file);
    for (size_t i = 0; i < nodes; i++) fprintf(file, "%s%zu", i > 0 ? "," : "", i);
    fputs("]}],\"nodes\":[", file);
    for (size_t i = 0; i < nodes; i++)
        fprintf(file, "%s{\"name\":\"part %zu\",\"translation\":[%zu,0,1]}", i > 0 ? "," : "", i,
                i);
    fputs("]}", file);
    fclose(file);
    return text;
}

/* On a machine that is busy the answer may come later than a test waits for one. */
static void import(struct soak *soak, size_t scene)
{
    struct raw_response response = {.status = 0};
    char path[96], length[64];
    snprintf(path, sizeof path, "/scenes/%s?user=%s&replace", scenes[scene], users[0]);
    snprintf(length, sizeof length, "Content-Length: %zu\r\n", strlen(soak->gltf));
    for (int i = 0; i < TRIES && response.status == 0; i++)
        raw_request(soak->fixture.daemon.port, "PUT", path, length, soak->gltf, strlen(soak->gltf),
                    &response);
    if (response.status != 200 && response.status != 201)
        fail_msg("import: %d %s", response.status, response.body);
}

/* ---- what people do, in the order of a visit ---- */

static void say(struct soak *soak, size_t person, struct gz_message message)
{
    message.has |= GZ_HAS_RID;
    message.rid = ++soak->rid;
    crowd_send(soak->people[person], &message);
}

static uint64_t some_node(struct soak *soak, size_t person)
{
    return soak->nodes[person % SCENES][chance_below(&soak->chance, NODES - NODES_TO_DELETE)];
}

static void select_some(struct soak *soak, size_t person)
{
    uint64_t ids[3];
    for (int i = 0; i < 3; i++) ids[i] = some_node(soak, person);
    say(soak, person, (struct gz_message){.op = GZ_OP_SELECT, .select = {{ids, 3}, GZ_HOW_SET}});
}

static void drag(struct soak *soak, size_t person)
{
    uint64_t id = some_node(soak, person);
    for (int i = 0; i < 10; i++) {
        struct gz_message grab = {.op = GZ_OP_GRAB,
                                  .has = GZ_HAS_POINTER_NODES | GZ_HAS_POINTER_VALUE};
        grab.pointer = (struct gz_pointer_message){
            .phase = GZ_PHASE_DOWN, .handle = GZ_TX, .nodes = {&id, 1}, .value = {{(double)i}, 1}};
        say(soak, person, grab);
    }
    say(soak, person, (struct gz_message){.op = GZ_OP_POINTER, .pointer.phase = GZ_PHASE_UP});
}

static void set_some(struct soak *soak, size_t person)
{
    struct gz_set_node nodes[5];
    for (size_t i = 0; i < 5; i++)
        nodes[i] = (struct gz_set_node){.has = GZ_HAS_SET_NODE_NAME,
                                        .id = some_node(soak, person),
                                        .name = {users[i], strlen(users[i])}};
    say(soak, person, (struct gz_message){.op = GZ_OP_SET, .set = {.nodes = nodes, .count = 5}});
}

static void set_many(struct soak *soak, size_t person)
{
    struct gz_set_node nodes[NODES - NODES_TO_DELETE];
    const size_t count = sizeof nodes / sizeof nodes[0];
    for (size_t i = 0; i < count; i++)
        nodes[i] = (struct gz_set_node){.has = GZ_HAS_SET_NODE_T,
                                        .id = soak->nodes[person % SCENES][i],
                                        .trs.t = {(double)soak->rid, 0, (double)i}};
    say(soak, person,
        (struct gz_message){.op = GZ_OP_SET, .set = {.nodes = nodes, .count = count}});
}

static void delete_one(struct soak *soak, size_t person)
{
    uint64_t id = soak->nodes[person % SCENES][NODES - 1 - person / SCENES];
    say(soak, person, (struct gz_message){.op = GZ_OP_DELETE, .remove = {&id, 1}});
}

static void create(struct soak *soak, size_t person)
{
    struct gz_create_node node = {.name = {"new", 3}, .trs = {.r = {0, 0, 0, 1}, .s = {1, 1, 1}}};
    say(soak, person, (struct gz_message){.op = GZ_OP_CREATE, .create = {&node, 1}});
}

static void undo(struct soak *soak, size_t person)
{
    say(soak, person, (struct gz_message){.op = GZ_OP_UNDO});
}

static void redo(struct soak *soak, size_t person)
{
    say(soak, person, (struct gz_message){.op = GZ_OP_REDO});
}

static void ask_history(struct soak *soak, size_t person)
{
    struct gz_message message = {.op = GZ_OP_HISTORY, .has = GZ_HAS_HISTORY_LIMIT};
    message.history.limit = 20;
    say(soak, person, message);
}

static void ask_at(struct soak *soak, size_t person)
{
    struct gz_message message = {.op = GZ_OP_AT, .has = GZ_HAS_AT_SEQ};
    message.at.seq = soak->people[person]->seq;
    say(soak, person, message);
}

static void ask_path(struct soak *soak, size_t person)
{
    say(soak, person, (struct gz_message){.op = GZ_OP_PATH, .path.node = some_node(soak, person)});
}

static void note(struct soak *soak, size_t person)
{
    struct gz_message message = {.op = GZ_OP_NOTE, .has = GZ_HAS_NOTE_TEXT};
    message.note.text = (struct gz_text){"look here", 9};
    if (soak->rid % 50 == 0) say(soak, person, message);
}

static void look_at_a_part(struct soak *soak, size_t person)
{
    uint64_t id = some_node(soak, person);
    struct gz_message message = {.op = GZ_OP_INTEREST, .has = GZ_HAS_INTEREST_NODES};
    message.interest.nodes = (struct gz_ids){&id, 1};
    say(soak, person, message);
}

static void (*const acts[])(struct soak *soak, size_t person) = {
    select_some, drag, set_some, create,   undo,       redo, ask_history,
    ask_at,      drag, set_many, ask_path, delete_one, note, look_at_a_part};

/* ---- a wave ---- */

/* Nodes that the next visits are about: of the first state that somebody gets. */
static void handle_message(void *context, struct crowd_member *member,
                           const struct gz_message *message, double came_s)
{
    struct soak *soak = context;
    size_t scene = 0;
    (void)came_s;
    if (message->op != GZ_OP_DELTA) return;
    while (strcmp(member->scene, scenes[scene]) != 0) scene++;
    for (size_t i = 0; i < message->delta.count && soak->node_count[scene] < NODES; i++) {
        const struct gz_node_state *node = &message->delta.nodes[i];
        if (node->name.size > 5 && memcmp(node->name.bytes, "part ", 5) == 0)
            soak->nodes[scene][soak->node_count[scene]++] = node->id;
    }
}

static void let_in(struct soak *soak)
{
    memset(soak->node_count, 0, sizeof soak->node_count);
    for (size_t i = 0; i < PEOPLE; i++) {
        soak->people[i] = crowd_enter(&soak->crowd, scenes[i % SCENES], GZ_ROLE_EDITOR, 0);
        soak->people[i]->user = users[i / SCENES];
    }
    assert_int_equal(crowd_gather(&soak->crowd, PATIENCE_S), PEOPLE);
    for (size_t i = 0; i < SCENES; i++) assert_int_equal(soak->node_count[i], NODES);
}

/* They do not all do the same at once. */
static void act(struct soak *soak)
{
    const size_t act_count = sizeof acts / sizeof acts[0];
    for (size_t turn = 0; turn < act_count; turn++) {
        for (size_t i = 0; i < PEOPLE; i++) acts[(turn + i) % act_count](soak, i);
        crowd_run(&soak->crowd, TURN_SECONDS);
    }
}

static bool is_empty(void *context)
{
    const struct soak *soak = context;
    long sum = 0;
    for (size_t i = 0; i < SCENES; i++)
        sum += net_fixture_measure(soak->fixture.daemon.port, scenes[i], "users");
    return sum == 0;
}

static void count_answers(struct soak *soak)
{
    for (size_t i = 0; i < PEOPLE; i++) {
        soak->oks += soak->people[i]->oks;
        for (int status = GZ_OK + 1; status < GZ_STATUS_COUNT; status++)
            soak->errors += soak->people[i]->errors[status];
    }
}

/* What is left when everybody has gone. */
static struct net_fixture_memory wave(struct soak *soak)
{
    double end_s = now_s() + WAVE_SECONDS;
    let_in(soak);
    act(soak);
    count_answers(soak);
    for (size_t i = 0; i < SCENES; i++) import(soak, i);
    assert_int_equal(crowd_count(&soak->crowd, CROWD_JOINED), PEOPLE);
    crowd_disperse(&soak->crowd, NULL);
    assert_true(crowd_until(&soak->crowd, is_empty, soak, PATIENCE_S));
    double left_s = end_s - now_s();
    if (left_s > 0) crowd_run(&soak->crowd, left_s);
    return net_fixture_memory(soak->fixture.daemon.port);
}

/* ---- the soak ---- */

static int compare_longs(const void *a, const void *b)
{
    const long x = *(const long *)a, y = *(const long *)b;
    return (x > y) - (x < y);
}

/* The median after each of so many waves, up to this one: one wave that left less than others,
 * because everybody had gone sooner, is no measure of the rest. */
static struct net_fixture_memory median(const struct net_fixture_memory *left, size_t last)
{
    long own[LOOK_WAVES], sqlite[LOOK_WAVES];
    const size_t count = last < LOOK_WAVES ? last + 1 : LOOK_WAVES;
    for (size_t i = 0; i < count; i++) {
        own[i] = left[last - i].own;
        sqlite[i] = left[last - i].sqlite;
    }
    qsort(own, count, sizeof own[0], compare_longs);
    qsort(sqlite, count, sizeof sqlite[0], compare_longs);
    return (struct net_fixture_memory){.own = own[count / 2], .sqlite = sqlite[count / 2]};
}

static void report(const struct soak *soak, const struct net_fixture_memory *left, size_t waves)
{
    if (waves % LOOK_WAVES != 0) return;
    struct net_fixture_memory now = median(left, waves - 1);
    print_message("%5zu waves: %ld KB, and %ld KB of SQLite, %zu requests answered, %zu refused\n",
                  waves, now.own / 1024, now.sqlite / 1024, soak->oks, soak->errors);
    fflush(stdout);
}

static void judge(const struct net_fixture_memory *left, size_t waves)
{
    struct net_fixture_memory end = median(left, waves - 1);
    const size_t counted = waves - WAVES_FULL;
    long grown = end.own - median(left, WAVES_FULL - 1).own;
    print_message("%ld bytes more after another %zu waves\n", grown, counted);
    assert_true(grown < (long)(counted * BYTES_PER_HOUR_MAX / WAVES_PER_HOUR));
    assert_true(end.sqlite < SCENES * SQLITE_BYTES_MAX);
}

static void open_soak(struct soak *soak)
{
    *soak = (struct soak){.chance = chance_seed(1), .gltf = make_gltf(IMPORTED_NODES)};
    net_fixture_start(&soak->fixture, NULL, NULL);
    crowd_init(&soak->crowd, soak->fixture.daemon.port);
    soak->crowd.handle = handle_message;
    soak->crowd.context = soak;
    for (size_t i = 0; i < SCENES; i++) import(soak, i);
}

static void close_soak(struct soak *soak)
{
    crowd_finish(&soak->crowd);
    net_fixture_renew_witness(&soak->fixture);
    net_fixture_stop(&soak->fixture);
    free(soak->gltf);
}

TEST(test_two_hours_of_people_who_come_and_go_leave_nothing_behind)
{
    struct soak soak;
    const size_t waves = chance_count(WAVES);
    struct net_fixture_memory *left = calloc(waves, sizeof *left);
    assert_non_null(left);
    open_soak(&soak);
    for (size_t i = 0; i < waves; i++) {
        left[i] = wave(&soak);
        report(&soak, left, i + 1);
    }
    close_soak(&soak);
    assert_true(soak.oks > waves * PEOPLE * 10);
    assert_true(soak.errors < soak.oks / 10);
    if (waves >= WAVES_JUDGED) judge(left, waves);
    free(left);
}
