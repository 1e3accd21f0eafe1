/* Tokens: good ones by other makers, and everything for which one is refused. */
#include <math.h>
#include <openssl/err.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <jansson.h>

#include "forge.h"
#include "support/cmocka.h"

static enum gz_status verify_at(const char *keys_json, const struct forged *token, double now,
                                struct gz_claims *claims, struct gz_error *error)
{
    struct gz_keys *keys = forged_keys(keys_json);
    enum gz_status status = gz_token_verify(keys, "gizmod", forged_text(token), now, claims, error);
    gz_keys_destroy(keys);
    assert_int_equal(ERR_peek_error(), 0);
    return status;
}

static void assert_refused_by(const char *keys, const struct forged *token, const char *words)
{
    static const struct gz_claims nobody;
    struct gz_claims claims;
    struct gz_error error = {0};
    memset(&claims, 1, sizeof claims);
    assert_int_equal(verify_at(keys, token, NOW, &claims, &error), GZ_UNAUTHORISED);
    assert_string_equal(error.message, words);
    assert_memory_equal(&claims, &nobody, sizeof claims);
}

static void assert_refused(const char *head, const char *claims, const char *words)
{
    struct forged token = forged(head, claims);
    assert_refused_by(FORGED_KEYS, &token, words);
}

static struct gz_claims taken(const char *json)
{
    struct forged token = forged(FORGED_HEAD, json);
    struct gz_claims claims;
    struct gz_error error = {0};
    if (verify_at(FORGED_KEYS, &token, NOW, &claims, &error) != GZ_OK)
        fail_msg("%s: %s", json, error.message);
    return claims;
}

#define NOT_A_TOKEN "token: it is not a token"
#define NOT_SIGNED "token: the signature is not by a key of this server"

/* ---- what is claimed ---- */

TEST(test_all_claims_are_taken)
{
    struct gz_claims claims =
        taken("{'sub':'ada','name':'Ada L','aud':'gizmod','exp':1800000100.5,'nbf':1.7e9,"
              "'role':'admin','scenes':['arm','robot-*'],'iss':'x','other':{'role':'viewer'}}");
    assert_string_equal(claims.user, "ada");
    assert_string_equal(claims.name, "Ada L");
    assert_true(claims.has_role && claims.role == GZ_ROLE_ADMIN);
    assert_false(claims.is_guest);
    assert_true(claims.expires_unix_s == 1800000100.5);
    assert_int_equal(claims.scene_count, 2);
    assert_string_equal(claims.scenes[1], "robot-*");
}

TEST(test_what_is_absent_is_nobodys_role_in_all_scenes)
{
    struct gz_claims claims = taken(FORGED_CLAIMS);
    assert_string_equal(claims.name, "");
    assert_false(claims.has_role || claims.is_guest);
    assert_true(gz_claims_cover(&claims, "any"));
    claims = taken("{'sub':'ada','aud':'gizmod','exp':1800000100,'role':'editor','scenes':[]}");
    assert_false(gz_claims_cover(&claims, "any"));
}

TEST(test_a_guest_is_no_user)
{
    struct gz_claims claims =
        taken("{'sub':'ada','name':'Ada','aud':'gizmod','exp':1800000100,'guest':true}");
    assert_true(claims.is_guest);
    assert_string_equal(claims.user, "");
    assert_string_equal(claims.name, "");
    claims = taken("{'aud':'gizmod','exp':1800000100,'guest':true}");
    assert_true(claims.is_guest);
    assert_false(taken("{'sub':'ada','aud':'gizmod','exp':1800000100,'guest':false}").is_guest);
}

TEST(test_a_long_name_is_cut_at_a_character)
{
    char json[512] = "{'sub':'ada','aud':'gizmod','exp':1800000100,'name':'x";
    for (int i = 0; i < 40; i++) strcat(json, "\xC3\xA9");
    struct gz_claims claims = taken(strcat(json, "'}"));
    assert_int_equal(strlen(claims.name), 63);
}

