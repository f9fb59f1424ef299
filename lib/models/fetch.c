/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "models/fetch.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/hash.h"
#include "net/http.h"

#define CONNECT_MS 15000
#define SILENCE_US (60 * S_US) /* silence after which a server is given up */
#define WHOLE_MS (24 * 3600 * 1000)
#define REDIRECTS 5
#define CLIENT_S 7200  /* seconds that pip or npm may receive */
#define POLL_US 200000 /* between two looks at what a client has written */
#define WORDS 24       /* words of a client's command line, at most */

const char *
fetch_sum(struct arena *mem, const char *file)
{
	int fd = open(file, O_RDONLY | O_CLOEXEC);
	struct sha256 *sum;
	char block[65536];
	ssize_t n;

	if (fd < 0)
		return NULL;
	sum = sha256_new(mem);
	while ((n = read(fd, block, sizeof(block))) > 0)
		sha256_put(sum, block, (size_t)n);
	close(fd);
	return n == 0 ? sha256_hex(mem, sum) : NULL;
}

static const char *
fail(struct fetch *f, const char *why)
{
	f->why = why;
	return NULL;
}

/* ---- by https ---- */

struct download {
	struct fetch *f;
	struct http_exchange *exchange;
	int fd;
	int64_t have, of;    /* have: bytes of the file so far; of: its size */
	int64_t received_us; /* when the last piece came */
	bool begun;
	const char *why;
};

static void
see_type(void *arg, const char *type)
{
	struct download *d = arg;

	if (type != NULL && strncmp(type, "text/html", 9) == 0)
		d->why = "it answers with a web page instead of the file; a proxy or "
			 "a sign-in page stands in between";
}

/* Start the file again when the server does not continue it but sends it whole. */
static bool
begin_file(struct download *d)
{
	int64_t length = http_content_bytes(d->exchange);
	bool good = true;

	d->begun = true;
	if (http_status(d->exchange) != 206 && d->have > 0) {
		d->have = 0;
		good = ftruncate(d->fd, 0) == 0;
	}
	d->of = length >= 0 ? d->have + length : -1;
	return good;
}

static bool
receive(void *arg, const void *p, size_t n)
{
	struct download *d = arg;

	if (d->why == NULL &&
	    ((!d->begun && !begin_file(d)) || !file_write(d->fd, p, n)))
		d->why =
		    arena_printf(d->f->mem, "%s: %s", d->f->folder, strerror(errno));
	if (d->why != NULL)
		return false;
	d->have += (int64_t)n;
	d->received_us = monotonic_us();
	if (d->f->progress != NULL)
		d->f->progress(d->f->arg, d->have, d->of);
	return true;
}

static bool
is_silent(void *arg)
{
	const struct download *d = arg;

	return monotonic_us() - d->received_us > SILENCE_US;
}

static enum err
call_once(struct download *d, const char *url, bool chosen, struct http_answer *a)
{
	const char *headers[] = {
		arena_printf(d->f->mem, "Range: bytes=%lld-", (long long)d->have), NULL
	};
	const char *why = NULL;
	const struct http_call call = { .method = "GET",
		.url = url,
		.headers = d->have > 0 ? headers : NULL,
		.timeout_ms = WHOLE_MS,
		.connect_ms = CONNECT_MS,
		.max_bytes = SIZE_MAX / 2,
		/* the operator chose the address, which may be private */
		.allow_private = chosen,
		.take = receive,
		.typed = see_type,
		.unwanted = is_silent,
		.arg = d,
		.why = &why };
	enum err e;

	d->received_us = monotonic_us();
	d->begun = false;
	d->exchange = http_begin(d->f->mem, &call);
	while (http_step(d->exchange))
		usleep(2000);
	e = http_end(d->exchange, a);
	if (e != OK && d->why == NULL)
		d->why = e == ERR_BUSY ? "nothing has come for a minute"
			 : why != NULL ? why
				       : err_name(e);
	return e;
}

