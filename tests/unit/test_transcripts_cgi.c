/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Transcripts over HTTP: pages, files, corrections. */
#include <sys/resource.h>

#include "tests/unit/transcripts_fixture.h"

/* ---- pages ---- */

START_TEST(lines_are_told_with_their_times)
{
	struct response a;

	put_talk(channel);
	a = get("");
	answered(a, 200);
	is(a, "/data/count", "2");
	is(a, "/data/next", "null");
	is(a, "/data/items/0/channel_id", channel);
	is(a, "/data/items/0/stage_id", "null");
	is(a, "/data/items/0/transcription_id", "aa");
	is(a, "/data/items/0/language", "en");
	is(a, "/data/items/0/is_original", "true");
	is(a, "/data/items/0/text", "Good morning, everyone.");
	is(a, "/data/items/0/original_text", "null");
	is(a, "/data/items/0/utc_start_at", DAY "01.000Z");
	is(a, "/data/items/0/utc_end_at", DAY "02.500Z");
	is(a, "/data/items/1/utc_end_at", DAY "06.250Z");
	a = get("?language=ES");
	is(a, "/data/count", "3");
	is(a, "/data/items/2/text", "segunda parte");
}
END_TEST

START_TEST(pages_go_on_where_they_ended)
{
	struct response a;
	const char *link;

	put_talk(channel);
	a = get("?language=es&page_size=2");
	is(a, "/data/count", "2");
	link = arena_printf(fixture.mem,
	    "<https://speech.example.org/saas/channel/%s/transcript?token=%s>;"
	    " rel=\"next\"",
	    channel, said(&a, "/data/next"));
	ck_assert_str_eq(head_of(&a, "Link"), link);
	a = get(arena_printf(fixture.mem, "?token=%s", said(&a, "/data/next")));
	answered(a, 200);
	is(a, "/data/count", "1");
	is(a, "/data/items/0/text", "segunda parte");
	is(a, "/data/next", "null");
}
END_TEST

START_TEST(an_empty_transcript_is_an_empty_page_and_no_file)
{
	struct response a = get("");

	is(a, "/data/count", "0");
	a = get("?format=vtt");
	refused(a, 404, "resource-not-found");
	a = get("?format=vtt&live=1");
	refused(a, 404, "resource-not-found");
}
END_TEST

START_TEST(times_and_stages_choose)
{
	struct response a;
	const char *foyer = put_stage(event, "Foyer");

	put_talk(hall_channel);
	put_line(put_speaking(fixture.account, event, foyer), "cc", "=en", "Coffee",
	    2000, 1000);
	a = of_event("");
	is(a, "/data/count", "3");
	is(a, "/data/items/1/text", "Coffee");
	a = of_event(arena_printf(fixture.mem, "?stage_id=%s", foyer));
	is(a, "/data/count", "1");
	is(a, "/data/items/0/stage_id", foyer);
	a = of_event("?from=" DAY "02Z&to=" DAY "04Z");
	is(a, "/data/count", "1");
	is(a, "/data/items/0/text", "Coffee");
}
END_TEST

/* ---- files ---- */

