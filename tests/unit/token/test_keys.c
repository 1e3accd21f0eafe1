/* Files of keys: what is wrong with one, in words; who may read it; new keys and public ones. */
#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <openssl/err.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "forge.h"
#include "support/cmocka.h"

static void assert_wrong(const char *json, const char *words)
{
    struct gz_keys *keys = (struct gz_keys *)1;
    struct gz_error error = {0};
    const char *text = quoted(json);
    enum gz_status status = gz_keys_read(text, strlen(text), &keys, &error);
    if (status == GZ_OK) fail_msg("%s is taken", json);
    assert_string_equal(error.message, words);
    assert_null(keys);
    assert_int_equal(ERR_peek_error(), 0);
}

#define SECRET "'k':'MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY'"
#define X "'x':'f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU'"
#define Y "'y':'x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0'"

struct wrong {
    const char *json, *words;
};

static const struct wrong wrongs[] = {
    {"", "is not JSON: line 1, column 1"},
    {"{},{}", "is not JSON: line 1, column 1"},
    {"{}]", "is not JSON: line 1, column 4"},
    {"{'keys':[}", "is not JSON: line 1, column 10"},
    {"{'keys':[{'kty':'oct','kty':'oct'}]}", "is not JSON: line 1, column 27"},
    {"[]", "keys: must be a list; the file must be a JWKS"},
    {"{}", "keys: must be a list; the file must be a JWKS"},
    {"{'keys':{}}", "keys: must be a list; the file must be a JWKS"},
    {"{'kty':'oct'," SECRET "}", "keys: must be a list; the file must be a JWKS"},
    {"{'keys':[]}", "keys: none of them is for HS256, RS256, PS256 or ES256"},
    {"{'keys':[7]}", "keys[0]: must be an object"},
    {"{'keys':[{'kty':'oct'}]}", "keys[0].k: is missing"},
    {"{'keys':[{'kty':'oct','k':7}]}", "keys[0].k: is not base64url without padding"},
    {"{'keys':[{'kty':'oct','k':'a+b/'}]}", "keys[0].k: is not base64url without padding"},
    {"{'keys':[{'kty':'oct','k':'YWJj'}]}", "keys[0].k: has 3 bytes; at least 32 are needed"},
    {"{'keys':[{'kty':'oct','kid':''," SECRET "}]}",
     "keys[0].kid: must be a string of 1 to 128 bytes"},
    {"{'keys':[{'kty':'oct','kid':7," SECRET "}]}",
     "keys[0].kid: must be a string of 1 to 128 bytes"},
    {"{'keys':[{'kty':'oct'," SECRET "},{'kty':'oct','kid':'a'," SECRET "}]}",
     "keys: one has no kid, and several keys need one each"},
    {"{'keys':[{'kty':'oct','kid':'a'," SECRET "},{'kty':'oct','kid':'a'," SECRET "}]}",
     "keys: two of them have the kid \"a\""},
    {"{'keys':[{'kty':'oct','kid':'a'," SECRET "},{'kty':'oct','kid':'b','k':''}]}",
     "keys[1].k: is not base64url without padding"},
    {"{'keys':[{'kty':'EC','crv':'P-256'," X "}]}", "keys[0].y: is missing"},
    {"{'keys':[{'kty':'EC','crv':'P-256'," X ",'y':'AQAB'}]}", "keys[0].y: has 3 bytes, not 32"},
    {"{'keys':[{'kty':'EC','crv':'P-256'," X
     ",'y':'f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU'}]}",
     "keys[0]: not a valid EC key"},
    {"{'keys':[{'kty':'EC','crv':'P-256'," X "," Y
     ",'d':'jpsQnnGQmL-YBIffH1136cspYG6-0iY7X1fCE9-E9LM'}]}",
     "keys[0].d: does not belong to its public part"},
    {"{'keys':[{'kty':'EC','crv':'P-256'," X "," Y ",'d':'AA'}]}",
     "keys[0].d: does not belong to its public part"},
    {"{'keys':[{'kty':'RSA','e':'AQAB'}]}", "keys[0].n: is missing"},
    {"{'keys':[{'kty':'RSA','n':'f83OJ3D2','e':'AQAB'}]}", "keys[0].n: has 47 bits; 2048 to 8192 "
                                                           "are supported"},
    {"{'keys':[{'kty':'RSA','n':'AA','e':'AA'}]}",
     "keys[0].n: has 0 bits; 2048 to 8192 are supported"},
    /* keys for something else are passed over, and then none is left */
    {"{'keys':[{},{'kty':'OKP','crv':'Ed25519','x':'AA'},{'kty':'oct','use':'enc'," SECRET "},"
     "{'kty':'oct','alg':'RS256'," SECRET "},{'kty':'RSA','alg':'RSA-OAEP'},"
     "{'kty':'EC','crv':'secp256k1'},{'kty':'EC','crv':'P-384'},{'kty':'oct','key_ops':['encrypt']"
     "," SECRET "}]}",
     "keys: none of them is for HS256, RS256, PS256 or ES256"},
};

