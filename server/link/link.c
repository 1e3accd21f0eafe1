/* link.c - the link between two members: the records of many clients, and both ends. */
#include "link/link.h"

#include <math.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <string.h>
#include <sys/socket.h>

#include "conn/connection.h"
#include "conn/progress.h"
#include "front/state.h"
#include "link/relaying.h"

/* ---- records of many clients ---- */

/* Writes and reads the records of a link. */

#define SLOT_BITS 0x7F

static_assert(GZ_TRUNK_SLOTS <= SLOT_BITS + 1, "a place fits into its bits");

void gz_mux_init(struct gz_mux *bundle, size_t max)
{
    *bundle = (struct gz_mux){.latest_slot = -1};
    gz_buffer_init(&bundle->out, max, GZ_BYTES_HEADROOM);
}

void gz_mux_finish(struct gz_mux *bundle)
{
    gz_buffer_finish(&bundle->out);
    for (size_t i = 0; i < GZ_TRUNK_SLOTS; i++) {
        gz_bytes_release(bundle->slots[i].frame);
        bundle->slots[i].frame = NULL;
    }
}

/* ---- writing ---- */

static bool write_channel(struct gz_mux *bundle, uint16_t channel)
{
    uint8_t bytes[2];
    gz_record_set_number(bytes, sizeof bytes, channel);
    return gz_buffer_append(&bundle->out, bytes, sizeof bytes) == GZ_OK;
}

static bool write_record(struct gz_mux *bundle, enum gz_record_kind kind, uint8_t flags,
                         uint16_t channel, const void *bytes, size_t size)
{
    uint8_t header[GZ_RECORD_HEADER_BYTES] = {(uint8_t)kind, flags, 1, 0};
    gz_record_set_number(header + 4, 4, (uint32_t)size);
    bundle->latest_slot = -1;
    bundle->latest = bundle->out.size;
    bundle->records++;
    return gz_buffer_append(&bundle->out, header, sizeof header) == GZ_OK &&
           (size == 0 || gz_buffer_append(&bundle->out, bytes, size) == GZ_OK) &&
           write_channel(bundle, channel);
}

bool gz_mux_add(struct gz_mux *bundle, enum gz_record_kind kind, uint16_t channel,
                const void *bytes, size_t size)
{
    return write_record(bundle, kind, 0, channel, bytes, size);
}

static bool has(const struct gz_mux_slot *slot, const struct gz_bytes *frame, size_t at,
                size_t size)
{
    return slot->frame == frame && slot->at == at && slot->size == size;
}

/* The number of channels in the last record, which has not been sent yet. */
static uint8_t *latest_count(struct gz_mux *bundle)
{
    return bundle->out.data + bundle->latest + 2;
}

static bool is_latest(struct gz_mux *bundle, const struct gz_bytes *frame, size_t at, size_t size)
{
    const int place = bundle->latest_slot;
    return place >= 0 && has(&bundle->slots[place], frame, at, size) &&
           gz_record_number(latest_count(bundle), 2) < UINT16_MAX;
}

static bool join_latest(struct gz_mux *bundle, uint16_t channel)
{
    gz_record_set_number(latest_count(bundle), 2, gz_record_number(latest_count(bundle), 2) + 1);
    return write_channel(bundle, channel);
}

static uint8_t flags_of(int slot, bool is_last)
{
    return (uint8_t)(slot | (is_last ? GZ_RECORD_LAST : 0));
}

/* The slot that was not used for the longest time. */
static int oldest_slot(const struct gz_mux *bundle)
{
    int oldest = 0;
    for (int i = 1; i < GZ_TRUNK_SLOTS; i++)
        if (bundle->slots[i].used < bundle->slots[oldest].used) oldest = i;
    return oldest;
}

/* A frame that nobody else holds is sent to nobody else: to remember it would only keep its
 * memory. */
