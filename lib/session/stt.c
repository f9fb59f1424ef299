/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Sessions of STT sockets.  Binary messages are audio; the gateway sends back texts.
 *
 *	NONE -> PREPARING -> RUNNING -> GOING -> NONE
 *
 *	PREPARING  prepare_task() is under way
 *	RUNNING    the pipeline receives audio
 *	GOING      the pipeline failed or the client left; PIPELINE_GONE is awaited
 */
#include "session/stt_query.h"

#include "audio/raw_decoder.h"
#include "base/clock.h"
#include "base/hash.h"
#include "base/id.h"
#include "pipeline/stt_output.h"
#include "session/session.h"

#define CUT_US S_US /* time without a message after which the segment ends */
/* time without a message after which the connection ends */
#define SILENT_US (10 * S_US)
#define BOOK_US (10 * S_US)  /* time between two bookings */
#define WARN_US (10 * S_US)  /* time between two warnings */
#define AGAIN_US (5 * S_US)  /* time from a failure to the next start */
#define KEPT_BYTES (2 << 20) /* most audio kept before the pipeline starts */

enum stt_state { STT_NONE, STT_PREPARING, STT_RUNNING, STT_GOING };

/* The state of an STT socket, in the session's arena. Times are monotonic_us(). */
struct stt {
	enum stt_state state;
	const struct stt_params *want;          /* in the session's arena */
	struct pipeline *pipeline;              /* owned; NULL in NONE and PREPARING */
	struct actor_message *kept, *kept_last; /* struct deferred_audio; owned */
	size_t kept_bytes;                      /* bytes of kept */
	int64_t frame_us;                       /* time of the last message */
	bool cut;             /* no audio since the segment was ended */
	bool unsaid;          /* audio came after the last drain */
	bool draining;        /* PIPELINE_DRAINED is awaited */
	int64_t again_us;     /* earliest time of the next start */
	int64_t warned_us;    /* last warning of too fast audio, or 0 */
	int64_t before_us;    /* length of the audio of earlier pipelines */
	const char *interval; /* id, for the bill */
	int64_t booked_us;    /* length of the audio booked so far */
	int64_t entry_us;     /* time of the last booking */
};

/* Message kept until the pipeline starts.  n 0: finalize the segment. */
struct deferred_audio {
	struct actor_message message;
	const void *bytes;
	size_t n;
};

/* ---- the pipeline ---- */

static void
prepare(struct session *session, struct stt *s)
{
	struct arena *mem = arena_new();
	struct pipeline_config *w = arena_alloc(mem, sizeof(*w));
	struct validation_errors errors;

	if (!stt_query_task(
		mem, session->gateway->engines, s->want->task, &w->task, &errors)) {
		connection_refuse(session->publisher, &errors, false);
		connection_end(session->publisher, CLOSE_INVALID);
		arena_free(mem);
		return;
	}
	w->mem = mem;
	w->account = arena_str(mem, session->account);
	w->registry = registry_hold(session->gateway->engines);
	w->audio_us = s->before_us;
	w->epoch_us = now_us();
	w->sound = &s->want->sound;
	w->file = s->want->file;
	w->flat = true;
	w->unfilled = s->want->unfilled;
	w->manual = s->want->manual;
	s->state = STT_PREPARING;
	prepare_task(session, w, ++session->asked);
}

static void
copy_want(struct arena *mem, const struct stt_params *from, struct stt_params *to)
{
	*to = *from;
	to->task = arena_str(mem, from->task);
	to->language = arena_str(mem, from->language);
}

/* Copies the parameters: the pipeline may outlive the connection. */
static void
entered(struct session *session, struct connection *c)
{
	struct stt *s = arena_alloc(session->mem, sizeof(*s));
	struct stt_params *want = arena_alloc(session->mem, sizeof(*want));

	copy_want(session->mem, c->request->stt, want);
	s->want = want;
	s->interval = id_new(session->mem);
	s->frame_us = s->entry_us = monotonic_us();
	s->cut = true; /* no audio has come yet */
	session->publisher = c;
	session->kind_state = s;
	prepare(session, s);
}

/* ---- the bill ---- */

static bool
running(const struct session *session, int64_t now, struct running *to)
{
	const struct stt *s = session->kind_state;
	int64_t us;

	(void)now; /* usage is the length of the audio */
	if (s == NULL)
		return false;
	us =
	    s->before_us + (s->pipeline != NULL ? pipeline_decoded_us(s->pipeline) : 0);
	*to = (struct running){ METER_STT, s->booked_us, us };
	return us > s->booked_us;
}

