#ifndef WEB_ACCESS_CODE_H
#define WEB_ACCESS_CODE_H

#include "web/web.h"

/*
 * Whether the query parameter `code` of a request opens an event; code NULL: the event
 * has none.  Codes are compared in constant time, case does not count.  Wrong ones are
 * counted, by address and by event; over these limits only an address that used the
 * right one before is let in with it.  False: *no is the refusal.
 */
bool access_code_admit(
    struct request *, const char *event, const char *code, struct reply *no);

#endif
