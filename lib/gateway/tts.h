#ifndef GATEWAY_TTS_H
#define GATEWAY_TTS_H

#include "gateway/gate.h"
#include "speech/say_voice.h"
#include "stream/message.h"

/*
 * Text to speech, for who sends nothing but text.
 *
 *	tts.c         what he says
 *	tts_line.c    what is still to be spoken, and to be sent
 *	tts_text.c    texts as they are joined, and what of them is spoken next
 *	tts_tongue.c  the actor that speaks, one piece of text after the other
 *	tts_mp3.c     what of a file can stand behind another
 */
struct room;

/* ---- tts_text.c ---- */

/* What is joined: of one generation, in one voice. */
struct tts_text {
	struct tts_text *next;
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

struct tts_text *tts_text_new(const char *generation, const char *voice, double rate);
/* Another piece, as it was sent. */
void tts_text_join(struct tts_text *, const char *);
/*
 * The next piece that is to be spoken, at least a character; "": there is none, or
 * not yet.  It lives in the arena.
 */
const char *tts_text_next(struct arena *, struct tts_text *);
/* Nothing is left of it, and nothing will come. */
bool tts_text_over(const struct tts_text *);

/* ---- tts_mp3.c ---- */

/* What can stand behind other sound of a file of n bytes; *n is then its length. */
const char *tts_mp3_sound(const char *, size_t *n);

/* ---- tts_tongue.c ---- */

/* What all pieces have in common. */
struct tts_want {
	const char *language, *model;
	enum message_format format;
	int rate_hz;
};

struct tts_piece {
	struct letter letter;
	const char *text, *generation, *voice;
	double rate;
	bool known;
	struct voice_found found;
	bool first;       /* of its generation */
	int64_t asked_us; /* when its text came */
	int epoch;
};

enum tts_said_kind {
	TTS_MESSAGE, /* a chunk, or a warning */
	TTS_DONE,    /* with the piece */
	TTS_GONE,
};

struct tts_said {
	struct errand errand;
	struct room *room;
	enum tts_said_kind kind;
	int epoch;  /* the piece's */
	bool sound; /* it is a chunk; or the piece had some */
	enum err how;
	int64_t characters;
	const char *text;
	size_t n;
};

/*
 * An actor for struct tts_piece.  The room outlives it; want does, too.  Pieces of
 * another epoch than *epoch is are not wanted any more.
 */
struct actor *tongue_new(struct gate *, struct room *, const struct tts_want *,
    atomic_int *epoch, void (*told)(struct gate *, struct errand *));

#endif
