// SPDX-License-Identifier: GPL-2.0-only
/*
 * The server's side of FENCE and PATH_BYE (docs/PROTOCOL.md section 7).
 *
 * The machine of the owners ends the incarnations that FENCE names, and answers when they have
 * ended. Nothing here waits for them. As long as a FENCE is unanswered, a work reports the number
 * of commands that are left.
 */
#include <linux/sched/mm.h>

#include "login.h"

void cw_fence_take(struct cw_server_session *s, const struct cw_letter *letter)
{
	struct cw_incarnation which;

	if (!(s->features & CW_FEATURE_PATHS) ||
	    cw_parse_fence(letter->data, letter->len, &which) ||
	    cw_admission_fence(s, which.path, which.epoch, which.tag))
		cw_login_malformed(s, letter->type);
	else
		queue_delayed_work(cw_server_wq, &s->fences, msecs_to_jiffies(CW_WAITING_MS));
}

void cw_fence_take_path_bye(struct cw_server_session *s, const struct cw_letter *letter)
{
	struct cw_incarnation which;

	if (!(s->features & CW_FEATURE_PATHS) ||
	    cw_parse_incarnation(letter->data, letter->len, &which) ||
	    cw_admission_path_bye(s, which.path, which.epoch))
		cw_login_malformed(s, letter->type);
}

void cw_fence_answer(struct cw_server_session *s, u8 path, u64 epoch)
{
	const struct cw_incarnation which = { .path = path, .epoch = epoch };
	struct cw_wire_incarnation wire;

	cw_pack_incarnation(&wire, &which);
	/* No WAITING for this FENCE comes behind the answer: see cw_fence_report(). */
	mutex_lock(&cw_server_lock);
	if (cw_link_send_control(s->control, CW_MSG_FENCED, &wire, sizeof(wire)))
		/* The client then sends FENCE again on another path. */
		cw_server_session_end(s, "FENCED could not be sent");
	mutex_unlock(&cw_server_lock);
}

/* Commands of the incarnations of @path up to @epoch, of the session of @s. */
static u32 cw_fence_commands(struct cw_server_session *s, u8 path, u64 epoch)
{
	struct cw_server_session *other;
	u32 count = 0;

	lockdep_assert_held(&cw_server_lock);
	list_for_each_entry(other, &s->core->sessions, beside)
		if (other->up && other->paths == s->paths && other->member.path == path &&
		    other->member.epoch <= epoch)
			count += cw_server_session_commands(other);
	return count;
}

/* Sends WAITING for a FENCE of @path. False: none is unanswered. */
static bool cw_fence_report(struct cw_server_session *s, u8 path)
{
	struct cw_waiting waiting = { .reason = CW_WAITING_COMMANDS, .path = path };
	struct cw_wire_waiting wire;
	u64 epoch;

	lockdep_assert_held(&cw_server_lock);
	/*
	 * The machine writes it under the lock of the admission, and sets it to 0 before FENCED is
	 * sent, which is under cw_server_lock.
	 */
	epoch = READ_ONCE(s->member.fences[path]);
	if (!epoch)
		return false;
	waiting.commands = cw_fence_commands(s, path, epoch);
	cw_pack_waiting(&wire, &waiting);
	cw_link_send_control(s->control, CW_MSG_WAITING, &wire, sizeof(wire));
	return true;
}

void cw_fence_watch(struct work_struct *work)
{
	struct cw_server_session *s =
		container_of(to_delayed_work(work), struct cw_server_session, fences);
	unsigned int noio = memalloc_noio_save();
	bool waits = false;
	u8 path;

	mutex_lock(&cw_server_lock);
	if (READ_ONCE(s->state) == CW_SERVER_LIVE)
		for (path = 0; path < CW_WIRE_PATHS; path++)
			waits |= cw_fence_report(s, path);
	mutex_unlock(&cw_server_lock);
	if (waits)
		queue_delayed_work(cw_server_wq, &s->fences, msecs_to_jiffies(CW_WAITING_MS));
	memalloc_noio_restore(noio);
}
