/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Files of the store, and links to them. */
#include <signal.h>
#include <sys/resource.h>
#include <sys/statvfs.h>

#include "blob/signed_url.h"
#include "stores.h"

START_TEST(files_on_disk_stand_where_they_should)
{
	struct stat st;

	store(NAME, "x");
	ck_assert_int_eq(
	    stat(arena_printf(mem, "%s/ec/%s", conf.blob_dir, NAME), &st), 0);
	ck_assert_int_eq(st.st_mode & 0777, 0600);
	ck_assert_int_eq(files(), 1);
	ck_assert_ptr_null(blob_link(&conf, mem, NAME, "audio/wav", 0, 60));
}
END_TEST

static const char *const odd_names[] = { "", "..", "../x", "ab/../../etc/passwd",
	"/etc/passwd", "ab/cd", "ab.cd", "a", "tmp/abcd" };

START_TEST(names_that_are_no_names_are_not_found)
{
	struct blob_facts facts;
	struct blob_file f;

	ck_assert_int_eq(blob_open(&conf, mem, odd_names[_i], &f), ERR_NOT_FOUND);
	ck_assert_int_eq(blob_stat(&conf, mem, odd_names[_i], &facts), ERR_NOT_FOUND);
	ck_assert_int_eq(blob_remove(&conf, mem, odd_names[_i]), OK);
}
END_TEST

START_TEST(names_are_unique_per_arrival)
{
	const char *a = blob_name(mem, ID), *b = blob_name(mem, ID);

	ck_assert_uint_eq(strlen(a), 45);
	ck_assert_int_eq(strncmp(a, ID "-", 37), 0);
	ck_assert_str_ne(a, b);
}
END_TEST

START_TEST(the_reserve_is_left_alone)
{
	struct statvfs at;
	struct blob_in *in;
	int64_t free_bytes;

	store(NAME, "x"); /* creates the folders */
	ck_assert_int_eq(statvfs(conf.blob_dir, &at), 0);
	free_bytes = (int64_t)(at.f_bavail * at.f_frsize);
	conf.blob_reserve_bytes = free_bytes / 2;
	ck_assert_int_eq(blob_begin(&conf, mem, free_bytes, &in), ERR_FULL);
	ck_assert_int_eq(blob_begin(&conf, mem, 1000, &in), OK);
	conf.blob_reserve_bytes = free_bytes * 2;
	ck_assert_int_eq(blob_put(in, "x", 1), ERR_FULL);
	ck_assert_int_eq(blob_begin(&conf, mem, 0, &in), ERR_FULL);
	ck_assert_int_eq(files(), 1);
}
END_TEST

START_TEST(a_disk_that_takes_no_more_is_full)
{
	struct rlimit all, few;
	struct blob_in *in;
	char some[200] = "";
	int log;

	signal(SIGXFSZ, SIG_IGN);
	ck_assert_int_eq(blob_begin(&conf, mem, 0, &in), OK);
	ck_assert_int_eq(getrlimit(RLIMIT_FSIZE, &all), 0);
	few = (struct rlimit){ 100, all.rlim_max };
	log = dup(STDERR_FILENO); /* the path may be a file, or longer than that */
	ck_assert_int_eq(
	    close(STDERR_FILENO) | open("/dev/null", O_WRONLY), STDERR_FILENO);
	ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &few), 0);
	ck_assert_int_eq(blob_put(in, some, sizeof(some)), ERR_FULL);
	ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &all), 0);
	dup2(log, STDERR_FILENO);
	close(log);
	ck_assert_int_eq(files(), 0);
}
END_TEST

START_TEST(a_folder_that_cannot_be_is_a_failure)
{
	struct blob_in *in;

	conf.blob_dir = "/proc/nowhere/blobs";
	ck_assert_int_eq(blob_begin(&conf, mem, 0, &in), ERR_FAILED);
	conf.blob_store = "tape";
	ck_assert_int_eq(blob_remove(&conf, mem, NAME), ERR_UNSUPPORTED);
}
END_TEST

