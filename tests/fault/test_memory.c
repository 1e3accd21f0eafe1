/* The n-th allocation of a whole daemon fails, or many from there on, by whichever of its
 * libraries, while somebody does everything once: no crash, no hang, a refused request or a closed
 * connection; everybody can go on afterwards, what was acknowledged is in the file, which is whole
 * and what viewers see. Every n of the start of the loop, of a new connection, and of an answer
 * that is read late is tried. Leaks are AddressSanitizer's to tell, at the daemon's end.
 * GIZMOD_TIMES scales the 60 n that are tried, spread over all that there are. */
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "fault_stage.h"
#include "proto/limits.h"
#include "support/chance.h"
#include "support/raw_ws.h"

#define SCENE "arm"
#define TRIED 60
/* Seconds that an answer may take. */
#define PATIENCE_S 10.0
/* What is refused is taken back before it is answered, and that needs memory too: it is tried again
 * at each look of the daemon, four times a second, with two allocations or more. The 400 that fail
 * at most are over by then. */
#define OUTAGE_S 50.0
/* Connections that are open at once: libuv's table of descriptors has 30 places at first, then 62,
 * then 126, and a daemon has some 20 descriptors of its own. */
#define CONNECTIONS 120
/* Microseconds for the daemon to take a connection. */
#define TAKE_US 2000
/* An answer of so many nodes with long names is more than a socket takes at once, if nobody reads
 * for so many microseconds. */
#define ANSWER_NODES 600
#define UNREAD_US 50000
/* The loop is made, with all that libuv keeps for it, in so many allocations of the start. */
#define LOOP_ALLOCATIONS 20
#define HEALTH_ROUNDS 5
/* How many fail one after the other: one, a few, all for a while. */
static const long lengths[] = {1, 4, 400};

struct script {
    struct fault_stage *fault;
    struct gz_client *client;
    unsigned long run;
    long n; /* the allocation that fails */
    uint64_t node;
    unsigned acknowledged; /* bits: the keyed edits that were answered ok */
};

static const char glb[] = "{\"asset\":{\"version\":\"2.0\"},\"scene\":0,\"scenes\":[{\"nodes\":[0,"
                          "1]}],\"nodes\":[{\"name\":"
                          "\"base\"},{\"name\":\"link\",\"translation\":[1,2,3]}]}";

/* ---- everything once ---- */

/* The ok to a message that was sent, or NULL if it was refused or the connection ended; no answer
 * is a failure. */
static const struct gz_message *await_ok(struct script *script, enum gz_op op, uint64_t rid)
{
    struct gz_error error = {0};
    const struct gz_message *answer = NULL;
    enum gz_status status;
    do {
        status = gz_client_answer(script->client, rid, PATIENCE_S, &answer, &error);
    } while (status == GZ_OK && answer->ok.more);
    if (status == GZ_OK) return answer;
    if (answer == NULL && gz_client_is_open(script->client))
        test_daemon_fail(&script->fault->stage.daemon, "did not answer %s at allocation %ld: %s",
                         gz_op_word(op), script->n, error.message);
    return NULL;
}

static const struct gz_message *ask(struct script *script, struct gz_message message)
{
    uint64_t rid;
    struct gz_error error;
    if (!gz_client_is_open(script->client)) return NULL;
    if (gz_client_send(script->client, &message, &rid, &error) != GZ_OK) return NULL;
    return await_ok(script, message.op, rid);
}

/* The number is the key's. */
static void edit(struct script *script, struct gz_message message, unsigned number)
{
    char key[64];
    snprintf(key, sizeof key, "%lu-%u", script->run, number);
    message.has |= GZ_HAS_KEY;
    message.key = gz_client_text(key);
    if (ask(script, message) != NULL) script->acknowledged |= 1u << number;
}

static struct gz_client *try_join(struct fault_stage *fault, const char *scene, const char *user)
{
    struct gz_client_options options = {.url = fault->stage.daemon.url,
                                        .scene = scene,
                                        .user = user,
                                        .create = true,
                                        .draw = true,
                                        .timeout_s = PATIENCE_S};
    struct gz_client *client = NULL;
    struct gz_error error = {0};
    double began_s = now_s();
    enum gz_status status = gz_client_create(&client, &options, &error);
    if (status != GZ_OK && now_s() - began_s > PATIENCE_S - 1)
        fail_msg("a join was not answered: %s", error.message);
    return client;
}

