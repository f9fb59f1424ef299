#ifndef INGRESS_SRT_LISTENER_H
#define INGRESS_SRT_LISTENER_H

#include <stdbool.h>

#include "base/err.h"
#include "ingress/ingress.h"

/*
 * SRT, pushed to a UDP port of this host: one sender that knows the stream id and the
 * passphrase (SRTO_STREAMID, SRTO_PASSPHRASE of libsrt's API).  Others are refused.
 */
struct srt_listener;

#define SRT_LISTENER_BYTES 1456 /* of one message, at most */
#define SRT_LISTENER_WAIT_MS 200

/* ERR_REFUSED: the port is in use, or the order cannot be; *why says it. */
enum err srt_listener_open(struct arena *, const struct ingress_order *,
    struct srt_listener **, const char **why) MUST_CHECK;
/*
 * Wait for a message, for SRT_LISTENER_WAIT_MS at most.  OK: n bytes, 0: none came yet.
 * ERR_FAILED: the sender has left.
 */
enum err srt_listener_read(
    struct srt_listener *, char to[SRT_LISTENER_BYTES], size_t *n) MUST_CHECK;
/* Has a sender been admitted? */
bool srt_listener_admitted(const struct srt_listener *);
/* Why a sender was refused since the last call; NULL: none was. */
const char *srt_listener_refused(struct srt_listener *);
void srt_listener_close(struct srt_listener *);

#endif
