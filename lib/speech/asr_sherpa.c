/*
 * sherpa-onnx in a process of its own: streaming models, so that the text grows while
 * it is said.  They know one language or a few, and cannot tell which.
 */
#include <string.h>

#include "base/lang.h"
#include "base/text.h"
#include "speech/asr_model.h"
#include "speech/engine.h"

#define CAPITALS "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
#define SMALL "abcdefghijklmnopqrstuvwxyz"

static bool
knows(const struct engine_at *at, const char *lang)
{
	return lang_is_auto(lang) || lang_covered(at->languages, lang);
}

static enum err
open_one(const struct engine_at *at, const struct asr_want *want, struct asr **to)
{
	return asr_model_open(&asr_sherpa, at, want, true, to);
}

/* Models that were trained on texts in capitals know no others. */
static void
unshout(struct arena *mem, struct heard *h)
{
	if (strpbrk(h->text, CAPITALS) != NULL && strpbrk(h->text, SMALL) == NULL)
		h->text = text_lower(mem, h->text);
}

static enum err
partial(struct asr *a, struct arena *mem, struct heard *to)
{
	enum err e = asr_model_partial(a, mem, to);

	unshout(mem, to);
	return e;
}

/* "hello world" -> "Hello world."; a text with marks or capitals has them all. */
static void
complete(struct arena *mem, struct heard *h)
{
	const char *t = h->text;

	if (*t >= 'a' && *t <= 'z' && strpbrk(t, ".,!?" CAPITALS) == NULL)
		h->text = arena_printf(mem, "%c%s.", *t - 'a' + 'A', t + 1);
}

static enum err
finish(struct asr *a, struct arena *mem, struct heard *to)
{
	enum err e = asr_model_finish(a, mem, to);

	unshout(mem, to);
	complete(mem, to);
	return e;
}

const struct asr_engine asr_sherpa = { ASR_STREAM, knows, open_one, asr_model_feed,
	partial, finish, asr_model_drop, asr_model_close };
