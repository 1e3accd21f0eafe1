/* The log of a cluster in memory loses, doubles and delays what three members ask for, and members
 * are taken for dead: what was answered is in the log, once and in its place, and nothing else is
 * there but what was asked for. */
#include <stdio.h>
#include <string.h>

#include "support/chance.h"
#include "support/cmocka.h"
#include "support/simulated_log.h"

#define MEMBERS 3
#define STEPS 400
#define PLACES (STEPS + 1)
#define SCENE "sim"

/* What a member believes. */
struct actor {
    struct gz_cluster_log log;
    bool is_authority, is_pending; /* a change that has no answer yet is asked for again */
    uint64_t epoch, n;             /* the last that it knows of */
    uint32_t text;                 /* of the change that is pending */
};

struct play {
    struct simulated_engine *engine;
    struct actor actors[MEMBERS];
    uint64_t chance, first_n;
    uint32_t texts;            /* each change has a text of its own */
    uint32_t answered[PLACES]; /* by place */
    int acknowledged;
};

static void enter(struct play *play, int i)
{
    struct gz_member me = {.url = "http://x", .version = "1"};
    struct gz_error error;
    struct gz_cluster_log *log = &play->actors[i].log;
    gz_print(me.name, sizeof me.name, "member%d", i);
    assert_int_equal(log->enter(log->context, &me, &error), GZ_OK);
}

static void take(struct play *play, struct actor *actor)
{
    struct gz_lease lease;
    struct gz_error error;
    enum gz_status status = actor->log.take(actor->log.context, SCENE, true, 0, &lease, &error);
    if (status != GZ_OK || !lease.is_mine) return;
    if (play->first_n == 0) play->first_n = lease.scene.first_n;
    actor->is_authority = true;
    actor->is_pending = false;
    actor->epoch = lease.scene.epoch;
    actor->n = lease.scene.n;
}

static void append(struct play *play, struct actor *actor)
{
    struct gz_error error;
    if (!actor->is_pending) actor->text = ++play->texts;
    actor->is_pending = true;
    struct gz_cluster_change change = {.n = actor->n + 1,
                                       .epoch = actor->epoch,
                                       .version = 1,
                                       .bytes = (const uint8_t *)&actor->text,
                                       .size = sizeof actor->text};
    enum gz_status status = actor->log.append(actor->log.context, SCENE, &change, &error);
    if (status == GZ_STORAGE) return;
    actor->is_pending = false;
    actor->is_authority = status == GZ_OK;
    if (status != GZ_OK) return;
    actor->n++;
    uint32_t *place = &play->answered[actor->n - play->first_n];
    assert_int_equal(*place, 0);
    *place = actor->text;
    play->acknowledged++;
}

static void give(struct actor *actor)
{
    struct gz_error error;
    if (actor->is_pending) return;
    (void)!actor->log.give(actor->log.context, SCENE, actor->epoch, &error);
    actor->is_authority = false;
}

static void step(struct play *play)
{
    struct actor *actor = &play->actors[chance_below(&play->chance, MEMBERS)];
    struct gz_error error;
    uint64_t what = chance_below(&play->chance, 20);
    if (what == 0) simulated_engine_pass(play->engine, 3);
    if (what <= 4) (void)!actor->log.renew(actor->log.context, &simulated_log_well, &error);
    if (!actor->is_authority)
        take(play, actor);
    else if (what == 5)
        give(actor);
    else
        append(play, actor);
}

struct check {
    struct play *play;
    uint64_t n;
    uint64_t epoch;
    bool seen[PLACES + STEPS];
};

static enum gz_status check_change(void *to, const struct gz_cluster_change *change,
                                   struct gz_error *error)
{
    struct check *check = to;
    uint32_t text, answered = check->play->answered[change->n - check->play->first_n];
    (void)error;
    assert_int_equal(change->size, sizeof text);
    memcpy(&text, change->bytes, sizeof text);
    assert_int_equal(change->n, ++check->n);
    assert_true(change->epoch >= check->epoch);
    assert_true(answered == 0 || answered == text);
    assert_true(text > 0 && text <= check->play->texts && !check->seen[text]);
    check->seen[text] = true;
    check->epoch = change->epoch;
    return GZ_OK;
}

static void check_log(struct play *play)
{
    struct check check = {.play = play, .n = play->first_n};
    struct gz_cluster_log *log = &play->actors[0].log;
    struct gz_error error;
    for (int i = 0; i < MEMBERS; i++)
        simulated_log_set_faults(&play->actors[i].log, (struct simulated_faults){0});
    simulated_engine_settle(play->engine);
    assert_int_equal(log->read(log->context, SCENE, play->first_n, check_change, &check, &error),
                     GZ_OK);
    for (int i = 1; i < PLACES; i++) {
        if (play->answered[i] != 0) assert_true(play->first_n + (uint64_t)i <= check.n);
    }
}

static int play_once(uint64_t seed)
{
    struct play play = {.engine = simulated_engine_create(seed), .chance = seed};
    const struct simulated_faults faults = {
        .lost = 0.05, .late = 0.05, .unanswered = 0.05, .doubled = 0.1};
    for (int i = 0; i < MEMBERS; i++) {
        simulated_engine_connect(play.engine, &play.actors[i].log);
        enter(&play, i);
        simulated_log_set_faults(&play.actors[i].log, faults);
    }
    for (int i = 0; i < STEPS; i++) step(&play);
    check_log(&play);
    simulated_engine_destroy(play.engine);
    return play.acknowledged;
}

TEST(what_was_answered_is_in_the_log_once)
{
    uint64_t first = chance_seed(1), count = chance_count(2000);
    int acknowledged = 0;
    printf("GIZMOD_SEED=%llu\n", (unsigned long long)first);
    for (uint64_t seed = first; seed < first + count; seed++) acknowledged += play_once(seed);
    assert_true(acknowledged > 50 * (int)count);
}
