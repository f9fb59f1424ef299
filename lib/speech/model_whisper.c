/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * whisper.cpp, https://github.com/ggml-org/whisper.cpp. Declares the functions of its C
 * API that are needed, and the beginning of its struct of parameters, which has been
 * the same since 1.8. The struct is passed by value; on all machines that we know, a
 * larger struct than the library's is passed in the same way.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "base/lang.h"
#include "speech/asr_text.h"
#include "speech/model_library.h"

#define VERSIONS "1.8. 1.9."
#define RATE_HZ 16000
#define PHRASE (32 * RATE_HZ) /* most samples recognized at a time */
/* least samples; it recognizes nothing in less than a second */
#define LEAST (RATE_HZ * 5 / 4)
#define TAGALOG "tl"   /* whisper's code of Filipino; ours is fil */
#define REST 2048      /* bytes of later members, more than in any version */
#define POSITIONS 1500 /* positions of the encoder for 30 s */
#define POSITIONS_S 50
#define POSITIONS_LEAST 512 /* least positions; with fewer, it repeats itself */
#define BEHIND 130          /* positions after the phrase */
#define TOKENS 24 /* tokens of a text at most, plus for each second of sound: */
#define TOKENS_S 12
#define LANGUAGES 128
#define FOREIGN 0.8 /* least probability of a foreign language */
#define OWN 0.05    /* greatest probability of the wanted language then */

struct params {
	int strategy; /* 0: greedy */
	int threads, max_text_ctx, offset_ms, duration_ms;
	bool translate, no_context, no_timestamps, single_segment;
	bool print_special, print_progress, print_realtime, print_timestamps;
	bool token_timestamps;
	float thold_pt, thold_ptsum;
	int max_len;
	bool split_on_word;
	int max_tokens;
	bool debug_mode;
	int audio_ctx;
	bool tdrz_enable;
	const char *suppress_regex, *initial_prompt;
	bool carry_initial_prompt;
	const int32_t *prompt_tokens;
	int prompt_n_tokens;
	const char *language;
	bool detect_language, suppress_blank, suppress_non_speech;
	float temperature, max_initial_ts, length_penalty;
	float temperature_inc, entropy_thold, logprob_thold, no_speech_thold;
	char rest[REST];
};

static struct {
	const char *(*version)(void);
	void *(*init)(const char *model);
	void *(*init_state)(void *);
	int (*is_multilingual)(void *);
	int (*lang_id)(const char *);
	const char *(*lang_code)(int id);
	struct params (*default_params)(int strategy);
	int (*full)(void *, void *state, struct params, const float *, int n);
	int (*n_segments)(void *);
	const char *(*segment_text)(void *, int);
	float (*no_speech)(void *, int segment);
	int (*n_tokens)(void *, int segment);
	int (*token_id)(void *, int segment, int i);
	float (*token_p)(void *, int segment, int i);
	int (*token_end)(void *);
	int (*token_start)(void *);
	int (*token_lang)(void *, int id);
	int (*max_lang)(void);
	int (*decode)(
	    void *, void *state, const int *tokens, int n, int n_past, int threads);
	const float *(*logits)(void *);
} api;

static void *model; /* shared by the processes that were forked */
static void *state; /* the buffers and the last text of this process */
static int threads;
static float phrase[PHRASE];
static size_t n_phrase;

