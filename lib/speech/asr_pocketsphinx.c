/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * PocketSphinx: English only. A recognizer has its own decoder while it is open, so
 * that the cepstral mean adapts to the stream: in a process of its own, or in this one
 * where the child programs are missing. `model` may name a folder with the layout of
 * the package's folder.
 *
 * A stream with hints, names or titles has a second process, which learns these words.
 * It recognizes all phrases that begin after that. The first process is kept, and is
 * used again if the host is too slow for the second.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/clock.h"
#include "base/lang.h"
#include "base/log.h"
#include "speech/asr_admission.h"
#include "speech/asr_pocketsphinx_phrase.h"
#include "speech/asr_pocketsphinx_process.h"
#include "speech/engine.h"

struct asr {
	struct arena *mem;
	struct phrase phrase; /* d: a decoder of this process; NULL: processes decode */
	struct hearing *plain;       /* NULL: phrase.d decodes */
	struct hearing *learner;     /* learns the words or knows them; NULL: none */
	struct hearing *now;         /* plain or learner: decodes the phrase */
	struct vocabulary *words;    /* NULL: no words to learn, or given up */
	struct admission *admission; /* NULL: without a process */
	const struct engine_at *at;
	const char *id, *lang;
	bool begun;              /* a phrase has begun */
	size_t heard;            /* samples of the phrase */
	struct arena *words_mem; /* arena of the words of a process's phrase so far */
	struct list so_far;
	int64_t took_us; /* time that decoding the phrase took */
};

static bool
knows(const struct engine_at *at, const char *lang)
{
	return lang_is_auto(lang) ||
	       (lang_covered("en en-us", lang) && lang_covered(at->languages, lang));
}

/* ---- how many streams ---- */

/*
 * Processor time for a second of sound until it has been measured: four streams for
 * each processor.
 */
#define SUPPOSED 0.25

static struct {
	pthread_mutex_t lock;
	int used, most; /* open streams; limit of used, 0: none */
} streams = { .lock = PTHREAD_MUTEX_INITIALIZER };

void
asr_limit(int n)
{
	pthread_mutex_lock(&streams.lock);
	streams.most = n;
	pthread_mutex_unlock(&streams.lock);
}

static bool
enter(bool instead)
{
	bool room;

	pthread_mutex_lock(&streams.lock);
	room = instead || streams.most == 0 || streams.used < streams.most;
	streams.used += room;
	pthread_mutex_unlock(&streams.lock);
	return room;
}

static void
leave(void)
{
	pthread_mutex_lock(&streams.lock);
	streams.used--;
	pthread_mutex_unlock(&streams.lock);
}

/* ---- the words of an event ---- */

#define PATIENCE_US 10000 /* between two looks of a patient stream */

static atomic_bool learns, patient; /* see asr_learn_words() */

void
asr_learn_words(bool is)
{
	learns = is;
}

void
asr_words_patient(bool is)
{
	patient = is;
}

static void
use(struct asr *a, struct hearing *h)
{
	struct decoder_mean mean;

	if (a->now != h && hearing_mean(a->now, &mean))
		hearing_follow(h, &mean);
	a->now = h;
}

static void
give_up_words(struct asr *a)
{
	a->words = NULL;
	if (a->learner == NULL)
		return;
	use(a, a->plain);
	hearing_close(a->learner);
	a->learner = NULL;
}

static void
begin_learning(struct asr *a)
{
	if (hearing_open(a->at, &a->learner) == OK)
		hearing_learn(a->learner, a->words);
	else
		give_up_words(a);
}

/* Choose the process for the next phrase. */
static void
choose_process(struct asr *a)
{
	enum err e;

	if (a->words == NULL || a->now == a->learner)
		return;
	while ((e = hearing_learnt(a->learner)) == ERR_BUSY && patient)
		usleep(PATIENCE_US);
	if (e == OK) {
		log_info("engine %s: a stream has learnt %zu terms", a->id,
		    a->words->terms.n);
		use(a, a->learner);
	} else if (e != ERR_BUSY) {
		if (e != ERR_NOT_FOUND)
			log_warn(
			    "engine %s: the words of an event are not used", a->id);
		give_up_words(a);
	}
}

/* True if the host is too slow for the words, judged by the phrase. */
static bool
is_too_slow(const struct asr *a)
{
	int64_t sound_us = (int64_t)a->heard * S_US / ASR_RATE_HZ;

	return !patient && sound_us >= S_US && 4 * a->took_us > 3 * sound_us;
}

