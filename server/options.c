#include "options.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "net/origin.h"
#include "proto/message.h"
#include "scenes.h"

#define PORT_DEFAULT 7432
#define RATE_MAX 1e6
#define SECONDS_MAX 3600
#define KEEP_SECONDS_MAX (5000 * 604800.0)
#define KEEP_EDITS_MAX 1e9

static_assert(GZ_UNDO_EDITS_MAX == 1000 && GZ_KEEP_SECONDS_MIN == 3600, "as the errors say");

struct option {
    const char *name;
    bool has_value;
    enum gz_status (*take)(struct gz_options *options, const char *value, struct gz_error *error);
};

/* ---- values ---- */

static bool parse_number(const char *text, double min, double max, double *number)
{
    char *end;
    *number = strtod(text, &end);
    return end != text && *end == '\0' && *number >= min && *number <= max;
}

static bool parse_port(const char *text, uint16_t *port)
{
    size_t digits = strspn(text, "0123456789");
    if (digits == 0 || digits > 5 || text[digits] != '\0' || atol(text) > UINT16_MAX) return false;
    *port = (uint16_t)atol(text);
    return true;
}

/* Where the host ends in HOST:PORT or [V6]:PORT; NULL where there is none. */
static const char *end_of_host(const char *text)
{
    if (*text != '[') return strchr(text, ':');
    const char *close = strchr(text, ']');
    return close != NULL && close[1] == ':' ? close + 1 : NULL;
}

static enum gz_status take_listen(struct gz_options *options, const char *value, struct gz_error *error)
{
    const char *colon = end_of_host(value);
    size_t brackets = *value == '[' ? 1 : 0;
    size_t size = colon != NULL ? (size_t)(colon - value) - 2 * brackets : 0;
    if (size == 0 || size >= sizeof options->address || !parse_port(colon + 1, &options->port)) {
        return gz_fail(error, GZ_BAD_VALUE, "--listen: %s is not HOST:PORT (an IPv6 address goes in brackets)", value);
    }
    memcpy(options->address, value + brackets, size);
    options->address[size] = '\0';
    return GZ_OK;
}

static enum gz_status take_data(struct gz_options *options, const char *value, struct gz_error *error)
{
    if (*value == '\0') return gz_fail(error, GZ_BAD_VALUE, "--data: the name of a folder is missing");
    options->data = value;
    return GZ_OK;
}

static enum gz_status take_web(struct gz_options *options, const char *value, struct gz_error *error)
{
    if (*value == '\0') return gz_fail(error, GZ_BAD_VALUE, "--web: the name of a folder is missing");
    options->no_web = strcmp(value, "none") == 0;
    options->web = options->no_web ? NULL : value;
    return GZ_OK;
}

static enum gz_status take_open(struct gz_options *options, const char *value, struct gz_error *error)
{
    if (!gz_scene_name_valid(value, strlen(value))) {
        return gz_fail(error, GZ_BAD_VALUE, "--open: %s is not a scene's name ([a-z0-9][a-z0-9_-]{0,63})", value);
    }
    options->open = value;
    return GZ_OK;
}

static enum gz_status take_log(struct gz_options *options, const char *value, struct gz_error *error)
{
    if (gz_level_from_word(value, &options->log_level)) return GZ_OK;
    return gz_fail(error, GZ_BAD_VALUE, "--log: %s is none of error, warn, info, debug", value);
}

static enum gz_status take_rate(struct gz_options *options, const char *value, struct gz_error *error)
{
    if (parse_number(value, 1, RATE_MAX, &options->messages_per_s)) return GZ_OK;
    return gz_fail(error, GZ_BAD_VALUE, "--messages-per-s: %s is not a number from 1 to 1000000", value);
}

static enum gz_status take_record(struct gz_options *options, const char *value, struct gz_error *error)
{
    static const char *const words[] = {[GZ_RECORD_THIN] = "thin", [GZ_RECORD_ALL] = "all", [GZ_RECORD_ENDS] = "ends"};
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        if (strcmp(value, words[i]) != 0) continue;
        options->recorded = (enum gz_recorded)i;
        return GZ_OK;
    }
    return gz_fail(error, GZ_BAD_VALUE, "--record: %s is none of thin, all, ends", value);
}

