/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "speech/synth.h"

#include <espeak-ng/espeak_ng.h>
#include <espeak-ng/speak_lib.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/log.h"
#include "base/text.h"

#define FILE_BYTES 8192 /* the longest voice file has 3 KB */

/* The sound that the callback collects. */
struct sound {
	struct buf samples; /* int16_t */
	size_t most;        /* limit of the sound in bytes */
	bool too_long;
};

/*
 * Replaces libpcaudio's function, by the order in which the dynamic linker searches.
 * When eSpeak opens its output, it asks libpcaudio for a sound card even if the sound
 * goes to a callback, and libpcaudio connects to PulseAudio or starts it.
 */
void *create_audio_device_object(const char *, const char *, const char *);

void *
create_audio_device_object(const char *device, const char *program, const char *what)
{
	(void)device;
	(void)program;
	(void)what;
	return NULL;
}

static bool
read_file(struct arena *mem, const char *path, struct buf *to)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	char *part = arena_alloc(mem, FILE_BYTES);
	ssize_t n;

	if (fd < 0)
		return false;
	buf_put(to, "\n", 1);
	while ((n = read(fd, part, FILE_BYTES)) > 0)
		buf_put(to, part, (size_t)n);
	close(fd);
	return n == 0;
}

/*
 * Load the voice. A variant would belong in the system's data folder, which we may not
 * write. But a voice may be any file, so this writes one: the language's voice,
 * followed by the variant's lines.
 */
static enum err
load_voice(struct arena *mem, const struct synth *s)
{
	struct buf voice = { .mem = mem };
	const char *data;
	int fd = memfd_create("voice", MFD_CLOEXEC);
	bool ok;

	espeak_Info(&data);
	if (fd < 0 ||
	    !read_file(mem, arena_printf(mem, "%s/lang/%s", data, s->lang), &voice)) {
		log_error("speech: no voice %s in %s", s->lang, data);
		return ERR_UNSUPPORTED;
	}
	if (s->variant != NULL)
		read_file(mem, arena_printf(mem, "%s/voices/!v/%s", data, s->variant),
		    &voice);
	buf_printf(&voice, "\n%s\n", s->lines);
	ok = write(fd, voice.p, voice.len) == (ssize_t)voice.len &&
	     espeak_ng_SetVoiceByFile(arena_printf(mem, "/proc/self/fd/%d", fd)) ==
		 ENS_OK;
	close(fd);
	if (!ok)
		log_error("speech: voice %s does not load", s->lang);
	return ok ? OK : ERR_FAILED;
}

const char *
synth_data(void)
{
	const char *data;

	espeak_Info(&data);
	return data;
}

enum err
synth_open(struct arena *mem, const struct synth *s)
{
	if (espeak_Initialize(
		AUDIO_OUTPUT_SYNCHRONOUS, 0, NULL, espeakINITIALIZE_DONT_EXIT) <= 0) {
		log_error("speech: eSpeak NG finds no data");
		return ERR_FAILED;
	}
	espeak_SetParameter(espeakRATE, s->rate_wpm, 0);
	return load_voice(mem, s);
}

static bool
speakable(uint32_t c)
{
	return c >= 0x20 && !(c >= 0x7f && c < 0xa0) && !(c >= 0xd800 && c < 0xf900) &&
	       !(c >= 0xfff0 && c < 0x10000) && c < 0xf0000;
}

/* Remove characters with a meaning to eSpeak: a character 1 begins an embedded command,
   and private characters mean something, too. */
static const char *
plain(struct arena *mem, const char *text)
{
	char *copy = arena_str(mem, text);
	const char *next;
	uint32_t c;

	for (const char *s = text; *s != '\0'; s = next) {
		next = text_next(s, &c);
		if (!speakable(c) && c != '\n')
			memset(copy + (s - text), ' ', (size_t)(next - s));
	}
	return copy;
}

static int
collect(short *wav, int n, espeak_EVENT *event)
{
	struct sound *to = event->user_data;
	size_t bytes = n > 0 ? (size_t)n * sizeof(*wav) : 0;

	if (wav == NULL || bytes == 0)
		return 0;
	if (to->samples.len + bytes > to->most) {
		to->too_long = true;
		return 1;
	}
	buf_put(&to->samples, wav, bytes);
	return 0;
}

static bool
audible(const struct buf *samples)
{
	for (size_t i = 0; i < samples->len; i++)
		if (samples->p[i] != 0)
			return true;
	return false;
}

enum err
synth_speak(struct arena *mem, const char *text, struct pcm *pcm)
{
	int rate_hz = espeak_ng_GetSampleRate();
	struct sound to = { .samples.mem = mem,
		.most = (size_t)rate_hz * UTTERANCE_MAX_S * sizeof(int16_t) };
	const char *said = plain(mem, text);

	espeak_SetSynthCallback(collect);
	if (espeak_Synth(said, strlen(said) + 1, 0, POS_CHARACTER, 0, espeakCHARS_UTF8,
		NULL, &to) != EE_OK ||
	    to.too_long) {
		log_warn("speech: the text would take more than %d s", UTTERANCE_MAX_S);
		return ERR_REFUSED;
	}
	if (!audible(&to.samples)) {
		log_warn("speech: the text makes no sound");
		return ERR_REFUSED;
	}
	*pcm =
	    (struct pcm){ .n = to.samples.len / sizeof(int16_t), .rate_hz = rate_hz };
	pcm->s = arena_alloc(mem, (pcm->n + 1) * sizeof(*pcm->s));
	for (size_t i = 0; i < pcm->n; i++) {
		int16_t v;

		memcpy(&v, to.samples.p + i * sizeof(v), sizeof(v));
		pcm->s[i] = (float)v / 32768;
	}
	return OK;
}

#define BLANK_BETWEEN (' ' << 8)

const char *
synth_phonemes(struct arena *mem, const char *word)
{
	const void *at = plain(mem, word);
	const char *said = espeak_TextToPhonemes(&at, espeakCHARS_UTF8, BLANK_BETWEEN);

	return said != NULL ? arena_str(mem, said) : "";
}
