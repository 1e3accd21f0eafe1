/* who.c - the list of users in the scene, with those who only watch, page by page. */
#include "session/who.h"

#include "session/handlers.h"
#include "session/session.h"

/* The user alone, without camera, pointer, tool, selection and locks, which only presence shows. */
static struct gz_presence_user describe(const struct gz_presence_user *is)
{
    return (struct gz_presence_user){.has = is->has & GZ_HAS_PRESENCE_NAME,
                                     .session = is->session,
                                     .user = is->user,
                                     .name = is->name,
                                     .rgb = is->rgb,
                                     .role = is->role};
}

enum gz_status gz_on_who(struct gz_session *session, const struct gz_message *message,
                         struct gz_failure *failure)
{
    const struct gz_roster *roster = &session->core->roster;
    const uint64_t after = (message->has & GZ_HAS_WHO_AFTER) != 0 ? message->who.after : 0;
    const size_t first = gz_roster_after(roster, after), left = roster->row_count - first;
    const size_t limit = gz_who_limit(message);
    const size_t most = limit < left ? limit : left;
    struct gz_ok ok = {.people_count = 0};
    struct gz_presence_user *people = gz_arena_take(&session->core->scratch, most, sizeof *people);
    if (people == NULL)
        return gz_fail(&failure->error, GZ_NO_MEMORY, "no memory for the list of people");
    for (size_t i = first; i < roster->row_count && ok.people_count < most; i++) {
        const struct gz_session *other = roster->rows[i].session;
        if (other != NULL && !other->replaced)
            people[ok.people_count++] = describe(&other->presence.user);
    }
    ok.people = people;
    gz_session_ok(session, message, GZ_HAS_OK_PEOPLE, &ok);
    return GZ_OK;
}
