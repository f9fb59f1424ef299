/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Translation by a program that the operator names, here a script. Each kind of wrong
 * output is reported in the log, and the next text must be translated nevertheless.
 */
#include <fcntl.h>

#include "base/child.h"
#include "base/file.h"
#include "speech/engine.h"
#include "speech/mt_line.h"
#include "speech/mt_process.h"
#include "speech/registry.h"
#include "tests/unit/children.h"
#include "tests/unit/conf_fixture.h"
#include "tests/unit/warm.h"

/*
 * The second word selects the script's behaviour. "again" in a text: only at the first
 * run, which leaves a file for the next run.
 */
static const char script[] =
    "pairs='{\"pairs\":[[\"en\",\"es\"],[\"pt\",\"en\"],[\"EN_us\",\"fr\"],[\"x\"],"
    "7]}'\n"
    "case $1 in\n"
    "any) pairs='{}' ;;\n"
    "mute) exec sleep 1000 ;;\n"
    "fails) pairs='{\"error\":\"no model at /x\"}' ;;\n"
    "text) pairs='hello' ;;\n"
    "long) while :; do printf x; done ;;\n"
    "esac\n"
    "printf '%s\\n' \"$pairs\"\n"
    "while read -r line; do\n"
    "	id=${line#*:} id=${id%%,*}\n"
    "	text=${line#*\\\"text\\\":\\\"} text=${text%%\\\"*}\n"
    "	answer=\"{\\\"id\\\":$id,\\\"text\\\":\\\"<$text>\\\"}\"\n"
    "	case \"$1 $text\" in\n"
    "	*good*) ;;\n"
    "	dies*) exit 3 ;;\n"
    "	crashes*) kill -SEGV $$ ;;\n"
    "	hangs*) sleep 1000 ;;\n"
    "	spins*) while :; do :; done ;;\n"
    "	floods*) while :; do printf xxxxxxxx; done ;;\n"
    "	lines*) printf '%s\\n' \"$answer\" \"$answer\" ;;\n"
    "	other*) answer='{\"id\":77,\"text\":\"x\"}' ;;\n"
    "	noid*) answer='{\"text\":\"x\"}' ;;\n"
    "	list*) answer='[1]' ;;\n"
    "	nojson*) answer=hola ;;\n"
    "	latin*) answer=\"{\\\"id\\\":$id,\\\"text\\\":\\\"ma$(printf "
    "'\\361')ana\\\"}\" ;;\n"
    "	empty*) answer=\"{\\\"id\\\":$id,\\\"text\\\":\\\"\\\"}\" ;;\n"
    "	notext*) answer=\"{\\\"id\\\":$id}\" ;;\n"
    "	error*) answer=\"{\\\"id\\\":$id,\\\"error\\\":\\\"too hard\\\"}\" ;;\n"
    "	echo*) answer=\"{\\\"id\\\":$id,\\\"text\\\":\\\"$(printf %s \"${line#*,}\" |\n"
    "		sed 's/\\\\/\\\\\\\\/g; s/\"/\\\\\"/g')\\\"}\" ;;\n"
    "	secret*) read -r key <\"$2\"\n"
    "		answer=\"{\\\"id\\\":$id,\\\"text\\\":\\\"key $key\\\"}\" ;;\n"
    "	env*) answer=\"{\\\"id\\\":$id,\\\"text\\\":\\\"$(/usr/bin/env | cut -d= -f1 "
    "|\n"
    "		sort | tr '\\n' ' ')\\\"}\" ;;\n"
    "	esac\n"
    "	printf '%s\\n' \"$answer\"\n"
    "done\n";

static bool guarded;

static struct engine_at
program(const char *does)
{
	unit_write(below("program"), script);
	return (struct engine_at){ .id = "own",
		.kind = "process",
		.command = arena_printf(mem, "sh %s %s", below("program"), does),
		.timeout_ms = 2000 };
}

static enum err
translate(const struct engine_at *at, const char *text, const char **out)
{
	const struct mt_text t = { .text = text, .from = "en", .to = "es" };

	*out = NULL;
	return mt_translate(&mt_process, at, mem, &t, out, &guarded);
}

/* Redirects the log to a file. */
static void
begin_log(void)
{
	int fd = open(below("log"), O_WRONLY | O_CREAT | O_TRUNC, 0600);

	ck_assert_int_ge(fd, 0);
	dup2(fd, STDERR_FILENO);
	close(fd);
}

