/* People of the simulation: they edit at the members; and what happens while a change is on its way
 * to the log. */
#include <time.h>

#include "cluster/member.h"
#include "unit/cluster/life.h"

/* How often an append is tried before its line is healed. */
#define TRIES_MAX 8
#define GROUP_MAX 3

/* ---- what happens meanwhile ---- */

/* The other one may take the scene over, and die with it. */
void life_take_over(struct world *world, const struct member *from, size_t scene)
{
    struct member *other = &world->members[(from->number + 1 + below(world, 2)) % MEMBERS];
    struct member *holder;
    life_outlast(world, from);
    if (below(world, 3) == 0) other->calls_left = (int)(2 + below(world, 3));
    if (below(world, 2) == 0)
        life_edit(other, scene);
    else if (life_open(other, scene, &holder))
        world->takeovers++;
    if (other->is_dead) life_revive(other);
}

/* While a change is late, another member takes the lease and dies before it writes anything: the
 * change is refused when it is sent again, and is not to come into the log after that. */
static void overtake(struct member *member, size_t scene)
{
    struct world *world = member->world;
    struct member *other = &world->members[(member->number + 1 + below(world, 2)) % MEMBERS];
    struct gz_lease lease;
    struct gz_error error;
    member->is_late = false;
    life_heal(member);
    life_outlast(world, member);
    (void)!other->log.take(other->log.context, life_scenes[scene], false, 0, &lease, &error);
    if (!other->is_dead) life_kill(other);
    life_revive(other);
}

static void happen(struct member *member, size_t scene)
{
    struct world *world = member->world;
    switch (below(world, 14)) {
    case 0: simulated_engine_pass(world->engine, (double)below(world, 4)); break;
    case 1:
    case 2: life_take_over(world, member, scene); break;
    case 3: life_give_faults(member); break;
    case 4: simulated_engine_settle(world->engine); break;
    case 5:
        member->calls_left = 1;
        member->dies_at_answer = below(world, 2) == 0;
        break;
    case 6: gz_cluster_end(member->cluster); break;
    case 7:
        member->is_late = true;
        simulated_log_set_faults(&member->log, (struct simulated_faults){.late = 1});
        break;
    default: break;
    }
}

/* While the writer of this member waits at its gate. */
static void disturb(struct member *member, size_t scene)
{
    struct world *world = member->world;
    if (world->is_busy) return;
    world->is_busy = true;
    if (member->is_late)
        overtake(member, scene);
    else
        happen(member, scene);
    world->is_busy = false;
}

/* ---- a member edits ---- */

/* One to three batches: the first is sent, the others while its change is on the way, so that they
 * are one transaction. */

struct round {
    struct member *member;
    size_t scene, count, sent, heard, numbers[GROUP_MAX];
    struct gz_batch *batches[GROUP_MAX];
    struct draft drafts[GROUP_MAX]; /* after each */
    int tries;
    bool is_over, is_refused;
};

static void send_batches(struct round *round, size_t count)
{
    struct gz_store *store = round->member->scenes[round->scene].store;
    for (; round->sent < count; round->sent++) gz_store_submit(store, round->batches[round->sent]);
}

/* Sleeps until a writer has something to say. A member that waits before it asks the log again does
 * so at once. */
static void wait_for_event(struct member *member)
{
    struct world *world = member->world;
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_nsec += 500000;
    until.tv_sec += until.tv_nsec / 1000000000;
    until.tv_nsec %= 1000000000;
    pthread_mutex_lock(&world->mutex);
    if (!member->is_waiting || member->may_pass)
        (void)pthread_cond_timedwait(&world->event, &world->mutex, &until);
    pthread_mutex_unlock(&world->mutex);
    pthread_mutex_lock(&member->cluster->mutex);
    pthread_cond_broadcast(&member->cluster->change);
    pthread_mutex_unlock(&member->cluster->mutex);
}

static bool is_at_gate(struct member *member)
{
    pthread_mutex_lock(&member->world->mutex);
    bool is = member->is_waiting && !member->may_pass;
    pthread_mutex_unlock(&member->world->mutex);
    return is;
}

static void open_gate(struct member *member)
{
    pthread_mutex_lock(&member->world->mutex);
    member->may_pass = true;
    pthread_cond_broadcast(&member->world->event);
    pthread_mutex_unlock(&member->world->mutex);
}

/* Nobody hears what a killed process says. */
static void hear(struct round *round, enum gz_status status)
{
    struct world *world = round->member->world;
    struct entry *entry = &world->book.entries[round->numbers[round->heard]];
    if (!round->member->is_dead) entry->fate = status == GZ_OK ? FATE_SAVED : FATE_REFUSED;
    if (status == GZ_OK)
        round->member->scenes[round->scene].draft = round->drafts[round->heard];
    else
        round->is_refused = true;
    round->heard++;
    send_batches(round, round->heard + 1 < round->count ? round->heard + 1 : round->count);
    round->is_over = round->heard == round->count;
}

static bool take_one(struct round *round)
{
    struct gz_store *store = round->member->scenes[round->scene].store;
    struct gz_error error;
    enum gz_status status;
    struct gz_batch *batch = gz_store_take(store, &status, &error);
    if (batch != NULL) hear(round, status);
    gz_batch_destroy(batch);
    return batch != NULL;
}

static void go_on(struct round *round)
{
    struct member *member = round->member;
    if (take_one(round)) return;
    if (is_at_gate(member)) {
        if (++round->tries > TRIES_MAX) life_heal(member);
        disturb(member, round->scene);
        send_batches(round, round->count);
        open_gate(member);
    } else if (gz_store_stats(member->scenes[round->scene].store).keeps_batches) {
        round->is_over = true;
    } else {
        if (member->is_dead) gz_cluster_end(member->cluster);
        wait_for_event(member);
    }
}

static void play(struct round *round)
{
    struct member *member = round->member;
    struct draft draft = member->scenes[round->scene].draft;
    for (size_t i = 0; i < round->count; i++) {
        round->batches[i] = life_draw(member->world, &draft, round->scene, &round->numbers[i]);
        round->drafts[i] = draft;
    }
    member->has_gate = true;
    send_batches(round, 1);
    while (!round->is_over) go_on(round);
    member->has_gate = member->is_late = false;
    for (size_t i = round->sent; i < round->count; i++) gz_batch_destroy(round->batches[i]);
}

/* Whoever is fenced takes nothing more, however often it is asked. */
static void insist(struct member *member, size_t scene)
{
    struct round round = {.member = member, .scene = scene, .count = 1};
    assert_true(gz_store_stats(member->scenes[scene].store).is_gone);
    play(&round);
    assert_true(round.is_refused || round.heard == 0);
}

static void edit_here(struct member *member, size_t scene)
{
    struct round round = {.member = member, .scene = scene};
    struct gz_store *store = member->scenes[scene].store;
    round.count = 1 + below(member->world, GROUP_MAX);
    play(&round);
    if (round.is_refused && !member->is_dead) insist(member, scene);
    if (member->is_dead)
        life_revive(member);
    else if (gz_store_stats(store).keeps_batches || member->cluster->is_ending)
        life_restart(member);
    else if (round.is_refused)
        life_close(member, scene);
}

void life_edit(struct member *member, size_t scene)
{
    struct member *other;
    if (life_open(member, scene, &other)) {
        edit_here(member, scene);
    } else if (other != NULL && !other->has_gate) {
        member = other;
        if (life_open(member, scene, &other)) edit_here(member, scene);
    }
}
