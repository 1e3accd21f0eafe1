/* curl_library.h - loads libcurl at run time, only if it is needed: for a cluster. A file that
 * includes this header calls libcurl as if it were linked.
 *
 * Threads: any; the functions only after gz_curl_load has returned GZ_OK. */
#ifndef GZ_LINK_CURL_LIBRARY_H
#define GZ_LINK_CURL_LIBRARY_H

#include <curl/curl.h>

#include "proto/base/status.h"

/* All functions that are used. */
#define GZ_CURL_FUNCTIONS(X)                                                                       \
    X(curl_easy_cleanup)                                                                           \
    X(curl_easy_escape)                                                                            \
    X(curl_easy_getinfo)                                                                           \
    X(curl_easy_header)                                                                            \
    X(curl_easy_init)                                                                              \
    X(curl_easy_pause)                                                                             \
    X(curl_easy_setopt)                                                                            \
    X(curl_easy_strerror)                                                                          \
    X(curl_free)                                                                                   \
    X(curl_global_cleanup)                                                                         \
    X(curl_global_init)                                                                            \
    X(curl_multi_add_handle)                                                                       \
    X(curl_multi_assign)                                                                           \
    X(curl_multi_cleanup)                                                                          \
    X(curl_multi_info_read)                                                                        \
    X(curl_multi_init)                                                                             \
    X(curl_multi_remove_handle)                                                                    \
    X(curl_multi_setopt)                                                                           \
    X(curl_multi_socket_action)                                                                    \
    X(curl_multi_strerror)                                                                         \
    X(curl_slist_append)                                                                           \
    X(curl_slist_free_all)

#define GZ_CURL_MEMBER(name) __typeof__(name) *name;
struct gz_curl {
    GZ_CURL_FUNCTIONS(GZ_CURL_MEMBER)
};

/* Loads libcurl, once. GZ_BAD_STATE if it is not installed. */
GZ_MUST_USE enum gz_status gz_curl_load(struct gz_error *error);
const struct gz_curl *gz_curl(void);

/* These macros check types and call the linked functions. */
#undef curl_easy_getinfo
#undef curl_easy_setopt
#undef curl_multi_setopt

#define curl_easy_cleanup (gz_curl()->curl_easy_cleanup)
#define curl_easy_escape (gz_curl()->curl_easy_escape)
#define curl_easy_getinfo (gz_curl()->curl_easy_getinfo)
#define curl_easy_header (gz_curl()->curl_easy_header)
#define curl_easy_init (gz_curl()->curl_easy_init)
#define curl_easy_pause (gz_curl()->curl_easy_pause)
#define curl_easy_setopt (gz_curl()->curl_easy_setopt)
#define curl_easy_strerror (gz_curl()->curl_easy_strerror)
#define curl_free (gz_curl()->curl_free)
#define curl_global_cleanup (gz_curl()->curl_global_cleanup)
#define curl_global_init (gz_curl()->curl_global_init)
#define curl_multi_add_handle (gz_curl()->curl_multi_add_handle)
#define curl_multi_assign (gz_curl()->curl_multi_assign)
#define curl_multi_cleanup (gz_curl()->curl_multi_cleanup)
#define curl_multi_info_read (gz_curl()->curl_multi_info_read)
#define curl_multi_init (gz_curl()->curl_multi_init)
#define curl_multi_remove_handle (gz_curl()->curl_multi_remove_handle)
#define curl_multi_setopt (gz_curl()->curl_multi_setopt)
#define curl_multi_socket_action (gz_curl()->curl_multi_socket_action)
#define curl_multi_strerror (gz_curl()->curl_multi_strerror)
#define curl_slist_append (gz_curl()->curl_slist_append)
#define curl_slist_free_all (gz_curl()->curl_slist_free_all)

#endif
