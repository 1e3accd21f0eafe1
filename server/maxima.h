/* maxima.h - every maximum of the server that no client needs to know (the others are in
 * proto/limits.h): its unit, the reason for its value, and its relation to the others.
 *
 * A limit that the operator can change is an option of the daemon, whose default is here.
 * Everything that grows has a maximum; a request past it is refused with an error and changes
 * nothing. */

#ifndef GZ_MAXIMA_H
#define GZ_MAXIMA_H

#include <assert.h>
#include <stddef.h>
#include <stdint.h>

#include "proto/limits.h"

/* ---- The wire ---- */

/* Work that grows with the scene, or with a message, is charged in nodes that are looked at or
 * named, some 0.2 us of the core each. A message is charged as so many, some 20 us
 * (tests/bench/price_bench.c measures it), so that a session within its rate takes 4 % of the core,
 * and all sessions of a payer together 8 %. A drag of 1,000 nodes 60 times a second, with its
 * gizmo, costs 1,800 messages a second. */
#define GZ_NODES_PER_MESSAGE 100
/* As so many nodes are charged: a node that is moved, held or sent, or a checkpoint that is sent; a
 * node that is edited; a signature that is verified or made, which takes milliseconds with RSA of
 * 8192 bits. */
#define GZ_PRICE_MOVED 2
#define GZ_PRICE_EDITED 10
#define GZ_PRICE_SIGNATURE 10000
/* So many are charged as one node: boxes of nodes compared; boxes and triangles tested by a surface
 * pick, some 20 ns each; comparisons of a user with a pattern. */
#define GZ_BOXES_PER_NODE 50
#define GZ_TRIANGLES_PER_NODE 10
#define GZ_PATTERNS_PER_NODE 5
/* A scale along some axes shears nodes that are turned otherwise than the active one, and what
 * comes nearest is looked for: each of several nodes costs as much as so many that are moved, below
 * a parent that scales unevenly as so many (5,500 to 9,600 instructions, and 220,000). */
#define GZ_MOVES_PER_STRETCH 5
#define GZ_MOVES_PER_UNEVEN_STRETCH 150
/* Bytes that are read with a message, some 10 ns each. */
#define GZ_BYTES_READ_PER_MESSAGE 2048
/* All sessions of a payer in a scene (a user, or an address if users choose their names without a
 * token) share the work, and the messages, of so many sessions: a user has a few windows and a
 * script, not fifty. Guests at one address share them too, so messages, which are cheap, are
 * more. */
#define GZ_PAYER_WORK_SESSIONS 2
#define GZ_PAYER_MESSAGES_SESSIONS 4
/* Seconds above the rate after which a connection is ended. */
#define GZ_RATE_SECONDS_MAX 10
/* Pings, pongs and empty frames of a connection per second: a client needs at most one in a few
 * seconds. */
#define GZ_CONTROL_FRAMES_PER_S 50
/* WebSocket fragments of one message; more would be a slow-drip attack. Before hello fewer are
 * allowed. */
#define GZ_FRAGMENTS_MAX 1024
#define GZ_HELLO_FRAGMENTS_MAX 16

/* ---- A scene ---- */

/* Depth of the hierarchy: recursion and matrix error stay small. glTF assemblies are rarely 20
 * deep. */
#define GZ_TREE_DEPTH_MAX 256
/* Deleted nodes remembered for viewers that resume, 24 bytes each once they are stored; a viewer
 * from before the oldest starts from 0. A power of two. */
#define GZ_TOMBSTONES_MAX 65536
/* Edits remembered in memory for undo; older ones are history only. */
#define GZ_UNDO_EDITS_MAX 1000
/* Bytes of those edits together, some 350 for each changed node: three edits of every node of the
 * largest scene. */
#define GZ_UNDO_BYTES_MAX ((size_t)128 * 1024 * 1024)
/* Edits remembered whatever their size: one, its undo, and the redo. */
#define GZ_UNDO_EDITS_MIN 3
/* Changes of nodes in the edits that are read into the undo log when a scene is opened. */
#define GZ_UNDO_CHANGES_MAX 400000
/* Bytes of the changes of one edit, names included: every node of the largest scene, before and
 * after. */
#define GZ_EDIT_BYTES_MAX (256 * 1024 * 1024)
/* Bytes of one batch: the waiting edits, the largest edit on top of them, and every node. */
#define GZ_BATCH_BYTES_MAX (3 * (size_t)GZ_EDIT_BYTES_MAX)
/* Edits that wait for the disk. Above that further edits are refused with too_many, and no drag
 * begins. */
#define GZ_PENDING_EDITS_MAX 16384
/* Rows of one payer's requests that wait for the disk, some 6 us each: two for each node that an
 * edit changes, one for the edit. With as many, the payer's further edits wait for the disk before
 * they are made, if others may edit as well: edits of others wait for a transaction with these
 * rows. */
