/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The language guard. A recognizer turns speech in a language other than the stream's
 * into nonsense, which must not be shown, translated or spoken.
 */
#include "pipeline/recognizer_internal.h"

#include <math.h>

#include "base/lang.h"

/*
 * Misfits of PocketSphinx, from recordings of people in English by telephone, by a far
 * microphone and in noise, and in other languages: docs/speech.md.
 */
#define FOREIGN 4.8          /* least mean of GUARD_PHRASES */
#define FOREIGN_AT_ONCE 4.65 /* least mean of the first phrases of a stream */
#define FOREIGN_ONE 4.3      /* least misfit of each of them */
#define DOUBTFUL 4.55        /* mean at which a warning is sent */
#define OWN_AGAIN 4.2        /* greatest mean of the own language */
#define OWN_ONE 3.9          /* misfit with which a single phrase suffices */
#define FEW_WORDS 2          /* phrases of at most this many words are ignored */

static const char *
message_of(const struct recognizer *r, const struct asr_result *h)
{
	const char *wanted = r->pipeline->config->task.language.said;

	if (h->foreign != NULL)
		return arena_printf(r->segment_mem,
		    "The speaker speaks %s, the stream is in %s: nothing is translated",
		    h->foreign, wanted);
	return arena_printf(r->segment_mem,
	    r->guard.is == LANGUAGE_FOREIGN
		? "The speaker does not seem to speak %s: nothing is translated"
		: "The speaker may not speak %s, or the sound is poor: texts may be "
		  "wrong",
	    wanted);
}

static void
report(struct recognizer *r, const struct asr_result *h)
{
	struct pipeline_event *e =
	    pipeline_event_new(r->pipeline, PIPELINE_LANGUAGE, -1);
	const char *why = NULL;

	if (r->guard.is != LANGUAGE_OWN) {
		why = message_of(r, h);
		pipeline_warn(pipeline_event_new(r->pipeline, PIPELINE_TEXT, -1),
		    r->guard.is == LANGUAGE_FOREIGN ? "LANGUAGE_MISMATCH"
						    : "LANGUAGE_UNSURE",
		    why);
	}
	e->text = arena_str(e->call.message.mem, why);
	pipeline_event_send(e, NULL, -1);
}

static enum language_is
judge(struct language_guard *g, double misfit)
{
	double sum = 0, least = misfit, foreign;

	g->misfit[g->n % GUARD_PHRASES] = misfit;
	if (++g->n < GUARD_PHRASES)
		return g->is;
	foreign = g->n == GUARD_PHRASES ? FOREIGN_AT_ONCE : FOREIGN;
	for (size_t i = 0; i < GUARD_PHRASES; i++) {
		sum += g->misfit[i];
		least = fmin(least, g->misfit[i]);
	}
	if (misfit <= OWN_ONE || sum <= OWN_AGAIN * GUARD_PHRASES)
		return LANGUAGE_OWN;
	if (sum >= foreign * GUARD_PHRASES && least >= FOREIGN_ONE)
		return LANGUAGE_FOREIGN;
	return g->is == LANGUAGE_OWN && sum >= DOUBTFUL * GUARD_PHRASES
		   ? LANGUAGE_DOUBTFUL
		   : g->is;
}

enum language_is
language_guard_judges(
    struct language_guard *g, const struct asr_result *h, size_t words)
{
	if (h->foreign != NULL)
		g->is = LANGUAGE_FOREIGN;
	else if (words > FEW_WORDS)
		g->is = h->misfit > 0 ? judge(g, h->misfit) : LANGUAGE_OWN;
	return g->is;
}

bool
recognizer_is_foreign(struct recognizer *r, const struct asr_result *h, size_t words)
{
	const struct pipeline_config *w = r->pipeline->config;
	enum language_is was = r->guard.is;

	if (w->flat || lang_is_auto(w->task.language.code) ||
	    !r->pipeline->host.conf->stream_language_guard)
		return false;
	if (language_guard_judges(&r->guard, h, words) != was)
		report(r, h);
	return r->guard.is == LANGUAGE_FOREIGN;
}
