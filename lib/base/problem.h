/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef BASE_PROBLEM_H
#define BASE_PROBLEM_H

#include "base/arena.h"
#include "base/field.h"

/*
 * The kinds of problems that the service reports. Kinds up to P_SAMPLE_SHORT are in
 * answers (RFC 9457), later kinds are in records. A row has the slug, status,
 * error_code (which several kinds may share), title and description.
 */
/* clang-format off */
#define PROBLEM_KINDS \
	PROBLEM(P_INTERNAL, "internal-server-error", 500, 100000, "Internal server error", "An unexpected fault; the request changed nothing.") \
	PROBLEM(P_BAD_REQUEST, "bad-request", 400, 100010, "Bad request", "The request is malformed.") \
	PROBLEM(P_BAD_PAGE_TOKEN, "invalid-page-token", 400, 100010, "Bad request", "The page token belongs to another list, or was sent with sort, page_size or another filter.") \
	PROBLEM(P_LENGTH_REQUIRED, "length-required", 411, 100011, "Length required", "The body's length is needed in advance.") \
	PROBLEM(P_UNAUTHORIZED, "unauthorized", 401, 100020, "Unauthorized", "No credential, or one that is not valid.") \
	PROBLEM(P_VALIDATION, "validation-error", 422, 100030, "Validation error", "A field or query parameter breaks its rule.") \
	PROBLEM(P_KEY_REUSED, "idempotency-key-reused", 422, 100031, "Idempotency key reused", "The key was used with another body.") \
	PROBLEM(P_NOT_FOUND, "resource-not-found", 404, 100040, "Resource not found", "There is no such resource, or it is not yours.") \
	PROBLEM(P_NO_BALANCE, "insufficient-balance", 403, 100050, "Forbidden resource", "The account's balance is used up.") \
	PROBLEM(P_NO_SCOPE, "insufficient-scope", 403, 100050, "Forbidden resource", "The credential lacks the scope this route needs.") \
	PROBLEM(P_VOICE_LIMIT, "voice-limit-reached", 403, 100050, "Forbidden resource", "The plan allows no more voices.") \
	PROBLEM(P_SESSION_LIMIT, "session-limit-reached", 403, 100050, "Forbidden resource", "The plan allows no more parallel sessions.") \
	PROBLEM(P_LANGUAGE_LIMIT, "language-limit-reached", 403, 100050, "Forbidden resource", "The plan allows no more languages.") \
	PROBLEM(P_STORAGE_LIMIT, "storage-limit-reached", 403, 100050, "Forbidden resource", "The plan allows no more stored bytes.") \
	PROBLEM(P_GLOSSARY_LIMIT, "glossary-limit-reached", 403, 100050, "Forbidden resource", "The plan allows no more glossaries.") \
	PROBLEM(P_WEBHOOK_LIMIT, "webhook-limit-reached", 403, 100050, "Forbidden resource", "The plan allows no more webhooks.") \
	PROBLEM(P_STREAM_LIMIT, "stream-limit-reached", 403, 100050, "Forbidden resource", "The plan allows no more streams into and out of channels.") \
	PROBLEM(P_KEY_LIMIT, "key-limit-reached", 403, 100050, "Forbidden resource", "The account has as many keys as it may have.") \
	PROBLEM(P_ACCESS_CODE, "access-code-required", 403, 100050, "Forbidden resource", "The event's access code is missing or wrong.") \
	PROBLEM(P_REQUESTS_OFF, "listener-requests-off", 403, 100050, "Forbidden resource", "The event does not accept listener requests.") \
	PROBLEM(P_READ_ONLY, "read-only-resource", 403, 100050, "Forbidden resource", "Built-in voices cannot be changed.") \
	PROBLEM(P_LINK_INVALID, "link-invalid", 403, 100050, "Forbidden resource", "The signed address is wrong or has expired.") \
	PROBLEM(P_LOCKED, "resource-locked", 403, 100051, "Resource locked", "A TTS sample of this voice is being made.") \
	PROBLEM(P_METHOD, "method-not-allowed", 405, 100060, "Method not allowed", "The path does not have this method; see Allow.") \
	PROBLEM(P_GLOSSARY_UPLOADED, "glossary-already-uploaded", 409, 100070, "Resource conflict", "The glossary has received its file.") \
	PROBLEM(P_REQUEST_DECIDED, "request-already-decided", 409, 100070, "Resource conflict", "The opposite was decided before.") \
	PROBLEM(P_VOICE_NOT_READY, "voice-not-ready", 409, 100070, "Resource conflict", "The voice is not ready.") \
	PROBLEM(P_CHANNEL_DELETING, "channel-deleting", 409, 100070, "Resource conflict", "The channel is being deleted.") \
	PROBLEM(P_LINE_SENT, "line-sent", 409, 100070, "Resource conflict", "The line does not wait any more.") \
	PROBLEM(P_NOT_PULLED, "webhook-not-pulled", 409, 100070, "Resource conflict", "The webhook is disabled, or its messages are sent to its address.") \
	PROBLEM(P_STAGE_IN_USE, "stage-in-use", 409, 100070, "Resource conflict", "The stage still has channels.") \
	PROBLEM(P_EVENT_FINALIZED, "event-finalized", 409, 100070, "Resource conflict", "The event's final statistics were taken.") \
	PROBLEM(P_EVENT_FINISHED, "event-finished", 409, 100070, "Resource conflict", "The event is over.") \
	PROBLEM(P_LANGUAGE_PRESENT, "language-already-available", 409, 100070, "Resource conflict", "The event already has the language.") \
	PROBLEM(P_LANGUAGE_ABSENT, "language-not-available", 409, 100070, "Resource conflict", "No channel has this language.") \
	PROBLEM(P_BLOB_IN_USE, "blob-in-use", 409, 100070, "Resource conflict", "The file belongs to a voice.") \
	PROBLEM(P_LAST_KEY, "last-key", 409, 100070, "Resource conflict", "It is the last key that holds every scope; the operator can revoke it.") \
	PROBLEM(P_LAST_OWNER, "last-owner", 409, 100070, "Resource conflict", "It is the last owner of the account.") \
	PROBLEM(P_LINK_USED, "link-used", 409, 100070, "Resource conflict", "The sign-in link was exchanged before.") \
	PROBLEM(P_IN_PROGRESS, "request-in-progress", 409, 100070, "Resource conflict", "The first request with this key is still running.") \
	PROBLEM(P_SOCKET_IN_USE, "socket-in-use", 409, 100070, "Resource conflict", "The session has an open socket of this kind.") \
	PROBLEM(P_STALE, "stale-version", 412, 100071, "Precondition failed", "The record is no longer the version named by If-Match.") \
	PROBLEM(P_NO_PRECONDITION, "precondition-required", 428, 100072, "Precondition required", "The request needs If-Match.") \
	PROBLEM(P_TOO_LARGE, "payload-too-large", 413, 100080, "Payload too large", "The body is larger than this route accepts.") \
	PROBLEM(P_MEDIA_TYPE, "unsupported-media-type", 415, 100081, "Unsupported media type", "The body's type or encoding is not accepted here.") \
	PROBLEM(P_URI_TOO_LONG, "uri-too-long", 414, 100082, "URI too long", "The request line is over 8,192 bytes.") \
	PROBLEM(P_UPGRADE, "upgrade-required", 426, 100010, "Upgrade required", "The path supports WebSocket only.") \
	PROBLEM(P_HEADERS_TOO_LARGE, "headers-too-large", 431, 100083, "Request header fields too large", "The headers are over 16,384 bytes.") \
	PROBLEM(P_RANGE, "range-not-satisfiable", 416, 100084, "Range not satisfiable", "The file does not have these bytes.") \
	PROBLEM(P_RATE_LIMITED, "rate-limited", 429, 100090, "Too many requests", "Too many requests; see Retry-After.") \
	PROBLEM(P_BAD_GATEWAY, "bad-gateway", 502, 100100, "Bad gateway", "A backend or engine refused, or its answer was invalid.") \
	PROBLEM(P_GATEWAY_TIMEOUT, "gateway-timeout", 504, 100101, "Gateway timeout", "A backend or engine did not answer.") \
	PROBLEM(P_BUSY, "service-busy", 503, 100102, "Service busy", "The database is busy; see Retry-After.") \
	PROBLEM(P_NO_ENGINE, "engine-unavailable", 503, 100103, "Engine unavailable", "No engine is configured for this task.") \
	PROBLEM(P_DISK_FULL, "insufficient-storage", 507, 100104, "Insufficient storage", "The server's own disk is at its reserve.") \
	PROBLEM(P_UNHEALTHY, "unhealthy", 503, 100105, "Service unhealthy", "A check of the service's health failed.") \
	PROBLEM(P_NO_GATEWAY, "gateway-unavailable", 503, 100110, "Gateway unavailable", "The real-time gateway is full or stopping.") \
	PROBLEM(P_OTHER_NODE, "other-node", 307, 100112, "Other node", "Another node serves this session or channel; Location names its address.") \
	PROBLEM(P_NO_WEBRTC, "webrtc-not-configured", 501, 100111, "Not implemented", "This server has no WebRTC backend.") \
	PROBLEM(P_SAMPLE_SHORT, "sample-short", 422, 100201, "Sample is short", "The sample lasts under 30 seconds; the voice was created nevertheless.") \
	PROBLEM(P_SAMPLE_TOO_SHORT, "sample-too-short", 422, 100202, "Sample too short", "The sample lasts under 3 seconds.") \
	PROBLEM(P_SAMPLE_NO_AUDIO, "sample-no-audio", 422, 100203, "Sample without audio", "The sample has no audio stream.") \
	PROBLEM(P_SAMPLE_UNDECODABLE, "sample-undecodable", 422, 100204, "Sample undecodable", "The sample cannot be decoded.") \
	PROBLEM(P_SAMPLE_TYPE, "sample-type-mismatch", 422, 100205, "Sample type mismatch", "The sample is not of the declared type.") \
	PROBLEM(P_SAMPLE_SIZE, "sample-size", 422, 100206, "Sample size refused", "The sample is too small, too large, or over the account's capacity.") \
	PROBLEM(P_SAMPLE_MISSING, "sample-missing", 422, 100207, "Sample missing", "No file arrived in time.") \
	PROBLEM(P_CLONING_FAILED, "cloning-failed", 502, 100208, "Cloning failed", "The cloning engine refused, or failed too often.") \
	PROBLEM(P_EXTERNAL_VOICE_FAILED, "external-voice-failed", 502, 100209, "External voice failed", "The external provider refused the voice.") \
	PROBLEM(P_TTS_SAMPLE_FAILED, "tts-sample-failed", 502, 100210, "TTS sample failed", "The first TTS sample could not be made.") \
	PROBLEM(P_CSV_UTF8, "csv-not-utf8", 422, 100221, "CSV is not UTF-8", "The file is not UTF-8 text.") \
	PROBLEM(P_CSV_COLUMNS, "csv-column-count", 422, 100222, "CSV column count", "A row has the wrong number of columns.") \
	PROBLEM(P_CSV_EMPTY, "csv-empty-term", 422, 100223, "CSV empty term", "A term is empty.") \
	PROBLEM(P_CSV_TERM_LENGTH, "csv-term-too-long", 422, 100224, "CSV term too long", "A term is over 1,024 bytes.") \
	PROBLEM(P_CSV_DUPLICATE, "csv-duplicate-term", 422, 100225, "CSV duplicate term", "A term occurs twice in the file.") \
	PROBLEM(P_CSV_QUOTING, "csv-quoting", 422, 100226, "CSV quoting broken", "The quotes violate RFC 4180.") \
	PROBLEM(P_CSV_NO_ENTRIES, "csv-no-entries", 422, 100227, "CSV without entries", "The file has no rows.") \
	PROBLEM(P_CSV_CONTROL, "csv-control-character", 422, 100228, "CSV control character", "A term contains a control character.") \
	PROBLEM(P_LANGUAGE_NOT_SERVED, "language-not-served", 503, 100231, "Language not served", "No engine translates the channel's language into this one; the others are not touched.") \
	PROBLEM(P_LANGUAGE_WITHOUT_SPEECH, "language-without-speech", 503, 100232, "Language without speech", "No engine speaks this language; listeners get its text.")