#define GZ_ROWS_WAITING_MAX 1000
/* Repeated requests that wait for the answer of an earlier one with the same key. They have a bound
 * of their own, so that repeating a request takes no room from other users' requests. */
#define GZ_REQUESTS_RESENT_MAX 65536
/* Joins and leaves that wait for the disk. Above that, while the disk refuses or hangs, sessions
 * that have joined and left meanwhile are not recorded. Far more than twice the sessions, so that
 * one pass removes many. They are some 200 bytes each. */
#define GZ_SESSION_ENTRIES_MAX (4 * GZ_SCENE_SESSIONS_MAX)
/* Earlier epochs that a client can resume from. */
#define GZ_EPOCHS_MAX 1024
/* Notes in a scene. With the longest texts they are 8 MB for each viewer that joins. Of these, and
 * of checkpoints, a user makes no more than are left for the others: one alone makes half. */
#define GZ_NOTES_MAX 4096
/* Named checkpoints of a scene. */
#define GZ_CHECKPOINTS_MAX 1000
/* The largest encoded size of a checkpoint without its texts. */
#define GZ_CHECKPOINT_BYTES_AROUND 64
/* Removals of checkpoints remembered for viewers that lag; a viewer that is further behind is sent
 * all checkpoints again. A few are enough, because names are rarely removed. */
#define GZ_CHECKPOINTS_GONE_RING 64
/* Patterns of a scene's own access. Each user that joins is compared with all of them, in at most 4
 * us each. */
#define GZ_ACCESS_MAX 256
/* Deleted notes remembered for viewers that lag; a viewer that is further behind is sent all notes
 * again. */
#define GZ_NOTES_GONE_RING 1024
/* The largest coordinate and the least scale are in base/linear.h: GZ_COORDINATE_MAX,
 * GZ_SCALE_MIN. */

/* ---- A daemon ---- */

#define GZ_SESSIONS_MAX 5000 /* connections, all scenes together */
/* Clients of other members of a cluster, all scenes together, in addition: they take no descriptor
 * here, but some 4 kB of memory each. */
#define GZ_RELAYED_MAX 65536
/* Sessions of a scene. */
#define GZ_SCENE_SESSIONS_MAX (GZ_SESSIONS_MAX + GZ_RELAYED_MAX)
#define GZ_SCENES_MAX 256 /* scenes open at once */
/* Seconds without a session after which a scene is closed, and seconds between looks at that. An
 * open scene takes 1 MB, a thread and six descriptors; opening the largest one takes a second. */
#define GZ_SCENE_IDLE_SECONDS 600
#define GZ_SCENE_LOOK_SECONDS 30
/* Scenes whose summaries the list of scenes caches, in some 250 bytes each. With more in the folder
 * it opens all files each time. */
#define GZ_SCENES_REMEMBERED_MAX 65536
/* Seconds in which two writes to a file may get the same time; on a local file system a
 * hundredth. */
#define GZ_FILE_TICK_S 1
/* Bytes of answers queued for one session: above the first its requests are not read, above the
 * second it is ended. An answer about the whole largest scene fits. */
#define GZ_OUTBOX_BYTES_FULL (256 * 1024)
#define GZ_OUTBOX_BYTES_MAX GZ_SERVER_FRAME_BYTES_MAX
/* Bytes at which queued answers are cut into frames, at a message's edge. */
#define GZ_OUTBOX_FRAME_BYTES (64 * 1024)
/* Messages for all sessions are copied into a session's own frame up to this size. A larger copy
 * costs as much as a second frame. */
#define GZ_COPIED_BYTES_MAX 2048
/* Questions to the past that one session may have open. */
#define GZ_QUERIES_PER_SESSION_MAX 4
/* Edits remembered for viewers that lag, and the bytes of their messages together: most take 100
 * bytes; one that replaces 100,000 nodes names 200,000 ids in 1 MB, and the latest one is
 * remembered whatever its size. */
#define GZ_EDIT_RING 1024
#define GZ_EDIT_RING_BYTES ((size_t)1024 * 1024)
/* Sessions that left, remembered for viewers that lag. */
#define GZ_LEFT_RING 4096
/* Rows of the past that one transaction removes: an edit that comes meanwhile waits for it. */
#define GZ_RETENTION_ROWS_AT_ONCE 64
/* Nodes that a turn of the loop looks at for work in slices, in all scenes, some 0.5 us each. */
#define GZ_SLICE_NODES 4000
/* A frame of at least so many bytes is read as a part of the slice, so that only one of several is
 * read in a turn. So many of its bytes count as a node: reading a message and looking at its nodes
 * takes some 15 ns for each byte. */
