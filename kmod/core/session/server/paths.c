// SPDX-License-Identifier: GPL-2.0-only
/*
 * The object that the paths of a login share. Each of them holds a reference until it is freed. The
 * last reference erases the secret.
 */
#include <linux/slab.h>

#include "session.h"

static u64 cw_paths_round; /* under cw_server_lock */

static void cw_paths_free(struct kref *users)
{
	kfree_sensitive(container_of(users, struct cw_server_paths, users));
}

struct cw_server_paths *cw_server_paths_make(const u8 secret[CW_WIRE_MAC])
{
	struct cw_server_paths *paths = kzalloc(sizeof(*paths), GFP_KERNEL);

	if (!paths)
		return NULL;
	kref_init(&paths->users);
	memcpy(paths->secret, secret, sizeof(paths->secret));
	return paths;
}

void cw_server_paths_put(struct cw_server_paths *paths)
{
	if (paths)
		kref_put(&paths->users, cw_paths_free);
}

u64 cw_server_paths_begin_round(void)
{
	lockdep_assert_held(&cw_server_lock);
	return ++cw_paths_round;
}

bool cw_server_paths_is_first(struct cw_server_session *s, u64 round)
{
	struct cw_server_paths *paths = smp_load_acquire(&s->paths); /* a login may set it now */

	lockdep_assert_held(&cw_server_lock);
	if (!paths)
		return true;
	if (paths->round == round)
		return false;
	paths->round = round;
	return true;
}
