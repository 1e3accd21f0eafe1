/* hook.c - posts signed bodies to the operator's address. See hook.h. */
#include "link/hook.h"

#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/x509.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "front/header.h"
#include "link/http_client.h"
#include "server/maxima.h"

#define SECRET_PREFIX "whsec_"
#define SECRET_BYTES_MIN 24
#define SECRET_BYTES_MAX 64
#define CODE_BYTES 32
/* "v1," and base64 of the code, a blank. */
#define SIGNATURE_BYTES (4 + 4 * ((CODE_BYTES + 2) / 3))
#define LINE_BYTES (64 + GZ_HOOK_ID_BYTES + GZ_HOOK_SECRETS_MAX * SIGNATURE_BYTES)

struct secret {
    uint8_t bytes[SECRET_BYTES_MAX + 3];
    size_t size;
};

struct secrets {
    struct secret list[GZ_HOOK_SECRETS_MAX];
    size_t count;
};

struct gz_hook {
    const char *url;
    struct secrets secrets;
    struct gz_http_client *client;
    CURL *easy; /* the same for all requests, so that a connection serves many */
    struct curl_slist *headers;
    char why[CURL_ERROR_SIZE];
    void (*done)(void *context, const struct gz_hook_result *result);
    void *context;
};

/* ---- secrets ---- */

/* False for what is no base64 of an allowed size. */
static bool read_secret(const char *text, size_t size, struct secret *secret)
{
    const size_t prefix = sizeof SECRET_PREFIX - 1;
    char base64[4 * ((SECRET_BYTES_MAX + 2) / 3) + 1] = "";
    if (size <= prefix || memcmp(text, SECRET_PREFIX, prefix) != 0) return false;
    size -= prefix;
    if (size % 4 != 0 || size >= sizeof base64) return false;
    memcpy(base64, text + prefix, size);
    const int bytes = EVP_DecodeBlock(secret->bytes, (const uint8_t *)base64, (int)size);
    const size_t padding = base64[size - 1] != '=' ? 0 : base64[size - 2] != '=' ? 1 : 2;
    OPENSSL_cleanse(base64, sizeof base64);
    if (bytes < 0) return false;
    secret->size = (size_t)bytes - padding;
    return secret->size >= SECRET_BYTES_MIN && secret->size <= SECRET_BYTES_MAX;
}

static enum gz_status read_secrets(const char *text, size_t size, struct secrets *secrets,
                                   struct gz_error *error)
{
    for (size_t at = 0, line = 1; at < size; line++) {
        const char *end = memchr(text + at, '\n', size - at);
        size_t length = end != NULL ? (size_t)(end - text) - at : size - at;
        const size_t next = at + length + 1;
        if (length > 0 && text[at + length - 1] == '\r') length--;
        if (length > 0 && secrets->count == GZ_HOOK_SECRETS_MAX)
            return gz_fail(error, GZ_BAD_VALUE, "--hook-secret: more than %d secrets",
                           GZ_HOOK_SECRETS_MAX);
        if (length > 0 && !read_secret(text + at, length, &secrets->list[secrets->count++]))
            return gz_fail(
                error, GZ_BAD_VALUE,
                "--hook-secret: line %zu is no secret: \"whsec_\" and %d to %d bytes in base64",
                line, SECRET_BYTES_MIN, SECRET_BYTES_MAX);
        at = next;
    }
    return secrets->count > 0 ? GZ_OK
                              : gz_fail(error, GZ_BAD_VALUE, "--hook-secret: it has no secret");
}

enum gz_status gz_hook_check_secrets(const uint8_t *secrets, size_t size, struct gz_error *error)
{
    struct secrets read = {.count = 0};
    enum gz_status status = read_secrets((const char *)secrets, size, &read, error);
    OPENSSL_cleanse(&read, sizeof read);
    return status;
}