static const char *
logged(void)
{
	struct buf text = { .mem = mem };

	ck_assert(file_read(below("log"), &text));
	return buf_text(&text);
}

START_TEST(it_translates_between_the_pairs_that_it_names)
{
	const struct engine_at at = program("well");
	struct list all;
	const char *out;

	ck_assert_int_eq(translate(&at, "Good morning.", &out), OK);
	ck_assert_str_eq(out, "<Good morning.>");
	ck_assert(mt_pairs(&mt_process, &at, "en", "es"));
	ck_assert(mt_pairs(&mt_process, &at, "en-gb", "es-mx"));
	ck_assert(mt_pairs(&mt_process, &at, "en-us", "fr"));
	ck_assert(!mt_pairs(&mt_process, &at, "en", "fr"));
	ck_assert(!mt_pairs(&mt_process, &at, "es", "en"));
	ck_assert_int_eq(mt_list_pairs(&mt_process, &at, mem, &all), OK);
	ck_assert_uint_eq(all.n, 3);
	for (int i = 0; i < 20; i++) {
		ck_assert_int_eq(translate(&at, "One more.", &out), OK);
		ck_assert_str_eq(out, "<One more.>");
	}
	ck_assert_int_eq(count_children(), 1);
	ck_assert_int_gt(mt_line_used_us(), 0);
}
END_TEST

START_TEST(a_word_of_a_command_may_have_blanks)
{
	struct engine_at at = program("well");
	const char *out;

	unit_write(below("a program"), script);
	at.command = arena_printf(mem, "sh  \"%s\" \"well\"", below("a program"));
	ck_assert_int_eq(translate(&at, "Good morning.", &out), OK);
	ck_assert_str_eq(out, "<Good morning.>");
	ck_assert_str_eq(
	    mt_process_program(mem, "\"/opt/my own/run\" x"), "/opt/my own/run");
	ck_assert_str_eq(mt_process_program(mem, "\"/opt/my own"), "/opt/my own");
	ck_assert_str_eq(mt_process_program(mem, "/opt/own/run \"a b"), "/opt/own/run");
}
END_TEST

START_TEST(a_program_that_names_no_pairs_has_those_of_its_languages)
{
	struct engine_at at = program("any");
	struct list all;

	ck_assert(!mt_pairs(&mt_process, &at, "en", "es"));
	at.languages = "en es";
	ck_assert(mt_pairs(&mt_process, &at, "en", "es"));
	ck_assert(!mt_pairs(&mt_process, &at, "en", "fr"));
	ck_assert_int_eq(mt_list_pairs(&mt_process, &at, mem, &all), OK);
	ck_assert_uint_gt(all.n, 2);
}
END_TEST

START_TEST(the_question_has_the_text_its_languages_and_the_last_two_texts)
{
	const struct engine_at at = program("echo");
	static const char *const said[] = { "One.", "Two \"2\".", "Three." };
	const struct mt_text t = { .text = "Four\\\"and\tmore",
		.from = "en",
		.to = "es",
		.before = { (void *)(uintptr_t)said, 3 } };
	const char *out;

	ck_assert_int_eq(mt_translate(&mt_process, &at, mem, &t, &out, &guarded), OK);
	ck_assert_str_eq(out, "\"text\":\"Four\\\\\\\"and more\",\"source\":\"en\","
			      "\"target\":\"es\",\"context\":[\"Two \\\"2\\\".\","
			      "\"Three.\"]}");
}
END_TEST

START_TEST(terms_come_back)
{
	const struct engine_at at = program("well");
	const struct mt_term term = { 4, 6, .target = "presupuesto" };
	const struct mt_text t = { .text = "The budget is here.",
		.from = "en",
		.to = "es",
		.terms = &term,
		.nterms = 1 };
	const char *out;

	ck_assert_int_eq(mt_translate(&mt_process, &at, mem, &t, &out, &guarded), OK);
	ck_assert(guarded);
	ck_assert_str_eq(out, "<The presupuesto is here.>");
}
END_TEST

