/* The command line of gizmod: one table, and how its values are read. */
#include "options.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cluster/log.h"
#include "host/name.h"
#include "net/net.h"
#include "net/origin.h"
#include "proto/args/args.h"
#include "proto/base/text.h"
#include "proto/message.h"
#include "server/maxima.h"

#define PORT_DEFAULT 7432
#define RATE_MAX 1e6
#define SECONDS_MAX 3600
#define KEEP_SECONDS_MAX (5000 * 604800.0)
#define KEEP_EDITS_MAX 1e9
#define KEEP_FREE_MAX 1e9

static_assert(GZ_ORIGINS_MAX <= GZ_ARG_TEXTS_MAX && GZ_ADMINS_MAX <= GZ_ARG_TEXTS_MAX &&
                  GZ_PROXIES_MAX <= GZ_ARG_TEXTS_MAX,
              "as many as can be given");

static const char *const record_words[] = {
    [GZ_RECORD_THIN] = "thin", [GZ_RECORD_ALL] = "all", [GZ_RECORD_ENDS] = "ends"};
static const struct gz_vocabulary record_terms = {record_words, 3};

static const struct gz_arg_option table[] = {
    {"--data", GZ_ARG_TEXT, "DIR", .help = "one NAME.db per scene; made if missing (./scenes)"},
    {"--listen", GZ_ARG_TEXT, "HOST:PORT",
     .help = "where to listen; port 0 takes a free one (127.0.0.1:7432)"},
    {"--web", GZ_ARG_TEXT, "DIR",
     .help = "serve the files of this folder at / instead of the editor, or none"},
    {"--open", GZ_ARG_TEXT, "SCENE", .help = "open this scene at the start, or make it"},
    {"--sample", .help = "open the sample scene robot-arm, or make it"},
    {"--keys", GZ_ARG_TEXT, "FILE",
     .help = "let in who has a token by one of these keys, a JWKS; SIGHUP reads it again"},
    {"--audience", GZ_ARG_TEXT, "NAME", .help = "of the tokens that are for this server (gizmod)"},
    {"--cert", GZ_ARG_TEXT, "FILE",
     .help = "speak TLS with this certificate and its chain, in PEM; needs --key"},
    {"--key", GZ_ARG_TEXT, "FILE",
     .help = "the private key of the certificate, in PEM; SIGHUP reads both files again"},
    {"--insecure", .help = "listen elsewhere than on loopback, although anybody may come"},
    {"--allow-origin", GZ_ARG_TEXTS, "ORIGIN",
     .help = "let pages from there in, e.g. https://editor.example; may be repeated"},
    {"--trusted-proxy", GZ_ARG_TEXTS, "ADDRESS/BITS",
     .help = "believe X-Forwarded-For and -Proto from there; may be repeated"},
    {"--trust-header", GZ_ARG_TEXT, "NAME",
     .help = "a trusted proxy names the user in this header, e.g. X-Remote-User"},
    {"--admin", GZ_ARG_TEXTS, "USER", .help = "this user may ask to be an admin; may be repeated"},
    {"--messages-per-s", GZ_ARG_NUMBERS, "N", .count = 1, .min = 1, .max = RATE_MAX,
     .help = "messages that a session may send in a second (2000)"},
    {"--connections-per-address", GZ_ARG_INTEGER, "N", .min = 1, .max = GZ_SESSIONS_MAX,
     .help = "connections that an address may have; loopback: any number (1000)"},
    {"--record", GZ_ARG_WORD, "WHAT", .terms = &record_terms,
     .help = "of the path of a drag: thin (what its shape needs), all or ends (thin)"},
    {"--keep", GZ_ARG_TEXT, "AGE",
     .help = "let go of the history that is older: 36h, 90d, 52w (all of it stays)"},
    {"--keep-edits", GZ_ARG_INTEGER, "N", .min = GZ_UNDO_EDITS_MAX, .max = KEEP_EDITS_MAX,
     .help = "let go of the history before the latest N edits (all of it stays)"},
    {"--keep-free", GZ_ARG_NUMBERS, "MB", .count = 1, .min = 0, .max = KEEP_FREE_MAX,
     .help = "refuse edits while the disk has less free, in megabytes; 0 for never (256)"},
    {"--cluster", GZ_ARG_TEXT, "URI",
     .help = "be a member of the cluster that this PostgreSQL keeps: postgresql://HOST/NAME"},
    {"--member", GZ_ARG_TEXT, "NAME",
     .help = "the name of this member, which no other one has (the host's name)"},
    {"--advertise", GZ_ARG_TEXT, "URL",
     .help = "where other members reach this one: http://HOST:PORT or https://..."},
    {"--secret", GZ_ARG_TEXT, "FILE",
     .help = "what all members know, 16 bytes or more, by which they believe each other"},
    {"--ping-seconds", GZ_ARG_NUMBERS, "N", .count = 1, .min = 1, .max = SECONDS_MAX,
     .help = "between pings of a connection (5)"},
    {"--silence-seconds", GZ_ARG_NUMBERS, "N", .count = 1, .min = 1, .max = SECONDS_MAX,
     .help = "without a sign of life until a connection is ended (15)"},
    {"--log", GZ_ARG_WORD, "LEVEL", .terms = &gz_level_words,
     .help = "error, warn, info or debug, to stderr (info)"},
    {"--help", .help = "say this"},
    {"--version", .help = "say which version this is"},
    {"--man", .help = "write the manual page"},
    {"--completion", .help = "write the completion for bash"},
    {0},
};

