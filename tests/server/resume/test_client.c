/* What the C client says when it comes back, to a server that is nothing but this test: it is told
 * as much as each case needs, and then cut off. */
#include <arpa/inet.h>
#include <libwebsockets.h>
#include <netinet/in.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "gizmo_client.h"
#include "proto/limits.h"
#include "support/cmocka.h"

#define PATIENCE_S 60.0
#define EPOCH 7
#define ANSWERS_MAX 4

/* One connection of a case: what hello is to say, what the server answers, after which it hangs
 * up. */
struct act {
    bool resumes;
    bool is_put_off;     /* the answer is a bye, after which the client comes back by itself */
    const char *refusal; /* what is answered instead of a handshake; NULL: there is a handshake */
    uint64_t seq, edit;
    const char *secret;                     /* NULL for none */
    struct gz_message answers[ANSWERS_MAX]; /* until the first hello, which no server says */
};

struct play {
    const struct act *acts;
    size_t count;
    int listener;
    char url[64];
    const char *fault; /* the first thing that was not as it should be */
};

/* ---- the server ---- */

static bool read_all(int socket, uint8_t *bytes, size_t size)
{
    for (ssize_t got; size > 0; bytes += got, size -= (size_t)got) {
        got = recv(socket, bytes, size, 0);
        if (got <= 0) return false;
    }
    return true;
}

static bool write_all(int socket, const void *bytes, size_t size)
{
    return send(socket, bytes, size, MSG_NOSIGNAL) == (ssize_t)size;
}

static bool shake_hands(int socket)
{
    static const char magic[] = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";
    char head[4096] = "", key[128], answer[512], accept[64];
    unsigned char hash[20];
    for (size_t size = 0; strstr(head, "\r\n\r\n") == NULL; size++)
        if (size + 1 == sizeof head || !read_all(socket, (uint8_t *)head + size, 1)) return false;
    const char *field = strcasestr(head, "Sec-WebSocket-Key: ");
    if (field == NULL || sscanf(field + 19, "%64s", key) != 1) return false;
    strcat(key, magic);
    lws_SHA1((const unsigned char *)key, strlen(key), hash);
    lws_b64_encode_string((const char *)hash, sizeof hash, accept, sizeof accept);
    int size =
        snprintf(answer, sizeof answer,
                 "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                 "Sec-WebSocket-Accept: %s\r\nSec-WebSocket-Protocol: %s\r\n\r\n",
                 accept, GZ_SUBPROTOCOL);
    return write_all(socket, answer, (size_t)size);
}

/* A frame of a client is masked; hello is short. */
static bool read_hello(int socket, struct gz_arena *arena, struct gz_message *hello)
{
    uint8_t head[4], mask[4],
        *bytes =
            gz_arena_take(arena, GZ_HELLO_BYTES_MAX, 1); /* the texts of the hello point into it */
    if (bytes == NULL || !read_all(socket, head, 2)) return false;
    size_t size = head[1] & 0x7f;
    if (size == 126) {
        if (!read_all(socket, head + 2, 2)) return false;
        size = (size_t)head[2] << 8 | head[3];
    }
    if (size > GZ_HELLO_BYTES_MAX || !read_all(socket, mask, 4) || !read_all(socket, bytes, size))
        return false;
    for (size_t i = 0; i < size; i++) bytes[i] ^= mask[i % 4];
    size_t offset = 0;
    struct gz_error error;
    return gz_decode(GZ_FROM_CLIENT, bytes, size, &offset, arena, hello, &error) == GZ_OK &&
           hello->op == GZ_OP_HELLO;
}

static bool say(int socket, const struct gz_message *message)
{
    struct gz_buffer bytes;
    gz_buffer_init(&bytes, 65535, 4);
    bool said = gz_encode(&bytes, message) == GZ_OK;
    const uint8_t head[4] = {0x82, 126, (uint8_t)(bytes.size >> 8), (uint8_t)bytes.size};
    said =
        said && write_all(socket, head, sizeof head) && write_all(socket, bytes.data, bytes.size);
    gz_buffer_finish(&bytes);
    return said;
}

