/* options.h - the command line of gizmod. Reads words and the name of the host, changes nothing.
 * Threads: any. Ownership: the strings in the result are argv's own or static. Errors: GZ_BAD_VALUE
 * with one line that names the option. */
#ifndef GZ_OPTIONS_H
#define GZ_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "front/address.h"
#include "proto/base/log.h"
#include "server/maxima.h"
#include "store/store.h"

struct gz_options {
    const char *data;       /* folder of the scenes */
    const char *web;        /* folder of static files; NULL if none was named: the editor's own */
    const char *open;       /* a scene to open, or make, at the start; NULL for none */
    const char *keys;       /* file of the keys of tokens; NULL if anybody may come */
    const char *audience;   /* that tokens are for */
    const char *cert, *key; /* files of PEM; NULL if there is no TLS */
    char address[256];      /* to listen on; IPv6 without its brackets */
    uint16_t port;
    const char *cluster;   /* URI of the database of a cluster; NULL for a daemon on its own */
    const char *advertise; /* at which other members reach this one */
    const char *secret;    /* file of what all members know */
    char member[GZ_MEMBER_BYTES_MAX + 1]; /* this one's name; "" without a cluster */
    bool no_web;                          /* no files at all */
    bool sample, insecure;
    enum gz_level log_level;
    enum gz_recorded recorded;
    struct gz_retention_rule kept;
    double messages_per_s, ping_s, silence_s;
    size_t connections_per_address;
    double keep_free_mb;
    double memory_mb; /* 0: as gz_machine_bytes says */
    const char *origins[GZ_ORIGINS_MAX];
    size_t origin_count;
    struct gz_address_range proxies[GZ_PROXIES_MAX]; /* trusted ones */
    size_t proxy_count;
    const char *trust_header; /* in which they name the user; NULL for none */
    const char *admins[GZ_ADMINS_MAX];
    size_t admin_count;
};

GZ_MUST_USE enum gz_status gz_options_parse(struct gz_options *options, int argc, char **argv,
                                            struct gz_error *error);

/* Writes what --help, --version, --man, --completion or --complete asks for; false if none of them
 * is given. */
bool gz_options_describe(int argc, char **argv, FILE *out);

#endif
