/* talk.c - what a caller asks and is answered: its requests become exchanges, or it becomes a
 * WebSocket. See caller.h. */
#include <openssl/evp.h>
#include <string.h>

#include "net/bundle.h"
#include "net/caller.h"
#include "net/exchange.h"
#include "server/maxima.h"

/* What RFC 6455 appends to a key. */
#define KEY_SUFFIX "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"

/* ---- a WebSocket ---- */

static bool print_accept(const char *key, char text[32])
{
    char keyed[64];
    uint8_t digest[EVP_MAX_MD_SIZE];
    unsigned size = 0;
    lws_snprintf(keyed, sizeof keyed, "%s%s", key, KEY_SUFFIX);
    if (EVP_Digest(keyed, strlen(keyed), digest, &size, EVP_sha1(), NULL) != 1) return false;
    return EVP_EncodeBlock((uint8_t *)text, digest, (int)size) > 0;
}

static bool write_handshake(const struct gz_caller *caller)
{
    char accept[32], text[256];
    const bool is_trunk = caller->arrival->is_trunk;
    if (!print_accept(gz_request_value(caller->request, "sec-websocket-key", 0), accept))
        return false;
    lws_snprintf(text, sizeof text,
                 "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\n"
                 "Connection: Upgrade\r\nSec-WebSocket-Accept: %s\r\n"
                 "Sec-WebSocket-Protocol: %s\r\n\r\n",
                 accept, is_trunk ? GZ_TRUNK_PROTOCOL : GZ_SUBPROTOCOL);
    return gz_stream_write(caller->stream, (const uint8_t *)text, strlen(text));
}

/* The caller itself is freed once it has counted its bytes. */
static void upgrade(struct gz_caller *caller)
{
    struct gz_net *net = caller->net;
    struct gz_arrival *arrival = caller->arrival;
    if (!write_handshake(caller)) {
        gz_caller_close(caller);
        return;
    }
    caller->is_upgraded = true;
    arrival->caller = NULL;
    arrival->stream = caller->stream;
    gz_stream_forget_user(arrival->stream);
    net->session_count += !arrival->is_trunk;
    gz_arrival_become(net, arrival, GZ_PEER_BUSY);
    gz_socket_begin(net, arrival);
}

/* ---- a request ---- */

/* Refuses it by an exchange of its own, after which the connection ends. */
static void refuse(struct gz_caller *caller, bool is_read, int code, const struct gz_error *error)
{
    caller->exchange = gz_exchange_create(caller, is_read);
    if (caller->exchange == NULL) {
        gz_caller_close(caller);
        return;
    }
    caller->exchange->hang_up = true;
    gz_caller_allow(caller, caller->net->silence_s);
    gz_exchange_refuse(caller->exchange, code, error);
}

static void begin_upgrade(struct gz_caller *caller)
{
    struct gz_error error;
    int code = 500;
    enum gz_status status = gz_arrival_read_client(caller, &error);
    if (status == GZ_RATE_LIMITED) code = 429;
    if (status == GZ_OK) status = gz_admit_upgrade(caller, &code, &error);
    if (status == GZ_OK) {
        upgrade(caller);
        return;
    }
    caller->net->counters.refusals++;
    refuse(caller, true, code, &error);
}

static void begin_exchange(struct gz_caller *caller)
{
    caller->body_left = caller->request->length;
    caller->exchange = gz_exchange_create(caller, true);
    if (caller->exchange == NULL) {
        gz_caller_close(caller);
        return;
    }
    gz_caller_allow(caller, caller->net->silence_s);
    gz_http_begin(caller->exchange);
}

static enum gz_status read_request(struct gz_caller *caller, bool is_whole, int *code,
                                   struct gz_error *error)
{
    *code = 431;
    if (!is_whole)
        return gz_fail(error, GZ_BAD_MESSAGE, "the request's header has more than %d bytes",
                       GZ_HTTP_HEADER_BYTES_MAX);
    return gz_request_read(caller->request, (char *)caller->head.data, caller->head.size, code,
                           error);
}

static void begin(struct gz_caller *caller, bool is_whole)
{
    struct gz_error error;
    int code;
    if (read_request(caller, is_whole, &code, &error) != GZ_OK)
        refuse(caller, false, code, &error);
    else if (gz_request_value(caller->request, "upgrade", 0) != NULL)
        begin_upgrade(caller);
    else
        begin_exchange(caller);
}

/* ---- an exchange ---- */

static void take(struct gz_caller *caller, const uint8_t *bytes, size_t size)
{
    gz_caller_allow(caller, caller->net->silence_s);
    if (gz_upload_take(caller->exchange, bytes, size) < 0)
        gz_caller_close(caller);
    else if (caller->body_left == 0)
        gz_upload_end(caller->exchange);
}

static void leave(struct gz_caller *caller)
{
    struct gz_exchange *exchange = caller->exchange;
    caller->exchange = NULL;
    if (exchange != NULL) gz_exchange_leave(exchange);
}

static void go_on(struct gz_caller *caller)
{
    if (gz_exchange_send(caller->exchange) < 0) {
        gz_caller_close(caller);
    } else if (caller->exchange->done) {
        const bool is_last = caller->exchange->hang_up;
        leave(caller);
        gz_caller_next(caller, is_last);
    }
}

const struct gz_talk gz_talk = {begin, take, go_on, leave};
