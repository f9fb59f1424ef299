#include "ingest.h"

#include "tests/ingest-server.h"

const char *
ingest_begin(void)
{
	ingest_open();
	return arena_printf(ingest.mem, "http://127.0.0.1:%d/closedcaption?cid=%s",
	    ingest.port, INGEST_KEY);
}

int
ingest_total(void)
{
	return ingest_count();
}

const char *
ingest_text(int n)
{
	return ingest.texts[n];
}

int
ingest_gaps(void)
{
	return (int)ingest.gaps;
}

const char *
ingest_refused(void)
{
	return ingest.refused;
}

void
ingest_answers(int status)
{
	ingest.status = status;
}