static const struct gz_arg_program program = {
    .own = {.name = "gizmod",
            .operands = "",
            .summary = "A networked manipulation server.",
            .notes =
                "When it is ready it prints two lines on stdout: \"listening "
                "ws://HOST:PORT/ws\", and where the editor\n"
                "is, \"the editor is at http://HOST:PORT/\", which --web none leaves out; with "
                "TLS wss:// and https://.\n"
                "Its log goes to stderr. SIGTERM and SIGINT end it in order. An option that is "
                "given twice counts as "
                "it was given last.\n"
                "A wrong option exits 2, a failure at run time exits 1.",
            .options = table},
    .section = "8",
    .version = GIZMOD_VERSION,
    .repeats = true,
};

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

static enum gz_status take_listen(struct gz_options *options, const char *value,
                                  struct gz_error *error)
{
    const char *colon = end_of_host(value);
    size_t brackets = *value == '[' ? 1 : 0;
    size_t size = colon != NULL ? (size_t)(colon - value) - 2 * brackets : 0;
    if (size == 0 || size >= sizeof options->address || !parse_port(colon + 1, &options->port)) {
        return gz_fail(error, GZ_BAD_VALUE,
                       "--listen: %s is not HOST:PORT (an IPv6 address goes in brackets)", value);
    }
    memcpy(options->address, value + brackets, size);
    options->address[size] = '\0';
    return GZ_OK;
}

static enum gz_status take_web(struct gz_options *options, const char *value,
                               struct gz_error *error)
{
    if (*value == '\0')
        return gz_fail(error, GZ_BAD_VALUE, "--web: the name of a folder is missing");
    options->no_web = strcmp(value, "none") == 0;
    options->web = options->no_web ? NULL : value;
    return GZ_OK;
}

static enum gz_status take_open(struct gz_options *options, const char *value,
                                struct gz_error *error)
{
    if (!gz_scene_name_valid(value, strlen(value))) {
        return gz_fail(error, GZ_BAD_VALUE,
                       "--open: %s is not a scene's name ([a-z0-9][a-z0-9_-]{0,63})", value);
    }
    options->open = value;
    return GZ_OK;
}

static enum gz_status take_keep(struct gz_options *options, const char *value,
                                struct gz_error *error)
{
    static const struct {
        char unit;
        double seconds;
    } units[] = {{'s', 1}, {'m', 60}, {'h', 3600}, {'d', 86400}, {'w', 604800}};
    char *end;
    double count = strtod(value, &end);
    size_t i = 0;
    while (i < sizeof units / sizeof units[0] && *end != units[i].unit) i++;
    bool is_age = i < sizeof units / sizeof units[0] && end[1] == '\0' &&
                  strspn(value, "0123456789.") == (size_t)(end - value);
    if (!is_age)
        return gz_fail(error, GZ_BAD_VALUE,
                       "--keep: %s is not an age such as 90d (s, m, h, d or w for weeks)", value);
    options->kept.seconds = count * units[i].seconds;
    if (options->kept.seconds >= GZ_RETENTION_SECONDS_MIN &&
        options->kept.seconds <= KEEP_SECONDS_MAX)
        return GZ_OK;
    return gz_fail(error, GZ_BAD_VALUE, "--keep: %s is not from 1h to 5000w", value);
}

