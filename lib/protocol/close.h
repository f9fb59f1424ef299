#ifndef PROTOCOL_CLOSE_H
#define PROTOCOL_CLOSE_H

/*
 * Why a session closes a connection: a WebSocket is told the code and the reason.  A
 * reason in capitals is also the code of the error that is sent before.
 */
#define CLOSES(CLOSE)                                                                  \
	CLOSE(CLOSE_DONE, 1000, "")                                                    \
	CLOSE(CLOSE_SHUTDOWN, 1001, "")                                                \
	CLOSE(CLOSE_STOPPING, 1001, "stopping")                                        \
	CLOSE(CLOSE_NO_AUDIO, 1001, "no audio")                                        \
	CLOSE(CLOSE_NO_MESSAGE, 1001, "no message")                                    \
	CLOSE(CLOSE_REPLACED, 1008, "replaced")                                        \
	CLOSE(CLOSE_TOO_OFTEN, 1008, "connection rate limit")                          \
	CLOSE(CLOSE_BAD_MESSAGES, 1008, "too many bad messages")                       \
	CLOSE(CLOSE_SLOW, 1008, "slow consumer")                                       \
	CLOSE(CLOSE_OTHER_NODE, 1008, "other node")                                    \
	CLOSE(CLOSE_SESSION_CLOSED, 1008, "SESSION_CLOSED")                            \
	CLOSE(CLOSE_BALANCE, 1008, "INSUFFICIENT_BALANCE")                             \
	CLOSE(CLOSE_TIMEOUT, 1008, "SERVICE_TIMEOUT")                                  \
	CLOSE(CLOSE_INVALID, 1008, "VALIDATION_ERROR")

#define CLOSE_NAME(name, code, reason) name,
enum close_why { CLOSES(CLOSE_NAME) CLOSE_KINDS };

extern const struct close_kind {
	int code; /* RFC 6455, 7.4.1 */
	const char *reason;
} close_kinds[CLOSE_KINDS];

#endif