/* clang-format off */
static const struct { const char *query, *type, *name, *body; } files[] = {
	{ "?format=txt", "text/plain; charset=utf-8", "original.txt",
	  "Good morning, everyone.\nFish & <chips> --> now\n" },
	{ "?format=srt&language=es", "application/x-subrip; charset=utf-8", "es.srt", SRT_ES },
	{ "?format=srt", "application/x-subrip; charset=utf-8", "original.srt",
	  "1\n00:00:00,000 --> 00:00:01,500\nGood morning, everyone.\n\n"
	  "2\n00:00:03,000 --> 00:00:05,250\nFish & <chips> -> now\n\n" },
	{ "?format=vtt&zero=" DAY "00Z", "text/vtt; charset=utf-8", "original.vtt",
	  "WEBVTT\nKind: captions\nLanguage: en\n\n"
	  "00:00:01.000 --> 00:00:02.500\nGood morning, everyone.\n\n"
	  "00:00:04.000 --> 00:00:06.250\nFish &amp; &lt;chips&gt; --&gt; now\n\n" },
	{ "?format=json-times&language=es", "application/json", "es.json",
	  "[\n{\"start\":0,\"end\":1.5,\"channel_id\":\"$\",\"transcription_id\":\"aa\",\"language\":\"es\","
	  "\"speaker\":null,\"text\":\"Buenos días a todos.\"},\n"
	  "{\"start\":3,\"end\":5.25,\"channel_id\":\"$\",\"transcription_id\":\"bb\",\"language\":\"es\","
	  "\"speaker\":null,\"text\":\"=HYPERLINK(1) segunda parte\"}\n]\n" },
	{ "?format=csv", "text/csv; charset=utf-8", "transcript.csv",
	  "start,end,original,es\r\n"
	  DAY "01.000Z," DAY "02.500Z,\"Good morning, everyone.\",Buenos días a todos.\r\n"
	  DAY "04.000Z," DAY "06.250Z,Fish & <chips> --> now,'=HYPERLINK(1) segunda parte\r\n" },
};
/* clang-format on */

/* The channel's id in the place of each $. */
static const char *
with_channel(const char *body)
{
	struct buf b = { .mem = fixture.mem };

	for (; *body != '\0'; body++)
		if (*body == '$')
			buf_str(&b, channel);
		else
			buf_put(&b, body, 1);
	return buf_text(&b);
}

START_TEST(files_are_attachments)
{
	struct response a;

	put_talk(channel);
	a = get(files[_i].query);
	answered(a, 200);
	ck_assert_str_eq(head_of(&a, "Content-Type"), files[_i].type);
	ck_assert_str_eq(head_of(&a, "Content-Disposition"),
	    arena_printf(fixture.mem, "attachment; filename=\"channel-%s-%s\"", channel,
		files[_i].name));
	ck_assert_str_eq(a.body, with_channel(files[_i].body));
	a = ask_with(arena_printf(fixture.mem, "GET /saas/channel/%s/transcript%s",
			 channel, files[_i].query),
	    NULL,
	    HEADS(arena_printf(fixture.mem, "If-None-Match: %s", head_of(&a, "ETag"))));
	answered(a, 304);
}
END_TEST

/* clang-format off */
static const struct { const char *query, *body; } without_texts[] = {
	{ "?format=txt", "Now.\n" },
	{ "?format=srt", "1\n00:00:03,000 --> 00:00:04,000\nNow.\n\n" },
	{ "?format=txt&language=es", "Ahora.\n" },
	{ "?format=vtt&language=es",
	  "WEBVTT\nKind: captions\nLanguage: es\n\n00:00:03.000 --> 00:00:04.000\nAhora.\n\n" },
	{ "?format=csv",
	  "start,end,original,es\r\n"
	  DAY "01.000Z," DAY "02.500Z,,\r\n" DAY "04.000Z," DAY "05.000Z,Now.,Ahora.\r\n" },
};
/* clang-format on */

/*
 * Engines answered with these texts; a phrase without text must not be in a file of
 * texts.
 */
START_TEST(a_line_may_have_no_text)
{
	struct response a;

	put_line(channel, "aa", "=en", "", 1000, 1500);
	put_line(channel, "aa", "es", "", 1000, 1500);
	put_line(channel, "bb", "=en", "Now.", 4000, 1000);
	put_line(channel, "bb", "es", "", 4000, 1000);
	put_line(channel, "bb", "es", "Ahora.", 4000, 1000);
	put_line(channel, "bb", "es", "", 4000, 1000);
	a = get(without_texts[_i].query);
	answered(a, 200);
	ck_assert_str_eq(a.body, without_texts[_i].body);
}
END_TEST

/*
 * Returns FFmpeg's result for a file: "start,duration" of each caption, one per line.
 */
