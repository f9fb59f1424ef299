/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The recognizer actor: sound -> segments -> ASR engine -> glossaries.
 */
#include "pipeline/recognizer_internal.h"

#include <string.h>

#include "audio/vad_silero.h"
#include "base/clock.h"
#include "base/id.h"
#include "base/lang.h"
#include "base/text.h"
#include "pipeline/disfluencies.h"
#include "pipeline/markers.h"
#include "pipeline/stt_output.h"
#include "speech/sentence.h"
#include "speech/voice_analysis.h"

#define PARTIAL_US (300 * 1000) /* least time between two partial texts */
/* least time between two partial texts if each costs a request */
#define ASKED_US (1500 * 1000)
#define HELD_MOST 8192 /* longest held text in bytes */
#define US_OF(samples) ((samples)*S_US / HEARD_HZ)

static struct segmenter_params
params_of(const struct task *t)
{
	return (struct segmenter_params){
		.vad = t->vad,
		.vad_threshold = t->vad_threshold,
		.silence_ms = (int)(t->silence_s * 1000 + 0.5),
		.split = t->splitter && !t->only_silence,
		.split_characters = (int)t->splitter_characters,
		.split_s = t->splitter_s,
	};
}

static struct recognizer *
new_recognizer(struct pipeline *p)
{
	struct arena *mem = arena_new();
	struct recognizer *r = arena_alloc(mem, sizeof(*r));
	struct segmenter_params params = params_of(&p->config->task);
	struct silero_files files = silero_find(mem, p->host.conf);

	*r = (struct recognizer){ .pipeline = p,
		.mem = mem,
		.scratch = arena_new(),
		.segment_mem = arena_new() };
	for (size_t i = 0; i < p->config->task.n_targets; i++)
		r->measures |= p->config->task.targets[i].voice.timbre;
	r->clones = speaker_voice_wanted(p);
	r->in = audio_input_new(mem, p);
	if (params.vad)
		params.silero = silero_new(mem, &files);
	r->segmenter = segmenter_new(mem, &params);
	return r;
}

static void
end_recognizer(void *self)
{
	struct recognizer *r = self;
	struct pipeline *p = r->pipeline;

	open_phrase_close(r);
	recognizer_close(r);
	passthrough_set(r, false);
	audio_input_close(r->in);
	arena_free(r->scratch);
	arena_free(r->held.mem);
	arena_free(r->segment_mem);
	arena_free(r->mem);
	pipeline_end_synthesizers(p);
	pipeline_left(p);
}

/* ---- speech or noise ---- */

/*
 * Texts of engines that do not report a confidence are accepted. The limits come from
 * recordings of people (studio, telephone, music, white noise) and of an office:
 * docs/speech.md.
 */
#define FEW_WORDS 2
#define FEW_CONFIDENCE 0.5 /* least confidence of a text of at most FEW_WORDS words */
#define FEW_VOICED 0.45 /* least share of the sound of such a text that has a pitch */
#define FEW_VOICED_MOST 0.98 /* greatest share with a pitch; a pure tone has more */
#define VOICED 0.3           /* least share with a pitch of a text of more words */
#define SURE 0.6             /* above this confidence, slow speech is accepted */
#define LEAST 0.1            /* least confidence of a text of more words */
#define FEW_OF_TEXT 0.6      /* as FEW_CONFIDENCE, for engines without times of words */
/* as LEAST_CONFIDENCE, for engines without times of words */
#define LEAST_OF_TEXT 0.45
#define NOISES 3 /* not speech if at least one word in this many is a noise */
#define SLOW_FEW 1.1
#define SLOW 1.2 /* lowest speaking rate, in words a second */
#define SLOW_UNSURE 1.8
#define FAST 8

/* Words that PocketSphinx recognizes in hum, coughs and squeaks. */
static const char noises[] = " ah aha ha hah heh hey hm hmm hoo huh mm mhm oh oo ooh "
			     "op uh um whoa whoop wow woo ";

static bool
is_noise(const char *word)
{
	size_t n = strlen(word);

	for (const char *s = noises; s[1] != '\0'; s = strchr(s + 1, ' '))
		if (strncmp(s + 1, word, n) == 0 && s[n + 1] == ' ')
			return true;
	return false;
}

struct word_count {
	size_t all, noises;
};

/*
 * Returns the letters and digits of a word in small letters; "" if it is too long for a
 * noise.
 */