static const char *check_hello(const struct act *act, const struct gz_message *hello)
{
    const struct gz_hello *said = &hello->hello;
    if (((hello->has & GZ_HAS_HELLO_RESUME) != 0) != act->resumes) return "resume";
    if (!act->resumes) return NULL;
    if (said->resume_epoch != EPOCH) return "resume.epoch";
    if (said->resume_seq != act->seq) return "resume.seq";
    const char *secret = act->secret != NULL ? act->secret : "";
    size_t size = strlen(secret);
    if (said->resume_secret.size != size ||
        (size > 0 && memcmp(said->resume_secret.bytes, secret, size) != 0))
        return "resume.secret";
    if (((hello->has & GZ_HAS_HELLO_EDIT) != 0) != (act->edit != 0))
        return "resume.edit is there or not";
    return act->edit != 0 && said->resume_edit != act->edit ? "resume.edit" : NULL;
}

static const char *refuse(int socket, const char *words)
{
    char head[4096];
    if (recv(socket, head, sizeof head, 0) <= 0) return "the connection";
    return write_all(socket, words, strlen(words)) ? NULL : "a refusal";
}

static const char *perform(int socket, const struct act *act)
{
    if (act->refusal != NULL) return refuse(socket, act->refusal);
    struct gz_arena arena;
    struct gz_message hello;
    const char *fault = "the connection";
    gz_arena_init(&arena, GZ_HELLO_BYTES_MAX + gz_decode_bytes_max(GZ_HELLO_BYTES_MAX));
    if (shake_hands(socket) && read_hello(socket, &arena, &hello)) fault = check_hello(act, &hello);
    gz_arena_finish(&arena);
    for (size_t i = 0; i < ANSWERS_MAX && act->answers[i].op != GZ_OP_HELLO && fault == NULL; i++)
        if (!say(socket, &act->answers[i])) fault = "an answer";
    return fault;
}

static void *serve(void *context)
{
    struct play *play = context;
    for (size_t i = 0; i < play->count && play->fault == NULL; i++) {
        int socket = accept(play->listener, NULL, NULL);
        play->fault = perform(socket, &play->acts[i]);
        close(socket);
    }
    return NULL;
}

/* ---- a case ---- */

static void listen_for(struct play *play)
{
    struct sockaddr_in address = {.sin_family = AF_INET};
    socklen_t size = sizeof address;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    play->listener = socket(AF_INET, SOCK_STREAM, 0);
    assert_int_equal(bind(play->listener, (struct sockaddr *)&address, size), 0);
    assert_int_equal(listen(play->listener, 4), 0);
    assert_int_equal(getsockname(play->listener, (struct sockaddr *)&address, &size), 0);
    snprintf(play->url, sizeof play->url, "ws://127.0.0.1:%d/ws", ntohs(address.sin_port));
}

/* The client joins as often as there are acts, and each time reads all that it is told. */
static void run(const struct act *acts, size_t count)
{
    struct play play = {.acts = acts, .count = count};
    struct gz_client_options options = {.scene = "arm", .user = "anna", .timeout_s = PATIENCE_S};
    struct gz_client *client = NULL;
    struct gz_error error = {0};
    pthread_t server;
    listen_for(&play);
    options.url = play.url;
    assert_int_equal(pthread_create(&server, NULL, serve, &play), 0);
    for (size_t i = 0; i < count; i++) {
        if (i > 0 && acts[i - 1].is_put_off) continue;
        enum gz_status status = i == 0 ? gz_client_create(&client, &options, &error)
                                       : gz_client_reconnect(client, &error);
        if (status != GZ_OK)
            fail_msg("joining %zu: %s (%s)", i, error.message,
                     play.fault != NULL ? play.fault : "");
        while (gz_client_next(client, PATIENCE_S) != NULL) continue;
        assert_false(gz_client_is_open(client));
    }
    pthread_join(server, NULL);
    gz_client_destroy(client);
    close(play.listener);
    if (play.fault != NULL) fail_msg("%s was not as it should be", play.fault);
}

static const struct gz_node_state node = {.has = GZ_HAS_STATE_T | GZ_HAS_STATE_R | GZ_HAS_STATE_S |
                                                 GZ_HAS_STATE_NAME | GZ_HAS_STATE_PARENT,
                                          .id = 1,
                                          .name = {"hand", 4},
                                          .trs = {{0, 0, 0}, {0, 0, 0, 1}, {1, 1, 1}}};
static const struct gz_node_state untold = {.has = GZ_HAS_STATE_T, .id = 2};