static bool write_piece(struct gz_mux *bundle, int place, uint16_t channel, struct gz_bytes *frame,
                        size_t at, size_t size)
{
    struct gz_mux_slot *slot = &bundle->slots[place];
    const bool is_last = at + size == gz_bytes_wire_size(frame);
    gz_bytes_release(slot->frame);
    slot->frame = gz_bytes_are_shared(frame) ? gz_bytes_hold(frame) : NULL;
    slot->at = at;
    slot->size = size;
    bundle->written++;
    return write_record(bundle, GZ_RECORD_DATA, flags_of(place, is_last), channel,
                        gz_bytes_wire(frame) + at, size);
}

bool gz_mux_share(struct gz_mux *bundle, uint16_t channel, struct gz_bytes *frame, size_t at,
                  size_t size)
{
    int place = 0;
    bool is_written;
    bundle->given++;
    if (is_latest(bundle, frame, at, size)) return join_latest(bundle, channel);
    while (place < GZ_TRUNK_SLOTS && !has(&bundle->slots[place], frame, at, size)) place++;
    if (place < GZ_TRUNK_SLOTS) {
        const bool is_last = at + size == gz_bytes_wire_size(frame);
        is_written =
            write_record(bundle, GZ_RECORD_AGAIN, flags_of(place, is_last), channel, NULL, 0);
    } else {
        place = oldest_slot(bundle);
        is_written = write_piece(bundle, place, channel, frame, at, size);
    }
    bundle->slots[place].used = ++bundle->uses;
    bundle->latest_slot = is_written ? place : -1;
    return is_written;
}

struct gz_bytes *gz_mux_take(struct gz_mux *bundle, const uint8_t *mask)
{
    bundle->latest_slot = -1;
    return gz_bytes_seal(&bundle->out, GZ_FRAME_BINARY_FIRST, mask);
}

void gz_mux_give_back(struct gz_mux *bundle, struct gz_bytes *sent)
{
    if (sent->capacity > GZ_TRUNK_KEPT_BYTES)
        gz_bytes_release(sent);
    else
        gz_bytes_reuse(sent, &bundle->out);
}

/* ---- reading ---- */

static bool is_size_good(const struct gz_record *record)
{
    switch (record->kind) {
    case GZ_RECORD_OPEN: return record->size <= GZ_TRUNK_OPEN_BYTES_MAX;
    case GZ_RECORD_DATA: return record->size > 0 && record->size <= GZ_TRUNK_PIECE_BYTES;
    case GZ_RECORD_AGAIN: return record->size == 0;
    case GZ_RECORD_TOOK:
    case GZ_RECORD_STATE: return record->size == 4;
    case GZ_RECORD_GROUP: return record->size == 2;
    case GZ_RECORD_CLOSE: return record->size >= 2 && record->size <= GZ_TRUNK_CLOSE_BYTES_MAX;
    case GZ_RECORD_KINDS: break;
    }
    return false;
}

static bool is_good(const struct gz_record *record)
{
    bool may_be_many = record->kind == GZ_RECORD_DATA || record->kind == GZ_RECORD_AGAIN;
    return is_size_good(record) && record->count > 0 && (record->count == 1 || may_be_many) &&
           record->slot < GZ_TRUNK_SLOTS;
}

enum gz_mux_found gz_mux_read(uint8_t *bytes, size_t size, struct gz_record *record, size_t *used)
{
    if (size < GZ_RECORD_HEADER_BYTES) return GZ_BUNDLE_NONE;
    if (bytes[0] >= GZ_RECORD_KINDS) return GZ_BUNDLE_BROKEN;
    *record = (struct gz_record){.kind = (enum gz_record_kind)bytes[0],
                                 .bytes = bytes + GZ_RECORD_HEADER_BYTES,
                                 .size = gz_record_number(bytes + 4, 4),
                                 .count = gz_record_number(bytes + 2, 2),
                                 .slot = bytes[1] & SLOT_BITS,
                                 .is_last = (bytes[1] & GZ_RECORD_LAST) != 0};
    if (!is_good(record)) return GZ_BUNDLE_BROKEN;
    record->channels = record->bytes + record->size;
    *used = GZ_RECORD_HEADER_BYTES + record->size + 2 * record->count;
    return size >= *used ? GZ_BUNDLE_RECORD : GZ_BUNDLE_NONE;
}

