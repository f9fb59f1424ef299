/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef BASE_QR_H
#define BASE_QR_H

#include "base/arena.h"

/*
 * A QR code (ISO/IEC 18004) of the text, byte mode, error correction M, as an SVG
 * image: one unit for each module, a quiet zone of four around it, black on white,
 * scalable.  NULL: the text is empty or over 2,331 bytes.
 */
const char *qr_svg(struct arena *, const char *text);

#endif
