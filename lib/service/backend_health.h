#ifndef SERVICE_BACKEND_HEALTH_H
#define SERVICE_BACKEND_HEALTH_H

#include "db/db.h"

/*
 * The broadcasting backend has answered this host.  If it was known to be silent
 * it is so no more, and what failed meanwhile is due soon, with its tries counted
 * anew.  In the caller's transaction, with what the answer was about.
 */
enum err backend_health_over(struct db *, struct arena *) MUST_CHECK;

#endif
