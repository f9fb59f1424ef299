#ifndef BASE_PROBLEM_H
#define BASE_PROBLEM_H

#include "base/arena.h"
#include "base/field.h"

/*
 * Every kind of problem the service can tell of, in answers (RFC 9457) and in
 * records.  One row a slug; several slugs may share an error_code.
 */
enum problem {
	P_INTERNAL,
	P_BAD_REQUEST,
	P_BAD_PAGE_TOKEN,
	P_LENGTH_REQUIRED,
	P_UNAUTHORIZED,
	P_VALIDATION,
	P_KEY_REUSED,
	P_NOT_FOUND,
	P_NO_BALANCE,
	P_NO_SCOPE,
	P_VOICE_LIMIT,
	P_SESSION_LIMIT,
	P_LANGUAGE_LIMIT,
	P_STORAGE_LIMIT,
	P_GLOSSARY_LIMIT,
	P_ACCESS_CODE,
	P_REQUESTS_OFF,
	P_READ_ONLY,
	P_LINK_INVALID,
	P_LOCKED,
	P_METHOD,
	P_GLOSSARY_UPLOADED,
	P_REQUEST_DECIDED,
	P_VOICE_NOT_READY,
	P_CHANNEL_DELETING,
	P_STAGE_IN_USE,
	P_EVENT_FINALIZED,
	P_EVENT_FINISHED,
	P_LANGUAGE_PRESENT,
	P_LANGUAGE_ABSENT,
	P_BLOB_IN_USE,
	P_IN_PROGRESS,
	P_SOCKET_IN_USE,
	P_STALE,
	P_TOO_LARGE,
	P_MEDIA_TYPE,
	P_URI_TOO_LONG,
	P_UPGRADE,
	P_HEADERS_TOO_LARGE,
	P_RANGE,
	P_RATE_LIMITED,
	P_BAD_GATEWAY,
	P_GATEWAY_TIMEOUT,
	P_BUSY,
	P_NO_ENGINE,
	P_DISK_FULL,
	P_UNHEALTHY,
	P_NO_GATEWAY,
	P_NO_WEBRTC,
	/* inside records */
	P_SAMPLE_SHORT,
	P_SAMPLE_TOO_SHORT,
	P_SAMPLE_NO_AUDIO,
	P_SAMPLE_UNDECODABLE,
	P_SAMPLE_TYPE,
	P_SAMPLE_SIZE,
	P_SAMPLE_MISSING,
	P_CLONING_FAILED,
	P_EXTERNAL_VOICE_FAILED,
	P_TTS_SAMPLE_FAILED,
	P_CSV_UTF8,
	P_CSV_COLUMNS,
	P_CSV_EMPTY,
	P_CSV_TERM_LENGTH,
	P_CSV_DUPLICATE,
	P_CSV_QUOTING,
	P_CSV_NO_ENTRIES,
	P_CSV_CONTROL,
	P_LANGUAGE_NOT_SERVED,
	P_LANGUAGE_WITHOUT_SPEECH,
	PROBLEMS
};

struct problem_kind {
	const char *slug;
	int status;
	int error_code;
	const char *title;
	const char *description; /* of the condition, a sentence */
};

extern const struct problem_kind problem_kinds[PROBLEMS];

/* A problem as clients see it. */
struct problem_told {
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
struct problem_told problem_tell(struct arena *, enum problem, const char *base_url,
    const char *instance, const char *detail);

/*
 * Problems of a record are stored as text, a line each: slug, tab, detail.
 * problem_line() makes such a line, problem_lines() reads them into a list of
 * struct problem_told.
 */
const char *problem_line(struct arena *, enum problem, const char *detail, ...)
    __attribute__((format(printf, 3, 4)));
struct list problem_lines(
    struct arena *, const char *lines, const char *base_url, const char *instance);

#endif
