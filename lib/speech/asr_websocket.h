/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef SPEECH_ASR_WEBSOCKET_H
#define SPEECH_ASR_WEBSOCKET_H

#include "base/json.h"
#include "speech/asr.h"

/*
 * The dialects of servers that recognize speech over a WebSocket while they receive it;
 * private to this folder.  Each phrase has a connection: its sound, then `end`, then
 * the rest of the server's text.
 */
struct asr_socket_text {
	struct arena *mem;   /* arena of the phrase */
	struct buf settled;  /* text that is final */
	const char *running; /* text after it that may change */
	bool done;           /* the server has sent everything */
	bool failed;         /* the server reported a failure */
};

struct asr_socket {
	const struct engine_at *at;
	const char *lang;   /* base of the language, such as "en" */
	const char *prompt; /* likely terms; "": none */
};

struct asr_dialect {
	const char *name;
	/* parts of the credential: "authorization:", "Token " */
	const char *header, *scheme;
	/* Path and query, below the URL. */
	const char *(*path)(struct arena *, const struct asr_socket *);
	/* The first message; NULL: none. */
	const char *(*hello)(struct arena *, const struct asr_socket *);
	/* Sound as a message; true: it is text. */
	bool (*encode)(struct buf *, const int16_t *, size_t n);
	const char *end; /* the message that ends the sound */
	/* Read a message of the server; NULL: it is text and not a JSON object. */
	void (*read)(struct asr_socket_text *, const struct json *, const char *text);
};

/* The dialect of that name; NULL as the name: vosk. Returns NULL if there is none. */
const struct asr_dialect *asr_dialect_find(const char *name);

#endif
