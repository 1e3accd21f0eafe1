/* What two members do at the edges of claims: a lease that is lost while its scene opens or is
 * renamed, a scene that is deleted while somebody asks for it, a lease that nobody has a claim of,
 * files that are adopted, and copies that cross each other. Everything happens in steps, on a log
 * in memory. A scene that is made anew just after it was deleted leaves no file behind, and one
 * whose deletion was not seen is kept, even if another scene then has its name. A file follows from
 * name to name; one that the log fell behind is kept; adoption is tried less and less often if
 * something is wrong here. An engine that answers only reads is not well. */
#include <dirent.h>
#include <fcntl.h>
#include <math.h>
#include <sqlite3.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cluster/member.h"
#include "server/maxima.h"
#include "support/simulated_log.h"
#include "unit/store/scene_file.h"

enum { A, B };

struct member {
    char folder[300], arm[320]; /* the file of the scene that tests are about */
    struct gz_member me;
    struct gz_cluster_log log;
    struct gz_cluster *cluster;
    int told; /* how often a claim of it was said to have ended */
};

struct stage {
    struct simulated_engine *engine;
    struct member members[2];
};

/* A pass of the follower never ends before all scenes had their turn, however slow the disk is. */
double __wrap_gz_cluster_now(void);
static double now_s;
double __wrap_gz_cluster_now(void)
{
    return now_s;
}

static const struct gz_log silence = {.level = GZ_ERROR};
static struct stage stage;

static void begin(void **state, size_t which, const char *name)
{
    struct member *member = &stage.members[which];
    const struct gz_cluster_options options = {
        .log = &member->log, .messages = &silence, .folder = member->folder, .me = &member->me};
    snprintf(member->folder, sizeof member->folder, "%s/%s", (const char *)*state, name);
    snprintf(member->arm, sizeof member->arm, "%s/%s/arm.db", (const char *)*state, name);
    snprintf(member->me.name, sizeof member->me.name, "%s", name);
    snprintf(member->me.url, sizeof member->me.url, "http://%s", name);
    assert_int_equal(mkdir(member->folder, 0700), 0);
    simulated_engine_connect(stage.engine, &member->log);
    member->cluster = gz_cluster_prepare(&options);
    assert_non_null(member->cluster);
    gz_cluster_renew(member->cluster);
    gz_lag_report(member->cluster); /* it lacks nothing */
}

static int set_up(void **state)
{
    now_s = 1;
    stage = (struct stage){.engine = simulated_engine_create(1)};
    if (make_directory(state) != 0) return -1;
    begin(state, A, "a");
    begin(state, B, "b");
    return 0;
}

static int tear_down(void **state)
{
    for (int i = A; i <= B; i++) {
        char path[600];
        simulated_log_watch(&stage.members[i].log, NULL, NULL); /* its context was the test's */
        gz_cluster_destroy(stage.members[i].cluster);
        DIR *folder = opendir(stage.members[i].folder);
        for (struct dirent *entry; (entry = readdir(folder)) != NULL;) {
            snprintf(path, sizeof path, "%s/%s", stage.members[i].folder, entry->d_name);
            unlink(path); /* not "." and ".." */
        }
        closedir(folder);
        rmdir(stage.members[i].folder);
    }
    simulated_engine_destroy(stage.engine);
    return remove_directory(state);
}

/* ---- what members do ---- */

/* Its next pass of the follower goes through the scenes in the order of their names. */
static void begin_at_first(const struct member *member)
{
    member->cluster->resume_after[0][0] = member->cluster->resume_after[1][0] = '\0';
}

static void count_told(void *context)
{
    ((struct member *)context)->told++;
}

static enum gz_status try_to_claim(struct member *member, bool create,
                                   struct gz_scene_lease **claim)
{
    char url[GZ_MEMBER_URL_BYTES_MAX + 1];
    struct gz_error error;
    const struct gz_scene_lease_request request = {.name = "arm",
                                                   .path = member->arm,
                                                   .create = create,
                                                   .notify = count_told,
                                                   .context = member};
    return gz_cluster_open(member->cluster, &request, claim, url, &error);
}

/* The lease of the scene, which is made if there is none. */
static struct gz_scene_lease *claim_arm(struct member *member)
{
    struct gz_scene_lease *claim;
    assert_int_equal(try_to_claim(member, true, &claim), GZ_OK);
    assert_non_null(claim);
    return claim;
}

static void follow(struct member *member)
{
    assert_true(gz_follow(member->cluster));
}

/* The scene is made at A, and both have its file. */
static struct gz_scene_lease *share_arm(void)
{
    struct gz_scene_lease *claim = claim_arm(&stage.members[A]);
    follow(&stage.members[B]);
    assert_int_equal(access(stage.members[B].arm, F_OK), 0);
    return claim;
}

/* A is not seen for longer than a lease lasts, and B takes it. */
static uint64_t take_over(void)
{
    struct member *b = &stage.members[B];
    struct gz_lease lease;
    struct gz_error error;
    for (int i = 0; i < 3; i++) {
        simulated_engine_pass(stage.engine, GZ_CLUSTER_LEASE_SECONDS - 1);
        gz_cluster_renew(b->cluster);
    }
    assert_int_equal(b->log.take(b->log.context, "arm", false, 0, &lease, &error), GZ_OK);
    assert_true(lease.is_mine);
    return lease.scene.epoch;
}

static void want_at(const struct member *member)
{
    struct gz_error error;
    assert_int_equal(member->log.want(member->log.context, "arm", member->me.name, &error), GZ_OK);
}

static enum gz_status read_scene(void *to, const struct gz_cluster_scene *scene,
                                 struct gz_error *error)
{
    struct gz_cluster_scene *found = to;
    (void)error;
    if (strcmp(scene->name, found->name) == 0) *found = *scene;
    return GZ_OK;
}

