/* raw_ws.h - HTTP and WebSocket by hand, so that a test can say what no library would: on a plain
 * blocking socket with a patience of a minute. Everything here fails the test that called it
 * when the network does not do its part; what the server does is reported. Threads: one connection
 * at a time. */
#ifndef TESTS_SUPPORT_RAW_WS_H
#define TESTS_SUPPORT_RAW_WS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "proto/limits.h"
#include "proto/message.h"

/* ---- sockets ---- */

/* Connects to 127.0.0.1, by TLS if the test's daemons speak it (support/daemon.h). */
int raw_connect(int port);
int raw_connect_plain(int port);
/* Raises the limit of open sockets of this process as far as the system allows. */
void raw_allow_descriptors(void);
/* Writes all bytes; false if the other side hung up meanwhile. */
bool raw_send(int socket, const void *bytes, size_t size);
bool raw_send_text(int socket, const char *text);
/* Whether the other side hangs up within so many seconds, whatever it says before. */
bool raw_is_closed_within(int socket, double seconds);

/* ---- HTTP ---- */

struct raw_response {
    int status; /* 0 where none came before the end */
    char head[2048];
    char body[16384]; /* its beginning, terminated */
    size_t body_size; /* all of it */
};
/* Reads a response whose length is said; `head` requests have no body. */
void raw_read_response(int socket, struct raw_response *response);
/* One request on a connection of its own. `headers` are lines that end in CRLF, or "". */
void raw_request(int port, const char *method, const char *path, const char *headers,
                 const void *body, size_t size, struct raw_response *response);

/* ---- WebSocket ---- */

#define RAW_FIN 0x80
#define RAW_CONTINUATION 0x0
#define RAW_TEXT 0x1
#define RAW_BINARY 0x2
#define RAW_CLOSE 0x8
#define RAW_PING 0x9
#define RAW_PONG 0xA

/* A handshake with these headers beside those that every one has. The status; 101 is success. */
int raw_handshake(int socket, int port, const char *path, const char *headers);
/* Connects and shakes hands as a proper client. */
int raw_open(int port);
int raw_open_as(int port, const char *subprotocol);

/* A frame: `first` is FIN and the opcode. */
bool raw_send_frame(int socket, uint8_t first, bool masked, const void *bytes, size_t size);
/* The same with the length in so many bytes, 0, 2 or 8, whether it needs them or not. */
bool raw_send_frame_as(int socket, uint8_t first, bool masked, size_t length_bytes,
                       const void *bytes, size_t size);
/* Only the header of a frame of `size` bytes. */
bool raw_send_frame_header(int socket, uint8_t first, uint64_t size);

struct raw_frame {
    uint8_t opcode;
    uint8_t bytes[2 * GZ_DELTA_BYTES_MAX];
    size_t size;
    size_t taken; /* bytes of the messages that were read from it */
    size_t pings; /* that came before it, or instead of it */
};
/* The next frame within so many seconds; false where none came. Pings are answered on the way. */
bool raw_read_frame(int socket, struct raw_frame *frame, double seconds);

/* Whether the other side hangs up within so many seconds, perhaps after a close, which is answered.
 * *code is the code of that close; 0 for none. */
bool raw_is_ended_within(int socket, double seconds, int *code);

/* ---- messages ---- */

bool raw_send_message(int socket, const struct gz_message *message);
/* Joins as an editor. */
bool raw_send_hello(int socket, const char *scene, const char *user);
/* Reads frames until a message of this kind comes; its texts point into `frame`, its lists into
 * `arena`. */
bool raw_read_message(int socket, enum gz_op op, struct raw_frame *frame, struct gz_arena *arena,
                      struct gz_message *message);
/* The same, but begins with what is left of the frame of the message before. */
bool raw_read_on(int socket, enum gz_op op, struct raw_frame *frame, struct gz_arena *arena,
                 struct gz_message *message);
/* Reads on until an error comes: its code, or GZ_OK where none did within a minute. */
enum gz_status raw_read_error(int socket, bool *fatal);
/* Asks for a sign of life and reads on until it comes. */
bool raw_answers(int socket);

#endif
