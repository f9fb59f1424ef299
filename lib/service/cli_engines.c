/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "service/cli_engines.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "audio/resample.h"
#include "base/clock.h"
#include "base/lang.h"
#include "base/text.h"
#include "speech/builtin_voices.h"
#include "speech/engine.h"
#include "speech/model_process.h"
#include "speech/mt_line.h"
#include "speech/registry.h"

/* The result of one sentence. */
struct trial {
	const char *engine, *does, *languages;
	bool ok;
	int64_t ms, cpu_ms; /* cpu: of this process and its children */
	const char *sent;   /* the amount that a provider charges for */
	const char *got;    /* a text, a length of sound, or the error */
};

/* clang-format off */
static const struct field trial_fields[] = FIELDS(
	{ "engine",    F_TEXT, MEMBER(trial, engine),    .flags = F_OUT },
	{ "does",      F_TEXT, MEMBER(trial, does),      .flags = F_OUT },
	{ "languages", F_TEXT, MEMBER(trial, languages), .flags = F_OUT },
	{ "ok",        F_BOOL, MEMBER(trial, ok),        .flags = F_OUT },
	{ "ms",        F_INT,  MEMBER(trial, ms),        .flags = F_OUT },
	{ "cpu_ms",    F_INT,  MEMBER(trial, cpu_ms),    .flags = F_OUT },
	{ "sent",      F_TEXT, MEMBER(trial, sent),      .flags = F_OUT },
	{ "got",       F_TEXT, MEMBER(trial, got),       .flags = F_OUT }
);
/* clang-format on */

struct check {
	struct arena *mem;
	struct registry *registry;
	struct buf trials; /* struct trial */
	int64_t began_us, cpu_us;
	struct pcm spoken; /* the last sentence */
	struct pcm sound;  /* the last sound without an error, for recognisers */
	struct buf samples;
};

static int64_t
cpu_us(void)
{
	static const int who[] = { RUSAGE_SELF, RUSAGE_CHILDREN };
	struct rusage r;
	int64_t us = model_used_us() + mt_line_used_us();

	for (int i = 0; i < 2; i++)
		if (getrusage(who[i], &r) == 0)
			us += (r.ru_utime.tv_sec + r.ru_stime.tv_sec) * S_US +
			      r.ru_utime.tv_usec + r.ru_stime.tv_usec;
	return us;
}

static void
begin(struct check *k)
{
	k->began_us = monotonic_us();
	k->cpu_us = cpu_us();
}

static void
end(struct check *k, const struct registry_engine *en, struct trial t, enum err e)
{
	t.engine = en->at.id;
	t.ms = (monotonic_us() - k->began_us) / 1000;
	t.cpu_ms = (cpu_us() - k->cpu_us) / 1000;
	if (e != OK)
		t.got = err_name(e);
	else if (*t.got == '\0')
		t.got = "nothing";
	else
		t.ok = true;
	buf_put(&k->trials, &t, sizeof(t));
}

static const char *
sentence(const char *lang)
{
	const char *text = speech_sample_text(lang);

	return text != NULL ? text : speech_sample_text("en");
}

static const char *
characters(struct check *k, const char *text)
{
	return arena_printf(k->mem, "%zu characters", text_length(text));
}

static const char *
seconds(struct check *k, const struct pcm *p)
{
	if (p->n == 0)
		return "";
	return arena_printf(k->mem, "%.1f s of sound", (double)p->n / p->rate_hz);
}

/* ---- one engine, one sentence ---- */

static bool
collect(void *arg, const struct pcm *pcm)
{
	struct check *k = arg;

	buf_put(&k->samples, pcm->s, pcm->n * sizeof(*pcm->s));
	k->spoken.rate_hz = pcm->rate_hz;
	return true;
}

static void
speak(struct check *k, const struct registry_engine *en, const char *lang)
{
	const struct tts_text text = {
		.text = sentence(lang), .lang = lang, .rate = 1
	};
	struct trial t = { .does = "speak", .languages = lang };
	enum err e;

	k->samples = (struct buf){ .mem = k->mem };
	begin(k);
	e = registry_speak(k->registry, en, k->mem, &text, collect, k);
	k->spoken.s = (float *)(void *)k->samples.p;
	k->spoken.n = k->samples.len / sizeof(float);
	if (e == OK)
		k->sound = k->spoken;
	t.sent = characters(k, text.text);
	t.got = seconds(k, &k->spoken);
	end(k, en, t, e);
}

static void
translate(
    struct check *k, const struct registry_engine *en, const char *from, const char *to)
{
	const struct mt_text text = { .text = sentence(from), .from = from, .to = to };
	struct trial t = { .does = "translate",
		.languages = arena_printf(k->mem, "%s-%s", from, to),
		.got = "" };
	bool guarded;
	enum err e;

	begin(k);
	e = mt_translate(en->mt, &en->at, k->mem, &text, &t.got, &guarded);
	t.sent = characters(k, text.text);
	end(k, en, t, e);
}

/* The last sentence spoken, at the sample rate of recognisers. */
static struct pcm16
asr_sound(struct check *k)
{
	struct resample *r = resample_new(k->mem, k->sound.rate_hz, ASR_RATE_HZ);
	int16_t *s = arena_alloc(k->mem, (k->sound.n + 1) * sizeof(*s));
	struct buf all = { .mem = k->mem };
	struct pcm16 p;

	for (size_t i = 0; i < k->sound.n; i++)
		s[i] = (int16_t)lrintf(fmaxf(-1, fminf(1, k->sound.s[i])) * 32767);
	p = resample_feed(r, s, k->sound.n, k->mem);
	buf_put(&all, p.s, p.n * sizeof(*p.s));
	p = resample_end(r, k->mem);
	buf_put(&all, p.s, p.n * sizeof(*p.s));
	return (struct pcm16){ .s = (int16_t *)(void *)all.p,
		.n = all.len / sizeof(int16_t) };
}

