/* tints.h - the colours that tell users apart, and how many sessions have each.
 *
 * Plain data; zero: no colour is in use. Threads: one. */
#ifndef GZ_SESSION_TINTS_H
#define GZ_SESSION_TINTS_H

#include <stddef.h>
#include <stdint.h>

#define GZ_TINT_COUNT 12

struct gz_tints {
    size_t taken[GZ_TINT_COUNT]; /* how many sessions have each */
};

/* The colour, as 0xRRGGBB, for a user without a session: the first free one, beginning at the
 * user's usual one; else the usual one. */
uint32_t gz_tint_of(const struct gz_tints *tints, const char *user);
/* A session takes this colour, or gives it back. */
void gz_tint_take(struct gz_tints *tints, uint32_t rgb);
void gz_tint_leave(struct gz_tints *tints, uint32_t rgb);

#endif