static const char *
probed(const char *file, const char *body)
{
	const char *path = arena_printf(fixture.mem, "%s/%s", fixture.dir, file);
	const char *call = arena_printf(fixture.mem,
	    "ffprobe -v error -show_entries packet=pts_time,duration_time -of csv=p=0 "
	    "%s",
	    path);
	char *to = arena_alloc(fixture.mem, 4096);
	FILE *f;

	unit_write(path, body);
	ck_assert_ptr_nonnull(f = popen(call, "r"));
	to[fread(to, 1, 4095, f)] = '\0';
	ck_assert_int_eq(pclose(f), 0);
	return to;
}

START_TEST(ffmpeg_reads_captions)
{
	static const char *const formats[] = { "srt", "vtt" };
	struct response a;

	put_talk(channel);
	a = get(arena_printf(fixture.mem, "?language=es&format=%s", formats[_i]));
	ck_assert_str_eq(
	    probed(formats[_i], a.body), "0.000000,1.500000\n3.000000,2.250000\n");
}
END_TEST

static void
say_at(const char *segment, const char *text, int64_t start_us)
{
	put_line(channel, segment, "=en", text, 0, 1000);
	sql(arena_printf(fixture.mem,
	    "UPDATE transcript_lines SET start_us = %lld, end_us = %lld WHERE segment ="
	    " '%s'",
	    (long long)start_us, (long long)(start_us + S_US), segment));
}

/* Ten minutes of the file are left, with the times of the whole file. */
START_TEST(a_player_polls_the_last_captions)
{
	int64_t now = now_us();
	struct response a;

	say_at("aa", "Long ago.", now - 3660 * S_US);
	say_at("bb", "Just now.", now - 60 * S_US);
	a = get("?format=vtt&live=1");
	answered(a, 200);
	ck_assert_ptr_null(head_of(&a, "Content-Disposition"));
	ck_assert_str_eq(a.body, "WEBVTT\nKind: captions\nLanguage: en\n\n"
				 "01:00:00.000 --> 01:00:01.000\nJust now.\n\n");
}
END_TEST

static long
memory_kib(void)
{
	struct rusage u;

	getrusage(RUSAGE_SELF, &u);
	return u.ru_maxrss;
}

static void
is_made(const struct transcript_file *f, struct transcript_made *made)
{
	ck_assert_int_eq(transcript_file_make(
			     fixture.app.db, fixture.mem, &fixture.app.conf, f, made),
	    OK);
	close(made->fd);
}

START_TEST(a_long_transcript_takes_no_more_memory)
{
	struct transcript_file f = { { .account = fixture.account,
					 .channel = channel,
					 .language = "original",
					 .to_us = INT64_MAX },
		"vtt", NULL_INT };
	struct transcript_made made;
	long before;

	put_line(channel, "aa", "=en", "One two three, four five six.", 0, 900);
	is_made(&f, &made);
	sql("WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i <"
	    " 100000) INSERT INTO transcript_lines (id, account, channel, segment, "
	    "part,"
	    " language, original, text, start_us, end_us) SELECT id + i, account, "
	    "channel,"
	    " printf('%016x', i), 0, 'en', 1, text || i, start_us + i * 1000000,"
	    " end_us + i * 1000000 FROM n, transcript_lines");
	before = memory_kib();
	is_made(&f, &made);
	ck_assert_int_gt(made.bytes, 100000 * 50);
/* the allocator keeps freed memory */
#ifndef __SANITIZE_ADDRESS__
	ck_assert_int_lt(memory_kib() - before, 8192); /* the page cache of SQLite */
#endif
}
END_TEST

/* ---- bad input ---- */

/* clang-format off */
static const struct { const char *query, *fault; } bad[] = {
	{ "?format=pdf", "format: " },
	{ "?language=klingon", "language: language must be the code of a language, or original." },
	{ "?from=yesterday", "from: " },
	{ "?page_size=101", "page_size: " },
	{ "?live=1", "live: live needs the format vtt." },
	{ "?format=srt&live=1", "live: live needs the format vtt." },
	{ "?format=vtt&live=2", "live: " },
};
/* clang-format on */

