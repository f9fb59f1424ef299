#ifndef BASE_ZONE_H
#define BASE_ZONE_H

/*
 * Whether a text names a time zone of the IANA database, "Europe/Vienna": what
 * is wrong with it, or NULL.  Where the system has no such database its form is
 * all that is looked at.
 */
const char *zone_check(const char *);
/* The same with the database in that folder. */
const char *zone_check_in(const char *folder, const char *);

#endif
