/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Session descriptions of clients. An accepted one can be answered; the answer has the
 * same number of sections, and can be read.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "rtc/sdp.h"

int LLVMFuzzerTestOneInput(const uint8_t *, size_t);

static const struct ice_candidate candidate = { "2001:db8::7", 8794, true, 1, 1 };

static const struct sdp_local local = { .id = 1,
	.version = 1,
	.ice = { "Ufrag/+8", "ThePasswordHas24Letters/" },
	.fingerprint = "0A:1B:2C:3D:4E:5F:60:71:82:93:A4:B5:C6:D7:E8:F9:"
		       "0A:1B:2C:3D:4E:5F:60:71:82:93:A4:B5:C6:D7:E8:F9",
	.candidates = &candidate,
	.n_candidates = 1 };

/* Each text is terminated and has only visible characters. */
static void
check_text(const char *text, size_t room)
{
	const char *end = memchr(text, '\0', room);

	if (end == NULL)
		abort();
	for (; text < end; text++)
		if (*text <= ' ' || *text > '~')
			abort();
}

static void
check(const struct sdp *s)
{
	check_text(s->ufrag, sizeof(s->ufrag));
	check_text(s->pwd, sizeof(s->pwd));
	check_text(s->hash, sizeof(s->hash));
	check_text(s->fingerprint, sizeof(s->fingerprint));
	check_text(s->setup, sizeof(s->setup));
	if (s->n == 0 || s->n > SDP_SECTIONS || s->sctp_port < 1 ||
	    s->sctp_port > 65535)
		abort();
	for (size_t i = 0; i < s->n; i++) {
		const struct sdp_section *m = &s->sections[i];

		check_text(m->kind_text, sizeof(m->kind_text));
		check_text(m->proto, sizeof(m->proto));
		check_text(m->mid, sizeof(m->mid));
		if (m->opus < -1 || m->opus > 127 || m->mid_extension < 0 ||
		    m->mid_extension > 255)
			abort();
	}
}

static bool
is_accepted(const struct sdp *s)
{
	for (size_t i = 0; i < s->n; i++)
		if (!s->sections[i].rejected)
			return true;
	return false;
}

/* An answer that rejects all sections has no transport, so it cannot be read. */
static void
check_answer(const struct sdp *offer, const struct buf *b, int opus)
{
	static struct sdp answer;
	int audio = 0;

	if (!sdp_read(b->p, b->len, &answer)) {
		if (opus >= 0 || answer.n != offer->n || is_accepted(&answer))
			abort();
		return;
	}
	check(&answer);
	if (answer.n != offer->n)
		abort();
	for (size_t i = 0; i < answer.n; i++) {
		if (strcmp(answer.sections[i].mid, offer->sections[i].mid) != 0)
			abort();
		audio += answer.sections[i].direction == SDP_RECVONLY &&
			 !answer.sections[i].rejected;
	}
	if (audio != (opus >= 0))
		abort();
}

/* A player's answer can be read, and so can the fragment of its section. */
static void
check_player(struct arena *mem, const struct sdp *offer)
{
	static struct sdp answer;
	const struct sdp_track track = { true, 7, "stream", "it" };
	struct buf b = { .mem = mem }, fragment = { .mem = mem };
	struct sdp_section used;

	sdp_write_answer(&b, &local, offer, &track, &used);
	if (used.opus < 0)
		return;
	sdp_write_fragment(&fragment, &local, &used);
	if (!sdp_read(b.p, b.len, &answer) ||
	    !sdp_read_fragment(fragment.p, fragment.len, &answer))
		abort();
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	static struct sdp offer;
	struct arena *mem = arena_new();
	struct buf b = { .mem = mem };
	struct sdp_section received;

	if (sdp_read((const char *)data, n, &offer)) {
		check(&offer);
		sdp_write_answer(&b, &local, &offer, NULL, &received);
		check_answer(&offer, &b, received.opus);
		check_player(mem, &offer);
	} else
		(void)!sdp_read_fragment((const char *)data, n, &offer);
	arena_free(mem);
	return 0;
}