TEST(test_an_audience_is_a_text_or_one_of_a_list)
{
    taken("{'sub':'ada','aud':['x','gizmod'],'exp':1800000100}");
    static const char *const others[] = {"'x'", "'Gizmod'",     "'gizmod '", "['x']",
                                         "[]",  "[['gizmod']]", "{}",        "{'gizmod':true}",
                                         "1",   "null"};
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) {
        char json[128];
        snprintf(json, sizeof json, "{'sub':'ada','exp':1800000100,'aud':%s}", others[i]);
        assert_refused(FORGED_HEAD, json, "token: it is for another audience");
    }
    assert_refused(FORGED_HEAD, "{'sub':'ada','exp':1800000100}",
                   "token: it is for another audience");
}

static enum gz_status at(double now, const char *times, struct gz_error *error)
{
    char json[256];
    struct gz_claims claims;
    snprintf(json, sizeof json, "{'sub':'ada','aud':'gizmod',%s}", times);
    struct forged token = forged(FORGED_HEAD, json);
    return verify_at(FORGED_KEYS, &token, now, &claims, error);
}

TEST(test_a_token_ends_on_time_and_begins_up_to_a_minute_early)
{
    struct gz_error error = {0};
    assert_int_equal(at(999.9, "'exp':1000", &error), GZ_OK);
    assert_int_equal(at(1000, "'exp':1000", &error), GZ_UNAUTHORISED);
    assert_string_equal(error.message, "token: it has expired");
    assert_int_equal(at(999.7, "'exp':999.75", &error), GZ_OK);
    assert_int_equal(at(999.8, "'exp':999.75", &error), GZ_UNAUTHORISED);
    assert_int_equal(at(940, "'exp':2000,'nbf':1000", &error), GZ_OK);
    assert_int_equal(at(939.9, "'exp':2000,'nbf':1000", &error), GZ_UNAUTHORISED);
    assert_string_equal(error.message, "token: it is not valid yet");
    /* an hour's skew, either way */
    assert_int_equal(at(4600, "'exp':1000", &error), GZ_UNAUTHORISED);
    assert_int_equal(at(-2600, "'exp':2000,'nbf':1000", &error), GZ_UNAUTHORISED);
    assert_int_equal(at(0, "'exp':0", &error), GZ_UNAUTHORISED);
    assert_int_equal(at(0, "'exp':9007199254740993,'iat':5e300", &error), GZ_OK);
    assert_int_equal(at(0, "'exp':1e308", &error), GZ_OK);
    assert_int_equal(at(0, "'exp':2e308", &error), GZ_UNAUTHORISED);
    assert_string_equal(error.message, NOT_A_TOKEN);
    assert_int_equal(at(0, "'exp':99999999999999999999999", &error), GZ_UNAUTHORISED);
    assert_string_equal(error.message, NOT_A_TOKEN);
}

struct refusal {
    const char *claim, *words;
};

