/* trust.c - verifies certificates of servers. See trust.h. */
#include "trust.h"

#include <errno.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
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

SSL_CTX *gz_trust_context(const char *ca)
{
    SSL_CTX *context = SSL_CTX_new(TLS_client_method());
    if (context == NULL) return NULL;
    (void)SSL_CTX_set_min_proto_version(context, TLS1_2_VERSION);
    SSL_CTX_set_verify(context, SSL_VERIFY_PEER, NULL);
    SSL_CTX_set_mode(context, SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
    if (ca != NULL)
        (void)SSL_CTX_load_verify_file(context, ca); /* gz_trust_check has read it */
    else
        (void)SSL_CTX_set_default_verify_paths(context);
    ERR_clear_error();
    return context;
}

/* An address is compared with the addresses of the certificate, and is no name to ask for. */
bool gz_trust_only(SSL *tls, const struct gz_url *url)
{
    if (X509_VERIFY_PARAM_set1_ip_asc(SSL_get0_param(tls), url->host) == 1) return true;
    ERR_clear_error();
    return SSL_set_tlsext_host_name(tls, url->host) == 1 && SSL_set1_host(tls, url->host) == 1;
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

void gz_trust_words(const SSL *tls, const struct gz_url *url, char *why, size_t size)
{
    long code = SSL_get_verify_result(tls);
    if (code != X509_V_OK)
        print_why((int)code, url, why, size);
    else
        gz_print(why, size,
                 "no TLS could be agreed on: if the server speaks none there, its URL begins with "
                 "ws://");
}