/* Returns true when the file is complete. */
static bool
judge(struct download *d, enum err e, const struct http_answer *a)
{
	if (d->why != NULL)
		return false;
	if (e == OK && (a->status == 200 || a->status == 206))
		return true;
	/* 416: the file was complete or has changed on the server */
	if (e == OK && a->status == 416) {
		if (ftruncate(d->fd, 0) == 0)
			d->have = 0;
		d->why =
		    "the part that was there does not fit; it is deleted, try again";
	} else
		d->why = arena_printf(d->f->mem, "it answers %d", a->status);
	return false;
}

static bool
follow(struct download *d, const char *url)
{
	bool secure = strncmp(url, "https:", 6) == 0;
	struct http_answer a;
	enum err e;

	for (int i = 0; i <= REDIRECTS; i++) {
		e = call_once(d, url, i == 0, &a);
		if (e != OK || a.status / 100 != 3 || a.location == NULL)
			return judge(d, e, &a);
		url = a.location;
		if (secure && strncmp(url, "https:", 6) != 0) {
			d->why = "it leads to an address without TLS";
			return false;
		}
	}
	d->why = "it leads from address to address";
	return false;
}

static const char *
fetch_by_https(struct fetch *f, const char *url)
{
	const char *whole = arena_printf(
	    f->mem, "%s/%.16s", f->folder, hash_hex(f->mem, url, strlen(url)));
	const char *part = arena_printf(f->mem, "%s.part", whole);
	struct download d = { .f = f, .of = -1 };
	struct stat st;
	bool good;

	d.fd = open(part, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
	if (d.fd < 0 || fstat(d.fd, &st) != 0) {
		if (d.fd >= 0)
			close(d.fd);
		return fail(f, arena_printf(f->mem, "%s: %s", part, strerror(errno)));
	}
	d.have = st.st_size;
	good = follow(&d, url);
	close(d.fd);
	if (good && rename(part, whole) == 0)
		return whole;
	if (d.have == 0)
		unlink(part);
	return fail(f, d.why != NULL ? d.why : strerror(errno));
}

/* ---- by the client of a registry ---- */

/* Split the catalogue's arguments into words. argv must be large enough. */
static void
add_words(struct arena *mem, const char **argv, int n, const char *words)
{
	char *all = arena_str(mem, words), *save;

	for (char *w = strtok_r(all, " ", &save); w != NULL && n < WORDS - 1;
	     w = strtok_r(NULL, " ", &save))
		argv[n++] = w;
	argv[n] = NULL;
}

/* The largest file below a folder that was written since then. */
static struct {
	time_t since;
	int64_t bytes;
} largest;

static int
see_file(const char *path, const struct stat *st, int type, struct FTW *at)
{
	(void)path, (void)at;
	if (type == FTW_F && st->st_mtime >= largest.since &&
	    st->st_size > largest.bytes)
		largest.bytes = st->st_size;
	return 0;
}

/* Wait for a client; its progress is the file that it writes into the folder. */
static int
wait_for(const struct fetch *f, pid_t pid)
{
	int status = 0;
	pid_t done;

	largest.since = time(NULL);
	largest.bytes = 0;
	while ((done = waitpid(pid, &status, f->progress != NULL ? WNOHANG : 0)) != pid)
		if (done == 0) {
			nftw(f->folder, see_file, 16, FTW_PHYS);
			f->progress(f->arg, largest.bytes, -1);
			usleep(POLL_US);
		} else if (errno != EINTR)
			break;
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

/* Returns the exit status; 127: the program does not exist. */
static int
run_client(const struct fetch *f, const char *const *argv, const char *log)
{
	int fd;
	pid_t pid = fork();

	if (pid < 0)
		return 126;
	if (pid == 0) {
		if ((fd = open(log, O_WRONLY | O_CREAT | O_TRUNC, 0600)) >= 0) {
			dup2(fd, STDOUT_FILENO);
			dup2(fd, STDERR_FILENO);
		}
		if ((fd = open("/dev/null", O_RDONLY)) >= 0)
			dup2(fd, STDIN_FILENO);
		setenv("TMPDIR", f->folder, 1); /* its progress is visible */
		alarm(CLIENT_S);
		execvp(argv[0], (char *const *)(uintptr_t)argv);
		_exit(127);
	}
	return wait_for(f, pid);
}

/* The last line of the log that is not empty. */
static const char *
last_line(struct arena *mem, const char *log)
{
	FILE *f = fopen(log, "re");
	const char *last = "it failed without a word";
	char line[400];

	while (f != NULL && fgets(line, sizeof(line), f) != NULL) {
		line[strcspn(line, "\r\n")] = '\0';
		if (line[strspn(line, " ")] != '\0' &&
		    strncmp(line, "npm notice", 10) != 0)
			last = arena_str(mem, line);
	}
	if (f != NULL)
		fclose(f);
	return last;
}

/* The only file in a folder; NULL: none or several. */
static const char *
only_file(struct arena *mem, const char *folder)
{
	const char *found = NULL;
	DIR *dir = opendir(folder);
	struct dirent *d;

	while (dir != NULL && (d = readdir(dir)) != NULL)
		if (d->d_name[0] != '.')
			found = arena_printf(mem, "%s/%s", folder, d->d_name);
	if (dir != NULL)
		closedir(dir);
	return found;
}

static int
run_pip(struct fetch *f, const char *to, const char *from, const char *log)
{
	static const char *const names[][3] = { { "pip3" }, { "pip" },
		{ "python3", "-m", "pip" } };
	int status = 127;

	for (size_t i = 0; i < 3 && status == 127; i++) {
		const char *argv[WORDS] = { NULL };
		int n = 0;

		while (n < 3 && names[i][n] != NULL) {
			argv[n] = names[i][n];
			n++;
		}
		argv[n++] = "download";
		argv[n++] = "--no-deps";
		argv[n++] = "--no-cache-dir";
		argv[n++] = "--only-binary=:all:";
		argv[n++] = "--dest";
		argv[n++] = to;
		add_words(f->mem, argv, n, from);
		status = run_client(f, argv, log);
	}
	return status;
}

static int
run_npm(struct fetch *f, const char *to, const char *from, const char *log)
{
	const char *argv[WORDS] = { "npm", "pack", "--silent", "--ignore-scripts",
		"--cache", arena_printf(f->mem, "%s/.npm", f->folder),
		"--pack-destination", to };

	add_words(f->mem, argv, 8, from);
	return run_client(f, argv, log);
}

static const char *
fetch_by_client(struct fetch *f, const char *by, const char *from)
{
	const char *key = hash_hex(f->mem, from, strlen(from));
	const char *to = arena_printf(f->mem, "%s/client-%.16s", f->folder, key);
	const char *whole = arena_printf(f->mem, "%s/%.16s", f->folder, key);
	const char *log = arena_printf(f->mem, "%s/client.log", f->folder);
	const char *file;
	int status;

	while ((file = only_file(f->mem, to)) != NULL && unlink(file) == 0)
		;
	if (mkdir(to, 0700) != 0 && errno != EEXIST)
		return fail(f, arena_printf(f->mem, "%s: %s", to, strerror(errno)));
	status = strcmp(by, "pip") == 0 ? run_pip(f, to, from, log)
					: run_npm(f, to, from, log);
	file = only_file(f->mem, to);
	if (status == 127)
		return fail(f, arena_printf(f->mem, "%s is not installed here", by));
	if (status != 0 || file == NULL)
		return fail(
		    f, arena_printf(f->mem, "%s says: %s", by, last_line(f->mem, log)));
	if (rename(file, whole) != 0)
		return fail(f, arena_printf(f->mem, "%s: %s", whole, strerror(errno)));
	rmdir(to);
	return whole;
}

const char *
fetch_part(struct fetch *f, const struct model_source *s, const struct model_part *p)
{
	return strcmp(s->by, "https") == 0 ? fetch_by_https(f, p->from)
					   : fetch_by_client(f, s->by, p->from);
}
