/* maxima.h - every maximum of the server that no client needs to know (those are in
 * proto/limits.h): its unit, the reason for its value, and how it relates to the others.
 *
 * A limit that a person can change is an option of the daemon whose default stands here. Everything
 * that grows is born with one of these; a request past a limit is refused in words and changes
 * nothing. */

#ifndef GZ_MAXIMA_H
#define GZ_MAXIMA_H

#include <assert.h>
#include <stddef.h>
#include <stdint.h>

#include "proto/limits.h"

/* ---- The wire ---- */

/* Work that grows with the scene, or with what a message names, is charged as messages. One stands
 * for some 20 us of the core (tests/bench/price_bench.c measures it), so that what a session has
 * done within its rate takes 4 % of the core, and all sessions of a payer together 8 %. A person
 * who drags 1,000 nodes 60 times a second, with their gizmo, is charged for 1,800 messages a
 * second. So many count as one message: nodes passed over by a look at their boxes, nodes looked at
 * for themselves or named, nodes moved, held or told of, nodes edited. */
#define GZ_NODES_CULLED_PER_MESSAGE 5000
#define GZ_NODES_LOOKED_AT_PER_MESSAGE 100
#define GZ_NODES_MOVED_PER_MESSAGE 50
#define GZ_NODES_EDITED_PER_MESSAGE 10
/* The same for the boxes and triangles that a look at surfaces tests, some 20 ns each. */
#define GZ_SURFACE_TESTS_PER_MESSAGE 1000
/* Bytes that are read with a message, some 10 ns each. */
#define GZ_BYTES_READ_PER_MESSAGE 2048
/* All sessions of a payer in a scene (a user, or an address if nobody vouches for the names that
 * are chosen there) have as much work done as so many, and may send as many messages as so many: a
 * person has a few windows and a script, not fifty. Guests who come from one address share it too,
 * so that messages, which are cheap, are many. */
#define GZ_PAYER_WORK_SESSIONS 2
#define GZ_PAYER_MESSAGES_SESSIONS 4
/* A signature that is verified or made counts as so many messages more: with RSA of 8192 bits it
 * takes milliseconds. */
#define GZ_MESSAGES_PER_SIGNATURE 100
/* Seconds of being over the rate that end a connection. */
#define GZ_RATE_SECONDS_MAX 10
/* Pings, pongs and empty frames of a connection, each second: a client needs none, or one in a few
 * seconds. */
#define GZ_CONTROL_FRAMES_PER_S 50
/* WebSocket fragments of one message: more is a slow drip. Before hello a few must do. */
#define GZ_FRAGMENTS_MAX 1024
#define GZ_HELLO_FRAGMENTS_MAX 16

/* ---- A scene ---- */

/* Depth of the hierarchy: recursion and matrix error stay small. glTF assemblies are rarely 20
 * deep. */
#define GZ_TREE_DEPTH_MAX 256
/* Deleted nodes remembered for viewers that resume; a viewer from before the oldest starts over
 * from 0. */
#define GZ_TOMBSTONES_MAX 65536
/* Edits remembered in memory for undo; older ones are history only. */
#define GZ_UNDO_EDITS_MAX 1000
/* Bytes that those edits take together, some 350 for each node that one of them changed: three
 * edits of every node of the largest scene. */
#define GZ_UNDO_BYTES_MAX ((size_t)128 * 1024 * 1024)
/* Edits remembered however large they are: one, its undo, and the redo. */
#define GZ_UNDO_EDITS_MIN 3
/* Changes of nodes in the edits that are read for it when a scene is opened. */
#define GZ_UNDO_CHANGES_MAX 400000
/* Bytes of the changes of one edit, names included: every node of the largest scene, before and
 * after. */
#define GZ_EDIT_BYTES_MAX (256 * 1024 * 1024)
/* Bytes of one batch on its way to the disk: the edits that wait, the largest edit on top of them,
 * and every node. */
#define GZ_BATCH_BYTES_MAX (3 * (size_t)GZ_EDIT_BYTES_MAX)
/* Edits whose answer waits for the disk; more are refused with too_many until some are answered,
 * and no drag begins. */
