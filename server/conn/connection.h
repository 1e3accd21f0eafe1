/* connection.h - what the files of this room share: a WebSocket, from its socket to its session.
 *
 * - websocket.c: a connection's input; connection.c: its output and its end
 * - frame.h: frames, and the transport below; stream.h: bytes, and those that many send together
 * - turn.c: the end of a turn; pacing.h: how long a scene pauses
 * - alive.c: pings, silence, farewells; clock.h: their clock */
#ifndef GZ_CONN_CONNECTION_H
#define GZ_CONN_CONNECTION_H

#include "front/state.h"

/* ---- websocket.c ---- */
/* The stream of the arrival becomes a WebSocket, or a link. */
void gz_socket_begin(struct gz_net *net, struct gz_arrival *arrival);

/* ---- websocket.c: for wires ---- */
/* Begins a connection with this wire; ends it and frees what it holds. */
void gz_connection_begin(struct gz_connection *connection, struct gz_net *net,
                         struct gz_wire *wire);
void gz_connection_finish(struct gz_connection *connection);
/* Takes received bytes, and may change them. Returns how many were taken before a pause. */
size_t gz_connection_take(struct gz_connection *connection, uint8_t *bytes, size_t size);
/* The other side hung up, or the wire is broken: loses the connection, and kills the wire. */
void gz_connection_break(struct gz_connection *connection);
/* The wire is free again. */
void gz_connection_go_on(struct gz_connection *connection);

/* ---- connection.c ---- */
/* Puts a connection into this scene's list; takes it out of the list that it is in. */
void gz_connection_link(struct gz_connection *connection, struct gz_net_scene *scene);
void gz_connection_unlink(struct gz_connection *connection);
/* Lets its session leave, if it has one, so that its locks are free at once, however long the
 * socket takes. */
void gz_connection_leave(struct gz_connection *connection, struct gz_now now);
/* Moves a connection to this scene's list. */
void gz_connection_move(struct gz_connection *connection, struct gz_net_scene *scene);
/* Queues an error. `request` may be NULL; its rid is carried back. If `fatal`, the connection has
 * to be ended. */
void gz_connection_refuse(struct gz_connection *connection, const struct gz_message *request,
                          const struct gz_error *error, bool fatal);
/* Queues `bye`; the connection is then ended. */
void gz_connection_dismiss(struct gz_connection *connection, const char *reason);
/* The same, with the time after which the client may reconnect. */
void gz_connection_send_away(struct gz_connection *connection, const char *reason, double retry_s);
/* The connection is written to at the end of the turn, however full the loop is. */
void gz_connection_make_ready(struct gz_connection *connection);
/* The same in the next pass of its scene, which may rest before. */
void gz_connection_make_ready_later(struct gz_connection *connection);
/* Puts the connection into the line for its next large frame; it keeps a place that it has. */
void gz_connection_stand_in_line(struct gz_connection *connection);
void gz_connection_leave_queue(struct gz_connection *connection, enum gz_place place);
/* Marks the connection to be ended at the next pass, with this close code. */
void gz_connection_end(struct gz_connection *connection, int end);
/* Whether its wire is full: gz_connection_go_on is called when it is free again. */
bool gz_connection_is_choked(const struct gz_connection *connection);
/* Whether a frame can be written now. */
bool gz_connection_is_free(const struct gz_connection *connection);
/* Answers the latest ping. */
void gz_pong_write(struct gz_connection *connection);
/* Writes one frame. If the wire cannot take the whole frame, the connection is lost and killed. */
void gz_connection_write(struct gz_connection *connection, struct gz_bytes *frame);
/* The same for a close. */
void gz_connection_write_close(struct gz_connection *connection);

/* ---- turn.c ---- */
/* Writes waiting frames while the wire is free, and ends the connection if it is over. */
void gz_connection_flush(struct gz_connection *connection, struct gz_now now);

/* Runs the turns of the cores and writes the frames that are due, once in a turn of the loop. */
void gz_net_end_turn(struct gz_net *net);
/* Before the loop waits: decides until when, if nothing comes. */
void gz_net_plan_turn(struct gz_net *net);

/* ---- alive.c ---- */
/* Several times a second: looks at the connections for which it is time. */
void gz_alive_sweep(struct gz_net *net);
/* The connection is new, was heard, is choked or is to end: its next look may be due at another
 * time. */
void gz_alive_replan(struct gz_connection *connection);
/* The connection is gone. */
void gz_alive_forget(struct gz_connection *connection);

#endif