#define GZ_FRAME_BYTES_LARGE 8192
#define GZ_SLICE_BYTES_PER_NODE 32
/* So many boxes of the bounds index that are scanned for a look count as a node, too. */
#define GZ_SLICE_BOXES_PER_NODE 64
/* A slice divided by this is what each message may use, even if others have used up the slice. */
#define GZ_SLICES_AT_ONCE 16
/* A node that a drag moves counts as so many, because viewers are sent it as well. */
#define GZ_SLICE_NODES_PER_POSE 4
/* Nodes that the core edits, begins to hold, or puts into a batch, while other scenes wait, some 1
 * to 3 us each. The core is lent to a worker for more nodes. */
#define GZ_NODES_AT_ONCE 1000
/* Bytes of a message that count as one of them: a longer message than 64 KB is read by a worker. */
#define GZ_BULK_BYTES_PER_NODE 64
/* Bytes of the frames of one session that wait for the work of an earlier message. Its socket is
 * not read meanwhile, and what was read before is little more than a frame. */
#define GZ_INBOX_BYTES_MAX (4 * GZ_MESSAGE_BYTES_MAX)
/* Hits per `ok` of a pick in a rectangle. */
#define GZ_HITS_PER_MESSAGE 1000
/* Changes of one edit per `ok` of a history, and nodes per `ok` of a history without changes. */
#define GZ_CHANGES_PER_MESSAGE 1000
#define GZ_EDIT_NODES_PER_MESSAGE 10000
/* Frames that a connection is given in a row before the others have their turn. */
#define GZ_FRAMES_AT_ONCE 4
/* Bytes of frames in a turn that are large, or for one session alone: pieces of a snapshot, answers
 * about the past, deltas of an interest. They take some 10 ns for each byte; the frame that passes
 * the bound is still sent. A slice that is used up leaves a quarter of them. */
#define GZ_TOLD_BYTES_PER_TURN (256 * 1024)
/* The bytes of a snapshot's piece in the packed form count so many times against that bound: the
 * same nodes as maps have three times the bytes, and take 1.5 times the instructions. */
#define GZ_PACKED_PIECE_WEIGHT 3
/* Points per `ok` of an answer about a path. */
#define GZ_PATH_POINTS_PER_MESSAGE 500
/* Nodes per `ok` of an `at` answer. */
#define GZ_AT_NODES_PER_MESSAGE 1000
/* Different glTF files that a scene may have had: an import a day for 27 years. What is known of
 * each stays in memory, 130 bytes. */
#define GZ_ASSETS_MAX 10000
/* JSON values of a glTF file, counted by its brackets and commas: each takes up to some 250 bytes
 * while the file is read. 100,000 nodes with matrices, names and meshes of their own are 2.5
 * million. */
#define GZ_ASSET_VALUES_MAX 4000000
/* How deep lists and objects of a JSON text may be inside each other. What is read of a glTF is
 * some 10 deep; the rest is what people keep in `extras`. */
#define GZ_JSON_DEPTH_MAX 2048
/* Bytes that the values of a JSON text take, with texts that are not as they stand and those that
 * an export writes. */
#define GZ_JSON_BYTES_MAX ((size_t)GZ_ASSET_VALUES_MAX * 160 + 4 * (size_t)GZ_ASSET_BYTES_MAX)
/* What is wrong with a glTF that is taken all the same is said so many times; the rest is counted.
 */
#define GZ_FLAWS_SAID_MAX 8
/* Triangles of a scene that are kept for picking, 52 bytes each: 200 MB. Nodes whose meshes do not
 * fit are picked by their bounds. */
#define GZ_SURFACE_TRIANGLES_MAX 4000000
/* Bytes of triangles in all open scenes. A scene that does not fit is picked by bounds. Triangles
 * that a worker is making, and those that an import replaces until it is stored, come on top. */
#define GZ_SURFACE_BYTES_MAX ((size_t)512 * 1024 * 1024)
/* Bytes of a scene's file: SQLite keeps a bit for each of its pages while it is checked, 16
 * MB. */
#define GZ_FILE_BYTES_MAX ((int64_t)256 * 1024 * 1024 * 1024)
/* A file with a larger seq or next id is refused: a million a second take a hundred years to get
 * there. A scene that begins below it does not reach GZ_ID_LIMIT. */
#define GZ_COUNTER_MAX (GZ_ID_LIMIT / 2)
/* Unix seconds beyond this (the year 5138) are no valid time. */
#define GZ_TIME_MAX 1e11
/* Boxes and triangles that one surface pick may test, some 20 ns each: 4 ms. The remaining nodes
 * are picked by their bounds. */
#define GZ_SURFACE_TESTS_PER_LOOK 200000
/* The transformation of a line of sight into a node's space counts as so many tests: otherwise
 * 100,000 nodes with few triangles each would cost 30 ms. */
#define GZ_SURFACE_TESTS_PER_NODE 8
/* Bytes of the body of a request that renames a scene: JSON with the name. */
#define GZ_HTTP_RENAME_BYTES_MAX 4096
/* Edits of one request: half of the messages that a session has at once. */
#define GZ_HTTP_EDITS_MAX 1000
/* Accounts whose use of a quota is counted: the latest ones. */
#define GZ_ACCOUNTS_MAX 1024
/* Bytes that one user (on an open server one address) may add to files: at once, so that the
 * largest import fits; and per second. A drag of 1,000 nodes adds some 0.5 MB. */
