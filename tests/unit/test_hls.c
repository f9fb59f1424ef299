/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * HLS in a folder, with a simulated clock so that the tests are fast. Pictures are not
 * decoded, so only their headers are valid.
 */
#include "tests/unit/suite.h"
#include "tests/unit/unit_files.h"

#include <dirent.h>
#include <libavutil/log.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "egress/egress.h"

#define EPOCH_US INT64_C(1767225600000000) /* 2026-01-01 */
#define DAY_US (86400 * S_US)
#define PICTURES 25 /* a second */
#define NO_PICTURE INT64_MAX

/* Parameter sets of pictures of 160 x 120 and of 320 x 240. */
static const unsigned char small_head[] = { 0, 0, 0, 1, 0x67, 0x42, 0xc0, 0x0b, 0xda,
	0x0a, 0x11, 0xf9, 0x70, 0x11, 0, 0, 3, 0, 1, 0, 0, 3, 0, 0x32, 0x0f, 0x14, 0x2a,
	0xa0, 0, 0, 0, 1, 0x68, 0xce, 0x0f, 0xc8 };
static const unsigned char large_head[] = { 0, 0, 0, 1, 0x67, 0x42, 0xc0, 0x0d, 0xda,
	0x05, 0x07, 0xec, 0x04, 0x40, 0, 0, 3, 0, 0x40, 0, 0, 0x0c, 0x83, 0xc5, 0x0a,
	0xa8, 0, 0, 0, 1, 0x68, 0xce, 0x0f, 0xc8 };

static struct arena *mem;
static char folder[64];
static struct egress_order order;
static int64_t epoch_us;
static const char *language;
static struct encoder *encoders[2];
static bool low_latency; /* with parts, and another language */
static void *sink;
static int64_t now;
/* Input: number of pictures from one keyframe to the next, and bytes of each. */
static int64_t gop;
static size_t picture_bytes;
static const unsigned char *head;
static size_t n_head;

static void
begin(bool wants_picture)
{
	const AVCodecContext *codecs[2];

	order = (struct egress_order){ .directory = folder,
		.epoch_us = epoch_us,
		.begins = now,
		.picture = wants_picture,
		.low_latency = low_latency,
		.codes = { language, "de" },
		.n = low_latency ? 2 : 1 };
	for (size_t i = 0; i < order.n; i++) {
		encoders[i] = arena_alloc(mem, sizeof(*encoders[i]));
		ck_assert(encoder_open(encoders[i], hls_folder.codec, now));
		codecs[i] = encoders[i]->codec;
	}
	ck_assert_int_eq(hls_folder.open(mem, &order, codecs, &sink), OK);
}

static void
put_picture(int64_t number)
{
	unsigned char *bytes = arena_alloc(mem, picture_bytes);
	struct picture is = { .key = number % gop == 0,
		.head = head,
		.n_head = n_head,
		.width = head == small_head ? 160 : 320,
		.height = head == small_head ? 120 : 240,
		.bytes = bytes,
		.n = picture_bytes };

	memset(bytes, 0x55, picture_bytes);
	memcpy(bytes, (const unsigned char[]){ 0, 0, 0, 1, is.key ? 0x65 : 0x41 }, 5);
	hls_folder.put_picture(sink, &is, now, now);
}

/* Lets this much time pass, in ticks. */
static void
run_ticks(int n)
{
	static const float silence[EGRESS_TICK];
	static int64_t number;

	if (gop == NO_PICTURE)
		number = 0;
	for (int tick = 0; tick < n; tick++) {
		struct arena *all = mem;

		mem = arena_new();
		if (gop != NO_PICTURE && tick % (50 / PICTURES) == 0)
			put_picture(number++);
		arena_free(mem);
		mem = all;
		now += EGRESS_TICK;
		for (size_t i = 0; i < order.n; i++)
			encoder_put(encoders[i], silence, hls_folder.put, sink, i);
		hls_folder.step(sink, now);
	}
}

/* Lets this many seconds pass. */
static void
run(int s)
{
	run_ticks(s * 50);
}