TEST(test_what_is_wrong_is_said)
{
    for (size_t i = 0; i < sizeof wrongs / sizeof wrongs[0]; i++)
        assert_wrong(wrongs[i].json, wrongs[i].words);
}

TEST(test_keys_for_something_else_are_passed_over)
{
    gz_keys_destroy(forged_keys(
        "{'keys':[{'kty':'OKP','crv':'Ed25519','x':'AA'},{'kty':'RSA','use':'enc'},"
        "{'kty':'oct','key_ops':['sign','verify'],'use':'sig','alg':'HS256'," SECRET "}],'x':1}"));
}

TEST(test_a_file_has_64_keys_at_most)
{
    for (int count = 64; count <= 65; count++) {
        char json[FORGED_BYTES_MAX] = "{'keys':[";
        for (int i = 0; i < count; i++)
            snprintf(json + strlen(json), 256, "%s{'kty':'oct','kid':'%d'," SECRET "}",
                     i > 0 ? "," : "", i);
        strcat(json, "]}");
        if (count == 64)
            gz_keys_destroy(forged_keys(json));
        else
            assert_wrong(json, "keys: more than 64");
    }
}

/* The golden RSA key with fewer bits, or with a private part of which a field is missing or of
 * another key. */
TEST(test_rsa_keys_are_whole_and_strong)
{
    static const char *const fields[] = {"n", "e", "p", "q", "dp", "dq", "qi"};
    for (size_t i = 0; i < sizeof fields / sizeof fields[0]; i++) {
        json_t *golden = json_load_file(GZ_TEST_DATA "/tokens/jose.json", 0, NULL);
        json_object_del(json_array_get(json_object_get(golden, "keys"), 1), fields[i]);
        char *text = json_dumps(golden, 0), words[64];
        snprintf(words, sizeof words, "keys[1].%s: is missing", fields[i]);
        assert_wrong(text, words);
        free(text);
        json_decref(golden);
    }
    json_t *golden = json_load_file(GZ_TEST_DATA "/tokens/jose.json", 0, NULL);
    json_t *list = json_object_get(golden, "keys");
    json_object_set(json_array_get(list, 1), "n", json_object_get(json_array_get(list, 2), "n"));
    char *text = json_dumps(golden, 0);
    assert_wrong(text, "keys[1].d: does not belong to its public part");
    free(text);
    json_decref(golden);
}

/* The golden RSA key, its public part alone, with another exponent. */
TEST(test_keys_of_rsa_have_an_exponent_of_use)
{
    static const char *const long_ones[] = {"AQ", "Ag", "AQAA", "AQAAAAAAAAAB", "", NULL};
    static const char *const good[] = {"Aw", "AQAB", "gAAAAAAAAAE"};
    for (size_t i = 0; i < 8; i++) {
        json_t *golden = json_load_file(GZ_TEST_DATA "/tokens/jose.json", 0, NULL);
        json_t *key = json_array_get(json_object_get(golden, "keys"), 1);
        static const char *const rest[] = {"d", "p", "q", "dp", "dq", "qi"};
        for (size_t k = 0; k < sizeof rest / sizeof rest[0]; k++) json_object_del(key, rest[k]);
        const char *exponent = i < 5 ? long_ones[i] : good[i - 5];
        /* As long as the modulus. */
        json_t *text =
            *exponent == '\0' ? json_copy(json_object_get(key, "n")) : json_string(exponent);
        json_object_set_new(key, "e", text);
        char *json = json_dumps(golden, 0);
        if (i < 5)
            assert_wrong(json, "keys[1].e: must be an odd number from 3 on, of 64 bits at most");
        else
            gz_keys_destroy(forged_keys(json));
        free(json);
        json_decref(golden);
    }
}

