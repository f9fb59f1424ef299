/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "web/s3.h"

#include "base/xml.h"

/* clang-format off */
static const struct {
	int status;
	const char *code, *message;
} errors[] = {
	[S3_TOO_SMALL] = { 400, "EntityTooSmall",
	    "The file is smaller than the form allows." },
	[S3_TOO_LARGE] = { 400, "EntityTooLarge",
	    "The file is larger than the form allows." },
	[S3_ARGUMENT]  = { 400, "InvalidArgument",
	    "A field is missing, repeated or after the file." },
	[S3_MALFORMED] = { 400, "MalformedPOSTRequest",
	    "The body is not well-formed multipart/form-data." },
	[S3_TOO_MUCH]  = { 400, "MaxPostPreDataLengthExceeded",
	    "The fields are too many or too long." },
	[S3_DENIED]    = { 403, "AccessDenied",
	    "The upload form does not allow this file, or it has expired." },
	[S3_KEY]       = { 403, "InvalidAccessKeyId", "The access key is unknown." },
	[S3_SIGNATURE] = { 403, "SignatureDoesNotMatch",
	    "The signature is not that of this policy." },
	[S3_QUOTA]     = { 403, "QuotaExceeded",
	    "The account's storage capacity would be exceeded." },
	[S3_ABORTED]   = { 409, "OperationAborted",
	    "The file was checked and cannot be replaced." },
	[S3_LENGTH]    = { 411, "MissingContentLength", "Send a Content-Length." },
	[S3_INTERNAL]  = { 500, "InternalError", "The file could not be stored." },
	[S3_SLOW_DOWN] = { 503, "SlowDown", "The service is busy; try again." },
	[S3_FULL]      = { 507, "InsufficientStorage",
	    "The server cannot store more data now." },
};
/* clang-format on */

struct reply
s3_refuse(struct request *rq, enum s3 why)
{
	const struct xml_text told[] = {
		{ "Code", errors[why].code },
		{ "Message", errors[why].message },
		{ "RequestId", rq->id },
	};

	if (why == S3_SLOW_DOWN)
		header(rq, "Retry-After", "1");
	return reply_text(rq, errors[why].status, "application/xml",
	    xml_write(rq->mem, "Error", told, 3));
}

struct reply
s3_problem(struct request *rq, enum problem p, const char *detail)
{
	(void)detail;
	return s3_refuse(rq, p == P_BUSY ? S3_SLOW_DOWN : S3_INTERNAL);
}

enum s3
s3_meaning(enum err e)
{
	switch (e) {
	case OK:
		return S3_OK;
	case ERR_NOT_FOUND:
		return S3_DENIED; /* the blob was deleted meanwhile */
	case ERR_CONFLICT:
		return S3_ABORTED;
	case ERR_LIMIT:
		return S3_QUOTA;
	case ERR_BUSY:
	case ERR_STALE: /* another file arrived in between */
		return S3_SLOW_DOWN;
	case ERR_FULL:
		return S3_FULL;
	default:
		return S3_INTERNAL;
	}
}
