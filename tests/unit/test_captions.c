/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Captions: where texts are split, when each is shown, and rules for all captions. */
#include "tests/unit/captions_rules.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>

#include "tests/unit/suite.h"

static struct arena *mem;
static struct buf shown; /* "start-end row/row|..." */
static struct captions_seen seen;
static struct captions *captions;

static void
see(void *arg, const struct caption *c)
{
	(void)arg;
	buf_printf(&shown, "%s%lld-%lld %s%s%s", shown.len > 0 ? "|" : "",
	    (long long)c->start_ms, (long long)c->end_ms, c->rows[0],
	    c->rows[1] != NULL ? "/" : "", c->rows[1] != NULL ? c->rows[1] : "");
	captions_see(&seen, c);
}

static void
begin(void)
{
	mem = arena_new();
	shown = (struct buf){ .mem = mem };
	seen = (struct captions_seen){
		.text.mem = mem, .until_ms = INT64_MIN, .columns = CAPTION_COLUMNS
	};
	captions = captions_new(mem, see, NULL);
}

static void
end(void)
{
	captions_free(captions);
	arena_free(mem);
}

static const char *
shows(void)
{
	captions_end(captions);
	ck_assert_msg(seen.broken == NULL, "%s: %s", seen.broken, buf_text(&shown));
	return buf_text(&shown);
}

/* ---- splitting ---- */

#define PREAMBLE                                                                       \
	"We the people of the United States, in order to form a more perfect union, "  \
	"establish justice, insure domestic tranquility, provide for the common "      \
	"defence."

/* clang-format off */
static const struct { const char *language, *text, *shown; } texts[] = {
	{ "en", "Good morning.", "0-4000 Good morning." },
	{ "en", "  Good \n morning.\t", "0-4000 Good morning." },
	{ "en", "The session starts in five minutes, so please be seated.",
	  "0-4000 The session starts in five minutes,/so please be seated." },
	/* the end of a sentence is preferred to a full caption */
	{ "en", "That was the first of the questions that we had today. And now we come to the "
	  "second one of them.",
	  "0-3177 That was the first of the/questions that we had today."
	  "|3177-5648 And now we come to the second one of them." },
	/* the end of a clause, when no sentence ends */
	{ "en", PREAMBLE,
	  "0-4353 We the people of the United States,/in order to form a more perfect union,"
	  "|4353-7118 establish justice,/insure domestic tranquility,"
	  "|7118-8942 provide for the common defence." },
	/* a word longer than a row */
	{ "en", "Donaudampfschifffahrtselektrizitaetenhauptbetriebswerkbauunterbeamtengesellschaft",
	  "0-4765 Donaudampfschifffahrtselektrizitaetenhaupt/betriebswerkbauunterbeamtengesellschaft" },
	/* characters without blanks; a row does not begin with a punctuation mark */
	{ "ja", "皆様、おはようございます。本日はお集まりいただき、誠にありがとうございます。",
	  "0-1618 皆様、おはようございます。|1618-4000 本日はお集まりいただき、/誠にありがとうございます。" },
	{ "ko", "여러분 안녕하세요, 오늘 회의를 시작하겠습니다.",
	  "0-4000 여러분 안녕하세요,/오늘 회의를 시작하겠습니다." },
	{ "en", " \n ", "" },
};
/* clang-format on */

START_TEST(texts_are_split_where_something_ends)
{
	if (strcmp(texts[_i].language, "en") != 0)
		seen.columns = CAPTION_COLUMNS_WIDE;
	captions_put(captions, texts[_i].text, texts[_i].language, 0, 4000);
	ck_assert_str_eq(shows(), texts[_i].shown);
}
END_TEST

/* ---- times ---- */

#define LINE "0123456789 0123456789 0123456789 0123456789"

