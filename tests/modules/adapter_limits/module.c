// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Puts the limits of an adapter on every RDMA device, and refuses what that adapter would refuse.
 *
 * This is a client of the RDMA core, loaded before the others, so it sees a device before they do.
 * It changes the device's attributes and puts its own functions in place of the driver's; the
 * driver's are kept and called. A queue pair keeps the limits under which it was made: it may
 * outlive a change of the adapter. The device's own attributes and functions return when it goes,
 * or when this module goes.
 *
 * A call may be under way while its device goes, so what is kept of a device stays until this
 * module is unloaded. By then nothing uses an RDMA device but the RDMA core itself.
 */
#include <linux/list.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/slab.h>
#include <linux/xarray.h>
#include <rdma/ib_verbs.h>

#include "adapter_limits.h"

struct limited_device {
	struct list_head entry; /* of devices */
	bool here;
	struct ib_device *ib;
	struct ib_device_attr attrs; /* its own */
	const struct ib_device_ops *ops; /* a copy of its own */
	const struct adapter_limits *limits; /* NULL: its own */
	atomic_t regions;
};

static DEFINE_MUTEX(devices_lock); /* all below, and the limits of each device */
static LIST_HEAD(devices);
static DEFINE_XARRAY(devices_by_address); /* of the ib_device; the last one that was there */
static const struct adapter_limits *chosen;
static DEFINE_XARRAY(queue_pairs); /* by address: the limits of each, in table.c */

static atomic_t refusals = ATOMIC_INIT(0);

static int refused_get(char *text, const struct kernel_param *param)
{
	return sysfs_emit(text, "%d\n", atomic_read(&refusals));
}

static const struct kernel_param_ops refused_ops = {.get = refused_get};
module_param_cb(refused, &refused_ops, NULL, 0444);
MODULE_PARM_DESC(refused, "what was asked for above the limits, so many times");

