#ifndef SERVICE_GLOSSARY_INPUT_H
#define SERVICE_GLOSSARY_INPUT_H

#include "store/glossaries.h"

/* What clients say of a glossary: when it is made, and when it is changed. */
struct glossary_in {
	const char *name, *type, *source, *target;
	bool enabled;
};

extern const struct field glossary_add_fields[];  /* all of struct glossary_in */
extern const struct field glossary_edit_fields[]; /* name and enabled */

/* What is wrong with the target beside type and source, a sentence; or NULL. */
const char *glossary_target_fault(const struct glossary_in *);

#endif
