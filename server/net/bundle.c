/* bundle.c - writes and reads the records of a trunk. See bundle.h. */
#include "net/bundle.h"

#define SLOT_BITS 0x7F

static_assert(GZ_TRUNK_SLOTS <= SLOT_BITS + 1, "a place fits into its bits");

void gz_bundle_init(struct gz_bundle *bundle, size_t max)
{
    *bundle = (struct gz_bundle){.latest_slot = -1};
    gz_buffer_init(&bundle->out, max, GZ_BYTES_HEADROOM);
}

void gz_bundle_finish(struct gz_bundle *bundle)
{
    gz_buffer_finish(&bundle->out);
    for (size_t i = 0; i < GZ_TRUNK_SLOTS; i++) {
        gz_bytes_release(bundle->slots[i].frame);
        bundle->slots[i].frame = NULL;
    }
}

/* ---- writing ---- */

static bool write_channel(struct gz_bundle *bundle, uint16_t channel)
{
    uint8_t bytes[2];
    gz_record_set_number(bytes, sizeof bytes, channel);
    return gz_buffer_append(&bundle->out, bytes, sizeof bytes) == GZ_OK;
}

static bool write_record(struct gz_bundle *bundle, enum gz_record_kind kind, uint8_t flags,
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

bool gz_bundle_add(struct gz_bundle *bundle, enum gz_record_kind kind, uint16_t channel,
                   const void *bytes, size_t size)
{
    return write_record(bundle, kind, 0, channel, bytes, size);
}

static bool has(const struct gz_bundle_slot *slot, const struct gz_bytes *frame, size_t at,
                size_t size)
{
    return slot->frame == frame && slot->at == at && slot->size == size;
}

/* The number of channels in the last record, which has not been sent yet. */
static uint8_t *latest_count(struct gz_bundle *bundle)
{
    return bundle->out.data + bundle->latest + 2;
}

static bool is_latest(struct gz_bundle *bundle, const struct gz_bytes *frame, size_t at,
                      size_t size)
{
    const int place = bundle->latest_slot;
    return place >= 0 && has(&bundle->slots[place], frame, at, size) &&
           gz_record_number(latest_count(bundle), 2) < UINT16_MAX;
}

static bool join_latest(struct gz_bundle *bundle, uint16_t channel)
{
    gz_record_set_number(latest_count(bundle), 2, gz_record_number(latest_count(bundle), 2) + 1);
    return write_channel(bundle, channel);
}

static uint8_t flags_of(int slot, bool is_last)
{
    return (uint8_t)(slot | (is_last ? GZ_RECORD_LAST : 0));
}

/* The slot that was not used for the longest time. */
static int oldest_slot(const struct gz_bundle *bundle)
{
    int oldest = 0;
    for (int i = 1; i < GZ_TRUNK_SLOTS; i++)
        if (bundle->slots[i].used < bundle->slots[oldest].used) oldest = i;
    return oldest;
}

/* A frame that nobody else holds is sent to nobody else: to remember it would only keep its
 * memory. */
static bool write_piece(struct gz_bundle *bundle, int place, uint16_t channel,
                        struct gz_bytes *frame, size_t at, size_t size)
{
    struct gz_bundle_slot *slot = &bundle->slots[place];
    const bool is_last = at + size == gz_bytes_wire_size(frame);
    gz_bytes_release(slot->frame);
    slot->frame = gz_bytes_are_shared(frame) ? gz_bytes_hold(frame) : NULL;
    slot->at = at;
    slot->size = size;
    bundle->written++;
    return write_record(bundle, GZ_RECORD_DATA, flags_of(place, is_last), channel,
                        gz_bytes_wire(frame) + at, size);
}

bool gz_bundle_share(struct gz_bundle *bundle, uint16_t channel, struct gz_bytes *frame, size_t at,
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

struct gz_bytes *gz_bundle_take(struct gz_bundle *bundle, const uint8_t *mask)
{
    bundle->latest_slot = -1;
    return gz_bytes_seal(&bundle->out, GZ_FRAME_BINARY_FIRST, mask);
}

void gz_bundle_give_back(struct gz_bundle *bundle, struct gz_bytes *sent)
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

enum gz_bundle_found gz_bundle_read(uint8_t *bytes, size_t size, struct gz_record *record,
                                    size_t *used)
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