static enum gz_status take_origins(struct gz_options *options, const struct gz_arg *origins,
                                   struct gz_error *error)
{
    options->origin_count = (size_t)origins->count;
    for (size_t i = 0; i < options->origin_count; i++) {
        options->origins[i] = origins->texts[i];
        if (!gz_origin_valid(origins->texts[i]))
            return gz_fail(error, GZ_BAD_VALUE,
                           "--allow-origin: %s is not an origin such as https://editor.example",
                           origins->texts[i]);
    }
    return GZ_OK;
}

static enum gz_status take_proxies(struct gz_options *options, const struct gz_arg *proxies,
                                   struct gz_error *error)
{
    options->proxy_count = (size_t)proxies->count;
    for (size_t i = 0; i < options->proxy_count; i++) {
        if (!gz_address_range_parse(proxies->texts[i], &options->proxies[i]))
            return gz_fail(error, GZ_BAD_VALUE,
                           "--trusted-proxy: %s is not ADDRESS/BITS such as 192.0.2.0/24 or "
                           "2001:db8::7/128, with zeros after BITS",
                           proxies->texts[i]);
    }
    return GZ_OK;
}

static enum gz_status take_trust_header(struct gz_options *options, const char *value,
                                        struct gz_error *error)
{
    options->trust_header = value;
    if (gz_trust_header_valid(value)) return GZ_OK;
    return gz_fail(error, GZ_BAD_VALUE,
                   "--trust-header: %s cannot name users; take a header of letters, digits and "
                   "dashes that nothing else uses, such as X-Remote-User",
                   value);
}

static enum gz_status take_admins(struct gz_options *options, const struct gz_arg *admins,
                                  struct gz_error *error)
{
    options->admin_count = (size_t)admins->count;
    for (size_t i = 0; i < options->admin_count; i++) {
        size_t size = strlen(admins->texts[i]);
        options->admins[i] = admins->texts[i];
        if (size == 0 || size > GZ_USER_BYTES_MAX || !gz_text_valid(admins->texts[i], size))
            return gz_fail(error, GZ_BAD_VALUE, "--admin: a display name is 1 to %d bytes of UTF-8",
                           GZ_USER_BYTES_MAX);
    }
    return GZ_OK;
}

/* Whether the database is there, and takes the URI, is seen when it is asked; a password in it is
 * said to nobody. */
static enum gz_status take_cluster(struct gz_options *options, const char *value,
                                   struct gz_error *error)
{
    options->cluster = value;
    if (strncmp(value, "postgresql://", 13) == 0 || strncmp(value, "postgres://", 11) == 0)
        return GZ_OK;
    return gz_fail(error, GZ_BAD_VALUE,
                   "--cluster: a URI begins with postgresql://, as in "
                   "postgresql://gizmod@db.example/gizmod?sslmode=verify-full");
}

static enum gz_status take_member(struct gz_options *options, const char *value,
                                  struct gz_error *error)
{
    if (!gz_member_name_valid(value))
        return gz_fail(error, GZ_BAD_VALUE,
                       "--member: a name is 1 to %d letters, digits, dots, dashes and underscores",
                       GZ_MEMBER_BYTES_MAX);
    gz_print(options->member, sizeof options->member, "%s", value);
    return GZ_OK;
}

static enum gz_status take_advertise(struct gz_options *options, const char *value,
                                     struct gz_error *error)
{
    options->advertise = value;
    if (gz_member_url_valid(value)) return GZ_OK;
    return gz_fail(error, GZ_BAD_VALUE,
                   "--advertise: %s is not an address such as http://10.0.0.7:7432 or "
                   "https://gizmo-1.example",
                   value);
}

