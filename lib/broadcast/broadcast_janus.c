#include "broadcast/broadcast.h"

const struct broadcast_driver broadcast_janus = { .name = "janus" };
