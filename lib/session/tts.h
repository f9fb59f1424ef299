#ifndef SESSION_TTS_H
#define SESSION_TTS_H

#include "protocol/message.h"
#include "server/gateway.h"
#include "speech/voice_select.h"

/*
 * Text to speech, for who sends nothing but text.
 *
 *	tts.c         what he says
 *	tts_queue.c    what is still to be spoken, and to be sent
 *	tts_input.c    texts as they are joined, and what of them is spoken next
 *	tts_worker.c  the actor that speaks, one piece of text after the other
 *	tts_mp3.c     what of a file can stand behind another
 */
struct session;

/* ---- tts_input.c ---- */

/* What is joined: of one generation, in one voice. */
struct tts_input {
	struct tts_input *next;
	struct arena *mem;
	int number;
	const char *generation;
	const char *voice;
	double rate;
	bool looking; /* for the voice */
	bool known;   /* it was found */
	struct voice_found found;
	struct buf text;
	size_t from;      /* bytes of it that were spoken */
	bool closed, eos; /* nothing more comes; nor in this generation */
	int64_t asked_us; /* when the last of it came */
};

struct tts_input *tts_input_new(const char *generation, const char *voice, double rate);
/* Another piece, as it was sent. */
void tts_input_join(struct tts_input *, const char *);
/*
 * The next piece that is to be spoken, at least a character; "": there is none, or
 * not yet.  It lives in the arena.
 */
const char *tts_input_next(struct arena *, struct tts_input *);
/* Nothing is left of it, and nothing will come. */
bool tts_input_over(const struct tts_input *);

/* ---- tts_mp3.c ---- */

/* What can stand behind other sound of a file of n bytes; *n is then its length. */
const char *tts_mp3_audio(const char *, size_t *n);

/* ---- tts_worker.c ---- */

/* What all pieces have in common. */
struct tts_params {
	const char *language, *model;
	enum message_format format;
	int rate_hz;
};

struct tts_piece {
	struct actor_message message;
	const char *text, *generation, *voice;
	double rate;
	bool known;
	struct voice_found found;
	bool first;       /* of its generation */
	int64_t asked_us; /* when its text came */
	int epoch;
};

enum tts_event_kind {
	TTS_MESSAGE, /* a chunk, or a warning */
	TTS_DONE,    /* with the piece */
	TTS_GONE,
};

struct tts_event {
	struct thread_call call;
	struct session *session;
	enum tts_event_kind kind;
	int epoch;  /* the piece's */
	bool sound; /* it is a chunk; or the piece had some */
	enum err how;
	int64_t characters;
	const char *text;
	size_t n;
};

/*
 * An actor for struct tts_piece.  The session outlives it; want does, too.  Pieces of
 * another epoch than *epoch is are not wanted any more.
 */
struct actor *tts_worker_new(struct gateway *, struct session *,
    const struct tts_params *, atomic_int *epoch,
    void (*told)(struct gateway *, struct thread_call *));

#endif
