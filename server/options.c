/* The options of gizmod: one table, and the functions that read its values. */
#include "options.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cluster/log.h"
#include "front/address.h"
#include "front/net.h"
#include "host/scenes.h"
#include "proto/base/file.h"
#include "proto/base/text.h"
#include "proto/message.h"
#include "proto/token/claims.h"
#include "server/maxima.h"

#define PORT_DEFAULT 7432
#define ADDRESS_BYTES sizeof((struct gz_options *)NULL)->address
#define RATE_MAX 1e6
#define SECONDS_MAX 3600
#define KEEP_SECONDS_MAX (5000 * 604800.0)
#define KEEP_EDITS_MAX 1e9
#define KEEP_FREE_MAX 1e9
#define MEMORY_MAX 1e9

static_assert(GZ_ORIGINS_MAX <= GZ_ARG_TEXTS_MAX && GZ_ADMINS_MAX <= GZ_ARG_TEXTS_MAX &&
                  GZ_PROXIES_MAX <= GZ_ARG_TEXTS_MAX,
              "as many as can be given");

static const char *const record_words[] = {
    [GZ_RECORD_THIN] = "thin", [GZ_RECORD_ALL] = "all", [GZ_RECORD_ENDS] = "ends"};
static const struct gz_vocabulary record_terms = {record_words, 3};

/* ---- values ---- */

static bool parse_port(const char *text, uint16_t *port)
{
    size_t digits = strspn(text, "0123456789");
    if (digits == 0 || digits > 5 || text[digits] != '\0' || atol(text) > UINT16_MAX) return false;
    *port = (uint16_t)atol(text);
    return true;
}

/* Where the host ends in HOST:PORT or [V6]:PORT; NULL if there is none. */
static const char *end_of_host(const char *text)
{
    if (*text != '[') return strchr(text, ':');
    const char *close = strchr(text, ']');
    return close != NULL && close[1] == ':' ? close + 1 : NULL;
}

static bool parse_listen(const char *value, char address[ADDRESS_BYTES], uint16_t *port)
{
    const char *colon = end_of_host(value);
    size_t brackets = *value == '[' ? 1 : 0;
    size_t size = colon != NULL ? (size_t)(colon - value) - 2 * brackets : 0;
    if (size == 0 || size >= ADDRESS_BYTES || !parse_port(colon + 1, port)) return false;
    memcpy(address, value + brackets, size);
    address[size] = '\0';
    return true;
}

static enum gz_status check_listen(const struct gz_arg_option *option, const char *value,
                                   struct gz_error *error)
{
    (void)option;
    char address[ADDRESS_BYTES];
    uint16_t port;
    if (parse_listen(value, address, &port)) return GZ_OK;
    return gz_fail(error, GZ_BAD_VALUE,
                   "--listen: \"%s\" is not HOST:PORT; put an IPv6 address in brackets", value);
}

/* Of a file, a folder or a name it is known only later whether it is right. */
static enum gz_status check_name(const struct gz_arg_option *option, const char *value,
                                 struct gz_error *error)
{
    if (*value != '\0') return GZ_OK;
    return gz_fail(error, GZ_BAD_VALUE, "%s: the %s is missing", option->name,
                   strcmp(option->value, "FILE") == 0  ? "file"
                   : strcmp(option->value, "DIR") == 0 ? "folder"
                                                       : "name");
}

static enum gz_status check_web(const struct gz_arg_option *option, const char *value,
                                struct gz_error *error)
{
    (void)option;
    if (*value != '\0') return GZ_OK;
    return gz_fail(error, GZ_BAD_VALUE, "--web: the folder is missing; give a path, or none");
}

static enum gz_status check_open(const struct gz_arg_option *option, const char *value,
                                 struct gz_error *error)
{
    (void)option;
    if (gz_scene_name_valid(value, strlen(value))) return GZ_OK;
    return gz_fail(error, GZ_BAD_VALUE,
                   "--open: \"%s\" is not a scene name ([a-z0-9][a-z0-9_-]{0,63})", value);
}

