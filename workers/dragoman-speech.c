/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * One utterance: text on standard input, sound on standard output, see
 * lib/speech/utterance.h.  It is a separate process because eSpeak NG and flite keep
 * their state in globals and because the text is untrusted.
 *
 *	echo 'Good morning.' | dragoman-speech en-us '{"f0_hz":180}' |
 *	    aplay -t raw -f S16 -r 22050
 *
 * With --model it is the process of an engine of kind sherpa or whisper and serves many
 * requests: see lib/speech/model_message.h.
 */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/child.h"
#include "base/log.h"
#include "speech/builtin_voices.h"
#include "speech/model_library.h"
#include "speech/model_server.h"
#include "speech/synth.h"
#include "speech/synth_flite.h"
#include "speech/utterance.h"
#include "speech/voice_filter.h"

#define BLOCK 4096 /* samples */

static int
status(enum err e)
{
	return e == OK                ? 0
	       : e == ERR_UNSUPPORTED ? UTTERANCE_UNSUPPORTED
	       : e == ERR_REFUSED     ? UTTERANCE_REFUSED
				      : UTTERANCE_FAILED;
}

static enum err
read_text(struct arena *mem, const char **text)
{
	char *s = arena_alloc(mem, UTTERANCE_MAX_BYTES + 2);
	size_t n = fread(s, 1, UTTERANCE_MAX_BYTES + 1, stdin);

	*text = s;
	return n <= UTTERANCE_MAX_BYTES && !ferror(stdin) ? OK : ERR_REFUSED;
}

static enum err
write_sound(const struct pcm *pcm)
{
	int16_t block[BLOCK];

	for (size_t at = 0; at < pcm->n;) {
		size_t n = 0;

		for (; n < BLOCK && at < pcm->n; n++, at++)
			block[n] = (int16_t)lrintf(
			    fmaxf(-1, fminf(1, pcm->s[at] / UTTERANCE_MOST)) * 32767);
		if (fwrite(block, sizeof(block[0]), n, stdout) != n)
			return ERR_FAILED;
	}
	return fflush(stdout) == 0 ? OK : ERR_FAILED;
}

/* The voice's own speed times rate, within the limits of eSpeak NG. */
static int
words_per_minute(const struct voice_profile *p, double rate)
{
	return (int)lrint(fmax(80, fmin(450, voice_filter_rate_wpm(p) * rate)));
}

static enum err
utter(struct arena *mem, const char *lang, const char *voice, double rate)
{
	struct synth s = { .lang = builtin_voice_file(lang) };
	struct voice_profile p = voice_profile_none();
	struct pcm pcm;
	const char *data[] = { NULL, NULL }, *text;
	enum err e;

	if (s.lang == NULL)
		return ERR_UNSUPPORTED;
	if (voice != NULL && (e = voice_profile_read(mem, voice, &p)) != OK)
		return e;
	s.variant = p.variant;
	s.lines = voice_filter_lines(mem, &p);
	s.rate_wpm = words_per_minute(&p, rate);
	if ((e = synth_open(mem, &s)) != OK)
		return e;
	/* A word of another language loads that language's rules. */
	data[0] = synth_data();
	if ((e = child_sandbox(data)) != OK || (e = read_text(mem, &text)) != OK ||
	    (e = synth_speak(mem, text, &pcm)) != OK)
		return e;
	voice_filter_equalise(mem, &pcm, p.eq_db);
	return write_sound(&pcm);
}

static enum err
utter_by_flite(struct arena *mem, const char *voice, double rate)
{
	struct pcm pcm;
	const char *text;
	enum err e;

	if ((e = synth_flite_open(mem, voice)) != OK ||
	    (e = child_sandbox(NULL)) != OK || (e = read_text(mem, &text)) != OK ||
	    (e = synth_flite_speak(mem, text, rate, &pcm)) != OK)
		return e;
	return write_sound(&pcm);
}

static enum err
utter_any(struct arena *mem, const char *lang, const char *voice, double rate)
{
	size_t n = strlen(UTTERANCE_FLITE);

	if (!(rate > 0))
		return ERR_REFUSED;
	if (voice != NULL && strncmp(voice, UTTERANCE_FLITE, n) == 0)
		return utter_by_flite(mem, voice + n, rate);
	return utter(mem, lang, voice, rate);
}

int
main(int argc, char **argv)
{
	static const struct model_library *const models[] = { &model_sherpa,
		&model_whisper, NULL };
	struct arena *mem = arena_new();

	log_program("dragoman-speech");
	if (argc > 1 && strcmp(argv[1], "--model") == 0)
		model_serve(models, argc - 2, argv + 2);
	if (argc < 2 || argc > 4) {
		log_error("usage: dragoman-speech LANG [VOICE [RATE]] <TEXT >SOUND");
		return UTTERANCE_FAILED;
	}
	/* the libraries do not free all memory, which the kernel does faster */
	_exit(status(utter_any(mem, argv[1], argc > 2 ? argv[2] : NULL,
	    argc > 3 ? strtod(argv[3], NULL) : 1)));
}
