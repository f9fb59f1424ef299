/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef WEB_UPLOAD_SLOT_H
#define WEB_UPLOAD_SLOT_H

#include <stdint.h>

#include "base/arena.h"
#include "base/err.h"

/*
 * Limits the resources that unauthenticated clients can use while they send files: the
 * number of processes receiving a file, and the bytes still expected.  All processes of
 * an installation share a file; a slot in it is a lock, so a killed process releases
 * its slot.
 */
#define UPLOAD_SLOTS 64

struct upload_slot;

/*
 * Take a slot until the arena is reset.  If none is free, the process that has waited
 * longest for a form is killed and its slot taken: a proper form arrives within a
 * moment.  ERR_BUSY: files are arriving in all slots.  ERR_FAILED: logged.
 */
enum err upload_slot_acquire(
    struct arena *, const char *state_dir, struct upload_slot **) MUST_CHECK;
/*
 * After the form was accepted: reserve its bytes in the file system of dir.  All
 * uploads together may take a tenth of the free space.  ERR_BUSY: other uploads use too
 * much of it now.  ERR_FULL: the file alone would be too large.
 */
enum err upload_slot_expect(
    struct upload_slot *, const char *dir, int64_t bytes) MUST_CHECK;

#endif
