/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "blob/upload_form.h"

#include <string.h>

#include "blob/blob.h"

#define AT(m) offsetof(struct upload_form, m)
#define FIELD(field, name) { name, F_TEXT, AT(form[field]) - AT(form), .flags = F_OUT },
static const struct field form_fields[] = { POLICY_FIELDS FIELDS_END };

/* clang-format off */
const struct field	 upload_form_fields[] = {
	{ "url",       F_TEXT, AT(url),     .flags = F_OUT },
	{ "item_id",   F_TEXT, AT(item_id), .flags = F_OUT },
	{ "blob_id",   F_TEXT, AT(blob_id), .flags = F_OUT },
	{ "form_data", F_OBJ,  AT(form),    .flags = F_OUT, .of = form_fields },
	FIELDS_END,
};
/* clang-format on */

const char *
upload_form_key(struct arena *mem, const char *account, const char *blob_id)
{
	return arena_printf(mem, "u/%s/%s", account, blob_id);
}

struct upload_form
upload_form_make(struct arena *mem, const struct conf *conf,
    const struct upload_want *w, int64_t now_us)
{
	bool s3 = strcmp(conf->blob_store, "s3") == 0;
	struct sigv4 signer = blob_signer(conf);
	struct policy_grant grant = {
		.bucket = conf->blob_bucket,
		.key = upload_form_key(mem, w->account, w->blob_id),
		.mime_type = w->mime_type,
		.min_bytes = w->min_bytes,
		.max_bytes = w->max_bytes,
		.now_us = now_us,
		.valid_s = conf->upload_form_s,
	};
	struct policy_field form[FORM_FIELDS];
	struct upload_form t = { .item_id = w->item_id, .blob_id = w->blob_id };

	t.url = s3 ? blob_bucket_url(conf, mem)
		   : arena_printf(mem, "%s/blobs", conf->server_base_url);
	policy_form(mem, &signer, &grant, form);
	for (int i = 0; i < FORM_FIELDS; i++)
		t.form[i] = form[i].value;
	return t;
}
