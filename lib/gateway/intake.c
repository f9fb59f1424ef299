#include "gateway/intake.h"

#include "base/clock.h"
#include "gateway/run_room.h"

#define AGAIN_US (5 * S_US) /* after a child has died */

struct intake {
	struct arena *mem;
	struct sound_in *in; /* NULL: a child does it, */
	const char *program; /* this one */
	const char *format;
	struct media_live *live; /* NULL: there is none */
	int64_t again_us;        /* not before */
	int64_t samples;
};

static struct sound_format
format_of(const struct run_want *w)
{
	const struct task *t = &w->task;
	static const enum sound_form forms[] = {
		[TASK_PCM] = SOUND_PCM, [TASK_OPUS] = SOUND_OPUS, [TASK_WAV] = SOUND_WAV
	};

	if (w->sound != NULL)
		return *w->sound;
	return (
	    struct sound_format){ forms[t->in], (int)t->sample_rate, (int)t->channels };
}

struct intake *
intake_new(struct arena *mem, const struct run *r)
{
	struct intake *in = arena_alloc(mem, sizeof(*in));
	const struct sound_format format = format_of(r->want);

	in->mem = mem;
	in->format = r->want->file;
	if (in->format == NULL)
		in->in = sound_in_new(mem, &format);
	else
		in->program =
		    arena_printf(mem, "%s/dragoman-decode", r->gate->conf->bin_dir);
	return in;
}

void
intake_open(struct intake *in)
{
	int64_t now = monotonic_us();

	if (in->in != NULL || in->live != NULL || now < in->again_us)
		return;
	in->again_us = now + AGAIN_US;
	in->live = media_live_start(in->mem, in->program, in->format);
}

void
intake_close(struct intake *in)
{
	media_live_stop(in->live);
	in->live = NULL;
}

static enum err
feed_child(
    struct intake *in, const void *p, size_t n, struct arena *mem, struct pcm16 *to)
{
	struct buf got = { .mem = mem };
	enum err e;

	intake_open(in);
	if (in->live == NULL)
		return ERR_REFUSED;
	e = media_live_feed(
	    in->live, p, n, &got, (size_t)SOUND_MOST_S * HEARD_HZ, INTAKE_MS);
	if (e == ERR_FAILED || e == ERR_TIMEOUT) {
		intake_close(in);
		in->again_us = monotonic_us() + AGAIN_US;
		return ERR_REFUSED;
	}
	*to = (struct pcm16){ .s = (void *)got.p, .n = got.len / sizeof(*to->s) };
	in->samples += (int64_t)to->n;
	return e;
}

enum err
intake_feed(struct intake *in, const void *p, size_t n, struct arena *mem,
    struct pcm16 *to, struct pcm16 *fine)
{
	if (in->in != NULL && fine != NULL)
		return sound_in_feed_fine(in->in, p, n, mem, to, fine);
	if (in->in != NULL)
		return sound_in_feed(in->in, p, n, mem, to);
	*to = (struct pcm16){ .n = 0 };
	if (fine != NULL)
		*fine = *to;
	return feed_child(in, p, n, mem, to);
}

struct pcm16
intake_end_fine(struct intake *in, struct arena *mem)
{
	return in->in != NULL ? sound_in_end_fine(in->in, mem)
			      : (struct pcm16){ .n = 0 };
}

int64_t
intake_us(const struct intake *in)
{
	return in->in != NULL ? sound_in_us(in->in) : in->samples * S_US / HEARD_HZ;
}
