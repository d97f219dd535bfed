// SPDX-License-Identifier: GPL-2.0-only
/*
 * Brings events to the state machine of an export's owners, in process context and one at a time.
 *
 * A session enters when its PROOF was right, and a further path when the MAC of its JOIN was right.
 * Each is a member of the machine until it uses no link and has no command. The machine then
 * releases the reference that it holds. An ALIVE arrives in the receive context and is kept in the
 * session until the work, or another event, takes the lock.
 */
#include <linux/ktime.h>
#include <linux/mm.h>
#include <linux/random.h>
#include <linux/sched/mm.h>
#include <linux/slab.h>

#include "../../netlink/netlink.h"
#include "admission.h"
#include "ledger_store.h"
#include "login.h"

#define HOUR_MS 3600000U

/* The writable exports: one for each identity. */
static DEFINE_MUTEX(cw_writable_lock);
static LIST_HEAD(cw_writable);

u64 cw_admission_clock(void)
{
	return ktime_to_ms(ktime_get()) + 1;
}

/* ---- one call of the machine ---- */

/* The cookies that came on the control link of @s, oldest first. */
static u8 cw_admission_take_cookies(struct cw_server_session *s, u64 cookies[CW_ANSWERS])
{
	unsigned long flags;
	u8 count;

	spin_lock_irqsave(&s->lock, flags);
	count = s->answers;
	memcpy(cookies, s->cookies, count * sizeof(*cookies));
	s->answers = 0;
	spin_unlock_irqrestore(&s->lock, flags);
	return count;
}

static void cw_admission_deliver(struct cw_admission *a)
{
	u64 cookies[CW_ANSWERS];
	struct cw_login *m;
	u8 i, count;

	lockdep_assert_held(&a->lock);
	if (!test_and_clear_bit(0, &a->answered))
		return;
	for (m = a->owners.members; m; m = m->next) {
		count = cw_admission_take_cookies(container_of(m, struct cw_server_session, member),
						  cookies);
		for (i = 0; i < count; i++)
			cw_owners_alive(&a->owners, m, cookies[i]);
	}
}

unsigned int cw_admission_begin(struct cw_admission *a)
{
	unsigned int noio;

	mutex_lock(&a->lock);
	noio = memalloc_noio_save();
	a->now = cw_admission_clock();
	a->owners.dead_ms = cw_login_dead_ms();
	cw_admission_deliver(a);
	return noio;
}

void cw_admission_end(struct cw_admission *a, unsigned int noio)
{
	u64 wake = cw_owners_step(&a->owners, a->now);
	unsigned long wait;

	if (wake != CW_OWNERS_NEVER && !a->over) {
		wait = wake > a->now ? min_t(u64, wake - a->now, HOUR_MS) : 0;
		mod_delayed_work(cw_server_wq, &a->work, wait ? msecs_to_jiffies(wait) + 1 : 0);
		/* An ALIVE may just have queued the work, which was put off here. */
		smp_mb(); /* the timer against the bit: see cw_admission_alive() */
		if (test_bit(0, &a->answered))
			mod_delayed_work(cw_server_wq, &a->work, 0);
	}
	if (a->owners.closed && cw_owners_is_quiet(&a->owners)) {
		WRITE_ONCE(a->done, true);
		wake_up_all(&a->quiet);
	}
	memalloc_noio_restore(noio);
	mutex_unlock(&a->lock);
}

static void cw_admission_work(struct work_struct *work)
{
	struct cw_admission *a = container_of(to_delayed_work(work), struct cw_admission, work);

	cw_admission_end(a, cw_admission_begin(a));
}

/* ---- events ---- */

