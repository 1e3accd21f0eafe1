/* members.h - the other members of the cluster, and how members prove that they are some. */
#ifndef GZ_LINK_MEMBERS_H
#define GZ_LINK_MEMBERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "proto/base/log.h"
#include "proto/limits.h"
#include "server/maxima.h"

/* ---- members ---- */

/* The other members of the cluster, as the network knows them: a link to each is kept
 * open, so that each knows whether the others answer, and a proof (members.h) is sent to them
 * alone. Pure: no I/O but the log. Threads: one at a time. */

/* The largest silence that a member says as a number. */
#define GZ_STATE_SILENCE_MAX_S 1e6

/* Times are by gz_awake_now. */
struct gz_net_member {
    char url[GZ_MEMBER_URL_BYTES_MAX + 1];
    bool is_over;   /* its lease is over: it is sent no clients */
    double met_s;   /* when it was named last */
    double tried_s; /* when a link was last begun */
    char said[128]; /* the last logged reason why there is no link */
    double said_s;
};

struct gz_net_members {
    struct gz_net_member list[GZ_CLUSTER_MEMBERS_MAX];
    size_t count;
    double silence_s; /* since this member heard of the database; told to the others. Negative: no
                         links are kept without clients */
};

/* NULL for no member. */
struct gz_net_member *gz_net_member_find(struct gz_net_members *members, const char *url);
/* Adds it, unless it is there; NULL if there are too many. */
struct gz_net_member *gz_net_member_add(struct gz_net_members *members, const char *url,
                                        double now_s);
/* Logs why there is no link to it, unless it was said just before. */
void gz_net_member_say(struct gz_net_members *members, const struct gz_log *log, const char *url,
                       const char *why, double now_s);

/* ---- how members prove that they are some ---- */

/* How members of a cluster authenticate to each other: by a header of a request, made
 * with their common secret. It holds the time, and an HMAC-SHA-256 of the time, of the request's
 * method and path, and of the client's address and user. It does not cover the query, other
 * headers, the body, or the member that it is for. The secret itself is never sent. Pure: no I/O.
 * Threads: any. */

/* The header's name, and with the colon that libwebsockets needs. */
#define GZ_PROOF_HEADER "gizmod-member"
#define GZ_PROOF_HEADER_COLON GZ_PROOF_HEADER ":"
/* Bytes of its value, terminated: digits, a dot, and 64 hexadecimal digits. */
#define GZ_PROOF_BYTES 96

struct gz_proof {
    const uint8_t *secret;
    size_t secret_size;
    const char *client; /* its address, as text */
    const char *user;   /* the user that a trusted proxy named; else empty */
    const char *method; /* "GET" */
    const char *path;   /* as the other member receives it, without a query: "/ws" */
};

/* Bytes of a signature, terminated. */
#define GZ_SIGNATURE_BYTES 65
/* Signs the name and the address of a member, so that others know that it has the secret, and that
 * a proof may be sent to that address. */
void gz_proof_sign(const uint8_t *secret, size_t secret_size, const char *name, const char *url,
                   char text[GZ_SIGNATURE_BYTES]);

/* `now_s`: Unix seconds. Empty for a path much longer than a scene's. */
void gz_proof_print(const struct gz_proof *proof, double now_s, char text[GZ_PROOF_BYTES]);
/* Whether `text` was printed with the same secret for the same client, user, method and path, by a
 * clock that differs by at most GZ_PROOF_SECONDS (maxima.h). Compares in constant time. */
bool gz_proof_is_good(const struct gz_proof *proof, double now_s, const char *text);

#endif