enum gz_status gz_hook_take_secrets(struct gz_hook *hook, const uint8_t *secrets, size_t size,
                                    struct gz_error *error)
{
    struct secrets read = {.count = 0};
    enum gz_status status = read_secrets((const char *)secrets, size, &read, error);
    if (status == GZ_OK) hook->secrets = read;
    OPENSSL_cleanse(&read, sizeof read);
    return status;
}

/* ---- the signature ---- */

/* Appends "ID.TIMESTAMP.BODY" signed by one secret. */
static void sign(const struct secret *secret, const struct gz_buffer *said, char *text)
{
    uint8_t code[CODE_BYTES] = {0}, base64[SIGNATURE_BYTES + 1];
    (void)HMAC(EVP_sha256(), secret->bytes, (int)secret->size, said->data, said->size, code, NULL);
    EVP_EncodeBlock(base64, code, CODE_BYTES);
    const size_t used = strlen(text);
    snprintf(text + used, LINE_BYTES - used, " v1,%s", (const char *)base64);
}

/* False without memory. */
static bool print_signatures(const struct gz_hook *hook, const char *id, double unix_s,
                             const struct gz_buffer *body, char *text)
{
    struct gz_buffer said;
    gz_buffer_init(&said, SIZE_MAX / 2, 0);
    const bool ok = gz_text_print(&said, "%s.%.0f.", id, unix_s) &&
                    gz_buffer_append(&said, body->data, body->size) == GZ_OK;
    for (size_t i = 0; ok && i < hook->secrets.count; i++)
        sign(&hook->secrets.list[i], &said, text);
    gz_buffer_finish(&said);
    return ok;
}

static bool add_header(struct gz_hook *hook, const char *line)
{
    struct curl_slist *longer = curl_slist_append(hook->headers, line);
    if (longer != NULL) hook->headers = longer;
    return longer != NULL;
}

static bool add_headers(struct gz_hook *hook, const char *id, double unix_s,
                        const struct gz_buffer *body)
{
    char line[LINE_BYTES] = "webhook-signature:";
    bool ok = print_signatures(hook, id, unix_s, body, line) && add_header(hook, line);
    snprintf(line, sizeof line, "webhook-id: %s", id);
    ok = ok && add_header(hook, line);
    snprintf(line, sizeof line, "webhook-timestamp: %.0f", unix_s);
    return ok && add_header(hook, line) && add_header(hook, "Content-Type: application/json") &&
           add_header(hook, "Expect:"); /* nothing waits for a 100 */
}

/* ---- posting ---- */

static size_t drop_answer(char *bytes, size_t item, size_t count, void *context)
{
    (void)bytes, (void)context;
    return item * count;
}

static void set_connection(const struct gz_hook *hook)
{
    CURL *easy = hook->easy;
    const char *authorities = getenv(X509_get_default_cert_file_env());
    curl_easy_setopt(easy, CURLOPT_PROTOCOLS_STR, "http,https");
    curl_easy_setopt(easy, CURLOPT_PROXY, "");
    curl_easy_setopt(easy, CURLOPT_FOLLOWLOCATION, 0L);
    curl_easy_setopt(easy, CURLOPT_HTTP_VERSION, (long)CURL_HTTP_VERSION_1_1);
    curl_easy_setopt(easy, CURLOPT_SSLVERSION, (long)CURL_SSLVERSION_TLSv1_2);
    if (authorities != NULL) curl_easy_setopt(easy, CURLOPT_CAINFO, authorities);
    curl_easy_setopt(easy, CURLOPT_NOSIGNAL, 1L);
    curl_easy_setopt(easy, CURLOPT_QUICK_EXIT, 1L);
    curl_easy_setopt(easy, CURLOPT_CONNECTTIMEOUT, (long)GZ_HOOK_CONNECT_SECONDS);
    curl_easy_setopt(easy, CURLOPT_TIMEOUT, (long)GZ_HOOK_SECONDS_MAX);
    curl_easy_setopt(easy, CURLOPT_USERAGENT, "gizmod/" GIZMOD_VERSION);
    curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, drop_answer);
}

