/* Links: what is on its way between a person and the daemon. */
#include <math.h>
#include <stdlib.h>

#include "proto/json.h"
#include "proto/read.h"
#include "sim/chance.h"
#include "sim/links.h"
#include "sim/sim.h"

/* ---- lanes ---- */

void lane_add(struct sim *sim, const struct link *link, struct lane *lane, struct parcel *parcel)
{
    double due_s = sim->now.mono_s + link->delay_s + between(sim, 0, link->jitter_s);
    parcel->due_s = lane->last_s = fmax(due_s, lane->last_s);
    lane->bytes += parcel->size;
    *lane->end = parcel;
    lane->end = &parcel->next;
}

struct parcel *lane_take(struct lane *lane)
{
    struct parcel *parcel = lane->first;
    lane->first = parcel->next;
    if (lane->first == NULL) lane->end = &lane->first;
    lane->bytes -= parcel->size;
    return parcel;
}

void parcel_destroy(struct parcel *parcel)
{
    gz_arena_finish(&parcel->arena);
    free(parcel->messages);
    free(parcel->bytes);
    free(parcel);
}

struct parcel *parcel_create(uint8_t *bytes, size_t size)
{
    struct parcel *parcel = calloc(1, sizeof *parcel);
    if (parcel == NULL) abort();
    parcel->bytes = bytes;
    parcel->size = size;
    return parcel;
}

void lane_lose(struct lane *lane, size_t kept)
{
    struct parcel **at = &lane->first;
    for (; kept > 0 && *at != NULL; kept--) at = &(*at)->next;
    while (*at != NULL) {
        struct parcel *next = (*at)->next;
        lane->bytes -= (*at)->size;
        parcel_destroy(*at);
        *at = next;
    }
    lane->end = at;
}

size_t lane_count(const struct lane *lane)
{
    size_t count = 0;
    for (const struct parcel *parcel = lane->first; parcel != NULL; parcel = parcel->next) count++;
    return count;
}

/* ---- links ---- */

void link_open(struct sim *sim, struct person *person)
{
    struct link *link = calloc(1, sizeof *link);
    if (link == NULL) abort();
    link->next = sim->links;
    sim->links = link;
    link->person = link->owner = person;
    link->is_json = person->is_json;
    person->link = link;
    link->up.end = &link->up.first;
    link->down.end = &link->down.first;
    link->delay_s = chance(sim, 0.5) ? between(sim, 0.0005, 0.01) : between(sim, 0.01, 0.2);
    link->jitter_s = link->delay_s * between(sim, 0, 3);
    link->window_bytes = !sim->quiet && chance(sim, 0.5) ? WINDOW_SMALL : WINDOW_BYTES;
    link->heard_s = sim->now.mono_s;
}

void link_destroy(struct sim *sim, struct link *link)
{
    struct link **at = &sim->links;
    while (*at != link) at = &(*at)->next;
    *at = link->next;
    if (link->person != NULL) link->person->link = NULL;
    lane_lose(&link->up, 0);
    lane_lose(&link->down, 0);
    free(link->cameras);
    free(link);
}

/* The messages as JSON, in place of themselves. What follows the last one that is one stays as it
 * is. */
static void turn_into_json(uint8_t **bytes, size_t *size)
{
    struct gz_msgpack_reader reader = {*bytes, *bytes + *size};
    struct gz_buffer text;
    const uint8_t *at = *bytes;
    gz_buffer_init(&text, SIZE_MAX / 2, 0);
    while (at < reader.end && gz_read_skip(&reader, 0) == GZ_READ_OK &&
           gz_json_append_messages(&text, at, (size_t)(reader.at - at)) == GZ_OK)
        at = reader.at;
    const size_t rest = (size_t)(reader.end - at);
    const bool is_whole = rest == 0;
    if (!is_whole && (gz_buffer_append(&text, text.size > 0 ? "," : "[", 1) != GZ_OK ||
                      gz_buffer_append(&text, at, rest) != GZ_OK))
        abort();
    if (is_whole) gz_json_end_frame(&text);
    free(*bytes);
    *bytes = text.data;
    *size = text.size;
}

void link_send(struct sim *sim, struct link *link, uint8_t *bytes, size_t size)
{
    if (link->is_json) turn_into_json(&bytes, &size);
    lane_add(sim, link, &link->up, parcel_create(bytes, size));
}

void lane_end(struct sim *sim, const struct link *link, struct lane *lane)
{
    struct parcel *parcel = parcel_create(NULL, 0);
    parcel->end = true;
    lane_add(sim, link, lane, parcel);
}
