// SPDX-License-Identifier: GPL-2.0-only
/*
 * The object that the paths of a login share. Each of them holds a reference until it is freed. The
 * last reference erases the secret.
 */
#include <linux/hashtable.h>
#include <linux/jhash.h>
#include <linux/slab.h>

#include "session.h"

#define CW_PATHS_BITS 8
/* A client may have two FENCEs unanswered for each other path: section 7, rule 9. */
#define CW_LETTERS_PATHS 16

/* Under cw_server_lock: logins that went live, by the UUID of the session, and the last round. */
static DEFINE_HASHTABLE(cw_paths_by_session, CW_PATHS_BITS);
static u64 cw_paths_round;

static void cw_paths_free(struct kref *users)
{
	kfree_sensitive(container_of(users, struct cw_server_paths, users));
}

struct cw_server_paths *cw_server_paths_make(const struct cw_server_session *s)
{
	struct cw_server_paths *paths = kzalloc(sizeof(*paths), GFP_KERNEL);

	if (!paths)
		return NULL;
	kref_init(&paths->users);
	memcpy(paths->secret, s->auth.secret, sizeof(paths->secret));
	memcpy(paths->instance, s->wire_challenge.instance, sizeof(paths->instance));
	paths->features = s->features;
	paths->core = s->core;
	paths->hello = s->hello;
	return paths;
}

void cw_server_paths_put(struct cw_server_paths *paths)
{
	if (paths)
		kref_put(&paths->users, cw_paths_free);
}

/* ---- by the session ---- */

static u32 cw_paths_key(const u8 session[CW_WIRE_UUID])
{
	return jhash(session, CW_WIRE_UUID, 0);
}

void cw_server_paths_live(struct cw_server_session *s)
{
	struct cw_server_paths *paths = s->paths;

	lockdep_assert_held(&cw_server_lock);
	if (!paths->count++)
		hash_add(cw_paths_by_session, &paths->by_session,
			 cw_paths_key(paths->hello.session));
	if (paths->features & CW_FEATURE_PATHS)
		cw_inbox_limit(&s->inbox, CW_LETTERS_PATHS);
}

bool cw_server_paths_finished(struct cw_server_session *s)
{
	lockdep_assert_held(&cw_server_lock);
	if (--s->paths->count)
		return false;
	hash_del(&s->paths->by_session);
	return true;
}

static bool cw_paths_are_named(const struct cw_server_paths *paths, const struct cw_join *join)
{
	return paths->features & CW_FEATURE_PATHS &&
	       !memcmp(paths->hello.session, join->session, CW_WIRE_UUID) &&
	       !memcmp(paths->hello.host, join->host, CW_WIRE_UUID) &&
	       !memcmp(paths->hello.boot, join->boot, CW_WIRE_UUID);
}

static bool cw_paths_are_proved(const struct cw_server_paths *paths,
				const struct cw_server_session *s, const struct cw_join *join,
				const struct cw_wire_join *wire)
{
	u8 mac[CW_WIRE_MAC];
	bool proved;

	proved = !cw_auth_join(paths->secret, &s->wire_req, &s->wire_rep, wire, mac) &&
		 cw_auth_equal(mac, join->mac, sizeof(mac));
	memzero_explicit(mac, sizeof(mac));
	return proved;
}

/*
 * A stranger may have logged in to another export with the identities of this session, which are
 * sent in the clear. So all logins that fit are tried: the limit of sessions bounds their number.
 */
struct cw_server_paths *cw_server_paths_of_join(const struct cw_server_session *s,
						const struct cw_join *join,
						const struct cw_wire_join *wire)
{
	struct cw_server_paths *paths, *found = NULL;
	u32 key = cw_paths_key(join->session);

	mutex_lock(&cw_server_lock);
	hash_for_each_possible(cw_paths_by_session, paths, by_session, key) {
		if (cw_paths_are_named(paths, join) && cw_paths_are_proved(paths, s, join, wire)) {
			kref_get(&paths->users);
			found = paths;
			break;
		}
	}
	mutex_unlock(&cw_server_lock);
	return found;
}

/* ---- rounds ---- */

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
