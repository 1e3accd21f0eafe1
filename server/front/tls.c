/* Loads the certificate and key, and sets up TLS for connections. See tls.h. */
#include "front/tls.h"

#include <errno.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

/* The ciphers of TLS 1.2: forward secrecy and authenticated encryption, as all ciphers of TLS
 * 1.3. */
#define CIPHERS "ECDHE+AESGCM:ECDHE+CHACHA20"

/* ---- from files ---- */

static FILE *open_file(const char *option, const char *path, struct gz_error *error)
{
    struct stat status;
    bool is_other = stat(path, &status) == 0 && !S_ISREG(status.st_mode);
    FILE *file = is_other ? NULL : fopen(path, "re");
    if (file == NULL)
        (void)gz_fail(error, GZ_BAD_VALUE, "%s: %s cannot be read: %s", option, path,
                      is_other ? "it is not a regular file" : strerror(errno));
    return file;
}

/* Refuses the passphrase of an encrypted key, which nobody could type. */
static int refuse_passphrase(char *text, int size, int writes, void *context)
{
    bool *is_encrypted = context;
    (void)text, (void)size, (void)writes;
    *is_encrypted = true;
    return -1;
}

/* The first error in OpenSSL's queue is the cause of the others. */
static const char *first_reason(void)
{
    const char *reason = ERR_reason_error_string(ERR_peek_error());
    return reason != NULL ? reason : "unknown error";
}

static enum gz_status load_certificate(SSL_CTX *pair, const char *path, struct gz_error *error)
{
    FILE *file = open_file("--cert", path, error);
    if (file == NULL) return error->status;
    fclose(file);
    if (SSL_CTX_use_certificate_chain_file(pair, path) == 1) return GZ_OK;
    unsigned long code = ERR_peek_error();
    if (ERR_GET_LIB(code) == ERR_LIB_PEM && ERR_GET_REASON(code) == PEM_R_NO_START_LINE)
        return gz_fail(error, GZ_BAD_VALUE,
                       "--cert: %s holds no certificate in PEM (-----BEGIN CERTIFICATE-----)",
                       path);
    return gz_fail(error, GZ_BAD_VALUE, "--cert: %s holds a certificate that cannot be used: %s",
                   path, first_reason());
}

static void warn_if_exposed(FILE *key, const char *path, const struct gz_log *log)
{
    struct stat status;
    if (fstat(fileno(key), &status) == 0 && (status.st_mode & (S_IWGRP | S_IROTH | S_IWOTH)) != 0)
        gz_log(log, GZ_WARN, 0,
               "--key: other users can read or change %s, and so pose as this server; run chmod "
               "600 on it",
               path);
}

static EVP_PKEY *read_key(const char *path, const struct gz_log *log, struct gz_error *error)
{
    bool is_encrypted = false;
    FILE *file = open_file("--key", path, error);
    if (file == NULL) return NULL;
    warn_if_exposed(file, path, log);
    EVP_PKEY *key = PEM_read_PrivateKey(file, NULL, refuse_passphrase, &is_encrypted);
    fclose(file);
    if (key == NULL && is_encrypted)
        (void)gz_fail(error, GZ_BAD_VALUE,
                      "--key: %s is encrypted; write "
                      "it without a passphrase (openssl pkey -in OLD -out NEW), with mode 600",
                      path);
    else if (key == NULL)
        (void)gz_fail(error, GZ_BAD_VALUE,
                      "--key: %s holds no private key in PEM (-----BEGIN PRIVATE KEY-----)", path);
    return key;
}

static enum gz_status load_key(SSL_CTX *pair, const char *path, const char *cert,
                               const struct gz_log *log, struct gz_error *error)
{
    enum gz_status status = GZ_OK;
    EVP_PKEY *key = read_key(path, log, error);
    if (key == NULL) return error->status;
    if (X509_check_private_key(SSL_CTX_get0_certificate(pair), key) != 1)
        status = gz_fail(error, GZ_BAD_VALUE,
                         "--key: %s does not match the first certificate in %s, which must be "
                         "that of this server",
                         path, cert);
    else if (SSL_CTX_use_PrivateKey(pair, key) != 1)
        status = gz_fail(error, GZ_BAD_VALUE, "--key: %s cannot be used: %s", path, first_reason());
    EVP_PKEY_free(key);
    return status;
}

