/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The cloning worker with engines that fail: the state of the voice, and its errors.
 * The media child process is real.
 */
#define UNIT_TEST
#include "audio/wav.h"
#include "tests/engine-server.h"
#include "tests/unit/voice_rows.h"

#include "workers/voice_clone.c"

#define RATE 8000
#define SECONDS 4

static const char *voice;
static struct work w;

/* Makes a WAV file whose level changes like that of syllables. */
static struct buf
make_sound(void)
{
	struct buf b = { .mem = fixture.mem };

	wav_header_write(buf_room(&b, WAV_HEADER), RATE, RATE * SECONDS * 2);
	b.len += WAV_HEADER;
	for (int i = 0; i < RATE * SECONDS; i++) {
		double syllables = 0.55 + 0.45 * sin(25.0 * i / RATE);

		buf_put(
		    &b, (int16_t[]){ (int16_t)(8000 * syllables * sin(i * 0.1)) }, 2);
	}
	return b;
}

/* Stores a recording as the voice's sample. */
static void
put_recording(const struct buf *b, const char *mime_type)
{
	const char *blob = id_new(fixture.mem), *file = blob_name(fixture.mem, blob);
	struct blob_facts facts;
	struct blob_in *in;

	ck_assert_int_eq(blob_begin(&fixture.app.conf, fixture.mem, 0, &in), OK);
	ck_assert_int_eq(blob_put(in, b->p, b->len), OK);
	ck_assert_int_eq(blob_end(in, file, &facts), OK);
	sql(arena_printf(fixture.mem,
	    "INSERT INTO blobs (id, account, kind, state, mime_type, filename, voice,"
	    " min_bytes, max_bytes, file, bytes, created_us) VALUES ('%s', '%s',"
	    " 'voice_sample', 'stored', '%s', 'a.wav', '%s', 1, 9999999, '%s',"
	    " %lld, 1); UPDATE accounts SET stored_bytes = stored_bytes + %lld WHERE"
	    " id = '%s'",
	    blob, fixture.account, mime_type, voice, file, (long long)facts.bytes,
	    (long long)facts.bytes, fixture.account));
	set_voice(voice,
	    arena_printf(fixture.mem, "status = 'pending', sample = '%s'", blob));
}

static void
setup(void)
{
	static const struct route none[] = { ROUTES_END };
	static const struct sql *const prepared[] = { account_sql, blob_sql, voice_sql,
		voice_processing_sql, queue_sql, NULL };
	const char *build = getenv("BUILD");
	struct buf sound;

	fixture_open("voice_clone", none, prepared);
	fixture.app.conf.bin_dir =
	    arena_printf(fixture.mem, "%s/bin", build != NULL ? build : "build");
	voice = put_voice(fixture.account, "Anna", 1);
	sound = make_sound();
	put_recording(&sound, "audio/wav");
	w = (struct work){ fixture.app.db, fixture.wire, &fixture.app.conf };
	ck_assert_int_eq(
	    queue_add(w.db, fixture.mem, "voice.clone", fixture.account, voice), OK);
}

static const struct {
	/* faults of the engines; NULL: the engine is not configured */
	const char *own, *external;
	const char *tts;
	const char *also; /* SQL */
	const char *status, *slug;
} cases[] = {
	{ "", NULL, "openai", "", "ready", "sample-short" },
	{ "/status-401", NULL, "openai", "", "failed", "cloning-failed" },
	{ "/status-500", NULL, "openai", "", "failed", "cloning-failed" },
	{ "", "/status-401", "openai", "", "ready", "external-voice-failed" },
	{ "", "/status-500", "openai", "", "ready", "external-voice-failed" },
	{ "", NULL, "none", "", "ready", "tts-sample-failed" },
	{ "", NULL, "openai", "UPDATE blobs SET max_bytes = 9", "failed",
	    "sample-size" },
	{ "", NULL, "openai", "UPDATE blobs SET mime_type = 'audio/flac'", "failed",
	    "sample-type-mismatch" },
};

/* Adds a section of the settings; the answer is its id. */
static const char *
add_engine(const char *id, const char *kind, const char *url, ...)
{
	struct conf_engine *en = arena_alloc(fixture.mem, sizeof(*en));
	struct buf b = { .mem = fixture.mem };
	va_list args;

	va_start(args, url);
	buf_vprintf(&b, url, args);
	va_end(args);
	*en = conf_engine_none(id);
	en->kind = kind;
	en->url = buf_text(&b);
	en->key = "test-key";
	en->next = fixture.app.conf.engines;
	fixture.app.conf.engines = en;
	return id;
}

