/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <string.h>

#include "audio/chunks.h"
#include "audio/wav.h"
#include "base/buf.h"
#include "base/clock.h"
#include "base/text.h"
#include "media/media.h"
#include "protocol/output.h"
#include "session/tts_session.h"

#define CHUNK_MS 200

/* Allocated in mem; the actor frees it. */
struct tts_worker {
	struct gateway *gateway;
	struct session *session;
	const struct tts_params *want; /* parameters of the session */
	struct registry *registry;     /* a reference is held */
	atomic_int *epoch;             /* epoch of the session, see tts_worker_new() */
	void (*receive)(struct gateway *, struct thread_call *);
	struct arena *mem;     /* owned */
	struct arena *scratch; /* owned; reset after each piece */
	const char *warned;    /* last voice that was not found, or NULL */
};

/* The piece being synthesized. */
struct utterance {
	struct tts_worker *worker;
	struct tts_piece *piece;
	struct chunks *chunks; /* NULL: no audio yet */
	/* rate to apply to the audio; 1 if the engine applies the rate */
	double tempo;
	struct buf whole; /* MP3: int16_t samples of the whole piece */
	bool receive;     /* the first chunk was sent */
};

static struct tts_event *
tts_event_new(struct tts_worker *t, enum tts_event_kind kind, int epoch)
{
	struct tts_event *s = THREAD_CALL(struct tts_event);

	s->call.run = t->receive;
	s->session = t->session;
	s->kind = kind;
	s->epoch = epoch;
	return s;
}

static void
send_event(struct tts_worker *t, struct tts_event *s, const struct buf *b)
{
	if (b != NULL) {
		s->text = b->p;
		s->n = b->len;
	}
	mailbox_send(t->gateway->to_event_loop, &s->call.message);
}

static bool
is_dropped(const struct utterance *u)
{
	return u->piece->epoch != *u->worker->epoch;
}

/* ---- chunks ---- */

static void
output_bytes(struct utterance *u, const void *bytes, size_t n, int64_t us)
{
	struct tts_event *s = tts_event_new(u->worker, TTS_MESSAGE, u->piece->epoch);
	struct buf b = { .mem = s->call.message.mem };
	struct output_chunk c = { .bytes = bytes,
		.n = n,
		.generation = u->piece->generation,
		.delta_ms = NULL_INT,
		.length_us = us };

	if (u->piece->first && !u->receive)
		c.delta_ms = (monotonic_us() - u->piece->asked_us) / 1000;
	u->receive = s->sound = true;
	s->generation = arena_str(b.mem, u->piece->generation);
	if (output_chunk(&b, &c))
		send_event(u->worker, s, &b);
	else
		arena_free(s->call.message.mem);
}

static void
output_samples(struct utterance *u, const struct chunk *c)
{
	const struct tts_params *w = u->worker->want;
	int64_t us = (int64_t)c->n * S_US / w->rate_hz;
	struct buf b = { .mem = u->worker->scratch };
	size_t n;
	const void *bytes = chunk_bytes(b.mem, c, &n);

	if (w->format == MESSAGE_WAV && u->piece->first && !u->receive) {
		wav_header_write(buf_room(&b, WAV_HEADER), w->rate_hz, WAV_UNBOUNDED);
		b.len += WAV_HEADER;
	}
	buf_put(&b, bytes, n);
	output_bytes(u, b.p, b.len, us);
}

static void
send_chunks(struct utterance *u)
{
	bool whole = u->worker->want->format == MESSAGE_MP3;
	struct chunk c;

	while (chunks_next(u->chunks, &c))
		if (c.n > 0 && whole)
			buf_put(&u->whole, c.s, c.n * sizeof(*c.s));
		else if (c.n > 0)
			output_samples(u, &c);
}

/* Cut a file of constant bit rate into parts of equal length, about CHUNK_MS. */
static void
cut_file(struct utterance *u, const struct media_file *f)
{
	size_t parts = (size_t)(f->duration_s * 1000 / CHUNK_MS) + 1, n = f->n;
	const char *bytes = tts_mp3_audio(f->bytes, &n);

	for (size_t i = 0; i < parts && !is_dropped(u); i++) {
		size_t from = n * i / parts, to = n * (i + 1) / parts;

		if (to > from)
			output_bytes(u, bytes + from, to - from,
			    (int64_t)(f->duration_s * S_US / (double)parts));
	}
}

/* Encode the piece as MP3, in a child process. */
static enum err
encode(struct utterance *u)
{
	struct tts_worker *t = u->worker;
	const struct conf *c = t->gateway->conf;
	const struct media_at at = { arena_printf(
					 t->scratch, "%s/dragoman-media", c->bin_dir),
		(int)c->engine_timeout_ms };
	size_t n = u->whole.len / sizeof(int16_t);
	const int16_t *s = (const int16_t *)(const void *)u->whole.p;
	struct pcm pcm = { .s = arena_alloc(t->scratch, n * sizeof(*pcm.s) + 1),
		.n = n,
		.rate_hz = t->want->rate_hz };
	struct media_file f;
	enum err e;

	for (size_t i = 0; i < n; i++)
		pcm.s[i] = (float)s[i] / 32768;
	e = n > 0 ? media_encode(&at, t->scratch, &pcm, "mp3", &f) : ERR_FAILED;
	if (e == OK)
		cut_file(u, &f);
	return e;
}