static bool parse_age(const char *value, double *seconds)
{
    static const struct {
        char unit;
        double seconds;
    } units[] = {{'s', 1}, {'m', 60}, {'h', 3600}, {'d', 86400}, {'w', 604800}};
    char *end;
    double count = strtod(value, &end);
    size_t i = 0;
    while (i < sizeof units / sizeof units[0] && *end != units[i].unit) i++;
    if (i == sizeof units / sizeof units[0] || end[1] != '\0' ||
        strspn(value, "0123456789.") != (size_t)(end - value))
        return false;
    *seconds = count * units[i].seconds;
    return true;
}

static enum gz_status check_keep(const struct gz_arg_option *option, const char *value,
                                 struct gz_error *error)
{
    (void)option;
    double seconds;
    if (!parse_age(value, &seconds))
        return gz_fail(error, GZ_BAD_VALUE,
                       "--keep: \"%s\" is not an age such as 90d (units: s, m, h, d, w)", value);
    if (seconds >= GZ_RETENTION_SECONDS_MIN && seconds <= KEEP_SECONDS_MAX) return GZ_OK;
    return gz_fail(error, GZ_BAD_VALUE, "--keep: %s is out of range; give 1h to 5000w", value);
}

static enum gz_status check_origin(const struct gz_arg_option *option, const char *value,
                                   struct gz_error *error)
{
    (void)option;
    if (gz_origin_valid(value)) return GZ_OK;
    return gz_fail(error, GZ_BAD_VALUE,
                   "--allow-origin: \"%s\" is not an origin such as https://editor.example", value);
}

static enum gz_status check_proxy(const struct gz_arg_option *option, const char *value,
                                  struct gz_error *error)
{
    (void)option;
    struct gz_address_range range;
    if (gz_address_range_parse(value, &range)) return GZ_OK;
    return gz_fail(error, GZ_BAD_VALUE,
                   "--trusted-proxy: \"%s\" is not ADDRESS/BITS such as 192.0.2.0/24 or "
                   "2001:db8::7/128, with only zeros after BITS",
                   value);
}

static enum gz_status check_trust_header(const struct gz_arg_option *option, const char *value,
                                         struct gz_error *error)
{
    (void)option;
    if (gz_trust_header_valid(value)) return GZ_OK;
    return gz_fail(
        error, GZ_BAD_VALUE,
        "--trust-header: \"%s\" cannot carry user names; choose a header of letters, digits "
        "and dashes without another meaning, such as X-Remote-User",
        value);
}

static enum gz_status check_admin(const struct gz_arg_option *option, const char *value,
                                  struct gz_error *error)
{
    (void)option;
    size_t size = strlen(value);
    const char *fault = gz_user_fault(value, size);
    if (size == 0 || size > GZ_USER_BYTES_MAX || !gz_text_valid(value, size))
        return gz_fail(error, GZ_BAD_VALUE, "--admin: a user name is 1 to %d bytes of UTF-8",
                       GZ_USER_BYTES_MAX);
    return fault == NULL ? GZ_OK : gz_fail(error, GZ_BAD_VALUE, "--admin: the name %s", fault);
}

/* Checks only the form of the URI; the database checks the rest. Errors do not show its
 * password. */
static enum gz_status check_uri(const struct gz_arg_option *option, const char *value,
                                struct gz_error *error)
{
    (void)option;
    if (strncmp(value, "postgresql://", 13) == 0 || strncmp(value, "postgres://", 11) == 0)
        return GZ_OK;
    return gz_fail(error, GZ_BAD_VALUE,
                   "--cluster: the URI must begin with postgresql://, as in "
                   "postgresql://gizmod@db.example/gizmod?sslmode=verify-full");
}

static enum gz_status check_member(const struct gz_arg_option *option, const char *value,
                                   struct gz_error *error)
{
    (void)option;
    if (gz_member_name_valid(value)) return GZ_OK;
    return gz_fail(error, GZ_BAD_VALUE,
                   "--member: a name has 1 to %d letters, digits, dots, dashes and underscores",
                   GZ_MEMBER_BYTES_MAX);
}