static void
recognize(struct check *k, const struct registry_engine *en, const char *lang)
{
	const struct asr_want want = { .lang = lang };
	struct trial t = { .does = "recognize", .languages = lang, .got = "" };
	struct pcm16 sound = asr_sound(k);
	struct asr_result h = { .text = "" };
	struct asr *a = NULL;
	enum err e;

	begin(k);
	if ((e = en->asr->open(&en->at, &want, &a)) == OK) {
		if ((e = en->asr->feed(a, sound.s, sound.n)) == OK)
			e = en->asr->finish(a, k->mem, &h);
		en->asr->close(a);
	}
	t.got = h.text;
	t.sent = seconds(k, &k->sound);
	end(k, en, t, e);
}

/* ---- all engines ---- */

#define NONE "no engine supports it"

/* Record that no engine can be tried, and why. */
static void
miss(struct check *k, const char *does, const char *languages, const char *why)
{
	const struct trial t = { .engine = "none",
		.does = does,
		.languages = languages,
		.sent = "",
		.got = why };

	buf_put(&k->trials, &t, sizeof(t));
}

static void
speak_by_all(struct check *k, const char *lang)
{
	struct registry_want which = { NULL, NULL, monotonic_us() };
	const struct registry_engine *en;

	while ((en = registry_tts(k->registry, lang, &which)) != NULL) {
		speak(k, en, lang);
		which.after = en;
	}
	if (which.after == NULL)
		miss(k, "speak", lang, NONE);
}

static void
recognize_by_all(struct check *k, const char *lang)
{
	struct registry_want which = { NULL, NULL, monotonic_us() };
	const struct registry_engine *en;

	if (k->sound.n == 0) {
		miss(k, "recognize", lang, "no engine has spoken it");
		return;
	}
	while ((en = registry_asr(k->registry, lang, &which)) != NULL) {
		recognize(k, en, lang);
		which.after = en;
	}
	if (which.after == NULL)
		miss(k, "recognize", lang, NONE);
}

static void
translate_by_all(struct check *k, const char *from, const char *to)
{
	struct registry_want which = { NULL, NULL, monotonic_us() };
	const struct registry_engine *en;

	if (lang_same_base(from, to))
		return;
	while ((en = registry_mt(k->registry, from, to, &which)) != NULL) {
		translate(k, en, from, to);
		which.after = en;
	}
	if (which.after == NULL)
		miss(k, "translate", arena_printf(k->mem, "%s-%s", from, to), NONE);
}

/* Returns the codes of an option, separated by blanks or commas. */
static struct list
codes_of(struct check *k, const char *words)
{
	struct buf all = { .mem = k->mem };

	for (size_t n; *(words += strspn(words, " ,")) != '\0'; words += n) {
		const char *code;

		n = strcspn(words, " ,");
		code = lang_fold(k->mem, arena_dup(k->mem, words, n));
		buf_put(&all, &code, sizeof(code));
	}
	return (struct list){ all.p, all.len / sizeof(const char *) };
}

static void
check_all(struct check *k, const struct list *from, const struct list *to)
{
	const char *const *source = from->items, *const *target = to->items;

	for (size_t i = 0; i < to->n; i++)
		speak_by_all(k, target[i]);
	for (size_t i = 0; i < from->n; i++) {
		k->sound.n = 0;
		speak_by_all(k, source[i]);
		recognize_by_all(k, source[i]);
		for (size_t n = 0; n < to->n; n++)
			translate_by_all(k, source[i], target[n]);
	}
}

static void
show(const struct cli *c, const struct list *trials)
{
	const struct trial *t = trials->items;

	if (c->json) {
		cli_show_list(c, trial_fields, trials, sizeof(*t));
		return;
	}
	printf("%-6s %-16s %-9s %-11s %7s %7s  %-16s %s\n", "", "engine", "does",
	    "languages", "ms", "cpu ms", "sent", "got");
	for (size_t i = 0; i < trials->n; i++, t++)
		printf("%-6s %-16s %-9s %-11s %7lld %7lld  %-16s %s\n",
		    t->ok ? "ok" : "FAILED", t->engine, t->does, t->languages,
		    (long long)t->ms, (long long)t->cpu_ms, t->sent, t->got);
}

static int
verdict(const struct list *trials)
{
	const struct trial *t = trials->items;
	size_t failed = 0;

	for (size_t i = 0; i < trials->n; i++)
		failed += !t[i].ok;
	if (trials->n == 0)
		return cli_error("no engine supports these languages");
	return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}

int
cli_engines_check(struct cli *c)
{
	return cli_engines_check_pairs(c, "");
}

int
cli_engines_check_pairs(struct cli *c, const char *codes)
{
	const char *from = cli_option(c, "from"), *to = cli_option(c, "to");
	struct check k = { .mem = c->mem, .trials.mem = c->mem };
	struct list sources = codes_of(&k, from != NULL ? from : "en");
	struct list targets = codes_of(&k, to != NULL ? to : "es"), trials;
	struct list pairs = codes_of(&k, codes);
	const char *const *pair = pairs.items;

	if (registry_new(&c->conf, &k.registry) != OK)
		return cli_error("the settings of the engines are wrong");
	registry_discover(k.registry);
	check_all(&k, &sources, &targets);
	for (size_t i = 0; i + 1 < pairs.n; i += 2)
		translate_by_all(&k, pair[i], pair[i + 1]);
	trials = (struct list){ k.trials.p, k.trials.len / sizeof(struct trial) };
	show(c, &trials);
	registry_drop(k.registry);
	asr_free_idle();
	model_end_idle();
	return verdict(&trials);
}
