// SPDX-License-Identifier: GPL-2.0-only
/*
 * UD, and with it QP0 and QP1: a datagram is copied into a receive of every
 * queue pair it is for, or lost without a word.
 */
#include "simhca.h"

/* A datagram under way. */
struct datagram {
	struct simhca_port *from;
	struct rvt_qp *qp;
	struct rvt_swqe *wqe;
	struct rdma_ah_attr *ah;
	u16 pkey;
	u32 qkey;
};

static u16 pkey_of(struct rvt_qp *qp, struct rvt_swqe *wqe, struct simhca_port *port)
{
	if (qp->ibqp.qp_type == IB_QPT_GSI)
		return simhca_pkey(port, rvt_get_swqe_pkey_index(wqe));
	return simhca_pkey(port, qp->s_pkey_index);
}

/* The index of a matching P_Key in a port's table, for datagrams to QP1; -1 when there is none. */
static int find_pkey(struct simhca_port *to, u16 pkey)
{
	int i;

	for (i = 0; i < SIMHCA_PKEYS; i++)
		if (simhca_pkey_matches(simhca_pkey(to, i), pkey))
			return i;
	return -1;
}

/* Returns true if a queue pair accepts a datagram; the completion reports *pkey_index. */
static bool accepts(struct rvt_qp *qp, struct simhca_port *to, const struct datagram *datagram,
		    u16 *pkey_index)
{
	int index = 0;

	if (!(ib_rvt_state_ops[qp->state] & RVT_PROCESS_RECV_OK))
		return false;
	if (qp->ibqp.qp_type == IB_QPT_SMI)
		return datagram->qp->ibqp.qp_type == IB_QPT_SMI;
	if (qp->ibqp.qp_type != IB_QPT_UD && qp->ibqp.qp_type != IB_QPT_GSI)
		return false;
	if (datagram->qp->ibqp.qp_type == IB_QPT_SMI || qp->port_num != to->number)
		return false;
	if (qp->ibqp.qp_type == IB_QPT_GSI)
		index = find_pkey(to, datagram->pkey);
	else if (!simhca_pkey_matches(simhca_pkey(to, qp->s_pkey_index), datagram->pkey))
		index = -1;
	if (index < 0) {
		to->ibp.pkey_violations++;
		return false;
	}
	if (qp->qkey != datagram->qkey) {
		to->ibp.qkey_violations++;
		return false;
	}
	*pkey_index = index;
	return true;
}

static void make_grh(struct ib_grh *grh, const struct datagram *datagram)
{
	const struct ib_global_route *route = rdma_ah_read_grh(datagram->ah);
	const struct simhca_port *from = datagram->from;

	grh->version_tclass_flow = cpu_to_be32(6 << 28 | route->traffic_class << 20 |
					       (route->flow_label & 0xfffff));
	grh->paylen = cpu_to_be16(datagram->wqe->length);
	grh->next_hdr = 0x1b;			/* IBA transport */
	grh->hop_limit = route->hop_limit;
	grh->sgid.global.subnet_prefix = from->ibp.gid_prefix;
	grh->sgid.global.interface_id = from->guid[route->sgid_index % SIMHCA_GUIDS];
	grh->dgid = route->dgid;
}

/* Copy a datagram into the receive that was taken; the first 40 bytes are the GRH's, if any. */
static void fill_receive(struct rvt_qp *qp, const struct datagram *datagram, struct ib_wc *wc)
{
	struct rvt_swqe *wqe = datagram->wqe;
	struct rvt_sge_state from;
	struct ib_grh grh;

	if (rdma_ah_get_ah_flags(datagram->ah) & IB_AH_GRH) {
		make_grh(&grh, datagram);
		rvt_copy_sge(qp, &qp->r_sge, &grh, sizeof(grh), true, false);
		wc->wc_flags |= IB_WC_GRH;
	} else {
		rvt_skip_sge(&qp->r_sge, sizeof(grh), true);
	}
	from.sge = wqe->sg_list[0];
	from.sg_list = wqe->sg_list + 1;
	from.num_sge = wqe->wr.num_sge;
	simhca_copy(qp, &qp->r_sge, &from, wqe->length, true, false);
	rvt_put_ss(&qp->r_sge);
}

/* Takes a receive that the datagram fits in, else returns false; one too small stays. */
static bool take_receive(struct rvt_qp *qp, struct simhca_port *to, u32 length)
{
	int got = 1;

	if (qp->r_flags & RVT_R_REUSE_SGE)
		qp->r_flags &= ~RVT_R_REUSE_SGE;
	else
		got = rvt_get_rwqe(qp, false);
	if (got < 0)
		rvt_rc_error(qp, IB_WC_LOC_QP_OP_ERR);
	if (got <= 0) {
		if (qp->ibqp.qp_type == IB_QPT_SMI)
			to->ibp.n_vl15_dropped++;
		else
			to->ibp.n_pkt_drops++;
		return false;
	}
	if (length > qp->r_len) {
		qp->r_flags |= RVT_R_REUSE_SGE;
		to->ibp.n_pkt_drops++;
		return false;
	}
	return true;
}

static u32 low_bits(u32 value, u8 count)
{
	return value & (BIT(count) - 1);
}