static enum gz_status check_advertise(const struct gz_arg_option *option, const char *value,
                                      struct gz_error *error)
{
    (void)option;
    if (gz_member_url_valid(value)) return GZ_OK;
    return gz_fail(error, GZ_BAD_VALUE,
                   "--advertise: \"%s\" is not an address such as http://10.0.0.7:7432 or "
                   "https://gizmo-1.example",
                   value);
}

/* Where the host of an address with a scheme of so many bytes ends: before a port, a path or a
 * query. */
static size_t end_of_url_host(const char *url, size_t scheme)
{
    const char *close = url[scheme] == '[' ? strchr(url + scheme, ']') : NULL;
    return close != NULL ? (size_t)(close - url) + 1 : scheme + strcspn(url + scheme, ":/?");
}

/* http or https, a host, perhaps a port, and a path. Nothing that would be sent elsewhere than it
 * reads; no password, because others see the command line. */
static bool is_hook_url(const char *url, size_t scheme)
{
    uint16_t port;
    char digits[6] = "";
    const size_t size = strlen(url), end = end_of_url_host(url, scheme);
    if (scheme == 0 || size > GZ_HOOK_URL_BYTES_MAX || end == scheme) return false;
    for (size_t i = 0; i < size; i++)
        if (url[i] <= ' ' || url[i] > '~' || strchr("@#\\\"<>^`{|}", url[i]) != NULL) return false;
    if (strcspn(url + scheme, "[]") < end - scheme && url[scheme] != '[') return false;
    if (url[end] != ':') return url[end] == '\0' || url[end] == '/' || url[end] == '?';
    const size_t count = strcspn(url + end + 1, "/?");
    if (count >= sizeof digits) return false;
    memcpy(digits, url + end + 1, count);
    return parse_port(digits, &port) && port > 0;
}

static enum gz_status check_hook_url(const struct gz_arg_option *option, const char *value,
                                     struct gz_error *error)
{
    (void)option;
    const size_t scheme = strncmp(value, "http://", 7) == 0    ? 7
                          : strncmp(value, "https://", 8) == 0 ? 8
                                                               : 0;
    if (is_hook_url(value, scheme)) return GZ_OK;
    return gz_fail(error, GZ_BAD_VALUE,
                   "--hook: \"%s\" is not an address such as https://receiver.example/gizmod: "
                   "https:// or http://, a host, and no password",
                   value);
}

