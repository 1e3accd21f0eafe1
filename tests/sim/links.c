/* Links: what is on its way between a person and the daemon. */
#include <math.h>
#include <stdlib.h>

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

void link_send(struct sim *sim, struct link *link, uint8_t *bytes, size_t size)
{
    lane_add(sim, link, &link->up, parcel_create(bytes, size));
}

void lane_end(struct sim *sim, const struct link *link, struct lane *lane)
{
    struct parcel *parcel = parcel_create(NULL, 0);
    parcel->end = true;
    lane_add(sim, link, lane, parcel);
}
