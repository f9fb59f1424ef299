/*
 * What listeners may say.
 */
#include "service/listener_input.h"

#include <string.h>

#include "base/id.h"
#include "base/lang.h"

static const char *const request_types[] = { "add_language", NULL };
static const char *const kinds[] = { "listener", "screen", "preview", NULL };

/* clang-format off */
#define UUID(name, at) { name, F_TEXT, at, .flags = F_IN | F_OPT, .check = id_check }
const struct field	 code_fields[] = FIELDS(
	{ "code", F_TEXT, MEMBER(code_in, code), .flags = F_IN | F_OPT }
);
const struct field	 qr_fields[] = FIELDS(
	UUID("stage", MEMBER(qr_in, stage))
);
static const struct field	 payload_fields[] = FIELDS(
	{ "language", F_ENUM, MEMBER(request_in, payload.language) - MEMBER(request_in, payload), 0, 0,
	  F_IN | F_REQUIRED | F_NOCASE, .names = lang_target }
);
const struct field	 request_in_fields[] = FIELDS(
	{ "type",    F_ENUM, MEMBER(request_in, type),    0, 0, F_IN | F_REQUIRED, .names = request_types },
	{ "payload", F_OBJ,  MEMBER(request_in, payload), 0, 0, F_IN | F_REQUIRED, .of = payload_fields },
	UUID("channel_id", MEMBER(request_in, channel)), UUID("listener_id", MEMBER(request_in, listener))
);
const struct field	 join_in_fields[] = FIELDS(
	{ "language", F_ENUM, MEMBER(join_in, language), 0, 0, F_IN | F_REQUIRED | F_NOCASE, .names = lang_heard },
	UUID("listener_id", MEMBER(join_in, listener)), UUID("stage_id", MEMBER(join_in, stage)),
	UUID("channel_id", MEMBER(join_in, channel)),
	{ "kind", F_ENUM, MEMBER(join_in, kind), .flags = F_IN | F_OPT, .names = kinds }
);
/* clang-format on */

const char *
join_in_bystander(const struct join_in *in)
{
	return in->kind == NULL || strcmp(in->kind, kinds[0]) == 0 ? NULL : in->kind;
}
