/* tickets.c - keeps the open questions to the past. See tickets.h. */
#include "session/tickets.h"

#include <stdlib.h>

bool gz_tickets_add(struct gz_tickets *tickets, const struct gz_ticket *ticket)
{
    struct gz_ticket *copy = malloc(sizeof *copy);
    if (copy == NULL) return false;
    *copy = *ticket;
    copy->number = ++tickets->latest;
    copy->next = NULL;
    struct gz_ticket **end = &tickets->first;
    while (*end != NULL) end = &(*end)->next;
    *end = copy;
    return true;
}

struct gz_ticket *gz_tickets_take(struct gz_tickets *tickets, uint64_t number)
{
    struct gz_ticket **at = &tickets->first;
    while (*at != NULL && (*at)->number != number) at = &(*at)->next;
    struct gz_ticket *ticket = *at;
    if (ticket != NULL) *at = ticket->next;
    return ticket;
}

void gz_tickets_finish(struct gz_tickets *tickets)
{
    while (tickets->first != NULL) free(gz_tickets_take(tickets, tickets->first->number));
}