static const struct gz_arg_option table[] = {
    {"--data", GZ_ARG_TEXT, "DIR", .check = check_name,
     .help = "folder of the scenes, one NAME.db each; created if missing (./scenes)"},
    {"--listen", GZ_ARG_TEXT, "HOST:PORT", .check = check_listen,
     .help = "address to listen on; port 0 picks a free port (127.0.0.1:7432)"},
    {"--web", GZ_ARG_TEXT, "DIR", .check = check_web,
     .help = "serve the files of this folder at / instead of the editor; none serves no files"},
    {"--open", GZ_ARG_TEXT, "SCENE", .check = check_open,
     .help = "open this scene at start, and create it if missing"},
    {"--sample", .help = "open the sample scene robot-arm at start, and create it if missing"},
    {"--keys", GZ_ARG_TEXT, "FILE", .check = check_name,
     .help = "require a token signed by a key of this JWKS file; SIGHUP reads it again"},
    {"--revoked", GZ_ARG_TEXT, "FILE", .check = check_name,
     .help = "refuse the tokens that this file lists; needs --keys; SIGHUP reads it again"},
    {"--audience", GZ_ARG_TEXT, "NAME", .check = check_name,
     .help = "require this audience in tokens; needs --keys (gizmod)"},
    {"--cert", GZ_ARG_TEXT, "FILE", .check = check_name,
     .help = "serve TLS with this certificate chain, in PEM; needs --key"},
    {"--key", GZ_ARG_TEXT, "FILE", .check = check_name,
     .help = "private key of --cert, in PEM; SIGHUP reads both files again"},
    {"--insecure", .help = "allow an address beyond loopback without authentication or TLS"},
    {"--allow-origin", GZ_ARG_TEXTS, "ORIGIN", .check = check_origin, .is_live = true,
     .help = "accept web pages from this origin, such as https://editor.example; may be repeated"},
    {"--trusted-proxy", GZ_ARG_TEXTS, "ADDRESS/BITS", .check = check_proxy, .is_live = true,
     .help = "trust X-Forwarded-For, X-Forwarded-Proto and Forwarded from these "
             "addresses; may be repeated"},
    {"--trust-header", GZ_ARG_TEXT, "NAME", .check = check_trust_header,
     .help = "take the user's name from this header of a trusted proxy, such as X-Remote-User"},
    {"--admin", GZ_ARG_TEXTS, "USER", .check = check_admin, .is_live = true,
     .help = "let this user have the role admin; may be repeated"},
    {"--messages-per-s", GZ_ARG_NUMBERS, "N", .count = 1, .min = 1, .max = RATE_MAX,
     .help = "messages per second that a session may send (2000)"},
    {"--connections-per-address", GZ_ARG_INTEGER, "N", .min = 1, .max = GZ_SESSIONS_MAX,
     .is_live = true,
     .help = "connections that one address may have; loopback is not limited (1000)"},
    {"--record", GZ_ARG_WORD, "WHAT", .terms = &record_terms,
     .help = "samples of a drag to keep: thin (as its shape needs), all or ends (thin)"},
    {"--keep", GZ_ARG_TEXT, "AGE", .check = check_keep,
     .help = "delete history older than this, such as 36h, 90d or 52w (keep all)"},
    {"--keep-edits", GZ_ARG_INTEGER, "N", .min = GZ_UNDO_EDITS_MAX, .max = KEEP_EDITS_MAX,
     .help = "delete history before the latest N edits (keep all)"},
    {"--keep-free", GZ_ARG_NUMBERS, "MB", .count = 1, .min = 0, .max = KEEP_FREE_MAX,
     .is_live = true,
     .help = "refuse edits while the disk has less than MB megabytes free; 0 never refuses (256)"},
    {"--memory", GZ_ARG_NUMBERS, "MB", .count = 1, .min = GZ_MEMORY_MB_MIN, .max = MEMORY_MAX,
     .is_live = true,
     .help =
         "forget the oldest undo, then refuse large requests, so that the process takes no more "
         "than MB megabytes (half of the machine's or the control group's)"},
    {"--cluster", GZ_ARG_TEXT, "URI", .check = check_uri,
     .help = "join the cluster of this PostgreSQL database: postgresql://HOST/NAME"},
    {"--member", GZ_ARG_TEXT, "NAME", .check = check_member,
     .help = "unique name of this member of the cluster (the host name)"},
    {"--advertise", GZ_ARG_TEXT, "URL", .check = check_advertise,
     .help = "address at which other members reach this one: http://HOST:PORT or https://..."},
    {"--secret", GZ_ARG_TEXT, "FILE", .check = check_name,
     .help = "file of the secret, 16 bytes or more, that all members of the cluster share"},
    {"--hook", GZ_ARG_TEXT, "URL", .check = check_hook_url,
     .help = "post edits, notes and checkpoints of all scenes to this address; needs "
             "--hook-secret"},
    {"--hook-secret", GZ_ARG_TEXT, "FILE", .check = check_name,
     .help = "file of the secrets that sign what --hook posts, one a line: whsec_ and 24 to 64 "
             "bytes in base64; SIGHUP reads it again"},
    {"--ping-seconds", GZ_ARG_NUMBERS, "N", .count = 1, .min = 1, .max = SECONDS_MAX,
     .help =
         "ping a connection after this many seconds without a sign of life (5), and a quiet one "
         "after up to 5.6 times as many"},
    {"--silence-seconds", GZ_ARG_NUMBERS, "N", .count = 1, .min = 1, .max = SECONDS_MAX,
     .help = "close a connection after this many seconds without an answer (15), and later by as "
             "much as the ping came later"},
    {"--log-level", GZ_ARG_WORD, "LEVEL", .terms = &gz_level_words, .is_live = true,
     .help = "least severe level to log on stderr: error, warn, info or debug (info)"},
    {"--log-format", GZ_ARG_WORD, "FORM", .terms = &gz_log_form_words, .is_live = true,
     .help = "lines of the log: text, json, or journal for systemd (text)"},
    {"--config", GZ_ARG_TEXT, "FILE", .check = check_name, .reach = GZ_ARG_NOT_BY_FILE,
     .help = "read options from the lines NAME = VALUE of this file; SIGHUP reads it again"},
    {"--check-config", .reach = GZ_ARG_BY_LINE_ONLY,
     .help = "read all options and the files that they name, say what is wrong, and exit"},
    {"--help", .reach = GZ_ARG_BY_LINE_ONLY, .help = "print this help"},
    {"--version", .reach = GZ_ARG_BY_LINE_ONLY, .help = "print the version"},
    {"--man", .reach = GZ_ARG_BY_LINE_ONLY, .help = "print the manual page"},
    {"--completion", GZ_ARG_WORD, "SHELL", .terms = &gz_arg_shell_words,
     .reach = GZ_ARG_BY_LINE_ONLY,
     .help = "print the completion script for a shell: bash, zsh or fish"},
    {0},
};

