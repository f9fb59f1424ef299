/*
 * The actor that hears: sound -> phrases -> recogniser -> glossaries.
 */
#include "gateway/pitch.h"
#include "gateway/run_room.h"
#include "gateway/stt.h"

#include <string.h>

#include "base/clock.h"
#include "base/hash.h"
#include "stream/phrase.h"
#include "stream/sound_in.h"

#define PARTIAL_US (300 * 1000) /* between two partial texts, at least */
#define ASKED_US (1500 * 1000)  /* the same where each is a request */
#define FAILURES 3              /* phrases in a row, then there is no engine */
#define US_OF(samples) ((samples)*S_US / HEARD_HZ)

struct ears {
	struct run *run;
	struct arena *mem;     /* of the stream: the sound before the recogniser */
	struct arena *scratch; /* of one letter */
	struct arena *phrase;  /* of one phrase */
	struct sound_in *in;
	struct phrases *phrases;
	const struct registry_engine *engine; /* NULL: there is none */
	struct asr *asr;
	const char *id;   /* of the running phrase; NULL: there is none */
	const char *text; /* its last partial one, */
	int64_t text_us;  /* and how far that goes */
	bool finalizing;  /* the next final text says so */
	bool dropped;     /* nobody wants to know what it says */
	enum err lost;    /* it cannot be heard by this recogniser */
	int64_t start_us; /* of its speech, since the first chunk */
	int64_t partial_us;
	int failures;
	int flushed; /* of run.flushed_all, that have come */
	bool keeps;  /* the phrase's sound: to measure, or for another recogniser */
	int16_t *kept;
	size_t nkept, kept_room;
	bool measures;
	int64_t letter_at;            /* the first sample of this letter, */
	int64_t letter_us, voiced_us; /* when it came; of the last one with speech */
	struct warned warned;
};

static struct phrase_rule
rule_of(const struct task *t)
{
	return (struct phrase_rule){
		.vad = t->vad,
		.vad_threshold = t->vad_threshold,
		.silence_ms = (int)(t->silence_s * 1000 + 0.5),
		.split = t->splitter && !t->only_silence,
		.split_characters = (int)t->splitter_characters,
		.split_s = t->splitter_s,
	};
}

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

void *
ears_new(struct run *r)
{
	struct arena *mem = arena_new();
	struct ears *e = arena_alloc(mem, sizeof(*e));
	struct sound_format format = format_of(r->want);
	struct phrase_rule rule = rule_of(&r->want->task);

	*e = (struct ears){
		.run = r, .mem = mem, .scratch = arena_new(), .phrase = arena_new()
	};
	for (size_t i = 0; i < r->want->task.n_targets; i++)
		e->measures |= r->want->task.targets[i].voice.timbre;
	e->in = sound_in_new(mem, &format);
	e->phrases = phrases_new(mem, &rule);
	return e;
}

void
ears_gone(void *ears)
{
	struct ears *e = ears;
	struct run *r = e->run;

	if (e->asr != NULL)
		e->engine->asr->close(e->asr);
	arena_free(e->scratch);
	arena_free(e->phrase);
	arena_free(e->mem);
	for (int i = 0; i < (int)r->want->task.n_targets; i++)
		actor_leave(r->mouths[i]);
	run_left(r);
}

/* ---- the recogniser ---- */

static struct registry_want
next_engine(const struct ears *e)
{
	return (struct registry_want){ e->run->want->task.asr_model, e->engine,
		monotonic_us() };
}

/* Whether somebody else could hear what this one cannot. */
static bool
has_another(const struct ears *e)
{
	const struct run_want *w = e->run->want;
	struct registry_want which = next_engine(e);

	return registry_asr(w->registry, w->task.language.code, &which) != NULL;
}

/* The next able engine after the one that is open; false: none is left. */
static bool
open_next(struct ears *e)
{
	const struct run_want *w = e->run->want;
	const struct asr_want want = { .lang = w->task.language.code,
		.candidates = w->task.detectable };
	struct registry_want which = next_engine(e);

	if (e->asr != NULL)
		e->engine->asr->close(e->asr);
	e->asr = NULL;
	while ((e->engine = registry_asr(w->registry, want.lang, &which)) != NULL) {
		enum err how = e->engine->asr->open(&e->engine->at, &want, &e->asr);

		registry_tell(w->registry, e->engine, how, monotonic_us());
		if (how == OK) {
			e->keeps = e->measures || has_another(e);
			return true;
		}
		which.after = e->engine;
	}
	return false;
}

static void
open_first(struct ears *e)
{
	struct said *s = said_new(e->run, open_next(e) ? SAID_READY : SAID_FAILED, -1);

	said_send(s, NULL, -1);
	if (e->run->want->truncated)
		run_warn(e->run, "GLOSSARY_TRUNCATED",
		    "The glossaries have too many entries, the first 10,000 are used");
}