/* A sentence that the program fails to translate, and a good sentence after it. */
static const struct {
	const char *does;
	enum err e;
	const char *says;
	bool lives;
} bad[] = {
	{ "dies", ERR_FAILED, "engine own: it has ended, killed", false },
	{ "crashes", ERR_FAILED, "signal 11", false },
	{ "hangs", ERR_TIMEOUT, "no answer, and all stages sleep", false },
	{ "spins", ERR_TIMEOUT, "no answer within its processor time", false },
	{ "floods", ERR_FAILED, "the answer is too long", false },
	{ "lines", ERR_FAILED, "a line that was not asked for", false },
	{ "other", ERR_FAILED, "answers another question", false },
	{ "noid", ERR_FAILED, "answers another question", false },
	{ "list", ERR_FAILED, "is no object", false },
	{ "nojson", ERR_FAILED, "is not valid JSON", false },
	{ "latin", ERR_FAILED, "is not valid JSON", false },
	{ "empty", ERR_REFUSED, "the answer is empty", true },
	{ "notext", ERR_REFUSED, "the answer has no text", true },
	{ "error", ERR_REFUSED, "engine own: too hard", true },
};

START_TEST(a_bad_answer_fails_and_the_next_text_is_translated)
{
	const struct engine_at at = program(bad[_i].does);
	const char *out;
	enum err e;

	begin_log();
	ck_assert_int_eq(translate(&at, "A good one.", &out), OK);
	e = translate(&at, "A bad one.", &out);
	ck_assert_ptr_null(e != OK ? NULL : out);
	if (e == OK) /* the program's second line came after the answer was read */
		e = translate(&at, "A good one.", &out);
	ck_assert_msg(e == bad[_i].e, "%s: %s", bad[_i].does, err_name(e));
	ck_assert_int_eq(translate(&at, "A good one again.", &out), OK);
	ck_assert_str_eq(out, "<A good one again.>");
	ck_assert_msg(strstr(logged(), bad[_i].says) != NULL, "%s", logged());
	ck_assert_int_eq(count_children(), 1);
	ck_assert_int_eq(bad[_i].lives, strstr(logged(), "killed") == NULL);
}
END_TEST

static const struct {
	const char *command, *says;
} dead[] = {
	{ "fails", "engine own: its program says: no model at /x" },
	{ "text", "a line of its program is not valid JSON" },
	{ "long", "the answer is too long" },
	{ "mute", "no answer, and all stages sleep" },
	{ "/no/such/program", "engine own: /no/such/program: No such file" },
	{ "nosuchprogram", "nosuchprogram: No such file" },
	{ "/bin/false", "engine own: it has ended" },
};

/* The engine has no pairs; this is reported once and not for each text. */
START_TEST(a_program_that_does_not_start_has_no_pairs)
{
	struct engine_at at = program(dead[_i].command);
	struct list all;
	const char *out;

	if (strchr("/n", *dead[_i].command) != NULL)
		at.command = dead[_i].command;
	begin_log();
	ck_assert_int_eq(mt_list_pairs(&mt_process, &at, mem, &all), ERR_TIMEOUT);
	ck_assert_int_eq(translate(&at, "Good.", &out), ERR_UNSUPPORTED);
	ck_assert_int_eq(mt_list_pairs(&mt_process, &at, mem, &all), ERR_TIMEOUT);
	ck_assert_msg(strstr(logged(), dead[_i].says) != NULL, "%s", logged());
	ck_assert_ptr_nonnull(strstr(logged(), "engine own: does not start"));
	ck_assert_ptr_null(
	    strstr(strstr(logged(), "does not start") + 1, "does not start"));
	ck_assert_int_eq(count_children(), 0);
}
END_TEST

START_TEST(a_command_has_a_bound)
{
	struct engine_at at = program("well");
	struct buf b = { .mem = mem };
	struct list all;

	buf_str(&b, at.command);
	for (int i = 0; i < 40; i++)
		buf_str(&b, " x");
	at.command = buf_text(&b);
	begin_log();
	ck_assert_int_eq(mt_list_pairs(&mt_process, &at, mem, &all), ERR_TIMEOUT);
	ck_assert_ptr_nonnull(strstr(logged(), "more than 32 words"));
}
END_TEST

START_TEST(its_environment_is_clean)
{
	const struct engine_at at = program("env");
	const char *out;

	setenv("DRAGOMAN_SECRET", "x", 1);
	ck_assert_int_eq(translate(&at, "Tell me.", &out), OK);
	ck_assert_msg(strcmp(out, "LC_ALL PATH PWD _") == 0 ||
			  strcmp(out, "LC_ALL PATH PWD") == 0,
	    "%s", out);
}
END_TEST

