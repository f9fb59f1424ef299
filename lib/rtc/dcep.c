#include "rtc/dcep.h"

#include <string.h>

#include "base/be.h"

#define HEAD 12
#define UNORDERED 0x80
#define REXMIT 0x01 /* partially reliable, by number of repetitions */
#define TIMED 0x02  /* partially reliable, by time */

struct dcep_message
dcep_open(const char *label, bool lossy)
{
	struct dcep_message m = { .kind = DCEP_OPEN, .lossy = lossy };
	size_t n = strlen(label);

	memcpy(m.label, label, n < sizeof(m.label) ? n : sizeof(m.label) - 1);
	return m;
}

/* A label ends at its first NUL, too. */
bool
dcep_read(const void *bytes, size_t n, struct dcep_message *to)
{
	const unsigned char *p = bytes;
	size_t label;

	*to = (struct dcep_message){ .kind = DCEP_ACK };
	if (n >= 1 && p[0] == DCEP_ACK)
		return true;
	if (n < HEAD || p[0] != DCEP_OPEN)
		return false;
	label = be16(p + 8);
	if (HEAD + label + be16(p + 10) > n)
		return false;
	to->kind = DCEP_OPEN;
	to->lossy = (p[1] & (UNORDERED | REXMIT | TIMED)) != 0;
	label = label < sizeof(to->label) ? label : sizeof(to->label) - 1;
	memcpy(to->label, p + HEAD, label);
	return true;
}

size_t
dcep_write(const struct dcep_message *m, unsigned char to[DCEP_OPEN_MOST])
{
	size_t label = strlen(m->label);

	to[0] = (unsigned char)m->kind;
	if (m->kind == DCEP_ACK)
		return 1;
	memset(to + 1, 0, HEAD - 1);
	to[1] = m->lossy ? UNORDERED | REXMIT : 0;
	to[9] = (unsigned char)label;
	memcpy(to + HEAD, m->label, label);
	return HEAD + label;
}