static void
book(struct session *session, struct stt *s, int64_t now)
{
	struct running u;

	s->entry_us = now;
	if (!running(session, now, &u))
		return;
	billing_use(session, u.kind, s->interval, u.from, u.to);
	s->booked_us = u.to;
}

/* ---- events of the pipeline ---- */

static void
leave_run(struct stt *s)
{
	if (s->state != STT_RUNNING)
		return;
	s->state = STT_GOING;
	pipeline_leave(s->pipeline, true);
}

static void
pipeline_failed(struct session *session, struct stt *s, const char *why)
{
	if (s->state != STT_RUNNING)
		return;
	connection_error(session->publisher, "ENGINE_UNAVAILABLE",
	    why != NULL ? why : "No engine can recognise this language now", NULL);
	leave_run(s);
}

static void
pipeline_gone(struct session *session, struct stt *s)
{
	int64_t now = monotonic_us();

	book(session, s, now);
	s->before_us += pipeline_decoded_us(s->pipeline);
	pipeline_free(s->pipeline);
	s->pipeline = NULL;
	s->state = STT_NONE;
	s->unsaid = s->draining = false;
	s->again_us = now + AGAIN_US;
	session->gateway->tasks--;
}

static void
receive_event(struct gateway *g, struct thread_call *e)
{
	const struct pipeline_event *event = (const struct pipeline_event *)e;
	struct session *s = event->session;
	bool gone = event->kind == PIPELINE_GONE;

	(void)g;
	if (event->kind == PIPELINE_TEXT && s->publisher != NULL)
		connection_send(s->publisher, event->text, event->n);
	else if (event->kind == PIPELINE_FAILED)
		pipeline_failed(s, s->kind_state, event->text);
	else if (event->kind == PIPELINE_DRAINED)
		((struct stt *)s->kind_state)->draining = false;
	else if (gone)
		pipeline_gone(s, s->kind_state);
	arena_free(e->message.mem);
	if (gone)
		session_unref(s);
}

/* ---- audio ---- */

/* Length of raw audio.  0 for a file: it is known only after decoding. */
static int64_t
length_us(const struct stt_params *w, size_t n)
{
	const struct raw_decoder *raw = raw_decoder_of(w->sound.form);

	return w->file != NULL || w->sound.form == AUDIO_WAV
		   ? 0
		   : (int64_t)n * S_US / ((int64_t)raw->bytes * w->sound.rate_hz);
}

static void
warn_fast(struct session *session, struct stt *s, const char *why)
{
	int64_t now = monotonic_us();

	if (s->warned_us != 0 && now < s->warned_us + WARN_US)
		return;
	s->warned_us = now;
	session_warn(session, "AUDIO_STREAM_TOO_FAST", why);
}

static void
receive(struct session *session, struct stt *s, const void *p, size_t n)
{
	int64_t us = length_us(s->want, n);
	unsigned faults = input_pacing_chunk(
	    &session->in.pacing, monotonic_us(), us, pipeline_backlog_us(s->pipeline));

	if (faults & PACING_TOO_FAST)
		warn_fast(session, s, "Audio comes faster than it is spoken");
	if (faults & PACING_DROP)
		return;
	s->unsaid = true;
	pipeline_feed(s->pipeline, p, n, us);
}

static void
defer_audio(struct stt *s, const void *p, size_t n)
{
	struct deferred_audio *k;

	if (s->kept_bytes + n > KEPT_BYTES)
		return;
	k = ACTOR_MESSAGE(struct deferred_audio);
	k->bytes = n > 0 ? arena_dup(k->message.mem, p, n) : NULL;
	k->n = n;
	if (s->kept == NULL)
		s->kept = &k->message;
	else
		s->kept_last->next = &k->message;
	s->kept_last = &k->message;
	s->kept_bytes += n;
}

static void
forget_kept(struct stt *s)
{
	struct actor_message *l;

	while ((l = s->kept) != NULL) {
		s->kept = l->next;
		arena_free(l->mem);
	}
	s->kept_bytes = 0;
}

static void
start(struct session *session, struct pipeline_config *w, int number)
{
	struct stt *s = session->kind_state;

	(void)number;
	s->pipeline = session_start_pipeline(session, w, receive_event);
	s->state = STT_RUNNING;
	input_pacing_start(&session->in.pacing, monotonic_us());
	for (const struct actor_message *l = s->kept; l != NULL; l = l->next) {
		const struct deferred_audio *k = (const struct deferred_audio *)l;

		if (k->n > 0)
			receive(session, s, k->bytes, k->n);
		else
			pipeline_finalize(s->pipeline);
	}
	forget_kept(s);
}