static void
setup(void)
{
	mem = arena_new();
	av_log_set_level(AV_LOG_QUIET);
	strcpy(folder, "/tmp/dragoman-hls-XXXXXX");
	ck_assert_ptr_nonnull(mkdtemp(folder));
	epoch_us = EPOCH_US;
	language = "es";
	low_latency = false;
	now = INT64_C(36001) * EGRESS_HZ;
	gop = 2 * PICTURES;
	picture_bytes = 1000;
	head = small_head;
	n_head = sizeof(small_head);
}

static void
teardown(void)
{
	ck_assert_int_eq(system(arena_printf(mem, "rm -r %s", folder)), 0);
	/* mem is not freed: a sink is never closed, it ends with its process. */
}

/* ---- what is there ---- */

static const char *
text_of(const char *name)
{
	return unit_text(mem, arena_printf(mem, "%s/%s", folder, name));
}

static bool
is_there(const char *name)
{
	return access(arena_printf(mem, "%s/%s", folder, name), R_OK) == 0;
}

/* Checks that each file in a playlist exists; returns the number of listed segments. */
static int
check_listed(const char *playlist)
{
	char *text = arena_str(mem, text_of(playlist)), *line, *rest = NULL;
	int n = 0;

	for (line = strtok_r(text, "\n", &rest); line != NULL;
	     line = strtok_r(NULL, "\n", &rest)) {
		char *map = strstr(line, "#EXT-X-MAP:URI=\"");

		if (map != NULL) {
			map += strlen("#EXT-X-MAP:URI=\"");
			*strchr(map, '"') = '\0';
			ck_assert_msg(is_there(map), "%s", map);
		} else if (line[0] != '#') {
			ck_assert_msg(is_there(line), "%s", line);
			n++;
		}
	}
	return n;
}

/* Returns the number after the last of these tags in a playlist; -1: none. */
static int
tag(const char *playlist, const char *name)
{
	const char *at, *last = NULL;

	for (at = text_of(playlist); (at = strstr(at, name)) != NULL; at++)
		last = at;
	return last != NULL ? atoi(last + strlen(name)) : -1;
}

static int
count_files(const char *begin_of_name, const char *end)
{
	DIR *dir = opendir(folder);
	const struct dirent *e;
	int n = 0;

	ck_assert_ptr_nonnull(dir);
	while ((e = readdir(dir)) != NULL)
		n += strncmp(e->d_name, begin_of_name, strlen(begin_of_name)) == 0 &&
		     strstr(e->d_name, end) != NULL;
	closedir(dir);
	return n;
}

/* ---- cases ---- */

static const int gops_s[] = { 1, 2, 7, 10, 20 };

START_TEST(what_is_listed_is_there)
{
	gop = gops_s[_i] * PICTURES;
	begin(true);
	for (int i = 0; i < 20; i++) {
		run(17);
		if (i == 0)
			continue;
		ck_assert_int_ge(check_listed("picture-video.m3u8"), 1);
		ck_assert_int_ge(check_listed("es-audio.m3u8"), 4);
		ck_assert_int_ge(check_listed("es-text.m3u8"), 4);
	}
	ck_assert_int_eq(check_listed("picture-video.m3u8"), 6);
	ck_assert_int_le(count_files("picture-", ".m4s"), 21);
	ck_assert_int_le(count_files("es-", ".m4s"), 25 * (1 + gops_s[_i] / 4));
}
END_TEST

/* Returns the seconds that a playlist lists. */
static double
listed_s(const char *playlist)
{
	const char *at = text_of(playlist);
	double s = 0;

	while ((at = strstr(at, "#EXTINF:")) != NULL)
		s += atof(at += strlen("#EXTINF:"));
	return s;
}

START_TEST(beside_the_picture_there_is_sound_and_text)
{
	int number = 0, n;
	double s;

	gop = gops_s[_i] * PICTURES;
	begin(true);
	for (int i = 0; i < 25; i++) {
		run(9);
		n = tag("es-audio.m3u8", "MEDIA-SEQUENCE:");
		ck_assert_int_ge(n, number);
		number = n;
	}
	s = listed_s("picture-video.m3u8");
	ck_assert_double_ge(listed_s("es-audio.m3u8"), s - 12);
	ck_assert_double_ge(listed_s("es-text.m3u8"), s - 12);
	n = tag("picture-video.m3u8", "TARGETDURATION:");
	ck_assert_int_eq(tag("es-audio.m3u8", "TARGETDURATION:"), n);
	ck_assert_int_eq(tag("es-text.m3u8", "TARGETDURATION:"), n);
}
END_TEST

