/* trust.h - verifies the certificate of a wss:// server. Private to the client library. Threads:
 * any. */
#ifndef GZ_CLIENT_TRUST_H
#define GZ_CLIENT_TRUST_H

#include <openssl/types.h>

#include "url.h"

/* GZ_BAD_VALUE if `ca` is a file without PEM certificates. NULL, the system's authorities, is
 * fine. */
GZ_MUST_USE enum gz_status gz_trust_check(const char *ca, struct gz_error *error);
/* The file of authorities for libwebsockets, which otherwise might use a folder ../share. */
const char *gz_trust_file(const char *ca);

/* The TLS options for libwebsockets, of a context and of a connection. */
uint64_t gz_trust_options(const struct gz_url *url, const char *ca);
int gz_trust_flags(const struct gz_url *url);
/* For LWS_CALLBACK_OPENSSL_PERFORM_SERVER_CERT_VERIFICATION: whether to trust the certificate,
 * which OpenSSL finds `good` or not; if not, `why` says why. */
bool gz_trust_judge(X509_STORE_CTX *chain, bool good, const struct gz_url *url, char *why,
                    size_t size);
/* The reason of a failed connection: libwebsockets' text, or a better one. */
const char *gz_trust_words(const char *said, const struct gz_url *url);

#endif