START_TEST(a_sweep_puts_aside_what_is_old_and_unknown)
{
	const char *known = arena_printf(mem, "%s/ec/%s", conf.blob_dir, NAME);
	const char *stray = arena_printf(mem, "%s/ab/%s", conf.blob_dir, OTHER);
	const char *tmp = arena_printf(mem, "%s/tmp/stale", conf.blob_dir);
	int64_t removed, hour_ago = now_us() - 3600 * S_US;
	int asked = 0;

	store(NAME, "known");
	store(OTHER, "stray");
	close(open(tmp, O_CREAT | O_WRONLY, 0600));
	ck_assert_int_eq(
	    blob_sweep(&conf, mem, hour_ago, is_other, &asked, &removed), OK);
	ck_assert_int_eq(removed, 0); /* all files are young */
	ck_assert_int_eq(asked, 0);
	make_old(known);
	make_old(stray);
	make_old(tmp);
	ck_assert_int_eq(
	    blob_sweep(&conf, mem, hour_ago, is_other, &asked, &removed), OK);
	ck_assert_int_eq(removed, 2);
	ck_assert_int_eq(asked, 2);
	ck_assert_int_eq(access(known, F_OK), 0);
	ck_assert_int_eq(
	    access(arena_printf(mem, "%s/lost/%s", conf.blob_dir, OTHER), F_OK), 0);
	ck_assert_int_eq(files(), 2);
	/* Strays older than a week are deleted. */
	ck_assert_int_eq(blob_sweep(&conf, mem, now_us() + 8 * 86400 * S_US, is_other,
			     &asked, &removed),
	    OK);
	ck_assert_int_eq(access(known, F_OK), 0);
	ck_assert_int_eq(files(), 1);
}
END_TEST

START_TEST(a_sweep_of_nothing)
{
	int64_t removed;

	ck_assert_int_eq(
	    blob_sweep(&conf, mem, now_us(), is_other, NULL, &removed), OK);
	ck_assert_int_eq(removed, 0);
}
END_TEST

/* ---- links of our own ---- */

#define AT (1795169924 * S_US)

START_TEST(a_signed_link)
{
	const char *url = signed_url_make(&conf, mem, ID, AT);
	const char *sig = strstr(url, "&signature=");
	const char *until = "1795173524";

	ck_assert_int_eq(
	    strncmp(url,
		"https://speech.example.org/blobs/" ID "?expires=1795173524&signature=",
		101 - 8),
	    0);
	sig += 11;
	ck_assert_uint_eq(strlen(sig), 43);
	ck_assert_int_eq(signed_url_left(&conf, mem, ID, until, sig, AT), 3600);
	ck_assert_int_eq(
	    signed_url_left(&conf, mem, ID, until, sig, AT + 3599 * S_US + 999999), 1);
	ck_assert_int_eq(
	    signed_url_left(&conf, mem, ID, until, sig, AT + 3600 * S_US), 0);
	ck_assert_int_eq(signed_url_left(&conf, mem, ID, "1795173525", sig, AT), 0);
	ck_assert_int_eq(signed_url_left(&conf, mem, ID, "01795173524", sig, AT), 0);
	ck_assert_int_eq(signed_url_left(&conf, mem, ID, "", sig, AT), 0);
	ck_assert_int_eq(signed_url_left(&conf, mem, ID, "-1", sig, AT), 0);
	ck_assert_int_eq(signed_url_left(&conf, mem, ID, NULL, sig, AT), 0);
	ck_assert_int_eq(signed_url_left(&conf, mem, ID, until, NULL, AT), 0);
	ck_assert_int_eq(signed_url_left(&conf, mem, ID, until, "", AT), 0);
	ck_assert_int_eq(signed_url_left(&conf, mem, ID, until, sig + 1, AT), 0);
	ck_assert_int_eq(signed_url_left(&conf, mem, "ab7ac8ad", until, sig, AT), 0);
	conf.link_key[0]++;
	ck_assert_int_eq(signed_url_left(&conf, mem, ID, until, sig, AT), 0);
}
END_TEST

static TCase *
disk(void)
{
	TCase *t = tcase_create("disk");

	tcase_add_checked_fixture(t, stores_open, stores_close);
	stores_both(t);
	tcase_add_test(t, files_on_disk_stand_where_they_should);
	tcase_add_loop_test(
	    t, names_that_are_no_names_are_not_found, 0, COUNT(odd_names));
	tcase_add_test(t, names_are_unique_per_arrival);
	tcase_add_test(t, the_reserve_is_left_alone);
	tcase_add_test(t, a_disk_that_takes_no_more_is_full);
	tcase_add_test(t, a_folder_that_cannot_be_is_a_failure);
	tcase_add_test(t, a_sweep_puts_aside_what_is_old_and_unknown);
	tcase_add_test(t, a_sweep_of_nothing);
	tcase_add_test(t, a_signed_link);
	return t;
}

int
main(void)
{
	return stores_run("blob", disk());
}
