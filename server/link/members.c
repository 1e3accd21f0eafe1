/* members.c - the other members of the cluster, and how members prove that they are some. */
#include "link/members.h"

#include <math.h>
#include <openssl/crypto.h>
#include <openssl/hmac.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "proto/limits.h"
#include "server/maxima.h"

/* ---- members ---- */

/* The list of the other members. */

/* Seconds until the same reason is logged again. */
#define SAID_SECONDS 60

struct gz_net_member *gz_net_member_find(struct gz_net_members *members, const char *url)
{
    for (size_t i = 0; i < members->count; i++)
        if (strcmp(members->list[i].url, url) == 0) return &members->list[i];
    return NULL;
}

struct gz_net_member *gz_net_member_add(struct gz_net_members *members, const char *url,
                                        double now_s)
{
    struct gz_net_member *member = gz_net_member_find(members, url);
    if (member == NULL && members->count < GZ_CLUSTER_MEMBERS_MAX) {
        member = &members->list[members->count++];
        *member = (struct gz_net_member){.tried_s = -INFINITY, .said_s = -INFINITY};
        gz_print(member->url, sizeof member->url, "%s", url);
    }
    if (member != NULL) member->met_s = now_s;
    return member;
}

void gz_net_member_say(struct gz_net_members *members, const struct gz_log *log, const char *url,
                       const char *why, double now_s)
{
    struct gz_net_member *member = gz_net_member_find(members, url);
    if (member == NULL) return;
    const bool is_same = strncmp(member->said, why, sizeof member->said - 1) == 0;
    if (is_same && now_s - member->said_s < SAID_SECONDS) return;
    gz_print(member->said, sizeof member->said, "%s", why);
    member->said_s = now_s;
    gz_log(log, GZ_WARN, 0, "no link to %s: %s", url, why);
}

/* ---- how members prove that they are some ---- */

/* The header with which members of a cluster authenticate. */

/* A time, a method, an address, a user's name and a path, with separators. */
#define SAID_BYTES (256 + GZ_USER_BYTES_MAX + GZ_SCENE_NAME_BYTES_MAX)

/* Lines are unambiguous, because only the path, the last one, could contain a line's end. False for
 * a path that is too long. */
static bool print_proof(const struct gz_proof *proof, uint64_t time, char text[GZ_PROOF_BYTES])
{
    char said[SAID_BYTES];
    uint8_t code[32] = {0};
    int size = snprintf(said, sizeof said, "gizmod\n%llu\n%s\n%s\n%s\n%s", (unsigned long long)time,
                        proof->method, proof->client, proof->user, proof->path);
    if (size >= SAID_BYTES) return false;
    (void)HMAC(EVP_sha256(), proof->secret, (int)proof->secret_size, (const uint8_t *)said,
               (size_t)size, code, NULL);
    size_t used = (size_t)snprintf(text, GZ_PROOF_BYTES, "%llu.", (unsigned long long)time);
    for (size_t i = 0; i < sizeof code; i++)
        used += (size_t)snprintf(text + used, GZ_PROOF_BYTES - used, "%02x", code[i]);
    return true;
}

/* Begins unlike a proof, so that neither stands for the other. */
void gz_proof_sign(const uint8_t *secret, size_t secret_size, const char *name, const char *url,
                   char text[GZ_SIGNATURE_BYTES])
{
    char said[SAID_BYTES + GZ_MEMBER_URL_BYTES_MAX];
    uint8_t code[32] = {0};
    int size = snprintf(said, sizeof said, "gizmod member\n%s\n%s", name, url);
    (void)HMAC(EVP_sha256(), secret, (int)secret_size, (const uint8_t *)said, (size_t)size, code,
               NULL);
    for (size_t i = 0; i < sizeof code; i++) snprintf(text + 2 * i, 3, "%02x", code[i]);
}

void gz_proof_print(const struct gz_proof *proof, double now_s, char text[GZ_PROOF_BYTES])
{
    if (!print_proof(proof, (uint64_t)now_s, text)) *text = '\0';
}

bool gz_proof_is_good(const struct gz_proof *proof, double now_s, const char *text)
{
    char expected[GZ_PROOF_BYTES];
    size_t digits = strspn(text, "0123456789"), size = strlen(text);
    if (digits == 0 || digits > 15 || text[digits] != '.') return false;
    uint64_t time = strtoull(text, NULL, 10);
    return print_proof(proof, time, expected) && size == strlen(expected) &&
           CRYPTO_memcmp(expected, text, size) == 0 &&
           fabs((double)time - now_s) <= GZ_PROOF_SECONDS;
}
