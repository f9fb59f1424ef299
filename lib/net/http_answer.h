#ifndef NET_HTTP_ANSWER_H
#define NET_HTTP_ANSWER_H

#include <curl/curl.h>

#include "net/http.h"

/* What libcurl has of an answer, as net/http.h has it; private to lib/net. */

int http_known_status(long);
/* All but the body. */
void http_read_answer(CURL *, struct arena *, struct http_answer *);
/* What an end of libcurl's is to us, and what is said of it. */
enum err http_meaning(CURLcode);
const char *http_words(CURLcode);

#endif
