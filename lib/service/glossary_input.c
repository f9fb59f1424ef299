#include "service/glossary_input.h"

#include <string.h>

#include "base/lang.h"
#include "base/text.h"

static const char *const types[] = { "translation", "asr", "asr_hot", NULL };

static const char *
name_check(const char *s)
{
	return text_only(s, "_-. ") ? NULL
				    : "may have letters, digits, space and _ - . only";
}

/* clang-format off */
#define AT(m) offsetof(struct glossary_in, m)
#define NAME    { "name", F_TEXT, AT(name), 3, 64, F_IN | F_REQUIRED, name_check }
#define ENABLED { "is_enabled", F_BOOL, AT(enabled), 0, 0, F_IN | F_TRUE | F_LOOSE }

const struct field	 glossary_add_fields[] = {
	NAME, ENABLED,
	{ "glossary_type", F_ENUM, AT(type),   0, 0, F_IN | F_REQUIRED, .names = types },
	{ "source_lang",   F_ENUM, AT(source), 0, 0, F_IN | F_REQUIRED | F_NOCASE,
	                   .names = lang_glossary_source },
	{ "target_lang",   F_ENUM, AT(target), 0, 0, F_IN | F_NULLABLE | F_NOCASE,
	                   .names = lang_glossary_any },
	FIELDS_END,
};
const struct field	 glossary_edit_fields[] = { NAME, ENABLED, FIELDS_END };
/* clang-format on */

const char *
glossary_target_fault(const struct glossary_in *in)
{
	bool asr = strcmp(in->type, "asr") == 0;

	if (strcmp(in->type, "asr_hot") == 0)
		return NULL;
	if (in->target == NULL)
		return "target_lang is required.";
	if (!asr && !lang_in(lang_glossary_target, in->target))
		return "target_lang is not in the list.";
	if (in->source == NULL || (strcmp(in->source, in->target) == 0) == asr)
		return NULL;
	return asr ? "target_lang must equal source_lang."
		   : "target_lang must differ from source_lang.";
}
