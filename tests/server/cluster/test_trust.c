/* Real members, one of which is none: another secret, a clock that is far off, a database that does
 * not let it in. It is not ready, it does not count as alive, and both logs say why. */
#include <fcntl.h>
#include <unistd.h>

#include "members.h"
#include "support/clock.h"
#include "support/raw_ws.h"

static void expect_health(const struct cluster *cluster, size_t which, int status,
                          const char *words)
{
    struct raw_response response = {.status = 0};
    const double until_s = now_s() + CLUSTER_SECONDS;
    do {
        raw_request(cluster->members[which].stage.daemon.port, "GET", "/readyz", "", "", 0,
                    &response);
        if (response.status == status && strstr(response.body, words) != NULL) return;
        wait_a_little();
    } while (now_s() < until_s);
    fail_msg("readyz is %d: %s", response.status, response.body);
}

static void expect_listed(const struct cluster *cluster, const char *words)
{
    struct test_output output;
    test_ctl(&output, NULL, NULL, (const char *const[]){"cluster", cluster->postgres->uri, NULL});
    if (strstr(output.out, words) == NULL) fail_msg("%s%s", output.out, output.err);
    test_output_finish(&output);
}

TEST_WITH_CLUSTER(test_a_member_with_another_secret_is_none)
{
    struct cluster *cluster = *state;
    struct member *b = &cluster->members[B];
    char secret[160];
    snprintf(secret, sizeof secret, "%s/other", b->stage.daemon.directory);
    int file = open(secret, O_WRONLY | O_CREAT | O_EXCL, 0600);
    assert_int_equal(write(file, "another secret of another\n", 26), 26);
    close(file);
    put_node(stage_join(member_start(cluster, A), "arm", "anna"), "link", 1);
    b->options[7] = secret;
    member_start(cluster, B);
    expect_health(cluster, B, 503, "its --secret is not that of member a");
    await_words(cluster, B, "its --secret is not that of member a", 1);
    await_words(cluster, A, "member b does not count as alive: its --secret is not", 1);
    expect_listed(cluster, "not alive: its --secret is not that of member a");
    expect_health(cluster, A, 200, "ready");
    /* With the right one it is a member. */
    member_kill(cluster, B);
    b->options[7] = cluster->secret;
    put_node(stage_join(member_start(cluster, B), "arm", "bert"), "shank", 2);
    expect_health(cluster, B, 200, "ready");
}

/* The clock of a member jumps while it has scenes. */
TEST_WITH_CLUSTER(test_a_member_whose_clock_jumps_steps_down)
{
    struct cluster *cluster = *state;
    struct stage *a = member_start(cluster, A), *b = member_start(cluster, B);
    struct gz_client *anna = stage_join(a, "arm", "anna");
    uint64_t id = put_node(anna, "link", 1);
    await_equal(cluster, A, B, "arm");
    test_postgres_ask(cluster->postgres,
                      "CREATE FUNCTION gizmod.jump() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN "
                      "NEW.clock_ms := NEW.clock_ms + 400000; RETURN NEW; END $$");
    test_postgres_ask(cluster->postgres,
                      "CREATE TRIGGER jump BEFORE UPDATE ON gizmod.members FOR EACH ROW WHEN "
                      "(NEW.name = 'a') EXECUTE FUNCTION gizmod.jump()");
    expect_health(cluster, A, 503, "s ahead of that of member b; 300 s are allowed");
    await_words(cluster, B, "member a does not count as alive: its clock is", 1);
    expect_listed(cluster, "not alive: its clock is");
    for (const struct gz_message *message;
         (message = gz_client_next(anna, CLUSTER_SECONDS)) != NULL;)
        assert_true(message->op != GZ_OP_BYE || message->bye.retry_s > 0);
    assert_false(gz_client_is_open(anna));
    move_node(await_join(b, "arm", "bert"), id, 2, "");
    test_postgres_ask(cluster->postgres, "DROP TRIGGER jump ON gizmod.members");
    expect_health(cluster, A, 200, "ready");
}

