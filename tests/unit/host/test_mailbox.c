/* What other threads tell the loop: in which order, how often, and that the loop does not wait for
 * a thread that its waking has put off the processor. */
#include <semaphore.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "host/job.h"
#include "support/cmocka.h"

#define PATIENCE_S 60

static _Thread_local bool is_put_off; /* this thread, when it writes next */
static uv_sem_t goes_on;
static atomic_bool was_waited_for;

ssize_t write(int file, const void *bytes, size_t size);

/* In the place of the C library's, also for libuv: what is written wakes the loop at once, and the
 * writer goes on when the loop is done with it. */
ssize_t write(int file, const void *bytes, size_t size)
{
    ssize_t written = syscall(SYS_write, file, bytes, size);
    struct timespec until;
    if (!is_put_off) return written;
    is_put_off = false;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += PATIENCE_S;
    if (sem_timedwait(&goes_on, &until) != 0) atomic_store(&was_waited_for, true);
    return written;
}

struct stage {
    uv_loop_t loop;
    struct gz_jobs jobs;
    struct gz_mailbox *mailbox;
    char handled[16];
};

static int start(void **state)
{
    static struct stage stage;
    struct gz_error error;
    stage = (struct stage){.handled = ""};
    assert_int_equal(uv_loop_init(&stage.loop), 0);
    assert_int_equal(gz_jobs_init(&stage.jobs, &stage.loop, &error), GZ_OK);
    stage.mailbox = &stage.jobs.mailbox;
    assert_int_equal(uv_sem_init(&goes_on, 0), 0);
    *state = &stage;
    return 0;
}

static int stop(void **state)
{
    struct stage *stage = *state;
    gz_jobs_finish(&stage->jobs);
    assert_int_equal(uv_loop_close(&stage->loop), 0);
    uv_sem_destroy(&goes_on);
    return 0;
}

/* ---- a thread that is put off ---- */

static void run_put_off(struct gz_job *job)
{
    (void)job;
    is_put_off = true;
}

static void let_go_on(struct gz_job *job)
{
    *(bool *)job->context = true;
    uv_sem_post(&goes_on);
}

TEST_BETWEEN(test_loop_does_not_wait_for_a_worker_that_is_put_off, start, stop)
{
    struct stage *stage = *state;
    bool is_done = false;
    struct gz_job job = {.lane = GZ_LANE_PAST,
                         .subject = "",
                         .group = "",
                         .user = "",
                         .run = run_put_off,
                         .done = let_go_on,
                         .context = &is_done};
    gz_job_start(&stage->jobs, &job);
    uv_run(&stage->loop, UV_RUN_DEFAULT);
    assert_true(is_done);
    assert_false(atomic_load(&was_waited_for));
}

/* ---- order ---- */

struct named {
    struct gz_letter letter; /* first, so that a letter is its struct */
    char name[2];
};

static void note(struct gz_letter *letter)
{
    strcat(((struct stage *)letter->context)->handled, ((struct named *)letter)->name);
}

static void name_all(struct stage *stage, struct named named[3])
{
    for (int i = 0; i < 3; i++)
        named[i] = (struct named){{.handle = note, .context = stage}, {(char)('a' + i), '\0'}};
}

static void run_until(struct stage *stage, const char *handled)
{
    gz_mailbox_hold(stage->mailbox);
    while (strlen(stage->handled) < strlen(handled)) uv_run(&stage->loop, UV_RUN_ONCE);
    gz_mailbox_release(stage->mailbox);
    uv_run(&stage->loop, UV_RUN_DEFAULT); /* without a hold it ends */
    assert_string_equal(stage->handled, handled);
}

TEST_BETWEEN(test_letters_are_handled_once_and_in_order, start, stop)
{
    struct stage *stage = *state;
    struct named named[3];
    name_all(stage, named);
    gz_letter_send(stage->mailbox, &named[1].letter);
    gz_letter_send(stage->mailbox, &named[0].letter);
    gz_letter_send(stage->mailbox, &named[1].letter);
    gz_letter_send(stage->mailbox, &named[2].letter);
    run_until(stage, "bac");
    gz_letter_send(stage->mailbox, &named[1].letter);
    run_until(stage, "bacb");
}

static void send_next(struct gz_letter *letter)
{
    struct stage *stage = letter->context;
    strcat(stage->handled, "x");
    if (strlen(stage->handled) < 3) gz_letter_send(stage->mailbox, letter);
}

TEST_BETWEEN(test_handler_may_send_again, start, stop)
{
    struct stage *stage = *state;
    struct gz_letter letter = {.handle = send_next, .context = stage};
    gz_letter_send(stage->mailbox, &letter);
    run_until(stage, "xxx");
}

static void forget_another(struct gz_letter *letter)
{
    struct named *named = (struct named *)letter;
    struct stage *stage = letter->context;
    note(letter);
    gz_letter_forget(stage->mailbox, &named[1].letter);
}

TEST_BETWEEN(test_forgotten_letter_is_not_handled, start, stop)
{
    struct stage *stage = *state;
    struct named named[3];
    name_all(stage, named);
    gz_letter_forget(stage->mailbox, &named[0].letter); /* was not sent */
    for (int i = 0; i < 3; i++) gz_letter_send(stage->mailbox, &named[i].letter);
    gz_letter_forget(stage->mailbox, &named[0].letter);
    run_until(stage, "bc");
    named[0].letter.handle = forget_another;
    for (int i = 0; i < 3; i++) gz_letter_send(stage->mailbox, &named[i].letter);
    run_until(stage, "bcac");
}

/* ---- many threads ---- */

enum { SENDERS = 4, SENT = 10000 };

struct sender {
    struct gz_letter letter;
    struct gz_mailbox *mailbox;
    uv_thread_t thread;
    atomic_int number; /* of the latest letter */
    int handled;
};

static void send_many(void *context)
{
    struct sender *sender = context;
    for (int i = 1; i <= SENT; i++) {
        atomic_store(&sender->number, i);
        gz_letter_send(sender->mailbox, &sender->letter);
    }
}

static void note_number(struct gz_letter *letter)
{
    struct sender *sender = letter->context;
    sender->handled = atomic_load(&sender->number);
}

static bool has_all(const struct sender *senders)
{
    for (int i = 0; i < SENDERS; i++)
        if (senders[i].handled < SENT) return false;
    return true;
}

/* The loop sees the latest of each, though several letters may be handled as one. */
TEST_BETWEEN(test_nothing_is_lost_among_many_threads, start, stop)
{
    static struct sender senders[SENDERS];
    struct stage *stage = *state;
    gz_mailbox_hold(stage->mailbox);
    for (int i = 0; i < SENDERS; i++) {
        senders[i] = (struct sender){.letter = {.handle = note_number, .context = &senders[i]},
                                     .mailbox = stage->mailbox};
        assert_int_equal(uv_thread_create(&senders[i].thread, send_many, &senders[i]), 0);
    }
    while (!has_all(senders)) uv_run(&stage->loop, UV_RUN_ONCE);
    for (int i = 0; i < SENDERS; i++) uv_thread_join(&senders[i].thread);
    gz_mailbox_release(stage->mailbox);
}