/* clang-format off */
static const struct { struct { int64_t start, end; const char *text; } said[3]; const char *shown; } times[] = {
	/* a short text stays for a second, but not beyond the next phrase */
	{ { { 0, 200, "Yes." }, { 5000, 6200, "No." } }, "0-1000 Yes.|5000-6200 No." },
	{ { { 0, 200, "Yes." }, { 700, 1900, "No." } }, "0-700 Yes.|700-1900 No." },
	/* a caption ends after seven seconds, also in long speech */
	{ { { 1000, 20000, "Yes." } }, "1000-8000 Yes." },
	/* fast speech uses the pause after it */
	{ { { 0, 1000, LINE }, { 9000, 10000, "b" } },
	  "0-2530 0123456789 0123456789/0123456789 0123456789|9000-10000 b" },
	{ { { 0, 1000, LINE }, { 2000, 3000, "b" } },
	  "0-2000 0123456789 0123456789/0123456789 0123456789|2000-3000 b" },
	/* phrases that overlap: the next one ends the caption */
	{ { { 0, 5000, "a" }, { 2000, 4000, "b" } }, "0-2000 a|2000-4000 b" },
	/* phrases that begin at the same time, or before */
	{ { { 0, 1000, "a" }, { 0, 1000, "b" }, { -5, 1000, "c" } },
	  "0-40 a|40-80 b|80-1080 c" },
};
/* clang-format on */

START_TEST(captions_have_time_but_never_two_at_once)
{
	for (int i = 0; i < 3 && times[_i].said[i].text != NULL; i++)
		captions_put(captions, times[_i].said[i].text, "en",
		    times[_i].said[i].start, times[_i].said[i].end);
	ck_assert_str_eq(shows(), times[_i].shown);
}
END_TEST

/* ---- whatever is said ---- */

static unsigned dice;

static int
roll(int n)
{
	dice = dice * 1103515245 + 12345;
	return (int)(dice >> 16 & 0x7fff) % n;
}

static const char *
random_text(bool wide)
{
	static const char *const latin[] = { "a", "wind", "interpretation", "Ü", "é",
		"don't", "2026", "—", "\"", "(so", "to)", "e\xcc\x81", "…", "<b>" };
	static const char *const signs[] = { "会", "議", "は", "。", "、", "「", "」",
		"안녕", "A", "!" };
	static const char *const ends[] = { " ", " ", " ", " ", ", ", ". ", "", "\n" };
	struct buf b = { .mem = mem };

	for (int n = roll(60); n >= 0; n--) {
		buf_str(&b, wide ? signs[roll(10)] : latin[roll(14)]);
		if (!wide || roll(4) == 0)
			buf_str(&b, ends[roll(8)]);
	}
	return buf_text(&b);
}

START_TEST(rules_hold_and_nothing_is_lost)
{
	struct buf ink = { .mem = mem };
	bool wide = _i % 3 == 0;
	int64_t at = 0;

	dice = (unsigned)_i;
	seen.columns = wide ? CAPTION_COLUMNS_WIDE : CAPTION_COLUMNS;
	for (int i = 0; i < 50; i++) {
		const char *text = random_text(wide);

		at += roll(2) ? roll(9000) : roll(50);
		captions_put(captions, text, wide ? "zh" : "de", at, at + roll(12000));
		captions_ink(&ink, text);
	}
	shows();
	ck_assert_str_eq(buf_text(&seen.text), buf_text(&ink));
}
END_TEST

/* When there is enough time, every caption is shown long enough to read. */
START_TEST(slow_speech_is_shown_long_enough)
{
	int64_t at = 0;

	dice = 7;
	for (int i = 0; i < 300; i++) {
		const char *text = random_text(false);

		captions_put(captions, text, "en", at, at + 100);
		at += CAPTION_MAX_MS * (int64_t)(strlen(text) / 20 + 2);
	}
	captions_end(captions);
	for (const char *s = buf_text(&shown); s != NULL; s = strchr(s, '|')) {
		long long start, until;
		size_t length;

		s += *s == '|';
		ck_assert_int_eq(sscanf(s, "%lld-%lld", &start, &until), 2);
		s = strchr(s, ' ') + 1;
		length = text_length(arena_dup(mem, s, strcspn(s, "|")));
		ck_assert_int_ge(until - start, CAPTION_MIN_MS);
		ck_assert_int_ge((until - start) * CAPTION_CPS, (int64_t)length * 1000);
	}
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("captions");
	TCase *t = tcase_create("all");

	tcase_add_checked_fixture(t, begin, end);
	tcase_add_loop_test(
	    t, texts_are_split_where_something_ends, 0, sizeof(texts) / sizeof(*texts));
	tcase_add_loop_test(t, captions_have_time_but_never_two_at_once, 0,
	    sizeof(times) / sizeof(*times));
	tcase_add_loop_test(t, rules_hold_and_nothing_is_lost, 0, 40);
	tcase_add_test(t, slow_speech_is_shown_long_enough);
	suite_add_tcase(s, t);
	return unit_run(s);
}