#define LONG_64 "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"
#define SUB "token: sub: must be a string of 1 to 64 bytes"
static const struct refusal refusals[] = {
    {"'exp':'1800000100','sub':'a'", "token: exp: must be a number"},
    {"'exp':null,'sub':'a'", "token: exp: must be a number"},
    {"'exp':true,'sub':'a'", "token: exp: must be a number"},
    {"'sub':'a'", "token: exp: must be a number"},
    {"'exp':1800000100,'sub':'a','nbf':'1'", "token: nbf: must be a number"},
    {"'exp':1800000100", SUB},
    {"'exp':1800000100,'sub':''", SUB},
    {"'exp':1800000100,'sub':7", SUB},
    {"'exp':1800000100,'sub':null", SUB},
    {"'exp':1800000100,'sub':['a']", SUB},
    {"'exp':1800000100,'sub':'" LONG_64 "x'", SUB},
    {"'exp':1800000100,'sub':'Eve (guest)'",
     "token: sub: ends in \" (guest)\", which is reserved for guests"},
    {"'exp':1800000100,'sub':'a','name':7", "token: name: must be a string"},
    {"'exp':1800000100,'sub':'a\\u0007'", "token: sub: contains an invisible character"},
    {"'exp':1800000100,'sub':'a\\u202eb'", "token: sub: contains an invisible character"},
    {"'exp':1800000100,'sub':'a','name':'x\\u2066'",
     "token: name: contains an invisible character"},
    {"'exp':1800000100,'sub':'a','role':'root'", "token: role: must be viewer, editor or admin"},
    {"'exp':1800000100,'sub':'a','role':'Admin'", "token: role: must be viewer, editor or admin"},
    {"'exp':1800000100,'sub':'a','role':['admin']", "token: role: must be viewer, editor or admin"},
    {"'exp':1800000100,'sub':'a','guest':1", "token: guest: must be true or false"},
    {"'exp':1800000100,'sub':'a','guest':'true'", "token: guest: must be true or false"},
    {"'exp':1800000100,'sub':'a','scenes':'arm'", "token: scenes: must be a list of at most 16"},
    {"'exp':1800000100,'sub':'a','scenes':[1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17]",
     "token: scenes: must be a list of at most 16"},
    {"'exp':1800000100,'sub':'a','scenes':['a','']",
     "token: scenes[1]: must be a string of 1 to 64 bytes"},
    {"'exp':1800000100,'sub':'a','scenes':['" LONG_64 "x']",
     "token: scenes[0]: must be a string of 1 to 64 bytes"},
    /* what JSON itself forbids, and what two readers would read differently */
    {"'exp':1800000100,'sub':'a','sub':'b'", NOT_A_TOKEN},
    {"'exp':1800000100,'sub':'a','other':{'x':1,'x':2}", NOT_A_TOKEN},
    {"'exp':1800000100,'sub':'a\\u0000b'", NOT_A_TOKEN},
    {"'exp':1800000100,'sub':'a\\ud800'", NOT_A_TOKEN},
    {"'exp':1800000100,'sub':'a\xC3'", NOT_A_TOKEN},
    {"'exp':1800000100,'sub':'a\xC0\xAF'", NOT_A_TOKEN},
    {"'exp':1800000100,'sub':'a\n'", NOT_A_TOKEN},
    {"'exp':NaN,'sub':'a'", NOT_A_TOKEN},
    {"'exp':1800000100,'sub':'a',", NOT_A_TOKEN},
    {"'exp':1800000100,'sub':'a'}{", NOT_A_TOKEN},
};

TEST(test_claims_that_cannot_be_are_refused)
{
    for (size_t i = 0; i < sizeof refusals / sizeof refusals[0]; i++) {
        char json[512];
        snprintf(json, sizeof json, "{'aud':'gizmod',%s}", refusals[i].claim);
        assert_refused(FORGED_HEAD, json, refusals[i].words);
    }
    assert_refused(FORGED_HEAD, "[]", NOT_A_TOKEN);
    assert_refused(FORGED_HEAD, "'text'", NOT_A_TOKEN);
    assert_refused(FORGED_HEAD, "", NOT_A_TOKEN);
}

TEST(test_the_longest_texts_are_taken)
{
    struct gz_claims claims =
        taken("{'aud':'gizmod','exp':1800000100,'sub':'" LONG_64 "','scenes':['" LONG_64 "']}");
    assert_string_equal(claims.user, LONG_64);
    assert_string_equal(claims.scenes[0], LONG_64);
}

TEST(test_a_nul_inside_ends_no_text)
{
    static const char claims[] = "{'sub':'ada','aud':'gizmod','exp':1800000100}\0{'x':1}";
    struct forged token = forged_with(FORGED_HEAD, strlen(FORGED_HEAD), claims, sizeof claims - 1,
                                      FORGED_SECRET, strlen(FORGED_SECRET));
    assert_refused_by(FORGED_KEYS, &token, NOT_A_TOKEN);
}

/* ---- who signed ---- */