START_TEST(a_bad_query_is_422)
{
	struct response a = get(bad[_i].query);

	refused(a, 422, "validation-error");
	ck_assert_msg(strncmp(faults_of(&a), bad[_i].fault, strlen(bad[_i].fault)) == 0,
	    "%s", faults_of(&a));
}
END_TEST

/* ---- correcting and removing ---- */

static struct response
correct(const char *line, const char *text)
{
	return ask(arena_printf(fixture.mem, "PATCH /saas/channel/%s/transcript/%s",
		       channel, line),
	    arena_printf(fixture.mem, "{\"data\":{\"text\":%s}}", text));
}

START_TEST(a_correction_keeps_what_was_there)
{
	struct response a;
	const char *id;

	put_talk(channel);
	a = get("");
	id = said(&a, "/data/items/0/line_id");
	a = correct(id, "\"Good evening.\"");
	answered(a, 200);
	is(a, "/data/text", "Good evening.");
	is(a, "/data/original_text", "Good morning, everyone.");
	is(a, "/data/line_id", id);
	a = correct(id, "\"Good night.\"");
	is(a, "/data/original_text", "Good morning, everyone.");
	a = get("?format=txt");
	ck_assert_str_eq(a.body, "Good night.\nFish & <chips> --> now\n");
}
END_TEST

static struct response
change_line(const char *line, const char *data)
{
	return ask(arena_printf(fixture.mem, "PATCH /saas/channel/%s/transcript/%s",
		       channel, line),
	    arena_printf(fixture.mem, "{\"data\":%s}", data));
}

START_TEST(a_speaker_is_named_in_all_languages)
{
	struct response a;
	const char *id;

	put_talk(channel);
	a = get("");
	id = said(&a, "/data/items/0/line_id");
	a = change_line(id, "{\"speaker\":\"Dr. Maier\"}");
	answered(a, 200);
	is(a, "/data/speaker", "Dr. Maier");
	is(a, "/data/text", "Good morning, everyone.");
	is(a, "/data/original_text", "null");
	a = get("?format=txt&language=es");
	ck_assert_str_eq(
	    a.body, "Dr. Maier: Buenos días a todos.\n=HYPERLINK(1) segunda parte\n");
	a = change_line(id, "{\"speaker\":null,\"text\":\"Good day.\"}");
	is(a, "/data/speaker", "null");
	is(a, "/data/text", "Good day.");
	a = change_line(id, "{}");
	refused(a, 422, "validation-error");
	a = change_line(id, "{\"speaker\":\"\"}");
	refused(a, 422, "validation-error");
}
END_TEST

/* clang-format off */
static const struct { const char *line, *text; int status; } bad_corrections[] = {
	{ "1", "\"x\"", 404 }, { "x", "\"x\"", 404 }, { "-1", "\"x\"", 404 },
	{ "99999999999999999999", "\"x\"", 404 }, { "0x3e9", "\"x\"", 404 },
	{ NULL, "\"\"", 422 }, { NULL, "null", 422 }, { NULL, "1", 422 },
};
/* clang-format on */

START_TEST(a_bad_correction_changes_nothing)
{
	struct response a;
	const char *id;

	put_talk(channel);
	a = get("");
	id = bad_corrections[_i].line;
	id = id != NULL ? id : said(&a, "/data/items/0/line_id");
	a = correct(id, bad_corrections[_i].text);
	answered(a, bad_corrections[_i].status);
	ck_assert_int_eq(
	    number(
		"SELECT count(*) FROM transcript_lines WHERE correction IS NOT NULL"),
	    0);
}
END_TEST

START_TEST(texts_have_a_bound)
{
	struct response a;
	const char *id;

	put_talk(channel);
	a = get("");
	id = said(&a, "/data/items/0/line_id");
	a = correct(id, arena_printf(fixture.mem, "\"%02000d\"", 0));
	answered(a, 200);
	a = correct(id, arena_printf(fixture.mem, "\"%02001d\"", 0));
	refused(a, 422, "validation-error");
}
END_TEST

