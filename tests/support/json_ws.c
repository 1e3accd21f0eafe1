/* json_ws.c - a client that speaks JSON. See json_ws.h. */
#include "support/json_ws.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "support/cmocka.h"

void json_say(struct json_client *client, const char *text)
{
    assert_true(raw_send_frame(client->socket, RAW_FIN | RAW_TEXT, true, text, strlen(text)));
}

struct json_client json_open(int port)
{
    return (struct json_client){.socket = raw_open_as(port, "gizmod.v1.json")};
}

struct json_client json_join(int port, const char *scene, const char *user)
{
    char hello[256];
    struct json_client client = json_open(port);
    snprintf(hello, sizeof hello,
             "[{\"op\":\"hello\",\"v\":1,\"scene\":\"%s\",\"user\":\"%s\",\"create\":true}]", scene,
             user);
    json_say(&client, hello);
    json_decref(json_hear(&client, "welcome", NULL, 0));
    return client;
}

void json_leave(struct json_client *client)
{
    json_decref(client->frame);
    close(client->socket);
}

const char *json_word(const json_t *message, const char *key)
{
    const char *word = json_string_value(json_object_get(message, key));
    return word != NULL ? word : "";
}

static void read_frame(struct json_client *client)
{
    struct raw_frame *frame = malloc(sizeof *frame);
    json_error_t error;
    assert_non_null(frame);
    if (!raw_read_frame(client->socket, frame, 60)) fail_msg("nothing came");
    assert_int_equal(frame->opcode, RAW_TEXT);
    json_decref(client->frame);
    client->frame =
        json_loadb((const char *)frame->bytes, frame->size, JSON_REJECT_DUPLICATES, &error);
    if (!json_is_array(client->frame)) fail_msg("it is no JSON: %s", error.text);
    client->taken = 0;
    free(frame);
}

json_t *json_hear(struct json_client *client, const char *op, const char *key, json_int_t value)
{
    for (;;) {
        while (client->taken == json_array_size(client->frame)) read_frame(client);
        json_t *message = json_array_get(client->frame, client->taken++);
        const json_t *member = key != NULL ? json_object_get(message, key) : NULL;
        const bool is_op = op == NULL || strcmp(json_word(message, "op"), op) == 0;
        if (is_op && (key == NULL || (member != NULL && json_integer_value(member) == value)))
            return json_incref(message);
    }
}

json_t *json_ask(struct json_client *client, const char *text, json_int_t rid)
{
    json_say(client, text);
    return json_hear(client, NULL, "rid", rid);
}

/* The seq of an edit whose rid is 1. */
static json_int_t edit(struct json_client *client, const char *text)
{
    json_t *ok = json_ask(client, text, 1);
    if (strcmp(json_word(ok, "op"), "ok") != 0) fail_msg("%s", json_word(ok, "message"));
    const json_int_t seq = json_integer_value(json_object_get(ok, "seq"));
    json_decref(ok);
    return seq;
}

void json_create_nodes(int port, const char *scene, size_t count)
{
    static const char begin[] = "[{\"op\":\"create\",\"rid\":1,\"nodes\":[",
                      node[] = ",{\"name\":\"a\"}";
    struct json_client client = json_join(port, scene, "maker");
    char *text = malloc(sizeof begin + count * sizeof node + 4), *at = text;
    assert_non_null(text);
    at = stpcpy(at, begin);
    for (size_t i = 0; i < count; i++) at = stpcpy(at, i == 0 ? node + 1 : node);
    strcpy(at, "]}]");
    (void)edit(&client, text);
    free(text);
    json_leave(&client);
}

json_int_t json_set_name(struct json_client *client, json_int_t node, const char *name)
{
    char text[512];
    snprintf(text, sizeof text,
             "[{\"op\":\"set\",\"rid\":1,\"nodes\":[{\"id\":%d,\"name\":\"%s\"}]}]", (int)node,
             name);
    return edit(client, text);
}