#define GZ_PENDING_EDITS_MAX 16384
/* Requests that were sent again, by their key, and wait for the same answer. They have a bound of
 * their own, so that repeating one request takes no room from the requests of others. */
#define GZ_REQUESTS_RESENT_MAX 65536
/* Joins and leaves that wait for the disk. If more come while it refuses or hangs, those are
 * never written who came and went meanwhile. Far more than twice the sessions, so that this finds
 * many at once. They are some 200 bytes each. */
#define GZ_SESSION_ENTRIES_MAX (4 * GZ_SCENE_SESSIONS_MAX)
/* Earlier epochs that a client can resume from. */
#define GZ_EPOCHS_MAX 1024
/* Notes of a scene at once. With their longest texts they are 8 MB for everybody who joins. */
#define GZ_NOTES_MAX 4096
/* Named checkpoints of a scene. */
#define GZ_CHECKPOINTS_MAX 1000
/* Checkpoints told of that count as one message more. */
#define GZ_CHECKPOINTS_TOLD_PER_MESSAGE 50
/* The most that a checkpoint takes in a message without its texts. */
#define GZ_CHECKPOINT_BYTES_AROUND 64
/* Ends of checkpoints remembered for viewers that lag; one that is further behind is told of all
 * checkpoints anew. Names are rarely taken away, and all of them are told at once: a few are
 * enough. */
#define GZ_CHECKPOINTS_GONE_RING 64
/* Patterns to which a scene's own access gives a role. Whoever joins is compared with all of them,
 * in at most 4 us each. */
#define GZ_ACCESS_MAX 256
/* Comparisons of a session's user with a pattern that count as one message more. */
#define GZ_ACCESS_TESTS_PER_MESSAGE 500
/* Deleted notes remembered for viewers that lag; one that is further behind is told of all notes
 * anew. */
#define GZ_NOTES_GONE_RING 1024
/* The largest coordinate and the least scale are in base/linear.h: GZ_COORDINATE_MAX,
 * GZ_SCALE_MIN. */

/* ---- A daemon ---- */

#define GZ_SESSIONS_MAX 5000 /* clients that are connected here, all scenes together */
/* Clients of other members of a cluster, all scenes together, beside those: they take no descriptor
 * here, but some 10 kB of memory each. */
#define GZ_RELAYED_MAX 65536
/* Sessions of a scene. */
#define GZ_SCENE_SESSIONS_MAX (GZ_SESSIONS_MAX + GZ_RELAYED_MAX)
#define GZ_SCENES_MAX 256 /* scenes open at once */
/* Seconds without anybody in it after which a scene is closed, and how often that is looked at.
 * Open it takes 1 MB, a thread and six descriptors; to open it takes a second with the most nodes.
 */
#define GZ_SCENE_IDLE_SECONDS 600
#define GZ_SCENE_LOOK_SECONDS 30
/* Scenes of which the list of scenes remembers what their files say, in some 250 bytes each. With
 * more in the folder it opens all of them each time. */
#define GZ_SCENES_REMEMBERED_MAX 65536
/* Seconds in which two writes to a file may leave one time; those of a local file system are a
 * hundredth. */
#define GZ_FILE_TICK_S 1
/* Bytes of private answers queued for one session: at the first what it asks is read no further, at
 * the second (an answer about the whole of the largest scene fits) it is ended. */
#define GZ_OUTBOX_BYTES_FULL (256 * 1024)
#define GZ_OUTBOX_BYTES_MAX GZ_SERVER_FRAME_BYTES_MAX
/* Bytes at which queued answers are cut into frames, at a message's edge. */
#define GZ_OUTBOX_FRAME_BYTES (64 * 1024)
/* Messages for everybody are copied into a session's own frame up to this many bytes. A copy of
 * more costs as much as a second frame, and the session keeps the memory. */
#define GZ_COPIED_BYTES_MAX 2048
/* Questions to the past that one session may have open. */
#define GZ_QUERIES_PER_SESSION_MAX 4
/* Edits remembered for `edit` broadcasts to viewers that lag, and the bytes of their messages
 * together: one that replaces 100,000 nodes names 200,000 ids and takes 1 MB. */
