// SPDX-License-Identifier: GPL-2.0-only
/*
 * RDMA devices: arrival, removal, protection domains.
 *
 * A device may vanish at any time (rdma link del, hot unplug). Its removal marks it as going, so
 * that no domain and no endpoint is added, kills every endpoint on it, and waits until the last
 * domain is gone: each owner of an endpoint is notified of the death and tears down by itself.
 * rdma_cm registered its client before this module, so it removes its ids after this removal.
 */
#include <linux/slab.h>

#include "device.h"
#include "endpoint.h"

static struct ib_client cw_ib_client;
static BLOCKING_NOTIFIER_HEAD(cw_port_watchers);

/* Process context. The RDMA core reports changes of addresses under the lock of their table. */
static void cw_device_event(struct ib_event_handler *handler, struct ib_event *event)
{
	struct cw_port_change change = { .ib = event->device, .port = event->element.port_num };

	switch (event->event) {
	case IB_EVENT_DEVICE_FATAL:
		change.port = 0;
		change.lost = true;
		break;
	case IB_EVENT_PORT_ERR:
		change.lost = true;
		break;
	case IB_EVENT_PORT_ACTIVE:
		change.up = true;
		break;
	case IB_EVENT_GID_CHANGE:
	case IB_EVENT_LID_CHANGE:
		break;
	default:
		return;
	}
	blocking_notifier_call_chain(&cw_port_watchers, 0, &change);
}

void cw_device_watch_ports(struct notifier_block *nb)
{
	blocking_notifier_chain_register(&cw_port_watchers, nb);
}

void cw_device_unwatch_ports(struct notifier_block *nb)
{
	blocking_notifier_chain_unregister(&cw_port_watchers, nb);
}

static void cw_device_put(struct cw_device *device)
{
	if (refcount_dec_and_test(&device->users))
		complete(&device->gone);
}

static int cw_device_add(struct ib_device *ib)
{
	struct cw_device *device;

	if (!(ib->attrs.device_cap_flags & IB_DEVICE_MEM_MGT_EXTENSIONS))
		return -EOPNOTSUPP;
	device = kzalloc(sizeof(*device), GFP_KERNEL);
	if (!device)
		return -ENOMEM;
	device->ib = ib;
	refcount_set(&device->users, 1);
	init_completion(&device->gone);
	spin_lock_init(&device->lock);
	INIT_LIST_HEAD(&device->endpoints);
	init_waitqueue_head(&device->left);
	ib_set_client_data(ib, &cw_ib_client, device);
	INIT_IB_EVENT_HANDLER(&device->handler, ib, cw_device_event);
	ib_register_event_handler(&device->handler);
	return 0;
}

static void cw_device_remove(struct ib_device *ib, void *data)
{
	struct cw_device *device = data;
	struct cw_endpoint *ep;
	unsigned long flags;

	ib_unregister_event_handler(&device->handler);
	/* Readers under RCU that still saw @device are done before kfree_rcu() frees it. */
	ib_set_client_data(ib, &cw_ib_client, NULL);
	spin_lock_irqsave(&device->lock, flags);
	device->going = true;
	list_for_each_entry(ep, &device->endpoints, device_entry)
		cw_endpoint_kill(ep, -ENODEV, "RDMA device %s was removed", ib->name);
	spin_unlock_irqrestore(&device->lock, flags);

	/* The remaining holders are domains of connections that now tear down. */
	cw_device_put(device);
	wait_for_completion(&device->gone);
	kfree_rcu(device, rcu);
}

static struct ib_client cw_ib_client = {
	.name = "causeway",
	.add = cw_device_add,
	.remove = cw_device_remove,
};

int cw_device_join(struct cw_device *device, struct cw_endpoint *ep)
{
	unsigned long flags;
	int ret = 0;

	spin_lock_irqsave(&device->lock, flags);
	if (device->going)
		ret = -ENODEV;
	else
		list_add_tail(&ep->device_entry, &device->endpoints);
	spin_unlock_irqrestore(&device->lock, flags);
	return ret;
}

void cw_device_leave(struct cw_device *device, struct cw_endpoint *ep)
{
	unsigned long flags;

	spin_lock_irqsave(&device->lock, flags);
	list_del_init(&ep->device_entry);
	spin_unlock_irqrestore(&device->lock, flags);
	wake_up_all(&device->left);
}

/*
 * Returns the cw_device of an ib_device that the caller holds, with a reference; NULL if the device
 * is going.
 */
static struct cw_device *cw_device_get(struct ib_device *ib)
{
	struct cw_device *device;

	rcu_read_lock();
	device = ib_get_client_data(ib, &cw_ib_client);
	if (device && !refcount_inc_not_zero(&device->users))
		device = NULL;
	rcu_read_unlock();
	return device;
}

/*
 * Kills the endpoints on this interface whose local address is @address, or all of them if @address
 * is 0. Returns true if there was one.
 */
static bool cw_device_kill_on(struct cw_device *device, int ifindex, __be32 address,
			      const char *name)
{
	struct cw_endpoint *ep;
	unsigned long flags;
	bool any = false;

	spin_lock_irqsave(&device->lock, flags);
	list_for_each_entry(ep, &device->endpoints, device_entry) {
		if (ep->ifindex != ifindex || (address && ep->ipv4 != address))
			continue;
		if (address)
			cw_endpoint_kill(ep, -ENETDOWN, "the network interface %s loses %pI4", name,
					 &address);
		else
			cw_endpoint_kill(ep, -ENETDOWN, "the network interface %s goes down", name);
		any = true;
	}
	spin_unlock_irqrestore(&device->lock, flags);
	return any;
}

void cw_device_leave_interface(struct ib_device *ib, int ifindex, __be32 address, const char *name,
			       u32 limit_ms)
{
	struct cw_device *device = cw_device_get(ib);

	if (!device)
		return;
	wait_event_timeout(device->left, !cw_device_kill_on(device, ifindex, address, name),
			   msecs_to_jiffies(limit_ms));
	cw_device_put(device);
}

struct cw_domain *cw_domain_create(struct ib_device *ib)
{
	struct cw_device *device;
	struct cw_domain *domain;
	unsigned long flags;
	bool going;
	int ret;

	domain = kzalloc(sizeof(*domain), GFP_KERNEL);
	if (!domain)
		return ERR_PTR(-ENOMEM);
	refcount_set(&domain->users, 1);

	/* The caller's cm_id holds the ib_device, but not its cw_device. */
	device = cw_device_get(ib);
	ret = -ENODEV;
	if (!device)
		goto free_domain;
	spin_lock_irqsave(&device->lock, flags);
	going = device->going;
	spin_unlock_irqrestore(&device->lock, flags);
	if (going)
		goto put_device;
	domain->device = device;

	domain->pd = ib_alloc_pd(ib, 0);
	if (IS_ERR(domain->pd)) {
		ret = PTR_ERR(domain->pd);
		goto put_device;
	}
	return domain;

put_device:
	cw_device_put(device);
free_domain:
	kfree(domain);
	return ERR_PTR(ret);
}

struct cw_domain *cw_domain_get(struct cw_domain *domain)
{
	refcount_inc(&domain->users);
	return domain;
}

void cw_domain_put(struct cw_domain *domain)
{
	if (!refcount_dec_and_test(&domain->users))
		return;
	ib_dealloc_pd(domain->pd);
	cw_device_put(domain->device);
	kfree(domain);
}

int cw_device_init(void)
{
	return ib_register_client(&cw_ib_client);
}

void cw_device_exit(void)
{
	ib_unregister_client(&cw_ib_client);
}
