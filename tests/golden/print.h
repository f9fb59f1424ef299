/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TESTS_GOLDEN_PRINT_H
#define TESTS_GOLDEN_PRINT_H

/* A part of a manual or page; `made: NAME` in the file asks for it. */
struct print_part {
	const char *name;
	void (*print)(void);
};

/* Parts of docs/streaming.md.  The last row has no name. */
extern const struct print_part print_sockets[];

/* Report why a part cannot be made, and end the program. */
_Noreturn void print_fail(const char *what, const char *name);

#endif
