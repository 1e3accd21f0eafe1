/* claims.h - who a person is and what they may, as a token says it. Plain data of a fixed size, to
 * be copied at will. Times are Unix seconds. Pure; threads: any. */
#ifndef GZ_CLAIMS_H
#define GZ_CLAIMS_H

#include <stdbool.h>
#include <stddef.h>

#include "proto/base/wire_vocabulary.h"
#include "proto/limits.h"

/* What ends the name of somebody who came by an invitation; no other user's name ends so. */
#define GZ_GUEST_SUFFIX " (guest)"

/* Who a person is and what they may. Texts are UTF-8, terminated, without NUL. */
struct gz_claims {
    char user[GZ_USER_BYTES_MAX + 1];  /* `sub`; a guest's token verifies with an empty one */
    char name[GZ_USER_BYTES_MAX + 1];  /* `name`, to be shown; empty for none, and for guests */
    char payer[GZ_USER_BYTES_MAX + 1]; /* whose share of the server is used: an address, if the user
                                          may call itself as it likes; empty: the user. No token
                                          says it */
    bool has_role;                     /* without it the scenes' own access alone gives rights */
    enum gz_role role;
    bool is_guest;         /* the user is the display name with GZ_GUEST_SUFFIX */
    double expires_unix_s; /* from then on the token is refused, without leeway */
    size_t scene_count;    /* 0: the role holds nowhere. All scenes are the one glob "*" */
    char scenes[GZ_TOKEN_SCENES_MAX][GZ_GLOB_BYTES_MAX + 1];
};

/* Of somebody without a token, as an open server takes them: the role holds in all scenes, for
 * ever. A name of more than GZ_USER_BYTES_MAX bytes is none: the user is empty. */
struct gz_claims gz_claims_open(const char *user, size_t size, enum gz_role role);

/* Whose share of the server is used. */
static inline const char *gz_claims_payer(const struct gz_claims *claims)
{
    return claims->payer[0] != '\0' ? claims->payer : claims->user;
}

/* Whether a user's name shows as what it is: it has no control characters, and none that turn the
 * direction of text (U+202A to U+202E, U+2066 to U+2069). The text is UTF-8. */
bool gz_user_shows(const char *text, size_t size);
/* Whether a name ends as guests' names alone do. */
bool gz_user_is_guests(const char *user);

/* Whether the role of the claims holds in the scene. */
bool gz_claims_cover(const struct gz_claims *claims, const char *scene);
/* Whether the claims have a role that holds in the scene and is this one or a higher one. */
bool gz_claims_give(const struct gz_claims *claims, const char *scene, enum gz_role role);

#endif
