/* Reads one header of a request, known to libwebsockets or not. */
#include <string.h>

#include "net/internal.h"

bool gz_header(struct lws *wsi, enum lws_token_indexes token, char *text, size_t size,
               bool *present)
{
    *text = '\0';
    bool empty = lws_hdr_total_length(wsi, token) == 0;
    *present = !empty || lws_hdr_copy_fragment(wsi, text, (int)size, token, 0) == 0;
    return empty || lws_hdr_copy(wsi, text, (int)size, token) >= 0;
}

bool gz_custom_header(struct lws *wsi, const char *name, char *text, size_t size, bool *present)
{
    int length = lws_hdr_custom_length(wsi, name, (int)strlen(name));
    *text = '\0';
    *present = length >= 0;
    return length <= 0 || lws_hdr_custom_copy(wsi, text, (int)size, name, (int)strlen(name)) >= 0;
}

bool gz_has_custom_header(struct lws *wsi, const char *name)
{
    return lws_hdr_custom_length(wsi, name, (int)strlen(name)) >= 0;
}

/* Digits of a length that fits into 64 bits for everybody. */
enum { DIGITS_MAX = 18 };

static const char *fault_of(struct lws *wsi)
{
    char text[DIGITS_MAX + 1], second[24];
    bool is_said;
    /* libwebsockets takes a name with a blank before its colon for another one. */
    if (gz_has_custom_header(wsi, "content-length :") ||
        gz_has_custom_header(wsi, "content-length\t:") ||
        gz_has_custom_header(wsi, "transfer-encoding :") ||
        gz_has_custom_header(wsi, "transfer-encoding\t:"))
        return "a header has a space before its colon";
    if (lws_hdr_copy_fragment(wsi, second, sizeof second, WSI_TOKEN_HTTP_CONTENT_LENGTH, 1) >= 0)
        return "Content-Length: given more than once";
    bool fits = gz_header(wsi, WSI_TOKEN_HTTP_CONTENT_LENGTH, text, sizeof text, &is_said);
    if (is_said && (!fits || text[0] == '\0' || strspn(text, "0123456789") != strlen(text)))
        return "Content-Length: must be a number of at most 18 digits";
    return NULL;
}

bool gz_header_has_coding(struct lws *wsi)
{
    char text[2];
    bool is_said;
    return !gz_header(wsi, WSI_TOKEN_HTTP_TRANSFER_ENCODING, text, sizeof text, &is_said) ||
           is_said;
}

enum gz_status gz_header_check(struct lws *wsi, struct gz_error *error)
{
    const char *fault = fault_of(wsi);
    return fault == NULL ? GZ_OK : gz_fail(error, GZ_BAD_MESSAGE, "%s", fault);
}
