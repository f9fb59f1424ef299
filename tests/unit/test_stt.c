/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Parameters of STT sockets, and words that are left out of their texts. */
#include "pipeline/disfluencies.h"
#include "session/stt_query.h"
#include "tests/unit/registry_fixture.h"

static void
setup_script(void)
{
	(void)id, (void)want;
	setup();
	ck_assert_int_eq(make("[speech]\nasr = script\nmt = script\ntts = script\n"
			      "[engine.script]\nkind = script\n"),
	    OK);
}

/* clang-format off */
static const struct {
	const char *lang, *said, *left;
} texts[] = {
	{ "en", "Good morning.", "Good morning." },
	{ "en", "Um, good morning.", "Good morning." },
	{ "en", "good um morning", "good morning" },
	{ "en-us", "So, uh, yes, Erm that is it.", "So, yes, That is it." },
	{ "en", "I think um.", "I think." },
	{ "en", "Well, um? Yes.", "Well? Yes." },
	{ "en", "Hmm.", "" },
	{ "en", "", "" },
	{ "en", "uh-huh, the museum", "uh-huh, the museum" },
	{ "en", "the bar \"um\" closed", "the bar closed" },
	{ "es", "Eh, buenos em días.", "Buenos días." },
	{ "es", "um", "um" },
	{ "de", "Ähm, also äh gut", "Also gut" },
	{ "de", "um neun", "um neun" },
	{ "fr", "Euh, été", "Été" },
	{ "ja", "um", "um" },
	{ "auto", "um", "um" },
};

static const struct {
	struct stt_in in;
	const char *fault; /* the parameters, or "" */
} queries[] = {
	{ { .sample_rate = NULL_INT }, "" },
	{ { "en", "pcm_s16le", "es, fr", "false", 48000 }, "" },
	{ { "en", "wav", "", NULL, NULL_INT }, "" },
	{ { "en", "ogg", NULL, NULL, NULL_INT }, "" },
	{ { "en", "mulaw", NULL, NULL, 8000 }, "" },
	{ { "en", "mulaw", NULL, NULL, NULL_INT }, "/sample_rate" },
	{ { "en", "mp3", NULL, NULL, NULL_INT }, "" },
	{ { "en", "webm", NULL, NULL, 8000 }, "" },
	{ { "en", "m4a", NULL, NULL, NULL_INT }, "/format" },
	{ { "xx", NULL, NULL, NULL, NULL_INT }, "/language" },
	{ { "en", NULL, "es,es", NULL, NULL_INT }, "/translate_languages" },
	{ { "en", NULL, "xx", NULL, NULL_INT }, "/translate_languages" },
	{ { "en", NULL, "es,,fr", NULL, NULL_INT }, "/translate_languages" },
	{ { "en", NULL, "es,fr,de,it,pt,nl,pl,cs,sv,da,fi", NULL, NULL_INT },
	  "/translate_languages" },
	{ { "xx", "m4a", "yy", NULL, NULL_INT }, "/format/language/translate_languages" },
};
/* clang-format on */

START_TEST(hesitation_is_left_out)
{
	ck_assert_str_eq(
	    disfluencies_remove(mem, texts[_i].lang, texts[_i].said), texts[_i].left);
}
END_TEST

START_TEST(a_query_is_taken_or_its_parameters_are_named)
{
	const struct stt_in *in = &queries[_i].in;
	struct buf named = { .mem = mem };
	struct fault *f = NULL;
	struct stt_params w = { .task = NULL };
	bool taken = stt_query_read(mem, reg, in, &w, &f);

	for (; f != NULL; f = f->next)
		buf_str(&named, f->at);
	ck_assert_str_eq(buf_text(&named), queries[_i].fault);
	ck_assert_int_eq(taken, queries[_i].fault[0] == '\0');
}
END_TEST

START_TEST(the_query_becomes_a_task_without_speech)
{
	const struct stt_in in = { "EN_us", "pcm_f32be", "es ,fr", NULL, 44100 };
	struct stt_params w;
	struct fault *f;
	struct task t;
	struct validation_errors errors;

	ck_assert(stt_query_read(mem, reg, &in, &w, &f));
	ck_assert_int_eq(w.sound.form, AUDIO_F32BE);
	ck_assert_int_eq(w.sound.rate_hz, 44100);
	ck_assert(w.unfilled);
	ck_assert(!w.manual);
	ck_assert(stt_query_task(mem, reg, w.task, &t, &errors));
	ck_assert_str_eq(t.language.code, "en-us");
	ck_assert(t.text_only);
	ck_assert(!t.splitter);
	ck_assert(t.silence_s > 0.69 && t.silence_s < 0.71);
	ck_assert_uint_eq(t.n_targets, 2);
	ck_assert_str_eq(t.targets[1].language.code, "fr");
}
END_TEST

START_TEST(japanese_keeps_its_hesitation_unless_asked)
{
	struct stt_in in = { "ja", NULL, NULL, NULL, NULL_INT };
	struct stt_params w;
	struct fault *f;

	ck_assert(stt_query_read(mem, reg, &in, &w, &f));
	ck_assert(!w.unfilled);
	in.filter = "true";
	ck_assert(stt_query_read(mem, reg, &in, &w, &f));
	ck_assert(w.unfilled);
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("gateway_stt");
	TCase *t = tcase_create("stt");

	tcase_add_checked_fixture(t, setup_script, teardown);
	tcase_add_loop_test(t, hesitation_is_left_out, 0, COUNT(texts));
	tcase_add_loop_test(
	    t, a_query_is_taken_or_its_parameters_are_named, 0, COUNT(queries));
	tcase_add_test(t, the_query_becomes_a_task_without_speech);
	tcase_add_test(t, japanese_keeps_its_hesitation_unless_asked);
	suite_add_tcase(s, t);
	return unit_run(s);
}
