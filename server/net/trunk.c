/* trunk.c - reads and writes the bytes of a trunk, and ends it. See trunk.h. */
#include "net/trunk.h"

#include <math.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <string.h>
#include <sys/socket.h>

#include "net/internal.h"
#include "net/progress.h"

#define UNREAD "it reads nothing any more"

void gz_trunk_init(struct gz_trunk *trunk, struct gz_net *net, const struct gz_trunk_end *end)
{
    *trunk = (struct gz_trunk){.net = net, .end = end, .next = net->trunks};
    gz_buffer_init(&trunk->in, GZ_TRUNK_IN_BYTES_MAX, 0);
    gz_bundle_init(&trunk->out, GZ_TRUNK_OUT_BYTES_MAX);
    trunk->heard_s = trunk->stated_s = trunk->took_s = gz_awake_now(&net->awake);
    net->trunks = trunk;
}

/* ---- the end ---- */

void gz_trunk_fail(struct gz_trunk *trunk, const char *why)
{
    if (trunk->fault == NULL) trunk->fault = why;
}

static void end(struct gz_trunk *trunk)
{
    trunk->is_over = true;
    if (trunk->stream != NULL) gz_stream_close(trunk->stream);
    trunk->stream = NULL;
    trunk->end->end(trunk, trunk->fault);
    gz_buffer_finish(&trunk->in);
    gz_bundle_finish(&trunk->out);
}

/* ---- incoming ---- */

static void drop_read(struct gz_buffer *in, size_t size)
{
    if (size < in->size) {
        memmove(in->data, in->data + size, in->size - size);
        gz_buffer_truncate(in, in->size - size);
    } else {
        gz_buffer_clear(in);
    }
}

static void take_records(struct gz_trunk *trunk)
{
    enum gz_bundle_found found = GZ_BUNDLE_RECORD;
    struct gz_buffer *in = &trunk->in;
    size_t at = 0, used;
    while (in->size > at && trunk->fault == NULL && found == GZ_BUNDLE_RECORD) {
        struct gz_record record;
        const char *fault = NULL;
        found = gz_bundle_read(in->data + at, in->size - at, &record, &used);
        if (found == GZ_BUNDLE_BROKEN) fault = "it sent an invalid record";
        if (found == GZ_BUNDLE_RECORD) {
            fault = trunk->end->take(trunk, &record);
            at += used;
        }
        if (fault != NULL) gz_trunk_fail(trunk, fault);
    }
    drop_read(in, at);
}

static void take_part(struct gz_trunk *trunk, const struct gz_frame_part *part)
{
    switch (part->kind) {
    case GZ_FRAME_NONE:
    case GZ_FRAME_PING:
    case GZ_FRAME_PONG: break;
    case GZ_FRAME_DATA:
        if (gz_buffer_append(&trunk->in, part->bytes, part->size) != GZ_OK)
            gz_trunk_fail(trunk, "no memory");
        break;
    case GZ_FRAME_CLOSE: gz_trunk_fail(trunk, "it sent close"); break;
    case GZ_FRAME_BROKEN: gz_trunk_fail(trunk, part->what); break;
    }
}

static size_t take_bytes(void *context, uint8_t *bytes, size_t size)
{
    struct gz_trunk *trunk = context;
    size_t used = 0;
    trunk->heard_s = gz_awake_now(&trunk->net->awake);
    while (used < size && trunk->fault == NULL) {
        struct gz_frame_part part;
        used += gz_frames_read(&trunk->frames, bytes + used, size - used, &part);
        take_part(trunk, &part);
    }
    if (trunk->fault == NULL) take_records(trunk);
    if (trunk->answers >= GZ_TRUNK_ANSWERS_BYTES) gz_stream_pause(trunk->stream);
    return size;
}

static void end_bytes(void *context)
{
    gz_trunk_fail(context, "its connection ended");
}

static const struct gz_stream_user user = {.take = take_bytes, .end = end_bytes};

