/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef SERVICE_CHANNEL_H
#define SERVICE_CHANNEL_H

#include "base/conf.h"
#include "store/channels.h"
#include "store/events.h"
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
 * A process that creates, restores or removes a broadcast holds the lease of the
 * channel's job. So there is one attempt at a time, and if the process dies, another
 * one takes over the job. An attempt that was not refused is repeated under its name. A
 * write to the row requires that its version and attempt are unchanged, so a late write
 * has no effect. No transaction is open while the backend is called.
 */
#define CHANNEL_CREATE "channel.create"   /* job; its ref is the channel */
#define CHANNEL_REMOVE "channel.remove"   /* kind of job: remove the broadcast */
#define CHANNEL_RESTORE "channel.restore" /* kind of job: restore the broadcast */
/* kind of job: add a language; its ref is a listener's request */
#define CHANNEL_LANGUAGE "channel.language"

/*
 * Begin an attempt by this process, in the caller's transaction, which the caller
 * commits: store the next attempt and lease its job. ERR_CONFLICT: another attempt is
 * running, and nothing was changed.
 */
enum err channel_begin(struct db *, struct arena *, const struct conf *,
    struct channel *, struct job *) MUST_CHECK;
/*
 * As channel_begin(), for a worker, which holds the job's lease already: only record
 * that the next attempt begins. ERR_STALE: the row has changed since it was read.
 */
enum err channel_next(struct db *, struct arena *, struct channel *) MUST_CHECK;
/*
 * Make one attempt at creation, outside any transaction. Its result is written in a
 * transaction that is begun here and left open. OK: ready. ERR_REFUSED: failed.
 * ERR_TIMEOUT: unchanged, with the error. ERR_STALE, ERR_NOT_FOUND: the row was changed
 * or deleted meanwhile, and nothing was written. Otherwise an error of the database.
 */
enum err channel_attempt(
    struct db *, struct arena *, const struct conf *, struct channel *) MUST_CHECK;
/*
 * As channel_attempt(), and end or postpone the job of channel_begin() in that
 * transaction. OK even if the attempt failed.
 */
enum err channel_create(struct db *, struct arena *, const struct conf *,
    struct channel *, const struct job *) MUST_CHECK;
/*
 * Begin and make an attempt for a request, in whose transaction the channel was read or
 * stored. Another transaction is open afterwards. The row stays whatever the result; if
 * that cannot be written, *c is the row as stored, and its job continues. Unless
 * patient, the worker makes the attempt if the backend is known to be silent.
 * ERR_CONFLICT: another attempt is running, and nothing was done.
 */
enum err channel_create_now(struct db *, struct arena *, const struct conf *,
    bool patient, struct channel *) MUST_CHECK;
/*
 * Bring the backend in line with the row of a ready channel: change languages that
 * differ. If the backend has lost the broadcast or refuses the change, the next attempt
 * creates it again. Returns as channel_attempt(), but the channel stays ready, with the
 * error of a failed attempt.
 */
enum err channel_restore(
    struct db *, struct arena *, const struct conf *, struct channel *) MUST_CHECK;
/* Mark the channel as failed after the last try, in the caller's transaction. */
enum err channel_give_up(
    struct db *, struct arena *, const struct conf *, struct channel *) MUST_CHECK;
/* Delete the row of a channel that the backend cannot remove, and notify webhooks. */
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
 * Remove the broadcast from the backend, outside any transaction, and the row in a
 * transaction that is begun here and left open. ERR_REFUSED, ERR_TIMEOUT: the backend
 * did not confirm, and nothing was written.
 */
enum err channel_remove(struct db *, struct arena *, const struct conf *,
    const struct channel *) MUST_CHECK;

/*
 * Delete a channel for a request, in whose transaction it was read. OK: it is deleted,
 * or a job will delete it.
 */
enum err channel_remove_now(
    struct db *, struct arena *, const struct conf *, struct channel *) MUST_CHECK;

/*
 * Delete an event's channels, in the transaction that deletes the event. Channels that
 * have nothing on the backend are removed; the others become `deleting`, each with a
 * job. *n: how many remain.
 */
enum err channels_of_event_deleting(struct db *, struct arena *, const struct conf *,
    const char *account, const char *event, int64_t *n) MUST_CHECK;

/*
 * Add copies of an event's channels to the stages of a new event with the same number
 * of stages, in the transaction that adds it; the worker creates their broadcasts. An
 * input's stream key is not copied. streams: the plan's limit. ERR_LIMIT: it is passed.
 */
enum err channels_of_event_copy(struct db *, struct arena *, const struct conf *,
    int64_t streams, const struct event *from, const struct event *to) MUST_CHECK;

/*
 * Give ports for SRT to an event's channels that have none, in the transaction that
 * moves the event's end. If no port is left, the channel fails.
 */
enum err channels_of_event_ports(struct db *, struct arena *, const struct conf *,
    const char *account, const char *event) MUST_CHECK;

/* The random time to wait after this many tries; false: no further try. */
bool channel_again(const struct conf *, int64_t tries, int64_t *in_us);
/* As channel_again(), for jobs that are repeated until they succeed. */
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
