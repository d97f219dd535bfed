/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The paths of a session. Their number may grow at any time, and a path may be removed.
 *
 * session->paths is filled from its start. A path that was added stays there until the session is
 * freed: a removed one is in the state REMOVED, and the next path that is added uses it again. The
 * number of paths is published after the pointer, so a thread without session->lock that gets the
 * number from cw_session_nr_paths() may use the pointers below it.
 *
 * A path that is being removed has leaving set. The disk gives it no commands, and it begins no
 * attempt. It stays LIVE while its commands are answered, so it carries fences. If the other paths
 * are lost meanwhile, leaving is cleared, and the disk uses the path again.
 */
#ifndef CW_CLIENT_PATH_LIST_H
#define CW_CLIENT_PATH_LIST_H

#ifdef __KERNEL__
#include "path.h"
#endif

/**
 * cw_session_nr_paths() - returns the number of entries in session->paths
 * @s: the session
 *
 * Context: Any context. Needs no lock.
 * Return: The number, with the paths that were removed.
 */
static inline unsigned int cw_session_nr_paths(const struct cw_session *s)
{
	return smp_load_acquire(&s->nr_paths); /* pairs with cw_session_publish_path() */
}

/**
 * cw_session_publish_path() - makes a new path the last one of session->paths
 * @s: the session
 * @p: the path, whose number is that of the paths
 *
 * Context: Process context. s->lock is held, or no other thread knows the session.
 */
static inline void cw_session_publish_path(struct cw_session *s, struct cw_path *p)
{
	s->paths[p->number] = p;
	smp_store_release(&s->nr_paths, p->number + 1); /* pairs with cw_session_nr_paths() */
}

/**
 * cw_path_is_removed() - checks whether a path was removed
 * @p: the path
 *
 * Context: Any context. Without session->lock, the answer may be outdated.
 * Return: True if no user shall see the path.
 */
static inline bool cw_path_is_removed(const struct cw_path *p)
{
	return READ_ONCE(p->state) == CW_PATH_REMOVED;
}

/**
 * cw_path_stays() - checks that a path neither was removed nor is being removed
 * @p: the path
 *
 * Context: Any context. Without session->lock, the answer may be outdated.
 * Return: True if so.
 */
static inline bool cw_path_stays(const struct cw_path *p)
{
	return !cw_path_is_removed(p) && !READ_ONCE(p->leaving);
}

/**
 * cw_path_seems_alive() - checks that a path is live, and that its end has not begun
 * @p: the path
 *
 * Context: Process context. session->lock is held.
 * Return: True if so. A path may be dead all the same: a silent server is noticed by its probes.
 */
static inline bool cw_path_seems_alive(const struct cw_path *p)
{
	lockdep_assert_held(&p->session->lock);
	return p->state == CW_PATH_LIVE && !cw_link_is_dead(p->control) &&
	       !test_bit(CW_PATH_LOST, &p->flags);
}

/**
 * cw_session_has_other_path() - checks whether a path is not the only one of its session
 * @p: the path
 * @live: ask for another path that is live
 *
 * Context: Any context. Without session->lock, the answer may be outdated.
 * Return: True if there is another path that stays.
 */
static inline bool cw_session_has_other_path(const struct cw_path *p, bool live)
{
	const struct cw_session *s = p->session;
	unsigned int i, nr = cw_session_nr_paths(s);

	for (i = 0; i < nr; i++)
		if (s->paths[i] != p && cw_path_stays(s->paths[i]) &&
		    (!live || READ_ONCE(s->paths[i]->state) == CW_PATH_LIVE))
			return true;
	return false;
}

/**
 * cw_session_has_live_path() - checks whether a session has a live path
 * @s: the session
 * @but: a path that does not count, or NULL
 *
 * A path that is being removed counts: until its end it carries fences, and it may go back to the
 * disk.
 *
 * Context: Any context. Without session->lock, the answer may be out of date.
 * Return: True if a path other than @but is live.
 */
static inline bool cw_session_has_live_path(const struct cw_session *s, const struct cw_path *but)
{
	unsigned int i, nr = cw_session_nr_paths(s);

	for (i = 0; i < nr; i++)
		if (s->paths[i] != but && READ_ONCE(s->paths[i]->state) == CW_PATH_LIVE)
			return true;
	return false;
}

/**
 * cw_session_count_paths() - counts the paths of a session
 * @s: the session
 *
 * Context: Any context. Without s->lock, the answer may be outdated.
 * Return: The number of paths that were not removed, at least 1.
 */
static inline unsigned int cw_session_count_paths(const struct cw_session *s)
{
	unsigned int i, count = 0, nr = cw_session_nr_paths(s);

	for (i = 0; i < nr; i++)
		count += !cw_path_is_removed(s->paths[i]);
	return max(count, 1U);
}

#endif