static void
spell(char word[8], size_t n, uint32_t cp)
{
	if (n + 1 < 8)
		word[n] = cp < 128 ? (char)text_small(cp) : '?';
	word[n + 1 < 8 ? n + 1 : 7] = '\0';
}

/* Count the words of a text. In languages without blanks, two characters are one word.
 */
static struct word_count
count_text(const struct asr_result *h)
{
	size_t most = h->lang == NULL || lang_has_blanks(h->lang) ? SIZE_MAX : 2, n = 0;
	struct word_count is = { 0, 0 };
	const char *p = h->text;
	uint32_t cp = 0;
	char word[8];

	do {
		p = *p != '\0' ? text_next(p, &cp) : NULL;
		if (p != NULL && (text_is_word(cp) || (cp == '\'' && n > 0)))
			spell(word, n++, cp);
		if (n > 0 && (p == NULL || n == most || !text_is_word(cp))) {
			is.all++;
			is.noises += is_noise(word);
			n = 0;
		}
	} while (p != NULL);
	return is;
}

static struct word_count
count_words(const struct asr_result *h)
{
	const struct asr_word *w = h->words.items;
	struct word_count is = { h->words.n, 0 };

	if (is.all == 0)
		return count_text(h);
	for (size_t i = 0; i < is.all; i++)
		is.noises += is_noise(w[i].text);
	return is;
}

static bool
accepts_few(const struct recognizer *r, const struct asr_result *h)
{
	bool timed = h->words.n > 0;

	return h->confidence >= (timed ? FEW_CONFIDENCE : FEW_OF_TEXT) &&
	       r->voiced >= FEW_VOICED && r->voiced <= FEW_VOICED_MOST;
}

/* The lowest speaking rate that is accepted for this text, in words per second. */
static double
slowest(const struct asr_result *h, size_t words)
{
	if (words <= FEW_WORDS)
		return SLOW_FEW;
	return h->confidence >= SURE ? SLOW : SLOW_UNSURE;
}

/* True if the words may be speech that lasts until end_us. */
static bool
is_talk(const struct recognizer *r, struct word_count is, int64_t end_us, double slow)
{
	double s = (double)(end_us - r->start_us) / 1e6;

	return NOISES * is.noises < is.all && (double)(is.all - is.noises) >= s * slow;
}

/* True if the text is too long for its sound: networks make sentences of short noises.
 */
static bool
is_too_fast(const struct recognizer *r, const struct asr_result *h,
    struct word_count is, int64_t end_us)
{
	double s = (double)(end_us - r->start_us) / 1e6;

	return h->words.n == 0 && is.all > FEW_WORDS && (double)is.all > s * FAST;
}

bool
recognizer_accepts(
    const struct recognizer *r, const struct asr_result *h, int64_t end_us)
{
	struct word_count is = count_words(h);
	/* networks without times of words report higher confidences */
	double least = h->words.n > 0 ? LEAST : LEAST_OF_TEXT;

	if (h->confidence <= 0 || is.all == 0)
		return true;
	if (!is_talk(r, is, end_us, slowest(h, is.all)) ||
	    is_too_fast(r, h, is, end_us))
		return false;
	return is.all <= FEW_WORDS ? accepts_few(r, h)
				   : h->confidence >= least && r->voiced >= VOICED;
}

bool
recognizer_accepts_partial(
    const struct recognizer *r, const struct asr_result *h, int64_t at_us)
{
	if ((r->engine->asr->can & ASR_SURE) == 0)
		return true;
	return h->words.n > FEW_WORDS && r->voiced >= VOICED &&
	       is_talk(r, count_words(h), at_us, SLOW_UNSURE);
}

/* ---- correcting and sending texts ---- */

/* Remove the names of noises from text and words. */
static void
strip_noises(struct recognizer *r, struct asr_result *h)
{
	const struct asr_word *w = h->words.items;
	const char *was = h->text;
	struct asr_word *to;
	size_t n = 0;

	h->text = markers_remove(r->segment_mem, was);
	if (h->text == was)
		return;
	to = arena_alloc(r->segment_mem, (h->words.n + 1) * sizeof(*to));
	for (size_t i = 0; i < h->words.n; i++)
		if (*markers_remove(r->segment_mem, w[i].text) != '\0')
			to[n++] = w[i];
	h->words = (struct list){ to, n };
}

/*
 * Removes disfluencies, restores capitals and punctuation, applies the glossaries, then
 * masks blocked words. Returns the text in segment_mem. The times of the words stay as
 * the engine gave them.
 */
