/* limits.h - the maxima of the wire, which both ends know: their units and the reasons for their
 * values.
 *
 * The server's other maxima are in server/maxima.h. A request past a limit is refused in words and
 * changes nothing. */

#ifndef GZ_LIMITS_H
#define GZ_LIMITS_H

#include <assert.h>
#include <stddef.h>
#include <stdint.h>

/* ---- Messages ---- */

/* Bytes of one WebSocket message from a client. A select or set of a whole 10,000-node scene
 * fits. */
#define GZ_MESSAGE_BYTES_MAX (1024 * 1024)
/* Bytes that a connection may send before its hello was accepted: no valid hello is longer, and the
 * user is not known yet. */
#define GZ_HELLO_BYTES_MAX 8192
/* Seconds within which the hello has to come. */
#define GZ_HELLO_SECONDS_MAX 5
/* Maps per second and session, with a burst of one second. A 1 kHz mouse with room to spare. */
#define GZ_MESSAGES_PER_S_MAX 2000
/* MessagePack nesting: the deepest known message is map > list of maps > list (3); unknown keys may
 * hold more. */
#define GZ_DEPTH_MAX 16
/* Memory that decoding may take before a message is refused, as a multiple of its bytes, plus a
 * fixed part for the smallest: its claimed lengths are not trusted. */
#define GZ_DECODE_FACTOR_MAX 4
#define GZ_DECODE_BYTES_FLOOR 4096
/* The same for an accepted message: the shortest elements on the wire become structs of this many
 * times their bytes; in messages that only a server sends, of GZ_DECODE_TOLD_FACTOR_MAX times. */
#define GZ_DECODE_ACCEPTED_FACTOR_MAX 40
#define GZ_DECODE_TOLD_FACTOR_MAX 64
/* Bytes of MessagePack that a byte of JSON may become while it is read: a list and a number of few
 * digits take the longest forms, because how many there are is known at the end. */
#define GZ_JSON_FACTOR_MAX 3
/* Ids and seq stay below this, because a JavaScript number holds only smaller integers exactly. */
#define GZ_ID_LIMIT (UINT64_C(1) << 53)
/* Bytes at which a state delta is cut and continued with `more`: large enough to be cheap, small
 * enough to interleave. */
#define GZ_DELTA_BYTES_MAX (256 * 1024)
/* Bytes of one frame for all viewers: a delta with edits and presence. An edit names every node
 * that it changed. */
#define GZ_FRAME_BYTES_MAX (8 * 1024 * 1024)
/* Bytes of any frame from the server: an answer to one session is one message, and is never cut. */
#define GZ_SERVER_FRAME_BYTES_MAX (64 * 1024 * 1024)
/* Seconds between pings; seconds after which a connection is ended that neither sends nor takes a
 * byte. */
#define GZ_PING_SECONDS 5
#define GZ_SILENCE_SECONDS 15

/* ---- The packed form ---- */

/* `moves` holds the seq that it leads from modulo this: one byte, which still reveals a gap. */
#define GZ_MOVES_FROM 128
/* Motions in a scene at the same time, one for each parent: a drag of nodes with more parents is
 * sent node by node. */
#define GZ_MOTIONS_MAX 64
/* Most nodes of a drag that is sent as motions: a viewer that joins meanwhile is sent all their
 * starts in one frame. */
#define GZ_MOTION_NODES_MAX 20000
/* Steps of the components of a unit quaternion: 16 bits with the sign, 0.003 degrees. */
#define GZ_TURN_STEPS 32767
/* Steps of a pointer from one edge of a viewport to the other: 16 bits, a fraction of a pixel. */
#define GZ_SPOT_STEPS 65535

/* ---- Poses from outside ---- */

/* Holds of a session at once: a robot's joints, or a few trackers, may be one or many. */
#define GZ_HOLDS_MAX 64

/* ---- Text, in bytes of UTF-8 ---- */

