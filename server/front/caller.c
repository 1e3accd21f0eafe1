/* caller.c - a connection that speaks HTTP: from bytes to requests, one after the other. Bytes that
 * come before an answer is sent wait in the stream. See caller.h. */
#include "front/caller.h"

#include <stdlib.h>

#include "server/maxima.h"

/* ---- time ---- */

void gz_caller_allow(struct gz_caller *caller, double seconds)
{
    caller->due_s = seconds > 0 ? gz_awake_now(&caller->net->awake) + seconds : 0;
}

void gz_callers_sweep(struct gz_net *net)
{
    const double now_s = gz_awake_now(&net->awake);
    for (struct gz_caller *caller = net->callers; caller != NULL; caller = caller->next)
        if (caller->due_s > 0 && caller->due_s < now_s) gz_caller_close(caller);
}

/* ---- the end ---- */

static void unlink_caller(struct gz_caller *caller)
{
    *caller->hook = caller->next;
    if (caller->next != NULL) caller->next->hook = caller->hook;
}

static void forget_request(struct gz_caller *caller)
{
    free(caller->request);
    caller->request = NULL;
    gz_buffer_finish(&caller->head);
    gz_buffer_init(&caller->head, GZ_HTTP_HEADER_BYTES_MAX, 0);
}

static void destroy(struct gz_caller *caller)
{
    unlink_caller(caller);
    forget_request(caller);
    free(caller);
}

void gz_caller_close(struct gz_caller *caller)
{
    caller->net->talk->leave(caller);
    caller->due_s = 0;
    caller->is_closed = true;
    gz_stream_close(caller->stream);
}

/* Drops what still comes, so that the client reads the answer before the connection is reset. */
static void part(struct gz_caller *caller)
{
    caller->is_parted = true;
    gz_stream_end_writing(caller->stream);
    gz_stream_resume(caller->stream);
}

void gz_caller_next(struct gz_caller *caller, bool is_last)
{
    forget_request(caller);
    gz_caller_allow(caller, 0); /* gz_arrive_sweep ends it */
    gz_arrival_become(caller->net, caller->arrival, GZ_PEER_IDLE);
    if (is_last)
        part(caller);
    else
        gz_stream_resume(caller->stream);
}

void gz_callers_close(struct gz_net *net)
{
    for (struct gz_caller *caller = net->callers; caller != NULL; caller = caller->next)
        gz_caller_close(caller);
}

/* ---- requests ---- */

/* The head has come, or as much of it as is taken. */
static void begin(struct gz_caller *caller, bool is_whole)
{
    caller->request = calloc(1, sizeof *caller->request);
    if (caller->request != NULL)
        caller->net->talk->begin(caller, is_whole);
    else
        gz_caller_close(caller);
}

/* Takes bytes of a head, and begins the request if it is whole. */
static size_t take_head(struct gz_caller *caller, const uint8_t *bytes, size_t size)
{
    struct gz_buffer *head = &caller->head;
    const size_t known = head->size, room = GZ_HTTP_HEADER_BYTES_MAX - known;
    const size_t more = size < room ? size : room;
    if (gz_buffer_append(head, bytes, more) != GZ_OK) {
        gz_caller_close(caller);
        return size;
    }
    const size_t whole = gz_request_head_size((const char *)head->data, head->size, known);
    if (whole > 0) {
        gz_buffer_truncate(head, whole);
        begin(caller, true);
        return whole - known;
    }
    if (head->size == GZ_HTTP_HEADER_BYTES_MAX) {
        begin(caller, false);
        return size;
    }
    return more;
}

static size_t take_body(struct gz_caller *caller, const uint8_t *bytes, size_t size)
{
    const size_t used = size < caller->body_left ? size : (size_t)caller->body_left;
    caller->body_left -= used;
    /* without an exchange it was refused, and the answer is sent */
    if (caller->exchange != NULL) caller->net->talk->take(caller, bytes, used);
    return used;
}

/* ---- the stream ---- */

static bool takes_more(const struct gz_caller *caller)
{
    return !caller->is_closed && !caller->is_upgraded && !gz_stream_is_paused(caller->stream);
}

/* What comes with a handshake, before its answer, is lost: RFC 6455 has a client wait. */
static size_t take(void *context, uint8_t *bytes, size_t size)
{
    struct gz_caller *caller = context;
    size_t used = 0;
    while (used < size && takes_more(caller)) {
        if (caller->is_parted)
            used = size;
        else if (caller->body_left > 0)
            used += take_body(caller, bytes + used, size - used);
        else if (caller->exchange == NULL)
            used += take_head(caller, bytes + used, size - used);
        else
            gz_stream_pause(caller->stream);
    }
    if (caller->is_closed || caller->is_upgraded) used = size;
    if (caller->is_upgraded) destroy(caller);
    return used;
}

static void end(void *context)
{
    gz_caller_close(context);
}

static void go_on(void *context)
{
    struct gz_caller *caller = context;
    if (caller->exchange != NULL) caller->net->talk->go_on(caller);
}

static void closed(void *context)
{
    struct gz_caller *caller = context;
    struct gz_net *net = caller->net;
    struct gz_arrival *arrival = caller->arrival;
    destroy(caller);
    gz_arrival_leave(net, arrival);
}

static const struct gz_stream_user user = {
    .take = take, .end = end, .go_on = go_on, .closed = closed};

bool gz_caller_begin(struct gz_net *net, struct gz_arrival *arrival)
{
    struct gz_caller *caller = calloc(1, sizeof *caller);
    struct gz_stream *stream =
        caller != NULL ? gz_stream_create(net->loop, arrival->socket, net->tls.context) : NULL;
    if (stream == NULL) {
        free(caller);
        return false;
    }
    *caller =
        (struct gz_caller){.net = net, .arrival = arrival, .stream = stream, .next = net->callers};
    caller->hook = &net->callers;
    if (caller->next != NULL) caller->next->hook = &caller->next;
    net->callers = caller;
    gz_buffer_init(&caller->head, GZ_HTTP_HEADER_BYTES_MAX, 0);
    arrival->caller = caller;
    if (!gz_stream_start(stream, &user, caller)) gz_caller_close(caller);
    return true;
}
