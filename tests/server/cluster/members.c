/* members.c - starts and ends a cluster of real daemons. See members.h. */
#include "members.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "cluster/postgres.h"
#include "store/store.h"
#include "support/clock.h"
#include "support/raw_ws.h"

void wait_a_little(void)
{
    nanosleep(&(struct timespec){.tv_nsec = 50000000}, NULL);
}

/* ---- the cluster ---- */

static void make_tables(const struct cluster *cluster)
{
    struct gz_error error = {0};
    if (gz_postgres_init(cluster->postgres->uri, &error) != GZ_OK) fail_msg("%s", error.message);
}

static void write_secret(struct cluster *cluster)
{
    snprintf(cluster->secret, sizeof cluster->secret, "%s/secret",
             cluster->members[0].stage.daemon.directory);
    int file = open(cluster->secret, O_WRONLY | O_CREAT | O_EXCL, 0600);
    assert_int_equal(write(file, "a secret of the members\n", 24), 24);
    close(file);
}

/* A port that nobody has now. */
int find_port(void)
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t size = sizeof address;
    int found = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    assert_int_equal(bind(found, (const struct sockaddr *)&address, size), 0);
    assert_int_equal(getsockname(found, (struct sockaddr *)&address, &size), 0);
    close(found);
    return ntohs(address.sin_port);
}

static void prepare(struct cluster *cluster, size_t which)
{
    struct member *member = &cluster->members[which];
    struct test_daemon *daemon = &member->stage.daemon;
    test_daemon_init(daemon);
    daemon->port = find_port();
    snprintf(member->name, sizeof member->name, "%c", (char)('a' + which));
    snprintf(member->advertise, sizeof member->advertise, "http%s://127.0.0.1:%d",
             daemon->tls ? "s" : "", daemon->port);
    snprintf(member->database, sizeof member->database, "%s", cluster->postgres->uri);
    const char *options[] = {"--cluster",  member->database, "--member",
                             member->name, "--advertise",    member->advertise,
                             "--secret",   cluster->secret,  NULL};
    memcpy(member->options, options, sizeof options);
}

int postgres_setup(void **state)
{
    struct test_postgres *postgres = calloc(1, sizeof *postgres);
    assert_non_null(postgres);
    test_postgres_init(postgres);
    test_postgres_start(postgres);
    *state = postgres;
    return 0;
}

int postgres_teardown(void **state)
{
    test_postgres_finish(*state);
    free(*state);
    return 0;
}

int cluster_setup(void **state)
{
    struct cluster *cluster = calloc(1, sizeof *cluster);
    assert_non_null(cluster);
    cluster->postgres = *state;
    if (cluster->postgres->pid == 0) test_postgres_start(cluster->postgres);
    test_postgres_ask(cluster->postgres, "DROP SCHEMA IF EXISTS gizmod CASCADE");
    make_tables(cluster);
    for (size_t i = 0; i < MEMBERS_MAX; i++) prepare(cluster, i);
    write_secret(cluster);
    *state = cluster;
    return 0;
}

static void finish(struct member *member)
{
    struct test_daemon *daemon = &member->stage.daemon;
    while (member->stage.count > 0) gz_client_destroy(member->stage.clients[--member->stage.count]);
    if (daemon->pid != 0) test_daemon_end(daemon);
    stage_check_files(&member->stage);
    test_daemon_finish(daemon);
}

int cluster_teardown(void **state)
{
    struct cluster *cluster = *state;
    for (size_t i = MEMBERS_MAX; i-- > 0;) finish(&cluster->members[i]);
    *state = cluster->postgres;
    free(cluster);
    return 0;
}

/* ---- members ---- */

struct stage *member_start(struct cluster *cluster, size_t which)
{
    struct member *member = &cluster->members[which];
    member->stage.daemon.options = member->options;
    test_daemon_start(&member->stage.daemon, NULL, NULL);
    return &member->stage;
}

struct stage *member_start_alone(struct cluster *cluster, size_t which)
{
    struct member *member = &cluster->members[which];
    member->stage.daemon.options = NULL;
    test_daemon_start(&member->stage.daemon, NULL, NULL);
    return &member->stage;
}

static void forget_clients(struct stage *stage)
{
    while (stage->count > 0) gz_client_destroy(stage->clients[--stage->count]);
}

void member_kill(struct cluster *cluster, size_t which)
{
    test_daemon_kill(&cluster->members[which].stage.daemon);
    forget_clients(&cluster->members[which].stage);
}

void member_stop(struct cluster *cluster, size_t which)
{
    forget_clients(&cluster->members[which].stage);
    test_daemon_end(&cluster->members[which].stage.daemon);
}

