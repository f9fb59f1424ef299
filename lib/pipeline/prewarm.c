/*
 * Before its first segment a synthesizer warms its translator.  The TTS engine needs no
 * warming: its first sentence is as fast as any.
 */
#include "pipeline/pipeline_internal.h"

#include <string.h>

#include "base/clock.h"

/*
 * The source language to warm for.  With "auto": the first candidate, or English if the
 * ASR engine cannot detect languages (asr.h).  NULL: unknown.
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