static void
recognize(struct arena *mem, const struct model_want *want)
{
	/* clang-format off */
	static const struct model_symbol symbols[] = {
		{ "whisper_version",               &api.version },
		{ "whisper_init_from_file_no_state", &api.init },
		{ "whisper_init_state",            &api.init_state },
		{ "whisper_is_multilingual",       &api.is_multilingual },
		{ "whisper_lang_id",               &api.lang_id },
		{ "whisper_lang_str",              &api.lang_code },
		{ "whisper_full_default_params",   &api.default_params },
		{ "whisper_full_with_state",       &api.full },
		{ "whisper_full_n_segments_from_state", &api.n_segments },
		{ "whisper_full_get_segment_text_from_state", &api.segment_text },
		{ "whisper_full_get_segment_no_speech_prob_from_state", &api.no_speech },
		{ "whisper_full_n_tokens_from_state", &api.n_tokens },
		{ "whisper_full_get_token_id_from_state", &api.token_id },
		{ "whisper_full_get_token_p_from_state", &api.token_p },
		{ "whisper_token_eot",             &api.token_end },
		{ "whisper_token_sot",             &api.token_start },
		{ "whisper_token_lang",            &api.token_lang },
		{ "whisper_lang_max_id",           &api.max_lang },
		{ "whisper_decode_with_state",     &api.decode },
		{ "whisper_get_logits_from_state", &api.logits },
		{ NULL, NULL }
	};
	/* clang-format on */

	(void)mem;
	model_load(want->library, symbols);
	model_check_version(api.version(), VERSIONS);
	if ((model = api.init(want->model)) == NULL)
		model_fault("%s cannot be loaded", want->model);
	threads = want->threads;
}

static void
begin(void)
{
	if (state == NULL && (state = api.init_state(model)) == NULL)
		model_fault("there is no memory for a phrase");
}

static const char *
feed(const float *s, size_t n)
{
	size_t room = PHRASE - n_phrase;

	n = n < room ? n : room;
	memcpy(phrase + n_phrase, s, n * sizeof(*s));
	n_phrase += n;
	return NULL;
}

static void
drop(void)
{
	n_phrase = 0;
}

/* ---- the language ---- */

/* Returns our code of a language of the library; NULL: there is none. */
static const char *
code_of(int id)
{
	const char *code = api.lang_code(id);

	return code != NULL && strcmp(code, TAGALOG) == 0 ? "fil" : code;
}

/* Returns the library's number of a code; below 0: it has none. */
static int
id_of(const char *code)
{
	return api.lang_id(strcmp(code, "fil") == 0 ? TAGALOG : code);
}

/* Returns the number of the first code of a list that the library has; English if none.
 */
static int
id_of_first(const char *codes)
{
	char code[LANG_BYTES];

	for (size_t n; *(codes += strspn(codes, " ")) != '\0'; codes += n) {
		n = strcspn(codes, " ");
		snprintf(code, sizeof(code), "%.*s", (int)n, codes);
		if (id_of(code) >= 0)
			return id_of(code);
	}
	return id_of("en");
}

static bool
is_candidate(const char *candidates, int id)
{
	const char *code = code_of(id);

	return code != NULL && (*candidates == '\0' || lang_covered(candidates, code));
}

/*
 * Get the probabilities of the candidates after whisper_full(). The encoder's result is
 * still stored, so this costs one step of the decoder.
 */
static void
weigh_languages(const char *candidates, double *p, int n)
{
	int start = api.token_start(model);
	const float *logits;
	double top = -INFINITY, sum = 0;

	if (api.decode(model, state, &start, 1, 0, threads) != 0)
		model_fault("the language cannot be detected");
	logits = api.logits(state);
	for (int i = 0; i < n; i++)
		if (is_candidate(candidates, i))
			top = fmax(top, logits[api.token_lang(model, i)]);
	for (int i = 0; i < n; i++) {
		p[i] = is_candidate(candidates, i)
			   ? exp(logits[api.token_lang(model, i)] - top)
			   : 0;
		sum += p[i];
	}
	for (int i = 0; i < n && sum > 0; i++)
		p[i] /= sum;
}

static int
likeliest(const char *candidates, double *p, int n)
{
	int best = 0;

	weigh_languages(candidates, p, n);
	for (int i = 1; i < n; i++)
		best = p[i] > p[best] ? i : best;
	return best;
}

/* ---- the text ---- */

