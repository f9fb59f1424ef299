#include "protocol/close.h"

#define CLOSE_ROW(name, code, reason) [name] = { code, reason },
const struct close_kind close_kinds[CLOSE_KINDS] = { CLOSES(CLOSE_ROW) };
