/* ctl.h - what the commands of gizmoctl share: joining, finding nodes, errors, and printing. Output
 * for people is in metres and degrees (intrinsic XYZ angles); --json has the protocol's names and
 * units. */
#ifndef CTL_H
#define CTL_H

#include <jansson.h>
#include <stdio.h>

#include "args.h"
#include "gizmo_client.h"
#include "proto/limits.h"
#include "when.h"

#define CTL_ANSWER_SECONDS 30.0 /* at most for an answer */

extern const struct ctl_command ctl_import, ctl_export, ctl_watch, ctl_ls, ctl_drag, ctl_set,
    ctl_undo, ctl_redo, ctl_history, ctl_at, ctl_restore, ctl_backup, ctl_check, ctl_solve,
    ctl_note, ctl_notes, ctl_who, ctl_checkpoint, ctl_checkpoints, ctl_revert, ctl_rm, ctl_mv,
    ctl_token, ctl_key, ctl_access, ctl_link, ctl_cluster, ctl_move, ctl_bench, ctl_create,
    ctl_delete, ctl_edit, ctl_restore_backup;

/* ---- failing (fail.c): lines on stderr; with --json JSON ---- */

/* The exit code for the kind of error. */
enum ctl_exit ctl_exit_of(enum gz_status status);
/* "gizmoctl COMMAND: words (code)"; returns ctl_exit_of its status. */
enum ctl_exit ctl_fail(const struct ctl_args *args, const struct gz_error *error);
/* One line on stderr, for something that worked, but not quite as it was asked. */
void ctl_warn(const struct ctl_args *args, const char *text);
/* New references: the text as ctl_put_text shows it, which is always UTF-8; {"op":"error", code,
 * message}. */
json_t *ctl_json_shown(const char *text);
json_t *ctl_json_error(const char *code, const char *message);
/* Whoever read the output has seen enough, as `head` has. */
bool ctl_is_left_alone(void);
/* Flushes stdout; CTL_FAILED if it did not take everything, with a line unless its reader has
 * left. */
enum ctl_exit ctl_finish_output(const struct ctl_args *args);
/* The end of a command without an answer: {"op":"ok"} with --json, or the error. */
enum ctl_exit ctl_finish(const struct ctl_args *args, enum gz_status status,
                         const struct gz_error *error);

/* ---- connecting (common.c) ---- */

/* Options for joining the scene in operand 0 with this role. */
struct gz_client_options ctl_client_options(const struct ctl_args *args, enum gz_role role);
/* Joins the scene in operand 0 and waits until the mirror is complete. */
enum ctl_exit ctl_join_with(const struct ctl_args *args, const struct gz_client_options *options,
                            struct gz_client **client);
enum ctl_exit ctl_join(const struct ctl_args *args, enum gz_role role, struct gz_client **client);
/* Reads "12" or "#12". */
bool ctl_read_id(const char *text, uint64_t *id);
/* How a node is written on the command line, for the help. */
#define CTL_NODE_FORMS                                                                             \
    "a name, names with slashes between them (car/wheel, /wheel at the root) or an id; id:7 is "   \
    "always the id, name:7 always the name"
/* The id of NAME, ABOVE/NAME, ID, #ID, name:NAME or id:ID. GZ_UNKNOWN_NODE; GZ_BAD_VALUE with the
 * ids if it can be more than one node: several of the name, or one by its name and another by its
 * id. */
GZ_MUST_USE enum gz_status ctl_find_node(const struct gz_mirror *mirror, const char *text,
                                         uint64_t *id, struct gz_error *error);
/* The same for an edit: an id that the scene does not have is for the server to refuse, because it
 * may know the edit by its key. */
GZ_MUST_USE enum gz_status ctl_name_node(const struct gz_mirror *mirror, const char *text,
                                         uint64_t *id, struct gz_error *error);
/* The same for a parent: 0 is the root. */
GZ_MUST_USE enum gz_status ctl_find_parent(const struct gz_mirror *mirror, const char *text,
                                           uint64_t *id, struct gz_error *error);
