/* callbacks.c - what a core asks of its host, and the tickets by which an answer finds its
 * question. */
#include "core/callbacks.h"

#include <stdlib.h>

/* ---- host ---- */

/* Calls the functions of a host that may be NULL. */

void gz_host_discard(const struct gz_core_host *host, struct gz_answer *answer)
{
    if (host->discard != NULL)
        host->discard(host->context, answer);
    else
        gz_answer_finish(answer);
}

void gz_host_release(const struct gz_core_host *host, void *memory, void (*finish)(void *memory))
{
    if (memory == NULL) return;
    if (host->release != NULL)
        host->release(host->context, memory, finish);
    else
        finish(memory);
}

void gz_host_withdraw(const struct gz_core_host *host, uint64_t ticket)
{
    if (host->withdraw != NULL) host->withdraw(host->context, ticket);
}

enum gz_status gz_host_spend(const struct gz_core_host *host, const char *payer, uint64_t bytes,
                             struct gz_error *error)
{
    return host->spend != NULL ? host->spend(host->context, payer, bytes, error) : GZ_OK;
}

void gz_host_charge(const struct gz_core_host *host, const char *payer, uint64_t bytes)
{
    if (host->charge != NULL && bytes > 0) host->charge(host->context, payer, bytes);
}

enum gz_status gz_host_room(const struct gz_core_host *host, uint64_t bytes, struct gz_error *error)
{
    return host->room != NULL ? host->room(host->context, bytes, error) : GZ_OK;
}

/* ---- tickets ---- */

/* Keeps the open questions about the past. */

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
