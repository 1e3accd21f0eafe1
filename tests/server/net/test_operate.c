/* What an operator relies on: who may read the files, what /metrics says, what the log and a
 * refusal say, and another program that has a scene's file locked. */
#include "net_fixture.h"
#include "server/maxima.h"

#include <dirent.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/syscall.h>

/* Another program's lock, in milliseconds: longer than SQLite's usual patience, shorter than the
 * daemon's. */
#define LOCK_MS 2500
/* With a second's wait for each it would be two. */
#define EDITS_BESIDE_A_LOCK 5
/* A lock that outlasts the daemon's patience with clients at its end, but not the end itself. */
#define LOCK_AT_THE_END_MS 3600

static struct net_fixture fixture;

static unsigned mode_of(const char *path)
{
    struct stat info;
    if (stat(path, &info) != 0) fail_msg("%s is not there", path);
    return (unsigned)info.st_mode & 0777;
}

static void scene_file(char path[256], const char *ending)
{
    snprintf(path, 256, "%s/" WITNESS_SCENE ".db%s", fixture.daemon.data, ending);
}

static size_t count_in_log(const char *words)
{
    char line[1024];
    size_t count = 0;
    FILE *log = fopen(fixture.daemon.log, "r");
    assert_non_null(log);
    while (fgets(line, sizeof line, log) != NULL) count += strstr(line, words) != NULL;
    fclose(log);
    return count;
}

/* The daemon was started with umask 0. */
TEST(test_files_are_nobody_elses)
{
    static const char *const endings[] = {"", "-wal", "-shm", ".owner"};
    char path[256];
    net_fixture_create_nodes(fixture.witness, 1);
    assert_int_equal(mode_of(fixture.daemon.data), 0700);
    for (size_t i = 0; i < sizeof endings / sizeof endings[0]; i++) {
        scene_file(path, endings[i]);
        if (mode_of(path) != 0600) fail_msg("%s has mode %o", path, mode_of(path));
    }
    assert_int_equal(count_in_log("other users can read"), 0);
}

/* The slice of a thread in nanoseconds; 0 if the kernel has no such setting. */
static uint64_t slice_of(long thread)
{
    struct {
        uint32_t size, policy;
        uint64_t flags;
        int32_t nice;
        uint32_t priority;
        uint64_t slice_ns, deadline_ns, period_ns;
    } now = {.size = 0};
    assert_int_equal(syscall(SYS_sched_getattr, thread, &now, sizeof now, 0), 0);
    return now.slice_ns;
}

TEST(test_every_thread_has_a_short_time_slice)
{
    char path[64];
    size_t threads = 0;
    if (slice_of(0) == 0) skip(); /* Linux before 6.12 */
    snprintf(path, sizeof path, "/proc/%d/task", (int)fixture.daemon.pid);
    DIR *folder = opendir(path);
    assert_non_null(folder);
    for (const struct dirent *entry; (entry = readdir(folder)) != NULL;) {
        if (entry->d_name[0] == '.') continue;
        assert_int_equal(slice_of(atol(entry->d_name)), GZ_TIME_SLICE_US * 1000);
        threads++;
    }
    closedir(folder);
    assert_true(threads > 2); /* the loop, a worker and the disk of the scene */
}

TEST(test_folder_that_others_may_read_is_said_and_left)
{
    assert_int_equal(chmod(fixture.daemon.data, 0755), 0);
    assert_int_equal(test_daemon_stop(&fixture.daemon), 0);
    test_daemon_start(&fixture.daemon, NULL, NULL);
    net_fixture_renew_witness(&fixture);
    assert_int_equal(mode_of(fixture.daemon.data), 0755);
    assert_int_equal(count_in_log("(mode 755); run chmod 700 on it"), 1);
    assert_int_equal(chmod(fixture.daemon.data, 0700), 0);
}

