/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "speech/model_server.h"

#include <libgen.h>
#include <math.h>
#include <poll.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/child.h"
#include "speech/model_library.h"
#include "speech/model_message.h"

#define PIECE 8000 /* samples in a MODEL_AUDIO at most */

static uint32_t turn; /* turn of the message that is being answered */

/* ---- messages ---- */

static bool
write_all(const void *from, size_t n)
{
	const char *p = from;
	ssize_t did;

	for (; n > 0; p += did, n -= (size_t)did)
		if ((did = write(STDOUT_FILENO, p, n)) <= 0)
			return false;
	return true;
}

/* End the process if the write fails: the engine has gone. */
static void
send_message(enum model_kind kind, const void *p, size_t n)
{
	const struct model_head head = { kind, turn, (uint32_t)n };

	if (!write_all(&head, sizeof(head)) || !write_all(p, n))
		_exit(EXIT_SUCCESS);
}

static void
send_text(enum model_kind kind, const char *text)
{
	size_t n = strlen(text);

	send_message(kind, text, n < MODEL_BYTES ? n : MODEL_BYTES);
}

static void
read_all(void *to, size_t n)
{
	char *p = to;
	ssize_t did;

	for (; n > 0; p += did, n -= (size_t)did)
		if ((did = read(STDIN_FILENO, p, n)) <= 0)
			_exit(EXIT_SUCCESS);
}

/* ---- processes that share a model ---- */

/* Receive the descriptor of MODEL_FORK; below 0: there is none. */
static int
receive_end(void)
{
	char byte;
	struct iovec part = { &byte, 1 };
	union {
		struct cmsghdr align;
		char bytes[CMSG_SPACE(sizeof(int))];
	} control = { .bytes = "" };
	struct msghdr m = { .msg_iov = &part,
		.msg_iovlen = 1,
		.msg_control = control.bytes,
		.msg_controllen = sizeof(control.bytes) };
	struct cmsghdr *c;
	int fd = -1;

	if (recvmsg(STDIN_FILENO, &m, MSG_CMSG_CLOEXEC) != 1)
		_exit(EXIT_SUCCESS);
	if ((c = CMSG_FIRSTHDR(&m)) != NULL && c->cmsg_type == SCM_RIGHTS)
		memcpy(&fd, CMSG_DATA(c), sizeof(fd));
	return fd;
}

/* Fork a process, which serves the other end of the descriptor that comes. */
static void
fork_process(const struct model_library *lib)
{
	int fd = receive_end();
	pid_t pid = fd >= 0 && lib->begin != NULL ? child_sandbox_fork(fd) : -1;

	if (pid != 0) {
		if (fd >= 0)
			close(fd);
		return;
	}
	pid = getpid();
	lib->begin();
	send_message(MODEL_READY, &pid, sizeof(pid));
}

/* ---- work ---- */

static void
feed_sound(const struct model_library *lib, const char *p, size_t n)
{
	static char last[1024];
	float s[MODEL_BYTES / sizeof(int16_t)];
	const char *text;
	int16_t one;

	n /= sizeof(one);
	for (size_t i = 0; i < n; i++) {
		memcpy(&one, p + i * sizeof(one), sizeof(one));
		s[i] = (float)one / 32768;
	}
	text = lib->feed(s, n);
	if (text == NULL || strncmp(text, last, sizeof(last) - 1) == 0)
		return;
	snprintf(last, sizeof(last), "%s", text);
	send_text(MODEL_TEXT, text);
}

/* Cut the text at the first such byte; return the rest, or "". */
static char *
cut_at(char *text, char c)
{
	char *end = strchr(text, c);

	if (end == NULL)
		return text + strlen(text);
	*end = '\0';
	return end + 1;
}

/* Recognize sound, or end the phrase without; answer in the library's own form. */
static void
hear(const struct model_library *lib, struct arena *mem, const char *p, size_t n)
{
	int16_t s[MODEL_BYTES / sizeof(int16_t)];
	struct buf b = { .mem = mem };

	memcpy(s, p, n);
	if (n > 0)
		lib->hear(&b, s, n / sizeof(*s));
	else
		lib->end(&b);
	if (b.len > MODEL_BYTES)
		model_fault("a phrase of %zu bytes", b.len);
	send_message(MODEL_HEARD, b.p, b.len);
}

static void
learn(const struct model_library *lib, struct arena *mem, char *words)
{
	const char learnt = lib->learn(mem, words);

	send_message(MODEL_WORDS, &learnt, sizeof(learnt));
}

static void
finish(const struct model_library *lib, struct arena *mem, char *text)
{
	struct model_final final = { .confidence = 0 };
	struct model_end end = { .lang = text, .prompt = cut_at(text, '\n') };
	struct buf b = { .mem = mem };
	const char *said;

	end.candidates = cut_at(text, ' ');
	snprintf(final.lang, sizeof(final.lang), "%s", end.lang);
	said = lib->finish(mem, &end, &final);
	buf_put(&b, &final, sizeof(final));
	buf_str(&b, said);
	send_message(MODEL_FINAL, b.p, b.len < MODEL_BYTES ? b.len : MODEL_BYTES);
}

