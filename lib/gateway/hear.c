/*
 * The sound of a writer: at what pace it comes, and what is kept of it until somebody
 * listens.
 */
#include "base/clock.h"
#include "gateway/room.h"

#define KEPT_BYTES (2 << 20) /* 10 s of the largest sound there is */
#define KEPT_US (10 * S_US)

/* ---- sound ---- */

static int64_t
frame_bytes(const struct task *t)
{
	return 2 * (t->channels > 0 ? t->channels : 1);
}

/* Of plain sound; what else there is tells its length when it is decoded. */
static int64_t
length_us(const struct task *t, size_t n)
{
	return t->in == TASK_PCM ? (int64_t)n * S_US / (t->sample_rate * frame_bytes(t))
				 : 0;
}

struct kept {
	struct letter letter;
	const void *bytes;
	size_t n;
};

static void
keep_audio(struct room *r, const struct message_audio *a)
{
	struct kept *k = (struct kept *)letter_new(sizeof(*k) + a->n);

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

/* Sound whose length was not known when it came. */
static int64_t
count_decoded(struct room *r, struct shift *s)
{
	int64_t us = run_decoded_us(s->run) - s->decoded_us;

	if (run_task(s->run)->in == TASK_PCM)
		return 0;
	s->decoded_us += us;
	r->heard_us += us;
	return us;
}

static void
pass(struct room *r, const void *p, size_t n, int64_t us)
{
	struct shift *s = r->now;

	if (r->epoch_us == 0)
		r->epoch_us = now_us();
	if (!s->began)
		run_begin(s->run, r->heard_us, r->epoch_us);
	s->began = s->sounded = s->in_phrase = true;
	s->fed += n;
	r->heard_us += us;
	run_hear(s->run, p, n, us);
}

/* What is left of it, so that those after it begin with a whole sample, too. */
static void
drop(struct room *r, const char *p, size_t n)
{
	const struct task *t = run_task(r->now->run);
	size_t left = n % (size_t)frame_bytes(t);

	if (t->in == TASK_PCM && left > 0)
		pass(r, p + n - left, left, 0);
}

void
hear_align(struct room *r)
{
	static const char silence[8];
	const struct task *t = r->now != NULL ? run_task(r->now->run) : NULL;
	size_t left;

	if (t == NULL || t->in != TASK_PCM)
		return;
	left = r->now->fed % (size_t)frame_bytes(t);
	if (left > 0)
		pass(r, silence, (size_t)frame_bytes(t) - left, 0);
}

static void
hear(struct room *r, const void *p, size_t n)
{
	struct run *run = r->now->run;
	int64_t us = length_us(run_task(run), n);
	int64_t paced_us = us + count_decoded(r, r->now);
	unsigned faults =
	    pace_chunk(&r->pace, monotonic_us(), paced_us, run_backlog_us(run));

	tell_pace(r, faults);
	if (faults & PACE_DROP)
		drop(r, p, n);
	else
		pass(r, p, n, us);
}

/* Its pace is the media server's, and its length is told when it is decoded. */
void
hear_packet(struct room *r, const void *p, size_t n)
{
	struct state_step step;

	if (r->air != NULL)
		onair_heard(r, monotonic_us());
	step = state_step(r->state, EVENT_AUDIO);
	if (step.action == ACT_KEEP_AUDIO)
		keep_audio(r, &(struct message_audio){ .bytes = p, .n = n });
	if (step.action != ACT_HEAR || r->now == NULL ||
	    run_task(r->now->run)->source != TASK_WEBRTC)
		return;
	pace_packet(&r->pace, monotonic_us());
	count_decoded(r, r->now);
	if (run_backlog_us(r->now->run) <= PACE_BACKLOG_US)
		pass(r, p, n, 0);
}

void
hear_audio(struct client *c, const struct message_audio *a)
{
	struct room *r = c->room;
	struct state_step step;

	if (r->air != NULL)
		onair_heard(r, monotonic_us());
	step = state_step(r->state, EVENT_AUDIO);

	if (r->stand != NULL) /* its sound comes another way */
		return;
	if (!limit_take(&c->limits[LIMIT_AUDIO], LIMIT_AUDIO, monotonic_us())) {
		room_warn(r, "AUDIO_STREAM_TOO_FAST", limit_text(LIMIT_AUDIO));
		if (step.action == ACT_HEAR && r->now != NULL)
			drop(r, (const char *)a->bytes, a->n);
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

/* The last ten seconds, whose pace says nothing. */
void
hear_kept(struct room *r)
{
	const struct task *t = run_task(r->now->run);
	int64_t left_us = length_us(t, r->kept_bytes);

	for (struct letter *l = r->kept; l != NULL; l = l->next) {
		const struct kept *k = (const struct kept *)l;
		int64_t us = length_us(t, k->n);

		if (left_us > KEPT_US)
			drop(r, k->bytes, k->n);
		else
			pass(r, k->bytes, k->n, us);
		left_us -= us;
	}
	hear_forget(r);
}

void
hear_forget(struct room *r)
{
	struct letter *l;

	while ((l = r->kept) != NULL) {
		r->kept = l->next;
		arena_free(l->mem);
	}
	r->kept_bytes = 0;
}

/* Sound that comes before its time is not late. */
void
hear_behind(struct room *r, int64_t now)
{
	const struct pace *p = &r->pace;
	int64_t ahead_us = p->has_first ? p->sound_us - (now - p->first_us) : 0;
	int64_t us = run_backlog_us(r->now->run) - (ahead_us > 0 ? ahead_us : 0);

	run_behind(r->now->run, us);
	if (us > RUN_BEHIND_US)
		room_warn(r, "OVERLOADED",
		    "Recognition is behind, not everything is told and spoken");
}

/* Some clients just stop sending, and wait for the translation of their last words. */
void
hear_pause(struct room *r, int64_t now)
{
	struct shift *s = r->now;

	if (!s->in_phrase || !pace_is_quiet(&r->pace, now))
		return;
	s->in_phrase = false;
	run_cut(s->run);
}

void
hear_turn(struct room *r, bool busy, int64_t now)
{
	int64_t again_us;
	unsigned faults = pace_look(&r->pace, now, &again_us);

	if (run_task(r->now->run)->source == TASK_WEBRTC) {
		if (r->air == NULL)
			book_meter(r, !(faults & PACE_TIMEOUT), now);
		return;
	}
	tell_pace(r, faults);
	if (!(faults & PACE_TIMEOUT) || r->air != NULL || !life_drained(r) || busy)
		return;
	life_fail(r, "SERVICE_TIMEOUT",
	    "No input audio received for 10s. Use the pause_task command for"
	    " intentional pauses.");
	client_end(r->writer, 1008, "SERVICE_TIMEOUT");
}
