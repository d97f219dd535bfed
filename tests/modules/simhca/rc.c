// SPDX-License-Identifier: GPL-2.0-only
/*
 * RC and UC: a work request is carried out against the responder's memory and
 * receive queue in one go, with the checks and completions a wire would give.
 *
 * Only r_lock of the responder is held, and no lock of the requester, so that
 * two queue pairs that talk to each other cannot wait for each other.
 */
#include "simhca.h"

static struct simhca_result done(enum ib_wc_status status)
{
	return (struct simhca_result){ .outcome = SIMHCA_DONE, .status = status };
}

static struct simhca_result lost(void)
{
	return (struct simhca_result){ .outcome = SIMHCA_LOST };
}

/* Copy between two lists of segments; release_* drop the regions' references as segments end. */
void simhca_copy(struct rvt_qp *qp, struct rvt_sge_state *to, struct rvt_sge_state *from,
		 u32 length, bool release_to, bool release_from)
{
	while (length) {
		u32 piece = rvt_get_sge_length(&from->sge, length);

		/* A user's program may poll on the last byte of what a peer writes. */
		rvt_copy_sge(qp, to, from->sge.vaddr, piece, release_to, rvt_is_user_qp(qp));
		rvt_update_sge(from, piece, release_from);
		length -= piece;
	}
}

static void use_wqe(struct rvt_sge_state *state, struct rvt_swqe *wqe)
{
	state->sge = wqe->sg_list[0];
	state->sg_list = wqe->sg_list + 1;
	state->num_sge = wqe->wr.num_sge;
	state->total_len = wqe->length;
}

static bool use_rkey(struct rvt_qp *qp, struct rvt_sge_state *state, struct rvt_swqe *wqe,
		     int access)
{
	if (!rvt_rkey_ok(qp, &state->sge, wqe->length, wqe->rdma_wr.remote_addr, wqe->rdma_wr.rkey,
			 access))
		return false;
	state->sg_list = NULL;
	state->num_sge = 1;
	state->total_len = wqe->length;
	return true;
}

/* The responder refuses a request and is in error then. UC's requester does not learn of it. */
static struct simhca_result refuse(struct rvt_qp *qp, enum ib_wc_status ours,
				   enum ib_wc_status theirs)
{
	rvt_rc_error(qp, theirs);
	return done(qp->ibqp.qp_type == IB_QPT_RC ? ours : IB_WC_SUCCESS);
}

static struct simhca_result refuse_request(struct rvt_qp *qp)
{
	return refuse(qp, IB_WC_REM_INV_REQ_ERR, IB_WC_LOC_QP_OP_ERR);
}

static struct simhca_result refuse_access(struct rvt_qp *qp)
{
	return refuse(qp, IB_WC_REM_ACCESS_ERR, IB_WC_LOC_PROT_ERR);
}

/* Take a receive; when there is none, *result says what comes of that. */
static bool take_receive(struct rvt_qp *qp, bool id_only, struct simhca_result *result)
{
	int got = rvt_get_rwqe(qp, id_only);

	if (got > 0)
		return true;
	if (got < 0)
		*result = refuse(qp, IB_WC_REM_OP_ERR, IB_WC_LOC_QP_OP_ERR);
	else
		*result = (struct simhca_result){
			.outcome = SIMHCA_RNR,
			.rnr_timer = qp->r_min_rnr_timer,
		};
	return false;
}

static void complete_receive(struct rvt_qp *qp, struct rvt_swqe *wqe, struct ib_wc *wc)
{
	if (!test_and_clear_bit(RVT_R_WRID_VALID, &qp->r_aflags))
		return;
	wc->wr_id = qp->r_wr_id;
	wc->status = IB_WC_SUCCESS;
	wc->byte_len = wqe->length;
	wc->qp = &qp->ibqp;
	wc->src_qp = qp->remote_qpn;
	wc->slid = rdma_ah_get_dlid(&qp->remote_ah_attr);
	wc->sl = rdma_ah_get_sl(&qp->remote_ah_attr);
	wc->port_num = qp->port_num;
	rvt_recv_cq(qp, wc, wqe->wr.send_flags & IB_SEND_SOLICITED);
}

