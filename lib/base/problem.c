#include "base/problem.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* clang-format off */
const struct problem_kind problem_kinds[PROBLEMS] = {
	[P_INTERNAL] =          { "internal-server-error", 500, 100000, "Internal server error", "An unexpected fault; the request changed nothing." },
	[P_BAD_REQUEST] =       { "bad-request", 400, 100010, "Bad request", "The request is malformed." },
	[P_BAD_PAGE_TOKEN] =    { "invalid-page-token", 400, 100010, "Bad request", "The page token is not one of this list, or came with sort, page_size or another filter." },
	[P_LENGTH_REQUIRED] =   { "length-required", 411, 100011, "Length required", "The body's length is needed in advance." },
	[P_UNAUTHORIZED] =      { "unauthorized", 401, 100020, "Unauthorized", "No credential, or one that is not valid." },
	[P_VALIDATION] =        { "validation-error", 422, 100030, "Validation error", "A field or query parameter breaks its rule." },
	[P_KEY_REUSED] =        { "idempotency-key-reused", 422, 100031, "Idempotency key reused", "The key was used with another body." },
	[P_NOT_FOUND] =         { "resource-not-found", 404, 100040, "Resource not found", "There is no such resource, or it is not yours." },
	[P_NO_BALANCE] =        { "insufficient-balance", 403, 100050, "Forbidden resource", "The account's balance is used up." },
	[P_NO_SCOPE] =          { "insufficient-scope", 403, 100050, "Forbidden resource", "The credential lacks the scope this route needs." },
	[P_VOICE_LIMIT] =       { "voice-limit-reached", 403, 100050, "Forbidden resource", "The plan allows no more voices." },
	[P_SESSION_LIMIT] =     { "session-limit-reached", 403, 100050, "Forbidden resource", "The plan allows no more parallel sessions." },
	[P_LANGUAGE_LIMIT] =    { "language-limit-reached", 403, 100050, "Forbidden resource", "The plan allows no more languages." },
	[P_STORAGE_LIMIT] =     { "storage-limit-reached", 403, 100050, "Forbidden resource", "The plan allows no more stored bytes." },
	[P_GLOSSARY_LIMIT] =    { "glossary-limit-reached", 403, 100050, "Forbidden resource", "The plan allows no more glossaries." },
	[P_ACCESS_CODE] =       { "access-code-required", 403, 100050, "Forbidden resource", "The event's access code is missing or wrong." },
	[P_REQUESTS_OFF] =      { "listener-requests-off", 403, 100050, "Forbidden resource", "The event takes no listener requests." },
	[P_READ_ONLY] =         { "read-only-resource", 403, 100050, "Forbidden resource", "Built-in voices cannot be changed." },
	[P_LINK_INVALID] =      { "link-invalid", 403, 100050, "Forbidden resource", "The signed address is wrong or has expired." },
	[P_LOCKED] =            { "resource-locked", 403, 100051, "Resource locked", "A TTS sample of this voice is being made." },
	[P_METHOD] =            { "method-not-allowed", 405, 100060, "Method not allowed", "The path does not have this method; see Allow." },
	[P_GLOSSARY_UPLOADED] = { "glossary-already-uploaded", 409, 100070, "Resource conflict", "The glossary has received its file." },
	[P_REQUEST_DECIDED] =   { "request-already-decided", 409, 100070, "Resource conflict", "The opposite was decided before." },
	[P_VOICE_NOT_READY] =   { "voice-not-ready", 409, 100070, "Resource conflict", "The voice is not ready." },
	[P_CHANNEL_DELETING] =  { "channel-deleting", 409, 100070, "Resource conflict", "The channel is being deleted." },
	[P_STAGE_IN_USE] =      { "stage-in-use", 409, 100070, "Resource conflict", "The stage still has channels." },
	[P_EVENT_FINALIZED] =   { "event-finalized", 409, 100070, "Resource conflict", "The event's final statistics were taken." },
	[P_EVENT_FINISHED] =    { "event-finished", 409, 100070, "Resource conflict", "The event is over." },
	[P_LANGUAGE_PRESENT] =  { "language-already-available", 409, 100070, "Resource conflict", "The language is there already." },
	[P_LANGUAGE_ABSENT] =   { "language-not-available", 409, 100070, "Resource conflict", "No channel has this language." },
	[P_BLOB_IN_USE] =       { "blob-in-use", 409, 100070, "Resource conflict", "The file belongs to a voice." },
	[P_IN_PROGRESS] =       { "request-in-progress", 409, 100070, "Resource conflict", "The first request with this key is still running." },
	[P_SOCKET_IN_USE] =     { "socket-in-use", 409, 100070, "Resource conflict", "The session has an open socket of this kind." },
	[P_STALE] =             { "stale-version", 412, 100071, "Precondition failed", "The record is no longer the version named by If-Match." },
	[P_TOO_LARGE] =         { "payload-too-large", 413, 100080, "Payload too large", "The body is larger than this route takes." },
	[P_MEDIA_TYPE] =        { "unsupported-media-type", 415, 100081, "Unsupported media type", "The body's type or encoding is not taken here." },
	[P_URI_TOO_LONG] =      { "uri-too-long", 414, 100082, "URI too long", "The request line is over 8,192 bytes." },
	[P_UPGRADE] =           { "upgrade-required", 426, 100010, "Upgrade required", "The path speaks WebSocket only." },
	[P_HEADERS_TOO_LARGE] = { "headers-too-large", 431, 100083, "Request header fields too large", "The headers are over 16,384 bytes." },
	[P_RANGE] =             { "range-not-satisfiable", 416, 100084, "Range not satisfiable", "The file does not have these bytes." },
	[P_RATE_LIMITED] =      { "rate-limited", 429, 100090, "Too many requests", "Too many requests; see Retry-After." },
	[P_BAD_GATEWAY] =       { "bad-gateway", 502, 100100, "Bad gateway", "A backend or engine refused, or answered nonsense." },
	[P_GATEWAY_TIMEOUT] =   { "gateway-timeout", 504, 100101, "Gateway timeout", "A backend or engine did not answer." },
	[P_BUSY] =              { "service-busy", 503, 100102, "Service busy", "The database is busy; see Retry-After." },
	[P_NO_ENGINE] =         { "engine-unavailable", 503, 100103, "Engine unavailable", "No engine is configured for this task." },
	[P_DISK_FULL] =         { "insufficient-storage", 507, 100104, "Insufficient storage", "The server's own disk is at its reserve." },
	[P_UNHEALTHY] =         { "unhealthy", 503, 100105, "Service unhealthy", "A check of the service's health failed." },
	[P_NO_GATEWAY] =        { "gateway-unavailable", 503, 100110, "Gateway unavailable", "The real-time gateway is full or stopping." },
	[P_NO_WEBRTC] =         { "webrtc-not-configured", 501, 100111, "Not implemented", "This server has no WebRTC backend." },

	[P_SAMPLE_SHORT] =       { "sample-short", 422, 100201, "Sample is short", "The sample lasts under 30 seconds; the voice was made all the same." },
	[P_SAMPLE_TOO_SHORT] =   { "sample-too-short", 422, 100202, "Sample too short", "The sample lasts under 3 seconds." },
	[P_SAMPLE_NO_AUDIO] =    { "sample-no-audio", 422, 100203, "Sample without audio", "The sample has no audio stream." },
	[P_SAMPLE_UNDECODABLE] = { "sample-undecodable", 422, 100204, "Sample undecodable", "The sample cannot be decoded." },
	[P_SAMPLE_TYPE] =        { "sample-type-mismatch", 422, 100205, "Sample type mismatch", "The sample is not of the declared type." },
	[P_SAMPLE_SIZE] =        { "sample-size", 422, 100206, "Sample size refused", "The sample is too small, too large, or over the account's capacity." },
	[P_SAMPLE_MISSING] =     { "sample-missing", 422, 100207, "Sample missing", "No file arrived in time." },
	[P_CLONING_FAILED] =     { "cloning-failed", 502, 100208, "Cloning failed", "The cloning engine refused, or failed too often." },
	[P_EXTERNAL_VOICE_FAILED] = { "external-voice-failed", 502, 100209, "External voice failed", "The external provider did not take the voice." },
	[P_TTS_SAMPLE_FAILED] =  { "tts-sample-failed", 502, 100210, "TTS sample failed", "The first TTS sample could not be made." },
	[P_CSV_UTF8] =           { "csv-not-utf8", 422, 100221, "CSV is not UTF-8", "The file is not UTF-8 text." },
	[P_CSV_COLUMNS] =        { "csv-column-count", 422, 100222, "CSV column count", "A row has the wrong number of columns." },
	[P_CSV_EMPTY] =          { "csv-empty-term", 422, 100223, "CSV empty term", "A term is empty." },
	[P_CSV_TERM_LENGTH] =    { "csv-term-too-long", 422, 100224, "CSV term too long", "A term is over 1,024 bytes." },
	[P_CSV_DUPLICATE] =      { "csv-duplicate-term", 422, 100225, "CSV duplicate term", "A term stands in the file twice." },
	[P_CSV_QUOTING] =        { "csv-quoting", 422, 100226, "CSV quoting broken", "Quotes are not as RFC 4180 has them." },
	[P_CSV_NO_ENTRIES] =     { "csv-no-entries", 422, 100227, "CSV without entries", "The file has no rows." },
	[P_CSV_CONTROL] =        { "csv-control-character", 422, 100228, "CSV control character", "A term holds a control character." },
	[P_LANGUAGE_NOT_SERVED] = { "language-not-served", 503, 100231, "Language not served", "No engine translates the channel's language into this one; the others are not touched." },
	[P_LANGUAGE_WITHOUT_SPEECH] = { "language-without-speech", 503, 100232, "Language without speech", "No engine speaks this language; listeners get its text." },
};

