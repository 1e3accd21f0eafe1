/* People: they come, do something, lose patience and come back. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sim/access.h"
#include "sim/actions.h"
#include "sim/chance.h"
#include "sim/frames.h"
#include "sim/hear.h"
#include "sim/parts.h"
#include "sim/people.h"
#include "sim/sim.h"

/* Mostly what it knows; sometimes what cannot be: a seq that was never, or an epoch that was never.
 * A part is not resumed, only what was told of edits. */
static void choose_resume(struct sim *sim, struct person *person, struct gz_message *hello)
{
    if (person->epoch == 0 || chance(sim, person->part ? 0.5 : 0.1)) return;
    hello->has |= GZ_HAS_HELLO_RESUME;
    hello->hello.resume_epoch = person->epoch;
    hello->hello.resume_seq = person->tainted || person->part ? 0 : person->mirror.complete;
    hello->hello.resume_edit = person->edit_seq;
    if (person->edit_seq > 0) hello->has |= GZ_HAS_HELLO_EDIT;
    const struct person *other = chance(sim, 0.1) ? &sim->people[below(sim, PEOPLE)] : person;
    bool own = other == person || strcmp(other->user, person->user) !=
                                      0; /* or none of the user's, which is worth nothing */
    if (own) hello->hello.resume_secret = (struct gz_text){other->secret, strlen(other->secret)};
    if (!person->part && chance(sim, 0.05)) hello->hello.resume_seq += 1000000;
    if (chance(sim, 0.05)) hello->hello.resume_epoch += 1000000;
}

static void come(struct sim *sim, struct person *person)
{
    struct gz_message hello = {.op = GZ_OP_HELLO};
    hello.hello.v = GZ_PROTOCOL_VERSION;
    hello.hello.scene = (struct gz_text){"sim", 3};
    hello.hello.user = (struct gz_text){person->user, strlen(person->user)};
    hello.hello.draw = person->draw;
    hello.hello.packed = person->packed != NULL;
    choose_resume(sim, person, &hello);
    uint8_t *bytes;
    size_t size;
    encode(&hello, &bytes, &size);
    link_open(sim, person);
    add_to_frame(person, bytes, size);
    free(bytes);
    person->begins_anew = !sim->quiet && chance(sim, 0.2);
    if (person->begins_anew) say_interest(sim, person);
    send_frame(sim, person);
    person->welcome = false;
    person->resume_claim = hello.has & GZ_HAS_HELLO_RESUME ? hello.hello.resume_epoch : 0;
    person->resume_seq = hello.hello.resume_seq;
    person->patience_s = sim->quiet ? INFINITY : sim->now.mono_s + between(sim, 2, 30);
}

void person_act(struct sim *sim, struct person *person)
{
    person->next_s = sim->now.mono_s + between(sim, 0.01, 0.5);
    enum gz_role role;
    if (sim->quiet && !access_role(sim, person, &role)) {
        person->next_s = sim->now.mono_s + 1; /* who may nothing does not try */
        return;
    }
    if (person->link == NULL) {
        if (sim->core != NULL && !sim->stopping) come(sim, person);
        return;
    }
    if (sim->now.mono_s > person->patience_s) {
        person_cut(sim, person->link);
        return;
    }
    if (sim->quiet) send_frame(sim, person);
    if (sim->quiet)
        person->next_s = INFINITY;
    else if (person->welcome)
        say_something(sim, person);
    if (sim->now.mono_s < sim->hurry_until_s && person->welcome && chance(sim, 0.2))
        person_close(sim, person->link);
}
