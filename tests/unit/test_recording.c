/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Recordings of a channel, made by the real child, which is killed; FFmpeg checks the
 * files.
 */
#include "base/lang.h"
#include "tests/unit/egress_fixture.h"

/* The members of an order but the folder. */
static const char *
order_of(const char *format, const char *more)
{
	return arena_printf(mem,
	    "\"protocol\":\"recording\",\"format\":\"%s\",\"epoch_us\":%lld,"
	    "\"delay_ms\":0,\"ducked_volume\":0.2,%s",
	    format, (long long)(now_us() / DAY_US * DAY_US), more);
}

static void
begin_recording(const char *order)
{
	begin(arena_printf(mem, "{\"directory\":\"%s\",%s}", folder, order));
}

#define TWO "\"source_language\":\"en\",\"languages\":[\"es\",\"original\"]"
#define ROOM "\"max_bytes\":1000000000,"
#define DISK "\"reserve_bytes\":1000000,"

static char whole[sizeof(folder)]; /* the folder of all runs */

static void
setup_runs(void)
{
	setup();
	strcpy(whole, folder);
}

static void
teardown_runs(void)
{
	strcpy(folder, whole);
	teardown();
}

static bool (*goal)(void);

static bool
is_there_or_over(void)
{
	return goal() || has_ended();
}

static void
begin_run(int i, const char *order)
{
	snprintf(folder, sizeof(folder), "%.60s/%d", whole, i);
	ck_assert_int_eq(mkdir(folder, 0700), 0);
	begin_recording(order);
}

/*
 * Record until the condition holds.  A child that a busy machine kept from its work for
 * too long ends; another one goes on in the folder of another run, as with a gateway.
 */
static bool
record(const char *order, bool (*until)(void))
{
	goal = until;
	for (int i = 0; i < 5; i++) {
		begin_run(i, order);
		if (feed(60, is_there_or_over) && until())
			return true;
		child_socket_stop(&child, "egress");
	}
	return false;
}

/* Returns each line of ffprobe's output, followed by a blank. */
static const char *
probed(const char *what, const char *file)
{
	return said_by(arena_printf(mem,
	    "ffprobe -loglevel error -show_entries %s -of csv=p=0 %s/%s | "
	    "tr '\\n' ' '",
	    what, folder, file));
}

/*
 * Returns the length of a recording in its state file, in seconds; the written files
 * must be as long.
 */
static double
run_s(void)
{
	char text[32] = "";
	FILE *f = fopen(in_folder("run"), "r");

	if (f != NULL && fgets(text, sizeof(text), f) == NULL)
		text[0] = '\0';
	if (f != NULL)
		fclose(f);
	return atof(text) / 1000;
}

static bool
has_begun_its_files(void)
{
	return is_active() && run_s() > 0;
}

/*
 * A busy machine feeds the tone late.  So a recording goes on until it has two seconds
 * of the tone: the test counts them with FFmpeg after four seconds of recording, and
 * again after each further second.
 */
static struct {
	const char *file;
	double from_s;
	bool fine;
} judged;

static bool
has_the_tone(void)
{
	double s = run_s();

	if (!judged.fine && s >= judged.from_s) {
		judged.from_s = s + 1;
		judged.fine = fabs(loudest_of("", in_folder(judged.file), 59).spanish -
				   0.24) < 0.05;
	}
	return judged.fine;
}

static bool
is_heard_and_active(void)
{
	return has_the_tone() && is_active();
}

static bool
record_until_heard(const char *format, const char *file)
{
	hz[0] = SPANISH;
	hz[1] = ORIGINAL;
	judged.file = file;
	judged.from_s = 4;
	judged.fine = false;
	return record(order_of(format, ROOM DISK TWO), is_heard_and_active);
}

static void
check_length(const char *file)
{
	double is = atof(said_by(arena_printf(mem,
	    "ffmpeg -nostdin -i %s/%s -f null - 2>&1 | tr '\\r' '\\n' | "
	    "sed -n 's/.*time=..:..:\\([0-9.]*\\).*/\\1/p' | tail -n 1",
	    folder, file)));

	ck_assert_double_eq_tol(is, run_s(), 0.2);
}

/* True while the recording's lock is held, so that a worker cannot get it. */
static bool
is_locked(void)
{
	return system(arena_printf(mem, "flock -n %s/run true", folder)) != 0;
}

