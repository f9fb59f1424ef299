/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Transcripts in both databases: storing, reading, correcting and removing. */
#include "store/transcripts.h"
#include "tests/unit/ledger_fixture.h"

static const char *account, *event;

/* Each test runs once for each database. */
#define ON_BOTH(name)                                                                  \
	static void name(void);                                                        \
	START_TEST(name##_)                                                            \
	{                                                                              \
		books_open(_i);                                                        \
		account = books_account();                                             \
		event = books_event(account, 1);                                       \
		name();                                                                \
		books_close();                                                         \
	}                                                                              \
	END_TEST                                                                       \
	static void name(void)

#define is_ok(call) ck_assert_int_eq(call, OK)

static void
run(const char *statement)
{
	is_ok(db_script(db, statement));
}

/*
 * Adds a channel of the event and of a stage with this name; stage NULL: a standalone
 * channel.
 */
static const char *
channel(const char *stage)
{
	const char *id = id_new(mem);

	run(arena_printf(mem,
	    "INSERT INTO channels (id, account, created_us, updated_us, type, "
	    "lifecycle,"
	    " attempt, held, name, input_type, source_language, target_languages, "
	    "region,"
	    " ignore_video, original_delay_s, original_volume, outputs)"
	    " VALUES ('%s', '%s', 1, 1, 'standalone', 'ready', 1, 1, 'Hall',"
	    " 'webrtc_push', 'en', '[]', 'local', 0, 0, 0, '[]')",
	    id, account));
	if (stage != NULL)
		run(arena_printf(mem,
		    "UPDATE channels SET event = '%s', stage = '%s' WHERE id = '%s'",
		    event, stage, id));
	else
		run(arena_printf(mem,
		    "UPDATE channels SET keep_transcript = 1 WHERE id = '%s'", id));
	return id;
}

static void
say_part(const char *channel, const char *segment, const char *language, int part,
    int64_t start_us)
{
	const struct transcript_line l = { .channel = channel,
		.segment = segment,
		.part = part,
		.language = language[0] == '=' ? language + 1 : language,
		.original = language[0] == '=',
		.text = arena_printf(mem, "%s %s", segment, language),
		.start_us = start_us,
		.end_us = start_us + 500 };

	is_ok(db_begin(db, DB_ALL));
	is_ok(kept(transcript_add(db, &l)));
}

/* language: a target, or "=en": the original. */
static void
say(const char *channel, const char *segment, const char *language, int64_t start_us)
{
	say_part(channel, segment, language, 0, start_us);
}

static struct transcript_query
all_of(const char *channel)
{
	return (struct transcript_query){ .account = account,
		.channel = channel,
		.event = channel == NULL ? event : NULL,
		.to_us = INT64_MAX };
}

/* Returns the texts, read in pages of two. */
static const char *
texts(const struct transcript_query *q)
{
	struct transcript_cursor at = { q->from_us, 0 };
	struct buf b = { .mem = mem };
	struct list l = { .n = 2 };

	while (l.n == 2) {
		const struct transcript_line *line;

		is_ok(transcript_page(db, mem, q, &at, 2, &l));
		line = l.items;
		for (size_t i = 0; i < l.n; i++, line++) {
			buf_printf(&b, "%s%s", b.len > 0 ? "|" : "", line->text);
			at = (struct transcript_cursor){ line->start_us, line->id };
		}
	}
	return buf_text(&b);
}

static const char *
texts_in(const char *channel, const char *language)
{
	struct transcript_query q = all_of(channel);

	q.language = language;
	return texts(&q);
}

static int64_t
lines(void)
{
	static const struct sql count = { "count",
		"SELECT count(*) FROM transcript_lines WHERE $1 = 'x'" };

	return books_number(&count, "x");
}

/* ---- keeping ---- */

static bool
is_kept(const char *channel)
{
	bool is;

	is_ok(transcript_is_stored(db, channel, &is));
	return is;
}

ON_BOTH(what_the_organiser_wants_is_kept)
{
	static const char *const modes[] = { "off", "organizer", "public" };
	const char *hall = channel("hall"), *alone = channel(NULL);

	for (int i = 0; i < COUNT(modes); i++) {
		run(arena_printf(mem, "UPDATE events SET transcript = '%s'", modes[i]));
		ck_assert(is_kept(hall) == (i > 0));
		say(hall, modes[i], "=en", i);
	}
	ck_assert_str_eq(texts_in(hall, NULL), "organizer =en|public =en");
	ck_assert(is_kept(alone));
	run("UPDATE channels SET keep_transcript = 0");
	ck_assert(!is_kept(alone));
	say(alone, "a", "=en", 1);
	ck_assert_str_eq(texts_in(alone, NULL), "");
	ck_assert(!is_kept(id_new(mem)));
}

ON_BOTH(a_line_is_public_if_its_event_was_when_it_began)
{
	const char *hall = channel("hall");
	struct transcript_query q = all_of(NULL);

	run("UPDATE events SET transcript = 'organizer', transcript_us = 10");
	say(hall, "a", "=en", 10);
	run("UPDATE events SET transcript = 'public', transcript_us = 20");
	say(hall, "b", "=en", 19);
	say(hall, "c", "=en", 20);
	run("UPDATE events SET transcript = 'organizer', transcript_us = 30");
	say(hall, "d", "=en", 29);
	run("UPDATE events SET transcript = 'public', transcript_us = 40");
	ck_assert_str_eq(texts(&q), "a =en|b =en|c =en|d =en");
	q.public = true;
	ck_assert_str_eq(texts(&q), "c =en");
}

ON_BOTH(a_line_is_kept_once)
{
	const char *c = channel(NULL);

	say(c, "a", "=en", 1);
	say(c, "a", "=en", 1);
	say_part(c, "a", "es", 0, 1);
	say_part(c, "a", "es", 1, 1);
	say_part(c, "a", "es", 1, 1);
	ck_assert_str_eq(texts_in(c, NULL), "a =en|a es|a es");
}

ON_BOTH(ids_grow_even_when_the_last_lines_are_gone)
{
	const char *c = channel(NULL);
	struct list l;
	int64_t before, n;

	say(c, "a", "=en", 1);
	is_ok(transcript_page(db, mem,
	    &(struct transcript_query){ account, c, .to_us = 9 },
	    &(struct transcript_cursor){ 0 }, 1, &l));
	before = ((struct transcript_line *)l.items)->id;
	is_ok(transcript_drop(db, account, c, 10, &n));
	ck_assert_int_eq(n, 1);
	say(c, "b", "=en", 1);
	is_ok(transcript_page(db, mem,
	    &(struct transcript_query){ account, c, .to_us = 9 },
	    &(struct transcript_cursor){ 0 }, 1, &l));
	ck_assert_int_gt(((struct transcript_line *)l.items)->id, before);
	ck_assert_int_lt(((struct transcript_line *)l.items)->id, INT64_C(1) << 53);
}

/* ---- reading ---- */

ON_BOTH(a_language_has_what_was_said_in_it_unless_that_was_translated)
{
	const char *c = channel(NULL);

	say(c, "a", "=en", 1);
	say(c, "a", "es", 1);
	say(c, "b", "=es", 2); /* not translated into Spanish */
	say(c, "c", "=es", 3);
	say(c, "c", "es", 3);
	ck_assert_str_eq(texts_in(c, "original"), "a =en|b =es|c =es");
	ck_assert_str_eq(texts_in(c, "es"), "a es|b =es|c es");
	ck_assert_str_eq(texts_in(c, "en"), "a =en");
	ck_assert_str_eq(texts_in(c, "fr"), "");
	ck_assert_str_eq(texts_in(c, NULL), "a =en|a es|b =es|c =es|c es");
}

ON_BOTH(an_event_has_its_channels_in_the_order_of_time)
{
	struct transcript_query q;
	const char *hall, *foyer, *alone = channel(NULL);
	int64_t begin;

	run("UPDATE events SET transcript = 'public'");
	hall = channel("hall");
	foyer = channel("foyer");
	say(foyer, "b", "=en", 20);
	say(hall, "a", "=en", 10);
	say(hall, "c", "=en", 30);
	say(foyer, "d", "=en", 30);
	say(alone, "e", "=en", 5);
	q = all_of(NULL);
	ck_assert_str_eq(texts(&q), "a =en|b =en|c =en|d =en");
	is_ok(transcript_begin(db, &q, &begin));
	ck_assert_int_eq(begin, 10);
	q.stage = "foyer";
	ck_assert_str_eq(texts(&q), "b =en|d =en");
	q.from_us = 20;
	q.to_us = 30;
	ck_assert_str_eq(texts(&q), "b =en");
	q.account = books_account();
	ck_assert_str_eq(texts(&q), "");
	ck_assert_int_eq(transcript_begin(db, &q, &begin), ERR_NOT_FOUND);
}

ON_BOTH(a_channel_is_known_as_long_as_there_is_anything_of_it)
{
	const char *c = channel(NULL);
	int64_t n;

	is_ok(transcript_known(db, account, c));
	ck_assert_int_eq(transcript_known(db, books_account(), c), ERR_NOT_FOUND);
	say(c, "a", "=en", 1);
	run("DELETE FROM channels");
	is_ok(transcript_known(db, account, c));
	is_ok(transcript_drop(db, account, c, 9, &n));
	ck_assert_int_eq(transcript_known(db, account, c), ERR_NOT_FOUND);
}

ON_BOTH(targets_are_listed)
{
	const char *c = channel(NULL);
	struct transcript_query q = all_of(c);
	struct list l;

	say(c, "a", "=en", 1);
	say(c, "a", "fr", 1);
	say(c, "a", "es", 1);
	say(c, "b", "es", 2);
	is_ok(transcript_languages(db, mem, &q, &l));
	ck_assert_str_eq(texts_json(mem, &l), "[\"es\",\"fr\"]");
}

/* ---- correcting ---- */

ON_BOTH(corrections_are_numbered)
{
	const char *c = channel(NULL);
	struct transcript_query q = all_of(c);
	struct transcript_line *l;
	struct list all;
	int64_t n;

	say(c, "a", "=en", 1);
	say(c, "b", "=en", 2);
	is_ok(transcript_page(db, mem, &q, &(struct transcript_cursor){ 0 }, 9, &all));
	l = all.items;
	is_ok(transcript_correct(db, "B", &l[1]));
	is_ok(transcript_correct(db, "A", &l[0]));
	is_ok(transcript_correct(db, "A", &l[0])); /* it is that */
	is_ok(transcript_corrections(db, c, &n));
	ck_assert_int_eq(n, 2);
	is_ok(transcript_correct(db, "B!", &l[1]));
	is_ok(transcript_get(db, mem, account, c, l[1].id, &l[1]));
	ck_assert_str_eq(l[1].text, "B!");
	ck_assert_str_eq(l[1].original_text, "b =en");
	is_ok(transcript_corrected(db, mem, c, 0, 9, &all));
	ck_assert_int_eq(all.n, 2);
	ck_assert_str_eq(((struct transcript_line *)all.items)[0].text, "A");
	is_ok(transcript_corrected(db, mem, c, 2, 9, &all));
	ck_assert_int_eq(all.n, 1);
	ck_assert_int_eq(
	    transcript_get(db, mem, books_account(), c, l[1].id, l), ERR_NOT_FOUND);
}

/* ---- removing ---- */

ON_BOTH(old_lines_expire_a_batch_at_a_time)
{
	const char *c = channel(NULL);
	int64_t n;

	for (int i = 0; i < 5; i++)
		say(c, arena_printf(mem, "%d", i), "=en", i * 1000);
	is_ok(transcript_expire(db, 2600, 2, &n));
	ck_assert_int_eq(n, 2);
	is_ok(transcript_expire(db, 2600, 2, &n));
	ck_assert_int_eq(n, 1);
	is_ok(transcript_expire(db, 2600, 2, &n));
	ck_assert_int_eq(n, 0);
	ck_assert_str_eq(texts_in(c, NULL), "3 =en|4 =en");
}

ON_BOTH(nothing_stays_of_a_channel_that_is_gone_unless_its_event_is_there)
{
	const char *alone = channel(NULL), *other = channel(NULL), *hall;
	int64_t n;

	run("UPDATE events SET transcript = 'public'");
	hall = channel("hall");
	say(alone, "a", "=en", 1);
	say(alone, "b", "=en", 2);
	say(other, "c", "=en", 3);
	say(hall, "d", "=en", 4);
	run(arena_printf(mem, "DELETE FROM channels WHERE id <> '%s'", other));
	is_ok(transcript_sweep(db, 1, &n));
	ck_assert_int_eq(n, 1);
	is_ok(transcript_sweep(db, 9, &n));
	ck_assert_int_eq(n, 1);
	is_ok(transcript_sweep(db, 9, &n));
	ck_assert_int_eq(n, 0);
	ck_assert_int_eq(lines(), 2);
	run("DELETE FROM event_stats; DELETE FROM events");
	is_ok(transcript_sweep(db, 9, &n));
	ck_assert_int_eq(n, 1);
	ck_assert_str_eq(texts_in(other, NULL), "c =en");
}

static Suite *
all_tests(void)
{
	Suite *s = suite_create("transcripts");
	TCase *t = tcase_create("all");
	int n = books_count();

	tcase_set_timeout(t, 30);
	tcase_add_loop_test(t, what_the_organiser_wants_is_kept_, 0, n);
	tcase_add_loop_test(t, a_line_is_public_if_its_event_was_when_it_began_, 0, n);
	tcase_add_loop_test(t, a_line_is_kept_once_, 0, n);
	tcase_add_loop_test(t, ids_grow_even_when_the_last_lines_are_gone_, 0, n);
	tcase_add_loop_test(
	    t, a_language_has_what_was_said_in_it_unless_that_was_translated_, 0, n);
	tcase_add_loop_test(t, an_event_has_its_channels_in_the_order_of_time_, 0, n);
	tcase_add_loop_test(
	    t, a_channel_is_known_as_long_as_there_is_anything_of_it_, 0, n);
	tcase_add_loop_test(t, targets_are_listed_, 0, n);
	tcase_add_loop_test(t, corrections_are_numbered_, 0, n);
	tcase_add_loop_test(t, old_lines_expire_a_batch_at_a_time_, 0, n);
	tcase_add_loop_test(t,
	    nothing_stays_of_a_channel_that_is_gone_unless_its_event_is_there_, 0, n);
	suite_add_tcase(s, t);
	return s;
}

int
main(void)
{
	return books_run(all_tests) != 0;
}