START_TEST(it_reads_only_what_its_command_names)
{
	struct engine_at at = program("secret");
	const char *out;

	if (!child_sandbox_parts().landlock)
		return;
	unit_write(below("key"), "hidden\n");
	setenv("KEY", below("key"), 1);
	at.command = arena_printf(
	    mem, "sh %s secret ./../../../../..%s", below("program"), below("key"));
	ck_assert_int_eq(translate(&at, "Tell me.", &out), OK);
	ck_assert_str_eq(out, "key");
	at.command =
	    arena_printf(mem, "sh %s secret %s", below("program"), below("key"));
	ck_assert_int_eq(translate(&at, "Tell me.", &out), OK);
	ck_assert_str_eq(out, "key hidden");
}
END_TEST

/* As in a stream, the next engine of the list gets the text. */
START_TEST(the_next_engine_takes_over)
{
	struct registry_want want = { .now_us = monotonic_us() };
	const struct registry_engine *en;
	struct registry *r;
	const char *out;
	enum err e;

	unit_write(below("program"), script);
	ck_assert_int_eq(
	    read_conf(arena_printf(mem,
		"[speech]\nasr = script\nmt = own script\ntts = script\n"
		"[engine.script]\nkind = script\n"
		"[engine.own]\nkind = process\ncommand = /bin/sh %s dies\n",
		below("program"))),
	    OK);
	ck_assert_int_eq(registry_new(&c, &r), OK);
	ck_assert(registry_discover(r));
	en = registry_mt(r, "en", "es", &want);
	ck_assert_str_eq(en->at.id, "own");
	e = translate(&en->at, "A bad one.", &out);
	ck_assert_int_eq(e, ERR_FAILED);
	want.after = en;
	en = registry_mt(r, "en", "es", &want);
	ck_assert_str_eq(en->at.id, "script");
	registry_drop(r);
}
END_TEST

START_TEST(warming_starts_it)
{
	const struct engine_at at = program("well");
	sem_t told;

	sem_init(&told, 0, 0);
	mt_warm(&mt_process, &at, "en", "es", warm_told, &told);
	while (sem_wait(&told) != 0)
		;
	ck_assert_int_eq(count_children(), 1);
	sem_destroy(&told);
}
END_TEST

/* ---- a line that is not used for long ---- */

static enum err
plan_cat(struct arena *a, const char *key, struct child_pipe_plan *to)
{
	static const char *const cat[] = { "/bin/cat", NULL };
	static const char *const *const stage[] = { cat };

	(void)a, (void)key;
	to->stage = stage;
	to->n = 1;
	to->lines = true;
	to->memory_bytes = (size_t)256 << 20;
	return OK;
}

static enum err
begin_cat(struct mt_line_programs *p, struct arena *a)
{
	(void)p, (void)a;
	return OK;
}

static enum err
ask_cat(struct mt_line_programs *p, const char *text, int cpu_ms, struct buf *answer)
{
	return mt_line_exchange(p, text, 1000, cpu_ms, answer);
}

START_TEST(an_unused_program_is_ended_and_started_again)
{
	static const struct mt_line_kind kind = { "test", S_US / 10, plan_cat,
		begin_cat, ask_cat };
	const struct mt_line_sentence hello = {
		.key = "cat", .text = "hello", .cpu_ms = 1000
	};
	struct buf out = { .mem = mem };

	for (int i = 0; i < 2; i++) {
		ck_assert_int_eq(mt_line_ask(&kind, &hello, &out), OK);
		await(count_children() == 0);
	}
	ck_assert_str_eq(buf_text(&out), "hellohello");
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("translation by a process");
	TCase *t = tcase_create("all");

	tcase_set_timeout(t, 120);
	tcase_add_checked_fixture(t, setup, teardown);
	tcase_add_test(t, it_translates_between_the_pairs_that_it_names);
	tcase_add_test(t, a_word_of_a_command_may_have_blanks);
	tcase_add_test(t, a_program_that_names_no_pairs_has_those_of_its_languages);
	tcase_add_test(
	    t, the_question_has_the_text_its_languages_and_the_last_two_texts);
	tcase_add_test(t, terms_come_back);
	tcase_add_loop_test(
	    t, a_bad_answer_fails_and_the_next_text_is_translated, 0, COUNT(bad));
	tcase_add_loop_test(
	    t, a_program_that_does_not_start_has_no_pairs, 0, COUNT(dead));
	tcase_add_test(t, a_command_has_a_bound);
	tcase_add_test(t, its_environment_is_clean);
	tcase_add_test(t, it_reads_only_what_its_command_names);
	tcase_add_test(t, the_next_engine_takes_over);
	tcase_add_test(t, warming_starts_it);
	tcase_add_test(t, an_unused_program_is_ended_and_started_again);
	suite_add_tcase(s, t);
	return unit_run(s);
}