/* Waits until the lists of people and notes are complete. */
GZ_MUST_USE enum gz_status ctl_await_people(struct gz_client *client, struct gz_error *error);
/* Puts the value of --seq N|NAME into `at`: digits are a seq, anything else names a checkpoint;
 * *has gets SEQ or CHECKPOINT. */
enum ctl_exit ctl_read_seq(const struct ctl_args *args, const struct gz_arg *seq, struct gz_at *at,
                           uint64_t *has);
/* The option of every edit. */
#define CTL_KEY_OPTION                                                                             \
    {                                                                                              \
        "--key", GZ_ARG_TEXT, "KEY",                                                               \
            .help = "key of the edit: a repeated key gives the first answer and edits nothing"     \
    }
/* Sends an edit with the value of --key, and waits for its answer and until the mirror has it. In
 * *done: the answer's seq and edit, as far as `has` says. */
GZ_MUST_USE enum gz_status ctl_request_edit(const struct ctl_args *args, struct gz_client *client,
                                            struct gz_message *message, struct gz_message *done,
                                            struct gz_error *error);
/* The same for an edit that makes nodes: done->ok.ids are the first `max` of their ids, in `ids`.
 */
GZ_MUST_USE enum gz_status ctl_request_ids(const struct ctl_args *args, struct gz_client *client,
                                           struct gz_message *message, struct gz_message *done,
                                           uint64_t *ids, size_t max, struct gz_error *error);
/* Prints the answer to an edit, as JSON with --json. */
enum ctl_exit ctl_put_answer(const struct ctl_args *args, const struct gz_message *done);
/* Runs a command that is one edit: joins, sends it, and prints the answer. */
enum ctl_exit ctl_perform(const struct ctl_args *args, enum gz_role role,
                          struct gz_message *message);
/* Joins, asks, and prints the one answer, or a line on stderr. */
enum ctl_exit ctl_ask(const struct ctl_args *args, enum gz_role role, struct gz_message *message,
                      void (*print)(const struct ctl_args *args, const struct gz_client *client,
                                    const struct gz_ok *ok));
/* Monotonic seconds. */
double ctl_now(void);
/* Waits, and handles what the server sends meanwhile. */
void ctl_wait_until(struct gz_client *client, double due);

/* ---- transforms (trs.c) ---- */

#define CTL_TRS_OPTIONS                                                                            \
    {"--t", GZ_ARG_NUMBERS, "X,Y,Z", .count = 3,                                                   \
     .help = "translation relative to the parent, in metres"},                                     \
        {"--r", GZ_ARG_NUMBERS, "X,Y,Z,W", .count = 4, .help = "rotation as a quaternion"},        \
        {"--euler", GZ_ARG_NUMBERS, "X,Y,Z", .count = 3,                                           \
         .help = "rotation as angles about x, y and z, in degrees"},                               \
        {"--order", GZ_ARG_WORD, "ORDER", .terms = &gz_euler_words,                                \
         .help = "order of the --euler rotations: XYZ (default) XZY YXZ YZX ZXY ZYX"},             \
    {                                                                                              \
        "--s", GZ_ARG_NUMBERS, "X,Y,Z", .count = 3, .help = "scale factors"                        \
    }
enum ctl_exit ctl_check_trs(const struct ctl_args *args);
/* What was given, as the bits GZ_HAS_SET_NODE_T, R and S say. */
gz_trs ctl_read_trs(const struct ctl_args *args, uint64_t *has);

/* ---- HTTP (common.c) ---- */

#define CTL_PATH_BYTES (GZ_SCENE_NAME_BYTES_MAX + 3 * GZ_USER_BYTES_MAX + 64)
/* The path of a scene with a query, "" or e.g. "replace&", followed by the user's name. */
void ctl_scene_path(const struct ctl_args *args, const char *scene, const char *query,
                    char path[CTL_PATH_BYTES]);
