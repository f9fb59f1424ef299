/*
 * Checks a task against the engines.  An engine is asked for the exact code, then for
 * its base.  Text for a target with the base of the source needs no translation.
 */
#include <string.h>

#include "base/lang.h"
#include "protocol/task_internal.h"

struct asking {
	struct arena *mem;
	const struct task_engines *engines;
	const struct task *task;
	bool together;    /* one source must reach all targets */
	unsigned reached; /* 1u << each target reached; together: by the best source */
	size_t n;         /* together: number of targets in reached */
	bool any;         /* a source is recognized */
};

static bool
can_recognise(const struct asking *a, const char *code)
{
	const struct task_engines *e = a->engines;

	return e->knows(e->arg, code) || e->knows(e->arg, lang_base(a->mem, code));
}

static bool
can_translate(const struct asking *a, const char *from, const char *to)
{
	const struct task_engines *e = a->engines;
	const char *sources[] = { from, lang_base(a->mem, from) };
	const char *targets[] = { to, lang_base(a->mem, to) };

	if (lang_same_base(from, to))
		return true;
	for (int i = 0; i < 4; i++)
		if (e->pairs(e->arg, sources[i / 2], targets[i % 2]))
			return true;
	return false;
}

static unsigned
all_of(const struct task *t)
{
	return (1u << t->n_targets) - 1;
}

/* Try one source; true: no other source needs to be tried. */
static bool
try_source(void *arg, const char *code)
{
	struct asking *a = arg;
	const struct task *t = a->task;
	unsigned reached = 0;
	size_t n = 0;

	if (!can_recognise(a, code))
		return false;
	for (size_t i = 0; i < t->n_targets; i++) {
		const char *to = t->targets[i].language.code;

		if (to == NULL || can_translate(a, code, to)) {
			reached |= 1u << i;
			n++;
		}
	}
	if (!a->together) {
		a->reached |= reached;
	} else if (!a->any || n > a->n) {
		a->reached = reached;
		a->n = n;
	}
	a->any = true;
	return a->reached == all_of(t);
}

static void
try_all(struct asking *a)
{
	const struct task *t = a->task;
	const char *const *codes = t->detectable.items;

	if (strcmp(t->language.code, "auto") != 0)
		try_source(a, t->language.code);
	else if (t->detectable.n == 0)
		language_code_any(try_source, a);
	else
		for (size_t i = 0; i < t->detectable.n && !try_source(a, codes[i]);)
			i++;
}

static bool
is_among(const char *const *codes, size_t n, const char *code)
{
	for (size_t i = 0; i < n; i++)
		if (strcmp(codes[i], code) == 0)
			return true;
	return false;
}

/* Remove codes that no engine recognizes, and duplicates. */
static void
keep_known(struct asking *a, struct list *codes)
{
	const char **code = codes->items;
	size_t n = 0;

	for (size_t i = 0; i < codes->n; i++)
		if (code[i] != NULL && !is_among(code, n, code[i]) &&
		    language_code_known(code[i]) && can_recognise(a, code[i]))
			code[n++] = code[i];
	codes->n = n;
}

static void
blame(struct validation_errors *f, const struct json_path *tree, const struct asking *a)
{
	const struct task *t = a->task;
	struct json_path pipeline = json_path_member(tree, "pipeline");
	struct json_path transcription = json_path_member(&pipeline, "transcription");
	struct json_path translations = json_path_member(&pipeline, "translations");
	struct json_path item, at = json_path_member(&transcription, "source_language");

	/* without a recognizer no target is to blame */
	if (!a->any) {
		validation_error_add(f, &at, VALIDATION_UNSUPPORTED,
		    "unsupported language %s", t->language.said);
		return;
	}
	for (size_t i = 0; i < t->n_targets; i++) {
		item = json_path_item(&translations, i, NULL);
		at = json_path_member(&item, "target_language");
		if ((a->reached & 1u << i) == 0 && t->targets[i].language.said != NULL)
			validation_error_add(f, &at, VALIDATION_UNSUPPORTED,
			    "unsupported language pair %s-%s", t->language.said,
			    t->targets[i].language.said);
	}
}

void
task_pairs_check(struct validation_errors *f, const struct json_path *tree,
    const struct task_engines *e, bool together, struct task *t)
{
	struct asking a = {
		.mem = f->mem, .engines = e, .task = t, .together = together
	};

	if (t->language.code == NULL)
		return;
	keep_known(&a, &t->detectable);
	try_all(&a);
	t->unserved = all_of(t) & ~a.reached;
	blame(f, tree, &a);
}
