/* What base says in words: errors, terms, log lines. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "proto/base/log.h"
#include "proto/base/status.h"
#include "proto/base/wire_vocabulary.h"
#include "proto/limits.h"
#include "support/cmocka.h"

#define COUNT(array) (sizeof(array) / sizeof(array)[0])

/* ---- errors ---- */

TEST(test_fail_fills_the_error_and_returns_the_status)
{
    struct gz_error error;
    assert_int_equal(gz_fail(&error, GZ_LOCKED, "node %d", 7), GZ_LOCKED);
    assert_int_equal(error.status, GZ_LOCKED);
    assert_string_equal(error.message, "node 7");
    assert_int_equal(gz_fail(NULL, GZ_TOO_MANY, "%s", "nobody reads this"), GZ_TOO_MANY);
}

/* However the text lies about the end, it is cut between two characters and loses no more than a
 * character. */
TEST(test_fail_cuts_at_a_whole_character)
{
    const char *characters[] = {"a", "\xC3\xA9", "\xE2\x82\xAC", "\xF0\x9F\x8C\x8D"};
    for (size_t c = 0; c < COUNT(characters); c++) {
        size_t width = strlen(characters[c]);
        for (size_t lead = 0; lead < 8; lead++) {
            char text[4 * GZ_ERROR_BYTES_MAX] = {0};
            memset(text, 'x', lead);
            for (size_t i = 0; i < GZ_ERROR_BYTES_MAX / 2; i++) strcat(text, characters[c]);
            while (strlen(text) < GZ_ERROR_BYTES_MAX + 10) strcat(text, characters[c]);
            struct gz_error error;
            (void)gz_fail(&error, GZ_BAD_VALUE, "%s", text);
            size_t size = strlen(error.message), room = GZ_ERROR_BYTES_MAX - 1;
            assert_int_equal(size, lead + (room - lead) / width * width);
            assert_memory_equal(error.message, text, size);
        }
    }
}

TEST(test_fail_keeps_a_text_that_just_fits)
{
    struct gz_error error;
    (void)gz_fail(&error, GZ_BAD_VALUE, "%0*d\xC3\xA9", GZ_ERROR_BYTES_MAX - 3, 0);
    assert_int_equal(strlen(error.message), GZ_ERROR_BYTES_MAX - 1);
    assert_string_equal(error.message + GZ_ERROR_BYTES_MAX - 3, "\xC3\xA9");
}

TEST(test_status_words_come_back)
{
    for (int status = GZ_OK; status < GZ_NO_MEMORY; status++) {
        const char *word = gz_status_word((enum gz_status)status);
        assert_int_equal(gz_status_from_word(word, strlen(word)), status);
        assert_int_equal(gz_status_from_word(word, strlen(word) - 1), GZ_INTERNAL);
    }
    assert_string_equal(gz_status_word(GZ_NO_MEMORY), "internal");
    assert_string_equal(gz_status_word(GZ_UNREACHABLE), "unreachable");
    assert_int_equal(gz_status_from_word("unreachable", 11), GZ_INTERNAL); /* not on the wire */
    assert_string_equal(gz_status_word((enum gz_status)GZ_STATUS_COUNT), "internal");
    assert_int_equal(gz_status_from_word("", 0), GZ_INTERNAL);
}

/* ---- terms ---- */

TEST(test_terms_come_back)
{
    const struct gz_vocabulary *lists[] = {
        &gz_handle_words, &gz_mode_words,      &gz_space_words, &gz_pivot_words, &gz_axis_words,
        &gz_ball_words,   &gz_fit_words,       &gz_phase_words, &gz_mod_words,   &gz_role_words,
        &gz_how_words,    &gz_edit_kind_words, &gz_euler_words,
    };
    for (size_t i = 0; i < COUNT(lists); i++) {
        int named = 0;
        for (int value = 0; value < lists[i]->count; value++) {
            const char *word = gz_vocabulary_word(lists[i], value);
            if (*word == '\0') continue;
            named++;
            assert_int_equal(gz_vocabulary_value(lists[i], word, strlen(word)), value);
        }
        assert_true(named >= lists[i]->count - 2);
    }
}

TEST(test_term_that_is_none_is_said_so)
{
    assert_int_equal(gz_vocabulary_value(&gz_handle_words, "t", 1), -1);
    assert_int_equal(gz_vocabulary_value(&gz_handle_words, "", 0), -1);
    assert_int_equal(gz_vocabulary_value(&gz_handle_words, "TX", 2), -1);
    assert_int_equal(gz_vocabulary_value(&gz_handle_words, "tx\0", 3), -1);
    assert_int_equal(gz_vocabulary_value(&gz_handle_words, "txy", 2), GZ_TX);
    assert_string_equal(gz_vocabulary_word(&gz_handle_words, GZ_HANDLE_NONE), "");
    assert_string_equal(gz_vocabulary_word(&gz_handle_words, -1), "");
    assert_string_equal(gz_vocabulary_word(&gz_handle_words, GZ_HANDLE_COUNT), "");
}

