/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The real child sends a language to a real Icecast and to hostile servers; RTMP to
 * hostile servers, too.
 */
#include "tests/unit/egress_fixture.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <pthread.h>
#include <stdatomic.h>

#define NO_ANSWER "The server does not answer."
#define MOUNT ",\"allow_private\":true,\"mount\":\"/es.mp3\""
/* source:correct-horse-battery */
#define AUTHORIZATION                                                                  \
	"Authorization: Basic c291cmNlOmNvcnJlY3QtaG9yc2UtYmF0dGVyeQ==\r\n"

/* ---- servers of ours ---- */

/* The answer to each connection, after its head was received; NULL: none. */
static struct listener {
	int fd, port;
	const char *answer;
	bool reads;       /* read the body, too */
	char head[4096];  /* head of the last request */
	atomic_int calls; /* number of received heads */
	pthread_t thread;
	int at[64], n; /* connections */
} called, elsewhere;

static void *
listen_to_calls(void *arg)
{
	struct listener *l = arg;
	char bytes[4096];
	int fd;

	while (l->n < 64 && (fd = accept(l->fd, NULL, NULL)) >= 0) {
		ssize_t n = recv(fd, bytes, sizeof(bytes) - 1, 0);

		l->at[l->n++] = fd;
		bytes[n > 0 ? n : 0] = '\0';
		memcpy(l->head, bytes, sizeof(bytes));
		l->calls++;
		if (l->answer != NULL)
			send(fd, l->answer, strlen(l->answer), MSG_NOSIGNAL);
		while (l->reads && recv(fd, bytes, sizeof(bytes), 0) > 0)
			;
	}
	return NULL;
}

/* Starts a listener whose buffers are small. */
static void
start_listener(struct listener *l, const char *answer)
{
	struct sockaddr_in to = { .sin_family = AF_INET };
	socklen_t n = sizeof(to);

	*l = (struct listener){ .answer = answer };
	to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	l->fd = socket(AF_INET, SOCK_STREAM, 0);
	setsockopt(l->fd, SOL_SOCKET, SO_RCVBUF, &(int){ 2048 }, sizeof(int));
	setsockopt(l->fd, IPPROTO_TCP, TCP_MAXSEG, &(int){ 536 }, sizeof(int));
	ck_assert_int_eq(bind(l->fd, (struct sockaddr *)&to, sizeof(to)), 0);
	ck_assert_int_eq(listen(l->fd, 8), 0);
	ck_assert_int_eq(getsockname(l->fd, (struct sockaddr *)&to, &n), 0);
	l->port = ntohs(to.sin_port);
	ck_assert_int_eq(pthread_create(&l->thread, NULL, listen_to_calls, l), 0);
}

static void
stop_listener(struct listener *l)
{
	if (l->fd == 0)
		return;
	shutdown(l->fd, SHUT_RDWR);
	pthread_join(l->thread, NULL);
	for (int i = 0; i < l->n; i++)
		close(l->at[i]);
	close(l->fd);
	l->fd = 0;
}

static void
teardown_all(void)
{
	teardown(); /* closes the connections */
	stop_listener(&called);
	stop_listener(&elsewhere);
}

static const char *
url_of(const char *scheme, int at)
{
	return arena_printf(mem, "%s://127.0.0.1:%d", scheme, at);
}

static void
begin_radio(const char *more)
{
	hz[0] = SPANISH;
	begin_push("icecast_push", url_of("http", port), KEY, more);
}

static bool
is_called_twice(void)
{
	return called.calls >= 2;
}

/* Waits for an error within the promised time and a margin. */
static void
await_error(const char *why)
{
	ck_assert(feed(60, has_error));
	ck_assert_str_eq(error, why);
	ck_assert(!is_active());
}

/* ---- Icecast ---- */

START_TEST(radios_hear_it_by_icecast)
{
	server = start_icecast(mem, port);
	begin_radio(MOUNT);
	ck_assert(feed(60, is_active));
	player = spawn(arena_printf(mem,
	    "exec ffmpeg -nostdin -loglevel error -i http://127.0.0.1:%d/es.mp3 "
	    "-t 4 -c copy -y -f mp3 %s/played.mp3 2>/dev/null",
	    port, folder));
	ck_assert(feed(60, has_played));
	ck_assert_double_eq_tol(
	    sound_of("", in_folder("played.mp3")).spanish, 0.24, 0.05);
	ck_assert_int_gt(bitrate, 60000);
	ck_assert_int_lt(bitrate, 400000);
	ck_assert_str_eq(error, "");
}
END_TEST