static void deliver(struct rvt_qp *qp, struct simhca_port *to, const struct datagram *datagram)
{
	struct rvt_swqe *wqe = datagram->wqe;
	struct ib_wc wc = {
		.opcode = IB_WC_RECV,
		.status = IB_WC_SUCCESS,
		.byte_len = wqe->length + sizeof(struct ib_grh),
		.qp = &qp->ibqp,
		.src_qp = datagram->qp->ibqp.qp_num,
		.sl = rdma_ah_get_sl(datagram->ah),
		.port_num = to->number,
	};
	u32 dlid = rdma_ah_get_dlid(datagram->ah);
	unsigned long flags;

	if (!accepts(qp, to, datagram, &wc.pkey_index))
		return;
	wc.slid = READ_ONCE(datagram->from->lid) | low_bits(rdma_ah_get_path_bits(datagram->ah),
							    datagram->from->lmc);
	if (qp->ibqp.qp_type == IB_QPT_SMI && dlid == SIMHCA_LID_PERMISSIVE)
		wc.slid = SIMHCA_LID_PERMISSIVE;
	wc.dlid_path_bits = low_bits(dlid, to->lmc);
	if (wqe->wr.opcode == IB_WR_SEND_WITH_IMM) {
		wc.wc_flags = IB_WC_WITH_IMM;
		wc.ex.imm_data = wqe->wr.ex.imm_data;
	}

	spin_lock_irqsave(&qp->r_lock, flags);
	if (take_receive(qp, to, wc.byte_len)) {
		fill_receive(qp, datagram, &wc);
		if (test_and_clear_bit(RVT_R_WRID_VALID, &qp->r_aflags)) {
			wc.wr_id = qp->r_wr_id;
			rvt_recv_cq(qp, &wc, wqe->wr.send_flags & IB_SEND_SOLICITED);
		}
	}
	spin_unlock_irqrestore(&qp->r_lock, flags);
}

static void deliver_multicast(struct simhca_port *to, const struct datagram *datagram)
{
	union ib_gid mgid = rdma_ah_read_grh(datagram->ah)->dgid;
	struct rvt_mcast_qp *member;
	struct rvt_mcast *group;

	if (READ_ONCE(to->state) != IB_PORT_ACTIVE || !rcu_dereference(to->hca->device))
		return;
	group = rvt_mcast_find(&to->ibp, &mgid, rdma_ah_get_dlid(datagram->ah));
	if (!group)
		return;
	list_for_each_entry_rcu(member, &group->qp_list, list)
		if (member->qp != datagram->qp)
			deliver(member->qp, to, datagram);
	atomic64_inc(&to->counters.multicast_rcv_packets);
	/* rvt_detach_mcast() waits for this before it frees the group. */
	if (atomic_dec_return(&group->refcount) <= 1)
		wake_up(&group->wait);
}

static void deliver_unicast(struct simhca_port *to, const struct datagram *datagram)
{
	struct simhca_device *device = rcu_dereference(to->hca->device);
	struct rvt_qp *qp = NULL;

	if (device)
		qp = rvt_lookup_qpn(&device->rdi, &to->ibp, rvt_get_swqe_remote_qpn(datagram->wqe));
	if (qp)
		deliver(qp, to, datagram);
	else
		to->ibp.n_pkt_drops++;
}

static void send_multicast(const struct datagram *datagram)
{
	struct simhca_port *from = datagram->from;

	atomic64_inc(&from->counters.multicast_xmit_packets);
	deliver_multicast(from, datagram);
	if (from->peer) {
		deliver_multicast(from->peer, datagram);
		simhca_count(from, from->peer, datagram->wqe->length);
	}
}

/* Subnet management goes over links that are not active yet; by directed route to the neighbour. */
static struct simhca_port *route_smp(struct simhca_port *from, u32 dlid)
{
	struct simhca_port *peer = simhca_neighbour(from);

	if (dlid == READ_ONCE(from->lid))
		return from;
	if (peer && (dlid == SIMHCA_LID_PERMISSIVE || dlid == READ_ONCE(peer->lid)))
		return peer;
	return NULL;
}

static void discard(struct simhca_port *from)
{
	atomic64_inc(&from->counters.xmit_discards);
}

struct simhca_result simhca_ud_send(struct rvt_qp *qp, struct rvt_swqe *wqe)
{
	struct simhca_port *from = simhca_port_of(qp);
	struct datagram datagram = {
		.from = from,
		.qp = qp,
		.wqe = wqe,
		.ah = rvt_get_swqe_ah_attr(wqe),
		.pkey = pkey_of(qp, wqe, from),
		.qkey = rvt_get_swqe_remote_qkey(wqe),
	};
	const struct simhca_result sent = { .outcome = SIMHCA_DONE, .status = IB_WC_SUCCESS };
	bool management = qp->ibqp.qp_type == IB_QPT_SMI;
	u32 dlid = rdma_ah_get_dlid(datagram.ah);
	struct simhca_port *to;

	/* InfiniBand Architecture Specification, 10.2.5: the top bit asks for the sender's own. */
	if (datagram.qkey & BIT(31))
		datagram.qkey = qp->qkey;
	if (!management && (READ_ONCE(from->state) != IB_PORT_ACTIVE ||
			    simhca_drops(from->faults.drop_ud, &from->faults.ud_seen))) {
		discard(from);
		return sent;
	}
	if (!management && dlid >= be16_to_cpu(IB_MULTICAST_LID_BASE) &&
	    dlid != SIMHCA_LID_PERMISSIVE) {
		send_multicast(&datagram);
		return sent;
	}
	to = management ? route_smp(from, dlid) : simhca_route(from, dlid);
	if (to) {
		deliver_unicast(to, &datagram);
		simhca_count(from, to, wqe->length);
	} else {
		discard(from);
	}
	return sent;
}