static const char *
correct(struct recognizer *r, const struct asr_result *h)
{
	const struct glossary_index *g = r->pipeline->config->glossary;
	const char *text = h->text;

	if (r->pipeline->config->unfilled)
		text = disfluencies_remove(r->segment_mem, h->lang, text);
	text = sentence_source(r->segment_mem, h->lang, text);
	if (g != NULL) {
		text = glossary_hotwords(g, r->segment_mem, h->lang, text);
		text = glossary_correct(g, r->segment_mem, h->lang, text);
	}
	return blocked_mask(r->pipeline->config->blocked, r->segment_mem, text);
}

/* The number of words to send with a text; none if one of them, or several together,
   are blocked. */
static size_t
count_shown(const struct recognizer *r, const struct asr_result *h)
{
	const struct blocked *blocked = r->pipeline->config->blocked;
	const struct asr_word *w = h->words.items;
	struct buf b = { .mem = r->segment_mem };

	if (blocked == NULL)
		return h->words.n;
	for (size_t i = 0; i < h->words.n; i++) {
		buf_str(&b, w[i].text);
		buf_str(&b, " ");
	}
	buf_str(&b, h->text);
	return strstr(blocked_mask(blocked, r->segment_mem, buf_text(&b)),
		   BLOCKED_MARK) == NULL
		   ? h->words.n
		   : 0;
}

/* The event of a final or partial text; *b becomes its message. */
static struct pipeline_event *
make_text(struct recognizer *r, enum task_output how, const struct asr_result *h,
    int64_t end_us, struct buf *b)
{
	struct pipeline_event *s = pipeline_event_new(r->pipeline, PIPELINE_TEXT, -1);
	const struct asr_word *w = h->words.items;
	size_t n = how == OUTPUT_VALIDATED ? count_shown(r, h) : 0;
	struct output_word *words =
	    arena_alloc(r->segment_mem, (n + 1) * sizeof(*words));
	struct output_segment segment = { h->text, r->start_us, end_us, words, n };
	const struct output_transcript t = { .id = r->id,
		.part = -1,
		.language = h->lang,
		.text = h->text,
		.segments = &segment,
		.n_segments = 1,
		.epoch_us = r->pipeline->epoch_us };

	*b = pipeline_event_buf(s);
	for (size_t i = 0; i < n; i++)
		words[i] = (struct output_word){ w[i].text, r->start_us + w[i].start_us,
			r->start_us + w[i].end_us };
	if (r->pipeline->config->flat)
		r->finalizing &= !stt_output(b,
		    &(struct output_stt){ r->id, h->lang, h->text,
			r->held.id != NULL ? r->held.start_us : r->start_us, end_us },
		    how == OUTPUT_VALIDATED, r->text, r->text_us, r->finalizing);
	else
		output_text(b, how, &t);
	if (how == OUTPUT_VALIDATED)
		pipeline_event_final(s, &(struct pipeline_line){
					    h->text, h->lang, 0, r->start_us, end_us });
	s->times.id = arena_str(s->call.message.mem, r->id);
	return s;
}

/* Send the final or partial text to the session. */
static void
send_text(struct recognizer *r, enum task_output how, const struct asr_result *h,
    int64_t end_us)
{
	struct buf b;
	struct pipeline_event *s = make_text(r, how, h, end_us, &b);

	pipeline_event_send(s, &b, (int)how);
}

/* The segment for the synthesizers; its strings are in segment_mem. */
static struct spoken_segment
segment_of(const struct recognizer *r, const struct asr_result *h, int64_t end_us)
{
	return (struct spoken_segment){ .id = r->id,
		.language = lang_fold(r->segment_mem, h->lang),
		.text = h->text,
		.start_us = r->start_us,
		.end_us = end_us,
		.ended_us = monotonic_us(),
		.voiced_us = r->voiced_us };
}

/* ---- the pitch of the speaker ---- */

#define PITCH_HEARD_S 10 /* seconds of a segment that are analysed at most */

static struct pcm
as_pcm(struct arena *mem, const int16_t *s, size_t n)
{
	struct pcm p = { .n = n, .rate_hz = HEARD_HZ };

	p.s = arena_alloc(mem, n * sizeof(*p.s));
	for (size_t i = 0; i < n; i++)
		p.s[i] = (float)s[i] / 32768;
	return p;
}

