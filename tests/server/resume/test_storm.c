/* Over 10,000 random disconnects every viewer's state, rebuilt from deltas alone, equals the
 * server's, byte for byte; no gap, no double, no disorder. Several people edit all the time; the
 * network cuts, stalls and delays in the middle of frames; the daemon is ended and killed and comes
 * back. GIZMOD_TIMES and GIZMOD_SEED choose how many and which. */
#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "dump.h"
#include "editors.h"
#include "follower.h"
#include "proxy.h"
#include "server/maxima.h"
#include "support/chance.h"
#include "support/cmocka.h"
#include "support/daemon.h"

#define SCENE "storm"
#define EDITORS 3
#define FOLLOWERS 4
#define PATIENCE_S 60.0
#define QUIET_EVERY 100  /* disconnects */
#define RESTART_EVERY 25 /* about */
#define STEP_US 1000     /* between two things that each editor does: below the limit of messages */
#define EDITS_MAX 4000000

/* What is different from one storm to another. */
struct kind {
    uint64_t nodes; /* in the scene, about */
    size_t name_bytes;
    uint64_t bits_min, bits_max; /* how long connections live: proxy.h */
    bool change_all;             /* people also change every node at once */
};

struct storm {
    struct test_daemon daemon;
    struct proxy *proxy;
    struct past past;
    struct editor editors[EDITORS];
    struct follower followers[FOLLOWERS];
    uint64_t random, losses, restarts, kills, quiet_points;
    uint64_t restart_at; /* losses */
};

/* ---- beginning and end ---- */

static void begin(struct storm *storm, const struct kind *kind)
{
    static const char *const users[EDITORS] = {"anna", "bert", "carl"};
    static const char *const names[FOLLOWERS] = {"follower 1", "follower 2", "follower 3",
                                                 "follower 4"};
    *storm = (struct storm){.random = chance_seed(1)};
    print_message("seed %" PRIu64 "\n", storm->random);
    test_daemon_init(&storm->daemon);
    test_daemon_start(&storm->daemon, NULL, NULL);
    for (size_t i = 0; i < EDITORS; i++) {
        editor_start(&storm->editors[i], storm->daemon.url, SCENE, users[i],
                     chance_below(&storm->random, UINT64_MAX));
        storm->editors[i].nodes_min = kind->nodes / 2;
        storm->editors[i].nodes_max = kind->nodes;
        storm->editors[i].name_bytes = kind->name_bytes;
    }
    editor_fill(&storm->editors[0]);
    char path[160];
    snprintf(path, sizeof path, "%s/%s.db", storm->daemon.data, SCENE);
    storm->past.file = file_open(path);
    storm->proxy = proxy_start(storm->daemon.port, kind->bits_min, kind->bits_max,
                               chance_below(&storm->random, UINT64_MAX));
    for (size_t i = 0; i < FOLLOWERS; i++)
        follower_start(&storm->followers[i], names[i], proxy_url(storm->proxy), SCENE);
}

static void finish(struct storm *storm)
{
    uint64_t resumes = 0;
    for (size_t i = 0; i < FOLLOWERS; i++) {
        resumes += storm->followers[i].resumes;
        follower_finish(&storm->followers[i]);
    }
    for (size_t i = 0; i < EDITORS; i++) editor_finish(&storm->editors[i]);
    print_message("%" PRIu64 " disconnects, %" PRIu64 " resumed; the daemon ended %" PRIu64
                  " and was killed %" PRIu64 " times; ends %" PRIu64 ", resets %" PRIu64
                  ", stalls %" PRIu64 ", delays %" PRIu64 ", goodbyes %" PRIu64 "; %" PRIu64
                  " quiet points\n",
                  storm->losses, resumes, storm->restarts, storm->kills,
                  proxy_count(storm->proxy, PROXY_END), proxy_count(storm->proxy, PROXY_RESET),
                  proxy_count(storm->proxy, PROXY_STALL), proxy_count(storm->proxy, PROXY_DELAY),
                  proxy_count(storm->proxy, PROXY_CLOSE), storm->quiet_points);
    proxy_finish(storm->proxy);
    file_close(storm->past.file);
    test_daemon_end(&storm->daemon);
    test_daemon_finish(&storm->daemon);
    free(storm);
}