START_TEST(a_voice_ends_ready_or_failed_and_says_why)
{
	struct engine_server s = engine_server_start();
	struct conf *c = &fixture.app.conf;
	const char *base = arena_printf(fixture.mem, "http://127.0.0.1:%d", s.port);
	enum err e;

	c->engine_allow_private = true;
	c->speech_clone = add_engine("cloner", "openai", "%s%s", base, cases[_i].own);
	c->speech_sample = add_engine("voice", cases[_i].tts, "%s", base);
	if (cases[_i].external != NULL)
		c->speech_external =
		    add_engine("there", "elevenlabs", "%s%s", base, cases[_i].external);
	sql(cases[_i].also);
	do {
		e = work_one(&w, &kinds[0], "test");
		arena_reset(fixture.wire);
		sql("UPDATE jobs SET due_us = 1");
	} while (e == ERR_REFUSED);
	engine_server_stop(&s);
	ck_assert_str_eq(sql("SELECT status FROM voices"),
	    arena_printf(fixture.mem, "%s\n", cases[_i].status));
	ck_assert_ptr_nonnull(
	    strstr(sql("SELECT warnings || errors FROM voices"), cases[_i].slug));
	ck_assert_int_eq(number("SELECT count(*) FROM jobs WHERE state <> 'dead' AND"
				" kind = 'voice.clone'"),
	    0);
	ck_assert_int_eq(
	    number("SELECT stored_bytes - (SELECT coalesce(sum(bytes), 0) FROM blobs"
		   " WHERE state IN ('stored', 'checked')) FROM accounts"),
	    0);
}
END_TEST

/* Files of tests/unit/data/media/make. */
static const struct {
	const char *file, *mime_type, *status;
	const char *says; /* in a log with warnings and errors */
} recordings[] = {
	{ "voice.wav", "audio/wav", "ready",
	    "has 5.4 s of speech in 5.7 s of sound; 30" },
	{ "cut.mp3", "audio/mpeg", "ready", "sample-short" },
	{ "tag-first.wav", "audio/wav", "ready", "sample-short" },
	{ "gsm.wav", "audio/wav", "ready", "sample-short" },
	{ "3gp5.mp4", "video/mp4", "ready", "sample-short" },
	{ "cut2.mpg", "video/mpeg", "failed", "s of sound; at least 3 s are needed" },
	{ "opposite.wav", "audio/wav", "ready", "sample-short" },
	{ "two-tracks.mp4", "video/mp4", "ready", "has 5.4 s of speech in 5." },
	{ "mostly-silent.wav", "audio/wav", "failed",
	    "has 1.5 s of speech in 13.0 s of sound; at least 3 s are needed" },
	{ "silence.wav", "audio/wav", "failed", "has 0.0 s of speech in 5.0 s of" },
	{ "tone.wav", "audio/wav", "failed", "s of speech in 5.0 s of sound" },
	{ "rifx.wav", "audio/wav", "failed", "The file is not audio/wav, but RIFX." },
	{ "page.mp3", "audio/mpeg", "failed",
	    "The file is not audio/mpeg, but HTML or XML." },
	{ "mute.mp4", "video/mp4", "failed", "sample-no-audio" },
};

START_TEST(a_recording_is_judged_by_its_speech)
{
	const char *build = getenv("BUILD"), *path;
	struct buf b = { .mem = fixture.mem };
	FILE *f;
	size_t n;

	build = build != NULL ? build : "build";
	path =
	    arena_printf(fixture.mem, "%s/media-test/%s", build, recordings[_i].file);
	ck_assert_int_eq(system(arena_printf(fixture.mem,
			     "tests/unit/data/media/make %s/media-test", build)),
	    0);
	ck_assert_ptr_nonnull(f = fopen(path, "rb"));
	while ((n = fread(buf_room(&b, 65536), 1, 65536, f)) > 0)
		b.len += n;
	fclose(f);
	put_recording(&b, recordings[_i].mime_type);
	ck_assert_int_eq(work_one(&w, &kinds[0], "test"), OK);
	ck_assert_str_eq(sql("SELECT status FROM voices"),
	    arena_printf(fixture.mem, "%s\n", recordings[_i].status));
	ck_assert_msg(strstr(sql("SELECT warnings || errors FROM voices"),
			  recordings[_i].says) != NULL,
	    "%s", sql("SELECT warnings || errors FROM voices"));
}
END_TEST

/* Fills the disk while the engine speaks. */
static void
first_words_wait_for_room(void)
{
	struct cloning c = { .w = &w, .warnings.mem = fixture.mem };

	ck_assert_int_eq(voice_making(w.db, fixture.mem, voice, &c.voice), OK);
	ck_assert_int_eq(first_words(&c, OWN_PROVIDER), AGAIN);
	ck_assert_int_eq(c.end, JOB_FULL);
	ck_assert_str_eq(buf_text(&c.warnings), "");
}

