/*
 * Apertium: one pipeline of processes per mode, started by the first sentence,
 * kept for the next, shared by all threads.  A sentence that gets no answer takes
 * its pipeline with it: what is still on its way in there would be taken for the
 * answer to the next one.
 */
#include <ctype.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/child_pipe.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/text.h"
#include "speech/mt_apertium_mode.h"
#include "speech/mt_guard.h"

#define MODES_MAX 64
#define NAME_BYTES 24
#define WATCHDOG_MS 3000
#define MEMORY_BYTES ((size_t)512 << 20) /* of address space, per process */
#define ANSWER_BYTES (16 * MT_TEXT_BYTES)

/* A mode that was asked for; it is never forgotten. */
struct mode {
	char name[NAME_BYTES];
	pthread_mutex_t lock; /* guards pipe, and is held while it is asked */
	struct child_pipe *pipe;
	unsigned asked; /* sentences */
};

static struct mode modes[MODES_MAX];
static size_t nmodes;
static pthread_mutex_t modes_lock = PTHREAD_MUTEX_INITIALIZER;

static struct mode *
find_mode(const char *name)
{
	size_t i = 0;

	pthread_mutex_lock(&modes_lock);
	while (i < nmodes && strcmp(modes[i].name, name) != 0)
		i++;
	if (i == nmodes && i < MODES_MAX && strlen(name) < NAME_BYTES) {
		memcpy(modes[i].name, name, strlen(name) + 1);
		pthread_mutex_init(&modes[i].lock, NULL);
		nmodes++;
	}
	pthread_mutex_unlock(&modes_lock);
	return i < nmodes ? &modes[i] : NULL;
}

/* Its turn; false: it did not come in time. */
static bool
lock_mode(struct mode *m, int timeout_ms)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	t.tv_sec += timeout_ms / 1000;
	t.tv_nsec += timeout_ms % 1000 * 1000000L;
	if (t.tv_nsec >= 1000000000L) {
		t.tv_sec++;
		t.tv_nsec -= 1000000000L;
	}
	if (pthread_mutex_clocklock(&m->lock, CLOCK_MONOTONIC, &t) == 0)
		return true;
	log_warn("apertium: %s: no turn within %d ms", m->name, timeout_ms);
	return false;
}

static enum err
start_mode(struct mode *m, struct arena *mem)
{
	struct child_pipe_plan plan = { .memory_bytes = MEMORY_BYTES };
	enum err e;

	if (m->pipe != NULL && !child_pipe_dead(m->pipe))
		return OK;
	child_pipe_stop(m->pipe);
	m->pipe = NULL;
	if ((e = apertium_stages(mem, m->name, &plan)) != OK)
		return e;
	m->pipe = child_pipe_start(&plan);
	return m->pipe != NULL ? OK : ERR_FAILED;
}

/*
 * The text goes with a numbered blank.  When a program dies, those behind it end
 * what they have got so far as if it were whole, and only the blank is missing.
 * Without any, by the way, a full stop at the end would be lost.
 */
static enum err
converse(struct mode *m, struct buf *answer, const char *text, int timeout_ms)
{
	const char *blank = arena_printf(answer->mem, "[%u]", ++m->asked);
	const char *in = arena_printf(answer->mem, "%s%s", text, blank);
	enum err e;

	e = child_pipe_ask(m->pipe, in, strlen(in), answer, ANSWER_BYTES, timeout_ms);
	if (e != OK || strstr(buf_text(answer), blank) != NULL)
		return e;
	log_warn("apertium: %s: the answer is not whole", m->name);
	return ERR_FAILED;
}

static enum err
ask_mode(struct mode *m, struct buf *answer, const char *text, int timeout_ms)
{
	int64_t until_us = monotonic_us() + (int64_t)timeout_ms * 1000, left_ms;
	enum err e;

	if (!lock_mode(m, timeout_ms))
		return ERR_TIMEOUT;
	if ((e = start_mode(m, answer->mem)) == OK) {
		left_ms = (until_us - monotonic_us()) / 1000;
		e = converse(m, answer, text, left_ms > 0 ? (int)left_ms : 0);
	}
	if (e != OK) {
		child_pipe_stop(m->pipe);
		m->pipe = NULL;
	}
	pthread_mutex_unlock(&m->lock);
	return e == ERR_LIMIT ? ERR_FAILED : e;
}

/* ---- text as its programs read and write it ---- */

/* An escaped ^ near the end of a text hangs the programs: this goes in its place. */
#define CARET "\xe2\x80\xb8" /* U+2038 */

static void
put_escaped(struct buf *b, const char *s, size_t n)
{
	for (; n > 0; n--, s++) {
		if (*s == '^') {
			buf_str(b, CARET);
			continue;
		}
		if (strchr("[]{}$/\\@<>", *s) != NULL)
			buf_str(b, "\\");
		buf_put(b, s, 1);
	}
}

static void
put_bound(struct buf *b, const struct mt_text *t, size_t i)
{
	buf_printf(b, "[[g:%zu]]", i);
	put_escaped(b, t->text + t->terms[i].at, t->terms[i].len);
	buf_str(b, "[[/]]");
}

