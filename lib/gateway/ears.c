/*
 * The actor that hears: sound -> phrases -> recogniser -> glossaries.
 */
#include "gateway/ears_room.h"
#include "gateway/pitch.h"

#include <string.h>

#include "base/clock.h"
#include "base/hash.h"

#define PARTIAL_US (300 * 1000) /* between two partial texts, at least */
#define ASKED_US (1500 * 1000)  /* the same where each is a request */
#define US_OF(samples) ((samples)*S_US / HEARD_HZ)

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

void *
ears_new(struct run *r)
{
	struct arena *mem = arena_new();
	struct ears *e = arena_alloc(mem, sizeof(*e));
	struct phrase_rule rule = rule_of(&r->want->task);

	*e = (struct ears){
		.run = r, .mem = mem, .scratch = arena_new(), .phrase = arena_new()
	};
	for (size_t i = 0; i < r->want->task.n_targets; i++)
		e->measures |= r->want->task.targets[i].voice.timbre;
	e->in = intake_new(mem, r);
	e->phrases = phrases_new(mem, &rule);
	return e;
}

void
ears_gone(void *ears)
{
	struct ears *e = ears;
	struct run *r = e->run;

	ears_close(e);
	ears_original(e, false);
	intake_close(e->in);
	arena_free(e->scratch);
	arena_free(e->phrase);
	arena_free(e->mem);
	for (int i = 0; i < (int)r->want->task.n_targets; i++)
		actor_leave(r->mouths[i]);
	run_left(r);
}

/* ---- what was heard ---- */

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
	h.text = ears_corrected(e, &h);
	if (h.text[0] == '\0' || strcmp(h.text, e->text) == 0)
		return;
	phrases_text(e->phrases, h.text);
	ears_say(e, SAY_PARTIAL, &h, at_us);
	e->text = h.text;
	e->text_us = at_us;
	p = ears_phrase(e, &h, at_us);
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
	if (ears_finish(e, &h) != OK)
		return;
	h.text = ears_corrected(e, &h);
	if (h.text[0] == '\0' || is_flushed(e))
		return;
	ears_say(e, SAY_VALIDATED, &h, end_us);
	p = ears_phrase(e, &h, end_us);
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
hear_sound(struct ears *e, const struct phrase_part *p)
{
	if (e->dropped)
		return;
	ears_feed(e, &p->sound);
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
	int64_t before = intake_us(e->in), speech;
	struct pcm16 pcm;
	enum err how = ears_decode(e, l->bytes, l->n, &pcm);

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
	e->run->decoded_us += intake_us(e->in) - before;
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
	int64_t at_us = e->run->before_us + intake_us(e->in);
	const struct heard nothing = { .text = "",
		.lang = e->run->want->task.language.said };

	e->finalizing = true;
	cut(e);
	if (!e->finalizing)
		return;
	begin_phrase(e, at_us);
	ears_say(e, SAY_VALIDATED, &nothing, at_us);
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
		intake_open(e->in);
		ears_open(e);
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
	case EARS_ORIGINAL:
	case EARS_NO_ORIGINAL:
		ears_original(e, l->kind == EARS_ORIGINAL);
		break;
	}
	arena_reset(e->scratch);
	arena_free(letter->mem);
}
