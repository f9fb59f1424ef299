/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef BASE_FIELD_H
#define BASE_FIELD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/json.h"

/*
 * The members of a thing, defined once.  One table per resource serves the reading of
 * input, the columns of its statements (db/db.h), the reading of rows, the writing of
 * JSON and its description in /openapi.json.
 */
enum field_type {
	F_TEXT, /* const char *; NULL is null */
	F_ENUM, /* const char *, one of names; NULL is null */
	F_JSON, /* const char *, a free-form object as JSON text; NULL is null */
	F_INT,  /* int64_t; NULL_INT is null */
	F_TIME, /* int64_t, microseconds since the epoch; NULL_INT is null */
	F_REAL, /* double; NaN is null */
	F_BOOL, /* bool; never null */
	F_OBJ,  /* a struct in place, made of `of` */
	F_LIST, /* struct list, its items made of `of` */
};

struct list {
	void *items;
	size_t n;
};

#define NULL_INT INT64_MIN

#define F_OUT 0x01 /* clients can see it */
#define F_IN 0x02  /* clients may set it */
#define F_IO (F_IN | F_OUT)
#define F_REQUIRED 0x04 /* clients must set it when they create the thing */
#define F_NULLABLE 0x08 /* null is a value */
/* left out of JSON when it is null, empty, or (OBJ) its first field is null */
#define F_OPT 0x10
#define F_NOCASE 0x20 /* ENUM: accepted in any case, kept as in names */
#define F_TRUE 0x40   /* BOOL: true when absent */
#define F_LOOSE 0x80  /* BOOL: "true" and "false" are accepted too */
#define F_ADD 0x100   /* written when the thing is created */
#define F_PUT 0x200   /* written when the thing changes */
#define F_KEPT (F_ADD | F_PUT)
#define F_SEALED 0x400 /* TEXT, ENUM, JSON: its column is encrypted, see db_seal() */
#define NO_COLUMN ""

struct field {
	const char *name;
	enum field_type type;
	size_t at; /* offsetof() in the struct */
	/*
	 * limits of INT: value, TEXT: code points, JSON: bytes, LIST: items; 0, 0: any
	 */
	int64_t min, max;
	unsigned flags;
	const char *(*check)(const char *); /* TEXT: returns a fault, or NULL */
	/*
	 * ENUM: NULL-terminated. TEXT: names accepted in any case and spelled as here
	 */
	const char *const *names;
	/* OBJ; LIST: NULL is any text, a first field without a name is a scalar */
	const struct field *of;
	size_t size; /* LIST: bytes of one item */
	/* The column as a SELECT lists it: "kind", "v.kind", "max(v.kind) AS kind".
	   NULL: the name; NO_COLUMN: it is in no row. A LIST is in no row; an OBJ has
	   the columns of its fields. */
	const char *column;
	const char *help; /* for /openapi.json, or NULL */
};

#define FIELDS_END                                                                     \
	{                                                                              \
		.name = NULL                                                           \
	}

/* A table of rows; AT gives the place of a member of struct `type` for its row. */
#define FIELDS(...)                                                                    \
	{                                                                              \
		__VA_ARGS__, FIELDS_END                                                \
	}
#define MEMBER(type, m) offsetof(struct type, m)

/* One fault of the input. */
struct fault {
	struct fault *next;
	/* JSON Pointer (RFC 6901) to the faulty member, "/data/name" */
	const char *at;
	const char *detail; /* a sentence: "name must have 3 to 64 characters." */
};

#define FIELD_PARTIAL 0x01 /* absent members are left as they are, none is required */
#define FIELD_STRICT 0x02  /* unknown members and those without F_IN are faults */

/*
 * Read the members of a JSON object into a struct.  Returns the faults in the order of
 * the table, at most the first thousand, or NULL.  Members with a fault are null in
 * the struct.  Texts are borrowed from the object.
 */
struct fault *field_read(struct arena *, const struct field *, const struct json *,
    const char *at, unsigned how, void *to);
/* Add a fault after the others, which may be NULL.  Returns the first of them. */
struct fault *fault_add(struct arena *, struct fault *others, const char *at,
    const char *fmt, ...) __attribute__((format(printf, 4, 5)));
/*
 * Sort the faults in the order of the table, by each step of their pointers, which all
 * begin with `at`. Faults at one place keep their order; if several have the same
 * pointer, only the first is kept.
 */
struct fault *fault_order(
    struct arena *, const struct field *, const char *at, struct fault *);
/* Set every field to null, false or empty, and BOOLs with F_TRUE to true. */
void field_clear(const struct field *, void *);
/* Write the fields with F_OUT as an object. */
void field_write(
    struct json_writer *, const char *key, const struct field *, const void *);
/* As field_write(), without the braces around the fields. */
void field_write_into(struct json_writer *, const struct field *, const void *);

/* True if clients see no difference between the two structs. */
bool field_same(struct arena *, const struct field *, const void *, const void *);

/* Copy the fields that clients both set and see from one struct into another. */
void field_copy(const struct field *, const void *from, void *to);

/* Write a list of const char * as a JSON array. Nouns: texts. */
const char *texts_json(struct arena *, const struct list *);
/*
 * Read the texts of such an array as a list; empty if the text is NULL or not an array.
 */
struct list texts_read(struct arena *, const char *json);

#endif