/* The number of "[[g:0]]" at s and where it ends; NULL: there is no such thing. */
static const char *
read_mark(const char *s, size_t *i)
{
	char *end;

	if (strncmp(s, "[[g:", 4) != 0 || !isdigit((unsigned char)s[4]))
		return NULL;
	*i = strtoul(s + 4, &end, 10);
	return strncmp(end, "]]", 2) == 0 ? end + 2 : NULL;
}

/* Behind the bracket, or brackets, that end at the next of them. */
static const char *
skip_blank(const char *s, const char *close)
{
	const char *end = strstr(s, close);

	return end != NULL ? end + strlen(close) : s + strlen(s);
}

/* An answer while it is read. */
struct reading {
	const struct mt_text *text;
	struct buf out;
	bool *seen;    /* of each term */
	size_t last;   /* term whose slot was written last, */
	size_t behind; /* and how long the text was then */
};

static bool
has_word(const char *s)
{
	uint32_t cp;

	while (*s != '\0') {
		s = text_next(s, &cp);
		if (text_is_word(cp))
			return true;
	}
	return false;
}

/*
 * The first word with a mark makes the slot; a term of several words comes back
 * as several.  What is between two of them goes with them, but for words that the
 * grammar has put there: then a blank does.
 */
static void
put_piece(struct reading *r, size_t i)
{
	if (i >= r->text->nterms)
		return;
	if (!r->seen[i]) {
		r->seen[i] = true;
		mt_slot(&r->out, i);
		r->last = i;
		r->behind = r->out.len;
	} else if (r->last == i && !has_word(buf_text(&r->out) + r->behind))
		r->out.len = r->behind;
	else if (r->out.p[r->out.len - 1] == ' ')
		r->out.len--;
}

static const char *
read_bound(struct reading *r, const char *s)
{
	const char *from;
	size_t i;

	if ((from = read_mark(s, &i)) == NULL)
		return skip_blank(s, "]]"); /* a mark of two terms: both are lost */
	put_piece(r, i);
	return skip_blank(from, "[[/]]");
}

static const char *
read_letter(struct buf *b, const char *s)
{
	if (strncmp(s, CARET, strlen(CARET)) == 0) {
		buf_str(b, "^");
		return s + strlen(CARET);
	}
	if (*s == '\\' && s[1] != '\0')
		s++;
	/* Two blanks: a word was left out between them. */
	if (*s != ' ' || b->len == 0 || b->p[b->len - 1] != ' ')
		buf_put(b, s, 1);
	return s + 1;
}

static const char *
read_answer(struct arena *mem, const struct mt_text *t, const char *s)
{
	struct reading r = { .text = t,
		.out = { .mem = mem },
		.seen = arena_alloc(mem, t->nterms + 1) };

	while (*s != '\0') {
		if (strncmp(s, "[[", 2) == 0)
			s = read_bound(&r, s);
		else if (*s == '[')
			s = skip_blank(s, "]");
		else
			s = read_letter(&r.out, s);
	}
	return buf_text(&r.out);
}

/* ---- the engine ---- */

static bool
pairs(const struct engine_at *at, const char *from, const char *to)
{
	struct arena *mem = arena_new();
	bool is = apertium_mode(mem, from, to) != NULL;

	(void)at;
	arena_free(mem);
	return is;
}

static enum err
translate(const struct engine_at *at, struct arena *mem, const struct mt_text *t,
    const char **out, bool *guarded)
{
	static const struct mt_marks marks = { put_escaped, put_bound };
	const char *name = apertium_mode(mem, t->from, t->to);
	struct buf answer = { .mem = mem };
	int ms = mt_time_ms(at, t);
	struct mode *m;
	enum err e;

	if (name == NULL || (m = find_mode(name)) == NULL)
		return ERR_UNSUPPORTED;
	e = ask_mode(m, &answer, mt_mark(mem, t, &marks),
	    ms > 0 && ms < WATCHDOG_MS ? ms : WATCHDOG_MS);
	if (e != OK)
		return e;
	*out = mt_fill(mem, t, read_answer(mem, t, buf_text(&answer)));
	*guarded = *out != NULL;
	return OK;
}

static enum err
list(const struct engine_at *at, struct arena *mem, struct list *to)
{
	(void)at;
	apertium_modes(mem, to);
	return OK;
}

/* Its programs read their dictionaries with the first sentence. */
static bool
is_cold(struct mode *m)
{
	bool cold;

	if (!lock_mode(m, WATCHDOG_MS))
		return false;
	cold = m->pipe == NULL || child_pipe_dead(m->pipe);
	pthread_mutex_unlock(&m->lock);
	return cold;
}

static void
warm(const struct engine_at *at, const char *from, const char *to)
{
	struct arena *mem = arena_new();
	struct buf answer = { .mem = mem };
	const char *name = apertium_mode(mem, from, to);
	struct mode *m = name != NULL ? find_mode(name) : NULL;

	if (m != NULL && is_cold(m) && ask_mode(m, &answer, "1.", WATCHDOG_MS) != OK)
		log_warn("engine %s: %s could not be warmed", at->id, name);
	arena_free(mem);
}

const struct mt_engine mt_apertium = { "apertium", true, pairs, translate, list, warm };
