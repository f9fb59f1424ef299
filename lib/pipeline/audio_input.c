/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "pipeline/audio_input.h"

#include "base/clock.h"
#include "pipeline/pipeline_internal.h"

#define AGAIN_US (5 * S_US) /* least time between two starts of a child */

struct audio_input {
	struct arena *mem;
	struct audio_decoder *decoder; /* NULL: a child decodes */
	const char *program;           /* path of the child's program */
	const char *format;            /* file format for the child; NULL: no child */
	struct stream_decoder *live;   /* the child; NULL: not running */
	int64_t again_us;              /* earliest next start, monotonic_us() */
	int64_t samples;               /* decoded by the child, at HEARD_HZ */
};

static struct audio_format
format_of(const struct pipeline_config *w)
{
	const struct task *t = &w->task;
	static const enum audio_encoding forms[] = {
		[TASK_PCM] = AUDIO_PCM, [TASK_OPUS] = AUDIO_OPUS, [TASK_WAV] = AUDIO_WAV
	};

	if (w->sound != NULL)
		return *w->sound;
	if (t->source == TASK_WEBRTC)
		return (struct audio_format){ .form = AUDIO_RECEIVED };
	return (
	    struct audio_format){ forms[t->in], (int)t->sample_rate, (int)t->channels };
}

struct audio_input *
audio_input_new(struct arena *mem, const struct pipeline *p)
{
	struct audio_input *in = arena_alloc(mem, sizeof(*in));
	const struct audio_format format = format_of(p->config);

	in->mem = mem;
	in->format = p->config->file;
	if (in->format == NULL)
		in->decoder = audio_decoder_new(mem, &format);
	else
		in->program =
		    arena_printf(mem, "%s/dragoman-decode", p->host.conf->bin_dir);
	return in;
}

void
audio_input_open(struct audio_input *in)
{
	int64_t now = monotonic_us();

	if (in->decoder != NULL || in->live != NULL || now < in->again_us)
		return;
	in->again_us = now + AGAIN_US;
	in->live = stream_decoder_start(in->mem, in->program, in->format);
}

void
audio_input_close(struct audio_input *in)
{
	stream_decoder_stop(in->live);
	in->live = NULL;
}

static enum err
feed_child(struct audio_input *in, const void *p, size_t n, struct arena *mem,
    struct pcm16 *to)
{
	struct buf got = { .mem = mem };
	enum err e;

	audio_input_open(in);
	if (in->live == NULL)
		return ERR_REFUSED;
	e = stream_decoder_feed(
	    in->live, p, n, &got, (size_t)AUDIO_MOST_S * HEARD_HZ, AUDIO_INPUT_MS);
	if (e == ERR_FAILED || e == ERR_TIMEOUT) {
		audio_input_close(in);
		in->again_us = monotonic_us() + AGAIN_US;
		return ERR_REFUSED;
	}
	*to = (struct pcm16){ .s = (void *)got.p, .n = got.len / sizeof(*to->s) };
	in->samples += (int64_t)to->n;
	return e;
}

enum err
audio_input_feed(struct audio_input *in, const void *p, size_t n, struct arena *mem,
    struct pcm16 *to, struct pcm16 *fine)
{
	if (in->decoder != NULL && fine != NULL)
		return audio_decoder_feed_fine(in->decoder, p, n, mem, to, fine);
	if (in->decoder != NULL)
		return audio_decoder_feed(in->decoder, p, n, mem, to);
	*to = (struct pcm16){ .n = 0 };
	if (fine != NULL)
		*fine = *to;
	return feed_child(in, p, n, mem, to);
}

struct pcm16
audio_input_end_fine(struct audio_input *in, struct arena *mem)
{
	return in->decoder != NULL ? audio_decoder_end_fine(in->decoder, mem)
				   : (struct pcm16){ .n = 0 };
}

int64_t
audio_input_us(const struct audio_input *in)
{
	return in->decoder != NULL ? audio_decoder_us(in->decoder)
				   : in->samples * S_US / HEARD_HZ;
}

const char *
audio_input_why(const struct audio_input *in)
{
	return in->decoder != NULL ? audio_decoder_why(in->decoder) : NULL;
}

const struct opus_losses *
audio_input_losses(const struct audio_input *in)
{
	return in->decoder != NULL ? audio_decoder_losses(in->decoder) : NULL;
}
