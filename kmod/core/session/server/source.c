// SPDX-License-Identifier: GPL-2.0-only
/*
 * Addresses that connections come from.
 *
 * The entry of an address exists while the address has a connection. If the address had a session,
 * the entry stays for a day after the last session. At most CW_SOURCE_REMEMBERED entries stay
 * without a connection; the oldest is freed first. The hash has a random seed: a peer cannot choose
 * addresses that share a bucket.
 */
#include <linux/in.h>
#include <linux/in6.h>
#include <linux/list.h>
#include <linux/module.h>
#include <linux/random.h>
#include <linux/siphash.h>
#include <linux/slab.h>
#include <linux/spinlock.h>

#include "source.h"

#define CW_SOURCE_BITS 8
#define CW_SOURCE_REMEMBERED 1024
#define CW_SOURCE_MEMORY (24UL * 60 * 60 * HZ)

static unsigned int max_strangers = 64;
module_param(max_strangers, uint, 0644);
MODULE_PARM_DESC(max_strangers,
		 "connections that have not logged in, of all hosts without a session in the last day; known hosts have as many");
static unsigned int max_strangers_host = 16;
module_param(max_strangers_host, uint, 0644);
MODULE_PARM_DESC(max_strangers_host, "connections that have not logged in, of one address");

struct cw_source {
	struct hlist_node entry;
	struct list_head idle; /* remembered only: oldest first */
	sa_family_t family;
	u8 address[16];
	u32 users; /* connections */
	u32 waiting; /* connections that have not logged in */
	u32 live; /* connections with a session that is live or ends */
	bool known; /* the address had a session */
	unsigned long seen; /* jiffies; end of the last session */
};

/* Guards all entries, and the variables below up to cw_source_waiting. */
static DEFINE_SPINLOCK(cw_source_lock);
static struct hlist_head cw_sources[1 << CW_SOURCE_BITS];
static LIST_HEAD(cw_source_idle);
static u32 cw_source_idles;
/* connections that have not logged in: [0] of unknown addresses, [1] of known ones (source.h) */
static u32 cw_source_waiting[2];
static siphash_key_t cw_source_seed;

static void cw_source_address(const struct sockaddr_storage *peer, u8 address[16])
{
	memset(address, 0, 16);
	if (peer->ss_family == AF_INET6)
		memcpy(address, &((const struct sockaddr_in6 *)peer)->sin6_addr, 16);
	else
		memcpy(address, &((const struct sockaddr_in *)peer)->sin_addr, 4);
}

static struct hlist_head *cw_source_bucket(const u8 address[16])
{
	return &cw_sources[siphash(address, 16, &cw_source_seed) >> (64 - CW_SOURCE_BITS)];
}

static struct cw_source *cw_source_find(sa_family_t family, const u8 address[16])
{
	struct cw_source *source;

	lockdep_assert_held(&cw_source_lock);
	hlist_for_each_entry(source, cw_source_bucket(address), entry)
		if (source->family == family && !memcmp(source->address, address, 16))
			return source;
	return NULL;
}

static bool cw_source_is_known(const struct cw_source *source)
{
	return source->live ||
	       (source->known && time_before(jiffies, source->seen + CW_SOURCE_MEMORY));
}

static void cw_source_free(struct cw_source *source)
{
	lockdep_assert_held(&cw_source_lock);
	hlist_del(&source->entry);
	kfree(source);
}

static void cw_source_forget_oldest(void)
{
	struct cw_source *source = list_first_entry(&cw_source_idle, struct cw_source, idle);

	list_del(&source->idle);
	cw_source_idles--;
	cw_source_free(source);
}

/* Puts a use of @source, and frees the entry or keeps it for a day if this was the last use. */
static void cw_source_put(struct cw_source *source)
{
	lockdep_assert_held(&cw_source_lock);
	if (--source->users)
		return;
	if (!cw_source_is_known(source)) {
		cw_source_free(source);
		return;
	}
	list_add_tail(&source->idle, &cw_source_idle);
	if (++cw_source_idles > CW_SOURCE_REMEMBERED)
		cw_source_forget_oldest();
}

/*
 * Finds the entry of an address, and takes a use of it for the caller to put. If there is none,
 * makes *@made the entry and sets *@made to NULL.
 */
static struct cw_source *cw_source_get(sa_family_t family, const u8 address[16],
				       struct cw_source **made)
{
	struct cw_source *source = cw_source_find(family, address);

	if (!source) {
		source = *made;
		*made = NULL;
		source->family = family;
		memcpy(source->address, address, 16);
		hlist_add_head(&source->entry, cw_source_bucket(address));
	} else if (!source->users) {
		list_del(&source->idle);
		cw_source_idles--;
	}
	source->users++;
	return source;
}

bool cw_source_enter(struct cw_place *place, const struct sockaddr_storage *peer)
{
	struct cw_source *source, *made;
	u8 address[16];
	bool room;

	*place = (struct cw_place) {};
	made = kzalloc(sizeof(*made), GFP_KERNEL);
	if (!made)
		return false;
	cw_source_address(peer, address);
	spin_lock(&cw_source_lock);
	source = cw_source_get(peer->ss_family, address, &made);
	place->known = cw_source_is_known(source);
	room = source->waiting < READ_ONCE(max_strangers_host) &&
	       cw_source_waiting[place->known] < READ_ONCE(max_strangers);
	if (room) {
		source->waiting++;
		cw_source_waiting[place->known]++;
		place->waits = true;
		place->source = source;
	} else {
		cw_source_put(source);
	}
	spin_unlock(&cw_source_lock);
	kfree(made);
	return room;
}

bool cw_source_knows(const struct sockaddr_storage *peer)
{
	struct cw_source *source;
	u8 address[16];
	bool known;

	cw_source_address(peer, address);
	spin_lock(&cw_source_lock);
	source = cw_source_find(peer->ss_family, address);
	known = source && cw_source_is_known(source);
	spin_unlock(&cw_source_lock);
	return known;
}

static void cw_source_give_place(struct cw_place *place)
{
	lockdep_assert_held(&cw_source_lock);
	if (!place->waits)
		return;
	place->waits = false;
	place->source->waiting--;
	cw_source_waiting[place->known]--;
}

void cw_source_admitted(struct cw_place *place)
{
	spin_lock(&cw_source_lock);
	cw_source_give_place(place);
	spin_unlock(&cw_source_lock);
}

void cw_source_live(struct cw_place *place)
{
	spin_lock(&cw_source_lock);
	place->live = true;
	place->source->live++;
	place->source->known = true;
	spin_unlock(&cw_source_lock);
}

void cw_source_leave(struct cw_place *place)
{
	spin_lock(&cw_source_lock);
	if (place->source) {
		cw_source_give_place(place);
		if (place->live) {
			place->source->live--;
			place->source->seen = jiffies;
		}
		cw_source_put(place->source);
	}
	*place = (struct cw_place) {};
	spin_unlock(&cw_source_lock);
}

void cw_source_init(void)
{
	get_random_bytes(&cw_source_seed, sizeof(cw_source_seed));
}

void cw_source_exit(void)
{
	spin_lock(&cw_source_lock);
	while (!list_empty(&cw_source_idle))
		cw_source_forget_oldest();
	spin_unlock(&cw_source_lock);
}