#define GZ_EDIT_RING 1024
#define GZ_EDIT_RING_BYTES ((size_t)32 * 1024 * 1024)
/* Departures remembered for presence of viewers that lag. */
#define GZ_LEFT_RING 4096
/* Rows that are taken away at once of a past that is no longer kept: an edit that comes meanwhile
 * waits for these. */
#define GZ_RETENTION_ROWS_AT_ONCE 64
/* Nodes that a turn of a scene looks at for what is done in slices, in some 0.5 us each. */
#define GZ_SLICE_NODES 4000
/* Bytes of a frame that make it a large one: it is read as a part of the slice, so that only one of
 * those that come together is read in a turn. Each of so many of its bytes counts as a node: to
 * read a message that names nodes, and to look at those, takes some 15 ns a byte. */
#define GZ_FRAME_BYTES_LARGE 8192
#define GZ_SLICE_BYTES_PER_NODE 32
/* What each message may use at once is a slice divided by this, whatever others had done since the
 * last turn. */
#define GZ_SLICES_AT_ONCE 16
/* A node that a drag moves counts as so many of them: others are told of it as well. */
#define GZ_SLICE_NODES_PER_POSE 4
/* Nodes that the core edits, begins to hold, or puts into a batch, while other scenes wait, in some
 * 1 to 3 us each.
 * Work on more nodes is done by a worker, to which the core is lent. */
#define GZ_NODES_AT_ONCE 1000
/* Bytes of the frames of one session that wait until the work for an earlier message of it is done:
 * its socket is not read meanwhile, and what was read of it before is little more than a frame. */
#define GZ_INBOX_BYTES_MAX (4 * GZ_MESSAGE_BYTES_MAX)
/* Hits per `ok` of a pick in a rectangle. */
#define GZ_HITS_PER_MESSAGE 1000
/* Changes of one edit per `ok` of a history, and nodes where it is asked for without changes. */
#define GZ_CHANGES_PER_MESSAGE 1000
#define GZ_EDIT_NODES_PER_MESSAGE 10000
/* Frames that a connection is handed between two looks at the others, if its socket takes them. */
#define GZ_FRAMES_AT_ONCE 4
/* Bytes that a turn hands out of frames that are large, or made for one session alone: pieces of a
 * snapshot, answers about the past, deltas of a part of the scene. They take some 10 ns a byte; the
 * one that passes the bound is sent. */
#define GZ_TOLD_BYTES_PER_TURN (256 * 1024)
/* Points per `ok` of an answer about a path. */
#define GZ_PATH_POINTS_PER_MESSAGE 500
/* Nodes per `ok` of an `at` answer. */
#define GZ_AT_NODES_PER_MESSAGE 1000
/* JSON values of a glTF file, as its lists, objects and commas count them: each takes up to some
 * 250 bytes while it is read. 100,000 nodes with matrices, names and meshes of their own are 2.5
 * million. */
#define GZ_ASSET_VALUES_MAX 4000000
/* Triangles of a scene that are kept for picking, in 52 bytes each: 200 MB. Nodes whose meshes do
 * not fit are picked by their bounds. */
#define GZ_SURFACE_TRIANGLES_MAX 4000000
/* Bytes of them in all open scenes. A scene that does not fit any more is picked by bounds. What
 * workers are just making, and what an import replaces until it is stored, comes on top. */
#define GZ_SURFACE_BYTES_MAX ((size_t)512 * 1024 * 1024)
/* Bytes of a scene's file: SQLite keeps a bit for each of its pages while it is checked, 16
 * MB. */
#define GZ_FILE_BYTES_MAX ((int64_t)256 * 1024 * 1024 * 1024)
/* A seq, or a next id, beyond this stands in no file: a million a second take a hundred years to
 * come there. What begins below it does not reach GZ_ID_LIMIT. */
#define GZ_COUNTER_MAX (GZ_ID_LIMIT / 2)
/* Unix seconds beyond this (the year 5138) are no time. */
#define GZ_TIME_MAX 1e11
/* Boxes and triangles that one look at a scene may test, some 20 ns each: 4 ms. What is still to be
 * looked at then goes by its bounds. */