/* clang-format on */

#define PROBLEM(name, ...) name,
enum problem { PROBLEM_KINDS PROBLEMS };
#undef PROBLEM

struct problem_kind {
	const char *slug;
	int status;
	int error_code;
	const char *title;
	const char *description; /* description of the condition, a sentence */
};

extern const struct problem_kind problem_kinds[PROBLEMS];

/* A problem as clients see it. */
struct problem_document {
	const char *type; /* URI */
	int64_t status;
	const char *title;
	const char *detail;
	const char *instance; /* URI */
	int64_t error_code;
	const char *pointer;   /* into the request's body, or NULL */
	const char *parameter; /* query parameter, header or form field, or NULL */
};

extern const struct field problem_fields[];

/* instance: the uuid of the request or record. */
struct problem_document problem_describe(struct arena *, enum problem,
    const char *base_url, const char *instance, const char *detail);

/*
 * Problems of a record are stored as text, a line each: slug, tab, detail.
 * problem_line() makes such a line, problem_lines() reads them into a list of
 * struct problem_document.
 */
const char *problem_line(struct arena *, enum problem, const char *detail, ...)
    __attribute__((format(printf, 3, 4)));
struct list problem_lines(
    struct arena *, const char *lines, const char *base_url, const char *instance);

#endif
