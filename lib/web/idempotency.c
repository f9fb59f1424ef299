/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Idempotency-Key: the first answer is stored in the transaction of its effect and sent
 * again to the same credential.  It is stored encrypted, because answers contain keys,
 * tokens and links.  Concurrent requests with one key are detected by a lock on one
 * byte of a file, chosen by a hash of the key: this needs no write, and the system
 * releases the lock when the process dies.  On another host the table's primary key
 * detects them when the work is done.
 */
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/hash.h"
#include "base/log.h"
#include "base/seal.h"
#include "store/idempotent_responses.h"
#include "web/policy.h"

/* The key without quotes; NULL: malformed. */
static const char *
read_key(struct request *rq, const char *s)
{
	size_t n = strlen(s);

	if (n >= 2 && s[0] == '"' && s[n - 1] == '"') {
		s++;
		n -= 2;
	}
	if (n < 1 || n > 255)
		return NULL;
	for (size_t i = 0; i < n; i++)
		if (s[i] <= ' ' || s[i] > '~' || s[i] == '"')
			return NULL;
	return arena_dup(rq->mem, s, n);
}

/* A token with fewer scopes than its credential is a different owner. */
static const char *
owner_of(struct request *rq)
{
	const char *who =
	    arena_printf(rq->mem, "%s\n%s", rq->who->credential, rq->who->scopes);

	return hash_hex(rq->mem, who, strlen(who));
}

static struct idempotent_response
stored_under(struct request *rq)
{
	return (struct idempotent_response){
		.account = rq->who->account,
		.owner = owner_of(rq),
		.route = arena_printf(rq->mem, "%s %.*s", rq->method,
		    (int)strcspn(rq->target, "?"), rq->target),
		.key = rq->idempotency_key,
	};
}

static void
close_lock(void *fd)
{
	close((int)(intptr_t)fd);
}

/* Lock the key. False: another request with this key is running. */
static bool
lock(struct request *rq, const struct idempotent_response *a)
{
	const char *path =
	    arena_printf(rq->mem, "%s/idempotency.lock", rq->conf->state_dir);
	const char *name = arena_printf(
	    rq->mem, "%s\n%s\n%s\n%s", a->account, a->owner, a->route, a->key);
	struct flock byte = { .l_type = F_WRLCK, .l_whence = SEEK_SET, .l_len = 1 };
	unsigned char sum[SHA256_BYTES];
	int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);

	if (fd < 0) {
		log_error("cannot open %s", path);
		return true; /* the table's primary key still protects */
	}
	arena_defer(rq->mem, close_lock, (void *)(intptr_t)fd);
	hmac("", 0, name, strlen(name), sum);
	memcpy(&byte.l_start, sum, sizeof(byte.l_start));
	byte.l_start &= INT64_MAX >> 1;
	return fcntl(fd, F_OFD_SETLK, &byte) == 0;
}

static const unsigned char *
sealing_key(struct request *rq)
{
	unsigned char *key = arena_alloc(rq->mem, SHA256_BYTES);

	conf_key(rq->conf, "kept answers", key);
	return key;
}

static struct reply
replay(struct request *rq, const struct idempotent_response *a)
{
	const char *body = seal_open(rq->mem, sealing_key(rq), a->body);

	if (body == NULL) {
		log_error("a stored answer was encrypted with another secret.key");
		return problem_err(rq, ERR_FAILED);
	}
	buf_str(&rq->head, a->head);
	buf_str(&rq->out, body);
	header(rq, "Idempotency-Replayed", "true");
	return reply_empty(rq, (int)a->status);
}

static const char *
body_hash(struct request *rq)
{
	return hash_hex(rq->mem, rq->body, rq->body_len);
}

bool
idempotency_begin(struct request *rq, struct reply *no)
{
	const char *key = rq->param(rq, "HTTP_IDEMPOTENCY_KEY");
	struct idempotent_response a;
	bool ours;
	enum err e;

	if (!(rq->route->flags & IDEMPOTENT) || key == NULL)
		return true;
	if ((rq->idempotency_key = read_key(rq, key)) == NULL) {
		*no = problem_at(rq, P_BAD_REQUEST, NULL, "Idempotency-Key",
		    "Idempotency-Key must be 1 to 255 visible ASCII characters.");
		return false;
	}
	a = stored_under(rq);
	ours = lock(rq, &a);
	e = idempotent_response_get(rq->db, rq->mem, &a);
	if (e == OK && strcmp(a.body_hash, body_hash(rq)) == 0)
		*no = replay(rq, &a);
	else if (e == OK)
		*no = problem_at(rq, P_KEY_REUSED, NULL, "Idempotency-Key",
		    "This key was used with another body.");
	else if (e != ERR_NOT_FOUND)
		*no = problem_err(rq, e);
	else if (!ours)
		*no = problem(rq, P_IN_PROGRESS,
		    "The first request with this key is still running.");
	return e == ERR_NOT_FOUND && ours;
}

enum err
idempotency_store(struct request *rq)
{
	struct idempotent_response a;

	if (rq->idempotency_key == NULL)
		return OK;
	a = stored_under(rq);
	a.body_hash = body_hash(rq);
	a.status = rq->status;
	a.head = arena_dup(rq->mem, rq->head.p, rq->head.len);
	a.body = seal_text(
	    rq->mem, sealing_key(rq), arena_dup(rq->mem, rq->out.p, rq->out.len));
	a.expires_us = now_us() + rq->conf->idempotency_keep_s * S_US;
	return idempotent_response_put(rq->db, &a);
}