START_TEST(players_that_begin_early_see_the_picture)
{
	gop = NO_PICTURE;
	begin(true);
	run(3); /* the original comes later by the delay */
	gop = 7 * PICTURES;
	for (int i = 0; i < 20; i++) {
		run(1);
		if (is_there("index.m3u8"))
			ck_assert_ptr_nonnull(
			    strstr(text_of("index.m3u8"), "picture-video"));
	}
	ck_assert(is_there("index.m3u8"));
	ck_assert_ptr_nonnull(strstr(text_of("es.m3u8"), "RESOLUTION=160x120"));
}
END_TEST

START_TEST(a_picture_that_never_comes_is_not_waited_for)
{
	gop = NO_PICTURE;
	begin(_i == 0);
	run(_i == 0 ? 7 : 2);
	ck_assert(!is_there("index.m3u8"));
	run(6);
	ck_assert(is_there("index.m3u8"));
	ck_assert_ptr_null(strstr(text_of("index.m3u8"), "picture"));
}
END_TEST

/* The last segment stays listed. */
START_TEST(a_picture_that_ends_holds_up_no_player)
{
	int number;

	begin(true);
	run(30);
	gop = NO_PICTURE;
	run(30);
	number = tag("picture-video.m3u8", "MEDIA-SEQUENCE:");
	run(60);
	ck_assert_int_ge(tag("picture-video.m3u8", "MEDIA-SEQUENCE:"), number + 10);
	ck_assert_int_le(tag("picture-video.m3u8", "TARGETDURATION:"), 8);
	ck_assert_int_eq(check_listed("picture-video.m3u8"), 6);
	gop = 2 * PICTURES;
	run(30);
	ck_assert_int_eq(tag("picture-video.m3u8", "EXTINF:"), 4);
}
END_TEST

START_TEST(another_picture_is_a_discontinuity_of_all)
{
	static const char *const lists[] = { "picture-video.m3u8", "es-audio.m3u8",
		"es-text.m3u8" };
	int before;

	begin(true);
	run(30);
	before = tag("es-audio.m3u8", "DISCONTINUITY-SEQUENCE:");
	head = large_head;
	n_head = sizeof(large_head);
	run(10);
	for (size_t i = 0; i < 3; i++) {
		ck_assert_int_eq(tag(lists[i], "DISCONTINUITY-SEQUENCE:"), before);
		ck_assert_ptr_nonnull(
		    strstr(text_of(lists[i]), "#EXT-X-DISCONTINUITY\n"));
	}
	ck_assert_ptr_nonnull(strstr(text_of("es.m3u8"), "RESOLUTION=320x240"));
	run(40); /* it is no longer listed */
	for (size_t i = 0; i < 3; i++) {
		ck_assert_int_eq(tag(lists[i], "DISCONTINUITY-SEQUENCE:"), before + 1);
		ck_assert_ptr_null(strstr(text_of(lists[i]), "#EXT-X-DISCONTINUITY\n"));
		check_listed(lists[i]);
	}
	run(100);
	ck_assert_int_eq(count_files("picture-init-", ".mp4"), 1);
}
END_TEST

/*
 * In one case a keyframe comes only every ten seconds, in the other none comes. A
 * segment has room for 12 MiB.
 */
START_TEST(a_picture_that_is_too_large_costs_no_sound)
{
	const char *why;
	int64_t bytes;

	gop = _i == 0 ? 10 * PICTURES : 1000 * PICTURES;
	picture_bytes = 80000;
	begin(true);
	run(60);
	ck_assert(hls_folder.status(sink, &bytes, &why));
	ck_assert_ptr_null(why);
	check_listed("es-audio.m3u8");
	ck_assert_int_ge(check_listed("picture-video.m3u8"), 2);
	ck_assert_int_eq(
	    system(arena_printf(
		mem, "find %s -size +13M | grep -q . && exit 1; exit 0", folder)),
	    0);
}
END_TEST

