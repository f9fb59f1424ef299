#ifndef RTC_DCEP_H
#define RTC_DCEP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

/* Messages by which data channels are opened (RFC 8832). */
enum dcep_kind { DCEP_ACK = 2, DCEP_OPEN = 3 };

#define DCEP_LABEL 65 /* bytes of a label, with NUL; longer ones are cut */
#define DCEP_OPEN_MOST (12 + DCEP_LABEL)

struct dcep_message {
	enum dcep_kind kind;
	bool lossy; /* limited repetitions, or time for them */
	char label[DCEP_LABEL];
};

struct dcep_message dcep_open(const char *label, bool lossy);
/* False: neither kind, or its lengths are beyond its end. */
bool dcep_read(const void *, size_t n, struct dcep_message *) MUST_CHECK;
/* lossy: unordered, and never repeated.  Returns the length. */
size_t dcep_write(const struct dcep_message *, unsigned char to[DCEP_OPEN_MOST]);

#endif
