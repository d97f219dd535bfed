// SPDX-License-Identifier: GPL-2.0-only
/*
 * The three works that end a session of the server: session.c describes each of them.
 */
#include <linux/hashtable.h>
#include <linux/sched/mm.h>

#include "../../netlink/netlink.h"
#include "session.h"

#define CW_FAREWELL_MS 1000 /* for a client to read FAREWELL, and to close */

static unsigned long malformed; /* under cw_server_lock */
module_param(malformed, ulong, 0444);
MODULE_PARM_DESC(malformed, "to read: connections ended because the client broke the protocol");

/* The last work runs once both parts are there, and not before s->released_at. */
static void cw_session_queue_last(struct cw_server_session *s)
{
	unsigned long now = jiffies;

	lockdep_assert_held(&s->lock);
	if (s->parts != (CW_PART_FINISHED | CW_PART_RELEASED))
		return;
	mod_delayed_work(cw_server_wq, &s->last,
			 time_before(now, s->released_at) ? s->released_at - now : 0);
}

static void cw_session_has_finished(struct cw_server_session *s)
{
	unsigned long flags;

	spin_lock_irqsave(&s->lock, flags);
	s->parts |= CW_PART_FINISHED;
	cw_session_queue_last(s);
	spin_unlock_irqrestore(&s->lock, flags);
}

void cw_server_session_part(struct cw_server_session *s, unsigned long delay)
{
	unsigned long flags;

	spin_lock_irqsave(&s->lock, flags);
	s->released_at = jiffies + delay;
	s->parts |= CW_PART_RELEASED;
	cw_session_queue_last(s);
	spin_unlock_irqrestore(&s->lock, flags);
}

void cw_server_session_farewell(struct cw_server_session *s)
{
	int ret = cw_link_send_control(s->control, CW_MSG_FAREWELL, NULL, 0);

	cw_server_session_part(s, ret ? 0 : msecs_to_jiffies(CW_FAREWELL_MS));
}

/*
 * A receive that finds a malformed message can only kill its link: it is counted here, where it may
 * sleep, and reported when the session is finished.
 */
static void cw_session_count_malformed(struct cw_server_session *s)
{
	const struct cw_link *link = s->control->error == -EPROTO ? s->control : NULL;
	const char *kind = link ? "control" : "data";
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(s->links) && !link; i++)
		if (s->links[i] && s->links[i]->error == -EPROTO)
			link = s->links[i];
	if (!link)
		return;
	scnprintf(s->broken, sizeof(s->broken), "%s, on its %s link %u", link->reason, kind,
		  link->index);
	mutex_lock(&cw_server_lock);
	malformed++;
	mutex_unlock(&cw_server_lock);
}

/*
 * Notifies the admission, which from then on uses the control link only of a session that lingers.
 */
static void cw_session_leave(struct cw_server_session *s, bool goodbye)
{
	s->lingers = s->entered && goodbye && cw_admission_goodbye(s);
	if (s->entered && !s->lingers)
		cw_admission_ending(s);
}

void cw_session_end_work(struct work_struct *work)
{
	struct cw_server_session *s =
		container_of(to_delayed_work(work), struct cw_server_session, end);
	unsigned int noio = memalloc_noio_save();
	bool goodbye = READ_ONCE(s->goodbye);
	unsigned int i;

	/*
	 * If GOODBYE comes later, the control link ends like all others. If it came before, that
	 * link has no message for the login work any more (wire/order.c).
	 */
	if (!goodbye)
		cw_link_kill(s->control, -ESHUTDOWN, "%s", s->reason);
	/* No link is added any more: the state forbids it. */
	for (i = 0; i < ARRAY_SIZE(s->links); i++)
		if (s->links[i])
			cw_link_kill(s->links[i], -ESHUTDOWN, "%s", s->reason);
	/*
	 * Only the control link queues the login work. The link is drained, or carries only probes
	 * after GOODBYE. A login work that runs now sees the state.
	 */
	if (!goodbye)
		cw_link_drain(s->control);
	cancel_work_sync(&s->login);
	cancel_delayed_work_sync(&s->fences); /* only the login work begins it */
	cw_session_leave(s, goodbye);
	/* Behind the admission's last word: a refusal arms the watch. */
	cancel_delayed_work_sync(&s->watch);
	if (!s->lingers) {
		cw_link_kill(s->control, -ESHUTDOWN, "%s", s->reason);
		cw_link_drain(s->control);
		cw_server_session_part(s, 0);
	}
	for (i = 0; i < ARRAY_SIZE(s->links); i++)
		if (s->links[i])
			cw_link_drain(s->links[i]);
	cw_session_count_malformed(s);
	/* The finish work may be queued, and done, before this returns. */
	percpu_ref_kill(&s->commands);
	cw_server_session_put(s); /* this work's */
	memalloc_noio_restore(noio);
}

/*
 * The second drain ends what a command gave to its link while the first one was at work. So no
 * transfer is left when the target has forgotten the links.
 */