START_TEST(another_child_goes_on)
{
	int number;

	begin(true);
	run(60);
	number = tag("picture-video.m3u8", "MEDIA-SEQUENCE:");
	begin(true); /* the unfinished segment is lost */
	run(40);
	ck_assert_int_gt(tag("picture-video.m3u8", "MEDIA-SEQUENCE:"), number);
	ck_assert_int_eq(check_listed("picture-video.m3u8"), 6);
	ck_assert_int_ge(check_listed("es-audio.m3u8"), 6);
}
END_TEST

/* A gateway that starts at night: media time has gone back. */
START_TEST(another_day_is_a_discontinuity)
{
	int number, discontinuity;

	now = INT64_C(86300) * EGRESS_HZ;
	begin(false);
	run(60);
	number = tag("es-audio.m3u8", "MEDIA-SEQUENCE:");
	discontinuity = tag("es-audio.m3u8", "DISCONTINUITY-SEQUENCE:");
	now -= INT64_C(86340) * EGRESS_HZ;
	epoch_us += DAY_US;
	begin(false);
	run(40);
	ck_assert_int_gt(tag("es-audio.m3u8", "MEDIA-SEQUENCE:"), number);
	ck_assert_int_gt(
	    tag("es-audio.m3u8", "DISCONTINUITY-SEQUENCE:"), discontinuity);
	/* some players keep an array up to this number */
	ck_assert_int_lt(tag("es-audio.m3u8", "DISCONTINUITY-SEQUENCE:"), 50000);
	ck_assert_int_gt(tag("es-text.m3u8", "DISCONTINUITY-SEQUENCE:"), discontinuity);
	ck_assert_ptr_nonnull(
	    strstr(text_of("es-audio.m3u8"), "TIME:2026-01-02T00:00"));
}
END_TEST

START_TEST(a_language_that_is_no_longer_asked_for_has_no_playlist)
{
	begin(true);
	run(30);
	language = "es-mx";
	begin(false);
	ck_assert(!is_there("es.m3u8"));
	ck_assert(!is_there("es-audio.m3u8"));
	ck_assert(!is_there("es-text.m3u8"));
	ck_assert(!is_there("picture-video.m3u8"));
	ck_assert(is_there("index.m3u8"));
	gop = NO_PICTURE;
	run(30);
	begin(false); /* a segment that has one keeps it */
	ck_assert_int_eq(check_listed("es-mx-audio.m3u8"), 6);
	ck_assert_int_eq(check_listed("es-mx-text.m3u8"), 24);
	ck_assert(is_there("es-mx.m3u8"));
}
END_TEST

static const char *
why(void)
{
	const char *is;
	int64_t bytes;

	ck_assert(hls_folder.status(sink, &bytes, &is) == (is == NULL));
	return is;
}

static const struct {
	const char *playlist, *kind;
	int listed;
} unwritten[] = { { "es-audio.m3u8", "m4s", 6 }, { "es-text.m3u8", "vtt", 24 } };

/*
 * Simulates a disk that is full for a moment; files that could be written are still
 * listed.
 */
START_TEST(a_segment_that_cannot_be_written_is_a_gap)
{
	const char *playlist = unwritten[_i].playlist, *name, *gap;
	int number;

	gop = NO_PICTURE;
	begin(false);
	run(30);
	ck_assert_ptr_null(why());
	number = tag(playlist, "es-") + 1;
	name = arena_printf(mem, "es-%d.%s", number, unwritten[_i].kind);
	ck_assert_int_eq(mkdir(arena_printf(mem, "%s/.%s", folder, name), 0755), 0);
	run(4);
	ck_assert_ptr_nonnull(why());
	gap = strstr(text_of(playlist), "#EXT-X-GAP\n#EXTINF:");
	ck_assert_ptr_nonnull(gap);
	gap = strchr(gap, ',') + 2;
	ck_assert_str_eq(arena_dup(mem, gap, strcspn(gap, "\n")), name);
	ck_assert_int_eq(rmdir(arena_printf(mem, "%s/.%s", folder, name)), 0);
	run(4);
	ck_assert_ptr_null(why());
	run(26);
	ck_assert_ptr_null(strstr(text_of(playlist), "GAP"));
	ck_assert_int_eq(check_listed(playlist), unwritten[_i].listed);
}
END_TEST