static bool cw_admission_add(struct cw_server_session *s,
			     void (*add)(struct cw_owners *o, struct cw_login *m, u64 now))
{
	struct cw_admission *a = &s->core->admission;
	unsigned int noio = cw_admission_begin(a);
	bool entered;

	entered = cw_server_session_change(s, CW_SERVER_PROVED);
	if (entered) {
		kref_get(&s->users); /* the machine's */
		s->entered = true;
		add(&a->owners, &s->member, a->now);
	}
	cw_admission_end(a, noio);
	return entered;
}

bool cw_admission_enter(struct cw_server_session *s)
{
	return cw_admission_add(s, cw_owners_enter);
}

bool cw_admission_join(struct cw_server_session *s)
{
	return cw_admission_add(s, cw_owners_join);
}

int cw_admission_fence(struct cw_server_session *s, u8 path, u64 epoch, u64 tag)
{
	struct cw_admission *a = &s->core->admission;
	unsigned int noio = cw_admission_begin(a);
	int ret = cw_owners_fence(&a->owners, &s->member, path, epoch, tag, a->now);

	cw_admission_end(a, noio);
	return ret;
}

int cw_admission_path_bye(struct cw_server_session *s, u8 path, u64 epoch)
{
	struct cw_admission *a = &s->core->admission;
	unsigned int noio = cw_admission_begin(a);
	int ret = cw_owners_path_bye(&a->owners, &s->member, path, epoch, a->now);

	cw_admission_end(a, noio);
	return ret;
}

bool cw_admission_confirm(struct cw_server_session *s)
{
	struct cw_admission *a = &s->core->admission;
	bool live;

	mutex_lock(&a->lock);
	live = cw_owners_confirm(&a->owners, &s->member, cw_admission_clock());
	/* The caller is the connection manager's worker: the rest is not for it. */
	if (live && !a->over)
		mod_delayed_work(cw_server_wq, &a->work, 0);
	mutex_unlock(&a->lock);
	return live;
}

bool cw_admission_goodbye(struct cw_server_session *s)
{
	struct cw_admission *a = &s->core->admission;
	unsigned int noio = cw_admission_begin(a);
	bool leaves;

	cw_owners_goodbye(&a->owners, &s->member, a->now);
	leaves = s->member.state == CW_LOGIN_LEAVING;
	if (!leaves)
		cw_owners_ending(&a->owners, &s->member, a->now);
	cw_admission_end(a, noio);
	return leaves;
}

void cw_admission_ending(struct cw_server_session *s)
{
	struct cw_admission *a = &s->core->admission;
	unsigned int noio = cw_admission_begin(a);

	cw_owners_ending(&a->owners, &s->member, a->now);
	cw_admission_end(a, noio);
}

void cw_admission_idle(struct cw_server_session *s)
{
	struct cw_admission *a = &s->core->admission;
	unsigned int noio = cw_admission_begin(a);

	cw_owners_idle(&a->owners, &s->member, a->now);
	cw_admission_end(a, noio);
}

void cw_admission_ended(struct cw_server_session *s)
{
	struct cw_admission *a = &s->core->admission;
	unsigned int noio = cw_admission_begin(a);

	cw_owners_ended(&a->owners, &s->member, a->now);
	cw_admission_end(a, noio);
}

void cw_admission_alive(struct cw_server_session *s, u64 cookie)
{
	struct cw_admission *a;
	unsigned long flags;

	/* Only the machine sends PROBEs, and with a cookie. */
	if (!cookie)
		return;
	/* The machine has sent no PROBE before. */
	if (READ_ONCE(s->state) == CW_SERVER_LOGIN || !s->core)
		return;
	a = &s->core->admission;
	/* Before the cookie is there, too: an event that finds the cookie must not overlook it. */
	set_bit(0, &a->answered);
	spin_lock_irqsave(&s->lock, flags);
	/* A client owes two answers at most. One that sends more loses its oldest ones. */
	if (s->answers == CW_ANSWERS)
		memmove(s->cookies, s->cookies + 1, --s->answers * sizeof(*s->cookies));
	s->cookies[s->answers++] = cookie;
	spin_unlock_irqrestore(&s->lock, flags);
	set_bit(0, &a->answered);
	smp_mb__after_atomic(); /* the bit against the timer: see cw_admission_end() */
	if (!READ_ONCE(a->over))
		mod_delayed_work(cw_server_wq, &a->work, 0);
}

