/*
 * What listeners may say.
 */
#include "service/listener_input.h"

#include "base/id.h"
#include "base/lang.h"

static const char *const request_types[] = { "add_language", NULL };

/* clang-format off */
#define UUID(name, at) { name, F_TEXT, at, .flags = F_IN | F_OPT, .check = id_check }
const struct field	 code_fields[] = {
	{ "code", F_TEXT, offsetof(struct code_in, code), .flags = F_IN | F_OPT },
	FIELDS_END,
};
const struct field	 qr_fields[] = {
	UUID("stage", offsetof(struct qr_in, stage)), FIELDS_END,
};
#define AT(m) offsetof(struct request_in, m)
static const struct field	 payload_fields[] = {
	{ "language", F_ENUM, AT(payload.language) - AT(payload), 0, 0,
	  F_IN | F_REQUIRED | F_NOCASE, .names = lang_target },
	FIELDS_END,
};
const struct field	 request_in_fields[] = {
	{ "type",    F_ENUM, AT(type),    0, 0, F_IN | F_REQUIRED, .names = request_types },
	{ "payload", F_OBJ,  AT(payload), 0, 0, F_IN | F_REQUIRED, .of = payload_fields },
	UUID("channel_id", AT(channel)), UUID("listener_id", AT(listener)),
	FIELDS_END,
};
#undef AT
#define AT(m) offsetof(struct join_in, m)
const struct field	 join_in_fields[] = {
	{ "language", F_ENUM, AT(language), 0, 0, F_IN | F_REQUIRED | F_NOCASE,
	  .names = lang_heard },
	UUID("listener_id", AT(listener)), UUID("stage_id", AT(stage)),
	UUID("channel_id", AT(channel)),
	FIELDS_END,
};
/* clang-format on */