static struct simhca_result do_send(struct rvt_qp *qp, struct rvt_swqe *wqe)
{
	struct ib_wc wc = { .opcode = IB_WC_RECV };
	struct simhca_result result;
	struct rvt_sge_state from;

	if (!take_receive(qp, false, &result))
		return result;
	if (wqe->length > qp->r_len)
		return refuse_request(qp);
	if (wqe->wr.opcode == IB_WR_SEND_WITH_INV) {
		if (rvt_invalidate_rkey(qp, wqe->wr.ex.invalidate_rkey))
			return refuse_access(qp);
		wc.wc_flags = IB_WC_WITH_INVALIDATE;
		wc.ex.invalidate_rkey = wqe->wr.ex.invalidate_rkey;
	} else if (wqe->wr.opcode == IB_WR_SEND_WITH_IMM) {
		wc.wc_flags = IB_WC_WITH_IMM;
		wc.ex.imm_data = wqe->wr.ex.imm_data;
	}
	use_wqe(&from, wqe);
	simhca_copy(qp, &qp->r_sge, &from, wqe->length, true, false);
	rvt_put_ss(&qp->r_sge);
	complete_receive(qp, wqe, &wc);
	return done(IB_WC_SUCCESS);
}

static struct simhca_result do_write(struct rvt_qp *qp, struct rvt_swqe *wqe)
{
	bool immediate = wqe->wr.opcode == IB_WR_RDMA_WRITE_WITH_IMM;
	struct rvt_sge_state to, from;
	struct simhca_result result;

	if (!(qp->qp_access_flags & IB_ACCESS_REMOTE_WRITE))
		return refuse_request(qp);
	if (immediate && !take_receive(qp, true, &result))
		return result;
	if (wqe->length) {
		if (!use_rkey(qp, &to, wqe, IB_ACCESS_REMOTE_WRITE))
			return refuse_access(qp);
		use_wqe(&from, wqe);
		simhca_copy(qp, &to, &from, wqe->length, true, false);
	}
	if (immediate) {
		struct ib_wc wc = {
			.opcode = IB_WC_RECV_RDMA_WITH_IMM,
			.wc_flags = IB_WC_WITH_IMM,
			.ex.imm_data = wqe->wr.ex.imm_data,
		};

		complete_receive(qp, wqe, &wc);
	}
	return done(IB_WC_SUCCESS);
}

static struct simhca_result do_read(struct rvt_qp *qp, struct rvt_swqe *wqe)
{
	struct rvt_sge_state to, from;

	if (!(qp->qp_access_flags & IB_ACCESS_REMOTE_READ) || !qp->r_max_rd_atomic)
		return refuse_request(qp);
	if (!wqe->length)
		return done(IB_WC_SUCCESS);
	if (!use_rkey(qp, &from, wqe, IB_ACCESS_REMOTE_READ))
		return refuse_access(qp);
	use_wqe(&to, wqe);
	simhca_copy(qp, &to, &from, wqe->length, false, true);
	return done(IB_WC_SUCCESS);
}

static struct simhca_result do_atomic(struct rvt_qp *qp, struct rvt_swqe *wqe)
{
	u64 operand = wqe->atomic_wr.compare_add;
	struct rvt_sge target;
	u64 before;

