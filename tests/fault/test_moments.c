/* Kill -9 at each call that changes the disk, one after the other, while a scene is opened,
 * renamed, deleted, imported, added to, replaced, copied and closed. A new daemon then lists the
 * scene under one name, serves it, and has all that was acknowledged; `check` finds nothing wrong,
 * before that and after; nothing is left beside the scenes. GIZMOD_TIMES below 1 takes some of the
 * calls. */
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "fault_stage.h"
#include "server/scenario/model.h"
#include "store/store.h"
#include "support/chance.h"
#include "support/raw_ws.h"

struct request {
    const char *name;
    const char *arguments[6]; /* of gizmoctl; none: the daemon ends */
    /* Whether arm must be there with its node; may be there; must be there if it was done. */
    bool keeps_arm, keeps_node;
    const char *makes; /* a name that is there if it was done; NULL for none */
};

/* Of MODEL_ENGINE. */
#define ENGINE_NODES 82

static char copy_path[128];

static const struct request requests[] = {
    {"open", {"ls", "arm"}, true, true, NULL},
    {"rename", {"mv", "arm", "leg"}, false, true, "leg"},
    {"delete", {"rm", "arm"}, false, true, NULL},
    {"import", {"import", MODEL_ENGINE, "leg"}, true, true, "leg"},
    {"add", {"import", MODEL_ENGINE, "--into", "arm"}, true, true, NULL},
    {"replace", {"import", MODEL_ENGINE, "arm", "--replace"}, true, false, "arm"},
    {"copy", {"backup", "arm", copy_path}, true, true, NULL},
    {"close", {NULL}, true, true, NULL},
};

/* A daemon that runs, with the scene arm, in which a node was acknowledged. Closed again, the scene
 * has no log; else it is open. */
static void prepare(struct fault_stage *fault, bool is_closed)
{
    struct stage *stage = &fault->stage;
    void *state = stage;
    test_daemon_forget(&stage->daemon);
    test_daemon_start(&stage->daemon, NULL, NULL);
    stage_create(stage_join(stage, "arm", "ada"), "kept", 0, (gz_vec3){1, 2, 3});
    stage_leave(&state);
    if (!is_closed) return;
    test_daemon_end(&stage->daemon);
    test_daemon_start(&stage->daemon, NULL, NULL);
}

/* Whether it was done, as far as the one who asked knows. */
static bool ask(struct stage *stage, const struct request *request)
{
    const char *arguments[8] = {NULL};
    struct test_output output;
    if (request->arguments[0] == NULL) {
        test_daemon_ask_to_end(&stage->daemon);
        return false;
    }
    memcpy(arguments, request->arguments, sizeof request->arguments);
    test_ctl(&output, &stage->daemon, NULL, arguments);
    bool is_done = output.code == 0;
    test_output_finish(&output);
    return is_done;
}

static bool is_listed(const struct stage *stage, const char *scene)
{
    struct raw_response response;
    char name[64];
    raw_request(stage->daemon.port, "GET", "/scenes", "", "", 0, &response);
    assert_int_equal(response.status, 200);
    snprintf(name, sizeof name, "\"name\":\"%s\"", scene);
    return strstr(response.body, name) != NULL;
}

/* Whether the file is a log, or its index, of a scene: a worker that still read the scene when the
 * daemon ended keeps SQLite from deleting them. */
static bool is_log_of_scene(const struct stage *stage, const char *file)
{
    char name[64];
    size_t size = strlen(file);
    if (size <= 7 || size >= sizeof name) return false;
    snprintf(name, sizeof name, "%.*s", (int)size - 7, file);
    return (strcmp(file + size - 4, "-wal") == 0 || strcmp(file + size - 4, "-shm") == 0) &&
           access(scene_file(stage, name), F_OK) == 0;
}

/* The files of the folder that are no scene's, and how many scenes there are. */
static size_t count_left(const struct stage *stage, size_t *scenes)
{
    DIR *folder = opendir(stage->daemon.data);
    size_t left = 0;
    *scenes = 0;
    for (struct dirent *entry; (entry = readdir(folder)) != NULL;) {
        const char *ending = strrchr(entry->d_name, '.');
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0) continue;
        if (entry->d_name[0] != '.' && ending != NULL && strcmp(ending, ".db") == 0) {
            (*scenes)++;
            continue;
        }
        if (is_log_of_scene(stage, entry->d_name)) continue;
        struct stat file = {0};
        (void)fstatat(dirfd(folder), entry->d_name, &file, AT_SYMLINK_NOFOLLOW);
        print_error("%s is left, %lld bytes\n", entry->d_name, (long long)file.st_size);
        left++;
    }
    closedir(folder);
    return left;
}