struct gz_client *await_join(struct stage *stage, const char *scene, const char *user)
{
    struct gz_client_options options = {.url = stage->daemon.url,
                                        .scene = scene,
                                        .user = user,
                                        .create = true,
                                        .timeout_s = CLUSTER_SECONDS};
    struct gz_error error = {0};
    double until_s = now_s() + CLUSTER_SECONDS;
    struct gz_client *client = NULL;
    while (client == NULL) {
        enum gz_status status = gz_client_create(&client, &options, &error);
        if (status == GZ_OK) status = gz_client_await(client, 0, CLUSTER_SECONDS, &error);
        if (status == GZ_OK) break;
        gz_client_destroy(client);
        client = NULL;
        if (now_s() > until_s)
            test_daemon_fail(&stage->daemon, "cannot be joined: %s", error.message);
        wait_a_little();
    }
    assert_true(stage->count < STAGE_CLIENTS_MAX);
    stage->clients[stage->count++] = client;
    return client;
}

/* ---- what clients do ---- */

uint64_t put_node(struct gz_client *client, const char *name, double x)
{
    return stage_create(client, name, 0, (gz_vec3){x, 0, 0});
}

uint64_t move_node(struct gz_client *client, uint64_t id, double x, const char *key)
{
    const struct gz_set_node node = {.has = GZ_HAS_SET_NODE_T, .id = id, .trs.t = {x, 0, 0}};
    struct gz_message set = message_set_t(&node);
    if (key[0] != '\0') {
        set.has |= GZ_HAS_KEY;
        set.key = gz_client_text(key);
    }
    return stage_ask(client, set)->ok.edit;
}

void check_x(struct gz_client *client, uint64_t id, double x)
{
    double is = node_in(client, id)->trs.t.x;
    if (is != x) fail_msg("the node stands at %.17g, not at %.17g", is, x);
}

int ask_http(const struct cluster *cluster, size_t which, const char *method, const char *path,
             const char *body)
{
    char length[64] = "";
    struct raw_response response;
    if (body[0] != '\0') snprintf(length, sizeof length, "Content-Length: %zu\r\n", strlen(body));
    raw_request(cluster->members[which].stage.daemon.port, method, path, length, body, strlen(body),
                &response);
    return response.status;
}

/* ---- what is waited for ---- */

static void path_of(const struct cluster *cluster, size_t which, const char *scene, char *path,
                    size_t size)
{
    snprintf(path, size, "%s/%s.db", cluster->members[which].stage.daemon.data, scene);
}

bool member_has_file(const struct cluster *cluster, size_t which, const char *scene)
{
    char path[256];
    path_of(cluster, which, scene, path, sizeof path);
    return access(path, F_OK) == 0;
}

void await_file(const struct cluster *cluster, size_t which, const char *scene, bool is_there)
{
    double until_s = now_s() + CLUSTER_SECONDS;
    while (member_has_file(cluster, which, scene) != is_there) {
        if (now_s() > until_s)
            test_daemon_fail(&cluster->members[which].stage.daemon, "%s the file of %s",
                             is_there ? "has not got" : "still has", scene);
        wait_a_little();
    }
}

void await_equal(const struct cluster *cluster, size_t one, size_t other, const char *scene)
{
    char a[256], b[256];
    path_of(cluster, one, scene, a, sizeof a);
    path_of(cluster, other, scene, b, sizeof b);
    for (double until_s = now_s() + CLUSTER_SECONDS;; wait_a_little()) {
        char difference[GZ_ERROR_BYTES_MAX] = "";
        struct gz_error error = {.status = GZ_OK};
        error.status = gz_store_compare(a, b, difference, &error);
        if (error.status == GZ_OK && difference[0] == '\0') return;
        if (now_s() > until_s)
            test_daemon_fail(&cluster->members[other].stage.daemon, "has another %s: %s%s", scene,
                             difference, error.status != GZ_OK ? error.message : "");
    }
}

static size_t count_words(const struct test_daemon *daemon, const char *words)
{
    char line[1024];
    size_t count = 0;
    FILE *log = fopen(daemon->log, "r");
    while (log != NULL && fgets(line, sizeof line, log) != NULL)
        count += strstr(line, words) != NULL;
    if (log != NULL) fclose(log);
    return count;
}

void await_words(const struct cluster *cluster, size_t which, const char *words, size_t times)
{
    const struct test_daemon *daemon = &cluster->members[which].stage.daemon;
    for (double until_s = now_s() + CLUSTER_SECONDS; count_words(daemon, words) < times;) {
        if (now_s() > until_s) test_daemon_fail(daemon, "does not say: %s", words);
        wait_a_little();
    }
}

void await_row(const struct cluster *cluster, const char *sql, long long expected)
{
    long long found;
    for (double until_s = now_s() + CLUSTER_SECONDS;
         (found = test_postgres_ask(cluster->postgres, sql)) != expected;) {
        if (now_s() > until_s) fail_msg("%s: %lld, not %lld", sql, found, expected);
        wait_a_little();
    }
}