/* Answer a finalize without a pipeline by an empty final text. */
static void
output_nothing(struct session *session, const struct stt *s)
{
	struct arena *mem = arena_new();
	struct buf b = { .mem = mem };
	unsigned char id[8];

	random_bytes(id, sizeof(id));
	if (stt_output(&b,
		&(struct output_stt){ hex(mem, id, sizeof(id)), s->want->language, "",
		    s->before_us, s->before_us },
		true, "", 0, true))
		connection_send_buf(session->publisher, &b);
	arena_free(mem);
}

/* Audio (n > 0) or finalize (n 0).  Restarts a failed pipeline after AGAIN_US. */
static void
process_audio(struct session *session, struct stt *s, const void *p, size_t n)
{
	if (s->state == STT_NONE && monotonic_us() >= s->again_us)
		prepare(session, s);
	if (s->state == STT_PREPARING)
		defer_audio(s, p, n);
	else if (s->state == STT_RUNNING && n > 0)
		receive(session, s, p, n);
	else if (s->state == STT_RUNNING)
		pipeline_finalize(s->pipeline);
	else if (n == 0)
		output_nothing(session, s);
}

/* ---- messages ---- */

static void
receive_sound(struct connection *c, const char *p, size_t n)
{
	struct arena *mem = arena_new();
	struct validation_errors errors = { .mem = mem };
	const struct json_path whole = json_path_whole(NULL);

	if (!limit_admit(&c->limits[LIMIT_AUDIO], LIMIT_AUDIO, monotonic_us()))
		warn_fast(c->session, c->session->kind_state, limit_text(LIMIT_AUDIO));
	else if (n > MESSAGE_AUDIO_BYTES) {
		validation_error_add(&errors, &whole, VALIDATION_LENGTH,
		    "must be at most %d bytes", MESSAGE_AUDIO_BYTES);
		connection_refuse(c, &errors, false);
	} else if (n > 0)
		process_audio(c->session, c->session->kind_state, p, n);
	arena_free(mem);
}

static void
receive_text(struct connection *c, const char *p, size_t n)
{
	struct arena *mem = arena_new();
	struct validation_errors errors = { .mem = mem };
	struct message m;

	if (message_read(mem, MESSAGE_STT, p, n, &m, &errors))
		process_audio(c->session, c->session->kind_state, NULL, 0);
	else
		connection_refuse(c, &errors, m.kind == MESSAGE_UNKNOWN);
	arena_free(mem);
}

static void
message(struct connection *c, const char *p, size_t n, bool binary)
{
	struct stt *s = c->session->kind_state;

	s->frame_us = monotonic_us();
	s->cut &= !binary;
	if (!binary)
		receive_text(c, p, n);
	/* otherwise the pipeline would never be drained */
	else if (!c->session->gateway->stopping)
		receive_sound(c, p, n);
}

/* ---- time ---- */

/* True if all audio so far has been output. Requests a drain if needed. */
static bool
is_drained(struct stt *s)
{
	if (s->state == STT_RUNNING && s->unsaid && !s->draining) {
		s->unsaid = false;
		s->draining = true;
		pipeline_drain(s->pipeline);
	}
	return s->state != STT_PREPARING && !s->unsaid && !s->draining;
}

static void
turn(struct session *session, int64_t now)
{
	struct stt *s = session->kind_state;

	if (s == NULL || session->publisher == NULL)
		return;
	if (session->gateway->stopping && is_drained(s))
		connection_end(session->publisher, CLOSE_STOPPING);
	if (now >= s->frame_us + SILENT_US && is_drained(s))
		connection_end(session->publisher, CLOSE_NO_AUDIO);
	if (!s->cut && s->state == STT_RUNNING && now >= s->frame_us + CUT_US) {
		s->cut = true;
		pipeline_cut(s->pipeline);
	}
	if (now >= s->entry_us + BOOK_US)
		book(session, s, now);
}

static void
left(struct session *session)
{
	struct stt *s = session->kind_state;

	session->closed = true; /* a new connection opens a new session */
	forget_kept(s);
	leave_run(s);
}

const struct session_ops stt_ops = {
	.entered = entered,
	.message = message,
	.start = start,
	.tick = turn,
	.left = left,
	.running = running,
};