static struct gz_cluster_scene in_log(const char *name)
{
    const struct gz_cluster_log *log = &stage.members[B].log;
    struct gz_cluster_scene found = {.n = 0};
    struct gz_error error;
    snprintf(found.name, sizeof found.name, "%s", name);
    assert_int_equal(log->scenes(log->context, read_scene, &found, &error), GZ_OK);
    return found;
}

static int count_files(const struct member *member, const char *words)
{
    int count = 0;
    DIR *folder = opendir(member->folder);
    assert_non_null(folder);
    for (struct dirent *entry; (entry = readdir(folder)) != NULL;)
        count += strstr(entry->d_name, words) != NULL;
    closedir(folder);
    return count;
}

/* ---- something happens while the log is asked ---- */

struct moment {
    struct member *member;
    void (*happen)(struct member *member);
    int calls_left;        /* until it happens */
    bool at_answer, loses; /* what is said at that moment */
};

static bool handle_call(void *context, const struct simulated_call *call)
{
    struct moment *moment = context;
    if (call->is_answer != moment->at_answer || --moment->calls_left != 0) return true;
    moment->happen(moment->member);
    return !moment->loses;
}

static void watch(struct moment *moment)
{
    simulated_log_watch(&moment->member->log, handle_call, moment);
}

static void cut_off(struct member *member)
{
    simulated_log_set_faults(&member->log, (struct simulated_faults){.is_cut = true});
}

/* ---- the end of a claim ---- */

TEST_BETWEEN(a_claim_that_ends_while_its_scene_opens_is_told, set_up, tear_down)
{
    struct member *a = &stage.members[A], *b = &stage.members[B];
    struct gz_scene_lease *claim = claim_arm(a);
    follow(b);
    want_at(b);
    follow(a);
    assert_int_equal(gz_scene_lease_state(claim), GZ_SCENE_LEASE_WANTED);
    assert_int_equal(a->told, 0);
    gz_scene_lease_opened(claim);
    assert_int_equal(a->told, 1);
    gz_cluster_close(claim);
    claim = claim_arm(b);
    gz_scene_lease_opened(claim);
    assert_int_equal(b->told, 0);
    gz_cluster_close(claim);
}

static void see(struct member *member)
{
    (void)!gz_follow(member->cluster);
}

TEST_BETWEEN(what_a_member_does_itself_is_no_loss, set_up, tear_down)
{
    struct member *a = &stage.members[A], *b = &stage.members[B];
    struct gz_scene_lease *claim = claim_arm(a);
    struct gz_error error;
    struct gz_lease lease;
    struct moment moment = {a, see, 1, true, false};
    watch(&moment);
    assert_int_equal(gz_scene_lease_rename(claim, "leg", &error), GZ_OK);
    assert_int_equal(moment.calls_left, 0);
    assert_int_equal(gz_scene_lease_state(claim), GZ_SCENE_LEASE_HELD);
    gz_cluster_close(claim);
    assert_int_equal(b->log.take(b->log.context, "leg", false, 0, &lease, &error), GZ_OK);
    assert_true(lease.is_mine);
    claim = claim_arm(a);
    moment.calls_left = 1;
    assert_int_equal(gz_scene_lease_delete(claim, &error), GZ_OK);
    assert_int_equal(moment.calls_left, 0);
    gz_cluster_close(claim);
    assert_int_equal(gz_cluster_stats(a->cluster).fenced, 0);
}

/* The scene that has its name then had few leases. */
TEST_BETWEEN(who_lost_a_name_finds_out_when_another_scene_has_it, set_up, tear_down)
{
    struct member *a = &stage.members[A], *b = &stage.members[B];
    const struct gz_cluster_log *log = &b->log;
    struct gz_lease lease;
    struct gz_error error;
    uint64_t epoch;
    for (int i = 0; i < 5; i++) gz_cluster_close(claim_arm(a));
    struct gz_scene_lease *claim = claim_arm(a);
    epoch = take_over();
    assert_int_equal(log->forget(log->context, "arm", epoch, &error), GZ_OK);
    assert_int_equal(log->take(log->context, "leg", true, 0, &lease, &error), GZ_OK);
    assert_int_equal(log->rename(log->context, "leg", lease.scene.epoch, "arm", &epoch, &error),
                     GZ_OK);
    follow(a);
    assert_int_equal(gz_scene_lease_state(claim), GZ_SCENE_LEASE_LOST);
    gz_cluster_close(claim);
}

/* As an earlier process of this member left it. */
TEST_BETWEEN(a_lease_without_a_claim_is_given, set_up, tear_down)
{
    struct member *a = &stage.members[A], *b = &stage.members[B];
    struct gz_lease lease;
    struct gz_error error;
    gz_cluster_close(claim_arm(a));
    assert_int_equal(a->log.take(a->log.context, "arm", false, 0, &lease, &error), GZ_OK);
    follow(b);
    want_at(b);
    follow(a);
    assert_string_equal(in_log("arm").member, "b");
    /* One with a claim is not. */
    struct gz_scene_lease *claim = claim_arm(b);
    want_at(a);
    follow(b);
    assert_string_equal(in_log("arm").member, "b");
    gz_cluster_close(claim);
    assert_string_equal(in_log("arm").member, "a");
}

static void expect_successor(const struct gz_scene_lease *claim, const struct member *expected)
{
    char url[GZ_MEMBER_URL_BYTES_MAX + 1];
    assert_true(gz_scene_lease_successor(claim, url));
    assert_string_equal(url, expected->me.url);
}

