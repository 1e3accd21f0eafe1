/* fault_driver LOG URL... - some people at work in a scene whose server is killed again and again:
 * two drag at 200 Hz, two set several nodes at once, one makes, lifts, undoes and deletes, one
 * writes notes, and one only watches. Each of them is a process. Every request has a key. Whoever
 * loses the connection comes back and says again, as it was, what was not answered, and what was
 * answered last. Several URLs are members of a cluster: everybody comes back to any of them, also
 * from a member that is silent, works at 50 Hz, and either repeats what a member refuses because it
 * cannot do it now, or drops it for good. Ends, with exit code 0, when its standard input does; 1
 * with words if the server says what it may not. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "driver_log.h"
#include "gizmo_client.h"
#include "proto/limits.h"
#include "server/maxima.h"
#include "support/chance.h"
#include "support/clock.h"

#define USERS 7
#define WATCHER (USERS - 1)
#define MOVE_S 0.005
#define MOVES_PER_DRAG 60
#define RETRY_S 0.02
/* With several members: seconds between two pointers, until a silent member is left, for a join,
 * and until a refused request is repeated. */
#define MEMBER_MOVE_S 0.02
#define PATIENCE_S 3
#define JOIN_S 2
#define REPEAT_S 0.2
/* And for how long the user's own earlier session may hold a node: it ends once its member notices
 * that the client has left. */
#define HELD_S 60
#define NOTE_S 0.15
/* For so long everybody is busy, and then only those who drag and write: then it is the drags alone
 * that are saved. */
#define PHASE_S 0.4
#define MIDDLE_X 960
#define MIDDLE_Y 540

enum role { DRAGS, SETS, MAKES, WRITES, WATCHES };
static const enum role roles[USERS] = {DRAGS, DRAGS, SETS, SETS, MAKES, WRITES, WATCHES};

struct user {
    struct driver *driver;
    uint64_t id;
    char name[8];
    struct gz_client *client;
    bool is_in;    /* until the loss of its connection is written down */
    double next_s; /* when it does something again, or tries to come back */
    uint64_t numbers;
    /* kind 0: none. What was answered last; and as it was when it was said again. */
    struct driver_entry asked, answered, repeated;
    uint64_t asked_rid, repeated_rid; /* 0: not on its way */
    uint64_t asked_times;             /* that the open request was sent */
    double asked_s, heard_s;          /* when it was sent last; when the server said anything */
    double held_s;                    /* since when its node is held; 0: it is not */
    uint64_t chance;
    uint64_t nodes[DRIVER_SET_NODES]; /* what it works with */
    size_t node_count;
    uint64_t lifted; /* the edit that an undo is to be about */
    bool is_dragging;
    int moves, way;
};

struct driver {
    char *const *urls;
    uint64_t url_count;
    int log;
};

static void die(const struct user *user, const char *what, const char *words)
{
    fprintf(stderr, "driver: %s: %s: %s\n", user->name, what, words);
    exit(1);
}

static void write_down(struct user *user, struct driver_entry entry, enum driver_entry_kind kind)
{
    entry.kind = kind;
    entry.user = user->id;
    entry.clock_s = now_s();
    if (write(user->driver->log, &entry, sizeof entry) != sizeof entry)
        die(user, "the log", strerror(errno));
}

/* ---- requests ---- */

static struct gz_message pointer(enum gz_phase phase, double x)
{
    return (struct gz_message){.op = GZ_OP_POINTER,
                               .has = GZ_HAS_POINTER_AT,
                               .pointer = {.phase = phase, .at = {x, MIDDLE_Y}}};
}

static uint64_t send_message(struct user *user, struct gz_message *message, bool is_asked)
{
    struct gz_error error;
    uint64_t rid = 0;
    /* A connection that is gone is noticed where it is read. */
    enum gz_status status = gz_client_send(user->client, message, is_asked ? &rid : NULL, &error);
    return status == GZ_OK ? rid : 0;
}