TEST(test_heads_that_are_not_our_keys_are_refused)
{
    static const struct refusal heads[] = {
        {"{'alg':'none','kid':'a'}", NOT_SIGNED},
        {"{'alg':'None','kid':'a'}", NOT_SIGNED},
        {"{'alg':'hs256','kid':'a'}", NOT_SIGNED},
        {"{'alg':'HS512','kid':'a'}", NOT_SIGNED},
        {"{'alg':'RS256','kid':'a'}", NOT_SIGNED},
        {"{'alg':['HS256'],'kid':'a'}", NOT_SIGNED},
        {"{'kid':'a'}", NOT_SIGNED},
        {"{'alg':'HS256','kid':'b'}", NOT_SIGNED},
        {"{'alg':'HS256','kid':''}", NOT_SIGNED},
        {"{'alg':'HS256','kid':null}", NOT_SIGNED},
        {"{'alg':'HS256','kid':7}", NOT_SIGNED},
        {"{'alg':'HS256','kid':'a','crit':['exp'],'exp':1}",
         "token: the header has crit, which the server does not support"},
        {"{'alg':'HS256','kid':'a','crit':[]}",
         "token: the header has crit, which the server does not support"},
        {"{'alg':'HS256','kid':'a','typ':'logout+jwt'}",
         "token: it is a token of another type (typ)"},
        {"{'alg':'HS256','kid':'a','typ':7}", "token: it is a token of another type (typ)"},
        {"{'alg':'HS256','alg':'HS256','kid':'a'}", NOT_A_TOKEN},
        {"{'alg':'HS256','kid':'a'", NOT_A_TOKEN},
        {"['HS256']", NOT_A_TOKEN},
        {"", NOT_A_TOKEN},
    };
    for (size_t i = 0; i < sizeof heads / sizeof heads[0]; i++)
        assert_refused(heads[i].claim, FORGED_CLAIMS, heads[i].words);
}

TEST(test_types_of_access_tokens_are_taken)
{
    static const char *const heads[] = {
        "{'alg':'HS256','typ':'JWT'}",
        "{'alg':'HS256','typ':'jwt','kid':'a'}",
        "{'alg':'HS256','typ':'at+jwt'}",
        "{'alg':'HS256','typ':'application/at+JWT','jku':'https://evil.example','jwk':{}}",
    };
    struct gz_claims claims;
    for (size_t i = 0; i < sizeof heads / sizeof heads[0]; i++) {
        struct forged token = forged(heads[i], FORGED_CLAIMS);
        assert_int_equal(verify_at(FORGED_KEYS, &token, NOW, &claims, NULL), GZ_OK);
    }
}

#define TWO_KEYS                                                                                   \
    "{'keys':[{'kty':'oct','kid':'b','k':'YWJjZGVmZ2hpamtsbW5vcGFiY2RlZmdoaWprbG1ub3A'},"          \
    "{'kty':'oct','kid':'a','k':'MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY'}]}"

TEST(test_of_several_keys_the_named_one_counts)
{
    struct gz_claims claims;
    struct forged token = forged(FORGED_HEAD, FORGED_CLAIMS);
    assert_int_equal(verify_at(TWO_KEYS, &token, NOW, &claims, NULL), GZ_OK);
    token = forged("{'alg':'HS256','kid':'b'}", FORGED_CLAIMS);
    assert_refused_by(TWO_KEYS, &token, NOT_SIGNED);
    /* Without a name none does, whichever of them signed. */
    static const char *const secrets[] = {FORGED_SECRET, "abcdefghijklmnopabcdefghijklmnop"};
    static const char head[] = "{'alg':'HS256'}";
    for (size_t i = 0; i < 2; i++) {
        token = forged_with(head, strlen(head), FORGED_CLAIMS, strlen(FORGED_CLAIMS), secrets[i],
                            strlen(secrets[i]));
        assert_refused_by(TWO_KEYS, &token, NOT_SIGNED);
    }
    token = forged_with("{'alg':'HS256','kid':'b'}", 25, FORGED_CLAIMS, strlen(FORGED_CLAIMS),
                        secrets[1], strlen(secrets[1]));
    assert_int_equal(verify_at(TWO_KEYS, &token, NOW, &claims, NULL), GZ_OK);
}

TEST(test_a_wrong_signature_is_not_known)
{
    struct forged token =
        forged_with(FORGED_HEAD, strlen(FORGED_HEAD), FORGED_CLAIMS, strlen(FORGED_CLAIMS),
                    "another secret of thirty two ...", 32);
    assert_refused_by(FORGED_KEYS, &token, NOT_SIGNED);
    token = forged(FORGED_HEAD, FORGED_CLAIMS);
    *strrchr(token.text, '.') = '\0';
    assert_refused_by(FORGED_KEYS, &token, NOT_A_TOKEN);
    strcat(token.text, ".");
    assert_refused_by(FORGED_KEYS, &token, NOT_SIGNED);
    strcat(token.text, "AAAA");
    assert_refused_by(FORGED_KEYS, &token, NOT_SIGNED);
}

