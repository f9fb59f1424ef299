/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef BASE_LIBARCHIVE_H
#define BASE_LIBARCHIVE_H

#include <archive.h>
#include <archive_entry.h>

#include "base/lazy_library.h"

/* The functions of libarchive.so.13 in use; see base/lazy_library.h. */
/* clang-format off */
#define LIBARCHIVE_FUNCTIONS(X) \
	X(archive_entry_filetype) X(archive_entry_free) \
	X(archive_entry_is_encrypted) X(archive_entry_new) \
	X(archive_entry_pathname_utf8) X(archive_entry_set_filetype) \
	X(archive_entry_set_pathname) X(archive_entry_set_perm) \
	X(archive_entry_set_size) X(archive_entry_size) X(archive_errno) \
	X(archive_error_string) X(archive_filter_code) X(archive_format_name) \
	X(archive_read_data) X(archive_read_free) X(archive_read_new) \
	X(archive_read_next_header) X(archive_read_open_filename) \
	X(archive_read_open_memory) X(archive_read_support_filter_all) \
	X(archive_read_support_filter_gzip) X(archive_read_support_format_raw) \
	X(archive_read_support_format_tar) X(archive_read_support_format_zip) \
	X(archive_read_support_format_zip_seekable) X(archive_write_close) \
	X(archive_write_data) X(archive_write_free) X(archive_write_header) \
	X(archive_write_new) X(archive_write_open_fd) \
	X(archive_write_set_bytes_in_last_block) X(archive_write_set_format_zip)
/* clang-format on */

LAZY_LIBRARY(libarchive, LIBARCHIVE_FUNCTIONS);

#define archive_entry_filetype (*libarchive_use()->archive_entry_filetype)
#define archive_entry_free (*libarchive_use()->archive_entry_free)
#define archive_entry_is_encrypted (*libarchive_use()->archive_entry_is_encrypted)
#define archive_entry_new (*libarchive_use()->archive_entry_new)
#define archive_entry_pathname_utf8 (*libarchive_use()->archive_entry_pathname_utf8)
#define archive_entry_set_filetype (*libarchive_use()->archive_entry_set_filetype)
#define archive_entry_set_pathname (*libarchive_use()->archive_entry_set_pathname)
#define archive_entry_set_perm (*libarchive_use()->archive_entry_set_perm)
#define archive_entry_set_size (*libarchive_use()->archive_entry_set_size)
#define archive_entry_size (*libarchive_use()->archive_entry_size)
#define archive_errno (*libarchive_use()->archive_errno)
#define archive_error_string (*libarchive_use()->archive_error_string)
#define archive_filter_code (*libarchive_use()->archive_filter_code)
#define archive_format_name (*libarchive_use()->archive_format_name)
#define archive_read_data (*libarchive_use()->archive_read_data)
#define archive_read_free (*libarchive_use()->archive_read_free)
#define archive_read_new (*libarchive_use()->archive_read_new)
#define archive_read_next_header (*libarchive_use()->archive_read_next_header)
#define archive_read_open_filename (*libarchive_use()->archive_read_open_filename)
#define archive_read_open_memory (*libarchive_use()->archive_read_open_memory)
#define archive_read_support_filter_all                                                \
	(*libarchive_use()->archive_read_support_filter_all)
#define archive_read_support_filter_gzip                                               \
	(*libarchive_use()->archive_read_support_filter_gzip)
#define archive_read_support_format_raw                                                \
	(*libarchive_use()->archive_read_support_format_raw)
#define archive_read_support_format_tar                                                \
	(*libarchive_use()->archive_read_support_format_tar)
#define archive_read_support_format_zip                                                \
	(*libarchive_use()->archive_read_support_format_zip)
#define archive_read_support_format_zip_seekable                                       \
	(*libarchive_use()->archive_read_support_format_zip_seekable)
#define archive_write_close (*libarchive_use()->archive_write_close)
#define archive_write_data (*libarchive_use()->archive_write_data)
#define archive_write_free (*libarchive_use()->archive_write_free)
#define archive_write_header (*libarchive_use()->archive_write_header)
#define archive_write_new (*libarchive_use()->archive_write_new)
#define archive_write_open_fd (*libarchive_use()->archive_write_open_fd)
#define archive_write_set_bytes_in_last_block                                          \
	(*libarchive_use()->archive_write_set_bytes_in_last_block)
#define archive_write_set_format_zip (*libarchive_use()->archive_write_set_format_zip)

#endif
