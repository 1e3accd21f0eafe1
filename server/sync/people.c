/* people.c - presence in the packed form: for each user only what changed since the viewer last
 * had all. */
#include <math.h>
#include <string.h>

#include "proto/compact.h"
#include "proto/limits.h"
#include "sync/internal.h"

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

struct gz_message gz_sync_person(const struct gz_presence_entry *entry, uint32_t parts)
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

static enum gz_status append_users(struct gz_shelf_reading *reading, uint64_t base,
                                   struct gz_buffer *out)
{
    const struct gz_shelf_item *item;
    const size_t from = out->size;
    enum gz_status status = GZ_OK;
    while (status == GZ_OK && out->size - from < GZ_DELTA_BYTES_MAX &&
           (item = gz_shelf_next(reading)) != NULL) {
        const struct gz_presence_entry *entry = (const struct gz_presence_entry *)item;
        const struct gz_message message = gz_sync_person(entry, changed_parts(entry, base));
        if (message.has != 0) status = gz_encode(out, &message);
    }
    return status;
}

enum gz_status gz_sync_append_people(struct gz_sync *sync, struct gz_cursor *cursor,
                                     struct gz_buffer *out)
{
    struct gz_shelf_reading reading = gz_shelf_read(&sync->board.shelf, &cursor->presence);
    uint64_t left[GZ_LEFT_RING];
    if (reading.anew) cursor->presence_base = 0;
    enum gz_status status = append_left(NULL, 0, reading.anew, out);
    if (status == GZ_OK) status = append_users(&reading, cursor->presence_base, out);
    if (status == GZ_OK) status = append_left(left, gz_shelf_gone(&reading, left), false, out);
    if (status != GZ_OK) return status;
    cursor->presence = reading.cursor;
    if (reading.next == NULL) cursor->presence_base = cursor->presence.version;
    return GZ_OK;
}
