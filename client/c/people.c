/* people.c - the people in the scene, kept up to date by presence messages. */
#include <stdlib.h>
#include <string.h>

#include "gizmo_client.h"
#include "records.h"

struct gz_people {
    struct gz_records sessions; /* blocks: a gz_presence_user, then its ids, then its name */
    uint64_t kept;              /* the session that is kept; 0: none */
    uint64_t here;              /* the number of users in the scene; 0: unknown */
    bool is_complete;           /* the number of users has come: it follows the people */
};

struct gz_people *gz_people_create(void)
{
    return calloc(1, sizeof(struct gz_people));
}

void gz_people_clear(struct gz_people *people)
{
    gz_records_clear(&people->sessions);
    people->here = 0;
    people->is_complete = false;
}

void gz_people_keep(struct gz_people *people, uint64_t session)
{
    people->kept = session;
}

void gz_people_count_here(struct gz_people *people, uint64_t here)
{
    people->here = here;
    people->is_complete = true;
}

uint64_t gz_people_here(const struct gz_people *people)
{
    return people->here;
}

bool gz_people_is_complete(const struct gz_people *people)
{
    return people->is_complete;
}

/* Forgets all but the kept session. */
static void forget_others(struct gz_people *people)
{
    struct gz_records *sessions = &people->sessions;
    for (size_t i = sessions->count; i-- > 0;) {
        if (sessions->list[i].id != people->kept) gz_records_remove(sessions, sessions->list[i].id);
    }
}

void gz_people_destroy(struct gz_people *people)
{
    if (people == NULL) return;
    gz_people_clear(people);
    free(people);
}

static struct gz_ids copy_ids(uint64_t **at, struct gz_ids ids)
{
    uint64_t *copy = *at;
    if (ids.count > 0) memcpy(copy, ids.ids, ids.count * sizeof *copy);
    *at = copy + ids.count;
    return (struct gz_ids){copy, ids.count};
}

static struct gz_presence_user *copy_user(const struct gz_presence_user *user)
{
    static_assert(sizeof(struct gz_presence_user) % sizeof(uint64_t) == 0, "ids can follow it");
    size_t ids = (user->selection.count + user->locks.count) * sizeof(uint64_t);
    size_t texts_size = user->user.size + user->name.size + 2;
    struct gz_presence_user *copy = malloc(sizeof *copy + ids + texts_size);
    if (copy == NULL) return NULL;
    *copy = *user;
    uint64_t *at = (uint64_t *)(copy + 1);
    copy->selection = copy_ids(&at, user->selection);
    copy->locks = copy_ids(&at, user->locks);
    char *texts = (char *)at;
    copy->user = gz_record_text(&texts, user->user);
    copy->name = gz_record_text(&texts, user->name);
    return copy;
}

enum gz_status gz_people_apply(struct gz_people *people, const struct gz_presence *presence,
                               struct gz_error *error)
{
    if (presence->all) forget_others(people);
    for (size_t i = 0; i < presence->left.count; i++)
        gz_records_remove(&people->sessions, presence->left.ids[i]);
    for (size_t i = 0; i < presence->count; i++) {
        const struct gz_presence_user *user = &presence->users[i];
        if (!gz_records_put(&people->sessions, user->session, copy_user(user)))
            return gz_fail(error, GZ_NO_MEMORY, "no memory for the people");
    }
    return GZ_OK;
}

size_t gz_people_count(const struct gz_people *people)
{
    return people->sessions.count;
}

const struct gz_presence_user *gz_people_at(const struct gz_people *people, size_t index)
{
    return index < people->sessions.count ? people->sessions.list[index].block : NULL;
}

const struct gz_presence_user *gz_people_find(const struct gz_people *people, uint64_t session)
{
    return gz_records_find(&people->sessions, session);
}