/* Nothing was heard of B by a trunk. Who wants a scene is forgotten as it is given. */
TEST_BETWEEN(who_wants_or_has_a_scene_is_its_successor, set_up, tear_down)
{
    struct member *a = &stage.members[A], *b = &stage.members[B];
    struct gz_scene_lease *claim = share_arm();
    struct gz_lease lease;
    struct gz_error error;
    char url[GZ_MEMBER_URL_BYTES_MAX + 1];
    gz_cluster_renew(a->cluster); /* knows B */
    follow(a);
    assert_false(gz_scene_lease_successor(claim, url));
    want_at(b);
    follow(a);
    assert_int_equal(gz_scene_lease_state(claim), GZ_SCENE_LEASE_WANTED);
    expect_successor(claim, b);
    assert_int_equal(a->log.give(a->log.context, "arm", claim->epoch, &error), GZ_OK);
    follow(a);
    expect_successor(claim, b);
    assert_int_equal(b->log.take(b->log.context, "arm", false, 0, &lease, &error), GZ_OK);
    assert_true(lease.is_mine);
    follow(a);
    assert_int_equal(gz_scene_lease_state(claim), GZ_SCENE_LEASE_LOST);
    expect_successor(claim, b);
    gz_cluster_close(claim);
}

/* As PostgreSQL without its standby. */
/* How long this member has not heard of the engine, as it hears that of the other one. */
static void hear(struct member *member, const struct member *other, double silence_s)
{
    gz_cluster_hear(member->cluster, other->me.url, true, silence_s);
    gz_cluster_look(member->cluster);
}

static bool serves(struct member *member)
{
    struct gz_error error;
    return gz_cluster_is_ready(member->cluster, &error);
}

/* The engine was away for both, and then answers b first, which may take nothing for as long as a
 * lease lasts: meanwhile a goes on. */
TEST_BETWEEN(who_is_late_after_an_outage_goes_on, set_up, tear_down)
{
    struct member *a = &stage.members[A], *b = &stage.members[B];
    struct gz_cluster_peer peers[GZ_CLUSTER_MEMBERS_MAX];
    gz_cluster_renew(a->cluster); /* knows b */
    now_s += 2 * GZ_CLUSTER_LEASE_SECONDS;
    simulated_engine_pass(stage.engine, 2 * GZ_CLUSTER_LEASE_SECONDS);
    hear(a, b, 2 * GZ_CLUSTER_LEASE_SECONDS);
    assert_true(serves(a));
    gz_cluster_renew(b->cluster);
    assert_int_equal(gz_cluster_peers(b->cluster, peers), 1);
    assert_false(peers[0].is_over);
    hear(a, b, 0);
    assert_true(serves(a));
    now_s += GZ_CLUSTER_LEASE_SECONDS;
    simulated_engine_pass(stage.engine, GZ_CLUSTER_LEASE_SECONDS);
    hear(a, b, 0);
    assert_false(serves(a)); /* it did not come */
    gz_cluster_renew(b->cluster);
    assert_int_equal(gz_cluster_peers(b->cluster, peers), 1);
    assert_true(peers[0].is_over);
    gz_cluster_renew(a->cluster);
    hear(a, b, 0);
    assert_true(serves(a));
}

/* The engine was away for a alone: b may have its scenes. */
TEST_BETWEEN(who_alone_is_cut_off_steps_down, set_up, tear_down)
{
    struct member *a = &stage.members[A], *b = &stage.members[B];
    gz_cluster_renew(a->cluster);
    for (int i = 0; i < GZ_CLUSTER_LEASE_SECONDS; i++) {
        now_s += 1;
        hear(a, b, 0.5);
        assert_true(serves(a));
    }
    now_s += 1;
    hear(a, b, 0.5);
    assert_false(serves(a));
}

TEST_BETWEEN(an_engine_that_only_answers_who_reads_is_not_well, set_up, tear_down)
{
    struct member *a = &stage.members[A];
    cut_off(a);
    gz_cluster_renew(a->cluster);
    assert_int_equal(a->cluster->trouble.status, GZ_STORAGE);
    simulated_log_set_faults(&a->log, (struct simulated_faults){.lost = 0});
    follow(a);
    assert_int_equal(a->cluster->trouble.status, GZ_STORAGE);
    gz_cluster_renew(a->cluster);
    assert_int_equal(a->cluster->trouble.status, GZ_OK);
}

/* ---- scenes that are deleted ---- */

static uint64_t take_epoch(const char *name, bool create)
{
    const struct gz_cluster_log *log = &stage.members[A].log;
    struct gz_lease lease;
    struct gz_error error;
    assert_int_equal(log->take(log->context, name, create, 0, &lease, &error), GZ_OK);
    assert_true(lease.is_mine);
    return lease.scene.epoch;
}

/* In the log alone. */
static void forget(const char *name)
{
    const struct gz_cluster_log *log = &stage.members[A].log;
    struct gz_error error;
    assert_int_equal(log->forget(log->context, name, take_epoch(name, false), &error), GZ_OK);
}

static void rename_in_log(const char *name, const char *to)
{
    const struct gz_cluster_log *log = &stage.members[A].log;
    struct gz_error error;
    uint64_t epoch;
    assert_int_equal(log->rename(log->context, name, take_epoch(name, false), to, &epoch, &error),
                     GZ_OK);
    assert_int_equal(log->give(log->context, to, epoch, &error), GZ_OK);
}

static void delete_arm(struct gz_scene_lease *claim)
{
    struct gz_error error;
    assert_int_equal(gz_scene_lease_delete(claim, &error), GZ_OK);
    gz_cluster_close(claim);
}

TEST_BETWEEN(who_asks_for_a_deleted_scene_keeps_no_file_of_it, set_up, tear_down)
{
    struct member *b = &stage.members[B];
    struct gz_scene_lease *claim = share_arm();
    delete_arm(claim);
    assert_int_equal(try_to_claim(b, false, &claim), GZ_UNKNOWN_SCENE);
    follow(b);
    assert_int_equal(count_files(b, "arm"), 0);
}

TEST_BETWEEN(who_makes_a_deleted_scene_anew_keeps_no_file_of_it, set_up, tear_down)
{
    struct member *b = &stage.members[B];
    struct gz_scene_lease *claim = share_arm();
    delete_arm(claim);
    claim = claim_arm(b);
    assert_true(gz_scene_lease_is_new(claim));
    assert_int_equal(count_files(b, ".aside-"), 0);
    gz_cluster_close(claim);
}