#define GZ_WRITTEN_BYTES_AT_ONCE (512.0 * 1024 * 1024)
#define GZ_WRITTEN_BYTES_PER_S (1024.0 * 1024)
/* The same of all users of one scene together, as a multiple. */
#define GZ_WRITTEN_USERS_PER_SCENE 8
/* Bytes that an edit adds to a scene's file, and that each node adds that it changes, without
 * names: rows with the node before and after, and an entry in each index. */
#define GZ_FILE_BYTES_PER_EDIT 300
#define GZ_FILE_BYTES_PER_CHANGE 400
/* The same for a sample of a drag: 47 bytes for one that is kept with `--record thin`. */
#define GZ_FILE_BYTES_PER_SAMPLE 50
/* Scenes that one user (on an open server one address) may create at once, and per minute: enough
 * for a script that imports a company's models, too few to fill a disk. */
#define GZ_SCENES_MADE_AT_ONCE 300
#define GZ_SCENES_MADE_PER_MINUTE 60
/* Freed bytes that the allocator may keep: giving them back to the system costs page faults at the
 * next use. */
#define GZ_FREE_BYTES_KEPT (64 * 1024 * 1024)
/* The largest freed block that the allocator may keep: for a larger one the page faults are cheap
 * compared with its use. */
#define GZ_BLOCK_BYTES_KEPT_MAX (4 * 1024 * 1024)
/* The part of the bound of the process' memory (--memory) above which the oldest edits that can be
 * undone are forgotten, so that there is room for the next large request. Once a
 * GZ_MEMORY_ENOUGH_PART of that is free again, it no longer counts as short. */
#define GZ_MEMORY_FULL_PART 0.75
/* Bytes of the bound that no request gets: what the process takes, on a busy machine, between two
 * looks at it. */
#define GZ_MEMORY_RESERVE_BYTES (12 * 1024 * 1024)
#define GZ_MEMORY_ENOUGH_PART 16
/* The least that --memory takes, in MB: a daemon with the largest scene, and an import of it. */
#define GZ_MEMORY_MB_MIN 64
/* What requests need of that memory while they are done, as a multiple: of the bytes that an edit
 * adds to a file, which are also those of its undo; of the bytes of a long message, which a
 * selection keeps; of the bytes of an imported file, for the values that are read from it and the
 * nodes. */
#define GZ_MEMORY_NEEDED 4
/* A message of up to so many bytes is not asked whether there is memory for it. */
#define GZ_MESSAGE_BYTES_SMALL 1024
/* Bytes of memory of an open scene without its nodes, of a node, of a session, and of an answer
 * about the past. */
#define GZ_SCENE_BYTES (1024 * 1024)
#define GZ_NODE_BYTES 600
#define GZ_SESSION_BYTES (16 * 1024)
#define GZ_ANSWER_BYTES (1024 * 1024)
/* Megabytes that have to be free on the disk for edits to be accepted, by default: twice the log of
 * a scene behind a long reader (64 MB) and some, so that all scenes can still store acknowledged
 * edits. */
#define GZ_KEEP_FREE_MB 256
/* Inodes that have to be free on a disk that counts them: a scene that is opened or renamed makes
 * up to four files. */
#define GZ_KEEP_INODES 32
/* HTTP requests at the same time that hold a body or run on a worker: in all, of one address, of
 * one user; and the uploads among them, fewer, so that some are left for the others. Short requests
 * (the list, deleting a scene, edits, questions) have as many places of their own. */
#define GZ_HTTP_JOBS_MAX 16
#define GZ_HTTP_JOBS_PER_ADDRESS 12
#define GZ_HTTP_JOBS_PER_USER 8
#define GZ_HTTP_UPLOADS_MAX 12
#define GZ_HTTP_UPLOADS_PER_ADDRESS 6
#define GZ_HTTP_UPLOADS_PER_USER 4
/* How fast a body has to come or a large answer has to be taken, so that a slow client does not
 * keep a place: no rate in the first seconds, then this one, which grows by as much every minute.
 * 256 MiB take 16 minutes at most. No request takes longer than an hour. */
#define GZ_HTTP_BODY_SECONDS 10
#define GZ_HTTP_BODY_BYTES_PER_S 16384
#define GZ_HTTP_BODY_SECONDS_MAX 3600
/* Bytes of a body in memory; a larger body goes into a file in pieces of this size. */
#define GZ_BODY_MEMORY_BYTES (1024 * 1024)
/* Bytes of an answer that is sent from memory; a larger one is sent from a file. If the disk is
 * full it stays in memory, where all answers together may have so many bytes. */
