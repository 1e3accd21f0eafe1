/* tls.h - TLS for the connections: 1.2 and 1.3, HTTP/1.1, a certificate and key that can be
 * replaced while connections last.
 *
 * A handshake presents the pair that is in force when it comes. Connections keep what they agreed
 * on, so that replacing the pair disturbs nobody. Threads: the loop's. */
#ifndef GZ_NET_TLS_H
#define GZ_NET_TLS_H

#include <openssl/types.h>

#include "proto/base/log.h"

struct gz_tls {
    SSL_CTX *pair; /* holds a certificate with its chain and key; NULL if there is no TLS */
};

/* Reads the chain (PEM, the server's certificate first) and the private key (PEM, not encrypted)
 * from files, and replaces the pair. On an error the earlier one stays in force. GZ_BAD_VALUE names
 * the option and the file; a certificate that is out of date is a warning in the log. */
GZ_MUST_USE enum gz_status gz_tls_load(struct gz_tls *tls, const char *cert, const char *key,
                                       const struct gz_log *log, struct gz_error *error);
/* Sets what every connection of `context` has to obey. `tls` stays where it is. False without
 * memory. */
bool gz_tls_set_up(struct gz_tls *tls, SSL_CTX *context);
void gz_tls_finish(struct gz_tls *tls);

#endif
