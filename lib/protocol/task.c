/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "protocol/task.h"

#include <string.h>

#include "base/lang.h"
#include "protocol/task_internal.h"

/* ---- targets ---- */

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
task_translates(const struct task *t, const struct task_target *to, const char *source)
{
	const char *const *codes = to->sources.items;

	if (to->sources.n == 0 || strcmp(t->language.code, "auto") != 0)
		return true;
	for (size_t i = 0; i < to->sources.n; i++)
		if (lang_same_base(codes[i], source))
			return true;
	return false;
}

/*
 * ---- engines for a task ----
 *
 * An engine is asked for the exact code, then for its base.  Text for a target with the
 * base of the source needs no translation.
 */

struct asking {
	struct arena *mem;
	const struct task_engines *engines;
	const struct task *task;
	bool together;    /* one source language must reach all targets */
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

	/* without a recognizer, no target is the cause */
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

static void
check_pairs(struct validation_errors *f, const struct json_path *tree,
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

/* ---- reading ---- */

static struct json *
copy_tree(struct arena *mem, const struct json *v)
{
	struct json *to = arena_alloc(mem, sizeof(*to)), **tail = &to->kids;

	*to = *v;
	to->next = to->kids = NULL;
	to->key = arena_str(mem, v->key);
	to->written = arena_str(mem, v->written);
	if (v->type == JSON_TEXT)
		to->u.s = arena_dup(mem, v->u.s, v->n);
	for (const struct json *kid = v->kids; kid != NULL; kid = kid->next) {
		*tail = copy_tree(mem, kid);
		tail = &(*tail)->next;
	}
	return to;
}

static void
check_length(struct validation_errors *f, const struct json_path *tree,
    const struct buf *written)
{
	if (written->len > TASK_BYTES)
		validation_error_add(f, tree, VALIDATION_LENGTH,
		    "the task must have at most %d bytes with its defaults",
		    TASK_BYTES);
}

/* Checked first, on the tree as sent: an oversized task is not read. */
static void
check_sent(struct validation_errors *f, const struct json_path *tree)
{
	struct buf b = { .mem = f->mem };

	jw_json(&(struct json_writer){ .out = &b }, NULL, tree->v);
	check_length(f, tree, &b);
}

/* Checked with all defaults, as current_task sends the task. */
static void
check_written(
    struct validation_errors *f, const struct json_path *tree, const struct task *t)
{
	struct buf b = { .mem = f->mem };
	struct json_writer j = { .out = &b };

	jw_open(&j, NULL);
	task_write(&j, t, true);
	jw_close(&j);
	check_length(f, tree, &b);
}

static const struct task defaults = {
	.channels = 1,
	.asr_model = "auto",
	.silence_s = 0.7,
	.splitter = true,
	.splitter_characters = 80,
	.splitter_s = 4,
	.hotwords.allowed = true,
	.verification.allowed = true,
	.vad = true,
	.vad_threshold = 0.5,
	.starred =
	    1u << OUTPUT_TRANSLATED | 1u << OUTPUT_PARTIAL | 1u << OUTPUT_VALIDATED,
	.form = { .target_rate = 24000,
	    .target_channels = 1,
	    .global = { 5000, 20000, true, 1.15, 1.45 } },
};

static void
check_source(struct validation_errors *f, const struct json_path *tree,
    const struct task_engines *e, const struct task *t)
{
	struct json_path input = json_path_member(tree, "input_stream");
	struct json_path source = json_path_member(&input, "source");
	struct json_path type = json_path_member(&source, "type");

	if (t->source == TASK_WEBRTC && !e->webrtc)
		validation_error_add(f, &type, VALIDATION_UNSUPPORTED,
		    "WebRTC is not configured on this server, use ws");
}

static void
read_tree(struct validation_errors *f, const struct json_path *tree,
    const struct task_engines *e, bool together, struct task *t)
{
	rules_read(f, task_rules, tree, t);
	task_queues_read(f, tree, t);
	task_types_read(f, tree, t);
	check_source(f, tree, e, t);
	check_pairs(f, tree, e, together, t);
	if (f->n == 0)
		check_written(f, tree, t);
}

static bool
read_whole(struct arena *mem, const struct json *tree, const struct task_engines *e,
    bool together, struct task *t, struct validation_errors *f)
{
	struct json_path whole = json_path_whole(tree);

	*f = (struct validation_errors){ .mem = mem };
	*t = defaults;
	check_sent(f, &whole);
	if (f->n > 0 || !validation_error_is(f, &whole, JSON_OBJ))
		return false;
	t->tree = copy_tree(mem, tree);
	whole = json_path_whole(t->tree);
	read_tree(f, &whole, e, together, t);
	return f->n == 0;
}

bool
task_read(struct arena *mem, const struct json *tree, const struct task_engines *e,
    struct task *t, struct validation_errors *f)
{
	return read_whole(mem, tree, e, true, t, f);
}

/* ---- channels ---- */

static bool
read_channel(struct arena *mem, const struct json *tree, const struct json *pipeline,
    const struct task_engines *e, struct task *t, struct validation_errors *f)
{
	const struct json *input = json_get(tree, "input_stream");
	struct json second = { .type = JSON_NONE }, first = { .key = "input_stream" };
	struct json whole = { .type = JSON_OBJ, .kids = &first, .n = 2 };

	if (input != NULL)
		first = *input;
	if (pipeline != NULL)
		second = *pipeline;
	first.next = &second;
	second.key = "pipeline";
	second.next = NULL;
	return read_whole(mem, &whole, e, false, t, f);
}

static struct list
pipeline_event_of(struct arena *mem, const struct task *t)
{
	const char **said = arena_alloc(mem, TASK_TARGETS * sizeof(*said));
	size_t n = 0;

	for (size_t i = 0; i < t->n_targets; i++)
		if ((t->unserved & 1u << i) != 0)
			said[n++] = t->targets[i].language.said;
	return (struct list){ said, n };
}

/* A copy of the pipeline without the unserved targets. */
static const struct json *
without(struct arena *mem, const struct json *pipeline, unsigned unserved)
{
	struct json *copy = copy_tree(mem, pipeline), *targets = copy->kids, **at;

	while (strcmp(targets->key, "translations") != 0)
		targets = targets->next;
	at = &targets->kids;
	for (unsigned i = 0; *at != NULL; i++) {
		if (i < TASK_TARGETS && (unserved & 1u << i) != 0) {
			*at = (*at)->next;
			targets->n--;
		} else
			at = &(*at)->next;
	}
	return copy;
}

bool
task_read_channel(struct arena *mem, const struct json *tree,
    const struct json *pipeline, const struct task_engines *e, struct task *t,
    struct validation_errors *f)
{
	bool taken = read_channel(mem, tree, pipeline, e, t, f), none;
	struct list left_out;

	if (t->unserved == 0)
		return taken;
	left_out = pipeline_event_of(mem, t);
	none = left_out.n == t->n_targets && left_out.n == f->n;
	if (left_out.n < t->n_targets) {
		pipeline = without(mem, pipeline, t->unserved);
		taken = read_channel(mem, tree, pipeline, e, t, f);
	}
	if (taken || none)
		t->left_out = left_out;
	return taken;
}

const char *
task_left_out(struct arena *mem, const struct task *t)
{
	const char *const *said = t->left_out.items, *from = t->language.said;
	struct buf b = { .mem = mem };

	if (t->left_out.n == 0)
		return NULL;
	buf_str(&b, "No engine translates ");
	if (strcmp(t->language.code, "auto") != 0)
		buf_printf(&b, "from %s ", from);
	buf_str(&b, "into ");
	for (size_t i = 0; i < t->left_out.n; i++)
		buf_printf(&b, "%s%s", i > 0 ? ", " : "", said[i]);
	buf_str(&b, ".");
	return buf_text(&b);
}

void
task_write(struct json_writer *j, const struct task *t, bool hidden)
{
	rules_write(j, task_rules, t->tree, t, hidden);
}

void
task_write_languages(struct json_writer *j, const struct task *t)
{
	jw_list(j, "languages");
	for (size_t i = 0; i < t->n_targets; i++)
		jw_text(j, NULL, t->targets[i].language.said);
	jw_close(j);
}
