/* claims.h - a user's identity and rights, as a token holds them. Plain data of a fixed size, to be
 * copied at will. Times are Unix seconds. Pure; threads: any. */
#ifndef GZ_CLAIMS_H
#define GZ_CLAIMS_H

#include <stdbool.h>
#include <stddef.h>

#include "proto/base/wire_vocabulary.h"
#include "proto/limits.h"

/* The suffix of the name of a guest, who came by an invitation; no other user's name ends so. */
#define GZ_GUEST_SUFFIX " (guest)"

/* By what a token can be revoked. */
struct gz_token_id {
    char jti[GZ_TOKEN_ID_BYTES_MAX + 1]; /* empty if it has none */
    double issued_unix_s;                /* `iat`; 0 if it has none */
};

/* A user's identity and rights. Texts are UTF-8, terminated, without NUL. */
struct gz_claims {
    char user[GZ_USER_BYTES_MAX + 1];  /* `sub`; a guest's token verifies with an empty one */
    char name[GZ_USER_BYTES_MAX + 1];  /* `name`, to be shown; empty for none, and for guests */
    char payer[GZ_USER_BYTES_MAX + 1]; /* who is charged for work: an address, if the user chooses
                                          its name freely; empty: the user. Not in a token */
    bool has_role;                     /* without it only the scenes' own access gives rights */
    enum gz_role role;
    bool is_guest; /* the user is the display name with GZ_GUEST_SUFFIX */
    struct gz_token_id id;
    double expires_unix_s; /* the token is refused from then on, without leeway */
    size_t scene_count;    /* 0: the role is valid nowhere. The glob "*" is all scenes */
    char scenes[GZ_TOKEN_SCENES_MAX][GZ_GLOB_BYTES_MAX + 1];
};

/* The claims of a user without a token on an open server: the role is valid in all scenes, for
 * ever. A name of more than GZ_USER_BYTES_MAX bytes is none: the user is empty. */
struct gz_claims gz_claims_open(const char *user, size_t size, enum gz_role role);

/* The payer: who is charged for work. */
static inline const char *gz_claims_payer(const struct gz_claims *claims)
{
    return claims->payer[0] != '\0' ? claims->payer : claims->user;
}

/* What is wrong with a text as the name of a user, which others see: words that follow its field's
 * name. NULL if it can be one: UTF-8 in Unicode's normal form C, of characters that are seen, with
 * single blanks between them. Characters that look alike are different ones. */
const char *gz_user_fault(const char *text, size_t size);
/* Whether a name ends with GZ_GUEST_SUFFIX. */
bool gz_user_is_guests(const char *user);

/* Whether the role of the claims is valid in the scene. */
bool gz_claims_cover(const struct gz_claims *claims, const char *scene);
/* Whether the claims have this role or a higher one in the scene. */
bool gz_claims_give(const struct gz_claims *claims, const char *scene, enum gz_role role);

#endif
