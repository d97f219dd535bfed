// SPDX-License-Identifier: GPL-2.0-only
/*
 * The subnet management agent: the attributes a subnet manager gets and sets
 * (InfiniBand Architecture Specification, 14.2.5). Directed routes are walked
 * by ib_mad; what comes here is for this port.
 */
#include "simhca.h"

#define STATUS_BAD_VERSION	cpu_to_be16(1 << 2)
#define STATUS_UNSUPPORTED	cpu_to_be16(3 << 2)
#define STATUS_BAD_FIELD	cpu_to_be16(7 << 2)

#define CLIENT_REREGISTER	0x80
/* Bytes of PortInfo that struct ib_port_info does not name. */
#define EXTENDED_SPEEDS		62
#define EXTENDED_ENABLED	63

static int reply(struct ib_smp *smp)
{
	smp->method = IB_MGMT_METHOD_GET_RESP;
	if (smp->mgmt_class == IB_MGMT_CLASS_SUBN_DIRECTED_ROUTE)
		smp->status |= IB_SMP_DIRECTION;
	return IB_MAD_RESULT_SUCCESS | IB_MAD_RESULT_REPLY;
}

static int reply_with(struct ib_smp *smp, __be16 status)
{
	smp->status |= status;
	return reply(smp);
}

static void get_node_info(struct ib_device *ibdev, struct simhca_port *port, struct ib_smp *smp)
{
	struct ib_node_info *info = (struct ib_node_info *)smp->data;
	const struct ib_device_attr *props = &ib_to_rvt(ibdev)->dparms.props;

	memset(smp->data, 0, sizeof(smp->data));
	info->base_version = IB_MGMT_BASE_VERSION;
	info->class_version = 1;
	info->node_type = RDMA_NODE_IB_CA;
	info->num_ports = ibdev->phys_port_cnt;
	info->sys_guid = props->sys_image_guid;
	info->node_guid = ibdev->node_guid;
	info->port_guid = port->guid[0];
	info->partition_cap = cpu_to_be16(SIMHCA_PKEYS);
	info->device_id = cpu_to_be16(props->vendor_part_id);
	info->local_port_num = port->number;
	info->vendor_id[0] = props->vendor_id >> 16;
	info->vendor_id[1] = props->vendor_id >> 8;
	info->vendor_id[2] = props->vendor_id;
}

static void get_port_info(struct simhca_port *port, u8 asked_port, struct ib_smp *smp)
{
	struct ib_port_info *info = (struct ib_port_info *)smp->data;
	const struct simhca_link *link = simhca_limits.link;
	struct rvt_ibport *ibp = &port->ibp;

	memset(smp->data, 0, sizeof(smp->data));
	info->mkey = ibp->mkey;
	info->gid_prefix = ibp->gid_prefix;
	info->lid = cpu_to_be16(port->lid);
	info->sm_lid = cpu_to_be16(ibp->sm_lid);
	info->cap_mask = cpu_to_be32(ibp->port_cap_flags);
	info->mkey_lease_period = cpu_to_be16(ibp->mkey_lease_period);
	info->local_port_num = asked_port;
	info->link_width_enabled = simhca_limits.width_enabled;
	info->link_width_supported = simhca_limits.width_enabled;
	info->link_width_active = simhca_limits.width;
	info->linkspeed_portstate = link->legacy_enabled << 4 | port->state;
	info->portphysstate_linkdown = simhca_port_physical(port) << 4 |
				       IB_PORT_PHYS_STATE_POLLING;
	info->mkeyprot_resv_lmc = ibp->mkeyprot << 6 | port->lmc;
	info->linkspeedactive_enabled = link->legacy_active << 4 | link->legacy_enabled;
	info->neighbormtu_mastersmsl = port->mtu << 4 | ibp->sm_sl;
	info->vlcap_inittype = 1 << 4;
	info->vl_high_limit = ibp->vl_high_limit;
	info->inittypereply_mtucap = simhca_limits.mtu;
	info->operationalvl_pei_peo_fpi_fpo = 1 << 4;
	info->mkey_violations = cpu_to_be16(ibp->mkey_violations);
	info->pkey_violations = cpu_to_be16(ibp->pkey_violations);
	info->qkey_violations = cpu_to_be16(ibp->qkey_violations);
	info->guid_cap = SIMHCA_GUIDS;
	info->clientrereg_resv_subnetto = ibp->subnet_timeout;
	info->resv_resptimevalue = 16;		/* 268 ms: an emulated machine may stand still */
	info->localphyerrors_overrunerrors = 0xff;
	smp->data[EXTENDED_SPEEDS] = link->extended_active << 4 | link->extended_enabled;
	smp->data[EXTENDED_ENABLED] = link->extended_enabled;
}

