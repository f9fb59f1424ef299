/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef NET_NAME_PIN_H
#define NET_NAME_PIN_H

#include <stdbool.h>

/*
 * For libraries that look up a name themselves after its address was checked: a
 * getaddrinfo(3) of this program, which returns the pinned address for every name.
 * Nouns: getaddrinfo.
 *
 * ip: numeric, without brackets, borrowed until the next call; NULL: names are looked
 * up again.  It applies to the calling thread.  False: libraries do not call this
 * getaddrinfo(3), so they must not be given a name.
 */
bool name_pin(const char *ip);

#endif
