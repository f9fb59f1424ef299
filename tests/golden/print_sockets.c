/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Parts of docs/streaming.md: parameters of the addresses, messages of both sides with
 * their members, and limits.
 */
#include <stdio.h>
#include <string.h>

#include "print.h"
#include "protocol/output_types.h"
#include "server/http_routes.h"
#include "web/web.h"

/* ---- members ---- */

static void
print_names(const char *const *names, const char *between)
{
	for (; names != NULL && *names != NULL; names++)
		printf("%s`%s`", between, *names), between = ", ";
}

static const char *
type_name(const struct rule *r)
{
	static const char *const types[] = { "boolean", "integer", "number", "",
		"string", "language code", "array of strings",
		"array of language codes", "array of uuids",
		"array of names and indexes", "object", "object" };

	if ((r->flags & RULE_LIST) != 0)
		return "array of objects";
	return r->type == RULE_OWN && r->of == NULL ? "array of strings"
						    : types[r->type];
}

static void
print_type(const struct rule *r)
{
	bool is_number = r->type == RULE_INT || r->type == RULE_REAL;

	printf("%s", type_name(r));
	if (r->max > 0 && (r->flags & RULE_LIST) != 0)
		printf(", %g to %g", r->min, r->max);
	else if (r->max > 0)
		printf("%s %g", is_number ? "" : " of", r->min);
	if (r->max > r->min && (r->flags & RULE_LIST) == 0)
		printf(" to %g", r->max);
	if (r->max > 0 && !is_number && (r->flags & RULE_LIST) == 0)
		printf(" characters");
	print_names(r->names, r->type == RULE_CODE ? ", or " : "");
	if ((r->flags & RULE_NULLABLE) != 0)
		printf(", or null");
	if ((r->flags & RULE_OPTIONAL) != 0)
		printf(", optional");
}

static void
print_default(struct arena *mem, const struct rule *r, const struct json *v)
{
	if ((r->flags & RULE_REQUIRED) != 0)
		printf(" required |");
	else if (v != NULL && v->type != JSON_OBJ)
		printf(" `%s` |", json_text(mem, v));
	else
		printf(" |");
}

/* The server's messages. A member with the same name is explained only once. */
#define TOLD 128
static const char *told[TOLD];
static size_t n_told;

static bool
was_told(struct arena *mem, const char *path, const struct rule *r)
{
	const char *is = arena_printf(mem, "%s %s", path, r->help);

	for (size_t i = 0; i < n_told; i++)
		if (strcmp(told[i], is) == 0)
			return true;
	if (n_told == TOLD)
		print_fail("too many members", path);
	told[n_told++] = strdup(is);
	return false;
}

struct table {
	struct arena *mem;
	bool sent; /* members that the server sends have no column for defaults */
	bool begun;
};

static void
print_member(
    struct table *t, const struct rule *r, const char *path, const struct json *value)
{
	if (t->sent && was_told(t->mem, path, r))
		return;
	if (!t->begun)
		printf(t->sent
			   ? "\n| member | type | |\n|---|---|---|\n"
			   : "\n| member | type | default | |\n|---|---|---|---|\n");
	t->begun = true;
	printf("| `%s` | ", path);
	print_type(r);
	printf(" |");
	if (!t->sent)
		print_default(t->mem, r, value);
	printf(" %s |\n", r->help);
}

static void
print_members(struct table *t, const struct rule *r, const char *within,
    const struct json *defaults)
{
	for (; r->name != NULL; r++) {
		const struct json *v = rules_default(defaults, r->name);
		const char *path = arena_printf(t->mem, "%s%s", within, r->name);
		const char *list = (r->flags & RULE_LIST) != 0 ? "[]" : "";

		if (r->help == NULL)
			continue;
		print_member(t, r, path, v);
		if (r->of != NULL)
			print_members(
			    t, r->of, arena_printf(t->mem, "%s%s.", path, list), v);
	}
}

/* ---- messages of clients ---- */

static const char *
checked_example(struct arena *mem, enum message_kind kind)
{
	const char *s = message_example(kind);
	struct validation_errors errors;
	struct message m;

	if (s == NULL)
		print_fail("there is no example", message_types[kind].name);
	if (!message_read(mem, message_types[kind].socket, s, strlen(s), &m, &errors))
		print_fail(s, validation_errors_text(mem, &errors));
	return s;
}

static void
print_received(enum message_kind kind)
{
	const struct message_type *t = &message_types[kind];
	struct arena *mem = arena_new();
	struct table table = { .mem = mem };

	printf("\n### `%s`\n\n%s\n", t->name, t->help);
	if (t->limit != LIMIT_KINDS)
		printf("Limit: %s.\n", strchr(limit_text(t->limit), ':') + 2);
	printf("\n```json\n%s\n```\n", checked_example(mem, kind));
	if (t->rules != NULL)
		print_members(&table, t->rules, "", message_defaults(mem, kind));
	arena_free(mem);
}