/* ---- the storm ---- */

static void hear_all(struct storm *storm)
{
    storm->losses = 0;
    for (size_t i = 0; i < FOLLOWERS; i++) {
        follower_hear(&storm->followers[i], &storm->past);
        storm->losses += storm->followers[i].losses;
    }
}

/* The editors live in this thread: they take their leave while the daemon waits for them to. */
static void end_daemon(struct storm *storm)
{
    test_daemon_ask_to_end(&storm->daemon);
    while (!test_daemon_has_ended(&storm->daemon)) {
        for (size_t i = 0; i < EDITORS; i++) editor_hear(&storm->editors[i]);
        hear_all(storm);
        usleep(STEP_US);
    }
    test_daemon_end(&storm->daemon);
}

static void restart(struct storm *storm)
{
    if (chance_below(&storm->random, 2) == 0) {
        end_daemon(storm);
        storm->restarts++;
    } else {
        test_daemon_kill(&storm->daemon);
        storm->kills++;
    }
    test_daemon_start(&storm->daemon, NULL, NULL);
    storm->restart_at = storm->losses + 1 + chance_below(&storm->random, 2 * RESTART_EVERY);
}

static void rage(struct storm *storm, const struct kind *kind, uint64_t losses)
{
    proxy_set_foul(storm->proxy, true);
    while (storm->losses < losses) {
        for (size_t i = 0; i < EDITORS; i++) editor_step(&storm->editors[i]);
        if (kind->change_all && chance_below(&storm->random, 100) == 0)
            editor_change_all(&storm->editors[chance_below(&storm->random, EDITORS)]);
        if (chance_below(&storm->random, 100) == 0)
            follower_order(&storm->followers[chance_below(&storm->random, FOLLOWERS)], "cut\n");
        hear_all(storm);
        if (storm->losses >= storm->restart_at) restart(storm);
        usleep(STEP_US);
    }
}

/* ---- a quiet point ---- */

static char *text_of_mirror(const struct gz_mirror *mirror)
{
    char *text;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    assert_non_null(out);
    dump_mirror(out, mirror);
    fclose(out);
    return text;
}

static char *text_of_file(struct scene_file *file)
{
    char *text;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    assert_non_null(out);
    file_dump(out, file);
    fclose(out);
    return text;
}

static void assert_same(const char *whose, const char *text, const char *truth)
{
    size_t line = 0, at = 0;
    for (; text[at] != '\0' && text[at] == truth[at]; at++)
        if (text[at] == '\n') line = at + 1;
    if (text[at] != truth[at])
        fail_msg("%s has\n%.500s\nwhere the file has\n%.500s", whose, text + line, truth + line);
}

/* A client that was never here before. */
static void assert_newcomer_has(struct storm *storm, const char *truth)
{
    struct gz_client_options options = {.url = storm->daemon.url, .scene = SCENE, .user = "dora"};
    struct gz_client *client;
    struct gz_error error = {0};
    if (gz_client_create(&client, &options, &error) != GZ_OK ||
        gz_client_await(client, 0, PATIENCE_S, &error) != GZ_OK)
        fail_msg("a newcomer: %s", error.message);
    char *text = text_of_mirror(gz_client_mirror(client));
    assert_same("a newcomer", text, truth);
    free(text);
    gz_client_destroy(client);
}

/* The seqs of edits, ascending. */
struct edits {
    uint64_t *seqs;
    size_t count;
};

static struct edits read_edits(struct scene_file *file, const char *sql)
{
    struct edits edits = {.seqs = malloc(EDITS_MAX * sizeof *edits.seqs)};
    assert_non_null(edits.seqs);
    edits.count = file_integers(file, sql, edits.seqs, EDITS_MAX);
    return edits;
}

/* An edit that is not among the latest that are kept may be missed by who was away for so long. */
static bool was_kept(const struct edits *all, uint64_t seq, uint64_t at)
{
    size_t later = 0;
    for (size_t i = 0; i < all->count; i++) later += all->seqs[i] >= seq && all->seqs[i] <= at;
    return later <= GZ_UNDO_EDITS_MAX;
}