#define GZ_SURFACE_TESTS_PER_LOOK 200000
/* As many tests take the time that it takes to bring the line of sight into the space of a node:
 * 100,000 nodes with few triangles each would cost 30 ms. */
#define GZ_SURFACE_TESTS_PER_NODE 8
/* Bytes of a request that renames a scene: its body is JSON with the name. */
#define GZ_HTTP_RENAME_BYTES_MAX 4096
/* Accounts whose takings are counted: those that took something lately. */
#define GZ_ACCOUNTS_MAX 1024
/* What one user (on an open server one address) may add to files: so many bytes at once, into which
 * the largest import fits, and so many a second. A drag of 1,000 nodes adds some 0.5 MB. */
#define GZ_WRITTEN_BYTES_AT_ONCE (512.0 * 1024 * 1024)
#define GZ_WRITTEN_BYTES_PER_S (1024.0 * 1024)
/* The same of all users of one scene together, as a multiple. */
#define GZ_WRITTEN_USERS_PER_SCENE 8
/* Bytes that an edit adds to a scene's file for itself, and for each node that it changes, without
 * names: rows with the node before and after, and an entry in each of the indexes. */
#define GZ_FILE_BYTES_PER_EDIT 300
#define GZ_FILE_BYTES_PER_CHANGE 400
/* The same for a sample of a drag: 47 bytes of one that is kept with `--record thin`. */
#define GZ_FILE_BYTES_PER_SAMPLE 50
/* Scenes that one user (on an open server one address) may make at once, and a minute: a company's
 * models are brought in by a script, but nobody fills a disk with files. */
#define GZ_SCENES_MADE_AT_ONCE 300
#define GZ_SCENES_MADE_PER_MINUTE 60
/* Bytes that were freed and that the allocator may keep for their next use: with more it has to
 * give them back to the system, which costs the page faults of the next use. */
#define GZ_FREE_BYTES_KEPT (64 * 1024 * 1024)
/* Bytes of a block that the allocator may keep when it is freed: a page fault for each 4 KiB of a
 * larger one is little beside what is done with it. */
#define GZ_BLOCK_BYTES_KEPT_MAX (4 * 1024 * 1024)
/* Megabytes that the disk has to have free for edits to be taken, by default: twice the log of a
 * scene behind a long reader (64 MB) and some, so that all scenes can still put what was
 * acknowledged into their files. */
#define GZ_KEEP_FREE_MB 256
/* HTTP requests that hold a body or run on a worker, at once; how many of them send us something,
 * so that something is left for the others; and the same of one address, and of one user. What is
 * answered shortly (the list, deleting a scene) has as many places of its own. */
#define GZ_HTTP_JOBS_MAX 16
#define GZ_HTTP_JOBS_PER_ADDRESS 12
#define GZ_HTTP_JOBS_PER_USER 8
#define GZ_HTTP_UPLOADS_MAX 12
#define GZ_HTTP_UPLOADS_PER_ADDRESS 6
#define GZ_HTTP_UPLOADS_PER_USER 4
/* How fast a body or a large answer has to be taken, so that whoever trickles does not keep the
 * place of others: not at all in the first seconds, then at this rate, which grows by as much every
 * minute. 256 MiB take 16 minutes at most. Nothing takes longer than an hour. */
#define GZ_HTTP_BODY_SECONDS 10
#define GZ_HTTP_BODY_BYTES_PER_S 16384
#define GZ_HTTP_BODY_SECONDS_MAX 3600
/* Bytes of a body that are in memory; what is larger goes into a file, by pieces of this size. */
#define GZ_BODY_MEMORY_BYTES (1024 * 1024)
/* Bytes of an answer that are sent from memory; a larger one is sent from a file. If the disk is
 * full it stays in memory, and so many bytes of answers may be there in all. */
#define GZ_HTTP_ANSWER_MEMORY_BYTES (8 * 1024 * 1024)
#define GZ_HTTP_ANSWERS_MEMORY_BYTES (512 * 1024 * 1024)
/* Connections beyond the sessions: HTTP requests and handshakes that have not become a session
 * yet. */
#define GZ_CONNECTIONS_SPARE 512
/* Connections of one address, unless an option says otherwise: an office behind one address has its
 * people's sessions and what their browsers load, and one program has at most a fifth of all. */
