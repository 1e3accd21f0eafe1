/* trust.h - whether the server of a wss:// URL is the one that it should be, and in words why not.
 * Private to the client library. Threads: any. */
#ifndef GZ_CLIENT_TRUST_H
#define GZ_CLIENT_TRUST_H

#include <openssl/types.h>

#include "url.h"

/* GZ_BAD_VALUE with words if `ca` is a file without certificates in PEM. NULL, the system's
 * authorities, is fine. */
GZ_MUST_USE enum gz_status gz_trust_check(const char *ca, struct gz_error *error);
/* The file for libwebsockets, which would trust what it finds in a folder ../share if it were given
 * none. */
const char *gz_trust_file(const char *ca);

/* What libwebsockets is told of a context, and of a connection in it. */
uint64_t gz_trust_options(const struct gz_url *url, const char *ca);
int gz_trust_flags(const struct gz_url *url);
/* For LWS_CALLBACK_OPENSSL_PERFORM_SERVER_CERT_VERIFICATION: whether the certificate that OpenSSL
 * looks at, and finds to be `good` or not, is to be trusted, else why not. */
bool gz_trust_judge(X509_STORE_CTX *chain, bool good, const struct gz_url *url, char *why,
                    size_t size);
/* What libwebsockets says of a connection that failed, in words of ours where it says little. */
const char *gz_trust_words(const char *said, const struct gz_url *url);

#endif