static uint64_t send_create(struct user *user, struct gz_message *message,
                            const struct driver_entry *asked)
{
    struct gz_create_node nodes[DRIVER_SET_NODES];
    const enum role role = roles[user->id];
    const size_t count = role == MAKES ? DRIVER_MADE_NODES : role == DRAGS ? 1 : DRIVER_SET_NODES;
    for (size_t i = 0; i < count; i++)
        nodes[i] = (struct gz_create_node){.has = GZ_HAS_CREATE_NODE_T,
                                           .name = gz_client_text(user->name),
                                           .trs = {{asked->x, 0, 0}, {0, 0, 0, 1}, {1, 1, 1}}};
    message->op = GZ_OP_CREATE;
    message->create = (struct gz_create){nodes, count};
    return send_message(user, message, true);
}

static uint64_t send_set(struct user *user, struct gz_message *message,
                         const struct driver_entry *asked, size_t count)
{
    struct gz_set_node nodes[DRIVER_SET_NODES];
    for (size_t i = 0; i < count; i++)
        nodes[i] = (struct gz_set_node){
            .has = GZ_HAS_SET_NODE_T, .id = asked->ids[i], .trs.t = {asked->x, 0, 0}};
    message->op = GZ_OP_SET;
    message->set = (struct gz_set){.nodes = nodes, .count = count};
    return send_message(user, message, true);
}

/* The request as it is, however often it is said. */
static uint64_t say(struct user *user, const struct driver_entry *asked)
{
    char key[32], text[32];
    snprintf(key, sizeof key, "%s-%llu", user->name, (unsigned long long)asked->number);
    snprintf(text, sizeof text, "note %llu", (unsigned long long)asked->number);
    struct gz_message message = {.has = GZ_HAS_KEY, .key = gz_client_text(key)};
    switch ((enum driver_op)asked->op) {
    case DRIVER_CREATE: return send_create(user, &message, asked);
    case DRIVER_SET: return send_set(user, &message, asked, DRIVER_SET_NODES);
    case DRIVER_LIFT: return send_set(user, &message, asked, 1);
    case DRIVER_UNDO: message.op = GZ_OP_UNDO; break;
    case DRIVER_DELETE:
        message.op = GZ_OP_DELETE;
        message.remove = (struct gz_ids){asked->ids, DRIVER_MADE_NODES};
        break;
    case DRIVER_UP:
        message.op = GZ_OP_POINTER;
        message.has |= GZ_HAS_POINTER_AT;
        message.pointer = pointer(GZ_PHASE_UP, MIDDLE_X + asked->x).pointer;
        break;
    case DRIVER_NOTE:
        message.op = GZ_OP_NOTE;
        message.has |= GZ_HAS_NOTE_TEXT;
        message.note.text = gz_client_text(text);
        break;
    }
    return send_message(user, &message, true);
}

static void say_asked(struct user *user)
{
    user->asked_times++;
    user->asked_s = now_s();
    user->asked_rid = say(user, &user->asked);
}

static void ask(struct user *user, enum driver_op op, double x)
{
    user->asked = (struct driver_entry){
        .kind = DRIVER_ASKED, .op = op, .number = ++user->numbers, .target = user->lifted, .x = x};
    memcpy(user->asked.ids, user->nodes, sizeof user->nodes);
    user->asked_times = 0;
    write_down(user, user->asked, DRIVER_ASKED);
    say_asked(user);
}

static void work_on_what_is_made(struct user *user)
{
    enum driver_op last = (enum driver_op)user->answered.op;
    double x = (double)user->numbers;
    if (last == DRIVER_CREATE)
        ask(user, DRIVER_LIFT, x);
    else if (last == DRIVER_LIFT)
        ask(user, DRIVER_UNDO, x);
    else if (last == DRIVER_UNDO)
        ask(user, DRIVER_DELETE, x);
    else
        ask(user, DRIVER_CREATE, x);
}