START_TEST(on_a_full_disk_a_voice_waits_and_is_made_whole_when_there_is_room)
{
	struct engine_server s = engine_server_start();
	struct conf *c = &fixture.app.conf;
	int64_t reserve = c->blob_reserve_bytes;

	c->engine_allow_private = true;
	c->speech_sample = add_engine("voice", "openai", "http://127.0.0.1:%d", s.port);
	/* nothing listens there: the engine is not called */
	c->speech_clone = add_engine("cloner", "openai", "http://127.0.0.1:1");
	c->blob_reserve_bytes = INT64_MAX / 2;
	for (int i = 0; i < 2 * kinds[0].tries; i++) {
		ck_assert_int_eq(work_one(&w, &kinds[0], "test"), ERR_FULL);
		arena_reset(fixture.wire);
		ck_assert_str_eq(sql("SELECT status, tries, error FROM voices, jobs"),
		    "pending|0|storing the first sample: disk full\n");
		sql("UPDATE jobs SET due_us = 1");
	}
	first_words_wait_for_room();
	c->blob_reserve_bytes = reserve;
	c->speech_clone = c->speech_sample;
	ck_assert_int_eq(work_one(&w, &kinds[0], "test"), OK);
	engine_server_stop(&s);
	ck_assert_str_eq(sql("SELECT status FROM voices"), "ready\n");
	ck_assert_int_eq(number("SELECT count(*) FROM tts_samples"), 1);
}
END_TEST

/* Also deletes voices of a worker that was killed before it stored their names. */
START_TEST(what_servers_made_of_a_deleted_voice_is_forgotten_there)
{
	struct engine_server s = engine_server_start();
	struct conf *c = &fixture.app.conf;
	const char *base = arena_printf(fixture.mem, "http://127.0.0.1:%d", s.port);
	struct cloning killed = { .w = &w, .warnings.mem = fixture.mem };

	c->engine_allow_private = true;
	c->speech_clone = add_engine("cloner", "openai", "%s", base);
	c->speech_external = add_engine("there", "elevenlabs", "%s", base);
	ck_assert_int_eq(voice_making(w.db, fixture.mem, voice, &killed.voice), OK);
	killed.heard.pcm = (struct pcm){ (float[8000]){ 0 }, 8000, 8000 };
	ck_assert_int_eq(make_own(&killed), GO_ON);
	ck_assert_int_eq(make_external(&killed), GO_ON);
	ck_assert_int_eq(engine_server_count(&s, fixture.mem, "voices"), 2);
	sql("DELETE FROM voices");
	ck_assert_int_eq(work_one(&w, &kinds[0], "test"), OK);
	for (int i = 0; i < 2; i++)
		ck_assert_int_eq(work_one(&w, &kinds[1], "test"), OK);
	ck_assert_int_eq(engine_server_count(&s, fixture.mem, "voices"), 0);
	ck_assert_int_eq(number("SELECT count(*) FROM jobs"), 0);
	engine_server_stop(&s);
}
END_TEST

static const struct {
	const char *ref, *kind;
	const char *left;
} forgotten[] = {
	{ "v1", "elevenlabs", "" },
	{ "there/v1", "elevenlabs", "" },
	{ "there/v1", "openai", "" },
	{ "there/v1", "profile", "voice.forget|dead\n" },
	{ "elsewhere/v1", "openai", "voice.forget|dead\n" },
};

START_TEST(a_copy_is_forgotten_where_its_ref_says_or_the_job_is_kept_as_dead)
{
	struct engine_server s = engine_server_start();
	struct conf *c = &fixture.app.conf;

	c->engine_allow_private = true;
	c->speech_external = add_engine("there", forgotten[_i].kind, "%s",
	    strcmp(forgotten[_i].kind, "profile") == 0
		? ""
		: arena_printf(fixture.mem, "http://127.0.0.1:%d", s.port));
	sql("DELETE FROM jobs");
	ck_assert_int_eq(queue_add(w.db, fixture.mem, "voice.forget", fixture.account,
			     forgotten[_i].ref),
	    OK);
	work_one(&w, &kinds[1], "test");
	ck_assert_str_eq(sql("SELECT kind, state FROM jobs"), forgotten[_i].left);
	engine_server_stop(&s);
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("voice clone");
	TCase *t = tcase_create("all");

	tcase_add_checked_fixture(t, setup, fixture_close);
	tcase_set_timeout(t, 60);
	tcase_add_test(
	    t, on_a_full_disk_a_voice_waits_and_is_made_whole_when_there_is_room);
	tcase_add_loop_test(
	    t, a_recording_is_judged_by_its_speech, 0, COUNT(recordings));
	tcase_add_test(t, what_servers_made_of_a_deleted_voice_is_forgotten_there);
	tcase_add_loop_test(t,
	    a_copy_is_forgotten_where_its_ref_says_or_the_job_is_kept_as_dead, 0,
	    COUNT(forgotten));
	tcase_add_loop_test(
	    t, a_voice_ends_ready_or_failed_and_says_why, 0, COUNT(cases));
	suite_add_tcase(s, t);
	return unit_run(s);
}