	if (!(qp->qp_access_flags & IB_ACCESS_REMOTE_ATOMIC) || !qp->r_max_rd_atomic ||
	    wqe->atomic_wr.remote_addr % sizeof(u64))
		return refuse_request(qp);
	if (!rvt_rkey_ok(qp, &target, sizeof(u64), wqe->atomic_wr.remote_addr, wqe->atomic_wr.rkey,
			 IB_ACCESS_REMOTE_ATOMIC))
		return refuse_access(qp);
	if (wqe->wr.opcode == IB_WR_ATOMIC_FETCH_AND_ADD)
		before = atomic64_fetch_add(operand, (atomic64_t *)target.vaddr);
	else
		before = cmpxchg((u64 *)target.vaddr, operand, wqe->atomic_wr.swap);
	*(u64 *)wqe->sg_list[0].vaddr = before;
	rvt_put_mr(target.mr);
	return done(IB_WC_SUCCESS);
}

static struct simhca_result serve(struct rvt_qp *qp, struct rvt_swqe *wqe)
{
	switch (wqe->wr.opcode) {
	case IB_WR_SEND:
	case IB_WR_SEND_WITH_IMM:
	case IB_WR_SEND_WITH_INV:
		return do_send(qp, wqe);
	case IB_WR_RDMA_WRITE:
	case IB_WR_RDMA_WRITE_WITH_IMM:
		return do_write(qp, wqe);
	case IB_WR_RDMA_READ:
		return do_read(qp, wqe);
	case IB_WR_ATOMIC_CMP_AND_SWP:
	case IB_WR_ATOMIC_FETCH_AND_ADD:
		return do_atomic(qp, wqe);
	default:
		return done(IB_WC_LOC_QP_OP_ERR);
	}
}

/* The other end of a connection, when it takes packets of this one for its own; under RCU. */
static struct rvt_qp *find_responder(struct rvt_qp *qp, struct simhca_port *from,
				     struct simhca_port *to)
{
	struct simhca_device *device = rcu_dereference(to->hca->device);
	struct rvt_qp *responder;

	if (!device)
		return NULL;
	responder = rvt_lookup_qpn(&device->rdi, &to->ibp, qp->remote_qpn);
	if (!responder || responder->ibqp.qp_type != qp->ibqp.qp_type ||
	    responder->port_num != to->number || responder->remote_qpn != qp->ibqp.qp_num)
		return NULL;
	if (!simhca_pkey_matches(simhca_pkey(from, qp->s_pkey_index),
				 simhca_pkey(to, responder->s_pkey_index))) {
		to->ibp.pkey_violations++;
		return NULL;
	}
	return responder;
}

/* The first message on a connection that its owner has not moved to RTS yet. */
static void note_established(struct rvt_qp *qp)
{
	if (qp->state == IB_QPS_RTR && !(qp->r_flags & RVT_R_COMM_EST))
		rvt_comm_est(qp);
}

struct simhca_result simhca_rc_send(struct rvt_qp *qp, struct rvt_swqe *wqe)
{
	struct simhca_port *from = simhca_port_of(qp);
	struct simhca_result result = lost();
	struct rvt_qp *responder;
	struct simhca_port *to;
	unsigned long flags;

	to = simhca_route(from, rdma_ah_get_dlid(&qp->remote_ah_attr));
	if (!to || simhca_drops(from->faults.drop_rc, &from->faults.rc_seen)) {
		atomic64_inc(&from->counters.xmit_discards);
		return result;
	}
	responder = find_responder(qp, from, to);
	if (!responder) {
		from->ibp.n_pkt_drops++;
		return result;
	}
	/* Before the lock: whom it tells may take locks under which others post. */
	note_established(responder);
	spin_lock_irqsave(&responder->r_lock, flags);
	if (ib_rvt_state_ops[responder->state] & RVT_PROCESS_RECV_OK) {
		result = serve(responder, wqe);
		/* The data of an RDMA READ comes from the responder. */
		if (wqe->wr.opcode == IB_WR_RDMA_READ)
			simhca_count(to, from, wqe->length);
		else
			simhca_count(from, to, wqe->length);
	}
	spin_unlock_irqrestore(&responder->r_lock, flags);
	return result;
}
