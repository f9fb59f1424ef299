/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The smallest program that stores uploads, with which our uploads are compared. It
 * writes the body to a file, syncs the file and renames it. The web server may start it
 * by FastCGI or, as it does for files, by plain CGI: fcgi_stdio.h reads both.
 */
#include <fcgi_stdio.h>
#include <fcntl.h>
#include <stdbool.h>
#include <unistd.h>

static bool
keep(const char *temporary, const char *name)
{
	static char piece[65536];
	int fd = open(temporary, O_WRONLY | O_CREAT | O_TRUNC, 0600);
	bool ok = fd >= 0;
	size_t n;

	while (ok && (n = fread(piece, 1, sizeof(piece), stdin)) > 0)
		ok = write(fd, piece, n) == (ssize_t)n;
	ok = ok && fsync(fd) == 0;
	if (fd >= 0)
		close(fd);
	return ok && rename(temporary, name) == 0;
}

int
main(void)
{
	char temporary[64], name[64];

	/* Web servers start programs in their own folder. */
	snprintf(temporary, sizeof(temporary), "../var/tmp/part-%d", (int)getpid());
	snprintf(name, sizeof(name), "../var/tmp/whole-%d", (int)getpid());
	while (FCGI_Accept() >= 0)
		printf("Status: %d\r\nContent-Length: 0\r\n\r\n",
		    keep(temporary, name) ? 201 : 500);
	return 0;
}