/* Give up the words if their process was too slow for the phrase, or has ended. */
static void
judge_process(struct asr *a)
{
	if (a->learner == NULL || a->now != a->learner)
		return;
	if (is_too_slow(a))
		log_warn(
		    "engine %s: the host is too slow for the words of an event", a->id);
	else if (hearing_learnt(a->learner) == OK)
		return;
	give_up_words(a);
}

/* ---- a stream ---- */

static enum err
start_process(struct asr *a, bool instead)
{
	enum err e = OK;

	if (instead)
		a->admission = admission_replace(a->at);
	else
		e = admission_enter(a->at, SUPPOSED, &a->admission);
	if (e != OK)
		return e;
	if ((e = hearing_open(a->at, &a->plain)) != OK)
		admission_leave(a->admission);
	a->now = a->plain;
	return e;
}

static enum err
start(struct asr *a, bool instead)
{
	enum err e;

	if (!enter(instead))
		return ERR_LIMIT;
	if (hearing_is_possible(a->at))
		e = start_process(a, instead);
	else
		e = decoder_acquire(a->at, &a->phrase.d);
	if (e != OK)
		leave();
	return e;
}

static enum err
open_one(const struct engine_at *at, const struct asr_want *want, struct asr **to)
{
	struct arena *mem = arena_new();
	struct asr *a = arena_alloc(mem, sizeof(*a));
	enum err e = ERR_UNSUPPORTED;

	*a = (struct asr){ .mem = mem, .at = at, .id = at->id };
	a->lang = asr_choose(mem, &asr_pocketsphinx, at, want);
	if (a->lang == NULL || (e = start(a, want->instead)) != OK) {
		arena_free(mem);
		return e;
	}
	a->words_mem = arena_new();
	if (a->plain != NULL && learns)
		a->words =
		    vocabulary_new(mem, &want->hints, &want->names, &want->titles);
	if (a->words != NULL)
		begin_learning(a);
	*to = a;
	return OK;
}

/* Processor time of the decoder in use. */
static int64_t
used_us(const struct asr *a)
{
	struct timespec t;

	if (a->phrase.d == NULL)
		return hearing_used_us(a->now);
	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return t.tv_sec * S_US + t.tv_nsec / 1000;
}

/* Add the work on n samples, since these two times. */
static void
measure(struct asr *a, int64_t began_us, int64_t used_before_us, size_t n)
{
	const struct admission_work w = { used_us(a) - used_before_us,
		monotonic_us() - began_us, (int64_t)n * S_US / ASR_RATE_HZ };

	a->took_us += w.took_us;
	if (a->admission != NULL)
		admission_measure(a->admission, &w);
}

static enum err
decode(struct asr *a, const int16_t *s, size_t n)
{
	int64_t began = monotonic_us(), used = used_us(a);
	enum err e;

	if (a->phrase.d != NULL) {
		e = phrase_feed(&a->phrase, s, n) ? OK : ERR_FAILED;
	} else {
		arena_reset(a->words_mem);
		a->so_far = (struct list){ NULL, 0 };
		e = hearing_feed(a->now, s, n, a->words_mem, &a->so_far);
	}
	measure(a, began, used, n);
	return e;
}

static enum err
feed(struct asr *a, const int16_t *s, size_t n)
{
	size_t room = ASR_PHRASE_MAX_S * ASR_RATE_HZ - a->heard;
	enum err e;

	if (n == 0)
		return OK;
	if (!a->begun)
		choose_process(a);
	a->begun = true;
	n = n < room ? n : room;
	a->heard += n;
	if ((e = decode(a, s, n)) != OK)
		log_warn("engine %s: a phrase cannot be decoded", a->id);
	return e;
}

static const char *
join(struct arena *mem, const struct list *words)
{
	const struct asr_word *w = words->items;
	struct buf b = { .mem = mem };

	for (size_t i = 0; i < words->n; i++)
		buf_printf(&b, "%s%s", i > 0 ? " " : "", w[i].text);
	return buf_text(&b);
}

static struct list
copy_words(struct arena *mem, const struct list *words)
{
	struct asr_word *w = arena_alloc(mem, (words->n + 1) * sizeof(*w));

	if (words->n > 0)
		memcpy(w, words->items, words->n * sizeof(*w));
	for (size_t i = 0; i < words->n; i++)
		w[i].text = arena_str(mem, w[i].text);
	return (struct list){ w, words->n };
}

