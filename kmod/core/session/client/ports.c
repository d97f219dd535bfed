// SPDX-License-Identifier: GPL-2.0-only
/*
 * A port of this host that goes down takes its paths with it, and a port that comes up may bring
 * them back.
 *
 * The RDMA core notifies of the ports of RDMA devices. For paths over TCP, the network stack
 * notifies of interfaces and addresses.
 *
 * A lost port ends a path at once if another path is live that does not use the port: the
 * connection would repeat its packets for seconds. The only path stays, because a cable may be back
 * before the connection gives up. Paths by RDMA and over TCP use the same port if their addresses
 * of this host are the same.
 *
 * If a port comes up, or has other addresses, all paths that are down try at once, and a path of
 * that port is the next to log in. An attempt that waits for the answer to a packet which may be
 * lost begins anew. Interfaces that have nothing to do with a disk change often, where containers
 * start and end: an interface concerns only a session with a path that was live over it.
 *
 * The notifiers only queue a work: the RDMA core and the network stack hold locks, without which no
 * path comes back, and the locks of sessions may be held by a thread that waits for memory. The
 * work handles what was reported in its order.
 */
#include <linux/inetdevice.h>
#include <linux/netdevice.h>
#include <linux/slab.h>
#include <net/addrconf.h>
#include <net/if_inet6.h>
#include <net/route.h>

#include "../../address/same_ip.h"
#include "../../verbs/device.h"
#include "path_list.h"
#include "ports.h"

struct cw_port_news {
	struct list_head entry;
	u8 transport; /* of the paths that are concerned */
	char device[64]; /* an RDMA device, or for TCP a network interface */
	u32 port; /* 0: all */
	struct sockaddr_storage address; /* of this host; ss_family 0: all */
	bool lost, up;
};

/* Returns true if the newest connection of the path was over this port. session->lock is held. */
static bool cw_path_was_on(const struct cw_path *p, const struct cw_port_news *news)
{
	return p->factory->transport == news->transport && !strcmp(p->device, news->device) &&
	       (!news->port || news->port == p->device_port) &&
	       (!news->address.ss_family || cw_same_ip(&news->address, &p->local_address));
}

/* session->lock is held. */
static bool cw_path_uses(const struct cw_path *p, const struct cw_port_news *news)
{
	return p->state == CW_PATH_LIVE && cw_path_was_on(p, news);
}

/* Returns true if a path uses the port with the same address as @p. */
static bool cw_path_is_beside(const struct cw_path *p, const struct cw_port_news *news)
{
	const struct cw_session *s = p->session;
	unsigned int i;

	for (i = 0; i < s->nr_paths; i++)
		if (cw_path_uses(s->paths[i], news) &&
		    cw_same_ip(&s->paths[i]->local_address, &p->local_address))
			return true;
	return false;
}

/* A path that is being removed counts: the disk uses it again if the others are lost. */
static bool cw_session_has_other(const struct cw_session *s, const struct cw_port_news *news)
{
	unsigned int i;

	for (i = 0; i < s->nr_paths; i++)
		if (cw_path_seems_alive(s->paths[i]) && !cw_path_uses(s->paths[i], news) &&
		    !cw_path_is_beside(s->paths[i], news))
			return true;
	return false;
}

static void cw_path_lose_port(struct cw_path *p, const struct cw_port_news *news)
{
	if (news->transport == CW_TRANSPORT_RDMA)
		cw_link_kill(p->control, -ENETDOWN, "port %u of %s went down", p->device_port,
			     p->device);
	else if (news->address.ss_family)
		cw_link_kill(p->control, -ENETDOWN, "the network interface %s lost the address",
			     p->device);
	else
		cw_link_kill(p->control, -ENETDOWN, "the network interface %s went down",
			     p->device);
}

static void cw_session_port_lost(struct cw_session *s, const struct cw_port_news *news)
{
	unsigned int i;

	if (!cw_session_has_other(s, news))
		return;
	for (i = 0; i < s->nr_paths; i++)
		if (cw_path_uses(s->paths[i], news))
			cw_path_lose_port(s->paths[i], news);
}