/* Performs a request whose answer goes to the sink of `http`, which has neither address nor token.
 */
GZ_MUST_USE enum gz_status ctl_http_to_sink(const struct ctl_args *args, struct gz_http http,
                                            struct gz_error *error);
/* Performs a request with a short answer; `http` has neither address nor token. In *answer, which
 * the caller owns: its JSON, NULL if it has none. */
GZ_MUST_USE enum gz_status ctl_http(const struct ctl_args *args, struct gz_http http,
                                    json_t **answer, struct gz_error *error);

/* ---- files (file.c) ---- */

/* Fetches an HTTP path into a file, whole or not at all. Without `replace` an existing file is not
 * touched, and that is an error. */
enum ctl_exit ctl_download(const struct ctl_args *args, const char *path, const char *file,
                           bool replace);

/* The same without a word, for one of many. */
GZ_MUST_USE enum gz_status ctl_fetch(const struct ctl_args *args, const char *path,
                                     const char *file, bool replace, struct gz_error *error);

/* Copies a file to a name that is free, whole or not at all, for the owner of the folder alone.
 * GZ_CONFLICT if the name is taken. */
GZ_MUST_USE enum gz_status ctl_put_copy(const char *from, const char *folder, const char *file,
                                        struct gz_error *error);

/* Fetches an HTTP path to stdout. */
enum ctl_exit ctl_print_download(const struct ctl_args *args, const char *path);

/* Replaces a file by these bytes, whole or not at all. A new file is for its owner alone; an
 * existing one keeps its owner and rights. */
GZ_MUST_USE enum gz_status ctl_write_secret(const char *file, const void *bytes, size_t size,
                                            struct gz_error *error);

/* ---- words for people (print.c) ---- */

/* A text from another person: control characters are shown, not obeyed. */
void ctl_put_text(FILE *out, struct gz_text text);
/* Columns that a text takes: its characters. */
int ctl_width(struct gz_text text);
/* The text, blanks up to so many columns, and two more. */
void ctl_put_padded(FILE *out, struct gz_text text, int columns);
/* A text over several lines; those after the first are indented. */
void ctl_put_lines(FILE *out, struct gz_text text, int indent);
/* "Piston #12". */
void ctl_put_node(FILE *out, const struct gz_mirror *mirror, uint64_t id);
/* "Piston #12, Rod #13 and 4 more": the first of them by name. */
#define CTL_NODES_SHOWN 4
void ctl_put_nodes(FILE *out, const struct gz_mirror *mirror, struct gz_ids ids);
void ctl_put_vec3(FILE *out, gz_vec3 v);
/* "t (0, 1, 0) m  r (0, 90, 0) deg  s (1, 1, 1)  ...", the fields that the state has. */
void ctl_put_state(FILE *out, const struct gz_mirror *mirror, const struct gz_node_state *state);
/* "t (0, 0, 0) -> (1, 0, 0) m  ...", the fields that differ. */
void ctl_put_change(FILE *out, const struct gz_mirror *mirror, const struct gz_node_state *before,
                    const struct gz_node_state *after);
struct gz_node_state ctl_node_state(const struct gz_mirror_node *node);
/* "typed 0.25 m", rotations in degrees; "" if the value has no number. */
#define CTL_TYPED_BYTES 64
void ctl_typed(enum gz_handle handle, const struct gz_value *value, char text[CTL_TYPED_BYTES]);
/* "translate tx typed 0.25 m": what kind of edit it is. */
#define CTL_EDIT_BYTES (CTL_TYPED_BYTES + 32)
void ctl_edit_words(const struct gz_edit_message *edit, char text[CTL_EDIT_BYTES]);
/* Where a note is pinned: "Piston #12 at (0, 1, 0)", "" for one on the scene as a whole, NULL
 * without memory. For free(). */
char *ctl_pin_words(const struct gz_mirror *mirror, const struct gz_note_state *note);
/* "edit 7 seq 1240" and a line's end; without an edit, that nothing changed. */
void ctl_put_done(FILE *out, const struct gz_message *done);

