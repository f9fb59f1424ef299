/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The sections [engine.ID] of the settings.
 */
#include "tests/unit/conf_fixture.h"

#include "speech/engine.h"

static struct conf_engine
engine(const char *id)
{
	struct conf_engine en;

	ck_assert_msg(engine_section(&c, id, strlen(id), &en), "no engine %s", id);
	return en;
}

static const char *
voice(const char *id, const char *of)
{
	for (const struct conf_voice *v = engine(id).voices; v != NULL; v = v->next)
		if (strcmp(v->id, of) == 0)
			return v->name;
	return "(none)";
}

START_TEST(kinds_that_need_no_address_need_no_section)
{
	static const char *const ids[] = { "pocketsphinx", "apertium", "espeak",
		"profile", "script" };
	struct conf_engine en;

	ck_assert_int_eq(read_conf(""), OK);
	ck_assert(!engine_section(&c, "openai", 6, &en));
	for (int i = 0; i < COUNT(ids); i++) {
		ck_assert_str_eq(engine(ids[i]).kind, ids[i]);
		ck_assert_str_eq(engine(ids[i]).url, "");
		ck_assert_str_eq(engine(ids[i]).languages, "");
		ck_assert_ptr_null(engine(ids[i]).voices);
	}
	ck_assert_int_eq(engine("pocketsphinx").timeout_ms, 5000);
	ck_assert_int_eq(engine("apertium").timeout_ms, 3000);
	ck_assert_str_eq(c.speech_asr, "pocketsphinx");
	ck_assert_str_eq(c.speech_mt, "apertium");
	ck_assert_str_eq(c.speech_tts, "flite,espeak");
	ck_assert_int_eq(c.speech_warm, 1);
	ck_assert_int_eq(c.stream_max_asr, 0);
}
END_TEST

#define UUID "b61e6ba5-3682-4dd6-b804-69b84b2d451c"
#define SECTION                                                                        \
	"[engine.my-tts]\nkind = openai\nurl = https://tts.example//\nkey = "          \
	"hush-hush\n"                                                                  \
	"model = m\nlanguages = en es-mx\ntimeout_ms = 700\nvoice." UUID " = anna\n"   \
	"voice.default_low = onyx\n"

START_TEST(a_section_makes_an_engine)
{
	ck_assert_int_eq(read_conf(SECTION "[engine.espeak]\nlanguages = de\n"
					   "[speech]\ntts = my-tts espeak\n"),
	    OK);
	ck_assert_str_eq(engine("my-tts").kind, "openai");
	ck_assert_str_eq(engine("my-tts").url, "https://tts.example");
	ck_assert_str_eq(engine("my-tts").key, "hush-hush");
	ck_assert_str_eq(engine("my-tts").model, "m");
	ck_assert_str_eq(engine("my-tts").languages, "en es-mx");
	ck_assert_int_eq(engine("my-tts").timeout_ms, 700);
	ck_assert_str_eq(voice("my-tts", UUID), "anna");
	ck_assert_str_eq(voice("my-tts", "default_low"), "onyx");
	ck_assert_str_eq(voice("my-tts", "default_high"), "(none)");
	ck_assert_int_eq(engine("espeak").timeout_ms, 4000);
	ck_assert_str_eq(engine("espeak").languages, "de");
	ck_assert_str_eq(engine("espeak").kind, "espeak");
}
END_TEST

START_TEST(lines_of_a_script_add_up)
{
	ck_assert_int_eq(read_conf("[engine]\nscript.lines = one|two\n"
				   "[engine.script]\nlines = three\n"),
	    OK);
	ck_assert_str_eq(engine("script").lines, "one\ntwo\nthree");
}
END_TEST

static const char *const wrong[] = { "[engine.x]\nurls = https://a\n",
	"[engine.X]\nkind = http\n", "[engine.]\nkind = http\n",
	"[engine.a_b]\nkind = http\n",
	"[engine.a-name-of-more-than-thirty-two-bytes]\nkind = http\n",
	"[engine.x]\nurl = ftp://a\n", "[engine.x]\nurl = a.example\n",
	"[engine.x]\ntimeout_ms = 99\n", "[engine.x]\ntimeout_ms = 60001\n",
	"[engine.x]\ntimeout_ms = soon\n", "[engine.x]\nvoice.anna = b\n",
	"[engine.x]\nvoice.default_low =\n", "[engine.x]\nvoice = b\n",
	"[engine.x]\n = b\n", "[engines.x]\nkind = http\n", "[engine]\nkind = http\n",
	"[speech]\nwarm = many\n", "[speech]\nwarm = 65\n" };

