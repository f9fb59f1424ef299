/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Check of the WebRTC port: sends an ICE connectivity check to each address that
 * clients get.  Only this installation can create its credentials; the gateway answers
 * it.
 */
#include <netdb.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include "base/be.h"
#include "base/hash.h"
#include "doctor/check_webrtc.h"

#define TRIES 3
#define TRY_MS 400
#define FRAME 2 /* bytes of length in front of a message over TCP: RFC 4571 */

/* ---- a request ---- */

size_t
check_webrtc_request(
    const struct check *k, struct stun_check *c, unsigned char to[STUN_ROOM])
{
	struct ice_credentials *probe = arena_alloc(k->mem, sizeof(*probe));

	ice_credentials_probe(k->conf, probe);
	*c = (struct stun_check){ .ufrag = "doctor",
		.peer_ufrag = probe->ufrag,
		.peer_pwd = probe->pwd,
		.priority = 1 };
	random_bytes(c->id, sizeof(c->id));
	return stun_write_request(c, to);
}

/* ---- one address ---- */

/* Returns a connected socket, or -1. */
static int
connect_to(struct arena *mem, const struct ice_candidate *to)
{
	const struct addrinfo want = { .ai_flags = AI_NUMERICHOST | AI_NUMERICSERV,
		.ai_socktype = to->tcp ? SOCK_STREAM : SOCK_DGRAM };
	const struct timeval most = { .tv_sec = 1 };
	struct addrinfo *at;
	int fd = -1;

	if (getaddrinfo(to->address, arena_printf(mem, "%d", to->port), &want, &at) !=
	    0)
		return -1;
	fd = socket(at->ai_family, at->ai_socktype | SOCK_CLOEXEC, 0);
	if (fd >= 0 &&
	    (setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &most, sizeof(most)) != 0 ||
		connect(fd, at->ai_addr, at->ai_addrlen) != 0)) {
		close(fd);
		fd = -1;
	}
	freeaddrinfo(at);
	return fd;
}

/* Wait for the answer to a request. */
static bool
is_answered(int fd, const struct stun_check *c, bool tcp)
{
	size_t skip = tcp ? FRAME : 0;
	unsigned char in[STUN_MOST + FRAME];
	struct pollfd p = { .fd = fd, .events = POLLIN };
	struct sockaddr_storage mapped;
	ssize_t n;

	if (poll(&p, 1, TRY_MS) <= 0 || (n = recv(fd, in, sizeof(in), 0)) <= 0)
		return false;
	return (size_t)n > skip &&
	       stun_read_success(in + skip, (size_t)n - skip, c, &mapped);
}

static bool
answers(struct check *k, const struct ice_candidate *to)
{
	struct stun_check c;
	unsigned char out[FRAME + STUN_ROOM];
	bool answered = false;
	size_t n;
	int fd;

	n = check_webrtc_request(k, &c, out + FRAME);
	put_be16(out, (unsigned)n);
	if ((fd = connect_to(k->mem, to)) < 0)
		return false;
	for (int i = 0; !answered && i < (to->tcp ? 1 : TRIES); i++)
		answered = send(fd, to->tcp ? out : out + FRAME,
			       to->tcp ? n + FRAME : n, MSG_NOSIGNAL) > 0 &&
			   is_answered(fd, &c, to->tcp);
	close(fd);
	return answered;
}

/* ---- all of them ---- */

/* True if the gateway answers at an address of this host. */
static bool
answers_here(struct check *k, bool tcp)
{
	const struct ice_addresses here = { .listen = k->conf->rtc_listen,
		.address = "",
		.port = (int)k->conf->rtc_port,
		.tcp = k->conf->rtc_tcp };
	size_t n;
	const struct ice_candidate *all = ice_candidates(k->mem, &here, &n);

	for (size_t i = 0; i < n; i++)
		if (all[i].tcp == tcp && answers(k, &all[i]))
			return true;
	return false;
}

static void
judge(struct check *k, const struct ice_candidate *at)
{
	const char *looked = arena_printf(
	    k->mem, "%s port %d of %s", at->tcp ? "TCP" : "UDP", at->port, at->address);

	if (answers(k, at))
		check_ok(k, looked, "the gateway answers");
	else if (k->conf->rtc_address[0] != '\0' && answers_here(k, at->tcp))
		check_warn(k, looked,
		    "Check that the port is forwarded from rtc.address to this host. "
		    "If clients can connect, only this network does not route back to "
		    "itself.",
		    "no answer through rtc.address, but the gateway answers on this "
		    "host");
	else {
		check_because(k, "gateway");
		check_fail(k, looked,
		    "Read var/log/gateway.log for why the port was not opened, and "
		    "check that no firewall of this host blocks it.",
		    "no answer");
	}
}

static void
judge_public(struct check *k, const struct ice_candidate *all, size_t n)
{
	static const char looked[] = "addresses that clients get";
	bool loopback = n > 0, is_public = false;
	struct buf text = { .mem = k->mem };

	for (size_t i = 0; i < n; i++) {
		is_public |= ice_is_public(all[i].address);
		loopback &= strncmp(all[i].address, "127.", 4) == 0;
		if (!all[i].tcp)
			buf_printf(
			    &text, "%s%s", text.len > 0 ? ", " : "", all[i].address);
	}
	if (is_public)
		check_ok(k, looked, "%s", buf_text(&text));
	else
		check_warn(k, looked,
		    loopback ? "Set rtc.listen to 0.0.0.0 before other people use it."
			     : "Set rtc.address to the public address of this host if "
			       "clients are in other networks.",
		    "%s: none is a public one", buf_text(&text));
}

const struct ice_candidate *
check_webrtc_candidates(const struct check *k, size_t *n)
{
	const struct conf *c = k->conf;
	const struct ice_addresses at = { .listen = c->rtc_listen,
		.address = c->rtc_address,
		.port = (int)c->rtc_port,
		.tcp = c->rtc_tcp };

	return ice_candidates(k->mem, &at, n);
}

bool
check_webrtc_is_on(const struct check *k)
{
	return k->conf->rtc_port != 0 &&
	       strcmp(k->conf->broadcast_driver, "gateway") == 0;
}

void
check_webrtc(struct check *k)
{
	const struct ice_candidate *all;
	size_t n;

	if (!check_webrtc_is_on(k)) {
		check_ok(k, "rtc.port", "WebRTC of the gateway is off");
		return;
	}
	all = check_webrtc_candidates(k, &n);
	judge_public(k, all, n);
	for (size_t i = 0; i < n; i++)
		judge(k, &all[i]);
}
