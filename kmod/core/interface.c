// SPDX-License-Identifier: GPL-2.0-only
/*
 * Soft-RoCE on a network interface that is about to go down.
 *
 * rxe sends the datagrams of the connection manager through its queue pair 1 and looks up a route
 * for each of them. Without a route, rxe moves queue pair 1 to the error state, its receive side
 * included. The MAD layer then brings the send side back, but never the receive side, whose
 * receives were flushed: until the device is made anew, it gets no connection request and no
 * answer (rxe_requester(), rxe_qp_error() and ib_mad_send_error() in Linux 6.1). One disconnect
 * request that is sent, or sent again, while the interface is down is enough.
 *
 * The kernel announces the end of an interface while its routes are still there. Every endpoint on
 * the interface is killed then, and the notifier waits until the owners have destroyed the ids of
 * the connection manager. Their disconnect requests still leave, and none of them is sent again.
 */
#include <linux/if_vlan.h>
#include <linux/netdevice.h>
#include <rdma/ib_verbs.h>

#include "device.h"
#include "interface.h"

/* The caller holds the RTNL lock, and an owner may wait for a slow disk: this is the limit. */
#define CW_INTERFACE_WAIT_MS 1000

static int cw_interface_event(struct notifier_block *nb, unsigned long event, void *info)
{
	struct net_device *netdev = netdev_notifier_info_to_dev(info);
	struct net_device *real = netdev;
	struct ib_device *ib;

	if (event != NETDEV_GOING_DOWN)
		return NOTIFY_DONE;
	if (is_vlan_dev(netdev))
		real = vlan_dev_real_dev(netdev);
	ib = ib_device_get_by_netdev(real, RDMA_DRIVER_RXE);
	if (!ib)
		return NOTIFY_DONE;
	cw_device_leave_interface(ib, netdev->ifindex, netdev->name, CW_INTERFACE_WAIT_MS);
	ib_device_put(ib);
	return NOTIFY_DONE;
}

static struct notifier_block cw_interface_notifier = {
	.notifier_call = cw_interface_event,
	/* Before the RDMA core and rxe react. */
	.priority = 1,
};

int cw_interface_init(void)
{
	return register_netdevice_notifier(&cw_interface_notifier);
}

void cw_interface_exit(void)
{
	unregister_netdevice_notifier(&cw_interface_notifier);
}
