/* headers.c - headers that a client adds to its requests. See headers.h. */
#include "headers.h"

#include <openssl/evp.h>
#include <string.h>
#include <strings.h>

#define NAME_BYTES 128
#define LOGIN_BYTES (2 * GZ_URL_BYTES_MAX)

/* One line of the list; the texts are not terminated. */
struct line {
    const char *name, *value;
    size_t name_size, value_size;
};

/* Takes the line at *at, and goes behind it. False at the end. */
static bool take_line(const char **at, struct line *line)
{
    *at += strspn(*at, "\r\n");
    size_t size = strcspn(*at, "\r\n");
    *line = (struct line){.name = *at, .name_size = strcspn(*at, ":\r\n")};
    if (line->name_size < size) {
        line->value = *at + line->name_size + 1;
        line->value_size = size - line->name_size - 1;
        while (line->value_size > 0 && (*line->value == ' ' || *line->value == '\t'))
            line->value++, line->value_size--;
        while (line->value_size > 0 && strchr(" \t", line->value[line->value_size - 1]) != NULL)
            line->value_size--;
    }
    *at += size;
    return size > 0;
}

/* Whether the name is a token of RFC 9110. */
static bool is_name(const struct line *line)
{
    static const char allowed[] = "!#$%&'*+-.^_`|~0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                  "abcdefghijklmnopqrstuvwxyz";
    return line->name_size > 0 && line->name_size < NAME_BYTES &&
           strspn(line->name, allowed) == line->name_size;
}

static bool is_text(const struct line *line)
{
    for (size_t i = 0; i < line->value_size; i++) {
        unsigned char c = (unsigned char)line->value[i];
        if ((c < ' ' && c != '\t') || c == 0x7f) return false;
    }
    return true;
}

static bool is_named(const struct line *line, const char *name, size_t size)
{
    return line->name_size >= size && strncasecmp(line->name, name, size) == 0;
}

/* Whether the client sends this header itself. */
static bool is_own(const struct line *line)
{
    static const char *const own[] = {"Host",           "Connection",        "Upgrade",
                                      "Content-Length", "Transfer-Encoding", "Content-Type"};
    for (size_t i = 0; i < sizeof own / sizeof own[0]; i++)
        if (line->name_size == strlen(own[i]) && is_named(line, own[i], line->name_size))
            return true;
    return is_named(line, "Sec-WebSocket-", strlen("Sec-WebSocket-"));
}

static bool is_authorization(const struct line *line)
{
    static const char name[] = "Authorization";
    return line->name_size == sizeof name - 1 && is_named(line, name, sizeof name - 1);
}

static enum gz_status check_line(const struct line *line, const char *authorization,
                                 struct gz_error *error)
{
    int size = line->name_size < NAME_BYTES ? (int)line->name_size : NAME_BYTES;
    if (line->value == NULL || !is_name(line))
        return gz_fail(error, GZ_BAD_VALUE, "header \"%.*s\": is not of the form NAME: VALUE", size,
                       line->name);
    if (!is_text(line))
        return gz_fail(error, GZ_BAD_VALUE, "header %.*s: its value has a control character", size,
                       line->name);
    if (is_own(line))
        return gz_fail(error, GZ_BAD_VALUE, "header %.*s: the client sets it itself", size,
                       line->name);
    if (authorization != NULL && is_authorization(line))
        return gz_fail(error, GZ_BAD_VALUE, "header %.*s: %s is sent in it already", size,
                       line->name, authorization);
    return GZ_OK;
}

enum gz_status gz_headers_check(const char *headers, const struct gz_urls *urls, bool token,
                                struct gz_error *error)
{
    bool login = false;
    for (size_t i = 0; i < urls->count; i++) login |= urls->all[i].login[0] != '\0';
    if (login && token)
        return gz_fail(error, GZ_BAD_VALUE,
                       "the server URL has a password and there is a token: a request can have "
                       "only one of them");
    const char *authorization = login ? "the password of the server URL" : NULL;
    if (token) authorization = "the token";
    if (headers != NULL && strlen(headers) >= GZ_HEADERS_BYTES_MAX)
        return gz_fail(error, GZ_BAD_VALUE, "headers: longer than %d bytes",
                       GZ_HEADERS_BYTES_MAX - 1);
    struct line line;
    enum gz_status status = GZ_OK;
    for (const char *at = headers; at != NULL && status == GZ_OK && take_line(&at, &line);)
        status = check_line(&line, authorization, error);
    return status;
}

static enum gz_status add(struct gz_buffer *out, const char *name, size_t name_size,
                          const char *value, size_t value_size)
{
    enum gz_status status = gz_buffer_append(out, name, name_size);
    if (status == GZ_OK) status = gz_buffer_append(out, ": ", 2);
    if (status == GZ_OK) status = gz_buffer_append(out, value, value_size);
    if (status == GZ_OK) status = gz_buffer_append(out, "\r\n", 2);
    return status;
}

enum gz_status gz_headers_add(struct gz_buffer *out, const char *name, const char *value)
{
    return add(out, name, strlen(name), value, strlen(value));
}

static enum gz_status add_login(struct gz_buffer *out, const struct gz_url *url)
{
    char text[LOGIN_BYTES] = "Basic ";
    if (url->login[0] == '\0') return GZ_OK;
    EVP_EncodeBlock((unsigned char *)text + strlen(text), (const unsigned char *)url->login,
                    (int)strlen(url->login));
    return gz_headers_add(out, "Authorization", text);
}

enum gz_status gz_headers_begin(struct gz_buffer *out, const char *method, const char *prefix,
                                const char *path, const struct gz_url *url, const char *headers)
{
    const char *const line[] = {method, " ", prefix, path, " HTTP/1.1\r\n"};
    enum gz_status status = GZ_OK;
    for (size_t i = 0; i < sizeof line / sizeof line[0] && status == GZ_OK; i++)
        status = gz_buffer_append(out, line[i], strlen(line[i]));
    if (status == GZ_OK) status = gz_headers_add(out, "Host", url->authority);
    struct line own;
    for (const char *at = headers; at != NULL && status == GZ_OK && take_line(&at, &own);)
        status = add(out, own.name, own.name_size, own.value, own.value_size);
    return status == GZ_OK ? add_login(out, url) : status;
}
