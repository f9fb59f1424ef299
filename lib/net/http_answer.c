/*
 * What libcurl has of an answer.
 */
#include "net/http_answer.h"

#include <string.h>

#include "base/clock.h"

/* libcurl takes any number; what HTTP has not counts as 5xx (RFC 9110, 15). */
int
http_known_status(long status)
{
	return status >= 100 && status <= 599 ? (int)status : 500;
}

enum err
http_meaning(CURLcode rc)
{
	switch (rc) {
	case CURLE_OK:
		return OK;
	case CURLE_COULDNT_RESOLVE_HOST:
	case CURLE_COULDNT_CONNECT:
	case CURLE_OPERATION_TIMEDOUT:
	case CURLE_GOT_NOTHING:
	case CURLE_PARTIAL_FILE:
	case CURLE_SEND_ERROR:
	case CURLE_RECV_ERROR:
	case CURLE_SSL_CONNECT_ERROR:
	case CURLE_HTTP2:
	case CURLE_HTTP2_STREAM:
		return ERR_TIMEOUT;
	case CURLE_UNSUPPORTED_PROTOCOL:
	case CURLE_URL_MALFORMAT:
	case CURLE_PEER_FAILED_VERIFICATION:
	case CURLE_WEIRD_SERVER_REPLY:
	case CURLE_OUT_OF_MEMORY: /* or a header beyond libcurl's bounds */
		return ERR_REFUSED;
	default:
		return ERR_FAILED;
	}
}

const char *
http_words(CURLcode rc)
{
	return rc == CURLE_PEER_FAILED_VERIFICATION ? "the certificate is not valid"
						    : curl_easy_strerror(rc);
}

/* A folded one (RFC 9112, 5.2) has its line ends in it still, and counts as none. */
static const char *
one_line(struct arena *mem, const char *value)
{
	return value == NULL || strpbrk(value, "\r\n") != NULL ? NULL
							       : arena_str(mem, value);
}

static int64_t
read_time(const char *text)
{
	time_t s = text != NULL ? curl_getdate(text, NULL) : -1;

	return s < 0 ? NULL_INT : (int64_t)s * S_US;
}

/* The end of the server's own certificate, as libcurl writes it. */
static int64_t
certificate_end(CURL *easy)
{
	static const char name[] = "Expire date:";
	struct curl_certinfo *all = NULL;
	struct curl_slist *line = NULL;

	if (curl_easy_getinfo(easy, CURLINFO_CERTINFO, &all) == CURLE_OK &&
	    all != NULL && all->num_of_certs > 0)
		line = all->certinfo[0];
	for (; line != NULL; line = line->next)
		if (strncmp(line->data, name, strlen(name)) == 0)
			return read_time(line->data + strlen(name));
	return NULL_INT;
}

void
http_read_answer(CURL *easy, struct arena *mem, struct http_answer *to)
{
	struct curl_header *etag = NULL, *date = NULL;
	curl_off_t length = -1, retry_after_s = 0;
	char *type = NULL, *location = NULL;
	long status = 0;

	curl_easy_getinfo(easy, CURLINFO_RESPONSE_CODE, &status);
	curl_easy_getinfo(easy, CURLINFO_CONTENT_TYPE, &type);
	curl_easy_getinfo(easy, CURLINFO_REDIRECT_URL, &location);
	curl_easy_getinfo(easy, CURLINFO_CONTENT_LENGTH_DOWNLOAD_T, &length);
	curl_easy_getinfo(easy, CURLINFO_RETRY_AFTER, &retry_after_s);
	curl_easy_header(easy, "ETag", 0, CURLH_HEADER, -1, &etag);
	curl_easy_header(easy, "Date", 0, CURLH_HEADER, -1, &date);
	*to = (struct http_answer){
		.status = http_known_status(status),
		.content_type = one_line(mem, type),
		.location = one_line(mem, location),
		.etag = one_line(mem, etag != NULL ? etag->value : NULL),
		.content_bytes = length,
		.retry_after_s = retry_after_s,
		.date_us = read_time(date != NULL ? date->value : NULL),
		.certificate_until_us = certificate_end(easy),
	};
}

enum err
http_verdict(int status)
{
	if (status >= 200 && status < 300)
		return OK;
	return status == 408 || status == 429 || status >= 500 ? ERR_BUSY : ERR_REFUSED;
}