/* ---- the form ---- */

TEST(test_what_has_not_three_parts_is_not_a_token)
{
    static const char *const texts[] = {"",    ".",           "..",      "a",
                                        "a.b", "a.b.c",       "a.b.c.d", "Bearer x",
                                        "{}",  "e30.e30.e30", "....",    "\xFF.\xFF.\xFF"};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        struct forged token = {0};
        strcpy(token.text, texts[i]);
        if (strcmp(texts[i], "e30.e30.e30") == 0)
            assert_refused_by(FORGED_KEYS, &token, NOT_SIGNED);
        else
            assert_refused_by(FORGED_KEYS, &token, NOT_A_TOKEN);
    }
}

/* A token has one text: another spelling of the same bytes is another token. */
TEST(test_base64url_is_read_strictly)
{
    struct forged good = forged(FORGED_HEAD, FORGED_CLAIMS), token = good;
    size_t size = strlen(good.text);
    static const char *const ends[] = {"=", " ", "\n", ".", ".e30", "AA"};
    for (size_t i = 0; i < sizeof ends / sizeof ends[0]; i++) {
        token = good;
        strcat(token.text, ends[i]);
        assert_refused_by(FORGED_KEYS, &token, NOT_A_TOKEN);
    }
    token = good;
    token.text[size - 1]++; /* 43 characters hold 32 bytes and two bits, which have to be 0 */
    assert_refused_by(FORGED_KEYS, &token, NOT_A_TOKEN);
    token = good;
    token.text[size - 2] = '+';
    assert_refused_by(FORGED_KEYS, &token, NOT_A_TOKEN);
}

/* No byte of a token can be another one. */
TEST(test_every_changed_byte_is_refused)
{
    struct forged good = forged(FORGED_HEAD, FORGED_CLAIMS);
    struct gz_claims claims;
    for (size_t i = 0; good.text[i] != '\0'; i++)
        for (int change = 1; change < 256; change++) {
            struct forged token = good;
            token.text[i] = (char)(token.text[i] ^ change);
            if (token.text[i] == '\0') continue;
            assert_int_equal(verify_at(FORGED_KEYS, &token, NOW, &claims, NULL), GZ_UNAUTHORISED);
        }
}

TEST(test_a_token_is_4096_bytes_at_most)
{
    char json[4096];
    struct gz_claims claims;
    struct gz_error error = {0};
    struct forged token;
    for (int filling = 2900; filling < 3100; filling++) {
        snprintf(json, sizeof json, "{'sub':'ada','aud':'gizmod','exp':1800000100,'x':'%0*d'}",
                 filling, 0);
        token = forged(FORGED_HEAD, json);
        enum gz_status status = verify_at(FORGED_KEYS, &token, NOW, &claims, &error);
        if (strlen(token.text) <= 4096)
            assert_int_equal(status, GZ_OK);
        else
            assert_string_equal(error.message, "token: it is longer than 4096 bytes");
    }
}

TEST(test_the_deepest_nesting_is_no_harm)
{
    char json[3000];
    struct gz_claims claims;
    memset(json, '[', sizeof json);
    struct forged token = forged_with(FORGED_HEAD, strlen(FORGED_HEAD), json, sizeof json,
                                      FORGED_SECRET, strlen(FORGED_SECRET));
    assert_int_equal(verify_at(FORGED_KEYS, &token, NOW, &claims, NULL), GZ_UNAUTHORISED);
}

/* ---- other makers ---- */

static struct gz_keys *golden_keys(void)
{
    struct gz_keys *keys;
    struct gz_error error = {0};
    if (gz_keys_load(GZ_TEST_DATA "/tokens/jose.json", &keys, &error) != GZ_OK)
        fail_msg("%s", error.message);
    return keys;
}