static void drag(struct user *user)
{
    if (!user->is_dragging) {
        user->way = user->way > 0 ? -1 : 1;
        user->moves = 0;
        struct gz_message grab = pointer(GZ_PHASE_DOWN, MIDDLE_X);
        grab.op = GZ_OP_GRAB;
        grab.has |= GZ_HAS_POINTER_NODES;
        grab.pointer.handle = GZ_TX;
        grab.pointer.nodes = (struct gz_ids){user->nodes, 1};
        write_down(user, (struct driver_entry){.ids = {user->nodes[0]}, .x = user->way},
                   DRIVER_GRABBED);
        send_message(user, &grab, false);
        user->is_dragging = true;
    } else if (user->moves < MOVES_PER_DRAG) {
        struct gz_message move = pointer(GZ_PHASE_MOVE, MIDDLE_X + user->way * ++user->moves);
        send_message(user, &move, false);
    } else {
        ask(user, DRIVER_UP, user->way * user->moves);
        user->is_dragging = false;
    }
}

/* What comes next for one who waits for nothing. */
static void do_next(struct user *user)
{
    const bool has_room = user->numbers < GZ_NOTES_MAX / 2; /* a user makes no more notes */
    const enum role role = roles[user->id] != WRITES || has_room ? roles[user->id] : SETS;
    bool is_quiet = fmod(now_s(), 2 * PHASE_S) > PHASE_S;
    double move_s = user->driver->url_count > 1 ? MEMBER_MOVE_S : MOVE_S;
    user->next_s = now_s() + (role == WRITES ? NOTE_S : move_s);
    if (role == WATCHES || (is_quiet && (role == SETS || role == MAKES))) return;
    if (role == WRITES) {
        ask(user, DRIVER_NOTE, 0);
    } else if (role == MAKES) {
        work_on_what_is_made(user);
    } else if (user->node_count == 0) {
        ask(user, DRIVER_CREATE, 0);
    } else if (role == SETS) {
        ask(user, DRIVER_SET, (double)user->numbers);
    } else {
        drag(user);
    }
}

/* ---- answers ---- */

static struct driver_entry answer_of(struct driver_entry asked, const struct gz_ok *ok)
{
    asked.seq = ok->seq;
    asked.edit = asked.op == DRIVER_NOTE ? ok->note : ok->edit;
    for (size_t i = 0; asked.op == DRIVER_CREATE && i < ok->ids.count && i < DRIVER_SET_NODES; i++)
        asked.ids[i] = ok->ids.ids[i];
    return asked;
}

static void take_answer(struct user *user, const struct gz_ok *ok)
{
    user->answered = answer_of(user->asked, ok);
    user->asked.kind = 0;
    user->asked_rid = 0;
    user->held_s = 0;
    write_down(user, user->answered, DRIVER_OK);
    if (user->answered.op == DRIVER_CREATE) {
        memcpy(user->nodes, user->answered.ids, sizeof user->nodes);
        user->node_count = ok->ids.count;
    }
    if (user->answered.op == DRIVER_LIFT) user->lifted = ok->edit;
}

static void die_of_answers(const struct user *user, const struct driver_entry *first,
                           const struct driver_entry *again)
{
    char words[128];
    snprintf(words, sizeof words,
             "key %llu of op %llu: edit %llu at seq %llu, and then edit %llu at seq %llu",
             (unsigned long long)first->number, (unsigned long long)first->op,
             (unsigned long long)first->edit, (unsigned long long)first->seq,
             (unsigned long long)again->edit, (unsigned long long)again->seq);
    die(user, "the same key was answered otherwise", words);
}

/* The same key is the same edit with the same answer. What was asked after it may be answered
 * before it: an answer that relies on what is not on the disk waits, one from the file does not.
 * The end of a drag that the lost connection ended is remembered by nobody. */
