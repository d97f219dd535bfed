// SPDX-License-Identifier: GPL-2.0-only
/*
 * The InfiniBand device of an HCA: what it says it can do, and how it comes and goes.
 */
#include <linux/module.h>
#include <linux/pci.h>

#include "simhca.h"

#define FW_MAJOR	20
#define FW_MINOR	31
#define FW_PATCH	1014
#define MAX_RD_ATOMIC	16
#define MAX_FRMR_PAGES	512

static char *name = "simhca";
module_param(name, charp, 0444);
MODULE_PARM_DESC(name, "of the RDMA devices, before their number (simhca)");

static char *node_desc = "simulated HCA";
module_param(node_desc, charp, 0444);
MODULE_PARM_DESC(node_desc, "node description");

static char *hca_type = "MT4123";
module_param(hca_type, charp, 0444);
MODULE_PARM_DESC(hca_type, "as sysfs tells it (MT4123)");

static char *board_id = "MT_0000000223";
module_param(board_id, charp, 0444);
MODULE_PARM_DESC(board_id, "as sysfs tells it (MT_0000000223)");

/* rdmavt prints the name of the card it thinks it runs on. */
static struct pci_dev no_card = { .dev.init_name = "simhca" };

static ssize_t hw_rev_show(struct device *device, struct device_attribute *attr, char *text)
{
	return sysfs_emit(text, "0\n");
}
static DEVICE_ATTR_RO(hw_rev);

static ssize_t hca_type_show(struct device *device, struct device_attribute *attr, char *text)
{
	return sysfs_emit(text, "%s\n", hca_type);
}
static DEVICE_ATTR_RO(hca_type);

static ssize_t board_id_show(struct device *device, struct device_attribute *attr, char *text)
{
	return sysfs_emit(text, "%s\n", board_id);
}
static DEVICE_ATTR_RO(board_id);

static struct attribute *device_attributes[] = {
	&dev_attr_hw_rev.attr,
	&dev_attr_hca_type.attr,
	&dev_attr_board_id.attr,
	NULL,
};

static const struct attribute_group device_group = { .attrs = device_attributes };
static const struct attribute_group *port_groups[] = { NULL };

static void firmware_version(struct ib_device *ibdev, char *text)
{
	snprintf(text, IB_FW_VERSION_NAME_MAX, "%d.%d.%d", FW_MAJOR, FW_MINOR, FW_PATCH);
}

/* rdma-ndd names every node after its host. */
static int modify_device(struct ib_device *ibdev, int mask, struct ib_device_modify *attr)
{
	if (mask & ~IB_DEVICE_MODIFY_NODE_DESC)
		return -EOPNOTSUPP;
	if (mask & IB_DEVICE_MODIFY_NODE_DESC)
		memcpy(ibdev->node_desc, attr->node_desc, sizeof(ibdev->node_desc));
	return 0;
}

static int process_mad(struct ib_device *ibdev, int flags, u32 port_num, const struct ib_wc *wc,
		       const struct ib_grh *grh, const struct ib_mad *in, struct ib_mad *out,
		       size_t *out_size, u16 *out_pkey_index)
{
	struct simhca_port *port = &simhca_hca_of(ibdev)->port[port_num - 1];

	*out = *in;
	switch (in->mad_hdr.mgmt_class) {
	case IB_MGMT_CLASS_SUBN_DIRECTED_ROUTE:
	case IB_MGMT_CLASS_SUBN_LID_ROUTED:
		return simhca_sma(ibdev, port, (struct ib_smp *)out);
	case IB_MGMT_CLASS_PERF_MGMT:
		return simhca_pma(port, out);
	default:
		return IB_MAD_RESULT_SUCCESS;
	}
}

static const struct ib_device_ops device_ops = {
	.owner = THIS_MODULE,
	/* rdma-core's provider of that driver speaks rdmavt's ABI. */
	.driver_id = RDMA_DRIVER_HFI1,
	.device_group = &device_group,
	.port_groups = port_groups,
	.get_dev_fw_str = firmware_version,
	.modify_device = modify_device,
	.process_mad = process_mad,
};

static struct pci_dev *get_card(struct rvt_dev_info *rdi)
{
	return &no_card;
}

static int query_port(struct rvt_dev_info *rdi, u32 number, struct ib_port_attr *props)
{
	struct simhca_port *port = &simhca_hca_of(&rdi->ibdev)->port[number - 1];

	props->state = READ_ONCE(port->state);
	props->phys_state = simhca_port_physical(port);
	props->lid = port->lid;
	props->lmc = port->lmc;
	props->gid_tbl_len = SIMHCA_GUIDS;
	props->max_mtu = simhca_limits.mtu;
	props->active_mtu = port->mtu;
	props->max_vl_num = 1;
	props->active_width = simhca_limits.width;
	props->active_speed = simhca_limits.link->speed;
	return 0;
}