static void
print_all_received(enum message_socket socket)
{
	for (enum message_kind i = MESSAGE_UNKNOWN + 1; i < MESSAGE_KINDS; i++)
		if (message_types[i].socket == socket)
			print_received(i);
	printf("\n");
}

static void
print_s2s(void)
{
	print_all_received(MESSAGE_S2S);
}

static void
print_stt(void)
{
	print_all_received(MESSAGE_STT);
}

static void
print_tts(void)
{
	print_all_received(MESSAGE_TTS);
}

/* ---- messages of the server ---- */

static const struct rule *
rule_of(const struct rule *r, const char *name)
{
	while (r->name != NULL && strcmp(r->name, name) != 0)
		r++;
	return r;
}

/* The sample has members of the table only, and all of them that are not optional. */
static void
check_sample(const struct json *v, const struct rule *rules)
{
	const struct rule *any = rule_of(rules, RULE_ANY), *r;

	for (const struct json *kid = v->kids; kid != NULL; kid = kid->next) {
		r = rule_of(rules, kid->key);
		r = r->name == NULL ? any : r;
		if (r->name == NULL)
			print_fail("no table has the member", kid->key);
		if (r->of != NULL)
			check_sample(kid->type == JSON_LIST ? kid->kids : kid, r->of);
	}
	for (r = rules; r->name != NULL; r++)
		if ((r->flags & RULE_OPTIONAL) == 0 && r != any &&
		    json_get(v, r->name) == NULL)
			print_fail("a sample lacks the member", r->name);
}

static const char *
checked_sample(struct arena *mem, const struct output_type *t)
{
	struct buf b = { .mem = mem };
	const struct json *v, *data;
	const char *why;

	if (!t->sample(&b) || (v = json_read(mem, buf_text(&b), b.len, &why)) == NULL)
		print_fail("no sample", t->name);
	if (strcmp(json_get_text(v, "message_type"), t->name) != 0)
		print_fail("a sample of another message", t->name);
	data = json_get(v, "data");
	if (data != NULL && (t->flags & OUTPUT_WITH_TASK) == 0)
		check_sample(data, t->rules);
	return buf_text(&b);
}

static void
print_sent(const struct output_type *t)
{
	struct arena *mem = arena_new();
	struct table table = { .mem = mem, .sent = true };
	const char *sample = checked_sample(mem, t);

	printf("\n### `%s`%s\n\n%s\n\n```json\n%s\n```\n", t->name,
	    (t->flags & OUTPUT_STARRED_TYPE) != 0 ? " *" : "", t->when, sample);
	print_members(&table, t->rules, "", NULL);
	arena_free(mem);
}

static void
print_all_sent(enum message_socket socket)
{
	for (const struct output_type *t = output_types; t->name != NULL; t++)
		if (t->socket == socket)
			print_sent(t);
	printf("\n");
}

static void
print_s2s_sent(void)
{
	print_all_sent(MESSAGE_S2S);
}

static void
print_stt_sent(void)
{
	print_all_sent(MESSAGE_STT);
}

static void
print_tts_sent(void)
{
	print_all_sent(MESSAGE_TTS);
}

/* ---- parameters of the addresses ---- */

/* Returns that of the two addresses of speech to speech which contains the name. */
static bool
is_socket(const char *path)
{
	size_t n = strlen(path), end = strlen("/stream");

	return n > end && strcmp(path + n - end, "/stream") == 0 &&
	       strcmp(path, "/streaming-api/v1/speech-to-speech/stream") != 0;
}

static void
print_parameter(const char *path, const struct field *f)
{
	if (f->help == NULL)
		print_fail("a parameter without a meaning", f->name);
	printf("| `%s` | `%s` | ", path, f->name);
	if (f->type == F_INT)
		printf("%lld to %lld", (long long)f->min, (long long)f->max);
	else if (f->names == NULL)
		printf("text");
	print_names(f->names, "");
	printf(" | %s |\n", f->help);
}

static void
print_parameters(void)
{
	printf("| path | parameter | value | |\n|---|---|---|---|\n");
	for (const struct route *r = http_routes; r->method != NULL; r++)
		for (const struct field *f = r->query;
		     is_socket(r->path) && f->name != NULL; f++)
			print_parameter(r->path, f);
}

/* ---- limits ---- */

static void
print_limits(void)
{
	for (enum limit_kind i = 0; i < LIMIT_KINDS; i++)
		printf("* %s\n", limit_text(i));
}

const struct print_part print_sockets[] = {
	{ "stream-parameters", print_parameters },
	{ "stream-s2s", print_s2s },
	{ "stream-stt", print_stt },
	{ "stream-tts", print_tts },
	{ "stream-s2s-sent", print_s2s_sent },
	{ "stream-stt-sent", print_stt_sent },
	{ "stream-tts-sent", print_tts_sent },
	{ "stream-limits", print_limits },
	{ NULL },
};