START_TEST(a_recording_in_ogg_is_a_file_of_each_language)
{
	ck_assert(record_until_heard("ogg", "es.ogg"));
	ck_assert_str_eq(error, "");
	ck_assert(is_locked());
	child_socket_stop(&child, "egress"); /* SIGKILL */
	ck_assert(!is_locked());
	ck_assert_str_eq(
	    probed("stream=codec_name,channels:stream_tags=language", "es.ogg"),
	    "opus,1,es ");
	ck_assert_str_eq(
	    probed("stream=codec_name,channels:stream_tags=language", "original.ogg"),
	    "opus,1,en ");
	check_length("es.ogg");
	check_length("original.ogg");
	ck_assert_double_eq_tol(
	    loudest_of("", in_folder("es.ogg"), 59).spanish, 0.24, 0.05);
	ck_assert_double_eq_tol(
	    loudest_of("", in_folder("es.ogg"), 59).original, 0.24 * 0.2, 0.02);
	ck_assert_double_lt(
	    loudest_of("", in_folder("original.ogg"), 59).spanish, 0.01);
}
END_TEST

/* Returns a little-endian number of a file. */
static int64_t
number_at(const char *file, long at)
{
	uint32_t n = 0;
	FILE *f = fopen(in_folder(file), "r");

	ck_assert_int_eq(fseek(f, at, SEEK_SET), 0);
	ck_assert_uint_eq(fread(&n, sizeof(n), 1, f), 1);
	fclose(f);
	return le32toh(n);
}

/* Its lengths are right although the process was killed. */
START_TEST(a_recording_in_wav_is_a_file_of_each_language)
{
	struct stat st;

	ck_assert(record_until_heard("wav", "es.wav"));
	ck_assert_str_eq(error, "");
	child_socket_stop(&child, "egress"); /* SIGKILL */
	ck_assert_str_eq(probed("stream=codec_name,sample_rate,channels", "es.wav"),
	    "pcm_s16le,48000,1 ");
	check_length("es.wav");
	check_length("original.wav");
	ck_assert_double_eq_tol(
	    loudest_of("", in_folder("es.wav"), 59).spanish, 0.24, 0.05);
	ck_assert_double_lt(
	    loudest_of("", in_folder("original.wav"), 59).spanish, 0.01);
	ck_assert_int_eq(stat(in_folder("es.wav"), &st), 0);
	ck_assert_int_eq(number_at("es.wav", 4), st.st_size - 8);
	ck_assert_int_eq(number_at("es.wav", 40), st.st_size - 44);
}
END_TEST

static bool
has_two_seconds(void)
{
	return is_active() && run_s() >= 2;
}

static bool
has_seven_seconds(void)
{
	return is_active() && run_s() >= 7;
}

/* Seconds of each text, then the texts. FFmpeg before 7 does not read durations. */
static const char *
subtitles_of(int track)
{
	return said_by(arena_printf(mem,
	    "{ ffprobe -loglevel error -select_streams s:%d -of csv=p=0 "
	    "-show_entries packet=pts_time,size %s/all.mp4 | "
	    "awk -F, 'n > 2 { printf \"%%.0f \", $1 - at } { at = $1; n = $2 }'; "
	    "ffmpeg -nostdin -loglevel error -i %s/all.mp4 -map 0:s:%d -f webvtt - | "
	    "awk 'NR > 2 && NF && !/-->/ { printf \"%%s|\", $0 }'; }",
	    track, folder, folder, track));
}

START_TEST(a_recording_in_mp4_has_subtitles_of_each_language)
{
	hz[0] = SPANISH;
	hz[1] = ORIGINAL;
	begin_run(0, order_of("mp4", ROOM DISK TWO));
	ck_assert(feed(60, has_two_seconds));
	put_caption(0, 2000, "Buenos días\nsegunda fila");
	put_caption(1, 1000, "Good morning");
	put_caption(0, 1000, "Adiós");
	ck_assert(feed(60, has_seven_seconds));
	child_socket_stop(&child, "egress"); /* SIGKILL */
	ck_assert_str_eq(subtitles_of(0), "2 1 Buenos días|segunda fila|Adiós|");
	ck_assert_str_eq(subtitles_of(1), "1 Good morning|");
}
END_TEST