static void cw_session_release_data_links(struct cw_server_session *s)
{
	unsigned int i;

	mutex_lock(&s->stats_lock);
	s->forgotten = true;
	mutex_unlock(&s->stats_lock);
	for (i = 0; i < ARRAY_SIZE(s->links); i++) {
		if (!s->links[i])
			continue;
		cw_link_release(s->links[i]);
		s->ops->link_exit(s->links[i]);
	}
	cw_reserve_empty(&s->reserve); /* a login that waits may need this memory */
}

static void cw_session_free_data_links(struct cw_server_session *s)
{
	struct cw_link *link;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(s->links); i++) {
		link = s->links[i];
		if (!link)
			continue;
		mutex_lock(&s->stats_lock);
		cw_stats_add(&s->past, &link->stats);
		s->links[i] = NULL;
		mutex_unlock(&s->stats_lock);
		cw_link_free(link);
	}
}

/* No notice is sent any more: the session is in no list of an export. */
static void cw_session_free_control(struct cw_server_session *s)
{
	struct cw_link *link;

	mutex_lock(&s->stats_lock);
	link = s->control;
	s->control = NULL;
	mutex_unlock(&s->stats_lock);
	cw_link_free(link);
}

/* No command is left, and the target has forgotten the data links. */
static void cw_session_unlist(struct cw_server_session *s)
{
	mutex_lock(&cw_server_lock);
	hash_del(&s->numbered);
	if (s->core) {
		list_del(&s->beside);
		atomic_dec(&s->core->count);
	}
	s->last_path = s->up && cw_server_paths_finished(s);
	mutex_unlock(&cw_server_lock);
	wake_up_all(&cw_server_finished);
}

static void cw_session_tell_end(struct cw_server_session *s)
{
	if (s->broken[0]) {
		pr_warn_ratelimited("causeway: %pISc: %s\n", &s->peer, s->broken);
		cw_event(CW_EVENT_MALFORMED, CW_ROLE_SERVER, NULL,
			 s->hello.export_name[0] ? s->hello.export_name : NULL, "%pISc: %s",
			 &s->peer, s->broken);
	}
	if (s->last_path) {
		pr_info("causeway: %s of %pISc left: %s\n", s->ops->export_name(s->export),
			&s->peer, s->reason);
		cw_event(CW_EVENT_LOGOUT, CW_ROLE_SERVER, NULL, s->ops->export_name(s->export),
			 "%s at %pISc: %s", s->hello.host_name, &s->peer, s->reason);
	} else if (s->up) {
		pr_info_ratelimited("causeway: path %u of %s at %pISc ended: %s\n", s->member.path,
				    s->ops->export_name(s->export), &s->peer, s->reason);
	}
}

void cw_session_finish_work(struct work_struct *work)
{
	struct cw_server_session *s =
		container_of(to_delayed_work(work), struct cw_server_session, finish);
	unsigned int noio = memalloc_noio_save();

	cw_session_release_data_links(s);
	cw_session_unlist(s);
	if (s->lingers)
		cw_admission_idle(s);
	else if (s->entered)
		cw_admission_ended(s);
	/*
	 * Nothing uses the links any more, so fences and logins do not wait until they are freed.
	 * The driver may need seconds for that: rxe waits until the network has taken the last
	 * packet of the queue pair.
	 */
	cw_session_free_data_links(s);
	cw_session_has_finished(s);
	memalloc_noio_restore(noio);
}

/* From here on nothing queues the last work. */
static void cw_session_is_gone(struct cw_server_session *s)
{
	unsigned long flags;

	spin_lock_irqsave(&s->lock, flags);
	s->parts |= CW_PART_GONE;
	spin_unlock_irqrestore(&s->lock, flags);
	cancel_delayed_work(&s->last); /* it may just have been hastened */
}

void cw_session_last_work(struct work_struct *work)
{
	struct cw_server_session *s =
		container_of(to_delayed_work(work), struct cw_server_session, last);
	unsigned int noio = memalloc_noio_save();

	cw_session_is_gone(s);
	if (s->lingers)
		cw_admission_ending(s); /* it sends nothing any more */
	cw_link_drain(s->control); /* no callback comes behind it */
	if (s->lingers)
		cw_admission_ended(s);
	if (s->lingers && !s->broken[0])
		cw_session_count_malformed(s);
	cw_session_free_control(s);
	mutex_lock(&cw_server_lock); /* logins count the sessions of each source */
	cw_source_leave(&s->place);
	mutex_unlock(&cw_server_lock);
	cw_inbox_empty(&s->inbox);
	cw_session_tell_end(s);
	if (s->export)
		s->ops->export_put(s->export);
	mutex_lock(&cw_server_lock);
	list_del(&s->entry);
	mutex_unlock(&cw_server_lock);
	/* From here on the target may be unloaded. */
	if (atomic_dec_and_test(&cw_session_total))
		wake_up_all(&cw_server_finished);
	cw_server_session_put(s); /* the list's */
	memalloc_noio_restore(noio);
}
