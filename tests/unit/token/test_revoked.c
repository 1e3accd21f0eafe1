/* The list of revoked tokens: which lines it takes, what it says of others, and whom it has. */
#include "proto/token/revoked.h"
#include "support/cmocka.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "forge.h"
#include "proto/token/token.h"

static enum gz_status load(const char *text, size_t size, struct gz_revoked **revoked,
                           struct gz_error *error)
{
    char path[] = "/tmp/gizmod-revoked-XXXXXX";
    int file = mkstemp(path);
    assert_true(file >= 0);
    assert_int_equal(write(file, text, size), (ssize_t)size);
    close(file);
    enum gz_status status = gz_revoked_load(path, revoked, error);
    unlink(path);
    return status;
}

static bool has(const struct gz_revoked *revoked, const char *user, const char *jti, double issued)
{
    struct gz_token_id id = {.issued_unix_s = issued};
    snprintf(id.jti, sizeof id.jti, "%s", jti);
    return gz_revoked_has(revoked, user, &id);
}

TEST(test_revoked_has_whom_it_names)
{
    static const char text[] = "# who left\n"
                               "jti b\r\n"
                               "  jti\ta b c  \n"
                               "\n"
                               "user 100 ada\n"
                               "user 300 ada\n"
                               "user 200 ada\n"
                               "user 2026-11-29T12:00:00Z Bob Ross\n"
                               "user 1e3 jti";
    struct gz_revoked *revoked;
    struct gz_error error;
    assert_int_equal(load(text, sizeof text - 1, &revoked, &error), GZ_OK);
    assert_true(has(revoked, "eve", "b", 1e12));
    assert_true(has(revoked, "", "a b c", 1e12));
    assert_false(has(revoked, "eve", "a", 0));
    assert_false(has(revoked, "eve", "ada", 0));
    assert_false(has(revoked, "eve", "", 0));
    assert_true(has(revoked, "ada", "", 299));
    assert_true(has(revoked, "ada", "x", 0));
    assert_false(has(revoked, "ada", "x", 300)); /* the latest time counts */
    assert_true(has(revoked, "Bob Ross", "", 1795953599));
    assert_false(has(revoked, "Bob Ross", "", 1795953600));
    assert_false(has(revoked, "Bob", "", 0));
    assert_true(has(revoked, "jti", "", 999));
    assert_false(has(revoked, "b", "", 0));
    assert_false(has(revoked, "", "", 0));
    assert_false(has(NULL, "ada", "b", 0));
    gz_revoked_destroy(revoked);
}

TEST(test_revoked_names_the_line_that_is_wrong)
{
    static const struct {
        const char *text, *said;
    } rows[] = {
        {"jti a\nada\n", "line 2: a line is \"jti ID\""},
        {"jti\n", "line 1: the id of the token is missing"},
        {"\n\nuser 100\n", "line 3: the name of the user is missing"},
        {"user ada\n", "line 1: \"ada\" is not a time"},
        {"user 2026-11-29 ada\n", "line 1: \"2026-11-29\" is not a time"},
        {"user 2026-11-29T12:00:00 ada\n", "is not a time"},
        {"user 2026-13-29T12:00:00Z ada\n", "is not a time"},
        {"user nan ada\n", "is not a time"},
        {"user inf ada\n", "is not a time"},
        {"User 100 ada\n", "line 1: a line is"},
        {"jti=a\n", "line 1: a line is"},
    };
    struct gz_revoked *revoked;
    struct gz_error error;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        assert_int_equal(load(rows[i].text, strlen(rows[i].text), &revoked, &error), GZ_BAD_VALUE);
        assert_null(revoked);
        if (strstr(error.message, rows[i].said) == NULL) fail_msg("row %zu: %s", i, error.message);
    }
    assert_int_equal(load("jti a\0b", 7, &revoked, &error), GZ_BAD_VALUE);
    assert_int_equal(gz_revoked_load("/nonexistent", &revoked, &error), GZ_BAD_VALUE);
    assert_int_equal(gz_revoked_load("/dev/zero", &revoked, &error), GZ_BAD_VALUE);
}

/* A hundred thousand would not fit; what fits is found. */
TEST(test_revoked_may_be_long)
{
    struct gz_revoked *revoked;
    struct gz_error error;
    const size_t count = 60000, room = count * 40;
    char *text = malloc(room), jti[32];
    size_t used = 0;
    for (size_t i = 0; i < count; i++)
        used += (size_t)snprintf(text + used, room - used, "jti %zu\n", i * 7919 % 1000003);
    assert_int_equal(load(text, used, &revoked, &error), GZ_OK);
    for (size_t i = 0; i < count; i += 100) {
        snprintf(jti, sizeof jti, "%zu", i * 7919 % 1000003);
        assert_true(has(revoked, "", jti, 0));
        strcat(jti, "x");
        assert_false(has(revoked, "", jti, 0));
    }
    gz_revoked_destroy(revoked);
    free(text);
}

/* What this program signs can be told apart, and is read back. */
TEST(test_tokens_have_an_id_of_their_own)
{
    static const char keys_text[] =
        "{\"keys\":[{\"kty\":\"oct\",\"k\":\"YWJjZGVmMDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODk\"}]}";
    struct gz_keys *keys;
    struct gz_error error;
    struct gz_claims claims = {.user = "ada", .expires_unix_s = 2000}, taken[2];
    char token[GZ_TOKEN_BYTES_MAX + 1];
    assert_int_equal(gz_keys_read(keys_text, sizeof keys_text - 1, &keys, &error), GZ_OK);
    for (size_t i = 0; i < 2; i++) {
        assert_int_equal(gz_token_sign(keys, "gizmod", &claims, 1000, token, &error), GZ_OK);
        const struct gz_text text = {token, strlen(token)};
        assert_int_equal(gz_token_verify(keys, "gizmod", text, 1000, &taken[i], &error), GZ_OK);
        assert_int_equal(strlen(taken[i].id.jti), 24);
        assert_true(taken[i].id.issued_unix_s == 1000);
    }
    assert_string_not_equal(taken[0].id.jti, taken[1].id.jti);
    gz_keys_destroy(keys);
}

int main(void)
{
    return test_run(NULL, NULL);
}
