/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef SERVICE_CHANNEL_H
#define SERVICE_CHANNEL_H

#include "base/conf.h"
#include "store/channels.h"
#include "work/queue.h"

/*
 * Creates, changes and removes the broadcasts of channels.
 *
 *	(new) --> creating --backend--> ready        any --DELETE--> deleting --> (gone)
 *	           |     ^                            \___ nothing there: at once ___/
 *	 refused,  |     | retry              ready --lost by the backend--> ready
 *	 tries up  v     |
 *	          failed-+
 *
 * A process that creates, restores or removes holds the lease of the channel's job, so
 *there is one attempt at a time, and if the process dies another one takes over the
 *job. An attempt that was not refused is repeated under its name.  The row is written
 *with the fence of its version and attempt: a late write changes nothing.  No
 *transaction is open while the backend is called.
 */
#define CHANNEL_CREATE "channel.create"     /* job; its ref is the channel */
#define CHANNEL_REMOVE "channel.remove"     /* the same */
#define CHANNEL_RESTORE "channel.restore"   /* the same */
#define CHANNEL_LANGUAGE "channel.language" /* its ref is a listener's request */

/*
 * Before an attempt by this process, in the caller's transaction, which the caller
 * commits: the next attempt is written and its job leased.  ERR_CONFLICT:
 * another attempt is under way, nothing was changed.
 */
enum err channel_begin(struct db *, struct arena *, const struct conf *,
    struct channel *, struct job *) MUST_CHECK;
/*
 * The same for a worker, which holds the job's lease already: only record that the next
 * attempt begins. ERR_STALE: the row has changed since it was read.
 */
enum err channel_next(struct db *, struct arena *, struct channel *) MUST_CHECK;
/*
 * One attempt at creation, outside any transaction, and its outcome, written in
 * one that is begun here and left open.  OK: ready.  ERR_REFUSED: failed.
 * ERR_TIMEOUT: as it was, with the error.  ERR_STALE, ERR_NOT_FOUND: the channel
 * went on without us; nothing was written.  Else the database's own.
 */
enum err channel_attempt(
    struct db *, struct arena *, const struct conf *, struct channel *) MUST_CHECK;
/*
 * The same, and the job of channel_begin() is ended or put off beside it.  OK
 * whatever became of the channel.
 */
enum err channel_create(struct db *, struct arena *, const struct conf *,
    struct channel *, const struct job *) MUST_CHECK;
/*
 * All of that, for a request, in whose transaction the channel was read or stored;
 * another one is open afterwards.  The row is there whatever becomes of the attempt:
 * if its outcome cannot be written, *c is the row as it stands, and its job goes on.
 * Unless patient, a backend that is known to be silent is left to the worker.
 * ERR_CONFLICT: another attempt is under way, and nothing was done.
 */
enum err channel_create_now(struct db *, struct arena *, const struct conf *,
    bool patient, struct channel *) MUST_CHECK;
/*
 * Bring the backend in line with the row of a ready channel: change languages that
 * differ, and create what the backend has lost, or refuses to change, as the next
 * attempt. Outcomes as those of channel_attempt(); but the channel stays ready, with
 * the error of an attempt that failed.
 */
enum err channel_restore(
    struct db *, struct arena *, const struct conf *, struct channel *) MUST_CHECK;
/* Mark the channel as failed after the last try, in the caller's transaction. */
enum err channel_give_up(
    struct db *, struct arena *, const struct conf *, struct channel *) MUST_CHECK;
/* Delete the row of a channel that the backend never removes, and notify webhooks. */
enum err channel_forget(struct db *, struct arena *, const struct conf *,
    const struct channel *) MUST_CHECK;

/*
 * Send the changes of a ready channel to the backend; for other channels do nothing.
 * ERR_REFUSED, ERR_UNSUPPORTED, ERR_TIMEOUT: the broadcast is unchanged. ERR_NOT_FOUND:
 * the backend has lost it; it must be restored.
 */
enum err channel_apply(
    const struct conf *, struct arena *, const struct channel *) MUST_CHECK;

/*
 * Remove it from the backend, outside any transaction, and its row in one that is
 * begun here and left open.  ERR_REFUSED, ERR_TIMEOUT: not confirmed, nothing was
 * written.
 */
enum err channel_remove(struct db *, struct arena *, const struct conf *,
    const struct channel *) MUST_CHECK;

/*
 * Deleting, for a request, in whose transaction the channel was read.  OK: it is
 * gone, or will be; there is a job.
 */
enum err channel_remove_now(
    struct db *, struct arena *, const struct conf *, struct channel *) MUST_CHECK;

/*
 * In the transaction that deletes an event: its channels that have nothing on the
 * backend are removed, the others are `deleting`, each with a job.  *n counts
 * what remains.
 */
enum err channels_of_event_deleting(struct db *, struct arena *, const struct conf *,
    const char *account, const char *event, int64_t *n) MUST_CHECK;

/*
 * In the transaction that moves an event's end: its channels without a port for SRT get
 * one again, or fail as none is left.
 */
enum err channels_of_event_ports(struct db *, struct arena *, const struct conf *,
    const char *account, const char *event) MUST_CHECK;

/* The random time to wait after this many tries; false: no further try. */
bool channel_again(const struct conf *, int64_t tries, int64_t *in_us);
/* The same for jobs that are repeated until they succeed. */
bool channel_again_always(const struct conf *, int64_t tries, int64_t *in_us);

/* True if the row says that the channel is active. */
bool channel_runs(const struct channel *);

/*
 * channel_put() in the caller's transaction, with its messages to webhooks:
 * webhook_channel_changed(), and transcript.ready when a run ends whose lines were
 * kept. run_us: unix time, not after that run began.
 */
enum err channel_runtime_put(struct db *, struct arena *, const struct conf *,
    const struct channel *was, struct channel *now, int64_t run_us) MUST_CHECK;

#endif
