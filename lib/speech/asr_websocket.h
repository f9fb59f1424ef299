#ifndef SPEECH_ASR_WEBSOCKET_H
#define SPEECH_ASR_WEBSOCKET_H

#include "base/json.h"
#include "speech/asr.h"

/*
 * What servers that recognise while they are fed over a WebSocket have for dialects;
 * private to this folder.  A phrase is a connection: its sound, then `end`, then what
 * the server still has to say.
 */
struct asr_socket_text {
	struct arena *mem;   /* of the phrase */
	struct buf settled;  /* what will not change any more */
	const char *running; /* what follows and may change */
	bool done;           /* nothing follows `end` any more */
	bool failed;         /* the server said that it cannot */
};

struct asr_socket {
	const struct engine_at *at;
	const char *lang;   /* a base, "en" */
	const char *prompt; /* terms that are likely; "": none */
};

struct asr_dialect {
	const char *name;
	const char *header, *scheme; /* of the credential: "authorization:", "Token " */
	/* Path and query, below the URL. */
	const char *(*path)(struct arena *, const struct asr_socket *);
	/* The first message; NULL: none. */
	const char *(*hello)(struct arena *, const struct asr_socket *);
	/* Sound as a message; true: it is text. */
	bool (*encode)(struct buf *, const int16_t *, size_t n);
	const char *end; /* the message behind the sound */
	/* What the server said; NULL: it is no JSON object, but text. */
	void (*take)(struct asr_socket_text *, const struct json *, const char *text);
};

/* NULL is vosk; NULL: there is none of that name. */
const struct asr_dialect *asr_dialect_find(const char *name);

#endif
