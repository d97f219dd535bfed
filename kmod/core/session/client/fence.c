// SPDX-License-Identifier: GPL-2.0-only
/*
 * Fences of paths (docs/PROTOCOL.md section 7).
 *
 * After the death of a path, the server may still carry out its writes. While another path is live,
 * FENCE on that path asks the server to end them, and FENCED says that they have ended. A FENCE
 * with a tag announces the next JOIN of a path. A path joins only when both its fence and its last
 * announcement were answered, so no link has more than these two of a path.
 *
 * A fence without a carrier was not sent, or its carrier has died before FENCED came. It is sent
 * when a path has died, when a path goes live, and by the watch of each live path. Without a live
 * path, the next WELCOME ends all fences.
 */
#include "liveness.h"
#include "path_list.h"

static bool cw_path_send_fence(struct cw_path *carrier, const struct cw_path *p,
			       const struct cw_fence *fence)
{
	const struct cw_incarnation which = {
		.path = p->number,
		.tag = fence->tag,
		.epoch = fence->epoch,
	};
	struct cw_wire_incarnation rec;

	cw_pack_incarnation(&rec, &which);
	return !cw_link_send_control(carrier->control, CW_MSG_FENCE, &rec, sizeof(rec));
}

/* Sends @fence of @p on another path, if it has no carrier. */
static void cw_path_carry(struct cw_path *p, struct cw_fence *fence)
{
	struct cw_session *s = p->session;
	struct cw_path *carrier;
	unsigned int i;

	for (i = 0; fence->epoch && !fence->carrier && i < s->nr_paths; i++) {
		carrier = s->paths[i];
		if (carrier != p && carrier->state == CW_PATH_LIVE &&
		    cw_path_send_fence(carrier, p, fence)) {
			fence->carrier = carrier;
			cw_path_busy(carrier);
		}
	}
}

bool cw_path_carries_fence(const struct cw_path *p)
{
	const struct cw_session *s = p->session;
	unsigned int i;

	lockdep_assert_held(&s->lock);
	for (i = 0; i < s->nr_paths; i++)
		if (s->paths[i]->fence.carrier == p || s->paths[i]->announced.carrier == p)
			return true;
	return false;
}

void cw_session_send_fences(struct cw_session *s)
{
	unsigned int i;

	lockdep_assert_held(&s->lock);
	for (i = 0; i < s->nr_paths; i++) {
		struct cw_path *p = s->paths[i];

		/* Nothing waits for the announcement of a JOIN that has ended. */
		if (!p->announced.carrier && p->state != CW_PATH_CONNECTING)
			p->announced.epoch = 0;
		if (!p->fence_answered)
			cw_path_carry(p, &p->fence);
		cw_path_carry(p, &p->announced);
	}
}

void cw_path_set_fence(struct cw_path *p, struct cw_fence *fence, u64 epoch, u64 tag)
{
	lockdep_assert_held(&p->session->lock);
	if (fence == &p->fence && !fence->epoch)
		p->fence_began = ktime_get_ns();
	*fence = (struct cw_fence) { .epoch = epoch, .tag = tag };
	cw_session_send_fences(p->session);
}

void cw_path_stop_carrying(struct cw_path *p)
{
	struct cw_session *s = p->session;
	unsigned int i;

	lockdep_assert_held(&s->lock);
	for (i = 0; i < s->nr_paths; i++) {
		if (s->paths[i]->fence.carrier == p)
			s->paths[i]->fence.carrier = NULL;
		if (s->paths[i]->announced.carrier == p)
			s->paths[i]->announced.carrier = NULL;
	}
	cw_session_send_fences(s);
}

void cw_path_end_fence(struct cw_path *p)
{
	struct cw_session *s = p->session;

	lockdep_assert_held(&s->lock);
	if (p->fence.epoch) {
		p->fences++;
		p->fence_ns += ktime_get_ns() - p->fence_began;
	}
	p->fence = (struct cw_fence) {};
	p->fence_answered = false;
	WRITE_ONCE(p->fence_commands, 0);
	s->ops->fenced(s, p);
}

void cw_path_reaped(struct cw_path *p)
{
	struct cw_session *s = p->session;

	lockdep_assert_held(&p->lock);
	mutex_lock(&s->lock);
	p->reaped = true;
	if (p->fence_answered)
		cw_path_end_fence(p);
	mutex_unlock(&s->lock);
}

/* The server answers the newest FENCE of a path alone: its answer stands for the earlier ones. */
static int cw_path_fenced(struct cw_path *fenced, const struct cw_path *by, u64 epoch)
{
	struct cw_fence *announced = &fenced->announced;
	bool is_of_join = announced->carrier == by && announced->epoch == epoch;
	bool is_of_fence = fenced->fence.carrier == by && !fenced->fence_answered &&
			   fenced->fence.epoch == epoch;

	if (!is_of_join && !is_of_fence)
		return -EPROTO;
	if (announced->carrier == by && announced->epoch <= epoch)
		*announced = (struct cw_fence) {};
	/* The writes of a path whose links are not drained may not be sent again yet. */
	if (is_of_fence && !fenced->reaped)
		fenced->fence_answered = true;
	else if (is_of_fence)
		cw_path_end_fence(fenced);
	cw_session_decide(fenced->session); /* the path may join again */
	return 0;
}

int cw_path_take_fenced(struct cw_path *p, const struct cw_letter *letter)
{
	struct cw_session *s = p->session;
	struct cw_incarnation which;
	int ret;

	if (cw_parse_incarnation(letter->data, letter->len, &which) ||
	    which.path >= cw_session_nr_paths(s))
		return -EPROTO;
	mutex_lock(&s->lock);
	ret = cw_path_fenced(s->paths[which.path], p, which.epoch);
	mutex_unlock(&s->lock);
	return ret;
}
