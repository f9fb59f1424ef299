#ifndef STREAM_FLAW_H
#define STREAM_FLAW_H

#include <stdbool.h>
#include <stddef.h>

#include "base/json.h"

/*
 * What is wrong with a message of a client, all of it at once, each with the
 * place where it is.
 */
#define FLAWS_MAX 20

struct flaw {
	const char *path; /* pipeline.translations.0.target_language; "": everything */
	const char *loc;  /* the same as JSON: ["pipeline","translations",0,...] */
	const char *msg;  /* "must be between 0.3 and 2.0" */
	const char *type; /* one of FLAW_* */
};

#define FLAW_MISSING "missing"
#define FLAW_TYPE "type"
#define FLAW_RANGE "range"
#define FLAW_ENUM "enum"
#define FLAW_LENGTH "length"
#define FLAW_DUPLICATE "duplicate"
#define FLAW_UNSUPPORTED "unsupported"

/* Zero-initialise and set mem.  Of very many flaws the first are kept. */
struct flaws {
	struct arena *mem;
	size_t n;
	struct flaw of[FLAWS_MAX];
};

/*
 * A value and where it is: a chain of these goes from it to the whole.  They
 * stand on the stack of the functions that walk down the tree.
 */
struct spot {
	const struct spot *up; /* NULL: this is the whole */
	const char *key;       /* its name in an object; NULL: in a list */
	size_t i;              /* its number in a list */
	const struct json *v;  /* NULL: absent, or null */
};

/* Where a value is: the whole of a message, which no path names; NULL: it has none. */
struct spot spot_whole(const struct json *);
/* The member of an object; of anything else there is none. */
struct spot spot_member(const struct spot *, const char *key);
/* The i-th of a list, which is v. */
struct spot spot_item(const struct spot *, size_t i, const struct json *);

/*
 * type: a FLAW_ literal; fmt: what is wrong, cut behind 255 bytes.  Beyond FLAWS_MAX
 * nothing is added.
 */
void flaw_add(struct flaws *, const struct spot *, const char *type, const char *fmt,
    ...) __attribute__((format(printf, 4, 5)));
/* Whether it is there and of the type; there, but of another: a flaw. */
bool flaw_is(struct flaws *, const struct spot *, enum json_type);
/* "path: msg; path: msg": all of them in a line. */
const char *flaws_text(struct arena *, const struct flaws *);

#endif
