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
        raw_request(cluster->members[which].stage.daemon.port, "GET", "/healthz", "", "", 0,
                    &response);
        if (response.status == status && strstr(response.body, words) != NULL) return;
        wait_a_little();
    } while (now_s() < until_s);
    fail_msg("healthz is %d: %s", response.status, response.body);
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
    expect_health(cluster, A, 200, "ok");
    /* With the right one it is a member. */
    member_kill(cluster, B);
    b->options[7] = cluster->secret;
    put_node(stage_join(member_start(cluster, B), "arm", "bert"), "shank", 2);
    expect_health(cluster, B, 200, "ok");
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
    expect_health(cluster, A, 200, "ok");
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
