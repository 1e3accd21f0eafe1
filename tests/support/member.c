/* member.c - makes a gizmod of the tests a member of a cluster that has no database: main.c is
 * linked with gz_net_create from here (--wrap). It believes members with the secret
 * $GIZMOD_TEST_SECRET. With $GIZMOD_TEST_ELSEWHERE, a URL, it says of every scene that the member
 * there has it; of one whose name begins with "later" it says so a moment later, of one that
 * begins with "moved" it is sure only when a request has come whole, and of one that begins with
 * "over" it says at once that the member has it and a moment later that its lease is over.
 * $GIZMOD_TEST_RELAYED_MAX is how many clients of others it takes. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "front/net.h"

enum gz_status __real_gz_net_create(struct gz_net **net, const struct gz_net_options *options,
                                    struct gz_error *error);
enum gz_status __wrap_gz_net_create(struct gz_net **net, const struct gz_net_options *options,
                                    struct gz_error *error);

/* What waits for its answer. */
struct later {
    uv_timer_t timer; /* first: libuv gives it back */
    struct gz_scene_wait *wait;
};

static uv_loop_t *loop;
static struct gz_net_host host; /* the daemon's own */
static struct gz_net *made;
static struct later *latest; /* tests have one at a time */

static const char *elsewhere(void)
{
    return getenv("GIZMOD_TEST_ELSEWHERE");
}

static bool begins(const char *name, size_t size, const char *with)
{
    return size >= strlen(with) && memcmp(name, with, strlen(with)) == 0;
}

static void free_later(uv_handle_t *timer)
{
    free(timer);
}

static void answer(uv_timer_t *timer)
{
    struct gz_scene_wait *wait = ((struct later *)timer)->wait;
    latest = NULL;
    uv_close((uv_handle_t *)timer, free_later);
    if (wait == NULL) return;
    snprintf(wait->url, sizeof wait->url, "%s", elsewhere());
    wait->again(wait, NULL);
}

static void judge(uv_timer_t *timer)
{
    gz_net_judge(made, elsewhere(), true);
    uv_close((uv_handle_t *)timer, free_later);
}

static void judge_later(void)
{
    struct later *later = calloc(1, sizeof *later);
    if (later == NULL) abort();
    uv_timer_init(loop, &later->timer);
    uv_timer_start(&later->timer, judge, 50, 0);
}

static void answer_later(struct gz_scene_wait *wait)
{
    latest = calloc(1, sizeof *latest);
    if (latest == NULL) abort();
    latest->wait = wait;
    uv_timer_init(loop, &latest->timer);
    uv_timer_start(&latest->timer, answer, 50, 0);
}

static enum gz_status find(void *context, struct gz_text name, bool create, const char *payer,
                           struct gz_scene_wait *wait, struct gz_net_scene **scene,
                           struct gz_error *error)
{
    (void)context, (void)create, (void)payer, (void)error;
    *scene = NULL;
    if (begins(name.bytes, name.size, "over")) judge_later();
    if (begins(name.bytes, name.size, "later"))
        answer_later(wait);
    else
        snprintf(wait->url, sizeof wait->url, "%s", elsewhere());
    return GZ_OK;
}

static void forget(void *context, struct gz_scene_wait *wait)
{
    (void)context;
    if (latest != NULL && latest->wait == wait) latest->wait = NULL;
}

static void serve(void *context, struct gz_http_request *request)
{
    if (request->what == GZ_HTTP_LIST)
        host.serve(context, request);
    else
        gz_http_relay(request, elsewhere());
}

static void admit(void *context, struct gz_http_request *request)
{
    if (begins(request->scene, strlen(request->scene), "moved"))
        gz_http_receive(request);
    else
        serve(context, request);
}

enum gz_status __wrap_gz_net_create(struct gz_net **net, const struct gz_net_options *options,
                                    struct gz_error *error)
{
    struct gz_net_options changed = *options;
    const char *secret = getenv("GIZMOD_TEST_SECRET");
    host = options->host;
    changed.secret = (const uint8_t *)secret;
    changed.secret_size = strlen(secret);
    if (getenv("GIZMOD_TEST_RELAYED_MAX") != NULL)
        changed.relayed_max = strtoul(getenv("GIZMOD_TEST_RELAYED_MAX"), NULL, 10);
    if (elsewhere() != NULL) {
        changed.host.find = find;
        changed.host.forget = forget;
        changed.host.admit = admit;
        changed.host.serve = serve;
        loop = options->loop;
    }
    enum gz_status status = __real_gz_net_create(net, &changed, error);
    made = *net;
    if (status == GZ_OK && elsewhere() != NULL) gz_net_meet(*net, elsewhere());
    return status;
}
