/* What happens next, what disturbs it, and what must be so when it is quiet. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sim/access.h"
#include "sim/chance.h"
#include "sim/daemon.h"
#include "sim/hear.h"
#include "sim/judge.h"
#include "sim/mirrors.h"
#include "sim/notes.h"
#include "sim/parts.h"
#include "sim/people.h"
#include "sim/sim.h"
#include "sim/tokens.h"
#include "sim/world.h"

/* ---- disturbances ---- */

static struct link *any_link(struct sim *sim)
{
    return sim->people[below(sim, PEOPLE)].link;
}

static void cut_somebody(struct sim *sim)
{
    struct link *link = any_link(sim);
    if (link == NULL) return;
    trace(sim, "link of %s/%d is cut", link->person->user, link->person->index);
    sim->counts->cuts++;
    person_cut(sim, link);
}

static void somebody_leaves(struct sim *sim)
{
    struct link *link = any_link(sim);
    if (link != NULL) person_close(sim, link);
}

static void silence(struct sim *sim, struct link *link, double seconds, const char *verb)
{
    link->heard_s = sim->now.mono_s;
    link->silent_until_s = sim->now.mono_s + seconds;
    trace(sim, "link of %s/%d %s until %.3f", link->person->user, link->person->index, verb,
          link->silent_until_s);
}

/* Nobody is told: bytes wait until it is over, and the daemon or the person may have lost patience
 * by then. */
static void silence_somebody(struct sim *sim)
{
    struct link *link = any_link(sim);
    if (link == NULL) return;
    silence(sim, link, chance(sim, 0.5) ? between(sim, 0.5, 5) : between(sim, 5, 40), "is silent");
}

/* The person gives the link up, and the daemon does not hear of it: whoever comes back finds it
 * still there. */
static void hang_somebody(struct sim *sim)
{
    struct link *link = any_link(sim);
    if (link == NULL) return;
    silence(sim, link, between(sim, 5, 40), "hangs");
    person_cut(sim, link);
}

static void stall_somebody(struct sim *sim)
{
    struct link *link = any_link(sim);
    if (link != NULL) link->stalled_until_s = sim->now.mono_s + between(sim, 0.2, 8);
}

/* Several fall behind at about the same place and wake up at once: what they are then told is
 * shared where it may be. */
static void doze_together(struct sim *sim)
{
    double until_s = sim->now.mono_s + between(sim, 0.1, 1);
    for (uint64_t sleepers = 2 + below(sim, PEOPLE); sleepers > 0; sleepers--) {
        struct link *link = any_link(sim);
        if (link == NULL) continue;
        link->window_bytes = WINDOW_SMALL * (1 + below(sim, 3));
        link->stalled_until_s = until_s;
    }
}

static void fail_disk(struct sim *sim)
{
    sim->disk_ok_s = sim->now.mono_s + between(sim, 0.1, 2);
    trace(sim, "disk: is full until %.3f", sim->disk_ok_s);
}

static void slow_disk(struct sim *sim)
{
    sim->disk_slow_s = sim->now.mono_s + between(sim, 0.5, 5);
    sim->past_slow_s = sim->now.mono_s + between(sim, 0, 10);
}

/* The commit that is on its way takes as long as a disk that is given up on. */
static void hang_disk(struct sim *sim)
{
    if (sim->batches != NULL) sim->commit_due_s = sim->now.mono_s + between(sim, 1, 10);
}

/* The disk hangs, and meanwhile people leave after a few actions. */
static void hurry(struct sim *sim)
{
    sim->hurry_until_s = sim->now.mono_s + between(sim, 1, 5);
    if (sim->batches != NULL) sim->commit_due_s = sim->hurry_until_s;
    trace(sim, "people hurry until %.3f", sim->hurry_until_s);
}

static void jump_clock(struct sim *sim)
{
    double seconds = chance(sim, 0.5) ? between(sim, -2, 2) : between(sim, -100000, 100000);
    sim->now.unix_s += seconds;
    trace(sim, "the clock jumps by %.3f s", seconds);
}

static void crash(struct sim *sim)
{
    if (sim->core != NULL) daemon_crash(sim);
}

static void stop(struct sim *sim)
{
    if (sim->core != NULL && !sim->stopping) daemon_stop(sim);
}

