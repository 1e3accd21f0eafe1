/* progress.h - whether a peer takes what it is sent. Apart from the rest, because the kernel's
 * header for it and the C library's cannot be in one file. Threads: any. */
#ifndef GZ_NET_PROGRESS_H
#define GZ_NET_PROGRESS_H

#include <stdint.h>

/* Bytes that the other end of a TCP socket has acknowledged so far; 0 if that is not known. */
uint64_t gz_acknowledged_bytes(int socket);

#endif