/* One that did not follow meanwhile may have what nobody else has. */
TEST_BETWEEN(a_file_whose_deletion_was_not_seen_is_kept, set_up, tear_down)
{
    struct member *b = &stage.members[B];
    struct gz_scene_lease *claim = share_arm();
    b->cluster->file_count = 0; /* as a new process */
    delete_arm(claim);
    gz_cluster_close(claim_arm(b));
    assert_int_equal(count_files(b, ".aside-"), 1);
}

/* B was done with the name when it made a scene of that name itself. */
TEST_BETWEEN(a_scene_that_is_made_anew_can_be_deleted_again, set_up, tear_down)
{
    struct member *b = &stage.members[B];
    delete_arm(share_arm());
    follow(b);
    gz_cluster_close(claim_arm(b));
    follow(b);
    assert_int_equal(count_files(b, "arm"), 1);
    forget("arm");
    follow(b);
    assert_int_equal(count_files(b, "arm"), 0);
}

/* As if the disk had refused at first. */
TEST_BETWEEN(a_file_that_a_claim_left_behind_goes_later, set_up, tear_down)
{
    struct member *b = &stage.members[B];
    struct gz_error error;
    delete_arm(share_arm());
    follow(b);
    delete_arm(claim_arm(b));
    assert_int_equal(count_files(b, "arm"), 1);
    follow(b);
    assert_int_equal(count_files(b, "arm"), 0);
    struct gz_scene_lease *claim = claim_arm(b);
    assert_int_equal(gz_scene_lease_rename(claim, "leg", &error), GZ_OK);
    gz_cluster_close(claim);
    follow(b);
    assert_int_equal(count_files(b, "arm"), 0);
    assert_int_equal(count_files(b, "leg"), 1);
}

/* B has the file of the first scene of the name, and there was a second one. */
static void delete_twice(void)
{
    gz_cluster_close(share_arm());
    forget("arm");
    (void)take_epoch("arm", true);
    forget("arm");
}

TEST_BETWEEN(a_file_goes_when_later_ones_of_its_name_are_gone_too, set_up, tear_down)
{
    struct member *b = &stage.members[B];
    delete_twice();
    follow(b);
    assert_int_equal(count_files(b, "arm"), 0);
}

TEST_BETWEEN(it_is_kept_where_that_was_not_seen, set_up, tear_down)
{
    struct member *b = &stage.members[B];
    delete_twice();
    b->cluster->file_count = 0; /* as a new process */
    follow(b);
    assert_int_equal(count_files(b, "arm"), 1);
    assert_int_equal(count_files(b, "arm.aside-"), 1);
}

static void make_alone(const struct member *member, const char *name)
{
    struct gz_scene_state scene;
    char path[400];
    snprintf(path, sizeof path, "%s/%s.db", member->folder, name);
    struct gz_store *store = open_scene(path, true, START_TIME, &scene);
    gz_scene_state_finish(&scene);
    gz_store_close(store);
}

static void adopt(struct member *member)
{
    follow(member);
    gz_import_existing(member->cluster);
}

/* ---- a name that an older scene has now ---- */

/* Both members have both scenes. */
static void share_after(const char *older, const char *younger, double seconds)
{
    struct member *a = &stage.members[A];
    make_alone(a, older);
    adopt(a);
    simulated_engine_pass(stage.engine, seconds);
    make_alone(a, younger);
    a->cluster->adopt_s = 0;
    adopt(a);
    follow(&stage.members[B]);
    assert_true(in_log(older).n < in_log(younger).first_n);
}

static void share_two(const char *older, const char *younger)
{
    share_after(older, younger, 1);
}

/* To open the store of a scene is a change. */
static void change(struct member *member, const char *name, int count)
{
    char path[400], url[GZ_MEMBER_URL_BYTES_MAX + 1];
    struct gz_scene_lease *claim;
    struct gz_error error;
    const struct gz_scene_lease_request request = {
        .name = name, .path = path, .notify = count_told, .context = member};
    snprintf(path, sizeof path, "%s/%s.db", member->folder, name);
    assert_int_equal(gz_cluster_open(member->cluster, &request, &claim, url, &error), GZ_OK);
    assert_non_null(claim);
    const uint64_t n = in_log(name).n;
    for (int i = 0; i < count; i++) {
        struct gz_store *store;
        struct gz_scene_state scene;
        const struct gz_store_options options = {
            .path = path, .time = START_TIME + i, .shipping = gz_scene_lease_shipping(claim)};
        assert_int_equal(gz_store_open(&store, &options, &scene, &error), GZ_OK);
        gz_scene_state_finish(&scene);
        gz_store_close(store);
    }
    assert_true(in_log(name).n >= n + (uint64_t)count);
    gz_cluster_close(claim);
}

/* So many that the places of the younger one are in between. */
static void share_meeting(const char *older, const char *younger)
{
    share_after(older, younger, 0.005);
    change(&stage.members[A], older, 12);
    follow(&stage.members[B]);
    assert_true(in_log(older).n > in_log(younger).n);
}

/* The younger one is deleted, and the older one gets its name. */
static void replace(const char *older, const char *younger)
{
    forget(younger);
    rename_in_log(older, younger);
}

/* Until all that waited for something else has its turn. */
static void follow_long(struct member *member)
{
    for (int i = 0; i < 4; i++) {
        follow(member);
        for (size_t j = 0; j < member->cluster->file_count; j++)
            member->cluster->files[j].retry_s = 0;
    }
}

/* And not of the name that it had before. */
static void expect_scene(const struct member *member, const char *name, const char *before)
{
    struct gz_place place;
    struct gz_error error;
    char path[400];
    snprintf(path, sizeof path, "%s/%s.db", member->folder, before);
    assert_int_not_equal(access(path, F_OK), 0);
    snprintf(path, sizeof path, "%s/%s.db", member->folder, name);
    assert_int_equal(gz_store_place(path, &place, &error), GZ_OK);
    assert_int_equal(place.n, in_log(name).n);
    assert_int_equal(place.first, in_log(name).first_n);
}

