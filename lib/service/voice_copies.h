#ifndef SERVICE_VOICE_COPIES_H
#define SERVICE_VOICE_COPIES_H

#include "base/conf.h"
#include "db/db.h"

/*
 * What servers hold of a voice, or of all of an account (id NULL), goes by a worker:
 * its jobs are queued in the caller's transaction, before the voice is dropped.
 */
enum err voice_copies_forget(struct db *, struct arena *, const struct conf *,
    const char *account, const char *id) MUST_CHECK;

#endif
