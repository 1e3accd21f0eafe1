#include <jansson.h>
#include <string.h>

#include "exchange/exchange.h"

enum gz_status gz_json_member(const uint8_t *bytes, size_t size, const char *key, char *text, size_t text_size,
                              struct gz_error *error)
{
    json_error_t problem;
    json_t *json = json_loadb((const char *)bytes, size, JSON_REJECT_DUPLICATES, &problem);
    if (json == NULL)
        return gz_fail(error, GZ_BAD_MESSAGE, "JSON line %d, column %d: %s", problem.line, problem.column,
                       problem.text);
    json_t *member = json_object_get(json, key);
    enum gz_status status = GZ_OK;
    if (member == NULL || !json_is_string(member))
        status = gz_fail(error, GZ_BAD_MESSAGE, "%s: a JSON object with this text is expected", key);
    else if (json_string_length(member) >= text_size)
        status = gz_fail(error, GZ_BAD_VALUE, "%s: it is longer than %zu bytes", key, text_size - 1);
    else
        memcpy(text, json_string_value(member), json_string_length(member) + 1);
    json_decref(json);
    return status;
}
