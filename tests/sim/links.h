/* links.h - what is on its way between a person and the daemon. The sim owns the links, a link its
 * parcels. */
#ifndef GZ_TEST_SIM_LINKS_H
#define GZ_TEST_SIM_LINKS_H

#include "sim/person.h"

/* Bytes that a link takes although nobody reads them. */
enum { WINDOW_SMALL = 600, WINDOW_BYTES = 6000 };

struct sim;

struct parcel {
    struct parcel *next;
    double due_s;
    bool end; /* the other side is gone */
    uint8_t *bytes;
    size_t size;
    size_t notes_stored;              /* changes of notes, when it was made */
    size_t camera_first, camera_last; /* of those of the link: what a view may be of */
    bool camera_hidden;               /* or of one that is not noted */
    struct gz_arena arena;
    struct gz_message *messages; /* those from the daemon are read once, where they leave it */
    size_t message_count;
};

struct lane {
    struct parcel *first, **end;
    double last_s;
    size_t bytes;
};

/* The state that shows a pointer is not before the one seq nor after the other. */
struct link_move {
    uint64_t n, first, last;
};

/* What a session's camera was, until when. */
struct seen_camera {
    struct gz_camera_message camera;
    double until_s;
};

struct link {
    struct link *next;
    struct person *person;                     /* NULL once it turned away */
    struct person *owner;                      /* who opened it */
    struct gz_session *session;                /* NULL before hello and after the end */
    char secret[GZ_SECRET_TEXT_BYTES_MAX + 1]; /* that it was given */
    bool over;
    bool is_sent_away; /* its token was over */
    bool is_json;
    bool is_behind; /* it did not take all that there was for it */
    struct lane up, down;
    double delay_s, jitter_s;
    size_t window_bytes; /* what it takes that nobody reads from */
    double silent_until_s, stalled_until_s, heard_s, ended_s;
    struct link_move moves[64]; /* at n % 64 */
    struct seen_camera *cameras;
    size_t camera_count, camera_capacity;
    double hidden_until_s; /* a view may be of a camera that is not among these */
    bool is_looked_for;    /* what its camera sees; since when, and how long that took so far */
    double look_began_s, look_s;
};

/* Takes over `bytes`. */
struct parcel *parcel_create(uint8_t *bytes, size_t size);
void parcel_destroy(struct parcel *parcel);
void lane_add(struct sim *sim, const struct link *link, struct lane *lane, struct parcel *parcel);
/* The first one, which belongs to the caller then. */
struct parcel *lane_take(struct lane *lane);
size_t lane_count(const struct lane *lane);
/* Destroys all but the first `kept` parcels. */
void lane_lose(struct lane *lane, size_t kept);
/* The sender is gone: the receiver learns it after what came before. */
void lane_end(struct sim *sim, const struct link *link, struct lane *lane);

void link_open(struct sim *sim, struct person *person);
/* From the person to the daemon. Takes over `bytes`. */
void link_send(struct sim *sim, struct link *link, uint8_t *bytes, size_t size);
void link_destroy(struct sim *sim, struct link *link);

#endif
