/* trust.c - verifies certificates of servers. See trust.h. */
#include "trust.h"

#include <errno.h>
#include <libwebsockets.h>
#include <openssl/err.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>
#include <string.h>

enum gz_status gz_trust_check(const char *ca, struct gz_error *error)
{
    FILE *file = ca != NULL ? fopen(ca, "re") : NULL;
    if (ca == NULL) return GZ_OK;
    if (file == NULL)
        return gz_fail(error, GZ_BAD_VALUE, "ca: %s cannot be read: %s", ca, strerror(errno));
    fclose(file);
    X509_STORE *store = X509_STORE_new();
    bool has_some = store != NULL && X509_STORE_load_file(store, ca) == 1;
    X509_STORE_free(store);
    ERR_clear_error();
    if (has_some) return GZ_OK;
    return gz_fail(error, GZ_BAD_VALUE,
                   "ca: %s holds no certificate in PEM (-----BEGIN CERTIFICATE-----)", ca);
}

const char *gz_trust_file(const char *ca)
{
    return ca != NULL ? ca : X509_get_default_cert_file();
}

static bool is_ipv6(const struct gz_url *url)
{
    return strchr(url->host, ':') != NULL;
}

uint64_t gz_trust_options(const struct gz_url *url, const char *ca)
{
    if (!url->tls) return 0;
    return LWS_SERVER_OPTION_DO_SSL_GLOBAL_INIT |
           (ca != NULL ? LWS_SERVER_OPTION_DISABLE_OS_CA_CERTS : 0);
}

/* libwebsockets cuts the server's name at the first colon, so gz_trust_judge compares an IPv6
 * address. */
int gz_trust_flags(const struct gz_url *url)
{
    if (!url->tls) return 0;
    return LCCSCF_USE_SSL | (is_ipv6(url) ? LCCSCF_SKIP_SERVER_CERT_HOSTNAME_CHECK : 0);
}

static void print_why(int code, const struct gz_url *url, char *why, size_t size)
{
    switch (code) {
    case X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT_LOCALLY:
    case X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT:
    case X509_V_ERR_UNABLE_TO_VERIFY_LEAF_SIGNATURE:
    case X509_V_ERR_DEPTH_ZERO_SELF_SIGNED_CERT:
    case X509_V_ERR_SELF_SIGNED_CERT_IN_CHAIN:
        gz_print(
            why, size,
            "the certificate of the server is by an authority that is not known here: give the "
            "authority's certificate as ca (gizmoctl --ca FILE)");
        return;
    case X509_V_ERR_CERT_HAS_EXPIRED:
        gz_print(why, size, "the certificate of the server has expired");
        return;
    case X509_V_ERR_CERT_NOT_YET_VALID:
        gz_print(why, size, "the certificate of the server is not valid yet");
        return;
    case X509_V_ERR_HOSTNAME_MISMATCH:
    case X509_V_ERR_IP_ADDRESS_MISMATCH:
        gz_print(why, size, "the certificate of the server is for another name than %s", url->host);
        return;
    default:
        gz_print(why, size, "the certificate of the server is not trusted: %s",
                 X509_verify_cert_error_string(code));
    }
}

bool gz_trust_judge(X509_STORE_CTX *chain, bool good, const struct gz_url *url, char *why,
                    size_t size)
{
    bool is_named = !good || !is_ipv6(url) || X509_STORE_CTX_get_error_depth(chain) > 0 ||
                    X509_check_ip_asc(X509_STORE_CTX_get_current_cert(chain), url->host, 0) == 1;
    if (!is_named) X509_STORE_CTX_set_error(chain, X509_V_ERR_IP_ADDRESS_MISMATCH);
    if (good && is_named) return true;
    print_why(X509_STORE_CTX_get_error(chain), url, why, size);
    return false;
}

const char *gz_trust_words(const char *said, const struct gz_url *url)
{
    if (said == NULL) return "no server answers at this address";
    if (!url->tls || strncmp(said, "connect S", 9) != 0) return said;
    return "no TLS could be agreed on: if the server speaks none there, its URL begins with ws://";
}
