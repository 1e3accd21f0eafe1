/* proof.h - how members of a cluster authenticate to each other: by a header of a request, made
 * with their common secret. It holds the time, and an HMAC-SHA-256 of the time, of the request's
 * method and path, and of the client's address and user. It does not cover the query, other
 * headers, the body, or the member that it is for. The secret itself is never sent. Pure: no I/O.
 * Threads: any. */
#ifndef GZ_NET_PROOF_H
#define GZ_NET_PROOF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

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