static int get_guid(struct rvt_dev_info *rdi, struct rvt_ibport *ibp, int index, __be64 *guid)
{
	struct simhca_port *port = container_of(ibp, struct simhca_port, ibp);

	if (index < 0 || index >= SIMHCA_GUIDS)
		return -EINVAL;
	*guid = port->guid[index];
	return 0;
}

static int shut_down_port(struct rvt_dev_info *rdi, u32 number)
{
	struct simhca_port *port = &simhca_hca_of(&rdi->ibdev)->port[number - 1];
	unsigned long flags;

	spin_lock_irqsave(&simhca_fabric_lock, flags);
	port->wanted = IB_PORT_PHYS_STATE_DISABLED;
	simhca_link_train(port);
	spin_unlock_irqrestore(&simhca_fabric_lock, flags);
	return 0;
}

static void cap_mask_changed(struct rvt_dev_info *rdi, u32 number)
{
}

static void notify_new_ah(struct ib_device *ibdev, struct rdma_ah_attr *attr, struct rvt_ah *ah)
{
	struct simhca_port *port = &simhca_hca_of(ibdev)->port[rdma_ah_get_port_num(attr) - 1];

	ah->log_pmtu = ilog2(ib_mtu_enum_to_int(port->mtu));
}

static int cpu_of_vector(struct rvt_dev_info *rdi, int vector)
{
	return cpumask_local_spread(vector, 0);
}

static void set_limits(struct rvt_driver_params *params)
{
	struct ib_device_attr *props = &params->props;

	props->fw_ver = (u64)FW_MAJOR << 32 | FW_MINOR << 16 | FW_PATCH;
	props->vendor_id = 0x02c9;
	props->vendor_part_id = 4123;
	props->device_cap_flags = IB_DEVICE_BAD_PKEY_CNTR | IB_DEVICE_BAD_QKEY_CNTR |
				  IB_DEVICE_SHUTDOWN_PORT | IB_DEVICE_SYS_IMAGE_GUID |
				  IB_DEVICE_RC_RNR_NAK_GEN | IB_DEVICE_PORT_ACTIVE_EVENT |
				  IB_DEVICE_SRQ_RESIZE | IB_DEVICE_MEM_MGT_EXTENSIONS;
	props->page_size_cap = PAGE_SIZE;
	props->max_mr_size = ~0ULL;
	props->max_mr = 1 << 16;
	props->max_pd = 1 << 15;
	props->max_ah = 1 << 16;
	props->max_qp = 1 << 14;
	props->max_qp_wr = 1 << 14;
	props->max_send_sge = 30;
	props->max_recv_sge = 30;
	props->max_sge_rd = 30;
	props->max_cq = 1 << 16;
	props->max_cqe = 1 << 18;
	props->max_srq = 1 << 10;
	props->max_srq_wr = 1 << 15;
	props->max_srq_sge = 30;
	props->max_qp_rd_atom = MAX_RD_ATOMIC;
	props->max_qp_init_rd_atom = MAX_RD_ATOMIC;
	props->atomic_cap = IB_ATOMIC_GLOB;
	props->max_pkeys = SIMHCA_PKEYS;
	props->max_mcast_grp = 1 << 13;
	props->max_mcast_qp_attach = 64;
	props->max_total_mcast_qp_attach = 1 << 19;
	props->max_fast_reg_page_list_len = MAX_FRMR_PAGES;

	params->qp_table_size = 256;
	params->lkey_table_size = 16;		/* bits */
	params->max_rdma_atomic = MAX_RD_ATOMIC;
	params->max_mad_size = IB_MGMT_MAD_SIZE;
	params->core_cap_flags = RDMA_CORE_PORT_IBA_IB;
	params->nports = simhca_port_count;
	params->npkeys = SIMHCA_PKEYS;
	params->psn_mask = 0xffffff;
	params->psn_modify_mask = 0xffffff;
	params->qpn_start = 1;
	params->qpn_inc = 1;
	params->qos_shift = 1;
	/* Nothing is reserved, but the table of numbers ends where the reservation begins. */
	params->qpn_res_start = 0x800000;
	params->qpn_res_end = 0x800000;
	params->node = 0;
}

