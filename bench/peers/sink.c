/*
 * The smallest program that keeps what is sent to it: the body goes into a file,
 * which is synced and gets its name.  What uploads are compared with.
 */
#include <fcgiapp.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <unistd.h>

static bool
keep(FCGX_Stream *in, const char *temporary, const char *name)
{
	static char piece[65536];
	int fd = open(temporary, O_WRONLY | O_CREAT | O_TRUNC, 0600), n;
	bool ok = fd >= 0;

	while (ok && (n = FCGX_GetStr(piece, sizeof(piece), in)) > 0)
		ok = write(fd, piece, (size_t)n) == n;
	ok = ok && fsync(fd) == 0;
	if (fd >= 0)
		close(fd);
	return ok && rename(temporary, name) == 0;
}

int
main(void)
{
	char temporary[64], name[64];
	FCGX_Request rq;

	/* Web servers start programs in their own folder. */
	snprintf(temporary, sizeof(temporary), "../var/tmp/part-%d", (int)getpid());
	snprintf(name, sizeof(name), "../var/tmp/whole-%d", (int)getpid());
	FCGX_Init();
	FCGX_InitRequest(&rq, 0, 0);
	while (FCGX_Accept_r(&rq) == 0) {
		FCGX_FPrintF(rq.out, "Status: %d\r\nContent-Length: 0\r\n\r\n",
		    keep(rq.in, temporary, name) ? 201 : 500);
		FCGX_Finish_r(&rq);
	}
	return 0;
}
