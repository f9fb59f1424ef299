#ifndef STORE_GLOSSARIES_H
#define STORE_GLOSSARIES_H

#include "base/problem.h"
#include "db/db.h"
#include "store/blobs.h"
#include "store/cursor.h"

/*
 * Glossaries, and how one gets its entries:
 *
 *	none --file arrives--> pending --good--> ready
 *	                       ^  |
 *	       another arrives +--+--faults--> failed
 *
 * The file is a blob of kind glossary, gone when the next one takes its place.
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
	struct list faults;          /* struct term_told; see glossary_tell() */
	int64_t created_us, updated_us;
	const char *fault_lines; /* as stored */
	const char *blob;        /* of the last file, or NULL */
	int64_t version;
};

/* A fault of the file as clients see it. */
struct term_told {
	int64_t row, column; /* column: from 1, or NULL_INT */
	struct problem_told problem;
};

struct terms {
	int64_t rows;      /* 0 when there are faults */
	const char *terms; /* of each row its terms, with TERM_END between, TERMS_END */
	/*
	 * A line each: row, column (empty: all of them), and a problem line; "" when
	 * the file is good.
	 */
	const char *faults;
};

/* Control characters, which no term has. */
#define TERM_END "\x1f"
#define TERMS_END "\x1e"

extern const struct field glossary_fields[];
extern const struct field glossary_add_fields[], glossary_edit_fields[]; /* clients' */
extern const struct sql glossary_sql[];

/* Turn a glossary's stored fault lines into what clients see. */
void glossary_tell(struct arena *, struct glossary *, const char *base_url);
size_t glossary_columns(const struct glossary *);
/* What is wrong with the target beside type and source, a sentence; or NULL. */
const char *glossary_target_fault(const struct glossary *);
/* none or failed: a file may arrive. */
bool glossary_takes_file(const struct glossary *);

enum err glossary_add(struct db *, const struct glossary *) MUST_CHECK;
enum err glossary_count(struct db *, const char *account, int64_t *) MUST_CHECK;
enum err glossary_get(struct db *, struct arena *, const char *account, const char *id,
    struct glossary *) MUST_CHECK;
/* A list of struct glossary. */
enum err glossary_list(struct db *, struct arena *, const char *account,
    const struct list_cursor *, struct list *) MUST_CHECK;
/*
 * Store name and enabled; version and update time grow.  ERR_STALE: its version is not
 * the stored one.
 */
enum err glossary_put(struct db *, struct glossary *) MUST_CHECK;
/* With its file and terms. */
enum err glossary_drop(struct db *, const struct glossary *) MUST_CHECK;

/*
 * Its file has arrived: it becomes pending, the file's blob is added and the one
 * before it gone, in the caller's transaction.  ERR_CONFLICT: it takes none.
 */
enum err glossary_receive(
    struct db *, struct glossary *, const struct blob *file) MUST_CHECK;
/*
 * pending -> ready or failed, by what was read from its file.  ERR_STALE: the
 * glossary is gone, or that is not its file any more.
 */
enum err glossary_import(
    struct db *, const struct glossary *, const struct terms *) MUST_CHECK;

/* A row of a glossary that tasks of the account use. */
struct glossary_row {
	const char *glossary, *type, *source;
	const char *target; /* or NULL */
	const char *term;
	const char *replacement; /* or NULL */
};

/* Those of the enabled and ready ones, oldest first, up to `most`, as a list of that.
 */
enum err glossary_used(struct db *, struct arena *, const char *account, size_t most,
    struct list *) MUST_CHECK;
/* From CSV, as schema version 7 had them, to what glossary_used() reads. */
enum err glossary_terms_convert(struct db *) MUST_CHECK;

#endif