/* Enlarges the kernel's buffer, because the trunk carries many clients. */
static void widen(int socket)
{
    const int sent = GZ_TRUNK_SOCKET_BYTES, waiting = GZ_TRUNK_WAITING_BYTES, on = 1;
    (void)setsockopt(socket, SOL_SOCKET, SO_SNDBUF, &sent, sizeof sent);
    (void)setsockopt(socket, IPPROTO_TCP, TCP_NOTSENT_LOWAT, &waiting, sizeof waiting);
    (void)setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
}

void gz_trunk_begin(struct gz_trunk *trunk, struct gz_stream *stream, bool is_of_server)
{
    widen(gz_stream_socket(stream));
    trunk->stream = stream;
    trunk->frames.is_of_server = is_of_server;
    trunk->heard_s = trunk->stated_s = trunk->took_s = gz_awake_now(&trunk->net->awake);
    if (!gz_stream_start(stream, &user, trunk)) gz_trunk_fail(trunk, "no memory to read from it");
}

/* ---- outgoing ---- */

bool gz_trunk_is_full(const struct gz_trunk *trunk)
{
    return trunk->out.out.size >= GZ_TRUNK_WAITING_BYTES;
}

bool gz_trunk_is_good(const struct gz_trunk *trunk)
{
    return trunk->fault == NULL;
}

void gz_trunk_add(struct gz_trunk *trunk, enum gz_record_kind kind, uint16_t channel,
                  const void *bytes, size_t size)
{
    if (kind == GZ_RECORD_TOOK || kind == GZ_RECORD_CLOSE)
        trunk->answers += GZ_RECORD_HEADER_BYTES + size + 2;
    if (gz_trunk_is_good(trunk) && !gz_bundle_add(&trunk->out, kind, channel, bytes, size))
        gz_trunk_fail(trunk, "no memory");
}

void gz_trunk_add_took(struct gz_trunk *trunk, uint16_t channel, size_t bytes)
{
    uint8_t payload[4];
    gz_record_set_number(payload, sizeof payload, (uint32_t)bytes);
    gz_trunk_add(trunk, GZ_RECORD_TOOK, channel, payload, sizeof payload);
}

void gz_trunk_add_close(struct gz_trunk *trunk, uint16_t channel, int code, const char *words)
{
    uint8_t payload[GZ_TRUNK_CLOSE_BYTES_MAX];
    size_t size = words != NULL ? strnlen(words, sizeof payload - 2) : 0;
    gz_record_set_number(payload, 2, (uint32_t)code);
    if (size > 0) memcpy(payload + 2, words, size);
    gz_trunk_add(trunk, GZ_RECORD_CLOSE, channel, payload, 2 + size);
}

static bool is_writable(const struct gz_trunk *trunk)
{
    return trunk->fault == NULL && trunk->stream != NULL && gz_stream_is_free(trunk->stream);
}

/* The frames of a client are masked. Without random bytes the mask is no secret, which matters
 * between a browser and a proxy alone. NULL for those of a server. */
static const uint8_t *choose_mask(const struct gz_trunk *trunk, uint8_t mask[4])
{
    memset(mask, 0, 4);
    if (!trunk->frames.is_of_server) return NULL;
    (void)uv_random(NULL, NULL, mask, 4, 0, NULL);
    return mask;
}

static void flush(struct gz_trunk *trunk)
{
    struct gz_net_counters *counters = &trunk->net->counters;
    const struct gz_buffer *out = &trunk->out.out;
    const bool was_full = gz_trunk_is_full(trunk);
    uint8_t mask[4];
    if (out->size == 0 || !is_writable(trunk)) return;
    counters->trunk_bytes += out->size;
    struct gz_bytes *frame = gz_bundle_take(&trunk->out, choose_mask(trunk, mask));
    if (!gz_stream_send(trunk->stream, frame)) gz_trunk_fail(trunk, UNREAD);
    gz_bundle_give_back(&trunk->out, frame);
    trunk->answers = 0;
    if (trunk->fault == NULL && gz_stream_is_paused(trunk->stream)) gz_stream_resume(trunk->stream);
    if (was_full && trunk->fault == NULL && trunk->end->go_on != NULL) trunk->end->go_on(trunk);
}

