/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "channel/relay_input.h"

#include <string.h>

#include "base/clock.h"

#define QUEUE_BYTES (2 << 20)      /* most bytes of a queue */
#define UNCONFIRMED_US (10 * S_US) /* an owner takes no longer to finish a phrase */
#define MARK_US (S_US / 25)        /* least distance of two marks */
#define SOUND "\"input_audio_data\""
#define EDGE 64 /* a message names its type in its first or last bytes */

/* ---- messages ---- */

static bool
has_sound(const char *p, size_t n)
{
	return memmem(p, n, SOUND, strlen(SOUND)) != NULL;
}

enum relay_input_kind
relay_input_kind_of(const char *p, size_t n)
{
	size_t edge = n < EDGE ? n : EDGE;

	return has_sound(p, edge) || has_sound(p + n - edge, edge) ? RELAY_SOUND
								   : RELAY_COMMAND;
}

/* ---- the guest's queue ---- */

void
relay_queue_init(struct relay_queue *q)
{
	*q = (struct relay_queue){ .end = &q->first };
}

const struct relay_input *
relay_queue_first(const struct relay_queue *q)
{
	return (const struct relay_input *)q->first;
}

static struct actor_message *
take_first(struct relay_queue *q)
{
	struct actor_message *first = q->first;

	q->bytes -= relay_queue_first(q)->n;
	q->first = first->next;
	if (q->first == NULL)
		q->end = &q->first;
	return first;
}

void
relay_queue_drop_first(struct relay_queue *q)
{
	arena_free(take_first(q)->mem);
}

void
relay_queue_clear(struct relay_queue *q)
{
	while (q->first != NULL)
		relay_queue_drop_first(q);
}

static void
append(struct relay_queue *q, struct relay_input *k)
{
	k->message.next = NULL;
	*q->end = &k->message;
	q->end = &k->message.next;
	q->bytes += k->n;
	while (q->bytes > QUEUE_BYTES)
		relay_queue_drop_first(q);
}

void
relay_queue_put(struct relay_queue *q, enum relay_input_kind kind, int64_t number,
    const char *p, size_t n)
{
	struct relay_input *k = (struct relay_input *)actor_message_new(sizeof(*k) + n);

	k->kind = kind;
	k->number = number;
	k->at_us = monotonic_us();
	k->bytes = arena_dup(k->message.mem, p, n);
	k->n = n;
	append(q, k);
}

void
relay_queue_move_first(struct relay_queue *to, struct relay_queue *from)
{
	struct relay_input *k = (struct relay_input *)take_first(from);

	append(to, k);
}

void
relay_queue_confirm(struct relay_queue *q, int64_t number)
{
	int64_t old_us = monotonic_us() - UNCONFIRMED_US;
	const struct relay_input *k;

	while ((k = relay_queue_first(q)) != NULL &&
	       (k->number <= number || k->at_us < old_us))
		relay_queue_drop_first(q);
}

void
relay_queue_prepend(struct relay_queue *to, struct relay_queue *from)
{
	if (from->first == NULL)
		return;
	*from->end = to->first;
	if (to->first == NULL)
		to->end = from->end;
	to->first = from->first;
	to->bytes += from->bytes;
	relay_queue_init(from);
}

/* ---- the owner's marks ---- */

static const struct relay_mark *
mark_at(const struct relay_marks *m, size_t i)
{
	return &m->of[(m->first + i) % RELAY_MARKS];
}

void
relay_marks_add(struct relay_marks *m, int64_t number, int64_t end_us)
{
	if (m->n > 0 && end_us < mark_at(m, m->n - 1)->end_us + MARK_US)
		return;
	if (m->n == RELAY_MARKS) {
		m->first = (m->first + 1) % RELAY_MARKS;
		m->n--;
	}
	m->of[(m->first + m->n++) % RELAY_MARKS] =
	    (struct relay_mark){ number, end_us };
}

int64_t
relay_marks_until(const struct relay_marks *m, int64_t us)
{
	for (size_t i = m->n; i > 0; i--)
		if (mark_at(m, i - 1)->end_us <= us)
			return mark_at(m, i - 1)->number;
	return 0;
}