#define GZ_CONNECTIONS_PER_ADDRESS 1000
/* Bytes of the header of one HTTP request. */
#define GZ_HTTP_HEADER_BYTES_MAX 8192
/* Bytes of an HTTP body that are sent at once, between turns of the live traffic. */
#define GZ_HTTP_CHUNK_BYTES (64 * 1024)
/* Bytes of an HTTP answer that is made in memory: the largest asset, with what an export adds for
 * the largest scene. */
#define GZ_HTTP_ANSWER_BYTES_MAX (GZ_ASSET_BYTES_MAX + 64 * 1024 * 1024)
/* Bytes that the kernel may hold for a connection, on their way included; it takes twice as much
 * memory for them. Left alone it would grow to 4 MB. What a peer far away is sent in a round trip
 * is bounded by it. */
#define GZ_SOCKET_SEND_BYTES (64 * 1024)
/* Bytes of those that may wait for a viewer that does not read: its own kernel says that it is
 * full, and nothing is on its way. */
#define GZ_SOCKET_WAITING_BYTES (16 * 1024)
/* Display names that can be made admins by option. */
#define GZ_ADMINS_MAX 32
/* Origins that can be allowed by option. */
#define GZ_ORIGINS_MAX 32
/* Ranges of addresses whose proxies can be trusted by option. */
#define GZ_PROXIES_MAX 32

/* ---- A cluster ---- */

/* Bytes of a member's name (a host name has 63), of its address, and of its version. */
#define GZ_MEMBER_BYTES_MAX 63
#define GZ_MEMBER_URL_BYTES_MAX 255
#define GZ_MEMBER_VERSION_BYTES_MAX 63
/* Bytes of what all members know: fewer could be guessed. */
#define GZ_MEMBER_SECRET_BYTES_MIN 16
#define GZ_MEMBER_SECRET_BYTES_MAX 1024
/* Bytes of one change in the log: what SQLite takes as one changeset. */
#define GZ_CHANGE_BYTES_MAX ((size_t)INT32_MAX)
/* Bytes of a row of the log: a change, or a copy, that is larger has several. PostgreSQL keeps up
 * to a GiB in a value, but then has it in memory more than once. */
#define GZ_CLUSTER_PART_BYTES (1024 * 1024)
/* Files in the folder of a member that were put aside. Somebody has to decide about each: with so
 * many the member leaves files where they are, and does not follow their scenes. */
#define GZ_CLUSTER_ASIDE_MAX 256
/* Connections of a member to the database: threads that append at the same time share them. One
 * more is for renewals alone. PostgreSQL takes 100 in all, by default. */
#define GZ_CLUSTER_CONNECTIONS_MAX 8
/* Seconds between the renewals of a member, and without one until another member may take its
 * scenes: a few that come late are nothing. */
#define GZ_CLUSTER_RENEW_SECONDS 1
#define GZ_CLUSTER_LEASE_SECONDS 5
/* Seconds that a connection to a host of the database may take before the next host is tried, and
 * that the database may be silent while it owes an answer: a commit that waits for a standby takes
 * its time. */
#define GZ_CLUSTER_CONNECT_SECONDS 3
#define GZ_CLUSTER_ANSWER_SECONDS 10
/* Files of other members' scenes that a member keeps open to write the next changes into, each with
 * up to 2 MiB of memory; a file of more scenes is opened and closed each time. */
#define GZ_CLUSTER_KEPT_MAX 16
/* Scenes that a member's metrics name as those whose files lack changes longest. */
#define GZ_CLUSTER_LAGS_MAX 32
/* Days for which it is known that a scene was deleted, or how it is called now. A file that is
 * older is known by its place. */
#define GZ_CLUSTER_GONE_DAYS 30

/* Seconds by which the clocks of two members may differ. */
#define GZ_PROOF_SECONDS 300
/* Seconds that a connection from a member to another may take, handshakes included. */
#define GZ_RELAY_CONNECT_SECONDS 5
/* Bytes of a frame that go over a trunk in one record. Clients take turns between pieces: a large
 * frame for one does not keep others waiting. */