/* ---- low latency ---- */

static void
begin_low(void)
{
	gop = NO_PICTURE;
	low_latency = true;
	begin(false);
}

/* Returns the parts that a playlist lists, and checks their files and lengths. */
static int
check_parts(const char *playlist, double *seconds)
{
	const char *at = text_of(playlist), *uri;
	double s, shortest = 1;
	int n = 0;

	for (*seconds = 0; (at = strstr(at, "#EXT-X-PART:")) != NULL; at++, n++) {
		ck_assert_int_eq(sscanf(at, "#EXT-X-PART:DURATION=%lf,", &s), 1);
		ck_assert_double_le(s, 0.52);
		if (strncmp(strchr(at, '\n'), "\n#EXTINF", 8) != 0) /* not the last */
			shortest = s < shortest ? s : shortest;
		uri = strstr(at, "URI=\"") + strlen("URI=\"");
		ck_assert(is_there(arena_dup(mem, uri, strcspn(uri, "\""))));
		*seconds += s;
	}
	ck_assert_double_ge(shortest, 0.85 * 0.52);
	return n;
}

START_TEST(segments_have_parts_of_half_a_second)
{
	double s;
	int n;

	begin_low();
	run(60);
	ck_assert_ptr_nonnull(strstr(text_of("es-audio.m3u8"),
	    "\n#EXT-X-SERVER-CONTROL:CAN-BLOCK-RELOAD=YES,CAN-SKIP-UNTIL=24.0,"
	    "PART-HOLD-BACK=1.56\n#EXT-X-PART-INF:PART-TARGET=0.52\n"));
	ck_assert_ptr_nonnull(strstr(text_of("es-text.m3u8"),
	    "\n#EXT-X-SERVER-CONTROL:CAN-BLOCK-RELOAD=YES,CAN-SKIP-UNTIL=24.0\n"));
	ck_assert_ptr_null(strstr(text_of("es-text.m3u8"), "PART"));
	for (int i = 0; i < 20; i++) {
		run_ticks(10);
		n = check_parts("es-audio.m3u8", &s);
		ck_assert_int_ge(n, 16);
		ck_assert_double_ge(s, 8);
		ck_assert_double_le(s, 12.6);
		ck_assert_int_eq(check_listed("es-audio.m3u8"), 9);
	}
	run(200);
	ck_assert_int_le(count_files("es-", ".m4s"), 27 + 10 * 8);
	ck_assert_int_le(count_files("es-", ".vtt"), 3 * 36 + 4);
}
END_TEST

static void
begin_low_with_picture(void)
{
	low_latency = true;
	begin(true);
}

/* Keyframes each two seconds are in each fourth part. */
START_TEST(the_picture_has_parts_of_half_a_second)
{
	const char *at;
	double s;
	int n, independent;

	begin_low_with_picture();
	run(60);
	ck_assert_ptr_nonnull(strstr(text_of("picture-video.m3u8"),
	    "\n#EXT-X-SERVER-CONTROL:CAN-BLOCK-RELOAD=YES,PART-HOLD-BACK=1.56\n"));
	ck_assert_ptr_null(strstr(text_of("es-audio.m3u8"), "SKIP"));
	ck_assert_ptr_nonnull(strstr(text_of("es-audio.m3u8"),
	    "#EXT-X-RENDITION-REPORT:URI=\"picture-video.m3u8\",LAST-MSN="));
	for (int i = 0; i < 20; i++) {
		run_ticks(11);
		n = check_parts("picture-video.m3u8", &s);
		ck_assert_int_ge(n, 16);
		ck_assert_double_ge(s, 8);
		ck_assert_double_le(s, 16.1);
		independent = 0;
		for (at = text_of("picture-video.m3u8");
		     (at = strstr(at, ",INDEPENDENT=YES")) != NULL; at++)
			independent++;
		ck_assert_int_ge(independent, n / 4);
		ck_assert_int_le(independent, n / 4 + 1);
		ck_assert_int_eq(check_listed("picture-video.m3u8"), 6);
	}
	n = tag("picture-video.m3u8", "\npicture-");
	ck_assert_int_eq(
	    system(arena_printf(mem,
		"cd %s && cat $(ls picture-%dp*.m4s | sort -V) | cmp - picture-%d.m4s",
		folder, n, n)),
	    0);
	run(40);
	ck_assert_int_le(count_files("picture-", ".m4s"), 19 + 7 * 9);
}
END_TEST

