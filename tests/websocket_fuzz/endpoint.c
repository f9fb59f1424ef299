/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "endpoint.h"

#include <stdio.h>
#include <string.h>

#include "base/json.h"

#define USES 18 /* the 21st connection of a token within a minute is refused */
#define ANSWER_S 30

static const char *
ask(struct arena *mem, const char *address, const char *request, int *status)
{
	struct wire *w = wire_open(mem, address);
	const char *body = "";

	*status = 0;
	if (w == NULL)
		return body;
	if (wire_send(w, request, strlen(request)) &&
	    (*status = wire_status(w, ANSWER_S)) != 0)
		body = wire_rest(w, ANSWER_S);
	wire_close(w);
	return body;
}

static const char *
ask_web(struct arena *mem, const struct addresses *h, const char *line, int *status)
{
	return ask(mem, h->web,
	    arena_printf(mem,
		"%s HTTP/1.0\r\nHost: %s\r\nAuthorization: Bearer %s\r\n"
		"Content-Length: 0\r\n\r\n",
		line, h->web, h->key),
	    status);
}

bool
endpoint_renew(struct endpoint *d)
{
	struct arena *mem = arena_new();
	const struct json *data;
	const char *body, *why;
	int status;

	body = ask_web(mem, d->addresses, "POST /session-storage/session", &status);
	data = json_get(json_read(mem, body, strlen(body), &why), "data");
	if (status == 201 && data != NULL) {
		snprintf(
		    d->token, sizeof(d->token), "%s", json_get_text(data, "publisher"));
		snprintf(d->id, sizeof(d->id), "%s", json_get_text(data, "id"));
		d->uses = 0;
	}
	arena_free(mem);
	return status == 201;
}

const char *
endpoint_path(struct arena *mem, struct endpoint *d, enum kind kind, const char *query)
{
	static const char *const paths[KINDS] = {
		"/streaming-api/v1/speech-to-speech/stream",
		"/asr/v1/speech-to-text/stream", "/tts-api/v1/text-to-speech/stream"
	};

	if ((d->token[0] == '\0' || d->uses >= USES) && !endpoint_renew(d))
		return NULL;
	d->uses++;
	return arena_printf(mem, "%s?token=%s%s", paths[kind], d->token, query);
}

bool
endpoint_delete(struct endpoint *d)
{
	struct arena *mem = arena_new();
	int status;

	ask_web(mem, d->addresses,
	    arena_printf(mem, "DELETE /session-storage/session/%s", d->id), &status);
	arena_free(mem);
	d->token[0] = '\0';
	return status >= 200 && status < 300;
}

const char *
house_health(struct arena *mem, const struct addresses *h)
{
	int status;
	const char *body = ask(mem, h->gateway,
	    "GET /streaming-api/health HTTP/1.1\r\nHost: gateway\r\n\r\n", &status);

	return status == 200 ? body : NULL;
}