#define GZ_HTTP_ANSWER_MEMORY_BYTES (8 * 1024 * 1024)
#define GZ_HTTP_ANSWERS_MEMORY_BYTES (512 * 1024 * 1024)
/* Connections beyond the sessions: HTTP requests and handshakes that have not become a session
 * yet. */
#define GZ_CONNECTIONS_SPARE 512
/* Connections of one address, by default: enough for an office behind one address with its sessions
 * and page loads; one program then has at most a fifth of all. */
#define GZ_CONNECTIONS_PER_ADDRESS 1000
/* Bytes of the header of one HTTP request. */
#define GZ_HTTP_HEADER_BYTES_MAX 8192
/* Its lines: browsers send some 20, proxies add some more. */
#define GZ_HTTP_LINES_MAX 128
/* Bytes of an HTTP body that are sent at once, between turns of the live traffic. */
#define GZ_HTTP_CHUNK_BYTES (64 * 1024)
/* Bytes of an HTTP answer that is made in memory: the largest asset with the additions of an export
 * of the largest scene. */
#define GZ_HTTP_ANSWER_BYTES_MAX (GZ_ASSET_BYTES_MAX + 64 * 1024 * 1024)
/* Bytes that the kernel may hold for a connection, including those on their way; it takes twice as
 * much memory. By itself it would grow to 4 MB. It bounds what a distant peer is sent in a round
 * trip. */
#define GZ_SOCKET_SEND_BYTES (64 * 1024)
/* Bytes of those that may wait for a viewer that does not read, whose kernel is full. */
#define GZ_SOCKET_WAITING_BYTES (16 * 1024)
/* Display names that can be made admins by option. */
#define GZ_ADMINS_MAX 32
/* The file of --config: some ten times one that has all options and says what each is for. */
#define GZ_CONFIG_BYTES_MAX (256 * 1024)
/* Origins that can be allowed by option. */
#define GZ_ORIGINS_MAX 32
/* Ranges of addresses whose proxies can be trusted by option. */
#define GZ_PROXIES_MAX 32

/* ---- A cluster ---- */

/* Bytes of a member's name (a host name has 63), and of its version. */
#define GZ_MEMBER_BYTES_MAX 63
#define GZ_MEMBER_VERSION_BYTES_MAX 63
/* Bytes of a member's signature, hexadecimal digits; of a sentence that it says of itself; and of a
 * list of names. */
#define GZ_MEMBER_SIGNATURE_BYTES 64
#define GZ_MEMBER_WORDS_BYTES_MAX 255
#define GZ_MEMBER_LIST_BYTES_MAX 4095
/* Members of a cluster; each has a link to each of the others. */
#define GZ_CLUSTER_MEMBERS_MAX 64
/* Bytes of the members' common secret: fewer could be guessed. */
#define GZ_MEMBER_SECRET_BYTES_MIN 16
#define GZ_MEMBER_SECRET_BYTES_MAX 1024
/* Bytes of one change in the log: SQLite's limit for a changeset. */
#define GZ_CHANGE_BYTES_MAX ((size_t)INT32_MAX)
/* Bytes of a row of the log: a larger change or copy takes several rows. PostgreSQL allows a GiB in
 * a value, but holds it in memory more than once. */
#define GZ_CLUSTER_PART_BYTES (1024 * 1024)
/* Files that a member has put aside, about which the operator has to decide. At this number it
 * leaves files where they are, and does not follow their scenes. */
#define GZ_CLUSTER_ASIDE_MAX 256
/* Connections of a member to the database, shared by the threads that append. One more is for
 * renewals alone. PostgreSQL allows 100 in all by default. */
#define GZ_CLUSTER_CONNECTIONS_MAX 8
/* Seconds between the renewals of a lease, and seconds without one until another member may take
 * the scenes: a few late renewals do no harm. */
#define GZ_CLUSTER_RENEW_SECONDS 1
#define GZ_CLUSTER_LEASE_SECONDS 5
/* Seconds since the last sign of the database, or of another member, after which it counts as
 * silent: two signs were lost. A lease goes on meanwhile. */
#define GZ_CLUSTER_SILENCE_SECONDS 3
/* Seconds after which a scene may be asked for again because its authority cannot be reached, if
 * no member is reached by more of the others. */
#define GZ_CLUSTER_ASK_SECONDS 30
/* Changes, and their bytes, that are written to a file in one transaction when it catches up. */
#define GZ_CLUSTER_BATCH_CHANGES 1000
#define GZ_CLUSTER_BATCH_BYTES ((size_t)4 * 1024 * 1024)
/* Changes, and their bytes, by which a file is brought on until those of other scenes have their
 * turn: some 0.1 s for edits of one node. Reading on takes a new connection. */
