/* presence.c - presence: who is there, who acts, and how many watch. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "feed/state.h"
#include "proto/limits.h"
#include "proto/packed.h"

/* ---- people ---- */

/* Presence in the packed form: for each user only what changed since the viewer last
 * had all. */

/* The error in radians that is allowed for a ray that the viewer computes itself: less than a
 * pixel. */
#define RAY_SLACK 3e-4

/* ---- one user ---- */

static void put_who(const struct gz_presence_user *user, struct gz_message *message)
{
    struct gz_person *person = &message->person;
    message->has |=
        GZ_HAS_PERSON_USER | GZ_HAS_PERSON_NAME | GZ_HAS_PERSON_COLOUR | GZ_HAS_PERSON_ROLE;
    person->user = user->user;
    if ((user->has & GZ_HAS_PRESENCE_NAME) != 0) person->name = user->name;
    person->rgb = user->rgb;
    person->role = user->role;
}

static void put_eye(const struct gz_presence_user *user, struct gz_message *message)
{
    if ((user->has & GZ_HAS_PRESENCE_VIEW) == 0) return;
    if (gz_pose_of_view(user->view, message->person.pose)) {
        message->has |= GZ_HAS_PERSON_POSE;
        return;
    }
    message->has |= GZ_HAS_PERSON_VIEW;
    memcpy(message->person.view, user->view, sizeof user->view);
}

static void find_lens(const struct gz_presence_user *user, double lens[5])
{
    memset(lens, 0, 5 * sizeof *lens);
    for (int i = 0; i < 4 && (user->has & GZ_HAS_PRESENCE_LENS) != 0; i++) {
        const bool is_usual = fabs(user->lens[i]) <= GZ_COORDINATE_MAX;
        lens[i] = is_usual ? (double)(float)user->lens[i] : user->lens[i];
    }
    lens[4] = user->parallel;
}

static void put_lens(const struct gz_presence_entry *entry, struct gz_message *message)
{
    if ((entry->user.has & GZ_HAS_PRESENCE_VIEW) == 0) return;
    message->has |= GZ_HAS_PERSON_LENS | GZ_HAS_PERSON_VIEWPORT;
    find_lens(&entry->user, message->person.lens);
    memcpy(message->person.viewport, entry->viewport, sizeof entry->viewport);
}

static double steps(double at, double from, double size)
{
    return round((at - from) / size * GZ_SPOT_STEPS);
}

/* Whether the viewer can compute the ray itself. In a parallel view its origin may be elsewhere on
 * the same line. */
static bool is_known_ray(const struct gz_presence_user *user, const double spot[2])
{
    double pose[7], lens[5], ray[6];
    find_lens(user, lens);
    if ((user->has & GZ_HAS_PRESENCE_VIEW) == 0 || !gz_pose_of_view(user->view, pose) ||
        !gz_ray_of_spot(pose, lens, spot, ray))
        return false;
    const gz_vec3 along = {ray[3], ray[4], ray[5]};
    const gz_vec3 told = {user->ray[3], user->ray[4], user->ray[5]};
    const gz_vec3 from = {ray[0] - user->ray[0], ray[1] - user->ray[1], ray[2] - user->ray[2]};
    const double aside_m = gz_length(gz_cross(along, from));
    return gz_length(gz_cross(along, told)) <= RAY_SLACK && gz_dot(along, told) > 0 &&
           aside_m <= RAY_SLACK * (1 + fabs(lens[1] - lens[0]) + gz_length(from));
}

static void put_ray(const struct gz_presence_user *user, struct gz_message *message)
{
    if ((user->has & GZ_HAS_PRESENCE_RAY) == 0) return;
    message->has |= GZ_HAS_PERSON_RAY;
    memcpy(message->person.ray, user->ray, sizeof user->ray);
}

static void say_pointer(const struct gz_presence_entry *entry, struct gz_message *message)
{
    const struct gz_presence_user *user = &entry->user;
    const double *viewport = entry->viewport;
    double *spot = message->person.spot;
    spot[0] = steps(user->at[0], viewport[0], viewport[2]);
    spot[1] = steps(user->at[1], viewport[1], viewport[3]);
    const bool has_spot = (user->has & GZ_HAS_PRESENCE_AT) != 0 &&
                          fabs(spot[0]) <= GZ_COORDINATE_MAX && fabs(spot[1]) <= GZ_COORDINATE_MAX;
    if (has_spot) message->has |= GZ_HAS_PERSON_SPOT;
    if (!has_spot || !is_known_ray(user, spot)) put_ray(user, message);
}

