/* certificates.c - makes an authority and certificates of servers. See certificates.h. */
#include "support/certificates.h"

#include <openssl/pem.h>
#include <openssl/rand.h>
#include <openssl/x509v3.h>
#include <stdio.h>
#include <unistd.h>

#include "support/cmocka.h"

#define LOOPBACK_NAMES "DNS:localhost,IP:127.0.0.1,IP:::1"
#define DAY_SECONDS (24 * 3600L)

static FILE *open_file(const char *folder, const char *name, const char *ending, const char *mode)
{
    char path[256];
    snprintf(path, sizeof path, "%s/%s.%s", folder, name, ending);
    FILE *file = fopen(path, mode);
    if (file == NULL) fail_msg("%s: cannot be opened", path);
    return file;
}

static void write_key(const char *folder, const char *name, EVP_PKEY *key, const char *passphrase)
{
    FILE *file = open_file(folder, name, "key", "w");
    const EVP_CIPHER *cipher = passphrase != NULL ? EVP_aes_256_cbc() : NULL;
    assert_int_equal(
        PEM_write_PrivateKey(file, key, cipher, NULL, 0, NULL, (void *)(uintptr_t)passphrase), 1);
    fclose(file);
}

static void add_extension(X509 *certificate, int kind, const char *value)
{
    X509_EXTENSION *extension = X509V3_EXT_conf_nid(NULL, NULL, kind, value);
    assert_non_null(extension);
    assert_int_equal(X509_add_ext(certificate, extension, -1), 1);
    X509_EXTENSION_free(extension);
}

static X509 *make_certificate(const char *subject, EVP_PKEY *key, long from_s, long for_s)
{
    uint64_t serial;
    X509 *certificate = X509_new();
    assert_non_null(certificate);
    assert_int_equal(RAND_bytes((unsigned char *)&serial, sizeof serial), 1);
    X509_set_version(certificate, X509_VERSION_3);
    ASN1_INTEGER_set_uint64(X509_get_serialNumber(certificate), serial >> 1);
    X509_gmtime_adj(X509_getm_notBefore(certificate), from_s);
    X509_gmtime_adj(X509_getm_notAfter(certificate), from_s + for_s);
    X509_set_pubkey(certificate, key);
    X509_NAME_add_entry_by_txt(X509_get_subject_name(certificate), "CN", MBSTRING_UTF8,
                               (const unsigned char *)subject, -1, -1, 0);
    return certificate;
}

static void sign(X509 *certificate, X509 *by, EVP_PKEY *key)
{
    X509_set_issuer_name(certificate, X509_get_subject_name(by));
    assert_true(X509_sign(certificate, key, EVP_sha256()) > 0);
}

static void make_authority(const char *folder)
{
    EVP_PKEY *key = EVP_EC_gen("P-256");
    X509 *certificate =
        make_certificate("The test's authority", key, -DAY_SECONDS, 365 * DAY_SECONDS);
    add_extension(certificate, NID_basic_constraints, "critical,CA:TRUE");
    add_extension(certificate, NID_key_usage, "critical,keyCertSign,cRLSign");
    sign(certificate, certificate, key);
    write_key(folder, "ca", key, NULL);
    FILE *file = open_file(folder, "ca", "pem", "w");
    assert_int_equal(PEM_write_X509(file, certificate), 1);
    fclose(file);
    X509_free(certificate);
    EVP_PKEY_free(key);
}

static void read_authority(const char *folder, X509 **certificate, EVP_PKEY **key)
{
    char path[256];
    snprintf(path, sizeof path, "%s/ca.pem", folder);
    if (access(path, F_OK) != 0) make_authority(folder);
    FILE *file = open_file(folder, "ca", "pem", "r");
    *certificate = PEM_read_X509(file, NULL, NULL, NULL);
    fclose(file);
    file = open_file(folder, "ca", "key", "r");
    *key = PEM_read_PrivateKey(file, NULL, NULL, NULL);
    fclose(file);
    assert_non_null(*certificate);
    assert_non_null(*key);
}

void test_certificate_make(const char *folder, const char *name,
                           const struct test_certificate *wish)
{
    X509 *authority;
    EVP_PKEY *authority_key, *key = wish->rsa ? EVP_RSA_gen(2048) : EVP_EC_gen("P-256");
    read_authority(folder, &authority, &authority_key);
    X509 *certificate = make_certificate(wish->subject != NULL ? wish->subject : "gizmod", key,
                                         wish->from_days * DAY_SECONDS - 3600,
                                         (wish->days != 0 ? wish->days : 30) * DAY_SECONDS);
    add_extension(certificate, NID_subject_alt_name,
                  wish->names != NULL ? wish->names : LOOPBACK_NAMES);
    sign(certificate, wish->is_own ? certificate : authority, wish->is_own ? key : authority_key);
    write_key(folder, name, key, wish->passphrase);
    FILE *file = open_file(folder, name, "pem", "w");
    assert_int_equal(PEM_write_X509(file, certificate), 1);
    if (!wish->is_own) assert_int_equal(PEM_write_X509(file, authority), 1);
    fclose(file);
    X509_free(certificate);
    X509_free(authority);
    EVP_PKEY_free(authority_key);
    EVP_PKEY_free(key);
}
