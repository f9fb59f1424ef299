/*
 * The making of a form; policy.c checks one.
 */
#include <string.h>

#include "base/base64.h"
#include "base/clock.h"
#include "base/json_writer.h"
#include "blob/policy.h"

#define FIELD(field, name) name,
const char *const policy_names[FORM_FIELDS] = { POLICY_FIELDS };

static const char *
write_policy(struct arena *mem, const struct policy_grant *g,
    const struct policy_field fields[FORM_FIELDS])
{
	static const int exact[] = { FORM_STATUS, FORM_BUCKET, FORM_ALGORITHM,
		FORM_CREDENTIAL, FORM_DATE, FORM_KEY };
	struct buf b = { .mem = mem };
	struct json_writer j = { .out = &b };
	char until[TIME_TEXT];

	jw_open(&j, NULL);
	jw_text(&j, "expiration", time_text(g->now_us + g->valid_s * S_US, until));
	jw_list(&j, "conditions");
	jw_list(&j, NULL);
	jw_text(&j, NULL, "content-length-range");
	jw_int(&j, NULL, g->min_bytes);
	jw_int(&j, NULL, g->max_bytes);
	jw_close(&j);
	jw_list(&j, NULL);
	jw_text(&j, NULL, "eq");
	jw_text(&j, NULL, "$Content-Type");
	jw_text(&j, NULL, g->mime_type);
	jw_close(&j);
	for (size_t i = 0; i < sizeof(exact) / sizeof(exact[0]); i++) {
		jw_open(&j, NULL);
		jw_text(&j, fields[exact[i]].name, fields[exact[i]].value);
		jw_close(&j);
	}
	jw_close(&j);
	jw_close(&j);
	return buf_text(&b);
}

void
policy_form(struct arena *mem, const struct sigv4 *v, const struct policy_grant *g,
    struct policy_field fields[FORM_FIELDS])
{
	char stamp[SIGV4_STAMP];
	const char *text;

	sigv4_stamp(g->now_us, stamp);
	for (int i = 0; i < FORM_FIELDS; i++)
		fields[i].name = policy_names[i];
	fields[FORM_KEY].value = g->key;
	fields[FORM_CONTENT_TYPE].value = g->mime_type;
	fields[FORM_STATUS].value = "201";
	fields[FORM_BUCKET].value = g->bucket;
	fields[FORM_ALGORITHM].value = SIGV4_ALGORITHM;
	fields[FORM_CREDENTIAL].value = sigv4_credential(mem, v, stamp);
	fields[FORM_DATE].value = arena_str(mem, stamp);
	text = write_policy(mem, g, fields);
	fields[FORM_POLICY].value = base64(mem, text, strlen(text));
	fields[FORM_SIGNATURE].value =
	    sigv4_sign(mem, v, stamp, fields[FORM_POLICY].value);
}