static void drag(struct script *script)
{
    ask(script, message_camera((gz_vec3){0, 0, 10}, (gz_vec3){0, 0, 0}));
    ask(script, message_grab(&script->node, GZ_TX, 960, 540));
    for (int i = 1; i < 5; i++) ask(script, message_pointer(GZ_PHASE_MOVE, 960 + 10 * i, 540));
    edit(script, message_pointer(GZ_PHASE_UP, 1010, 540), 1);
    ask(script, message_grab(&script->node, GZ_RB, 960, 540));
    ask(script, message_pointer(GZ_PHASE_MOVE, 1000, 500));
    ask(script, message_pointer(GZ_PHASE_CANCEL, 0, 0));
}

static void change(struct script *script)
{
    struct gz_set_node node;
    struct gz_create_node made = {.name = gz_client_text("link"), .trs = gz_trs_identity};
    edit(script, message_set_x(&node, script->node, (double)script->run), 2);
    edit(script, (struct gz_message){.op = GZ_OP_UNDO}, 3);
    edit(script, (struct gz_message){.op = GZ_OP_REDO}, 4);
    made.has = GZ_HAS_CREATE_NODE_PARENT;
    made.parent = script->node;
    edit(script, (struct gz_message){.op = GZ_OP_CREATE, .create = {&made, 1}}, 5);
    ask(script, (struct gz_message){.op = GZ_OP_WHEEL, .wheel.dy = 1});
    ask(script, (struct gz_message){.op = GZ_OP_NOTE,
                                    .has = GZ_HAS_NOTE_TEXT,
                                    .note.text = gz_client_text("why?")});
}

static void question(struct script *script)
{
    struct gz_message box = {.op = GZ_OP_INTEREST,
                             .has = GZ_HAS_INTEREST_BOX,
                             .interest.box = {{-9, -9, -9}, {9, 9, 9}}};
    ask(script,
        (struct gz_message){.op = GZ_OP_PICK, .has = GZ_HAS_PICK_AT, .pick.at = {960, 540}});
    ask(script, (struct gz_message){.op = GZ_OP_PICK,
                                    .has = GZ_HAS_PICK_AT,
                                    .pick = {.at = {960, 540}, .surface = true}});
    ask(script, (struct gz_message){
                    .op = GZ_OP_PICK, .has = GZ_HAS_PICK_RECT, .pick.rect = {0, 0, 1920, 1080}});
    ask(script, (struct gz_message){.op = GZ_OP_HISTORY});
    ask(script, (struct gz_message){.op = GZ_OP_AT, .has = GZ_HAS_AT_SEQ, .at.seq = 1});
    ask(script, box);
    ask(script, (struct gz_message){.op = GZ_OP_INTEREST});
}

/* What HTTP answers is its own business here, if only it does, or ends the connection. */
static void fetch(struct script *script, const char *method, const char *path, const char *body)
{
    struct gz_http http = {.url = script->fault->stage.daemon.url,
                           .method = method,
                           .path = path,
                           .body = body,
                           .body_size = body != NULL ? strlen(body) : 0,
                           .timeout_s = GZ_SILENCE_SECONDS + PATIENCE_S + OUTAGE_S};
    struct gz_error error = {0};
    enum gz_status status = gz_http_perform(&http, &error);
    if (status != GZ_OK && strstr(error.message, "did not answer in time") != NULL)
        fail_msg("allocation %ld: %s %s was not answered: %s", script->n, method, path,
                 error.message);
}

static void do_everything(struct script *script)
{
    script->client = try_join(script->fault, SCENE, "anna");
    if (script->client != NULL) {
        struct gz_create_node made = {.name = gz_client_text("base"), .trs = gz_trs_identity};
        struct gz_message create = {.op = GZ_OP_CREATE, .create = {&made, 1}};
        const struct gz_message *answer = ask(script, create);
        script->node = answer != NULL && answer->ok.ids.count == 1 ? answer->ok.ids.ids[0] : 1;
        drag(script);
        change(script);
        question(script);
        edit(script, (struct gz_message){.op = GZ_OP_DELETE, .remove = {&script->node, 1}}, 6);
        gz_client_destroy(script->client);
    }
    script->client = NULL;
    fetch(script, "PUT", "/scenes/imported?replace", glb);
    fetch(script, "GET", "/scenes/imported/export", NULL);
    fetch(script, "GET", "/scenes/imported/asset", NULL);
    fetch(script, "GET", "/scenes/" SCENE "/backup", NULL);
    fetch(script, "GET", "/scenes", NULL);
    fetch(script, "GET", "/metrics", NULL);
}

/* ---- what is left afterwards ---- */

