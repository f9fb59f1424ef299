#include "base/clock.h"
#include "rtc/peer.h"

static void
sooner(int64_t *due, int64_t than)
{
	*due = than < *due ? than : *due;
}

static int64_t
due_us(const struct rtc_peer *p)
{
	int64_t now = p->shared->now_us, due = INT64_MAX, wait;

	if (p->check != NULL)
		sooner(&due, p->check->due_us);
	if (p->stats.checked_us != 0)
		sooner(&due, p->consent_us + PEER_CONSENT_US);
	if (p->stats.checked_us != 0 && p->state == RTC_CHECKED)
		sooner(&due, p->stats.checked_us + PEER_HANDSHAKE_US);
	if (p->dtls != NULL && (wait = dtls_wait_us(p->dtls)) >= 0)
		sooner(&due, now + wait);
	if (p->data != NULL)
		sooner(&due, data_channels_due_us(p->data, now));
	if (p->report_us != 0 && p->cipher != NULL && p->has_path)
		sooner(&due, p->report_us);
	return due;
}

void
peer_schedule(struct rtc_peer *p)
{
	int64_t due = INT64_MAX;

	if (!p->closed && p->state != RTC_FAILED)
		due = due_us(p);
	if (due <= p->shared->now_us) /* never twice in one turn */
		due = p->shared->now_us + 1;
	if (due != INT64_MAX)
		timer_wheel_set(&p->shared->wheel, &p->timer, due);
	else
		timer_wheel_cancel(&p->timer);
}
