/* negotiate.h - what a client has of a resource already and in which form it takes it:
 * If-None-Match and Accept-Encoding, as they came. Pure: no I/O, no allocation. Threads: any. What
 * makes no sense is as if it were not there. */
#ifndef GZ_NET_NEGOTIATE_H
#define GZ_NET_NEGOTIATE_H

#include <stdbool.h>

/* Whether the entity tag, with its quotes, is one of an If-None-Match's. Weak ones count: that is
 * the header's rule. */
bool gz_etag_is_listed(const char *list, const char *etag);

/* Whether an Accept-Encoding takes gzip. */
bool gz_gzip_is_accepted(const char *list);

#endif
