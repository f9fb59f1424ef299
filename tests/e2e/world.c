/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "world.h"

#include <fcntl.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "audio/wav.h"
#include "base/buf.h"
#include "base/conf.h"
#include "base/hash.h"
#include "db/db.h"

/* ---- the operator ---- */

struct bytes
run(const char *const argv[])
{
	struct buf b = { .mem = memory() };
	int fd[2], status;
	ssize_t n;
	pid_t pid;

	ck_assert_int_eq(pipe(fd), 0);
	if ((pid = fork()) == 0) {
		dup2(fd[1], STDOUT_FILENO);
		close(fd[0]);
		close(fd[1]);
		execvp(argv[0], (char *const *)(uintptr_t)argv);
		_exit(127);
	}
	close(fd[1]);
	while ((n = read(fd[0], buf_room(&b, 4096), 4096)) > 0)
		b.len += (size_t)n;
	close(fd[0]);
	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	ck_assert_msg(status == 0, "%s ended with %d", argv[0], status);
	return (struct bytes){ buf_text(&b), b.len };
}

static void
point_to_conf(void)
{
	setenv("DRAGOMAN_CONF", text("%s/etc/dragoman.conf", instance()->dir), 1);
}

const char *
dragoman(const char *const args[])
{
	const char *argv[24] = { text("%s/bin/dragoman", instance()->dir) };
	struct bytes said;
	int n = 1;

	point_to_conf();
	for (int i = 0; args[i] != NULL; i++)
		argv[n++] = args[i];
	argv[n] = "--json";
	said = run(argv);
	return arena_dup(memory(), said.p, strcspn(said.p, "\n"));
}

static struct account
credentials(const json_t *j, const char *user_id)
{
	return (struct account){ user_id, text_at(j, "api_key"),
		text_at(j, "client_id"), text_at(j, "client_secret") };
}

struct account
account_new(const char *name)
{
	json_t *j = json_loads(DRAGOMAN("account", "add", "--name", name), 0, NULL);

	return credentials(j, text_at(j, "user_id"));
}

struct account
account_limited(const struct account *of, const char *scopes)
{
	const char *s = DRAGOMAN("key", "add", of->user_id, "--scopes", scopes);

	return credentials(json_loads(s, 0, NULL), of->user_id);
}

void
account_plan(const struct account *of, const char *option, const char *value)
{
	DRAGOMAN("account", "plan", of->user_id, option, value);
}

/* ---- files ---- */

struct bytes
recording(const char *name)
{
	const char *dir = getenv("E2E_RECORDINGS");
	const char *path = text("%s/%s", dir != NULL ? dir : ".", name);
	struct buf b = { .mem = memory() };
	int fd = open(path, O_RDONLY);
	ssize_t n;

	ck_assert_msg(fd >= 0, "%s is missing", path);
	while ((n = read(fd, buf_room(&b, 65536), 65536)) > 0)
		b.len += (size_t)n;
	close(fd);
	return (struct bytes){ b.p, b.len };
}

struct bytes
wav_of(size_t bytes)
{
	char *p = arena_alloc(memory(), bytes);

	random_bytes(p, bytes);
	wav_header_write(p, 16000, bytes - WAV_HEADER);
	return (struct bytes){ p, bytes };
}

struct bytes
same_bytes_of(char c, size_t n)
{
	char *p = arena_alloc(memory(), n);

	memset(p, c, n);
	return (struct bytes){ p, n };
}

const char *
sha256_of(struct bytes b)
{
	return hash_hex(memory(), b.p, b.n);
}

/* Reads 16-bit samples at 8 kHz. */
static struct sound
measure(struct bytes pcm)
{
	size_t n = pcm.n / sizeof(int16_t);
	double sum = 0;
	int16_t v;

	for (size_t i = 0; i < n; i++) {
		memcpy(&v, pcm.p + i * sizeof(v), sizeof(v));
		sum += (double)v * v / (32768.0 * 32768.0);
	}
	return (struct sound){ n > 0 ? sqrt(sum / (double)n) : 0, (double)n / 8000 };
}

