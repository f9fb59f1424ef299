/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef BASE_CONF_SETTINGS_H
#define BASE_CONF_SETTINGS_H

/*
 * The settings of an installation except those of its engines. A row has the member of
 * struct conf and its type, the way to read it (enum setting_type), section.key, the
 * default, the least and the largest number, and the help that `dragoman config`
 * prints. ANY: any number from 0 on; NONE: not a number.
 */
/* clang-format off */
#define CONF_SETTINGS \
	SETTING(server_base_url, const char *, SET_TEXT, "server.base_url", "http://127.0.0.1:8080", NONE, \
	    "Address clients use: scheme, host, optional port and prefix, no slash at the end.") \
	SETTING(db_url, const char *, SET_TEXT, "db.url", "sqlite:var/dragoman.db", NONE, \
	    "sqlite:PATH, or postgresql://... for a PostgreSQL database.") \
	SETTING(db_busy_ms, int64_t, SET_INT, "db.busy_ms", "5000", 0, 60000, \
	    "Milliseconds to wait for another writer before answering 503.") \
	SETTING(db_connections, int64_t, SET_INT, "db.connections", "20", 2, 1000, \
	    "Most connections of this node to a PostgreSQL server; more wait for db.busy_ms.") \
	SETTING(cluster_nats, const char *, SET_TEXT, "cluster.nats", "", NONE, \
	    "Addresses of the NATS servers that join the nodes, separated by commas: nats://HOST:PORT or tls://HOST:PORT; empty: none.") \
	SETTING(cluster_prefix, const char *, SET_TEXT, "cluster.prefix", "dragoman", NONE, \
	    "First word of all subjects at NATS; each installation over the same servers needs its own.") \
	SETTING(cluster_user, const char *, SET_TEXT, "cluster.user", "", NONE, \
	    "User at NATS; empty: none.") \
	SETTING(cluster_password, const char *, SET_SECRET, "cluster.password", "", NONE, \
	    "Password of cluster.user.") \
	SETTING(cluster_credentials, const char *, SET_TEXT, "cluster.credentials", "", NONE, \
	    "Absolute path of a credentials file of NATS, instead of cluster.user; empty: none.") \
	SETTING(cluster_ca, const char *, SET_TEXT, "cluster.ca", "", NONE, \
	    "Absolute path of the certificates that tls:// accepts besides the system's; empty: none.") \
	SETTING(cluster_drain_s, int64_t, SET_INT, "cluster.drain_s", "20", 1, 600, \
	    "Seconds in which a gateway that is stopped hands its channels over to other nodes.") \
	SETTING(state_dir, const char *, SET_PATH, "state.dir", "var/state", NONE, \
	    "Locks, shared counters and the key file. Not below the document root.") \
	SETTING(share_dir, const char *, SET_PATH, "share.dir", "share", NONE, \
	    "Schema, documentation and pages, as installed.") \
	SETTING(bin_dir, const char *, SET_PATH, "bin.dir", "bin", NONE, \
	    "Workers and the sandboxed children that decode and speak.") \
	SETTING(blob_store, const char *, SET_TEXT, "blob.store", "disk", NONE, \
	    "disk: files below blob.dir; s3: the bucket blob.bucket at blob.endpoint.") \
	SETTING(blob_dir, const char *, SET_PATH, "blob.dir", "var/blobs", NONE, \
	    "Folder of the files when blob.store = disk. Not below the document root.") \
	SETTING(blob_url_s, int64_t, SET_INT, "blob.url_s", "3600", 60, 604800, \
	    "Seconds that a signed download address is valid.") \
	SETTING(blob_reserve_bytes, int64_t, SET_INT, "blob.reserve_bytes", "104857600", ANY, \
	    "Free bytes of the disk that uploads must leave; below that they get 507.") \
	SETTING(blob_bucket, const char *, SET_TEXT, "blob.bucket", "media", NONE, \
	    "Bucket at blob.endpoint when blob.store = s3; upload forms always name it.") \
	SETTING(blob_region, const char *, SET_TEXT, "blob.region", "us-east-1", NONE, \
	    "Region named in upload forms.") \
	SETTING(blob_access_key, const char *, SET_TEXT, "blob.access_key", "DGMLOCAL000000000001", NONE, \
	    "Access key of upload forms, and of the bucket when blob.store = s3.") \
	SETTING(blob_secret_key, const char *, SET_SECRET, "blob.secret_key", "", NONE, \
	    "Secret of blob.access_key; empty: derived from the key file.") \
	SETTING(blob_endpoint, const char *, SET_TEXT, "blob.endpoint", "", NONE, \
	    "Address of the S3 service when blob.store = s3, without the bucket: https://s3.example.org.") \
	SETTING(blob_addressing, const char *, SET_TEXT, "blob.addressing", "", NONE, \
	    "path: the bucket's name follows blob.endpoint; host: it precedes the host name; own: blob.endpoint is the bucket's address; empty: path.") \
	SETTING(upload_form_s, int64_t, SET_INT, "upload.form_s", "3600", 60, 604800, \
	    "Seconds that an upload form is valid.") \
	SETTING(voice_sample_wait_s, int64_t, SET_INT, "voice.sample_wait_s", "86400", 60, INT64_MAX / 1000000, \
	    "Seconds to wait for the file of an upload form.") \
	SETTING(engine_timeout_ms, int64_t, SET_INT, "engine.timeout_ms", "30000", 100, 50000, \
	    "Milliseconds that one call for a sample, a cloned voice or a bucket may take.") \
	SETTING(engine_allow_private, bool, SET_BOOL, "engine.allow_private", "no", NONE, \
	    "Allow engines of samples and cloned voices at private or loopback addresses.") \
	SETTING(speech_asr, const char *, SET_TEXT, "speech.asr", "pocketsphinx", NONE, \
	    "Ids of the engines that recognise streamed speech; the first able one is used.") \
	SETTING(speech_mt, const char *, SET_TEXT, "speech.mt", "apertium", NONE, \
	    "Ids of the engines that translate it; the first able one is used.") \
	SETTING(speech_pivot, bool, SET_BOOL, "speech.pivot", "no", NONE, \
	    "Allow translation through a third language where engines lack the pair.") \
	SETTING(speech_best_first, bool, SET_BOOL, "speech.best_first", "yes", NONE, \
	    "Try the translation that was measured best first, maybe by two engines; no: in the order of mt.") \
	SETTING(speech_any_quality, bool, SET_BOOL, "speech.any_quality", "no", NONE, \
	    "Offer pairs of languages whose translation was measured to be useless.") \
	SETTING(speech_tts, const char *, SET_TEXT, "speech.tts", "flite,espeak", NONE, \
	    "Ids of the engines that speak the translation; the first able one is used.") \
	SETTING(speech_sample, const char *, SET_TEXT, "speech.sample", "espeak", NONE, \
	    "Id of the engine that speaks the samples of voices, or none.") \
	SETTING(speech_clone, const char *, SET_TEXT, "speech.clone", "profile", NONE, \
	    "Id of the engine that clones voices from recordings, or none: voices become ready without a likeness.") \
	SETTING(speech_external, const char *, SET_TEXT, "speech.external", "none", NONE, \
	    "Id of an external provider's engine, to which voices are copied, or none.") \
	SETTING(speech_warm, int64_t, SET_INT, "speech.warm", "1", 0, 64, \
	    "Pocketsphinx decoders that the gateway loads in advance.") \
	SETTING(models_dir, const char *, SET_PATH, "models.dir", "var/models", NONE, \
	    "Folder of the models and libraries that `dragoman models get` installs.") \
	SETTING(vad_library, const char *, SET_TEXT, "vad.library", "", NONE, \
	    "Path of ONNX Runtime's library, libonnxruntime.so; empty: the installed one, as by `dragoman models get silero`; none: speech is distinguished from noise by its level.") \
	SETTING(vad_model, const char *, SET_TEXT, "vad.model", "", NONE, \
	    "Path of the Silero network for vad.library: silero_vad.onnx, version 5 or 6; empty: the installed one.") \
	SETTING(plan_voices, int64_t, SET_INT, "plan.voices", "30", ANY, \
	    "Voices of an account; 0: no limit.") \
	SETTING(plan_parallel_sessions, int64_t, SET_INT, "plan.parallel_sessions", "10", ANY, \
	    "Open sessions of an account; 0: no limit.") \
	SETTING(plan_event_languages, int64_t, SET_INT, "plan.event_languages", "10", ANY, \
	    "Target languages of an event; 0: no limit.") \
	SETTING(plan_storage_bytes, int64_t, SET_INT, "plan.storage_bytes", "5000000000", ANY, \
	    "Bytes of an account's stored files; 0: no limit.") \
	SETTING(plan_upload_min_bytes, int64_t, SET_INT, "plan.upload_min_bytes", "100001", 1, INT64_MAX, \
	    "Smallest file that is accepted.") \
	SETTING(plan_upload_max_bytes, int64_t, SET_INT, "plan.upload_max_bytes", "9999999", 1, INT64_MAX, \
	    "Largest file that is accepted. The web server's own limit must be above it.") \
	SETTING(plan_glossaries, int64_t, SET_INT, "plan.glossaries", "1000", ANY, \
	    "Glossaries of an account; 0: no limit.") \
	SETTING(plan_webhooks, int64_t, SET_INT, "plan.webhooks", "10", ANY, \
	    "Webhooks of an account; 0: no limit.") \
	SETTING(plan_streams, int64_t, SET_INT, "plan.streams", "20", ANY, \
	    "Input and output streams of an account's channels, in events that are not over; 0: no limit.") \
	SETTING(plan_requests_per_min, int64_t, SET_INT, "plan.requests_per_min", "60000", ANY, \
	    "Requests of an account in a minute; 0: no limit.") \
	SETTING(plan_starting_credits, int64_t, SET_INT, "plan.starting_credits", "1000", 0, 1000000000, \
	    "Credits granted to a new account.") \
	SETTING(rate_public_per_min, int64_t, SET_INT, "rate.public_per_min", "6000", ANY, \
	    "Requests of one address to public routes in a minute; 0: no limit.") \
	SETTING(rate_auth_failures_per_min, int64_t, SET_INT, "rate.auth_failures_per_min", "600", ANY, \
	    "Failed credentials of one address in a minute before it gets 429; 0: no limit.") \
	SETTING(cors_origins, const char *, SET_TEXT, "cors.origins", "*", NONE, \
	    "Origins that browsers may call from: *, or a list separated by spaces.") \
	SETTING(idempotency_keep_s, int64_t, SET_INT, "idempotency.keep_s", "86400", 60, 2592000, \
	    "Seconds that an answer is kept for its Idempotency-Key.") \
	SETTING(token_issuer, const char *, SET_TEXT, "token.issuer", "dragoman", NONE, \
	    "Issuer (iss) of API tokens.") \
	SETTING(token_secrets, const char *, SET_SECRET, "token.secrets", "", NONE, \
	    "Up to two KID:SECRET separated by a space, the first signs; empty: from the key file.") \
	SETTING(operator_token, const char *, SET_SECRET, "operator.token", "", NONE, \
	    "Bearer token, dgo_..., that may read /metrics; empty: only from this host.") \
	SETTING(operator_loopback, bool, SET_BOOL, "operator.loopback", "yes", NONE, \
	    "Allow this host to read /metrics without the token; set no behind a local proxy that does not forward client addresses.") \
	SETTING(session_jwt_keys, const char *, SET_SECRET, "session.jwt_keys", "", NONE, \
	    "Up to two ISSUER:SECRET of stream tokens, the first signs; empty: from the key file.") \
	SETTING(session_ttl_s, int64_t, SET_INT, "session.ttl_s", "3600", 1, 2592000, \
	    "Seconds that a new session lives; a connection or its owner can extend it.") \
	SETTING(session_token_days, int64_t, SET_INT, "session.token_days", "90", 1, 3650, \
	    "Days that the tokens of sessions and of channels' inputs are valid.") \
	SETTING(listener_token_s, int64_t, SET_INT, "listener.token_s", "43200", 60, 7776000, \
	    "Seconds that a listener's token is valid; joining again renews it.") \
	SETTING(transcript_keep_days, int64_t, SET_INT, "transcript.keep_days", "90", 0, 36500, \
	    "Days that transcripts of channels are kept; 0: until they are removed.") \
	SETTING(serve_listen, const char *, SET_TEXT, "serve.listen", "127.0.0.1:8080", NONE, \
	    "Address and port of `dragoman serve`; 0.0.0.0:8080 or [::]:8080: all of the host.") \
	SETTING(serve_processes, int64_t, SET_INT, "serve.processes", "0", 0, 256, \
	    "Processes of `dragoman serve`; 0: two for each processor, at least four.") \
	SETTING(serve_connections, int64_t, SET_INT, "serve.connections", "1024", 1, 100000, \
	    "Most connections of each of these processes.") \
	SETTING(serve_per_address, int64_t, SET_INT, "serve.per_address", "512", 1, 100000, \
	    "Most of them from one address; a proxy before it has all of its clients' from one.") \
	SETTING(serve_proxies, const char *, SET_TEXT, "serve.proxies", "", NONE, \
	    "Addresses of proxies whose X-Forwarded-For is believed, besides this host's, separated by commas; 172.18.*: all that begin so.") \
	SETTING(stream_listen, const char *, SET_TEXT, "stream.listen", "127.0.0.1:8790", NONE, \
	    "Address at which the web server reaches the real-time gateway.") \
	SETTING(stream_workers, int64_t, SET_INT, "stream.workers", "0", 0, 1024, \
	    "Threads of the gateway that recognise, translate and speak; 0: 32 for each processor, 64 at most.") \
	SETTING(stream_max_connections, int64_t, SET_INT, "stream.max_connections", "2000", 1, 100000, \
	    "Open sockets of the gateway; one more gets 503. A tenth is reserved for clients that may write.") \
	SETTING(stream_max_per_address, int64_t, SET_INT, "stream.max_per_address", "100", 1, 100000, \
	    "Open sockets of one address (IPv6: /64), which a whole hall may share; one more gets 503.") \
	SETTING(stream_max_listeners, int64_t, SET_INT, "stream.max_listeners", "10000", 1, 100000, \
	    "Sockets that only listen to one channel or session; one more gets 503.") \
	SETTING(stream_max_asr, int64_t, SET_INT, "stream.max_asr", "0", 0, 1024, \
	    "Streams that pocketsphinx may recognise at most; 0: as many as the measured load allows. This setting ends with the next release.") \
	SETTING(stream_learn_words, bool, SET_BOOL, "stream.learn_words", "yes", NONE, \
	    "Let pocketsphinx learn names and terms of an event.") \
	SETTING(stream_language_guard, bool, SET_BOOL, "stream.language_guard", "yes", NONE, \
	    "Leave out what a speaker says in another language than the stream's; no: it is recognized as if it were that language.") \
	SETTING(stream_live_voices, int64_t, SET_INT, "stream.live_voices", "10", 0, 1000, \
	    "Speakers' voices cloned at servers at a time, for voice_cloning; 0: none.") \
	SETTING(stream_public_url, const char *, SET_TEXT, "stream.public_url", "", NONE, \
	    "Address of the real-time gateway, http or https; empty: server.base_url.") \
	SETTING(media_url, const char *, SET_TEXT, "media.url", "", NONE, \
	    "Base address of the cover_image_key of events; empty: only uploads are shown.") \
	SETTING(pages_embed, const char *, SET_TEXT, "pages.embed", "", NONE, \
	    "Sites that may show /listen/ and /screen/ in a frame, separated by blanks; empty: none.") \
	SETTING(broadcast_driver, const char *, SET_TEXT, "broadcast.driver", "gateway", NONE, \
	    "gateway: rooms of the real-time gateway; janus: rooms of a Janus server.") \
	SETTING(broadcast_max_children, int64_t, SET_INT, "broadcast.max_children", "32", 0, 10000, \
	    "Input and output streams on this host at a time, each a process; 0: none.") \
	SETTING(broadcast_cpu_percent, int64_t, SET_INT, "broadcast.cpu_percent", "25", 0, 10000, \
	    "Percent of one processor that the process of a stream may use in the long run; an output may use 10 more for each language. 0: no limit.") \
	SETTING(ingest_srt_ports, const char *, SET_TEXT, "ingest.srt_ports", "19350-19399", NONE, \
	    "UDP ports that receive SRT, one for each channel: first-last; empty: no SRT.") \
	SETTING(ingest_host, const char *, SET_TEXT, "ingest.host", "", NONE, \
	    "Host that SRT is sent to; empty: that of stream.public_url.") \
	SETTING(ingest_rtmp_url, const char *, SET_TEXT, "ingest.rtmp_url", "", NONE, \
	    "Address at which this service pulls from your RTMP server: rtmp://127.0.0.1/live; empty: no RTMP.") \
	SETTING(ingest_rtmp_public_url, const char *, SET_TEXT, "ingest.rtmp_public_url", "", NONE, \
	    "Address of that server for senders; empty: ingest.rtmp_url.") \
	SETTING(ingest_allow_private, bool, SET_BOOL, "ingest.allow_private", "no", NONE, \
	    "Allow channels to pull streams by http, and from private or loopback addresses.") \
	SETTING(egress_allow_private, bool, SET_BOOL, "egress.allow_private", "no", NONE, \
	    "Allow channels to send streams to private or loopback addresses.") \
	SETTING(hls_dir, const char *, SET_PATH, "hls.dir", "var/hls", NONE, \
	    "Folder of the files of HLS; empty: no HLS.") \
	SETTING(hls_store, const char *, SET_TEXT, "hls.store", "disk", NONE, \
	    "disk: the web server serves these files; bucket: they are also put into blob.bucket, below hls/.") \
	SETTING(hls_public_url, const char *, SET_TEXT, "hls.public_url", "", NONE, \
	    "Address at which HLS is served; empty: /hls of stream.public_url. With a bucket: the address of its hls/, or of a CDN in front of it.") \
	SETTING(hls_low_latency, const char *, SET_TEXT, "hls.low_latency", "auto", NONE, \
	    "yes: also parts of half a second, for players 2 s behind; hls.public_url must then lead to the web server of this service, by a CDN or directly. no: segments only. auto: yes if hls.public_url is empty; never with a bucket.") \
	SETTING(recordings_dir, const char *, SET_PATH, "recordings.dir", "var/recordings", NONE, \
	    "Folder where recordings of channels are made; empty: no recordings.") \
	SETTING(recordings_max_bytes, int64_t, SET_INT, "recordings.max_bytes", "4000000000", 1000000, 1000000000000, \
	    "Bytes of one recording, all its languages together; the rest becomes another recording.") \
	SETTING(recordings_keep_days, int64_t, SET_INT, "recordings.keep_days", "90", 0, 36500, \
	    "Days that recordings are kept; 0: until they are removed.") \
	SETTING(janus_admin_url, const char *, SET_TEXT, "janus.admin_url", "http://127.0.0.1:7088/admin", NONE, \
	    "Admin API of Janus.") \
	SETTING(janus_admin_secret, const char *, SET_SECRET, "janus.admin_secret", "", NONE, \
	    "admin_secret of Janus.") \
	SETTING(janus_admin_key, const char *, SET_SECRET, "janus.admin_key", "", NONE, \
	    "admin_key of its plugins AudioBridge and Streaming.") \
	SETTING(janus_public_url, const char *, SET_TEXT, "janus.public_url", "", NONE, \
	    "Address at which participants reach Janus, wss or https.") \
	SETTING(janus_rtp_host, const char *, SET_TEXT, "janus.rtp_host", "127.0.0.1", NONE, \
	    "Address at which this gateway receives the sound of rooms from Janus.") \
	SETTING(janus_rtp_port, int64_t, SET_INT, "janus.rtp_port", "0", 0, 65535, \
	    "UDP port at janus.rtp_host; 0: any free one.") \
	SETTING(rtc_port, int64_t, SET_INT, "rtc.port", "8794", 0, 65535, \
	    "UDP port, and TCP port, of WebRTC in the gateway; 0: no WebRTC.") \
	SETTING(rtc_listen, const char *, SET_TEXT, "rtc.listen", "0.0.0.0", NONE, \
	    "Addresses to bind, separated by commas; :: is all of IPv6.") \
	SETTING(rtc_address, const char *, SET_TEXT, "rtc.address", "", NONE, \
	    "Addresses given to clients, the public ones behind NAT; empty: those of the interfaces.") \
	SETTING(rtc_tcp, bool, SET_BOOL, "rtc.tcp", "yes", NONE, \
	    "Also accept TCP, for clients where UDP is closed.") \
	SETTING(rtc_ice_servers, const char *, SET_TEXT, "rtc.ice_servers", "", NONE, \
	    "STUN and TURN addresses for clients, separated by commas: stun:HOST:PORT, turns:HOST:443.") \
	SETTING(rtc_turn_secret, const char *, SET_SECRET, "rtc.turn_secret", "", NONE, \
	    "Secret that the TURN server shares with us (use-auth-secret of coturn).") \
	SETTING(rtc_turn_life_s, int64_t, SET_INT, "rtc.turn_life_s", "86400", 60, 2592000, \
	    "Seconds that a participant's credentials of TURN are valid.") \
	SETTING(rtc_media_threads, int64_t, SET_INT, "rtc.media_threads", "0", 0, 64, \
	    "Threads that send tracks to participants by WebRTC; 0: one for each processor.") \
	SETTING(rtc_max_peers, int64_t, SET_INT, "rtc.max_peers", "1000", 1, 100000, \
	    "Participants by WebRTC at a time; one more gets 503.") \
	SETTING(rtc_bot_prefix, const char *, SET_TEXT, "rtc.bot_prefix", "palabra_translator_", NONE, \
	    "Prefix of the translator's identity, by which clients find it.") \
	SETTING(rtc_grace_s, int64_t, SET_INT, "rtc.grace_s", "30", 1, 600, \
	    "Seconds that a participant without signalling is kept.") \
	SETTING(backend_timeout_ms, int64_t, SET_INT, "backend.timeout_ms", "5000", 100, 60000, \
	    "Milliseconds that one call of the broadcasting backend may take.") \
	SETTING(channel_region, const char *, SET_TEXT, "channel.region", "local", NONE, \
	    "Region of channels that name none.") \
	SETTING(channel_tries, int64_t, SET_INT, "channel.tries", "12", 1, 1000, \
	    "Attempts to create a channel before it fails.") \
	SETTING(channel_backoff_s, int64_t, SET_INT, "channel.backoff_s", "30", 1, 86400, \
	    "Seconds after the first failed attempt; each further one waits twice as long.") \
	SETTING(channel_backoff_max_s, int64_t, SET_INT, "channel.backoff_max_s", "3600", 1, 86400, \
	    "Seconds of the longest such wait.") \
	SETTING(price_s2s_micro, int64_t, SET_MICRO, "price.s2s", "30", ANY, \
	    "Credits for an hour of speech in another language.") \
	SETTING(price_captions_micro, int64_t, SET_MICRO, "price.captions", "10", ANY, \
	    "Credits for an hour of text in another language.") \
	SETTING(price_stt_micro, int64_t, SET_MICRO, "price.stt", "2", ANY, \
	    "Credits for an hour of transcription.") \
	SETTING(price_broadcast_micro, int64_t, SET_MICRO, "price.broadcast", "80", ANY, \
	    "Credits for an hour of a channel.") \
	SETTING(price_tts_micro, int64_t, SET_MICRO, "price.tts", "1", ANY, \
	    "Credits for 1,000 characters spoken.") \
	SETTING(billing_usd_micro, int64_t, SET_MICRO, "billing.usd_per_credit", "1.00", ANY, \
	    "US dollars shown for one credit.") \
	SETTING(billing_low_micro, int64_t, SET_MICRO, "billing.low_credits", "100", ANY, \
	    "Credits at which webhooks receive balance.low, once until the balance rises again.") \
	SETTING(webhook_allow_private, bool, SET_BOOL, "webhook.allow_private", "no", NONE, \
	    "Allow webhooks by http, and at private or loopback addresses.") \
	SETTING(webhook_keep_days, int64_t, SET_INT, "webhook.keep_days", "30", 1, 3650, \
	    "Days that deliveries to webhooks are kept.") \
	SETTING(captions_allow_private, bool, SET_BOOL, "captions.allow_private", "no", NONE, \
	    "Allow channels to post captions to private or loopback addresses.") \
	SETTING(worker_stale_s, int64_t, SET_INT, "worker.stale_s", "300", 60, 86400, \
	    "Seconds without a heartbeat before /health reports a worker as silent.") \
	SETTING(worker_linger_s, int64_t, SET_INT, "worker.linger_s", "60", 0, 3600, \
	    "Seconds that a worker stays and watches for work before cron starts the next.") \
	SETTING(deprecation_sunset, const char *, SET_TEXT, "deprecation.sunset", "2027-12-31", NONE, \
	    "Day before which deprecated routes are not removed.")
/* clang-format on */

#endif
