/* complete.c - what a shell completes: words of the tables, and the names of scenes. */
#include <string.h>

#include "ctl.h"

/* Somebody waits at the keyboard. */
#define SCENES_SECONDS 2.0

struct asking {
    const struct gz_arg_program *program;
    int count;
    char **words;
};

static void offer_scenes(const struct ctl_args *args, const struct gz_arg_offers *offers)
{
    size_t i;
    struct gz_error error = {0};
    json_t *scenes = NULL, *scene;
    const struct gz_http http = {.method = "GET", .path = "/scenes", .timeout_s = SCENES_SECONDS};
    if (ctl_http(args, http, &scenes, &error) != GZ_OK) return;
    json_array_foreach(scenes, i, scene)
    {
        const char *name = json_string_value(json_object_get(scene, "name"));
        if (name != NULL && ctl_is_scene(name)) gz_args_offer(offers, name);
    }
    json_decref(scenes);
}

static void ask(void *context, const char *name, size_t size, const struct gz_arg_offers *offers)
{
    const struct asking *asking = context;
    struct ctl_args args;
    const struct ctl_command *command = ctl_find_command(asking->words[0]);
    if (size != 5 || memcmp(name, "SCENE", size) != 0 || command == NULL) return;
    ctl_args_guess(&args, asking->program, command, asking->count - 1, asking->words);
    offer_scenes(&args, offers);
}

void ctl_complete(const struct gz_arg_program *program, int count, char **words)
{
    struct asking asking = {program, count, words};
    const struct gz_arg_asker asker = {ask, &asking};
    gz_args_complete(stdout, program, count, words, &asker);
}
