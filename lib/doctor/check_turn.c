/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Check of the TURN servers, as a client in a network that allows nothing else:
 * connects, allocates with credentials as clients get them, and sends an ICE check to
 * the gateway through the relay. A server must relay to the gateway alone.
 */
#include <arpa/inet.h>
#include <netdb.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/clock.h"
#include "doctor/check_webrtc.h"
#include "net/byte_stream.h"
#include "participant/ice_servers.h"
#include "rtc/turn.h"

#define TIMEOUT_MS 5000
#define ECHO_US (1 * S_US)
#define TRIES 3
#define FOREIGN "192.0.2.1" /* TEST-NET-1: no gateway has it */

enum { UNAUTHORIZED = 401, FORBIDDEN = 403, STALE_NONCE = 438 };

/* A connection with a server. */
struct relay {
	struct check *k;
	const struct signal_ice_server *server;
	struct turn_client client;
	struct byte_stream *stream; /* TCP or TLS */
	int fd;                     /* UDP; -1: none */
	unsigned char in[STUN_MOST];
	size_t n;    /* bytes in it */
	size_t used; /* bytes of the latest message */
	int64_t until_us;
};

/* ---- the connection ---- */

static int
open_udp(const struct turn_url *to, struct arena *mem, const char **why)
{
	const struct addrinfo want = { .ai_socktype = SOCK_DGRAM };
	struct addrinfo *at;
	int e = getaddrinfo(to->host, arena_printf(mem, "%d", to->port), &want, &at);
	int fd;

	if (e != 0) {
		*why = gai_strerror(e);
		return -1;
	}
	fd = socket(at->ai_family, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (fd >= 0 && connect(fd, at->ai_addr, at->ai_addrlen) != 0) {
		close(fd);
		fd = -1;
	}
	freeaddrinfo(at);
	*why = "the address cannot be reached";
	return fd;
}

/* False: reported. */
static bool
open_relay(struct relay *r)
{
	const char *why = "";
	struct turn_url to;

	if (!turn_url_read(r->server->url, &to)) {
		check_fail(r->k, r->server->url,
		    "Write turns:HOST:443 or turn:HOST:PORT?transport=udp in "
		    "rtc.ice_servers.",
		    "it is malformed");
		return false;
	}
	r->fd = -1;
	if (to.tcp)
		r->stream = byte_stream_open(
		    r->k->mem, to.host, to.port, to.tls, TIMEOUT_MS, &why);
	else
		r->fd = open_udp(&to, r->k->mem, &why);
	if (r->stream == NULL && r->fd < 0) {
		check_fail(r->k, r->server->url,
		    "Start the TURN server, open its port, and give it a certificate "
		    "of "
		    "this name that clients trust.",
		    "no connection: %s", why);
		return false;
	}
	return true;
}

static void
close_relay(struct relay *r)
{
	byte_stream_close(r->stream);
	if (r->fd >= 0)
		close(r->fd);
}

/* ---- messages ---- */

static bool
send_message(struct relay *r, const void *bytes, size_t n)
{
	return r->stream != NULL ? byte_stream_send(r->stream, bytes, n, r->until_us)
				 : send(r->fd, bytes, n, MSG_NOSIGNAL) == (ssize_t)n;
}

/* Receive more bytes. False: none came in time. */
static bool
receive_bytes(struct relay *r, int64_t until_us)
{
	struct pollfd p = { .fd = r->fd, .events = POLLIN };
	int64_t left_us = until_us - monotonic_us();
	ssize_t n = 0;

	if (r->stream != NULL)
		n = (ssize_t)byte_stream_receive(
		    r->stream, r->in + r->n, sizeof(r->in) - r->n, until_us);
	else if (left_us > 0 && poll(&p, 1, (int)(left_us / 1000) + 1) > 0)
		n = recv(r->fd, r->in, sizeof(r->in), 0);
	if (n > 0)
		r->n = r->stream != NULL ? r->n + (size_t)n : (size_t)n;
	return n > 0;
}

/* Receive the next message; its bytes are r->in, r->used. False: none came in time. */
static bool
receive_message(struct relay *r, int64_t until_us)
{
	size_t n;

	memmove(r->in, r->in + r->used, r->n -= r->used);
	r->used = 0;
	while ((n = turn_message_bytes(r->in, r->n)) == 0 || n > r->n) {
		if (n > sizeof(r->in) || !receive_bytes(r, until_us))
			return false;
	}
	r->used = n;
	return true;
}

/* Send a request until it is answered, over UDP several times. Returns as
   turn_read_answer(). */
static int
ask(struct relay *r, const unsigned char *request, size_t n)
{
	int tries = r->stream != NULL ? 1 : TRIES;
	int answer = -1;

	for (int i = 0; answer < 0 && i < tries; i++) {
		int64_t until_us = monotonic_us() + TIMEOUT_MS * 1000 / tries;

		r->until_us = until_us;
		if (!send_message(r, request, n))
			return -1;
		while (answer < 0 && receive_message(r, until_us))
			answer = turn_read_answer(&r->client, r->in, r->used);
	}
	return answer;
}

/* ---- requests ---- */

static int
allocate(struct relay *r)
{
	unsigned char out[TURN_ROOM];

	return ask(r, out, turn_write_allocate(&r->client, out));
}

static int
permit(struct relay *r, const struct sockaddr_in *peer)
{
	unsigned char out[TURN_ROOM];

	return ask(r, out, turn_write_permission(&r->client, (const void *)peer, out));
}

/* Send a check to the gateway through the relay. True: the gateway has answered. */
static bool
reach(struct relay *r, const struct sockaddr_in *peer)
{
	unsigned char check[STUN_ROOM], out[TURN_ROOM];
	struct stun_check c;
	size_t n = check_webrtc_request(r->k, &c, check);
	struct sockaddr_storage mapped;

	n = turn_write_data(&r->client, (const void *)peer, check, n, out);
	for (int i = 0; i < TRIES; i++) {
		int64_t until_us = monotonic_us() + ECHO_US;

		if (!send_message(r, out, n))
			return false;
		while (receive_message(r, until_us)) {
			size_t bytes = 0;
			const void *data = turn_read_data(r->in, r->used, &bytes);

			if (data != NULL && stun_read_success(data, bytes, &c, &mapped))
				return true;
		}
	}
	return false;
}

/* ---- findings ---- */

/* Allocate with the credentials of a client. False: reported. */
static bool
judge_credentials(struct relay *r)
{
	const char *url = r->server->url;
	int open, answer;

	if (r->server->credential == NULL) {
		check_fail(r->k, url,
		    "Set rtc.turn_secret to the static-auth-secret of the server.",
		    "clients get no credentials");
		return false;
	}
	snprintf(r->client.username, TURN_TEXT, "%s", r->server->username);
	snprintf(r->client.password, TURN_TEXT, "%s", r->server->credential);
	open = allocate(r); /* the answer names the realm */
	answer = open == UNAUTHORIZED || open == STALE_NONCE ? allocate(r) : open;
	if (open == 0)
		check_fail(r->k, url, "Set use-auth-secret at the server.",
		    "it relays for clients without credentials");
	else if (answer == UNAUTHORIZED)
		check_fail(r->k, url,
		    "Give static-auth-secret of the server and rtc.turn_secret the "
		    "same "
		    "value, and compare the clocks of both hosts.",
		    "it refuses the credentials that clients get");
	else if (answer < 0)
		check_fail(r->k, url, "Start a TURN server there.",
		    "it accepts the connection, but does not answer");
	else if (answer > 0)
		check_fail(r->k, url, "Read the log of the TURN server.",
		    "it refuses to relay: error %d", answer);
	return open != 0 && answer == 0;
}

/* Returns true if the server relays to the gateway at this address. */
static bool
judge_address(struct relay *r, const struct sockaddr_in *peer, bool *refused)
{
	int64_t begun_us = monotonic_us();
	int answer = permit(r, peer);
	char address[INET_ADDRSTRLEN];

	*refused |= answer == FORBIDDEN;
	if (answer != 0 || !reach(r, peer))
		return false;
	inet_ntop(AF_INET, &peer->sin_addr, address, sizeof(address));
	check_ok(r->k, r->server->url,
	    "relays to the gateway at %s; the answer took %lld ms", address,
	    (long long)(monotonic_us() - begun_us) / 1000);
	return true;
}

static void
judge_relay(struct relay *r)
{
	struct sockaddr_in peer = { .sin_family = AF_INET };
	bool reached = false, refused = false;
	const struct ice_candidate *all;
	size_t n;

	all = check_webrtc_candidates(r->k, &n);
	for (size_t i = 0; i < n; i++) {
		peer.sin_port = htons((uint16_t)all[i].port);
		if (!all[i].tcp &&
		    inet_pton(AF_INET, all[i].address, &peer.sin_addr) == 1)
			reached |= judge_address(r, &peer, &refused);
	}
	if (!reached && refused)
		check_fail(r->k, r->server->url,
		    "Set allowed-peer-ip at the server to the address of the gateway.",
		    "it refuses to relay to the gateway");
	else if (!reached) {
		check_because(r->k, "webrtc");
		check_fail(r->k, r->server->url,
		    "Open the UDP port of WebRTC to the TURN server.",
		    "the gateway does not answer through it");
	}
}

static void
judge_others(struct relay *r)
{
	struct sockaddr_in foreign = { .sin_family = AF_INET, .sin_port = htons(80) };

	inet_pton(AF_INET, FOREIGN, &foreign.sin_addr);
	if (permit(r, &foreign) == 0)
		check_warn(r->k, r->server->url,
		    "Set denied-peer-ip=0.0.0.0-255.255.255.255 at the server, and "
		    "allowed-peer-ip to the address of the gateway.",
		    "it relays to any address, also to those of your network");
}

static void
check_server(struct check *k, const struct signal_ice_server *server)
{
	struct relay *r = arena_alloc(k->mem, sizeof(*r));

	*r = (struct relay){ .k = k, .server = server };
	if (!open_relay(r))
		return;
	if (judge_credentials(r)) {
		judge_relay(r);
		judge_others(r);
	}
	close_relay(r);
}

void
check_turn(struct check *k)
{
	const struct signal_ice_server *all;
	bool any = false;
	size_t n;

	all = ice_servers(k->conf, k->mem, "doctor", &n);
	for (size_t i = 0; check_webrtc_is_on(k) && i < n; i++)
		if (strncmp(all[i].url, "turn", 4) == 0) {
			any = true;
			check_server(k, &all[i]);
		}
	if (!any)
		check_ok(k, "rtc.ice_servers", "no TURN server is in use");
}
