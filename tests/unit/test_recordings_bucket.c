/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Recordings for a bucket that refuses them. */
#define UNIT_TEST
#include "cgi-bin/recordings.c"

#include <signal.h>
#include <sys/wait.h>

#include "blob/blob.h"
#include "service/recording_store.h"
#include "store/events.h"
#include "tests/http-server.h"
#include "tests/unit/transcript_rows.h"

#define FORMAT(...) arena_printf(fixture.mem, __VA_ARGS__)

static void
setup(void)
{
	static const struct sql *const prepared[] = { account_sql, blob_sql, event_sql,
		stage_sql, recording_sql, NULL };

	fixture_open("recordings_bucket", recording_routes, prepared);
	fixture.app.conf.blob_reserve_bytes = 0;
}

/* A bucket that is overloaded; each call writes a byte to the pipe. */
static void
refuse_calls(int listener, int calls)
{
	static const char answer[] = "HTTP/1.1 503 Busy\r\nContent-Length: 0\r\n"
				     "Connection: close\r\n\r\n";
	char bytes[4096];
	int fd;

	while ((fd = accept(listener, NULL, NULL)) >= 0) {
		if (recv(fd, bytes, sizeof(bytes), 0) > 0 && write(calls, "", 1) == 1)
			(void)!write(fd, answer, strlen(answer));
		close(fd);
	}
}

START_TEST(a_bucket_that_is_away_is_called_once_a_round)
{
	struct conf *conf = &fixture.app.conf;
	const char *channel = put_speaking(fixture.account, NULL, NULL), *folder;
	int port = 0, listener = listen_on(&port), calls[2], n;
	char bytes[16];
	pid_t bucket;
	bool taken;
	enum err e;

	ck_assert_int_eq(pipe(calls), 0);
	if ((bucket = fork()) == 0) {
		refuse_calls(listener, calls[1]);
		_exit(1);
	}
	close(calls[1]);
	conf->blob_store = BLOB_S3;
	conf->blob_bucket = "media";
	conf->blob_addressing = "";
	conf->blob_region = "us-east-1";
	conf->blob_access_key = "AK";
	conf->blob_secret_key = "secret";
	conf->blob_endpoint = FORMAT("http://127.0.0.1:%d", port);
	for (int i = 0; i < 3; i++) {
		folder = recording_folder(conf, fixture.mem, channel);
		unit_write(FORMAT("%s/es.ogg", folder), "OggS Spanish");
		unit_write(FORMAT("%s/run", folder), "1000\n");
	}
	e = recording_collect(conf, fixture.app.db, fixture.mem, &taken, &n);
	kill(bucket, SIGKILL);
	waitpid(bucket, NULL, 0);
	ck_assert_int_eq(e, ERR_BUSY);
	close(listener);
	ck_assert_int_eq(read(calls[0], bytes, sizeof(bytes)), 1);
	close(calls[0]);
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("recordings_bucket");
	TCase *t = tcase_create("all");

	tcase_add_checked_fixture(t, setup, fixture_close);
	tcase_add_test(t, a_bucket_that_is_away_is_called_once_a_round);
	suite_add_tcase(s, t);
	return unit_run(s);
}