/* ---- both ends ---- */

/* Reads and writes the bytes of a link, and ends it. */

#define UNREAD "it reads nothing any more"

void gz_member_link_init(struct gz_member_link *link, struct gz_net *net,
                         const struct gz_member_link_end *end)
{
    *link = (struct gz_member_link){.net = net, .end = end, .next = net->links};
    gz_buffer_init(&link->in, GZ_TRUNK_IN_BYTES_MAX, 0);
    gz_mux_init(&link->out, GZ_TRUNK_OUT_BYTES_MAX);
    link->heard_s = link->stated_s = link->took_s = gz_awake_now(&net->awake);
    net->links = link;
}

/* ---- the end ---- */

void gz_member_link_fail(struct gz_member_link *link, const char *why)
{
    if (link->fault == NULL) link->fault = why;
}

static void end(struct gz_member_link *link)
{
    link->is_over = true;
    if (link->stream != NULL) gz_stream_close(link->stream);
    link->stream = NULL;
    link->end->end(link, link->fault);
    gz_buffer_finish(&link->in);
    gz_mux_finish(&link->out);
}

/* ---- signs of life ---- */

/* The frames of a client are masked. Without random bytes the mask is no secret, which matters
 * between a browser and a proxy alone. NULL for those of a server. */
static const uint8_t *choose_mask(const struct gz_member_link *link, uint8_t mask[4])
{
    memset(mask, 0, 4);
    if (!link->frames.is_of_server) return NULL;
    (void)uv_random(NULL, NULL, mask, 4, 0, NULL);
    return mask;
}

static void write_pong(struct gz_member_link *link)
{
    uint8_t bytes[GZ_FRAME_HEADER_BYTES_MAX], mask[4] = {0};
    uint8_t *end = bytes + sizeof bytes;
    const size_t size = choose_mask(link, mask) != NULL
                            ? gz_frame_mask(end, 0, GZ_FRAME_PONG_FIRST, mask)
                            : gz_frame_put_header(end, 0, GZ_FRAME_PONG_FIRST);
    if (!gz_stream_write(link->stream, end - size, size)) gz_member_link_fail(link, UNREAD);
}

