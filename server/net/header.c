/* One header of a request, whether libwebsockets knows it or not. */
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
