/* The picture of a path: that it is XML whatever it is given, and that its lines are the path, seen from the three sides on one
 * scale. */
#include "picture.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define DEPTH_MAX 16
#define PLACES_MAX 256

/* For free(). */
static char *draw(const struct ctl_picture *picture)
{
    enum { BYTES_MAX = 1 << 18 };
    char *text = calloc(1, BYTES_MAX);
    assert_non_null(text);
    FILE *out = fmemopen(text, BYTES_MAX - 1, "w");
    assert_non_null(out);
    ctl_put_picture(out, picture);
    assert_int_equal(fclose(out), 0);
    return text;
}

/* ---- XML ---- */

static const char *skip_name(const char *at)
{
    size_t size = strspn(at, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-:");
    assert_true(size > 0);
    return at + size;
}

static const char *skip_entity(const char *at)
{
    static const char *const entities[] = {"&amp;", "&lt;", "&gt;", "&quot;"};
    for (size_t i = 0; i < sizeof entities / sizeof entities[0]; i++)
        if (strncmp(at, entities[i], strlen(entities[i])) == 0) return at + strlen(entities[i]);
    fail_msg("no entity: %.20s", at);
    return at;
}

/* What XML cannot hold, however it is written. */
static void assert_character(const char *at)
{
    const unsigned char *bytes = (const unsigned char *)at;
    assert_true(bytes[0] >= 0x20 || bytes[0] == '\n');
    assert_false(bytes[0] == 0xEF && bytes[1] == 0xBF && (bytes[2] == 0xBE || bytes[2] == 0xBF));
}

/* The attributes of a tag up to its end; whether it is one without content. */
static const char *skip_attributes(const char *at, bool *is_empty)
{
    while (*at == ' ') {
        at = skip_name(at + 1);
        assert_true(at[0] == '=' && at[1] == '"');
        for (at += 2; *at != '"';) {
            assert_true(*at != '<' && *at != '\0');
            assert_character(at);
            at = *at == '&' ? skip_entity(at) : at + 1;
        }
        at++;
    }
    *is_empty = *at == '/';
    at += *is_empty;
    assert_int_equal(*at, '>');
    return at + 1;
}

/* Every tag is closed by its own name, in order, and there is one element on the outside. */
static void assert_well_formed(const char *text)
{
    static const char begin[] = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n";
    const char *names[DEPTH_MAX], *at = text + strlen(begin);
    size_t sizes[DEPTH_MAX], depth = 0, roots = 0;
    assert_memory_equal(text, begin, strlen(begin));
    while (*at != '\0') {
        bool is_empty;
        if (*at != '<') {
            assert_true(depth > 0 || *at == '\n');
            assert_character(at);
            at = *at == '&' ? skip_entity(at) : at + 1;
        } else if (at[1] == '/') {
            assert_true(depth-- > 0);
            assert_memory_equal(at + 2, names[depth], sizes[depth]);
            at += 2 + sizes[depth];
            assert_int_equal(*at++, '>');
        } else {
            assert_true(depth < DEPTH_MAX);
            names[depth] = at + 1;
            at = skip_name(at + 1);
            sizes[depth] = (size_t)(at - names[depth]);
            roots += depth == 0;
            at = skip_attributes(at, &is_empty);
            depth += !is_empty;
        }
    }
    assert_int_equal(depth, 0);
    assert_int_equal(roots, 1);
}

/* ---- the lines in it ---- */

struct place {
    double x, y;
};

struct line {
    struct place places[PLACES_MAX];
    size_t count, pieces;
};

/* The places of a "points" attribute; of a piece that goes on, the first is the last of the one before. */
static void read_places(const char *at, struct line *line)
{
    bool goes_on = line->count > 0;
    while (*at != '"') {
        struct place place;
        char *end;
        place.x = strtod(at, &end);
        assert_int_equal(*end, ',');
        place.y = strtod(end + 1, &end);
        at = *end == ' ' ? end + 1 : end;
        assert_true(line->count < PLACES_MAX);
        if (goes_on)
            assert_memory_equal(&place, &line->places[line->count - 1], sizeof place);
        else
            line->places[line->count++] = place;
        goes_on = false;
    }
    line->pieces++;
}

/* All lines of this class in the group of the edit that begins with this point. */
static void read_line(const char *text, int side, size_t first, const char *class, struct line *line)
{
    char id[64], tag[64];
    snprintf(id, sizeof id, "<g class=\"edit\" id=\"p%d-%zu\">", side, first);
    snprintf(tag, sizeof tag, "<polyline class=\"%s\"", class);
    const char *group = strstr(text, id), *end, *at;
    *line = (struct line){.count = 0};
    assert_non_null(group);
    end = strstr(group, "</g>");
    for (at = strstr(group, tag); at != NULL && at < end; at = strstr(at + 1, tag))
        read_places(strstr(at, "points=\"") + strlen("points=\""), line);
}

/* The length of the scale bar, and the metres that it is said to be. */
static double read_scale(const char *text)
{
    const char *bar = strstr(text, "<path class=\"scale\"");
    assert_non_null(bar);
    double pixels = strtod(strstr(strstr(bar, " d=\""), "h") + 1, NULL);
    double metres = strtod(strchr(strstr(bar, "<text"), '>') + 1, NULL);
    return pixels / metres;
}

/* ---- the tests ---- */

static const struct ctl_picture_point path[] = {
    {{1, 2, 3}, 1000, 4},      {{1, 2, 3}, 1010, 7},    {{1.5, 2, 3}, 1011, 7},   {{1.5, 2.25, 3}, 1012, 7},
    {{1.5, 2.25, 2}, 1015, 7}, {{-1, 1, 2.5}, 1020, 9}, {{-1, 1, 2.5}, 1030, 12}, {{0, 0, 0}, 1040, 12},
};
static const struct ctl_picture_edit edits[] = {
    {12, "anna", "translate tx"}, {9, "ben", "set"}, {7, "anna", "translate tv"}, {4, "ben", "create"}};
static const struct ctl_picture picture = {.title = "Piston #3 in engine",
                                           .points = path,
                                           .count = sizeof path / sizeof path[0],
                                           .edits = edits,
                                           .edit_count = 4};

/* What is right of and below a place, in the world: from above x and z, from the front x and -y, from the left z and -y. */
static struct place expected_place(int side, gz_vec3 at)
{
    const struct place places[] = {{at.x, at.z}, {at.x, -at.y}, {at.z, -at.y}};
    return places[side];
}

static void assert_line(const char *text, int side, size_t first, size_t count, double scale)
{
    struct line line;
    read_line(text, side, first, "way", &line);
    assert_int_equal(line.count, count);
    struct place origin = expected_place(side, path[first].at);
    for (size_t i = 0; i < count; i++) {
        struct place place = expected_place(side, path[first + i].at);
        assert_true(fabs(line.places[i].x - line.places[0].x - scale * (place.x - origin.x)) < 0.01);
        assert_true(fabs(line.places[i].y - line.places[0].y - scale * (place.y - origin.y)) < 0.01);
    }
}

static void test_picture_lines_are_the_path_from_three_sides(void **state)
{
    (void)state;
    char *text = draw(&picture);
    double scale = read_scale(text);
    struct line line;
    assert_well_formed(text);
    assert_true(scale > 50);
    for (int side = 0; side < 3; side++) {
        assert_line(text, side, 1, 4, scale);
        assert_line(text, side, 6, 2, scale);
        read_line(text, side, 1, "way", &line);
        assert_true(line.pieces > 1); /* 5 of 40 seconds are more than one colour */
        read_line(text, side, 5, "jump", &line);
        assert_int_equal(line.count, 2);
        read_line(text, side, 0, "jump", &line);
        assert_int_equal(line.count, 0);
        read_line(text, side, 5, "way", &line);
        assert_int_equal(line.count, 0);
    }
    assert_non_null(strstr(text, ">Piston #3 in engine</text>"));
    assert_non_null(strstr(text, ">4 edits: anna 2, ben 2</text>"));
    assert_non_null(strstr(text, "<title>edit 7, anna: translate tv, "));
    free(text);
}

/* The drags, wherever they are, lie within their panels, and the marks of beginning and end on the first and last point. */
static void test_picture_holds_all_of_the_path(void **state)
{
    (void)state;
    static const double sizes[] = {1e-6, 1, 4000, 1e15};
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        struct ctl_picture_point points[8];
        struct ctl_picture large = picture;
        struct line line;
        large.points = points;
        for (size_t j = 0; j < picture.count; j++) points[j] = path[j], points[j].at = gz_scale(path[j].at, sizes[i]);
        char *text = draw(&large);
        assert_well_formed(text);
        for (int side = 0; side < 3; side++) {
            const char *frame = text;
            for (int n = 0; n <= side; n++) frame = strstr(frame, "<rect class=\"frame\" x=\"") + 23;
            double left = strtod(frame, NULL);
            read_line(text, side, 1, "way", &line);
            for (size_t j = 0; j < line.count; j++) {
                assert_true(line.places[j].x >= left && line.places[j].x <= left + 320);
                assert_true(line.places[j].y >= 104 && line.places[j].y <= 424);
            }
            const char *start = strstr(strstr(frame, "<circle class=\"start\""), "cx=\"") + 4;
            assert_true(fabs(strtod(start, NULL) - line.places[0].x) < 0.002);
        }
        free(text);
    }
}

