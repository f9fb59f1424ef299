#ifndef PROTOCOL_RULE_H
#define PROTOCOL_RULE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/field.h"
#include "protocol/language_code.h"
#include "protocol/validation_error.h"

/*
 * What the members of a message are, said once in a table: it is read into a
 * struct by it, and written again.  What is absent or null leaves the struct as
 * it is, so a default is what was in there before.  Members without a rule are
 * taken and have no effect.
 */
enum rule_type {
	RULE_BOOL,  /* bool */
	RULE_INT,   /* int64_t, min to max; 0: not known */
	RULE_REAL,  /* double, min to max */
	RULE_ENUM,  /* int: the index in names */
	RULE_TEXT,  /* const char *, min to max code points; max 0: any */
	RULE_CODE,  /* struct code, a known language or one of names, if any */
	RULE_TEXTS, /* struct list of const char *, each of min to max code points */
	RULE_CODES, /* struct list of const char *: language codes, folded */
	RULE_IDS,   /* struct list of const char *: uuids, in lower case */
	RULE_OBJ,   /* the members `of` it, in the same struct */
	RULE_OWN,   /* read(), if any, and write(); to and from the table's struct */
};

#define RULE_REQUIRED 0x01
#define RULE_NULLABLE 0x02 /* OWN: null is given to read() and written again */

struct rule {
	const char *name;
	enum rule_type type;
	size_t at; /* offsetof() in the struct */
	double min, max;
	const char *const *names; /* NULL-terminated */
	const struct rule *of;
	unsigned flags;
	void (*read)(struct validation_errors *, const struct json_path *, void *to);
	/* The member; sent is NULL when the client did not send it, or null. */
	void (*write)(struct json_writer *, const char *key, const struct json *sent,
	    const void *from, bool hidden);
};

#define RULES_END                                                                      \
	{                                                                              \
		.name = NULL                                                           \
	}

/* Texts are borrowed from the tree; at->v is an object, or NULL. */
void rules_read(struct validation_errors *, const struct rule *,
    const struct json_path *at, void *to);
/*
 * The members of an object as they were sent, without those whose null meant
 * nothing; with `hidden` then those that were not sent.
 */
void rules_write(struct json_writer *, const struct rule *, const struct json *sent,
    const void *from, bool hidden);
/* The same as an object. */
void rules_write_object(struct json_writer *, const char *key, const struct rule *,
    const struct json *sent, const void *from, bool hidden);

#endif