/* Returns the seconds that the playlist of the picture has in all. */
static double
picture_end(void)
{
	double parts, s = listed_s("picture-video.m3u8");
	const char *at = text_of("picture-video.m3u8"), *next;

	while ((next = strstr(at, "#EXTINF:")) != NULL)
		at = next + 1;
	for (; (at = strstr(at, "#EXT-X-PART:DURATION=")) != NULL; s += parts, at++)
		sscanf(at, "#EXT-X-PART:DURATION=%lf", &parts);
	return s + (double)tag("picture-video.m3u8", "MEDIA-SEQUENCE:") * 4;
}

/* The camera stops. */
START_TEST(a_player_with_low_latency_waits_for_no_picture)
{
	double end;

	begin_low_with_picture();
	run(30);
	gop = NO_PICTURE;
	run(2);
	for (int i = 0; i < 30; i++) {
		end = picture_end();
		run_ticks(50);
		ck_assert_double_ge(picture_end(), end + 0.5);
	}
}
END_TEST

static const char *const with_parts[] = { "es-audio.m3u8", "picture-video.m3u8" };

/* The part that a playlist announces is the next that it lists. */
START_TEST(the_next_part_is_announced)
{
	const char *hint, *next, *before = "";
	int n = 0;

	begin_low_with_picture();
	run(30);
	for (int tick = 0; tick < 500; tick++) {
		run_ticks(1);
		hint = strstr(text_of(with_parts[_i]), "#EXT-X-PRELOAD-HINT:");
		ck_assert_int_eq(
		    strncmp(hint, "#EXT-X-PRELOAD-HINT:TYPE=PART,URI=\"", 35), 0);
		next = hint + strlen("#EXT-X-PRELOAD-HINT:TYPE=PART,URI=\"");
		next = arena_dup(mem, next, strcspn(next, "\""));
		if (strcmp(next, before) != 0 && n++ > 0)
			ck_assert(is_there(before));
		ck_assert(!is_there(next));
		before = next;
	}
	ck_assert_int_ge(n, 20);
	ck_assert_int_le(n, 21);
}
END_TEST

/* A segment consists of the bytes of its parts. */
START_TEST(parts_are_a_segment)
{
	int last;

	begin_low();
	run(30);
	last = tag("es-audio.m3u8", "\nes-");
	ck_assert_int_eq(
	    system(arena_printf(mem,
		"cd %s && cat es-%dp0.m4s es-%dp1.m4s es-%dp2.m4s es-%dp3.m4s "
		"es-%dp4.m4s es-%dp5.m4s es-%dp6.m4s es-%dp7.m4s | cmp - es-%d.m4s",
		folder, last, last, last, last, last, last, last, last, last)),
	    0);
	ck_assert_int_eq(
	    system(arena_printf(mem,
		"cd %s && cat es-init-0.mp4 es-%dp3.m4s > alone.mp4 && "
		"ffprobe -v error -show_entries packet=pts -of csv=p=0 alone.mp4 | "
		"head -n 1 > at && test $(($(cat at | tr -d ,) / 24000)) = %lld",
		folder, last, (long long)(last - epoch_us / S_US / 4) * 8 + 3)),
	    0);
}
END_TEST

/* Both playlists of a kind report the end of the other one. */
START_TEST(playlists_report_the_others_end)
{
	const char *report;
	long long msn, part, last;
	int parts = 0;

	begin_low();
	run(30);
	for (int i = 0; i < 9; i++) {
		run_ticks(25);
		report = strstr(text_of("es-audio.m3u8"), "#EXT-X-RENDITION-REPORT:");
		ck_assert_int_eq(
		    sscanf(report,
			"#EXT-X-RENDITION-REPORT:URI=\"de-audio.m3u8\",LAST-MSN=%lld,"
			"LAST-PART=%lld",
			&msn, &part),
		    2);
		last = tag("de-audio.m3u8", "\nde-");
		/* this one is announced */
		parts = tag("de-audio.m3u8", arena_printf(mem, "de-%lldp", last + 1));
		ck_assert_int_eq(msn, parts > 0 ? last + 1 : last);
		ck_assert_int_eq(part, parts > 0 ? parts - 1 : 7);
	}
	report = strstr(text_of("de-text.m3u8"), "#EXT-X-RENDITION-REPORT:");
	ck_assert_int_eq(
	    sscanf(report,
		"#EXT-X-RENDITION-REPORT:URI=\"es-text.m3u8\",LAST-MSN=%lld\n", &msn),
	    1);
	ck_assert_int_eq(msn, tag("es-text.m3u8", "\nes-"));
}
END_TEST