static void write_pong(struct gz_trunk *trunk)
{
    uint8_t bytes[GZ_FRAME_HEADER_BYTES_MAX], mask[4] = {0};
    uint8_t *end = bytes + sizeof bytes;
    const size_t size = choose_mask(trunk, mask) != NULL
                            ? gz_frame_mask(end, 0, GZ_FRAME_PONG_FIRST, mask)
                            : gz_frame_put_header(end, 0, GZ_FRAME_PONG_FIRST);
    if (!gz_stream_write(trunk->stream, end - size, size)) gz_trunk_fail(trunk, UNREAD);
}

static void tell(struct gz_trunk *trunk)
{
    if (trunk->end->tell != NULL)
        trunk->end->tell(trunk);
    else
        write_pong(trunk);
}

/* ---- all trunks ---- */

static void count(struct gz_trunk *trunk)
{
    struct gz_net_counters *counters = &trunk->net->counters;
    struct gz_bundle *out = &trunk->out;
    counters->trunk_records += out->records;
    counters->trunk_given += out->given;
    counters->trunk_written += out->written;
    out->records = out->given = out->written = 0;
}

bool gz_trunks_have_work(const struct gz_net *net)
{
    for (const struct gz_trunk *trunk = net->trunks; trunk != NULL; trunk = trunk->next)
        if (trunk->out.out.size > 0 && is_writable(trunk)) return true;
    return false;
}

void gz_trunks_end_turn(struct gz_net *net)
{
    for (struct gz_trunk *trunk = net->trunks; trunk != NULL; trunk = trunk->next) {
        if (trunk->is_over) continue;
        count(trunk);
        if (trunk->fault == NULL) flush(trunk);
        if (trunk->fault != NULL) end(trunk);
    }
}

/* Whether the other end takes waiting bytes. Silence is not enough: the kernel takes bytes for a
 * member that hangs, and pongs come even from one that never reads. */
static bool is_taking(struct gz_trunk *trunk, double now_s)
{
    const uint64_t bytes = gz_acknowledged_bytes(gz_stream_socket(trunk->stream));
    if (bytes > trunk->acknowledged_bytes || gz_stream_is_free(trunk->stream))
        trunk->took_s = now_s;
    trunk->acknowledged_bytes = bytes;
    return now_s - trunk->took_s <= trunk->net->silence_s;
}

static void look_at(struct gz_trunk *trunk, double now_s)
{
    const struct gz_net *net = trunk->net;
    if (trunk->end->look_at != NULL) trunk->end->look_at(trunk, now_s);
    if (trunk->stream == NULL) return;
    if (!is_taking(trunk, now_s))
        gz_trunk_fail(trunk, "it reads nothing of the data that waits for it");
    if (gz_stream_is_paused(trunk->stream)) trunk->heard_s = now_s; /* it is not read */
    if (now_s - trunk->heard_s > fmin(net->silence_s, GZ_TRUNK_SILENCE_SECONDS))
        gz_trunk_fail(trunk, "it is silent");
    if (now_s - trunk->stated_s >= fmin(net->ping_s, GZ_TRUNK_BEAT_SECONDS) && is_writable(trunk)) {
        trunk->stated_s = now_s;
        tell(trunk);
    }
}

static bool is_forgotten(const struct gz_trunk *trunk, double now_s)
{
    return trunk->end->is_forgotten == NULL || trunk->end->is_forgotten(trunk, now_s);
}

void gz_trunks_sweep(struct gz_net *net, double now_s)
{
    struct gz_trunk **link = &net->trunks;
    while (*link != NULL) {
        struct gz_trunk *trunk = *link;
        if (!trunk->is_over) look_at(trunk, now_s);
        if (trunk->is_over && is_forgotten(trunk, now_s)) {
            *link = trunk->next;
            trunk->end->destroy(trunk);
        } else {
            link = &trunk->next;
        }
    }
}

void gz_trunks_close(struct gz_net *net)
{
    for (struct gz_trunk *trunk = net->trunks; trunk != NULL; trunk = trunk->next) {
        gz_trunk_fail(trunk, "the server is going away");
        if (!trunk->is_over) end(trunk);
    }
}

void gz_trunks_finish(struct gz_net *net)
{
    while (net->trunks != NULL) {
        struct gz_trunk *trunk = net->trunks;
        net->trunks = trunk->next;
        trunk->end->destroy(trunk);
    }
}