TEST_BETWEEN(an_older_scene_takes_the_name_of_one_that_is_deleted, set_up, tear_down)
{
    struct member *b = &stage.members[B];
    share_two("leg", "arm");
    replace("leg", "arm");
    follow_long(b);
    expect_scene(b, "arm", "leg");
    assert_int_equal(count_files(b, ".aside-"), 0);
}

/* The name that is left, arm, comes first in the list. */
static void expect_to_wait_for_leg(void)
{
    struct member *b = &stage.members[B];
    replace("arm", "leg");
    begin_at_first(b);
    for (size_t i = 0; i < b->cluster->file_count; i++) b->cluster->files[i].listed_n = 0;
    follow(b);
    assert_int_equal(access(b->arm, F_OK), 0);
    follow_long(b);
    expect_scene(b, "leg", "arm");
    assert_int_equal(count_files(b, ".aside-"), 0);
}

TEST_BETWEEN(the_file_of_the_old_name_waits_for_that_of_the_new_one, set_up, tear_down)
{
    share_two("arm", "leg");
    expect_to_wait_for_leg();
}

TEST_BETWEEN(who_did_not_see_that_keeps_the_file_of_the_deleted_one, set_up, tear_down)
{
    struct member *b = &stage.members[B];
    share_two("leg", "arm");
    replace("leg", "arm");
    b->cluster->file_count = 0; /* as a new process */
    follow_long(b);
    expect_scene(b, "arm", "leg");
    assert_int_equal(count_files(b, "arm.aside-"), 1);
}

static void plant_aside(const struct member *member, int number, bool is_there)
{
    char path[400];
    snprintf(path, sizeof path, "%s/old.aside-%d.db", member->folder, number);
    if (!is_there) {
        assert_int_equal(unlink(path), 0);
        return;
    }
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fclose(file);
}

TEST_BETWEEN(with_too_many_files_aside_a_file_stays_where_it_is, set_up, tear_down)
{
    struct member *b = &stage.members[B];
    struct gz_place before, after;
    struct gz_error error;
    share_two("leg", "arm");
    assert_int_equal(gz_store_place(b->arm, &before, &error), GZ_OK);
    for (int i = 0; i < GZ_CLUSTER_ASIDE_MAX; i++) plant_aside(b, i, true);
    replace("leg", "arm");
    b->cluster->file_count = 0;
    follow_long(b);
    assert_int_equal(count_files(b, ".aside-"), GZ_CLUSTER_ASIDE_MAX);
    assert_int_equal(gz_store_place(b->arm, &after, &error), GZ_OK);
    assert_memory_equal(&after, &before, sizeof before);
    plant_aside(b, 7, false);
    follow_long(b);
    expect_scene(b, "arm", "leg");
    assert_int_equal(count_files(b, "arm.aside-"), 1);
}

TEST_BETWEEN(no_scene_is_made_of_the_file_of_a_deleted_one, set_up, tear_down)
{
    struct member *b = &stage.members[B];
    share_two("leg", "arm");
    replace("leg", "arm");
    forget("arm");
    b->cluster->file_count = 0;
    struct gz_scene_lease *claim = claim_arm(b);
    assert_true(gz_scene_lease_is_new(claim));
    assert_int_equal(count_files(b, "arm.aside-"), 1);
    gz_cluster_close(claim);
}

/* Its place could be one of the scene that has its name now. */
TEST_BETWEEN(the_file_of_a_deleted_scene_is_not_taken_for_that_of_an_older_one, set_up, tear_down)
{
    share_meeting("arm", "leg");
    expect_to_wait_for_leg();
}

/* B is up to date with the one, and is to notice that it is another one now. */
TEST_BETWEEN(a_scene_at_the_place_of_a_deleted_one_is_another_one, set_up, tear_down)
{
    struct member *b = &stage.members[B];
    share_after("leg", "arm", 0.005);
    change(&stage.members[A], "leg", 5);
    follow(b);
    assert_int_equal(in_log("leg").n, in_log("arm").n);
    replace("leg", "arm");
    follow_long(b);
    expect_scene(b, "arm", "leg");
    assert_int_equal(count_files(b, ".aside-"), 0);
}

/* The copy in the log is of a later place. */
TEST_BETWEEN(no_copy_is_written_over_the_file_of_a_deleted_scene, set_up, tear_down)
{
    struct member *a = &stage.members[A], *b = &stage.members[B];
    struct gz_error error;
    char path[400];
    share_meeting("leg", "arm");
    snprintf(path, sizeof path, "%s/leg.db", a->folder);
    assert_int_equal(gz_put_copy(a->cluster, "leg", take_epoch("leg", false), path, &error), GZ_OK);
    replace("leg", "arm");
    assert_true(in_log("arm").copy_n > in_log("arm").before_n);
    b->cluster->file_count = 0; /* as a new process */
    follow_long(b);
    expect_scene(b, "arm", "leg");
    assert_int_equal(count_files(b, "arm.aside-"), 1);
}

/* The name became another scene's between the list and the reading of the copy. */
TEST_BETWEEN(a_copy_of_another_scene_is_written_over_nothing, set_up, tear_down)
{
    struct member *b = &stage.members[B];
    struct gz_applier *applier = NULL;
    struct gz_followed file = {.n = 0};
    struct gz_error error;
    share_meeting("leg", "arm");
    struct gz_cluster_scene scene = in_log("arm");
    replace("leg", "arm");
    scene.copy_n = ++scene.n;
    assert_int_equal(gz_catch_up(b->cluster, &scene, b->arm, false, &applier, &file, &error),
                     GZ_OK);
    gz_applier_close(applier);
    assert_int_equal(file.first_n, in_log("arm").first_n);
    assert_int_equal(count_files(b, "arm.aside-"), 1);
}

