/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef WEB_ACCESS_CODE_H
#define WEB_ACCESS_CODE_H

#include "web/web.h"

/*
 * Check the query parameter `code` of a request against the code of an event; NULL: the
 * event has none.  Codes are compared in constant time, ignoring case.  Wrong codes are
 * counted by address and by event; over these limits only an address that used the
 * right code before is admitted.  False: *no is the refusal.
 */
bool access_code_admit(
    struct request *, const char *event, const char *code, struct reply *no);

/*
 * Limits of guessing the codes of short addresses, which are join codes and codes of
 * speaker links: an address may send 30 unknown codes a minute.  Over
 * this limit it gets 429 for every code that it has not used before.
 */
/* Count an unknown code; false: *no is the refusal. */
bool short_code_unknown(struct request *, struct reply *no);
/* True if the address may learn where this code leads, which is known. */
bool short_code_admit(struct request *, const char *code, struct reply *no);

#endif