/* ---- the file itself ---- */

struct folder {
    char path[64], file[80];
};

static int make_folder(void **state)
{
    struct folder *folder = calloc(1, sizeof *folder);
    strcpy(folder->path, "/tmp/gizmod-keys-XXXXXX");
    if (mkdtemp(folder->path) == NULL) return -1;
    snprintf(folder->file, sizeof folder->file, "%s/keys.json", folder->path);
    *state = folder;
    return 0;
}

static int remove_folder(void **state)
{
    struct folder *folder = *state;
    unlink(folder->file);
    rmdir(folder->path);
    free(folder);
    return 0;
}

static void write_file(const char *path, const char *text, size_t size, mode_t mode)
{
    unlink(path);
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(text, 1, size, file), size);
    fclose(file);
    assert_int_equal(chmod(path, mode), 0);
}

static void assert_not_loaded(const char *path, const char *words)
{
    struct gz_keys *keys;
    struct gz_error error = {0};
    char whole[GZ_ERROR_BYTES_MAX];
    assert_int_not_equal(gz_keys_load(path, &keys, &error), GZ_OK);
    snprintf(whole, sizeof whole, "%s: %s", path, words);
    assert_string_equal(error.message, whole);
    assert_null(keys);
}

TEST_BETWEEN(test_a_file_that_is_none_is_named, make_folder, remove_folder)
{
    const struct folder *folder = *state;
    assert_not_loaded(folder->file, "No such file or directory");
    assert_not_loaded(folder->path, "is not a regular file");
    assert_int_equal(mkfifo(folder->file, 0600), 0);
    assert_not_loaded(folder->file, "is not a regular file");
    write_file(folder->file, "", 0, 0600);
    assert_not_loaded(folder->file, "is not JSON: line 1, column 1");
    char *spaces = malloc(GZ_KEYS_BYTES_MAX + 1);
    memset(spaces, ' ', GZ_KEYS_BYTES_MAX + 1);
    write_file(folder->file, spaces, GZ_KEYS_BYTES_MAX + 1, 0600);
    assert_not_loaded(folder->file, "is longer than 262144 bytes");
    memcpy(spaces, quoted(FORGED_KEYS), strlen(FORGED_KEYS));
    write_file(folder->file, spaces, GZ_KEYS_BYTES_MAX, 0600);
    struct gz_keys *keys;
    assert_int_equal(gz_keys_load(folder->file, &keys, NULL), GZ_OK);
    gz_keys_destroy(keys);
    free(spaces);
}

static bool is_exposed(const char *path, const char *json, size_t size, mode_t mode)
{
    struct gz_keys *keys;
    write_file(path, json, size, mode);
    assert_int_equal(gz_keys_load(path, &keys, NULL), GZ_OK);
    bool exposed = gz_keys_are_exposed(keys);
    gz_keys_destroy(keys);
    return exposed;
}

TEST_BETWEEN(test_keys_that_others_may_use_or_change_are_exposed, make_folder, remove_folder)
{
    const struct folder *folder = *state;
    const char *secret = quoted(FORGED_KEYS);
    size_t size = strlen(secret);
    assert_false(is_exposed(folder->file, secret, size, 0600));
    assert_false(is_exposed(folder->file, secret, size, 0640));
    assert_true(is_exposed(folder->file, secret, size, 0644));
    assert_true(is_exposed(folder->file, secret, size, 0602));
    assert_true(is_exposed(folder->file, secret, size, 0660));
    const char *public = quoted("{'keys':[{'kty':'EC','crv':'P-256'," X "," Y "}]}");
    assert_false(is_exposed(folder->file, public, strlen(public), 0644));
    assert_true(is_exposed(folder->file, public, strlen(public), 0646));
    assert_true(is_exposed(folder->file, public, strlen(public), 0664));
}