TEST(test_tokens_of_jose_are_taken)
{
    json_t *golden = json_load_file(GZ_TEST_DATA "/tokens/jose.json", 0, NULL), *token;
    struct gz_keys *keys = golden_keys();
    size_t i;
    json_array_foreach(json_object_get(golden, "tokens"), i, token)
    {
        struct gz_claims claims;
        struct gz_error error = {0};
        struct gz_text text = {json_string_value(token), json_string_length(token)};
        if (gz_token_verify(keys, "gizmod", text, NOW, &claims, &error) != GZ_OK)
            fail_msg("token %zu: %s", i, error.message);
        assert_string_equal(claims.user, "ada");
        assert_string_equal(claims.name, "Ada Lovelace");
        assert_int_equal(claims.role, GZ_ROLE_EDITOR);
        assert_true(gz_claims_cover(&claims, "robot-leg"));
        assert_true(claims.expires_unix_s == 4102444800);
        assert_int_equal(gz_token_verify(keys, "gizmod", text, 4102444800, &claims, &error),
                         GZ_UNAUTHORISED);
        assert_string_equal(error.message, "token: it has expired");
    }
    assert_int_equal(i, 4);
    gz_keys_destroy(keys);
    json_decref(golden);
}

/* Every bit of a signature counts, and so does its length: for each algorithm. */
static void break_signature(const struct gz_keys *keys, const char *text)
{
    struct gz_claims claims;
    struct forged token = {0};
    size_t start = (size_t)(strrchr(text, '.') - text) + 1, size = strlen(text);
    for (size_t i = start; i < size; i += 7) {
        strcpy(token.text, text);
        token.text[i] = token.text[i] == 'A' ? 'B' : 'A';
        assert_int_equal(gz_token_verify(keys, "gizmod", forged_text(&token), NOW, &claims, NULL),
                         GZ_UNAUTHORISED);
    }
    for (size_t cut = start; cut < size; cut++) {
        struct gz_text part = {text, cut};
        assert_int_equal(gz_token_verify(keys, "gizmod", part, NOW, &claims, NULL),
                         GZ_UNAUTHORISED);
    }
    snprintf(token.text, sizeof token.text, "%sAAAA", text);
    assert_int_equal(gz_token_verify(keys, "gizmod", forged_text(&token), NOW, &claims, NULL),
                     GZ_UNAUTHORISED);
    memset(token.text + start, 'A', size - start);
    assert_int_equal(gz_token_verify(keys, "gizmod", forged_text(&token), NOW, &claims, NULL),
                     GZ_UNAUTHORISED);
    assert_int_equal(ERR_peek_error(), 0);
}

TEST(test_no_algorithm_takes_a_damaged_signature)
{
    json_t *golden = json_load_file(GZ_TEST_DATA "/tokens/jose.json", 0, NULL), *token;
    struct gz_keys *keys = golden_keys();
    size_t i;
    json_array_foreach(json_object_get(golden, "tokens"), i, token)
    {
        break_signature(keys, json_string_value(token));
    }
    gz_keys_destroy(keys);
    json_decref(golden);
}

/* RFC 7515, appendix A: its claims are not ours, so that a good signature shows by another
 * refusal. */
TEST(test_the_examples_of_rfc_7515_are_signed)
{
    static const char keys[] = "{'keys':[{'kty':'EC','crv':'P-256',"
                               "'x':'f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU',"
                               "'y':'x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0'}]}";
    struct forged token = {
        "eyJhbGciOiJFUzI1NiJ9.eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9leGFtcGxl"
        "LmNvbS9pc19yb290Ijp0cnVlfQ.DtEhU3ljbEg8L38VWAfUAqOyKAM6-Xx-F4GawxaepmXFCgfTjDxw5djxLa8IS"
        "lSApmWQxfKTUJqPP3-Kg6NU1Q"};
    assert_refused_by(keys, &token, "token: it is for another audience");
    token.text[strlen(token.text) - 2] = 'X';
    assert_refused_by(keys, &token, NOT_SIGNED);
    static const char secret[] =
        "{'keys':[{'kty':'oct','k':'AyM1SysPpbyDfgZld3umj1qzKObwVMkoqQ-EstJQLr_T-1qS0gZH75aKtMN3"
        "Yj0iPS4hcgUuTwjAzZr1Z9CAow'}]}";
    token = (struct forged){
        "eyJ0eXAiOiJKV1QiLA0KICJhbGciOiJIUzI1NiJ9.eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQog"
        "Imh0dHA6Ly9leGFtcGxlLmNvbS9pc19yb290Ijp0cnVlfQ.dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEj"
        "Xk"};
    assert_refused_by(secret, &token, "token: it is for another audience");
}

