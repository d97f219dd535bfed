// SPDX-License-Identifier: GPL-2.0-only
/*
 * Soft-RoCE on a network interface that goes down or loses an address.
 *
 * rxe sends the datagrams of the connection manager through its queue pair 1 and looks up a route
 * for each of them. Without a route, rxe moves queue pair 1 to the error state, its receive side
 * included. The MAD layer then brings the send side back, but never the receive side, whose
 * receives were flushed: until the device is made anew, it gets no connection request and no
 * answer (rxe_requester(), rxe_qp_error() and ib_mad_send_error() in Linux 6.1). One disconnect
 * request that is sent, or sent again, while the interface is down or from an address that the
 * interface no longer has is enough.
 *
 * The kernel announces the end of an interface, and of an IPv4 address, while the routes are still
 * there. Every endpoint concerned is killed then, and the notifier waits until the owners have
 * drained it, which destroys its id of the connection manager. The disconnect requests still leave,
 * and none of them is sent again. The drain of a disk's connection waits for no disk. That of an
 * NFS server's connection comes after its last call, so calls that hang cost the whole wait.
 *
 * The connections of other users of the device are not ours to end, and the notifier of IPv6
 * addresses must not sleep, so it cannot wait for a disconnect. A device may lose queue pair 1 all
 * the same. So this module sends a uevent when an interface below a Soft-RoCE device comes up or
 * gets an address. A rule of udev then starts a unit that checks whether the device still takes
 * connections, and makes it anew if it does not (causeway soft renew).
 */
#include <linux/if_vlan.h>
#include <linux/inetdevice.h>
#include <linux/kobject.h>
#include <linux/module.h>
#include <linux/netdevice.h>
#include <linux/slab.h>
#include <linux/workqueue.h>
#include <net/addrconf.h>
#include <net/if_inet6.h>
#include <rdma/ib_verbs.h>

#include "device.h"
#include "interface.h"

/* The limit of that wait, during which the caller holds the RTNL lock. */
#define CW_INTERFACE_WAIT_MS 1000

/* Runs the works that send uevents. Destroyed after all notifiers are unregistered. */
static struct workqueue_struct *cw_interface_queue;

struct cw_interface_news {
	struct work_struct work;
	char name[IFNAMSIZ];
};

/*
 * Returns the Soft-RoCE device that carries connections of @netdev, with a reference for the caller
 * to put, or NULL. @below is set to the interface that the device is on. Any context.
 */
static struct ib_device *cw_interface_device(struct net_device *netdev, struct net_device **below)
{
	*below = is_vlan_dev(netdev) ? vlan_dev_real_dev(netdev) : netdev;
	return ib_device_get_by_netdev(*below, RDMA_DRIVER_RXE);
}

/*
 * Ends the connections whose local address is @address, or all connections of the interface if
 * @address is 0. Sleeps; the caller holds the RTNL lock.
 */
static void cw_interface_leave(struct net_device *netdev, __be32 address)
{
	struct net_device *below;
	struct ib_device *ib = cw_interface_device(netdev, &below);

	if (!ib)
		return;
	cw_device_leave_interface(ib, netdev->ifindex, address, netdev->name, CW_INTERFACE_WAIT_MS);
	ib_device_put(ib);
}

static void cw_interface_send_uevent(struct work_struct *work)
{
	struct cw_interface_news *news = container_of(work, struct cw_interface_news, work);
	char interface[sizeof("CAUSEWAY_INTERFACE=") + IFNAMSIZ];
	char *environment[2] = {};

	snprintf(interface, sizeof(interface), "CAUSEWAY_INTERFACE=%s", news->name);
	environment[0] = interface;
	kobject_uevent_env(&THIS_MODULE->mkobj.kobj, KOBJ_CHANGE, environment);
	kfree(news);
}

/* Any context. If memory is short, no uevent is sent; doctor still reports a silent device. */
static void cw_interface_announce(struct net_device *netdev)
{
	struct cw_interface_news *news;
	struct net_device *below;
	struct ib_device *ib = cw_interface_device(netdev, &below);

	if (!ib)
		return;
	ib_device_put(ib);
	news = kzalloc(sizeof(*news), GFP_ATOMIC);
	if (!news)
		return;
	INIT_WORK(&news->work, cw_interface_send_uevent);
	strscpy(news->name, below->name, sizeof(news->name));
	queue_work(cw_interface_queue, &news->work);
}

static int cw_interface_event(struct notifier_block *nb, unsigned long event, void *info)
{
	struct net_device *netdev = netdev_notifier_info_to_dev(info);

	if (event == NETDEV_GOING_DOWN)
		cw_interface_leave(netdev, 0);
	else if (event == NETDEV_UP)
		cw_interface_announce(netdev);
	return NOTIFY_DONE;
}

static int cw_interface_ipv4_event(struct notifier_block *nb, unsigned long event, void *info)
{
	struct in_ifaddr *address = info;

	if (event == NETDEV_DOWN)
		cw_interface_leave(address->ifa_dev->dev, address->ifa_local);
	else if (event == NETDEV_UP)
		cw_interface_announce(address->ifa_dev->dev);
	return NOTIFY_DONE;
}

static int cw_interface_ipv6_event(struct notifier_block *nb, unsigned long event, void *info)
{
	struct inet6_ifaddr *address = info;

	if (event == NETDEV_UP)
		cw_interface_announce(address->idev->dev);
	return NOTIFY_DONE;
}

/* Before the RDMA core, rxe and the routing tables react. */
static struct notifier_block cw_interface_notifier = {
	.notifier_call = cw_interface_event,
	.priority = 1,
};

static struct notifier_block cw_interface_ipv4_notifier = {
	.notifier_call = cw_interface_ipv4_event,
	.priority = 1,
};

static struct notifier_block cw_interface_ipv6_notifier = {
	.notifier_call = cw_interface_ipv6_event,
};

int cw_interface_init(void)
{
	int ret;

	cw_interface_queue = alloc_workqueue("causeway_interface", WQ_UNBOUND, 0);
	if (!cw_interface_queue)
		return -ENOMEM;
	ret = register_netdevice_notifier(&cw_interface_notifier);
	if (ret)
		goto destroy_queue;
	ret = register_inetaddr_notifier(&cw_interface_ipv4_notifier);
	if (ret)
		goto unregister_netdevice;
	ret = register_inet6addr_notifier(&cw_interface_ipv6_notifier);
	if (ret)
		goto unregister_ipv4;
	return 0;

unregister_ipv4:
	unregister_inetaddr_notifier(&cw_interface_ipv4_notifier);
unregister_netdevice:
	unregister_netdevice_notifier(&cw_interface_notifier);
destroy_queue:
	destroy_workqueue(cw_interface_queue);
	return ret;
}

void cw_interface_exit(void)
{
	unregister_inet6addr_notifier(&cw_interface_ipv6_notifier);
	unregister_inetaddr_notifier(&cw_interface_ipv4_notifier);
	unregister_netdevice_notifier(&cw_interface_notifier);
	destroy_workqueue(cw_interface_queue);
}