static void handle_fault(void *context, const char *words)
{
    (void)context;
    fail_msg("%s", words);
}

/* Before a daemon starts there may be a file that did not become a scene. */
static void check_files(const struct stage *stage, bool is_tidy)
{
    static const char *const names[] = {"arm", "leg"};
    for (int i = 0; i < 2; i++) {
        const char *path = scene_file(stage, names[i]);
        struct gz_store_check check = {.handle_fault = handle_fault};
        struct gz_error error;
        if (access(path, F_OK) != 0) continue;
        enum gz_status status = gz_store_check(path, &check, &error);
        if (status != GZ_UNKNOWN_SCENE || is_tidy) stage_check(status, &error, path);
    }
}

/* Joins the scene, and asks for its glTF. `others`: how many nodes it has beside the one. */
static bool has_node(struct stage *stage, const char *scene, size_t *others)
{
    struct raw_response response;
    char path[64];
    bool has = false;
    void *state = stage;
    snprintf(path, sizeof path, "/scenes/%s/asset", scene);
    raw_request(stage->daemon.port, "GET", path, "", "", 0, &response);
    if (response.status >= 500) fail_msg("%s: %d", path, response.status);
    size_t count;
    const struct gz_mirror_node **nodes =
        gz_mirror_list(gz_client_mirror(stage_join(stage, scene, "ada")), &count);
    assert_non_null(nodes);
    for (size_t i = 0; i < count; i++) has |= strcmp(nodes[i]->name, "kept") == 0;
    free(nodes);
    stage_leave(&state);
    *others = count - has;
    assert_true((response.status == 200) == (*others > 0)); /* they came from that file */
    return has;
}

static void judge(struct stage *stage, const struct request *request, bool was_done)
{
    bool has_arm = is_listed(stage, "arm"), has_leg = is_listed(stage, "leg");
    bool renames = strcmp(request->name, "rename") == 0, adds = strcmp(request->name, "add") == 0;
    size_t others;
    if (request->keeps_arm) assert_true(has_arm);
    if (renames) assert_true(has_arm != has_leg);
    if (was_done && request->makes != NULL) assert_true(is_listed(stage, request->makes));
    if (was_done && !request->keeps_arm) assert_false(has_arm);
    if (has_arm) {
        bool has = has_node(stage, "arm", &others);
        if (request->keeps_node) assert_true(has);
        if (adds && (was_done || others > 0)) assert_int_equal(others, ENGINE_NODES);
    }
    if (has_leg) assert_true(has_node(stage, "leg", &others) == renames);
}

/* False once the request came to its end without meeting the call. */
static bool kill_at(struct fault_stage *fault, const struct request *request, long call)
{
    struct stage *stage = &fault->stage;
    size_t scenes, listed;
    prepare(fault, request->arguments[0] != NULL && call % 2 == 0);
    fault_disk_arm(fault->control, FAULT_DISK_CHANGES, FAULT_EFFECT_KILL, call);
    bool was_done = ask(stage, request);
    bool is_over = request->arguments[0] == NULL || atomic_load(&fault->control->struck) > 0;
    if (is_over) (void)test_daemon_wait(&stage->daemon);
    bool was_killed = fault_disk_heal(fault->control);
    if (!was_killed && !is_over) test_daemon_end(&stage->daemon);
    if (call % 4 < 2) check_files(stage, false);
    test_daemon_start(&stage->daemon, NULL, NULL);
    judge(stage, request, was_done);
    listed = (size_t)is_listed(stage, "arm") + is_listed(stage, "leg");
    test_daemon_end(&stage->daemon);
    check_files(stage, true);
    if (count_left(stage, &scenes) > 0)
        test_daemon_fail(&stage->daemon, "%s, call %ld: files are left", request->name, call);
    assert_int_equal(scenes, listed);
    return was_killed;
}

TEST_WITH_FAULTS(test_kill_at_each_moment_of_a_request)
{
    struct fault_stage *fault = *state;
    const long step = (long)(1 / (chance_times() < 1 ? chance_times() : 1));
    long kills = 0;
    snprintf(copy_path, sizeof copy_path, "%s/copy.db", fault->stage.daemon.directory);
    test_daemon_end(&fault->stage.daemon);
    for (size_t i = 0; i < sizeof requests / sizeof requests[0]; i++) {
        long call = 0;
        print_message("%s\n", requests[i].name);
        while (kill_at(fault, &requests[i], call)) {
            unlink(copy_path);
            call += step;
            kills++;
        }
        unlink(copy_path);
        print_message("%s: %ld calls\n", requests[i].name, call);
    }
    print_message("%ld kills\n", kills);
    assert_true(kills > 0);
    test_daemon_start(&fault->stage.daemon, NULL, NULL);
}