static void test_picture_escapes_names(void **state)
{
    (void)state;
    struct ctl_picture_edit wild[] = {{7, "<b>&\"'\x01\x7f", "\xef\xbf\xbe]]>\n"}};
    struct ctl_picture named = picture;
    named.title = "</title><script>\xf0\x9f\x94\xa9 & Zo\xc3\xab\t\xef\xbf\xbf";
    named.edits = wild;
    named.edit_count = 1;
    named.left_out = 3;
    char *text = draw(&named);
    assert_well_formed(text);
    assert_non_null(strstr(text, ">&lt;/title&gt;&lt;script&gt;\xf0\x9f\x94\xa9 &amp; Zo\xc3\xab?"
                                 "?</text>"));
    assert_non_null(strstr(text, "<title>edit 7, &lt;b&gt;&amp;&quot;'??: ?]]&gt;?, "));
    assert_non_null(strstr(text, "3 points are left out"));
    free(text);
}

static void test_picture_of_one_place_and_of_none(void **state)
{
    (void)state;
    struct ctl_picture little = picture;
    for (little.count = 0; little.count < 3; little.count++) {
        char *text = draw(&little);
        assert_well_formed(text);
        assert_null(strstr(text, "nan"));
        assert_null(strstr(text, "inf"));
        free(text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_picture_lines_are_the_path_from_three_sides),
        cmocka_unit_test(test_picture_holds_all_of_the_path),
        cmocka_unit_test(test_picture_escapes_names),
        cmocka_unit_test(test_picture_of_one_place_and_of_none),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