static void set_port(struct simhca_device *device, struct simhca_port *port)
{
	memset(&port->ibp, 0, sizeof(port->ibp));
	spin_lock_init(&port->ibp.lock);
	port->ibp.gid_prefix = cpu_to_be64(0xfe80000000000000ULL);
	port->ibp.sm_lid = be16_to_cpu(IB_LID_PERMISSIVE);
	port->ibp.port_cap_flags = IB_PORT_AUTO_MIGR_SUP | IB_PORT_SYS_IMAGE_GUID_SUP |
				   IB_PORT_CLIENT_REG_SUP;
	if (simhca_limits.link->extended_enabled)
		port->ibp.port_cap_flags |= IB_PORT_EXTENDED_SPEEDS_SUP;
	port->lid = 0;
	port->lmc = 0;
	port->mtu = simhca_limits.mtu;
	memset(port->guid, 0, sizeof(port->guid));
	port->guid[0] = cpu_to_be64(port->hca->guid + port->number);
	memset(port->pkey, 0, sizeof(port->pkey));
	port->pkey[0] = IB_DEFAULT_PKEY_FULL;
	rvt_init_port(&device->rdi, &port->ibp, port->number - 1, port->pkey);
}

static void set_hooks(struct rvt_driver_provided *hooks)
{
	hooks->get_pci_dev = get_card;
	hooks->query_port_state = query_port;
	hooks->get_guid_be = get_guid;
	hooks->shut_down_port = shut_down_port;
	hooks->cap_mask_chg = cap_mask_changed;
	hooks->notify_new_ah = notify_new_ah;
	hooks->comp_vect_cpu_lookup = cpu_of_vector;
	simhca_qp_set_hooks(hooks);
}

static void train_all(struct simhca_hca *hca)
{
	unsigned long flags;
	int i;

	spin_lock_irqsave(&simhca_fabric_lock, flags);
	for (i = 0; i < simhca_port_count; i++)
		simhca_link_train(&hca->port[i]);
	spin_unlock_irqrestore(&simhca_fabric_lock, flags);
}

static struct simhca_device *make_device(struct simhca_hca *hca)
{
	struct simhca_device *device;
	struct platform_device *card;
	struct rvt_dev_info *rdi;
	int i;

	card = platform_device_register_simple("simhca", hca->index, NULL, 0);
	if (IS_ERR(card))
		return ERR_CAST(card);
	rdi = rvt_alloc_device(sizeof(*device), simhca_port_count);
	if (!rdi) {
		platform_device_unregister(card);
		return ERR_PTR(-ENOMEM);
	}
	device = container_of(rdi, struct simhca_device, rdi);
	device->hca = hca;
	device->card = card;
	rdi->ibdev.dev.parent = &card->dev;
	dev_set_name(&rdi->ibdev.dev, "%s%d", name, hca->index);
	strscpy(rdi->ibdev.name, dev_name(&rdi->ibdev.dev), sizeof(rdi->ibdev.name));
	set_limits(&rdi->dparms);
	rdi->dparms.props.sys_image_guid = cpu_to_be64(hca->guid);
	set_hooks(&rdi->driver_f);
	rdi->post_parms = simhca_post_parms;
	rdi->wc_opcode = simhca_wc_opcode;
	rdi->ibdev.node_guid = cpu_to_be64(hca->guid);
	rdi->ibdev.phys_port_cnt = simhca_port_count;
	rdi->ibdev.num_comp_vectors = num_online_cpus();
	snprintf(rdi->ibdev.node_desc, sizeof(rdi->ibdev.node_desc), "%s", node_desc);
	for (i = 0; i < simhca_port_count; i++)
		set_port(device, &hca->port[i]);
	ib_set_device_ops(&rdi->ibdev, &device_ops);
	return device;
}

static void free_device(struct simhca_device *device)
{
	struct platform_device *card = device->card;

	rvt_dealloc_device(&device->rdi);
	platform_device_unregister(card);
}

int simhca_device_add(struct simhca_hca *hca)
{
	struct simhca_device *device;
	int ret = 0;

	mutex_lock(&hca->presence);
	if (rcu_access_pointer(hca->device))
		goto unlock;
	device = make_device(hca);
	if (IS_ERR(device)) {
		ret = PTR_ERR(device);
		goto unlock;
	}
	ret = rvt_register_device(&device->rdi);
	if (ret) {
		free_device(device);
		goto unlock;
	}
	rcu_assign_pointer(hca->device, device);
	train_all(hca);
unlock:
	mutex_unlock(&hca->presence);
	return ret;
}

void simhca_device_remove(struct simhca_hca *hca)
{
	struct simhca_device *device;

	mutex_lock(&hca->presence);
	device = rcu_dereference_protected(hca->device, lockdep_is_held(&hca->presence));
	if (device) {
		rcu_assign_pointer(hca->device, NULL);
		train_all(hca);
		/* Waits for packets on their way to the device, and for events about it. */
		synchronize_rcu();
		rvt_unregister_device(&device->rdi);
		free_device(device);
	}
	mutex_unlock(&hca->presence);
}