/* ---- speech ---- */

static bool
receive_sound(void *arg, const struct pcm *pcm)
{
	struct utterance *u = arg;
	struct tts_worker *t = u->worker;

	if (is_dropped(u))
		return false;
	if (u->chunks == NULL)
		u->chunks = chunks_new(t->scratch, t->want->rate_hz, u->tempo);
	chunks_put(u->chunks, pcm);
	send_chunks(u);
	return true;
}

static bool
find_voice(void *arg, const char *id, struct voice_found *to)
{
	const struct tts_piece *p = arg;

	(void)id; /* tts_queue.c has looked the voice up */
	*to = p->found;
	return p->known;
}

static void
warn_voice(struct tts_worker *t, const struct tts_piece *p, const char *text)
{
	struct tts_event *s;
	struct buf b;

	if (t->warned != NULL && strcmp(t->warned, p->voice) == 0)
		return;
	t->warned = arena_str(t->mem, p->voice);
	s = tts_event_new(t, TTS_MESSAGE, p->epoch);
	b = (struct buf){ .mem = s->call.message.mem };
	output_warning(&b, "VOICE_NOT_FOUND", text);
	send_event(t, s, &b);
}

static enum err
output_with(struct utterance *u, const struct registry_engine *engine)
{
	struct tts_worker *t = u->worker;
	struct tts_piece *p = u->piece;
	struct voice_chosen voice =
	    voice_choose(t->scratch, engine, p->voice, find_voice, p);
	bool itself = (engine->tts->can & TTS_RATE) != 0;
	const struct tts_text text = { .text = p->text,
		.lang = t->want->language,
		.voice = voice.voice,
		.high = voice.high,
		.rate = itself ? p->rate : 1,
		.sample_url = voice.sample_url };

	if (voice.warning != NULL)
		warn_voice(t, p, voice.warning);
	u->tempo = itself ? 1 : p->rate;
	return registry_speak(t->registry, engine, t->scratch, &text, receive_sound, u);
}

static enum err
speak(struct utterance *u)
{
	struct tts_worker *t = u->worker;
	const struct voice_wish wish = { u->piece->voice, t->want->language,
		t->want->model };
	struct registry_want which = { voice_model(t->scratch, t->registry, &wish,
					   find_voice, u->piece),
		NULL, monotonic_us() };
	const struct registry_engine *engine;
	enum err e = ERR_UNSUPPORTED;

	while (
	    u->chunks == NULL && e != OK && !is_dropped(u) &&
	    (engine = registry_tts(t->registry, t->want->language, &which)) != NULL) {
		e = output_with(u, engine);
		registry_report(t->registry,
		    &(const struct registry_call){
			.engine = engine, .from = t->want->language, .how = e },
		    monotonic_us());
		which.after = engine;
	}
	if (u->chunks == NULL || is_dropped(u))
		return e;
	chunks_end(u->chunks);
	send_chunks(u);
	return e == OK && t->want->format == MESSAGE_MP3 ? encode(u) : e;
}

static void
read_piece(void *self, struct actor_message *message)
{
	struct tts_worker *t = self;
	struct tts_piece *p = (struct tts_piece *)message;
	struct utterance u = { .worker = t, .piece = p, .whole.mem = t->scratch };
	enum err how = speak(&u);
	struct tts_event *s = tts_event_new(t, TTS_DONE, p->epoch);

	s->how = how;
	s->sound = u.receive;
	s->characters = (int64_t)text_length(p->text);
	send_event(t, s, NULL);
	arena_reset(t->scratch);
	arena_free(message->mem);
}

static void
gone(void *self)
{
	struct tts_worker *t = self;

	registry_drop(t->registry);
	send_event(t, tts_event_new(t, TTS_GONE, 0), NULL);
	arena_free(t->scratch);
	arena_free(t->mem);
}

struct actor *
tts_worker_new(struct gateway *g, struct session *session,
    const struct tts_params *want, atomic_int *epoch,
    void (*receive)(struct gateway *, struct thread_call *))
{
	struct arena *mem = arena_new();
	struct tts_worker *t = arena_alloc(mem, sizeof(*t));

	*t = (struct tts_worker){ .gateway = g,
		.session = session,
		.want = want,
		.registry = registry_hold(g->engines),
		.epoch = epoch,
		.receive = receive,
		.mem = mem,
		.scratch = arena_new() };
	return actor_new(g->pool, t, read_piece, gone);
}
