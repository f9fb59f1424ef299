/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "server/asyncapi.h"

#include <stdio.h>
#include <string.h>

#include "protocol/output_types.h"
#include "server/http_routes.h"
#include "web/openapi_schema.h"

static const char *const sockets[] = {
	[MESSAGE_S2S] = "s2s", [MESSAGE_STT] = "stt", [MESSAGE_TTS] = "tts"
};

static void
write_ends(struct json_writer *j, bool speaker, bool listener)
{
	jw_list(j, "with");
	if (speaker)
		jw_text(j, NULL, "speaker");
	if (listener)
		jw_text(j, NULL, "listener");
	jw_close(j);
}

/* ---- addresses ---- */

static void
write_addresses(struct json_writer *j)
{
	jw_open(j, "addresses");
	for (const struct route *r = http_routes; r->method != NULL; r++)
		if (strstr(r->path, "/stream") != NULL && r->query != NULL)
			schema_object(j, r->path, r->query, SCHEMA_EDIT, false);
	jw_close(j);
}

/* ---- messages of clients ---- */

static void
write_received(struct json_writer *j, enum message_kind kind)
{
	static const struct rule none[] = { RULES_END };
	const struct message_type *t = &message_types[kind];

	jw_open(j, NULL);
	jw_text(j, "name", t->name);
	jw_text(j, "socket", sockets[t->socket]);
	write_ends(j, (t->from & MESSAGE_FROM_SPEAKER) != 0,
	    (t->from & MESSAGE_FROM_LISTENER) != 0);
	jw_text(j, "description", t->help);
	jw_text(j, "limit",
	    t->limit != LIMIT_KINDS ? strchr(limit_text(t->limit), ':') + 2 : NULL);
	jw_raw(j, "example", message_example(kind));
	rules_schema(j, "schema", t->rules != NULL ? t->rules : none,
	    message_defaults(j->out->mem, kind), false);
	jw_close(j);
}

/* ---- messages of the server ---- */

static void
write_sent(struct json_writer *j, const struct output_type *t)
{
	struct buf sample = { .mem = j->out->mem };

	jw_open(j, NULL);
	jw_text(j, "name", t->name);
	jw_text(j, "socket", sockets[t->socket]);
	write_ends(j, (t->flags & OUTPUT_TO_SPEAKER) != 0,
	    (t->flags & OUTPUT_TO_LISTENER) != 0);
	jw_bool(j, "starred", (t->flags & OUTPUT_STARRED_TYPE) != 0);
	jw_bool(j, "task", (t->flags & OUTPUT_WITH_TASK) != 0);
	jw_text(j, "description", t->when);
	jw_raw(j, "example", t->sample(&sample) ? buf_text(&sample) : NULL);
	rules_schema(j, "schema", t->rules, NULL, true);
	jw_close(j);
}

void
asyncapi_print(void)
{
	struct arena *mem = arena_new();
	struct buf b = { .mem = mem };
	struct json_writer j = { .out = &b };

	jw_open(&j, NULL);
	write_addresses(&j);
	jw_list(&j, "received");
	for (enum message_kind i = MESSAGE_UNKNOWN + 1; i < MESSAGE_KINDS; i++)
		write_received(&j, i);
	jw_close(&j);
	jw_list(&j, "sent");
	for (const struct output_type *t = output_types; t->name != NULL; t++)
		write_sent(&j, t);
	jw_close(&j);
	jw_close(&j);
	puts(buf_text(&b));
	arena_free(mem);
}