static struct gz_message welcome_with(uint64_t seq, bool resumed, const char *secret)
{
    return (struct gz_message){.op = GZ_OP_WELCOME,
                               .welcome = {.v = 1,
                                           .session = 1,
                                           .scene = {"arm", 3},
                                           .epoch = EPOCH,
                                           .seq = seq,
                                           .resumed = resumed,
                                           .server = {"test", 4},
                                           .secret = gz_client_text(secret)}};
}

static struct gz_message welcome(uint64_t seq, bool resumed)
{
    return welcome_with(seq, resumed, NULL);
}

/* With one node, or none. */
static struct gz_message delta_of(const struct gz_node_state *changed, uint64_t from, uint64_t seq,
                                  bool more, uint64_t saved)
{
    return (struct gz_message){.op = GZ_OP_DELTA,
                               .delta = {.from = from,
                                         .seq = seq,
                                         .more = more,
                                         .saved = saved,
                                         .nodes = changed,
                                         .count = changed != NULL}};
}

static struct gz_message delta(uint64_t from, uint64_t seq, bool more, uint64_t saved)
{
    return delta_of(NULL, from, seq, more, saved);
}

static struct gz_message edit_told(uint64_t seq)
{
    return (struct gz_message){
        .op = GZ_OP_EDIT, .edit = {.id = 3, .seq = seq, .user = {"anna", 4}, .kind = GZ_EDIT_SET}};
}

static struct gz_message bye(double retry_s, bool fatal)
{
    return (struct gz_message){
        .op = GZ_OP_BYE, .bye = {.reason = {"not here", 8}, .retry_s = retry_s, .fatal = fatal}};
}

#define RUN(acts) run(acts, sizeof(acts) / sizeof(acts)[0])

TEST(test_client_resumes_where_it_was_whole)
{
    const struct act acts[] = {
        {.answers = {welcome(4, false), delta_of(&node, 0, 4, false, 2), delta(4, 6, false, 2)}},
        {.resumes = true, .seq = 6, .edit = 2, .answers = {welcome(6, true)}},
        {.resumes = true, .seq = 6, .edit = 2, .answers = {welcome(6, true)}}, /* nothing came */
    };
    RUN(acts);
}

/* So that a connection that hangs is not in its way; an earlier server tells none. */
TEST(test_client_says_the_secret_of_its_last_welcome)
{
    const struct act acts[] = {
        {.answers = {welcome_with(0, false, "0123456789abcdef")}},
        {.resumes = true, .secret = "0123456789abcdef", .answers = {welcome_with(0, false, "f")}},
        {.resumes = true, .secret = "f", .answers = {welcome(0, false)}},
        {.resumes = true, .answers = {welcome(0, false)}},
    };
    RUN(acts);
}

TEST(test_client_cut_off_within_a_snapshot_starts_anew)
{
    const struct act acts[] = {
        {.answers = {welcome(9, false), delta_of(&node, 0, 4, true, 9)}},
        {.resumes = true, .seq = 0, .edit = 9, .answers = {welcome(9, false)}},
    };
    RUN(acts);
}

/* What is there of later than the last whole state was saved: no crash can have taken it back. It
 * is told again. */
TEST(test_client_cut_off_within_what_was_saved_resumes)
{
    const struct act acts[] = {
        {.answers = {welcome(9, false), delta_of(&node, 0, 4, false, 9), delta(4, 6, true, 9)}},
        {.resumes = true, .seq = 4, .edit = 9, .answers = {welcome(9, true), delta(4, 5, true, 9)}},
        {.resumes = true,
         .seq = 4,
         .edit = 9,
         .answers = {welcome(9, true), delta(4, 8, false, 9)}},
        {.resumes = true, .seq = 8, .edit = 9, .answers = {welcome(9, true)}},
    };
    RUN(acts);
}

/* A server that crashed would not know that it ever said what is beyond `saved`, and would not take
 * it back. */
TEST(test_client_cut_off_within_what_was_not_saved_starts_anew)
{
    const struct act acts[] = {
        {.answers = {welcome(9, false), delta_of(&node, 0, 4, false, 5), delta(4, 6, true, 5)}},
        {.resumes = true, .seq = 0, .edit = 5, .answers = {welcome(9, false)}},
    };
    RUN(acts);
    /* Also where it had gone back already, and was told less than before. */
    const struct act again[] = {
        {.answers = {welcome(9, false), delta_of(&node, 0, 4, false, 6), delta(4, 6, true, 6)}},
        {.resumes = true, .seq = 4, .edit = 6, .answers = {welcome(9, true), delta(4, 7, true, 6)}},
        {.resumes = true, .seq = 0, .edit = 6, .answers = {welcome(9, false)}},
    };
    RUN(again);
}