#define GZ_TRUNK_PIECE_BYTES (16 * 1024)
/* Bytes of a relayed client that may be between the members, in each direction: those that it, or
 * the authority, has not taken yet. So much goes to one client in a round trip between members, and
 * so much waits for one that does not read. */
#define GZ_TRUNK_WINDOW_BYTES (65 * 1024)
/* What a piece takes of a window beside its bytes: what is kept about it until it is taken. */
#define GZ_TRUNK_PIECE_COST 64
/* Pieces that both ends of a trunk remember, so that they go over it once for all clients. In a
 * round through the viewers of a scene come one or two for all, and some for one alone between. */
#define GZ_TRUNK_SLOTS 64
/* Groups of clients of a trunk that are sent the same: a few forms of viewers in each scene. */
#define GZ_TRUNK_GROUPS_MAX GZ_SCENES_MAX
/* Bytes that wait to be sent on a trunk, from which on its clients get nothing new: what is sent
 * later is newer. */
#define GZ_TRUNK_WAITING_BYTES (256 * 1024)
/* The most that can wait: of each client a window, what one read brought on top, and the records
 * around them. */
#define GZ_TRUNK_OUT_BYTES_MAX                                                                     \
    ((size_t)(GZ_SESSIONS_MAX + GZ_CONNECTIONS_SPARE) *                                            \
     (GZ_TRUNK_WINDOW_BYTES + 3 * GZ_TRUNK_PIECE_BYTES))
/* Bytes of TOOK and CLOSE that wait to be sent, from which on a trunk is not read: they answer what
 * it brings. An edge has fewer, which are a close and a window given back for each channel, as long
 * as its authority keeps to the windows: it reads on, so that two members never wait for each
 * other. */
#define GZ_TRUNK_ANSWERS_BYTES ((size_t)UINT16_MAX * 64)
/* Kept for the next bytes of a trunk; the memory of rare large ones is given back. */
#define GZ_TRUNK_KEPT_BYTES ((size_t)512 * 1024)
/* Payloads of records: who a client is; a close, as RFC 6455 bounds it. */
#define GZ_TRUNK_OPEN_BYTES_MAX 256
#define GZ_TRUNK_CLOSE_BYTES_MAX 125
/* Bytes of the largest record, with as many channels as it can name, and of a read. */
#define GZ_TRUNK_IN_BYTES_MAX (2 * GZ_TRUNK_PIECE_BYTES + 2 * UINT16_MAX + 64)
/* Bytes that the kernel may hold of what is sent on a trunk, which is so much in a round trip; the
 * system's own maximum may be less. */
#define GZ_TRUNK_SOCKET_BYTES (1024 * 1024)
/* Seconds without clients after which a trunk is closed. */
#define GZ_TRUNK_IDLE_SECONDS 5
/* Bytes of a request's body that wait for another member. */
#define GZ_RELAY_BODY_BYTES (4 * GZ_HTTP_CHUNK_BYTES)
/* Seconds after which another member that says nothing about a relayed request, and takes nothing,
 * is given up: the largest import takes one minute. */
#define GZ_RELAY_SILENCE_SECONDS 300

/* ---- Times ---- */

/* Milliseconds between presence frames of a scene: 20 a second at most. */
#define GZ_PRESENCE_MS_MIN 50
/* Milliseconds that presence waits at most for something else to go with, while viewers are sent
 * that again and again: a frame of a display at 60 Hz, and a bit. */
#define GZ_RIDE_MS 20
/* Milliseconds without anything to send after which viewers are sent `saved` alone: longer than a
 * commit and a pause between two pointers, shorter than people notice. */
#define GZ_SAVED_MS_QUIET 100
/* Bytes a second that one user's presence may take of each viewer's line. A record is told whole,
 * with all ids of its selection: up to some 1,400 of them it goes 20 times a second, with 10,000
 * three times. */
#define GZ_PRESENCE_BYTES_PER_S (256 * 1024)
/* Milliseconds between presence frames of a scene in the compact form: 10 a second, from which a
 * viewer draws an even motion. With news of more than GZ_PRESENCE_USERS users at once it is longer
 * in proportion, so that pointers take some 1.5 kB a second of a viewer's line, however many people
 * there are. */