static void assert_acknowledged_is_there(const struct script *script, const char *path)
{
    for (unsigned number = 0; number < 8; number++) {
        char sql[160];
        snprintf(sql, sizeof sql,
                 "SELECT count(*) FROM edits WHERE key = '%lu-%u' AND ended IS NOT NULL",
                 script->run, number);
        int64_t count = ask_file(path, sql);
        bool is_acknowledged = (script->acknowledged & 1u << number) != 0;
        /* An edit that changed nothing is none, and is acknowledged all the same. */
        if (count > 1 || (count == 0 && is_acknowledged && number != 1 && number != 2))
            fail_msg("edit %u was %sacknowledged and is there %d times", number,
                     is_acknowledged ? "" : "not ", (int)count);
    }
}

static void assert_is_up(struct stage *stage, long n)
{
    int status;
    if (waitpid(stage->daemon.pid, &status, WNOHANG) == 0) return;
    stage->daemon.pid = 0;
    test_daemon_fail(&stage->daemon, "ended by signal %d at allocation %ld",
                     WIFSIGNALED(status) ? WTERMSIG(status) : 0, n);
}

static void assert_goes_on(struct script *script, long n)
{
    struct stage *stage = &script->fault->stage;
    assert_is_up(stage, n);
    struct gz_client *after = stage_join(stage, SCENE, "bert");
    uint64_t id = stage_create(after, "after", 0, (gz_vec3){1, 2, 3});
    stage_ask(after, (struct gz_message){.op = GZ_OP_DELETE, .remove = {&id, 1}});
    await_in_file(after, scene_file(stage, SCENE));
    assert_acknowledged_is_there(script, scene_file(stage, SCENE));
    gz_client_destroy(after);
    stage->count--;
}

static void try_allocation(struct fault_stage *fault, bool is_without_sqlite, unsigned long run,
                           long n, long length)
{
    struct script script = {.fault = fault, .run = run, .n = n};
    fault_memory_arm(fault->control, is_without_sqlite, n, n + length - 1);
    do_everything(&script);
    fault_memory_heal(fault->control);
    assert_goes_on(&script, n);
    if (run % 16 == 0) assert_file_is_whole(scene_file(&fault->stage, SCENE));
}

static void try_allocations(struct fault_stage *fault, bool is_without_sqlite)
{
    struct script first = {.fault = fault};
    do_everything(&first); /* the first time makes more of them */
    first.acknowledged = 0;
    first.run = 1;
    fault_memory_arm(fault->control, is_without_sqlite, 1, 0); /* none fails, all are counted */
    do_everything(&first);
    long all = fault_memory_heal(fault->control);
    if (all == 0) skip(); /* the daemon's sanitizer is linked into it and does not ask */
    assert_int_equal(first.acknowledged, 0x7E);
    long tried = (long)chance_count(TRIED), from = (long)chance_seed(1);
    print_message("%ld allocations\n", all);
    for (long i = 0; i < tried; i++) {
        long n = 1 + (long)((double)i / (double)tried * (double)all) + from % (1 + all / tried);
        /* What fails for a while matters most where there are few: then they are an edit's own. */
        long length = is_without_sqlite ? lengths[i % 2 * 2] : lengths[i % 3];
        try_allocation(fault, is_without_sqlite, (unsigned long)i + 2, n, length);
    }
}

TEST_WITH_FAULTS(test_memory_that_fails_at_any_allocation_does_no_harm)
{
    try_allocations(*state, false);
}

TEST_WITH_FAULTS(test_memory_that_fails_outside_of_sqlite_does_no_harm)
{
    try_allocations(*state, true);
}

/* A connection, tried again while the first, the second ... of its allocations fails, until there
 * is none left to fail. */
static int connect_at_last(struct fault_stage *fault)
{
    for (long n = 1;; n++) {
        fault_memory_arm(fault->control, true, n, n);
        int socket = raw_connect(fault->stage.daemon.port);
        usleep(TAKE_US);
        long made = fault_memory_heal(fault->control);
        assert_is_up(&fault->stage, n);
        if (made < n) return socket;
        close(socket);
    }
}

TEST_WITH_FAULTS(test_memory_that_fails_while_connections_come_does_no_harm)
{
    struct fault_stage *fault = *state;
    int sockets[CONNECTIONS];
    for (size_t i = 0; i < CONNECTIONS; i++) sockets[i] = connect_at_last(fault);
    for (size_t i = 0; i < CONNECTIONS; i++) close(sockets[i]);
    stage_join(&fault->stage, SCENE, "anna");
}

