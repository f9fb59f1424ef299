#ifndef PROTOCOL_MESSAGE_H
#define PROTOCOL_MESSAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/field.h"
#include "base/json.h"
#include "protocol/language_code.h"
#include "protocol/validation_error.h"

/*
 * What clients say on the three sockets.  Only what a message says of itself is
 * checked here: a set_task's tree is for task_read(), and whether a language is
 * one of the task's is the task's to know.
 */
#define MESSAGE_AUDIO_BYTES (512 * 1024) /* decoded */

enum message_socket { MESSAGE_S2S, MESSAGE_STT, MESSAGE_TTS };

enum message_kind {
	MESSAGE_UNKNOWN, /* no JSON object, no type, or none of the socket's */
	/* S2S */
	MESSAGE_SET_TASK,
	MESSAGE_GET_TASK,
	MESSAGE_PAUSE_TASK,
	MESSAGE_FLUSH_TASK,
	MESSAGE_TTS_TASK,
	MESSAGE_END_TASK,
	MESSAGE_AUDIO,
	MESSAGE_SET_LANGUAGE,
	/* STT */
	MESSAGE_FINALIZE,
	/* TTS */
	MESSAGE_INIT,
	MESSAGE_TEXT,
	MESSAGE_CANCEL
};

struct message_flush {
	bool global;           /* every language, and the phrase in the recogniser */
	struct list languages; /* const char *: folded codes, if not global */
	bool pause;
};

struct message_tts {
	const char *text; /* 1 to 2048 code points */
	struct language_code language;
	bool translate;
};

struct message_end {
	int64_t eos_s; /* 1 to 30; 0: no eos */
	bool force;
};

struct message_audio {
	const unsigned char *bytes;
	size_t n;
};

/* What a TTS message said of the voice; only that counts. */
struct message_voice {
	const char *id; /* NULL: not said */
	double speed;   /* 0 to 2; below 0: not said */
};

enum message_format { MESSAGE_PCM, MESSAGE_WAV, MESSAGE_MP3 };

struct message_init {
	struct language_code language;
	const char *model;          /* "auto" */
	struct message_voice voice; /* with its defaults */
	int format;                 /* enum message_format */
	int64_t sample_rate;
};

struct message_text {
	const char *text; /* up to 1024 code points; empty only at the end */
	bool is_eos;
	const char *generation; /* NULL: not said */
	struct message_voice voice;
};

struct message {
	enum message_kind kind;
	union {
		const struct json *task; /* set_task's, an object */
		bool exclude_hidden;     /* get_task's */
		struct message_flush flush;
		struct message_tts tts;
		struct message_end end;
		struct message_audio audio;
		struct language_code
		    language; /* set_language's, or "original", "all" */
		struct message_init init;
		struct message_text text;
	} u;
};

/*
 * Read a message.  Whether it can be used; if not, the flaws say why, and the kind
 * is set if that much was understood.  All of it lives in mem.
 */
bool message_read(struct arena *mem, enum message_socket, const char *, size_t n,
    struct message *, struct validation_errors *) MUST_CHECK;

#endif