TEST_BETWEEN(no_change_is_applied_to_the_open_file_of_a_deleted_scene, set_up, tear_down)
{
    struct member *b = &stage.members[B];
    share_meeting("leg", "arm");
    change(&stage.members[A], "arm", 1);
    follow(b);
    assert_true(strcmp(b->cluster->kept[0].name, "arm") == 0 ||
                strcmp(b->cluster->kept[1].name, "arm") == 0);
    replace("leg", "arm");
    assert_true(in_log("arm").before_n < in_log("arm").n);
    follow_long(b);
    expect_scene(b, "arm", "leg");
    assert_int_equal(count_files(b, ".aside-"), 0);
}

/* As if the log had lost them. The deleted scene had come further than this one. */
TEST_BETWEEN(a_file_that_is_ahead_is_not_taken_for_that_of_a_deleted_scene, set_up, tear_down)
{
    struct member *b = &stage.members[B];
    struct gz_applier *applier = NULL;
    struct gz_followed file = {.n = 0};
    struct gz_error error;
    share_two("leg", "arm");
    replace("leg", "arm");
    follow_long(b);
    tell(b->arm, "UPDATE scene SET log_n = log_n + 3");
    vouch_for(b->arm);
    const struct gz_cluster_scene scene = in_log("arm");
    assert_true(scene.n + 3 < scene.before_n);
    assert_int_equal(gz_catch_up(b->cluster, &scene, b->arm, false, &applier, &file, &error),
                     GZ_CONFLICT);
    assert_non_null(strstr(error.message, "ahead of the log"));
    assert_int_equal(count_files(b, ".aside-"), 0);
    assert_int_equal(ask(b->arm, "SELECT log_n FROM scene"), scene.n + 3);
}

/* ---- a list of scenes that is older than a claim ---- */

/* Makes `happen` come after the follower has the list, and before the turn of "arm". */
static void follow_while(struct member *member, void (*happen)(struct member *member))
{
    struct moment moment = {member, happen, 2, false, false};
    make_alone(&stage.members[A], "aaa");
    stage.members[A].cluster->adopt_s = 0;
    adopt(&stage.members[A]);
    begin_at_first(member);
    watch(&moment);
    follow(member);
    assert_true(moment.calls_left <= 0);
    simulated_log_watch(&member->log, NULL, NULL);
}

static void change_arm(struct member *member)
{
    change(member, "arm", 2);
}

TEST_BETWEEN(what_a_claim_adds_meanwhile_is_not_set_aside, set_up, tear_down)
{
    struct member *b = &stage.members[B];
    share_two("leg", "arm");
    replace("leg", "arm");
    follow_long(b);
    follow_while(b, change_arm);
    assert_true(in_log("arm").n < in_log("arm").before_n);
    expect_scene(b, "arm", "leg");
    assert_int_equal(count_files(b, ".aside-"), 0);
}

/* The file takes its new name before the claim ends, as in host/retire.c. */
static void rename_leg(struct member *member)
{
    char path[400], url[GZ_MEMBER_URL_BYTES_MAX + 1];
    struct gz_scene_lease *claim;
    struct gz_error error;
    const struct gz_scene_lease_request request = {
        .name = "leg", .path = path, .notify = count_told, .context = member};
    snprintf(path, sizeof path, "%s/leg.db", member->folder);
    assert_int_equal(gz_cluster_open(member->cluster, &request, &claim, url, &error), GZ_OK);
    assert_int_equal(gz_scene_lease_rename(claim, "arm", &error), GZ_OK);
    assert_int_equal(gz_store_rename(path, member->arm, &error), GZ_OK);
    gz_cluster_close(claim);
}

TEST_BETWEEN(the_file_of_a_scene_that_is_renamed_meanwhile_stays, set_up, tear_down)
{
    struct member *a = &stage.members[A], *b = &stage.members[B];
    share_two("leg", "arm");
    forget("arm");
    assert_int_equal(unlink(b->arm), 0);
    follow_while(b, rename_leg);
    expect_scene(b, "arm", "leg");
    assert_int_equal(count_files(b, ".aside-"), 0);
    follow(a);
    follow(b);
    expect_scene(b, "arm", "leg");
}

/* ---- a name after another ---- */

/* B has the first name's file alone. */
static void rename_twice(void)
{
    struct member *a = &stage.members[A];
    make_alone(a, "zed");
    adopt(a);
    follow(&stage.members[B]);
    rename_in_log("zed", "arm");
    rename_in_log("arm", "mid");
}

TEST_BETWEEN(a_file_follows_from_name_to_name, set_up, tear_down)
{
    struct member *b = &stage.members[B];
    rename_twice();
    begin_at_first(b);
    follow_long(b);
    expect_scene(b, "mid", "zed");
    assert_int_equal(count_files(b, "arm"), 0);
    assert_int_equal(count_files(b, ".aside-"), 0);
}

TEST_BETWEEN(it_goes_where_the_last_name_is_gone, set_up, tear_down)
{
    struct member *b = &stage.members[B];
    rename_twice();
    forget("mid");
    begin_at_first(b);
    follow_long(b);
    assert_int_equal(count_files(b, ".db"), 0);
}

TEST_BETWEEN(it_is_kept_where_that_deletion_was_not_seen, set_up, tear_down)
{
    struct member *b = &stage.members[B];
    rename_twice();
    forget("mid");
    b->cluster->file_count = 0; /* as a new process */
    begin_at_first(b);
    follow_long(b);
    assert_int_equal(count_files(b, ".db"), 1);
    assert_int_equal(count_files(b, ".aside-"), 1);
}

/* The file of a scene that was renamed and deleted does not get into a new scene that is just being
 * made under its last name. */