/* ---- the ledger ---- */

static void cw_admission_written(void *arg, int error)
{
	struct cw_admission *a = arg;
	unsigned int noio = cw_admission_begin(a);

	a->ledger_error = error;
	cw_owners_written(&a->owners, error, a->now);
	cw_admission_end(a, noio);
}

static int cw_ledger_make_room(struct cw_ledger *ledger, u32 hosts)
{
	ledger->hosts = kvcalloc(hosts, sizeof(*ledger->hosts), GFP_KERNEL);
	ledger->room = ledger->hosts ? hosts : 0;
	return ledger->hosts ? 0 : -ENOMEM;
}

/* Makes a new ledger in memory, which ends with the export. */
static void cw_ledger_begin(struct cw_ledger *ledger, const u8 *identity)
{
	get_random_bytes(ledger->uuid, sizeof(ledger->uuid));
	get_random_bytes(ledger->secret, sizeof(ledger->secret));
	memcpy(ledger->identity, identity, sizeof(ledger->identity));
	ledger->generation = 1;
}

static int cw_admission_open_ledger(struct cw_admission *a,
				    const struct cw_server_export_config *config,
				    struct netlink_ext_ack *extack)
{
	const struct cw_ledger_place place = {
		.folder = config->ledger_folder,
		.uuid = config->ledger,
		.identity = config->identity,
		.export_name = config->name,
	};
	struct cw_ledger_store *store;
	int ret;

	ret = cw_ledger_make_room(&a->owners.ledger, CW_LEDGER_HOSTS_MAX) ?:
	      cw_ledger_make_room(&a->owners.next, CW_LEDGER_HOSTS_MAX);
	if (ret)
		return ret;
	if (!config->ledger) {
		cw_ledger_begin(&a->owners.ledger, config->identity);
		return 0;
	}
	store = cw_ledger_store_open(&place, &a->owners.ledger, &a->owners.next,
				     cw_admission_written, a, extack);
	if (IS_ERR(store))
		return PTR_ERR(store);
	a->store = store;
	a->on_storage = true;
	return 0;
}

int cw_admission_receipt(const struct cw_admission *a, const struct cw_login *m, u64 *generation,
			 u8 receipt[CW_WIRE_RECEIPT])
{
	lockdep_assert_held(&a->lock);
	if (a->owners.read_only) {
		*generation = 0;
		memset(receipt, 0, CW_WIRE_RECEIPT);
		return 0;
	}
	*generation = a->owners.ledger.generation;
	return cw_auth_receipt(a->secret, a->ledger, *generation, m->owner.host, m->owner.session,
			       receipt);
}

bool cw_admission_knows_receipt(const struct cw_admission *a, const struct cw_login *m,
				const u8 receipt[CW_WIRE_RECEIPT])
{
	u8 right[CW_WIRE_RECEIPT];

	return !a->owners.read_only &&
	       !cw_auth_receipt(a->secret, a->ledger, m->generation, m->owner.host,
				m->owner.session, right) &&
	       cw_auth_equal(right, receipt, sizeof(right));
}

/* ---- life ---- */

static int cw_admission_refuse_claim(const struct cw_admission *other, const struct cw_admission *a,
				     struct netlink_ext_ack *extack)
{
	if (READ_ONCE(other->stopped)) {
		cw_refuse(extack,
			  "the disk %pUb is still exported as \"%s\", which is being removed; it can be exported again when `causeway export list` does not show that export any more",
			  a->identity, other->name);
		return -EAGAIN;
	}
	if (a->owners.read_only)
		return 0;
	cw_refuse(extack,
		  "the disk %pUb is exported for writing as \"%s\" already; a second export of it has to be --read-only, or that one has to be removed first",
		  a->identity, other->name);
	return -EBUSY;
}