struct sound
sound_of(struct bytes b)
{
	char path[] = "/tmp/e2e-sound-XXXXXX";
	int fd = mkstemp(path);
	struct bytes pcm;

	ck_assert_int_ge(fd, 0);
	ck_assert_int_eq(write(fd, b.p, b.n), (ssize_t)b.n);
	close(fd);
	pcm = run((const char *const[]){ "ffmpeg", "-nostdin", "-v", "error", "-i",
	    path, "-f", "s16le", "-ac", "1", "-ar", "8000", "-", NULL });
	unlink(path);
	return measure(pcm);
}

/* ---- voices ---- */

struct answer
clone_voice(const struct clone *c)
{
	return ASK(.path = "/saas/voice/clone", .as = c->as,
	    .headers = { c->key != NULL ? text("Idempotency-Key: %s", c->key) : NULL },
	    .json = text("{\"data\":{\"name\":\"%s\",\"samples\":[{\"filename\":"
			 "\"anna.wav\",\"mime_type\":\"%s\",\"lang_code\":\"%s\"}]%s}}",
		c->name != NULL ? c->name : "Anna (stage)",
		c->type != NULL ? c->type : "audio/wav",
		c->lang != NULL ? c->lang : "en-us", c->more != NULL ? c->more : ""));
}

const char *
clone_with(const struct clone *c, struct bytes sample)
{
	struct answer a = clone_voice(c), sent;
	struct form f;

	EXPECT(a, 200);
	f = form_of(at(a.json, "data.samples.0"), sample);
	sent = form_send(&f);
	EXPECT(sent, 201);
	return text_at(a.json, "data.voice_id");
}

struct answer
voice_read(const struct account *as, const char *id)
{
	return ASK(.path = text("/saas/voice/m/%s", id), .as = as);
}

json_t *
voice_await(const struct account *as, const char *id, const char *status)
{
	double end = seconds() + VOICE_S;
	struct answer a;

	for (;;) {
		a = voice_read(as, id);
		EXPECT(a, 200);
		if (strcmp(text_at(a.json, "data.processing_status"), status) == 0)
			return at(a.json, "data");
		ck_assert_msg(
		    seconds() < end, "never became %s: %s", status, shown(&a));
		nap(0.05);
	}
}

const char *
voice_made(const struct account *as)
{
	const char *id =
	    clone_with(&(struct clone){ .as = as }, recording("speech.wav"));

	voice_await(as, id, "ready");
	return id;
}

/* ---- the database ---- */

const struct conf *
settings(void)
{
	static struct conf c;

	point_to_conf();
	if (c.prefix == NULL)
		ck_assert_int_eq(conf_read(memory(), &c), OK);
	return &c;
}

int64_t
count_in_db(const struct sql *query, const char *id)
{
	int64_t n = 0;
	struct db *db;

	ck_assert_int_eq(db_open(&db, settings()->db_url, 5000, false), OK);
	ck_assert_int_eq(db_number(db, query, ARGS(TEXT(id)), &n), OK);
	db_close(db);
	return n;
}

void
change_db(const struct sql *statement, const char *id)
{
	struct db *db;

	ck_assert_int_eq(db_open(&db, settings()->db_url, 5000, false), OK);
	ck_assert_int_eq(db_begin(db, DB_ALL), OK);
	ck_assert_int_eq(db_change(db, statement, ARGS(TEXT(id)), ERR_NOT_FOUND), OK);
	ck_assert_int_eq(db_commit(db), OK);
	db_close(db);
}

bool
becomes(bool (*so)(const void *), const void *arg, double s)
{
	double end = seconds() + s * PATIENCE;

	while (!so(arg)) {
		if (seconds() > end)
			return false;
		nap(0.05);
	}
	return true;
}