START_TEST(a_wrong_section_refuses_the_start)
{
	ck_assert_int_eq(read_conf(wrong[_i]), ERR_REFUSED);
}
END_TEST

START_TEST(the_environment_wins_over_sections)
{
	setenv("DRAGOMAN_ENGINE_MY_TTS_KEY", "other", 1);
	setenv("DRAGOMAN_ENGINE_MY_TTS_TIMEOUT_MS", "800", 1);
	setenv("DRAGOMAN_ENGINE_MY_TTS_VOICE_B61E6BA5_3682_4DD6_B804_69B84B2D451C",
	    "bob", 1);
	setenv("DRAGOMAN_ENGINE_SCRIPT_LINES", "a|b", 1);
	setenv("DRAGOMAN_SPEECH_TTS", "script", 1);
	ck_assert_int_eq(read_conf(SECTION "[engine.script]\nlines = c\n"), OK);
	ck_assert_str_eq(engine("my-tts").key, "other");
	ck_assert_str_eq(engine("my-tts").model, "m");
	ck_assert_int_eq(engine("my-tts").timeout_ms, 800);
	ck_assert_str_eq(voice("my-tts", UUID), "bob");
	ck_assert_str_eq(engine("script").lines, "a\nb");
	ck_assert_str_eq(c.speech_tts, "script");
	setenv("DRAGOMAN_ENGINE_MY_TTS_TIMEOUT_MS", "0", 1);
	ck_assert_int_eq(read_conf(SECTION), ERR_REFUSED);
	unsetenv("DRAGOMAN_ENGINE_MY_TTS_KEY");
	unsetenv("DRAGOMAN_ENGINE_MY_TTS_TIMEOUT_MS");
	unsetenv("DRAGOMAN_ENGINE_MY_TTS_VOICE_B61E6BA5_3682_4DD6_B804_69B84B2D451C");
	unsetenv("DRAGOMAN_ENGINE_SCRIPT_LINES");
	unsetenv("DRAGOMAN_SPEECH_TTS");
}
END_TEST

/* Sections of earlier versions, and the setting that now names the engine. */
static const struct {
	const char *settings;
	bool partial;
} partials[] = {
	{ "url = http://a\n", true },
	{ "url = http://a\nparallel = 4\n", true },
	/* an abandoned partial text may keep such a server busy */
	{ "url = http://a\nparallel = 1\n", false },
	{ "url = http://a\nparallel = 1\npartial = auto\n", false },
	{ "url = http://a\nparallel = 1\npartial = yes\n", true },
	{ "url = http://a\npartial = no\n", false },
	{ "library = /a.so\nparallel = 1\n", true },
};

START_TEST(partial_texts_depend_on_the_section)
{
	struct conf_engine en;

	ck_assert_int_eq(read_conf(arena_printf(mem, "[engine.ear]\nkind = %s\n%s",
			     partials[_i].settings[0] == 'l' ? "sherpa" : "openai",
			     partials[_i].settings)),
	    OK);
	en = engine("ear");
	ck_assert(engine_at_section(mem, &c, &en).no_partial != partials[_i].partial);
}
END_TEST

static struct engine_at
at_of(const char *settings)
{
	struct conf_engine en;

	ck_assert_int_eq(
	    read_conf(arena_printf(mem, "[engine.ear]\n%s", settings)), OK);
	en = engine("ear");
	return engine_at_section(mem, &c, &en);
}

START_TEST(threads_and_processes_fit_the_processors)
{
	int processors = (int)sysconf(_SC_NPROCESSORS_ONLN);
	struct engine_at whisper = at_of("kind = whisper\nlibrary = /a.so\n");
	struct engine_at one = at_of("kind = whisper\nlibrary = /a.so\nthreads = 1\n");
	struct engine_at sherpa = at_of("kind = sherpa\nlibrary = /a.so\n");

	ck_assert_int_eq(whisper.threads, processors < 4 ? processors : 4);
	ck_assert_int_ge(whisper.parallel, 1);
	ck_assert_int_le(whisper.threads * whisper.parallel, processors);
	ck_assert_int_eq(one.parallel, processors);
	ck_assert_int_eq(sherpa.threads, 1);
	ck_assert_int_eq(sherpa.parallel, 1);
}
END_TEST

