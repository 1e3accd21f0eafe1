/* tints.h - the colours by which people are told apart: which of them somebody has.
 *
 * Plain data; zero: nobody has any. Threads: one. */
#ifndef GZ_SESSION_TINTS_H
#define GZ_SESSION_TINTS_H

#include <stddef.h>
#include <stdint.h>

#define GZ_TINT_COUNT 12

struct gz_tints {
    size_t taken[GZ_TINT_COUNT]; /* how many sessions have each */
};

/* 0xRRGGBB for a newcomer whose user has no other session: the first that is free after the usual
 * one of this user, else the usual one. */
uint32_t gz_tint_of(const struct gz_tints *tints, const char *user);
/* A session has this one, or no longer. */
void gz_tint_take(struct gz_tints *tints, uint32_t rgb);
void gz_tint_leave(struct gz_tints *tints, uint32_t rgb);

#endif