/*
 * One export at a time writes to a disk, so that one ledger knows all who write. No export of a
 * disk begins while an earlier one may have commands at the disk.
 */
static int cw_admission_claim(struct cw_admission *a, struct netlink_ext_ack *extack)
{
	struct cw_admission *other;
	int ret = 0;

	mutex_lock(&cw_writable_lock);
	list_for_each_entry(other, &cw_writable, entry) {
		if (!ret && !memcmp(other->identity, a->identity, CW_WIRE_UUID))
			ret = cw_admission_refuse_claim(other, a, extack);
	}
	if (!ret && !a->owners.read_only)
		list_add_tail(&a->entry, &cw_writable);
	mutex_unlock(&cw_writable_lock);
	return ret;
}

static void cw_admission_unclaim(struct cw_admission *a)
{
	mutex_lock(&cw_writable_lock);
	list_del_init(&a->entry);
	mutex_unlock(&cw_writable_lock);
}

int cw_admission_init(struct cw_admission *a, const struct cw_server_export_config *config,
		      struct netlink_ext_ack *extack)
{
	struct cw_owners *o = &a->owners;
	int ret;

	mutex_init(&a->lock);
	INIT_LIST_HEAD(&a->entry);
	INIT_LIST_HEAD(&a->evictions);
	INIT_DELAYED_WORK(&a->work, cw_admission_work);
	init_waitqueue_head(&a->quiet);
	memcpy(a->identity, config->identity, sizeof(a->identity));
	strscpy(a->name, config->name, sizeof(a->name));
	o->ops = &cw_admission_ops;
	o->exclusive = config->exclusive;
	o->read_only = config->read_only;
	o->takeover_after = config->takeover_after;
	ret = cw_admission_claim(a, extack);
	if (ret)
		return ret;
	if (!config->read_only) {
		ret = cw_admission_open_ledger(a, config, extack);
		if (ret)
			return ret;
		memcpy(a->ledger, o->ledger.uuid, sizeof(a->ledger));
		memcpy(a->secret, o->ledger.secret, sizeof(a->secret));
	}
	if (!cw_owners_start(o, cw_admission_clock())) {
		cw_refuse(extack,
			  "export \"%s\" cannot be exclusive: several hosts own it; detach it there, or export it without --exclusive",
			  config->name);
		return -EBUSY;
	}
	return 0;
}

void cw_admission_stop(struct cw_admission *a)
{
	unsigned int noio = cw_admission_begin(a);

	WRITE_ONCE(a->stopped, true);
	cw_owners_close(&a->owners, a->now);
	cw_admission_end(a, noio);
}

/* Stops the work, and closes the ledger. Administrators may still look: @a has no store then. */
static void cw_admission_let_go(struct cw_admission *a)
{
	struct cw_ledger_store *store;

	mutex_lock(&a->lock);
	WRITE_ONCE(a->over, true);
	store = a->store;
	a->store = NULL;
	mutex_unlock(&a->lock);
	cancel_delayed_work_sync(&a->work);
	cw_ledger_store_close(store);
	cw_admission_unclaim(a);
}

/* A closed machine that is quiet has no member and no write, and no session can enter it. */
void cw_admission_close(struct cw_admission *a)
{
	wait_event(a->quiet, READ_ONCE(a->done));
	cw_admission_let_go(a);
}

void cw_admission_exit(struct cw_admission *a)
{
	cw_admission_let_go(a);
	kvfree(a->owners.ledger.hosts);
	kvfree(a->owners.next.hosts);
	memzero_explicit(a->secret, sizeof(a->secret));
	memzero_explicit(&a->owners.ledger, sizeof(a->owners.ledger));
	memzero_explicit(&a->owners.next, sizeof(a->owners.next));
	mutex_destroy(&a->lock);
}