double
recognizer_pitch_hz(const int16_t *s, size_t n)
{
	const size_t most = (size_t)PITCH_HEARD_S * HEARD_HZ;
	struct arena *mem = arena_new();
	struct pcm pcm = as_pcm(mem, s, n < most ? n : most);
	struct frames f = voice_analysis_frames(mem, &pcm);
	float *voiced = arena_alloc(mem, (f.n + 1) * sizeof(*voiced));
	size_t nvoiced = 0;
	double hz = 0;

	for (size_t i = 0; i < f.n; i++)
		if (f.f0_hz[i] > 0)
			voiced[nvoiced++] = f.f0_hz[i];
	if (nvoiced > 0)
		hz = (double)voice_analysis_percentile(mem, voiced, nvoiced, 50);
	arena_free(mem);
	return hz;
}

/* ---- partial and final texts ---- */

static bool
is_flushed(const struct recognizer *r)
{
	return r->dropped || r->drops != r->pipeline->segment_drops;
}

/*
 * True if partial texts are used: by clients, a translation, or the splitter of
 * sentences.
 */
static bool
wants_partials(const struct recognizer *r)
{
	const struct pipeline_config *w = r->pipeline->config;
	const struct task *t = &w->task;
	bool wanted = w->flat || r->pipeline->partials ||
		      (t->splitter && !t->only_silence) ||
		      task_sends(t, OUTPUT_PARTIAL);

	for (size_t i = 0; !wanted && i < t->n_targets; i++)
		wanted = t->targets[i].partials;
	return wanted;
}

/* Send the partial text. False: it equals the previous one. */
static bool
send_partial(struct recognizer *r, struct asr_result *h, int64_t at_us)
{
	if (r->pipeline->config->manual)
		h->text = recognizer_held_join(r, h);
	if (strcmp(h->text, r->text) == 0)
		return false;
	send_text(r, OUTPUT_PARTIAL, h, at_us);
	r->text = h->text;
	r->text_language = h->lang;
	r->text_us = at_us;
	return true;
}

static void
ingest_partial(struct recognizer *r, int64_t at_us)
{
	int64_t now = monotonic_us();
	bool streams = (r->engine->asr->can & ASR_STREAM) != 0;
	struct spoken_segment p;
	struct asr_result h;

	if (is_flushed(r) || r->engine->at.no_partial || !wants_partials(r) ||
	    pipeline_drops(r->pipeline, DROP_PARTIALS) ||
	    now < r->partial_us + (streams ? PARTIAL_US : ASKED_US))
		return;
	r->partial_us = now;
	if (r->engine->asr->partial(r->asr, r->segment_mem, &h) != OK)
		return;
	strip_noises(r, &h);
	h.text = correct(r, &h);
	if (h.text[0] == '\0')
		return;
	segmenter_text(r->segmenter, h.text);
	if (r->pipeline->holds)
		return;
	if ((!r->shows && !recognizer_accepts_partial(r, &h, at_us)) ||
	    !send_partial(r, &h, at_us))
		return;
	r->shows = true;
	p = segment_of(r, &h, at_us);
	p.partial = true;
	if (!pipeline_drops(r->pipeline, DROP_PARTIAL_TRANSLATIONS))
		pipeline_pass(r->pipeline, &p, -1);
}

/* Get the final text of the segment; false: there is none. */
static bool
has_final(struct recognizer *r, struct asr_result *h, int64_t *end_us)
{
	if (recognizer_finish(r, h) != OK)
		return false;
	if (r->upto != SIZE_MAX)
		*end_us = r->pipeline->before_us + US_OF(r->from + (int64_t)r->upto);
	strip_noises(r, h);
	if (h->text[0] == '\0' || !recognizer_accepts(r, h, *end_us) ||
	    recognizer_is_foreign(r, h, count_words(h).all))
		return false;
	r->heard = h->text;
	h->text = correct(r, h);
	return h->text[0] != '\0';
}

/*
 * Clients of STT sockets expect the end of each segment of which they got a partial
 * text, even if it turns out to be noise.
 */
static void
end_disbelieved(struct recognizer *r, int64_t end_us)
{
	const struct asr_result nothing = { .text = "", .lang = r->text_language };

	if (r->pipeline->config->flat && *r->text != '\0')
		send_text(r, OUTPUT_VALIDATED, &nothing, end_us);
}

