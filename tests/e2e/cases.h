/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef E2E_CASES_H
#define E2E_CASES_H

#include "world.h"

/* Each suite is a process of its own, with accounts of its own. */
Suite *uploads_suite(void);
Suite *broken_suite(void);
Suite *blobs_suite(void);
Suite *cloning_suite(void);
Suite *voices_suite(void);
Suite *samples_suite(void);
Suite *glossaries_suite(void);
Suite *missing_suite(void);
Suite *idle_suite(void);
Suite *lists_suite(void);
Suite *events_suite(void);
Suite *stats_suite(void);
Suite *listeners_suite(void);
Suite *channels_suite(void);
Suite *room_suite(void);
Suite *rooms_suite(void);
Suite *nodes_suite(void);
Suite *cluster_suite(void);
Suite *engines_suite(void);
Suite *sessions_suite(void);
Suite *balance_suite(void);
Suite *account_suite(void);
Suite *export_suite(void);
Suite *keys_suite(void);
Suite *webhooks_suite(void);
Suite *foreign_suite(void);
Suite *secrets_suite(void);
Suite *policy_suite(void);
Suite *credentials_suite(void);
Suite *wire_suite(void);
Suite *system_suite(void);
Suite *shapes_suite(void);
Suite *streams_suite(void);
Suite *stream_tasks_suite(void);
Suite *stream_rules_suite(void);
Suite *stream_admission_suite(void);
Suite *stream_listeners_suite(void);
Suite *stream_channels_suite(void);
Suite *stream_limits_suite(void);
Suite *stream_quotas_suite(void);
Suite *webrtc_suite(void);
Suite *whip_suite(void);
Suite *served_suite(void);
Suite *stt_suite(void);
Suite *tts_suite(void);
Suite *live_suite(void);
Suite *transcripts_suite(void);
Suite *moderation_suite(void);
Suite *held_suite(void);
Suite *held_kill_suite(void);
Suite *captions_suite(void);
Suite *hls_suite(void);
Suite *ingress_suite(void);
Suite *kill_workers_suite(void);
Suite *kill_uploads_suite(void);

/* Seconds that one case may take, a limit for cases that hang. */
#define PATIENCE_S 180

#define ROWS(table) (int)(sizeof(table) / sizeof((table)[0]))

/* Makes a suite of one set of cases; before is run once, unless NULL. */
Suite *suite_of(const char *name, void (*before)(void), TCase **);

#endif