TEST(test_metrics_are_prometheus)
{
    struct raw_response response;
    raw_request(fixture.daemon.port, "GET", "/metrics", "", "", 0, &response);
    assert_int_equal(response.status, 200);
    assert_true(response.body_size < sizeof response.body);
    test_promtool(&fixture.daemon, response.body);
    static const char *const rows[] = {"\nprocess_start_time_seconds 1",
                                       "\nprocess_resident_memory_bytes ",
                                       "\nprocess_open_fds ",
                                       "\nprocess_cpu_seconds_total ",
                                       "\ngizmod_build_info{version=\"",
                                       "# TYPE gizmod_scene_seq gauge\n",
                                       "# TYPE gizmod_input_delta_seconds histogram\n",
                                       "\ngizmod_commit_seconds_bucket{le=\"+Inf\"} ",
                                       "\ngizmod_edit_ok_seconds_sum ",
                                       "\ngizmod_viewer_lag_seconds_count ",
                                       "# TYPE gizmod_scene_saved gauge\n"};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        if (strstr(response.body, rows[i]) == NULL) fail_msg("no %s", rows[i]);
    }
}

/* An edit is counted once in each of them, and nothing in a class that it is too long for. */
TEST(test_histograms_count_what_was_done)
{
    static const char *const names[] = {"edit_ok_seconds", "commit_seconds", "input_delta_seconds",
                                        "viewer_lag_seconds"};
    long before[4];
    char row[64];
    for (size_t i = 0; i < 4; i++) {
        snprintf(row, sizeof row, "%s_count", names[i]);
        before[i] = net_fixture_number(fixture.daemon.port, row);
    }
    for (int i = 0; i < 10; i++) net_fixture_create_nodes(fixture.witness, 1);
    for (size_t i = 0; i < 4; i++) {
        snprintf(row, sizeof row, "%s_count", names[i]);
        const long count = net_fixture_number(fixture.daemon.port, row) - before[i];
        if (i == 0) assert_int_equal(count, 10);
        if (count < 10) fail_msg("%s: %ld of 10", names[i], count);
    }
}

/* What the alerts and the board ask for is there; of a cluster only a member has it. */
TEST(test_monitoring_asks_for_what_there_is)
{
    static const char *const files[] = {"alerts.yml", "grafana.json"};
    struct raw_response response;
    raw_request(fixture.daemon.port, "GET", "/metrics", "", "", 0, &response);
    for (size_t i = 0; i < 2; i++) {
        static char text[65536];
        char path[256];
        size_t asked = 0;
        snprintf(path, sizeof path, GZ_SOURCE_DIR "/server/monitoring/%s", files[i]);
        FILE *file = fopen(path, "r");
        assert_non_null(file);
        text[fread(text, 1, sizeof text - 1, file)] = '\0';
        fclose(file);
        for (const char *at = text; (at = strstr(at, "gizmod_")) != NULL; at++, asked++) {
            const int size = (int)strspn(at, "abcdefghijklmnopqrstuvwxyz_");
            char metric[80];
            snprintf(metric, sizeof metric, "\n%.*s", size, at);
            const bool is_there =
                strncmp(at, "gizmod_cluster_", 15) == 0 || strstr(response.body, metric) != NULL;
            if (!is_there) fail_msg("%s: no %.*s", files[i], size, at);
        }
        assert_true(asked > 5);
    }
}