static void
validate(struct recognizer *r, const struct asr_result *h, int64_t end_us)
{
	struct pipeline_event *event;
	struct spoken_segment p;
	struct buf b;

	if (h->text[0] == '\0') {
		send_text(r, OUTPUT_VALIDATED, h, end_us);
		return;
	}
	event = make_text(r, OUTPUT_VALIDATED, h, end_us, &b);
	p = segment_of(r, h, end_us);
	p.open = open_phrase_holds(r, h, r->heard);
	if (r->measures && r->nkept > 0)
		p.pitch_hz = recognizer_pitch_hz(r->kept, r->nkept);
	if (r->clones && r->nkept > 0)
		speaker_voice_add(r->pipeline, r->kept, r->nkept);
	pipeline_pass_final(r->pipeline, event, &b, &p);
	open_phrase_sent(r, p.open);
}

/* Make the whole held text final. */
static void
validate_held(struct recognizer *r)
{
	struct asr_result h;
	int64_t end_us;

	if (recognizer_held_pop(r, &h, &end_us))
		validate(r, &h, end_us);
	r->id = NULL;
}

/*
 * Add the text of a segment, said, to the held text. NULL: the segment had no speech,
 * or the engines failed.
 */
static void
hold(struct recognizer *r, struct asr_result *said, int64_t end_us)
{
	if (said != NULL)
		send_partial(r, said, end_us);
	recognizer_held_set(r, said, end_us);
	if (r->asr == NULL || (said != NULL && strlen(said->text) > HELD_MOST))
		validate_held(r);
}

static void
ingest_final(struct recognizer *r, int64_t end_us)
{
	struct asr_result h;
	bool said;

	if (is_flushed(r)) {
		r->engine->asr->drop(r->asr);
		return;
	}
	said = has_final(r, &h, &end_us);
	if (r->pipeline->config->manual)
		hold(r, said ? &h : NULL, end_us);
	else if (!said)
		end_disbelieved(r, end_us);
	else if (!is_flushed(r))
		validate(r, &h, end_us);
}

/* ---- sound ---- */

static void
begin_segment(struct recognizer *r, int64_t at_us)
{
	arena_reset(r->segment_mem);
	r->id = id_of_phrase(r->segment_mem, now_us());
	r->text = "";
	r->dropped = r->asr == NULL;
	r->lost = OK;
	r->kept = NULL;
	r->nkept = r->kept_room = 0;
	r->upto = SIZE_MAX;
	r->start_us = at_us;
	r->partial_us = monotonic_us();
	r->shows = false;
}

static int
frame_of(int64_t us)
{
	return (int)(us / BOUNDARY_FRAME_US);
}

/* Give the segmenter the times of the words, if the engine reports them without extra
   work. */
static void
pass_words(struct recognizer *r)
{
	const struct asr_word *w;
	struct boundary_word *words;
	struct asr_result h;

	if ((r->engine->asr->can & ASR_WORDS) == 0 ||
	    r->engine->asr->partial(r->asr, r->scratch, &h) != OK)
		return;
	w = h.words.items;
	words = arena_alloc(r->scratch, (h.words.n + 1) * sizeof(*words));
	for (size_t i = 0; i < h.words.n; i++)
		words[i] = (struct boundary_word){ w[i].text, frame_of(w[i].start_us),
			frame_of(w[i].end_us) };
	segmenter_words(r->segmenter, words, h.words.n);
}

static void
ingest_sound(struct recognizer *r, const struct segment_part *p)
{
	if (r->dropped)
		return;
	r->voiced = p->voiced;
	recognizer_feed(r, &p->sound);
	if (r->lost != OK)
		return;
	ingest_partial(r, r->pipeline->before_us + US_OF(p->at + (int64_t)p->sound.n));
	if (segmenter_wants_words(r->segmenter))
		pass_words(r);
}

static void
end_segment(struct recognizer *r, const struct segment_part *p)
{
	int64_t end = p->speech_at;

	if (p->speech_at > r->message_at)
		r->voiced_us = r->message_us;
	r->voiced = p->voiced;
	if (p->why == SEGMENT_LONG)
		r->upto = (size_t)(p->at - r->from);
	open_phrase_ends(r, p);
	if (r->asr != NULL)
		ingest_final(r, r->pipeline->before_us + US_OF(end));
	if (p->why == SEGMENT_LONG)
		segmenter_resume(r->segmenter, r->from + (int64_t)r->upto);
	r->id = NULL;
}

