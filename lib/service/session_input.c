#include "service/session_input.h"

#include <string.h>

#define TTL_MOST 2592000 /* seconds: 30 days */

static const char *
intent_check(const char *s)
{
	static const char allowed[] = "abcdefghijklmnopqrstuvwxyz0123456789_-";

	return s[strspn(s, allowed)] == '\0' ? NULL : "may have a-z, 0-9, _ and - only";
}

/* clang-format off */
#define AT(m) offsetof(struct session_in, m)
const struct field	 session_new_fields[] = {
	{ "subscriber_count",        F_INT,  AT(subscribers),     0, 10, F_IN },
	{ "intent",                  F_TEXT, AT(intent),          1, 32, F_IN, intent_check },
	{ "publisher_can_subscribe", F_BOOL, AT(publisher_hears), 0, 0,  F_IN | F_TRUE },
	{ "publisher_count",         F_INT,  AT(publishers),      1, 1,  F_IN },
	FIELDS_END,
};
#undef AT
#define AT(m) offsetof(struct session_ttl, m)
#define TTL(flags) { "ttl_seconds", F_INT, AT(ttl_s), 1, TTL_MOST, F_IN | (flags) }
const struct field	 session_ttl_fields[] = { TTL(F_REQUIRED), FIELDS_END };
const struct field	 session_ttl_again_fields[] = { TTL(0), FIELDS_END };
/* clang-format on */