#define GZ_NAME_BYTES_MAX 256      /* a node's name */
#define GZ_USER_BYTES_MAX 64       /* a user's display name */
#define GZ_KEY_BYTES_MAX 64        /* an edit's idempotency key */
#define GZ_SCENE_NAME_BYTES_MAX 64 /* [a-z0-9][a-z0-9_-]{0,63} */
#define GZ_TOKEN_BYTES_MAX 4096
#define GZ_MEMBER_URL_BYTES_MAX 255 /* an address of a member of a cluster */
#define GZ_ERROR_BYTES_MAX 240      /* an error's message */
#define GZ_CHECKPOINT_BYTES_MAX 64  /* a checkpoint's name */
#define GZ_NOTE_BYTES_MAX 2000      /* a note in the scene */
/* a session's secret, with which its user's next connection takes its place */
#define GZ_SECRET_TEXT_BYTES_MAX 64

/* ---- Keys and tokens ---- */

/* Bytes of a file of keys: identity providers add certificates, some KiB for each key. */
#define GZ_KEYS_BYTES_MAX (256 * 1024)
/* Keys of a file: those in use, and those that rotation has not removed yet. */
#define GZ_KEYS_MAX 64
#define GZ_KEY_ID_BYTES_MAX 128
/* RSA keys: below 2048 bits they can be broken, above 8192 a signature takes too long. */
#define GZ_RSA_BITS_MIN 2048
#define GZ_RSA_BITS_MAX 8192
/* Of the public exponent, which makes a signature slow to verify. Usual ones have 2 or 17. */
#define GZ_RSA_EXPONENT_BITS_MAX 64
/* An HS256 secret: as long as the hash, as RFC 7518 (3.2) demands. */
#define GZ_SECRET_BYTES_MIN 32
/* The claim `jti`, by which a token can be revoked. */
#define GZ_TOKEN_ID_BYTES_MAX 128
/* Bytes of a list of revoked tokens: some 80,000. */
#define GZ_REVOKED_BYTES_MAX (4 * 1024 * 1024)
/* Globs in the claim `scenes` of a token, and the bytes of one, which are those of a scene's or a
 * user's name. */
#define GZ_TOKEN_SCENES_MAX 16
#define GZ_GLOB_BYTES_MAX 64
/* Seconds that an invitation may be valid. */
#define GZ_LINK_SECONDS_MAX (30 * 24 * 3600)
/* Seconds before `nbf` in which a token is accepted, because the signer's clock may be ahead. `exp`
 * has none. */
#define GZ_TOKEN_LEEWAY_SECONDS 60

/* ---- A scene, and answers about it ---- */

/* Nodes alive at once. */
#define GZ_NODES_MAX 100000
/* Elements of a list in a message of the server: an import or a restore may delete and create all
 * nodes. A client's lists have at most GZ_NODES_MAX. */
#define GZ_SERVER_LIST_MAX (2 * GZ_NODES_MAX)
/* Rows of one history answer. */
#define GZ_HISTORY_ROWS_MAX 1000
/* Points of one answer about a node's path: 20 minutes of a drag with every sample kept. */
#define GZ_PATH_POINTS_MAX 65536
/* Bytes of an imported glTF file. */
#define GZ_ASSET_BYTES_MAX (256 * 1024 * 1024)
/* Bytes of an export's message about skins that it left out: one HTTP header. */
#define GZ_DROPPED_BYTES 200

static_assert(GZ_HELLO_BYTES_MAX <= GZ_MESSAGE_BYTES_MAX, "a hello is a message");
static_assert(GZ_TOKEN_BYTES_MAX + 4096 <= GZ_HELLO_BYTES_MAX, "a hello carries a token and names");
static_assert(GZ_SCENE_NAME_BYTES_MAX <= GZ_GLOB_BYTES_MAX &&
                  GZ_USER_BYTES_MAX <= GZ_GLOB_BYTES_MAX,
              "a glob can be the name itself");
static_assert(GZ_DELTA_BYTES_MAX + GZ_NODES_MAX * 9 * 2 < GZ_FRAME_BYTES_MAX,
              "an edit of every node fits beside a delta");
static_assert(GZ_FRAME_BYTES_MAX <= GZ_SERVER_FRAME_BYTES_MAX,
              "a frame for all is a frame from the server");
static_assert(GZ_SILENCE_SECONDS > 2 * GZ_PING_SECONDS, "one lost pong is not the end");

#endif