static void
process_part(struct recognizer *r, const struct segment_part *p)
{
	int64_t before_us = r->pipeline->before_us;

	switch (p->is) {
	case SEGMENT_BEGINS:
		open_phrase_begins(r, p);
		begin_segment(r, before_us + US_OF(p->speech_at));
		if (r->pipeline->config->manual)
			recognizer_held_begin(r);
		r->from = p->at;
		return;
	case SEGMENT_AUDIO:
		ingest_sound(r, p);
		return;
	case SEGMENT_ENDS:
		end_segment(r, p);
		return;
	}
}

static void
process_parts(struct recognizer *r)
{
	struct segment_part part;

	while (segmenter_next(r->segmenter, &part))
		process_part(r, &part);
}

static void
report_unreadable(struct recognizer *r)
{
	const char *why = audio_input_why(r->in);

	if (pipeline_warning_due(&r->warnings, "VALIDATION_ERROR", monotonic_us()))
		pipeline_error(r->pipeline, "VALIDATION_ERROR",
		    arena_printf(r->scratch, "The audio cannot be read%s%s",
			why != NULL ? ": " : "", why != NULL ? why : ""));
}

static void
count_losses(struct recognizer *r)
{
	const struct opus_losses *losses = audio_input_losses(r->in);

	if (losses == NULL)
		return;
	r->pipeline->lost = losses->lost;
	r->pipeline->recovered = losses->recovered;
	r->pipeline->concealed = losses->concealed;
}

static void
ingest_audio(struct recognizer *r, const struct recognizer_message *m)
{
	int64_t before = audio_input_us(r->in), speech;
	struct pcm16 pcm;
	enum err how = passthrough_decode(r, m->bytes, m->n, &pcm);

	if (how != OK)
		report_unreadable(r);
	count_losses(r);
	if (!r->pipeline->dropped) {
		speech = segmenter_speech_at(r->segmenter);
		r->message_us = m->came_us;
		segmenter_feed(r->segmenter, pcm.s, pcm.n);
		process_parts(r);
		r->message_at += (int64_t)pcm.n;
		open_phrase_check(r, r->message_at);
		if (segmenter_speech_at(r->segmenter) > speech)
			r->pipeline->voiced_us = r->voiced_us = m->came_us;
	}
	r->pipeline->messages--;
	r->pipeline->read += (long long)m->n;
	r->pipeline->recognized_us += m->us;
	r->pipeline->queued -= (long long)m->n;
	r->pipeline->decoded_us += audio_input_us(r->in) - before;
}

static void
cut(struct recognizer *r)
{
	segmenter_cut(r->segmenter);
	process_parts(r);
	open_phrase_close(r);
}

/* If no text is pending, send an empty final text with the mark. */
static void
finalize(struct recognizer *r)
{
	int64_t at_us = r->pipeline->before_us + audio_input_us(r->in);
	const struct asr_result nothing = { .text = "",
		.lang = r->pipeline->config->task.language.said };

	r->finalizing = true;
	cut(r);
	validate_held(r);
	if (!r->finalizing)
		return;
	begin_segment(r, at_us);
	send_text(r, OUTPUT_VALIDATED, &nothing, at_us);
	r->id = NULL;
}

static void
drop_segment(struct recognizer *r)
{
	r->dropped = true;
	cut(r);
	r->drops++;
}

static void
read_message(void *self, struct actor_message *message)
{
	struct recognizer_message *m = (struct recognizer_message *)message;
	struct recognizer *r = self;

	switch (m->kind) {
	case RECOGNIZER_OPEN:
		audio_input_open(r->in);
		recognizer_open(r);
		break;
	case RECOGNIZER_AUDIO:
		ingest_audio(r, m);
		break;
	case RECOGNIZER_CUT:
		cut(r);
		break;
	case RECOGNIZER_FINALIZE:
		finalize(r);
		break;
	case RECOGNIZER_DROP:
		drop_segment(r);
		break;
	case RECOGNIZER_DRAIN:
		cut(r);
		validate_held(r);
		pipeline_pass_drain(r->pipeline);
		break;
	case RECOGNIZER_PASSTHROUGH:
	case RECOGNIZER_NO_PASSTHROUGH:
		passthrough_set(r, m->kind == RECOGNIZER_PASSTHROUGH);
		break;
	}
	arena_reset(r->scratch);
	arena_free(message->mem);
}

struct actor *
recognizer_start(struct pipeline *p)
{
	return actor_new(p->host.pool, new_recognizer(p), read_message, end_recognizer);
}
