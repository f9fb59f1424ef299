/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The worker asks engines for their languages, and updates channels. */
#define UNIT_TEST
#include "tests/unit/channel_retry_fixture.h"

#include "base/clock.h"
#include "store/served.h"

#define SCRIPTS "[speech]\nasr = script\nmt = script\ntts = script\n"
#define NARROW(codes) SCRIPTS "[engine.script]\nlanguages = " codes "\n"
#define SPOKEN(codes, by)                                                              \
	"[speech]\nasr = script\nmt = script\ntts = voice\n"                           \
	"[engine.script]\nlanguages = " codes "\n"                                     \
	"[engine.voice]\nkind = script\nlanguages = " by "\n"

/* Sets the engines of the installation. */
static void
engines(const char *settings)
{
	struct conf c, *to = &fixture.app.conf;

	unit_write(getenv("DRAGOMAN_CONF"),
	    arena_printf(fixture.mem,
		"[server]\nbase_url = https://speech.example.org\n%s", settings));
	ck_assert_int_eq(conf_read(fixture.mem, &c), OK);
	to->speech_asr = c.speech_asr;
	to->speech_mt = c.speech_mt;
	to->speech_tts = c.speech_tts;
	to->speech_pivot = c.speech_pivot;
	to->engines = c.engines;
}

static enum err
ask_them(void)
{
	enum err e = ask_engines(&w);

	arena_reset(fixture.wire);
	ck_assert(db_idle(w.db));
	ck_assert(!db_writing(w.db));
	return e;
}

static const char *
row(const char *source)
{
	return sql(arena_printf(fixture.mem,
	    "SELECT heard, targets, text_only FROM served_languages WHERE source = "
	    "'%s'",
	    source));
}

START_TEST(each_language_that_can_be_spoken_has_a_row)
{
	engines(NARROW("en es"));
	ck_assert_int_eq(ask_them(), OK);
	ck_assert_str_eq(row("en"),
	    "1|[\"en\",\"en-au\",\"en-ca\",\"en-gb\",\"en-us\",\"es\",\"es-ar\","
	    "\"es-ch\",\"es-co\",\"es-la\",\"es-mx\"]|[]\n");
	ck_assert_str_eq(row("auto"), row("es"));
	ck_assert_str_eq(row("fi"), "0|[]|[]\n");
	ck_assert_int_eq(number("SELECT count(*) FROM served_languages"), 58);
	ck_assert_int_eq(
	    number("SELECT count(DISTINCT settings) FROM served_languages"), 1);
}
END_TEST

START_TEST(a_language_without_an_engine_is_text_only)
{
	engines(SPOKEN("en de is", "en de"));
	ck_assert_int_eq(ask_them(), OK);
	ck_assert_str_eq(row("de"),
	    "1|[\"de\",\"en\",\"en-au\",\"en-ca\",\"en-gb\",\"en-us\",\"is\"]|[\"is\"]"
	    "\n");
}
END_TEST

/* ---- channels ---- */

static const char *
lacks(const char *id)
{
	return channel_is(id, "unserved, text_only, version");
}

START_TEST(channels_follow_the_engines)
{
	const char *id = put_channel(fixture.account, event, "ready"),
		   *other = put_channel(fixture.account, NULL, "failed"),
		   *going = put_channel(fixture.account, NULL, "deleting");

	set_channel(id, "target_languages = '[\"de\",\"cy\",\"is\"]'");
	set_channel(going, "target_languages = '[\"cy\"]'");
	engines(SPOKEN("en de is", "en de"));
	ck_assert_int_eq(ask_them(), OK);
	ck_assert_str_eq(lacks(id), "[\"cy\"]|[\"is\"]|2\n");
	ck_assert_str_eq(lacks(other), "[]|[]|1\n");
	ck_assert_str_eq(lacks(going), "[]|[]|1\n");
	engines(NARROW("en de is cy"));
	ck_assert_int_eq(ask_them(), OK);
	ck_assert_str_eq(lacks(id), "[]|[]|3\n");
	ck_assert_int_eq(ask_them(), OK);
	ck_assert_str_eq(lacks(id), "[]|[]|3\n");
}
END_TEST

START_TEST(a_channel_that_went_astray_is_told_again)
{
	const char *id = put_channel(fixture.account, NULL, "ready");

	engines(NARROW("en de"));
	ck_assert_int_eq(ask_them(), OK);
	set_channel(id, "unserved = '[\"de\"]'"); /* a worker was killed in between */
	ck_assert_int_eq(ask_them(), OK);
	ck_assert_str_eq(lacks(id), "[]|[]|2\n");
}
END_TEST