static const struct gz_arg_program program = {
    .own = {.name = "gizmod",
            .operands = "",
            .summary = "A networked manipulation server.",
            .notes =
                "When gizmod is ready, it prints two lines on stdout: \"listening "
                "ws://HOST:PORT/ws\" and \"the editor is at http://HOST:PORT/\"; with TLS, "
                "wss:// and https://. --web none omits the second line. The log goes to stderr.\n\n"
                "SIGTERM and SIGINT save everything and exit. If an option is repeated, the last "
                "one counts, unless its description says that it may be repeated.\n\n"
                "Each option can also be given as a line NAME = VALUE of the file of --config, or "
                "as an environment variable such as GIZMOD_KEEP_EDITS. The command line counts "
                "before the environment, and that before the file. SIGHUP reads the file again, "
                "and the files of keys and certificates; values of the options with a star "
                "change without a restart.\n\n"
                "Exit codes: 0 after a signal, 1 after a failure at run time, 2 for a wrong "
                "command line.",
            .options = table},
    .section = "8",
    .version = GIZMOD_VERSION,
    .repeats = true,
};

/* ---- all of them ---- */

/* The number of an option; `otherwise` if it was not given. */
static double number_of(const struct gz_args *args, const char *name, double otherwise)
{
    const struct gz_arg *said = gz_args_get(args, name);
    return said->given ? said->numbers[0] : otherwise;
}

/* The values that the table has checked. */
static void take_checked(struct gz_options *options, const struct gz_args *args)
{
    const struct gz_arg *log = gz_args_get(args, "--log-level");
    options->sample = gz_args_get(args, "--sample")->given;
    options->insecure = gz_args_get(args, "--insecure")->given;
    options->log_level = log->given ? (enum gz_level)log->word : GZ_INFO;
    options->log_form = (enum gz_log_form)gz_args_get(args, "--log-format")->word;
    options->checks_config = gz_args_get(args, "--check-config")->given;
    options->recorded = (enum gz_recorded)gz_args_get(args, "--record")->word;
    options->kept.edits = gz_args_get(args, "--keep-edits")->integer;
    options->messages_per_s = number_of(args, "--messages-per-s", GZ_MESSAGES_PER_S_MAX);
    const struct gz_arg *connections = gz_args_get(args, "--connections-per-address");
    options->connections_per_address =
        connections->given ? (size_t)connections->integer : GZ_CONNECTIONS_PER_ADDRESS;
    options->keep_free_mb = number_of(args, "--keep-free", GZ_KEEP_FREE_MB);
    options->memory_mb = number_of(args, "--memory", 0);
    options->ping_s = number_of(args, "--ping-seconds", GZ_PING_SECONDS);
    options->silence_s = number_of(args, "--silence-seconds", GZ_SILENCE_SECONDS);
}