#define GZ_CLUSTER_TURN_CHANGES (4 * GZ_CLUSTER_BATCH_CHANGES)
#define GZ_CLUSTER_TURN_BYTES (4 * GZ_CLUSTER_BATCH_BYTES)
/* Seconds after which a member that was not seen any more is not looked for. */
#define GZ_CLUSTER_GONE_SECONDS 60
/* Changes that a file may lack when its member takes the scene: some 50 ms of catching up. */
#define GZ_CLUSTER_LEVEL_CHANGES 1000
/* Seconds that connecting to a database host may take before the next host is tried, and that the
 * database may take to answer: a commit may wait for a standby. */
#define GZ_CLUSTER_CONNECT_SECONDS 3
#define GZ_CLUSTER_ANSWER_SECONDS 10
/* Files of other members' scenes that a member keeps open for the next changes, each with up to 2
 * MiB of memory; further files are opened and closed each time. */
#define GZ_CLUSTER_KEPT_MAX 16
/* Scenes that a member's metrics list, whose files have lacked changes for the longest time. */
#define GZ_CLUSTER_LAGS_MAX 32
/* Days for which the database remembers that a scene was deleted or renamed. An older file is
 * recognised by its place. */
#define GZ_CLUSTER_GONE_DAYS 30

/* Seconds by which the clocks of two members may differ. */
#define GZ_PROOF_SECONDS 300
/* Seconds that a connection from a member to another may take, handshakes included. */
#define GZ_RELAY_CONNECT_SECONDS 5
/* Bytes of a frame in one record of a link. Clients take turns between pieces, so that a large
 * frame for one does not keep others waiting. */
#define GZ_TRUNK_PIECE_BYTES (16 * 1024)
/* Bytes of a relayed client between the members in each direction, which the receiver has not taken
 * yet. It bounds what one client is sent in a round trip between members, and what waits for a
 * client that does not read. */
#define GZ_TRUNK_WINDOW_BYTES (65 * 1024)
/* What a piece takes of a window besides its bytes, for its bookkeeping. */
#define GZ_TRUNK_PIECE_COST 64
/* Pieces that both ends of a link remember, so that they are sent once for all clients. A round
 * through the viewers of a scene has one or two for all, and some for single clients in between. */
#define GZ_TRUNK_SLOTS 64
/* Groups of clients of a link that are sent the same: a few forms of viewers in each scene. */
#define GZ_TRUNK_GROUPS_MAX GZ_SCENES_MAX
/* Above so many bytes that wait on a link its clients get no new frames: a later frame is more up
 * to date. */
#define GZ_TRUNK_WAITING_BYTES (256 * 1024)
/* The most that can wait: for each client a window, the bytes of one read on top, and the records
 * around them. */
#define GZ_TRUNK_OUT_BYTES_MAX                                                                     \
    ((size_t)(GZ_SESSIONS_MAX + GZ_CONNECTIONS_SPARE) *                                            \
     (GZ_TRUNK_WINDOW_BYTES + 3 * GZ_TRUNK_PIECE_BYTES))
/* Above so many waiting bytes of TOOK and CLOSE a link is not read, because reading causes more of
 * them. An edge has fewer, one close and one returned window for each channel, as long as its
 * authority respects the windows: so it reads on, and two members never wait for each other. */
#define GZ_TRUNK_ANSWERS_BYTES ((size_t)UINT16_MAX * 64)
/* Bytes of a link's buffers that are kept for the next use. */
#define GZ_TRUNK_KEPT_BYTES ((size_t)512 * 1024)
/* Payloads of records: the description of a client; a close (RFC 6455). */
#define GZ_TRUNK_OPEN_BYTES_MAX 256
#define GZ_TRUNK_CLOSE_BYTES_MAX 125
/* Bytes of the largest record, with all channels that it can name, and of a read. */
#define GZ_TRUNK_IN_BYTES_MAX (2 * GZ_TRUNK_PIECE_BYTES + 2 * UINT16_MAX + 64)
/* Bytes that the kernel may hold for sending on a link, which bounds a round trip; the system's
 * own maximum may be less. */
#define GZ_TRUNK_SOCKET_BYTES (1024 * 1024)
/* Seconds between signs of life on a link, and of silence after which it is lost: not longer than
 * a lease, so that clients leave a member that is frozen. */
#define GZ_TRUNK_BEAT_SECONDS 1
#define GZ_TRUNK_SILENCE_SECONDS GZ_CLUSTER_LEASE_SECONDS
/* Seconds between tries to reach a member. */
#define GZ_TRUNK_RETRY_SECONDS 1
/* Seconds without clients after which a link is closed, unless it is to another member of the
 * list. */
#define GZ_TRUNK_IDLE_SECONDS 5
/* Bytes of a request's body that wait for another member. */
#define GZ_RELAY_BODY_BYTES (4 * GZ_HTTP_CHUNK_BYTES)
/* Seconds after which a relayed request fails if the other member neither answers nor takes bytes:
 * the largest import takes one minute. */
#define GZ_RELAY_SILENCE_SECONDS 300

/* ---- Times ---- */