static uint32_t changed_parts(const struct gz_presence_entry *entry, uint64_t base)
{
    uint32_t parts = 0;
    for (int part = 0; part < GZ_PRESENCE_PART_COUNT; part++)
        parts |= (uint32_t)(entry->part_versions[part] > base) << part;
    return parts;
}

static bool is_in(uint32_t parts, enum gz_presence_part part)
{
    return (parts >> part & 1) != 0;
}

/* Whether the camera moved under a pointer whose ray is sent to the viewer. */
static bool has_new_ray(const struct gz_presence_entry *entry, uint32_t parts)
{
    struct gz_message pointer = {.has = 0};
    if (!is_in(parts, GZ_PRESENCE_EYE) && !is_in(parts, GZ_PRESENCE_LENS)) return false;
    say_pointer(entry, &pointer);
    return (pointer.has & GZ_HAS_PERSON_SPOT) != 0 && (pointer.has & GZ_HAS_PERSON_RAY) != 0;
}

#define ALL_PARTS ((1u << GZ_PRESENCE_PART_COUNT) - 1)

/* These parts of a record in the packed form, 1 << enum gz_presence_part each. */
static struct gz_message person_of(const struct gz_presence_entry *entry, uint32_t parts)
{
    const struct gz_presence_user *user = &entry->user;
    struct gz_message message = {.op = GZ_OP_PERSON, .person.session = user->session};
    struct gz_person *person = &message.person;
    if (is_in(parts, GZ_PRESENCE_WHO)) put_who(user, &message);
    if (is_in(parts, GZ_PRESENCE_EYE)) put_eye(user, &message);
    if (is_in(parts, GZ_PRESENCE_LENS)) put_lens(entry, &message);
    if (is_in(parts, GZ_PRESENCE_POINTER) || has_new_ray(entry, parts))
        say_pointer(entry, &message);
    person->tool = user->tool;
    person->selection = user->selection;
    person->locks = user->locks;
    if (is_in(parts, GZ_PRESENCE_TOOL)) message.has |= GZ_HAS_PERSON_TOOL;
    if (is_in(parts, GZ_PRESENCE_SELECTION)) message.has |= GZ_HAS_PERSON_SELECTION;
    if (is_in(parts, GZ_PRESENCE_LOCKS)) message.has |= GZ_HAS_PERSON_LOCKS;
    return message;
}

/* ---- all people that changed ---- */

static enum gz_status append_left(const uint64_t *left, size_t count, bool all,
                                  struct gz_buffer *out)
{
    struct gz_message message = {.op = GZ_OP_PEOPLE, .people = {.left = {left, count}, .all = all}};
    return all || count > 0 ? gz_encode(out, &message) : GZ_OK;
}

static enum gz_status append_users(struct gz_versions_reading *reading, uint64_t base,
                                   struct gz_buffer *out)
{
    const struct gz_versions_item *item;
    const size_t from = out->size;
    enum gz_status status = GZ_OK;
    while (status == GZ_OK && out->size - from < GZ_DELTA_BYTES_MAX &&
           (item = gz_versions_next(reading)) != NULL) {
        const struct gz_presence_entry *entry = (const struct gz_presence_entry *)item;
        const struct gz_message message = person_of(entry, changed_parts(entry, base));
        if (message.has != 0) status = gz_encode(out, &message);
    }
    return status;
}

/* Appends presence in the packed form, and moves the cursor: as many users as fit. */
static enum gz_status append_people(struct gz_feed *feed, struct gz_cursor *cursor,
                                    struct gz_buffer *out)
{
    struct gz_versions_reading reading = gz_feed_read(feed, cursor, LIST_PRESENCE);
    uint64_t left[GZ_LEFT_RING];
    if (reading.anew) cursor->presence_base = 0;
    enum gz_status status = append_left(NULL, 0, reading.anew, out);
    if (status == GZ_OK) status = append_users(&reading, cursor->presence_base, out);
    if (status == GZ_OK) status = append_left(left, gz_versions_gone(&reading, left), false, out);
    if (status != GZ_OK) return status;
    cursor->lists[LIST_PRESENCE] = reading.cursor;
    if (reading.next == NULL) cursor->presence_base = cursor->lists[LIST_PRESENCE].version;
    return GZ_OK;
}

