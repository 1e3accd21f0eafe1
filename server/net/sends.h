/* sends.h - sends to many sockets by one call of the kernel (io_uring), which takes up to a third
 * less time than a call for each. Where the kernel refuses a ring, as in many containers, there is
 * a call for each. Bytes leave with gz_sends_go, and are the caller's: they stay as they are until
 * `done` is called for them. Threads: one at a time. */
#ifndef GZ_NET_SENDS_H
#define GZ_NET_SENDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct gz_sends;

/* How many of the bytes that were added the socket has taken; 0 also where the connection is
 * broken. Does not call functions of this header. */
typedef void gz_sends_done(void *context, size_t sent);

/* NULL without memory. */
struct gz_sends *gz_sends_create(gz_sends_done *done);
/* Call gz_sends_go before. NULL is fine. */
void gz_sends_destroy(struct gz_sends *sends);
/* Whether the kernel has given a ring. */
bool gz_sends_has_ring(const struct gz_sends *sends);

/* Adds bytes for a socket that does not block, at most once for each socket until gz_sends_go.
 * False if they are more than GZ_SEND_BYTES_MAX. If there is no room for them, those that were
 * added before leave at once. */
bool gz_sends_add(struct gz_sends *sends, int socket, const uint8_t *bytes, size_t size,
                  void *context);
/* Sends what was added, and calls `done` for each, also where the connection is broken. */
void gz_sends_go(struct gz_sends *sends);

#endif