static bool is_unicast(u16 lid)
{
	return lid && lid < be16_to_cpu(IB_MULTICAST_LID_BASE);
}

/* Does what PortInfo asks of the link; false if the state of the link does not allow it. */
static bool set_link(struct simhca_port *port, u8 state, u8 physical)
{
	lockdep_assert_held(&simhca_fabric_lock);
	if (state == IB_PORT_ARMED || state == IB_PORT_ACTIVE)
		return !physical && simhca_port_advance(port, state);
	if (state != IB_PORT_NOP && state != IB_PORT_DOWN)
		return false;
	switch (physical) {
	case 0:
		if (state == IB_PORT_DOWN)
			simhca_link_bounce(port);
		return true;
	case IB_PORT_PHYS_STATE_SLEEP:
	case IB_PORT_PHYS_STATE_DISABLED:
		port->wanted = physical;
		simhca_link_train(port);
		return true;
	case IB_PORT_PHYS_STATE_POLLING:
		port->wanted = physical;
		simhca_link_bounce(port);
		return true;
	default:
		return false;
	}
}

static bool set_addresses(struct simhca_port *port, const struct ib_port_info *info)
{
	u8 sm_sl = info->neighbormtu_mastersmsl & 0xf;
	u8 lmc = info->mkeyprot_resv_lmc & 7;
	u16 sm_lid = be16_to_cpu(info->sm_lid);
	u16 lid = be16_to_cpu(info->lid);
	struct rvt_ibport *ibp = &port->ibp;
	bool right = true;

	if (ibp->gid_prefix != info->gid_prefix) {
		ibp->gid_prefix = info->gid_prefix;
		simhca_event(port, IB_EVENT_GID_CHANGE);
	}
	if (!is_unicast(lid)) {
		right = false;
	} else if (lid != port->lid || lmc != port->lmc) {
		port->lmc = lmc;
		WRITE_ONCE(port->lid, lid);
		simhca_event(port, IB_EVENT_LID_CHANGE);
	}
	if (!is_unicast(sm_lid)) {
		right = false;
	} else if (sm_lid != ibp->sm_lid || sm_sl != ibp->sm_sl) {
		ibp->sm_lid = sm_lid;
		ibp->sm_sl = sm_sl;
		simhca_event(port, IB_EVENT_SM_CHANGE);
	}
	return right;
}

static void set_port_info(struct simhca_port *port, struct ib_smp *smp)
{
	const struct ib_port_info *info = (const struct ib_port_info *)smp->data;
	u8 mtu = info->neighbormtu_mastersmsl >> 4;
	struct rvt_ibport *ibp = &port->ibp;
	unsigned long flags;
	bool right;

	spin_lock_irqsave(&simhca_fabric_lock, flags);
	right = set_addresses(port, info);
	ibp->mkey = info->mkey;
	ibp->mkeyprot = info->mkeyprot_resv_lmc >> 6;
	ibp->mkey_lease_period = be16_to_cpu(info->mkey_lease_period);
	ibp->vl_high_limit = info->vl_high_limit;
	ibp->subnet_timeout = info->clientrereg_resv_subnetto & 0x1f;
	if (mtu >= IB_MTU_256 && mtu <= simhca_limits.mtu)
		port->mtu = mtu;
	else
		right = false;
	if (!info->mkey_violations)
		ibp->mkey_violations = 0;
	if (!info->pkey_violations)
		ibp->pkey_violations = 0;
	if (!info->qkey_violations)
		ibp->qkey_violations = 0;
	if (!set_link(port, info->linkspeed_portstate & 0xf, info->portphysstate_linkdown >> 4))
		right = false;
	spin_unlock_irqrestore(&simhca_fabric_lock, flags);
	if (info->clientrereg_resv_subnetto & CLIENT_REREGISTER)
		simhca_event(port, IB_EVENT_CLIENT_REREGISTER);
	if (!right)
		smp->status |= STATUS_BAD_FIELD;
}