TEST(test_handle_says_its_kind_of_edit)
{
    for (int handle = GZ_TX; handle < GZ_HANDLE_COUNT; handle++) {
        char letter = *gz_vocabulary_word(&gz_handle_words, handle);
        enum gz_edit_kind expected = letter == 't'   ? GZ_EDIT_TRANSLATE
                                     : letter == 'r' ? GZ_EDIT_ROTATE
                                                     : GZ_EDIT_SCALE;
        if (handle == GZ_RB) expected = GZ_EDIT_BALL;
        assert_int_equal(gz_handle_kind((enum gz_handle)handle), expected);
    }
}

/* ---- log ---- */

struct capture {
    char *text;
    size_t size;
    struct gz_log log;
};

static void capture_begin(struct capture *capture, enum gz_level level)
{
    capture->log =
        (struct gz_log){.stream = open_memstream(&capture->text, &capture->size), .level = level};
    assert_non_null(capture->log.stream);
}

static void capture_end(struct capture *capture)
{
    fclose(capture->log.stream);
}

static size_t count_words(const char *text, const char *words)
{
    size_t count = 0;
    for (const char *at = text; (at = strstr(at, words)) != NULL; at += strlen(words)) count++;
    return count;
}

/* Whatever is said, a line of JSON is one object, and says it; the journal gets the level. */
TEST(test_log_as_json_and_for_the_journal)
{
    static const struct {
        const char *said, *json, *journal;
    } rows[] = {
        {"plain", "plain", "plain"},
        {"a \"b\" \\ c", "a \\\"b\\\" \\\\ c", "a \"b\" \\ c"},
        {"l1\nl2\t\x7F", "l1?l2??", "l1?l2??"},
        {"\xC3\xA9 \xF0\x9F\x8C\x8D", "\xC3\xA9 \xF0\x9F\x8C\x8D", "\xC3\xA9 \xF0\x9F\x8C\x8D"},
        {"bad \xFF\xC3", "bad \xEF\xBF\xBD\xEF\xBF\xBD", "bad \xFF\xC3"},
        {"", "", ""},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct capture capture;
        char expected[256];
        capture_begin(&capture, GZ_DEBUG);
        capture.log.form = GZ_LOG_JSON;
        gz_log(&capture.log, GZ_WARN, 7, "%s", rows[i].said);
        fflush(capture.log.stream);
        snprintf(expected, sizeof expected,
                 "Z\",\"level\":\"warn\",\"session\":7,\"message\":\"%s\"}\n", rows[i].json);
        assert_memory_equal(capture.text, "{\"time\":\"20", 11);
        assert_string_equal(strchr(capture.text, 'Z'), expected);
        fseek(capture.log.stream, 0, SEEK_SET);
        capture.log.form = GZ_LOG_JOURNAL;
        gz_log(&capture.log, GZ_ERROR, 0, "%s", rows[i].said);
        fflush(capture.log.stream);
        snprintf(expected, sizeof expected, "<3>%s\n", rows[i].journal);
        assert_memory_equal(capture.text, expected, strlen(expected));
        capture_end(&capture);
        free(capture.text);
    }
}

/* The longest line. */
TEST(test_log_as_json_has_room_for_everything)
{
    struct capture capture;
    char text[4096];
    memset(text, '"', sizeof text - 1);
    text[sizeof text - 1] = '\0';
    capture_begin(&capture, GZ_INFO);
    capture.log.form = GZ_LOG_JSON;
    gz_log(&capture.log, GZ_INFO, UINT64_MAX, "%s", text);
    capture_end(&capture);
    assert_int_equal(count_words(capture.text, "\\\""), 1023);
    assert_string_equal(capture.text + strlen(capture.text) - 3, "\"}\n");
    free(capture.text);
}

