/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The language guard. A recognizer turns speech in a language other than the stream's
 * into nonsense, which must not be shown, translated or spoken.
 */
#include "pipeline/recognizer_internal.h"

#include "base/lang.h"

/*
 * Limits of PocketSphinx's mean confidence: docs/speech.md. It is low for telephone
 * English, too. So after a stream has begun in its language, more evidence is needed.
 */
#define FEW 3 /* phrases; GUARD_PHRASES count as many */
#define UNSURE_AT_ONCE 0.48
#define UNSURE_OF_FEW 0.42
#define UNSURE_OF_MANY 0.46
#define SURE_AGAIN 0.6
#define FEW_WORDS 2 /* phrases of so few words are ignored */

static const char *
message_of(const struct recognizer *r, const struct heard *h)
{
	const char *wanted = r->pipeline->config->task.language.said;

	if (h->foreign != NULL)
		return arena_printf(r->segment_mem,
		    "The speaker speaks %s, the stream is in %s: nothing is translated",
		    h->foreign, wanted);
	return arena_printf(r->segment_mem,
	    "The speaker does not seem to speak %s: nothing is translated", wanted);
}

static void
report(struct recognizer *r, const char *why)
{
	struct pipeline_event *e =
	    pipeline_event_new(r->pipeline, PIPELINE_LANGUAGE, -1);

	if (why != NULL)
		pipeline_warn(pipeline_event_new(r->pipeline, PIPELINE_TEXT, -1),
		    "LANGUAGE_MISMATCH", why);
	e->text = arena_str(e->call.message.mem, why);
	pipeline_event_send(e, NULL, -1);
}

/* The mean confidence of the last n phrases. */
static double
mean(const struct language_guard *g, size_t n)
{
	double sum = 0;

	for (size_t i = 1; i <= n; i++)
		sum += g->confidence[(g->n - i) % GUARD_PHRASES];
	return sum / (double)n;
}

static bool
is_unsure(struct language_guard *g, double confidence)
{
	g->confidence[g->n++ % GUARD_PHRASES] = confidence;
	if (g->n < FEW)
		return g->foreign;
	if (g->foreign)
		return mean(g, FEW) < SURE_AGAIN;
	return mean(g, FEW) < (g->n == FEW ? UNSURE_AT_ONCE : UNSURE_OF_FEW) ||
	       (g->n >= GUARD_PHRASES && mean(g, GUARD_PHRASES) < UNSURE_OF_MANY);
}

bool
language_guard_judges(struct language_guard *g, const struct heard *h, size_t words)
{
	if (h->foreign != NULL)
		g->foreign = true;
	else if (words > FEW_WORDS)
		g->foreign =
		    h->words.n > 0 && h->confidence > 0 && is_unsure(g, h->confidence);
	return g->foreign;
}

bool
recognizer_is_foreign(struct recognizer *r, const struct heard *h, size_t words)
{
	const struct pipeline_config *w = r->pipeline->config;
	bool was = r->guard.foreign;

	if (w->flat || lang_is_auto(w->task.language.code))
		return false;
	if (language_guard_judges(&r->guard, h, words) != was)
		report(r, was ? NULL : message_of(r, h));
	return r->guard.foreign;
}
