/* SPDX-License-Identifier: GPL-3.0-or-later */
/* WHIP and WHEP instead of signalling: three HTTP requests. */
#include <arpa/inet.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "client.h"

/* ---- HTTP ---- */

/* Connects to "http://ADDRESS:PORT/..."; -1: it cannot. */
static int
dial(const char *url)
{
	struct sockaddr_in to = { .sin_family = AF_INET };
	char address[INET_ADDRSTRLEN];
	int port, fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	if (sscanf(url, "http://%15[0-9.]:%d", address, &port) == 2 &&
	    inet_pton(AF_INET, address, &to.sin_addr) == 1) {
		to.sin_port = htons((uint16_t)port);
		if (connect(fd, (struct sockaddr *)&to, sizeof(to)) == 0)
			return fd;
	}
	close(fd);
	return -1;
}

/* Sends a request; returns the whole answer, "" if none came. */
static const char *
request(struct client *c, const char *method, const char *url, const char *type,
    const struct buf *body)
{
	struct buf b = { .mem = c->mem }, answer = { .mem = c->mem };
	const char *path = strchr(url + strlen("http://"), '/');
	int fd = dial(url);
	ssize_t n = 0;

	buf_printf(&b, "%s %s HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n",
	    method, path);
	buf_printf(&b, "Authorization: Bearer %s\r\nIf-Match: *\r\n", c->o->token);
	buf_printf(
	    &b, "Content-Type: %s\r\nContent-Length: %zu\r\n\r\n", type, body->len);
	buf_put(&b, body->p, body->len);
	if (fd >= 0 && send(fd, b.p, b.len, MSG_NOSIGNAL) == (ssize_t)b.len)
		while ((n = recv(fd, buf_room(&answer, 4096), 4096, 0)) > 0)
			answer.len += (size_t)n;
	close(fd);
	return buf_text(&answer);
}

static const char *
body_of(const char *answer)
{
	const char *end = strstr(answer, "\r\n\r\n");

	return end != NULL ? end + 4 : "";
}

/* False: another status; the answer is on stderr. */
static bool
has_status(const char *answer, int wanted)
{
	int status = 0;

	if (sscanf(answer, "HTTP/1.1 %d", &status) == 1 && status == wanted)
		return true;
	fprintf(stderr, "webrtc-client: not %d:\n%s\n", wanted, answer);
	return false;
}

static const char *
location_of(struct client *c, const char *answer)
{
	const char *at = strcasestr(answer, "\r\nLocation: ");

	return at != NULL ? arena_dup(c->mem, at + 12, strcspn(at + 12, "\r")) : NULL;
}

/* ---- the three requests ---- */

bool
whip_begin(struct client *c)
{
	enum client_role role = c->o->listen_only ? SUBSCRIBER : PUBLISHER;
	struct client_side *s = client_open_side(c, role);
	struct buf offer = { .mem = c->mem };
	const char *answer;

	if (role == PUBLISHER)
		description_write_offer(s, &offer);
	else
		description_write_player(s, &offer);
	answer = request(c, "POST", c->o->url, "application/sdp", &offer);
	c->resource = location_of(c, answer);
	c->published = true;
	hearing_name(&c->hearing, "sound", "sound");
	return has_status(answer, 201) && c->resource != NULL &&
	       description_take(s, body_of(answer), strlen(body_of(answer)));
}

void
whip_restart(struct client *c)
{
	struct client_side *s = &c->sides[c->o->listen_only ? SUBSCRIBER : PUBLISHER];
	struct buf fragment = { .mem = c->mem };
	const char *answer;

	ice_credentials_new(&s->ice);
	rtc_peer_restart(s->peer, &s->ice);
	buf_printf(
	    &fragment, "a=ice-ufrag:%s\r\na=ice-pwd:%s\r\n", s->ice.ufrag, s->ice.pwd);
	answer = request(
	    c, "PATCH", c->resource, "application/trickle-ice-sdpfrag", &fragment);
	if (!has_status(answer, 200) || !description_take_fragment(s, body_of(answer)))
		exit(1);
}

void
whip_leave(struct client *c)
{
	if (!has_status(
		request(c, "DELETE", c->resource, "text/plain", &(struct buf){ 0 }),
		200))
		exit(1);
}
