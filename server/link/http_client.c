/* http_client.c - libcurl's sockets and its timer on the loop. See http_client.h. */
#include "link/http_client.h"

#include <stdlib.h>

struct gz_http_client {
    uv_loop_t *loop;
    struct gz_http_client_user user;
    CURLM *multi;
    uv_timer_t timer;
    CURL *unwatched; /* a transfer to end, because its socket could not be watched; NULL for none */
    uv_timer_t ending; /* ends it */
};

/* A watched socket of libcurl. */
struct watch {
    uv_poll_t poll; /* first, so that a handle is its watch */
    struct gz_http_client *courier;
    curl_socket_t socket;
};

static void tell_done(struct gz_http_client *courier, CURL *easy, CURLcode result)
{
    void *transfer = NULL;
    (void)curl_easy_getinfo(easy, CURLINFO_PRIVATE, &transfer);
    courier->user.done(courier->user.context, transfer, result);
}

static void tell(struct gz_http_client *courier)
{
    int left;
    const CURLMsg *message;
    while ((message = curl_multi_info_read(courier->multi, &left)) != NULL) {
        if (message->msg == CURLMSG_DONE)
            tell_done(courier, message->easy_handle, message->data.result);
    }
    courier->user.went_on(courier->user.context);
}

static void go_on(struct gz_http_client *courier, curl_socket_t socket, int events)
{
    int running;
    CURLMcode code = curl_multi_socket_action(courier->multi, socket, events, &running);
    if (code != CURLM_OK)
        gz_log(courier->user.log, GZ_ERROR, 0, "libcurl failed: %s", curl_multi_strerror(code));
    tell(courier);
}

/* ---- sockets ---- */

static void handle_socket(uv_poll_t *poll, int status, int events)
{
    const struct watch *watch = (struct watch *)poll;
    int flags = status < 0 ? CURL_CSELECT_ERR : 0;
    if (events & UV_READABLE) flags |= CURL_CSELECT_IN;
    if (events & UV_WRITABLE) flags |= CURL_CSELECT_OUT;
    go_on(watch->courier, watch->socket, flags);
}

static void free_watch(uv_handle_t *poll)
{
    free(poll);
}

static struct watch *make_watch(struct gz_http_client *courier, curl_socket_t socket)
{
    struct watch *watch = calloc(1, sizeof *watch);
    if (watch == NULL) return NULL;
    watch->courier = courier;
    watch->socket = socket;
    if (uv_poll_init(courier->loop, &watch->poll, socket) != 0) {
        free(watch);
        return NULL;
    }
    (void)curl_multi_assign(courier->multi, socket, watch);
    return watch;
}

static void handle_unwatched(uv_timer_t *timer)
{
    struct gz_http_client *courier = timer->data;
    CURL *transfer = courier->unwatched;
    courier->unwatched = NULL;
    if (transfer != NULL) tell_done(courier, transfer, CURLE_OUT_OF_MEMORY);
}

/* Does not report the failure to libcurl, which would end all transfers. This transfer is ended as
 * soon as libcurl may be called again; a second one ends by its own time limits. */
static void give_up(struct gz_http_client *courier, CURL *transfer)
{
    gz_log(courier->user.log, GZ_WARN, 0, "no memory or descriptor to watch a socket of libcurl");
    if (courier->unwatched != NULL) return;
    courier->unwatched = transfer;
    uv_timer_start(&courier->ending, handle_unwatched, 0, 0);
}

static int watch_socket(CURL *transfer, curl_socket_t socket, int what, void *context,
                        void *watched)
{
    struct gz_http_client *courier = context;
    struct watch *watch = watched;
    if (what == CURL_POLL_REMOVE) {
        if (watch != NULL) uv_close((uv_handle_t *)&watch->poll, free_watch);
        return 0;
    }
    if (watch == NULL) watch = make_watch(courier, socket);
    int events = (what & CURL_POLL_IN ? UV_READABLE : 0) | (what & CURL_POLL_OUT ? UV_WRITABLE : 0);
    if (watch == NULL || uv_poll_start(&watch->poll, events, handle_socket) != 0)
        give_up(courier, transfer);
    return 0;
}

/* ---- the timer ---- */

static void handle_timer(uv_timer_t *timer)
{
    go_on(timer->data, CURL_SOCKET_TIMEOUT, 0);
}

static int set_timer(CURLM *multi, long milliseconds, void *context)
{
    struct gz_http_client *courier = context;
    (void)multi;
    if (milliseconds < 0)
        uv_timer_stop(&courier->timer);
    else
        uv_timer_start(&courier->timer, handle_timer, (uint64_t)milliseconds, 0);
    return 0;
}

/* ---- transfers ---- */

bool gz_http_client_begin(struct gz_http_client *courier, CURL *transfer)
{
    return curl_multi_add_handle(courier->multi, transfer) == CURLM_OK;
}

void gz_http_client_end(struct gz_http_client *courier, CURL *transfer)
{
    if (courier->unwatched == transfer) courier->unwatched = NULL;
    (void)curl_multi_remove_handle(courier->multi, transfer);
}

/* ---- beginning and end ---- */

struct gz_http_client *gz_http_client_create(uv_loop_t *loop, struct gz_http_client_user user)
{
    struct gz_http_client *courier = calloc(1, sizeof *courier);
    if (courier == NULL) return NULL;
    courier->loop = loop;
    courier->user = user;
    bool is_begun = curl_global_init(CURL_GLOBAL_DEFAULT) == CURLE_OK;
    courier->multi = is_begun ? curl_multi_init() : NULL;
    if (courier->multi == NULL) {
        if (is_begun) curl_global_cleanup();
        free(courier);
        return NULL;
    }
    uv_timer_init(loop, &courier->timer);
    uv_timer_init(loop, &courier->ending);
    courier->timer.data = courier->ending.data = courier;
    (void)curl_multi_setopt(courier->multi, CURLMOPT_SOCKETFUNCTION, watch_socket);
    (void)curl_multi_setopt(courier->multi, CURLMOPT_SOCKETDATA, courier);
    (void)curl_multi_setopt(courier->multi, CURLMOPT_TIMERFUNCTION, set_timer);
    (void)curl_multi_setopt(courier->multi, CURLMOPT_TIMERDATA, courier);
    return courier;
}

void gz_http_client_close(struct gz_http_client *courier)
{
    (void)curl_multi_cleanup(courier->multi);
    uv_close((uv_handle_t *)&courier->timer, NULL);
    uv_close((uv_handle_t *)&courier->ending, NULL);
}

void gz_http_client_destroy(struct gz_http_client *courier)
{
    if (courier == NULL) return;
    curl_global_cleanup();
    free(courier);
}
