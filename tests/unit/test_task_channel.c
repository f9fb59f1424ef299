/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The task of a channel, which begins with the targets that engines serve. The engines
 * have en-es, en-de, es-ca, de-pt-br and a few more pairs, and recognise en, es and de.
 */
#include "protocol/output.h"
#include "tests/unit/stream_texts.h"

#define WS "{`input_stream`:{`source`:{`sample_rate`:16000}}}"

static struct task task;
static struct validation_errors errors;

static const char *
pipeline_of(const char *source, const char *targets)
{
	struct buf b = { .mem = mem };

	buf_printf(&b, "{`transcription`:{%s},`translations`:[", source);
	for (size_t n; *targets != '\0'; targets += n + (targets[n] == ' ')) {
		n = strcspn(targets, " ");
		buf_printf(&b, "%s{`target_language`:`%.*s`}",
		    b.p[b.len - 1] == '[' ? "" : ",", (int)n, targets);
	}
	buf_str(&b, "]}");
	return buf_text(&b);
}

static bool
read_channel(const char *source, const char *targets)
{
	return task_read_channel(mem, tree_of(WS),
	    tree_of(pipeline_of(source, targets)), &engines, &task, &errors);
}

/*
 * Returns the languages of the task, or the languages that it leaves out, separated by
 * blanks.
 */
static const char *
targets_of(const struct task *t)
{
	struct buf b = { .mem = mem };

	for (size_t i = 0; i < t->n_targets; i++)
		buf_printf(&b, "%s%s", i > 0 ? " " : "", t->targets[i].language.said);
	return buf_text(&b);
}

#define FROM(code) "`source_language`:`" code "`"

static const struct {
	const char *source, *targets, *kept, *left_out;
} partly[] = {
	{ FROM("en"), "es", "es", NULL },
	{ FROM("en"), "es ja de", "es de", "No engine translates from en into ja." },
	{ FROM("en"), "ja es_MX sv", "es_MX",
	    "No engine translates from en into ja, sv." },
	{ FROM("en"), "", "", NULL },
	/* "en" reaches es and de, "es" ca, "de" pt-br, and nothing reaches ja */
	{ FROM("auto"), "ca pt-br de", "ca pt-br de", NULL },
	{ FROM("auto"), "ca ja pt-br", "ca pt-br", "No engine translates into ja." },
	{ FROM("auto") ",`detectable_languages`:[`en`,`fi`]", "ca de", "de",
	    "No engine translates into ca." },
};

START_TEST(a_channel_begins_with_the_targets_that_are_served)
{
	const char *why;

	ck_assert_msg(read_channel(partly[_i].source, partly[_i].targets), "%s",
	    validation_errors_text(mem, &errors));
	ck_assert_str_eq(targets_of(&task), partly[_i].kept);
	why = task_left_out(mem, &task);
	ck_assert_str_eq(why != NULL ? why : "",
	    partly[_i].left_out != NULL ? partly[_i].left_out : "");
}
END_TEST

START_TEST(what_is_left_out_is_not_in_the_task_that_is_told)
{
	struct buf b = { .mem = mem };

	ck_assert(read_channel(FROM("en"), "ja es"));
	ck_assert(output_current_task(&b, &task, "running", true, NULL, NULL));
	ck_assert_ptr_nonnull(
	    strstr(buf_text(&b), quoted("`translations`:[{`target_language`:`es`}]}")));
}
END_TEST

/* Languages that no engine serves, and other faults. */
static const struct {
	const char *source, *targets, *flaws, *left_out;
} refused[] = {
	{ FROM("en"), "ja sv",
	    "pipeline.translations.0.target_language: unsupported language pair en-ja;"
	    " pipeline.translations.1.target_language: unsupported language pair "
	    "en-sv",
	    "No engine translates from en into ja, sv." },
	{ FROM("fi"), "es",
	    "pipeline.transcription.source_language: "
	    "unsupported language fi",
	    "No engine translates from fi into es." },
	{ FROM("fi"), "",
	    "pipeline.transcription.source_language: unsupported language fi", NULL },
	{ FROM("en") ",`segment_confirmation_silence_threshold`:9", "es ja",
	    "pipeline.transcription.segment_confirmation_silence_threshold: must be "
	    "between 0.3 and 2.0",
	    NULL },
	{ FROM("en") ",`segment_confirmation_silence_threshold`:9", "ja",
	    "pipeline.transcription.segment_confirmation_silence_threshold: must be "
	    "between 0.3 and 2.0; pipeline.translations.0.target_language: unsupported "
	    "language pair en-ja",
	    NULL },
};

START_TEST(a_channel_none_of_whose_targets_is_served_is_refused)
{
	const char *why;

	ck_assert(!read_channel(refused[_i].source, refused[_i].targets));
	ck_assert_str_eq(validation_errors_text(mem, &errors), refused[_i].flaws);
	why = task_left_out(mem, &task);
	ck_assert_str_eq(why != NULL ? why : "",
	    refused[_i].left_out != NULL ? refused[_i].left_out : "");
}
END_TEST

/* A client's set_task is checked as strictly as before. */
START_TEST(a_session_is_refused_for_one_target)
{
	const char *text = arena_printf(mem, "%.*s,`pipeline`:%s}", (int)strlen(WS) - 1,
	    WS, pipeline_of(FROM("en"), "es ja"));

	ck_assert(!task_read(mem, tree_of(text), &engines, &task, &errors));
	ck_assert_str_eq(validation_errors_text(mem, &errors),
	    "pipeline.translations.1.target_language: unsupported language pair en-ja");
	text = arena_printf(mem, "%.*s,`pipeline`:%s}", (int)strlen(WS) - 1, WS,
	    pipeline_of(FROM("auto"), "ca pt-br"));
	ck_assert(!task_read(mem, tree_of(text), &engines, &task, &errors));
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("stream: the task of a channel");
	TCase *t = tcase_create("all");

	tcase_add_checked_fixture(t, setup, teardown);
	tcase_add_loop_test(
	    t, a_channel_begins_with_the_targets_that_are_served, 0, COUNT(partly));
	tcase_add_test(t, what_is_left_out_is_not_in_the_task_that_is_told);
	tcase_add_loop_test(
	    t, a_channel_none_of_whose_targets_is_served_is_refused, 0, COUNT(refused));
	tcase_add_test(t, a_session_is_refused_for_one_target);
	suite_add_tcase(s, t);
	return unit_run(s);
}