TEST(test_client_whose_scene_is_broken_starts_anew)
{
    const struct act acts[] = {
        {.answers = {welcome(9, false), delta_of(&node, 0, 4, false, 9),
                     delta_of(&untold, 4, 5, false, 9)}}, /* new, and not told whole */
        {.resumes = true,
         .seq = 0,
         .edit = 9,
         .answers = {welcome(9, false), delta_of(&node, 0, 9, false, 9)}},
        {.resumes = true,
         .seq = 9,
         .edit = 9,
         .answers = {welcome(9, true), delta(7, 8, false, 9)}}, /* a gap */
        {.resumes = true, .seq = 0, .edit = 9, .answers = {welcome(9, false)}},
    };
    RUN(acts);
}

TEST(test_client_says_which_edit_it_heard_of_last)
{
    const struct act acts[] = {
        {.answers = {welcome(9, false), delta_of(&node, 0, 9, false, 9), edit_told(7),
                     edit_told(9)}},
        {.resumes = true, .seq = 9, .edit = 9, .answers = {welcome(9, true)}},
        /* Also where the state starts from 0; but never of later than the scene is. */
        {.resumes = true, .seq = 9, .edit = 9, .answers = {welcome(9, false)}},
        {.resumes = true, .seq = 0, .edit = 9, .answers = {welcome(5, false)}},
        {.resumes = true, .seq = 0, .edit = 5, .answers = {welcome(5, false)}},
    };
    RUN(acts);
}

TEST(test_client_that_is_put_off_comes_back)
{
    const struct act acts[] = {
        {.is_put_off = true, .answers = {bye(0.2, false)}},
        {.is_put_off = true, .answers = {bye(0, false)}},
        {.answers = {welcome(4, false), delta_of(&node, 0, 4, false, 4)}},
        {.resumes = true, .seq = 4, .edit = 4, .is_put_off = true, .answers = {bye(0, false)}},
        {.resumes = true, .seq = 4, .edit = 4, .answers = {welcome(4, true)}},
    };
    RUN(acts);
}

/* A server that ends says bye, then nothing, or its proxy says no, until it is there again. */
TEST(test_client_that_is_put_off_comes_back_also_when_nobody_answers_meanwhile)
{
    static const char busy[] = "HTTP/1.1 503 Service Unavailable\r\nContent-Length: 0\r\n\r\n";
    const struct act acts[] = {
        {.is_put_off = true, .answers = {bye(0, false)}},
        {.is_put_off = true, .refusal = ""},
        {.is_put_off = true, .refusal = ""},
        {.is_put_off = true, .refusal = busy},
        {.is_put_off = true, .refusal = busy},
        {.is_put_off = true}, /* the connection is over before the welcome */
        {.answers = {welcome(4, false)}},
    };
    RUN(acts);
}

TEST(test_client_that_is_sent_away_for_good_says_why)
{
    const struct act act = {.answers = {bye(0, true)}};
    struct play play = {.acts = &act, .count = 1};
    struct gz_client_options options = {.scene = "arm", .user = "anna", .timeout_s = PATIENCE_S};
    struct gz_client *client = NULL;
    struct gz_error error = {0};
    pthread_t server;
    listen_for(&play);
    options.url = play.url;
    assert_int_equal(pthread_create(&server, NULL, serve, &play), 0);
    assert_int_not_equal(gz_client_create(&client, &options, &error), GZ_OK);
    assert_string_equal(error.message, "not here");
    pthread_join(server, NULL);
    close(play.listener);
}

/* ---- frames of a server ---- */

/* What the server says behind the handshake, and how a client that heard that fails to join; NULL:
 * it joins. */
struct frames {
    const char *bytes;
    size_t size;
    const char *error;
    int listener;
    const char *fault;
};

/* A welcome in three frames, with a ping between them. */
static bool say_in_parts(int socket, const struct gz_message *message)
{
    static const uint8_t ping[] = {0x89, 2, 'h', 'i'};
    struct gz_buffer bytes;
    gz_buffer_init(&bytes, 125 * 3, 0);
    bool said = gz_encode(&bytes, message) == GZ_OK && bytes.size > 2 && bytes.size < 126;
    const uint8_t first[] = {0x02, 1}, none[] = {0x00, 0};
    const uint8_t last[] = {0x80, (uint8_t)(bytes.size - 1)};
    said = said && write_all(socket, first, 2) && write_all(socket, bytes.data, 1) &&
           write_all(socket, ping, sizeof ping) && write_all(socket, none, 2) &&
           write_all(socket, last, 2) && write_all(socket, bytes.data + 1, bytes.size - 1);
    gz_buffer_finish(&bytes);
    return said;
}

