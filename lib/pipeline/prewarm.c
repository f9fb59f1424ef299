/*
 * Before its first phrase a synthesizer has the translator make ready, while nobody
 * waits. The synthesiser has nothing to get ready: its first sentence is as fast as
 * any.
 */
#include "pipeline/pipeline_internal.h"

#include <string.h>

#include "base/clock.h"

/*
 * What a stream whose language is to be detected will be in, as far as that can be
 * told: the first candidate; English where nobody can tell languages, as asr.h has it.
 * NULL: it is not known.
 */
static const char *
likely_source(const struct pipeline_config *w)
{
	const struct list *codes = &w->task.detectable;
	struct registry_want which = { .model = w->task.asr_model,
		.now_us = monotonic_us() };
	const struct registry_engine *asr;

	if (strcmp(w->task.language.code, "auto") != 0)
		return w->task.language.code;
	if (codes->n > 0)
		return ((const char *const *)codes->items)[0];
	asr = registry_asr(w->registry, "auto", &which);
	return asr != NULL && (asr->asr->can & ASR_DETECT) == 0 ? "en" : NULL;
}

void
prewarm(const struct pipeline *p, int target)
{
	const struct pipeline_config *w = p->config;
	const struct task_target *to = &w->task.targets[target];
	struct registry_want which = { .model = to->model, .now_us = monotonic_us() };
	const struct registry_engine *mt;
	const char *from = likely_source(w);

	mt = p->dropped || from == NULL
		 ? NULL
		 : registry_mt(w->registry, from, to->language.code, &which);
	if (mt != NULL)
		mt_warm(mt->mt, &mt->at, from, to->language.code, readiness_told,
		    p->readiness);
	else
		readiness_told(p->readiness);
}
