#ifndef SERVICE_UPLOAD_RECEIVED_H
#define SERVICE_UPLOAD_RECEIVED_H

#include "base/conf.h"
#include "db/db.h"

/* A file that is in the blob store but not yet in the database. */
struct upload_received {
	const char *blob_id; /* that it is for */
	const char *file;    /* its name in the store */
	int64_t bytes;
	const char *sha256;
	int64_t capacity; /* bytes the account may store; 0: no limit */
	bool ours;        /* we stored it just now; else a client did, in a bucket */
};

/*
 * Write that it has arrived: the row, the account's bytes, of a voice's sample
 * the voice, and the job that goes on from there; in one transaction of its
 * own.  Then the file it replaces is removed.
 *
 * Errors are blob_arrived()'s.  Then a file of ours is removed, unless the
 * database cannot be asked whether it has it, or it was the commit that failed:
 * that is left to the sweep.  A client's is removed only when it can never be taken.
 */
enum err upload_received_record(struct db *, struct arena *, const struct conf *,
    const struct upload_received *) MUST_CHECK;

#endif
