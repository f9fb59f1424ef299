#ifndef SERVICE_CHANNEL_VIEW_H
#define SERVICE_CHANNEL_VIEW_H

#include "base/conf.h"
#include "store/channels.h"

/*
 * What a reader sees besides the row: the input, and the warnings of languages that
 * engines lack.  Without `secrets` whatever lets a client speak or push a stream is
 * null: tokens, pins, stream keys.
 */
void channel_tell(const struct conf *, struct arena *, struct channel *, bool secrets);

#endif
