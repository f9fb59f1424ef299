/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PROTOCOL_RULE_H
#define PROTOCOL_RULE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/field.h"
#include "base/lang.h"
#include "protocol/validation_error.h"

/*
 * Tables that describe the members of a message.  A table reads JSON into a struct and
 * writes it again.  A member that is absent or null keeps the value of the struct, so
 * set defaults first.  Unknown members are accepted and ignored.
 */
enum rule_type {
	RULE_BOOL,  /* bool */
	RULE_INT,   /* int64_t, from min to max; or 0 for unknown */
	RULE_REAL,  /* double, from min to max */
	RULE_ENUM,  /* int: the index in names */
	RULE_TEXT,  /* const char *, min to max code points; max 0: any */
	RULE_CODE,  /* struct language_code, a known code or one of names */
	RULE_TEXTS, /* struct list of const char *, each of min to max code points */
	RULE_CODES, /* struct list of const char *: language codes, folded */
	RULE_IDS,   /* struct list of const char *: uuids, in lower case */
	RULE_PATH,  /* names and indexes that lead to a member; not read */
	RULE_OBJ,   /* an object with members `of`, in the same struct */
	/* read() (or NULL) and write() with the whole struct: an object of members
	   `of`; of NULL: an array of strings */
	RULE_OWN,
};

#define RULE_REQUIRED 0x01
#define RULE_NULLABLE 0x02 /* OWN: read() also gets null, and null is written */
#define RULE_LIST 0x04     /* OWN: an array of min to max objects; 0, 0: any number */
#define RULE_OPTIONAL 0x08 /* in the server's messages: the member may be absent */

/* In a map, the rule for all members without a rule of their own. */
#define RULE_ANY "*"

struct rule {
	const char *name;
	enum rule_type type;
	size_t at; /* offsetof() in the struct */
	double min, max;
	const char *const *names; /* NULL-terminated */
	/* OWN: the members that read() reads, for descriptions */
	const struct rule *of;
	unsigned flags;
	void (*read)(struct validation_errors *, const struct json_path *, void *to);
	/* Writes the member; sent: NULL if the client sent none, or null. */
	void (*write)(struct json_writer *, const char *key, const struct json *sent,
	    const void *from, bool hidden);
	const char *help; /* help for descriptions; NULL: not described */
};

#define RULES_END                                                                      \
	{                                                                              \
		.name = NULL                                                           \
	}

/* Texts are borrowed from the tree.  at->v is an object, or NULL. */
void rules_read(struct validation_errors *, const struct rule *,
    const struct json_path *at, void *to);
/*
 * Write the members as sent, without ignored nulls. hidden: also write the defaults of
 * members that were not sent.
 */
void rules_write(struct json_writer *, const struct rule *, const struct json *sent,
    const void *from, bool hidden);
/* As rules_write(), as an object. */
void rules_write_object(struct json_writer *, const char *key, const struct rule *,
    const struct json *sent, const void *from, bool hidden);

/*
 * Write a JSON Schema (2020-12) of an object with these members. defaults: an object
 * with the values of absent members, or NULL. sent: the server sends the object and
 * leaves out only members that are RULE_OPTIONAL; clients leave out members that are
 * not RULE_REQUIRED, or send null.
 */
void rules_schema(struct json_writer *, const char *key, const struct rule *,
    const struct json *defaults, bool sent);
/* Find the member of that name in such defaults, also inside a list or map; or NULL. */
const struct json *rules_default(const struct json *defaults, const char *name);

#endif