static enum err
partial(struct asr *a, struct arena *mem, struct asr_result *to)
{
	*to = (struct asr_result){ .lang = arena_str(mem, a->lang) };
	if (a->phrase.d != NULL)
		phrase_words(&a->phrase, mem, &to->words);
	else
		to->words = copy_words(mem, &a->so_far);
	to->text = join(mem, &to->words);
	return OK;
}

static void
end(struct asr *a)
{
	judge_process(a);
	a->begun = false;
	a->so_far = (struct list){ NULL, 0 };
	a->heard = 0;
	a->took_us = 0;
}

static void
drop(struct asr *a)
{
	if (a->phrase.d != NULL)
		phrase_drop(&a->phrase);
	else if (a->begun)
		hearing_drop(a->now);
	end(a);
}

/* Write the text as a sentence: "hello world" -> "Hello world." */
static const char *
sentence(struct arena *mem, const char *text)
{
	char *s;

	if (*text == '\0')
		return text;
	s = arena_dup(mem, text, strlen(text) + 1);
	s[0] = (char)(s[0] >= 'a' && s[0] <= 'z' ? s[0] - 'a' + 'A' : s[0]);
	s[strlen(text)] = '.';
	return s;
}

static size_t
sample_at(int64_t us)
{
	return (size_t)(us * ASR_RATE_HZ / 1000000);
}

/* Keep the words before the boundary that is nearest to *at, and set *at to that
   boundary. */
static void
keep_words(struct list *words, size_t *at)
{
	const struct asr_word *w = words->items;
	size_t n = words->n, wanted = *at, best = SIZE_MAX;

	for (size_t i = 1; i <= n; i++) {
		size_t from = sample_at(w[i - 1].end_us);
		size_t to = i < n ? sample_at(w[i].start_us) : wanted;
		size_t middle = to > from ? from + (to - from) / 2 : from;
		size_t off = middle > wanted ? middle - wanted : wanted - middle;

		if (off >= best)
			continue;
		best = off;
		words->n = i;
		*at = middle;
	}
}

static enum err
end_utterance(struct asr *a, struct arena *mem, struct asr_result *to)
{
	int64_t began = monotonic_us(), used = used_us(a);
	enum err e = OK;

	*to = (struct asr_result){ .lang = arena_str(mem, a->lang) };
	if (a->phrase.d != NULL)
		e = phrase_end(&a->phrase, mem, to) ? OK : ERR_FAILED;
	else if (a->begun)
		e = hearing_end(a->now, mem, to);
	measure(a, began, used, 0);
	return e;
}

/* End the phrase; at *at if at is not NULL. */
static enum err
end_phrase(struct asr *a, size_t *at, struct arena *mem, struct asr_result *to)
{
	enum err e = end_utterance(a, mem, to);

	if (at != NULL)
		keep_words(&to->words, at);
	to->text = sentence(mem, join(mem, &to->words));
	end(a);
	if (e != OK)
		log_warn("engine %s: a phrase cannot be ended", a->id);
	return e;
}

static enum err
finish(struct asr *a, struct arena *mem, struct asr_result *to)
{
	return end_phrase(a, NULL, mem, to);
}

static enum err
finish_at(struct asr *a, size_t *at, struct arena *mem, struct asr_result *to)
{
	return end_phrase(a, at, mem, to);
}

static void
close_one(struct asr *a)
{
	if (a == NULL)
		return;
	drop(a);
	give_up_words(a);
	if (a->phrase.d != NULL)
		decoder_release(a->phrase.d);
	hearing_close(a->plain);
	if (a->admission != NULL)
		admission_leave(a->admission);
	leave();
	arena_free(a->words_mem);
	arena_free(a->mem);
}

enum err
asr_warm(const struct engine_at *at, int n)
{
	if (n > 0 && hearing_is_possible(at))
		return hearing_warm(at);
	return decoder_warm(at, n);
}

void
asr_free_idle(void)
{
	decoder_free_idle();
}

const struct asr_engine asr_pocketsphinx = { ASR_STREAM | ASR_WORDS | ASR_SURE |
						 ASR_HINTS,
	knows, open_one, feed, partial, finish, drop, close_one, finish_at };
