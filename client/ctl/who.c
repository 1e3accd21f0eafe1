/* who.c - `gizmoctl who`: lists the people in a scene. */
#include "ctl.h"

static const struct gz_arg_option options[] = {
    {"--json", .help = "print a JSON object per person, with the protocol's names"},
    {0},
};

static void print_person(const struct gz_mirror *mirror, const struct gz_presence_user *person)
{
    ctl_put_text(stdout, person->user);
    printf("%*s  %-6s  #%06x", ctl_width(person->user) < 12 ? 12 - ctl_width(person->user) : 0, "",
           gz_vocabulary_word(&gz_role_words, (int)person->role), (unsigned)person->rgb);
    if (person->has & GZ_HAS_PRESENCE_TOOL)
        printf("  %-9s", gz_vocabulary_word(&gz_mode_words, (int)person->tool));
    printf("  %zu selected", person->selection.count);
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

static enum ctl_exit run(const struct ctl_args *args)
{
    struct gz_client *client;
    enum ctl_exit result = ctl_join_everybody(args, &client);
    if (result != CTL_OK) return result;
    struct gz_error error = {0};
    enum gz_status status = ctl_await_people(client, &error);
    const struct gz_people *people = gz_client_people(client);
    for (size_t i = 0; status == GZ_OK && i < gz_people_count(people); i++) {
        const struct gz_presence_user *person = gz_people_at(people, i);
        if (person->session == gz_client_welcome(client)->session) continue;
        if (ctl_get(args, "--json")->given)
            ctl_put_json(stdout, ctl_json_person(person));
        else
            print_person(gz_client_mirror(client), person);
    }
    gz_client_destroy(client);
    return status == GZ_OK ? ctl_finish_output(args) : ctl_fail(args, &error);
}

const struct ctl_command ctl_who = {
    .usage.name = "who",
    .usage.operands = "SCENE",
    .usage.summary = "Lists the people in a scene: role, colour, tool, number of selected nodes, "
                     "held nodes, eye point.",
    .usage.notes =
        "Your own connection is left out. Eye points are in world coordinates, in metres.",
    .usage.options = options,
    .run = run,
};