/* The texts of a list, which the table has checked. */
static size_t take_list(const struct gz_args *args, const char *name, const char **texts)
{
    const struct gz_arg *said = gz_args_get(args, name);
    for (int i = 0; i < said->count; i++) texts[i] = said->texts[i];
    return (size_t)said->count;
}

static void take_web(struct gz_options *options, const char *value)
{
    options->no_web = value != NULL && strcmp(value, "none") == 0;
    options->web = options->no_web ? NULL : value;
}

static void take_lists(struct gz_options *options, const struct gz_args *args)
{
    const char *proxies[GZ_ARG_TEXTS_MAX];
    options->origin_count = take_list(args, "--allow-origin", options->origins);
    options->admin_count = take_list(args, "--admin", options->admins);
    options->proxy_count = take_list(args, "--trusted-proxy", proxies);
    for (size_t i = 0; i < options->proxy_count; i++)
        (void)gz_address_range_parse(proxies[i], &options->proxies[i]);
}

/* The texts that the table has checked, as they are. */
static void take_texts(struct gz_options *options, const struct gz_args *args)
{
    const struct {
        const char *name, **value;
    } rows[] = {{"--data", &options->data},
                {"--cert", &options->cert},
                {"--key", &options->key},
                {"--keys", &options->keys},
                {"--revoked", &options->revoked},
                {"--secret", &options->secret},
                {"--hook", &options->hook},
                {"--hook-secret", &options->hook_secret},
                {"--audience", &options->audience},
                {"--open", &options->open},
                {"--trust-header", &options->trust_header},
                {"--cluster", &options->cluster},
                {"--advertise", &options->advertise},
                {"--config", &options->config}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const char *text = gz_args_get(args, rows[i].name)->text;
        if (text != NULL) *rows[i].value = text;
    }
    const char *listen = gz_args_get(args, "--listen")->text,
               *keep = gz_args_get(args, "--keep")->text,
               *member = gz_args_get(args, "--member")->text;
    if (listen != NULL) (void)parse_listen(listen, options->address, &options->port);
    if (keep != NULL) (void)parse_age(keep, &options->kept.seconds);
    if (member != NULL) gz_print(options->member, sizeof options->member, "%s", member);
    take_web(options, gz_args_get(args, "--web")->text);
    take_lists(options, args);
}

/* A member without a name takes the host's. */
static enum gz_status name_member(struct gz_options *options, struct gz_error *error)
{
    char host[GZ_MEMBER_BYTES_MAX + 2] = "";
    if (options->member[0] != '\0') return GZ_OK;
    if (gethostname(host, sizeof host - 1) != 0 || !gz_member_name_valid(host))
        return gz_fail(error, GZ_BAD_VALUE,
                       "--member: the host name is not a valid member name; give one");
    gz_print(options->member, sizeof options->member, "%s", host);
    return GZ_OK;
}

static enum gz_status check_cluster(struct gz_options *options, struct gz_error *error)
{
    const struct {
        const char *option;
        bool is_given;
    } rows[] = {{"--member", options->member[0] != '\0'},
                {"--advertise", options->advertise != NULL},
                {"--secret", options->secret != NULL}};
    size_t first = options->cluster != NULL ? 1 : 0; /* --member may be left out */
    for (size_t i = first; i < sizeof rows / sizeof rows[0]; i++) {
        if (rows[i].is_given == (options->cluster != NULL)) continue;
        return gz_fail(error, GZ_BAD_VALUE, "%s: %s", rows[i].option,
                       options->cluster != NULL ? "required with --cluster" : "needs --cluster");
    }
    return options->cluster != NULL ? name_member(options, error) : GZ_OK;
}

/* Beyond loopback, clients have to be authenticated, and TLS is needed here or at a trusted
 * proxy. */