static const struct {
    int weight;
    void (*disturb)(struct sim *sim);
} disturbances[] = {
    {20, cut_somebody},  {6, somebody_leaves}, {8, silence_somebody},
    {12, hang_somebody}, {12, stall_somebody}, {50, doze_together},
    {5, fail_disk},      {6, slow_disk},       {12, hang_disk},
    {5, jump_clock},     {7, crash},           {3, stop},
};

static void disturb(struct sim *sim)
{
    int sum = 0;
    if (sim->hurries && chance(sim, 0.1)) hurry(sim);
    if (sim->expires && chance(sim, 0.1)) tokens_blink_clock(sim);
    for (size_t i = 0; i < COUNT(disturbances); i++) sum += disturbances[i].weight;
    int drawn = (int)below(sim, (uint64_t)sum);
    size_t at = 0;
    while (drawn >= disturbances[at].weight) drawn -= disturbances[at++].weight;
    disturbances[at].disturb(sim);
    sim->chaos_due_s = sim->now.mono_s + between(sim, 0.05, 1.5);
}

/* ---- time ---- */

static void move_clock(struct sim *sim, double mono_s)
{
    if (mono_s <= sim->now.mono_s) return;
    sim->now.unix_s += mono_s - sim->now.mono_s;
    sim->now.mono_s = mono_s;
    tokens_right_clock(sim);
}

/* The next thing that happens, no later than `end`; false where there is none. */
static bool step(struct sim *sim, double end)
{
    struct link *link = NULL;
    struct person *person = NULL;
    double next = fmin(daemon_due(sim), sim->quiet ? INFINITY : sim->chaos_due_s);
    bool chaos = !sim->quiet && next == sim->chaos_due_s;
    for (struct link *at = sim->links; at != NULL; at = at->next) {
        double due = link_due(sim, at);
        if (due >= next) continue;
        next = due;
        link = at;
        chaos = false;
    }
    for (int i = 0; i < PEOPLE; i++) {
        if (sim->people[i].next_s >= next) continue;
        next = sim->people[i].next_s;
        person = &sim->people[i];
        chaos = false;
    }
    if (next > end) {
        move_clock(sim, end);
        return false;
    }
    sim->step++;
    move_clock(sim, next);
    if (person != NULL)
        person_act(sim, person);
    else if (link != NULL)
        link_step(sim, link);
    else if (chaos)
        disturb(sim);
    else
        daemon_step(sim);
    return true;
}

/* ---- quiet ---- */

/* The packed form has a pointer in parts of the viewport. */
static bool is_at(const struct person *person, const double told[2], const double at[2])
{
    const double far = person->packed != NULL ? 0.1 : 0;
    return fabs(told[0] - at[0]) <= far && fabs(told[1] - at[1]) <= far;
}

/* Of the nodes that its gestures hold, each looked at anew. */
static uint64_t held_number(const struct gz_session *session)
{
    uint64_t ids[64];
    size_t count = 0;
    for (const struct gz_gesture *gesture = &session->gesture; gesture != NULL;
         gesture = gesture->next)
        for (size_t i = 0; i < gesture->count && count < COUNT(ids); i++)
            ids[count++] = gesture->ids[i];
    return ids_number((struct gz_ids){ids, count});
}

static bool sees(const struct person *person, const struct gz_session *session)
{
    for (size_t i = 0; i < person->sight_count; i++) {
        const struct sight *sight = &person->sights[i];
        if (sight->session != session->id) continue;
        bool at = session->view.has_pointer && !session->view.pointer.is_ray;
        return sight->selection ==
                   ids_number((struct gz_ids){session->selection.ids, session->selection.count}) &&
               sight->locks == held_number(session) && sight->tool == session->tool.mode &&
               sight->has_at == at && (!at || is_at(person, sight->at, session->view.pointer.at));
    }
    return false;
}

/* Everybody knows those who act, and of itself who it is. */
static void check_sights(const struct gz_core *core, const struct person *person)
{
    size_t known = 0;
    for (const struct gz_session *session = core->sessions; session != NULL;
         session = session->next) {
        const bool acts = gz_feed_acts(&session->presence), is_own = session->id == person->session;
        known += acts || is_own;
        PROMISE(!acts || sees(person, session), "presence says what they do",
                "%s/%d has session %llu wrong", person->user, person->index, NUMBER(session->id));
    }
    PROMISE(person->sight_count == known, "presence says who is here",
            "%s/%d sees %zu, there are %zu", person->user, person->index, person->sight_count,
            known);
    PROMISE(person->here == core->roster.count, "a crowd is counted",
            "%s/%d was told of %llu, there are %zu", person->user, person->index,
            NUMBER(person->here), core->roster.count);
}

