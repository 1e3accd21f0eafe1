/* dispatch.h - from the bytes of a client to the handler of each message. */
#ifndef GZ_SESSION_DISPATCH_H
#define GZ_SESSION_DISPATCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct gz_session;

/* Handles the messages of a frame from *offset on, until one begins work that goes on or, if the
 * frame has GZ_FRAME_BYTES_LARGE, until the turn's slice is used up. False if none was looked at,
 * and the session was not told why: the frame is over the rate. */
bool gz_session_read_frame(struct gz_session *session, const uint8_t *bytes, size_t size,
                           size_t *offset);
/* The same with what waits in the session's inbox. */
void gz_session_read_inbox(struct gz_session *session);
/* Handles the message that was put off (bulk.h), the first of the inbox, which is paid for. */
void gz_session_read_put_off(struct gz_session *session);

/* Says that messages were dropped since the session was last told so, which happens at most once a
 * second: the client then knows that an answer may be missing. */
void gz_session_tell_of_dropped(struct gz_session *session);
/* Monotonic seconds at which there is something to say, INFINITY for never. */
double gz_session_tells_of_dropped_s(const struct gz_session *session);

#endif
