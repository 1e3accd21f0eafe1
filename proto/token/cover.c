/* cover.c - whether claims say anything about a scene, claims without a token, and the names of
 * users. See claims.h. */
#include <math.h>
#include <string.h>

#include "proto/base/glob.h"
#include "proto/token/claims.h"

struct gz_claims gz_claims_open(const char *user, size_t size, enum gz_role role)
{
    struct gz_claims claims = {.has_role = true,
                               .role = role,
                               .expires_unix_s = INFINITY,
                               .scene_count = 1,
                               .scenes = {"*"}};
    if (size <= GZ_USER_BYTES_MAX) memcpy(claims.user, user, size);
    return claims;
}

bool gz_claims_cover(const struct gz_claims *claims, const char *scene)
{
    for (size_t i = 0; i < claims->scene_count; i++)
        if (gz_glob_matches(claims->scenes[i], scene)) return true;
    return false;
}

bool gz_claims_give(const struct gz_claims *claims, const char *scene, enum gz_role role)
{
    return claims->has_role && claims->role >= role && gz_claims_cover(claims, scene);
}

/* ---- names ---- */

/* Whether a control character begins here, or one that turns the direction of text. */
static bool is_hidden(const unsigned char *at, size_t left)
{
    if (at[0] < 0x20 || at[0] == 0x7f) return true;
    if (at[0] == 0xc2 && left > 1) return at[1] < 0xa0;
    if (at[0] != 0xe2 || left < 3) return false;
    return (at[1] == 0x80 && at[2] >= 0xaa && at[2] <= 0xae) ||
           (at[1] == 0x81 && at[2] >= 0xa6 && at[2] <= 0xa9);
}

bool gz_user_shows(const char *text, size_t size)
{
    for (size_t i = 0; i < size; i++)
        if (is_hidden((const unsigned char *)text + i, size - i)) return false;
    return true;
}

bool gz_user_is_guests(const char *user)
{
    static const size_t suffix_size = sizeof GZ_GUEST_SUFFIX - 1;
    size_t size = strlen(user);
    return size >= suffix_size && strcmp(user + size - suffix_size, GZ_GUEST_SUFFIX) == 0;
}