static int port_info(struct ib_device *ibdev, struct simhca_port *port, struct ib_smp *smp,
		     bool set)
{
	const struct ib_port_info *info = (const struct ib_port_info *)smp->data;
	u8 rereg = info->clientrereg_resv_subnetto & CLIENT_REREGISTER;
	u32 number = be32_to_cpu(smp->attr_mod) & 0xff;
	struct simhca_port *other = port;

	if (number > ibdev->phys_port_cnt)
		return reply_with(smp, STATUS_BAD_FIELD);
	if (number)
		other = &port->hca->port[number - 1];
	/* A port is set by itself alone. */
	if (set && other == port)
		set_port_info(port, smp);
	get_port_info(other, port->number, smp);
	if (set && other == port)
		((struct ib_port_info *)smp->data)->clientrereg_resv_subnetto |= rereg;
	return reply(smp);
}

static int pkey_table(struct simhca_port *port, struct ib_smp *smp, bool set)
{
	__be16 *table = (__be16 *)smp->data;
	bool changed = false;
	int i;

	if (be32_to_cpu(smp->attr_mod) & 0xffff)
		return reply_with(smp, STATUS_BAD_FIELD);
	for (i = 0; i < SIMHCA_PKEYS; i++) {
		if (set && port->pkey[i] != be16_to_cpu(table[i])) {
			WRITE_ONCE(port->pkey[i], be16_to_cpu(table[i]));
			changed = true;
		}
		table[i] = cpu_to_be16(port->pkey[i]);
	}
	if (changed)
		simhca_event(port, IB_EVENT_PKEY_CHANGE);
	return reply(smp);
}

static int guid_info(struct simhca_port *port, struct ib_smp *smp, bool set)
{
	__be64 *table = (__be64 *)smp->data;
	int i;

	if (be32_to_cpu(smp->attr_mod))
		return reply_with(smp, STATUS_BAD_FIELD);
	for (i = 0; i < SIMHCA_GUIDS; i++) {
		/* The first is the port's own, for ever. */
		if (set && i)
			port->guid[i] = table[i];
		table[i] = port->guid[i];
	}
	if (set)
		simhca_event(port, IB_EVENT_GID_CHANGE);
	return reply(smp);
}

static int get_or_set(struct ib_device *ibdev, struct simhca_port *port, struct ib_smp *smp,
		      bool set)
{
	switch (smp->attr_id) {
	case IB_SMP_ATTR_PORT_INFO:
		return port_info(ibdev, port, smp, set);
	case IB_SMP_ATTR_PKEY_TABLE:
		return pkey_table(port, smp, set);
	case IB_SMP_ATTR_GUID_INFO:
		return guid_info(port, smp, set);
	case IB_SMP_ATTR_SL_TO_VL_TABLE:
	case IB_SMP_ATTR_VL_ARB_TABLE:
		/* One virtual lane needs neither. */
		memset(smp->data, 0, sizeof(smp->data));
		return reply(smp);
	case IB_SMP_ATTR_SM_INFO:
		/* A subnet manager on this port answers for itself. */
		if (port->ibp.port_cap_flags & IB_PORT_SM)
			return IB_MAD_RESULT_SUCCESS;
		return reply_with(smp, STATUS_UNSUPPORTED);
	case IB_SMP_ATTR_NODE_DESC:
		if (set)
			break;
		memcpy(smp->data, ibdev->node_desc, sizeof(smp->data));
		return reply(smp);
	case IB_SMP_ATTR_NODE_INFO:
		if (set)
			break;
		get_node_info(ibdev, port, smp);
		return reply(smp);
	default:
		break;
	}
	return reply_with(smp, STATUS_UNSUPPORTED);
}

int simhca_sma(struct ib_device *ibdev, struct simhca_port *port, struct ib_smp *smp)
{
	if (smp->class_version != 1)
		return reply_with(smp, STATUS_BAD_VERSION);
	switch (smp->method) {
	case IB_MGMT_METHOD_GET:
		return get_or_set(ibdev, port, smp, false);
	case IB_MGMT_METHOD_SET:
		return get_or_set(ibdev, port, smp, true);
	case IB_MGMT_METHOD_TRAP_REPRESS:
		return IB_MAD_RESULT_SUCCESS | IB_MAD_RESULT_CONSUMED;
	case IB_MGMT_METHOD_TRAP:
	case IB_MGMT_METHOD_REPORT:
	case IB_MGMT_METHOD_REPORT_RESP:
	case IB_MGMT_METHOD_GET_RESP:
		/* For the agent that registered for it. */
		return IB_MAD_RESULT_SUCCESS;
	default:
		return reply_with(smp, STATUS_UNSUPPORTED);
	}
}