static void compare_answer(struct user *user, const struct gz_ok *ok)
{
    struct driver_entry again = answer_of(user->repeated, ok);
    const struct driver_entry *first = &user->repeated;
    user->repeated_rid = 0;
    if (first->edit == 0) return;
    if (again.edit != first->edit || memcmp(again.ids, first->ids, sizeof again.ids) != 0 ||
        (first->op != DRIVER_NOTE && again.seq != first->seq))
        die_of_answers(user, first, &again);
}

static void watch_delta(struct user *user, const struct gz_delta *delta)
{
    for (size_t i = 0; i < delta->count; i++) {
        const struct gz_node_state *node = &delta->nodes[i];
        if ((node->has & GZ_HAS_STATE_T) == 0) continue;
        write_down(user,
                   (struct driver_entry){.seq = delta->seq, .ids = {node->id}, .x = node->trs.t.x},
                   DRIVER_SEEN);
    }
    write_down(user, (struct driver_entry){.seq = delta->saved}, DRIVER_SAVED);
}

/* A member that cannot do it now; what was sent only once is certainly not done. */
static void take_refusal(struct user *user)
{
    bool is_dropped = user->asked_times == 1 && chance_below(&user->chance, 2) == 0;
    user->asked_rid = 0;
    user->next_s = now_s() + REPEAT_S;
    if (!is_dropped) return;
    write_down(user, user->asked, DRIVER_REFUSED);
    user->asked.kind = 0;
}

static bool is_for_now(struct user *user, const struct gz_message *message)
{
    enum gz_status code = message->error.code;
    if (user->driver->url_count == 1) return false;
    if (code != GZ_LOCKED) return code == GZ_STORAGE || code == GZ_BAD_STATE;
    if (user->held_s == 0) user->held_s = now_s();
    return now_s() - user->held_s < HELD_S;
}

static void take_error(struct user *user, const struct gz_message *message)
{
    char words[GZ_ERROR_BYTES_MAX + 1];
    snprintf(words, sizeof words, "%.*s", (int)message->error.message.size,
             message->error.message.bytes);
    if (!is_for_now(user, message)) die(user, "refused", words);
    if (user->asked_rid != 0 && message->rid == user->asked_rid)
        take_refusal(user);
    else if (user->repeated_rid != 0 && message->rid == user->repeated_rid)
        user->repeated_rid = 0;
}

static void take(struct user *user, const struct gz_message *message)
{
    bool is_watcher = user->id == WATCHER;
    if (message->op == GZ_OP_DELTA && is_watcher) watch_delta(user, &message->delta);
    if (message->op == GZ_OP_SAVED && is_watcher)
        write_down(user, (struct driver_entry){.seq = message->saved_seq}, DRIVER_SAVED);
    if (message->op == GZ_OP_OK && user->asked_rid != 0 && message->rid == user->asked_rid)
        take_answer(user, &message->ok);
    else if (message->op == GZ_OP_OK && user->repeated_rid != 0 &&
             message->rid == user->repeated_rid)
        compare_answer(user, &message->ok);
    if (message->op == GZ_OP_ERROR) take_error(user, message);
}

/* ---- connections ---- */

static void greet(struct user *user)
{
    struct gz_message camera = {.op = GZ_OP_CAMERA};
    camera.camera = (struct gz_camera_message){
        .view = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, -10, 1},
        .proj = {1, 0, 0, 0, 0, 1.78, 0, 0, 0, 0, -1, -1, 0, 0, -0.2, 0},
        .viewport = {0, 0, 1920, 1080},
    };
    uint64_t seq = gz_client_welcome(user->client)->seq;
    if (user->id == WATCHER) write_down(user, (struct driver_entry){.seq = seq}, DRIVER_JOINED);
    if (roles[user->id] == DRAGS) send_message(user, &camera, false);
    user->repeated = user->answered;
    user->repeated_rid = user->repeated.kind != 0 ? say(user, &user->repeated) : 0;
    if (user->asked.kind != 0) say_asked(user);
}

