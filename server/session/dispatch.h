/* dispatch.h - decodes the frames of a client and calls the handler of each message. */
#ifndef GZ_SESSION_DISPATCH_H
#define GZ_SESSION_DISPATCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct gz_session;

/* Handles the messages of a frame from *offset on, until one begins work that later turns continue
 * or, in a frame of GZ_FRAME_BYTES_LARGE or more, until the turn's slice is used up. False if no
 * message was read and no error was sent, because the frame is over the rate. */
bool gz_session_read_frame(struct gz_session *session, const uint8_t *bytes, size_t size,
                           size_t *offset);
/* The same for the frames in the session's inbox. */
void gz_session_read_inbox(struct gz_session *session);
/* Handles the message that was put off (bulk.h): the first of the inbox. It is not charged again.
 * Then goes on in its frame, within the core's slice. */
void gz_session_read_put_off(struct gz_session *session);

/* Sends the session an error if messages of it were dropped since the last such error, at most once
 * a second. The client then knows that an answer may be missing. */
void gz_session_tell_of_dropped(struct gz_session *session);
/* Monotonic seconds at which gz_session_tell_of_dropped has an error to send; INFINITY for
 * never. */
double gz_session_tells_of_dropped_s(const struct gz_session *session);

#endif