/* A connection that only answers pings is pinged less and less often. The time before its next ping
 * grows to so many seconds, and a silent one is ended as much later; with another --ping-seconds
 * than usual both change in proportion. It is longer than the 25 seconds after which the client
 * package itself asks for an answer, so that one of the two is enough, and stays below 30 seconds,
 * after which some proxies close a connection that carries nothing. */
#define GZ_QUIET_SECONDS 28

/* Milliseconds between presence frames of a scene: 20 a second at most. */
#define GZ_PRESENCE_MS_MIN 50
/* Milliseconds that presence waits at most to go with another frame, while these come in quick
 * succession: slightly more than a frame of a 60 Hz display. */
#define GZ_RIDE_MS 20
/* Milliseconds without other news after which viewers are sent `saved` alone: longer than a commit
 * and the pause between two pointers, shorter than users notice. */
#define GZ_SAVED_MS_QUIET 100
/* Bytes a second that one user's presence may take of each viewer's bandwidth. A record is sent
 * whole, with all ids of its selection: 1,400 ids 20 times a second, 10,000 ids three times. */
#define GZ_PRESENCE_BYTES_PER_S (256 * 1024)
/* Milliseconds between presence frames in the packed form: 10 a second, from which a viewer can
 * interpolate. With news of more than GZ_PRESENCE_USERS users the interval grows in proportion, so
 * that pointers take some 1.5 kB a second of a viewer's bandwidth, however many users there are. */
#define GZ_PRESENCE_PACKED_MS 100
#define GZ_PRESENCE_USERS 16
/* Viewers are sent users who act, and so many others: a few people who open a scene together see
 * each other at once. As many as there are colours. */
#define GZ_PRESENCE_FEW 12
/* Milliseconds between the numbers of people who are here. With more than so many people the
 * interval grows in proportion: the numbers take 25 kB/s for all viewers of a scene together. */
#define GZ_CROWD_MS 250
#define GZ_CROWD_PEOPLE 256
/* The largest encoded size of a user's record without its ids, which decides how long it waits. */
#define GZ_PRESENCE_BYTES_USER 512
/* Milliseconds between updates of an interest that is the view of a moving camera. An update looks
 * at the whole scene. */
#define GZ_VIEW_MS_MIN 100
/* Frames that leave by one call of the kernel, and the largest of them: one that is larger leaves
 * by a call of its own, so that it is known at once whether the socket is full. */
#define GZ_SENDS_MAX 128
#define GZ_SEND_BYTES_MAX (4 * 1024)
/* Microseconds of the daemon's threads' time slices: the shortest that Linux allows. */
#define GZ_TIME_SLICE_US 100
/* Milliseconds between samples of drags. Two samples are one commit if they have at most so many
 * rows; an edit and a cancel are committed at once. A crash loses at most twice this much motion
 * plus one commit; of a drag of more than GZ_SAMPLED_NODES_MAX nodes, all of it. */
#define GZ_SAMPLE_MS_MIN 20
#define GZ_SAMPLES_WAITING_MAX 50
/* The most nodes of a drag whose path is recorded while it runs: an edit of another user waits for
 * the batch before it, which takes some 10 us for each node. Of a larger drag only the beginning
 * and the end are stored, and a crash in between takes the drag back. */
#define GZ_SAMPLED_NODES_MAX 500
/* The fewest nodes of a drag that is sent as motions. Only the end of a drag that is not sampled
 * sends every node again, as motions require. */
#define GZ_MOTION_NODES_MIN 501
/* Drags that are sent as motions at the same time; others are sent node by node. */
#define GZ_MOTION_DRAGS_MAX 8
/* How far a node may be from the place that its motion gives, relative to the larger of its
 * coordinates before and after; for a component of its rotation, absolute. */
#define GZ_MOTION_TOLERANCE 1e-10
/* How far the recorded path of a drag may be from a sample that it leaves out: half a pixel of the
 * drag's camera, or a millimetre without a camera; a degree; and a part of each scale factor. */
#define GZ_PATH_PX 0.5
#define GZ_PATH_METRES 0.001
#define GZ_PATH_DEGREES 1.0
#define GZ_PATH_SCALE 0.005
/* Random bytes of a session's secret, with which its user's next connection takes its place. */
#define GZ_SECRET_BYTES 16
/* The speed of a scene's times while the wall clock, after it was put back, is behind them: half of
 * real time. */
#define GZ_CLOCK_RATE_MIN 0.5
/* A node that did not move for so many milliseconds of a drag was at rest: its path stays there
 * instead of creeping towards the next sample. */
#define GZ_PATH_REST_MS 100
/* Seconds that edits wait while another program, such as sqlite3, has the scene's file locked,
 * before they are refused. */
#define GZ_LOCK_SECONDS_MAX 5
/* Batches of one scene that are with the disk at the same time: one that is committed, and one for
 * each turn of the core meanwhile, which together are the next commit. Later edits wait in the
 * journal until the commit is over. */
