/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef DOCTOR_CHECK_H
#define DOCTOR_CHECK_H

#include "base/conf.h"
#include "base/field.h"

/* Nouns: finding. */

/* The result of looking at one thing. */
struct finding {
	const char *check;  /* name of the check, from doctor_checks */
	const char *looked; /* the thing looked at */
	const char *result; /* ok, warn, fail */
	const char *found;
	const char *remedy; /* a sentence; NULL: nothing must be done */
	/* name of the check whose failure has caused this finding; NULL: none has */
	const char *because;
};

extern const struct field finding_fields[]; /* table of the fields of struct finding */

/* A running check.  It runs in its own process. */
struct check {
	const char *name;
	struct arena *mem;
	const struct conf *conf;
	int fd;              /* descriptor for findings, a line of JSON each */
	const char *because; /* see check_because() */
};

/* Report a finding, formatted as by printf(): all is well. */
void check_ok(struct check *, const char *looked, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
/* Report something that works now, but not for long or not for all clients. */
void check_warn(struct check *, const char *looked, const char *remedy, const char *fmt,
    ...) __attribute__((format(printf, 4, 5)));
/* Report something that does not work. */
void check_fail(struct check *, const char *looked, const char *remedy, const char *fmt,
    ...) __attribute__((format(printf, 4, 5)));

/* If the next finding is a failure, the failure of another check causes it, if that
   one fails too: the page of listeners is missing because the web server is. */
void check_because(struct check *, const char *check);

/* True if systemd has units of this installation: then its timers start the workers and
   its journal has their logs.  Otherwise cron starts them. */
bool check_is_systemd(const struct check *);

/* ---- the checks; none of them changes anything but check_bucket() ---- */

/* The public address: programs and credentials; links and pages; the certificate. */
void check_web(struct check *);
void check_links(struct check *);
void check_certificate(struct check *);
/* The gateway, directly and through the web server. */
void check_gateway(struct check *);
/* Check how many sockets the web server and stream.max_per_address allow. */
void check_sockets(struct check *);
/* The port of WebRTC at each address that clients get. */
void check_webrtc(struct check *);
/* Ask each TURN server of rtc.ice_servers to relay to the port of WebRTC. */
void check_turn(struct check *);
/* Check the heartbeats of the workers, and dead jobs. */
void check_workers(struct check *);
void check_database(struct check *);
/* Compare the hosts that share the database: heartbeats, clocks and versions. */
void check_nodes(struct check *);
/* Send a message by each server of cluster.nats; ask for NATS where hosts need it. */
void check_nats(struct check *);
/* Write, read and remove files in each way in which the bucket is used. */
void check_bucket(struct check *);
void check_integrity(struct check *);
void check_disk(struct check *);
void check_permissions(struct check *);
/*
 * Compare this host's clock with those of the database, the files and the web server.
 */
void check_clock(struct check *);
/* The languages that are recognized, translated and spoken. */
void check_engines(struct check *);

#endif
