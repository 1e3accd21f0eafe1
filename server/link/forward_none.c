/* forward_none.c - instead of forward.c in a build without a cluster: no request is forwarded. */
#include "front/exchange.h"

#define NONE_WORDS "this build has no cluster (GIZMOD_CLUSTER)"

void gz_http_relay(struct gz_http_request *request, const char *url)
{
    struct gz_error error;
    (void)url;
    gz_fail(&error, GZ_BAD_STATE, NONE_WORDS);
    gz_http_refuse(request, 503, &error);
}

enum gz_status gz_forwards_open(struct gz_net *net, struct gz_error *error)
{
    return net->secret == NULL ? GZ_OK : gz_fail(error, GZ_BAD_STATE, NONE_WORDS);
}

void gz_forwards_close(struct gz_net *net)
{
    (void)net;
}

void gz_forwards_finish(struct gz_net *net)
{
    (void)net;
}

void gz_forward_take(struct gz_exchange *exchange, const void *bytes, size_t size)
{
    (void)exchange, (void)bytes, (void)size;
}

bool gz_forward_is_awaited(const struct gz_exchange *exchange)
{
    (void)exchange;
    return false;
}

bool gz_forward_send(struct gz_exchange *exchange)
{
    (void)exchange;
    return false;
}

void gz_forward_end(struct gz_exchange *exchange)
{
    (void)exchange;
}
