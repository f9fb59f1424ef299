/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TESTS_INGEST_SERVER_H
#define TESTS_INGEST_SERVER_H

/*
 * A server on 127.0.0.1, in threads of this process, that receives captions and is as
 * strict as a streaming server may be: it checks the key, the type, increasing numbers,
 * and current times that do not decrease.  A repeated number with the same body counts
 * as a retry.  At an address like Zoom's it accepts what Zoom accepts: one text and no
 * time.
 */
#include <ctype.h>
#include <stdatomic.h>

#include "base/clock.h"
#include "tests/http-server.h"

#define INGEST_KEY "abcd-1234-efgh"
#define INGEST_ZOOM                                                                    \
	"/closedcaption?id=200610693&ns=GZHkEA==&expire=86400&sparams=id%2Cns%"        \
	"2Cexpire&signature=abc&lang=es-ES"
#define INGEST_MOST 1000
#define INGEST_LATE_US (90 * S_US)
#define INGEST_AHEAD_US (5 * S_US)

static struct ingest {
	pthread_mutex_t lock;
	struct arena *mem;
	int listener, port;
	/* Set by the test: */
	/* status to answer in place of accepting a body; 0: accept */
	atomic_int status;
	atomic_bool hangs;        /* true: send no answer */
	_Atomic int64_t ahead_us; /* time by which the server's clock is ahead */
	/* The captions that it accepted: */
	int n;
	const char *texts[INGEST_MOST]; /* text of each caption */
	int64_t at_us[INGEST_MOST];     /* our time when each caption arrived */
	int64_t said_us[INGEST_MOST];   /* time of each caption by the server's clock */
	int64_t bodies[INGEST_MOST];    /* number of the request that brought it */
	int64_t seq, gaps;              /* last request number; requests left out */
	const char *body;               /* body of the last request */
	int tries, again;               /* all requests; repeated requests */
	const char *refused;            /* why the last request was refused, or NULL */
} ingest;

/* Reads "2026-11-23T09:00:01.250", with an optional time zone. */
static inline bool
ingest_time(const char *line, int64_t *us)
{
	static const char form[] = "0000-00-00T00:00:00.000";

	for (size_t i = 0; form[i] != '\0'; i++)
		if (form[i] == '0' ? !isdigit((unsigned char)line[i])
				   : line[i] != form[i])
			return false;
	if (line[23] != '\0' && line[23] != ' ')
		return false;
	if (!time_parse(arena_dup(ingest.mem, line, 19), us))
		return false;
	*us += atoi(line + 20) * 1000;
	return true;
}

/* Returns why a caption is refused, or NULL. */
static inline const char *
ingest_line(const char *time, const char *text, int64_t *last_us)
{
	int64_t now = now_us() + ingest.ahead_us, us;

	if (time == NULL || text == NULL || *text == '\0')
		return "a time without a text";
	if (!ingest_time(time, &us))
		return "no time";
	if (us < *last_us)
		return "a time that goes back";
	if (us < now - INGEST_LATE_US || us > now + INGEST_AHEAD_US)
		return "a time that is not now";
	*last_us = us;
	return NULL;
}

static inline void
ingest_keep(const char *text, int64_t said_us, int64_t seq)
{
	if (ingest.n == INGEST_MOST)
		return;
	ingest.at_us[ingest.n] = now_us();
	ingest.said_us[ingest.n] = said_us;
	ingest.bodies[ingest.n] = seq;
	ingest.texts[ingest.n++] = text;
}

static inline const char *
ingest_read(const char *body, int64_t seq, bool keep)
{
	char *rest = arena_str(ingest.mem, body), *time, *text;
	int64_t last_us = keep || ingest.n == 0 ? 0 : ingest.said_us[ingest.n - 1];
	const char *why = NULL;

	if (*body == '\0' || body[strlen(body) - 1] != '\n')
		return "no line end";
	while (why == NULL && (time = strsep(&rest, "\n")) != NULL && *time != '\0') {
		text = strsep(&rest, "\n");
		why = ingest_line(time, text, &last_us);
		if (why == NULL && keep)
			ingest_keep(text, last_us, seq);
	}
	return why;
}

/* As Zoom's server: accepts any text. */
static inline const char *
ingest_read_zoom(const char *body, int64_t seq, bool keep)
{
	size_t n = strlen(body);
	int64_t time;

	if (n == 0 || body[n - 1] == '\n' || strstr(body, "<br>") != NULL ||
	    (n > 23 && ingest_time(arena_dup(ingest.mem, body, 23), &time)))
		return "a text with marks";
	if (keep)
		ingest_keep(body, now_us(), seq);
	return NULL;
}