START_TEST(a_word_for_partial_texts_is_checked)
{
	ck_assert_int_eq(
	    read_conf("[engine.ear]\nkind = openai\nurl = http://a\npartial = maybe\n"),
	    ERR_REFUSED);
}
END_TEST

static const struct {
	const char *text;
	const char *const *now;
	const char *id, *kind, *url, *key, *model;
} old[] = {
	{ "[tts]\nengine = openai\nurl = http://a/\nkey = k\nmodel = m\n",
	    &c.speech_sample, "old-tts", "openai", "http://a/", "k", "m" },
	{ "[tts]\nmodel = m\n", &c.speech_sample, "old-tts", "espeak", "", "", "m" },
	{ "[tts]\nengine = none\n", &c.speech_sample, "old-tts", "none", "", "", "" },
	{ "[clone]\nkey = k\nurl = http://b\nengine = openai\n", &c.speech_clone,
	    "old-clone", "openai", "http://b", "k", "" },
	{ "[clone]\nurl =\nkey =\n", &c.speech_clone, "old-clone", "profile", "", "",
	    "" },
	{ "[external]\nengine = elevenlabs\nurl = https://c\nkey = k\n",
	    &c.speech_external, "old-external", "elevenlabs", "https://c", "k", "" },
	{ "[external]\nurl = https://c\n", &c.speech_external, "old-external", "none",
	    "https://c", "", "" },
};

START_TEST(an_old_section_stands_for_an_engine)
{
	struct conf_engine en;

	ck_assert_int_eq(read_conf(old[_i].text), OK);
	ck_assert_str_eq(*old[_i].now, old[_i].id);
	en = engine(*old[_i].now);
	ck_assert_str_eq(en.kind, old[_i].kind);
	ck_assert_str_eq(en.url, old[_i].url);
	ck_assert_str_eq(en.key, old[_i].key);
	ck_assert_str_eq(en.model, old[_i].model);
	ck_assert_int_eq(
	    read_conf(arena_printf(mem,
		"%s[speech]\nsample = s\nclone = s\nexternal = s\n", old[_i].text)),
	    OK);
	ck_assert_str_eq(*old[_i].now, "s");
}
END_TEST

START_TEST(each_old_section_is_noticed_once)
{
	FILE *log = tmpfile();
	int kept = dup(STDERR_FILENO);
	char text[4096];
	int n = 0;

	ck_assert_ptr_nonnull(log);
	dup2(fileno(log), STDERR_FILENO);
	ck_assert_int_eq(read_conf("[tts]\nurl = http://a\nkey = k\n[external]\n"
				   "url = http://b\nkey = k\n"),
	    OK);
	dup2(kept, STDERR_FILENO);
	rewind(log);
	text[fread(text, 1, sizeof(text) - 1, log)] = '\0';
	fclose(log);
	for (const char *p = text; (p = strstr(p, "is an old spelling")); p++)
		n++;
	ck_assert_int_eq(n, 2);
	ck_assert_ptr_nonnull(strstr(text, "the section [external] is an old"));
}
END_TEST

START_TEST(the_environment_may_spell_it_the_old_way)
{
	setenv("DRAGOMAN_TTS_ENGINE", "openai", 1);
	setenv("DRAGOMAN_TTS_URL", "http://b", 1);
	setenv("DRAGOMAN_EXTERNAL_KEY", "k", 1);
	ck_assert_int_eq(read_conf("[tts]\nurl = http://a\nmodel = m\n"), OK);
	ck_assert_str_eq(c.speech_sample, "old-tts");
	ck_assert_str_eq(engine("old-tts").kind, "openai");
	ck_assert_str_eq(engine("old-tts").url, "http://b");
	ck_assert_str_eq(engine("old-tts").model, "m");
	ck_assert_str_eq(engine("old-external").key, "k");
	ck_assert_str_eq(c.speech_clone, "profile");
	unsetenv("DRAGOMAN_TTS_ENGINE");
	unsetenv("DRAGOMAN_TTS_URL");
	unsetenv("DRAGOMAN_EXTERNAL_KEY");
}
END_TEST