/* ---- crowd ---- */

/* How many people are here, and who begins to act.
 *
 * A join costs a viewer only a new number, and numbers are sent less often the more people there
 * are, so that their total cost is the same for hundreds and for thousands. A user who begins to
 * act is sent with the first action; camera, pointer and locks follow with the presence of all. */

void gz_crowd_init(struct crowd *crowd)
{
    *crowd = (struct crowd){.few = GZ_PRESENCE_FEW, .version = 1, .next_s = -INFINITY};
}

/* ---- the number of viewers ---- */

/* When the number of people may be sent next; INFINITY for never. */
static double crowd_due(const struct gz_feed *feed)
{
    return feed->crowd.changed ? feed->crowd.next_s : INFINITY;
}

/* Allows the number to be sent, if it is time. */
static void show_crowd(struct gz_feed *feed, double mono_s)
{
    struct crowd *crowd = &feed->crowd;
    if (mono_s < crowd_due(feed)) return;
    const double times = fmax(1, (double)crowd->here / GZ_CROWD_PEOPLE);
    crowd->changed = false;
    crowd->next_s = mono_s + times * GZ_CROWD_MS / 1000.0;
    crowd->version++;
    feed->version++;
}

/* The number is not sent in the middle of a reading of the whole board, but after it. */
bool gz_feed_has_crowd(const struct gz_feed *feed, const struct gz_cursor *cursor)
{
    return cursor->count != feed->crowd.version && cursor->lists[LIST_PRESENCE].version != 0 &&
           cursor->lists[LIST_PRESENCE].since == 0;
}

/* Sends the present number, so that a new viewer is counted in it. */
static enum gz_status append_count(const struct gz_feed *feed, struct gz_cursor *cursor,
                                   struct gz_buffer *out)
{
    const struct gz_message message = {.op = GZ_OP_CROWD, .here = feed->crowd.here};
    const enum gz_status status = gz_encode(out, &message);
    if (status == GZ_OK) cursor->count = feed->crowd.version;
    return status;
}

/* ---- sessions that begin to act ---- */

static void come(struct crowd *crowd)
{
    crowd->here++;
    crowd->changed = true;
}

static void leave(struct crowd *crowd)
{
    crowd->here--;
    crowd->changed = true;
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
    const struct gz_message person = person_of(entry, 1u << GZ_PRESENCE_WHO);
    return gz_encode(out, gz_form_is_packed(form) ? &person : &record);
}

/* Comes before the actions in the frame. The whole record of each user follows with the presence of
 * all. Skips users that the viewer has read there already. */
enum gz_status gz_feed_append_begun(const struct gz_feed *feed, struct gz_cursor *cursor,
                                    struct gz_buffer *out)
{
    const struct gz_versions *board = &feed->board.versions;
    const uint64_t read = cursor->lists[LIST_PRESENCE].version;
    enum gz_status status = GZ_OK;
    const struct gz_versions_item *item = cursor->begun < feed->board.begun ? board->newest : NULL;
    for (; status == GZ_OK && item != NULL && item->version > read; item = item->older) {
        const struct gz_presence_entry *entry = (const struct gz_presence_entry *)item;
        if (entry->acts_from > cursor->begun) status = append_who(entry, cursor->form, out);
    }
    if (status == GZ_OK) cursor->begun = board->version;
    return status;
}

/* ---- presence ---- */

/* Presence: decides when each user's record is shown next, and encodes the records after a viewer's
 * cursor.
 *
 * A changed record is not put on the list at once. It waits in proportion to its own size, not to
 * that of the record before it, so that dropping a large selection is shown at once. The sum of the
 * bytes is bounded all the same. */

/* ---- the board ---- */

static void put(struct gz_feed *feed, struct gz_presence_entry *entry, uint32_t parts)
{
    struct board *board = &feed->board;
    gz_versions_put(&board->versions, &entry->item);
    for (int part = 0; part < GZ_PRESENCE_PART_COUNT; part++) {
        if ((parts >> part & 1) != 0) entry->part_versions[part] = entry->item.version;
    }
    if (parts != 0) board->parts_version = entry->item.version;
    entry->changed_parts = 0;
    feed->version++;
}

bool gz_feed_acts(const struct gz_presence_entry *entry)
{
    return entry->item.version != 0;
}