/* Returns the status of the answer. */
static inline int
ingest_refuse(int status, const char *why)
{
	ingest.refused = why;
	return status;
}

static inline int
ingest_number(int64_t seq, const char *body,
    const char *read(const char *body, int64_t seq, bool keep))
{
	const char *why;

	if (seq == ingest.seq && ingest.body != NULL &&
	    strcmp(body, ingest.body) == 0) {
		ingest.again++;
		return 200;
	}
	if (seq <= ingest.seq)
		return ingest_refuse(400, "a number that is not new");
	if ((why = read(body, seq, false)) != NULL)
		return ingest_refuse(400, why);
	ingest.gaps += ingest.seq > 0 ? seq - ingest.seq - 1 : 0;
	ingest.seq = seq;
	ingest.body = body;
	read(body, seq, true);
	return 200;
}

static inline int
ingest_take(const struct http_message *m)
{
	const char *type = header_of(ingest.mem, m->head, "Content-Type");
	const char *seq = strstr(m->target, "seq=");
	bool zoom = strncmp(m->target, INGEST_ZOOM "&", strlen(INGEST_ZOOM) + 1) == 0;

	ingest.tries++;
	if (ingest.status != 0)
		return ingest.status;
	if (strcmp(m->method, "POST") != 0)
		return ingest_refuse(405, "no POST");
	if (!zoom && strstr(m->target, "cid=" INGEST_KEY) == NULL)
		return ingest_refuse(403, "another key");
	if (type == NULL || strncmp(type, "text/plain", 10) != 0 ||
	    (zoom && type[10] != '\0'))
		return ingest_refuse(415, "another type");
	if (seq == NULL || strchr("?&", seq[-1]) == NULL ||
	    !isdigit((unsigned char)seq[4]))
		return ingest_refuse(400, "no number");
	return ingest_number(strtoll(seq + 4, NULL, 10),
	    arena_dup(ingest.mem, m->body, m->body_len),
	    zoom ? ingest_read_zoom : ingest_read);
}

static inline void
ingest_answer(int fd, struct arena *mem, int status)
{
	int64_t us = now_us() + ingest.ahead_us;
	char time[TIME_TEXT];
	const char *text;

	time_text(us, time);
	time[strlen(time) - 1] = '\0';
	text = arena_printf(mem, "%s.%03d\n", time, (int)(us / 1000 % 1000));
	text = arena_printf(mem,
	    "HTTP/1.1 %d Whatever\r\n%sContent-Length: %zu\r\nConnection: "
	    "close\r\n\r\n%s",
	    status, status == 302 ? "Location: /elsewhere\r\n" : "", strlen(text),
	    text);
	send_all(fd, text, strlen(text));
}

static inline void *
ingest_serve(void *arg)
{
	int fd = (int)(intptr_t)arg, status;
	struct arena *mem = arena_new();
	struct http_message m = { NULL };
	char c;

	if (receive(fd, mem, (size_t)1 << 20, &m)) {
		pthread_mutex_lock(&ingest.lock);
		status = ingest.hangs ? 0 : ingest_take(&m);
		ingest.tries += ingest.hangs;
		pthread_mutex_unlock(&ingest.lock);
		while (status == 0 && recv(fd, &c, 1, 0) > 0)
			;
		if (status != 0)
			ingest_answer(fd, mem, status);
	}
	close(fd);
	arena_free(mem);
	return NULL;
}

static inline void *
ingest_listen(void *arg)
{
	pthread_t thread;
	int fd;

	(void)arg;
	while ((fd = accept(ingest.listener, NULL, NULL)) >= 0)
		if (pthread_create(&thread, NULL, ingest_serve, (void *)(intptr_t)fd) ==
		    0)
			pthread_detach(thread);
	return NULL;
}

static inline void
ingest_open(void)
{
	pthread_t thread;

	ingest = (struct ingest){ .mem = arena_new() };
	pthread_mutex_init(&ingest.lock, NULL);
	ingest.listener = listen_on(&ingest.port);
	if (ingest.listener < 0 ||
	    pthread_create(&thread, NULL, ingest_listen, NULL) != 0)
		abort();
	pthread_detach(thread);
}

/* Returns how many captions it accepted. */
static inline int
ingest_count(void)
{
	int n;

	pthread_mutex_lock(&ingest.lock);
	n = ingest.n;
	pthread_mutex_unlock(&ingest.lock);
	return n;
}

static inline int
ingest_tries(void)
{
	int n;

	pthread_mutex_lock(&ingest.lock);
	n = ingest.tries;
	pthread_mutex_unlock(&ingest.lock);
	return n;
}

#endif