/* Each session may say so much of one kind, and all of them together; the rest is counted. */
TEST(test_log_counts_what_comes_again_and_again)
{
    struct gz_log_counts counts = {.mutex = PTHREAD_MUTEX_INITIALIZER};
    struct capture capture;
    capture_begin(&capture, GZ_INFO);
    capture.log.counts = &counts;
    for (int i = 0; i < 1000; i++) gz_log(&capture.log, GZ_INFO, 7, "refused: %d", i);
    gz_log(&capture.log, GZ_INFO, 8, "refused: %s", "another");
    gz_log(&capture.log, GZ_INFO, 7, "another kind");
    for (uint64_t session = 100; session < 2000; session++)
        for (int i = 0; i < 3; i++) gz_log(&capture.log, GZ_INFO, session, "flood");
    for (size_t i = 0; i < GZ_LOG_KINDS; i++) counts.kinds[i].since_s -= 2 * GZ_LOG_SECONDS;
    for (size_t i = 0; i < GZ_LOG_SESSION_KINDS; i++)
        counts.of_sessions[i].since_s -= 2 * GZ_LOG_SECONDS;
    gz_log_tell_counts(&capture.log);
    gz_log_tell_counts(&capture.log);
    capture_end(&capture);
    const char *text = capture.text;
    assert_int_equal(count_words(text, "[7] refused: "), GZ_LOG_LINES_PER_SESSION);
    assert_int_equal(count_words(text, "[7] and 995 more of these: \"refused: %d\""), 1);
    assert_int_equal(count_words(text, "[8] refused: another"), 1);
    assert_int_equal(count_words(text, "[7] another kind"), 1);
    assert_int_equal(count_words(text, "] flood"), GZ_LOG_LINES_IN_ALL);
    assert_int_equal(count_words(text, " and 5400 more of these: \"flood\""), 1);
    free(capture.text);
}

TEST(test_log_line_has_time_level_session_and_text)
{
    struct capture capture;
    capture_begin(&capture, GZ_INFO);
    gz_log(&capture.log, GZ_INFO, 0, "port %d", 80);
    gz_log(&capture.log, GZ_ERROR, 42, "lost");
    capture_end(&capture);
    int year, read = 0;
    assert_int_equal(
        sscanf(capture.text, "%4d-%*2d-%*2dT%*2d:%*2d:%*2d.%*3dZ info  port 80\n%n", &year, &read),
        1);
    assert_true(year >= 2024 && read > 0);
    const char *second = capture.text + read;
    read = 0;
    assert_int_equal(
        sscanf(second, "%4d-%*2d-%*2dT%*2d:%*2d:%*2d.%*3dZ error [42] lost%n", &year, &read), 1);
    assert_string_equal(second + read, "\n");
    free(capture.text);
}

TEST(test_log_level_and_no_stream_keep_quiet)
{
    struct capture capture;
    capture_begin(&capture, GZ_WARN);
    gz_log(&capture.log, GZ_INFO, 0, "quiet");
    gz_log(NULL, GZ_ERROR, 0, "quiet");
    struct gz_log nowhere = {.stream = NULL, .level = GZ_DEBUG};
    gz_log(&nowhere, GZ_ERROR, 0, "quiet");
    capture_end(&capture);
    assert_int_equal(capture.size, 0);
    free(capture.text);
}

TEST(test_log_escapes_control_characters)
{
    const struct {
        const char *text, *line;
    } cases[] = {
        {"a\nb\r\tc", "a?b??c"},
        {"\x1B[31mred\x07", "?[31mred?"},
        {"del\x7F", "del?"},
        {"c1 \xC2\x9B"
         "31m",
         "c1 ??31m"},
        {"h\xC3\xA9llo \xE2\x82\xAC \xC2\xA0", "h\xC3\xA9llo \xE2\x82\xAC \xC2\xA0"},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct capture capture;
        capture_begin(&capture, GZ_INFO);
        gz_log(&capture.log, GZ_INFO, 1, "%s", cases[i].text);
        capture_end(&capture);
        const char *line = strstr(capture.text, "[1] ");
        assert_non_null(line);
        assert_int_equal(strlen(line + 4), strlen(cases[i].line) + 1);
        assert_memory_equal(line + 4, cases[i].line, strlen(cases[i].line));
        free(capture.text);
    }
}

TEST(test_log_of_a_long_text_is_one_line)
{
    struct capture capture;
    capture_begin(&capture, GZ_INFO);
    gz_log(&capture.log, GZ_INFO, 0, "%05000d", 0);
    capture_end(&capture);
    assert_true(capture.size < 2000);
    assert_ptr_equal(strchr(capture.text, '\n'), capture.text + capture.size - 1);
    free(capture.text);
}

TEST(test_level_words)
{
    assert_int_equal(gz_vocabulary_value(&gz_level_words, "warn", 4), GZ_WARN);
    assert_int_equal(gz_vocabulary_value(&gz_level_words, "error", 5), GZ_ERROR);
    assert_int_equal(gz_vocabulary_value(&gz_level_words, "debug", 5), GZ_DEBUG);
    assert_int_equal(gz_vocabulary_value(&gz_level_words, "loud", 4), -1);
}