static void tell(struct gz_member_link *link, double now_s)
{
    link->stated_s = now_s;
    if (link->end->tell != NULL)
        link->end->tell(link);
    else
        write_pong(link);
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

static void take_records(struct gz_member_link *link)
{
    enum gz_mux_found found = GZ_BUNDLE_RECORD;
    struct gz_buffer *in = &link->in;
    size_t at = 0, used;
    while (in->size > at && link->fault == NULL && found == GZ_BUNDLE_RECORD) {
        struct gz_record record;
        const char *fault = NULL;
        found = gz_mux_read(in->data + at, in->size - at, &record, &used);
        if (found == GZ_BUNDLE_BROKEN) fault = "it sent an invalid record";
        if (found == GZ_BUNDLE_RECORD) {
            fault = link->end->take(link, &record);
            at += used;
        }
        if (fault != NULL) gz_member_link_fail(link, fault);
    }
    drop_read(in, at);
}

static void take_part(struct gz_member_link *link, const struct gz_frame_part *part)
{
    switch (part->kind) {
    case GZ_FRAME_NONE:
    case GZ_FRAME_PING:
    case GZ_FRAME_PONG: break;
    case GZ_FRAME_DATA:
        if (gz_buffer_append(&link->in, part->bytes, part->size) != GZ_OK)
            gz_member_link_fail(link, "no memory");
        break;
    case GZ_FRAME_CLOSE: gz_member_link_fail(link, "it sent close"); break;
    case GZ_FRAME_BROKEN: gz_member_link_fail(link, part->what); break;
    }
}

static size_t take_bytes(void *context, uint8_t *bytes, size_t size)
{
    struct gz_member_link *link = context;
    size_t used = 0;
    link->heard_s = gz_awake_now(&link->net->awake);
    while (used < size && link->fault == NULL) {
        struct gz_frame_part part;
        used += gz_frames_read(&link->frames, bytes + used, size - used, &part);
        take_part(link, &part);
    }
    if (link->fault == NULL) take_records(link);
    if (isinf(link->stated_s)) tell(link, link->heard_s);
    if (link->answers >= GZ_TRUNK_ANSWERS_BYTES) gz_stream_pause(link->stream);
    return size;
}

static void end_bytes(void *context)
{
    gz_member_link_fail(context, "its connection ended");
}

static const struct gz_stream_user user = {.take = take_bytes, .end = end_bytes};

/* Enlarges the kernel's buffer, because the link carries many clients. */
static void widen(int socket)
{
    const int sent = GZ_TRUNK_SOCKET_BYTES, waiting = GZ_TRUNK_WAITING_BYTES, on = 1;
    (void)setsockopt(socket, SOL_SOCKET, SO_SNDBUF, &sent, sizeof sent);
    (void)setsockopt(socket, IPPROTO_TCP, TCP_NOTSENT_LOWAT, &waiting, sizeof waiting);
    (void)setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
}

/* libwebsockets may have read what comes right behind the answer to the handshake, and drops it: so
 * the end that asked for the link speaks first, and the other one as it hears it. */
void gz_member_link_begin(struct gz_member_link *link, struct gz_stream *stream, bool is_of_server)
{
    widen(gz_stream_socket(stream));
    link->stream = stream;
    link->frames.is_of_server = is_of_server;
    link->heard_s = link->took_s = gz_awake_now(&link->net->awake);
    link->stated_s = INFINITY;
    if (!gz_stream_start(stream, &user, link))
        gz_member_link_fail(link, "no memory to read from it");
    else if (is_of_server)
        tell(link, link->heard_s);
}

/* ---- outgoing ---- */

bool gz_member_link_is_full(const struct gz_member_link *link)
{
    return link->out.out.size >= GZ_TRUNK_WAITING_BYTES;
}

bool gz_member_link_is_good(const struct gz_member_link *link)
{
    return link->fault == NULL;
}

void gz_member_link_add(struct gz_member_link *link, enum gz_record_kind kind, uint16_t channel,
                        const void *bytes, size_t size)
{
    if (kind == GZ_RECORD_TOOK || kind == GZ_RECORD_CLOSE)
        link->answers += GZ_RECORD_HEADER_BYTES + size + 2;
    if (gz_member_link_is_good(link) && !gz_mux_add(&link->out, kind, channel, bytes, size))
        gz_member_link_fail(link, "no memory");
}

void gz_member_link_add_took(struct gz_member_link *link, uint16_t channel, size_t bytes)
{
    uint8_t payload[4];
    gz_record_set_number(payload, sizeof payload, (uint32_t)bytes);
    gz_member_link_add(link, GZ_RECORD_TOOK, channel, payload, sizeof payload);
}

void gz_member_link_add_close(struct gz_member_link *link, uint16_t channel, int code,
                              const char *words)
{
    uint8_t payload[GZ_TRUNK_CLOSE_BYTES_MAX];
    size_t size = words != NULL ? strnlen(words, sizeof payload - 2) : 0;
    gz_record_set_number(payload, 2, (uint32_t)code);
    if (size > 0) memcpy(payload + 2, words, size);
    gz_member_link_add(link, GZ_RECORD_CLOSE, channel, payload, 2 + size);
}

static bool is_writable(const struct gz_member_link *link)
{
    return link->fault == NULL && link->stream != NULL && gz_stream_is_free(link->stream);
}

static void flush(struct gz_member_link *link)
{
    struct gz_net_counters *counters = &link->net->counters;
    const struct gz_buffer *out = &link->out.out;
    const bool was_full = gz_member_link_is_full(link);
    uint8_t mask[4];
    if (out->size == 0 || !is_writable(link)) return;
    counters->trunk_bytes += out->size;
    struct gz_bytes *frame = gz_mux_take(&link->out, choose_mask(link, mask));
    if (!gz_stream_send(link->stream, frame)) gz_member_link_fail(link, UNREAD);
    gz_mux_give_back(&link->out, frame);
    link->answers = 0;
    if (link->fault == NULL && gz_stream_is_paused(link->stream)) gz_stream_resume(link->stream);
    if (was_full && link->fault == NULL && link->end->go_on != NULL) link->end->go_on(link);
}

/* ---- all links ---- */

static void count(struct gz_member_link *link)
{
    struct gz_net_counters *counters = &link->net->counters;
    struct gz_mux *out = &link->out;
    counters->trunk_records += out->records;
    counters->trunk_given += out->given;
    counters->trunk_written += out->written;
    out->records = out->given = out->written = 0;
}

bool gz_member_links_have_work(const struct gz_net *net)
{
    for (const struct gz_member_link *link = net->links; link != NULL; link = link->next)
        if (link->out.out.size > 0 && is_writable(link)) return true;
    return false;
}

void gz_member_links_end_turn(struct gz_net *net)
{
    for (struct gz_member_link *link = net->links; link != NULL; link = link->next) {
        if (link->is_over) continue;
        count(link);
        if (link->fault == NULL) flush(link);
        if (link->fault != NULL) end(link);
    }
}

/* Whether the other end takes waiting bytes. Silence is not enough: the kernel takes bytes for a
 * member that hangs, and pongs come even from one that never reads. */
static bool is_taking(struct gz_member_link *link, double now_s)
{
    const uint64_t bytes = gz_acknowledged_bytes(gz_stream_socket(link->stream));
    if (bytes > link->acknowledged_bytes || gz_stream_is_free(link->stream)) link->took_s = now_s;
    link->acknowledged_bytes = bytes;
    return now_s - link->took_s <= link->net->silence_s;
}

static void look_at(struct gz_member_link *link, double now_s)
{
    const struct gz_net *net = link->net;
    if (link->end->look_at != NULL) link->end->look_at(link, now_s);
    if (link->stream == NULL) return;
    if (!is_taking(link, now_s))
        gz_member_link_fail(link, "it reads nothing of the data that waits for it");
    if (gz_stream_is_paused(link->stream)) link->heard_s = now_s; /* it is not read */
    if (now_s - link->heard_s > fmin(net->silence_s, GZ_TRUNK_SILENCE_SECONDS))
        gz_member_link_fail(link, "it is silent");
    if (now_s - link->stated_s >= fmin(net->ping_s, GZ_TRUNK_BEAT_SECONDS) && is_writable(link))
        tell(link, now_s);
}

static bool is_forgotten(const struct gz_member_link *link, double now_s)
{
    return link->end->is_forgotten == NULL || link->end->is_forgotten(link, now_s);
}

void gz_member_links_sweep(struct gz_net *net, double now_s)
{
    struct gz_member_link **hook = &net->links;
    while (*hook != NULL) {
        struct gz_member_link *link = *hook;
        if (!link->is_over) look_at(link, now_s);
        if (link->is_over && is_forgotten(link, now_s)) {
            *hook = link->next;
            link->end->destroy(link);
        } else {
            hook = &link->next;
        }
    }
}

void gz_member_links_close(struct gz_net *net)
{
    for (struct gz_member_link *link = net->links; link != NULL; link = link->next) {
        gz_member_link_fail(link, "the server is going away");
        if (!link->is_over) end(link);
    }
}

void gz_member_links_finish(struct gz_net *net)
{
    while (net->links != NULL) {
        struct gz_member_link *link = net->links;
        net->links = link->next;
        link->end->destroy(link);
    }
}
