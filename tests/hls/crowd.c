/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * usage: crowd PORT PATH PLAYERS SECONDS
 *
 * Simulate players of low-latency HLS at 127.0.0.1:PORT. PATH: of a playlist with
 * parts. Each player has one connection and asks, as hls.js does, for the next playlist
 * by its number, then for the parts that are new to it. They begin within two seconds.
 * Prints the number of playlists and of parts that came a second, of failures, and the
 * bytes a second.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#define ANSWER 65536

struct player {
	int fd;
	bool wants_part;  /* a part is asked for, else a playlist */
	int64_t again_ms; /* ask then; 0: an answer is awaited */
	long segment;     /* segment of the next part that the playlist will list */
	int part;
	char last[64]; /* the last part that was loaded */
	char next[64]; /* the part after it, if it is listed */
	size_t n;
	char *bytes; /* the answer so far */
};

static const char *path;
static struct sockaddr_in server = { .sin_family = AF_INET };
static int events;
static long playlists, parts, failures;
static int64_t received;

static int64_t
now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

static void
connect_player(struct player *p)
{
	struct epoll_event e = { .events = EPOLLIN, .data.ptr = p };

	if (p->fd >= 0)
		close(p->fd);
	p->fd = socket(AF_INET, SOCK_STREAM, 0);
	p->n = 0;
	if (connect(p->fd, (struct sockaddr *)&server, sizeof(server)) != 0 ||
	    epoll_ctl(events, EPOLL_CTL_ADD, p->fd, &e) != 0) {
		failures++;
		close(p->fd);
		p->fd = -1;
	}
}

static void
ask(struct player *p)
{
	char text[512];
	int n, folder = (int)(strrchr(path, '/') + 1 - path);

	if (p->fd < 0)
		connect_player(p);
	p->again_ms = 0;
	p->wants_part = p->next[0] != '\0';
	if (p->wants_part)
		n = snprintf(text, sizeof(text), "GET %.*s%s", folder, path, p->next);
	else if (p->segment > 0)
		n = snprintf(text, sizeof(text), "GET %s?_HLS_msn=%ld&_HLS_part=%d",
		    path, p->segment, p->part);
	else
		n = snprintf(text, sizeof(text), "GET %s", path);
	n += snprintf(
	    text + n, sizeof(text) - (size_t)n, " HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n");
	if (p->fd >= 0 && send(p->fd, text, (size_t)n, MSG_NOSIGNAL) != n) {
		failures++;
		connect_player(p);
		p->again_ms = now_ms() + 1000;
	}
}

/* Find the end of the playlist, and the part after the last that was loaded. */
static void
read_playlist(struct player *p, char *text)
{
	char *line, *rest = NULL, *at = strstr(text, "#EXT-X-MEDIA-SEQUENCE:");
	bool found = p->last[0] == '\0';

	p->segment = at != NULL ? atol(strchr(at, ':') + 1) : 0;
	p->part = 0;
	p->next[0] = '\0';
	for (line = strtok_r(text, "\n", &rest); line != NULL;
	     line = strtok_r(NULL, "\n", &rest)) {
		if (*line != '#') {
			p->segment += p->segment > 0;
			p->part = 0;
		}
		if (strncmp(line, "#EXT-X-PART:", 12) != 0 ||
		    (at = strstr(line, "URI=\"")) == NULL)
			continue;
		p->part++;
		at += 5;
		at[strcspn(at, "\"")] = '\0';
		if (p->last[0] == '\0') /* begin at the newest */
			snprintf(p->next, sizeof(p->next), "%.63s", at);
		else if (found && p->next[0] == '\0')
			snprintf(p->next, sizeof(p->next), "%.63s", at);
		found |= strcmp(at, p->last) == 0;
	}
	if (!found)
		p->last[0] = '\0';
}

static void
read_answer(struct player *p)
{
	char *end, *length;
	ssize_t n = recv(p->fd, p->bytes + p->n, ANSWER - 1 - p->n, 0);
	size_t body;

	if (n <= 0) {
		failures++;
		connect_player(p);
		p->again_ms = now_ms() + 1000;
		return;
	}
	received += n;
	p->n += (size_t)n;
	p->bytes[p->n] = '\0';
	end = strstr(p->bytes, "\r\n\r\n");
	if (end == NULL || (length = strcasestr(p->bytes, "\ncontent-length:")) == NULL)
		return;
	body = (size_t)atol(strchr(length, ':') + 1);
	if (p->n < (size_t)(end + 4 - p->bytes) + body)
		return;
	p->n = 0;
	if (strncmp(p->bytes + 9, "200", 3) != 0) {
		failures++;
		p->segment = 0;
		p->next[0] = '\0';
		p->again_ms = now_ms() + 1000;
		return;
	}
	if (p->wants_part) {
		parts++;
		memcpy(p->last, p->next, sizeof(p->last));
		p->next[0] = '\0';
	} else {
		playlists++;
		read_playlist(p, end + 4);
	}
	ask(p);
}

int
main(int argc, char **argv)
{
	int n = argc > 4 ? atoi(argv[3]) : 0, seconds = argc > 4 ? atoi(argv[4]) : 0;
	struct player *all = calloc((size_t)n + 1, sizeof(*all));
	struct epoll_event e[256];
	struct rlimit files = { 16384, 16384 };
	int64_t began = now_ms(), counted = began + 4000,
		end = counted + seconds * 1000;
	bool counts = false;

	if (n == 0 || all == NULL)
		return EXIT_FAILURE;
	setrlimit(RLIMIT_NOFILE, &files);
	server.sin_port = htons((uint16_t)atoi(argv[1]));
	server.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	path = argv[2];
	events = epoll_create1(0);
	for (int i = 0; i < n; i++)
		all[i] = (struct player){ .fd = -1,
			.again_ms = began + 2000 * i / n,
			.bytes = malloc(ANSWER) };
	while (now_ms() < end) {
		int got = epoll_wait(events, e, 256, 10);
		int64_t now = now_ms();

		for (int i = 0; i < got; i++)
			read_answer(e[i].data.ptr);
		for (int i = 0; i < n; i++)
			if (all[i].again_ms != 0 && now >= all[i].again_ms)
				ask(&all[i]);
		if (!counts && now >= counted) {
			counts = true;
			printf("begun\n");
			fflush(stdout);
			playlists = parts = failures = received = 0;
		}
	}
	printf("%.1f %.1f %ld %.0f\n", (double)playlists / seconds,
	    (double)parts / seconds, failures, (double)received / seconds);
	return EXIT_SUCCESS;
}
