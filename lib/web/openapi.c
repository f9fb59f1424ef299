/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The OpenAPI document, made from the route rows that serve requests.  Each program
 * prints the paths that it serves; the build combines them.
 */
#include "web/openapi.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "base/token.h"
#include "web/openapi_schema.h"
#include "web/policy.h"

static void
write_parameter(
    struct json_writer *j, const char *name, const char *in, const struct field *f)
{
	jw_open(j, NULL);
	jw_text(j, "name", name);
	jw_text(j, "in", in);
	jw_bool(j, "required",
	    strcmp(in, "path") == 0 || (f != NULL && f->flags & F_REQUIRED));
	if (f != NULL)
		schema_field(j, "schema", f, SCHEMA_EDIT);
	else
		jw_raw(j, "schema", "{\"type\":\"string\"}");
	jw_close(j);
}

static void
refer(struct json_writer *j, const char *key, const char *to, const char *name)
{
	jw_open(j, key);
	jw_text(j, "$ref", arena_printf(j->out->mem, "#/components/%s/%s", to, name));
	jw_close(j);
}

static bool
also(const struct route *r, const char *code)
{
	return r->also != NULL && strstr(r->also, code) != NULL;
}

static void
write_headers(struct json_writer *j, const struct route *r)
{
	refer(j, NULL, "parameters", "RequestId");
	if (r->flags & JSON_BODY)
		refer(j, NULL, "parameters", "Prefer");
	if (r->flags & IDEMPOTENT)
		refer(j, NULL, "parameters", "IdempotencyKey");
	if (r->flags & IF_MATCH)
		refer(j, NULL, "parameters", "IfMatch");
	if (also(r, "304"))
		refer(j, NULL, "parameters", "IfNoneMatch");
	if (also(r, "206"))
		refer(j, NULL, "parameters", "Range");
}

static void
write_parameters(struct json_writer *j, const struct route *r)
{
	jw_list(j, "parameters");
	for (const char *s = r->path; (s = strchr(s, '{')) != NULL; s++)
		write_parameter(j, arena_dup(j->out->mem, s + 1, strcspn(s + 1, "}")),
		    "path", NULL);
	for (const struct field *f = r->query; f != NULL && f->name != NULL; f++)
		write_parameter(j, f->name, "query", f);
	if (r->token != NULL)
		write_parameter(j, r->token, "query", NULL);
	write_headers(j, r);
	jw_close(j);
}

/* The schema of {"data": ...}, if a table describes it. */
static void
write_payload(struct json_writer *j, const struct route *r)
{
	enum schema_side side = r->flags & PARTIAL ? SCHEMA_EDIT : SCHEMA_NEW;

	if (r->body == NULL)
		return;
	jw_open(j, "properties");
	if (r->body->name[0] == '\0')
		schema_field(j, "data", r->body, side);
	else
		schema_object(j, "data", r->body, side, false);
	jw_close(j);
	if (!(r->flags & OPTIONAL_BODY))
		jw_raw(j, "required", "[\"data\"]");
}

static void
write_body(struct json_writer *j, const struct route *r)
{
	if (!(r->flags & (JSON_BODY | RAW_BODY)))
		return;
	jw_open(j, "requestBody");
	jw_bool(j, "required", !(r->flags & OPTIONAL_BODY));
	jw_open(j, "content");
	jw_open(j, r->flags & RAW_BODY ? "multipart/form-data" : "application/json");
	jw_open(j, "schema");
	jw_text(j, "type", "object");
	write_payload(j, r);
	jw_close(j);
	jw_close(j);
	jw_close(j);
	jw_close(j);
}

static void
write_page(struct json_writer *j, const struct field *f)
{
	jw_open(j, "data");
	jw_text(j, "type", "object");
	jw_open(j, "properties");
	jw_open(j, "items");
	jw_text(j, "type", "array");
	schema_object(j, "items", f, SCHEMA_OUT, false);
	jw_close(j);
	jw_raw(j, "page_size", "{\"type\":\"integer\"}");
	jw_raw(j, "count", "{\"type\":\"integer\"}");
	jw_raw(j, "next", "{\"type\":[\"string\",\"null\"]}");
	jw_close(j);
	jw_raw(j, "required", "[\"items\",\"page_size\",\"count\",\"next\"]");
	jw_close(j);
}

static void
write_data(struct json_writer *j, const struct route *r)
{
	if (r->shape == A_PAGE)
		write_page(j, r->out);
	else if (r->shape == A_LIST) {
		jw_open(j, "data");
		jw_text(j, "type", "array");
		schema_object(j, "items", r->out, SCHEMA_OUT, false);
		jw_close(j);
	} else if (r->shape == A_ONE)
		schema_object(j, "data", r->out, SCHEMA_OUT, false);
	else
		jw_raw(j, "data", "{\"type\":\"null\"}");
}

static void
write_success(struct json_writer *j, const struct route *r, const char *code)
{
	jw_open(j, code);
	jw_text(j, "description", "Success");
	if (r->shape != A_EMPTY && r->shape != A_FILE) {
		jw_open(j, "content");
		jw_open(j, "application/json");
		jw_open(j, "schema");
		jw_text(j, "type", "object");
		jw_open(j, "properties");
		jw_raw(j, "ok", "{\"const\":true}");
		write_data(j, r);
		jw_close(j);
		jw_raw(j, "required", "[\"ok\",\"data\"]");
		jw_close(j);
		jw_close(j);
		jw_close(j);
	}
	jw_close(j);
}