START_TEST(a_recording_in_mp4_has_a_track_of_each_language)
{
	ck_assert(record_until_heard("mp4", "all.mp4 -map 0:0"));
	ck_assert_str_eq(error, "");
	child_socket_stop(&child, "egress"); /* SIGKILL */
	ck_assert_str_eq(
	    probed("stream=codec_name:stream_tags=language,handler_name", "all.mp4"),
	    "aac,spa,es aac,eng,original mov_text,spa,es mov_text,eng,original ");
	check_length("all.mp4");
	ck_assert_double_eq_tol(
	    loudest_of("", in_folder("all.mp4 -map 0:0"), 59).spanish, 0.24, 0.05);
	ck_assert_double_eq_tol(
	    loudest_of("", in_folder("all.mp4 -map 0:1"), 59).original, 0.24, 0.05);
	ck_assert_double_lt(
	    loudest_of("", in_folder("all.mp4 -map 0:1"), 59).spanish, 0.01);
}
END_TEST

/* More files than the usual limit of a child. */
START_TEST(each_of_all_languages_has_a_file)
{
	struct buf b = { .mem = mem };
	int n = 0;

	for (const char *const *code = lang_listenable; *code != NULL; code++, n++)
		buf_printf(&b, "%s\"%s\"", n > 0 ? "," : "", *code);
	ck_assert(
	    record(order_of("ogg",
		       arena_printf(mem, ROOM DISK "\"languages\":[%s]", buf_text(&b))),
		has_begun_its_files));
	ck_assert_str_eq(error, "");
	ck_assert_int_eq(atoi(said_by(arena_printf(
			     mem, "find %s -name '*.ogg' -size +0 | wc -l", folder))),
	    n);
}
END_TEST

static const struct {
	const char *order, *why;
} ends[] = {
	{ "\"max_bytes\":6000," DISK TWO,
	    "The recording does not fit into recordings.max_bytes." },
	{ ROOM "\"reserve_bytes\":1000000000000000," TWO,
	    "The recording has ended: the disk is full." },
};

/* A worker may take the files while the child continues. */
START_TEST(a_recording_that_has_no_room_ends)
{
	hz[0] = SPANISH;
	hz[1] = ORIGINAL;
	begin_recording(order_of("ogg", ends[_i].order));
	ck_assert(feed(60, has_error));
	ck_assert_str_eq(error, ends[_i].why);
	ck_assert(!is_active());
	ck_assert(!is_locked());
	feed(3, NULL);
	ck_assert_str_eq(error, ends[_i].why);
}
END_TEST

/* Each recording has a folder, which the gateway makes. */
START_TEST(a_recording_goes_on_in_another_when_it_is_full)
{
	const char *file;

	hz[0] = SPANISH;
	hz[1] = ORIGINAL;
	for (int i = 0; i < 2; i++) {
		begin_run(i,
		    order_of("ogg", "\"max_bytes\":100000,\"reserve_bytes\":0," TWO));
		ck_assert(feed(90, has_ended));
		ck_assert_str_eq(error, "");
		child_socket_stop(&child, "egress");
		ck_assert(!is_locked());
		ck_assert_double_gt(sound_of("", in_folder("es.ogg")).spanish, 0.1);
		file = said_by(arena_printf(mem, "cat %s/*.ogg | wc -c", folder));
		ck_assert_int_le(atoi(file), 100000);
		ck_assert_int_gt(atoi(file), 50000);
	}
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("recording");
	TCase *t = tcase_create("all");

	tcase_add_checked_fixture(t, setup_runs, teardown_runs);
	tcase_set_timeout(t, 90);
	tcase_add_test(t, a_recording_in_ogg_is_a_file_of_each_language);
	tcase_add_test(t, a_recording_in_wav_is_a_file_of_each_language);
	tcase_add_test(t, a_recording_in_mp4_has_subtitles_of_each_language);
	tcase_add_test(t, a_recording_in_mp4_has_a_track_of_each_language);
	tcase_add_test(t, each_of_all_languages_has_a_file);
	tcase_add_loop_test(t, a_recording_that_has_no_room_ends, 0, COUNT(ends));
	tcase_add_test(t, a_recording_goes_on_in_another_when_it_is_full);
	suite_add_tcase(s, t);
	return unit_run(s);
}