void gz_feed_act(struct gz_feed *feed, struct gz_presence_entry *entry)
{
    if (!entry->is_present || gz_feed_acts(entry)) return;
    put(feed, entry, ALL_PARTS);
    feed->board.begun = entry->acts_from = entry->item.version;
}

/* ---- waiting changes ---- */

static void set_changed(struct gz_feed *feed, struct gz_presence_entry *entry)
{
    if (entry->changed_link != NULL) return;
    entry->next_changed = feed->changed;
    entry->changed_link = &feed->changed;
    if (feed->changed != NULL) feed->changed->changed_link = &entry->next_changed;
    feed->changed = entry;
}

static void forget_changed(struct gz_presence_entry *entry)
{
    struct gz_presence_entry *next = entry->next_changed;
    if (entry->changed_link == NULL) return;
    *entry->changed_link = next;
    if (next != NULL) next->changed_link = entry->changed_link;
    entry->next_changed = NULL;
    entry->changed_link = NULL;
}

/* The largest encoded size of an id. */
enum { BYTES_ID = 9 };

/* The approximate encoded size of the whole record. */
static size_t record_bytes(const struct gz_presence_entry *entry)
{
    return GZ_PRESENCE_BYTES_USER +
           BYTES_ID * (entry->user.selection.count + entry->user.locks.count);
}

void gz_feed_present(struct gz_feed *feed, struct gz_presence_entry *entry, uint32_t parts,
                     double mono_s)
{
    if (!entry->is_present) {
        entry->is_present = true;
        entry->put_s = mono_s;
        come(&feed->crowd);
        feed->version++; /* a newcomer is counted in what it is sent */
        if (feed->board.versions.count < feed->crowd.few) gz_feed_act(feed, entry);
        return;
    }
    if (!gz_feed_acts(entry)) return;
    entry->changed_parts |= parts;
    /* No frame with the earlier selection may follow the answer to the session. */
    if ((parts >> GZ_PRESENCE_SELECTION & 1) != 0) feed->version++;
    set_changed(feed, entry);
    entry->due_s = entry->put_s + (double)record_bytes(entry) / GZ_PRESENCE_BYTES_PER_S;
    feed->changed_due_s = fmin(feed->changed_due_s, entry->due_s);
}

static void forget_acknowledgements(struct gz_feed *feed, struct gz_presence_entry *entry)
{
    while (entry->acks != NULL) {
        struct gz_presence_ack *ack = entry->acks;
        entry->acks = ack->next;
        gz_versions_forget(&feed->acks, &ack->item);
        free(ack);
    }
}

void gz_feed_absent(struct gz_feed *feed, struct gz_presence_entry *entry)
{
    struct board *board = &feed->board;
    if (!entry->is_present) return;
    entry->is_present = false;
    forget_changed(entry);
    if (gz_feed_acts(entry)) {
        gz_versions_remove(&board->versions, &entry->item, entry->user.session);
        board->parts_version = board->versions.version;
    }
    leave(&feed->crowd);
    forget_acknowledgements(feed, entry);
    feed->version++;
}

static double record_due(const struct gz_feed *feed)
{
    const bool is_news = feed->board.shown != feed->board.versions.version;
    return fmax(is_news ? -INFINITY : feed->changed_due_s,
                feed->presence_shown_s + GZ_PRESENCE_MS_MIN / 1000.0);
}

static double packed_due(const struct gz_feed *feed)
{
    const struct board *board = &feed->board;
    return feed->has_packed && board->packed_shown < board->parts_shown ? board->packed_next_s
                                                                        : INFINITY;
}

double gz_feed_presence_due(const struct gz_feed *feed)
{
    return fmin(fmin(record_due(feed), packed_due(feed)), crowd_due(feed));
}

static size_t count_after(const struct gz_versions *versions, uint64_t version)
{
    size_t count = 0;
    const struct gz_versions_item *item = versions->newest;
    for (; item != NULL && item->version > version; item = item->older) count++;
    return count;
}

static void show_packed(struct gz_feed *feed, double mono_s)
{
    struct board *board = &feed->board;
    if (mono_s < packed_due(feed)) return;
    const size_t users = count_after(&board->versions, board->packed_shown);
    const double times = fmax(1, (double)users / GZ_PRESENCE_USERS);
    board->packed_next_s = mono_s + times * GZ_PRESENCE_PACKED_MS / 1000.0;
    board->packed_shown = board->parts_shown;
    feed->version++;
}