static bool cw_session_is_concerned(const struct cw_session *s, const struct cw_port_news *news)
{
	unsigned int i;

	/* RDMA devices of a host are few. */
	if (news->transport == CW_TRANSPORT_RDMA)
		return true;
	for (i = 0; i < s->nr_paths; i++)
		if (cw_path_was_on(s->paths[i], news))
			return true;
	return false;
}

/* The rule that ten logins and joins may begin in a second holds all the same. */
static void cw_session_port_is_up(struct cw_session *s, const struct cw_port_news *news)
{
	unsigned int i;

	if (!cw_session_is_concerned(s, news))
		return;
	for (i = 0; i < s->nr_paths; i++) {
		struct cw_path *p = s->paths[i];
		bool was_on = cw_path_was_on(p, news);

		if (was_on) {
			p->failed = false; /* the reason may be gone */
			p->attempts = min(p->attempts, 1U); /* it has short pauses again */
			s->tried &= ~BIT(i);
		}
		if (p->state == CW_PATH_DOWN)
			p->retry_at = jiffies;
		else if (p->state == CW_PATH_CONNECTING && news->up &&
			 (was_on || (!p->device[0] && p->factory->transport == news->transport)))
			cw_path_restart(p);
	}
	cw_session_try_now(s);
}

/*
 * Returns true if an interface has again what it had lost. An address is there twice while its
 * prefix is changed.
 */
static bool cw_port_is_back(const struct cw_port_news *news)
{
	const struct sockaddr_in *in = (const struct sockaddr_in *)&news->address;
	struct net_device *netdev;
	bool back;

	if (news->transport != CW_TRANSPORT_TCP || news->address.ss_family == AF_INET6)
		return false;
	if (news->address.ss_family == AF_INET)
		return inet_addr_type(&init_net, in->sin_addr.s_addr) == RTN_LOCAL;
	rcu_read_lock();
	netdev = dev_get_by_name_rcu(&init_net, news->device);
	back = netdev && netif_running(netdev) && netif_carrier_ok(netdev);
	rcu_read_unlock();
	return back;
}

static void cw_client_handle_news(const struct cw_port_news *news)
{
	struct cw_session *s;

	if (news->lost && cw_port_is_back(news))
		return;
	mutex_lock(&cw_sessions_lock);
	list_for_each_entry(s, &cw_sessions, entry) {
		mutex_lock(&s->lock);
		if (test_bit(CW_SESSION_CLOSE, &s->flags))
			; /* its paths end */
		else if (news->lost)
			cw_session_port_lost(s, news);
		else
			cw_session_port_is_up(s, news);
		mutex_unlock(&s->lock);
	}
	mutex_unlock(&cw_sessions_lock);
}

static LIST_HEAD(cw_port_reports); /* of struct cw_port_news, oldest first */
static DEFINE_SPINLOCK(cw_port_reports_lock); /* softirq and process context */

static void cw_client_port_work(struct work_struct *work)
{
	struct cw_port_news *news, *next;
	LIST_HEAD(reports);

	spin_lock_bh(&cw_port_reports_lock);
	list_splice_init(&cw_port_reports, &reports);
	spin_unlock_bh(&cw_port_reports_lock);
	list_for_each_entry_safe(news, next, &reports, entry) {
		cw_client_handle_news(news);
		kfree(news);
	}
}

static DECLARE_WORK(cw_port_reports_work, cw_client_port_work);

/* ---- notifiers ---- */

/* If memory is short, the silence of the path is noticed, and the pause ends by itself. */
static void cw_client_report(const struct cw_port_news *template)
{
	struct cw_port_news *news = kmemdup(template, sizeof(*news), GFP_ATOMIC);

	if (!news)
		return;
	spin_lock_bh(&cw_port_reports_lock);
	list_add_tail(&news->entry, &cw_port_reports);
	spin_unlock_bh(&cw_port_reports_lock);
	queue_work(cw_client_wq, &cw_port_reports_work);
}

