/* The header by which members of a cluster know each other: what it is good for, and until when. */
#include <stdio.h>
#include <string.h>

#include "link/members.h"
#include "server/maxima.h"
#include "support/cmocka.h"

#define NOW_S 1790000000.5

static const uint8_t secret[] = "sixteen bytes and more", other_secret[] = "sixteen bytes or more";

static struct gz_proof proof_of(const uint8_t *with, const char *client, const char *user,
                                const char *method, const char *path)
{
    return (struct gz_proof){with, strlen((const char *)with), client, user, method, path};
}

static void print(char text[GZ_PROOF_BYTES])
{
    const struct gz_proof proof = proof_of(secret, "192.0.2.1", "ada", "GET", "/ws");
    gz_proof_print(&proof, NOW_S, text);
}

TEST(test_proof_is_for_what_it_says)
{
    static char long_path[8000] = "/ws";
    memset(long_path + 3, ' ', sizeof long_path - 4);
    static const struct {
        const uint8_t *secret;
        const char *client, *user, *method, *path;
        double later_s;
        bool is_good;
    } rows[] = {
        {secret, "192.0.2.1", "ada", "GET", "/ws", 0, true},
        {secret, "192.0.2.1", "ada", "GET", "/ws", GZ_PROOF_SECONDS - 1, true},
        {secret, "192.0.2.1", "ada", "GET", "/ws", 1 - GZ_PROOF_SECONDS, true},
        {secret, "192.0.2.1", "ada", "GET", "/ws", GZ_PROOF_SECONDS + 1, false},
        {secret, "192.0.2.1", "ada", "GET", "/ws", -1 - GZ_PROOF_SECONDS, false},
        {secret, "192.0.2.2", "ada", "GET", "/ws", 0, false},
        {secret, "192.0.2.1", "ben", "GET", "/ws", 0, false},
        {secret, "192.0.2.1", "", "GET", "/ws", 0, false},
        {secret, "192.0.2.1\nada", "", "GET", "/ws", 0, false},
        {secret, "192.0.2.1", "ada", "PUT", "/ws", 0, false},
        {secret, "192.0.2.1", "ada", "GET", "/scenes/arm/backup", 0, false},
        {secret, "192.0.2.1", "ada", "GET", "/ws\n", 0, false},
        {secret, "192.0.2.1", "", "GET", "ada\n/ws", 0, false},
        {secret, "192.0.2.1", "ada", "GET", long_path, 0, false},
        {other_secret, "192.0.2.1", "ada", "GET", "/ws", 0, false},
    };
    char text[GZ_PROOF_BYTES];
    print(text);
    assert_null(strstr(text, (const char *)secret));
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const struct gz_proof proof =
            proof_of(rows[i].secret, rows[i].client, rows[i].user, rows[i].method, rows[i].path);
        if (gz_proof_is_good(&proof, NOW_S + rows[i].later_s, text) != rows[i].is_good)
            fail_msg("row %zu", i);
    }
}

/* A signature is of one name, one address and one secret. */
TEST(test_signature_is_of_one_member)
{
    static const struct {
        const char *secret, *name, *url;
    } rows[] = {{"a secret of members", "a", "http://a"},
                {"a secret of members", "b", "http://a"},
                {"a secret of members", "a", "http://b"},
                {"another secret of them", "a", "http://a"}};
    char texts[4][GZ_SIGNATURE_BYTES], again[GZ_SIGNATURE_BYTES];
    for (size_t i = 0; i < 4; i++) {
        const uint8_t *bytes = (const uint8_t *)rows[i].secret;
        gz_proof_sign(bytes, strlen(rows[i].secret), rows[i].name, rows[i].url, texts[i]);
        gz_proof_sign(bytes, strlen(rows[i].secret), rows[i].name, rows[i].url, again);
        assert_string_equal(texts[i], again);
        assert_int_equal(strlen(again), GZ_SIGNATURE_BYTES - 1);
        for (size_t j = 0; j < i; j++) assert_string_not_equal(texts[i], texts[j]);
    }
}

/* No byte of it can be another one, and none can be missing. */
TEST(test_proof_that_is_changed_is_none)
{
    const struct gz_proof proof = proof_of(secret, "192.0.2.1", "ada", "GET", "/ws");
    char text[GZ_PROOF_BYTES], changed[GZ_PROOF_BYTES + 1];
    print(text);
    size_t size = strlen(text);
    for (size_t i = 0; i < size; i++) {
        memcpy(changed, text, size + 1);
        changed[i] = changed[i] == '1' ? '2' : '1';
        assert_false(gz_proof_is_good(&proof, NOW_S, changed));
        memcpy(changed, text, i);
        changed[i] = '\0';
        assert_false(gz_proof_is_good(&proof, NOW_S, changed));
    }
    snprintf(changed, sizeof changed, "%s0", text);
    assert_false(gz_proof_is_good(&proof, NOW_S, changed));
    assert_true(gz_proof_is_good(&proof, NOW_S, text));
}
