#ifndef WEB_UPLOAD_SLOT_H
#define WEB_UPLOAD_SLOT_H

#include <stdint.h>

#include "base/arena.h"
#include "base/err.h"

/*
 * What strangers can take while they send files: a bound on the processes that
 * receive one at a time, and on the bytes that are still to come.  All processes of
 * an installation share a file; a place in it is a lock, so that a killed process
 * gives its place back.
 */
#define UPLOAD_SLOTS 64

struct upload_slot;

/*
 * A place, until the arena is reset.  When there is none, the process that has been
 * waiting longest for a form is killed and its place taken: an honest form is there
 * within a moment.  ERR_BUSY: all places have files that arrive.  ERR_FAILED: logged.
 */
enum err upload_slot_take(
    struct arena *, const char *state_dir, struct upload_slot **) MUST_CHECK;
/*
 * The form is good: so many bytes may come, into the file system of dir.  All that
 * are coming may take a tenth of what is free there.  ERR_BUSY: others take too much
 * of it now; ERR_FULL: it would be too much even alone.
 */
enum err upload_slot_expect(
    struct upload_slot *, const char *dir, int64_t bytes) MUST_CHECK;

#endif
