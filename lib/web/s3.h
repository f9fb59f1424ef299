/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef WEB_S3_H
#define WEB_S3_H

#include "web/web.h"

/*
 * The errors of S3 for a posted form ("Amazon S3 API Reference", "Error Responses"),
 * in XML:
 *     <Error><Code>..</Code><Message>..</Message><RequestId>..</RequestId></Error>
 */
enum s3 {
	S3_OK,
	S3_TOO_SMALL,
	S3_TOO_LARGE,
	S3_ARGUMENT,
	S3_MALFORMED,
	S3_TOO_MUCH,
	S3_DENIED,
	S3_KEY,
	S3_SIGNATURE,
	S3_QUOTA,
	S3_ABORTED,
	S3_LENGTH,
	S3_INTERNAL,
	S3_SLOW_DOWN,
	S3_FULL
};

struct reply s3_refuse(struct request *, enum s3);
/* For struct route: answers a problem of the policy in S3's form. */
struct reply s3_problem(struct request *, enum problem, const char *detail);
enum s3 s3_meaning(enum err);

#endif