#define AT(m) offsetof(struct problem_told, m)
const struct field	 problem_fields[] = {
	{ "type",       F_TEXT, AT(type),       .flags = F_OUT },
	{ "status",     F_INT,  AT(status),     .flags = F_OUT },
	{ "title",      F_TEXT, AT(title),      .flags = F_OUT },
	{ "detail",     F_TEXT, AT(detail),     .flags = F_OUT },
	{ "instance",   F_TEXT, AT(instance),   .flags = F_OUT },
	{ "error_code", F_INT,  AT(error_code), .flags = F_OUT },
	{ "pointer",    F_TEXT, AT(pointer),    .flags = F_OUT | F_OPT },
	{ "parameter",  F_TEXT, AT(parameter),  .flags = F_OUT | F_OPT },
	FIELDS_END,
};
/* clang-format on */

struct problem_told
problem_tell(struct arena *mem, enum problem p, const char *base_url,
    const char *instance, const char *detail)
{
	const struct problem_kind *k = &problem_kinds[p];

	return (struct problem_told){
		.type = arena_printf(mem, "%s/problems/%s", base_url, k->slug),
		.status = k->status,
		.title = k->title,
		.detail = detail != NULL ? detail : k->description,
		.instance = arena_printf(mem, "urn:uuid:%s", instance),
		.error_code = k->error_code,
	};
}

