// SPDX-License-Identifier: GPL-2.0-only
/*
 * The control link of a path: the messages that come on it, and its silence.
 */
#include <linux/slab.h>

#include "liveness.h"
#include "path_list.h"

#define CW_DETECTION_MS 5000 /* before a WELCOME has said more */

/*
 * The server ends a login that is silent, so a client that waits probes at least every 2 s. It does
 * so from HELLO on: siw 6.1 answers a connection request before it takes the socket from its
 * connection manager, and a HELLO that arrives in between lies there until the next message does
 * (siw_accept(), siw_cm_llp_data_ready()).
 */
#define CW_LOGIN_PROBE_MS 1500

/*
 * WAITING for a FENCE comes every two seconds for each fence, and asks for nothing. It is checked
 * here, so that it fills no inbox.
 */
static int cw_client_waiting(struct cw_session *s, struct cw_message *msg)
{
	struct cw_waiting waiting;
	int ret = cw_parse_waiting(msg->data, msg->frame.data_len, true, &waiting);

	cw_message_put(msg);
	if (!ret && waiting.path < cw_session_nr_paths(s))
		WRITE_ONCE(s->paths[waiting.path]->fence_commands, waiting.commands);
	return ret;
}

static int cw_client_message(struct cw_link *link, struct cw_message *msg)
{
	struct cw_path *p = cw_link_path(link);
	int ret;

	if (msg->frame.type == CW_MSG_WAITING && READ_ONCE(p->state) == CW_PATH_LIVE)
		return cw_client_waiting(p->session, msg);
	ret = cw_inbox_add(&p->inbox, msg);
	/* A login waits on p->arrived. A message to a live path is judged by the work. */
	cw_path_call(p);
	return ret;
}

const struct cw_link_handler cw_client_control_handler = {
	.message = cw_client_message,
	.down = cw_client_down,
	.alive = cw_path_alive,
};

u32 cw_session_detection_ms(struct cw_session *s)
{
	u32 ms;

	mutex_lock(&s->lock);
	ms = s->accepted ? s->welcome.dead_ms : CW_DETECTION_MS;
	mutex_unlock(&s->lock);
	return ms;
}

u32 cw_path_silence(const struct cw_path *p, unsigned long since)
{
	unsigned long last = READ_ONCE(p->control->last_rx);

	return jiffies_to_msecs(jiffies - (time_after(last, since) ? last : since));
}

long cw_path_ask(struct cw_path *p)
{
	unsigned long next = p->asked_at + msecs_to_jiffies(CW_LOGIN_PROBE_MS);

	if (time_after_eq(jiffies, next)) {
		cw_link_probe(p->control, 0);
		p->asked_at = jiffies;
		next = jiffies + msecs_to_jiffies(CW_LOGIN_PROBE_MS);
	}
	return next - jiffies;
}

struct cw_letter *cw_path_receive(struct cw_path *p, u32 patience_ms)
{
	unsigned long since = jiffies;
	struct cw_letter *letter = NULL;
	u32 silence;
	long wait;

	while ((silence = cw_path_silence(p, since)) < patience_ms) {
		wait = min_t(long, cw_path_ask(p), msecs_to_jiffies(patience_ms - silence));
		wait_event_timeout(p->arrived,
				   (letter = cw_inbox_take(&p->inbox)) ||
				   cw_link_is_dead(p->control) ||
				   cw_path_is_given_up(p),
				   max(wait, 1L));
		if (letter || cw_link_is_dead(p->control) || cw_path_is_given_up(p))
			break;
	}
	/* The last message may come after the report that the server closed the connection. */
	if (!letter && cw_link_is_dead(p->control)) {
		cw_link_drain(p->control);
		letter = cw_inbox_take(&p->inbox);
	}
	return letter;
}

/* A notice that is not newer than the last one is ignored. */
static void cw_session_take_notice(struct cw_session *s, const struct cw_notice *notice)
{
	mutex_lock(&s->lock);
	if (notice->sequence > s->sequence) {
		s->sequence = notice->sequence;
		if (notice->kind == CW_NOTICE_GEOMETRY)
			s->welcome.geo = notice->geo;
		s->ops->notice(s, notice);
	}
	mutex_unlock(&s->lock);
}

bool cw_path_take_letters(struct cw_path *p)
{
	struct cw_letter *letter;
	struct cw_notice notice;
	bool farewell = false;

	while ((letter = cw_inbox_take(&p->inbox))) {
		if (letter->type == CW_MSG_NOTICE &&
		    !cw_parse_notice(letter->data, letter->len, &notice))
			cw_session_take_notice(p->session, &notice);
		else if (letter->type == CW_MSG_FAREWELL)
			farewell = true;
		else if (letter->type == CW_MSG_FENCED && !cw_path_take_fenced(p, letter))
			; /* taken */
		else if (p->control)
			cw_link_kill(p->control, -EPROTO, "an unexpected control message (%u)",
				     letter->type);
		kfree(letter);
	}
	return farewell;
}
