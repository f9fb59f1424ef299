#include <string.h>

#include "base/lang.h"
#include "protocol/language_code.h"
#include "protocol/task_internal.h"

const struct task_target *
task_target_of(const struct task *t, const char *code)
{
	for (size_t i = 0; i < t->n_targets; i++)
		if (t->targets[i].language.code != NULL &&
		    strcmp(t->targets[i].language.code, code) == 0)
			return &t->targets[i];
	return NULL;
}

const struct task_target *
task_target(struct arena *mem, const struct task *t, const char *said)
{
	const char *code = lang_fold(mem, said);
	const struct task_target *exact = task_target_of(t, code);

	if (exact != NULL)
		return exact;
	for (size_t i = 0; i < t->n_targets; i++)
		if (lang_same_base(t->targets[i].language.code, code))
			return &t->targets[i];
	return NULL;
}

bool
task_takes(const struct task *t, const struct task_target *to, const char *source)
{
	const char *const *codes = to->sources.items;

	if (to->sources.n == 0 || strcmp(t->language.code, "auto") != 0)
		return true;
	for (size_t i = 0; i < to->sources.n; i++)
		if (lang_same_base(codes[i], source))
			return true;
	return false;
}
