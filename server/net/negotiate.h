/* negotiate.h - content negotiation: If-None-Match and Accept-Encoding. Invalid parts are ignored.
 * Pure: no I/O, no allocation. Threads: any. */
#ifndef GZ_NET_NEGOTIATE_H
#define GZ_NET_NEGOTIATE_H

#include <stdbool.h>

/* Whether the entity tag, with its quotes, is in an If-None-Match. Weak tags count, as the RFC
 * demands. */
bool gz_etag_is_listed(const char *list, const char *etag);

/* Whether an Accept-Encoding allows gzip. */
bool gz_gzip_is_accepted(const char *list);

#endif
