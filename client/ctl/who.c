/* who.c - `gizmoctl who`: lists the people in a scene. */
#include "ctl.h"
#include "proto/limits.h"

static const struct gz_arg_option options[] = {
    {"--json", .help = "print a JSON object per person, with the protocol's names"},
    {0},
};

static void print_person(const struct gz_mirror *mirror, const struct gz_presence_user *person)
{
    ctl_put_text(stdout, person->user);
    printf("%*s  %-6s  #%06x", ctl_width(person->user) < 12 ? 12 - ctl_width(person->user) : 0, "",
           gz_vocabulary_word(&gz_role_words, (int)person->role), (unsigned)person->rgb);
    if ((person->has & GZ_HAS_PRESENCE_TOOL) == 0) {
        fputs("  only watches\n", stdout);
        return;
    }
    printf("  %-9s  %zu selected", gz_vocabulary_word(&gz_mode_words, (int)person->tool),
           person->selection.count);
    if (person->locks.count > 0) {
        fputs("  holds ", stdout);
        ctl_put_nodes(stdout, mirror, person->locks);
    }
    gz_affine to_eye = gz_affine_from_matrix(person->view), from_eye;
    if (person->has & GZ_HAS_PRESENCE_VIEW && gz_affine_inverse(&to_eye, &from_eye)) {
        fputs("  looks from ", stdout);
        ctl_put_vec3(stdout, from_eye.origin);
    }
    fputc('\n', stdout);
}

/* Those who act are also in the presence, which says what they do. */
static void put_person(const struct ctl_args *args, const struct gz_client *client,
                       const struct gz_presence_user *listed)
{
    const struct gz_presence_user *acting =
        gz_people_find(gz_client_people(client), listed->session);
    const struct gz_presence_user *person = acting != NULL ? acting : listed;
    if (person->session == gz_client_welcome(client)->session) return;
    if (args->json)
        ctl_put_json(stdout, ctl_json_person(person));
    else
        print_person(gz_client_mirror(client), person);
}

/* Prints the people after the session `after`, and sets it to the last one; 0: that was all. */
static enum gz_status put_page(const struct ctl_args *args, struct gz_client *client,
                               uint64_t *after, struct gz_error *error)
{
    struct gz_message who = {.op = GZ_OP_WHO, .who.after = *after};
    const struct gz_message *answer;
    if (*after > 0) who.has |= GZ_HAS_WHO_AFTER;
    enum gz_status status = gz_client_request(client, &who, CTL_ANSWER_SECONDS, &answer, error);
    if (status != GZ_OK) return status;
    const struct gz_ok *ok = &answer->ok;
    for (size_t i = 0; i < ok->people_count; i++) put_person(args, client, &ok->people[i]);
    *after = ok->people_count == GZ_HISTORY_ROWS_MAX ? ok->people[ok->people_count - 1].session : 0;
    return GZ_OK;
}

static enum ctl_exit run(const struct ctl_args *args)
{
    struct gz_client *client;
    enum ctl_exit result = ctl_join(args, GZ_ROLE_VIEWER, &client);
    if (result != CTL_OK) return result;
    struct gz_error error = {0};
    uint64_t after = 0;
    enum gz_status status = ctl_await_people(client, &error);
    if (status == GZ_OK) status = put_page(args, client, &after, &error);
    while (status == GZ_OK && after > 0) status = put_page(args, client, &after, &error);
    gz_client_destroy(client);
    return status == GZ_OK ? ctl_finish_output(args) : ctl_fail(args, &error);
}

const struct ctl_command ctl_who = {
    .usage.name = "who",
    .usage.operands = "SCENE",
    .usage.summary = "Lists the people in a scene: role, colour, tool, number of selected nodes, "
                     "held nodes, eye point; of those who only watch, role and colour.",
    .usage.notes =
        "Your own connection is left out. Eye points are in world coordinates, in metres.",
    .usage.options = options,
    .run = run,
};
