/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef NET_NAME_PIN_H
#define NET_NAME_PIN_H

#include <stdbool.h>

/*
 * Lets libraries that look up names themselves use only an address that was checked.
 * This program's own getaddrinfo(3) returns the pinned address for every name. It
 * applies to the calling thread. ip: numeric, without brackets, borrowed until the next
 * call; NULL: names are looked up again. False: libraries do not call this
 * getaddrinfo(3), so do not give them a name.  Nouns: getaddrinfo.
 */
bool name_pin(const char *ip);

#endif
