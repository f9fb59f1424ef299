/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TESTS_UNIT_STREAM_SERVERS_H
#define TESTS_UNIT_STREAM_SERVERS_H

/* Third-party streaming servers, with senders and players for them. */
#include "base/arena.h"
#include "tests/unit/suite.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/*
 * A port that no other process uses: tests/port and its callers use ports from 20000
 * on, and the system higher ones.
 */
static inline int
unit_port(void)
{
	return 10000 + (int)(getpid() % 10000);
}

/* Runs a shell command, which ends with this process. */
static inline pid_t
spawn(const char *command)
{
	pid_t pid = fork();

	if (pid == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		execl("/bin/sh", "sh", "-c", command, NULL);
		_exit(127);
	}
	return pid;
}

static inline void
stop(pid_t *pid)
{
	if (*pid > 0) {
		kill(*pid, SIGKILL);
		waitpid(*pid, NULL, 0);
	}
	*pid = 0;
}

/* A connection to 127.0.0.1; -1: refused. */
static inline int
dial(int port)
{
	const struct sockaddr_in to = { .sin_family = AF_INET,
		.sin_port = htons((uint16_t)port),
		.sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	ck_assert_int_ge(fd, 0);
	if (connect(fd, (const struct sockaddr *)&to, sizeof(to)) == 0)
		return fd;
	close(fd);
	return -1;
}

/*
 * Waits until the port is listening, without connecting: Icecast 2.4.4 may crash on a
 * connection while it starts.
 */
static inline bool
is_open(int port)
{
	FILE *f = fopen("/proc/net/tcp", "r");
	char line[256], want[40];
	bool found = false;

	ck_assert_ptr_nonnull(f);
	snprintf(
	    want, sizeof(want), " 0100007F:%04X 00000000:0000 0A ", (unsigned)port);
	while (!found && fgets(line, sizeof(line), f) != NULL)
		found = strstr(line, want) != NULL;
	fclose(f);
	return found;
}

/* True if a GET is answered 200. */
static inline bool
is_served(int port, const char *path)
{
	char ask[256], says[13] = "";
	int fd = dial(port),
	    n = snprintf(ask, sizeof(ask), "GET %s HTTP/1.0\r\n\r\n", path);
	bool is = fd >= 0 && write(fd, ask, (size_t)n) == n &&
		  recv(fd, says, sizeof(says) - 1, MSG_WAITALL) > 0 &&
		  strcmp(says + strlen("HTTP/1.x"), " 200") == 0;

	if (fd >= 0)
		close(fd);
	return is;
}

/*
 * Starts a server with this configuration in a folder of its own, whose path replaces
 * each %s; waits until it accepts connections.
 */
static inline pid_t
start_server(struct arena *mem, const char *command, const char *conf, int port)
{
	char *dir = arena_str(mem, "/tmp/dragoman-server-XXXXXX");
	const char *path;
	pid_t pid;
	FILE *f;

	ck_assert_ptr_nonnull(mkdtemp(dir));
	ck_assert_int_eq(chmod(dir, 0777), 0); /* some servers run as another user */
	path = arena_printf(mem, "%s/conf", dir);
	f = fopen(path, "w");
	ck_assert_ptr_nonnull(f);
	for (; *conf != '\0'; conf++)
		if (*conf == '@')
			fputs(dir, f);
		else if (*conf == '$')
			fprintf(f, "%d", port);
		else
			fputc(*conf, f);
	fclose(f);
	pid = spawn(arena_printf(mem, command, dir, path));
	await(is_open(port));
	return pid;
}

/* RTMP at rtmp://127.0.0.1:PORT/live. */
static inline pid_t
start_rtmp_server(struct arena *mem, int port)
{
	return start_server(mem,
	    "PATH=$PATH:/usr/sbin; exec nginx -p %s -c %s 2>/dev/null",
	    "daemon off; master_process off; pid @/pid; error_log @/log;"
	    "load_module /usr/lib/nginx/modules/ngx_rtmp_module.so;"
	    "events { worker_connections 64; }"
	    "rtmp { server { listen 127.0.0.1:$; application live { live on; } } }",
	    port);
}

/* HTTP at http://127.0.0.1:PORT/, the files of a folder. more: additional settings. */
static inline pid_t
start_file_server(struct arena *mem, const char *folder, int port, const char *more)
{
	return start_server(mem,
	    "PATH=$PATH:/usr/sbin; exec nginx -p %s -c %s 2>/dev/null",
	    arena_printf(mem,
		"daemon off; master_process off; pid @/pid; error_log @/log;"
		"events { worker_connections 64; } http { access_log off; "
		"client_body_temp_path @/t; server { listen 127.0.0.1:$%s; "
		"root %s; } }",
		more, folder),
	    port);
}

#define ICECAST_PASSWORD "correct-horse-battery" /* password of senders */

/* Icecast at http://127.0.0.1:PORT. */
static inline pid_t
start_icecast(struct arena *mem, int port)
{
	return start_server(mem, "cd %s; exec icecast2 -c %s >/dev/null 2>&1",
	    "<icecast><limits><sources>2</sources></limits><authentication>"
	    "<source-password>" ICECAST_PASSWORD
	    "</source-password><admin-user>a</admin-user>"
	    "<admin-password>b</admin-password></authentication>"
	    "<hostname>localhost</hostname><listen-socket><port>$</port>"
	    "<bind-address>127.0.0.1</bind-address></listen-socket><paths>"
	    "<logdir>@</logdir><basedir>@</basedir><webroot>@</webroot>"
	    "<adminroot>@</adminroot></paths><security><chroot>0</chroot>"
	    "<changeowner><user>nobody</user><group>nogroup</group></changeowner>"
	    "</security></icecast>",
	    port);
}

#endif