#define GZ_PRESENCE_COMPACT_MS 100
#define GZ_PRESENCE_USERS 16
/* Viewers who are told of those alone that act are told of so many more, whatever these do: a few
 * people who open a scene together see each other at once. As many as there are colours. */
#define GZ_PRESENCE_FEW 12
/* Milliseconds between the numbers of people that such viewers are sent; with more than so many
 * people longer in proportion, so that a scene's viewers take some 25 kB a second of them together,
 * however many there are. */
#define GZ_CROWD_MS 250
#define GZ_CROWD_PEOPLE 256
/* People who began to act lately, remembered for viewers that are shown at once what they did; one
 * that is further behind is told of them a moment later. */
#define GZ_BEGUN_RING 64
/* The most bytes that a user's record takes without its ids, by which it waits for its turn. */
#define GZ_PRESENCE_BYTES_USER 512
/* Milliseconds between looks at what a moving camera sees, for one who follows that. A look goes
 * through the whole scene. */
#define GZ_VIEW_MS_MIN 100
/* Milliseconds between commits while only drag samples wait; an edit that waits for its ok, and a
 * cancel, are committed at once. A crash costs at most this much motion plus one commit; of a drag
 * of more than GZ_SAMPLED_NODES_MAX nodes, all of it. */
#define GZ_SAMPLE_MS_MIN 20
/* The most nodes of a drag whose way goes to the disk while the drag runs: an edit of somebody else
 * waits for the batch before it, which takes some 10 us for each. Of a drag with more of them the
 * disk has the beginning and the end, and a crash in between takes the drag back. */
#define GZ_SAMPLED_NODES_MAX 500
/* Fewest nodes of a drag that is told as motions to viewers who asked for that. Its end tells every
 * node anew, whoever was told of what, which only the end of a drag does that is not sampled. */
#define GZ_MOTION_NODES_MIN 501
/* Drags that are told so at once; others are told node by node. */
#define GZ_MOTION_DRAGS_MAX 8
/* How far a node may be from where its motion has it, as a part of the larger of where it was and
 * is; a component of its turn, as it is. */
#define GZ_MOTION_TOLERANCE 1e-10
/* How far the recorded path of a drag may pass beside a sample that it leaves out: half a pixel as
 * the drag's camera saw it, or a millimetre where rays dragged; a degree; and a part of each scale
 * factor. */
#define GZ_PATH_PX 0.5
#define GZ_PATH_METRES 0.001
#define GZ_PATH_DEGREES 1.0
#define GZ_PATH_SCALE 0.005
/* Random bytes of a session's secret, by which its user's next connection takes its place. */
#define GZ_SECRET_BYTES 16
/* How fast the times of a scene go on while the wall clock, put back, is behind them: half as fast
 * as time. */
#define GZ_CLOCK_RATE_MIN 0.5
/* A node that did not move for so many milliseconds of a drag was at rest: its path stays there
 * instead of creeping on. */
#define GZ_PATH_REST_MS 100
/* Seconds that edits wait while another program, such as sqlite3, has the scene's file locked; then
 * they are refused. */
#define GZ_LOCK_SECONDS_MAX 5
/* Batches of one scene that are with the disk at once: one that is committed, and what came in the
 * meantime, a batch for each turn of the core, which are the next commit together. Some turns fit
 * into a slow commit; what comes after so many waits until the commit has come back. */
#define GZ_BATCHES_MAX 64
/* Milliseconds between tries while the disk refuses: edits made meanwhile wait this long for the
 * next try, and while another program has the file locked for GZ_LOCK_SECONDS_MAX more. */
#define GZ_RETRY_MS 250
/* Seconds that a connection which is being ended has to take its last words. */
#define GZ_FAREWELL_SECONDS 2
/* Seconds that a commit may take before the daemon calls itself unwell. */
#define GZ_COMMIT_SECONDS_MAX 1
/* Seconds for which an edit is kept at least, and its key with it: a client that was cut off asks
 * again within them. */