static void check_person(struct sim *sim, struct person *person)
{
    const struct gz_core *core = sim->core;
    enum gz_role role;
    if (!access_role(sim, person, &role)) return;
    PROMISE(person->link != NULL && person->welcome, "whoever wants to is here", "%s/%d is not",
            person->user, person->index);
    PROMISE(person->mirror.complete == gz_scene_seq(core->scene) &&
                person->mirror.seq == person->mirror.complete,
            "everybody has everything in the end", "%s/%d is at seq %llu", person->user,
            person->index, NUMBER(person->mirror.seq));
    previews_compare(sim, person);
    if (person->wish == NULL)
        model_compare(sim, person, true);
    else
        part_compare(sim, person, person->link->camera_count - 1, person->link->camera_count - 1);
    notes_compare(sim, person, sim->model.notes_stored);
    mirror_checkpoints_assert_equal(&person->checkpoints, sim->store.checkpoints,
                                    sim->store.checkpoint_count);
    PROMISE(person->saved == gz_scene_seq(core->scene), "everything is saved in the end",
            "%s/%d knows of %llu", person->user, person->index, NUMBER(person->saved));
    check_sights(core, person);
    for (size_t i = 0; i < person->request_count; i++) {
        const struct request *request = person->requests[i];
        PROMISE(!request->sent || request->answered, "every request is answered",
                "request %llu of %s/%d, %s", NUMBER(request->rid), person->user, person->index,
                gz_op_word(request->op));
    }
    const struct core_store *store = &sim->store;
    if (store->edit_count > person->edits_before)
        PROMISE(person->edit_seq >= store->edits[store->edit_count - 1].seq,
                "everybody is told of edits", "%s/%d knows of seq %llu", person->user,
                person->index, NUMBER(person->edit_seq));
}

static void check_oks(const struct sim *sim)
{
    for (int i = 0; i < PEOPLE; i++) {
        for (size_t j = 0; j < sim->people[i].request_count; j++) {
            uint64_t told = sim->people[i].requests[j]->told;
            if (told == 0) continue;
            size_t found = 0;
            for (size_t k = 0; k < sim->store.edit_count; k++)
                found += sim->store.edits[k].id == told;
            PROMISE(found == 1, "what was answered is kept, once", "edit %llu is there %zu times",
                    NUMBER(told), found);
        }
    }
}

static void check_everything(struct sim *sim)
{
    PROMISE(sim->core->tickets.first == NULL, "every question is asked", "that of session %llu",
            NUMBER(sim->core->tickets.first->session));
    PROMISE(gz_core_is_idle(sim->core), "the core comes to rest", "it waits for the disk");
    PROMISE(sim->turns_quiet < 40, "the core comes to rest", "%llu turns in ten quiet seconds",
            NUMBER(sim->turns_quiet));
    for (int i = 0; i < PEOPLE; i++) check_person(sim, &sim->people[i]);
    check_oks(sim);
    notes_check_store(sim);
}

static void run_for(struct sim *sim, double seconds)
{
    double end = sim->now.mono_s + seconds;
    while (step(sim, end)) continue;
}

/* Nothing disturbs any more, nobody does anything: what was on its way arrives. */
static void become_quiet(struct sim *sim)
{
    trace(sim, "quiet");
    sim->quiet = true;
    sim->disk_ok_s = sim->disk_slow_s = sim->past_slow_s = sim->hurry_until_s = 0;
    for (struct link *link = sim->links; link != NULL; link = link->next) {
        link->silent_until_s = link->stalled_until_s = 0;
        link->window_bytes = WINDOW_BYTES;
    }
    for (int i = 0; i < PEOPLE; i++) sim->people[i].patience_s = INFINITY;
    run_for(sim, 20);
    sim->turns_quiet = 0;
    run_for(sim, 10);
    check_everything(sim);
}

