/* fuzz_trunk.c - a sequence of steps made of any bytes: what the other member of a cluster sends on
 * a link, and what the clients, the sockets, the scene and the clock do meanwhile. The first byte
 * says whether this end is the authority or the edge, and in which pieces bytes come. Records are
 * such as a member sends, or have any header and any payload; or the bytes are no records at all.
 *
 * Whatever comes: the link goes on, or ends with a reason. What it writes can be read. What waits
 * in it is bounded by the windows, and in the end nothing is left (trunk_world.h). */
#include <string.h>

#include "proto/message.h"
#include "trunk_world.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* What the first byte says. */
enum flag {
    FLAG_EDGE = 1,
    FLAG_TOGETHER = 2, /* records wait for the next turn, and come in one frame */
    FLAG_BYTES = 4     /* they come byte by byte */
};

/* Each step is a byte: what, and who: a channel or a client. */
enum step {
    OPEN, /* at an edge: the client comes, or goes */
    SAY,  /* the client's message: in a record, or by its own socket */
    PART, /* the same, of any bytes */
    DATA,
    AGAIN,
    TOOK,
    CLOSE,
    GROUP,
    RECORD, /* with any header */
    RAW,    /* no record; perhaps no frame */
    TURN,
    WAIT,
    FILL,  /* a socket is full, or free again */
    CHECK, /* the link is open, or is lost */
    SCENE, /* the scene is open, or cannot be opened */
    LEND
};

struct source {
    const uint8_t *at, *end;
};

static struct gz_buffer unsent; /* records of the other member that did not leave yet */
static uint8_t flags;

static uint8_t next(struct source *source)
{
    return source->at < source->end ? *source->at++ : 0;
}

/* Up to so many of the next bytes. */
static size_t take(struct source *source, size_t size, const uint8_t **bytes)
{
    const size_t left = (size_t)(source->end - source->at);
    *bytes = source->at;
    source->at += size < left ? size : left;
    return size < left ? size : left;
}

/* ---- what clients say ---- */

#define NODES 90

/* A frame of a server, or of a client with a mask of zeros. */
static struct gz_buffer frame_of(uint8_t first, const void *bytes, size_t size, bool is_masked)
{
    struct gz_buffer frame;
    uint8_t header[GZ_FRAME_HEADER_BYTES_MAX + 4] = {0}, *end = header + GZ_FRAME_HEADER_BYTES_MAX;
    const size_t used = gz_frame_put_header(end, size, (enum gz_frame_first)first);
    if (is_masked) end[1 - (ptrdiff_t)used] |= 0x80;
    gz_buffer_init(&frame, SIZE_MAX / 2, 0);
    require(gz_buffer_append(&frame, end - used, used + (is_masked ? 4 : 0)) == GZ_OK);
    require(size == 0 || gz_buffer_append(&frame, bytes, size) == GZ_OK);
    return frame;
}

static struct gz_buffer message_of(const struct gz_message *message)
{
    struct gz_buffer bytes;
    gz_buffer_init(&bytes, SIZE_MAX / 2, 0);
    require(gz_encode(&bytes, message) == GZ_OK && bytes.size <= UINT16_MAX);
    const struct gz_buffer frame = frame_of(0x82, bytes.data, bytes.size, true);
    gz_buffer_finish(&bytes);
    return frame;
}

static struct gz_buffer hello_of(const char *scene, enum gz_role role, bool packed)
{
    return message_of(&(struct gz_message){.op = GZ_OP_HELLO,
                                           .has = GZ_HAS_HELLO_ROLE,
                                           .hello = {.v = GZ_PROTOCOL_VERSION,
                                                     .scene = {scene, strlen(scene)},
                                                     .user = {"ada", 3},
                                                     .role = role,
                                                     .packed = packed}});
}

/* So many nodes with long names that the frame for others is larger than a piece. */
static struct gz_buffer create_of(size_t count)
{
    static struct gz_create_node nodes[NODES];
    static char name[GZ_NAME_BYTES_MAX];
    memset(name, 'n', sizeof name);
    for (size_t i = 0; i < count; i++)
        nodes[i] = (struct gz_create_node){.name = {name, sizeof name}, .trs = gz_trs_identity};
    return message_of(
        &(struct gz_message){.op = GZ_OP_CREATE, .create = {.nodes = nodes, .count = count}});
}

enum { SAYINGS = 16 };

