/* tints.c - the colours by which people are told apart. See tints.h. */
#include "session/tints.h"

#include "session/names.h"

/* Easy to tell apart and equally bright: white text is legible on them (contrast 4.5:1), and they
 * stand out on light and on dark backgrounds. */
static const uint32_t colours[GZ_TINT_COUNT] = {
    0xEC0528, 0xB75E03, 0x967002, 0x6B7E02, 0x05893E, 0x028575,
    0x038297, 0x077BC2, 0x5B62FF, 0xA835FF, 0xD203CC, 0xE5027A,
};

uint32_t gz_tint_of(const struct gz_tints *tints, const char *user)
{
    /* From the name, so that a user gets the same colour each time if it is free. */
    const size_t usual = gz_text_hash(user) % GZ_TINT_COUNT;
    for (size_t i = 0; i < GZ_TINT_COUNT; i++) {
        const size_t tint = (usual + i) % GZ_TINT_COUNT;
        if (tints->taken[tint] == 0) return colours[tint];
    }
    return colours[usual];
}

static size_t number_of(uint32_t rgb)
{
    size_t i = 0;
    while (i + 1 < GZ_TINT_COUNT && colours[i] != rgb) i++;
    return i;
}

void gz_tint_take(struct gz_tints *tints, uint32_t rgb)
{
    tints->taken[number_of(rgb)]++;
}

void gz_tint_leave(struct gz_tints *tints, uint32_t rgb)
{
    tints->taken[number_of(rgb)]--;
}