/* A phrase came to nothing.  The list of engines begins anew. */
static void
skip_phrase(struct ears *e)
{
	if (e->asr != NULL)
		e->engine->asr->close(e->asr);
	e->asr = NULL;
	e->engine = NULL;
	if (++e->failures < FAILURES && open_next(e))
		return;
	said_send(said_new(e->run, SAID_FAILED, -1), NULL, -1);
}

/* The whole phrase once more, by the recogniser that is open now. */
static enum err
hear_again(struct ears *e, struct heard *h)
{
	enum err how = e->engine->asr->feed(e->asr, e->kept, e->nkept);

	if (how == OK)
		return e->engine->asr->finish(e->asr, e->phrase, h);
	e->engine->asr->drop(e->asr);
	return how;
}

/* By whoever can. */
static enum err
finish_phrase(struct ears *e, struct heard *h)
{
	struct registry *reg = e->run->want->registry;
	bool again = e->keeps;
	enum err how = e->lost;

	if (how == OK)
		how = e->engine->asr->finish(e->asr, e->phrase, h);
	else
		e->engine->asr->drop(e->asr);
	registry_tell(reg, e->engine, how, monotonic_us());
	while (how != OK && again && has_another(e) && open_next(e)) {
		how = hear_again(e, h);
		registry_tell(reg, e->engine, how, monotonic_us());
	}
	return how;
}

/* ---- what was heard ---- */

static const char *
corrected(struct ears *e, const struct heard *h)
{
	const struct gloss *g = e->run->want->gloss;
	const char *text = h->text;

	if (e->run->want->unfilled)
		text = stt_unfilled(e->phrase, h->lang, text);
	if (g == NULL)
		return text;
	text = gloss_hot(g, e->phrase, h->lang, text);
	return gloss_heard(g, e->phrase, h->lang, text);
}

static void
say_heard(struct ears *e, enum task_say how, const struct heard *h, int64_t end_us)
{
	struct said *s = said_new(e->run, SAID_TEXT, -1);
	const struct heard_word *w = h->words.items;
	size_t n = how == SAY_VALIDATED ? h->words.n : 0;
	struct say_word *words = arena_alloc(e->phrase, (n + 1) * sizeof(*words));
	struct say_segment segment = { h->text, e->start_us, end_us, words, n };
	const struct say_transcript t = { .id = e->id,
		.part = -1,
		.language = h->lang,
		.text = h->text,
		.segments = &segment,
		.n_segments = 1,
		.epoch_us = e->run->epoch_us };
	struct buf b = said_buf(s);

	for (size_t i = 0; i < n; i++)
		words[i] = (struct say_word){ w[i].text, e->start_us + w[i].start_us,
			e->start_us + w[i].end_us };
	if (e->run->want->flat)
		e->finalizing &= !stt_say(&b,
		    &(struct say_stt){ e->id, h->lang, h->text, e->start_us, end_us },
		    how == SAY_VALIDATED, e->text, e->text_us, e->finalizing);
	else
		say_text(&b, how, &t);
	s->final = how == SAY_VALIDATED;
	said_send(s, &b, (int)how);
}

static struct phrase_said
as_said(const struct ears *e, const struct heard *h, int64_t end_us)
{
	return (struct phrase_said){ .id = e->id,
		.language = code_fold(e->phrase, h->lang),
		.text = h->text,
		.start_us = e->start_us,
		.end_us = end_us,
		.ended_us = monotonic_us(),
		.voiced_us = e->voiced_us };
}

static bool
is_flushed(const struct ears *e)
{
	return e->dropped || e->flushed != e->run->flushed_all;
}

static void
hear_partial(struct ears *e, int64_t at_us)
{
	int64_t now = monotonic_us();
	bool streams = (e->engine->asr->can & ASR_STREAM) != 0;
	struct phrase_said p;
	struct heard h;

	if (is_flushed(e) || run_drops(e->run, DROP_PARTIALS) ||
	    now < e->partial_us + (streams ? PARTIAL_US : ASKED_US))
		return;
	e->partial_us = now;
	if (e->engine->asr->partial(e->asr, e->phrase, &h) != OK)
		return;
	h.text = corrected(e, &h);
	if (h.text[0] == '\0' || strcmp(h.text, e->text) == 0)
		return;
	phrases_text(e->phrases, h.text);
	say_heard(e, SAY_PARTIAL, &h, at_us);
	e->text = h.text;
	e->text_us = at_us;
	p = as_said(e, &h, at_us);
	p.partial = true;
	if (!run_drops(e->run, DROP_PARTIAL_TRANSLATIONS))
		run_pass(e->run, &p, -1);
}

static void
hear_final(struct ears *e, int64_t end_us)
{
	struct phrase_said p;
	struct heard h;

	if (is_flushed(e)) {
		e->engine->asr->drop(e->asr);
		return;
	}
	if (finish_phrase(e, &h) != OK) {
		skip_phrase(e);
		return;
	}
	e->failures = 0;
	h.text = corrected(e, &h);
	if (h.text[0] == '\0' || is_flushed(e))
		return;
	say_heard(e, SAY_VALIDATED, &h, end_us);
	p = as_said(e, &h, end_us);
	if (e->measures && e->nkept > 0)
		p.pitch_hz = pitch_median(e->kept, e->nkept);
	run_pass(e->run, &p, -1);
}