static void everybody_leaves(struct sim *sim)
{
    for (int i = 1; i < PEOPLE; i++) {
        sim->people[i].next_s = INFINITY;
        if (sim->people[i].link != NULL) person_close(sim, sim->people[i].link);
        sim->people[i].next_s = INFINITY;
    }
    run_for(sim, 5);
    PROMISE(sim->core->roster.count == 1, "who left is not here", "%zu are",
            sim->core->roster.count);
    PROMISE(sim->store.visitor_count == 1, "the file knows who is here", "%zu are",
            sim->store.visitor_count);
    check_person(sim, &sim->people[0]);
}

/* ---- a seed ---- */

static const gz_trs *place_of(const void *mirror, uint64_t id)
{
    const struct mirror_node *node = mirror_find(mirror, id);
    return node != NULL ? &node->content.trs : NULL;
}

static void populate(struct sim *sim)
{
    static const char *const users[USERS] = {"ann", "bob", "cho", "dee",
                                             "eve", "fay", "gus", "hal"};
    for (int i = 0; i < PEOPLE; i++) {
        struct person *person = &sim->people[i];
        person->index = i;
        person->role = i == USERS ? GZ_ROLE_VIEWER : GZ_ROLE_EDITOR;
        if (sim->grants && i % USERS == USERS - 1) person->role = GZ_ROLE_ADMIN;
        person->is_unknown = sim->grants && i == PEOPLE - 1;
        person->draw = i == 0;
        if (sim->packs && i % 4 < 2) {
            person->packed = gz_packed_create(place_of, &person->mirror);
            if (person->packed == NULL) abort();
        }
        person->is_json = sim->packs && i % 4 == 2;
        person->checked = UINT64_MAX;
        person->next_s = sim->now.mono_s + between(sim, 0, 1);
        keep_text(person->user, users[i % USERS]);
    }
}

static void finish(struct sim *sim)
{
    while (sim->links != NULL) link_destroy(sim, sim->links);
    gz_core_destroy(sim->core);
    gz_batches_destroy(sim->batches);
    core_store_finish(&sim->store);
    model_finish(&sim->model);
    for (int i = 0; i < PEOPLE; i++) {
        struct person *person = &sim->people[i];
        free(person->frame);
        for (size_t j = 0; j < person->request_count; j++) {
            free(person->requests[j]->bytes);
            if (person->requests[j]->wish != NULL) part_wish_finish(person->requests[j]->wish);
            free(person->requests[j]->wish);
            free(person->requests[j]);
        }
        free(person->requests);
        gz_packed_destroy(person->packed);
        mirror_finish(&person->mirror);
        mirror_notes_finish(&person->notes);
        mirror_checkpoints_finish(&person->checkpoints);
    }
    free(sim);
}

void sim_run(uint64_t seed, uint64_t steps, bool trace_it, struct sim_counts *counts)
{
    struct sim *sim = calloc(1, sizeof *sim);
    if (sim == NULL) abort();
    sim->seed = sim->random = seed;
    /* The seeds of seeds.txt copy nothing: what they found depends on their order of chances. */
    sim->copies = seed % 5 != 3;
    sim->grants = seed % 5 < 2; /* the same goes for these */
    sim->hurries = seed % 5 == 4;
    const uint64_t of_16 = seed % 16;
    sim->expires = of_16 == 4 || of_16 == 15;
    sim->reverts = of_16 == 6 || of_16 == 15;
    sim->repeats = of_16 == 2 || of_16 == 4 || of_16 == 6 || of_16 == 15; /* and for these */
    sim->packs = seed % 9 == 3 || seed % 9 == 5 || seed % 9 == 7;         /* and for these */
    sim->steps = steps;
    sim->counts = counts;
    sim->trace = trace_it;
    sim->now = (struct gz_now){1.7e9, 1000};
    sim->next_session = sim->next_key = 1;
    sim->start_due_s = sim->turn_due_s = INFINITY;
    sim->chaos_due_s = sim->now.mono_s + between(sim, 1, 5);
    sim->claim = "the disk is given what it can explain";
    judge_begin(sim);
    core_store_init(&sim->store);
    populate(sim);
    daemon_start(sim);
    while (sim->step < steps) step(sim, INFINITY);
    become_quiet(sim);
    everybody_leaves(sim);
    counts->steps += sim->step;
    counts->edits += sim->store.edit_count;
    finish(sim);
}
