/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TESTS_FUZZ_OGG_H
#define TESTS_FUZZ_OGG_H

#include <ogg/ogg.h>
#include <stddef.h>
#include <string.h>

/* Correct the checksums of Ogg pages, because a wrong one would end the decoding. */
static inline void
mend_pages(unsigned char *p, size_t n)
{
	for (size_t i = 0; i + 27 <= n; i++) {
		size_t head = 27u + p[i + 26], body = 0;
		ogg_page page;

		if (memcmp(p + i, "OggS", 4) != 0 || i + head > n)
			continue;
		for (size_t k = i + 27; k < i + head; k++)
			body += p[k];
		if (i + head + body > n)
			return;
		page = (ogg_page){ p + i, (long)head, p + i + head, (long)body };
		ogg_page_checksum_set(&page);
		i += head + body - 1;
	}
}

#endif
