/* Checks the names and addresses of members. */
#include <ctype.h>
#include <string.h>

#include "cluster/log.h"

bool gz_member_name_valid(const char *name)
{
    size_t size = strlen(name);
    static const char taken[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.-_";
    return size > 0 && size <= GZ_MEMBER_BYTES_MAX && strspn(name, taken) == size;
}

/* Visible ASCII: scheme, host, and perhaps a path below which the daemon is served. */
bool gz_member_url_valid(const char *url)
{
    size_t size = strlen(url);
    size_t scheme = strncmp(url, "http://", 7) == 0 ? 7 : strncmp(url, "https://", 8) == 0 ? 8 : 0;
    if (scheme == 0 || size > GZ_MEMBER_URL_BYTES_MAX) return false;
    for (size_t i = 0; i < size; i++) {
        if (!isgraph((unsigned char)url[i])) return false;
    }
    return strcspn(url + scheme, "/") > 0 && strcspn(url + scheme, "@?#") == size - scheme;
}