static void create_long_names(struct fault_stage *fault)
{
    static struct gz_create_node nodes[ANSWER_NODES];
    static char name[201];
    memset(name, 'n', sizeof name - 1);
    for (size_t i = 0; i < ANSWER_NODES; i++)
        nodes[i] = (struct gz_create_node){.name = gz_client_text(name), .trs = gz_trs_identity};
    stage_ask(stage_join(&fault->stage, SCENE, "anna"),
              (struct gz_message){.op = GZ_OP_CREATE, .create = {nodes, ANSWER_NODES}});
}

/* Whether there was such an allocation. */
static bool read_late(struct fault_stage *fault, long n)
{
    uint64_t rid;
    struct gz_error error;
    struct gz_message at = {.op = GZ_OP_AT, .has = GZ_HAS_AT_SEQ, .at.seq = ANSWER_NODES};
    struct script script = {.fault = fault, .n = n, .client = try_join(fault, SCENE, "bert")};
    assert_is_up(&fault->stage, n - 1);
    assert_non_null(script.client);
    fault_memory_arm(fault->control, true, n, n);
    stage_check(gz_client_send(script.client, &at, &rid, &error), &error, "at");
    usleep(UNREAD_US);
    await_ok(&script, at.op, rid);
    long made = fault_memory_heal(fault->control);
    gz_client_destroy(script.client);
    return made >= n;
}

/* Half of a frame is with the reader then, and the other half nowhere. */
TEST_WITH_FAULTS(test_memory_that_fails_for_a_late_reader_ends_its_connection)
{
    struct fault_stage *fault = *state;
    long n = 1;
    create_long_names(fault);
    while (read_late(fault, n)) n++;
    print_message("%ld allocations\n", n - 1);
}

static void try_start(struct fault_stage *fault, bool is_without_sqlite, long n)
{
    struct test_daemon *daemon = &fault->stage.daemon;
    fault_memory_arm(fault->control, is_without_sqlite, n, n);
    bool is_up = test_daemon_try_start(daemon, "--open=" SCENE, NULL);
    fault_memory_heal(fault->control);
    if (is_up) {
        test_daemon_end(daemon);
    } else if (test_daemon_wait(daemon) != 1) {
        test_daemon_fail(daemon, "did not end in order at allocation %ld of the start", n);
    }
}

static void ask_health(int socket, struct raw_response *response)
{
    raw_send_text(socket, "GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n");
    raw_read_response(socket, response);
}

/* The daemon's health is asked for while the first, the second ... allocation fails that the answer
 * takes: it says that it is well, or unwell, or hangs up. Returns how often it said that there was
 * no memory for its body. */
static long ask_health_without_memory(struct fault_stage *fault)
{
    long n = 0, made, without_body = 0;
    do {
        struct raw_response response;
        int socket = raw_connect(fault->stage.daemon.port);
        ask_health(socket, &response);
        assert_int_equal(response.status, 200);
        n++;
        fault_memory_arm(fault->control, true, n, n);
        ask_health(socket, &response);
        made = fault_memory_heal(fault->control);
        bool is_said = response.status == 200 || response.status == 503;
        without_body += strstr(response.body, "no memory for the answer") != NULL;
        if (!is_said && !raw_is_closed_within(socket, 60)) fail_msg("allocation %ld: no answer", n);
        close(socket);
    } while (made >= n);
    print_message("%ld allocations\n", n - 1);
    return without_body;
}

/* A timer of the daemon's that allocates in between moves the numbers by one: the body's allocation
 * then fails twice, or in that round not at all. */
TEST_WITH_FAULTS(test_memory_that_fails_leaves_no_question_for_health_open)
{
    long without_body = 0;
    for (int round = 0; round < HEALTH_ROUNDS && without_body == 0; round++)
        without_body = ask_health_without_memory(*state);
    assert_true(without_body > 0);
}

/* At its beginning it says so and ends, or does without. */
TEST_WITH_FAULTS(test_memory_that_fails_at_the_start_ends_it_in_words)
{
    struct fault_stage *fault = *state;
    struct test_daemon *daemon = &fault->stage.daemon;
    long tried = (long)chance_count(TRIED) / 3;
    test_daemon_end(daemon);
    fault_memory_arm(fault->control, false, 1, 0);
    test_daemon_start(daemon, "--open=" SCENE, NULL);
    long all = fault_memory_heal(fault->control);
    test_daemon_end(daemon);
    print_message("%ld allocations until it listens\n", all);
    for (long n = 1; n <= LOOP_ALLOCATIONS; n++) try_start(fault, true, n);
    for (long i = 0; i < tried; i++)
        try_start(fault, i % 2 == 0, 1 + (long)((double)i / (double)tried * (double)all));
    test_daemon_start(daemon, NULL, NULL);
}
