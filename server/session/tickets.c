/* tickets.c - keeps the open questions about the past. See tickets.h. */
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

struct gz_ticket *gz_tickets_find(const struct gz_tickets *tickets, uint64_t number)
{
    struct gz_ticket *ticket = tickets->first;
    while (ticket != NULL && ticket->number != number) ticket = ticket->next;
    return ticket;
}

struct gz_ticket *gz_tickets_take(struct gz_tickets *tickets, uint64_t number)
{
    struct gz_ticket *ticket = gz_tickets_find(tickets, number), **at = &tickets->first;
    if (ticket == NULL) return NULL;
    while (*at != ticket) at = &(*at)->next;
    *at = ticket->next;
    return ticket;
}

void gz_tickets_finish(struct gz_tickets *tickets)
{
    while (tickets->first != NULL) {
        struct gz_ticket *ticket = gz_tickets_take(tickets, tickets->first->number);
        gz_answer_finish(&ticket->answer);
        free(ticket);
    }
}