START_TEST(all_lines_of_a_channel_are_removed)
{
	struct response a;

	put_talk(channel);
	put_talk(hall_channel);
	a = ask(
	    arena_printf(fixture.mem, "DELETE /saas/channel/%s/transcript", channel),
	    NULL);
	answered(a, 200);
	is(a, "/data", "null");
	a = get("");
	is(a, "/data/count", "0");
	a = of_event("");
	is(a, "/data/count", "2");
}
END_TEST

/* The lines are kept as long as the event exists. */
START_TEST(lines_of_a_deleted_channel_are_read_corrected_and_removed)
{
	struct response a;
	const char *removal;

	put_talk(hall_channel);
	channel = hall_channel;
	removal =
	    arena_printf(fixture.mem, "DELETE /saas/channel/%s/transcript", channel);
	sql("DELETE FROM channels");
	a = get("");
	is(a, "/data/count", "2");
	a = correct(said(&a, "/data/items/0/line_id"), "\"Good evening.\"");
	answered(a, 200);
	is(a, "/data/text", "Good evening.");
	fixture.bearer = fixture_bearer(fixture_account(), "*");
	a = ask(removal, NULL);
	refused(a, 404, "resource-not-found");
	fixture.bearer = fixture_bearer(fixture.account, "*");
	a = ask(removal, NULL);
	answered(a, 200);
	a = of_event("");
	is(a, "/data/count", "0");
	a = ask(removal, NULL); /* nothing of it is stored any more */
	refused(a, 404, "resource-not-found");
}
END_TEST

START_TEST(another_account_sees_nothing)
{
	struct response a;
	const char *id;

	put_talk(channel);
	a = get("");
	id = said(&a, "/data/items/0/line_id");
	fixture.bearer = fixture_bearer(fixture_account(), "*");
	a = get("");
	refused(a, 404, "resource-not-found");
	a = of_event("");
	refused(a, 404, "resource-not-found");
	a = correct(id, "\"x\"");
	refused(a, 404, "resource-not-found");
	a = ask(
	    arena_printf(fixture.mem, "DELETE /saas/channel/%s/transcript", channel),
	    NULL);
	refused(a, 404, "resource-not-found");
	fixture.bearer = fixture_bearer(fixture.account, "channels:read");
	a = correct(id, "\"x\"");
	refused(a, 403, "insufficient-scope");
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("transcripts over HTTP");
	TCase *t = tcase_create("all");

	tcase_add_checked_fixture(t, begin, fixture_close);
	tcase_set_timeout(t, 60);
	tcase_add_test(t, lines_are_told_with_their_times);
	tcase_add_test(t, pages_go_on_where_they_ended);
	tcase_add_test(t, an_empty_transcript_is_an_empty_page_and_no_file);
	tcase_add_test(t, times_and_stages_choose);
	tcase_add_loop_test(t, files_are_attachments, 0, COUNT(files));
	tcase_add_loop_test(t, a_line_may_have_no_text, 0, COUNT(without_texts));
	tcase_add_loop_test(t, ffmpeg_reads_captions, 0, 2);
	tcase_add_test(t, a_player_polls_the_last_captions);
	tcase_add_test(t, a_long_transcript_takes_no_more_memory);
	tcase_add_loop_test(t, a_bad_query_is_422, 0, COUNT(bad));
	tcase_add_test(t, a_correction_keeps_what_was_there);
	tcase_add_test(t, a_speaker_is_named_in_all_languages);
	tcase_add_loop_test(
	    t, a_bad_correction_changes_nothing, 0, COUNT(bad_corrections));
	tcase_add_test(t, texts_have_a_bound);
	tcase_add_test(t, all_lines_of_a_channel_are_removed);
	tcase_add_test(t, lines_of_a_deleted_channel_are_read_corrected_and_removed);
	tcase_add_test(t, another_account_sees_nothing);
	suite_add_tcase(s, t);
	return unit_run(s);
}