static void print_time(const ASN1_TIME *time, char *text, size_t size)
{
    struct tm parts;
    text[0] = '\0';
    if (ASN1_TIME_to_tm(time, &parts) == 1) strftime(text, size, "%Y-%m-%d %H:%M:%S UTC", &parts);
}

/* A certificate that is out of date is only a warning, because it can be renewed by SIGHUP. */
static void warn_if_out_of_date(const X509 *certificate, const char *path, const struct gz_log *log)
{
    char text[64];
    const ASN1_TIME *begin = X509_get0_notBefore(certificate),
                    *end = X509_get0_notAfter(certificate);
    bool is_over = X509_cmp_current_time(end) < 0;
    if (!is_over && X509_cmp_current_time(begin) <= 0) return;
    print_time(is_over ? end : begin, text, sizeof text);
    gz_log(log, GZ_WARN, 0, "--cert: %s %s %s; clients will refuse it", path,
           is_over ? "expired on" : "is not valid before", text);
}

enum gz_status gz_tls_load(struct gz_tls *tls, const char *cert, const char *key,
                           const struct gz_log *log, struct gz_error *error)
{
    SSL_CTX *pair = SSL_CTX_new(TLS_server_method());
    if (pair == NULL) return gz_fail(error, GZ_NO_MEMORY, "no memory");
    ERR_clear_error();
    enum gz_status status = load_certificate(pair, cert, error);
    if (status == GZ_OK) status = load_key(pair, key, cert, log, error);
    ERR_clear_error();
    if (status != GZ_OK) {
        SSL_CTX_free(pair);
        return status;
    }
    warn_if_out_of_date(SSL_CTX_get0_certificate(pair), cert, log);
    SSL_CTX_free(tls->pair);
    tls->pair = pair;
    return GZ_OK;
}

/* ---- for connections ---- */

/* The context of the connections has no certificate of its own, because a new one with another kind
 * of key would be added to the old one instead of replacing it. */
static int present_pair(SSL *connection, void *context)
{
    const struct gz_tls *tls = context;
    STACK_OF(X509) *chain = NULL;
    SSL_CTX_get0_chain_certs(tls->pair, &chain);
    return SSL_use_cert_and_key(connection, SSL_CTX_get0_certificate(tls->pair),
                                SSL_CTX_get0_privatekey(tls->pair), chain, 1);
}

/* Of the protocols that a client offers, HTTP/1.1 is spoken here. */
static int choose_protocol(SSL *connection, const unsigned char **chosen, unsigned char *size,
                           const unsigned char *offered, unsigned offered_size, void *context)
{
    static const unsigned char ours[] = "\x08http/1.1";
    unsigned char *found;
    (void)connection, (void)context;
    if (SSL_select_next_proto(&found, size, ours, sizeof ours - 1, offered, offered_size) !=
        OPENSSL_NPN_NEGOTIATED)
        return SSL_TLSEXT_ERR_NOACK;
    *chosen = found;
    return SSL_TLSEXT_ERR_OK;
}

enum gz_status gz_tls_open(struct gz_tls *tls, struct gz_error *error)
{
    SSL_CTX *context = tls->context = SSL_CTX_new(TLS_server_method());
    if (context == NULL || SSL_CTX_set_min_proto_version(context, TLS1_2_VERSION) != 1 ||
        SSL_CTX_set_cipher_list(context, CIPHERS) != 1)
        return gz_fail(error, GZ_NO_MEMORY, "no memory");
    SSL_CTX_set_options(context, SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION |
                                     SSL_OP_CIPHER_SERVER_PREFERENCE);
    /* clients keep their sessions in tickets, the server keeps nothing */
    SSL_CTX_set_session_cache_mode(context, SSL_SESS_CACHE_OFF);
    SSL_CTX_set_cert_cb(context, present_pair, tls);
    SSL_CTX_set_alpn_select_cb(context, choose_protocol, NULL);
    return GZ_OK;
}

void gz_tls_finish(struct gz_tls *tls)
{
    SSL_CTX_free(tls->pair);
    SSL_CTX_free(tls->context);
    *tls = (struct gz_tls){NULL, NULL};
}
