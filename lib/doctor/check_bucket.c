/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The bucket, by each way in which programs, clients and players use it. */
#include <string.h>

#include "base/clock.h"
#include "base/id.h"
#include "blob/blob.h"
#include "blob/upload_form.h"
#include "doctor/check.h"
#include "net/http.h"

#define TEXT "dragoman doctor\n"
#define BYTES (sizeof(TEXT) - 1)

static const char remedy[] =
    "Compare the bucket, its key and its rules with \"A bucket\" in the operators' "
    "guide.";

static bool
judge(struct check *k, const char *looked, enum err e)
{
	if (e == OK)
		check_ok(k, looked, "works");
	else
		check_fail(k, looked, remedy, "%s",
		    e == ERR_TIMEOUT     ? "no answer"
		    : e == ERR_REFUSED   ? "is refused"
		    : e == ERR_NOT_FOUND ? "the file is not there"
					 : err_name(e));
	return e == OK;
}

/* ---- as programs use it ---- */

static enum err
put_file(struct check *k, const char *name)
{
	struct blob_facts facts;
	struct blob_in *in;
	enum err e;

	if ((e = blob_begin(k->conf, k->mem, BYTES, &in)) != OK ||
	    (e = blob_put(in, TEXT, BYTES)) != OK)
		return e;
	return blob_end(in, name, &facts);
}

static enum err
get_file(struct check *k, const char *name)
{
	struct blob_facts facts;
	struct blob_file f;
	enum err e;

	if ((e = blob_stat(k->conf, k->mem, name, &facts)) != OK ||
	    (e = blob_open(k->conf, k->mem, name, &f)) != OK)
		return e;
	return facts.bytes == BYTES && f.bytes == BYTES ? OK : ERR_REFUSED;
}

/* A file that was removed must be missing, not forbidden. */
static enum err
remove_file(struct check *k, const char *name)
{
	struct blob_facts facts;
	enum err e = blob_remove(k->conf, k->mem, name);

	if (e != OK)
		return e;
	e = blob_stat(k->conf, k->mem, name, &facts);
	return e == ERR_NOT_FOUND ? OK : e == OK ? ERR_BUSY : e;
}

/* ---- as others use it ---- */

static enum err
ask(struct check *k, struct http_call *call, struct http_answer *a)
{
	enum err e;

	call->timeout_ms = (int)k->conf->engine_timeout_ms;
	call->max_bytes = 65536;
	call->allow_private = true;
	if ((e = http_do(k->mem, call, a)) != OK)
		return e;
	return http_verdict(a->status);
}

/* Get the file from an address, which needs no signature beside it. */
static enum err
fetch(struct check *k, const char *url)
{
	struct http_call call = { .method = "GET", .url = url };
	struct http_answer a;
	enum err e = ask(k, &call, &a);

	return e != OK ? e : strcmp(a.body, TEXT) == 0 ? OK : ERR_REFUSED;
}

static enum err
post_form(struct check *k, const char *id)
{
	const struct upload_want w = { "doctor", id, NULL, "text/plain", 1, BYTES };
	const struct upload_form f = upload_form_make(k->mem, k->conf, &w, now_us());
	struct http_part parts[FORM_FIELDS + 1];
	struct http_call call = { .method = "POST",
		.url = f.url,
		.parts = parts,
		.nparts = FORM_FIELDS + 1 };
	struct http_answer a;

	for (int i = 0; i < FORM_FIELDS; i++)
		parts[i] = (struct http_part){ .name = policy_names[i],
			.data = f.form[i],
			.len = strlen(f.form[i]) };
	parts[FORM_FIELDS] = (struct http_part){
		.name = "file", .data = TEXT, .len = BYTES, .filename = "doctor.txt"
	};
	return ask(k, &call, &a);
}

/* ---- the ways ---- */

static void
check_form(struct check *k, const char *id)
{
	const char *name = upload_form_key(k->mem, "doctor", id);

	if (!judge(k, "the bucket: upload forms", post_form(k, id)))
		return;
	judge(k, "the bucket: files of upload forms", get_file(k, name));
	judge(k, "the bucket: removing them", remove_file(k, name));
}

static void
check_hls(struct check *k, const char *id)
{
	const char *name = arena_printf(k->mem, "hls/doctor-%s", id);

	if (!judge(k, "the bucket: HLS, writing", put_file(k, name)))
		return;
	judge(k, "the bucket: HLS, as players read it",
	    fetch(
		k, arena_printf(k->mem, "%s/doctor-%s", k->conf->hls_public_url, id)));
	judge(k, "the bucket: HLS, removing", remove_file(k, name));
}

void
check_bucket(struct check *k)
{
	const char *id = id_new(k->mem), *fault, *url;
	const char *name = arena_printf(k->mem, "doctor/%s", id);

	if (strcmp(k->conf->blob_store, BLOB_S3) != 0)
		return;
	if ((fault = blob_fault(k->conf, k->mem)) != NULL) {
		check_fail(k, "the bucket", remedy, "%s", fault);
		return;
	}
	check_ok(k, "the bucket: listing", "works");
	check_form(k, id);
	if (strcmp(k->conf->hls_store, "bucket") == 0)
		check_hls(k, id);
	if (!judge(k, "the bucket: writing", put_file(k, name)))
		return;
	judge(k, "the bucket: reading", get_file(k, name));
	url = blob_link(k->conf, k->mem, name, "text/plain", now_us(), 60);
	judge(k, "the bucket: links", fetch(k, url));
	judge(k, "the bucket: removing", remove_file(k, name));
}