static enum gz_status take_keep(struct gz_options *options, const char *value, struct gz_error *error)
{
    static const struct {
        char unit;
        double seconds;
    } units[] = {{'s', 1}, {'m', 60}, {'h', 3600}, {'d', 86400}, {'w', 604800}};
    char *end;
    double count = strtod(value, &end);
    size_t i = 0;
    while (i < sizeof units / sizeof units[0] && *end != units[i].unit) i++;
    bool is_age =
        i < sizeof units / sizeof units[0] && end[1] == '\0' && strspn(value, "0123456789.") == (size_t)(end - value);
    if (!is_age)
        return gz_fail(error, GZ_BAD_VALUE, "--keep: %s is not an age such as 90d (s, m, h, d or w for weeks)", value);
    options->kept.seconds = count * units[i].seconds;
    if (options->kept.seconds >= GZ_KEEP_SECONDS_MIN && options->kept.seconds <= KEEP_SECONDS_MAX) return GZ_OK;
    return gz_fail(error, GZ_BAD_VALUE, "--keep: %s is not from 1h to 5000w", value);
}

static enum gz_status take_keep_edits(struct gz_options *options, const char *value, struct gz_error *error)
{
    double count;
    bool is_whole = strspn(value, "0123456789") == strlen(value);
    if (!is_whole || !parse_number(value, GZ_UNDO_EDITS_MAX, KEEP_EDITS_MAX, &count))
        return gz_fail(error, GZ_BAD_VALUE, "--keep-edits: %s is not a whole number from 1000 to 1000000000", value);
    options->kept.edits = (uint64_t)count;
    return GZ_OK;
}

static enum gz_status take_ping(struct gz_options *options, const char *value, struct gz_error *error)
{
    if (parse_number(value, 1, SECONDS_MAX, &options->ping_s)) return GZ_OK;
    return gz_fail(error, GZ_BAD_VALUE, "--ping-seconds: %s is not a number from 1 to 3600", value);
}

static enum gz_status take_silence(struct gz_options *options, const char *value, struct gz_error *error)
{
    if (parse_number(value, 1, SECONDS_MAX, &options->silence_s)) return GZ_OK;
    return gz_fail(error, GZ_BAD_VALUE, "--silence-seconds: %s is not a number from 1 to 3600", value);
}

static enum gz_status take_origin(struct gz_options *options, const char *value, struct gz_error *error)
{
    if (!gz_origin_valid(value)) {
        return gz_fail(error, GZ_BAD_VALUE, "--allow-origin: %s is not an origin such as https://editor.example",
                       value);
    }
    if (options->origin_count == GZ_ORIGINS_MAX) {
        return gz_fail(error, GZ_BAD_VALUE, "--allow-origin: at most %d can be allowed", GZ_ORIGINS_MAX);
    }
    options->origins[options->origin_count++] = value;
    return GZ_OK;
}

static enum gz_status take_admin(struct gz_options *options, const char *value, struct gz_error *error)
{
    size_t size = strlen(value);
    if (size == 0 || size > GZ_USER_BYTES_MAX || !gz_text_valid(value, size))
        return gz_fail(error, GZ_BAD_VALUE, "--admin: a display name is 1 to %d bytes of UTF-8", GZ_USER_BYTES_MAX);
    if (options->admin_count == GZ_ADMINS_MAX)
        return gz_fail(error, GZ_BAD_VALUE, "--admin: at most %d can be named", GZ_ADMINS_MAX);
    options->admins[options->admin_count++] = value;
    return GZ_OK;
}

static enum gz_status take_sample(struct gz_options *options, const char *value, struct gz_error *error)
{
    (void)value;
    (void)error;
    options->sample = true;
    return GZ_OK;
}

static enum gz_status take_insecure(struct gz_options *options, const char *value, struct gz_error *error)
{
    (void)value;
    (void)error;
    options->insecure = true;
    return GZ_OK;
}

static enum gz_status take_help(struct gz_options *options, const char *value, struct gz_error *error)
{
    (void)value;
    (void)error;
    options->help = true;
    return GZ_OK;
}

static enum gz_status take_version(struct gz_options *options, const char *value, struct gz_error *error)
{
    (void)value;
    (void)error;
    options->version = true;
    return GZ_OK;
}

/* ---- the line ---- */

