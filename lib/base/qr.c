/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/qr.h"

#include <qrencode.h>
#include <stdbool.h>

#include "base/buf.h"

#define QUIET 4 /* modules of margin that readers need */

static bool
is_dark(const QRcode *q, int x, int y)
{
	return (q->data[y * q->width + x] & 1) != 0;
}

/* Write the dark modules of a row as rectangles, one for each run. */
static void
write_row(struct buf *b, const QRcode *q, int y)
{
	for (int x = 0, run; x < q->width; x += run) {
		for (run = 0; x + run < q->width && is_dark(q, x + run, y); run++)
			;
		if (run > 0)
			buf_printf(
			    b, "M%d %dh%dv1h-%dz", x + QUIET, y + QUIET, run, run);
		else
			run = 1;
	}
}

const char *
qr_svg(struct arena *mem, const char *text)
{
	QRcode *q = QRcode_encodeString8bit(text, 0, QR_ECLEVEL_M);
	struct buf b = { .mem = mem };
	int side;

	if (q == NULL)
		return NULL;
	side = q->width + 2 * QUIET;
	buf_printf(&b,
	    "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\""
	    " shape-rendering=\"crispEdges\">"
	    "<rect width=\"%d\" height=\"%d\" fill=\"#fff\"/><path d=\"",
	    side, side, side, side);
	for (int y = 0; y < q->width; y++)
		write_row(&b, q, y);
	buf_str(&b, "\"/></svg>\n");
	QRcode_free(q);
	return buf_text(&b);
}