/* Viewers come most often: those that only watch are in groups. */
static const struct gz_buffer *saying(size_t index)
{
    static struct gz_buffer sayings[SAYINGS];
    static const uint64_t first = 1;
    const struct gz_message ping = {.op = GZ_OP_PING, .has = GZ_HAS_RID, .rid = 7},
                            select = {.op = GZ_OP_SELECT, .select.nodes = {&first, 1}};
    if (sayings[0].size > 0) return &sayings[index % SAYINGS];
    sayings[0] = sayings[1] = hello_of("scene", GZ_ROLE_VIEWER, false);
    sayings[2] = sayings[3] = hello_of("scene", GZ_ROLE_EDITOR, false);
    sayings[4] = hello_of("scene", GZ_ROLE_VIEWER, true);
    sayings[5] = hello_of("later", GZ_ROLE_VIEWER, false);
    sayings[6] = hello_of("moved", GZ_ROLE_VIEWER, false);
    sayings[7] = hello_of("none", GZ_ROLE_VIEWER, false);
    sayings[8] = message_of(&ping);
    sayings[9] = message_of(&select);
    sayings[10] = sayings[11] = create_of(1);
    sayings[12] = create_of(NODES);
    sayings[13] = frame_of(0x89, "ping", 4, true);
    sayings[14] = frame_of(0x88, "\x03\xe8", 2, true);
    sayings[15] = frame_of(0x81, "text", 4, true);
    return &sayings[index % SAYINGS];
}

/* ---- what the other member sends ---- */

static void add(const void *bytes, size_t size)
{
    require(size == 0 || gz_buffer_append(&unsent, bytes, size) == GZ_OK);
}

static void add_number(size_t number, size_t size)
{
    uint8_t bytes[4];
    gz_record_set_number(bytes, size, (uint32_t)number);
    add(bytes, size);
}

static void add_header(uint8_t kind, uint8_t slot, size_t count, size_t size)
{
    add(&kind, 1);
    add(&slot, 1);
    add_number(count, 2);
    add_number(size, 4);
}

static void add_record(uint8_t kind, uint8_t slot, size_t channel, const void *bytes, size_t size)
{
    add_header(kind, slot, 1, size);
    add(bytes, size);
    add_number(channel, 2);
}

static void send_bytes(const uint8_t *bytes, size_t size)
{
    const size_t piece = (flags & FLAG_BYTES) != 0 ? 1 : GZ_TRUNK_PIECE_BYTES;
    for (size_t at = 0; at < size; at += piece)
        world_receive(bytes + at, size - at < piece ? size - at : piece);
}

static void send_unsent(void)
{
    if (unsent.size == 0) return;
    struct gz_buffer frame = frame_of(0x82, unsent.data, unsent.size, !world.is_edge);
    send_bytes(frame.data, frame.size);
    gz_buffer_finish(&frame);
    gz_buffer_clear(&unsent);
}

/* Few channels, groups, and numbers of neither. */
static size_t channel_of(uint8_t byte)
{
    if (byte < 0x80) return byte % 8;
    if (byte < 0xF0) return GZ_TRUNK_GROUP + byte % 4;
    return byte == 0xFF ? UINT16_MAX : (size_t)byte << 7;
}

static void open_channel(size_t who)
{
    char client[] = "\01010.0.0.1"; /* eight bytes of an address, and no user */
    client[8] = (char)('0' + who % 3);
    add_record(GZ_RECORD_OPEN, 0, who, client, sizeof client - 1);
}

static void say(struct source *source, size_t who)
{
    const struct gz_buffer *frame = saying(next(source));
    if (world.is_edge) {
        world_say(who, frame->data, frame->size);
        return;
    }
    for (size_t at = 0; at < frame->size; at += GZ_TRUNK_PIECE_BYTES) {
        const size_t left = frame->size - at;
        add_record(GZ_RECORD_DATA, 0, who, frame->data + at,
                   left < GZ_TRUNK_PIECE_BYTES ? left : GZ_TRUNK_PIECE_BYTES);
    }
}

static void say_part(struct source *source, size_t who)
{
    const uint8_t *bytes;
    const size_t size = take(source, 1u + next(source) % 32, &bytes);
    if (world.is_edge)
        world_say(who, bytes, size);
    else
        add_record(GZ_RECORD_DATA, 0, who, bytes, size);
}

/* For this channel, and perhaps for others and groups. */
static void send_piece(struct source *source, enum gz_record_kind kind, size_t who)
{
    static const uint8_t zeros[GZ_TRUNK_PIECE_BYTES];
    static const size_t sizes[] = {2, 200, GZ_TRUNK_PIECE_BYTES, GZ_TRUNK_PIECE_BYTES};
    const uint8_t how = next(source);
    const size_t more = how / 4 % 4, size = kind == GZ_RECORD_DATA ? sizes[how % 4] : 0;
    const uint8_t slot = (uint8_t)(how / 16 % 4 | (how & 0x40) << 1);
    add_header((uint8_t)kind, slot, 1 + more, size);
    add(zeros, size);
    add_number(who, 2);
    for (size_t i = 0; i < more; i++) add_number(channel_of(next(source)), 2);
}

