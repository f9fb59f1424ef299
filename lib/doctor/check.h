#ifndef DOCTOR_CHECK_H
#define DOCTOR_CHECK_H

#include "base/conf.h"
#include "base/field.h"

/* Nouns: finding. */

/* One thing that was looked at. */
struct finding {
	const char *check;  /* that made it: a name of doctor_checks */
	const char *looked; /* what was looked at */
	const char *result; /* ok, warn, fail */
	const char *found;
	const char *remedy; /* a sentence; NULL: nothing is to be done */
};

extern const struct field finding_fields[]; /* of struct finding */

/* A check under way: in a process of its own, which ends with it. */
struct check {
	const char *name;
	struct arena *mem;
	const struct conf *conf;
	int fd; /* findings are written there, a line of JSON each */
};

/* What a check finds, as printf() writes it. */
void check_ok(struct check *, const char *looked, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
/* It works, and will not for long, or not for everybody. */
void check_warn(struct check *, const char *looked, const char *remedy, const char *fmt,
    ...) __attribute__((format(printf, 4, 5)));
/* Something does not work. */
void check_fail(struct check *, const char *looked, const char *remedy, const char *fmt,
    ...) __attribute__((format(printf, 4, 5)));

/*
 * True if systemd has units of this installation: then its timers start the workers and
 * its journal has their logs.  Otherwise cron starts them.
 */
bool check_is_systemd(const struct check *);

/* ---- all checks; none changes anything ---- */

/* The public address: is it https, do programs, pages and credentials get through? */
void check_web(struct check *);
void check_links(struct check *);
void check_certificate(struct check *);
/* The gateway, asked itself and by way of the web server. */
void check_gateway(struct check *);
/* How many sockets the web server and stream.max_per_address have room for. */
void check_places(struct check *);
/* The port of WebRTC, at each address that clients are told. */
void check_webrtc(struct check *);
/* Signs of life of the workers, and work that was given up. */
void check_workers(struct check *);
void check_database(struct check *);
void check_integrity(struct check *);
void check_disk(struct check *);
void check_permissions(struct check *);
/* This host's clock beside those of the database, the files and the web server. */
void check_clock(struct check *);
/* Which languages are recognized, translated and spoken. */
void check_engines(struct check *);

#endif
