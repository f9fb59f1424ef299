#include "store/targets.h"

/* clang-format off */
#define AT(m) offsetof(struct upload_form, m)
const struct field	 form_fields[] = {
	{ "key",                   F_TEXT, AT(key),                   .flags = F_OUT },
	{ "Content-Type",          F_TEXT, AT(content_type),          .flags = F_OUT },
	{ "success_action_status", F_TEXT, AT(success_action_status), .flags = F_OUT },
	{ "bucket",                F_TEXT, AT(bucket),                .flags = F_OUT },
	{ "X-Amz-Algorithm",       F_TEXT, AT(algorithm),             .flags = F_OUT },
	{ "X-Amz-Credential",      F_TEXT, AT(credential),            .flags = F_OUT },
	{ "X-Amz-Date",            F_TEXT, AT(date),                  .flags = F_OUT },
	{ "Policy",                F_TEXT, AT(policy),                .flags = F_OUT },
	{ "X-Amz-Signature",       F_TEXT, AT(signature),             .flags = F_OUT },
	FIELDS_END,
};
#undef AT
#define AT(m) offsetof(struct upload_target, m)
const struct field	 target_fields[] = {
	{ "url",       F_TEXT, AT(url),     .flags = F_OUT },
	{ "item_id",   F_TEXT, AT(item_id), .flags = F_OUT },
	{ "blob_id",   F_TEXT, AT(blob_id), .flags = F_OUT },
	{ "form_data", F_OBJ,  AT(form),    .flags = F_OUT, .of = form_fields },
	FIELDS_END,
};
/* clang-format on */
