/* trust.h - verifies the certificate of a wss:// server. Private to the client library. Threads:
 * any. */
#ifndef GZ_CLIENT_TRUST_H
#define GZ_CLIENT_TRUST_H

#include <openssl/types.h>

#include "url.h"

/* GZ_BAD_VALUE if `ca` is a file without PEM certificates. NULL, the system's authorities, is
 * fine. */
GZ_MUST_USE enum gz_status gz_trust_check(const char *ca, struct gz_error *error);

/* A context of TLS that trusts these authorities; NULL without memory. */
SSL_CTX *gz_trust_context(const char *ca);
/* Has the connection trust a certificate for this host alone. False without memory. */
bool gz_trust_only(SSL *tls, const struct gz_url *url);
/* Why the connection could not be made. */
void gz_trust_words(const SSL *tls, const struct gz_url *url, char *why, size_t size);

#endif
