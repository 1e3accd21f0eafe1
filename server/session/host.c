/* host.c - calls the functions of a host that may be NULL. See host.h. */
#include "session/host.h"

#include <stdlib.h>

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