START_TEST(it_goes_on_when_the_server_has_come_back)
{
	begin_radio(MOUNT);
	await_error(NO_ANSWER);
	server = start_icecast(mem, port);
	ck_assert(feed(60, is_active));
	ck_assert_str_eq(error, "");
	stop(&server);
	await_error("The connection to the server was lost.");
	server = start_icecast(mem, port);
	ck_assert(feed(60, is_active));
	ck_assert_str_eq(error, "");
}
END_TEST

START_TEST(a_wrong_password_is_told)
{
	server = start_icecast(mem, port);
	usleep(500000);
	begin_push("icecast_push", url_of("http", port), "wrong", MOUNT);
	await_error("The server refuses the password.");
}
END_TEST

START_TEST(a_mount_in_use_is_told_and_taken_when_it_is_free)
{
	server = start_icecast(mem, port);
	usleep(500000);
	player = spawn(arena_printf(mem,
	    "exec ffmpeg -nostdin -loglevel error -re -f lavfi -i sine -c:a libmp3lame "
	    "-f mp3 -content_type audio/mpeg icecast://source:" KEY
	    "@127.0.0.1:%d/es.mp3 2>/dev/null",
	    port));
	sleep(3);
	begin_radio(MOUNT);
	await_error("The server refuses the mount, which may be in use.");
	stop(&player);
	ck_assert(feed(60, is_active));
}
END_TEST

/* ---- requests to other servers ---- */

START_TEST(the_request_is_that_of_a_source)
{
	static const char *const lines[] = { "PUT /es%20a.mp3 HTTP/1.1\r\n",
		AUTHORIZATION, "\r\nContent-Type: audio/mpeg\r\n",
		"\r\nIce-Public: 0\r\n", "\r\nExpect: 100-continue\r\n" };

	start_listener(&called, "HTTP/1.0 200 OK\r\n\r\n");
	port = called.port;
	begin_radio(",\"allow_private\":true,\"mount\":\"es a.mp3\"");
	ck_assert(feed(60, is_active));
	for (size_t i = 0; i < COUNT(lines); i++)
		ck_assert_msg(strstr(called.head, lines[i]) != NULL, "%s: %s", lines[i],
		    called.head);
	ck_assert_ptr_null(strstr(called.head, "Transfer-Encoding"));
	ck_assert_ptr_null(strstr(called.head, "Content-Length"));
}
END_TEST

/* A key, or a mount, that contains an address with another port. */
static const char *const led[][2] = {
	{ "x@127.0.0.1:%d/latest/meta-data?", "/es.mp3" },
	{ "x:y@127.0.0.1:%d#", "/es.mp3" },
	{ "x\\r\\nHost: 127.0.0.1:%d\\r\\n\\r\\nGET /x", "/es.mp3" },
	{ KEY, "@127.0.0.1:%d/es.mp3" },
	{ KEY, "//127.0.0.1:%d/es.mp3" },
	{ KEY, "http://127.0.0.1:%d/es.mp3" },
	{ KEY, "\\\\\\\\127.0.0.1:%d/es.mp3" },
	{ KEY, "/es.mp3 HTTP/1.1\\nHost: 127.0.0.1:%d" },
};

static const char *
with_port(const char *text, int at)
{
	const char *place = strstr(text, "%d");

	return place == NULL ? text
			     : arena_printf(mem, "%.*s%d%s", (int)(place - text), text,
				   at, place + 2);
}

START_TEST(a_key_or_a_mount_leads_nowhere_else)
{
	const char *parts[2];
	int hosts = 0;

	start_listener(&called, "HTTP/1.0 200 OK\r\n\r\n");
	start_listener(&elsewhere, "HTTP/1.0 200 OK\r\n\r\n");
	for (int i = 0; i < 2; i++)
		parts[i] = with_port(led[_i][i], elsewhere.port);
	begin_push("icecast_push", url_of("http", called.port), parts[0],
	    arena_printf(mem, ",\"allow_private\":true,\"mount\":\"%s\"", parts[1]));
	feed(4, NULL);
	ck_assert_int_eq(elsewhere.calls, 0);
	ck_assert(is_active() || has_error());
	for (const char *at = called.head; (at = strstr(at, "Host:")) != NULL; at++)
		hosts++;
	ck_assert_int_eq(hosts, called.calls > 0);
}
END_TEST

/* libavformat parses an address that contains them. */
static const char *const rtmp_places[] = { "", "/", "/live", "?a", "/live?a=b@c:1/" };

START_TEST(a_key_of_rtmp_leads_nowhere_else)
{
	start_listener(&called, NULL);
	start_listener(&elsewhere, NULL);
	begin_push("rtmp_push",
	    arena_printf(
		mem, "rtmp://127.0.0.1:%d%s", called.port, rtmp_places[_i / 3]),
	    with_port(led[_i % 3][0], elsewhere.port), ",\"allow_private\":true");
	feed(2, NULL);
	ck_assert_int_ge(called.calls, 1);
	ck_assert_int_eq(elsewhere.calls, 0);
}
END_TEST