/* Every edit that people completed is among those that were heard of. */
static void assert_none_missed(const struct follower *follower, const struct edits *completed,
                               const struct edits *all)
{
    size_t heard = 0;
    for (size_t i = 0; i < completed->count; i++) {
        uint64_t seq = completed->seqs[i];
        if (seq <= follower->edits_from) continue;
        while (heard < follower->edit_count && follower->edits[heard].seq < seq) heard++;
        bool there = heard < follower->edit_count;
        if (there && follower->edits[heard].seq == seq) continue;
        if (!there || was_kept(all, seq, follower->edits[heard].at))
            fail_msg("%s was not told of the edit of seq %" PRIu64, follower->name, seq);
    }
}

static void assert_none_made_up(const struct follower *follower, const struct edits *all)
{
    for (size_t i = 0, at = 0; i < follower->edit_count; i++) {
        uint64_t seq = follower->edits[i].seq;
        while (at < all->count && all->seqs[at] < seq) at++;
        if (at == all->count || all->seqs[at] != seq)
            fail_msg("%s was told of an edit of seq %" PRIu64 " that is not there", follower->name,
                     seq);
    }
}

static void assert_editor_has(struct editor *editor, uint64_t seq, const char *truth)
{
    struct gz_error error = {0};
    if (gz_client_await(editor->client, seq, PATIENCE_S, &error) != GZ_OK)
        fail_msg("an editor: %s", error.message);
    char *text = text_of_mirror(gz_client_mirror(editor->client));
    assert_same("an editor", text, truth);
    free(text);
}

static void assert_followers_have(struct storm *storm, uint64_t seq, const char *truth)
{
    /* A drag that ended by itself (a handle, no key) in a crash may lie before an edit that was
     * heard of already. */
    struct edits completed =
        read_edits(storm->past.file, "SELECT seq FROM edits WHERE seq IS NOT NULL AND"
                                     " (handle IS NULL OR key IS NOT NULL) ORDER BY seq");
    struct edits all =
        read_edits(storm->past.file, "SELECT seq FROM edits WHERE seq IS NOT NULL ORDER BY seq");
    uint64_t last = completed.count > 0 ? completed.seqs[completed.count - 1] : 0;
    followers_state(storm->followers, FOLLOWERS, seq, last, &storm->past, PATIENCE_S);
    for (size_t i = 0; i < FOLLOWERS; i++) {
        const struct follower *follower = &storm->followers[i];
        assert_int_equal(follower->stated, seq);
        assert_same(follower->name, follower->state, truth);
        assert_none_missed(follower, &completed, &all);
        assert_none_made_up(follower, &all);
    }
    free(completed.seqs);
    free(all.seqs);
}

static void come_to_rest(struct storm *storm)
{
    /* Twice, for what the last of them asked is known to the first only then. */
    for (size_t i = 0; i < 2 * EDITORS; i++) editor_rest(&storm->editors[i % EDITORS]);
    uint64_t seq = file_integer(storm->past.file, "SELECT seq FROM scene");
    char *truth = text_of_file(storm->past.file);
    assert_newcomer_has(storm, truth);
    for (size_t i = 0; i < EDITORS; i++) assert_editor_has(&storm->editors[i], seq, truth);
    assert_followers_have(storm, seq, truth);
    free(truth);
    storm->quiet_points++;
}

static void weather(uint64_t losses, struct kind kind)
{
    struct storm *storm = malloc(sizeof *storm);
    assert_non_null(storm);
    begin(storm, &kind);
    while (storm->losses < losses) {
        uint64_t until = storm->losses + QUIET_EVERY;
        rage(storm, &kind, until < losses ? until : losses);
        proxy_set_foul(storm->proxy, false);
        come_to_rest(storm);
        hear_all(storm);
    }
    finish(storm);
}

TEST(test_resume_viewers_that_are_cut_off_at_random_hold_the_scene)
{
    weather(chance_count(400), (struct kind){60, 8, 7, 16, false});
}

/* The scene is several deltas long: snapshots and large changes are cut off between deltas that say
 * `more`. */
TEST(test_resume_viewers_cut_off_within_what_they_are_told_hold_the_scene)
{
    weather(chance_count(400) / 4, (struct kind){3000, 250, 14, 20, true});
}