/* The error statuses that the flags of a row imply, and those it lists. */
static const char *
errors_of(struct arena *mem, const struct route *r)
{
	return arena_printf(mem, "%s%s%s%s%s%s%s%s%s%s%s500 503 %s",
	    r->needs != NULL ? "401 429 " : "",
	    r->needs != NULL && strcmp(r->needs, ANY_SCOPE) != 0 ? "403 " : "",
	    r->flags & PUBLIC ? "429 " : "",
	    r->flags & JSON_BODY ? "400 413 415 422 " : "",
	    r->query != NULL ? "422 " : "", r->token != NULL ? "400 " : "",
	    r->find != NULL ? "404 " : "", r->admit != NULL ? "403 " : "",
	    r->named != NULL ? "404 " : "", r->flags & IDEMPOTENT ? "409 422 " : "",
	    r->flags & IF_MATCH ? "400 412 " : "", r->also != NULL ? r->also : "");
}

static void
write_errors(struct json_writer *j, const struct route *r)
{
	const char *list = errors_of(j->out->mem, r);

	for (int status = 400; status < 600; status++) {
		const char *code = arena_printf(j->out->mem, "%d", status);

		if (strstr(list, code) != NULL)
			refer(j, code, "responses",
			    r->problem != NULL
				? "S3Error"
				: arena_printf(j->out->mem, "Problem%s", code));
	}
}

static void
write_also_good(struct json_writer *j, const struct route *r)
{
	static const char *const same[] = { "200", "202", "206" };
	static const char *const others[] = { "204", "304", "307" };

	for (size_t i = 0; i < 3; i++)
		if (also(r, same[i]))
			write_success(j, r, same[i]);
	for (size_t i = 0; i < 3; i++)
		if (also(r, others[i]))
			refer(j, others[i], "responses",
			    arena_printf(j->out->mem, "Other%s", others[i]));
}

static void
write_operation(struct json_writer *j, const struct route *r, const char *program)
{
	jw_open(j, text_lower(j->out->mem, r->method));
	jw_text(j, "summary", r->summary);
	jw_list(j, "tags");
	jw_text(j, NULL, program);
	jw_close(j);
	if (r->successor != NULL)
		jw_bool(j, "deprecated", true);
	if (r->needs == NULL)
		jw_raw(j, "security", "[]");
	write_parameters(j, r);
	write_body(j, r);
	jw_open(j, "responses");
	write_success(
	    j, r, arena_printf(j->out->mem, "%d", r->status != 0 ? r->status : 200));
	write_also_good(j, r);
	write_errors(j, r);
	jw_close(j);
	jw_close(j);
}

static void
print_openapi(struct arena *mem, const struct route *routes, const char *program)
{
	struct buf b = { .mem = mem };
	struct json_writer j = { .out = &b };

	jw_open(&j, NULL);
	for (const struct route *r = routes; r->method != NULL; r++) {
		if (r > routes && strcmp(r->path, r[-1].path) == 0)
			continue; /* rows of one path are adjacent */
		jw_open(&j, r->path);
		for (const struct route *s = r;
		     s->method != NULL && strcmp(s->path, r->path) == 0; s++)
			write_operation(&j, s, program);
		jw_close(&j);
	}
	jw_close(&j);
	puts(buf_text(&b));
}

static void
print_routes(const struct route *routes)
{
	for (const struct route *r = routes; r->method != NULL; r++)
		printf("%-6s %-48s %s\n", r->method, r->path,
		    r->needs != NULL    ? r->needs
		    : r->flags & PUBLIC ? "public"
					: "open");
}

/* Checks that every scope of a route can be granted. */
static bool
scopes_listed(const struct route *r)
{
	for (; r->method != NULL; r++)
		if (r->needs != NULL && strcmp(r->needs, ANY_SCOPE) != 0 &&
		    !scope_known(r->needs)) {
			fprintf(stderr, "%s %s: base/scope.c has no scope %s\n",
			    r->method, r->path, r->needs);
			return false;
		}
	return true;
}

/* Checks that the audit knows each change. */
static bool
changes_known(const struct route *r)
{
	for (; r->method != NULL; r++)
		if (!audit_knows(r)) {
			fprintf(stderr, "%s %s: web/audit.c has no kind of record\n",
			    r->method, r->path);
			return false;
		}
	return true;
}

int
routes_print(struct arena *mem, const struct route *routes, const char *how)
{
	if (!scopes_listed(routes) || !changes_known(routes))
		return EXIT_FAILURE;
	if (strcmp(how, "--routes") == 0)
		print_routes(routes);
	else if (strcmp(how, "--openapi") == 0)
		print_openapi(mem, routes, program_invocation_short_name);
	else {
		fputs("This is a FastCGI program; the web server starts it.\n"
		      "--routes lists what it serves, --openapi describes it.\n",
		    stderr);
		return EXIT_FAILURE;
	}
	arena_free(mem);
	return EXIT_SUCCESS;
}
