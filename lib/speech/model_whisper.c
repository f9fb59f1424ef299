/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * whisper.cpp, https://github.com/ggml-org/whisper.cpp: the functions of its C API that
 * are needed, and the beginning of its parameters, which has been the same since 1.8.
 * They are passed by value; a struct larger than the library's has the same layout in
 * memory, on all machines that we know.
 */
#include <string.h>

#include "base/buf.h"
#include "speech/model_library.h"

#define VERSIONS "1.8. 1.9."
#define RATE_HZ 16000
#define PHRASE (32 * RATE_HZ)   /* recognized at a time */
#define LEAST (RATE_HZ * 5 / 4) /* it recognizes nothing in less than a second */
#define TAGALOG "tl"            /* ours is fil */
#define REST 2048               /* bytes, more than any version has */

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
	char rest[REST];
};

static struct {
	const char *(*version)(void);
	void *(*init)(const char *model);
	int (*is_multilingual)(void *);
	int (*lang_id)(const char *);
	const char *(*lang_code)(int id);
	struct params (*default_params)(int strategy);
	int (*full)(void *, struct params, const float *, int n);
	int (*n_segments)(void *);
	const char *(*segment_text)(void *, int);
	int (*heard_lang)(void *);
} api;

static void *model;
static int threads;
static float phrase[PHRASE];
static size_t n_phrase;

static void
recognize(struct arena *mem, const struct model_want *want)
{
	/* clang-format off */
	static const struct model_symbol symbols[] = {
		{ "whisper_version",               &api.version },
		{ "whisper_init_from_file",        &api.init },
		{ "whisper_is_multilingual",       &api.is_multilingual },
		{ "whisper_lang_id",               &api.lang_id },
		{ "whisper_lang_str",              &api.lang_code },
		{ "whisper_full_default_params",   &api.default_params },
		{ "whisper_full",                  &api.full },
		{ "whisper_full_n_segments",       &api.n_segments },
		{ "whisper_full_get_segment_text", &api.segment_text },
		{ "whisper_full_lang_id",          &api.heard_lang },
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

static struct params
choose_params(const char *lang)
{
	struct params p = api.default_params(0);

	p.threads = threads;
	p.no_context = true;
	p.no_timestamps = true;
	p.suppress_non_speech = true; /* "[music]" must not be translated */
	p.print_special = p.print_progress = p.print_realtime = p.print_timestamps =
	    false;
	p.language = !api.is_multilingual(model) ? "en"
		     : strcmp(lang, "fil") == 0  ? TAGALOG
		     : api.lang_id(lang) < 0     ? "auto"
						 : lang;
	return p;
}

static const char *
finish(struct arena *mem, const char **lang)
{
	struct buf text = { .mem = mem };
	const char *code;

	while (n_phrase < LEAST)
		phrase[n_phrase++] = 0;
	if (api.full(model, choose_params(*lang), phrase, (int)n_phrase) != 0)
		model_fault("a phrase cannot be recognized");
	for (int i = 0; i < api.n_segments(model); i++)
		buf_str(&text, api.segment_text(model, i));
	if (api.is_multilingual(model)) {
		code = api.lang_code(api.heard_lang(model));
		*lang = code == NULL                 ? "auto"
			: strcmp(code, TAGALOG) == 0 ? "fil"
						     : arena_str(mem, code);
	}
	drop();
	return buf_text(&text);
}

const struct model_library model_whisper = { "whisper", recognize, feed, finish, drop };