/* ---- new keys ---- */

static void assert_added(struct gz_buffer *text, const char *algorithm)
{
    struct gz_buffer next;
    struct gz_error error = {0};
    gz_buffer_init(&next, GZ_KEYS_BYTES_MAX, 0);
    const char *before = text->size > 0 ? (const char *)text->data : NULL;
    if (gz_keys_add(before, text->size, algorithm, 1780000000, &next, &error) != GZ_OK)
        fail_msg("%s", error.message);
    gz_buffer_finish(text);
    *text = next;
}

TEST(test_a_new_key_stands_first_and_the_others_stay)
{
    static const char *const algorithms[] = {"HS256", "RS256", "ES256", "PS256"};
    struct gz_buffer text;
    gz_buffer_init(&text, GZ_KEYS_BYTES_MAX, 0);
    for (size_t i = 0; i < 4; i++) {
        assert_added(&text, algorithms[i]);
        json_t *set = json_loadb((const char *)text.data, text.size, 0, NULL);
        json_t *list = json_object_get(set, "keys");
        assert_int_equal(json_array_size(list), i + 1);
        for (size_t k = 0; k <= i; k++)
            assert_string_equal(json_string_value(json_object_get(json_array_get(list, k), "alg")),
                                algorithms[i - k]);
        const char *id = json_string_value(json_object_get(json_array_get(list, 0), "kid"));
        assert_int_equal(strncmp(id, "20260528-", 9), 0);
        assert_int_equal(strlen(id), 17);
        json_decref(set);
    }
    gz_buffer_finish(&text);
}

static void assert_not_added(const char *json, const char *algorithm, const char *words)
{
    struct gz_buffer text;
    struct gz_error error = {0};
    gz_buffer_init(&text, GZ_KEYS_BYTES_MAX, 0);
    json = json != NULL ? quoted(json) : NULL;
    assert_int_not_equal(
        gz_keys_add(json, json != NULL ? strlen(json) : 0, algorithm, NOW, &text, &error), GZ_OK);
    assert_string_equal(error.message, words);
    assert_int_equal(text.size, 0);
    gz_buffer_finish(&text);
}

TEST(test_what_cannot_be_added_is_said)
{
    assert_not_added(NULL, "HS512", "\"HS512\" is not one of HS256, RS256, PS256, ES256");
    assert_not_added("{'keys':[]}", "HS256",
                     "keys: none of them is for HS256, RS256, PS256 or ES256");
    assert_not_added("{'keys':[{'kty':'oct'," SECRET "}]}", "HS256",
                     "keys[0].kid: missing, and several keys need one each");
    assert_not_added("no", "HS256", "is not JSON: line 1, column 2");
}

/* Nothing of a private field is in what is published, whatever else a key holds. */
TEST(test_what_is_published_has_no_private_part)
{
    static const char *const private[] = {"d", "p", "q", "dp", "dq", "qi", "k", "oth", "x5c"};
    size_t size;
    char *text = file_text(GZ_TEST_DATA "/tokens/jose.json", &size);
    struct gz_buffer public;
    gz_buffer_init(&public, GZ_KEYS_BYTES_MAX, 0);
    assert_int_equal(gz_keys_publish(text, size, &public, NULL), GZ_OK);
    json_t *set = json_loadb((const char *)public.data, public.size, 0, NULL), *jwk;
    size_t i;
    assert_int_equal(json_object_size(set), 1);
    json_array_foreach(json_object_get(set, "keys"), i, jwk)
    {
        for (size_t field = 0; field < sizeof private / sizeof private[0]; field++)
            assert_null(json_object_get(jwk, private[field]));
        assert_non_null(json_object_get(jwk, "kid"));
    }
    assert_int_equal(i, 3);
    json_decref(set);
    gz_buffer_finish(&public);
    struct gz_error error = {0};
    const char *secret = quoted(FORGED_KEYS);
    gz_buffer_init(&public, GZ_KEYS_BYTES_MAX, 0);
    assert_int_equal(gz_keys_publish(secret, strlen(secret), &public, &error), GZ_BAD_VALUE);
    assert_string_equal(error.message, "keys: all are secrets, which have no public part");
    free(text);
}