static void finish_request(struct gz_hook *hook)
{
    gz_http_client_end(hook->client, hook->easy);
    curl_slist_free_all(hook->headers);
    hook->headers = NULL;
}

static void handle_done(void *context, void *transfer, CURLcode result)
{
    struct gz_hook *hook = context;
    long code = 0;
    curl_off_t after = 0;
    char words[64];
    (void)transfer;
    if (result == CURLE_OK) {
        (void)curl_easy_getinfo(hook->easy, CURLINFO_RESPONSE_CODE, &code);
        (void)curl_easy_getinfo(hook->easy, CURLINFO_RETRY_AFTER, &after);
        snprintf(words, sizeof words, "it answers %ld", code);
    }
    finish_request(hook);
    hook->done(hook->context, &(struct gz_hook_result){.code = (int)code,
                                                       .after_s = (double)after,
                                                       .why = result == CURLE_OK ? words
                                                              : hook->why[0] != '\0'
                                                                  ? hook->why
                                                                  : curl_easy_strerror(result)});
}

static void handle_went_on(void *context)
{
    (void)context;
}

bool gz_hook_post(struct gz_hook *hook, const char *id, double unix_s, const struct gz_buffer *body,
                  void (*done)(void *context, const struct gz_hook_result *result), void *context)
{
    CURL *easy = hook->easy;
    hook->done = done;
    hook->context = context;
    hook->why[0] = '\0';
    const bool is_begun =
        add_headers(hook, id, unix_s, body) &&
        curl_easy_setopt(easy, CURLOPT_URL, hook->url) == CURLE_OK &&
        curl_easy_setopt(easy, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)body->size) == CURLE_OK &&
        curl_easy_setopt(easy, CURLOPT_POSTFIELDS, body->data) == CURLE_OK &&
        curl_easy_setopt(easy, CURLOPT_HTTPHEADER, hook->headers) == CURLE_OK &&
        curl_easy_setopt(easy, CURLOPT_ERRORBUFFER, hook->why) == CURLE_OK &&
        gz_http_client_begin(hook->client, easy);
    if (!is_begun) finish_request(hook);
    return is_begun;
}

/* ---- beginning and end ---- */

enum gz_status gz_hook_create(struct gz_hook **out, uv_loop_t *loop, const struct gz_log *log,
                              const char *url, const uint8_t *secrets, size_t size,
                              struct gz_error *error)
{
    enum gz_status status = gz_curl_load(error);
    if (status != GZ_OK) return status;
    struct gz_hook *hook = calloc(1, sizeof *hook);
    if (hook == NULL) return gz_fail(error, GZ_NO_MEMORY, "no memory");
    hook->url = url;
    status = gz_hook_take_secrets(hook, secrets, size, error);
    if (status == GZ_OK)
        hook->client = gz_http_client_create(
            loop, (struct gz_http_client_user){log, hook, handle_done, handle_went_on});
    if (hook->client != NULL) hook->easy = curl_easy_init();
    if (status == GZ_OK && hook->easy == NULL)
        status = gz_fail(error, GZ_NO_MEMORY, "libcurl does not start: no memory");
    if (status == GZ_OK) {
        set_connection(hook);
        *out = hook;
        return GZ_OK;
    }
    if (hook->client != NULL) gz_http_client_close(hook->client);
    OPENSSL_cleanse(&hook->secrets, sizeof hook->secrets);
    gz_http_client_destroy(hook->client);
    free(hook);
    return status;
}

void gz_hook_close(struct gz_hook *hook)
{
    finish_request(hook);
    curl_easy_cleanup(hook->easy);
    hook->easy = NULL;
    gz_http_client_close(hook->client);
}

void gz_hook_destroy(struct gz_hook *hook)
{
    if (hook == NULL) return;
    gz_http_client_destroy(hook->client);
    OPENSSL_cleanse(&hook->secrets, sizeof hook->secrets);
    free(hook);
}
