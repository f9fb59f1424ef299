#ifndef BASE_PROCESS_H
#define BASE_PROCESS_H

#include <stdbool.h>

/* For programs whose memory holds keys: nothing of it becomes a core file, and
   processes of the same user cannot read it. */
void process_keep_secrets(void);
/* False, which is logged: this is root, and the folder is another user's. */
bool process_may_write(const char *folder);

#endif