TEST_BETWEEN(no_scene_is_made_of_a_file_that_moves_meanwhile, set_up, tear_down)
{
    struct member *a = &stage.members[A], *b = &stage.members[B];
    struct moment moment = {b, see, 2, true, false}; /* once the new scene is in the log */
    make_alone(a, "leg");
    adopt(a);
    follow(b);
    simulated_engine_pass(stage.engine, 1);
    rename_in_log("leg", "arm");
    forget("arm");
    watch(&moment);
    struct gz_scene_lease *claim = claim_arm(b);
    assert_true(moment.calls_left <= 0);
    assert_true(gz_scene_lease_is_new(claim));
    gz_cluster_close(claim);
    follow_long(b);
    expect_scene(b, "arm", "leg");
}

/* ---- a crash while a file becomes one with a write-ahead log ---- */

/* As a crash leaves a file that is being written to without a write-ahead log: half of what is
 * written is in it, and a journal takes that back. */
static void break_off_a_write(const char *path)
{
    const pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        sqlite3 *db;
        const bool is_written =
            sqlite3_open(path, &db) == SQLITE_OK &&
            sqlite3_exec(db,
                         "PRAGMA journal_mode = DELETE; PRAGMA cache_size = 1; BEGIN;"
                         "CREATE TABLE half (bytes BLOB);"
                         "INSERT INTO half WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1"
                         " FROM n WHERE i < 200) SELECT zeroblob(4000) FROM n",
                         NULL, NULL, NULL) == SQLITE_OK;
        _exit(is_written ? 0 : 1);
    }
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
}

TEST_BETWEEN(a_write_that_was_broken_off_is_taken_back, set_up, tear_down)
{
    struct member *a = &stage.members[A], *b = &stage.members[B];
    gz_cluster_close(share_arm());
    change(a, "arm", 1);
    break_off_a_write(b->arm);
    b->cluster->file_count = 0; /* as a new process */
    follow_long(b);
    expect_scene(b, "arm", "leg");
    gz_follow_nothing(b->cluster); /* closes the file */
    break_off_a_write(b->arm);
    gz_cluster_close(claim_arm(b));
    break_off_a_write(a->arm);
    change(a, "arm", 1);
}

/* ---- adopting ---- */

/* When what failed is due again. */
static void adopt_later(struct member *member)
{
    member->cluster->adopt_s = 0;
    for (size_t i = 0; i < member->cluster->adoption_count; i++)
        member->cluster->adoptions[i].retry_s = 0;
    adopt(member);
}

static bool count_taking(void *context, const struct simulated_call *call)
{
    *(int *)context += call->is_answer && call->lease != NULL;
    return true;
}

/* A folder of the copy's name is as good as a full disk. */
TEST_BETWEEN(what_fails_here_is_adopted_less_and_less_often, set_up, tear_down)
{
    struct member *a = &stage.members[A];
    char copy[400];
    int takings = 0;
    make_alone(a, "arm");
    snprintf(copy, sizeof copy, "%s/" GZ_COPY_PREFIX "arm.db", a->folder);
    assert_int_equal(mkdir(copy, 0700), 0);
    adopt(a);
    assert_int_equal(a->cluster->adoption_count, 1);
    const struct gz_adoption *failed = a->cluster->adoptions;
    const double first_s = failed->wait_s;
    simulated_log_watch(&a->log, count_taking, &takings);
    a->cluster->adopt_s = 0;
    adopt(a); /* too early */
    assert_int_equal(takings, 0);
    for (int i = 0; i < 20; i++) adopt_later(a);
    assert_true(takings >= 20);
    assert_true(failed->wait_s > 20 * first_s && failed->wait_s < 1000);
    assert_int_equal(rmdir(copy), 0);
    adopt_later(a);
    assert_true(in_log("arm").has_copy);
    assert_false(isfinite(a->cluster->adopt_s));
}

TEST_BETWEEN(a_file_that_is_just_being_opened_is_adopted_by_its_opener, set_up, tear_down)
{
    struct member *a = &stage.members[A];
    struct moment moment = {a, adopt, 1, false, false};
    make_alone(a, "arm");
    make_alone(a, "leg");
    watch(&moment);
    struct gz_scene_lease *claim = claim_arm(a);
    assert_true(moment.calls_left <= 0);
    assert_true(in_log("leg").has_copy);
    assert_true(isfinite(a->cluster->adopt_s));
    gz_cluster_close(claim);
    a->cluster->adopt_s = 0;
    adopt(a);
    assert_false(isfinite(a->cluster->adopt_s));
    assert_true(in_log("arm").has_copy);
}

TEST_BETWEEN(what_the_log_did_not_take_is_adopted_later, set_up, tear_down)
{
    struct member *a = &stage.members[A];
    struct moment moment = {a, cut_off, 3, true, true}; /* the scene is made, and has no copy */
    make_alone(a, "arm");
    make_alone(a, "leg");
    watch(&moment);
    adopt(a);
    assert_true(in_log("arm").first_n + in_log("leg").first_n > 0);
    assert_false(in_log("arm").has_copy || in_log("leg").has_copy);
    assert_true(isfinite(a->cluster->adopt_s));
    simulated_log_set_faults(&a->log, (struct simulated_faults){.lost = 0});
    adopt_later(a);
    assert_true(in_log("arm").has_copy && in_log("leg").has_copy);
    assert_false(isfinite(a->cluster->adopt_s));
}

/* Its place is later than the clock of this engine. */
TEST_BETWEEN(a_file_of_another_engine_is_the_beginning_of_a_scene, set_up, tear_down)
{
    struct member *a = &stage.members[A];
    struct gz_place place;
    struct gz_error error;
    const uint64_t n = UINT64_C(1) << 50;
    make_alone(a, "arm");
    tell(a->arm, "UPDATE scene SET log_n = 1 << 50, log_first = 5");
    vouch_for(a->arm);
    gz_cluster_close(claim_arm(a));
    assert_int_equal(gz_store_place(a->arm, &place, &error), GZ_OK);
    assert_int_equal(place.n, n + 1);
    assert_int_equal(place.first, n + 1);
    assert_int_equal(in_log("arm").copy_n, n + 1);
}

