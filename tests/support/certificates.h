/* certificates.h - an authority of the test's own, and certificates of servers by it. Everything
 * here fails the test that called it when it cannot do its work. */
#ifndef TESTS_SUPPORT_CERTIFICATES_H
#define TESTS_SUPPORT_CERTIFICATES_H

#include <stdbool.h>

/* What a certificate is to be; all zero: one of an EC key, for this machine, valid for a month. */
struct test_certificate {
    const char *subject;    /* NULL: "gizmod" */
    const char *names;      /* as OpenSSL's subjectAltName; NULL: loopback's names and addresses */
    bool rsa;               /* its key is RSA of 2048 bits */
    int from_days, days;    /* from now; days 0: 30 */
    bool is_own;            /* it signs itself, and the authority does not know it */
    const char *passphrase; /* of the key; NULL for none */
};

/* Makes NAME.pem, the certificate and the authority's, and NAME.key in a folder; beside them ca.pem
 * and ca.key, the authority, unless they are there. */
void test_certificate_make(const char *folder, const char *name,
                           const struct test_certificate *wish);

#endif
