/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The WebRTC part of the node's row, for /health, /metrics and dragoman status. */
#include "participant/participant_internal.h"

static void
write_addresses(struct json_writer *j, struct arena *mem, struct webrtc_thread *m)
{
	size_t n;
	const struct ice_candidate *all = webrtc_candidates(m, mem, &n);
	bool is_public = webrtc_addresses(m)->address[0] != '\0';

	jw_list(j, "addresses");
	for (size_t i = 0; i < n; i++) {
		is_public |= ice_is_public(all[i].address);
		if (!all[i].tcp)
			jw_text(j, NULL, all[i].address);
	}
	jw_close(j);
	jw_bool(j, "public", is_public);
}

static void
write_stats(struct json_writer *j, const struct rtc_stats *s)
{
	static const char *const states[] = { [RTC_NEW] = "new",
		[RTC_CHECKED] = "checked",
		[RTC_CONNECTED] = "connected",
		[RTC_FAILED] = "failed" };

	jw_open(j, "peers");
	for (int i = RTC_NEW; i <= RTC_FAILED; i++)
		jw_int(j, states[i], (int64_t)s->peers[i]);
	jw_close(j);
	jw_int(j, "datagrams_in", (int64_t)s->datagrams_in);
	jw_int(j, "datagrams_out", (int64_t)s->datagrams_out);
	jw_int(j, "datagrams_unknown", (int64_t)s->unknown);
	jw_int(j, "stun_bad", (int64_t)s->bad_stun);
	jw_int(j, "srtp_failures", (int64_t)s->srtp_failures);
}

const char *
participants_report(struct gateway *g, struct arena *mem)
{
	struct buf b = { .mem = mem };
	struct json_writer j = { .out = &b };
	struct rtc_stats stats;

	if (g->webrtc_thread == NULL && !g->webrtc_failed)
		return NULL;
	jw_open(&j, NULL);
	jw_int(&j, "port", g->conf->rtc_port);
	if (g->webrtc_thread == NULL)
		jw_text(&j, "fault",
		    "The port cannot be opened; the log of the gateway "
		    "says why.");
	/* a stalled thread may hold a lock */
	else if (webrtc_is_stalled(g->webrtc_thread))
		jw_text(&j, "fault",
		    "The media thread stands still; the gateway will be started "
		    "again.");
	else {
		write_addresses(&j, mem, g->webrtc_thread);
		jw_int(&j, "participants", g->n_participants);
		webrtc_stats(g->webrtc_thread, &stats);
		write_stats(&j, &stats);
	}
	jw_close(&j);
	return buf_text(&b);
}