static void put_changed(struct gz_feed *feed, double mono_s)
{
    struct gz_presence_entry *next;
    feed->changed_due_s = INFINITY;
    for (struct gz_presence_entry *entry = feed->changed; entry != NULL; entry = next) {
        next = entry->next_changed;
        if (entry->due_s > mono_s) {
            feed->changed_due_s = fmin(feed->changed_due_s, entry->due_s);
            continue;
        }
        forget_changed(entry);
        put(feed, entry, entry->changed_parts);
        entry->put_s = mono_s;
    }
}

static void show_records(struct gz_feed *feed, double mono_s)
{
    if (mono_s < record_due(feed)) return;
    put_changed(feed, mono_s);
    feed->board.shown = feed->board.versions.version;
    feed->board.parts_shown = feed->board.parts_version;
    feed->presence_shown_s = mono_s;
    feed->version++;
}

void gz_feed_show_presence(struct gz_feed *feed, double mono_s)
{
    show_records(feed, mono_s);
    show_packed(feed, mono_s);
    show_crowd(feed, mono_s);
}

/* The version up to which the viewer may read. A viewer that reads in pieces may read to the end,
 * because a record may have moved there without a change that is shown. */
static uint64_t readable(const struct board *board, const struct gz_cursor *cursor)
{
    if (!gz_form_is_packed(cursor->form)) return board->shown;
    const bool is_amid = cursor->presence_base != cursor->lists[LIST_PRESENCE].version;
    return is_amid ? board->versions.version : board->packed_shown;
}

bool gz_feed_has_presence(const struct gz_feed *feed, const struct gz_cursor *cursor)
{
    return cursor->lists[LIST_PRESENCE].version < readable(&feed->board, cursor);
}

/* ---- the message ---- */

/* Collects as many users as fit into the frame, because large selections take many bytes; the next
 * frame continues. */
static bool collect(struct gz_feed *feed, struct gz_versions_reading *reading,
                    struct gz_presence *message)
{
    const struct gz_versions_item *item;
    size_t bytes = 0;
    while (bytes < GZ_DELTA_BYTES_MAX && (item = gz_versions_next(reading)) != NULL) {
        struct gz_presence_user *users = gz_feed_items(feed, message->count + 1, sizeof *users);
        if (users == NULL) return false;
        const struct gz_presence_entry *entry = (const struct gz_presence_entry *)item;
        users[message->count++] = entry->user;
        message->users = users;
        bytes += record_bytes(entry);
    }
    return true;
}

static enum gz_status append_records(struct gz_feed *feed, struct gz_cursor *cursor,
                                     struct gz_buffer *out)
{
    struct gz_versions_reading reading = gz_feed_read(feed, cursor, LIST_PRESENCE);
    struct gz_message message = {.op = GZ_OP_PRESENCE, .presence.all = reading.anew};
    struct gz_presence *presence = &message.presence;
    uint64_t left[GZ_LEFT_RING];
    if (!collect(feed, &reading, presence)) return GZ_NO_MEMORY;
    presence->left = (struct gz_ids){left, gz_versions_gone(&reading, left)};
    return gz_feed_append_reading(&message, presence->count + presence->left.count, &reading,
                                  &cursor->lists[LIST_PRESENCE], out);
}

/* A viewer that has read the board to its end has all users who began to act, and is then
 * sent the number of people. */
enum gz_status gz_feed_append_presence(struct gz_feed *feed, struct gz_cursor *cursor,
                                       struct gz_buffer *out)
{
    const struct gz_versions_cursor *presence = &cursor->lists[LIST_PRESENCE];
    enum gz_status status = GZ_OK;
    if (gz_feed_has_presence(feed, cursor)) {
        status = gz_form_is_packed(cursor->form) ? append_people(feed, cursor, out)
                                                 : append_records(feed, cursor, out);
        if (status != GZ_OK) return status;
        if (presence->version == feed->board.versions.version) cursor->begun = presence->version;
    }
    return gz_feed_has_crowd(feed, cursor) ? append_count(feed, cursor, out) : GZ_OK;
}

struct gz_message gz_feed_self(const struct gz_presence_entry *entry, enum gz_form form)
{
    if (gz_form_is_packed(form)) return person_of(entry, ALL_PARTS);
    return (struct gz_message){.op = GZ_OP_PRESENCE,
                               .presence = {.users = &entry->user, .count = 1}};
}
