/* cover.c - whether claims say anything about a scene, and claims without a token. See claims.h. */
#include <math.h>
#include <string.h>

#include "proto/base/text.h"
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
