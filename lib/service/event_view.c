#include "service/event_view.h"

#include "blob/signed_url.h"

void
event_show(const struct conf *c, struct arena *mem, struct event *ev, int64_t now_us)
{
	const char *blob = ev->cover_url; /* one of the account's, stored */

	event_tell(c, mem, ev);
	if (blob != NULL)
		ev->cover_url = signed_url_make(c, mem, blob, now_us);
}
