#include "service/voice_input.h"

#include "base/lang.h"
#include "base/mime.h"
#include "base/text.h"

static const char *
name_check(const char *s)
{
	return text_only(s, "_-. ()")
		   ? NULL
		   : "may have letters, digits, space and _ - . ( ) only";
}

/* clang-format off */
#define AT(m) offsetof(struct sample_in, m)
static const struct field	 sample_in_fields[] = {
	{ "filename",     F_TEXT, AT(filename),     3, 255,  F_IN | F_REQUIRED, filename_check },
	{ "mime_type",    F_ENUM, AT(mime_type),    0, 0,    F_IN | F_REQUIRED | F_NOCASE,
	                  .names = mime_clone },
	{ "lang_code",    F_ENUM, AT(lang),         0, 0,    F_IN | F_REQUIRED | F_NOCASE,
	                  .names = lang_voice },
	{ "display_name", F_TEXT, AT(display_name), 1, 255,  F_IN },
	{ "description",  F_TEXT, AT(description),  0, 2000, F_IN },
	{ "item_id",      F_TEXT, AT(item_id),      1, 36,   F_IN },
	{ "denoise",      F_BOOL, AT(denoise),      0, 0,    F_IN },
	{ "speech_normalization", F_BOOL, AT(normalise), 0, 0, F_IN | F_TRUE },
	FIELDS_END,
};
#undef AT
#define AT(m) offsetof(struct voice_in, m)
static const struct field	 attribute[] = {
	{ "", F_TEXT, 0, 1, 64, F_IN },
};
#define NAME        { "name", F_TEXT, AT(name), 3, 64, F_IN | F_REQUIRED, name_check }
#define DESCRIPTION { "description", F_TEXT, AT(description), 0, 2000, F_IN | F_NULLABLE }
#define LABELS      { "labels", F_OBJ, AT(labels), 0, 0, F_IN | F_NULLABLE, .of = label_fields }
#define ATTRIBUTES  { "attributes", F_LIST, AT(attributes), 0, 20, F_IN | F_NULLABLE, .of = attribute, \
                      .size = sizeof(const char *) }

const struct field	 voice_clone_fields[] = {
	NAME, DESCRIPTION, LABELS, ATTRIBUTES,
	{ "samples", F_LIST, AT(samples), 1, 1, F_IN | F_REQUIRED, .of = sample_in_fields,
	             .size = sizeof(struct sample_in) },
	{ "skip_external_voice", F_BOOL, AT(hidden), 0, 0, F_IN },
	FIELDS_END,
};
const struct field	 voice_edit_fields[] = { NAME, DESCRIPTION, LABELS, ATTRIBUTES, FIELDS_END };
/* clang-format on */