static enum gz_status check_reach(const struct gz_options *options, struct gz_error *error)
{
    bool is_known = options->keys != NULL || options->trust_header != NULL;
    bool is_safe =
        (options->keys != NULL && options->cert != NULL) || (options->proxy_count > 0 && is_known);
    if (options->insecure || is_safe || gz_host_is_loopback(options->address)) return GZ_OK;
    return gz_fail(
        error, GZ_BAD_VALUE,
        "--listen: %s is not loopback; give --keys with --cert and --key, or "
        "--trusted-proxy with --keys or --trust-header, or --insecure to allow access without "
        "authentication or TLS",
        options->address);
}

/* Without TLS, whoever is on the network between reads the events. */
static enum gz_status check_hook(const struct gz_options *options, struct gz_error *error)
{
    char host[256] = "";
    const char *url = options->hook;
    if ((url != NULL) != (options->hook_secret != NULL))
        return gz_fail(error, GZ_BAD_VALUE, "%s: needs %s",
                       url != NULL ? "--hook" : "--hook-secret",
                       url != NULL ? "--hook-secret" : "--hook");
    if (url == NULL || options->insecure || strncmp(url, "https://", 8) == 0) return GZ_OK;
    const size_t brackets = url[7] == '[' ? 1 : 0, size = end_of_url_host(url, 7) - 7;
    if (size < sizeof host) memcpy(host, url + 7 + brackets, size - 2 * brackets);
    if (gz_host_is_loopback(host)) return GZ_OK;
    return gz_fail(error, GZ_BAD_VALUE,
                   "--hook: %s is not loopback; give an https:// address, or --insecure to post "
                   "without TLS",
                   host);
}

static enum gz_status check_together(const struct gz_options *options, struct gz_error *error)
{
    if (check_hook(options, error) != GZ_OK) return error->status;
    if (options->silence_s <= options->ping_s)
        return gz_fail(error, GZ_BAD_VALUE,
                       "--silence-seconds: must be greater than --ping-seconds");
    if (options->trust_header != NULL && options->proxy_count == 0)
        return gz_fail(
            error, GZ_BAD_VALUE,
            "--trust-header: needs --trusted-proxy ADDRESS/BITS, the proxy that sets the "
            "header");
    if (options->revoked != NULL && options->keys == NULL)
        return gz_fail(error, GZ_BAD_VALUE, "--revoked: needs --keys");
    if (options->audience != NULL && options->keys == NULL)
        return gz_fail(error, GZ_BAD_VALUE, "--audience: needs --keys");
    if (options->admin_count > 0 && options->keys != NULL && options->trust_header == NULL)
        return gz_fail(
            error, GZ_BAD_VALUE,
            "--admin: cannot be used with --keys; put \"role\": \"admin\" into the token");
    if ((options->cert == NULL) != (options->key == NULL))
        return gz_fail(
            error, GZ_BAD_VALUE, "%s: --cert and --key must be given together; %s is missing",
            options->cert != NULL ? "--cert" : "--key", options->cert != NULL ? "--key" : "--cert");
    return check_reach(options, error);
}

/* ---- where they come from ---- */

/* The file that the command line or, if it names none, the environment names; NULL for none. */
static const char *file_of(const struct gz_args *args)
{
    const struct gz_arg *said = gz_args_get(args, "--config");
    return said->given ? said->text : NULL;
}

static enum gz_status read_config(struct gz_options *options, const char *path,
                                  struct gz_error *error)
{
    struct gz_file file;
    struct gz_error why;
    enum gz_status status = gz_file_read(path, GZ_CONFIG_BYTES_MAX, &file, &why);
    options->text = file.bytes;
    if (status != GZ_OK) return gz_fail(error, GZ_BAD_VALUE, "--config: %s: %s", path, why.message);
    return gz_args_read_file(&options->args, file.bytes, file.size, path, error);
}

/* The line and the environment are read first for the name of the file alone. */
static enum gz_status read_all(struct gz_options *options, int argc, char **argv,
                               struct gz_error *error)
{
    struct gz_args *args = &options->args;
    gz_args_begin(args, &program, NULL);
    enum gz_status status = gz_args_read_environment(args, &options->lists, error);
    if (status == GZ_OK) status = gz_args_read_line(args, argc, argv, error);
    if (status == GZ_OK) status = gz_args_check(args, error);
    const char *path = status == GZ_OK ? file_of(args) : NULL;
    if (path == NULL) return status;
    gz_args_begin(args, &program, NULL);
    free(options->lists);
    options->lists = NULL;
    status = read_config(options, path, error);
    if (status == GZ_OK) status = gz_args_read_environment(args, &options->lists, error);
    return status == GZ_OK ? gz_args_read_line(args, argc, argv, error) : status;
}

