/* tcp.h - bytes to and from a server: TCP, and TLS if its URL says so. Private to the client
 * library. Nothing here waits but gz_tcp_open, for the name of a host, and gz_tcp_wait.
 * Ownership: the caller closes what it opens. Threads: one at a time. */
#ifndef GZ_CLIENT_TCP_H
#define GZ_CLIENT_TCP_H

#include <sys/types.h>

#include "url.h"

struct gz_tcp;

enum gz_tcp_state { GZ_TCP_CONNECTING, GZ_TCP_STANDS, GZ_TCP_OVER };

/* Begins to connect to each address of the host in turn. `url` has to outlive the stream; `ca` is a
 * file of authorities, NULL: the system's. NULL without memory. */
struct gz_tcp *gz_tcp_open(const struct gz_url *url, const char *ca);
void gz_tcp_close(struct gz_tcp *stream); /* NULL is fine */

/* Goes on connecting. */
enum gz_tcp_state gz_tcp_go_on(struct gz_tcp *stream);
/* Why it is over, as a sentence; "" while it is not. */
const char *gz_tcp_why(const struct gz_tcp *stream);
int gz_tcp_fd(const struct gz_tcp *stream); /* -1 if there is no socket */

/* Reads or writes what can be read or written now, once it stands. Returns the number of bytes, 0
 * for none, or -1 if the stream has ended (for reading, at its end too). */
ssize_t gz_tcp_read(struct gz_tcp *stream, void *bytes, size_t size);
ssize_t gz_tcp_write(struct gz_tcp *stream, const void *bytes, size_t size);
/* Whether bytes can be read that the socket does not show: TLS has them already. */
bool gz_tcp_holds(const struct gz_tcp *stream);

/* Waits until bytes can be read, if `reads`, or written, if `writes`, or connecting can go on, but
 * not beyond `deadline` (CLOCK_MONOTONIC, seconds). */
void gz_tcp_wait(const struct gz_tcp *stream, bool reads, bool writes, double deadline);
double gz_tcp_now_s(void);

#endif
