/* rights.h - what a user's claims give in one scene. Plain data; pure; threads: any. */
#ifndef GZ_SESSION_RIGHTS_H
#define GZ_SESSION_RIGHTS_H

#include "proto/token/claims.h"

struct gz_rights {
    bool has_role; /* the claims cover the scene, with `role` */
    bool is_guest; /* users choose their names themselves, so that the scene's access gives nothing
                    */
    enum gz_role role;
    double expires_unix_s; /* when the session ends; INFINITY for never */
};

static inline struct gz_rights gz_rights_of(const struct gz_claims *claims, const char *scene)
{
    return (struct gz_rights){.has_role = gz_claims_give(claims, scene, GZ_ROLE_VIEWER),
                              .is_guest = claims->is_guest,
                              .role = claims->role,
                              .expires_unix_s = claims->expires_unix_s};
}

#endif
