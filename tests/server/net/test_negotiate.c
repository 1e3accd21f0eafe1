/* What a client has and takes, from the words of its headers. */
#include "front/body.h"
#include "front/header.h"
#include "server/maxima.h"
#include "support/cmocka.h"

TEST(test_etag_table)
{
    static const struct {
        const char *list;
        bool is_listed; /* "a-1" */
    } rows[] = {
        {"\"a-1\"", true},
        {" \"a-1\" ", true},
        {"W/\"a-1\"", true},
        {"\"b\",\"a-1\"", true},
        {"W/\"b\" , W/\"a-1\"", true},
        {"\"b, \", \"a-1\"", true},
        {"*", true},
        {"", false},
        {" , ", false},
        {"a-1", false},
        {"\"a-1", false},
        {"\"a-10\"", false},
        {"\"a\"", false},
        {"w/\"a-1\"", false},
        {"\"b, \"a-1\"", false},
        {"W/", false},
        {"b \"a-1\"", false},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        if (gz_etag_is_listed(rows[i].list, "\"a-1\"") != rows[i].is_listed)
            fail_msg("%s", rows[i].list);
    }
}

TEST(test_gzip_table)
{
    static const struct {
        const char *list;
        bool is_accepted;
    } rows[] = {
        {"gzip", true},
        {"GZIP", true},
        {"gzip, deflate, br, zstd", true},
        {"br,gzip", true},
        {"br;q=1.0, gzip;q=0.8, *;q=0.1", true},
        {"gzip ; q=0.5", true},
        {"*", true},
        {"*;q=0.5", true},
        {"gzip, *;q=0", true},
        {"", false},
        {"identity", false},
        {"br", false},
        {"gzip;q=0", false},
        {"gzip; q=0.000", false},
        {"gzip;q=0, *", false},
        {"*;q=0", false},
        {"gzipped", false},
        {"x-gzip", false},
        {"br;gzip", false},
        {"gzip;q=", false},
        {"gzip;q=nan", false},
        {"gzip;q=-1", false},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        if (gz_gzip_is_accepted(rows[i].list) != rows[i].is_accepted) fail_msg("%s", rows[i].list);
    }
}

TEST(test_pace_table)
{
    static const struct {
        double seconds;
        uint64_t bytes;
        bool suffices;
    } rows[] = {
        {0, 0, true},
        {GZ_HTTP_BODY_SECONDS, 0, true},
        {GZ_HTTP_BODY_SECONDS + 1, 0, false},
        {GZ_HTTP_BODY_SECONDS + 1, 2 * GZ_HTTP_BODY_BYTES_PER_S, true},
        /* after a minute twice the rate, after ten minutes eleven times */
        {GZ_HTTP_BODY_SECONDS + 60, 2 * 60 * GZ_HTTP_BODY_BYTES_PER_S - 1, false},
        {GZ_HTTP_BODY_SECONDS + 60, 2 * 60 * GZ_HTTP_BODY_BYTES_PER_S, true},
        {GZ_HTTP_BODY_SECONDS + 600, 11 * 600 * GZ_HTTP_BODY_BYTES_PER_S - 1, false},
        {GZ_HTTP_BODY_SECONDS + 600, 11 * 600 * GZ_HTTP_BODY_BYTES_PER_S, true},
        {17 * 60, GZ_ASSET_BYTES_MAX, false},
        {GZ_HTTP_BODY_SECONDS_MAX, UINT64_MAX, true},
        {GZ_HTTP_BODY_SECONDS_MAX + 1, UINT64_MAX, false},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        if (gz_pace_suffices(rows[i].bytes, rows[i].seconds) != rows[i].suffices)
            fail_msg("row %zu: %g s", i, rows[i].seconds);
    }
}