/* It got no further than the lease. */
static void make_and_die(struct member *member)
{
    struct gz_lease lease;
    struct gz_error error;
    const struct gz_cluster_log *log = &stage.members[A].log;
    (void)member;
    assert_int_equal(log->take(log->context, "arm", true, 0, &lease, &error), GZ_OK);
    assert_int_equal(log->give(log->context, "arm", lease.scene.epoch, &error), GZ_OK);
}

/* Whoever made it may have a file with the first place. */
TEST_BETWEEN(a_scene_that_another_began_to_make_is_made_anew, set_up, tear_down)
{
    struct member *b = &stage.members[B];
    struct moment moment = {b, make_and_die, 1, true, false};
    struct gz_place place;
    struct gz_error error;
    const uint64_t n = UINT64_C(1) << 50;
    make_alone(b, "arm");
    tell(b->arm, "UPDATE scene SET log_n = 1 << 50, log_first = 5");
    vouch_for(b->arm);
    watch(&moment);
    gz_cluster_close(claim_arm(b));
    assert_true(moment.calls_left <= 0);
    assert_int_equal(gz_store_place(b->arm, &place, &error), GZ_OK);
    assert_int_equal(place.n, n + 1);
    assert_int_equal(in_log("arm").first_n, n + 1);
    assert_int_equal(in_log("arm").copy_n, n + 1);
}

TEST_BETWEEN(a_new_scene_that_another_began_to_make_is_made_anew, set_up, tear_down)
{
    struct member *b = &stage.members[B];
    struct moment moment = {b, make_and_die, 1, true, false};
    struct gz_place place;
    struct gz_error error;
    watch(&moment);
    struct gz_scene_lease *claim = claim_arm(b);
    const uint64_t others = UINT64_C(1000000000) * 1000; /* by the clock of the engine */
    assert_int_equal(gz_store_place(b->arm, &place, &error), GZ_OK);
    assert_true(place.n > others);
    assert_int_equal(in_log("arm").first_n, place.n);
    gz_cluster_close(claim);
}

/* ---- copies ---- */

/* As if the scene came back to this member, from another one. */
static void begin_to_receive(struct member *member)
{
    char *path = gz_cluster_copy_path(member->cluster, "arm");
    int file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    assert_true(file >= 0 && write(file, "half", 4) == 4);
    close(file);
    free(path);
}

TEST_BETWEEN(a_copy_that_is_sent_is_not_one_that_comes, set_up, tear_down)
{
    struct member *a = &stage.members[A];
    struct gz_scene_lease *claim = claim_arm(a);
    struct moment moment = {a, begin_to_receive, 2, false, false}; /* after the list */
    gz_scene_lease_opened(claim);
    claim->bytes_since_copy = UINT64_C(1) << 30;
    watch(&moment);
    follow(a);
    assert_int_equal(moment.calls_left, 0);
    assert_int_equal(count_files(a, GZ_COPY_PREFIX), 1);
    gz_cluster_close(claim);
}

/* An engine that forgot what it had acknowledged, between its list and the reading. */
TEST_BETWEEN(a_file_that_the_log_fell_behind_is_kept, set_up, tear_down)
{
    struct member *b = &stage.members[B];
    struct gz_scene_lease *claim = share_arm();
    struct gz_cluster_scene scene = in_log("arm");
    struct gz_applier *applier = NULL;
    struct gz_error error;
    struct gz_followed file = {.n = 0};
    tell(b->arm, "UPDATE scene SET log_n = log_n + 2");
    scene.n += 3;
    assert_int_equal(gz_catch_up(b->cluster, &scene, b->arm, false, &applier, &file, &error),
                     GZ_OK);
    gz_applier_close(applier);
    assert_int_equal(file.n, scene.n - 3);
    assert_int_equal(count_files(b, ".aside-"), 1);
    gz_cluster_close(claim);
}

/* ---- what files lack ---- */

static void expect_one_change_behind(struct member *member)
{
    const struct gz_cluster_stats stats = gz_cluster_stats(member->cluster);
    assert_int_equal(stats.behind, 1);
    assert_int_equal(stats.behind_scenes, 1);
    assert_int_equal(member->cluster->file_count, 1);
    assert_true(member->cluster->files[0].behind_from_s > 0);
}

TEST_BETWEEN(a_file_that_was_not_looked_at_does_not_lack_everything, set_up, tear_down)
{
    struct member *a = &stage.members[A], *b = &stage.members[B];
    struct moment moment = {b, expect_one_change_behind, 2, false, false}; /* after the list */
    struct gz_scene_lease *claim = claim_arm(a);
    struct gz_error error;
    const uint64_t n = in_log("arm").n;
    for (uint64_t i = 1; i <= 5; i++) {
        const struct gz_cluster_change change = {
            .n = n + i, .epoch = claim->epoch, .bytes = (const uint8_t *)"?", .size = 1};
        assert_int_equal(a->log.append(a->log.context, "arm", &change, &error), GZ_OK);
    }
    watch(&moment);
    follow(b);
    assert_true(moment.calls_left <= 0);
    assert_int_equal(gz_cluster_stats(b->cluster).behind, 5); /* the changes are none */
    gz_cluster_close(claim);
}

TEST_BETWEEN(the_place_of_a_file_is_known_when_its_claim_ends, set_up, tear_down)
{
    struct member *a = &stage.members[A];
    gz_cluster_close(claim_arm(a));
    follow(a);
    assert_int_equal(a->cluster->files[0].n, in_log("arm").n);
    struct gz_scene_lease *claim = claim_arm(a);
    tell(a->arm, "UPDATE scene SET log_n = log_n + 3");
    vouch_for(a->arm);
    gz_cluster_close(claim);
    assert_int_equal(a->cluster->files[0].n, in_log("arm").n + 3);
}