/* A pong is masked, and has the bytes of the ping. */
static const char *check_pong(int socket)
{
    uint8_t pong[8];
    if (!read_all(socket, pong, sizeof pong) || pong[0] != 0x8a || pong[1] != 0x82) return "a pong";
    return (pong[6] ^ pong[2]) == 'h' && (pong[7] ^ pong[3]) == 'i' ? NULL : "the pong's bytes";
}

static void *serve_frames(void *context)
{
    struct frames *frames = context;
    const struct gz_message message = welcome(4, false);
    struct gz_arena arena;
    struct gz_message hello;
    gz_arena_init(&arena, GZ_HELLO_BYTES_MAX + gz_decode_bytes_max(GZ_HELLO_BYTES_MAX));
    int socket = accept(frames->listener, NULL, NULL);
    if (!shake_hands(socket) || !read_hello(socket, &arena, &hello)) frames->fault = "hello";
    if (frames->error != NULL)
        (void)write_all(socket, frames->bytes, frames->size);
    else if (!say_in_parts(socket, &message))
        frames->fault = "the welcome";
    else
        frames->fault = check_pong(socket);
    gz_arena_finish(&arena);
    uint8_t rest[256];
    (void)shutdown(socket, SHUT_WR);
    while (recv(socket, rest, sizeof rest, 0) > 0) continue;
    close(socket);
    return NULL;
}

static void check_frames(struct frames *frames)
{
    struct play play = {0};
    struct gz_client_options options = {.scene = "arm", .user = "anna", .timeout_s = PATIENCE_S};
    struct gz_client *client = NULL;
    struct gz_error error = {0};
    pthread_t server;
    listen_for(&play);
    frames->listener = play.listener;
    options.url = play.url;
    assert_int_equal(pthread_create(&server, NULL, serve_frames, frames), 0);
    enum gz_status status = gz_client_create(&client, &options, &error);
    gz_client_destroy(client);
    pthread_join(server, NULL);
    close(play.listener);
    if (frames->fault != NULL) fail_msg("%s was not as it should be", frames->fault);
    if (frames->error == NULL) {
        if (status != GZ_OK) fail_msg("%s", error.message);
    } else if (status == GZ_OK || strstr(error.message, frames->error) == NULL) {
        fail_msg("not %s, but %s", frames->error, error.message);
    }
}

#define FRAMES(said, words)                                                                        \
    {                                                                                              \
        .bytes = said, .size = sizeof said - 1, .error = words                                     \
    }

TEST(test_client_reads_a_message_in_parts_and_answers_a_ping_between_them)
{
    struct frames frames = {.error = NULL};
    check_frames(&frames);
}

TEST(test_client_leaves_a_server_whose_frames_are_none)
{
    static const char none[] = "a frame that a WebSocket does not have";
    struct frames all[] = {
        FRAMES("\x81\x02hi", "text instead of bytes"),
        FRAMES("\x82\x82\0\0\0\0hi", none), /* masked */
        FRAMES("\xc2\x02hi", none),         /* of an extension */
        FRAMES("\x80\x02hi", none),         /* goes on with nothing */
        FRAMES("\x02\x01h\x82\x01i", none), /* begins within another */
        FRAMES("\x83\x00", none),           /* a kind that there is not */
        FRAMES("\x8b\x00", none),
        FRAMES("\x09\x00", none),                                           /* a ping in parts */
        FRAMES("\x89\x7e\x00\x7e", none),                                   /* and a long one */
        FRAMES("\x82\x7f\xff\xff\xff\xff\xff\xff\xff\xff", "is too large"), /* 2^64 bytes */
        FRAMES("\x82\x7f\x00\x00\x00\x00\x10\x00\x00\x00", "is too large"),
        FRAMES("\x88\x00", "the server closed the connection"),
        FRAMES("\x88\x06\x03\xe8"
               "full",
               "the server closed the connection: full"),
        FRAMES("\x82\x05hi", "the server closed the connection"), /* cut off */
    };
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) check_frames(&all[i]);
}