#define GZ_BATCHES_MAX 64
/* Milliseconds between tries while the disk refuses: edits wait this long for the next try, and up
 * to GZ_LOCK_SECONDS_MAX more if another program has the file locked. */
#define GZ_RETRY_MS 250
/* Seconds that a connection has to take its last frames before it is ended. */
#define GZ_FAREWELL_SECONDS 2
/* Seconds that a commit may take before the daemon reports itself unhealthy. */
#define GZ_COMMIT_SECONDS_MAX 1
/* Seconds for which an edit and its key are kept at least, so that a client that lost its
 * connection can send its request again. */
#define GZ_RETENTION_SECONDS_MIN 3600
/* Seconds for which a glTF file stays once nothing that is kept has a node of it: longer than a
 * restore takes that read such a node just before. */
#define GZ_UNUSED_ASSET_SECONDS 60
/* A wall clock that is so many seconds further than the time that passed has jumped ahead, and is
 * then not trusted for so many seconds: what it makes old would be removed for good. */
#define GZ_CLOCK_JUMP_SECONDS 60
#define GZ_CLOCK_DOUBT_SECONDS 3600
/* Milliseconds that a question about the past may run. */
#define GZ_QUERY_MS_MAX 10000
/* Seconds that the check of a foreign file may take before it is opened, and one more for each so
 * many bytes: a sixth of the speed on an idle processor. */
#define GZ_CHECK_SECONDS 10
#define GZ_CHECK_BYTES_PER_S (4 * 1024 * 1024)
/* A request of a hook: its events and their bytes, of which one event alone may have more; its
 * seconds, and those until it is connected. The nodes of the edits that are read for it. */
#define GZ_HOOK_EVENTS_MAX 100
#define GZ_HOOK_BYTES_MAX (256 * 1024)
#define GZ_HOOK_SECONDS_MAX 10
#define GZ_HOOK_CONNECT_SECONDS 5
#define GZ_NEWS_NODES_MAX 20000
/* Seconds until a request that failed is tried again: the first time, and the most, as each further
 * failure doubles them. Seconds between looks for scenes that are not open and have news. */
#define GZ_HOOK_PAUSE_S 1
#define GZ_HOOK_PAUSE_S_MAX 60
#define GZ_HOOK_LOOK_SECONDS 60
/* Secrets of a hook, the bytes of its address, and of the id of a request: a scene's name, five
 * numbers, what is between them, and the end. */
#define GZ_HOOK_SECRETS_MAX 4
#define GZ_HOOK_URL_BYTES_MAX 1024
#define GZ_HOOK_ID_BYTES (64 + 5 * 21 + 6)
/* Seconds that deleting or renaming a scene waits for readers of its file. */
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
static_assert((GZ_NOTE_BYTES_MAX + 1024) * GZ_PENDING_EDITS_MAX < GZ_EDIT_BYTES_MAX,
              "notes that wait fit into a batch beside the edits");
static_assert(2 * GZ_SECRET_BYTES + 16 < GZ_SECRET_TEXT_BYTES_MAX,
              "a secret is sent in hexadecimal, with the session's id");
static_assert(2 * GZ_SAMPLE_MS_MIN <= 50, "a crash costs at most 50 ms of motion");
static_assert(GZ_QUIET_SECONDS < 30, "a proxy keeps a quiet connection");
static_assert(GZ_RETIRE_SECONDS_MAX * 1000 > GZ_QUERY_MS_MAX,
              "a question about the past is waited for");
static_assert((size_t)GZ_SURFACE_TRIANGLES_MAX * 64 <= GZ_SURFACE_BYTES_MAX,
              "the triangles of one scene fit");
static_assert(GZ_SURFACE_TESTS_PER_LOOK / GZ_TRIANGLES_PER_NODE <
                  GZ_MESSAGES_PER_S_MAX * GZ_NODES_PER_MESSAGE,
              "a session within its rate may look");
static_assert(60 * 1000 * (GZ_PRICE_MOVED + 1) < GZ_MESSAGES_PER_S_MAX * GZ_NODES_PER_MESSAGE,
              "a session within its rate may drag a thousand nodes");
static_assert(GZ_PRICE_SIGNATURE < GZ_MESSAGES_PER_S_MAX * GZ_NODES_PER_MESSAGE,
              "a session within its rate may renew its token");
static_assert(GZ_HTTP_ANSWER_BYTES_MAX <= GZ_HTTP_ANSWERS_MEMORY_BYTES,
              "the largest answer may be in memory");
static_assert(1000 / GZ_PRESENCE_MS_MIN <= 20, "presence at most 20 times a second");
static_assert(GZ_PRESENCE_BYTES_USER * 1000 / GZ_PRESENCE_MS_MIN <= GZ_PRESENCE_BYTES_PER_S,
              "a user with a small selection is shown each time");

#endif