const char *
problem_line(struct arena *mem, enum problem p, const char *fmt, ...)
{
	char detail[512];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(detail, sizeof(detail), fmt, ap);
	va_end(ap);
	for (char *s = detail; *s != '\0'; s++)
		if (*s == '\n' || *s == '\r' || *s == '\t')
			*s = ' ';
	return arena_printf(mem, "%s\t%s\n", problem_kinds[p].slug, detail);
}

static enum problem
by_slug(const char *slug, size_t n)
{
	for (int p = 0; p < PROBLEMS; p++)
		if (strncmp(problem_kinds[p].slug, slug, n) == 0 &&
		    problem_kinds[p].slug[n] == '\0')
			return (enum problem)p;
	return P_INTERNAL;
}

struct list
problem_lines(
    struct arena *mem, const char *lines, const char *base_url, const char *instance)
{
	struct problem_told *told;
	struct list to = { 0 };
	size_t n = 0, slug, detail;

	for (const char *s = lines; *s != '\0'; s++)
		n += *s == '\n';
	to.items = told = arena_alloc(mem, n * sizeof(*told));
	for (; to.n < n; lines += slug + detail + 2) {
		slug = strcspn(lines, "\t");
		detail = strcspn(lines + slug + 1, "\n");
		told[to.n++] = problem_tell(mem, by_slug(lines, slug), base_url,
		    instance, arena_dup(mem, lines + slug + 1, detail));
	}
	return to;
}