/* PostgreSQL's own log is the other one. */
TEST_WITH_CLUSTER(test_a_member_that_the_database_refuses_is_not_ready)
{
    struct cluster *cluster = *state;
    char *name = strrchr(cluster->members[A].database, '/');
    assert_non_null(name);
    snprintf(name, 16, "/nowhere");
    member_start(cluster, A);
    expect_health(cluster, A, 503, "nowhere");
    await_words(cluster, A, "database \"nowhere\" does not exist", 1);
}

static bool is_said(const struct cluster *cluster, size_t which, const char *words)
{
    char line[1024];
    bool is = false;
    FILE *log = fopen(cluster->members[which].stage.daemon.log, "r");
    assert_non_null(log);
    while (!is && fgets(line, sizeof line, log) != NULL) is = strstr(line, words) != NULL;
    fclose(log);
    return is;
}

/* Of a role that needs a password from now on. */
static void guard(const struct cluster *cluster, const char *role)
{
    char sql[400];
    snprintf(sql, sizeof sql,
             "COPY (VALUES ('host all %s all scram-sha-256'), ('local all all trust'), "
             "('host all all all trust'), ('host replication all all trust')) TO '%s/pg_hba.conf'",
             role, cluster->postgres->data);
    test_postgres_ask(cluster->postgres, sql);
    test_postgres_ask(cluster->postgres, "SELECT pg_reload_conf()");
}

static void write_database(struct cluster *cluster, size_t which, const char *who)
{
    struct member *member = &cluster->members[which];
    snprintf(member->database, sizeof member->database, "postgresql://%s@127.0.0.1:%d/postgres",
             who, cluster->postgres->port);
}

/* A member that the database does not let in says why, and not what it said for a password. */
TEST_WITH_CLUSTER(test_a_member_whose_user_or_password_is_wrong_is_not_ready)
{
    struct cluster *cluster = *state;
    test_postgres_ask(cluster->postgres, "DROP ROLE IF EXISTS guarded");
    test_postgres_ask(cluster->postgres, "CREATE ROLE guarded LOGIN PASSWORD 'of-the-role'");
    guard(cluster, "guarded");
    write_database(cluster, A, "stranger");
    member_start(cluster, A);
    expect_health(cluster, A, 503, "stranger\\\" does not exist");
    await_words(cluster, A, "role \"stranger\" does not exist", 1);
    member_kill(cluster, A);
    write_database(cluster, A, "guarded:not-this-one");
    member_start(cluster, A);
    expect_health(cluster, A, 503, "password authentication failed for user");
    await_words(cluster, A, "password authentication failed for user", 1);
    assert_false(is_said(cluster, A, "not-this-one"));
    member_kill(cluster, A);
    write_database(cluster, A, "guarded:of-the-role");
    member_start(cluster, A);
    expect_health(cluster, A, 503, "permission denied for schema gizmod");
    await_words(cluster, A, "permission denied for schema gizmod", 1);
    /* What was missing comes, and it enters without a restart. */
    test_postgres_ask(cluster->postgres, "GRANT ALL ON SCHEMA gizmod TO guarded");
    test_postgres_ask(cluster->postgres, "GRANT ALL ON ALL TABLES IN SCHEMA gizmod TO guarded");
    expect_health(cluster, A, 200, "ready");
    put_node(await_join(&cluster->members[A].stage, "arm", "anna"), "link", 1);
    member_kill(cluster, A);
    test_postgres_ask(cluster->postgres, "DROP OWNED BY guarded");
}

/* The test's own requests trust whoever signed its certificate. */
static void trust(const struct test_daemon *daemon)
{
    char ca[96];
    snprintf(ca, sizeof ca, "%s/ca.pem", daemon->directory);
    setenv("GIZMOD_CA", ca, 1);
    setenv("SSL_CERT_FILE", ca, 1);
}