/* True if the engine has sent a message: it wants no more of this utterance. */
static bool
is_interrupted(void)
{
	struct pollfd p = { .fd = STDIN_FILENO, .events = POLLIN };

	return poll(&p, 1, 0) != 0;
}

static bool
send_audio(void *arg, const float *s, size_t n, int rate_hz)
{
	struct {
		int32_t rate_hz;
		int16_t s[PIECE];
	} audio = { .rate_hz = rate_hz };

	(void)arg;
	for (size_t some; n > 0; s += some, n -= some) {
		if (is_interrupted())
			return false;
		some = n < PIECE ? n : PIECE;
		for (size_t i = 0; i < some; i++)
			audio.s[i] = (int16_t)lrintf(fmaxf(-1, fminf(1, s[i])) * 32767);
		send_message(MODEL_AUDIO, &audio,
		    sizeof(audio.rate_hz) + some * sizeof(*audio.s));
	}
	return true;
}

static void
synthesize(const struct model_library *lib, const char *p, size_t n)
{
	struct model_utterance how;

	if (n < sizeof(how))
		return;
	memcpy(&how, p, sizeof(how));
	lib->synthesize(p + sizeof(how), how.rate, how.speaker, send_audio, NULL);
	send_message(MODEL_DONE, "", 0);
}

static _Noreturn void
serve(const struct model_library *lib, bool speaks)
{
	static char body[MODEL_BYTES + 1];
	struct model_head head;

	for (struct arena *mem = arena_new();; arena_reset(mem)) {
		read_all(&head, sizeof(head));
		if (head.kind == MODEL_FORK) {
			fork_process(lib);
			continue;
		}
		if (head.n > MODEL_BYTES)
			model_fault("a message of %u bytes", (unsigned)head.n);
		read_all(body, head.n);
		body[head.n] = '\0';
		turn = head.turn;
		if (head.kind == MODEL_UTTERANCE && speaks)
			synthesize(lib, body, head.n);
		else if (head.kind == MODEL_HINTS && !speaks && lib->hint != NULL)
			lib->hint(body);
		else if ((head.kind == MODEL_SOUND || head.kind == MODEL_END) &&
			 lib->hear != NULL)
			hear(lib, mem, body, head.n);
		else if (head.kind == MODEL_WORDS && lib->learn != NULL)
			learn(lib, mem, body);
		else if (head.kind == MODEL_MEAN && lib->follow != NULL)
			lib->follow(body, head.n);
		else if (head.kind == MODEL_SOUND && !speaks)
			feed_sound(lib, body, head.n);
		else if (head.kind == MODEL_END && !speaks)
			finish(lib, mem, body);
		else if (head.kind == MODEL_DROP && !speaks)
			lib->drop();
	}
}

/* ---- the beginning ---- */

#define NICE 1 /* niceness: sockets and threads of the gateway have priority */

static void
enter_sandbox(struct arena *mem, const struct model_want *want, bool forks, bool hears)
{
	const char *reads[] = { dirname(arena_str(mem, want->library)), want->model,
		"/lib", "/lib64", "/usr/lib", "/usr/lib64", "/usr/local/lib",
		"/etc/ld.so.cache", "/proc/cpuinfo", "/sys/devices/system/cpu",
		"/usr/share", NULL };

	const struct sched_param none = { 0 };

	setpriority(PRIO_PROCESS, 0, getpriority(PRIO_PROCESS, 0) + NICE);
	if (hears)
		sched_setscheduler(0, SCHED_BATCH, &none); /* preempts no other */
	if ((forks ? child_sandbox_loader(reads) : child_sandbox_library(reads)) != OK)
		model_fault("no sandbox");
}

/* The arguments are KIND TASK LIBRARY MODEL THREADS. */
void
model_serve(const struct model_library *const *all, int argc, char **argv)
{
	const struct model_library *lib = NULL;
	struct arena *mem = arena_new();
	struct model_want want;
	bool speaks;

	model_watch_errors();
	if (argc != 5)
		model_fault("KIND TASK LIBRARY MODEL THREADS are needed");
	for (; *all != NULL; all++)
		lib = strcmp((*all)->name, argv[0]) == 0 ? *all : lib;
	speaks = strcmp(argv[1], MODEL_SPEAK) == 0;
	want = (struct model_want){ argv[2], argv[3], atoi(argv[4]) };
	if (lib == NULL || (speaks ? lib->speak : lib->recognize) == NULL)
		model_fault("%s cannot %s", argv[0], argv[1]);
	enter_sandbox(mem, &want, lib->begin != NULL && !speaks, !speaks);
	(speaks ? lib->speak : lib->recognize)(mem, &want);
	send_message(MODEL_READY, "", 0);
	serve(lib, speaks);
}
