/* made_message.h - messages of a client that are made of a fuzzer's bytes.
 *
 * The tables of the protocol say which fields a message has; a byte or a few say which of these are
 * there and what stands in each. Most values are such as a client would send; some are hostile: not
 * numbers, too large, of nothing that there is, too long, no UTF-8. Ownership: a message points
 * into `arena` and into constants. Threads: any, one source at a time. */
#ifndef GZ_FUZZ_MADE_MESSAGE_H
#define GZ_FUZZ_MADE_MESSAGE_H

#include "proto/message.h"

/* What is left of the fuzzer's bytes. */
struct source {
    const uint8_t *at, *end;
};

/* The next byte; 0 if none is left. */
uint8_t source_next(struct source *source);

/* A message with this op, without a rid. */
struct gz_message made_message(struct source *source, enum gz_op op, struct gz_arena *arena);
/* A camera that looks along -z at the origin from one of 256 distances. */
struct gz_message made_camera(uint8_t distance);

#endif
