#include "web/transfer_encoding.h"

#include <string.h>

bool
transfer_begin(struct transfer_decoder *d, const char *encoding)
{
	static const char *const as_is[] = { "7bit", "8bit", "binary" };
	bool known = encoding == NULL;

	*d = (struct transfer_decoder){ .kind = TRANSFER_AS_IS };
	for (size_t i = 0; i < sizeof(as_is) / sizeof(as_is[0]) && !known; i++)
		known = strcmp(encoding, as_is[i]) == 0;
	if (known)
		return true;
	d->kind = strcmp(encoding, "base64") == 0 ? TRANSFER_BASE64 : TRANSFER_QUOTED;
	return d->kind == TRANSFER_BASE64 || strcmp(encoding, "quoted-printable") == 0;
}

static int
sextet(char c)
{
	static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
				      "abcdefghijklmnopqrstuvwxyz0123456789+/";
	const char *at = c != '\0' ? strchr(letters, c) : NULL;

	return at != NULL ? (int)(at - letters) : -1;
}

static bool
is_blank(char c)
{
	return c == '\r' || c == '\n' || c == ' ' || c == '\t';
}

/* Each character gives one byte at most, so none is written before it is read. */
static bool
decode_base64(struct transfer_decoder *d, char *p, size_t *n)
{
	size_t to = 0;

	for (size_t i = 0; i < *n; i++) {
		int six = sextet(p[i]);

		if (is_blank(p[i]))
			continue;
		if (p[i] == '=' && d->n_bits > 0 && ++d->padding <= d->n_bits / 2)
			continue;
		if (six < 0 || d->padding > 0)
			return false;
		d->bits = (d->bits << 6 | (uint32_t)six) & 0xffff;
		if ((d->n_bits += 6) >= 8)
			p[to++] = (char)(d->bits >> (d->n_bits -= 8));
	}
	*n = to;
	return true;
}

static int
hex_digit(char c)
{
	return c >= '0' && c <= '9'   ? c - '0'
	       : c >= 'A' && c <= 'F' ? c - 'A' + 10
	       : c >= 'a' && c <= 'f' ? c - 'a' + 10
				      : -1;
}

/* A character behind "=": a digit, or of the line end that counts as none. */
static bool
take_quoted(struct transfer_decoder *d, char c, char *p, size_t *to)
{
	int digit = hex_digit(c);

	if (d->pending == 1 && is_blank(c)) {
		d->pending = c == '\n' ? 0 : 1;
		return true;
	}
	if (digit < 0)
		return false;
	if (d->pending++ == 1)
		d->high = digit;
	else {
		p[(*to)++] = (char)(d->high << 4 | digit);
		d->pending = 0;
	}
	return true;
}

static bool
decode_quoted(struct transfer_decoder *d, char *p, size_t *n)
{
	size_t to = 0;

	for (size_t i = 0; i < *n; i++) {
		if (d->pending > 0) {
			if (!take_quoted(d, p[i], p, &to))
				return false;
		} else if (p[i] == '=')
			d->pending = 1;
		else
			p[to++] = p[i];
	}
	*n = to;
	return true;
}

bool
transfer_decode(struct transfer_decoder *d, char *p, size_t *n)
{
	return d->kind == TRANSFER_AS_IS ||
	       (d->kind == TRANSFER_BASE64 ? decode_base64(d, p, n)
					   : decode_quoted(d, p, n));
}

bool
transfer_end(const struct transfer_decoder *d)
{
	return d->n_bits < 6 && d->pending < 2;
}
