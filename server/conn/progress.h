/* progress.h - whether a peer takes the bytes that it is sent. A file of its own, because the
 * kernel's header for it conflicts with the C library's. Threads: any. */
#ifndef GZ_CONN_PROGRESS_H
#define GZ_CONN_PROGRESS_H

#include <stdint.h>

/* Bytes that the other end of a TCP socket has acknowledged so far; 0 if unknown. */
uint64_t gz_acknowledged_bytes(int socket);

#endif
