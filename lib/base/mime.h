/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef BASE_MIME_H
#define BASE_MIME_H

/* Nouns: filename. */

/* MIME types that a field may hold; NULL-terminated. */
extern const char *const mime_upload[]; /* plain uploads */
extern const char *const mime_clone[];  /* samples of voices */

/* NULL if clients may declare this file name, else the reason why not. */
const char *filename_check(const char *);

#endif
