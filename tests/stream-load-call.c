/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Sessions, connections and messages of stream-load. */
#include <arpa/inet.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/clock.h"
#include "stream-load.h"

/* ---- sessions ---- */

static int
connect_to(const char *base)
{
	const char *colon = strrchr(base, ':');
	struct sockaddr_in to = { .sin_family = AF_INET,
		.sin_port = htons((uint16_t)atoi(colon + 1)),
		.sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	if (fd >= 0 && connect(fd, (struct sockaddr *)&to, sizeof(to)) == 0)
		return fd;
	if (fd >= 0)
		close(fd);
	return -1;
}

/* Reads answers until the connection ends. */
static const char *
post(struct load *l, const char *path, const char *body)
{
	struct buf b = { .mem = l->scratch };
	int fd = connect_to(l->base);
	ssize_t n = fd;

	buf_printf(&b,
	    "POST %s HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n"
	    "Authorization: Bearer %s\r\nContent-Type: application/json\r\n"
	    "Content-Length: %zu\r\n\r\n%s",
	    path, l->key, strlen(body), body);
	if (fd >= 0)
		n = send(fd, b.p, b.len, MSG_NOSIGNAL);
	b.len = 0;
	while (n > 0 && (n = recv(fd, buf_room(&b, 4096), 4096, 0)) > 0)
		b.len += (size_t)n;
	if (fd >= 0)
		close(fd);
	return buf_text(&b);
}

static const char *
kept(struct client *c, const json_t *data, const char *name)
{
	return arena_str(c->life, text_in(data, name));
}

/* Use the existing channel. */
static bool
take_channel(struct client *c)
{
	const char *url = c->load->channel;
	size_t n = strcspn(url, " ");

	arena_reset(c->life);
	c->session = (struct session){ .s2s = arena_dup(c->life, url, n),
		.publisher = url + n + (url[n] != '\0') };
	return true;
}

static bool
make_session(struct client *c)
{
	const char *answer = post(
	    c->load, "/session-storage/session", "{\"data\":{\"subscriber_count\":1}}");
	const char *body = strstr(answer, "\r\n\r\n");
	json_t *j = body != NULL ? json_loads(body + 4, 0, NULL) : NULL;
	const json_t *data = json_object_get(j, "data");
	const json_t *readers = json_object_get(data, "subscriber");

	arena_reset(c->life);
	c->session = (struct session){ .id = kept(c, data, "id"),
		.publisher = kept(c, data, "publisher"),
		.s2s = kept(c, data, "ws_url"),
		.stt = kept(c, data, "ws_stt_url"),
		.tts = kept(c, data, "ws_tts_url") };
	c->session.subscriber =
	    arena_str(c->life, json_string_value(json_array_get(readers, 0)));
	json_decref(j);
	if (c->session.id[0] != '\0' && c->session.subscriber != NULL)
		return true;
	wrong(c, "no session: %.200s", answer);
	return false;
}

static bool
make(struct client *c)
{
	return c->load->channel != NULL ? take_channel(c) : make_session(c);
}

void
session_ready(struct client *c)
{
	c->ready = make(c);
}

bool
session_make(struct client *c)
{
	bool ready = c->ready;

	c->ready = false;
	return ready || make(c);
}

/* ---- connections ---- */

/*
 * Each client has a source address of its own, because tokens are counted per address.
 */
static const char *
address_of(const struct client *c)
{
	long i = c - c->load->clients;

	return arena_printf(c->mem, "127.%ld.%ld.1", 1 + i / 250, 1 + i % 250);
}

void
client_call(struct client *c, const char *url, const char *token, const char *query)
{
	struct epoll_event e = { .events = EPOLLIN, .data.ptr = c };

	c->due_us = NEVER;
	c->mem = arena_new();
	c->called_us = monotonic_us();
	c->ws = ws_call(c->mem, address_of(c),
	    arena_printf(c->mem, "%s?token=%s%s", url, token, query), NULL);
	if (c->ws != NULL &&
	    epoll_ctl(c->load->epoll, EPOLL_CTL_ADD, ws_fd(c->ws), &e) == 0)
		return;
	wrong(c, "not connected");
	client_hang_up(c);
}

bool
client_answered(struct client *c)
{
	const char *answer;
	enum ws_kind is;

	if (c->called_us == 0)
		return true;
	is = ws_answered(c->ws, c->mem, &answer);
	if (is == WS_SILENCE)
		return false;
	if (is == WS_WRONG) {
		wrong(c, "no WebSocket: %.300s", answer);
		client_hang_up(c);
		return false;
	}
	figure_always("upgrade", monotonic_us() - c->called_us);
	count("calls", 1);
	c->called_us = 0;
	c->kind->in(c, monotonic_us());
	return true;
}

void
client_hang_up(struct client *c)
{
	if (c->ws == NULL)
		return;
	ws_drop(c->ws);
	arena_free(c->mem);
	c->called_us = 0;
	c->ws = NULL;
	c->up = false;
}

/* ---- messages ---- */

bool
client_send(struct client *c, enum ws_kind kind, const void *p, size_t n)
{
	return ws_send(c->ws, kind, p, n);
}

bool
client_say(struct client *c, const char *type, const char *data)
{
	const char *s = arena_printf(
	    c->load->scratch, "{\"message_type\":\"%s\",\"data\":%s}", type, data);

	return client_send(c, WS_TEXT, s, strlen(s));
}

/* Returns the n-th wanted language, from 0. */
static const char *
model(struct load *l, int n)
{
	const char *at = l->models != NULL ? l->models : "auto,auto,auto";

	while (n-- > 0)
		at += strcspn(at, ",") + 1;
	return arena_dup(l->scratch, at, strcspn(at, ","));
}

const char *
task_of(struct load *l)
{
	return arena_printf(l->scratch,
	    "{\"input_stream\":{\"content_type\":\"audio\",\"source\":{\"type\":\"ws\","
	    "\"format\":\"pcm_s16le\",\"sample_rate\":%d,\"channels\":1}},"
	    "\"output_stream\":{\"content_type\":\"audio\",\"target\":{\"type\":\"ws\","
	    "\"format\":\"pcm_s16le\"}},\"pipeline\":{\"transcription\":"
	    "{\"source_language\":\"en\",\"asr_model\":\"%s\"},\"translations\":["
	    "{\"target_language\":\"%s\",\"translation_model\":\"%s\","
	    "\"speech_generation\":{\"tts_model\":\"%s\"}}],"
	    "\"allowed_message_types\":[\"partial_transcription\","
	    "\"validated_transcription\",\"translated_transcription\"]}}",
	    SPEECH_HZ, model(l, 0), l->to, model(l, 1), model(l, 2));
}

static void
forget_json(void *j)
{
	json_decref(j);
}

json_t *
message_read(struct load *l, const struct ws_message *m)
{
	json_t *j = json_loadb(m->p, m->n, 0, NULL);

	if (j != NULL)
		arena_defer(l->scratch, forget_json, j);
	return j;
}

const char *
text_in(const json_t *j, const char *name)
{
	const char *s = json_string_value(json_object_get(j, name));

	return s != NULL ? s : "";
}

const char *
type_of(const json_t *j)
{
	return text_in(j, "message_type");
}
