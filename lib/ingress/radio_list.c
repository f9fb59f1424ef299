#include "ingress/radio_list.h"

#include <string.h>
#include <strings.h>

#include "ingress/hls_playlist.h"

#define BOM "\xef\xbb\xbf"
#define PLS "[playlist"

static const char *
skip_mark(const char *text)
{
	return strncmp(text, BOM, 3) == 0 ? text + 3 : text;
}

bool
radio_list_begins(const char *p, size_t n)
{
	static const char *const marks[] = { "http://", "https:/", PLS };
	size_t at = n >= 3 && memcmp(p, BOM, 3) == 0 ? 3 : 0;

	for (size_t i = 0; i < sizeof(marks) / sizeof(marks[0]); i++) {
		size_t is = strlen(marks[i]);

		is = is < n - at ? is : n - at; /* a mark is cut behind a BOM */
		if (n >= HLS_MARK_BYTES && strncasecmp(p + at, marks[i], is) == 0)
			return true;
	}
	return false;
}

bool
radio_list_is(const char *text)
{
	size_t n = strlen(text);

	return hls_is_playlist(text, n) ? strstr(text, "#EXT-X-") == NULL
					: radio_list_begins(text, n);
}

/* "File1=ADDRESS" of PLS; all else there is none. */
static const char *
pls_address(const char *line)
{
	const char *value = strchr(line, '=');

	return strncasecmp(line, "File", 4) == 0 && value != NULL ? value + 1 : NULL;
}

const char *
radio_list_first(struct arena *mem, const char *text)
{
	bool pls = strncasecmp(skip_mark(text), PLS, strlen(PLS)) == 0;
	char *rest = arena_str(mem, skip_mark(text)), *line;

	while ((line = strsep(&rest, "\r\n")) != NULL) {
		const char *is = pls ? pls_address(line) : *line != '#' ? line : NULL;

		if (is != NULL && *(is += strspn(is, " \t")) != '\0')
			return arena_dup(mem, is, strcspn(is, " \t"));
	}
	return NULL;
}
