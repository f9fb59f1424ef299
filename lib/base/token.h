/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef BASE_TOKEN_H
#define BASE_TOKEN_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"

/* Nouns: scope. */

/* An API token: JWT (RFC 7519), signed with HS256 only. */
struct api_token {
	const char *sub;   /* user_id */
	const char *scope; /* space-separated; "" when absent */
	const char *key;   /* key_id: the credential it was made with; NULL: none */
	int64_t exp_us;    /* read only: expiry */
};

/*
 * Check signature, iss, aud (dragoman-api), exp (required, at most a day
 * ahead), nbf and iat, with 30 s of leeway.  secrets: "KID:SECRET KID:SECRET".
 */
bool token_check(struct arena *, const char *token, const char *secrets,
    const char *issuer, int64_t now_us, struct api_token *);
/* A token signed by the first secret, valid for ttl_s from now. */
const char *token_make(struct arena *, const char *secrets, const char *issuer,
    int64_t now_us, int64_t ttl_s, const struct api_token *);

/* Claims of a token of the real-time interfaces. */
enum stream_role { STREAM_PUBLISHER, STREAM_SUBSCRIBER, STREAM_LISTENER };

struct stream_token {
	enum stream_role role;
	const char *sid;  /* id of the session or channel; NULL: see room */
	const char *room; /* name of its room on the media backend */
	bool silent;      /* may not subscribe */
	bool speaks;      /* may publish; always true for a publisher when made */
	/* Read only: */
	bool joins;      /* roomJoin */
	bool sends_data; /* canPublishData; if absent, as canPublish */
	bool microphone; /* canPublishSources names the microphone, or is absent */
	bool hidden;
	/* LiveKit claims of the participant; or NULL */
	const char *identity, *name, *metadata;
	const char *attributes; /* JSON object, or NULL */
	int64_t expires_us;
	/* seed of its random ids: the same seed makes the same token; or NULL */
	const char *seed;
	const char *event, *listener, *language; /* claims of a listener; or NULL */
	const char *bystander; /* screen, preview: not a participant; or NULL */
	/* version of the event's access code when the token was made */
	int64_t code_version;
	int64_t
	    /* version of the channel's tokens; only a publisher's token has one */
	    speaker_version;
};

/*
 * A JWT of LiveKit's form, HS256, signed by the first of "ISSUER:SECRET ...";
 * the issuer is its kid as well.
 */
const char *stream_token_make(
    struct arena *, const char *keys, int64_t now_us, const struct stream_token *);

/*
 * Check a stream token and read it. The signature must be by the secret of its issuer
 * `iss`; `aud` must be "stream"; `nbf` and `exp` are required, with 60 s of leeway.
 * silent: canSubscribe is false. speaks: canPublish is true.
 *
 * A token of LiveKit's own tools has no aud, sid and dgm. Then sid is NULL, the role
 * follows from canPublish, and absent grants count as given, except roomJoin.
 */
bool stream_token_check(struct arena *, const char *token, const char *keys,
    int64_t now_us, struct stream_token *);

/*
 * The scopes that a credential may have; NULL-terminated.  A route that needs any
 * other scope stops the build.
 */
extern const char *const known_scopes[];

bool scope_known(const char *);
/* The first unknown scope of a list, separated by blanks; NULL: all are known. */
const char *scope_unknown(struct arena *, const char *list);

#endif
