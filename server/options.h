/* options.h - the options of gizmod, from the command line, the environment and the file of
 * --config. Reads these and the name of the host, changes nothing. Threads: any, one at a time.
 * Ownership: the strings in the result are its own, argv's, the environment's or static. Errors:
 * GZ_BAD_VALUE with one line that names the option, after the file and the line, or the variable;
 * GZ_NO_MEMORY. */
#ifndef GZ_OPTIONS_H
#define GZ_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "front/address.h"
#include "proto/args/args.h"
#include "proto/base/log.h"
#include "server/maxima.h"
#include "store/store.h"

struct gz_options {
    const char *data;       /* folder of the scenes */
    const char *web;        /* folder of static files; NULL if none was named: the editor's own */
    const char *open;       /* a scene to open, or make, at the start; NULL for none */
    const char *keys;       /* file of the keys of tokens; NULL if anybody may come */
    const char *revoked;    /* file of revoked tokens; NULL for none */
    const char *audience;   /* that tokens are for */
    const char *cert, *key; /* files of PEM; NULL if there is no TLS */
    char address[256];      /* to listen on; IPv6 without its brackets */
    uint16_t port;
    const char *cluster;   /* URI of the database of a cluster; NULL for a daemon on its own */
    const char *advertise; /* at which other members reach this one */
    const char *secret;    /* file of what all members know */
    const char *hook, *hook_secret; /* an address that is told what happens, and the file of the
                                       secrets that sign it; NULL for none */
    char member[GZ_MEMBER_BYTES_MAX + 1]; /* this one's name; "" without a cluster */
    bool no_web;                          /* no files at all */
    bool sample, insecure, checks_config;
    const char *config; /* the file that options came from; NULL for none */
    enum gz_level log_level;
    enum gz_log_form log_form;
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
    /* private to options.c: what was said, and where it lies */
    struct gz_args args;
    char *text, *lists;
};

GZ_MUST_USE enum gz_status gz_options_create(struct gz_options **options, int argc, char **argv,
                                             struct gz_error *error);
void gz_options_destroy(struct gz_options *options);

/* Puts the values of the start in place of those that need a restart, which it outlives. Fails if
 * the others do not go with them. */
GZ_MUST_USE enum gz_status gz_options_keep(struct gz_options *now, const struct gz_options *started,
                                           struct gz_error *error);
/* Logs which options have another value `now`: those that take effect at once have changed since
 * `before`, the others since the start. */
void gz_options_tell_changes(const struct gz_options *started, const struct gz_options *before,
                             const struct gz_options *now, const struct gz_log *log);

/* Writes what --help, --version, --man, --completion or --complete asks for; false if none of them
 * is given. */
bool gz_options_describe(int argc, char **argv, FILE *out);

#endif