static enum gz_status connect_any(struct user *user)
{
    struct gz_error error;
    struct driver *driver = user->driver;
    struct gz_client_options options = {
        .url = driver->urls[chance_below(&user->chance, driver->url_count)],
        .scene = DRIVER_SCENE,
        .user = user->name,
        .create = user->id != WATCHER,
        .timeout_s = driver->url_count > 1 ? JOIN_S : 10};
    if (user->client != NULL && driver->url_count == 1)
        return gz_client_reconnect(user->client, &error);
    gz_client_destroy(user->client);
    user->client = NULL;
    return gz_client_create(&user->client, &options, &error);
}

static void join(struct user *user)
{
    user->is_in = connect_any(user) == GZ_OK;
    user->heard_s = now_s();
    if (user->is_in) {
        greet(user);
    } else {
        user->next_s = now_s() + RETRY_S;
    }
}

static void lose(struct user *user)
{
    write_down(user, (struct driver_entry){0}, DRIVER_LOST);
    fdatasync(user->driver->log); /* before the server runs again */
    user->is_in = user->is_dragging = false;
    user->asked_rid = user->repeated_rid = 0;
    user->next_s = now_s() + RETRY_S;
    gz_client_cut(user->client);
}

static bool is_open(const struct user *user)
{
    return user->client != NULL && gz_client_is_open(user->client);
}

/* Whether a member leaves the user without a word, or without an answer. */
static bool is_left_alone(const struct user *user)
{
    double since_s =
        user->asked_rid != 0 && user->asked_s < user->heard_s ? user->asked_s : user->heard_s;
    return user->driver->url_count > 1 && now_s() - since_s > PATIENCE_S;
}

static void listen_to(struct user *user)
{
    const struct gz_message *message;
    while (is_open(user) && (message = gz_client_next(user->client, 0)) != NULL) {
        user->heard_s = now_s();
        take(user, message);
    }
    if (is_open(user) && is_left_alone(user)) gz_client_cut(user->client);
    if (user->is_in && !is_open(user)) lose(user);
}

static void turn(struct user *user)
{
    listen_to(user);
    if (now_s() < user->next_s) return;
    if (!is_open(user)) {
        join(user);
    } else if (user->asked.kind != 0 && user->asked_rid == 0) {
        say_asked(user);
    } else if (user->asked.kind == 0 && user->repeated_rid == 0) {
        do_next(user);
    }
}

/* One of them, until the standard input ends. */
static int work(struct user *user)
{
    for (;;) {
        turn(user);
        short wanted = POLLIN;
        if (is_open(user) && gz_client_wants_write(user->client)) wanted |= POLLOUT;
        struct pollfd ready[2] = {
            {.fd = STDIN_FILENO},
            {.fd = is_open(user) ? gz_client_fd(user->client) : -1, .events = wanted}};
        poll(ready, 2, 2);
        if ((ready[0].revents & POLLHUP) != 0) break;
    }
    gz_client_destroy(user->client);
    return 0;
}

static pid_t start(struct driver *driver, uint64_t id)
{
    pid_t pid = fork();
    if (pid != 0) return pid;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    struct user user = {.driver = driver, .id = id, .chance = chance_seed(1) * USERS + id};
    snprintf(user.name, sizeof user.name, "u%llu", (unsigned long long)id);
    exit(work(&user));
}

int main(int argc, char **argv)
{
    int status, code = 0;
    if (argc < 3) return 2;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    struct driver driver = {.urls = argv + 2, .url_count = (uint64_t)argc - 2};
    driver.log = open(argv[1], O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
    for (uint64_t i = 0; i < USERS; i++)
        if (start(&driver, i) < 0) return 1;
    for (pid_t pid; code == 0 && (pid = wait(&status)) > 0;)
        if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) code = 1;
    close(driver.log);
    return code;
}