START_TEST(public_views_are_made_anew_when_engines_serve_others)
{
	engines(NARROW("en de"));
	ck_assert_int_eq(number("SELECT count(*) FROM bundles"), 1);
	ck_assert_int_eq(ask_them(), OK);
	ck_assert_int_eq(number("SELECT count(*) FROM bundles"), 0);
	sql(arena_printf(
	    fixture.mem, "INSERT INTO bundles VALUES ('%s', 'm', 'h', '{}')", event));
	ck_assert_int_eq(ask_them(), OK);
	ck_assert_int_eq(number("SELECT count(*) FROM bundles"), 1);
	engines(NARROW("en de fr"));
	ck_assert_int_eq(ask_them(), OK);
	ck_assert_int_eq(number("SELECT count(*) FROM bundles"), 0);
}
END_TEST

START_TEST(a_thousand_channels_are_told_page_by_page)
{
	put_channel(fixture.account, NULL, "ready");
	sql("WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < "
	    "1000) INSERT INTO channels (id, account, created_us, updated_us, type,"
	    " lifecycle, attempt, held, name, input_type, source_language,"
	    " target_languages, region, ignore_video, original_delay_s,"
	    " original_volume, outputs) SELECT 'c' || i, account, 1, 1, type, "
	    "lifecycle,"
	    " 1, 0, name, input_type, 'en', '[\"cy\"]', region, 0, 3, 0.2, '[]'"
	    " FROM channels, n");
	engines(NARROW("en de"));
	ck_assert_int_eq(ask_them(), OK);
	ck_assert_int_eq(
	    number("SELECT count(*) FROM channels WHERE unserved = '[\"cy\"]'"), 1000);
}
END_TEST

/* ---- engines that do not answer ---- */

/* A server at a port without a listener. */
#define SILENT                                                                         \
	"[engine.away]\nkind = libretranslate\nurl = http://127.0.0.1:1\n"             \
	"timeout_ms = 100\n"
#define BOTH(codes)                                                                    \
	"[speech]\nasr = script\nmt = script away\ntts = script\n"                     \
	"[engine.script]\nlanguages = " codes "\n" SILENT

START_TEST(an_engine_that_is_silent_takes_nothing_away)
{
	const char *before;

	engines(BOTH("en de"));
	ck_assert_int_eq(ask_them(), OK);
	before = row("en");
	ck_assert_ptr_null(strstr(before, "\"cy\""));
	sql("UPDATE served_languages SET targets = '[\"cy\"]' WHERE source = 'en'");
	ck_assert_int_eq(ask_them(), OK);
	ck_assert_ptr_nonnull(strstr(row("en"), "\"cy\""));
	ck_assert_ptr_nonnull(strstr(row("en"), "\"de\""));
	ck_assert_ptr_nonnull(strstr(row("auto"), "\"cy\""));
	/* the settings changed, so the stored answer is no longer valid */
	engines(BOTH("en de fr"));
	ck_assert_int_eq(ask_them(), OK);
	ck_assert_ptr_null(strstr(row("en"), "\"cy\""));
}
END_TEST

START_TEST(settings_without_engines_change_nothing)
{
	const char *id = put_channel(fixture.account, NULL, "ready");

	engines("[speech]\nmt = nothing\n");
	ck_assert_int_eq(ask_them(), ERR_REFUSED);
	ck_assert_int_eq(number("SELECT count(*) FROM served_languages"), 0);
	ck_assert_str_eq(lacks(id), "[]|[]|1\n");
}
END_TEST

/* The n-th statement fails, for every n; the next round must complete the work. */
START_TEST(whatever_statement_fails_the_next_round_mends_it)
{
	const char *id = put_channel(fixture.account, event, "ready");
	int failed = 0;

	set_channel(id, "target_languages = '[\"de\",\"cy\"]'");
	engines(NARROW("en de"));
	for (int n = 1; n < 80; n++) {
		enum err e;

		sql("DELETE FROM served_languages;"
		    "UPDATE channels SET unserved = '[]'");
		db_fault(w.db, n, ERR_FAILED);
		e = ask_them();
		db_fault(w.db, 0, OK);
		failed += e != OK;
		ck_assert_int_eq(ask_them(), OK);
		ck_assert_str_eq(channel_is(id, "unserved"), "[\"cy\"]\n");
		ck_assert_int_eq(number("SELECT count(*) FROM served_languages"), 58);
	}
	ck_assert_int_gt(failed, 60);
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("what engines serve");
	TCase *t = tcase_create("all");

	tcase_add_checked_fixture(t, retry_fixture, fixture_close);
	tcase_set_timeout(t, 60);
	tcase_add_test(t, each_language_that_can_be_spoken_has_a_row);
	tcase_add_test(t, a_language_without_an_engine_is_text_only);
	tcase_add_test(t, channels_follow_the_engines);
	tcase_add_test(t, a_channel_that_went_astray_is_told_again);
	tcase_add_test(t, public_views_are_made_anew_when_engines_serve_others);
	tcase_add_test(t, a_thousand_channels_are_told_page_by_page);
	tcase_add_test(t, an_engine_that_is_silent_takes_nothing_away);
	tcase_add_test(t, settings_without_engines_change_nothing);
	tcase_add_test(t, whatever_statement_fails_the_next_round_mends_it);
	suite_add_tcase(s, t);
	return unit_run(s);
}