static int cw_client_port_changed(struct notifier_block *nb, unsigned long unused, void *data)
{
	const struct cw_port_change *change = data;
	struct cw_port_news news = { .transport = CW_TRANSPORT_RDMA,
				     .port = change->port,
				     .lost = change->lost,
				     .up = change->up };

	strscpy(news.device, dev_name(&change->ib->dev), sizeof(news.device));
	cw_client_report(&news);
	return NOTIFY_DONE;
}

/* @address: one address of the interface, or NULL */
static void cw_client_report_interface(const struct net_device *netdev,
				       const struct sockaddr_storage *address, bool up)
{
	struct cw_port_news news = { .transport = CW_TRANSPORT_TCP, .lost = !up, .up = up };

	if (!net_eq(dev_net(netdev), &init_net) || netdev->flags & IFF_LOOPBACK)
		return;
	strscpy(news.device, netdev->name, sizeof(news.device));
	if (address)
		news.address = *address;
	cw_client_report(&news);
}

static int cw_client_interface_changed(struct notifier_block *nb, unsigned long event, void *info)
{
	const struct net_device *netdev = netdev_notifier_info_to_dev(info);

	if (event == NETDEV_DOWN || event == NETDEV_UP || event == NETDEV_CHANGE)
		cw_client_report_interface(netdev, NULL,
					   netif_running(netdev) && netif_carrier_ok(netdev));
	return NOTIFY_DONE;
}

static int cw_client_ipv4_changed(struct notifier_block *nb, unsigned long event, void *info)
{
	const struct in_ifaddr *ifa = info;
	struct sockaddr_storage address = {};
	struct sockaddr_in *in = (struct sockaddr_in *)&address;

	in->sin_family = AF_INET;
	in->sin_addr.s_addr = ifa->ifa_local;
	if (event == NETDEV_DOWN || event == NETDEV_UP)
		cw_client_report_interface(ifa->ifa_dev->dev, &address,
					   event == NETDEV_UP);
	return NOTIFY_DONE;
}

/* Softirq or process context. */
static int cw_client_ipv6_changed(struct notifier_block *nb, unsigned long event, void *info)
{
	const struct inet6_ifaddr *ifa = info;
	struct sockaddr_storage address = {};
	struct sockaddr_in6 *in6 = (struct sockaddr_in6 *)&address;

	in6->sin6_family = AF_INET6;
	in6->sin6_addr = ifa->addr;
	if (event == NETDEV_DOWN || event == NETDEV_UP)
		cw_client_report_interface(ifa->idev->dev, &address, event == NETDEV_UP);
	return NOTIFY_DONE;
}

static struct notifier_block cw_client_ports = { .notifier_call = cw_client_port_changed };

static struct notifier_block cw_client_interfaces = {
	.notifier_call = cw_client_interface_changed,
};

static struct notifier_block cw_client_ipv4 = { .notifier_call = cw_client_ipv4_changed };

static struct notifier_block cw_client_ipv6 = { .notifier_call = cw_client_ipv6_changed };

int cw_client_watch_ports(void)
{
	int ret;

	ret = register_netdevice_notifier(&cw_client_interfaces);
	if (ret)
		return ret;
	ret = register_inetaddr_notifier(&cw_client_ipv4);
	if (ret)
		goto unregister_netdevice;
	ret = register_inet6addr_notifier(&cw_client_ipv6);
	if (ret)
		goto unregister_ipv4;
	cw_device_watch_ports(&cw_client_ports);
	return 0;

unregister_ipv4:
	unregister_inetaddr_notifier(&cw_client_ipv4);
unregister_netdevice:
	unregister_netdevice_notifier(&cw_client_interfaces);
	flush_workqueue(cw_client_wq);
	return ret;
}

void cw_client_unwatch_ports(void)
{
	cw_device_unwatch_ports(&cw_client_ports);
	unregister_inet6addr_notifier(&cw_client_ipv6);
	unregister_inetaddr_notifier(&cw_client_ipv4);
	unregister_netdevice_notifier(&cw_client_interfaces);
	flush_workqueue(cw_client_wq);
}