/* ---- the confusion of algorithms ---- */

/* Each key of the golden file, with the token that another algorithm would make of it: the secret
 * is what everybody knows of the key. */
TEST(test_what_is_public_of_a_key_is_no_secret)
{
    size_t size;
    char *text = file_text(GZ_TEST_DATA "/tokens/jose.json", &size);
    struct gz_buffer public;
    gz_buffer_init(&public, GZ_KEYS_BYTES_MAX, 0);
    assert_int_equal(gz_keys_publish(text, size, &public, NULL), GZ_OK);
    struct gz_keys *keys = golden_keys();
    json_t *set = json_loadb((const char *)public.data, public.size, 0, NULL), *jwk;
    size_t i;
    json_array_foreach(json_object_get(set, "keys"), i, jwk)
    {
        char head[128];
        const char *fields[] = {"n", "x", "y", "kid"};
        snprintf(head, sizeof head, "{'alg':'HS256','kid':'%s'}",
                 json_string_value(json_object_get(jwk, "kid")));
        for (size_t field = 0; field < 4; field++) {
            const char *secret = json_string_value(json_object_get(jwk, fields[field]));
            if (secret == NULL) continue;
            struct gz_claims claims;
            struct forged token = forged_with(head, strlen(head), FORGED_CLAIMS,
                                              strlen(FORGED_CLAIMS), secret, strlen(secret));
            assert_int_equal(
                gz_token_verify(keys, "gizmod", forged_text(&token), NOW, &claims, NULL),
                GZ_UNAUTHORISED);
        }
    }
    assert_int_equal(i, 3);
    json_decref(set);
    gz_keys_destroy(keys);
    gz_buffer_finish(&public);
    free(text);
}

/* A token of one algorithm under the name of another that the same key could do. */
TEST(test_a_key_has_one_algorithm)
{
    json_t *golden = json_load_file(GZ_TEST_DATA "/tokens/jose.json", 0, NULL);
    json_t *keys = json_object_get(golden, "keys");
    json_object_set_new(json_array_get(keys, 1), "alg", json_string("PS256"));
    json_object_del(json_array_get(keys, 2), "alg");
    char *text = json_dumps(golden, 0);
    struct gz_keys *changed;
    assert_int_equal(gz_keys_read(text, strlen(text), &changed, NULL), GZ_OK);
    for (size_t i = 1; i <= 2; i++) {
        json_t *token = json_array_get(json_object_get(golden, "tokens"), i);
        struct gz_claims claims;
        struct gz_error error = {0};
        struct gz_text bytes = {json_string_value(token), json_string_length(token)};
        assert_int_equal(gz_token_verify(changed, "gizmod", bytes, NOW, &claims, &error),
                         GZ_UNAUTHORISED);
        assert_string_equal(error.message, NOT_SIGNED);
    }
    gz_keys_destroy(changed);
    free(text);
    json_decref(golden);
}

/* ---- signing ---- */

static const struct gz_claims ada = {.user = "ada",
                                     .name = "Ada \"L\" \xC3\xA9",
                                     .has_role = true,
                                     .role = GZ_ROLE_VIEWER,
                                     .expires_unix_s = NOW + 100,
                                     .scene_count = 2,
                                     .scenes = {"arm", "robot-*"}};