/* As HTTP/1.1 with a length, so that a client reads the words. */
TEST(test_refused_handshake_is_http_1_1)
{
    static const struct {
        const char *path, *headers, *status, *words;
    } rows[] = {
        {"/ws", "Host: 127.0.0.1\r\n", "HTTP/1.1 400 ",
         "Sec-WebSocket-Protocol: only gizmod.v1 and gizmod.v1.json are supported"},
        {"/nowhere", "Host: 127.0.0.1\r\nSec-WebSocket-Protocol: gizmod.v1\r\n", "HTTP/1.1 404 ",
         "must end in /ws"},
        {"/ws", "Host: scenes.example\r\nSec-WebSocket-Protocol: gizmod.v1\r\n", "HTTP/1.1 403 ",
         "start the server with --allow-origin https://NAME"},
        {"/ws",
         "Host: 127.0.0.1\r\nOrigin: https://app.example\r\nSec-WebSocket-Protocol: gizmod.v1\r\n",
         "HTTP/1.1 403 ", "--allow-origin https://app.example"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char request[1024];
        struct raw_response response;
        int socket = raw_connect(fixture.daemon.port);
        snprintf(request, sizeof request,
                 "GET %s HTTP/1.1\r\n%sUpgrade: websocket\r\nConnection: Upgrade\r\n"
                 "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n",
                 rows[i].path, rows[i].headers);
        assert_true(raw_send_text(socket, request));
        raw_read_response(socket, &response);
        bool is_right = strncmp(response.head, rows[i].status, strlen(rows[i].status)) == 0 &&
                        strcasestr(response.head, "\r\ncontent-length: ") != NULL &&
                        response.body[0] == '{' && strstr(response.body, rows[i].words) != NULL;
        if (!is_right) fail_msg("row %zu: %s%s", i, response.head, response.body);
        close(socket);
    }
    assert_int_equal(count_in_log("HTTP 404 to 127.0.0.1: "), 1);
    assert_true(count_in_log("connected from 127.0.0.1") > 0);
}

/* ---- another program's lock ---- */

static sqlite3 *lock_file(void)
{
    char path[256];
    sqlite3 *db;
    scene_file(path, "");
    assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
    sqlite3_busy_timeout(db, 5000); /* the daemon may be writing who came */
    assert_int_equal(sqlite3_exec(db, "BEGIN IMMEDIATE", NULL, NULL, NULL), SQLITE_OK);
    return db;
}

static void send_edit(int socket, uint64_t rid)
{
    struct gz_create_node node = {.name = {"waits", 5}, .trs = {.r = {0, 0, 0, 1}, .s = {1, 1, 1}}};
    struct gz_message create = {
        .op = GZ_OP_CREATE, .has = GZ_HAS_RID, .rid = rid, .create = {&node, 1}};
    assert_true(raw_send_message(socket, &create));
}

static void expect_ok(int socket, uint64_t rid)
{
    struct raw_frame *frame = malloc(sizeof *frame);
    struct gz_message answer;
    struct gz_arena arena;
    gz_arena_init(&arena, 0);
    assert_non_null(frame);
    assert_true(raw_read_message(socket, GZ_OP_OK, frame, &arena, &answer));
    assert_int_equal(answer.rid, rid);
    gz_arena_finish(&arena);
    free(frame);
}

/* Others go on meanwhile: who looks at the same scene, and who edits another one. */
TEST(test_edit_waits_for_another_programs_lock)
{
    int editor = net_fixture_join(&fixture, WITNESS_SCENE, "anna"),
        other = net_fixture_join(&fixture, "other", "bert");
    sqlite3 *db = lock_file();
    send_edit(editor, 7);
    for (int i = 0; i < LOCK_MS / 100; i++) {
        net_fixture_assert_unharmed(&fixture);
        net_fixture_create_nodes(other, 1);
        usleep(100000);
    }
    assert_int_equal(sqlite3_exec(db, "ROLLBACK", NULL, NULL, NULL), SQLITE_OK);
    expect_ok(editor, 7);
    sqlite3_close(db);
    close(editor);
    close(other);
}

TEST(test_edit_is_refused_after_too_long_a_lock)
{
    int editor = net_fixture_join(&fixture, WITNESS_SCENE, "anna");
    sqlite3 *db = lock_file();
    send_edit(editor, 8);
    usleep((GZ_LOCK_SECONDS_MAX + 1) * 1000000);
    bool fatal;
    assert_int_equal(raw_read_error(editor, &fatal), GZ_STORAGE);
    assert_false(fatal);
    assert_true(
        count_in_log(
            "another program, such as sqlite3, has had the scene's file locked for more than 5 s") >
        0);
    assert_int_equal(sqlite3_exec(db, "ROLLBACK", NULL, NULL, NULL), SQLITE_OK);
    sqlite3_close(db);
    send_edit(editor, 9);
    expect_ok(editor, 9);
    close(editor);
}

/* Who asks for a scene that cannot be opened holds up nobody else: one edit of the witness for each
 * of their tries. */
TEST(test_locked_scene_holds_up_no_other)
{
    char path[256];
    sqlite3 *db;
    int other = net_fixture_join(&fixture, "locked", "anna"),
        editor = net_fixture_join(&fixture, "free", "bert");
    net_fixture_create_nodes(other, 1);
    test_daemon_end(&fixture.daemon);
    close(other);
    close(editor);
    snprintf(path, sizeof path, "%s/locked.db", fixture.daemon.data);
    assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
    assert_int_equal(sqlite3_exec(db, "BEGIN IMMEDIATE", NULL, NULL, NULL), SQLITE_OK);
    test_daemon_start(&fixture.daemon, NULL, NULL);
    net_fixture_renew_witness(&fixture);
    editor = net_fixture_join(&fixture, "free", "bert");
    for (int i = 0; i < EDITS_BESIDE_A_LOCK; i++) {
        bool fatal;
        int asker = raw_open(fixture.daemon.port);
        assert_true(raw_send_hello(asker, "locked", "anna"));
        net_fixture_create_nodes(editor, 1);
        assert_int_equal(raw_read_error(asker, &fatal), GZ_STORAGE);
        close(asker);
    }
    assert_true(count_in_log("another program, such as sqlite3, has the file locked: try again") >
                0);
    assert_int_equal(sqlite3_exec(db, "ROLLBACK", NULL, NULL, NULL), SQLITE_OK);
    sqlite3_close(db);
    close(editor);
    close(net_fixture_join(&fixture, "locked", "anna"));
}

static void restart(void)
{
    test_daemon_start(&fixture.daemon, NULL, NULL);
    net_fixture_renew_witness(&fixture);
}

/* A lock that is there to the end: what could not be stored is said, and the exit status tells
 * it. */
TEST(test_end_beside_a_lock_says_what_is_not_saved)
{
    int editor = net_fixture_join(&fixture, WITNESS_SCENE, "anna");
    sqlite3 *db = lock_file();
    send_edit(editor, 10);
    net_fixture_assert_unharmed(&fixture);
    assert_int_equal(test_daemon_stop(&fixture.daemon), 1);
    assert_int_equal(count_in_log(WITNESS_SCENE ": the latest edits are not saved"), 1);
    sqlite3_close(db);
    close(editor);
    restart();
}

/* A lock that ends before the daemon has to loses nothing. */
TEST(test_end_waits_for_another_programs_lock)
{
    int editor = net_fixture_join(&fixture, WITNESS_SCENE, "anna");
    long nodes = net_fixture_measure(fixture.daemon.port, WITNESS_SCENE, "nodes");
    sqlite3 *db = lock_file();
    send_edit(editor, 11);
    net_fixture_assert_unharmed(&fixture);
    test_daemon_ask_to_end(&fixture.daemon);
    usleep(LOCK_AT_THE_END_MS * 1000);
    assert_false(test_daemon_has_ended(&fixture.daemon));
    sqlite3_close(db);
    test_daemon_end(&fixture.daemon);
    close(editor);
    restart();
    assert_int_equal(net_fixture_measure(fixture.daemon.port, WITNESS_SCENE, "nodes"), nodes + 1);
}

static int start(void **state)
{
    *state = &fixture;
    mode_t before = umask(0);
    net_fixture_start(&fixture, "--silence-seconds", "3600");
    umask(before);
    return 0;
}

int main(void)
{
    return test_run(start, net_fixture_end);
}
