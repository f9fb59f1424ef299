/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef STORE_GLOSSARIES_H
#define STORE_GLOSSARIES_H

#include "base/problem.h"
#include "db/db.h"
#include "store/blobs.h"
#include "store/cursor.h"

/*
 * Glossaries, and how their entries are imported:
 *
 *	none --file arrives--> pending --good--> ready
 *	                       ^  |
 *	       another arrives +--+--faults--> failed
 *
 * The file is a blob of kind glossary; it is gone when the next file replaces it.
 */
struct glossary {
	const char *id;
	const char *account;
	const char *name;
	bool enabled;
	const char *type;            /* translation, asr, asr_hot */
	const char *source, *target; /* codes; target: or NULL */
	const char *status;          /* none, pending, ready, failed */
	int64_t entries;             /* rows imported */
	struct list faults; /* struct term_fault; set by glossary_fill_view() */
	int64_t created_us, updated_us;
	const char *fault_lines; /* faults, as stored */
	const char *blob;        /* blob of the last file, or NULL */
	int64_t version;
};

/* An error in the file, as clients read it. */
struct term_fault {
	int64_t row, column; /* column: from 1, or NULL_INT */
	struct problem_document problem;
};

struct terms {
	int64_t rows; /* 0: the file has errors */
	/* For each row its terms, separated by TERM_END, then TERMS_END. */
	const char *terms;
	/*
	 * Errors of the file, a line each: the row, the column (empty: the whole row)
	 * and the problem. Without errors "".
	 */
	const char *faults;
};

/* Control characters, which cannot occur in a term. */
#define TERM_END "\x1f"
#define TERMS_END "\x1e"
#define TERM_CASE "case" /* a third one: the case of the first matters */

extern const struct field glossary_fields[];
extern const struct field glossary_add_fields[], glossary_edit_fields[]; /* input */
extern const struct sql glossary_sql[];

/* Set faults from the stored fault_lines. */
void glossary_fill_view(struct arena *, struct glossary *, const char *base_url);
size_t glossary_columns(const struct glossary *);
/*
 * Check target against type and source.  Returns a sentence about the error, or NULL.
 */
const char *glossary_target_fault(const struct glossary *);
/* True if the status is none or failed: a file is accepted. */
bool glossary_accepts_file(const struct glossary *);

enum err glossary_add(struct db *, const struct glossary *) MUST_CHECK;
enum err glossary_count(struct db *, const char *account, int64_t *) MUST_CHECK;
enum err glossary_get(struct db *, struct arena *, const char *account, const char *id,
    struct glossary *) MUST_CHECK;
/* List the account's glossaries, as struct glossary. */
enum err glossary_list(struct db *, struct arena *, const char *account,
    const struct list_cursor *, struct list *) MUST_CHECK;
/* Store name and enabled; increases version and sets updated_us.  ERR_STALE: the stored
   version is another one. */
enum err glossary_put(struct db *, struct glossary *) MUST_CHECK;
/* Delete a glossary with its file and terms. */
enum err glossary_drop(struct db *, const struct glossary *) MUST_CHECK;

/*
 * Record the file that has arrived, in the caller's transaction: the status becomes
 * pending, the file's blob is added and the previous one is marked as gone.
 * ERR_CONFLICT: the glossary accepts no file.
 */
enum err glossary_receive(
    struct db *, struct glossary *, const struct blob *file) MUST_CHECK;
/* pending -> ready or failed, depending on the parsed file.  ERR_STALE: the glossary is
   deleted, or has another file now. */
enum err glossary_import(
    struct db *, const struct glossary *, const struct terms *) MUST_CHECK;

/* A row of a glossary, for tasks of the account. */
struct glossary_row {
	const char *glossary, *type, *source;
	const char *target; /* or NULL */
	const char *term;
	const char *replacement; /* or NULL */
	bool match_case;         /* the term counts only as it is written */
};

/* The rows of enabled and ready glossaries, oldest glossary first, at most `most`, as
   struct glossary_row. */
enum err glossary_used(struct db *, struct arena *, const char *account, size_t most,
    struct list *) MUST_CHECK;
/* Convert terms from CSV, as in schema version 7, to the form glossary_used() reads. */
enum err glossary_terms_convert(struct db *) MUST_CHECK;

#endif
