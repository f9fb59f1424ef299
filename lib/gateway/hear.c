/*
 * The sound of a writer: at what pace it comes, and what is kept of it until somebody
 * listens.
 */
#include "base/clock.h"
#include "gateway/room.h"
#include "stream/pcm16.h"

#define KEPT_BYTES (2 << 20) /* 10 s of the largest sound there is */

/* ---- sound ---- */

/* Of uncompressed sound; what Opus holds is not known before it is decoded. */
static int64_t
length_us(const struct task *t, size_t n)
{
	int64_t rate = t->sample_rate > 0 ? t->sample_rate : HEARD_HZ;

	return t->in == TASK_OPUS
		   ? 0
		   : (int64_t)n * S_US /
			 (2 * rate * (t->channels > 0 ? t->channels : 1));
}

struct kept {
	struct letter letter;
	const void *bytes;
	size_t n;
};

static void
keep_audio(struct room *r, const struct message_audio *a)
{
	struct kept *k = LETTER(struct kept);

	k->bytes = arena_dup(k->letter.mem, (const char *)a->bytes, a->n);
	k->n = a->n;
	if (r->kept == NULL)
		r->kept = &k->letter;
	else
		r->kept_last->next = &k->letter;
	r->kept_last = &k->letter;
	r->kept_bytes += a->n;
	while (r->kept_bytes > KEPT_BYTES && r->kept != NULL) {
		struct kept *first = (struct kept *)r->kept;

		r->kept_bytes -= first->n;
		r->kept = first->letter.next;
		arena_free(first->letter.mem);
	}
}

static void
tell_pace(struct room *r, unsigned faults)
{
	if (faults & PACE_TOO_FAST)
		room_warn(
		    r, "AUDIO_STREAM_TOO_FAST", "Audio comes faster than it is spoken");
	if (faults & PACE_TOO_SLOW)
		room_warn(
		    r, "AUDIO_STREAM_TOO_SLOW", "Audio comes slower than it is spoken");
	if (faults & PACE_STALLED)
		room_warn(r, "AUDIO_STREAM_STALLED", "No audio has come for 5 s");
}

static void
hear(struct room *r, const void *p, size_t n)
{
	int64_t us = length_us(run_task(r->now->run), n);
	unsigned faults =
	    pace_chunk(&r->pace, monotonic_us(), us, run_backlog_us(r->now->run));

	if (r->epoch_us == 0)
		r->epoch_us = now_us();
	tell_pace(r, faults);
	if (faults & PACE_DROP)
		return;
	r->heard_us += us;
	run_hear(r->now->run, p, n, us);
}

void
hear_audio(struct client *c, const struct message_audio *a)
{
	struct room *r = c->room;
	struct state_step step = state_step(r->state, EVENT_AUDIO);

	if (!limit_take(&c->limits[LIMIT_AUDIO], LIMIT_AUDIO, monotonic_us())) {
		room_warn(r, "AUDIO_STREAM_TOO_FAST", limit_text(LIMIT_AUDIO));
		return;
	}
	if (step.action == ACT_HEAR && r->now != NULL)
		hear(r, a->bytes, a->n);
	else if (step.action == ACT_KEEP_AUDIO)
		keep_audio(r, a);
	else if (step.error != NULL && !(step.once && c->told_no_task)) {
		c->told_no_task = true;
		client_error(c, step.error, step.desc, NULL);
	}
}

void
hear_kept(struct room *r)
{
	struct letter *l, *next;

	for (l = r->kept; l != NULL; l = next) {
		struct kept *k = (struct kept *)l;

		next = l->next;
		hear(r, k->bytes, k->n);
		arena_free(l->mem);
	}
	r->kept = NULL;
	r->kept_bytes = 0;
}

void
hear_turn(struct room *r, int64_t now)
{
	int64_t again_us;
	unsigned faults = pace_look(&r->pace, now, &again_us);

	tell_pace(r, faults);
	if (!(faults & PACE_TIMEOUT))
		return;
	client_error(r->writer, "SERVICE_TIMEOUT",
	    "No input audio received for 10s. Use the pause_task command for"
	    " intentional pauses.",
	    NULL);
	client_end(r->writer, 1008, "SERVICE_TIMEOUT");
}
