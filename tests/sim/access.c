/* The scene's own access: who is given what, and that nobody is more, or less, than the rows on the
 * disk say. */
#include <string.h>

#include "sim/access.h"
#include "sim/chance.h"
#include "sim/frames.h"
#include "sim/judge.h"
#include "sim/sim.h"

void say_access(struct sim *sim, struct person *person)
{
    static const char *const patterns[] = {"*", "?a?", "c*o", "gus", "hal", "d*", "nobody"};
    struct gz_message message = {.op = GZ_OP_ACCESS};
    const char *pattern = patterns[below(sim, COUNT(patterns))];
    message.access.user = (struct gz_text){pattern, strlen(pattern)};
    message.access.gone = chance(sim, 0.4);
    if (!message.access.gone) message.has = GZ_HAS_ACCESS_ROLE;
    message.access.role = (enum gz_role)below(sim, GZ_ROLE_COUNT);
    struct request *request = person_say(sim, person, &message);
    request->access = message.access;
}

/* ---- who may what ---- */

static bool covers(const char *pattern, const char *user)
{
    if (*pattern == '\0') return *user == '\0';
    if (*pattern == '*')
        return covers(pattern + 1, user) || (*user != '\0' && covers(pattern, user + 1));
    return *user != '\0' && (*pattern == '?' || *pattern == *user) && covers(pattern + 1, user + 1);
}

bool access_role(const struct sim *sim, const struct person *person, enum gz_role *role)
{
    int most = person->is_unknown ? -1 : (int)person->role;
    for (size_t i = 0; i < sim->store.access_count; i++) {
        const struct gz_access_record *row = &sim->store.access[i];
        if (covers(row->glob, person->user) && (int)row->role > most) most = (int)row->role;
    }
    *role = most < 0 ? GZ_ROLE_VIEWER : (enum gz_role)most;
    return most >= 0;
}

void access_joined(const struct sim *sim, const struct person *person, enum gz_status status,
                   const struct gz_error *error)
{
    enum gz_role role;
    bool may = access_role(sim, person, &role);
    PROMISE(!may || status == GZ_OK, "who may join joins", "%s", error->message);
    PROMISE(may || status == GZ_FORBIDDEN, "who may nothing is not let in", "%s/%d", person->user,
            person->index);
}

void access_check(const struct sim *sim)
{
    for (const struct gz_session *session = sim->core->sessions; session != NULL;
         session = session->next) {
        const struct person *person = &sim->people[sim->owners[session->id]];
        enum gz_role role;
        if (session->ended) continue;
        bool may = access_role(sim, person, &role);
        PROMISE(may && session->role == role, "everybody is what the disk says that they may be",
                "session %llu of %s/%d is %s", NUMBER(session->id), person->user, person->index,
                gz_vocabulary_word(&gz_role_words, (int)session->role));
    }
}

/* ---- what is asked for ---- */

void access_act(const struct sim *sim, const struct act *act)
{
    enum gz_role role;
    bool asks = act->message != NULL && act->message->op == GZ_OP_ACCESS && !act->late &&
                act->request != NULL;
    if (!asks) return;
    const struct person *person = &sim->people[sim->owners[act->session]];
    act->request->is_admins = access_role(sim, person, &role) && role == GZ_ROLE_ADMIN;
}

static bool is_of(const struct gz_access_record *row, const struct person *person,
                  const struct request *request)
{
    const struct gz_access *said = &request->access;
    return request->op == GZ_OP_ACCESS && strcmp(row->user, person->user) == 0 &&
           row->gone == said->gone && (row->gone || row->role == said->role) &&
           strlen(row->glob) == said->user.size &&
           memcmp(row->glob, said->user.bytes, said->user.size) == 0;
}

static bool is_asked(const struct sim *sim, const struct gz_access_record *row)
{
    for (int i = 0; i < PEOPLE; i++) {
        const struct person *person = &sim->people[i];
        for (size_t j = 0; j < person->request_count; j++)
            if (person->requests[j]->is_admins && is_of(row, person, person->requests[j]))
                return true;
    }
    return false;
}

void access_sent(const struct sim *sim, const struct gz_batch *batch)
{
    for (size_t i = 0; i < batch->access_count; i++)
        PROMISE(is_asked(sim, &batch->access[i]), "an admin alone changes the access", "%s, by %s",
                batch->access[i].glob, batch->access[i].user);
}

static size_t count_told(const struct sim *sim, const struct gz_access_record *row)
{
    size_t told = 0;
    for (int i = 0; i < PEOPLE; i++) {
        const struct person *person = &sim->people[i];
        for (size_t j = 0; j < person->request_count; j++)
            told += person->requests[j]->is_told && is_of(row, person, person->requests[j]);
    }
    return told;
}

/* As often as a change is answered, it is on the disk. */
void access_said_ok(const struct sim *sim, struct request *request)
{
    const struct person *asker = &sim->people[sim->owners[request->session]];
    const struct gz_access_record *row = NULL;
    size_t stored = 0;
    for (size_t i = 0; i < sim->store.access_log_count; i++) {
        if (!is_of(&sim->store.access_log[i], asker, request)) continue;
        row = &sim->store.access_log[i];
        stored++;
    }
    request->is_told = true;
    PROMISE(row != NULL && count_told(sim, row) <= stored, "ok comes after COMMIT",
            "access of %.*s", (int)request->access.user.size, request->access.user.bytes);
}
