/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef RTC_STUN_H
#define RTC_STUN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/socket.h>

#include "base/err.h"

/*
 * STUN's Binding (RFC 8489) as ICE uses it (RFC 8445, 7). Reads and writes bytes: no
 * call sends, allocates or stores anything. Addresses are struct sockaddr_in or
 * sockaddr_in6.
 */
#define STUN_MOST 1500 /* bytes of a message read, at most */
#define STUN_ROOM 640  /* bytes of a message written, at most */
#define STUN_ID 12     /* bytes of a transaction id */
#define STUN_UNKNOWN 8 /* unknown attributes reported, at most */
#define STUN_UFRAG_MOST 256

/* A Binding request.  Its pointers refer to the bytes read. */
struct stun_request {
	const unsigned char *bytes; /* bytes of the message */
	size_t n;
	const char *ufrag, *peer_ufrag; /* USERNAME "{ours}:{theirs}", without NUL */
	size_t ufrag_n, peer_ufrag_n;
	uint32_t priority;              /* 0: none */
	bool use_candidate;             /* nominates its pair */
	bool controlled;                /* role conflict: must be answered with 487 */
	size_t n_unknown;               /* if above 0, it must be answered with 420 */
	uint16_t unknown[STUN_UNKNOWN]; /* attributes that must be understood */
	size_t integrity; /* position of MESSAGE-INTEGRITY; see stun_is_from() */
};

/*
 * Read a request. False: it must be dropped without an answer, because it is not a
 * Binding request, malformed, a wrong FINGERPRINT, or without USERNAME or
 * MESSAGE-INTEGRITY.  Attributes after MESSAGE-INTEGRITY are ignored, and the first of
 * several of one kind counts.
 */
bool stun_read(const void *, size_t n, struct stun_request *) MUST_CHECK;
const unsigned char *stun_id(const struct stun_request *); /* STUN_ID bytes */
/*
 * True if the sender knows our password: by MESSAGE-INTEGRITY, in constant time.  If
 * not, the request must also be dropped without an answer.
 */
bool stun_is_from(const struct stun_request *, const char *pwd) MUST_CHECK;

/* Answers, to the address that the request came from.  They return their length. */
size_t stun_write_success(const struct stun_request *, const char *pwd,
    const struct sockaddr *from, unsigned char to[STUN_ROOM]);

enum stun_error {
	STUN_UNKNOWN_ATTRIBUTE = 420, /* the response lists those of the request */
	STUN_ROLE_CONFLICT = 487,
};
size_t stun_write_error(const struct stun_request *, const char *pwd, enum stun_error,
    unsigned char to[STUN_ROOM]);

/* ---- a controlling agent, for tests ---- */

struct stun_check {
	unsigned char id[STUN_ID];      /* random */
	const char *ufrag, *peer_ufrag; /* our ufrag, and the server's */
	const char *peer_pwd;           /* the server's password */
	uint32_t priority;              /* priority of a peer-reflexive candidate */
	uint64_t tie_breaker;           /* random, kept for the session */
	bool use_candidate;
};

/* Returns the length; 0: a ufrag is over STUN_UFRAG_MOST. */
size_t stun_write_request(const struct stun_check *, unsigned char to[STUN_ROOM]);
/*
 * True if the bytes are the success response to this check.  *mapped: our address as
 * the server sees it.
 */
bool stun_read_success(const void *, size_t n, const struct stun_check *,
    struct sockaddr_storage *mapped) MUST_CHECK;

#endif