static const struct option table[] = {
    {"--data", true, take_data},
    {"--listen", true, take_listen},
    {"--web", true, take_web},
    {"--open", true, take_open},
    {"--sample", false, take_sample},
    {"--insecure", false, take_insecure},
    {"--allow-origin", true, take_origin},
    {"--admin", true, take_admin},
    {"--messages-per-s", true, take_rate},
    {"--record", true, take_record},
    {"--keep", true, take_keep},
    {"--keep-edits", true, take_keep_edits},
    {"--ping-seconds", true, take_ping},
    {"--silence-seconds", true, take_silence},
    {"--log", true, take_log},
    {"--help", false, take_help},
    {"--version", false, take_version},
};

static const struct option *find_option(const char *word, size_t size)
{
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
        if (strlen(table[i].name) == size && memcmp(table[i].name, word, size) == 0) return &table[i];
    }
    return NULL;
}

/* One option, as `--name VALUE` or `--name=VALUE`. */
static enum gz_status take_option(struct gz_options *options, int argc, char *const *argv, int *at,
                                  struct gz_error *error)
{
    const char *word = argv[(*at)++], *value = strchr(word, '=');
    size_t size = value != NULL ? (size_t)(value - word) : strlen(word);
    const struct option *option = find_option(word, size);
    if (option == NULL) return gz_fail(error, GZ_BAD_VALUE, "%s: there is no such option (--help lists them)", word);
    if (value != NULL) {
        if (!option->has_value) return gz_fail(error, GZ_BAD_VALUE, "%s: takes no value", option->name);
        return option->take(options, value + 1, error);
    }
    if (!option->has_value) return option->take(options, NULL, error);
    if (*at == argc) return gz_fail(error, GZ_BAD_VALUE, "%s: its value is missing", option->name);
    return option->take(options, argv[(*at)++], error);
}

enum gz_status gz_options_parse(struct gz_options *options, int argc, char *const *argv, struct gz_error *error)
{
    *options = (struct gz_options){.data = "./scenes",
                                   .address = "127.0.0.1",
                                   .port = PORT_DEFAULT,
                                   .log_level = GZ_INFO,
                                   .messages_per_s = GZ_MESSAGES_PER_S_MAX,
                                   .ping_s = GZ_PING_SECONDS,
                                   .silence_s = GZ_SILENCE_SECONDS};
    for (int at = 1; at < argc;) {
        enum gz_status status = take_option(options, argc, argv, &at, error);
        if (status != GZ_OK) return status;
    }
    if (options->silence_s <= options->ping_s) {
        return gz_fail(error, GZ_BAD_VALUE, "--silence-seconds: must be more than --ping-seconds");
    }
    if (!options->insecure && !gz_host_is_loopback(options->address)) {
        return gz_fail(error, GZ_BAD_VALUE,
                       "--listen: %s is not loopback and there are no tokens: --insecure says that anybody may come",
                       options->address);
    }
    return GZ_OK;
}

const char *gz_options_help(void)
{
    return "gizmod - a networked manipulation server\n"
           "\n"
           "  --data DIR            one NAME.db per scene; made if missing (./scenes)\n"
           "  --listen HOST:PORT    where to listen; port 0 takes a free one (127.0.0.1:7432)\n"
           "  --web DIR             serve the files of this folder at / instead of the editor, or none\n"
           "  --open SCENE          open this scene at the start, or make it\n"
           "  --sample              open the sample scene robot-arm, or make it\n"
           "  --insecure            listen elsewhere than on loopback, although anybody may come\n"
           "  --allow-origin ORIGIN let pages from there in, e.g. https://editor.example; may be repeated\n"
           "  --admin USER          this user may ask to be an admin; may be repeated\n"
           "  --messages-per-s N    messages that a session may send in a second (2000)\n"
           "  --record WHAT         of the path of a drag: thin (what its shape needs), all or ends (thin)\n"
           "  --keep AGE            let go of the history that is older: 36h, 90d, 52w (all of it stays)\n"
           "  --keep-edits N        let go of the history before the latest N edits (all of it stays)\n"
           "  --ping-seconds N      between pings of a connection (5)\n"
           "  --silence-seconds N   without a sign of life until a connection is ended (15)\n"
           "  --log LEVEL           error, warn, info or debug, to stderr (info)\n"
           "  --help, --version\n"
           "\n"
           "When it is ready it prints \"listening ws://HOST:PORT/ws\" and, on the next line, where the editor is.\n"
           "SIGTERM and SIGINT end it in order.\n"
           "A wrong option exits 2, a failure at run time exits 1.\n";
}
