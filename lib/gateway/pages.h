#ifndef GATEWAY_PAGES_H
#define GATEWAY_PAGES_H

#include "web/web.h"

/*
 * The pages to speak and to listen with, in a browser: speaker.html and
 * listener.html of share.dir, each a single file.  404 where they are not installed.
 */
struct reply pages_speaker(struct request *);
struct reply pages_listener(struct request *);

#endif