START_TEST(a_redirect_is_not_followed)
{
	start_listener(&elsewhere, "HTTP/1.0 200 OK\r\n\r\n");
	start_listener(
	    &called, arena_printf(mem,
			 "HTTP/1.1 30%d Found\r\nLocation: http://127.0.0.1:%d/x\r\n"
			 "Content-Length: 0\r\n\r\n",
			 _i, elsewhere.port));
	port = called.port;
	begin_radio(MOUNT);
	await_error("The server redirects the stream, which is not followed.");
	ck_assert(feed(60, is_called_twice));
	ck_assert_int_eq(elsewhere.calls, 0);
}
END_TEST

static bool
is_reaped(void)
{
	if (waitpid(child.pid, NULL, WNOHANG) == child.pid)
		child.pid = 0;
	return child.pid == 0;
}

/* A server that accepts the connection and sends nothing. */
START_TEST(a_silent_server_is_called_again_and_the_child_ends_with_the_gateway)
{
	int64_t end;

	start_listener(&called, NULL);
	port = called.port;
	begin_radio(MOUNT);
	await_error(NO_ANSWER);
	ck_assert(feed(60, is_called_twice));
	close(child.fd);
	child.fd = -1;
	for (end = monotonic_us() + S_US; !is_reaped() && monotonic_us() < end;)
		usleep(10000);
	ck_assert_int_eq(child.pid, 0);
}
END_TEST

/* Sound that the server does not accept is lost; then the connection is lost, and made
   again. */
START_TEST(a_server_that_stops_reading_is_left)
{
	start_listener(&called, "HTTP/1.1 100 Continue\r\n\r\n");
	port = called.port;
	begin_radio(MOUNT);
	ck_assert(feed(60, is_active));
	ck_assert(feed(60, has_error));
	ck_assert_str_eq(error, "The connection to the server was lost.");
	ck_assert(feed(60, is_called_twice));
}
END_TEST

/* ---- TLS ---- */

static bool
answers(void)
{
	struct sockaddr_in to = { .sin_family = AF_INET,
		.sin_port = htons((uint16_t)port),
		.sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	int fd = socket(AF_INET, SOCK_STREAM, 0);
	bool is = connect(fd, (struct sockaddr *)&to, sizeof(to)) == 0;

	close(fd);
	return is;
}

START_TEST(a_certificate_of_its_own_is_not_believed)
{
	struct stat read;

	server = spawn(arena_printf(mem,
	    "cd %s && openssl req -x509 -newkey rsa:2048 -nodes -keyout key -out cert "
	    "-subj /CN=127.0.0.1 -addext subjectAltName=IP:127.0.0.1 2>/dev/null && "
	    "exec openssl s_server -quiet -accept 127.0.0.1:%d -key key -cert cert "
	    "-naccept 9 </dev/zero >read 2>/dev/null",
	    folder, port));
	for (int i = 0; i < 300 && !answers(); i++)
		usleep(100000);
	begin_push("icecast_push", url_of("https", port), KEY, MOUNT);
	await_error("The server cannot be called: the certificate is not valid.");
	ck_assert_int_eq(stat(in_folder("read"), &read), 0);
	ck_assert_int_eq(read.st_size, 0);
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("egress_icecast");
	TCase *t = tcase_create("all");

	tcase_add_checked_fixture(t, setup, teardown_all);
	tcase_set_timeout(t, 90);
	tcase_add_test(t, radios_hear_it_by_icecast);
	tcase_add_test(t, it_goes_on_when_the_server_has_come_back);
	tcase_add_test(t, a_wrong_password_is_told);
	tcase_add_test(t, a_mount_in_use_is_told_and_taken_when_it_is_free);
	tcase_add_test(t, the_request_is_that_of_a_source);
	tcase_add_loop_test(t, a_key_or_a_mount_leads_nowhere_else, 0, COUNT(led));
	tcase_add_loop_test(
	    t, a_key_of_rtmp_leads_nowhere_else, 0, 3 * COUNT(rtmp_places));
	tcase_add_loop_test(t, a_redirect_is_not_followed, 1, 4);
	tcase_add_test(
	    t, a_silent_server_is_called_again_and_the_child_ends_with_the_gateway);
	tcase_add_test(t, a_server_that_stops_reading_is_left);
	tcase_add_test(t, a_certificate_of_its_own_is_not_believed);
	suite_add_tcase(s, t);
	return unit_run(s);
}