/* The options whose text is taken as it is, unless it is empty. */
static enum gz_status take_names(struct gz_options *options, const struct gz_args *args,
                                 struct gz_error *error)
{
    const struct {
        const char *option, *what, **value;
    } rows[] = {{"--data", "the name of a folder", &options->data},
                {"--cert", "the name of a file", &options->cert},
                {"--key", "the name of a file", &options->key},
                {"--keys", "the name of a file", &options->keys},
                {"--secret", "the name of a file", &options->secret},
                {"--audience", "a name", &options->audience}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const char *text = gz_args_get(args, rows[i].option)->text;
        if (text == NULL) continue;
        if (*text == '\0')
            return gz_fail(error, GZ_BAD_VALUE, "%s: %s is missing", rows[i].option, rows[i].what);
        *rows[i].value = text;
    }
    return GZ_OK;
}

/* ---- the line ---- */

/* A number, or what it is where the option was not given. */
static double number_of(const struct gz_args *args, const char *name, double otherwise)
{
    const struct gz_arg *said = gz_args_get(args, name);
    return said->given ? said->numbers[0] : otherwise;
}

/* What the table has checked already. */
static void take_checked(struct gz_options *options, const struct gz_args *args)
{
    const struct gz_arg *log = gz_args_get(args, "--log");
    options->sample = gz_args_get(args, "--sample")->given;
    options->insecure = gz_args_get(args, "--insecure")->given;
    options->log_level = log->given ? (enum gz_level)log->word : GZ_INFO;
    options->recorded = (enum gz_recorded)gz_args_get(args, "--record")->word;
    options->kept.edits = gz_args_get(args, "--keep-edits")->integer;
    options->messages_per_s = number_of(args, "--messages-per-s", GZ_MESSAGES_PER_S_MAX);
    const struct gz_arg *connections = gz_args_get(args, "--connections-per-address");
    options->connections_per_address =
        connections->given ? (size_t)connections->integer : GZ_CONNECTIONS_PER_ADDRESS;
    options->keep_free_mb = number_of(args, "--keep-free", GZ_KEEP_FREE_MB);
    options->ping_s = number_of(args, "--ping-seconds", GZ_PING_SECONDS);
    options->silence_s = number_of(args, "--silence-seconds", GZ_SILENCE_SECONDS);
}

static enum gz_status take_texts(struct gz_options *options, const struct gz_args *args,
                                 struct gz_error *error)
{
    static const struct {
        const char *name;
        enum gz_status (*take)(struct gz_options *options, const char *value,
                               struct gz_error *error);
    } takers[] = {{"--listen", take_listen},
                  {"--web", take_web},
                  {"--open", take_open},
                  {"--keep", take_keep},
                  {"--trust-header", take_trust_header},
                  {"--cluster", take_cluster},
                  {"--member", take_member},
                  {"--advertise", take_advertise}};
    enum gz_status status = take_names(options, args, error);
    for (size_t i = 0; status == GZ_OK && i < sizeof takers / sizeof takers[0]; i++) {
        const char *text = gz_args_get(args, takers[i].name)->text;
        if (text != NULL) status = takers[i].take(options, text, error);
    }
    if (status == GZ_OK) status = take_origins(options, gz_args_get(args, "--allow-origin"), error);
    if (status == GZ_OK)
        status = take_proxies(options, gz_args_get(args, "--trusted-proxy"), error);
    return status == GZ_OK ? take_admins(options, gz_args_get(args, "--admin"), error) : status;
}

/* A member without a name takes the host's. */
static enum gz_status name_member(struct gz_options *options, struct gz_error *error)
{
    char host[GZ_MEMBER_BYTES_MAX + 2] = "";
    if (options->member[0] != '\0') return GZ_OK;
    if (gethostname(host, sizeof host - 1) == 0 && gz_member_name_valid(host))
        return take_member(options, host, error);
    return gz_fail(error, GZ_BAD_VALUE,
                   "--member: the name of this host cannot be a member's: give one");
}