START_TEST(the_environment_makes_an_engine)
{
	setenv("DRAGOMAN_ENGINE_APERTIUM_TIMEOUT_MS", "700", 1);
	setenv("DRAGOMAN_ENGINE_OUR_KEY_KIND", "http", 1);
	setenv("DRAGOMAN_ENGINE_OUR_KEY_URL", "http://a", 1);
	setenv("DRAGOMAN_ENGINE_OUR_KEY_VOICE_DEFAULT_HIGH", "anna", 1);
	setenv("DRAGOMAN_ENGINE_TIMEOUT_MS", "800", 1);
	ck_assert_int_eq(read_conf(""), OK);
	ck_assert_int_eq(c.engine_timeout_ms, 800);
	ck_assert_int_eq(engine("apertium").timeout_ms, 700);
	ck_assert_str_eq(engine("apertium").kind, "apertium");
	ck_assert_str_eq(engine("our-key").kind, "http");
	ck_assert_str_eq(engine("our-key").url, "http://a");
	ck_assert_int_eq(engine("our-key").timeout_ms, 10000);
	ck_assert_str_eq(voice("our-key", "default_high"), "anna");
	unsetenv("DRAGOMAN_ENGINE_APERTIUM_TIMEOUT_MS");
	unsetenv("DRAGOMAN_ENGINE_OUR_KEY_KIND");
	unsetenv("DRAGOMAN_ENGINE_OUR_KEY_URL");
	unsetenv("DRAGOMAN_ENGINE_OUR_KEY_VOICE_DEFAULT_HIGH");
	unsetenv("DRAGOMAN_ENGINE_TIMEOUT_MS");
}
END_TEST

START_TEST(printed_sections_show_no_key_and_read_the_same)
{
	char *text;
	size_t n;
	FILE *to;

	ck_assert_int_eq(
	    read_conf(SECTION "[engine.script]\nlines = one two|three\n"), OK);
	to = open_memstream(&text, &n);
	engine_conf_print(&c, to);
	fclose(to);
	ck_assert_ptr_null(strstr(text, "hush"));
	ck_assert_ptr_nonnull(strstr(text, "\n[engine.my-tts]\n"));
	ck_assert_ptr_nonnull(strstr(text, "\n; key = ********\n"));
	ck_assert_int_eq(read_conf(text), OK);
	ck_assert_str_eq(engine("my-tts").kind, "openai");
	ck_assert_str_eq(engine("my-tts").url, "https://tts.example");
	ck_assert_int_eq(engine("my-tts").timeout_ms, 700);
	ck_assert_str_eq(voice("my-tts", UUID), "anna");
	ck_assert_str_eq(engine("my-tts").key, "");
	ck_assert_str_eq(engine("script").lines, "one two\nthree");
	ck_assert_str_eq(engine("pocketsphinx").lines, "");
	free(text);
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("conf engine");
	TCase *t = tcase_create("all");

	tcase_add_checked_fixture(t, setup, teardown);
	tcase_add_test(t, kinds_that_need_no_address_need_no_section);
	tcase_add_test(t, a_section_makes_an_engine);
	tcase_add_test(t, lines_of_a_script_add_up);
	tcase_add_loop_test(t, partial_texts_depend_on_the_section, 0, COUNT(partials));
	tcase_add_test(t, threads_and_processes_fit_the_processors);
	tcase_add_test(t, a_word_for_partial_texts_is_checked);
	tcase_add_loop_test(t, a_wrong_section_refuses_the_start, 0, COUNT(wrong));
	tcase_add_test(t, the_environment_wins_over_sections);
	tcase_add_loop_test(t, an_old_section_stands_for_an_engine, 0, COUNT(old));
	tcase_add_test(t, each_old_section_is_noticed_once);
	tcase_add_test(t, the_environment_may_spell_it_the_old_way);
	tcase_add_test(t, the_environment_makes_an_engine);
	tcase_add_test(t, printed_sections_show_no_key_and_read_the_same);
	suite_add_tcase(s, t);
	return unit_run(s);
}