/* Positions of the encoder: 50 for each second of the phrase, and BEHIND after it. */
static int
audio_ctx(void)
{
	size_t n = n_phrase * POSITIONS_S / RATE_HZ + BEHIND;

	return n < POSITIONS_LEAST ? POSITIONS_LEAST
	       : n > POSITIONS     ? 0 /* all */
				   : (int)n;
}

static void
transcribe(int lang, const char *prompt)
{
	struct params p = api.default_params(0);

	p.threads = threads;
	p.no_context = true;
	p.no_timestamps = true;
	p.suppress_non_speech = true; /* otherwise "[music]" would be translated */
	p.print_special = p.print_progress = p.print_realtime = p.print_timestamps =
	    false;
	p.language = lang < 0 ? "en" : api.lang_code(lang);
	p.initial_prompt = *prompt != '\0' ? prompt : NULL;
	p.audio_ctx = audio_ctx();
	p.max_tokens = TOKENS + (int)(n_phrase * TOKENS_S / RATE_HZ);
	/* no further decoders, which cost time mostly for noise */
	p.temperature_inc = 0;
	if (api.full(model, state, p, phrase, (int)n_phrase) != 0)
		model_fault("a phrase cannot be recognized");
}

/* Whisper's own rule for silence. */
static bool
is_silent(int segment, double confidence)
{
	return api.no_speech(state, segment) > 0.6F && confidence < exp(-1);
}

/* The geometric mean of the probabilities of the segment's words. */
static double
confidence_of(int segment)
{
	int n = api.n_tokens(state, segment), words = 0;
	double sum = 0;

	for (int i = 0; i < n; i++)
		if (api.token_id(state, segment, i) < api.token_end(model)) {
			sum += log(fmax(api.token_p(state, segment, i), 1e-6));
			words++;
		}
	return words > 0 ? exp(sum / words) : 0;
}

/* Join the segments that are speech; the confidence is the lowest of them. */
static const char *
collect(struct arena *mem, struct model_final *to)
{
	struct buf text = { .mem = mem };

	for (int i = 0; i < api.n_segments(state); i++) {
		double confidence = confidence_of(i);

		if (is_silent(i, confidence))
			continue;
		if (to->confidence == 0 || confidence < (double)to->confidence)
			to->confidence = (float)confidence;
		buf_str(&text, api.segment_text(state, i));
	}
	return asr_text_clean(mem, buf_text(&text));
}

/* Detect the language; transcribe again if the text is in another one. */
static void
detect(const struct model_end *end, int *lang, double *p, int n)
{
	int best;

	if (end->candidates[0] != '\0' && !is_candidate(end->candidates, *lang))
		*lang = id_of_first(end->candidates);
	transcribe(*lang, end->prompt);
	best = likeliest(end->candidates, p, n);
	if (best != *lang)
		transcribe(*lang = best, "");
}

static const char *
finish(struct arena *mem, const struct model_end *end, struct model_final *to)
{
	static int last; /* the language detected last; English at first */
	double p[LANGUAGES];
	int n = api.max_lang() + 1, lang = id_of(end->lang), best;
	const char *text;

	n = n < LANGUAGES ? n : LANGUAGES;
	begin();
	while (n_phrase < LEAST)
		phrase[n_phrase++] = 0;
	if (!api.is_multilingual(model))
		transcribe(-1, end->prompt);
	else if (lang < 0) {
		detect(end, &last, p, n);
		snprintf(to->lang, sizeof(to->lang), "%s", code_of(last));
	} else {
		transcribe(lang, end->prompt);
		best = likeliest("", p, n);
		if (p[best] >= FOREIGN && p[lang] <= OWN)
			snprintf(to->foreign, sizeof(to->foreign), "%s", code_of(best));
	}
	text = collect(mem, to);
	drop();
	return text;
}

const struct model_library model_whisper = { .name = "whisper",
	.recognize = recognize,
	.feed = feed,
	.finish = finish,
	.drop = drop,
	.begin = begin };
