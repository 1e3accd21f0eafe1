/* vocabulary.c - the words for modes, handles, spaces and the like, and looking them up. */
#include "proto/base/vocabulary.h"

#include <string.h>

static const char *const handle_words[GZ_HANDLE_COUNT] = {
    [GZ_TX] = "tx",     [GZ_TY] = "ty",     [GZ_TZ] = "tz",     [GZ_TXY] = "txy",
    [GZ_TYZ] = "tyz",   [GZ_TZX] = "tzx",   [GZ_TV] = "tv",     [GZ_RX] = "rx",
    [GZ_RY] = "ry",     [GZ_RZ] = "rz",     [GZ_RV] = "rv",     [GZ_RB] = "rb",
    [GZ_SX] = "sx",     [GZ_SY] = "sy",     [GZ_SZ] = "sz",     [GZ_SXY] = "sxy",
    [GZ_SYZ] = "syz",   [GZ_SZX] = "szx",   [GZ_SU] = "su",     [GZ_BXN] = "bxn",
    [GZ_BXP] = "bxp",   [GZ_BYN] = "byn",   [GZ_BYP] = "byp",   [GZ_BZN] = "bzn",
    [GZ_BZP] = "bzp",   [GZ_BNNN] = "bnnn", [GZ_BNNP] = "bnnp", [GZ_BNPN] = "bnpn",
    [GZ_BNPP] = "bnpp", [GZ_BPNN] = "bpnn", [GZ_BPNP] = "bpnp", [GZ_BPPN] = "bppn",
    [GZ_BPPP] = "bppp",
};
static const char *const mode_words[GZ_MODE_COUNT] = {"none",   "translate", "rotate",  "scale",
                                                      "bounds", "universal", "arcball", "orbit"};
static const char *const space_words[GZ_SPACE_COUNT] = {"world", "local", "parent", "view"};
static const char *const pivot_words[GZ_PIVOT_COUNT] = {"median", "active", "each", "bounds", NULL};
static const char *const axis_words[GZ_AXIS_COUNT] = {"screen", "closest", "plane"};
static const char *const ball_words[GZ_BALL_COUNT] = {"exact", "shoemake", "bell", "chen", NULL};
static const char *const fit_words[GZ_FIT_COUNT] = {"object", "circle", "ellipse"};
static const char *const orbit_words[GZ_ORBIT_LAW_COUNT] = {"ball", "turntable"};
static const char *const mod_words[GZ_MOD_COUNT] = {"snap", "fine", "add", "orbit", "picked"};
static const char *const euler_words[] = {"XYZ", "XZY", "YXZ", "YZX", "ZXY", "ZYX"};

const struct gz_vocabulary gz_handle_words = {handle_words, GZ_HANDLE_COUNT};
const struct gz_vocabulary gz_mode_words = {mode_words, GZ_MODE_COUNT};
const struct gz_vocabulary gz_space_words = {space_words, GZ_SPACE_COUNT};
const struct gz_vocabulary gz_pivot_words = {pivot_words, GZ_PIVOT_COUNT};
const struct gz_vocabulary gz_axis_words = {axis_words, GZ_AXIS_COUNT};
const struct gz_vocabulary gz_ball_words = {ball_words, GZ_BALL_COUNT};
const struct gz_vocabulary gz_fit_words = {fit_words, GZ_FIT_COUNT};
const struct gz_vocabulary gz_orbit_words = {orbit_words, GZ_ORBIT_LAW_COUNT};
const struct gz_vocabulary gz_mod_words = {mod_words, GZ_MOD_COUNT};
const struct gz_vocabulary gz_euler_words = {euler_words, 6};

const char *gz_vocabulary_word(const struct gz_vocabulary *terms, int value)
{
    if (value < 0 || value >= terms->count || terms->words[value] == NULL) return "";
    return terms->words[value];
}

int gz_vocabulary_value(const struct gz_vocabulary *terms, const char *word, size_t size)
{
    for (int value = 0; value < terms->count; value++) {
        const char *candidate = terms->words[value];
        if (candidate != NULL && strlen(candidate) == size && memcmp(candidate, word, size) == 0)
            return value;
    }
    return -1;
}