/* All that is on its way, a part of it, or more. */
static void take_back(struct source *source, size_t who)
{
    const uint8_t how = next(source);
    const size_t bytes = how < 0x80 ? world_in_flight((uint16_t)who) : (size_t)how << 8;
    uint8_t payload[4];
    gz_record_set_number(payload, sizeof payload, (uint32_t)(how < 0x40 ? bytes : bytes / 2));
    add_record(GZ_RECORD_TOOK, 0, who, payload, sizeof payload);
}

static void close_channel(struct source *source, size_t who)
{
    static const uint16_t codes[] = {0, 0, 1, 1000, 1001, 1005, 4000, 65535};
    const uint8_t *words, how = next(source);
    uint8_t payload[32];
    const size_t size = take(source, how / 8 % 8, &words);
    gz_record_set_number(payload, 2, codes[how % 8]);
    memcpy(payload + 2, words, size);
    add_record(GZ_RECORD_CLOSE, 0, who, payload, 2 + size);
}

static void enter_group(struct source *source, size_t who)
{
    uint8_t payload[2];
    const uint8_t byte = next(source);
    gz_record_set_number(payload, sizeof payload, (uint32_t)(byte == 0 ? 0 : channel_of(byte)));
    add_record(GZ_RECORD_GROUP, 0, who, payload, sizeof payload);
}

/* A payload that may be shorter or longer than the header says. */
static void send_record(struct source *source)
{
    const uint8_t kind = next(source) % 9, slot = next(source), count = next(source) % 4,
                  said = next(source);
    const uint8_t *bytes;
    const size_t size = take(source, next(source), &bytes);
    add_header(kind, slot, count, said == 0xFF ? UINT32_MAX : said < 0x80 ? size : said * 300u);
    add(bytes, size);
    for (size_t i = 0; i < count; i++) add_number(channel_of(next(source)), 2);
}

static void send_raw(struct source *source)
{
    const uint8_t *bytes, how = next(source);
    const size_t size = take(source, how % 64, &bytes);
    if (how < 0x80)
        send_bytes(bytes, size);
    else
        add(bytes, size);
}

/* ---- steps ---- */

static void come_or_go(size_t who)
{
    if (!world.is_edge)
        open_channel(who);
    else if (world.clients[who].is_there)
        world_leave(who);
    else
        world_enter(who);
}

static void fill(size_t who, uint8_t how)
{
    struct world_stream *stream = world_stream();
    if (world.is_edge && how % 4 != 0)
        world_fill(who, how % 4 != 1);
    else if (stream != NULL)
        stream->is_full = !stream->is_full;
}

static void connect_or_cut(uint8_t how)
{
    if (how % 4 == 0)
        world_cut();
    else
        world_connect();
}

static void act(struct source *source, enum step step, size_t who)
{
    switch (step) {
    case OPEN: come_or_go(who); break;
    case SAY: say(source, who); break;
    case PART: say_part(source, who); break;
    case DATA: send_piece(source, GZ_RECORD_DATA, who); break;
    case AGAIN: send_piece(source, GZ_RECORD_AGAIN, who); break;
    case TOOK: take_back(source, who); break;
    case CLOSE: close_channel(source, who); break;
    case GROUP: enter_group(source, who); break;
    case RECORD: send_record(source); break;
    case RAW: send_raw(source); break;
    case TURN: world_turn(); break;
    case WAIT: world_wait(next(source) / 16.0); break;
    case FILL: fill(who, next(source)); break;
    case CHECK: connect_or_cut(next(source)); break;
    case SCENE: world_open_scene(next(source) % 2 == 0); break;
    case LEND: world_lend(next(source) % 2 == 0); break;
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct source source = {data, data + size};
    flags = next(&source);
    gz_buffer_init(&unsent, SIZE_MAX / 2, 0);
    world_begin((flags & FLAG_EDGE) != 0);
    while (source.at < source.end) {
        const uint8_t byte = next(&source);
        const enum step step = (enum step)(byte % 16);
        if ((flags & FLAG_TOGETHER) != 0 && step == TURN) send_unsent();
        act(&source, step, byte / 16 % WORLD_CLIENTS);
        if ((flags & FLAG_TOGETHER) == 0) send_unsent();
    }
    send_unsent();
    world_turn();
    world_end();
    gz_buffer_finish(&unsent);
    return 0;
}