TEST(test_what_is_signed_is_taken)
{
    static const char *const algorithms[] = {"HS256", "RS256", "PS256", "ES256"};
    for (size_t i = 0; i < 4; i++) {
        struct gz_buffer text;
        struct gz_keys *keys;
        char token[GZ_TOKEN_BYTES_MAX + 1];
        struct gz_claims claims;
        struct gz_error error = {0};
        gz_buffer_init(&text, GZ_KEYS_BYTES_MAX, 0);
        assert_int_equal(gz_keys_add(NULL, 0, algorithms[i], NOW, &text, NULL), GZ_OK);
        assert_int_equal(gz_keys_read((const char *)text.data, text.size, &keys, NULL), GZ_OK);
        assert_int_equal(gz_token_sign(keys, "gizmod", &ada, NOW, token, &error), GZ_OK);
        struct gz_text bytes = {token, strlen(token)};
        assert_int_equal(gz_token_verify(keys, "gizmod", bytes, NOW, &claims, &error), GZ_OK);
        claims.id = ada.id; /* it has been given one */
        assert_memory_equal(&claims, &ada, sizeof ada);
        break_signature(keys, token);
        gz_keys_destroy(keys);
        gz_buffer_finish(&text);
    }
}

static void assert_not_signed(struct gz_claims claims, enum gz_status status, const char *words)
{
    struct gz_keys *keys = forged_keys(FORGED_KEYS);
    char token[GZ_TOKEN_BYTES_MAX + 1] = "before";
    struct gz_error error = {0};
    assert_int_equal(gz_token_sign(keys, "gizmod", &claims, NOW, token, &error), status);
    assert_string_equal(error.message, words);
    assert_string_equal(token, "");
    gz_keys_destroy(keys);
}

TEST(test_what_would_be_refused_is_not_signed)
{
    struct gz_claims claims = ada;
    claims.expires_unix_s = NOW;
    assert_not_signed(claims, GZ_UNAUTHORISED, "token: it has expired");
    claims = ada;
    claims.user[0] = '\0';
    assert_not_signed(claims, GZ_UNAUTHORISED, SUB);
    claims = ada;
    strcpy(claims.user, "Eve (guest)");
    assert_not_signed(claims, GZ_UNAUTHORISED,
                      "token: sub: ends in \" (guest)\", which is reserved for guests");
    claims = ada;
    strcpy(claims.user, "\xC3");
    assert_not_signed(claims, GZ_BAD_VALUE, "token: a string is not UTF-8, or there is no memory");
    static const double times[] = {INFINITY, -INFINITY, NAN, 1e300};
    for (size_t i = 0; i < 4; i++) {
        claims = ada;
        claims.expires_unix_s = times[i];
        assert_not_signed(claims, GZ_BAD_VALUE, "token: a time at which it expires is needed");
    }
}

TEST(test_what_is_too_long_is_not_signed)
{
    struct gz_claims claims = ada;
    claims.scene_count = GZ_TOKEN_SCENES_MAX;
    for (size_t i = 0; i < GZ_TOKEN_SCENES_MAX; i++) memset(claims.scenes[i], 1, GZ_GLOB_BYTES_MAX);
    assert_not_signed(claims, GZ_TOO_LARGE, "token: it would be longer than 4096 bytes");
}

TEST(test_public_keys_do_not_sign)
{
    size_t size;
    char *text = file_text(GZ_TEST_DATA "/tokens/jose.json", &size), token[GZ_TOKEN_BYTES_MAX + 1];
    struct gz_buffer public;
    struct gz_keys *keys;
    struct gz_error error = {0};
    gz_buffer_init(&public, GZ_KEYS_BYTES_MAX, 0);
    assert_int_equal(gz_keys_publish(text, size, &public, NULL), GZ_OK);
    assert_int_equal(gz_keys_read((const char *)public.data, public.size, &keys, NULL), GZ_OK);
    assert_false(gz_keys_can_sign(keys));
    assert_int_equal(gz_token_sign(keys, "gizmod", &ada, NOW, token, &error), GZ_BAD_STATE);
    assert_string_equal(error.message, "keys: none has its private part, so none can sign");
    gz_keys_destroy(keys);
    gz_buffer_finish(&public);
    free(text);
}

TEST(test_claims_cover_the_scenes_that_any_glob_matches)
{
    struct gz_claims claims = {.scene_count = 2, .scenes = {"arm", "robot-*"}};
    assert_true(gz_claims_cover(&claims, "arm"));
    assert_true(gz_claims_cover(&claims, "robot-leg"));
    assert_false(gz_claims_cover(&claims, "army"));
    claims.scene_count = 0;
    assert_false(gz_claims_cover(&claims, "arm"));
}