/* Captions are in the segment of the second in which they begin. */
START_TEST(captions_have_segments_of_a_second)
{
	struct egress_caption c = { .text = "Buenos días" };
	int last;

	begin_low();
	run(30);
	c.start = now;
	c.end = now + EGRESS_HZ / 2;
	hls_folder.put_caption(sink, 0, &c);
	run_ticks(110);
	last = tag("es-text.m3u8", "\nes-");
	ck_assert_int_eq(last, epoch_us / S_US + now / EGRESS_HZ - 1);
	ck_assert_ptr_nonnull(strstr(text_of(arena_printf(mem, "es-%d.vtt",
					 (int)(epoch_us / S_US + c.start / EGRESS_HZ))),
	    "Buenos días"));
}
END_TEST

/* Players have parts of a segment that its child did not end. */
START_TEST(a_segment_with_parts_is_not_made_again)
{
	int listed, first;
	bool has_parts;
	const char *code = _i == 0 ? "es" : "picture";

	begin_low_with_picture();
	run(30);
	for (int i = 0; i < 4; i++) {
		run_ticks(20 * i + 60);
		listed = tag(with_parts[_i],
		    arena_printf(mem, "URI=\"%s-", code)); /* announced */
		has_parts = tag(with_parts[_i],
				arena_printf(mem, "\"%s-%dp", code, listed)) > 0;
		begin_low_with_picture();
		run(9);
		first = tag(with_parts[_i], "MEDIA-SEQUENCE:");
		ck_assert_int_ge(first, has_parts ? listed + 1 : listed);
		ck_assert_int_le(first, listed + 2);
		check_listed(with_parts[_i]);
	}
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("HLS");
	TCase *t = tcase_create("all");

	tcase_add_checked_fixture(t, setup, teardown);
	tcase_set_timeout(t, 30);
	tcase_add_loop_test(t, what_is_listed_is_there, 0, COUNT(gops_s));
	tcase_add_loop_test(
	    t, beside_the_picture_there_is_sound_and_text, 0, COUNT(gops_s));
	tcase_add_test(t, players_that_begin_early_see_the_picture);
	tcase_add_loop_test(t, a_picture_that_never_comes_is_not_waited_for, 0, 2);
	tcase_add_test(t, a_picture_that_ends_holds_up_no_player);
	tcase_add_test(t, another_picture_is_a_discontinuity_of_all);
	tcase_add_loop_test(t, a_picture_that_is_too_large_costs_no_sound, 0, 2);
	tcase_add_test(t, another_child_goes_on);
	tcase_add_test(t, another_day_is_a_discontinuity);
	tcase_add_test(t, a_language_that_is_no_longer_asked_for_has_no_playlist);
	tcase_add_loop_test(
	    t, a_segment_that_cannot_be_written_is_a_gap, 0, COUNT(unwritten));
	tcase_add_test(t, segments_have_parts_of_half_a_second);
	tcase_add_test(t, the_picture_has_parts_of_half_a_second);
	tcase_add_test(t, a_player_with_low_latency_waits_for_no_picture);
	tcase_add_loop_test(t, the_next_part_is_announced, 0, COUNT(with_parts));
	tcase_add_test(t, parts_are_a_segment);
	tcase_add_test(t, playlists_report_the_others_end);
	tcase_add_test(t, captions_have_segments_of_a_second);
	tcase_add_loop_test(
	    t, a_segment_with_parts_is_not_made_again, 0, COUNT(with_parts));
	suite_add_tcase(s, t);
	return unit_run(s);
}
