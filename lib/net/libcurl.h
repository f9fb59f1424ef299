/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef NET_LIBCURL_H
#define NET_LIBCURL_H

#define CURL_DISABLE_TYPECHECK
#include <curl/curl.h>

#include "base/lazy_library.h"

/* The functions of libcurl.so.4 in use; see base/lazy_library.h. */
/* clang-format off */
#define LIBCURL_FUNCTIONS(X) \
	X(curl_easy_cleanup) X(curl_easy_getinfo) X(curl_easy_header) \
	X(curl_easy_init) X(curl_easy_pause) X(curl_easy_perform) X(curl_easy_recv) \
	X(curl_easy_reset) X(curl_easy_send) X(curl_easy_setopt) \
	X(curl_easy_strerror) X(curl_free) X(curl_getdate) X(curl_mime_addpart) \
	X(curl_mime_data) X(curl_mime_filename) X(curl_mime_free) X(curl_mime_init) \
	X(curl_mime_name) X(curl_mime_type) X(curl_multi_add_handle) \
	X(curl_multi_cleanup) X(curl_multi_info_read) X(curl_multi_init) \
	X(curl_multi_perform) X(curl_multi_poll) X(curl_multi_remove_handle) \
	X(curl_share_cleanup) X(curl_share_init) X(curl_share_setopt) \
	X(curl_slist_append) X(curl_slist_free_all) X(curl_url) X(curl_url_cleanup) \
	X(curl_url_get) X(curl_url_set)
/* clang-format on */

#undef curl_easy_getinfo
#undef curl_easy_setopt
#undef curl_share_setopt

LAZY_LIBRARY(libcurl, LIBCURL_FUNCTIONS);

#define curl_easy_cleanup (*libcurl_use()->curl_easy_cleanup)
#define curl_easy_getinfo (*libcurl_use()->curl_easy_getinfo)
#define curl_easy_header (*libcurl_use()->curl_easy_header)
#define curl_easy_init (*libcurl_use()->curl_easy_init)
#define curl_easy_pause (*libcurl_use()->curl_easy_pause)
#define curl_easy_perform (*libcurl_use()->curl_easy_perform)
#define curl_easy_recv (*libcurl_use()->curl_easy_recv)
#define curl_easy_reset (*libcurl_use()->curl_easy_reset)
#define curl_easy_send (*libcurl_use()->curl_easy_send)
#define curl_easy_setopt (*libcurl_use()->curl_easy_setopt)
#define curl_easy_strerror (*libcurl_use()->curl_easy_strerror)
#define curl_free (*libcurl_use()->curl_free)
#define curl_getdate (*libcurl_use()->curl_getdate)
#define curl_mime_addpart (*libcurl_use()->curl_mime_addpart)
#define curl_mime_data (*libcurl_use()->curl_mime_data)
#define curl_mime_filename (*libcurl_use()->curl_mime_filename)
#define curl_mime_free (*libcurl_use()->curl_mime_free)
#define curl_mime_init (*libcurl_use()->curl_mime_init)
#define curl_mime_name (*libcurl_use()->curl_mime_name)
#define curl_mime_type (*libcurl_use()->curl_mime_type)
#define curl_multi_add_handle (*libcurl_use()->curl_multi_add_handle)
#define curl_multi_cleanup (*libcurl_use()->curl_multi_cleanup)
#define curl_multi_info_read (*libcurl_use()->curl_multi_info_read)
#define curl_multi_init (*libcurl_use()->curl_multi_init)
#define curl_multi_perform (*libcurl_use()->curl_multi_perform)
#define curl_multi_poll (*libcurl_use()->curl_multi_poll)
#define curl_multi_remove_handle (*libcurl_use()->curl_multi_remove_handle)
#define curl_share_cleanup (*libcurl_use()->curl_share_cleanup)
#define curl_share_init (*libcurl_use()->curl_share_init)
#define curl_share_setopt (*libcurl_use()->curl_share_setopt)
#define curl_slist_append (*libcurl_use()->curl_slist_append)
#define curl_slist_free_all (*libcurl_use()->curl_slist_free_all)
#define curl_url (*libcurl_use()->curl_url)
#define curl_url_cleanup (*libcurl_use()->curl_url_cleanup)
#define curl_url_get (*libcurl_use()->curl_url_get)
#define curl_url_set (*libcurl_use()->curl_url_set)

#endif
