/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TESTS_ENGINE_HEAR_H
#define TESTS_ENGINE_HEAR_H

/* Recognition by engine-server.c: the text describes the audio it received. */
#include <stdatomic.h>

#include "engine-http.h"

/*
 * Returns the samples of a WAV file of 16 kHz, s16 mono, and their sum; NULL: it is no
 * such file.
 */
static const char *
describe_wav(struct arena *mem, const char *wav, size_t n)
{
	static const char fmt[] = "WAVEfmt \x10\0\0\0\1\0\1\0\x80\x3e\0\0\0\x7d\0\0"
				  "\2\0\x10\0data";
	int64_t sum = 0;

	if (n < 44 || n % 2 != 0 || memcmp(wav, "RIFF", 4) != 0 ||
	    memcmp(wav + 8, fmt, 32) != 0)
		return NULL;
	for (size_t i = 44; i < n; i += 2)
		sum +=
		    (int16_t)((unsigned char)wav[i] | (unsigned char)wav[i + 1] << 8);
	return arena_printf(
	    mem, "%zu samples of sum %lld", (n - 44) / 2, (long long)sum);
}

/* The members of /count about recognition. */
static atomic_int heard_requests, heard_at_once, heard_most_at_once;

/*
 * Models: "plain-..." takes response_format json alone, as OpenAI's newer ones and
 * vLLM; "noise-..." returns a segment that is no speech; "needs-auto" refuses a request
 * without a language; "slow-..." takes 300 ms; "scripted" returns the text set by
 * /script/hear.
 */
static bool
takes_format(struct request *rq, const char *model)
{
	const char *format = part(rq, "response_format");

	return strcmp(format, "json") == 0 || (strcmp(format, "verbose_json") == 0 &&
						  strncmp(model, "plain-", 6) != 0);
}

static const char *
segments(const char *model)
{
	return strncmp(model, "noise-", 6) != 0 ? ""
	       : strcmp(model, "noise-all") == 0
		   ? ",\"segments\":[{\"text\":\" Thanks for watching!\","
		     "\"no_speech_prob\":0.9,\"avg_logprob\":-1.4}]"
	       : strcmp(model, "noise-loop") == 0
		   ? ",\"segments\":[{\"text\":\" Good morning.\","
		     "\"no_speech_prob\":0.1,\"avg_logprob\":-0.1},"
		     "{\"text\":\" (applause) we vote now we vote now we vote now"
		     " we vote now\",\"no_speech_prob\":0.9,\"avg_logprob\":-0.5},"
		     "{\"text\":\" Thanks.\","
		     "\"no_speech_prob\":0.9,\"avg_logprob\":-1.4}]"
		   : ",\"segments\":[{\"text\":\" Good morning.\","
		     "\"no_speech_prob\":0.7,\"avg_logprob\":-0.2},"
		     "{\"text\":\" Thanks for watching!\","
		     "\"no_speech_prob\":0.9,\"avg_logprob\":-1.4}]";
}

static void
raise_to(atomic_int *most, int n)
{
	int now = *most;

	while (now < n && !atomic_compare_exchange_weak(most, &now, n))
		;
}

/* As Whisper: a blank before the text, and the language's English name. */
static bool
openai_hear(struct request *rq)
{
	const char *model = part(rq, "model"), *lang = part(rq, "language"), *sound;
	const char *begin = memmem(rq->body, rq->body_len, "RIFF", 4), *end;

	heard_requests++;
	if (begin == NULL || *model == '\0')
		return reply_error(rq, 422, "a part is missing");
	if (!takes_format(rq, model))
		return reply_error(rq, 400, "response_format is not compatible");
	if (strcmp(model, "needs-auto") == 0 && *lang == '\0')
		return reply_error(rq, 400, "no language");
	end = memmem(begin, (size_t)(rq->body + rq->body_len - begin), "\r\n------", 8);
	if (end == NULL ||
	    (sound = describe_wav(rq->mem, begin, (size_t)(end - begin))) == NULL)
		return reply_error(rq, 400, "no WAV file of 16 kHz");
	if (strcmp(model, "scripted") == 0)
		return reply_json(rq, 200, object_of(rq, "text", scripted_hear));
	raise_to(&heard_most_at_once, ++heard_at_once);
	if (strncmp(model, "slow-", 5) == 0)
		usleep(300000);
	heard_at_once--;
	return reply_json(rq, 200,
	    arena_printf(rq->mem,
		"{\"task\":\"transcribe\",\"language\":\"%s\",\"duration\":1.0,"
		"\"text\":\" %s, language '%s', model '%s', prompt '%s'\\n\"%s}",
		strcmp(model, "hears-spanish") == 0   ? "spanish"
		: strcmp(model, "hears-tagalog") == 0 ? "tl"
		: strcmp(model, "hears-nothing") == 0 ? ""
						      : "english",
		sound, lang, model, part(rq, "prompt"), segments(model)));
}

/* The engine kind "http". */
static bool
http_hear(struct request *rq)
{
	const char *key = header(rq, "Authorization"), *sound;
	const char *type = header(rq, "Content-Type");
	const char *lang = strstr(rq->query, "language=");

	if (key == NULL || strcmp(key, "Bearer test-key") != 0)
		return reply_error(rq, 401, "no key");
	if (type == NULL || strcmp(type, "audio/wav") != 0 || lang == NULL ||
	    (sound = describe_wav(rq->mem, rq->body, rq->body_len)) == NULL)
		return reply_error(rq, 422, "no WAV file of 16 kHz or no language");
	return reply_json(rq, 200,
	    arena_printf(rq->mem, "{\"text\":\"%s, %s\",\"language\":\"%s\"}", sound,
		rq->query, strcmp(lang + 9, "auto") == 0 ? "PT_br" : lang + 9));
}

#endif
