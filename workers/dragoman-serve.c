/* SPDX-License-Identifier: GPL-3.0-or-later */
/* `dragoman serve`: all programs of cgi-bin/ without a web server. */
#include <stdio.h>
#include <string.h>

#include "base/log.h"
#include "base/process.h"
#include "serve/hls_files.h"
#include "serve/supervisor.h"

extern const struct program balance_routes_program, blob_routes_program,
    channel_routes_program, event_routes_program, glossary_routes_program,
    key_routes_program, listener_routes_program, recording_routes_program,
    request_routes_program, sample_routes_program, session_routes_program,
    sign_in_routes_program, system_routes_program, transcript_routes_program,
    upload_routes_program, voice_routes_program, webhook_routes_program;

/* clang-format off */
/* The order and the limits are those of lighttpd.conf. */
static const struct serve_path	 paths[] = {
	{ "/streaming-api",             NULL, SERVE_OPEN_BODY_BYTES },
	{ "/asr",                       NULL, SERVE_OPEN_BODY_BYTES },
	{ "/tts-api",                   NULL, SERVE_OPEN_BODY_BYTES },
	{ "/whip",                      NULL, SERVE_OPEN_BODY_BYTES },
	{ "/whep",                      NULL, SERVE_OPEN_BODY_BYTES },
	{ "/saas/upload",               &upload_routes_program, SERVE_BODY_BYTES },
	{ "/blobs$",                    &blob_routes_program, SERVE_FILE_BYTES, SERVE_UPLOAD },
	{ "/blobs",                     &blob_routes_program, SERVE_BODY_BYTES },
	{ "/saas/voice/m/*/tts-sample", &sample_routes_program, SERVE_BODY_BYTES, .how = SERVE_CHILD },
	{ "/saas/voice",                &voice_routes_program, SERVE_BODY_BYTES },
	{ "/saas/glossary",             &glossary_routes_program, SERVE_BODY_BYTES },
	{ "/saas/glossaries",           &glossary_routes_program, SERVE_BODY_BYTES },
	{ "/saas/webhook",              &webhook_routes_program, SERVE_BODY_BYTES },
	{ "/saas/webhooks",             &webhook_routes_program, SERVE_BODY_BYTES },
	{ "/saas/v2/event/public/*/transcript", &transcript_routes_program, SERVE_BODY_BYTES },
	{ "/saas/v2/event/*/transcript", &transcript_routes_program, SERVE_BODY_BYTES },
	{ "/saas/channel/*/transcript", &transcript_routes_program, SERVE_BODY_BYTES },
	{ "/saas/v2/event/*/recordings", &recording_routes_program, SERVE_BODY_BYTES },
	{ "/saas/channel/*/recordings", &recording_routes_program, SERVE_BODY_BYTES },
	{ "/saas/v2/event/public",      &listener_routes_program, SERVE_OPEN_BODY_BYTES },
	{ "/saas/v2/event/*/requests",  &request_routes_program, SERVE_BODY_BYTES },
	{ "/saas/v2/event",             &event_routes_program, SERVE_BODY_BYTES },
	{ "/saas/v2/events",            &event_routes_program, SERVE_BODY_BYTES },
	{ "/saas/channel",              &channel_routes_program, SERVE_BODY_BYTES },
	{ "/saas/channels",             &channel_routes_program, SERVE_BODY_BYTES },
	{ "/session-storage",           &session_routes_program, SERVE_BODY_BYTES },
	{ "/auth",                      &sign_in_routes_program, SERVE_OPEN_BODY_BYTES },
	{ "/saas/key",                  &key_routes_program, SERVE_OPEN_BODY_BYTES },
	{ "/saas/keys",                 &key_routes_program, SERVE_OPEN_BODY_BYTES },
	{ "/saas/member",               &key_routes_program, SERVE_OPEN_BODY_BYTES },
	{ "/saas/members",              &key_routes_program, SERVE_OPEN_BODY_BYTES },
	{ "/saas/audit",                &key_routes_program, SERVE_OPEN_BODY_BYTES },
	{ "/billing/balance",           &balance_routes_program, SERVE_BODY_BYTES },
	{ "/payments/v2",               &balance_routes_program, SERVE_BODY_BYTES },
	{ "/hls",                       &hls_files_program, SERVE_OPEN_BODY_BYTES },
	{ "/languages/*/sample",        &system_routes_program, SERVE_BODY_BYTES, .how = SERVE_CHILD },
	{ "/",                          &system_routes_program, SERVE_BODY_BYTES },
	{ NULL },
};
/* clang-format on */

#ifndef UNIT_TEST
int
main(int argc, char **argv)
{
	log_program("serve");
	if (argc != 1 && (argc != 3 || strcmp(argv[1], "--listen") != 0)) {
		fputs("usage: dragoman serve [--listen ADDRESS:PORT]\n", stderr);
		return 2;
	}
	process_protect_memory();
	return supervisor_run(paths, argc == 3 ? argv[2] : NULL);
}
#endif
