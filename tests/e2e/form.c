/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Upload forms, valid and spoilt. */
#include <string.h>

#include "base/base64.h"
#include "base/buf.h"
#include "base/clock.h"
#include "base/conf.h"
#include "blob/blob.h"
#include "blob/upload_form.h"
#include "world.h"

json_t *
target_new(const struct account *as, const char *mime_type)
{
	struct answer a = ASK(.path = "/saas/upload", .as = as,
	    .json =
		text("{\"data\":[{\"filename\":\"talk.wav\",\"mime_type\":\"%s\"}]}",
		    mime_type));

	EXPECT(a, 200);
	return at(a.json, "data.0");
}

static struct bytes
bytes_of(const char *s)
{
	return (struct bytes){ s, strlen(s) };
}

void
form_add(struct form *f, const char *name, const char *value)
{
	f->part[f->n++] = (struct part){ .name = name, .value = bytes_of(value) };
}

struct form
form_of(const json_t *target, struct bytes file)
{
	struct form f = { .url = text_at(target, "url") };
	const char *name;
	json_t *value;

	json_object_foreach(at(target, "form_data"), name, value)
	    form_add(&f, name, json_string_value(value));
	f.part[f.n++] = (struct part){ "file", "talk.wav", "audio/wav", file };
	return f;
}

static int
find(const struct form *f, const char *name)
{
	int i = 0;

	while (i < f->n && strcmp(f->part[i].name, name) != 0)
		i++;
	ck_assert_msg(i < f->n, "the form has no %s", name);
	return i;
}

void
form_set(struct form *f, const char *name, const char *value)
{
	f->part[find(f, name)].value = bytes_of(value);
}

void
form_drop(struct form *f, const char *name)
{
	int i = find(f, name);

	memmove(
	    &f->part[i], &f->part[i + 1], (size_t)(--f->n - i) * sizeof(f->part[0]));
}

void
form_first(struct form *f, const char *name)
{
	struct part p = f->part[find(f, name)];

	form_drop(f, name);
	memmove(&f->part[1], &f->part[0], (size_t)f->n++ * sizeof(f->part[0]));
	f->part[0] = p;
}

const char *
form_value(const struct form *f, const char *name)
{
	return f->part[find(f, name)].value.p;
}

struct bytes
form_bytes(const struct form *f)
{
	struct buf b = { .mem = memory() };

	for (const struct part *p = f->part; p < f->part + f->n; p++) {
		buf_str(&b, "--e2eBoundaryOfTheseTests\r\n");
		buf_printf(&b, "Content-Disposition: form-data; name=\"%s\"", p->name);
		if (p->filename != NULL)
			buf_printf(&b, "; filename=\"%s\"", p->filename);
		if (p->type != NULL)
			buf_printf(&b, "\r\nContent-Type: %s", p->type);
		buf_str(&b, "\r\n\r\n");
		buf_put(&b, p->value.p, p->value.n);
		buf_str(&b, "\r\n");
	}
	buf_str(&b, "--e2eBoundaryOfTheseTests--\r\n");
	return (struct bytes){ b.p, b.len };
}

struct answer
form_send(const struct form *f)
{
	return ASK(.path = f->url, .type = FORM_TYPE, .body = form_bytes(f));
}

const char *
upload(const struct account *as, const char *mime_type, struct bytes file)
{
	json_t *target = target_new(as, mime_type);
	struct form f = form_of(target, file);
	struct answer a = form_send(&f);

	EXPECT(a, 201);
	return text_at(target, "blob_id");
}

struct form
form_aged(const char *account, const char *blob_id, int age_s)
{
	const struct upload_want want = { account, blob_id, "item", "audio/wav", 100001,
		9999999 };
	struct upload_form t =
	    upload_form_make(memory(), settings(), &want, now_us() - age_s * S_US);
	struct form f = { .url = t.url };

	for (int i = 0; i < FORM_FIELDS; i++)
		form_add(&f, policy_names[i], t.form[i]);
	f.part[f.n++] =
	    (struct part){ "file", "talk.wav", "audio/wav", wav_of(200000) };
	return f;
}

/*
 * The policy's text with the status in its condition replaced, or the condition
 * removed.
 */
static const char *
with_status(const char *policy, const char *status)
{
	static const char bound[] = "{\"success_action_status\":\"201\"},";
	const char *cut = strstr(policy, bound);

	ck_assert_ptr_nonnull(cut);
	return text("%.*s%s%s", (int)(cut - policy), policy,
	    status != NULL ? text("{\"success_action_status\":\"%s\"},", status) : "",
	    cut + strlen(bound));
}

struct form
form_status(const json_t *target, struct bytes file, const char *status)
{
	const struct sigv4 signer = blob_signer(settings());
	struct form f = form_of(target, file);
	const char *policy = form_value(&f, "Policy");
	const char *plain, *changed;
	size_t n;

	plain = (const char *)base64_read(memory(), policy, strlen(policy), &n);
	changed = with_status(text("%.*s", (int)n, plain), status);
	changed = base64(memory(), changed, strlen(changed));
	form_set(&f, "Policy", changed);
	form_set(&f, "X-Amz-Signature",
	    sigv4_sign(memory(), &signer, form_value(&f, "X-Amz-Date"), changed));
	if (status != NULL)
		form_set(&f, "success_action_status", status);
	else
		form_drop(&f, "success_action_status");
	return f;
}
