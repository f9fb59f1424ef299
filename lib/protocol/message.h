/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PROTOCOL_MESSAGE_H
#define PROTOCOL_MESSAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/field.h"
#include "base/json.h"
#include "base/lang.h"
#include "protocol/limit.h"
#include "protocol/rule.h"
#include "protocol/validation_error.h"

/*
 * Messages of clients on the three sockets.  Only the syntax of one message is checked
 * here.  task_read() checks the tree of a set_task; the task decides whether it has a
 * language.
 */
#define MESSAGE_AUDIO_BYTES (512 * 1024) /* decoded */

enum message_socket { MESSAGE_S2S, MESSAGE_STT, MESSAGE_TTS };

enum message_kind {
	/* not a JSON object, no type, or a type that this socket does not have */
	MESSAGE_UNKNOWN,
	/* S2S */
	MESSAGE_SET_TASK,
	MESSAGE_GET_TASK,
	MESSAGE_PAUSE_TASK,
	MESSAGE_FLUSH_TASK,
	MESSAGE_INTERRUPT_TASK, /* acts as flush_task */
	MESSAGE_TTS_TASK,
	MESSAGE_END_TASK,
	MESSAGE_AUDIO,
	MESSAGE_SET_LANGUAGE,
	/* STT */
	MESSAGE_FINALIZE,
	/* TTS */
	MESSAGE_INIT,
	MESSAGE_TEXT,
	MESSAGE_CANCEL,
	MESSAGE_RESET_CONTEXT,
	MESSAGE_KINDS
};

#define MESSAGE_FROM_SPEAKER 0x01
#define MESSAGE_FROM_LISTENER 0x02 /* a connection that may not write */

/*
 * A type of message that clients send.  docs/streaming.md and /asyncapi.json are made
 * from these rows.
 */
struct message_type {
	const char *name;
	enum message_socket socket;
	unsigned from;            /* MESSAGE_FROM_..., or'ed */
	const struct rule *rules; /* rules of its members, or NULL */
	enum limit_kind limit;    /* LIMIT_KINDS: none */
	const char *help;
};

extern const struct message_type message_types[MESSAGE_KINDS];

struct message_flush {
	bool global; /* for all languages, and the segment in the recognizer */
	struct list languages; /* const char *: folded codes, if not global */
	bool pause;
};

struct message_tts {
	const char *text; /* 1 to 2048 code points */
	struct language_code language;
	bool translate;
};

struct message_end {
	int64_t eos_s; /* 1 to 30; 0: no more input is awaited */
	bool force;
};

struct message_audio {
	const unsigned char *bytes;
	size_t n;
};

/* The voice of a TTS message. */
struct message_voice {
	const char *id; /* NULL: not sent */
	double speed;   /* 0 to 2; below 0: not sent */
};

enum message_format { MESSAGE_PCM, MESSAGE_WAV, MESSAGE_MP3 };

struct message_init {
	struct language_code language;
	const char *model;          /* "auto" */
	struct message_voice voice; /* voice, with defaults */
	int format;                 /* enum message_format */
	int64_t sample_rate;
};

struct message_text {
	const char *text; /* up to 1024 code points; empty only with is_eos */
	bool is_eos;
	const char *generation; /* NULL: not sent */
	bool reset;             /* forget the context; there is none */
	struct message_voice voice;
};

struct message_cancel {
	const char *generation; /* NULL: all of them */
};

struct message {
	enum message_kind kind;
	union {
		const struct json *task; /* task of set_task, an object */
		bool exclude_hidden;     /* member of get_task */
		struct message_flush flush;
		struct message_tts tts;
		struct message_end end;
		struct message_audio audio;
		/* language of set_language; or "original", "all" */
		struct language_code language;
		struct message_init init;
		struct message_text text;
		struct message_cancel cancel;
	} u;
};

/*
 * Parse a message.  False: the validation errors say why; the kind is set if it was
 * recognized.  All data lives in mem.
 */
bool message_read(struct arena *mem, enum message_socket, const char *, size_t n,
    struct message *, struct validation_errors *) MUST_CHECK;

/* An example of the message for descriptions; message_read() accepts it. */
const char *message_example(enum message_kind);
/*
 * The values of members that a client omits, as an object for rules_schema(); NULL:
 * none are described. For set_task: its example with all that current_task adds to it.
 */
const struct json *message_defaults(struct arena *, enum message_kind);

#endif
