#ifndef WEB_TRANSFER_ENCODING_H
#define WEB_TRANSFER_ENCODING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Content-Transfer-Encoding (RFC 2045, 6), decoded piece by piece. */
struct transfer_decoder {
	enum { TRANSFER_AS_IS, TRANSFER_BASE64, TRANSFER_QUOTED } kind;
	uint32_t bits; /* BASE64: those that are no byte yet, */
	int n_bits;    /* so many */
	int padding;   /* BASE64: "=" that came */
	int pending;   /* QUOTED: characters behind "=", with it; 0: none */
	int high;      /* QUOTED: the first of these as a digit */
};

/*
 * encoding: in lower case; NULL, 7bit, 8bit and binary leave the bytes as they are.
 * False: it is none that is known.
 */
bool transfer_begin(struct transfer_decoder *, const char *encoding);
/* Decode n bytes in place; *n becomes how many there are then.  False: they are none.
 */
bool transfer_decode(struct transfer_decoder *, char *, size_t *n);
/* True if the decoded sound is complete. */
bool transfer_end(const struct transfer_decoder *);

#endif