/* The one that does not trust says why; the other is told by PostgreSQL that nobody reaches it. */
TEST_WITH_CLUSTER(test_a_member_whose_certificate_is_not_trusted_is_not_ready)
{
    struct cluster *cluster = *state;
    const struct member *a = &cluster->members[A];
    char words[200];
    for (size_t i = 0; i < 2; i++) {
        struct member *member = &cluster->members[i];
        test_daemon_use_tls(&member->stage.daemon);
        snprintf(member->advertise, sizeof member->advertise, "https://127.0.0.1:%d",
                 member->stage.daemon.port);
    }
    /* Both know the authority of B's folder, which has not signed A's certificate. */
    member_start(cluster, A);
    member_start(cluster, B);
    snprintf(words, sizeof words, "no link to %s: its certificate is not trusted", a->advertise);
    await_words(cluster, B, words, 1);
    await_words(cluster, B, "member a does not count as alive: no other member can reach it", 1);
    await_words(cluster, A, "no other member can reach it at https://", 1);
    expect_health(cluster, B, 200, "ready");
    trust(&a->stage.daemon);
    expect_health(cluster, A, 503, "no other member can reach it at");
    expect_listed(cluster, "no other member can reach it at");
}

/* Whoever writes the table of members gets no proof: the address was not signed. */
TEST_WITH_CLUSTER(test_an_address_that_the_secret_has_not_signed_is_not_called)
{
    struct cluster *cluster = *state;
    struct stage *a = member_start(cluster, A);
    put_node(stage_join(a, "arm", "anna"), "link", 1);
    test_postgres_ask(cluster->postgres,
                      "INSERT INTO gizmod.members (name, url, version, process, seen, since, "
                      "signature) VALUES ('x', 'http://127.0.0.1:9', '1', 'p', now() + '1 day', "
                      "now(), repeat('0', 64))");
    await_words(cluster, A, "member x is not trusted", 1);
    /* Nor is one whose address was changed, nor does it get clients. */
    test_postgres_ask(cluster->postgres,
                      "INSERT INTO gizmod.scenes (name, life, member, epoch, first_n, n) VALUES "
                      "('caught', 1, 'x', 1, 1, 1), ('../escaped', 2, NULL, 1, 1, 1)");
    await_words(cluster, A, "a scene whose name cannot be one", 1);
    struct gz_client_options options = {
        .url = a->daemon.url, .scene = "caught", .user = "anna", .timeout_s = 5};
    struct gz_client *client = NULL;
    struct gz_error error = {0};
    assert_int_not_equal(gz_client_create(&client, &options, &error), GZ_OK);
    if (strstr(error.message, "was not signed") == NULL) fail_msg("%s", error.message);
    gz_client_destroy(client);
}

/* Clients at other members come back at once when the authority ends in order. */
TEST_WITH_CLUSTER(test_clients_of_others_come_back_at_once_when_the_authority_ends)
{
    struct cluster *cluster = *state;
    struct stage *a = member_start(cluster, A), *b = member_start(cluster, B);
    uint64_t id = put_node(stage_join(a, "arm", "anna"), "link", 1);
    struct gz_client *bert = stage_join(b, "arm", "bert");
    await_equal(cluster, A, B, "arm");
    gz_client_destroy(a->clients[--a->count]); /* who would have to take her leave */
    test_daemon_ask_to_end(&a->daemon);
    bool is_told = false;
    for (const struct gz_message *message;
         (message = gz_client_next(bert, CLUSTER_SECONDS)) != NULL;) {
        if (message->op != GZ_OP_BYE) continue;
        is_told = true;
        assert_true((message->has & GZ_HAS_BYE_RETRY_S) != 0 && message->bye.retry_s == 0);
    }
    assert_true(is_told);
    const double from_s = now_s();
    move_node(await_join(b, "arm", "bert"), id, 2, "");
    printf("ended in order: %.2f s until an edit at another member\n", now_s() - from_s);
    assert_int_equal(test_daemon_wait(&a->daemon), 0);
}

int main(void)
{
    return run_with_postgres();
}
