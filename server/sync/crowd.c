/* crowd.c - how many people are here, and who begins to act.
 *
 * A join costs a viewer only a new number, and numbers are sent less often the more people there
 * are, so that their total cost is the same for hundreds and for thousands. A user who begins to
 * act is sent with the first action; camera, pointer and locks follow with the presence of all. */
#include <math.h>
#include <string.h>

#include "sync/internal.h"

void gz_crowd_init(struct crowd *crowd)
{
    *crowd = (struct crowd){.few = GZ_PRESENCE_FEW, .version = 1, .next_s = -INFINITY};
}

/* ---- the number of viewers ---- */

double gz_sync_crowd_due(const struct gz_sync *sync)
{
    return sync->crowd.changed ? sync->crowd.next_s : INFINITY;
}

void gz_sync_show_crowd(struct gz_sync *sync, double mono_s)
{
    struct crowd *crowd = &sync->crowd;
    if (mono_s < gz_sync_crowd_due(sync)) return;
    const double times = fmax(1, (double)crowd->here / GZ_CROWD_PEOPLE);
    crowd->changed = false;
    crowd->next_s = mono_s + times * GZ_CROWD_MS / 1000.0;
    crowd->version++;
    sync->version++;
}

/* The number is not sent in the middle of a reading of the whole board, but after it. */
bool gz_sync_has_crowd(const struct gz_sync *sync, const struct gz_cursor *cursor)
{
    return cursor->count != sync->crowd.version && cursor->presence.version != 0 &&
           cursor->presence.since == 0;
}

/* Sends the present number, so that a new viewer is counted in it. */
enum gz_status gz_sync_append_count(const struct gz_sync *sync, struct gz_cursor *cursor,
                                    struct gz_buffer *out)
{
    const struct gz_message message = {.op = GZ_OP_CROWD, .here = sync->crowd.here};
    const enum gz_status status = gz_encode(out, &message);
    if (status == GZ_OK) cursor->count = sync->crowd.version;
    return status;
}

/* ---- sessions that begin to act ---- */

void gz_crowd_begin(struct crowd *crowd, struct gz_presence_entry *entry)
{
    crowd->latest[crowd->begun++ % GZ_BEGUN_RING] = entry;
}

void gz_crowd_come(struct crowd *crowd)
{
    crowd->here++;
    crowd->changed = true;
}

void gz_crowd_leave(struct crowd *crowd, const struct gz_presence_entry *entry)
{
    crowd->here--;
    crowd->changed = true;
    for (size_t i = 0; i < GZ_BEGUN_RING; i++) {
        if (crowd->latest[i] == entry) crowd->latest[i] = NULL;
    }
}

/* Appends the user alone, because a whole record may be as large as the selection. */
static enum gz_status append_who(const struct gz_presence_entry *entry, enum gz_form form,
                                 struct gz_buffer *out)
{
    const struct gz_presence_user *is = &entry->user;
    const struct gz_presence_user user = {.has = is->has & GZ_HAS_PRESENCE_NAME,
                                          .session = is->session,
                                          .user = is->user,
                                          .name = is->name,
                                          .rgb = is->rgb,
                                          .role = is->role};
    const struct gz_message record = {.op = GZ_OP_PRESENCE,
                                      .presence = {.users = &user, .count = 1}};
    const struct gz_message person = gz_sync_person(entry, 1u << GZ_PRESENCE_WHO);
    return gz_encode(out, form == GZ_FORM_PACKED ? &person : &record);
}

/* Comes before the actions in the frame. The whole record of each user follows with the presence of
 * all, which also serves viewers that are further behind than the ring. Skips users that the viewer
 * has read there already. */
enum gz_status gz_sync_append_begun(const struct gz_sync *sync, struct gz_cursor *cursor,
                                    struct gz_buffer *out)
{
    const struct crowd *crowd = &sync->crowd;
    const uint64_t lost = crowd->begun > GZ_BEGUN_RING ? crowd->begun - GZ_BEGUN_RING : 0;
    enum gz_status status = GZ_OK;
    uint64_t i = cursor->begun > lost ? cursor->begun : lost;
    for (; status == GZ_OK && i < crowd->begun; i++) {
        const struct gz_presence_entry *entry = crowd->latest[i % GZ_BEGUN_RING];
        if (entry != NULL && entry->item.version > cursor->presence.version)
            status = append_who(entry, cursor->form, out);
    }
    if (status == GZ_OK) cursor->begun = crowd->begun;
    return status;
}
