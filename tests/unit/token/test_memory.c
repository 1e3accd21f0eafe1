/* Every allocation in turn finds no memory, also those of OpenSSL and jansson: a token that is not
 * good is never taken, nothing crashes, and afterwards all is as before. */
#include <jansson.h>
#include <openssl/crypto.h>
#include <openssl/err.h>
#include <stdlib.h>
#include <string.h>

#include "forge.h"
#include "support/cmocka.h"

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);

/* Allocations until one fails; negative: none does. */
static long left = -1;

static bool runs_out(void)
{
    return left >= 0 && left-- == 0;
}

void *__wrap_malloc(size_t size)
{
    return runs_out() ? NULL : __real_malloc(size);
}

void *__wrap_calloc(size_t count, size_t size)
{
    return runs_out() ? NULL : __real_calloc(count, size);
}

static void *take(size_t size, const char *file, int line)
{
    (void)file;
    (void)line;
    return runs_out() ? NULL : __real_malloc(size);
}

static void *take_again(void *memory, size_t size, const char *file, int line)
{
    (void)file;
    (void)line;
    return runs_out() ? NULL : realloc(memory, size);
}

static void give_back(void *memory, const char *file, int line)
{
    (void)file;
    (void)line;
    free(memory);
}

struct golden {
    json_t *json;
    struct gz_keys *keys;
    char *text; /* of fewer keys, because each of a thousand failures reads them all */
    size_t size;
};

/* A secret, what is public of an RSA key, and a whole pair for ES256. */
static char *write_few(const json_t *golden)
{
    json_t *keys = json_deep_copy(json_object_get(golden, "keys"));
    json_object_del(json_array_get(keys, 1), "d");
    json_array_remove(keys, 4);
    json_array_remove(keys, 2);
    json_t *set = json_pack("{s:o}", "keys", keys);
    char *text = json_dumps(set, 0);
    json_decref(set);
    return text;
}

static int golden_setup(void **state)
{
    struct golden *golden = calloc(1, sizeof *golden);
    golden->json = json_load_file(GZ_TEST_DATA "/tokens/jose.json", 0, NULL);
    golden->text = write_few(golden->json);
    golden->size = strlen(golden->text);
    *state = golden;
    return gz_keys_load(GZ_TEST_DATA "/tokens/jose.json", &golden->keys, NULL) == GZ_OK ? 0 : -1;
}

static int golden_teardown(void **state)
{
    struct golden *golden = *state;
    gz_keys_destroy(golden->keys);
    json_decref(golden->json);
    free(golden->text);
    free(golden);
    return 0;
}

/* How it ends if the n-th allocation from now on fails; *whole where it did not come to that. */
static enum gz_status verify_without(const struct golden *golden, long n, const char *text,
                                     bool *whole)
{
    struct gz_claims claims;
    static const struct gz_claims ada = {.user = "ada",
                                         .name = "Ada Lovelace",
                                         .has_role = true,
                                         .role = GZ_ROLE_EDITOR,
                                         .id.issued_unix_s = 1767225600,
                                         .expires_unix_s = 4102444800,
                                         .scene_count = 2,
                                         .scenes = {"arm", "robot-*"}};
    struct gz_error error = {0};
    left = n;
    enum gz_status status = gz_token_verify(
        golden->keys, "gizmod", (struct gz_text){text, strlen(text)}, NOW, &claims, &error);
    *whole = left >= 0;
    left = -1;
    assert_int_equal(ERR_peek_error(), 0);
    if (status == GZ_OK) assert_memory_equal(&claims, &ada, sizeof ada);
    return status;
}

TEST(test_a_bad_token_is_refused_whatever_memory_ends)
{
    const struct golden *golden = *state;
    json_t *token;
    size_t i;
    json_array_foreach(json_object_get(golden->json, "tokens"), i, token)
    {
        struct forged bad = {0};
        strcpy(bad.text, json_string_value(token));
        char *middle = strrchr(bad.text, '.') + 20;
        *middle = *middle == 'A' ? 'B' : 'A';
        bool whole = false;
        for (long n = 0; !whole; n++)
            assert_int_not_equal(verify_without(golden, n, bad.text, &whole), GZ_OK);
    }
}

TEST(test_a_good_token_is_refused_or_taken)
{
    const struct golden *golden = *state;
    json_t *token;
    size_t i;
    json_array_foreach(json_object_get(golden->json, "tokens"), i, token)
    {
        const char *text = json_string_value(token);
        bool whole = false;
        for (long n = 0; !whole; n++) {
            enum gz_status status = verify_without(golden, n, text, &whole);
            assert_true(status == GZ_OK || status == GZ_UNAUTHORISED || status == GZ_NO_MEMORY);
            if (whole) assert_int_equal(status, GZ_OK);
        }
    }
}

TEST(test_keys_are_read_whole_or_not_at_all)
{
    const struct golden *golden = *state;
    for (long n = 0, whole = 0; !whole; n++) {
        struct gz_keys *keys;
        struct gz_error error = {0};
        left = n;
        enum gz_status status = gz_keys_read(golden->text, golden->size, &keys, &error);
        whole = left >= 0;
        left = -1;
        assert_int_equal(status == GZ_OK, keys != NULL);
        assert_int_equal(ERR_peek_error(), 0);
        if (whole) assert_int_equal(status, GZ_OK);
        gz_keys_destroy(keys);
    }
}

/* The few keys anew, with a new one or the public ones alone: the file is whole or not there. */
TEST(test_a_file_of_keys_is_written_whole_or_not_at_all)
{
    const struct golden *golden = *state;
    for (int publishes = 0; publishes < 2; publishes++)
        for (long n = 0, whole = 0; !whole; n++) {
            struct gz_buffer text;
            struct gz_keys *keys;
            gz_buffer_init(&text, GZ_KEYS_BYTES_MAX, 0);
            left = n;
            enum gz_status status =
                publishes ? gz_keys_publish(golden->text, golden->size, &text, NULL)
                          : gz_keys_add(golden->text, golden->size, "HS256", NOW, &text, NULL);
            whole = left >= 0;
            left = -1;
            if (whole) assert_int_equal(status, GZ_OK);
            if (status == GZ_OK) {
                assert_int_equal(gz_keys_read((const char *)text.data, text.size, &keys, NULL),
                                 GZ_OK);
                gz_keys_destroy(keys);
            }
            gz_buffer_finish(&text);
        }
}

TEST(test_a_token_is_signed_whole_or_not_at_all)
{
    const struct golden *golden = *state;
    const struct gz_claims claims = {.user = "ada", .expires_unix_s = NOW + 100};
    for (long n = 0, whole = 0; !whole; n++) {
        char token[GZ_TOKEN_BYTES_MAX + 1];
        struct gz_claims taken;
        left = n;
        enum gz_status status = gz_token_sign(golden->keys, "gizmod", &claims, NOW, token, NULL);
        whole = left >= 0;
        left = -1;
        if (whole) assert_int_equal(status, GZ_OK);
        if (status != GZ_OK) assert_string_equal(token, "");
        if (status == GZ_OK)
            assert_int_equal(gz_token_verify(golden->keys, "gizmod",
                                             (struct gz_text){token, strlen(token)}, NOW, &taken,
                                             NULL),
                             GZ_OK);
    }
}

int main(void)
{
    if (CRYPTO_set_mem_functions(take, take_again, give_back) != 1) return 1;
    json_set_alloc_funcs(__wrap_malloc, free);
    return test_run(golden_setup, golden_teardown);
}