#define GZ_RETENTION_SECONDS_MIN 3600
/* Milliseconds that a query of the past may run on a reader. */
#define GZ_QUERY_MS_MAX 10000
/* Seconds that the check of a file from elsewhere may take before it is opened, and one more for
 * each so many bytes of it: a sixth of what one takes on an idle processor. */
#define GZ_CHECK_SECONDS 10
#define GZ_CHECK_BYTES_PER_S (4 * 1024 * 1024)
/* Seconds that a scene which is to be deleted or renamed waits for those who read its past or its
 * file. */
#define GZ_RETIRE_SECONDS_MAX 12
/* Seconds from SIGTERM to exit. */
#define GZ_SHUTDOWN_SECONDS_MAX 5
/* Seconds within which two wheel turns are one edit. */
#define GZ_WHEEL_SECONDS 0.5

static_assert(GZ_TRUNK_PIECE_BYTES + GZ_TRUNK_PIECE_COST <= GZ_TRUNK_WINDOW_BYTES / 2,
              "a piece fits into the half of a window that is given back");
static_assert(GZ_SESSIONS_MAX + GZ_CONNECTIONS_SPARE <= INT16_MAX,
              "each client has a channel, and groups have the numbers above those");
static_assert(GZ_OUTBOX_BYTES_FULL < GZ_OUTBOX_BYTES_MAX, "reading stops before the session ends");
static_assert(GZ_MOTION_NODES_MIN > GZ_SAMPLED_NODES_MAX, "the end of a motion tells every node");
static_assert(
    4 * GZ_DELTA_BYTES_MAX + 4 * GZ_NODES_MAX * 9 + GZ_MOTION_NODES_MAX * 80 +
            (GZ_CHECKPOINTS_MAX + GZ_CHECKPOINTS_GONE_RING) *
                (GZ_CHECKPOINT_BYTES_MAX + GZ_USER_BYTES_MAX + GZ_CHECKPOINT_BYTES_AROUND) <
        GZ_FRAME_BYTES_MAX,
    "a delta, where the nodes of a motion began, edits, notes, checkpoints, and the presence "
    "of one who selected and holds every node fit into a frame");
static_assert(GZ_EDIT_RING_BYTES >= 2 * GZ_FRAME_BYTES_MAX, "the largest edit is remembered");
static_assert((GZ_NOTE_BYTES_MAX + 1024) * GZ_PENDING_EDITS_MAX < GZ_EDIT_BYTES_MAX,
              "notes that wait fit into a batch beside the edits");
static_assert(2 * GZ_SECRET_BYTES + 16 < GZ_SECRET_TEXT_BYTES_MAX,
              "a secret is told in hexadecimal, with the session's id");
static_assert(GZ_SAMPLE_MS_MIN <= 50, "a crash costs at most 50 ms of motion");
static_assert(GZ_RETIRE_SECONDS_MAX * 1000 > GZ_QUERY_MS_MAX,
              "a question to the past is waited for");
static_assert((size_t)GZ_SURFACE_TRIANGLES_MAX * 64 <= GZ_SURFACE_BYTES_MAX,
              "the triangles of one scene fit");
static_assert(GZ_SURFACE_TESTS_PER_LOOK / GZ_SURFACE_TESTS_PER_MESSAGE < GZ_MESSAGES_PER_S_MAX,
              "a session within its rate may look");
static_assert(60 * (1000 / GZ_NODES_MOVED_PER_MESSAGE + 1000 / GZ_NODES_LOOKED_AT_PER_MESSAGE) <
                  GZ_MESSAGES_PER_S_MAX,
              "a session within its rate may drag a thousand nodes");
static_assert(GZ_MESSAGES_PER_SIGNATURE < GZ_MESSAGES_PER_S_MAX,
              "a session within its rate may renew its token");
static_assert(GZ_HTTP_ANSWER_BYTES_MAX <= GZ_HTTP_ANSWERS_MEMORY_BYTES,
              "the largest answer may be in memory");
static_assert(1000 / GZ_PRESENCE_MS_MIN <= 20, "presence at most 20 times a second");
static_assert(GZ_PRESENCE_BYTES_USER * 1000 / GZ_PRESENCE_MS_MIN <= GZ_PRESENCE_BYTES_PER_S,
              "who selected little is told of each time");

#endif