/* ---- the tree (tree.c) ---- */

/* The scene as a tree: a line or (json) an object for each node, with the bounds of its subtree in
 * the world. False without memory. */
bool ctl_print_tree(FILE *out, const struct gz_mirror *mirror, bool json);

/* ---- JSON (json.c): new references, the protocol's field names; NULL without memory ---- */

json_t *ctl_json_state(const struct gz_node_state *state);
json_t *ctl_json_delta(const struct gz_delta *delta);
json_t *ctl_json_edit(const struct gz_edit_message *edit);
json_t *ctl_json_done(const struct gz_message *done);
json_t *ctl_json_note(const struct gz_note_state *note);
json_t *ctl_json_notes(const struct gz_notes *notes);
json_t *ctl_json_checkpoint(const struct gz_checkpoint_state *checkpoint);
json_t *ctl_json_checkpoints(const struct gz_checkpoints *checkpoints);
json_t *ctl_json_access(const struct gz_access_state *access);
json_t *ctl_json_person(const struct gz_presence_user *person);
json_t *ctl_json_numbers(const double *numbers, size_t count);
/* One line; takes over the reference. */
void ctl_put_json(FILE *out, json_t *json);
/* Reads `count` finite numbers. GZ_BAD_VALUE names the field. */
GZ_MUST_USE enum gz_status ctl_json_read_numbers(const json_t *object, const char *field,
                                                 double *numbers, size_t count,
                                                 struct gz_error *error);

json_t *ctl_json_ids(struct gz_ids ids);

/* ---- the past (past.c) ---- */

/* The edits after this seq as JSON, the newest first: a new reference. What comes meanwhile goes to
 * the client's handler. */
GZ_MUST_USE enum gz_status ctl_past_edits(struct gz_client *client, uint64_t since, json_t **edits,
                                          struct gz_error *error);

/* ---- lines of input (lines.c) ---- */

#define CTL_LINES_PIECE ((size_t)64 * 1024) /* read at once */

struct ctl_lines {
    int descriptor;
    struct gz_buffer bytes;
    size_t begin, line_max;
    uint64_t number; /* of the line that was given out last, from 1 */
    bool ended;      /* nothing more can be read */
    bool is_cut;     /* the rest of a line that was too long is left out */
};

void ctl_lines_init(struct ctl_lines *lines, int descriptor, size_t line_max);
void ctl_lines_finish(struct ctl_lines *lines);
/* Reads what is there, and waits if there is nothing. */
GZ_MUST_USE enum gz_status ctl_lines_fill(struct ctl_lines *lines, struct gz_error *error);
/* The next line that has been read, without its end, valid until the next call; false if there is
 * none. A line that is longer than the maximum is not whole. */
bool ctl_lines_next(struct ctl_lines *lines, const char **text, size_t *size, bool *is_whole);
/* Whether a line has been read and not given out. */
bool ctl_lines_are_there(struct ctl_lines *lines);
/* Whether all lines have been given out. */
bool ctl_lines_are_over(struct ctl_lines *lines);

/* ---- completion (complete.c) ---- */

/* Prints what could stand in place of the last of these words, which follow "gizmoctl"; names of
 * scenes are asked of the server that the line names. */
void ctl_complete(const struct gz_arg_program *program, int count, char **words);
/* The command of this name; NULL for none (main.c). */
const struct ctl_command *ctl_find_command(const char *name);

/* ---- cameras (camera.c) ---- */

/* Reads a camera message from a file. */
GZ_MUST_USE enum gz_status ctl_camera_load(const char *path, struct gz_camera_message *camera,
                                           struct gz_error *error);
/* Right-handed, +Y up, GL clip space, near plane at 0.1, no far plane. False if eye and target
 * are one. */
bool ctl_camera_look(gz_vec3 eye, gz_vec3 target, double fovy_degrees, double width, double height,
                     struct gz_camera_message *camera);

#endif
