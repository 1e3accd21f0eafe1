/* fields.h - the messages as tables: one row for each field, read by decode.c and encode.c. Private
 * to this room.
 *
 * A record is a map on the wire and a struct in memory. A row has a field's key, its kind and rule,
 * its offset, and the bit for its presence. Records can contain records: the elements of `nodes`,
 * the sides of a change. Threads: constant, any. */
#ifndef GZ_PROTO_FIELDS_H
#define GZ_PROTO_FIELDS_H

#include "proto/message.h"

/* The form of a field on the wire, and its type in memory. */
enum gz_kind {
    GZ_KIND_OP,            /* the message's word; nothing in the struct */
    GZ_KIND_BOOL,          /* bool */
    GZ_KIND_CHOICE,        /* one of two words: bool */
    GZ_KIND_COUNT,         /* uint64_t from 0 */
    GZ_KIND_ID,            /* uint64_t from 1 */
    GZ_KIND_PARENT,        /* an id, or nil for the root: uint64_t */
    GZ_KIND_PARENT_OR_REF, /* of struct gz_create_node: as PARENT, or the text of an earlier ref */
    GZ_KIND_RGB,           /* 0xRRGGBB as an integer: uint32_t */
    GZ_KIND_COLOUR,        /* "#rrggbb": uint32_t */
    GZ_KIND_NUMBERS,       /* one number, or a list of size_max: double[] */
    GZ_KIND_VALUE,         /* one number, or a list of one or two: struct gz_value */
    GZ_KIND_VALUES,        /* a list of one or two: struct gz_value */
    GZ_KIND_TEXT,          /* struct gz_text */
    GZ_KIND_WORD,          /* an enumerator */
    GZ_KIND_WORDS,         /* a list of words: uint64_t, one bit each */
    GZ_KIND_STATUS,        /* enum gz_status */
    GZ_KIND_PIVOT,         /* of struct gz_tool_message: a word or a point */
    GZ_KIND_EULER,         /* of struct gz_set_node: three angles, read only; becomes r */
    GZ_KIND_ORDER,         /* the order of the above, read only */
    GZ_KIND_GROUP,         /* a map whose fields are in the same struct */
    GZ_KIND_RECORD,        /* a map: a struct inside */
    GZ_KIND_IDS,           /* a list of ids, each once: struct gz_ids */
    GZ_KIND_RECORDS,       /* a list of records: pointer and count */
    GZ_KIND_WHOLE,         /* of struct gz_node_state, in the packed form: true if all fields of
                              `has`, which follow, are present; each is then left out at its default */
    GZ_KIND_COUNT_OF_KINDS
};

/* What a value must be beyond its kind. All numbers are finite. */
enum gz_field_rule {
    GZ_FIELD_RULE_NONE,
    GZ_FIELD_RULE_COORDINATE,   /* magnitudes up to GZ_COORDINATE_MAX */
    GZ_FIELD_RULE_SCALE,        /* 0, or a magnitude from GZ_SCALE_MIN to GZ_COORDINATE_MAX */
    GZ_FIELD_RULE_QUATERNION,   /* not zero; normalised on the way in */
    GZ_FIELD_RULE_POSITIVE,     /* > 0 */
    GZ_FIELD_RULE_NOT_NEGATIVE, /* >= 0 */
    GZ_FIELD_RULE_RAY,          /* coordinates, the direction not zero */
    GZ_FIELD_RULE_VIEWPORT,     /* width and height > 0 */
    GZ_FIELD_RULE_BOX,          /* coordinates, min <= max */
    GZ_FIELD_RULE_RECT,         /* coordinates, two corners; put in order on the way in */
    GZ_FIELD_RULE_ROWS,         /* an integer up to GZ_HISTORY_ROWS_MAX */
    GZ_FIELD_RULE_POINTS,       /* an integer up to GZ_PATH_POINTS_MAX */
    GZ_FIELD_RULE_NOT_EMPTY,    /* a text of at least a byte */
    GZ_FIELD_RULE_SCENE_NAME    /* [a-z0-9][a-z0-9_-]* */
};

struct gz_record_type;

/* One field. A field that is neither required nor has a bit is encoded if it is true, or a text or
 * list that is not empty. */
struct gz_row {
    const char *key;
    size_t key_size;
    enum gz_kind kind;
    enum gz_field_rule rule;
    bool required;       /* unless the field of `unless` is present */
    bool envelope;       /* in struct gz_message itself: rid, key */
    uint64_t has;        /* the bit for its presence, WHOLE: all bits; 0 for none */
    uint64_t unless;     /* the bit of a field that makes a required one optional; 0 for none */
    size_t offset;       /* in the record's struct */
    size_t count_offset; /* RECORDS: of the count */
    size_t size_max;     /* NUMBERS: how many; TEXT: most bytes */
    const struct gz_vocabulary *terms;
    const struct gz_record_type *record;
};

/* What a record must be beyond its fields. */
enum gz_record_rule {
    GZ_RECORD_PLAIN,
    GZ_RECORD_POINTER,  /* at or ray, unless the phase is up or cancel */
    GZ_RECORD_GRAB,     /* at or ray, or a value; the phase, if present, is down */
    GZ_RECORD_SET_NODE, /* t, or single coordinates; r is made of euler and order */
};

struct gz_record_type {
    const char *name; /* of a record; NULL for groups, and for messages, which have a word */
    const struct gz_row *rows;
    size_t count;
    size_t size;       /* of the struct */
    size_t has_offset; /* of its `has`; not used by groups and messages */
    bool tuple;        /* on the wire a list, in the order of the rows */
    bool packed;    /* on the wire a list: the mask of the optional rows that are present, then the
                        fields in the order of the rows, numbers one by one */
    uint8_t number; /* of a packed message, before the mask; 0: the message has an op */
    bool unique;    /* no id occurs twice in a list of these; the first row is the id */
    uint64_t at_most_one;  /* bits of which at most one may be set */
    uint64_t at_least_one; /* bits of which at least one is set */
    enum gz_record_rule rule;
};

/* The struct of an element of any list. */
union gz_element {
    uint64_t id;
    struct gz_set_node set_node;
    struct gz_create_node create_node;
    struct gz_node_state state;
    struct gz_ack ack;
    struct gz_move move;
    struct gz_motion_step step;
    struct gz_line line;
    struct gz_presence_user user;
    struct gz_note_state note;
    struct gz_checkpoint_state checkpoint;
    struct gz_change_message change;
    struct gz_edit_message edit;
    struct gz_path_point point;
    struct gz_access_state access;
    struct gz_hit hit;
};

/* The table of a message; its struct is the union of struct gz_message. */
extern const struct gz_record_type gz_message_records[GZ_OP_COUNT];

/* How many elements of the list a field of a packed record takes. */
static inline size_t gz_row_elements(const struct gz_row *row)
{
    if (row->kind == GZ_KIND_BOOL || row->kind == GZ_KIND_WHOLE) return 0;
    return row->kind == GZ_KIND_NUMBERS ? row->size_max : 1;
}

/* Where the `has` of a message's fields is: `edit` has its own, as it is also an element of
 * `edits`. */
static inline uint64_t *gz_message_has(struct gz_message *message)
{
    return message->op == GZ_OP_EDIT ? &message->edit.has : &message->has;
}

#endif
