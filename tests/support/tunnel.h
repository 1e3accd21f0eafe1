/* tunnel.h - TLS for tests that know sockets only: what is written into a tunnel comes out of it
 * encrypted at a server, and back. A thread of each tunnel carries the bytes, no more at once than
 * a socket would hold, so that a client that does not read is one at the server, too. */
#ifndef TESTS_SUPPORT_TUNNEL_H
#define TESTS_SUPPORT_TUNNEL_H

/* What was agreed on. */
struct tunnel_peer {
    int version;       /* as OpenSSL's TLS1_3_VERSION */
    char subject[128]; /* the common name in the server's certificate */
    char protocol[16]; /* by ALPN; "" for none */
    char cipher[64];
    const char *refusal; /* why there is no tunnel, in OpenSSL's words */
};

/* Shakes hands with a server on 127.0.0.1, whose certificate must be by an authority in the file
 * `ca`. `version_max` is the latest version of TLS to be spoken, 0 for any. The socket, or -1 if
 * the handshake failed. `peer` may be NULL. */
int tunnel_open(int port, const char *ca, int version_max, struct tunnel_peer *peer);

#endif
