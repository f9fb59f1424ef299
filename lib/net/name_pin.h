#ifndef NET_NAME_PIN_H
#define NET_NAME_PIN_H

#include <stdbool.h>

/*
 * For libraries that look up a name by themselves after its address was checked: a
 * getaddrinfo(3) of this program, which finds the pinned address whatever the name is.
 * Nouns: getaddrinfo.
 *
 * ip: numeric, without brackets, borrowed until the next call; NULL: names are looked
 * up again.  It counts for the calling thread.  False: libraries do not call this
 * getaddrinfo(3), so no name must be given to them.
 */
bool name_pin(const char *ip);

#endif