static enum gz_status parse(struct gz_options *options, int argc, char **argv,
                            struct gz_error *error)
{
    enum gz_status status = read_all(options, argc, argv, error);
    if (status != GZ_OK) return status;
    take_checked(options, &options->args);
    take_texts(options, &options->args);
    status = check_cluster(options, error);
    if (status == GZ_OK) status = check_together(options, error);
    if (status != GZ_OK) gz_args_locate(&options->args, error);
    return status;
}

enum gz_status gz_options_create(struct gz_options **options_out, int argc, char **argv,
                                 struct gz_error *error)
{
    struct gz_options *options = malloc(sizeof *options);
    if (options == NULL) return gz_fail(error, GZ_NO_MEMORY, "no memory for the options");
    *options =
        (struct gz_options){.data = "./scenes", .address = "127.0.0.1", .port = PORT_DEFAULT};
    enum gz_status status = parse(options, argc, argv, error);
    if (status != GZ_OK) gz_options_destroy(options);
    *options_out = status == GZ_OK ? options : NULL;
    return status;
}

void gz_options_destroy(struct gz_options *options)
{
    if (options == NULL) return;
    free(options->text);
    free(options->lists);
    free(options);
}

enum gz_status gz_options_keep(struct gz_options *now, const struct gz_options *started,
                               struct gz_error *error)
{
    struct gz_error why;
    struct gz_options kept = *started;
    kept.log_level = now->log_level;
    kept.log_form = now->log_form;
    kept.connections_per_address = now->connections_per_address;
    kept.keep_free_mb = now->keep_free_mb;
    kept.memory_mb = now->memory_mb;
    kept.args = now->args;
    kept.text = now->text;
    kept.lists = now->lists;
    take_lists(&kept, &now->args);
    *now = kept;
    if (check_together(&kept, &why) == GZ_OK) return GZ_OK;
    return gz_fail(error, GZ_BAD_VALUE, "with what needs a restart as it was: %s", why.message);
}

void gz_options_tell_changes(const struct gz_options *started, const struct gz_options *before,
                             const struct gz_options *now, const struct gz_log *log)
{
    for (const struct gz_arg_option *option = table; option->name != NULL; option++) {
        const struct gz_arg *value = gz_args_get(&now->args, option->name);
        const struct gz_options *other = option->is_live ? before : started;
        if (gz_arg_equal(gz_args_get(&other->args, option->name), value)) continue;
        if (option->is_live)
            gz_log(log, GZ_INFO, 0, "%s: the new value is in force", option->name);
        else
            gz_log(log, GZ_WARN, 0,
                   "%s: the new value needs a restart; the one of the start stays in force",
                   option->name);
    }
}

bool gz_options_describe(int argc, char **argv, FILE *out)
{
    struct gz_args args;
    if (argc > 1 && strcmp(argv[1], "--complete") == 0) {
        gz_args_complete(out, &program, argc - 2, argv + 2, NULL);
        return true;
    }
    if (gz_args_read(&args, &program, NULL, argc, argv, NULL) != GZ_OK) return false;
    bool is_help = gz_args_get(&args, "--help")->given,
         is_version = gz_args_get(&args, "--version")->given;
    bool is_man = gz_args_get(&args, "--man")->given;
    const struct gz_arg *shell = gz_args_get(&args, "--completion");
    if (is_help)
        gz_args_help(out, &program, NULL);
    else if (is_version)
        fputs("gizmod " GIZMOD_VERSION "\n", out);
    else if (is_man)
        gz_args_man(out, &program);
    else if (shell->given)
        gz_args_completion(out, &program, shell->word);
    return is_help || is_version || is_man || shell->given;
}
