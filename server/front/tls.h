/* tls.h - TLS 1.2 and 1.3 for HTTP/1.1, with a certificate and key that can be replaced at run
 * time.
 *
 * A handshake uses the pair of its moment. Open connections are not affected by a new pair.
 * Threads: the loop's. */
#ifndef GZ_FRONT_TLS_H
#define GZ_FRONT_TLS_H

#include <openssl/types.h>

#include "proto/base/log.h"

struct gz_tls {
    SSL_CTX *pair;    /* holds the certificate with its chain, and the key; NULL without TLS */
    SSL_CTX *context; /* of the connections; NULL without TLS */
};

/* Reads the chain (PEM, the server's certificate first) and the private key (PEM, not encrypted)
 * from files, and replaces the pair. On an error the earlier one stays. GZ_BAD_VALUE names the
 * option and the file; a certificate that is out of date is only a warning in the log. */
GZ_MUST_USE enum gz_status gz_tls_load(struct gz_tls *tls, const char *cert, const char *key,
                                       const struct gz_log *log, struct gz_error *error);
/* Makes the context, once; `tls` must not move from then on. */
GZ_MUST_USE enum gz_status gz_tls_open(struct gz_tls *tls, struct gz_error *error);
void gz_tls_finish(struct gz_tls *tls);

#endif