/* ---- sound ---- */

static void
begin_phrase(struct ears *e, int64_t at_us)
{
	unsigned char id[8];

	arena_reset(e->phrase);
	random_bytes(id, sizeof(id));
	e->id = hex(e->phrase, id, sizeof(id));
	e->text = "";
	e->dropped = e->asr == NULL;
	e->lost = OK;
	e->kept = NULL;
	e->nkept = e->kept_room = 0;
	e->start_us = at_us;
	e->partial_us = monotonic_us();
}

static void
keep_sound(struct ears *e, const struct pcm16 *sound)
{
	if (e->nkept + sound->n > e->kept_room) {
		size_t room = 2 * (e->nkept + sound->n);
		int16_t *more = arena_alloc(e->phrase, room * sizeof(*more));

		if (e->nkept > 0)
			memcpy(more, e->kept, e->nkept * sizeof(*more));
		e->kept = more;
		e->kept_room = room;
	}
	memcpy(e->kept + e->nkept, sound->s, sound->n * sizeof(*sound->s));
	e->nkept += sound->n;
}

static void
hear_sound(struct ears *e, const struct phrase_part *p)
{
	if (e->dropped)
		return;
	if (e->keeps)
		keep_sound(e, &p->sound);
	if (e->lost != OK)
		return;
	e->lost = e->engine->asr->feed(e->asr, p->sound.s, p->sound.n);
	if (e->lost == OK)
		hear_partial(e, e->run->before_us + US_OF(p->at + (int64_t)p->sound.n));
}

static void
take_part(struct ears *e, const struct phrase_part *p)
{
	int64_t before_us = e->run->before_us;

	switch (p->is) {
	case PHRASE_BEGINS:
		begin_phrase(e, before_us + US_OF(p->speech_at));
		return;
	case PHRASE_SOUND:
		hear_sound(e, p);
		return;
	case PHRASE_ENDS:
		if (p->speech_at > e->letter_at)
			e->voiced_us = e->letter_us;
		if (e->asr != NULL)
			hear_final(e, before_us + US_OF(p->speech_at));
		e->id = NULL;
		return;
	}
}

static void
take_parts(struct ears *e)
{
	struct phrase_part part;

	while (phrases_next(e->phrases, &part))
		take_part(e, &part);
}

static void
tell_unread(struct ears *e)
{
	if (warned_due(&e->warned, "VALIDATION_ERROR", monotonic_us()))
		run_error(e->run, "VALIDATION_ERROR", "The audio cannot be read");
}

static void
hear(struct ears *e, const struct ears_letter *l)
{
	int64_t before = sound_in_us(e->in), speech;
	struct pcm16 pcm;
	enum err how = sound_in_feed(e->in, l->bytes, l->n, e->scratch, &pcm);

	if (how != OK)
		tell_unread(e);
	if (!e->run->dropped) {
		speech = phrases_speech_at(e->phrases);
		e->letter_us = l->came_us;
		phrases_feed(e->phrases, pcm.s, pcm.n);
		take_parts(e);
		e->letter_at += (int64_t)pcm.n;
		if (phrases_speech_at(e->phrases) > speech)
			e->run->voiced_us = e->voiced_us = l->came_us;
	}
	e->run->letters--;
	e->run->read += (long long)l->n;
	e->run->done_us += l->us;
	e->run->queued -= (long long)l->n;
	e->run->decoded_us += sound_in_us(e->in) - before;
}

static void
cut(struct ears *e)
{
	phrases_cut(e->phrases);
	take_parts(e);
}

/* Nothing was pending: then there is no text but the mark. */
static void
finalize(struct ears *e)
{
	int64_t at_us = e->run->before_us + sound_in_us(e->in);
	const struct heard nothing = { .text = "",
		.lang = e->run->want->task.language.said };

	e->finalizing = true;
	cut(e);
	if (!e->finalizing)
		return;
	begin_phrase(e, at_us);
	say_heard(e, SAY_VALIDATED, &nothing, at_us);
	e->id = NULL;
}

static void
drop_phrase(struct ears *e)
{
	e->dropped = true;
	cut(e);
	e->flushed++;
}

void
ears_read(void *ears, struct letter *letter)
{
	struct ears_letter *l = (struct ears_letter *)letter;
	struct ears *e = ears;

	switch (l->kind) {
	case EARS_OPEN:
		open_first(e);
		break;
	case EARS_SOUND:
		hear(e, l);
		break;
	case EARS_CUT:
		cut(e);
		break;
	case EARS_FINALIZE:
		finalize(e);
		break;
	case EARS_DROP:
		drop_phrase(e);
		break;
	case EARS_ECHO:
		cut(e);
		run_pass_echo(e->run);
		break;
	}
	arena_reset(e->scratch);
	arena_free(letter->mem);
}