static enum gz_status check_cluster(struct gz_options *options, struct gz_error *error)
{
    const struct {
        const char *option;
        bool is_given;
    } rows[] = {{"--member", options->member[0] != '\0'},
                {"--advertise", options->advertise != NULL},
                {"--secret", options->secret != NULL}};
    size_t first = options->cluster != NULL ? 1 : 0; /* --member need not be given */
    for (size_t i = first; i < sizeof rows / sizeof rows[0]; i++) {
        if (rows[i].is_given == (options->cluster != NULL)) continue;
        return gz_fail(error, GZ_BAD_VALUE, "%s: %s", rows[i].option,
                       options->cluster != NULL ? "a member of a --cluster needs it"
                                                : "is for a member of a --cluster");
    }
    return options->cluster != NULL ? name_member(options, error) : GZ_OK;
}

/* Beyond loopback it has to be known who comes, and nobody on the way may read or change what is
 * said. */
static enum gz_status check_reach(const struct gz_options *options, struct gz_error *error)
{
    bool is_known = options->keys != NULL || options->trust_header != NULL;
    bool is_safe =
        (options->keys != NULL && options->cert != NULL) || (options->proxy_count > 0 && is_known);
    if (options->insecure || is_safe || gz_host_is_loopback(options->address)) return GZ_OK;
    return gz_fail(
        error, GZ_BAD_VALUE,
        "--listen: %s is not loopback: give --keys with --cert and --key, or "
        "--trusted-proxy with --keys or --trust-header; --insecure says that anybody may "
        "come, or listen on the way",
        options->address);
}

static enum gz_status check_together(const struct gz_options *options, struct gz_error *error)
{
    if (options->silence_s <= options->ping_s)
        return gz_fail(error, GZ_BAD_VALUE, "--silence-seconds: must be more than --ping-seconds");
    if (options->trust_header != NULL && options->proxy_count == 0)
        return gz_fail(error, GZ_BAD_VALUE,
                       "--trust-header: needs --trusted-proxy ADDRESS/BITS, the only one who may "
                       "send it");
    if (options->audience != NULL && options->keys == NULL)
        return gz_fail(error, GZ_BAD_VALUE, "--audience: needs --keys, whose tokens are for it");
    if (options->admin_count > 0 && options->keys != NULL && options->trust_header == NULL)
        return gz_fail(error, GZ_BAD_VALUE,
                       "--admin: with --keys the role is in the token: \"role\": \"admin\"");
    if ((options->cert == NULL) != (options->key == NULL))
        return gz_fail(error, GZ_BAD_VALUE, "%s: --cert and --key belong together: %s is missing",
                       options->cert != NULL ? "--cert" : "--key",
                       options->cert != NULL ? "--key" : "--cert");
    return check_reach(options, error);
}

enum gz_status gz_options_parse(struct gz_options *options, int argc, char **argv,
                                struct gz_error *error)
{
    struct gz_args args;
    *options =
        (struct gz_options){.data = "./scenes", .address = "127.0.0.1", .port = PORT_DEFAULT};
    enum gz_status status = gz_args_read(&args, &program, NULL, argc, argv, error);
    if (status == GZ_OK) status = gz_args_check(&args, error);
    if (status != GZ_OK) return status;
    take_checked(options, &args);
    status = take_texts(options, &args, error);
    if (status == GZ_OK) status = check_cluster(options, error);
    return status == GZ_OK ? check_together(options, error) : status;
}

bool gz_options_describe(int argc, char **argv, FILE *out)
{
    struct gz_args args;
    if (gz_args_read(&args, &program, NULL, argc, argv, NULL) != GZ_OK) return false;
    bool is_help = gz_args_get(&args, "--help")->given,
         is_version = gz_args_get(&args, "--version")->given;
    bool is_man = gz_args_get(&args, "--man")->given,
         is_completion = gz_args_get(&args, "--completion")->given;
    if (is_help)
        gz_args_help(out, &program, NULL);
    else if (is_version)
        fputs("gizmod " GIZMOD_VERSION "\n", out);
    else if (is_man)
        gz_args_man(out, &program);
    else if (is_completion)
        gz_args_completion(out, &program);
    return is_help || is_version || is_man || is_completion;
}
