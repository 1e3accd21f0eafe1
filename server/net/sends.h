/* sends.h - sends to many sockets by one call of the kernel (io_uring), which takes up to a third
 * less time than a call for each. Where the kernel refuses a ring, as in many containers, there is
 * a call for each. Bytes are copied, and leave with gz_sends_go. Threads: one at a time. */
#ifndef GZ_NET_SENDS_H
#define GZ_NET_SENDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct gz_sends;

/* What the socket did not take of bytes that were added; `rest` is for this call alone. Without a
 * rest `size` is 0. Does not call functions of this header. */
typedef void gz_sends_done(void *context, const uint8_t *rest, size_t size);

/* NULL without memory. */
struct gz_sends *gz_sends_create(gz_sends_done *done);
/* Call gz_sends_go before. NULL is fine. */
void gz_sends_destroy(struct gz_sends *sends);
/* Whether the kernel has given a ring. */
bool gz_sends_has_ring(const struct gz_sends *sends);

/* Adds bytes for a socket that does not block, at most once for each socket until gz_sends_go.
 * False if they are too many for a copy. If there is no room for them, those that were added before
 * leave at once. */
bool gz_sends_add(struct gz_sends *sends, int socket, const uint8_t *bytes, size_t size,
                  void *context);
/* Sends what was added, and calls `done` for each, also where the connection is broken. */
void gz_sends_go(struct gz_sends *sends);

#endif