#define refuse(limits, format, ...)                                                                \
	do {                                                                                       \
		atomic_inc(&refusals);                                                             \
		pr_info("adapter_limits: %s refuses " format "\n", (limits)->name, ##__VA_ARGS__); \
	} while (0)

static struct limited_device *limited(struct ib_device *ib)
{
	return xa_load(&devices_by_address, (unsigned long)ib);
}

/* ---- what is made ---- */

static bool fits_queue_pair(const struct adapter_limits *limits, const struct ib_qp_cap *cap)
{
	if (cap->max_send_wr <= limits->qp_wr && cap->max_recv_wr <= limits->qp_wr &&
	    cap->max_send_sge <= limits->send_sge && cap->max_recv_sge <= limits->recv_sge)
		return true;
	refuse(limits, "a queue pair of %u and %u requests with %u and %u entries",
	       cap->max_send_wr, cap->max_recv_wr, cap->max_send_sge, cap->max_recv_sge);
	return false;
}

static int limited_create_qp(struct ib_qp *qp, struct ib_qp_init_attr *attr, struct ib_udata *udata)
{
	struct limited_device *device = limited(qp->device);
	const struct adapter_limits *limits = READ_ONCE(device->limits);
	int ret;

	/* One that went with its device left it behind. */
	xa_erase(&queue_pairs, (unsigned long)qp);
	/* Queue pairs 0 and 1 are the RDMA core's. */
	if (!limits || attr->qp_type == IB_QPT_SMI || attr->qp_type == IB_QPT_GSI)
		return device->ops->create_qp(qp, attr, udata);
	if (!fits_queue_pair(limits, &attr->cap))
		return -EINVAL;
	ret = device->ops->create_qp(qp, attr, udata);
	if (ret)
		return ret;
	ret = xa_err(xa_store(&queue_pairs, (unsigned long)qp, (void *)limits, GFP_KERNEL));
	if (ret)
		device->ops->destroy_qp(qp, udata);
	return ret;
}

static int limited_destroy_qp(struct ib_qp *qp, struct ib_udata *udata)
{
	xa_erase(&queue_pairs, (unsigned long)qp);
	return limited(qp->device)->ops->destroy_qp(qp, udata);
}

static int limited_create_cq(struct ib_cq *cq, const struct ib_cq_init_attr *attr,
			     struct ib_udata *udata)
{
	struct limited_device *device = limited(cq->device);
	const struct adapter_limits *limits = READ_ONCE(device->limits);

	if (limits && attr->cqe > limits->cqe) {
		refuse(limits, "a completion queue of %u entries", attr->cqe);
		return -EINVAL;
	}
	return device->ops->create_cq(cq, attr, udata);
}

static struct ib_mr *limited_alloc_mr(struct ib_pd *pd, enum ib_mr_type type, u32 pages)
{
	struct limited_device *device = limited(pd->device);
	const struct adapter_limits *limits = READ_ONCE(device->limits);
	struct ib_mr *mr;

	if (limits && pages > limits->region_pages) {
		refuse(limits, "a memory region of %u pages", pages);
		return ERR_PTR(-EINVAL);
	}
	if (limits && atomic_read(&device->regions) >= limits->mr) {
		refuse(limits, "memory region number %d", limits->mr + 1);
		return ERR_PTR(-ENOMEM);
	}
	mr = device->ops->alloc_mr(pd, type, pages);
	if (!IS_ERR(mr))
		atomic_inc(&device->regions);
	return mr;
}

static int limited_dereg_mr(struct ib_mr *mr, struct ib_udata *udata)
{
	struct limited_device *device = limited(mr->device);

	if (mr->type == IB_MR_TYPE_MEM_REG)
		atomic_dec(&device->regions);
	return device->ops->dereg_mr(mr, udata);
}

/* ---- what is registered and posted ---- */

static int limited_map_mr_sg(struct ib_mr *mr, struct scatterlist *sg, int nents,
			     unsigned int *offset)
{
	struct limited_device *device = limited(mr->device);
	const struct adapter_limits *limits = READ_ONCE(device->limits);
	u64 pages;
	int ret;

	if (limits && !(limits->page_sizes & mr->page_size)) {
		refuse(limits, "a registration with pages of %u bytes", mr->page_size);
		return -EINVAL;
	}
	ret = device->ops->map_mr_sg(mr, sg, nents, offset);
	if (!limits || ret <= 0)
		return ret;
	/* siw counts what is contiguous as one. */
	pages = DIV_ROUND_UP_ULL((mr->iova & (mr->page_size - 1)) + mr->length, mr->page_size);
	if (pages > limits->region_pages) {
		refuse(limits, "a registration of %llu pages", pages);
		return -EINVAL;
	}
	return ret;
}

static int limited_post_send(struct ib_qp *qp, const struct ib_send_wr *wr,
			     const struct ib_send_wr **bad)
{
	const struct adapter_limits *limits = xa_load(&queue_pairs, (unsigned long)qp);
	const struct ib_send_wr *each;

	for (each = wr; limits && each; each = each->next) {
		bool reads =
			each->opcode == IB_WR_RDMA_READ || each->opcode == IB_WR_RDMA_READ_WITH_INV;
		int most = reads ? limits->sge_rd : limits->send_sge;

		if (each->num_sge <= most)
			continue;
		refuse(limits, "work request %d with %d entries", each->opcode, each->num_sge);
		*bad = each;
		return -EINVAL;
	}
	return limited(qp->device)->ops->post_send(qp, wr, bad);
}

static int limited_post_recv(struct ib_qp *qp, const struct ib_recv_wr *wr,
			     const struct ib_recv_wr **bad)
{
	const struct adapter_limits *limits = xa_load(&queue_pairs, (unsigned long)qp);
	const struct ib_recv_wr *each;

	for (each = wr; limits && each; each = each->next) {
		if (each->num_sge <= limits->recv_sge)
			continue;
		refuse(limits, "a receive with %d entries", each->num_sge);
		*bad = each;
		return -EINVAL;
	}
	return limited(qp->device)->ops->post_recv(qp, wr, bad);
}

/* ---- devices ---- */

static void limit(struct limited_device *device, const struct adapter_limits *limits)
{
	struct ib_device_attr *attrs = &device->ib->attrs;

	lockdep_assert_held(&devices_lock);
	*attrs = device->attrs;
	WRITE_ONCE(device->limits, limits);
	if (!limits)
		return;
	/* No more than the device has. */
	attrs->max_send_sge = min(attrs->max_send_sge, limits->send_sge);
	attrs->max_recv_sge = min(attrs->max_recv_sge, limits->recv_sge);
	attrs->max_sge_rd = min(attrs->max_sge_rd, limits->sge_rd);
	attrs->max_sgl_rd = limits->sgl_rd;
	attrs->max_fast_reg_page_list_len =
		min(attrs->max_fast_reg_page_list_len, limits->region_pages);
	attrs->page_size_cap = limits->page_sizes;
	attrs->max_qp_wr = min(attrs->max_qp_wr, limits->qp_wr);
	attrs->max_cqe = min(attrs->max_cqe, limits->cqe);
	attrs->max_mr = min(attrs->max_mr, limits->mr);
	attrs->max_qp_rd_atom = min(attrs->max_qp_rd_atom, limits->rd_atom);
	attrs->max_qp_init_rd_atom = min(attrs->max_qp_init_rd_atom, limits->rd_atom);
	/* Among software devices, only those of rdmavt have a local DMA lkey. */
	if (!limits->local_dma_lkey)
		attrs->kernel_cap_flags &= ~IBK_LOCAL_DMA_LKEY;
	else if (device->ib->ops.driver_id == RDMA_DRIVER_HFI1)
		attrs->kernel_cap_flags |= IBK_LOCAL_DMA_LKEY;
}

static struct ib_client limits_client;

static int limits_add(struct ib_device *ib)
{
	struct limited_device *device = kzalloc(sizeof(*device), GFP_KERNEL);
	int ret;

	if (!device)
		return -ENOMEM;
	device->ib = ib;
	device->here = true;
	device->attrs = ib->attrs;
	device->ops = kmemdup(&ib->ops, sizeof(ib->ops), GFP_KERNEL);
	if (!device->ops) {
		kfree(device);
		return -ENOMEM;
	}
	ret = xa_err(xa_store(&devices_by_address, (unsigned long)ib, device, GFP_KERNEL));
	if (ret) {
		kfree(device->ops);
		kfree(device);
		return ret;
	}
	ib_set_client_data(ib, &limits_client, device);
	ib->ops.create_qp = limited_create_qp;
	ib->ops.destroy_qp = limited_destroy_qp;
	ib->ops.create_cq = limited_create_cq;
	ib->ops.alloc_mr = limited_alloc_mr;
	ib->ops.dereg_mr = limited_dereg_mr;
	ib->ops.map_mr_sg = limited_map_mr_sg;
	ib->ops.post_send = limited_post_send;
	ib->ops.post_recv = limited_post_recv;
	mutex_lock(&devices_lock);
	limit(device, chosen);
	list_add(&device->entry, &devices);
	mutex_unlock(&devices_lock);
	return 0;
}

static void limits_remove(struct ib_device *ib, void *data)
{
	struct limited_device *device = data;

	mutex_lock(&devices_lock);
	limit(device, NULL);
	device->here = false;
	mutex_unlock(&devices_lock);
	ib->ops.create_qp = device->ops->create_qp;
	ib->ops.destroy_qp = device->ops->destroy_qp;
	ib->ops.create_cq = device->ops->create_cq;
	ib->ops.alloc_mr = device->ops->alloc_mr;
	ib->ops.dereg_mr = device->ops->dereg_mr;
	ib->ops.map_mr_sg = device->ops->map_mr_sg;
	ib->ops.post_send = device->ops->post_send;
	ib->ops.post_recv = device->ops->post_recv;
}

static struct ib_client limits_client = {
	.name = "adapter_limits",
	.add = limits_add,
	.remove = limits_remove,
};

/* ---- the module ---- */

static int adapter_set(const char *text, const struct kernel_param *param)
{
	const struct adapter_limits *limits = NULL;
	struct limited_device *device;
	char name[16];

	if (strscpy(name, text, sizeof(name)) < 0)
		return -EINVAL;
	if (*strim(name)) {
		limits = adapter_limits_of(strim(name));
		if (!limits)
			return -EINVAL;
	}
	mutex_lock(&devices_lock);
	chosen = limits;
	list_for_each_entry(device, &devices, entry)
		if (device->here)
			limit(device, limits);
	mutex_unlock(&devices_lock);
	return 0;
}

static int adapter_get(char *text, const struct kernel_param *param)
{
	const struct adapter_limits *limits = READ_ONCE(chosen);

	return sysfs_emit(text, "%s\n", limits ? limits->name : "");
}

static const struct kernel_param_ops adapter_ops = {.set = adapter_set, .get = adapter_get};
module_param_cb(adapter, &adapter_ops, NULL, 0644);
MODULE_PARM_DESC(adapter, "whose limits the RDMA devices get; README.md");

static int __init limits_init(void)
{
	return ib_register_client(&limits_client);
}

static void __exit limits_exit(void)
{
	struct limited_device *device, *next;

	ib_unregister_client(&limits_client);
	synchronize_rcu();
	list_for_each_entry_safe(device, next, &devices, entry) {
		kfree(device->ops);
		kfree(device);
	}
	xa_destroy(&devices_by_address);
	xa_destroy(&queue_pairs);
}

module_init(limits_init);
module_exit(limits_exit);
MODULE_DESCRIPTION("Software RDMA devices with the limits of real adapters, for tests");
MODULE_LICENSE("GPL");
